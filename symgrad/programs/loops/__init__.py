"""Programs as loops: over single numbers, over entries, over the steps of a recurrence.

looped_source   the source of a function with loops in it, in the words of NumPy, JAX or PyTorch: the loops stay loops
nested_program  a program as loops that Numba compiles, and lines of NumPy where those are faster
nests           definitions, and the filling of a matrix, as loops over entries, which Numba compiles
scalar_form     a program of few numbers, as steps on single numbers instead of calls of NumPy; and its lines
scalars         the numbers of a program one by one: each an operation on others
steps           one step of a loop as steps on single numbers and as source; the loop over all steps, compiled
"""

from .looped_source import ModuleWithLoops, TranslatedModuleWithLoops
from .nested_program import as_loops, beside_numpy
from .scalar_form import Input, ScalarForm, scalar_form
from .scalars import Scalar
from .steps import StepNotFinite, StepProgram, StepSizes, compiled_step
