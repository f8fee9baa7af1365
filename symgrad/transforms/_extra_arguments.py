"""Transforms of functions of one argument, called with more: how to hold the others.

The idea to hold: `sg.grad` and its kind take a function's arguments one after the other; `sg.hvp` and its kind take
one, and something else after it. Who gives them more wants to hold the rest, and is told how.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from .._errors import compose
from ._signature import signature
from ._tables import with_tables, without_tables

_P = ParamSpec("_P")
_R = TypeVar("_R")


def of_one_argument(transform: Callable[_P, _R]) -> Callable[_P, _R]:
    """The transform, whose TypeError for arguments beyond its own names `fix`; pandas' tables are arrays for it."""
    own = tuple(inspect.signature(transform).parameters.values())
    names, most = frozenset([p.name for p in own]), len(own)

    @functools.wraps(transform)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if len(args) > most or not names.issuperset(kwargs):
            _refuse(transform.__name__, own, args, kwargs)
        given = (args, kwargs)
        bare = without_tables(given)
        if bare is given:
            return transform(*args, **kwargs)
        x = args[1] if len(args) > 1 else kwargs["x"]
        return with_tables(x, transform(*bare[0], **bare[1]))

    return checked


def _refuse(what: str, own: tuple[inspect.Parameter, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise if the arguments too many are those of the function; what is misspelt Python refuses."""
    f = args[0] if args else kwargs.get("f")
    known = signature(f) if callable(f) else None
    every = list(known.parameters.values()) if known is not None else []
    others = [p.name for p in every if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)][1:]
    extra = [name for name in kwargs if name not in [p.name for p in own]]
    if not set(extra) <= set(others) or (known is not None and not others):
        return
    title = getattr(f, "__name__", "")
    needed = ", ".join([p.name for p in own if p.default is p.empty])
    held = ", ".join([f"{name}=…" for name in others or ["y"]])
    fixed = f"sg.fix({title if title.isidentifier() else 'f'}, {held})"
    raise TypeError(
        compose(
            f"sg.{what}({needed}) takes a function of one argument, and got arguments for others",
            f"It got {', '.join(extra)}." if extra else f"It got {len(args)} arguments.",
            f"Hold the other arguments: sg.{what}({fixed}, {needed.removeprefix('f, ')}).",
        )
    )


__all__ = ["of_one_argument"]
