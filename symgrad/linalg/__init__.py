"""Linear algebra under `torch.linalg`'s names; every function is differentiable, and takes batches of matrices."""

from ..ops._contract import matmul
from ..ops._fused import linalg_cross as cross
from ..ops._fused import multi_dot
