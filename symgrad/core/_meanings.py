"""How parameters travel: what becomes of them when an example gets a batch in front.

The idea to hold: a row that says what its parameters mean runs on many examples (many tangents, many incoming
gradients) by the same function: its values get one axis more in front, and its parameters say the same thing one axis
behind. A meaning is declared, never guessed: a number may be an axis or an amount.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FULL = slice(None)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Those of an equation (`string`, which has them too, takes 1 ms to import)."""


class CannotTravel(Exception):
    """These values of parameters say something else with a batch in front."""


def shifted(dim: Any, rank: int) -> Any:
    """Axes of an example as axes of the batch: a number or several; None are all."""
    if dim is None:
        return tuple(range(1, rank + 1))
    if isinstance(dim, (tuple, list)):
        return tuple([shifted(d, rank) for d in dim])
    return dim + 1 if dim >= 0 else dim + rank + 1


def _axes(value: Any, rank: int, size: Any) -> Any:
    if rank == 0 and value is not None and value != ():  # a number's axis: all of PyTorch's functions allow it
        raise CannotTravel
    return shifted(value, rank)


def _axis(value: Any, rank: int, size: Any) -> Any:
    if value is None:  # all entries in a row: the examples would run into each other
        raise CannotTravel
    return _axes(value, rank, size)


def _lettered(value: str, rank: int, size: Any) -> str:
    inputs, out = value.split("->")
    letter = next((c for c in LETTERS if c not in value), None)
    if letter is None or "." in value:
        raise CannotTravel
    return f"{','.join([letter + term for term in inputs.split(',')])}->{letter}{out}"


def _amounts(neutral: Any) -> Callable[[Any, int, Any], Any]:
    return lambda value, rank, size: (neutral, *value)


Travel = Callable[[Any, int, Any], Any]
"""(value, number of axes of an example, size of the batch) -> the value with the batch in front."""


def _sized(value: Any, rank: int, size: Any) -> Any:
    return (size, *value)


_TABLE: dict[str, tuple[Travel, str]] = {
    "option": (lambda value, rank, size: value, "nothing to do with axes"),
    "axis": (
        _axis,
        "an axis (or several) along which it acts, the others apart; None: all entries in a row",
    ),
    "axes": (_axes, "the same; None for all axes"),
    "new": (lambda value, rank, size: shifted(value, rank + 1), "an axis of a result that has one axis more"),
    "order": (lambda value, rank, size: (0, *_axes(value, rank, size)), "all axes, in another order"),
    "shape": (_sized, "the shape of the result, which has the operand's entries in their order"),
    "size": (_sized, "the shape of the result"),
    "spread": (_sized, "the shape to which the operand is broadcast"),
    "within": (lambda value, rank, size: value if isinstance(value, int) else (size, *value), "a shape, or a length"),
    "place": (_axis, "an axis of the shape that another parameter is"),
    "repeats": (_amounts(1), "how often, along each axis of an operand that may have fewer"),
    "widths": (_amounts((0, 0)), "how much before and behind, along each axis"),
    "ranges": (_amounts(None), "what is read along each axis; None for all of it"),
    "equation": (_lettered, "a sum of products as `einsum` writes it"),
    "places": (_amounts(FULL), "an index, of slices and numbers"),
}

MEANINGS: dict[str, Travel] = {name: travel for name, (travel, _) in _TABLE.items()}
"""What a parameter may mean for axes, and what becomes of it with a batch in front."""

SAID = {name: says for name, (_, says) in _TABLE.items()}
"""What each meaning says."""

WIDENS = ("spread", "repeats")
"""Meanings of parameters that have an entry per axis of the result, of which the operand may have fewer."""


def travels(op: Any) -> bool:
    """Whether a row says all of how its axes travel."""
    return op.meanings is not None and (op.last is not None or any(m != "option" for m in op.meanings))


def travelled(op: Any, params: tuple[Any, ...], rank: int, size: Any) -> tuple[Any, ...]:
    """The parameters of a row that `travels` with a batch in front, for examples whose first operand has ``rank`` axes.

    Raises `CannotTravel` where there are none that say the same.
    """
    sizes = [len(p) for p, m in zip(params, op.meanings, strict=True) if m == "size"]
    return tuple([
        MEANINGS[m](p, sizes[0] if m == "place" else rank, size) for p, m in zip(params, op.meanings, strict=True)
    ])  # fmt: skip


def rank_needed(op: Any, params: tuple[Any, ...], rank: int) -> int:
    """How many axes an example's operand is to have: as many as a parameter has entries for."""
    return max([rank, *[len(p) for p, m in zip(params, op.meanings, strict=True) if m in WIDENS]])
