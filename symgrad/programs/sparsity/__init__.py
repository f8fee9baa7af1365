"""Which entries of second derivatives there are, and which columns can be computed together.

colours  colourings: which columns (or rows) of a sparse matrix can be computed together, and taken apart again
pattern  which first or second derivatives can be other than zero: which entries depend on which others
"""

from .colours import Grouping, Recovery, best_grouping, star_colours
from .pattern import hessian_pattern, jacobian_pattern
