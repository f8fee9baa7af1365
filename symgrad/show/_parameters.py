"""Parameters of operations as one would write them: ``dim=1``, ``1:3``, ``[0, 2]``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..ops import FUNCTIONS
from ..ops.index._places import spots
from ._functions import PARAMETER_NAMES
from ._layout import Note
from ._numbers import digits


def parameter(name: str, value: Any) -> str:
    """A parameter's value."""
    if name == "steps":
        return "".join([_step(op, params) for op, params in value]) or "[...]"
    if name == "index" and isinstance(value, tuple):
        parts = value[:-1] if value and value[-1] is Ellipsis and len(value) > 1 else value
        return ", ".join([_index(k) for k in parts]) or "..."
    if name in ("dim", "dims", "shifts") and isinstance(value, tuple) and len(value) == 1:
        return repr(value[0])
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, tuple):
        return "(" + ", ".join([parameter("", v) for v in value]) + ("," if len(value) == 1 else "") + ")"
    return str(digits(value)) if isinstance(value, (int, float)) else repr(value)


def _step(op: Any, params: tuple[Any, ...]) -> str:
    """One of the views that lead to a part of an array: ``[1:]``, ``.transpose(0, 1)``."""
    values = ", ".join([parameter(n, p) for n, p in op.named(params)])
    return f"[{values}]" if op.name == "getitem" else f".{op.label}({values})"


def index_of(op: Any, params: Any, rank: int = 0) -> tuple[Any, ...] | None:
    """The index, as NumPy writes it, that a row reads entries of an array of that rank by; None if it reads none so."""
    known = dict(op.named(params))
    if op.name == "getitem":
        return known["index"] if isinstance(known["index"], tuple) else (known["index"],)
    if op.name == "index":
        return spots(np.asarray(known["index"]), known["dim"], known["count"])
    return (known["index"],) if rank == 1 and op.name in _OF_A_VECTOR else None


_OF_A_VECTOR = ("take", "index_select", "gather")
WRITTEN = frozenset(["index", "index_put"])
"""Rows whose calls `written_call` writes."""


def written_call(note: Any, text: Callable[[Any], str], atom: Callable[[Any], str]) -> str:
    """A call at places that are a term: ``x[:, i]``, ``index_put(x, (None, i), values)``; ``text`` writes a note, and
    ``atom`` one that square brackets follow."""
    x, *values, places = note.parts
    op, (dim, count, *accumulate), _ = note.info
    if count > 1 and places.kind == "data" and places.info.value.dtype != bool:
        inner = [text(Note("data", (), type(places.info)(row), row.shape)) for row in places.info.value]
    elif count > 1 and places.kind == "call" and places.info[0].name == "stack":
        inner = [*map(text, places.parts)]
    else:
        inner = [text(places) if count == 1 or places.kind == "data" else f"*{text(places)}"]
    if op.name == "index":
        return f"{atom(x)}[{', '.join([*[':'] * dim, *inner])}]"
    indices = ", ".join([*["None"] * dim, *inner]) + ("," if dim + count == 1 else "")
    return f"index_put({text(x)}, ({indices}), {text(values[0])}{', accumulate=True' if accumulate[0] else ''})"


def full(index: Any, rank: int) -> tuple[Any, ...]:
    """An index into an array of that rank without dots."""
    parts = index if isinstance(index, tuple) else (index,)
    places = [k for k, part in enumerate(parts) if part is Ellipsis]
    if not places:
        return parts
    others = sum([part.ndim if is_mask(part) else part is not None for part in parts]) - 1
    return parts[: places[0]] + (slice(None),) * (rank - others) + parts[places[0] + 1 :]


def is_mask(part: Any) -> bool:
    """Whether a part of an index is an array of truths, which takes as many axes as it has."""
    return isinstance(part, np.ndarray) and part.dtype == bool


def chosen(note: Any) -> str:
    """The index of an ``index`` note; what it takes in full at the end goes without saying."""
    return ", ".join(map(_index, trimmed(note.info)))


def trimmed(entries: tuple[Any, ...]) -> list[Any]:
    """The entries of an index without those at the end that take everything."""
    kept = list(entries)
    while len(kept) > 1 and kept[-1] == slice(None):
        kept.pop()
    return kept


def array(value: np.ndarray, most: int = 12) -> str:
    """A short array in full, the ends of a long one."""
    if value.size <= most:
        return _list(value.tolist())
    return np.array2string(value, separator=", ", threshold=6).replace("\n", "")


def _list(value: Any) -> str:
    return "[" + ", ".join(map(_list, value)) + "]" if isinstance(value, list) else str(digits(value))


def _index(k: Any) -> str:
    if isinstance(k, slice):
        ends = ["" if e is None else str(e) for e in (k.start, k.stop)]
        return ":".join(ends) + ("" if k.step in (None, 1) else f":{k.step}")
    if isinstance(k, (np.ndarray, list)):
        return array(np.asarray(k))
    return "..." if k is Ellipsis else repr(k)


def shown_parameters(op: Any, params: tuple[Any, ...], rank: int = -1) -> list[tuple[str, Any]]:
    """The parameters of an operation that are not its defaults, by the public function's names for them.

    ``rank`` is that of the operand, or of the result if that is higher: where it is 1 an axis goes without saying, and
    so does the tuple of all axes. A name of "" is that of a parameter which its place must say.
    """
    names = PARAMETER_NAMES.get(op.label, {})
    public = signature(op.label)
    kept = dict(op.named(params)).get("keepdim") is True
    shown = []
    for name, value in _as_public(op, params):
        known_as = names.get(name, name)
        if value is None or (name in ("keepdim", "reverse", "upper", "hermitian") and value is False):
            continue
        if known_as in public and _is_default(value, public[known_as].default):
            continue
        whole = isinstance(value, tuple) and len(value) == rank and "keepdim" in op.params  # of what is reduced
        if name == "dim" and not kept and (rank == 1 or whole):
            continue
        shown.append((known_as, value))
    return shown


def _as_public(op: Any, params: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """Parameters; the index of one axis as its function has it: its number and what is taken there."""
    if op.label not in ("select_scatter", "slice_scatter"):
        return list(op.named(params))
    (index,) = params
    places = [k for k, part in enumerate(index) if part is not Ellipsis and part != slice(None)]
    dim = places[0] if places else 0
    if op.label == "select_scatter":
        return [("dim", dim), ("index", index[dim])]
    return [("dim", dim), ("start", index[dim].start), ("end", index[dim].stop), ("step", index[dim].step)]


def takes_many(op: Any) -> bool:
    """Whether its function takes any number of arrays, not a list of them."""
    return any(p.kind is p.VAR_POSITIONAL for p in list(signature(op.label).values())[:1])


@cache
def signature(label: str) -> dict[str, inspect.Parameter]:
    """The parameters of a public function; none if there is no function of that name."""
    function = FUNCTIONS.get(label)
    return {} if function is None else dict(inspect.signature(function).parameters)


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    return isinstance(value, (int, float)) and isinstance(default, (int, float)) and value == default


_SELU = (1.6732632423543772, 1.0507009873554805)


def elu(op: Any, params: tuple[Any, ...]) -> tuple[str, list[tuple[str, Any]], Any]:
    """A row for elu as a public function: its name, its parameters, and what it is multiplied by."""
    alpha, scale = params
    if params == _SELU:
        return "selu", [], 1
    return op.label, shown_parameters(op, (alpha, None)), scale
