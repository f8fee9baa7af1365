"""Which arguments are cut in chunks, what these are read from, and which of Dask's tasks go with them."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import MissingDependencyError, SymgradError
from ..core import array_of_table, is_table
from ..transforms.calls import flatten_values, spelled_paths, unflatten

# -------------------------------------------- Errors of work on a cluster, and the install line where Dask is missing

# The idea to hold: an error names the chunk and the cause, in words that the client can read: what a worker raised has
# lost its frames on the way.


class DistributedError(SymgradError, RuntimeError):
    """Work on a cluster cannot be done, or was not finished: there is no result, and no part of one."""


class ChunkError(DistributedError):
    """One chunk of the data could not be worked out; the message names it, and the cause."""


class NoSumError(DistributedError):
    """A function is no sum over rows; where it is seen on the way, of a chunk that the message names."""


def require_dask(what: str) -> None:
    """Raise the install line where Dask is not there, and what to do where a program that ends would load it."""
    if find_spec("dask") is None:
        raise MissingDependencyError(f"{what} needs Dask", "", 'python -m pip install "symgrad[dask]"')
    try:
        import_module("dask.base")
    except RuntimeError as error:
        raise DistributedError(
            f"{what} needs Dask, which cannot be loaded while the program ends", f"{error}.", "import dask before."
        ) from error


def cause_of(error: BaseException) -> str:
    """What an error says, with its class, on one line or few."""
    if isinstance(error, ChunkError):
        return str(error)
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


# -------------------------------------------------------------------------------------------------------------------
# What a chunk is read from, where it is worked out: a block of memory, a file, a fragment of a dataset

# The idea to hold: a chunk is a container of arrays whose first axes are the rows. Tables become dictionaries of their
# columns. The client sends where the data are, a worker reads them.


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
    return unflatten(spec, [leaf if isinstance(leaf, np.ndarray) else np.asarray(leaf) for leaf in leaves])


def _column(column: Any) -> np.ndarray:
    """An Arrow column as an array: of one block of memory without a copy, where there are no holes."""
    if column.num_chunks == 1 and not column.null_count:
        return np.asarray(column.chunk(0).to_numpy(zero_copy_only=False))
    return np.asarray(column.to_numpy())


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

    @property
    def cut(self) -> list[bool]:
        """Which arrays have rows; the others are given whole."""
        return [bool(a.ndim) and not w for a, w in zip(self.arrays, self.whole, strict=True)]

    def each(self, function: Callable[[np.ndarray], np.ndarray]) -> Chunk:
        """The chunk with what a function makes of the arrays that have rows."""
        return self._replace(arrays=[function(a) if c else a for a, c in zip(self.arrays, self.cut, strict=True)])

    @property
    def arguments(self) -> list[Any]:
        """The arguments."""
        return list(unflatten(self.spec, self.arrays))

    def between(self, start: int, stop: int) -> list[Any]:
        """The arguments, of some rows."""
        return self.each(lambda a: a[start:stop]).arguments


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


# --------------------------------------------------------- Which arguments are cut in chunks, and what the chunks are

# The idea to hold: whatever the data are (a Dask array or table, an Arrow dataset, a list), they are a list of parts,
# one for each chunk: a key of Dask's graph, or a source that a worker reads. All arguments that are cut have the same
# chunks.


class Chunks:
    """An argument with a value for each chunk: what `chunks` returns."""

    values: list[Any]
    whole: bool

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


class ChunkedArgument:
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


def parts_of(name: str, value: Any, like: ChunkedArgument | None) -> ChunkedArgument:
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


def _of_list(name: str, values: list[Any], whole: bool) -> ChunkedArgument:
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
    found = ChunkedArgument(name, parts, words, whole)
    if not whole:
        found.lengths = [len(v) if isinstance(v, np.ndarray) and v.ndim else None for v in values]
    return found


def _of_dataset(name: str, dataset: Any) -> ChunkedArgument:
    """An Arrow dataset, by groups of rows where files have them."""
    parts: list[Any] = []
    words, lengths = [], []
    for fragment in dataset.get_fragments():
        groups = fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]
        for group in groups:
            path = getattr(group, "path", "")
            known = getattr(group, "row_groups", None)
            where = f"{path}, row group {known[0].id}" if path and known else path
            words.append(f"chunk {len(parts)}" + (f" ({where})" if where else ""))
            lengths.append(sum(g.num_rows for g in known) if known else None)
            parts.append(Fragment(group, dataset.schema))
    if not parts:
        raise DistributedError(f"{name} has no chunks", "The dataset holds no files.", "Look at its path.")
    found = ChunkedArgument(name, parts, words)
    found.lengths = list(lengths)
    return found


def _of_array(name: str, array: Any, like: ChunkedArgument | None) -> ChunkedArgument:
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


def _of_collection(name: str, collection: Any) -> ChunkedArgument:
    """The blocks of an array, the partitions of a table."""
    found = _of_delayed(name, list(np.ravel(collection.to_delayed())))
    if not all(key in found.graph for key in found.parts):  # persisted: optimised, it has no tasks left, and no data
        found = _of_delayed(name, list(np.ravel(collection.to_delayed(optimize_graph=False))))
    return found


def _of_delayed(name: str, values: list[Any]) -> ChunkedArgument:
    found = ChunkedArgument(name, [v.key for v in values], [f"chunk {k}" for k in range(len(values))])
    found.keyed = True
    for graph in {id(v.dask): v.dask for v in values}.values():
        found.graph.update(graph)
    return found


# -------------------------------------------------------------------------------------------------------------------
# Which of Dask's tasks are of one chunk alone: these run with it, as one task; the others stay Dask's own

# The idea to hold: a task belongs to a chunk if all that needs it belongs to that chunk. What two chunks need is
# computed once, and handed to both.


class Value:
    """Something that Dask is not to look into."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Made(NamedTuple):
    """A part of a chunk that is the value of a key."""

    key: Any


class ChunkCall(NamedTuple):
    """A chunk, as a worker gets it.

    Attributes
    ----------
    word : what it is called
    parts : of each argument that is cut a source, or `Made`
    tasks : Dask's tasks that are its own, in order: the key, the task, and the keys that nothing needs after it
    """

    word: str
    parts: tuple[Any, ...]
    tasks: tuple[tuple[Any, Any, tuple[Any, ...]], ...] = ()

    def values(self, given: dict[Any, Any]) -> list[Any]:
        """Run its own tasks, of values that others computed: the parts, to be read."""
        known = dict(given)
        for key, task, spent in self.tasks:
            known[key] = task(known)
            for old in spent:
                del known[old]
        return [known[part.key] if isinstance(part, Made) else part for part in self.parts]


class ChunkCalls(NamedTuple):
    """Chunks with what they need.

    Attributes
    ----------
    calls : the chunks
    shared : of each the keys of values that are not its own
    graph : the tasks of these
    """

    calls: list[ChunkCall]
    shared: list[tuple[Any, ...]]
    graph: dict[Any, Any]


def calls_of(data: list[ChunkedArgument], chosen: Any = None, own: bool = True) -> ChunkCalls:
    """Some chunks, or all, with the tasks that are their own; with none where ``own`` is false."""
    chosen = range(len(data[0].parts)) if chosen is None else chosen
    graph: dict[Any, Any] = {}
    for parts in data:
        graph.update(parts.graph)
    roots = [[p.parts[k] for p in data if p.keyed] for k in chosen]
    order = _in_order(graph, roots)
    owners = _owners(graph, order, roots) if own else {}
    mine: list[list[Any]] = [[] for _ in roots]
    for key in order:
        if owners.get(key, SHARED) != SHARED:
            mine[owners[key]].append(key)
    mine = [keys if len(keys) <= _limits.DISTRIBUTED_OWN_TASKS else [] for keys in mine]
    calls, shared = [], []
    for k, keys, ends in zip(chosen, mine, roots, strict=True):
        tasks, others = _listed(graph, order, keys, ends)
        given = tuple([Made(p.parts[k]) if p.keyed else p.parts[k] for p in data])
        calls.append(ChunkCall(data[0].words[k], given, tasks))
        shared.append(others)
    taken = {key for keys in mine for key in keys}
    return ChunkCalls(calls, shared, {key: graph[key] for key in order if key not in taken and key in graph})


SHARED = -1


def _in_order(graph: dict[Any, Any], roots: list[list[Any]]) -> dict[Any, tuple[Any, ...]]:
    """All keys that some are made of, each after those that it needs, depth first; with what it needs."""
    from dask.core import get_dependencies

    found: dict[Any, tuple[Any, ...]] = {}
    for ends in roots:
        stack: list[tuple[Any, Any]] = [(key, None) for key in reversed(ends)]
        while stack:
            key, needs = stack.pop()
            if key in found:
                continue
            if needs is None:
                task = graph.get(key)
                needs = getattr(task, "dependencies", None) if callable(task) else None  # those on workers too
                needs = tuple((get_dependencies(graph, key) if key in graph else ()) if needs is None else needs)
                stack.append((key, needs))
                stack.extend([(k, None) for k in needs if k not in found and k != key])
            else:
                found[key] = needs
    return found


def _owners(graph: dict[Any, Any], order: dict[Any, tuple[Any, ...]], roots: list[list[Any]]) -> dict[Any, int]:
    """By key the number of the chunk that alone needs it."""
    owners: dict[Any, int] = {}

    def claimed(key: Any, owner: int) -> None:
        owners[key] = owner if owners.get(key, owner) == owner else SHARED

    for k, ends in enumerate(roots):
        for key in ends:
            claimed(key, k)
    for key, needs in reversed(order.items()):
        if not _movable(graph, key, needs):
            owners[key] = SHARED
        for needed in needs:
            claimed(needed, owners[key])
    return owners


def _movable(graph: dict[Any, Any], key: Any, needs: tuple[Any, ...]) -> bool:
    """Whether a task may run within another: a result that lies on a worker already is none, and some of Dask's must
    run as they are (exchanges between workers, coroutines)."""
    task = graph.get(key)
    if not callable(task) or not hasattr(task, "dependencies"):
        return False
    if getattr(task, "is_coro", False) or any(getattr(graph.get(k), "block_fusion", False) for k in (key, *needs)):
        return False
    return all(needed in graph and needed != key for needed in needs)  # else it is on a worker


def _listed(graph: dict[Any, Any], order: Any, keys: list[Any], ends: list[Any]) -> tuple[Any, tuple[Any, ...]]:
    """The tasks of a chunk with what is spent after each, and the keys of others that it needs."""
    mine, seen, tasks = set(keys), dict.fromkeys(ends), []
    for key in reversed(keys):
        fresh = [k for k in order[key] if k not in seen]
        seen.update(dict.fromkeys(fresh))
        tasks.append((key, graph[key], tuple([k for k in fresh if k in mine])))
    return tuple(reversed(tasks)), tuple([k for k in seen if k not in mine])
