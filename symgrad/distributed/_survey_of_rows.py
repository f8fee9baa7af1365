"""A look at the data and the function before the long run: what chunks are like, and whether sums of parts are the sum.

The idea to hold: a few rows of the first, a middle and the last chunk are fetched, and the function is tried on them
here. What can be wrong is said before a cluster is busy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import SymgradError
from ..transforms._tree import unflatten
from ._chunk_sources import Chunk, Kind, read_chunk
from ._chunked_data import Parts
from ._cluster_errors import ChunkError, DistributedError, cause_of
from ._jobs import are_equal, pieces, returned
from ._own_tasks import Value, calls_of
from ._tree_sum import run_all


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
        arrays = [np.array(a if w or not a.ndim else a[:few]) for a, w in zip(found.arrays, found.whole, strict=True)]
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
        cut = [a for a, w in zip(first.arrays, first.whole, strict=True) if not w and a.ndim]
        return sum(a.nbytes for a in cut) // max(first.rows, 1) + 1

    def repeated(self, rows: int) -> list[Any]:
        """Arguments of so many rows, made of those of the sample."""
        first = self.chunks[0]
        arrays = [
            a if w or not a.ndim else np.take(a, np.arange(rows) % len(a), 0)
            for a, w in zip(first.arrays, first.whole, strict=True)
        ]
        return list(unflatten(first.spec, arrays))


def sample_of(data: list[Parts], columns: Any, client: Any, title: str) -> Sample:
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
    data: list[Parts], chosen: list[int], names: tuple[str, ...], whole: tuple[bool, ...], columns: Any, client: Any,
    title: str,
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
                    whole, *pieces = (returned(f, theta, arguments(pick(i))) for i in (together, *parts))
                    tried = True
                    apart = np.concatenate([np.ravel(p) for p in pieces])
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
    cut = [not w and bool(a.ndim) for a, w in zip(first.arrays, first.whole, strict=True)]
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
            taken = [a[rows] if c else a for a, c in zip(columns, cut, strict=True)]
            return list(unflatten(first.spec, taken))

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
        yield many, _cut_at(many, pieces(len(many)))


def _cut_at(rows: np.ndarray, ends: Any) -> list[np.ndarray]:
    return [part for part in np.split(rows, [k for k in ends if k < len(rows)]) if len(part)]


__all__ = ["Sample", "is_vector", "require_sum", "sample_of"]
