"""Who wrote to which memory, and when.

PyTorch gives every storage a version counter and notes its value with every saved tensor. Here a node notes
nothing: a write is stamped with the time (`next_seq`), and a saved value is spoilt when its memory was written
after its node was born. That costs recording nothing, and a sweep one comparison while nobody writes.
"""

from __future__ import annotations

import math
import weakref
from threading import RLock
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .._limits import bound
from .graph import next_seq


class _Writes:
    """The writes to one block of memory."""

    __slots__ = ("count", "last", "ref", "times")

    def __init__(self, ref: Any) -> None:
        self.ref = ref
        self.count = 0
        self.last = 0
        self.times: list[int] = []


_writes: dict[int, _Writes] = {}
_stamping = RLock()  # reentrant: the garbage collector may run somebody's code, and that write
_last_write = 0
_last_any = 0  # also of writes through .data


def layout(a: np.ndarray) -> Any:
    """In what order an array's entries lie, which ``order="K"`` and "A" show: None as in C, as most arrays do."""
    if a.ndim < 2 or a.flags.c_contiguous:
        return None
    return a.flags.f_contiguous, *sorted(range(a.ndim), key=lambda k: -abs(a.strides[k]))


def memory_as(a: np.ndarray, dtype: Any) -> np.ndarray:
    """New memory, not filled, whose entries lie as those of an array do: with its gaps, backwards where it runs so."""
    if a.flags.forc:
        return np.empty_like(a, dtype)
    unit = math.gcd(a.itemsize, *a.strides)  # of a field of records less than an entry
    steps = [s // unit for s in a.strides]
    ends = [(n - 1) * s for n, s in zip(a.shape, steps, strict=True)]
    line = np.zeros(1 + sum(map(abs, ends)), dtype)[-sum(e for e in ends if e < 0) :]
    return as_strided(line, a.shape, [s * line.itemsize for s in steps])


def shares_entries(a: np.ndarray) -> bool:
    """Whether entries of an array may lie in one place, as those of windows do."""
    reach = 0
    for step, n in sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
        if step < reach + a.itemsize:
            return True
        reach += step * (n - 1)
    return False


def owner(array: np.ndarray) -> np.ndarray:
    """The array at the bottom of a chain of views: it stands for the memory."""
    base = array.base
    while base is not None:
        if type(base) is not np.ndarray:  # as_strided and sliding windows put an object between an array and its base
            base = getattr(base, "base", None)
            if type(base) is not np.ndarray:
                break
        array, base = base, base.base
    return array


def _forget(key: int) -> Any:
    def callback(_: Any) -> None:
        _writes.pop(key, None)

    return callback


WRITES = bound(256)
"""Times of writes kept for each block of memory: enough to name the expected version in an error."""


def stamp(array: np.ndarray, seen: bool = True) -> None:
    """Note a write to the memory of ``array``, now; one that is not to be ``seen`` spoils no saved value."""
    global _last_write, _last_any
    block = owner(array)
    key = id(block)
    with _stamping:  # the last of two threads' writes must not be noted as the first
        _last_any = next_seq()
        if not seen:
            return
        _last_write = _last_any
        entry = _writes.get(key)
        if entry is None:
            entry = _writes[key] = _Writes(weakref.ref(block, _forget(key)))
        entry.count += 1
        entry.last = _last_write
        entry.times.append(_last_write)
        if len(entry.times) > WRITES:
            del entry.times[: WRITES // 2]


def version(array: np.ndarray) -> int:
    """How often the memory of ``array`` was written in place."""
    entry = _writes.get(id(owner(array)))
    return 0 if entry is None else entry.count


def written_since(seq: int) -> bool:
    """Whether any memory at all was written after time ``seq``."""
    return _last_write > seq


def anything_written_since(seq: int) -> bool:
    """Whether any memory was written after time ``seq``, through ``.data`` too."""
    return _last_any > seq


def version_conflict(array: Any, seq: int) -> tuple[int, int] | None:
    """(version now, version expected) if the memory of ``array`` was written after ``seq``, else None."""
    if type(array) is not np.ndarray:
        return None
    entry = _writes.get(id(owner(array)))
    if entry is None or entry.last <= seq:
        return None
    later = sum(1 for time in entry.times if time > seq)
    return entry.count, entry.count - later
