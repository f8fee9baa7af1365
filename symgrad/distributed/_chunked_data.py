"""Which arguments are cut in chunks, and what the chunks are.

The idea to hold: whatever the data are (a Dask array or table, an Arrow dataset, a list), they are a list of parts, one
for each chunk: a key of Dask's graph, or a source that a worker reads. All arguments that are cut have the same chunks.
"""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._chunk_sources import READERS, File, Fragment, Held
from ._cluster_errors import DistributedError, require_dask


class Chunks:
    """An argument with a value for each chunk: what `chunks` returns."""

    def __init__(self, values: Sequence[Any], whole: bool = False) -> None:
        self.values, self.whole = list(values), whole
        if not self.values:
            raise DistributedError("there are no chunks", "The list is empty.", "Give one entry for each chunk.")

    def __repr__(self) -> str:
        return f"chunks([… {len(self.values)} …]{', whole=True' if self.whole else ''})"


def chunks(values: Sequence[Any], whole: bool = False) -> Chunks:
    """Say that a list has one entry for each chunk of the data.

    Parameters
    ----------
    values : per chunk an array, a container of arrays, the name of a file, or a number
    whole : the entries are given to the function as they are, not row by row

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> mean = sg.distributed.sum_over(lambda t, y, scale: scale * (y - t) ** 2)
    >>> y = [np.array([1.0, 2.0]), np.array([4.0])]
    >>> print(mean(0.0, y, sg.distributed.chunks([1.0, 0.5])))
    13.0
    """
    return Chunks(values, whole)


def is_chunked(value: Any) -> bool:
    """Whether an argument is cut in chunks wherever it is met: without a look at lists, and without Dask."""
    if isinstance(value, Chunks):
        return True
    module = type(value).__module__.partition(".")[0]
    return module in ("dask", "dask_expr") or (module == "pyarrow" and hasattr(value, "get_fragments"))


def is_chunked_here(value: Any) -> bool:
    """The same where data are asked for: lists of arrays, of containers and of files too."""
    return is_chunked(value) or isinstance(value, list | str | Path)


class Parts:
    """The chunks of one argument.

    Attributes
    ----------
    parts : per chunk a key of ``graph``, or a source
    graph : tasks of Dask's that the keys stand for
    lengths : the rows of each chunk; None where they are not known
    words : what a chunk is called
    """

    def __init__(self, name: str, parts: list[Any], words: list[str], whole: bool = False) -> None:
        self.name, self.parts, self.words, self.whole = name, parts, words, whole
        self.graph: dict[Any, Any] = {}
        self.lengths: list[int | None] = [None] * len(parts)
        self.keyed = False


def parts_of(name: str, value: Any, like: Parts | None) -> Parts:
    """The chunks of an argument; of a Dask array in the chunks of another argument, where these are known."""
    if isinstance(value, Chunks):
        return _of_list(name, value.values, value.whole)
    if isinstance(value, str | Path):
        return _of_list(name, matching(name, str(value)), False)
    if isinstance(value, list):
        return _of_list(name, value, False)
    if hasattr(value, "get_fragments"):
        return _of_dataset(name, value)
    require_dask(f"the Dask collection {name}")
    if hasattr(value, "rechunk"):
        return _of_array(name, value, like)
    if hasattr(value, "npartitions") and hasattr(value, "to_delayed"):
        return _of_collection(name, value)
    if hasattr(value, "__dask_graph__") and hasattr(value, "key"):
        return _of_delayed(name, [value])
    raise DistributedError(f"{name} is a {type(value).__name__}, which has no rows", "", "Pass a Dask array or table.")


def matching(name: str, pattern: str) -> list[str]:
    """The files that a text stands for."""
    if Path(pattern).is_dir():
        found = sorted(str(p) for p in Path(pattern).iterdir() if p.suffix.lower() in READERS)
    else:
        found = sorted(glob.glob(pattern))
    if not found:
        raise DistributedError(f"{name}: there is no file {pattern!r}", f"The folder here is {os.getcwd()}.",
                               "Pass a pattern, data/*.parquet, or a list of names.")  # fmt: skip
    return found


def _of_list(name: str, values: list[Any], whole: bool) -> Parts:
    if not values:
        raise DistributedError(f"{name} has no chunks", "The list is empty.", "Give one entry for each chunk.")
    delayed = [v for v in values if hasattr(v, "__dask_graph__")]
    if len(delayed) == len(values) and all(hasattr(v, "key") for v in values):
        return _of_delayed(name, values)
    if delayed:
        raise DistributedError(f"{name} is a list of Dask collections", "", "Pass one: da.concatenate([…]).")
    parts: list[Any] = []
    words = []
    for k, value in enumerate(values):
        if isinstance(value, str | Path):
            if Path(value).suffix.lower() not in READERS:
                raise DistributedError(
                    f"{name}[{k}] is {str(value)!r}, which is no file of arrays or tables", "",
                    f"Known endings: {', '.join(READERS)}.",
                )  # fmt: skip
            parts.append(File(str(value)))
            words.append(f"chunk {k} ({value})")
        else:
            parts.append(Held(value))
            words.append(f"chunk {k}")
    found = Parts(name, parts, words, whole)
    if not whole:
        found.lengths = [len(v) if isinstance(v, np.ndarray) and v.ndim else None for v in values]
    return found


def _of_dataset(name: str, dataset: Any) -> Parts:
    """An Arrow dataset, by groups of rows where files have them."""
    parts: list[Any] = []
    words, lengths = [], []
    for fragment in dataset.get_fragments():
        groups = fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]
        for group in groups:
            path = getattr(group, "path", "")
            which = [g.id for g in getattr(group, "row_groups", None) or []]
            known = getattr(group, "row_groups", None)
            where = f"{path}, row group {which[0]}" if path and which else path
            words.append(f"chunk {len(parts)}" + (f" ({where})" if where else ""))
            lengths.append(sum(g.num_rows for g in known) if known else None)
            parts.append(Fragment(group, dataset.schema))
    if not parts:
        raise DistributedError(f"{name} has no chunks", "The dataset holds no files.", "Look at its path.")
    found = Parts(name, parts, words)
    found.lengths = list(lengths)
    return found


def _of_array(name: str, array: Any, like: Parts | None) -> Parts:
    if not array.ndim:
        raise DistributedError(f"{name} is a single number", "It has no rows.", "Compute it first: x.compute().")
    if any(len(c) > 1 for c in array.chunks[1:]):
        array = array.rechunk(dict.fromkeys(range(1, array.ndim), -1))
    rows = like.lengths if like is not None else None
    if rows is not None and None not in rows and not any(math.isnan(n) for n in array.chunks[0]):
        if sum(map(int, rows)) != len(array):  # type: ignore[arg-type]
            raise DistributedError(
                f"{name} has {len(array)} rows, {like.name} has {sum(map(int, rows))}",  # type: ignore[union-attr, arg-type]
                "They are cut in the same chunks.", "Give arrays of the same length.",
            )  # fmt: skip
        if list(array.chunks[0]) != rows:
            array = array.rechunk({0: tuple(rows)})
    found = _of_collection(name, array)
    found.lengths = [None if math.isnan(n) else int(n) for n in array.chunks[0]]
    return found


def _of_collection(name: str, collection: Any) -> Parts:
    """The blocks of an array, the partitions of a table."""
    found = _of_delayed(name, list(np.ravel(collection.to_delayed())))
    if not all(key in found.graph for key in found.parts):  # persisted: optimised, it has no tasks left, and no data
        found = _of_delayed(name, list(np.ravel(collection.to_delayed(optimize_graph=False))))
    return found


def _of_delayed(name: str, values: list[Any]) -> Parts:
    found = Parts(name, [v.key for v in values], [f"chunk {k}" for k in range(len(values))])
    found.keyed = True
    for graph in {id(v.dask): v.dask for v in values}.values():
        found.graph.update(graph)
    return found


__all__ = ["Chunks", "Parts", "chunks", "is_chunked", "is_chunked_here", "matching", "parts_of"]
