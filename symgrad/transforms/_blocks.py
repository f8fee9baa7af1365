"""Blocks of a matrix found by names: nested reading, as of containers within containers.

The idea to hold: a `Place` is a spot in the structure of the parameters, a leaf or a container of further places. A
block is found by a place for its rows and one for its columns; as long as one of them is a container, what has been
found is a `Nested`, which is read on.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _limits
from .._errors import SymgradError
from ._tree import Spec, _is_dataclass, _keys, unflatten


class UnknownParameterError(SymgradError, KeyError, IndexError):
    """A matrix was asked for a parameter that it has not."""

    __str__ = Exception.__str__  # a KeyError shows its message quoted, on one line


class Place:
    """A spot in the structure of the parameters.

    Attributes
    ----------
    path : the keys that lead here
    spec : the structure below
    start, stop : which arrays lie below, counted in the order of the structure
    entries : the places below by key, None for an array
    """

    __slots__ = ("entries", "path", "spec", "start", "stop")

    def __init__(self, path: tuple[Any, ...], spec: Spec, start: int, stop: int, entries: Any) -> None:
        self.path, self.spec, self.start, self.stop, self.entries = path, spec, start, stop, entries

    @property
    def nothing(self) -> bool:
        """Whether None stands here."""
        return self.spec.kind is type(None)

    @property
    def keyed(self) -> bool:
        """Whether this is a dictionary, read by keys only."""
        return self.spec.kind is not None and issubclass(self.spec.kind, dict)

    def entry(self, key: Any) -> Place | None:
        """The place below of this key, position (not in dictionaries) or path with dots; None if there is none."""
        if self.entries is None:
            return None
        try:
            found: Place | None = self.entries.get(key)
        except TypeError:  # a slice, a list
            return None
        if found is not None:
            return found
        if isinstance(key, (int, np.integer)) and not self.keyed and -len(self.entries) <= key < len(self.entries):
            return list(self.entries.values())[key]
        return self._dotted(key) if isinstance(key, str) else None

    def _dotted(self, text: str) -> Place | None:
        if self.entries is None:
            return None
        for key, below in self.entries.items():
            name = str(key)
            if text == name:
                return below
            if text.startswith(name + "."):
                found = below._dotted(text[len(name) + 1 :])
                if found is not None:
                    return found
        return None

    def reach(self, selector: Any) -> Place | None:
        """The place that a key, a position, a dotted text or a tuple of keys leads to."""
        found = self.entry(selector)
        if found is not None or not isinstance(selector, tuple):
            return found
        place: Place | None = self
        for key in selector:
            place = None if place is None else place.entry(key)
        return place


def placed(spec: Spec, names: Sequence[tuple[Any, ...]]) -> Place:
    """The places of a structure whose arrays have these paths."""
    return _placed(spec, names, (), 0)


def _placed(spec: Spec, names: Sequence[tuple[Any, ...]], path: tuple[Any, ...], start: int) -> Place:
    if spec.kind is None:
        return Place(names[start], spec, start, start + 1, None)
    entries: dict[Any, Place] = {}
    stop = start
    known = list(_entry_names(spec))
    for k, part in enumerate(spec.parts):
        # the paths know best: arguments are a tuple in the structure, and have names
        key = names[stop][len(path)] if part.size and len(names[stop]) > len(path) else known[k]
        entries[key] = below = _placed(part, names, (*path, key), stop)
        stop = below.stop
    return Place(path, spec, start, stop, entries)


def _entry_names(spec: Spec) -> Sequence[Any]:
    if issubclass(spec.kind, dict):
        return _keys(spec)
    if issubclass(spec.kind, tuple) and hasattr(spec.kind, "_fields"):
        return spec.kind._fields
    return spec.names[0] if _is_dataclass(spec.kind) else range(len(spec.parts))


class Nested:
    """Blocks of a matrix, read like nested containers: first to the array of the rows, then to that of the columns.

    Over dictionaries it iterates as a dictionary (over the keys), over all other containers as a tuple (over what is in
    it), so that ``row_a, row_b = H`` unpacks.
    """

    _whole: Any
    _row: Any
    _column: Any

    @property
    def _open(self) -> Place:
        """The place that is read next."""
        return self._row if self._row.entries is not None else self._column

    def _select(self, row: Place, column: Place) -> Any:
        if row.nothing or (row.entries is None and column.nothing):
            return None
        if row.entries is None and column.entries is None:
            return self._whole._block(row.start, column.start)
        return _Part(self._whole, row, column)

    def _down(self, place: Place) -> Any:
        return self._select(place, self._column) if self._open is self._row else self._select(self._row, place)

    def __getitem__(self, key: Any) -> Any:
        found = self._open.reach(key)
        if found is None:
            raise unknown(self, (key,), None, None)
        return self._down(found)

    def __len__(self) -> int:
        """The number of parameters at this level, as of the container that holds them."""
        return len(self._entries() if self._open.entries is not None else self._whole._block(0, 0))

    def __contains__(self, key: Any) -> bool:
        return key in self._entries()

    def __iter__(self) -> Iterator[Any]:
        if self._open.entries is None:
            return iter(self._whole._block(0, 0))
        return iter(self.keys() if self._open.keyed else self.values())

    def _entries(self) -> dict[Any, Place]:
        if self._open.entries is None:
            raise TypeError("the parameter is one array: it has no keys, its name is in H.names")
        return self._open.entries

    def keys(self) -> list[Any]:
        """Return the keys of this level: of a dictionary, fields, positions, or names of arguments."""
        return list(self._entries())

    def values(self) -> list[Any]:
        """Return what `keys` lead to: blocks, or what is read on."""
        return [self._down(place) for place in self._entries().values()]

    def items(self) -> list[tuple[Any, Any]]:
        """Return pairs of keys and what they lead to."""
        return list(zip(self.keys(), self.values(), strict=True))

    def blocks(self) -> Any:
        """Return the blocks as nested containers like the parameters: dictionaries of dictionaries, say."""
        return self._built(self._row, self._column)

    def _built(self, row: Place, column: Place) -> Any:
        if row.entries is not None:
            rows = [self._built(_leaf_at(k), column) for k in range(row.start, row.stop)]
            return unflatten(row.spec, rows)
        block = self._whole._block
        return unflatten(column.spec, [block(row.start, k) for k in range(column.start, column.stop)])

    def __repr__(self) -> str:
        whole = self._whole
        rows = described(*_below(whole, self._row)) or "nothing"
        columns = described(*_below(whole, self._column)) or "nothing"
        return f"<blocks of a {whole._word}: {rows} by {columns}>"


class _Part(Nested):
    """What rows and columns have been chosen so far."""

    def __init__(self, whole: Any, row: Place, column: Place) -> None:
        self._whole, self._row, self._column = whole, row, column


def _leaf_at(k: int) -> Place:
    return Place((), Spec(), k, k + 1, None)


def _below(whole: Any, place: Place) -> tuple[Any, Any]:
    return whole.names[place.start : place.stop], whole.shapes[place.start : place.stop]


# ----------------------------------------------------------------------------------------------- how names are written


def spelled(path: tuple[Any, ...]) -> str:
    """A path as it is read: ``layers.0.W``; what has no name of its own is ``x``: ``x[0].W``."""
    if path and isinstance(path[0], str):
        return ".".join(map(str, path))
    return ".".join(["x" + (f"[{path[0]!r}]" if path else ""), *map(str, path[1:])])


def described(names: Sequence[tuple[Any, ...]], shapes: Sequence[tuple[int, ...]], most: int = 8) -> str:
    """Names with sizes: ``a (number), W (2 × 3)``, the first few."""
    parts = [
        f"{spelled(name)} ({' × '.join(map(str, shape)) or 'number'})" for name, shape in zip(names[:most], shapes)
    ]
    return ", ".join(parts + ([f"… {len(names) - most} more"] if len(names) > most else []))


def unknown(part: Nested, key: tuple[Any, ...], row: Any, column: Any) -> UnknownParameterError:
    """The error for a key that leads nowhere, with the names there are and the nearest."""
    whole, root = part._whole, part._whole._root
    at = part._open
    wrong = next((k for k, found in zip(key, (row, column)) if found is None), key)
    names = [str(k) for k in at.entries or ()]
    texts = list(dict.fromkeys([*names, *(spelled(name) for name in whole.names)]))
    where = "" if at.path == () or at is root or at.entries is None else f" in {spelled(at.path)}"
    shown = ", ".join(names[: _limits.LISTED]) + (", …" if len(names) > _limits.LISTED else "")
    if at.entries is None:
        evidence = f"It has one array, {spelled(whole.names[0])}."
    else:
        evidence = f"The names{where or ' here'}: {shown}." if names else "There are none here."
    return UnknownParameterError(
        f"the {whole._word} has no parameter {wrong!r}{where}", evidence, _advice(root, key, wrong, texts)
    )


def _advice(root: Place, key: tuple[Any, ...], wrong: Any, texts: list[str]) -> str:
    if len(key) > 1 and root.reach(key) is not None:
        text = ", ".join(map(repr, key))
        return f"A path is one key: H[({text}), …], or with dots H[{'.'.join(map(str, key))!r}, …]."
    if len(key) > 2:
        return "H takes one key for the rows and one for the columns: H[row, column]."
    plain = ".".join(map(str, wrong)) if isinstance(wrong, tuple) else str(wrong)
    if isinstance(wrong, slice):
        return "Rows and columns by number are in H.matrix."
    lower = {text.lower(): text for text in texts}
    near = difflib.get_close_matches(plain.lower(), lower, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {lower[near[0]]!r}?"
    return "H.names lists the paths of all parameters; entries by number are in H.matrix."


__all__ = ["Nested", "Place", "UnknownParameterError", "described", "placed", "spelled", "unknown"]
