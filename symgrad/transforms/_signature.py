"""The parameters of whatever is differentiated, and a call's arguments by parameter.

The idea to hold: rows, ufuncs, modules and custom operations have parameters as functions do, and an argument that goes
to ``*args`` has one of its own.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Iterable
from keyword import iskeyword
from types import FunctionType
from typing import Any

import numpy as np

from .._function import Function


def signature(f: Any) -> inspect.Signature | None:
    """The parameters of a function, as far as Python knows them: a row's are its inputs, a Function's and a module's
    those of its forward."""
    owner = getattr(f, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, Function) and f == owner.apply:
        return owner._parameters()
    op = getattr(f, "op", None)
    if op is not None:
        return _of_names((*op.inputs, *op.params))
    if isinstance(f, np.ufunc):
        return _of_names("xyzuvw"[: f.nin])  # NumPy's own speaks of dtype= and where=
    if hasattr(f, "named_parameters") and callable(getattr(f, "forward", None)):
        f = f.forward  # a module's __call__ takes anything
    try:
        return _own_signature(f) or inspect.signature(f)
    except (TypeError, ValueError):
        return None


def _own_signature(f: Any) -> inspect.Signature | None:
    """The parameters of a function that wraps another and names some of its own: what is called is it."""
    if not isinstance(f, FunctionType) or not hasattr(f, "__wrapped__"):
        return None
    own = inspect.signature(f, follow_wrapped=False)
    return own if any(p.kind not in _MANY for p in own.parameters.values()) else None


def _of_names(names: Iterable[str]) -> inspect.Signature:
    """A signature of these parameters."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(n, kind) for n in names])


def bound(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], whole: Iterable[Any] = ()) -> inspect.BoundArguments:
    """The arguments by parameter, defaults included.

    What is given to ``*args`` and ``**kwargs`` has parameters of its own (``args_0``, and its keyword), but for those
    of the two that are named in ``whole``.
    """
    known = signature(f)
    if known is None:
        letters = "xyzuvw"
        known = _of_names(letters[: len(args)] if len(args) <= len(letters) else [f"x{k}" for k in range(len(args))])
    try:
        arguments = known.bind(*args, **kwargs)
    except TypeError as error:
        if not hasattr(f, "__wrapped__"):
            name = getattr(f, "__name__", type(f).__name__)
            raise TypeError(f"{name}{known} is called with other arguments: {error}") from None
        known = inspect.signature(f, follow_wrapped=False)  # it gives what it wraps other arguments
        arguments = known.bind(*args, **kwargs)
    arguments.apply_defaults()
    if any(p.kind in _MANY and p.name not in whole for p in known.parameters.values()):
        return _spread(arguments, whole)
    return arguments


_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
LOOSE = "an entry of **kwargs"
"""The annotation of parameters that have a name and no position."""


def _spread(arguments: inspect.BoundArguments, whole: Iterable[Any]) -> inspect.BoundArguments:
    """The same call of a function in whose signature each argument has a parameter of its own."""
    given = arguments.signature.parameters
    values: dict[str, Any] = {}
    new: list[inspect.Parameter] = []
    for name, value in arguments.arguments.items():
        p = given[name].replace(default=inspect.Parameter.empty)  # which may stand before one without
        if p.name in whole or p.kind not in _MANY:
            new.append(p)
            values[name] = value
        elif p.kind is p.VAR_POSITIONAL:
            for k, entry in enumerate(value):
                own = _fresh(f"{name}_{k}", {*given, *values})
                new.append(inspect.Parameter(own, p.POSITIONAL_OR_KEYWORD))
                values[own] = entry
        else:
            own_names = [k for k in value if k.isidentifier() and not iskeyword(k) and k not in values]
            new += [inspect.Parameter(k, p.KEYWORD_ONLY, annotation=LOOSE) for k in own_names]
            values.update({k: value[k] for k in own_names})
            if len(own_names) < len(value):  # the others cannot be parameters' names
                new.append(p)
                values[name] = {k: v for k, v in value.items() if k not in own_names}
    return inspect.BoundArguments(inspect.Signature(new), OrderedDict(values))


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
