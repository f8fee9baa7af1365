"""Derivative programs: second derivatives of a recorded function as straight-line NumPy, planned once per structure.

assemble       from the sum of products that a second derivative is, to what its matrix, diagonal or trace is made of
builder        straight-line programs in the making: a name for every shared value, products in the cheapest order
definitions    definitions as NumPy source: one line each, with the formula that it computes as its comment
dialects       what a library is to programs: its words, its arrays, how its functions are run; a record for each
files          files between processes: the folder of programs, and the machine code that Numba made of source
fill           the lines that fill a matrix, or the structured parts that it stays
graph_terms    a surveyed graph as one term: calls taken apart, entries picked and placed
helpers        the text of programs: the names in it, and the small functions that it calls, as source
linear         linear operations in programs, on stacks of arrays; where entries of a matrix go
program        a derivative program: made once for a structure, run for every point, and kept, between processes too
source_module  the module that a program is: its lines written, compiled, and saved as a file that tests itself
survey         what a recorded graph is made of: its structure as a key, recognised at one look; inputs; what runs
sweeps         derivatives of programs: the gradient by one walk back over the definitions
translate      a program's lines in another library's words, as a function of that library's arrays
loops          programs as loops: over single numbers, over entries, over the steps of a recurrence
matrices       symmetric matrices that keep their structure, and solving with them
sparsity       which entries of second derivatives there are, and which columns can be computed together

The idea to hold: a recorded graph is surveyed (its structure is a key, its arrays are inputs), lifted to terms whose
every shared value has a name, differentiated backwards and then forwards over those names, contracted in the cheapest
order and written as source. The next call with the same structure only runs the source.
"""

from . import definitions  # what there is now, before users add to it
from .assemble import work_of
from .dialects import DIALECTS, NUMPY, Arrays, Dialect
from .files import require_numba
from .graph_terms import as_program_term, entries_of
from .program import BENT, Program, find, why_zero
from .source_module import function_of_module, write_module
from .survey import Survey, Unprogrammable, refuse_written, widened
from .sweeps import FINITE, reads_at_run_time
