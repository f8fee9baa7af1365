"""NumPy's own functions on tensors, with its arguments.

entry_points  NumPy's own functions on tensors: ``np.sin(t)`` is the table's ``sin``
fills         NumPy's functions that fill, write in place, and count: full_like, linspace, copyto, put, add.at
rearranging   NumPy's functions of shape and place: those that move, choose, cut, pad and put together
statistics    NumPy's functions of statistics and calculus: histograms, quantiles and medians
submodules    NumPy's submodules with their arguments: linalg, fft, emath; the cross product; polynomials
ufuncs        what every ufunc and reduction of NumPy's takes: where=, dtype=, axis=, initial=; their methods
"""

from ...core import NUMPY
from . import entry_points, fills, rearranging, statistics, submodules, ufuncs  # importing them fills the table
from .entry_points import SCIPY, public_special, row_of_scipy
from .statistics import running

NUMPY.module = ""  # all is declared
