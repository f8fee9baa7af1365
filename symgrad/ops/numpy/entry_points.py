"""NumPy's own functions on tensors: ``np.sin(t)`` is the table's ``sin``.

That makes plain NumPy code differentiable, and it is what a rule's ``np.cos(x)`` means when the rule runs on tensors.
A ufunc of SciPy's is the row of its name; `SCIPY` has the few that are named otherwise.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..._errors import DTypeError, NotDifferentiableError
from ...core import NUMPY, TABLE, Tensor, content, modes, of_numpy, plain_array
from ..arguments import is_recorded, tensor_like
from ..entries.all_special import SCIPY_NAMES
from ..entries.copies import cast
from ..public import FUNCTIONS
from .ufuncs import (
    KEYWORDS,
    UFUNC_METHODS,
    accumulated,
    called,
    numbers,
    of_whole_numbers,
    outer,
    reduced,
    reduced_at,
    tensors_in,
    whole,
)


def _huber(delta: Any, r: Any) -> Any:
    where, size = FUNCTIONS["where"], FUNCTIONS["abs"](r)
    return where(delta < 0 * size, np.inf, where(size <= delta, 0.5 * (r * r), delta * (size - 0.5 * delta)))


SCIPY: dict[str, Callable[..., Any]] = {
    **SCIPY_NAMES, "expit": TABLE["sigmoid"].apply, "gammaln": TABLE["lgamma"].apply, "psi": TABLE["digamma"].apply,
    "log_expit": TABLE["logsigmoid"].apply, "round": TABLE["round_even"].apply,
    "huber": _huber,
    "exp10": lambda x: FUNCTIONS["pow"](10.0, x),
    **{
        f"{kind[0]}{order}{kind[1:]}": partial(TABLE[f"bessel_{kind}"].apply, order=order)
        for kind in ("j", "y", "i", "ie", "k", "ke") for order in (0, 1)
    },
}  # fmt: skip
"""SciPy's special functions whose row has another name, or that are written in operations."""


def _any_recorded(*values: Any) -> bool:
    return any(map(is_recorded, tensors_in(values)))


def _by_numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    what = function.__name__
    return function(*numbers(args, what), **numbers(kwargs, what))


# ---------------------------------------------------------------------------------------------------- errors


def _no_rule(function: Any, method: str = "") -> NotDifferentiableError:
    near = _near(function.__name__ + method)
    return NotDifferentiableError(
        f"{public_name(function)}{method} on a tensor that requires grad has no derivative rule",
        "The table of operations has no row for it." + (f" Near it in name: {', '.join(near)}." if near else ""),
        "Use a symgrad function, x.detach() for a constant, or define the rule with symgrad.autograd.Function.",
    )


def public_name(function: Any) -> str:
    """A function of NumPy's or SciPy's as its users write it."""
    name = function.__name__
    if getattr(np, name, None) is function:
        return f"np.{name}"
    if getattr(np.emath, name, None) is function:
        return f"np.emath.{name}"
    special = sys.modules.get("scipy.special")
    if isinstance(function, np.ufunc) and special is not None:
        if public_special(name) is function:
            return f"scipy.special.{name}"
        if hasattr(getattr(special, "_ufuncs", None), name):
            return f"{name}, which a function of scipy.special calls,"
    module = getattr(function, "__module__", None) or ""
    head, _, rest = module.partition(".")
    return f"{'np' if head == 'numpy' else head}.{rest + '.' if rest else ''}{name}" if head else name


def _near(name: str) -> list[str]:
    """The functions with a row whose names come nearest to a name."""
    known = {f.__name__: public_name(f) for f in NUMPY if public_name(f).startswith("np.")}
    known = {**{n: f"scipy.special.{n}" for n in SCIPY}, **{n: f"sg.{n}" for n in FUNCTIONS}, **known}
    import difflib

    return [known[n] for n in difflib.get_close_matches(name, known, 2, 0.7)]


def names_of_functions() -> list[str]:
    """The functions of NumPy and SciPy that have a derivative, as their users write them, in order."""
    import scipy.special

    for name in dir(scipy.special):
        function = public_special(name)
        if isinstance(function, np.ufunc):
            row_of_scipy(function)
    return sorted({name for name in map(public_name, NUMPY) if "." in name})


# ---------------------------------------------------------------------------------------------------- ufuncs


def ufunc_on_tensors(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc that met a tensor: its row, or plain NumPy if no gradient is at stake."""
    if method == "__call__":  # np.add.at's tuple is an index
        for v in inputs:
            if type(v) not in _OPERANDS and (isinstance(v, (list, tuple)) or _makes_array(v)):
                inputs = tuple(map(tensor_like, inputs))
                break
    row = of_numpy[ufunc]
    if row is None:
        row = row_of_scipy(ufunc)
    if method != "__call__":
        found = _method_of_ufunc(ufunc, row, method, inputs, kwargs)
        if found is not NotImplemented:
            return found
    elif row is not None:
        if ufunc.signature and kwargs and "out" not in kwargs:
            found = _by_row(public_name(ufunc), row, inputs, kwargs)
            if found is not NotImplemented:
                return found
        if kwargs.keys() <= KEYWORDS:
            if kwargs:
                return called(ufunc, row, inputs, kwargs)
            if whole(inputs) and ufunc.signature is None and modes.among_arrays():
                return of_whole_numbers(ufunc, row, inputs)
            return row(*inputs)
    if not _any_recorded(inputs, kwargs):
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)
    if row is not None and kwargs and method == "__call__":
        raise _refused_words(public_name(ufunc), sorted(kwargs))
    if method == "at":
        raise NotDifferentiableError(
            f"{public_name(ufunc)}.at on a tensor that requires grad has no derivative rule",
            "It writes in place, several times to one place.",
            "sg.scatter_reduce(a, 0, places, x, 'prod') (or 'amax', 'amin') makes a new array.",
        )
    raise _no_rule(ufunc, "" if method == "__call__" else f".{method}")


_OPERANDS = frozenset({Tensor, np.ndarray, float, int, complex, bool, np.float64})


def _makes_array(v: Any) -> bool:
    """Whether something is an object of another library that makes an array: a table, a column of it."""
    return hasattr(v, "__array__") and not isinstance(v, (Tensor, np.ndarray, np.generic, type))


def _method_of_ufunc(ufunc: Any, row: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.add.reduce`` and the like: by a row of their own, else by that of the function."""
    given = {k: content(v) for k, v in kwargs.items() if v is not None or k == "axis"}
    fn, name = UFUNC_METHODS.get((ufunc, method)), f"{public_name(ufunc)}.{method}"
    if fn is not None:
        return _by_row(name, fn, inputs, given)
    if row is None or ufunc.nin != 2 or ufunc.nout != 1 or not _any_recorded(inputs, kwargs):
        return NotImplemented
    if method == "outer" and len(inputs) == 2 and given.keys() <= KEYWORDS:
        return outer(ufunc, row, *inputs, given)
    if method in ("reduce", "accumulate"):
        return _by_row(name, partial(reduced if method == "reduce" else accumulated, ufunc, row), inputs, given)
    if method == "reduceat":
        reduce = UFUNC_METHODS.get((ufunc, "reduce"), partial(reduced, ufunc, row))
        return _by_row(name, partial(reduced_at, reduce, name), inputs, given)
    return NotImplemented


@cache
def _place_of_named_out(row: Any) -> int | None:
    names = list(inspect.signature(row).parameters)
    return names.index("out") if "out" in names else None


def _place_of_out(row: Any) -> int | None:
    """Where the function of a row takes ``out``. (One that is made for a call has a signature of its own each time.)"""
    if not isinstance(row, partial):
        return _place_of_named_out(row)
    place = _place_of_named_out(row.func)
    return None if place is None else place - len(row.args)


def _by_row(name: str, row: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The row's result, or NotImplemented where no gradient is at stake and it does not take an argument."""
    place = _place_of_out(row)
    out = kwargs.get("out") if place is None or place >= len(args) else args[place]
    if out is not None:  # a row has nothing to write to: what it took for ``out`` would be lost
        raise _refused_argument(name, "out", out)
    try:
        return row(*args, **kwargs)
    except TypeError as error:
        words = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if words is None or words[1] not in kwargs:
            raise
        if not _any_recorded(args, kwargs):
            return NotImplemented
        raise _refused_words(name, [words[1]]) from None


def _refused_words(name: str, words: list[str]) -> NotDifferentiableError:
    said = ", ".join(f"{k}=" for k in words)
    return NotDifferentiableError(
        f"{name} with {said} on a tensor that requires grad has no derivative rule",
        f"The table of operations has a row for it, which does not take {said}.",
        "Write a = a + x where it says a += x: an array of numbers cannot take a tensor's history."
        if "out" in words
        else "Leave it out: np.where chooses afterwards, .to(dtype) casts, and results are new tensors.",
    )


def _refused_argument(name: str, argument: str, value: Any) -> DTypeError:
    return DTypeError(
        f"{name} on tensors does not take {argument}=", f"It was given {value!r}.",
        "Leave it out, or call the function on arrays (t.detach().numpy()).",
    )  # fmt: skip


def public_special(name: str) -> Any:
    """SciPy's ufunc of a name, also where SCIPY_ARRAY_API=1 puts a function of its own in its place."""
    found = getattr(sys.modules.get("scipy.special"), name, None)
    return found if isinstance(found, np.ufunc) else getattr(found, "__wrapped__", None)


_INNER = frozenset(name for name in SCIPY if name.startswith("_"))
"""Ufuncs that functions of SciPy's call with the tensors that they are given."""


def row_of_scipy(ufunc: Any) -> Any:
    """The row of one of SciPy's special functions (known only once SciPy is loaded)."""
    name = ufunc.__name__
    if public_special(name) is not ufunc and name not in _INNER:
        return None
    row = SCIPY.get(name)
    if row is None and name in TABLE and TABLE[name].kind == "elementwise":
        row = TABLE[name].apply
    if row is not None:
        NUMPY[ufunc] = row
    return row


# ------------------------------------------------------------------------------------------------- functions

# arguments of NumPy's that mean nothing to a recorded operation, with the values that say nothing
_NOT_ON_TENSORS: dict[str, Any] = {"out": None, "subok": True}
_CASTS_AFTER = (np.concatenate, np.stack, np.vstack, np.hstack, np.einsum)


def function_on_tensors(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A NumPy function that met a tensor."""
    row = of_numpy[func]
    while args and args[-1] is np._NoValue:  # a default, spelt out
        args = args[:-1]
    kwargs = {k: v for k, v in kwargs.items() if v is not np._NoValue} if kwargs else kwargs
    if any(map(_makes_array, args)):
        args = tuple(plain_array(v) if _makes_array(v) else v for v in args)
    if row is not None:
        unsaid = {k: v for k, v in kwargs.items() if not (k in _NOT_ON_TENSORS and v is _NOT_ON_TENSORS[k])}
        for argument in sorted(set(unsaid) & set(_NOT_ON_TENSORS)):
            raise _refused_argument(public_name(func), argument, unsaid[argument])
        dtype = unsaid.pop("dtype", None) if func in _CASTS_AFTER else None
        result = _by_row(public_name(func), row, args, unsaid)
        if result is not NotImplemented:
            return cast(result, dtype)
    if not _any_recorded(args, kwargs):
        return _by_numpy(func, args, kwargs)
    raise _no_rule(func)
