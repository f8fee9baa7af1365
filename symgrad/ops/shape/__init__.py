"""Other shapes, joined and taken apart.

joins   joining tensors, taking them apart, and padding
moves   elements in another order, repeated, or in windows; triangles and diagonals of a matrix
shapes  changes of shape: the same elements under other dimensions; views by strides, and of repeated dimensions
"""

from . import joins, moves, shapes  # importing them fills the table
from .joins import stack
from .shapes import broadcast_tensors, expand, reshape, strided_places
