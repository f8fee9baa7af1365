"""Linear operations in programs, on stacks of arrays; where entries of a matrix go; and pieces of NumPy source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._limits import POWER_PRODUCTS, bound
from ..core import params_in_numbers
from ..show.functions import LINEAR, index_of, written
from ..terms import Ein, Expr, Factor, One, Var, ein, evaluate, is_negative, run_each, sources
from .dialects import NUMPY
from .graph_terms import but_kinds, entries_of, identified, label_set, of_kinds, relabelled, sizes
from .survey import Unprogrammable

# --------------------------------------- Pieces of NumPy source: axes moved to their places, numbers, powers and sums

# The idea to hold: a text is put in parentheses by whoever puts it into another, and only where it must be.


def subscripts(operands: Sequence[Sequence[int]], out: Sequence[int]) -> str:
    """What an einsum does, in its letters: each index one, in the order of the result and then of appearance."""
    letters = {k: "ijklmnpqrstuvwxyzabcdefgh"[i] for i, k in enumerate(dict.fromkeys([*out, *chain(*operands)]))}
    terms = [*operands, out]
    *inputs, result = ["".join([letters[k] for k in s]) for s in terms]
    return f"{','.join(inputs)}->{result}"


def permuted(text: str, labels: Any, order: Any) -> str:
    """An array with its axes in another order."""
    if tuple(labels) == tuple(order):
        return text
    if len(labels) == 2:
        return f"{atom(text)}.T"
    return f"{atom(text)}.transpose({tuple([labels.index(k) for k in order])})"


def align(text: str, labels: Any, rank: int) -> str:
    """An array with its axes where its labels say among ``rank`` axes, of size 1 where it has none."""
    if not labels:
        return text
    order = tuple(sorted(labels))
    text = permuted(text, labels, order)
    if order == tuple(range(rank - len(order), rank)):
        return text
    where = ", ".join([":" if k in order else "None" for k in range(order[0], rank)])
    return f"{atom(text)}[{where}]"


def spread(text: str, labels: Sequence[int], term: Any) -> str:
    """An array with these of a term's axes, in the term's shape."""
    if len(labels) == term.rank:
        return text
    return f"np.broadcast_to({align(f'({text})', labels, term.rank)}, {sizes(term.shape)})"


def atom(text: str) -> str:
    """A text that can be indexed and called: in parentheses if it must be."""
    return (
        text
        if text.replace("_", "").replace(".", "").isalnum() or (text.endswith((")", "]")) and closed(text))
        else f"({text})"
    )


def closed(text: str) -> bool:
    """Whether a text that ends in a bracket is one call, index or pair of parentheses."""
    depth = 0
    for i, c in enumerate(text):
        depth += c in "([{"
        depth -= c in ")]}"
        if depth == 0 and c in " +-*/@<>=&|" and i < len(text) - 1:
            return False
    return True


def bare(text: str) -> str:
    """A text without the parentheses around all of it."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1] if i == len(text) - 1 > 0 else text
    return text


def number(value: Any) -> str:
    """A number as source."""
    if isinstance(value, Fraction):
        return repr(value.numerator / value.denominator) if value.denominator != 1 else str(value.numerator)
    if isinstance(value, complex):
        raise Unprogrammable("there are complex numbers")
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def power(text: str, exponent: Any) -> str:
    """A power as NumPy's quickest operation for it."""
    base = atom(text)
    if exponent == Fraction(1, 2):
        return f"np.sqrt({text})"
    if exponent == Fraction(-1, 2):
        return f"1 / np.sqrt({text})"
    if exponent == -1:
        return f"1 / {base}"
    if exponent == 2:
        return f"np.square({text})"
    if isinstance(exponent, int) and 3 <= exponent <= POWER_PRODUCTS and base.replace("_", "").isalnum():
        squares = {3: "{0} * {0} * {0}", 4: "np.square(np.square({0}))", 5: "np.square(np.square({0})) * {0}",
                   6: "np.square({0} * {0} * {0})", 7: "np.square({0} * {0} * {0}) * {0}",
                   8: "np.square(np.square(np.square({0})))"}  # fmt: skip
        return squares[exponent].format(base)
    if isinstance(exponent, int) and -POWER_PRODUCTS <= exponent <= -2 and base.replace("_", "").isalnum():
        return f"1 / ({power(text, -exponent)})"
    if exponent in (Fraction(3, 2), Fraction(-3, 2)) and base.replace("_", "").isalnum():
        return f"{base} * np.sqrt({base})" if exponent > 0 else f"1 / ({base} * np.sqrt({base}))"
    text = number(exponent)
    return f"{base} ** ({text})" if text.startswith("-") else f"{base} ** {text}"


def by_powers(base: str, exponent: Any, known: dict[Any, str]) -> str:
    """A power from others of the same array that are known by name, where that takes less; nothing where it does not.

    What is infinite or no number stays so: no power of the other sign is a factor, and of negative numbers no root.
    """
    whole = isinstance(exponent, int)
    names = {e: n for e, n in known.items() if (e > 0) == (exponent > 0) and (isinstance(e, int) or not whole)}
    names |= {1: base} if exponent > 0 else {}
    for e, name in names.items():
        if exponent - e in names:
            other = names[exponent - e]
            return f"np.square({name})" if name == other else f"{name} * {other}"
    if exponent < 0 and -exponent in known:
        return f"1 / {known[-exponent]}"
    if exponent < 0 and exponent + 1 in names:
        return f"{names[exponent + 1]} / {base}"
    return ""


def scaled(coef: Any, text: str) -> str:
    """A number times an array."""
    if coef == 1:
        return text
    safe = text if closed(text) and not text.startswith("-") else f"({text})"
    return f"-{safe}" if coef == -1 else f"{number(coef)} * {safe}"


def summed(text: str, coef: Any, piece: str) -> str:
    """A sum with one more term; the first term if there is none yet."""
    piece = piece if closed(piece) else f"({piece})"
    if not text:
        return piece if coef == 1 else f"-{piece}" if coef == -1 else f"{number(coef)} * {piece}"
    sign, size = ("-", -coef) if is_negative(coef) else ("+", coef)
    return f"{text} {sign} {piece if size == 1 else f'{number(size)} * {piece}'}"


# -------------------------------------------------------------------------------------------------------------------
# Linear operations in programs: run on stacks of arrays, forwards or transposed; and which of them only move entries

# The idea to hold: an operation that moves entries (a slice, a shift, a reshape, a gather) is a map from places of its
# result to places of its operand, found by running it on the numbers of the places.


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
        return scaled(term.coef, " * ".join(names))
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
    return spread(scaled(term.coef, permuted(result, covered, inside)), inside, term)


def operation(lin: Any) -> str:
    """A linear operation as reasons call it."""
    return "an index x[…]" if lin.op.name in ("getitem", "index") else f"'{lin.op.label}'"


def _multiplied(source: Any, term: Any, lins: Any, arrays: Any) -> str:
    """The product with small linear operations as arrays, where they are not simply run on one."""
    if any(entries_of(f.shape) > _limits.LINEAR_MULTIPLIED for f, _ in lins):
        named = " and ".join(dict.fromkeys([operation(f) for f, _ in lins]))
        many = f"more than {_limits.LINEAR_MULTIPLIED:,} entries"
        raise Unprogrammable(f"a product with {named} would need a matrix of {many}")
    parts = [(str(source.constant(f)), s) for f, s in lins]
    parts += [(source.name(f), s) for f, s in arrays]
    inside = sorted({k for _, s in parts for k in s if k < term.rank})
    spec = subscripts([s for _, s in parts], inside)
    text = f"np.einsum('{spec}', {', '.join(t for t, _ in parts)}, optimize=True)"
    return spread(scaled(term.coef, text), inside, term)


def _run(source: Any, lin: Any, text: str, lead: tuple[int, ...], forward: bool) -> str:
    """A linear operation, or its transpose, on each of a stack of arrays."""
    inside, out = sizes(lin.in_shape), sizes(lin.out_shape)
    n, places, array = entries_of(inside), sources(lin), atom(text)
    if places is not None and np.array_equal(places, np.arange(n)):
        return f"{array}.reshape({(*lead, *(out if forward else inside))})"
    index = index_of(lin.op, params_in_numbers(lin.params), len(inside))
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
    if source.dialect is not NUMPY:  # what symgrad runs itself for NumPy
        return _by_constants(source, lin, array, lead, forward)
    if places is not None and not forward:
        return _added(source, places, array, lead, inside)
    source.standalone = False
    key = f"lin{len(source.space)}"
    source.space[key], source.space["_run_each"] = lin, run_each
    return f"_run_each({key}, {text}, {len(lead)}, {forward})"


def _added(source: Any, places: np.ndarray, array: str, lead: tuple[int, ...], inside: tuple[int, ...]) -> str:
    """Zeros with the entries of a stack of arrays added at places, each array by itself."""
    n, order = entries_of(inside), np.argsort(places, kind="stable")
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
    n, m = entries_of(inside), entries_of(out)
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
    name, values, adjoint = written(lin.op, params_in_numbers(lin.params), not forward)
    params, rank, row = dict(lin.op.named(values)), len(lin.in_shape), LINEAR.get(name)
    if row is None or adjoint or params.get("dims", ()) is None:  # without dims an array is rolled as one long row
        return ""

    def moved(dim: Any) -> Any:
        return tuple(map(moved, dim)) if isinstance(dim, tuple | list) else dim % rank + len(lead)

    own = {n: moved(p) if n.startswith("dim") else p for n, p in params.items()}
    return row[source.dialect.library.column].format(text, **own)


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


# -------------------------------------------------------------------------------------------------------------------
# Where the entries of a product with patterns go: its rows and columns in the matrix, as whole numbers

# The idea to hold: an identity or a moving operation makes one index a function of others. What no pattern determines
# are the free indices; on their grid the product is an ordinary array of values, and the matrix's row and column are
# known arrays of whole numbers. They depend on the structure alone, and are worked out once.


class Grid(NamedTuple):
    """A product as values on a grid: ``values`` is an atom with the grid's axes; row and column per entry, -1 where
    there is none."""

    values: Expr
    coef: Any
    rows: np.ndarray
    columns: np.ndarray


GRID_SMALL, GRID_EACH = bound(1 << 17), bound(256)
"""Entries of a grid that are few, and for each entry of the matrix: beyond both the tape is sooner done."""


class IndexSizes(dict[int, int]):
    """The sizes of indices, and how many entries their grid has at the ``most``."""

    most: int


def on_grid(builder: Any, term: Ein, q: int) -> Grid:
    """The product as values on a grid, with rows from its first ``q`` axes and columns from the others."""
    dims = IndexSizes({k: int(n) for k, n in enumerate(term.dims)})
    dims.most = min(_limits.GRID, max(GRID_SMALL, GRID_EACH * entries_of(sizes(term.shape))))
    rank = term.rank
    lins = of_kinds(term.factors, "lin")
    same = identified(term.factors, range(len(term.dims)))
    arrays = relabelled(but_kinds(term.factors, "lin", "delta", "one"), same)
    relations = relabelled(lins, same)
    determined: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}
    absent: list[tuple[tuple[int, ...], np.ndarray]] = []  # where an operation puts zeros
    for lin, s in _ordered(relations):
        _determine(lin, s, determined, absent, dims)
    free = sorted({same.get(k, k) for k in dims} - set(determined))
    arrays = [_gathered(builder, f, s, determined, dims) for f, s in arrays]
    rows_from, columns_from = [same[k] for k in range(q)], [same[k] for k in range(q, rank)]
    needed = set()
    for k in (*rows_from, *columns_from):
        needed |= set(determined[k][0]) if k in determined else {k}
    for over, _ in absent:
        needed |= set(over)
    grid = tuple([k for k in free if k in needed])
    shape = tuple([dims[k] for k in grid])
    _expect_grid(entries_of(shape), dims)
    held = label_set(arrays) | set(grid)
    loose = [(One(dims[k]), (k,)) for k in free if k not in held]  # summed over: it counts
    value = builder.atom(ein(1, [*arrays, *loose], grid, {k: dims[k] for k in grid}))
    rows = _flat(rows_from, determined, grid, dims, term.shape[:q])
    columns = _flat(columns_from, determined, grid, dims, term.shape[q:])
    for over, bad in absent:
        gone = _spread(bad, over, grid, dims)
        rows, columns = np.where(gone, -1, rows), np.where(gone, -1, columns)
    shape_of_grid = shape or (1,)
    return Grid(value, term.coef, np.broadcast_to(rows, shape_of_grid), np.broadcast_to(columns, shape_of_grid))


def _ordered(relations: list[Any]) -> list[Any]:
    """Relations in an order in which what determines an index comes before what it determines in turn."""
    rest, done = list(relations), []
    while rest:
        made = [set(s[f.out_rank :]) for f, s in rest]
        for i, (f, s) in enumerate(rest):
            if not any(set(s[: f.out_rank]) & m for j, m in enumerate(made) if j != i):
                done.append(rest.pop(i))
                break
        else:
            labels = " and ".join(dict.fromkeys([operation(f) for f, _ in rest]))
            raise Unprogrammable(f"where {labels} put entries depends on one another")
    return done


def _determine(lin: Any, s: Any, determined: Any, absent: Any, dims: IndexSizes) -> None:
    """The operand's indices of a moving operation as functions of its result's."""
    places = sources(lin)
    if places is None:
        raise Unprogrammable(f"{operation(lin)} does more than move entries")
    out_side, in_side = s[: lin.out_rank], s[lin.out_rank :]
    if set(in_side) & set(out_side):
        raise Unprogrammable(f"entries that {operation(lin)} moves are moved to where they come from")
    out_shape, in_shape = sizes(lin.out_shape), sizes(lin.in_shape)
    whole = places.reshape(out_shape)
    over: tuple[int, ...] = tuple(dict.fromkeys(out_side))
    if len(over) < len(out_side):  # a diagonal of the result
        whole = np.einsum(subscripts([out_side], over), whole)
        out_side, out_shape = over, whole.shape
    if any(k in determined for k in out_side):
        over, found = _joined(out_side, determined, dims)
        flat = np.ravel_multi_index([np.maximum(v, 0) for v in found], out_shape)
        bad = np.logical_or.reduce([v < 0 for v in found])
        whole = np.where(bad, -1, whole.reshape(-1)[flat])
    if bool((whole < 0).any()):
        absent.append((over, whole < 0))
    parts = np.unravel_index(np.maximum(whole, 0), in_shape) if in_shape else ()
    for n, part in enumerate(parts, 1):
        determined[-n] = over, np.where(whole < 0, -1, part)
    for n, k in enumerate(in_side, 1):
        found = determined.pop(-n)
        if k in determined:
            _meet(determined[k], found, determined, absent, dims)
        else:
            determined[k] = found


def _meet(known: Any, found: Any, determined: Any, absent: Any, dims: IndexSizes) -> None:
    """An index is two functions of free indices: there are entries only where both are equal."""
    over = tuple(dict.fromkeys((*known[0], *found[0])))
    if len(over) > max(len(known[0]), len(found[0])):
        if set(known[0]) & set(found[0]):
            raise Unprogrammable("entries are moved in two ways at once that have an index in common")
        _match(known, found, determined, absent, dims)
        return
    shape = tuple([dims[i] for i in over])
    mine, theirs = (np.broadcast_to(_spread(values, own, over, dims), shape) for own, values in (known, found))
    absent.append((over, mine != theirs))


def _match(one: Any, other: Any, determined: Any, absent: Any, dims: IndexSizes) -> None:
    """Free indices of two functions become functions of one new index, which counts the places where both are equal."""
    (over, f), (beside, g) = one, other
    f, g = f.reshape(-1), g.reshape(-1)
    order = np.argsort(g, kind="stable")
    first, last = (np.searchsorted(g[order], f, side) for side in ("left", "right"))
    counts = np.where(f < 0, 0, last - first)
    ends = np.cumsum(counts)
    n = int(ends[-1]) if len(ends) else 0
    _expect_grid(n, dims)
    mine = np.repeat(np.arange(len(f)), counts)
    theirs = order[np.arange(n) - np.repeat(ends - counts - first, counts)]
    new = max(dims) + 1
    dims[new] = max(n, 1)
    if not n:  # no entry at all
        mine = theirs = np.zeros(1, np.intp)
        absent.append(((new,), np.ones(1, bool)))
    places: dict[int, np.ndarray] = {}
    for own, flat in ((over, mine), (beside, theirs)):
        places.update(zip(own, np.unravel_index(flat, [dims[i] for i in own]), strict=True))
    for k, (own, values) in determined.items():
        determined[k] = _reread(own, values, places, new)
    absent[:] = [_reread(own, bad, places, new) for own, bad in absent]
    determined.update({i: ((new,), p) for i, p in places.items()})


def _reread(
    own: Any, values: np.ndarray, places: dict[int, np.ndarray], new: int
) -> tuple[tuple[int, ...], np.ndarray]:
    """A function of free indices, some of which are functions of a new one."""
    if not any(i in places for i in own):
        return own, values
    kept = [i for i in own if i not in places]
    index = []
    for axis, i in enumerate(own):
        along = places.get(i, np.arange(values.shape[axis]))
        at = 0 if i in places else 1 + kept.index(i)
        index.append(along.reshape([-1 if k == at else 1 for k in range(1 + len(kept))]))
    return (new, *kept), values[tuple(index)]


def _gathered(builder: Any, f: Expr, s: tuple[int, ...], determined: Any, dims: IndexSizes) -> Factor:
    """An array read at free indices only."""
    if not any(k in determined for k in s):
        return f, s
    if not isinstance(f, Var):
        raise Unprogrammable("a product that has no name is read where its entries were moved to")
    over, found = _joined(s, determined, dims)
    return builder.taken(f, tuple([np.maximum(v, 0) for v in found])), over


def _expect_grid(entries: int, dims: IndexSizes) -> None:
    if entries > dims.most:
        raise Unprogrammable(f"the matrix would be added up from {entries:,} entries")


def _joined(indices: Any, determined: Any, dims: IndexSizes) -> tuple[tuple[int, ...], list[np.ndarray[Any, Any]]]:
    """Indices as functions of free ones, all of the same: a free index is itself."""
    found = [determined.get(k) or ((k,), np.arange(dims[k])) for k in indices]
    over = tuple(dict.fromkeys(i for own, _ in found for i in own))
    shape = tuple([dims[i] for i in over])
    _expect_grid(entries_of(shape), dims)
    return over, [np.broadcast_to(_spread(values, own, over, dims), shape) for own, values in found]


def _spread(values: np.ndarray, over: Any, grid: Any, dims: Any) -> np.ndarray:
    order = sorted(range(len(over)), key=lambda i: grid.index(over[i]))
    values = np.transpose(values, order)
    places = [over[i] for i in order]
    return values.reshape([dims[k] if k in places else 1 for k in grid])


def _flat(indices: Any, determined: Any, grid: Any, dims: Any, shape: Any) -> np.ndarray:
    """Rows or columns in flat order, over the grid."""
    total = np.zeros((1,) * len(grid), np.int64)
    for k, n in zip(indices, shape, strict=True):
        if k in determined:
            over, values = determined[k]
            part = _spread(values, over, grid, dims)
        else:
            part = _spread(np.arange(dims[k]), (k,), grid, dims)
        total = total * int(n) + part
    return np.asarray(total)


# ----------------------------- The entries of a matrix that is filled entry by entry, and the sparse matrix they make

# The idea to hold: a matrix of second derivatives is symmetric, so an entry and its mirror image share one slot of the
# array that a program fills; a Jacobian is not. The slots depend on the structure alone, and are worked out once.


class Landing(NamedTuple):
    """Where the entries of a grid go: which of them are in the matrix, the slot of each of these and whether it counts
    once (off the diagonal), and its weight then (on the diagonal it is twice that)."""

    valid: np.ndarray
    slots: np.ndarray
    off: np.ndarray
    weight: float


class Slots:
    """The slots of a matrix that grids fill, each entry its own.

    Attributes
    ----------
    shape : of the matrix
    slots : flat places, ascending
    landings : per grid where its entries go
    """

    mirrored = False

    def __init__(self, shape: tuple[int, int], grids: Iterable[tuple[Grid, int, int, float, bool]]) -> None:
        """``grids`` come with their first row and column, their weight, and whether rows and columns are the same
        variables."""
        self.shape = shape
        found = []
        for grid, row, column, weight, same in grids:
            rows, columns = grid.rows.reshape(-1), grid.columns.reshape(-1)
            valid = (rows >= 0) & (columns >= 0)
            places, off = self._places(rows[valid] + row, columns[valid] + column)
            found.append((valid, places, off, weight / 2 if same else weight))
        self.slots: np.ndarray = distinct(
            np.concatenate([places for _, places, *_ in found] or [np.zeros(0, np.int64)])
        )
        self.landings: list[Landing] = [
            Landing(v, np.searchsorted(self.slots, places), off, w) for v, places, off, w in found
        ]

    def _places(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The flat places, and which entries count once."""
        return rows * self.shape[1] + columns, np.ones(len(rows), bool)


class Lower(Slots):
    """The slots on and below the diagonal of a symmetric matrix: an entry and its mirror image share one.

    On the diagonal an entry counts twice; off it, one of the same variables stands for two, of which each gets half.
    """

    mirrored = True

    def _places(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.maximum(rows, columns) * self.shape[1] + np.minimum(rows, columns), rows != columns


def distinct(values: np.ndarray) -> np.ndarray:
    """The different values in ascending order. (NumPy's `unique` takes ten times as long on millions of numbers.)"""
    ordered = np.sort(values)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


class Pattern:
    """Where the entries of a sparse matrix are, and which of those computed (below the diagonal, of a symmetric one)
    goes where."""

    def __init__(self, lower: Slots) -> None:
        (m, n), slots = lower.shape, lower.slots
        rows, columns = slots // n, slots % n
        off = np.flatnonzero(rows != columns) if lower.mirrored else np.zeros(0, np.intp)
        every_row = np.concatenate([rows, columns[off]])
        every_column = np.concatenate([columns, rows[off]])
        source = np.concatenate([np.arange(len(slots)), off])
        order = np.argsort(every_row * n + every_column, kind="stable")
        kind = np.int32 if max(m, n, len(order)) < 2**31 else np.int64
        self.shape: tuple[int, int] = (m, n)
        self.indices: np.ndarray = every_column[order].astype(kind)
        self.gather: np.ndarray = source[order].astype(np.intp)
        self.indptr: np.ndarray = np.concatenate([[0], np.cumsum(np.bincount(every_row, minlength=m))]).astype(kind)

    @classmethod
    def of(cls, shape: tuple[int, int], indices: np.ndarray, gather: np.ndarray, indptr: np.ndarray) -> Pattern:
        """The same from its parts."""
        self = cls.__new__(cls)
        self.shape, self.indices, self.gather, self.indptr = shape, indices, gather, indptr
        return self

    def matrix(self, data: np.ndarray) -> Any:
        """The CSR matrix with these values on and below the diagonal; its arrays are nobody else's."""
        from scipy.sparse import csr_array

        arrays = data[self.gather], self.indices.copy(), self.indptr.copy()
        found = csr_array(arrays, shape=self.shape, copy=False)
        found.has_sorted_indices = found.has_canonical_format = True
        return found
