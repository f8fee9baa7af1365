"""Linear operations in programs: run on stacks of arrays, forwards or transposed; and which of them only move entries.

The idea to hold: an operation that moves entries (a slice, a shift, a reshape, a gather) is a map from places of its
result to places of its operand, found by running it on the numbers of the places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from ..core import plain
from ..show._functions import LINEAR
from ..show._layout_lin import written
from ..show._parameters import index_of
from ..terms import evaluate, run_each
from ._source_text import align, atom, permuted, spread, subscripts, times
from ._survey import Unprogrammable
from ._terms import entries, sizes


def sources(lin: Any) -> np.ndarray | None:
    """Per place of the result the place of the operand that it takes its entry from, -1 for zeros; None if it does
    more than move entries. Both are counted in flat order."""
    if "sources" not in lin.memo:
        lin.memo["sources"] = _sources(lin)
    found: np.ndarray | None = lin.memo["sources"]
    return found


def _sources(lin: Any) -> np.ndarray | None:
    inside = sizes(lin.in_shape)
    n = entries(inside)
    run = lin.op.forward
    params = plain(lin.params)
    with np.errstate(all="ignore"):
        numbers = np.asarray(run((np.arange(n, dtype=float) + 1).reshape(inside), *params)).reshape(-1)
        probe = (np.arange(n, dtype=float) * 0.618033988749895 % 1.0 + 0.5).reshape(inside)
        seen = np.asarray(run(probe.copy(), *params)).reshape(-1)
    places = numbers.astype(np.int64) - 1
    if n == 0 or bool((places != numbers - 1).any()) or bool(((places < -1) | (places >= n)).any()):
        return None
    expected = np.where(places >= 0, probe.reshape(-1)[places], 0.0)
    return places if np.array_equal(expected, seen) else None


def applied(source: Any, term: Any, lins: Any, arrays: Any) -> str:
    """The source of one linear operation on one array."""
    if not arrays:
        return str(source.constant(term))
    used = [k for _, s in term.factors for k in s]
    if all(k < term.rank and used.count(k) == 1 for _, s in lins for k in s):  # patterns beside arrays
        names = [
            align(str(source.constant(f)) if f.kind == "lin" else source.name(f), s, term.rank)
            for f, s in (*lins, *arrays)
        ]
        return times(term.coef, " * ".join(names))
    if len(lins) != 1 or len(arrays) > 1:
        return _multiplied(source, term, lins, arrays)
    (lin, labels), rank = lins[0], term.rank
    array, s = arrays[0]
    out_side, in_side = labels[: lin.out_rank], labels[lin.out_rank :]
    forward = set(in_side) <= set(s) and not set(in_side) & set(range(rank))
    if not in_side:  # of one number: an operation on it, or the transpose on what has its result's indices
        forward = not set(out_side) & set(s)
    side, other = (in_side, out_side) if forward else (out_side, in_side)
    if not set(side) <= set(s) or any(k < rank for k in side) or len(set(s)) < len(s):
        return _multiplied(source, term, lins, arrays)
    lead = tuple([k for k in s if k not in side])
    text = permuted(source.name(array), s, (*lead, *side))
    lead_shape = tuple([int(term.dims[k]) for k in lead])
    result = _run(source, lin, text, lead_shape, forward)
    covered = (*lead, *other)
    inside = sorted(k for k in covered if k < rank)
    return spread(times(term.coef, permuted(result, covered, inside)), inside, term)


def operation(lin: Any) -> str:
    """A linear operation as reasons call it."""
    return "an index x[…]" if lin.op.name in ("getitem", "index") else f"'{lin.op.label}'"


def _multiplied(source: Any, term: Any, lins: Any, arrays: Any) -> str:
    """The product with small linear operations as arrays, where they are not simply run on one."""
    if any(entries(f.shape) > _limits.LINEAR_MULTIPLIED for f, _ in lins):
        named = " and ".join(dict.fromkeys([operation(f) for f, _ in lins]))
        many = f"more than {_limits.LINEAR_MULTIPLIED:,} entries"
        raise Unprogrammable(f"a product with {named} would need a matrix of {many}")
    parts = [(str(source.constant(f)), s) for f, s in lins]
    parts += [(source.name(f), s) for f, s in arrays]
    inside = sorted({k for _, s in parts for k in s if k < term.rank})
    spec = subscripts([s for _, s in parts], inside)
    text = f"np.einsum('{spec}', {', '.join(t for t, _ in parts)}, optimize=True)"
    return spread(times(term.coef, text), inside, term)


def _run(source: Any, lin: Any, text: str, lead: tuple[int, ...], forward: bool) -> str:
    """A linear operation, or its transpose, on each of a stack of arrays."""
    inside, out = sizes(lin.in_shape), sizes(lin.out_shape)
    n, places, array = entries(inside), sources(lin), atom(text)
    if places is not None and np.array_equal(places, np.arange(n)):
        return f"{array}.reshape({(*lead, *(out if forward else inside))})"
    index = index_of(lin.op, plain(lin.params), len(inside))
    found = (
        _row(source, lin, array, lead, forward) if index is None
        else _indexed(source, lin, index, text, lead, forward)
    )  # fmt: skip
    if found:
        return found
    if places is not None and forward and bool((places >= 0).all()):
        index = source.parameter(places)
        return f"{array}.reshape({(*lead, n)})[..., {index}].reshape({(*lead, *out)})"
    if places is not None and not forward and np.array_equal(np.sort(places), np.arange(n)):  # they change places only
        index = source.parameter(np.argsort(places))
        return f"{array}.reshape({(*lead, n)})[..., {index}].reshape({(*lead, *inside)})"
    if source.dialect.column:  # what symgrad runs itself for NumPy
        return _by_constants(source, lin, array, lead, forward)
    if places is not None and not forward:
        return _added(source, places, array, lead, inside)
    source.standalone = False
    key = f"lin{len(source.space)}"
    source.space[key], source.space["_run_each"] = lin, run_each
    return f"_run_each({key}, {text}, {len(lead)}, {forward})"


def _added(source: Any, places: np.ndarray, array: str, lead: tuple[int, ...], inside: tuple[int, ...]) -> str:
    """Zeros with the entries of a stack of arrays added at places, each array by itself."""
    n, order = entries(inside), np.argsort(places, kind="stable")
    order = order[np.searchsorted(places[order], 0) :]  # a place of -1 is none
    chosen = "" if np.array_equal(order, np.arange(len(places))) else f"[..., {source.parameter(order)}]"
    if not lead:
        flat = f"{array}.reshape(-1)" + (f"[{source.parameter(np.sort(order))}]" if len(order) < len(places) else "")
        where = source.parameter(places[places >= 0])
        return f"np.bincount({where}, {flat}, {n}).reshape({inside})"
    ordered = places[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    target = source.fresh()
    source.lines.append(f"{target} = np.zeros({(*lead, n)})")
    summed = f"np.add.reduceat({array}.reshape({(*lead, -1)}){chosen}, {source.parameter(starts)}, -1)"
    source.lines.append(f"{target}[..., {source.parameter(ordered[starts])}] = {summed}")
    return f"{target}.reshape({(*lead, *inside)})"


def _by_constants(source: Any, lin: Any, array: str, lead: tuple[int, ...], forward: bool) -> str:
    """A linear operation, or its transpose, by its places, or by its matrix where it does more than move entries."""
    inside, out, places = sizes(lin.in_shape), sizes(lin.out_shape), sources(lin)
    n, m = entries(inside), entries(out)
    if places is None:
        if n * m > _limits.LINEAR_MULTIPLIED:
            many = f"more than {_limits.LINEAR_MULTIPLIED:,} entries"
            raise Unprogrammable(f"{operation(lin)} would need a matrix of {many}")
        matrix = evaluate(lin, {}).reshape(m, n)
        name = source.parameter(matrix.T if forward else matrix)
        text = f"({array}.reshape({(*lead, n if forward else m)}) @ {name})"
        return f"{text}.reshape({(*lead, *(out if forward else inside))})"
    kept = np.flatnonzero(places >= 0)
    target = source.fresh()
    source.lines.append(f"{target} = np.zeros({(*lead, m if forward else n)})")
    there, here = source.parameter(kept), source.parameter(places[kept])
    there, here = (there, here) if forward else (here, there)
    value = f"{array}.reshape({(*lead, n if forward else m)})[..., {here}]"
    source.lines.append(f"np.add.at({target}, np.s_[..., {there}], {value})")
    return f"{target}.reshape({(*lead, *(out if forward else inside))})"


def _indexed(source: Any, lin: Any, index: tuple[Any, ...], text: str, lead: tuple[int, ...], forward: bool) -> str:
    """An index, or zeros with an array added at one; nothing where NumPy's index cannot go beside others."""
    inside = sizes(lin.in_shape)
    basic = all(i is None or i is Ellipsis or isinstance(i, int | slice) for i in index)
    vector = len(inside) == len(index) == 1 and isinstance(index[0], np.ndarray) and index[0].dtype.kind in "iu"
    if not basic and (lead or not (forward or vector)):
        return ""
    where = ", ".join([*[":" for _ in lead], *[_entry(source, i) for i in index]])
    if forward:
        return f"{atom(text)}[{where}]"
    if vector:
        place = source.parameter(np.where(index[0] < 0, index[0] + inside[0], index[0]).reshape(-1))
        return f"np.bincount({place}, ({text}).reshape(-1), {inside[0]})"
    target = source.fresh()
    source.lines.append(f"{target} = np.zeros({(*lead, *inside)})")
    source.lines.append(f"{target}[{where}] = {text}")
    return target


def _row(source: Any, lin: Any, text: str, lead: tuple[int, ...], forward: bool) -> str:
    """An operation along axes as the table that formulas print from has it; nothing if it does not."""
    name, values, adjoint = written(lin.op, plain(lin.params), not forward)
    params, rank, row = dict(lin.op.named(values)), len(lin.in_shape), LINEAR.get(name)
    if row is None or adjoint or params.get("dims", ()) is None:  # without dims an array is rolled as one long row
        return ""

    def moved(dim: Any) -> Any:
        return tuple(map(moved, dim)) if isinstance(dim, tuple | list) else dim % rank + len(lead)

    own = {n: moved(p) if n.startswith("dim") else p for n, p in params.items()}
    return row[source.dialect.column].format(text, **own)


def _entry(source: Any, i: Any) -> str:
    if i is None:
        return "None"
    if i is Ellipsis:
        return "..."
    if isinstance(i, slice):
        ends = ["" if e is None else str(int(e)) for e in (i.start, i.stop)]
        return ":".join(ends) + ("" if i.step is None else f":{int(i.step)}")
    if isinstance(i, np.ndarray):
        return str(source.parameter(i))
    return str(int(i))
