"""A function of SciPy's for what is differentiated, under its own name and signature.

The idea to hold: a call is unpacked to tensors and goes to a function that is written in operations. Where nothing is
differentiated SciPy itself computes: what it gives then is never another number than without symgrad.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import numpy as np
import scipy

from .._array import ARRAYS, among_arrays, constant
from .._array._protocols import _numbers, carried, is_known, unpacked
from .._errors import NotDifferentiableError, compose
from ..core import Symbol, Tensor, hush, unhush, wrap
from ..ops._dims import kind_of, sizes
from ..ops.entries._copy import cast
from ..transforms._caught import DIFFERENTIATED, Found

FOLLOWED = scipy.__version__.startswith("1.17.")
"""Whether the installed SciPy is of the version that the mirror's parameters are written after."""


def holds(value: Any, kinds: Any) -> bool:
    """Whether a value is of one of these kinds, or a list in which there is one."""
    if isinstance(value, (list, tuple)):
        return any(holds(v, kinds) for v in value)
    return isinstance(value, kinds)


def mirrored(original: Callable[..., Any], operands: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function of tensors that does what SciPy's ``original`` does.

    Parameters
    ----------
    operands : names of the arguments that are arrays of numbers: whole numbers become floating-point ones, as in SciPy
    """
    names = tuple(operands.split())

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(fn)
        theirs = None if FOLLOWED else _other_signature(original, fn, signature)

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = (*args, *kwargs.values())
            seen = _seen(given)
            if not seen and not any(holds(v, DIFFERENTIATED) for v in given):
                found = original(*args, **kwargs)
                return _writable(found) if among_arrays() else found
            of_arrays = any(holds(v, tuple(ARRAYS)) for v in (*given, *seen))
            opened = unpacked if of_arrays else _but_functions
            args, kwargs = tuple(map(opened, args)), {k: opened(v) for k, v in kwargs.items()}
            state = hush()
            try:
                if not seen and is_known(args) and is_known(tuple(kwargs.values())):
                    found = original(*map(_numbers, args), **{k: _numbers(v) for k, v in kwargs.items()})
                else:
                    if theirs is not None:
                        args, kwargs = (), _known(fn, signature, theirs.bind(*args, **kwargs))
                    bound = signature.bind(*args, **kwargs)
                    _prepare(bound, names, signature)
                    found = fn(*bound.args, **bound.kwargs)
            finally:
                unhush(state)
            return carried(found) if of_arrays else as_tensors(found)

        if theirs is not None:
            call.__signature__ = theirs  # type: ignore[attr-defined]
        return call

    return decorate


def _other_signature(original: Any, fn: Any, ours: inspect.Signature) -> inspect.Signature | None:
    """That of the installed SciPy, if its parameters are others than those that the mirror knows."""
    if getattr(original, "__name__", "") != getattr(fn, "__name__", None):  # a method, or what stands for one
        return None
    try:
        theirs = inspect.signature(original)
    except ValueError:  # of a function in C
        return None
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if any(p.kind not in named for s in (ours, theirs) for p in s.parameters.values()):
        return None
    return None if list(ours.parameters) == list(theirs.parameters) else theirs


def _known(fn: Callable[..., Any], ours: inspect.Signature, bound: inspect.BoundArguments) -> dict[str, Any]:
    """The arguments of a call by SciPy's parameters that the mirror has, too; one that it has not is refused."""
    given = {}
    for name, value in bound.arguments.items():
        if name in ours.parameters:
            given[name] = value
        elif not (name.startswith("overwrite_") or value is bound.signature.parameters[name].default):
            raise refused(
                f"{fn.__module__.split('.')[2]}.{fn.__name__} with {name}=", "It is new in the installed SciPy.",
                "Leave it out, or call SciPy's own on plain arrays.",
            )  # fmt: skip
    return given


_FUNCTIONS = (FunctionType, MethodType, functools.partial)


def _seen(given: tuple[Any, ...]) -> list[Any]:
    """What the functions among the arguments are differentiated in: what they see where they are written."""
    found = Found()
    for value in given:
        if isinstance(value, _FUNCTIONS):
            found.search(value)
    return found.values


def _but_functions(value: Any) -> Any:
    """An argument as the table takes it, where functions are called with tensors."""
    return value if isinstance(value, _FUNCTIONS) else unpacked(value)


def _prepare(bound: inspect.BoundArguments, names: tuple[str, ...], signature: inspect.Signature) -> None:
    checks = "check_finite" in signature.parameters and bound.arguments.get("check_finite", True)
    for name in names:
        value = bound.arguments.get(name)
        if value is None:
            continue
        if isinstance(value, tuple):  # of a factorisation and a flag, or *arrays
            value = tuple(v if isinstance(v, (bool, int)) else floating(v) for v in value)
        else:
            value = floating(value)
        bound.arguments[name] = value
        for part in value if isinstance(value, tuple) else (value,):
            if checks and not isinstance(part, (Symbol, bool, int)):
                numbers = part._data if isinstance(part, Tensor) else part
                if not np.isfinite(numbers).all():
                    raise ValueError(f"array must not contain infs or NaNs: {name} has some")


def together(value: Any) -> Any:
    """A list of tensors and numbers, as SciPy takes lists of numbers, as one tensor."""
    if isinstance(value, (list, tuple)) and holds(value, Tensor):
        return np.stack([together(v) for v in value])
    return value


def floating(value: Any) -> Any:
    """An operand as a tensor or an array of floating-point or complex numbers."""
    value = together(value)
    if not isinstance(value, Tensor):
        value = np.asarray(value)
    if kind_of(value) in ("f", "c"):
        return value
    return cast(value, np.float64) if isinstance(value, Tensor) else value.astype(np.float64)


def one_by_one(fn: Callable[..., Any], *matrices: Any) -> Any:
    """A function of matrices, at each of a batch: its leading axes broadcast, as SciPy's do. None stays None."""
    leads = [sizes(m)[:-2] for m in matrices if m is not None]
    if not any(leads):
        return fn(*matrices)
    lead = np.broadcast_shapes(*leads)
    whole = [None if m is None else np.broadcast_to(m, (*lead, *sizes(m)[-2:])) for m in matrices]
    if 0 in lead:
        raise ValueError("there is no matrix in the batch")
    found = [fn(*(None if m is None else m[at] for m in whole)) for at in np.ndindex(*lead)]
    if isinstance(found[0], tuple):
        return tuple(_stacked([f[k] for f in found], lead) for k in range(len(found[0])))
    return _stacked(found, lead)


def _stacked(parts: list[Any], lead: tuple[int, ...]) -> Any:
    together = np.stack(parts)
    return together.reshape((*lead, *sizes(together)[1:]))


def as_tensors(found: Any) -> Any:
    """Results as tensors, in their containers."""
    if isinstance(found, (np.ndarray, np.generic)) and found.dtype.kind in "biufc":
        return wrap(np.asarray(found))
    if isinstance(found, (tuple, list)):
        parts = [as_tensors(v) for v in found]
        return type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)
    return found


def _writable(found: Any) -> Any:
    """An array of SciPy's, in a function of arrays: one into which what is differentiated can be written."""
    if type(found) is np.ndarray and found.dtype.kind in "fc":
        return constant(found)
    if type(found) in (tuple, list):
        return type(found)(map(_writable, found))
    return found


def refused(what: str, evidence: str, step: str) -> NotDifferentiableError:
    """The error of an argument that SciPy's function takes and its mirror does not."""
    return NotDifferentiableError(f"symgrad.scipy.{what} has no derivative rule", evidence, step)


def missing(module: str, name: str) -> AttributeError:
    """The error of a name of SciPy's that has no mirror."""
    from importlib import import_module

    own = f"symgrad.scipy.{module}"
    what = f"module {own!r} has no attribute {name!r}"
    if not name.startswith("_") and hasattr(import_module(f"scipy.{module}"), name):
        what = compose(
            what, f"scipy.{module}.{name} has no mirror with derivatives yet.",
            f"Call SciPy's own on plain arrays; {own}.__all__ lists what has derivatives.",
        )  # fmt: skip
    return AttributeError(what, name=name, obj=import_module(own))
