"""Indices of symbols: ``x[1:]`` has n - 1 elements whatever n is, and ``x[n - 1]`` is the last.

The idea to hold: an index that names sizes is rewritten so that it does not (``n - 1`` on an axis of n is ``-1``), and
the length of a slice is worked out in named sizes, because the length of the stand-in would not say where it is from.
"""

from __future__ import annotations

from typing import Any

from ..core import Dim


def named_index(shape: tuple[Any, ...], index: Any) -> tuple[Any, dict[int, Any]]:
    """The index without named sizes, where it can do without, and the sizes of its slices by stand-in."""
    parts = index if type(index) is tuple else (index,)
    used = sum(k is not None and k is not ... and not isinstance(k, bool) for k in parts)
    new: list[Any] = []
    sizes: dict[int, Any] = {}
    axis = 0
    for k in parts:
        if k is ...:
            axis += max(len(shape) - used, 0)
            new.append(k)
            continue
        if k is not None and axis < len(shape):
            k = _slice(shape[axis], k, sizes) if type(k) is slice else _relative(shape[axis], k)
            axis += 1
        new.append(k)
    return (tuple(new) if type(index) is tuple else new[0]), sizes


def _relative(size: Any, place: Any) -> Any:
    """A place on an axis, counted from the end where it is named from there."""
    if type(place) is not Dim:
        return place
    behind = place - size
    return behind if type(behind) is int and behind < 0 else int(place)


def _bound(size: Any, place: Any) -> Any:
    behind = place - size if type(place) is Dim else 1
    if behind == 0:
        return None
    return behind if type(behind) is int and behind < 0 else place


def _slice(size: Any, part: slice, sizes: dict[int, Any]) -> slice:
    if type(size) is not Dim and not any(type(v) is Dim for v in (part.start, part.stop)):
        return part
    start, stop = _bound(size, part.start), _bound(size, part.stop)
    part = slice(start, stop, part.step)
    length = len(range(*slice(*(v if v is None else int(v) for v in (start, stop, part.step))).indices(int(size))))
    exact: Any = None
    if part.step in (None, 1) and all(v is None or isinstance(v, int) for v in (start, stop)):
        low = 0 if start is None else start if start >= 0 else size + start
        high = size if stop is None else stop if stop >= 0 else size + stop
        exact = high - low
    elif part.step == -1 and start is None and stop is None:
        exact = size
    if exact is None or exact != length:
        exact = Dim(f"len({size}[{_text(part)}])", length).unclear()
    sizes[length] = exact
    return part


def _text(part: slice) -> str:
    words = ["" if v is None else str(v) for v in (part.start, part.stop)]
    return ":".join(words) + ("" if part.step is None else f":{part.step}")
