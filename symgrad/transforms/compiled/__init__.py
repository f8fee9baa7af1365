"""What `sg.compile` makes: programs by structures of arguments, with loops in them, for other libraries.

compile     ``sg.compile``: value and derivatives of a function as one program that runs without tracing
with_loops  programs of functions with loops in them: the function around the loops, the loops' steps
quick       who compiles, the quick ways of a compiled function, and the term of a function that ran on symbols
structure   what `sg.compile` keeps of one structure of arguments, and what Python decides by values meanwhile
targets     ``sg.compile`` for other libraries: the same program as a function of their arrays
"""

from .compile import Compiled, compile, targets
from .quick import parts_of
from .structure import argument_mark
from .with_loops import ProgramWithLoops
