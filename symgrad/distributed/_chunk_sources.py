"""What a chunk is read from, where it is worked out: a block of memory, a file, a fragment of a dataset.

The idea to hold: a chunk is a container of arrays whose first axes are the rows. Tables become dictionaries of their
columns. The client sends where the data are, a worker reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core import array_of_table, is_table
from ..transforms._tree import flatten_values, spelled_paths, unflatten
from ._cluster_errors import ChunkError


class Held(NamedTuple):
    """A chunk that is in memory."""

    value: Any

    def read(self, columns: Any) -> Any:
        """The arrays."""
        return as_arrays(self.value, columns)


class Fragment(NamedTuple):
    """A part of an Arrow dataset: a file, or a group of rows in one."""

    fragment: Any
    schema: Any  # of the whole dataset: names, order and types, and what folders say

    def read(self, columns: Any) -> Any:
        """The columns, as arrays."""
        whole = dict(schema=self.schema, batch_size=2**30, use_threads=False)  # in one piece, by the worker's thread
        return as_arrays(self.fragment.to_table(columns=columns, **whole), columns)


class File(NamedTuple):
    """A file, whose kind its ending says."""

    path: str

    def read(self, columns: Any) -> Any:
        """The arrays of a NumPy file, the columns of a table."""
        return as_arrays(READERS[Path(self.path).suffix.lower()](self.path, columns), columns)


def _npz(path: str, columns: Any) -> Any:
    with np.load(path) as file:
        return {name: file[name] for name in (columns or file.files)}


def _parquet(path: str, columns: Any) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path, columns=columns)


def _arrow(path: str, columns: Any) -> Any:
    from pyarrow import feather

    return feather.read_table(path, columns=columns)


def _csv(path: str, columns: Any) -> Any:
    from pyarrow import csv

    return csv.read_csv(path, convert_options=csv.ConvertOptions(include_columns=columns or []))


READERS: dict[str, Callable[[str, Any], Any]] = {
    ".npy": lambda path, columns: np.load(path, mmap_mode="r"), ".npz": _npz, ".parquet": _parquet, ".pq": _parquet,
    ".csv": _csv, ".feather": _arrow, ".arrow": _arrow,
}  # fmt: skip
"""By the ending of a file's name how it is read."""


def as_arrays(value: Any, columns: Any = None) -> Any:
    """A chunk as containers of arrays: tables as dictionaries of their columns."""
    if is_table(value):
        if value.ndim == 1:
            return array_of_table(value)
        return {str(name): array_of_table(value[name]) for name in (columns or value.columns)}
    if hasattr(value, "column_names") and hasattr(value, "to_pandas"):  # an Arrow table
        return {name: _column(value.column(name)) for name in (columns or value.column_names)}
    leaves, spec = flatten_values(value)
    return unflatten(spec, [leaf if isinstance(leaf, np.ndarray) else _array(leaf) for leaf in leaves])


def _column(column: Any) -> np.ndarray:
    """An Arrow column as an array: of one block of memory without a copy, where there are no holes."""
    if column.num_chunks == 1 and not column.null_count:
        return np.asarray(column.chunk(0).to_numpy(zero_copy_only=False))
    return np.asarray(column.to_numpy())


def _array(leaf: Any) -> np.ndarray:
    return np.asarray(leaf)


def aligned(leaf: Any) -> Any:
    """An array as it lies in memory of its own: of one in the middle of a message NumPy takes products without BLAS, in
    another order and slowly."""
    return leaf if not isinstance(leaf, np.ndarray) or leaf.flags.aligned else np.require(leaf, requirements="A")


class Kind(NamedTuple):
    """What all chunks have in common: structure, and of each array dtype and shape without the rows."""

    paths: tuple[str, ...]
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    def difference(self, other: Kind) -> str:
        """Where another chunk is different, in words; nothing where it is not."""
        if self.paths != other.paths:
            mine, theirs = set(self.paths), set(other.paths)
            missing, more = sorted(mine - theirs), sorted(theirs - mine)
            words = [f"it lacks {', '.join(missing)}"] * bool(missing) + [f"it has {', '.join(more)}"] * bool(more)
            return " and ".join(words) or "its entries have another order"
        for path, a, b in zip(self.paths, self.dtypes, other.dtypes, strict=True):
            if a != b:
                return f"{path} has dtype {b}, and {a} in the first"
        for path, s, t in zip(self.paths, self.shapes, other.shapes, strict=True):
            if s != t:
                return f"{path} has rows of shape {t}, and {s} in the first"
        return ""


def kind_of(arrays: list[np.ndarray], paths: list[str], whole: list[bool]) -> Kind:
    """The kind of a chunk; arrays that are given whole count with all their axes."""
    shapes = tuple([a.shape if w or not a.ndim else a.shape[1:] for a, w in zip(arrays, whole, strict=True)])
    return Kind(tuple(paths), tuple([a.dtype.str for a in arrays]), shapes)


class Chunk(NamedTuple):
    """A chunk that was read: the arguments it is, flat, and how many rows there are."""

    arrays: list[np.ndarray]
    spec: Any
    whole: list[bool]
    kind: Kind
    rows: int

    def between(self, start: int, stop: int) -> list[Any]:
        """The arguments, of some rows."""
        cut = [a if w or not a.ndim else a[start:stop] for a, w in zip(self.arrays, self.whole, strict=True)]
        return list(unflatten(self.spec, cut))


def read_chunk(parts: Any, names: tuple[str, ...], whole: tuple[bool, ...], columns: Any) -> Chunk:
    """Read the arguments that are cut in chunks, and see that they have the same rows."""
    values = [p.read(columns) if hasattr(p, "read") else as_arrays(p, columns) for p in parts]
    arrays, spec = flatten_values(tuple(values))
    arrays = [aligned(a) for a in arrays]
    paths, given = [], []
    for value, name, w in zip(values, names, whole, strict=True):
        mine = list(spelled_paths(value, name))
        paths += mine
        given += [w] * len(mine)
    for a, path in zip(arrays, paths, strict=True):
        if isinstance(a, np.ma.MaskedArray):
            raise ChunkError(f"{path} is a masked array", "What is masked would be counted.", "Leave these rows out.")
        if a.dtype.kind not in "fiubc":
            raise ChunkError(f"{path} holds no numbers (dtype {a.dtype})", "", "Choose the columns: columns=[…].")
    kind = kind_of(arrays, paths, given)
    # A program computes what wraps around with narrow integers in doubles: here it does not wrap around either.
    arrays = [
        a.astype(np.int64, copy=False) if a.dtype.kind in "iu" and np.can_cast(a.dtype, np.int64) else a for a in arrays
    ]
    counts = {path: len(a) for a, path, w in zip(arrays, paths, given, strict=True) if a.ndim and not w}
    if not counts:
        raise ChunkError("a chunk has no rows", f"{', '.join(paths)} are numbers.", "Give arrays with rows.")
    if len(set(counts.values())) > 1:
        words = ", ".join([f"{path} has {n} rows" for path, n in list(counts.items())[:4]])
        raise ChunkError("the arrays of a chunk have different numbers of rows", f"{words}.", "Cut them alike.")
    return Chunk(arrays, spec, given, kind, next(iter(counts.values())))


__all__ = ["READERS", "Chunk", "File", "Fragment", "Held", "Kind", "aligned", "as_arrays", "read_chunk"]
