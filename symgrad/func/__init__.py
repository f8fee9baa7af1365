"""Functions in, functions out: PyTorch's ``torch.func``.

The one idea: each transform differentiates with respect to tensors of its own, along the ordinary graph, so that
transforms nest in any order, see through closures, and their results have histories and formulas like any tensor.
"""

from ..ops import set_public_names as _settle
from ..transforms import vmap
from ._functional_call import (
    functional_call,
    functionalize,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from ._transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp

__all__ = [
    "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip

_settle(__name__, globals(), set(__all__) - {"vmap"})  # which is symgrad.vmap
