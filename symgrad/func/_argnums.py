"""``argnums``: which of a function's arguments a transform differentiates with respect to."""

from __future__ import annotations

from typing import Any

from .._errors import GradientError


def _position(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise GradientError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise GradientError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def _positions(argnums: Any, count: int) -> tuple[int, ...]:
    if isinstance(argnums, int):
        return (_position(argnums, count),)
    if not isinstance(argnums, tuple):
        raise GradientError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    positions = tuple(_position(a, count) for a in argnums)
    if not positions:
        raise GradientError("argnums must be non-empty")
    if len(set(positions)) != len(positions):
        raise GradientError(f"argnums elements must be unique, got {argnums}")
    return positions


def pick(args: tuple[Any, ...], argnums: Any) -> Any:
    """The chosen arguments: one where ``argnums`` is a number, else a tuple."""
    positions = _positions(argnums, len(args))
    return args[positions[0]] if isinstance(argnums, int) else tuple(args[i] for i in positions)


def replace(args: tuple[Any, ...], argnums: Any, chosen: Any) -> tuple[Any, ...]:
    """The arguments with ``chosen`` in the places of ``argnums``."""
    result = list(args)
    values = (chosen,) if isinstance(argnums, int) else chosen
    for i, value in zip(_positions(argnums, len(args)), values, strict=True):
        result[i] = value
    return tuple(result)
