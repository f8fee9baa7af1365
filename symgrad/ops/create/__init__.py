"""New tensors: from data, of a shape, at random.

creation  making tensors: from data, filled, in ranges, like others; identity matrices, windows of signal processing
draws     random tensors: NumPy's generators behind PyTorch's names, and draws from distributions with parameters
"""

from . import creation, draws  # importing them fills the table
from .draws import Beginnings, default_generator, drawn, numpy_generator
