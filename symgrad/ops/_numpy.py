"""NumPy's own functions on tensors: ``np.sin(t)`` is the table's ``sin``.

That makes plain NumPy code differentiable, and it is what a rule's ``np.cos(x)`` means when the rule runs on tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError, NotDifferentiableError
from ..core import NUMPY, Symbol, Tensor


def _any_requires_grad(values: Any) -> bool:
    for v in values:
        if isinstance(v, Tensor):
            if v._node is not None or type(v) is Symbol:
                return True
        elif isinstance(v, (list, tuple)) and _any_requires_grad(v):
            return True
    return False


def _plain(v: Any) -> Any:
    if isinstance(v, Tensor):
        return v._data
    if isinstance(v, (list, tuple)):
        return type(v)(_plain(u) for u in v)
    return v


def _no_rule(name: str, how: str = "") -> NotDifferentiableError:
    return NotDifferentiableError(
        f"np.{name} on a tensor that requires grad has no derivative rule{how}",
        "The table of operations has no row for it.",
        "Use a symgrad function, detach() the tensor, or define the rule with symgrad.autograd.Function.",
    )


def ufunc_on_tensors(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc that met a tensor: its row, or plain NumPy if no gradient is at stake."""
    row = NUMPY.get(ufunc)
    if row is None:
        row = _scipy_row(ufunc)
    if method == "__call__" and row is not None and not kwargs:
        return row(*inputs)
    if method == "reduce" and ufunc is np.add and row is not None:
        return NUMPY[np.sum](*inputs, **kwargs)
    if not _any_requires_grad((*inputs, *kwargs.values())):
        return getattr(ufunc, method)(*map(_plain, inputs), **{k: _plain(v) for k, v in kwargs.items()})
    name = ufunc.__name__ + ("" if method == "__call__" else f".{method}")
    raise _no_rule(name, f" with the arguments {sorted(kwargs)}" if kwargs else "")


def _scipy_row(ufunc: Any) -> Any:
    """The row of one of SciPy's special functions (known only once SciPy is loaded)."""
    from ..core import TABLE

    names = {
        "expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv",
        "ndtr": "ndtr", "xlogy": "xlogy", "xlog1py": "xlog1py",
    }  # fmt: skip
    name = names.get(ufunc.__name__)
    row = TABLE[name].apply if name is not None else None
    if row is not None:
        NUMPY[ufunc] = row
    return row


# arguments of NumPy's that mean nothing to a recorded operation, with the values that say nothing
_NOT_ON_TENSORS: dict[str, Any] = {
    "out": None, "hermitian": False, "sparse": False, "where": np._NoValue, "subok": True,
}  # fmt: skip
_CASTS_AFTER = (np.concatenate, np.stack, np.vstack, np.hstack, np.trace)


def function_on_tensors(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A NumPy function that met a tensor."""
    row = NUMPY.get(func)
    if row is not None:
        unsaid = {k: v for k, v in kwargs.items() if not (k in _NOT_ON_TENSORS and v is _NOT_ON_TENSORS[k])}
        refused = sorted(set(unsaid) & set(_NOT_ON_TENSORS))
        if refused:
            raise DTypeError(
                f"np.{func.__name__} on tensors does not take {refused[0]}=", f"It was given {unsaid[refused[0]]!r}.",
                "Leave it out, or call the function on arrays (t.detach().numpy()).",
            )  # fmt: skip
        dtype = unsaid.pop("dtype", None) if func in _CASTS_AFTER else None
        result = row(*args, **unsaid)
        return result if dtype is None else result.to(dtype)
    if not _any_requires_grad((*args, *kwargs.values())):
        return func(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
    raise _no_rule(func.__name__)
