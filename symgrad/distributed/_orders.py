"""Before a sum runs: where the rows are, a look at them and at the function, and the orders for the workers."""

from __future__ import annotations

import hashlib
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import SymgradError
from ..transforms.calls import flatten, signature
from ..transforms.compiled import argument_mark
from ._chunks import (
    Chunk,
    ChunkedArgument,
    ChunkError,
    DistributedError,
    Kind,
    Value,
    calls_of,
    cause_of,
    is_chunked_here,
    parts_of,
    read_chunk,
    require_dask,
)
from ._jobs import Job, Shipped, are_equal, block_sizes, blocks, cuts, returned, shipped
from ._workers import Order, Partial, kept, laid_out, run_all

# -------------------------------------------------------------------------------------------------------------------
# A look at the data and the function before the long run: what chunks are like, and whether sums of parts are the sum

# The idea to hold: a few rows of the first, a middle and the last chunk are fetched, and the function is tried on them
# here. What can be wrong is said before a cluster is busy.


class Head(NamedTuple):
    """The first rows of a chunk, or why there are none."""

    chunk: Chunk | None
    rows: int
    error: str


def head(how: Value, call: Value, keys: Value, *values: Any) -> Head:
    """Read the first rows of a chunk."""
    try:
        given = dict(zip(keys.value, values, strict=True))
        found = read_chunk(call.value.values(given), *how.value)
        few = min(found.rows, _limits.DISTRIBUTED_SAMPLE)
        arrays = list(map(np.array, found.each(lambda a: a[:few]).arrays))
        return Head(found._replace(arrays=arrays, rows=few), found.rows, "")
    except Exception as error:
        return Head(None, 0, f"{call.value.word}: {cause_of(error)}")


class Sample(NamedTuple):
    """What the chunks are like."""

    kind: Kind
    chunks: list[Chunk]  # a few rows of each of some
    total: int  # how many rows there are in all, or about

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        first = self.chunks[0]
        return sum(a.nbytes for a, c in zip(first.arrays, first.cut, strict=True) if c) // max(first.rows, 1) + 1

    def repeated(self, rows: int) -> list[Any]:
        """Arguments of so many rows, made of those of the sample."""
        return self.chunks[0].each(lambda a: np.take(a, np.arange(rows) % len(a), 0)).arguments


def sample_of(data: list[ChunkedArgument], columns: Any, client: Any, title: str) -> Sample:
    """Fetch the sample; an error where a chunk cannot be read, or is not like the first."""
    count = len(data[0].parts)
    chosen = sorted({0, count // 2, count - 1})
    names, whole = tuple([p.name for p in data]), tuple([p.whole for p in data])
    found = _heads(data, chosen, names, whole, columns, client, title)
    if not any(h.rows for h in found):  # where these are empty, the others are asked too
        rest = [k for k in range(count) if k not in chosen][: _limits.DISTRIBUTED_SAMPLE]
        found += _heads(data, rest, names, whole, columns, client, title)
    for h in found:
        if h.error:
            raise ChunkError(f"{title} cannot start", h.error, "Every chunk must be there, and alike.")
    full = [h.chunk for h in found if h.chunk is not None and h.rows]
    if not full:
        raise DistributedError(f"{title} cannot start: there are no rows", f"{len(found)} chunks are empty.",
                               "Look at the data, or leave empty chunks out.")  # fmt: skip
    for k, other in enumerate(full[1:], 1):
        apart = full[0].kind.difference(other.kind)
        if apart:
            raise ChunkError(f"{title} cannot start: chunks are not alike", f"In one of them {apart} (sample {k}).",
                             "Give all chunks the same columns and dtypes.")  # fmt: skip
    lengths = [max(h.rows for h in found) if n is None else n for n in data[0].lengths]
    return Sample(full[0].kind, full, sum(lengths))


def _heads(
    data: list[ChunkedArgument], chosen: list[int], names: tuple[str, ...], whole: tuple[bool, ...], columns: Any,
    client: Any, title: str,
) -> list[Head]:  # fmt: skip
    how, found = Value((names, whole, columns)), calls_of(data, chosen)
    calls = [(head, how, Value(c), Value(keys), *keys) for c, keys in zip(found.calls, found.shared, strict=True)]
    return run_all(calls, "first-rows", client, None, title, found.graph) if calls else []


def is_vector(f: Any, theta: Any, args: list[Any], rows: int) -> bool:
    """Whether the function returns a contribution for each row; raises where it returns neither that nor a number."""
    found = returned(f, theta, args)
    if found.dtype.kind not in "fiu":
        raise DistributedError(f"the function returned numbers of dtype {found.dtype}", "", "Return real numbers.")
    if not found.ndim:
        return False
    if found.shape != (rows,):
        raise DistributedError(
            f"the function returned an array of shape {found.shape} for {rows} rows", "",
            "Return one number, the sum over the rows, or the vector of their contributions.",
        )  # fmt: skip
    return True


def require_sum(f: Any, thetas: list[Any], sample: Sample, arguments: Any, title: str) -> None:
    """Raise where the function of some rows is not the sum of the function of parts: at the parameters, the first, and
    at others, where a penalty is another; there it may have no value. What can be seen at none of them is refused."""
    decided = tried = False
    for pick, rows in _tables(sample):
        for k, theta in enumerate(thetas):
            try:
                for together, parts in _cuts(rows, sample.total if not k else 0):
                    whole, *cuts = (returned(f, theta, arguments(pick(i))) for i in (together, *parts))
                    tried = True
                    apart = np.concatenate([np.ravel(p) for p in cuts])
                    if whole.ndim:  # contributions, of each row
                        whole, apart = (
                            v[np.argsort(i)] for v, i in ((whole, together), (apart, np.concatenate(parts)))
                        )
                    kinds = [a.dtype for c in sample.chunks for a in c.arrays]
                    decided |= are_equal(title, "some rows", kinds, whole, apart, len(parts))
            except np.linalg.LinAlgError:  # outside of the function's domain it says nothing
                continue
            except SymgradError:
                raise
            except Exception as error:
                if k:
                    continue
                raise ChunkError(f"{title} cannot start: the function raises on some of the rows", cause_of(error),
                                 "Call it on them by hand to see where.") from error  # fmt: skip
    if tried and not decided:
        raise DistributedError(
            f"{title}: whether the function is a sum over rows cannot be seen",
            f"On the first rows it is not finite, at {len(thetas)} choices of the parameters.",
            "Start where it is finite, or say that it is a sum: check=False.",
        )


Pick = Callable[[np.ndarray], list[Any]]


def _tables(sample: Sample) -> Iterator[tuple[Pick, list[np.ndarray]]]:
    """What picks rows of the sample, and the numbers of each chunk's: one table, or, where chunks have values of their
    own, one for each. Rows in which something is missing tell nothing."""
    first = sample.chunks[0]
    cut = first.cut
    groups = [sample.chunks] if all(cut) else [[c] for c in sample.chunks]
    for chunks in groups:
        columns = [np.concatenate(each) if c else each[0]
                   for c, each in zip(cut, zip(*[c.arrays for c in chunks], strict=True), strict=True)]  # fmt: skip
        ends = np.cumsum([c.rows for c in chunks])
        there = np.ones(ends[-1], bool)
        for a, c in zip(columns, cut, strict=True):
            if c and a.dtype.kind == "f":
                there &= np.isfinite(a).reshape(len(a), -1).all(1)

        def pick(rows: np.ndarray, columns: list[Any] = columns) -> list[Any]:
            return first._replace(arrays=columns).each(lambda column: column[rows]).arguments

        rows = [k[there[k]] for k in np.split(np.arange(ends[-1]), ends[:-1])]
        if any(len(k) for k in rows):
            yield pick, [k for k in rows if len(k)]


def _cuts(chunks: list[np.ndarray], total: int) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Rows, and parts that they are cut into: as chunks are, one by one, at random, beside more of them, and as many
    as there are in all."""
    rows = np.concatenate(chunks)
    yield rows, [part for k in chunks for part in np.array_split(k, min(3, len(k)))]
    yield rows, np.array_split(np.random.default_rng(0).permutation(rows), min(2, len(rows)))
    yield np.tile(rows, 8), [rows] * 8
    yield rows[:6], [rows[k : k + 1] for k in range(min(6, len(rows)))]
    mixed, many = np.random.default_rng(1).permutation(rows), np.resize(rows, min(total, _limits.DISTRIBUTED_ROWS))
    yield mixed, _cut_at(mixed, np.cumsum(np.arange(1, len(rows))))
    if len(many) > len(rows):
        yield many, _cut_at(many, cuts(len(many)))


def _cut_at(rows: np.ndarray, ends: Any) -> list[np.ndarray]:
    return [part for part in np.split(rows, [k for k in ends if k < len(rows)]) if len(part)]


# -------------------------------- Which arguments of a call are cut in chunks, and which are the same for all of them

# The idea to hold: it is found out once for the same data, with a sample of their rows, and serves all that is asked.


class Located:
    """The arguments of a call: what is cut in chunks, and where.

    Attributes
    ----------
    data : the arguments that are cut, weights and groups last
    template : per argument of the function ('shared', value) or ('chunk', place in ``data``)
    seen : by structure of the parameters, where the function has been found to be a sum over rows of the sample,
        whether it has of each chunk
    """

    def __init__(self, f: Any, args: tuple[Any, ...], weights: Any, groups: Any, title: str) -> None:
        known = signature(f)
        words = list(known.parameters)[1:] if known is not None else []
        self.data: list[ChunkedArgument] = []
        template: list[tuple[str, Any]] = []
        for k, value in enumerate(args):
            name = words[k] if k < len(words) else f"data[{k}]"
            if is_chunked_here(value):
                template.append(("chunk", self._place(name, value)))
            else:
                template.append(("shared", value))
        if not self.data:
            raise DistributedError(
                f"{title}: none of the arguments is cut in chunks", "",
                "Pass a Dask array or table, an Arrow dataset, a list of arrays or of files; on one machine there is "
                "sg.hessian.",
            )  # fmt: skip
        self.weighted, self.grouped = weights is not None, groups is not None
        if self.weighted:
            template.append(("chunk", self._place("weights", weights)))
        if self.grouped:
            self._place("clusters", groups)
        self.template = tuple(template)
        self.sample: Sample | None = None
        self.seen: dict[Any, bool] = {}

    def _place(self, name: str, value: Any) -> int:
        like = self.data[0] if self.data else None
        found = parts_of(name, value, like)
        if like is not None and len(found.parts) != len(like.parts):
            raise DistributedError(
                f"{name} has {len(found.parts)} chunks, {like.name} has {len(like.parts)}", "",
                "All that is cut has the same chunks: x.rechunk(…), df.repartition(…).",
            )  # fmt: skip
        self.data.append(found)
        return len(self.data) - 1

    def arguments(self, cut: list[Any]) -> list[Any]:
        """The arguments of the function for some rows."""
        return [cut[value] if kind == "chunk" else value for kind, value in self.template]


# -------------------------------------------------------------------------------------------------------------------
# Orders, made on the client: the function pickled, programs of it made once, and what they are known by

# The idea to hold: a function is known by its pickle, with all that it closes over and the globals that it reads. Where
# one of these changes the programs are others; nothing that was seen earlier is used again.


_PROGRAMS: OrderedDict[Any, tuple[list[int], dict[int, Shipped]]] = OrderedDict()


@contextmanager
def _by_value(f: Any) -> Iterator[None]:
    """Pickle a function with its code, wherever it is defined: a worker may have an older module, or none."""
    import cloudpickle

    module = sys.modules.get(getattr(f, "__module__", None) or "")
    if module is None or not hasattr(f, "__globals__"):
        yield
        return
    if (
        module.__name__.partition(".")[0] == "symgrad"
        or module.__name__ == "__main__"
        or module.__name__ in cloudpickle.list_registry_pickle_by_value()
    ):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def pickled(job: Any, f: Any, title: str) -> bytes:
    """A function as it travels.

    Raises
    ------
    DistributedError : it cannot be pickled
    """
    import cloudpickle

    try:
        with _by_value(f):
            return bytes(cloudpickle.dumps(job))
    except Exception as error:
        raise DistributedError(
            f"{title}: the function cannot be sent to workers", f"{cause_of(error)}.",
            "Let it close over arrays and numbers only: no open files, locks or connections.",
        ) from None  # fmt: skip


def order_of(
    title: str, job: Job, function: bytes, first: tuple[Any, ...], located: Any, sample: Sample, settings: Any,
    size: int, after: str,
) -> Order:  # fmt: skip
    """What to tell the workers, with programs for all lengths of chunks that there may be."""
    token = hashlib.sha256(function + settings.target.encode()).hexdigest()
    sizes: list[int] = []
    programs: dict[int, Shipped] = {}
    if settings.over == "rows":
        lengths = located.data[0].lengths if None not in located.data[0].lengths else None
        leaves, spec = flatten([v for kind, v in located.template if kind == "shared"])
        shared = [argument_mark(leaf) for leaf in leaves], spec, [kind for kind, _ in located.template]
        first_marks = [(getattr(a, "shape", ()), str(getattr(a, "dtype", type(a)))) for a in flatten(first)[0]]
        key = token, repr((shared, first_marks)), sample.kind, sample.row_bytes, tuple(lengths or ())
        made = partial(_programs, job, first, located, sample, settings.target, lengths)
        sizes, programs = kept(_PROGRAMS, key, made)
    return Order(
        title, token, function, located.template, tuple([p.name for p in located.data]),
        tuple([p.whole for p in located.data]), settings.columns, sample.kind, sizes, programs, settings.target, size,
        after, located.weighted, located.grouped,
    )  # fmt: skip


def _programs(
    job: Job, first: tuple[Any, ...], located: Any, sample: Sample, target: str, lengths: list[int] | None
) -> tuple[list[int], dict[int, Shipped]]:
    """The sizes of blocks, and for NumPy a program for each; nothing where there is none."""
    sizes = block_sizes(sample.row_bytes)
    if target != "numpy":
        return sizes, {}
    needed = sizes
    if lengths is not None:
        needed = sorted({b - a for n in set(lengths) for a, b in blocks(n, sizes)}, reverse=True)
    programs: dict[int, Shipped] = {}
    for size in needed:
        made = shipped(job, [*first, *located.arguments(sample.repeated(size))])
        if made is None:
            return [], {}
        programs[size] = made
    return sizes, programs


# -------------------------------------------------------------------------------------------------------------------
# Gradients of contributions as a Dask array: too many rows to be fetched, so they stay where the data are


def rows_of(found: Partial, size: int) -> np.ndarray:
    """The rows of one chunk."""
    return found.sums[0] if found.sums else np.zeros((0, size))


def score_rows(order: Order, ready: Any) -> Any:
    """The array, in chunks like the data."""
    require_dask("sg.distributed")
    import dask.array as da

    data = ready.located.data
    graph, keys, token = laid_out(order, (ready.at.value,), calls_of(data, own=False), "scores")
    name = f"scores-rows-{token}"
    graph |= {(name, k, 0): (rows_of, key, order.size) for k, key in enumerate(keys)}
    lengths = tuple([np.nan if n is None else n for n in data[0].lengths])
    return da.Array(graph, name, (lengths, (order.size,)), dtype=np.float64)
