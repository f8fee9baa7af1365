"""Arguments that PyTorch's functions take besides: ``out=``, other names, and those that mean nothing here.

The idea to hold: the functions themselves know nothing of this; a public one is wrapped where these tables name it, and
a call without such an argument goes straight through.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from .._errors import GradientError
from ..core import Tensor, fill_with, modes
from ._public import FUNCTIONS, METHODS, Signature

OUT = """
abs absolute add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax angle any arange argmax argmin baddbmm
bernoulli bitwise_left_shift bitwise_not bitwise_right_shift bmm bucketize cat chain_matmul cholesky cholesky_inverse
cholesky_solve clamp clamp_max clamp_min clip column_stack complex concat concatenate conj_physical cross cummax cummin
cumprod cumsum deg2rad diag diff div divide dot dstack empty eye float_power floor_divide fmod frexp full gather gcd
geqrf ger heaviside histc histogram hstack i0 igamma igammac index_add index_copy index_reduce index_select inner
inverse isin isneginf isposinf kron kthvalue lcm ldexp lerp linspace log_softmax logcumsumexp logit logspace logsumexp
lu_solve lu_unpack masked_select matmul matrix_power max mean median min mm mode msort multinomial mv mvlgamma
nan_to_num nanmean nanmedian nanquantile nansum narrow_copy neg negative nextafter nonzero norm normal ones orgqr ormqr
outer polar polygamma pow prod qr quantile rad2deg rand randint randn randperm remainder renorm round row_stack scatter
scatter_add scatter_reduce searchsorted sgn sign slogdet softmax sort stack std std_mean sub subtract sum svd take
take_along_dim tensordot topk triangular_solve tril triu true_divide var var_mean vdot vstack where xlogy zeros
""".split()  # noqa: SIM905
"""The functions that take ``out=``, besides rows of the table, which all do."""

_LINALG_INPUT = """
cholesky cholesky_ex cond eig eigh eigvals eigvalsh lstsq matrix_exp matrix_norm matrix_power matrix_rank norm pinv
solve_triangular tensorinv tensorsolve
""".split()  # noqa: SIM905

_SPLITS = {"indices": "indices_or_sections", "sections": "indices_or_sections"}
NAMES: dict[str, dict[str, str]] = {
    **{name: {"input": "A"} for name in ("det", "inverse", "matrix_exp", "matrix_power")},
    "cholesky_inverse": {"input": "L"}, "cholesky_solve": {"input": "B", "input2": "L"},
    "isin": {"element": "elements", "test_element": "test_elements"},
    "lu_solve": {"input": "b"}, "orgqr": {"input2": "tau"}, "ormqr": {"input2": "tau", "input3": "other"},
    "swapdims": {"dim0": "axis0", "dim1": "axis1"}, "triangular_solve": {"input": "b"}, "unflatten": {"sizes": "size"},
    "unsafe_split": {"input": "tensor"}, "hsplit": _SPLITS, "vsplit": _SPLITS, "dsplit": _SPLITS,
    "tensor_split": {**_SPLITS, "tensor_indices_or_sections": "indices_or_sections"},
}  # fmt: skip
"""Other names of arguments: of functions and their methods (PyTorch's documentation and its code differ in many)."""
LINALG_NAMES: dict[str, dict[str, str]] = {
    **{name: {"input": "A"} for name in _LINALG_INPUT}, "vector_norm": {"input": "x"},
    "lstsq": {"input": "A", "b": "B"}, "tensorsolve": {"input": "A", "other": "B"},
    "pinv": {"input": "A", "rcond": "rtol"}, "matrix_rank": {"input": "A", "tol": "atol"},
}  # fmt: skip
"""The same for `symgrad.linalg`."""

_CREATED = ("layout", "pin_memory")
_LIKE = (*_CREATED, "memory_format")
_MAKERS = """
arange empty_permuted eye linspace logspace new_empty_strided new_full new_tensor normal randint randperm scalar_tensor
tril_indices triu_indices
""".split()  # noqa: SIM905
IGNORED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_MAKERS, _CREATED), "empty": ("memory_format",), "randint_like": _LIKE,
    **{f"{name}_like": ("pin_memory",) for name in ("empty", "full", "ones", "zeros", "rand", "randn")},
}  # fmt: skip
"""Arguments of PyTorch's that mean nothing here: arrays have one layout, and one kind of memory."""


def taking(
    fn: Callable[..., Any], names: Mapping[str, str] | None = None, ignored: tuple[str, ...] = (), out: bool = False
) -> Callable[..., Any]:
    """``fn``, which takes arguments under further ``names``, some that are ``ignored``, and ``out``."""
    names = names or {}

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return fn(*args)
        for name in kwargs.keys() & names.keys():
            if names[name] in kwargs:
                raise TypeError(f"{fn.__name__}() got both {name!r} and {names[name]!r}; they mean the same")
            kwargs[names[name]] = kwargs.pop(name)
        for name in ignored:
            kwargs.pop(name, None)
        target = kwargs.pop("out", None) if out else None
        return fn(*args, **kwargs) if target is None else _into(target, fn, args, kwargs)

    wrapper.also = (*names, *ignored, *(("out",) if out else ()))  # type: ignore[attr-defined]
    wrapper.__signature__ = Signature(fn, (*ignored, *(("out",) if out else ())))  # type: ignore[attr-defined]
    return wrapper


def _into(out: Any, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write the results of ``fn`` to the tensors ``out`` (or the one tensor), without history."""
    outs = out if isinstance(out, (tuple, list)) else (out,)
    what = f"{fn.__name__}(out=)"
    if modes.mode.get() > 0 and any(map(_has_history, (*args, *kwargs.values(), *outs))):
        raise GradientError(
            f"{fn.__name__}(): functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad.", "", "Leave out= away, or compute under sg.no_grad().",
        )  # fmt: skip
    found = fn(*args, **kwargs)
    for t, new in zip(outs, found if isinstance(found, tuple) else (found,), strict=True):
        if not isinstance(t, Tensor):
            raise TypeError(f"{fn.__name__}(): argument 'out' must be Tensor, not {type(t).__name__}")
        fill_with(t, new, what)
    return type(found)(*outs) if hasattr(found, "_fields") else out


def _has_history(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_history, value))
    return isinstance(value, Tensor) and value._node is not None


def complete() -> None:
    """Let the public functions and methods that the tables name take what they say."""
    made: dict[Any, Callable[..., Any]] = {}  # a function under two names stays one
    for name in {*OUT, *NAMES, *IGNORED}:
        names, ignored = NAMES.get(name), IGNORED.get(name, ())
        fn = FUNCTIONS.get(name)
        if fn is not None:
            key = fn, str(names), ignored, name in OUT
            made[key] = FUNCTIONS[name] = made.get(key) or taking(fn, names, ignored, name in OUT)
        for method in (name, name + "_"):
            if (names or ignored) and method in METHODS:
                METHODS[method] = taking(METHODS[method], names, ignored)
