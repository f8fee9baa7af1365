"""A surveyed graph as one term: calls taken apart, entries picked and placed, indices pushed down to what they read."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._trees import postorder
from ..calculus import LiftedOutputs, adjoint, edges_of, fill, lift, linear, matmul, run_forward, scalar
from ..core import TABLE, OutputNode, params_in_numbers, params_of, saved_values
from ..show.functions import index_of
from ..terms import (
    Add,
    Call,
    Data,
    Delta,
    Ein,
    Expr,
    Factor,
    Indices,
    Lin,
    Map,
    One,
    Var,
    add,
    connected,
    ein,
    inner_sum,
    inverse,
    map_,
    shaped,
    transposed,
    zeros,
)
from .survey import Survey, Unprogrammable

# ----------------------------- Looking at terms as programs see them: sums of products of names and constant patterns

# The idea to hold: a *name* is an array that a program computes; a *pattern* is an identity or the array of a linear
# operation, which is carried along unmultiplied. All sizes in programs are whole numbers.


PATTERNS = ("delta", "lin")
"""Kinds of the factors that are patterns."""


def entries_of(shape: Iterable[Any]) -> int:
    """How many entries an array of this shape has."""
    return math.prod(map(int, shape))


def sizes(shape: Iterable[Any]) -> tuple[int, ...]:
    """A shape as it is written out."""
    return tuple(map(int, shape))


def as_product(term: Expr) -> Ein:
    """A term as a product, of one factor if need be."""
    if isinstance(term, Ein):
        return term
    return Ein(1, ((term, term.axes),), tuple(term.shape), term.rank)


def of_kinds(factors: Iterable[Factor], *kinds: str) -> list[Any]:
    """Those of the factors that are of one of these kinds."""
    return [(f, s) for f, s in factors if f.kind in kinds]


def but_kinds(factors: Iterable[Factor], *kinds: str) -> list[Factor]:
    """The others."""
    return [(f, s) for f, s in factors if f.kind not in kinds]


def label_set(factors: Iterable[Factor]) -> set[int]:
    """The labels that factors have."""
    return {k for _, s in factors for k in s}


def relabelled(factors: Iterable[Factor], names: dict[int, int]) -> list[Factor]:
    """The factors with other labels for some."""
    return [(f, tuple([names.get(k, k) for k in s])) for f, s in factors]


def named(atom: Expr) -> list[str]:
    """The names in an atom (a name, or a number and constant patterns times some)."""
    if isinstance(atom, Var):
        return [atom.name]
    return [f.name for f, _ in atom.factors if isinstance(f, Var)] if isinstance(atom, Ein) else []


def every_name(term: Expr) -> tuple[str, ...]:
    """The names anywhere in a term."""
    known: tuple[str, ...] | None = term.memo.get("names")
    if known is None:
        known = term.memo["names"] = tuple([t.name for t in postorder(term) if isinstance(t, Var)])
    return known


def identified(factors: Iterable[Factor], every: Iterable[int]) -> dict[int, int]:
    """Per index the first of those that the identities among factors make equal to it."""
    group = {k: k for k in every}
    for f, pair in factors:
        if f.kind == "delta":
            low, high = sorted(group[k] for k in pair)
            group = {k: low if g == high else g for k, g in group.items()}
    return group


def parameters(term: Any) -> dict[str, Any]:
    """The parameters of an operation's term, by name."""
    return dict(term.op.named(params_in_numbers(term.params)))


def flops(term: Any) -> float:
    """The floating-point operations of one definition."""
    size = entries_of(term.shape)
    if term.kind == "ein":
        if of_kinds(term.factors, "lin"):  # run, not multiplied out
            return float(size + sum([entries_of(f.shape) for f, _ in term.factors if f.kind == "var"]))
        arrays = [f for f, _ in term.factors if f.kind not in ("one", "delta")]
        summed = len(term.dims) > term.rank
        return float(entries_of(term.dims) * (2 if summed and len(arrays) > 1 else 1))
    if term.kind == "add":
        return float(size * len(term.terms))
    if term.kind == "call":
        n = 1 if term.op.variadic else max([int(a.shape[-1]) for a in term.args if a.rank] or [1])
        return float(size * n)
    return float(size)


# -------------------------- An index that reads an array at pairs of places, pushed down to what the array is made of

# The idea to hold: an index is an index. What is read at (i, j) of ``x[:, None] - x`` is ``x[i] - x[j]``, and what is
# read of a sum, a product or a function of entries is the sum, the product, the function of what is read. So a function
# of all pairs of which half are wanted is the function of those pairs, whichever way it was written, and no array of
# all pairs is left to differentiate.


class Along(NamedTuple):
    """Where an axis is read: at the places of an array that has the result's axes ``labels``; ``plain`` if it is read
    from its first entry to its last along one of them."""

    labels: Indices
    places: np.ndarray
    plain: bool


def read_at(x: Expr, along: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> Expr | None:
    """The entries of a term at places (per axis an array of the result's shape), each part of the term read by itself.

    None where no two axes are read together, or where more would be computed than the whole term has entries.
    """
    if x.kind not in ("ein", "add", "map", "data") or not entries_of(shape) or entries_of(shape) > entries_of(x.shape):
        return None
    axes = tuple(starmap(_reduced, zip(along, sizes(x.shape), strict=True)))
    if not _meet(axes):
        return None
    reader = _EntriesReader(len(shape))
    term, labels = reader.read(x, axes, _limits.READ_DEPTH)
    if not reader.apart or reader.dear:
        return None
    return ein(1, [(term, labels)], tuple(range(len(shape))), dict(enumerate(shape)))


def _meet(axes: Iterable[Along]) -> bool:
    """Whether two axes are read along one of the result's."""
    every = [label for a in axes for label in a.labels]
    return len(set(every)) < len(every)


def _reduced(places: np.ndarray, n: int) -> Along:
    """An array of places without the axes along which it stays the same."""
    kept = [k for k in range(places.ndim) if not (places == places.take([0], k)).all()]
    short = places[tuple([slice(None) if k in kept else 0 for k in range(places.ndim)])]
    return Along(tuple(kept), short, len(kept) == 1 and np.array_equal(short, np.arange(n)))


class _EntriesReader:
    """Reads terms at places; ``fresh`` is the first label that is no axis of a result, and ``apart`` says whether
    anything came apart; it is ``dear`` if a product of matrices did that is better computed whole."""

    def __init__(self, fresh: int) -> None:
        self.fresh = fresh
        self.apart = self.dear = False
        self.known: dict[Any, tuple[Expr, Indices]] = {}
        self._kept: list[Any] = []  # what the ids belong to

    def read(self, x: Expr, axes: tuple[Along, ...], depth: int) -> tuple[Expr, Indices]:
        """A term at places, and the labels of its axes (ascending)."""
        key = (id(x), tuple(map(id, axes)))
        if key not in self.known:
            self._kept += [x, axes]
            self.known[key] = self._read(x, axes, depth)
        return self.known[key]

    def _read(self, x: Expr, axes: tuple[Along, ...], depth: int) -> tuple[Expr, Indices]:
        out = tuple(sorted({label for a in axes for label in a.labels}))
        dims = {label: n for a in axes for label, n in zip(a.labels, a.places.shape, strict=True)}
        if isinstance(x, Data):
            return Data(x.value[_aligned(axes, out)]), out
        if depth and _meet(axes):
            if isinstance(x, Ein):
                groups = _groups(x)
                if len(groups) > 1:
                    self.apart = True
                    self.dear = self.dear or _is_matrix_product(x, groups, entries_of(dims.values()))
                if len(groups) > 1 or (len(groups) == 1 and groups[0][0].kind in ("map", "add", "data")):
                    return self._product(x, groups, axes, out, dims, depth), out
            if isinstance(x, Add):
                self.apart = True
                parts = [(c, *self.read(t, tuple([axes[k] for k in s]), depth - 1)) for c, t, s in x.terms]
                return add(parts, out, dims), out
            if isinstance(x, Map):
                self.apart = True
                args = [self.read(a, tuple([axes[k] for k in s]), depth - 1) for a, s in x.args]
                covered = tuple([k for k in out if any(k in s for _, s in args)])
                return ein(1, [(map_(x.op, args, x.params, covered), covered)], out, dims), out
        return _taken(x, axes, out)

    def _product(
        self, x: Ein, groups: list[Factor], axes: tuple[Along, ...], out: Indices, dims: dict[int, int], depth: int
    ) -> Expr:
        """A product at places: its summed indices become axes of their own, which are read from end to end."""
        inner = []
        for n in sizes(x.dims[x.rank :]):
            inner.append(Along((self.fresh,), np.arange(n), True))
            self.fresh += 1
        whole = (*axes, *inner)
        factors: list[Any] = []
        for f, s in groups:
            if f.kind == "delta":
                i, j = (whole[k] for k in s)
                both = tuple(sorted({*i.labels, *j.labels}))
                same = np.equal(*[np.asarray(places) for places in _aligned((i, j), both)])
                if not same.any():
                    return zeros(tuple([dims[k] for k in out]))
                factors += [(f, (*i.labels, *j.labels))] if i.plain and j.plain else [(Data(same * 1.0), both)]
            elif f.kind != "one":
                factors.append(self.read(f, tuple([whole[k] for k in s]), depth - 1))
        held = label_set(factors)
        alone = {k for f, s in groups if f.kind == "one" for k in s if k >= x.rank}  # summed over: it counts
        factors += [(One(whole[k].places.size), whole[k].labels) for k in alone if whole[k].labels[0] not in held]
        return ein(x.coef, factors, out, dims)


def _groups(x: Ein) -> list[Factor]:
    """The factors of a product, a linear operation as one with what it is applied to; none if it is transposed."""
    hidden = {k for f, s in x.factors if isinstance(f, Lin) for k in s[f.out_rank :]}
    if not hidden:
        return list(x.factors)
    found = []
    for part in connected([(f, s) for f, s in x.factors], fixed=set(range(len(x.dims))) - hidden):
        if len(part) == 1:
            found += part
        elif any(k < x.rank for _, s in part for k in s if k in hidden):
            return []  # it is read from the other side
        else:
            outside = {k for _, s in x.factors for k in s if (_, s) not in part}
            kept = tuple(sorted({k for _, s in part for k in s if k < x.rank or k in outside}))
            found.append((ein(1, part, kept), kept))
    return found


def _is_matrix_product(x: Ein, groups: list[Factor], wanted: int) -> bool:
    """Whether a product is better computed whole, as one of matrices, than at as many places as are wanted."""
    summed = [k for k in range(x.rank, len(x.dims)) if sum([k in s for _, s in groups]) > 1]
    terms = entries_of(x.dims[k] for k in summed)
    whole = entries_of(x.shape)
    return bool(summed) and wanted * terms * _limits.MATRIX_FLOP > whole * (terms + _limits.MATRIX_FLOP)


def _aligned(axes: Iterable[Along], out: Indices) -> tuple[np.ndarray, ...]:
    """The places of axes as arrays that broadcast to the labels ``out``."""
    return tuple([a.places[tuple([slice(None) if k in a.labels else None for k in out])] for a in axes])


def _taken(x: Expr, axes: tuple[Along, ...], out: Indices) -> tuple[Expr, Indices]:
    """A term that stays as it is, read at places: by renaming its axes, or by one index."""
    every = [label for a in axes for label in a.labels]
    if all(a.plain for a in axes) and len(set(every)) == len(every):
        return ein(1, [(x, tuple(every))], out), out
    apart = [k for k, a in enumerate(axes) if a.plain and every.count(a.labels[0]) == 1]  # these stay slices
    arrays = [a for k, a in enumerate(axes) if k not in apart]
    together = tuple(sorted({label for a in arrays for label in a.labels}))
    places = iter(_aligned(arrays, together))
    index = [slice(None) if k in apart else next(places) for k in range(len(axes))]
    while index and isinstance(index[-1], slice):
        index.pop()
    found = np.empty(sizes(x.shape), bool)[tuple(index)].shape
    first = next(k for k in range(len(axes)) if k not in apart)
    gap = any(k in apart for k in range(first, len(index)))  # arrays with a slice between: their axes come first
    before = [] if gap else [axes[k].labels[0] for k in apart if k < first]
    after = [axes[k].labels[0] for k in apart if gap or k > first]
    labels = (*before, *together, *after)
    term = linear(TABLE["getitem"], x, (tuple(index),), found)
    return ein(1, [(term, labels)], out), out


# ------------------------ One entry of each row, as a product with zeros and ones: what a likelihood of classes reads

# The idea to hold: `p[arange(n), y]` reads along a row only. As a product with a mask and a sum along the rows it stays
# a product of rows, and its derivatives do too; as an operation on the whole array it has a Jacobian that links
# everything.


READ_BY_NUMBERS = frozenset(["gather", "index"])
"""Rows that read the entries that arrays of numbers name."""


def simpler(term: Expr, dtype: Any) -> Expr:
    """A term in which picks along rows are products with masks, reads of pairs are pushed down to what they read of,
    and differences are those of slices."""
    if not isinstance(term, Ein):
        return term
    for place, (lin, labels) in enumerate(term.factors):
        if not isinstance(lin, Lin) or not (lin.op.name == "diff" or _reads_by_numbers(lin)):
            continue
        out, inside = labels[: lin.out_rank], labels[lin.out_rank :]
        rest = [f for k, f in enumerate(term.factors) if k != place]
        mine = [f for part in connected(rest) if any(set(s) & set(inside) for _, s in part) for f in part]
        if any(k < term.rank for k in inside) or any(k < term.rank or k in out for _, s in mine for k in s):
            continue  # it is read the other way, or reads another array for each of its entries
        if len(set(inside)) < len(inside):
            continue  # it reads a diagonal matrix, of which only the diagonal is there
        x = simpler(ein(1, mine, inside, {k: term.dims[k] for k in inside}), dtype)
        if lin.op.name == "diff":
            found: Expr | None = difference(x, int(lin.params[0]))
        else:
            found = _read(lin, x, dtype)
        if found is not None:
            kept = [f for f in rest if f not in mine]
            made = ein(term.coef, [*kept, (found, out)], term.axes, dict(enumerate(term.shape)))
            return simpler(made, dtype)
    return term


def _reads_by_numbers(lin: Lin) -> bool:
    """Whether a linear operation reads the entries that arrays of numbers name."""
    if lin.op.name == "getitem":
        return any(isinstance(i, np.ndarray) for i in index_of(lin.op, params_in_numbers(lin.params)) or ())
    return lin.op.name in READ_BY_NUMBERS


def _read(lin: Lin, x: Expr, dtype: Any) -> Expr | None:
    """What a read by numbers is without reading a whole array; None where it is best left as it is."""
    inside, shape = sizes(x.shape), sizes(lin.out_shape)
    if x.kind == "var" or not entries_of(inside) or not entries_of(shape):
        return None
    places = run_forward(lin.op, [np.arange(float(entries_of(inside))).reshape(inside)], lin.params)
    along = np.unravel_index(np.asarray(places).astype(np.int64), inside)
    found = picked(x, dtype, along, shape) if lin.op.name in READ_BY_NUMBERS else None
    return read_at(x, along, shape) if found is None else found


def picked(x: Expr, dtype: Any, along: Any, shape: tuple[int, ...]) -> Expr | None:
    """The product with a mask that a read is; None where it does not read along rows."""
    inside = sizes(x.shape)
    aligned = _axes_aligned(along, inside, shape)
    rest = [k for k in range(len(inside)) if k not in aligned]
    if not aligned or not rest or entries_of(n for k, n in enumerate(shape) if k not in aligned.values()) > 1:
        return None
    mask = np.zeros(inside, dtype)
    mask[along] = 1.0
    constant = [k for k in aligned if (mask == mask.take([0], k)).all()]
    mask = mask[tuple([0 if k in constant else slice(None) for k in range(len(inside))])]
    free = iter(range(len(shape), len(shape) + len(rest)))
    labels = tuple([aligned[k] if k in aligned else next(free) for k in range(len(inside))])
    kept = tuple([label for k, label in enumerate(labels) if k not in constant])
    out = tuple(range(len(shape)))
    return ein(1, [(x, labels), (Data(mask), kept)], out, dict(enumerate(shape)))


def _axes_aligned(along: Any, inside: tuple[int, ...], shape: tuple[int, ...]) -> dict[int, int]:
    """The axes of an array that the result's axes run along, place by place."""
    pairs: dict[int, int] = {}
    for k, n in enumerate(shape):
        steps = np.arange(n).reshape([-1 if j == k else 1 for j in range(len(shape))])
        for axis, m in enumerate(inside):
            if n == m > 1 and axis not in pairs and bool((along[axis] == steps).all()):
                pairs[axis] = k
                break
    return pairs


def difference(x: Expr, dim: int) -> Expr:
    """Neighbours' differences as one slice less another: slices only move entries."""
    axis = dim % x.rank
    every = x.axes
    shape = tuple([n - (k == axis) for k, n in enumerate(x.shape)])
    parts = []
    for c, part in ((1, slice(1, None)), (-1, slice(None, -1))):
        index = tuple([part if k == axis else slice(None) for k in every])
        parts.append((c, lift(TABLE["getitem"], [x], (index,), shape), every))
    return add(parts, every)


# -------------------------------------------------------------------------------------------------------------------
# Calls that programs take apart: additions at known places, cross products, solutions of triangular systems

# The idea to hold: what is added at places is the transpose of a read at them. As such it is a pattern, which a second
# derivative goes through without being multiplied; and what is a sum of products needs no words of its own in any
# library, nor a derivative.


def _scatter_add(x: Expr, src: Expr, index: np.ndarray, dim: int) -> Expr:
    return _sum((1, x), (1, adjoint(TABLE["gather"], src, (index, dim), x.shape)))


def _index_add(x: Expr, src: Expr, index: np.ndarray, dim: int, alpha: Any) -> Expr:
    return _sum((1, x), (alpha, adjoint(TABLE["index_select"], src, (index, dim), x.shape)))


def _index_put(x: Expr, values: Expr, index: np.ndarray, dim: int, count: int, accumulate: bool) -> Expr | None:
    if not accumulate:
        return None
    read = TABLE["index"].forward(np.empty(sizes(x.shape)), index, dim, count).shape
    rest = len(read) - values.rank
    labels = [k + rest for k in range(values.rank) if values.shape[k] == read[k + rest]]
    if len(labels) < values.rank:  # an axis of one that is spread
        kept = [k for k in range(values.rank) if values.shape[k] == read[k + rest]]
        values = ein(1, [(values, values.axes)], tuple(kept))
    spread = shaped(read, 1, [(values, tuple(labels))])
    return _sum((1, x), (1, adjoint(TABLE["index"], spread, (index, dim, count), x.shape)))


def _put(x: Expr, source: Expr, index: np.ndarray, accumulate: bool) -> Expr | None:
    if not accumulate or sizes(source.shape) != index.shape:
        return None
    return _sum((1, x), (1, adjoint(TABLE["take"], source, (index,), x.shape)))


def _scatter_sum(x: Expr, src: Expr, index: np.ndarray, dim: int, mean: bool, include_self: bool) -> Expr:
    every, shape = x.axes, sizes(x.shape)
    sent = adjoint(TABLE["gather"], src, (index, dim), x.shape)
    if not include_self:
        kept = TABLE["scatter_value"].forward(np.ones(shape), index, dim, 0.0)
        x = ein(1, [(x, every), (Data(kept), every)], every)
    if not mean:
        return _sum((1, x), (1, sent))
    counts = Data(1.0 / TABLE["scatter_count"].forward(index, dim, shape, include_self))
    return ein(1, [(_sum((1, x), (1, sent)), every), (counts, every)], every)


_SIGNS = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _SIGNS[_i, _j, _k], _SIGNS[_i, _k, _j] = 1.0, -1.0


def _cross(a: Expr, b: Expr, dim: int) -> Expr | None:
    """The sum over j and k of ε[i, j, k] a[j] b[k]."""
    if a.shape != b.shape:
        return None
    out, dim = a.axes, dim % a.rank
    first, second = (tuple([n if k == dim else k for k in out]) for n in (a.rank, a.rank + 1))
    return ein(1, [(Data(_SIGNS), (dim, a.rank, a.rank + 1)), (a, first), (b, second)], out)


def _triangle(a: Expr, upper: bool, unit: bool = False) -> Expr:
    """The triangle of a matrix, with ones on the diagonal if ``unit``."""
    kept = np.tri(int(a.shape[0]), k=-1 if unit else 0)
    part = ein(1, [(a, (0, 1)), (Data(kept.T.copy() if upper else kept), (0, 1))], (0, 1))
    return _sum((1, part), (1, Delta(a.shape[0]))) if unit else part


def _solve_triangular(a: Expr, b: Expr, upper: bool, left: bool, unitriangular: bool) -> Expr | None:
    if a.rank != 2 or b.rank != 2:
        return None
    inverted = inverse(_triangle(a, upper, unitriangular))
    return matmul([inverted, b] if left else [b, inverted], b.shape)


def _cholesky_inverse(factor: Expr, upper: bool) -> Expr | None:
    if factor.rank != 2:
        return None
    inverted = inverse(_triangle(factor, upper))
    sides = ((0, 2), (1, 2)) if upper else ((2, 0), (2, 1))
    return ein(1, [(inverted, s) for s in sides], (0, 1))


def _cholesky_solve(b: Expr, factor: Expr, upper: bool) -> Expr | None:
    inverted = _cholesky_inverse(factor, upper)
    return None if inverted is None or b.rank != 2 else matmul([inverted, b], b.shape)


_AT_PLACES: dict[str, Any] = {
    "scatter_add": _scatter_add, "index_add": _index_add, "index_put": _index_put, "put": _put,
    "scatter_sum": _scatter_sum,
}  # fmt: skip
_OTHERS: dict[str, Any] = {
    "linalg_cross": _cross, "solve_triangular": _solve_triangular, "cholesky_solve": _cholesky_solve,
    "cholesky_inverse": _cholesky_inverse,
}  # fmt: skip


def taken_apart(term: Expr) -> Expr | None:
    """What a call is as a sum of products; None for a call that is none, and for any other term."""
    if not isinstance(term, Call) or not term.rank:
        return None
    found: Expr | None = None
    if term.operation in _OTHERS:
        found = _OTHERS[term.operation](*term.args, *term.params)
    elif term.operation in _AT_PLACES and isinstance(term.args[2], Data) and term.args[2].value.dtype.kind in "iu":
        found = _AT_PLACES[term.operation](*term.args[:2], term.args[2].value, *term.params)
    return found


def _sum(*parts: tuple[Any, Expr]) -> Expr:
    every = tuple(range(parts[0][1].rank))
    return add([(c, t, every) for c, t in parts], every, dict(enumerate(parts[0][1].shape)))


# -------------------------------------------------------------------------------------------------------------------
# Arrays written to in part: which entry of which term stands at each place, before any of it becomes a term

# The idea to hold: a write makes no new numbers. What is read again at the same places is the term that was written
# there, so a loop that fills an array in place has the same term as one that stacks its results.


WRITES = frozenset([
    "constant_pad", "copy_slices", "diagonal_scatter", "index_copy", "index_fill", "index_fill_tensor", "index_put",
    "masked_scatter", "put", "scatter", "scatter_value", "select_scatter", "slice_scatter",
])  # fmt: skip
"""Rows that put entries of their operands somewhere."""
READS = frozenset(["getitem", "index", "t", "transpose", "permute", "diagonal", "flip"])
"""Rows that read an array's entries, one at each place."""


class PlacedTerms:
    """An array put together of terms.

    Attributes
    ----------
    pieces : the terms
    places : per entry 1 + the number of the entry it is, counted through all pieces; 0 for a constant
    constant : the constants, where there are any besides zero
    """

    __slots__ = ("constant", "pieces", "places")

    constant: np.ndarray | None
    pieces: list[Expr]
    places: np.ndarray

    def __init__(self, pieces: list[Expr], places: np.ndarray, constant: np.ndarray | None) -> None:
        self.pieces, self.places, self.constant = pieces, places, constant

    def term(self) -> Expr:
        """The sum of the pieces, each at its places."""
        shape = self.places.shape
        every = tuple(range(len(shape)))
        parts = []
        start = 0
        flat = self.places.reshape(-1) - 1
        for piece in self.pieces:
            size = entries_of(piece.shape)
            there = np.flatnonzero((flat >= start) & (flat < start + size))
            if len(there):
                parts.append((1, _embedded(piece, flat[there] - start, there, shape), every))
            start += size
        if self.constant is not None:
            parts.append((1, Data(self.constant), every))
        return add(parts, every, dict(enumerate(shape))) if parts else zeros(shape)


def as_program_term(term: Expr, dtype: Any) -> Expr:
    """A term of a formula as programs take it: writes as sums of their pieces, picks along rows as products."""
    if isinstance(term, Ein):
        return simpler(term, dtype)
    total = taken_apart(term)
    if total is not None:
        return total
    if term.operation in WRITES:
        values = [a.value if isinstance(a, Data) else np.empty(sizes(a.shape)) for a in term.args]
        if any(not isinstance(term.args[k], Data) for k in term.op.places):
            return term
        found = placed(term.op, list(term.args), values, term.params)
        if found is not None:
            return found.term() if isinstance(found, PlacedTerms) else found
    return term


def placed(op: Any, args: list[Any], values: list[Any], params: Any) -> PlacedTerms | Expr | None:
    """What a row that only moves entries makes of terms and placed arrays; None if it does something else."""
    fixed = {k: values[k] for k in op.places}
    args, values = ([a for k, a in enumerate(row) if k not in fixed] for row in (args, values))
    shapes = [np.shape(v) for v in values]
    starts = [0, *itertools.accumulate(entries_of(s) for s in shapes)]
    numbers = np.arange(1.0, starts[-1] + 1)
    probe = numbers * 0.618033988749895 % 1.0 + 0.5

    def run(x: np.ndarray) -> Any:
        operands = [x[a:b].reshape(s) for a, b, s in zip(starts, starts[1:], shapes, strict=False)]
        for k, value in sorted(fixed.items()):
            operands.insert(k, value)
        return np.asarray(run_forward(op, operands, params))

    constant = run(np.zeros(starts[-1]))
    places = run(numbers)
    moved = np.where(places == constant, 0, places).astype(np.int64)
    if bool(((moved < 0) | (moved > starts[-1])).any()):
        return None
    if not np.array_equal(run(probe), np.where(moved > 0, np.append(probe, 0.0)[moved - 1], constant)):
        return None
    constant = np.where(moved > 0, 0.0, constant)
    return _merged(args, starts, moved, constant if constant.any() else None)


def _merged(args: list[Any], starts: list[int], places: np.ndarray, constant: Any) -> PlacedTerms | Expr:
    """Placed arrays among the operands are taken apart into their pieces."""
    pieces: list[Expr] = []
    first: dict[Expr, int] = {}
    numbers = np.zeros(starts[-1] + 1, np.int64)
    count = 0
    for x, start, stop in zip(args, starts, starts[1:], strict=False):
        inner, inside = ([x], np.arange(1, stop - start + 1)) if isinstance(x, Expr) else (
            x.pieces, x.places.reshape(-1)
        )  # fmt: skip
        renumbered = [np.zeros(1, np.int64)]
        for piece in inner:
            size = entries_of(piece.shape)
            if piece not in first:
                first[piece] = count
                pieces.append(piece)
                count += size
            renumbered.append(first[piece] + np.arange(1, size + 1))
        numbers[start + 1 : stop + 1] = np.concatenate(renumbered)[inside]
        if not isinstance(x, Expr) and x.constant is not None:
            values = np.append(0.0, np.zeros(starts[-1]))
            values[start + 1 : stop + 1] = x.constant.reshape(-1)
            constant = values[places] + (0.0 if constant is None else constant)
    return _alone(pieces, numbers[places], constant)


def _alone(pieces: list[Expr], places: np.ndarray, constant: Any) -> PlacedTerms | Expr:
    """Without pieces that are nowhere; one piece as it is, is the term itself."""
    kept, start, stop = [], 0, 0
    new = np.zeros_like(places)
    for piece in pieces:
        size = entries_of(piece.shape)
        here = (places > start) & (places <= start + size)
        if here.any():
            new[here] = places[here] - start + stop
            kept.append(piece)
            stop += size
        start += size
    alone = len(kept) == 1 and constant is None and kept[0].shape == places.shape
    if alone and np.array_equal(new.reshape(-1), np.arange(1, places.size + 1)):
        return kept[0]
    return PlacedTerms(kept, new, constant)


def _embedded(piece: Expr, source: np.ndarray, target: np.ndarray, shape: Any) -> Expr:
    """Zeros of a shape with the piece's entries at `source` put at `target` (flat places, target ascending)."""
    inside = sizes(piece.shape)
    taken, put = _box(source, inside), _box(target, shape)
    if taken is not None and put is not None and _lengths(taken) == _lengths(put):
        part = lift(TABLE["getitem"], [piece], (taken,), _lengths(taken)) if inside else piece
        return lift(TABLE["embed"], [part], (tuple(shape), put), tuple(shape)) if shape else part
    if not inside:
        part = fill(piece, (len(source),))
    else:
        part = linear(TABLE["take"], piece, (source,), (len(source),))
    return adjoint(TABLE["take"], part, (target,), tuple(shape))


def _lengths(index: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple([len(range(i.start, i.stop, i.step)) for i in index if isinstance(i, slice)])


def _box(flat: np.ndarray, shape: Any) -> tuple[Any, ...] | None:
    """Places as one index of integers and slices that reads them in order, if there is one."""
    index = []
    count = 1
    for along in np.unravel_index(flat, shape) if shape else ():
        seen = np.unique(along)
        step = int(seen[1] - seen[0]) if len(seen) > 1 else 1
        if len(seen) > 1 and bool((np.diff(seen) != step).any()):
            return None
        index.append(int(seen[0]) if len(seen) == 1 else slice(int(seen[0]), int(seen[-1]) + 1, step))
        count *= len(seen)
    if count != len(flat):
        return None
    places = np.arange(entries_of(shape)).reshape(shape)[tuple(index)]
    return tuple(index) if np.array_equal(places.reshape(-1), flat) else None


# -------------------------------------------------------------------------------------------------------------------
# A surveyed graph as one term: variables and inputs are symbols, the operations are what formulas make of them

# The idea to hold: the operations are run once more on their way to terms, so that every node has its value beside its
# term. Where a program is better off with another term than a formula, the term is changed as soon as it is there.


CHOSEN_BY_VALUE = frozenset(["max_dim", "min_dim"])
"""Rows whose term is another where several entries are equal: here they are always the operation itself."""


class Lifted:
    """The term of a surveyed graph, and the names of what it is made of.

    Attributes
    ----------
    variables : the symbols to differentiate with respect to, named x0, x1…
    point : the values of all symbols
    inputs : per symbol ('array', k) or ('scalar', k): which of the survey's it stands for
    baked : scalars that are part of the term, by number
    cuts : names of long sums, and what they are
    edges : what the operations ask of their operands
    chosen : numbers of scalars that a choice may take, or leave: they need not be finite
    fixed : the arrays among the parameters
    saved : what the tape has kept: a term, the number of the operation and the place among what it saved, the shape
    """

    survey: Survey
    free: frozenset[int]

    def __init__(self, survey: Survey, variables: list[Any], free_scalars: frozenset[int]) -> None:
        self.survey, self.free = survey, free_scalars
        self.point: dict[str, np.ndarray] = {}
        self.inputs: dict[str, tuple[str, int]] = {}
        self.baked: dict[int, Any] = {}
        self.chosen: set[int] = set()
        self.cuts: list[tuple[Var, Expr]] = []
        self.edges: list[Any] = []
        self.fixed: list[np.ndarray] = [a.copy() for a in survey.fixed]
        self.places: dict[Any, tuple[str, int]] = survey.describe()
        self.terms: dict[Any, Any] = {}
        self.placed: dict[Any, PlacedTerms] = {}
        self.numbers: dict[Any, Any] = {}
        self.saved: list[tuple[Expr, tuple[int, int], Any]] = []
        self.variables: list[Var] = list(starmap(self._variable, enumerate(variables)))

    def _variable(self, k: int, node: Any) -> Var:
        var = self._symbol(f"x{k}", node.data, ("array", k))
        self.terms[node], self.numbers[node] = var, node.data
        return var

    def _symbol(self, name: str, value: np.ndarray, place: tuple[str, int]) -> Var:
        self.point[name], self.inputs[name] = value, place
        return Var(name, value.shape)

    def root(self, edge: Any) -> Expr:
        """The term of the whole graph."""
        for k, node in enumerate(self.survey.nodes):
            if type(node) is OutputNode:
                origin = node.parents[0]
                self.terms[node] = self.terms[origin][node.index]
                self.numbers[node] = self.numbers[origin][node.index]
            else:
                self._run(node)
                self._note_saved(k, node)
        return self._term(edge)

    def _term(self, node: Any) -> Expr:
        if node not in self.terms:
            self.terms[node] = self.placed[node].term()
        return self.terms[node]

    def _run(self, node: Any) -> None:
        args, values = [], []
        moves = node.op.reshapes or node.op.name in WRITES or node.op.name in READS
        for i, p in enumerate(node.parents):
            term: Any
            if i in node.op.places:
                value = np.asarray(self.survey.place(node, i))
                term = Data(value)
            elif p is None:
                term, value = self._constant(node, i)
            elif p in self.numbers:
                term = self.placed[p] if moves and p in self.placed else self._term(p)
                value = self.numbers[p]
            else:  # a leaf of somebody else's: a constant here
                term, value = self._leaf(p)
            args.append(term)
            values.append(value)
        op = node.op
        params = params_of(node)
        if op.variadic:  # its parts are arrays
            values = [v if isinstance(v, np.ndarray) else self.survey.arrays[0].dtype.type(v) for v in values]
        result = run_forward(op, values, params)
        if op.outputs:
            results = tuple([np.asarray(r) for r in result])
            self.numbers[node] = results
            self.terms[node] = LiftedOutputs(op, args, params, [r.shape for r in results])
            return
        result = np.asarray(result)
        if result.dtype.kind not in "fb":
            raise Unprogrammable(f"{node.name()} works on {result.dtype}")
        kind = self.survey.arrays[0].dtype
        if result.dtype != kind:
            raise Unprogrammable(f"{node.name()} rounds to {result.dtype} among {kind}")
        self.numbers[node] = result
        if moves and (op.name in WRITES or type(args[0]) is PlacedTerms):
            found = placed(op, args, values, params)
            if type(found) is PlacedTerms:
                self.placed[node] = found
                return
            if found is not None:
                self.terms[node] = found
                return
            args = [a.term() if type(a) is PlacedTerms else a for a in args]
        if op.name in CHOSEN_BY_VALUE:
            self.terms[node] = Call(op, tuple(args), params, result.shape) if args[0].rank else args[0]
        else:
            lifted = lift(op, args, params, result.shape, to_run=True)
            total = taken_apart(lifted)
            whole = simpler(lifted, result.dtype) if total is None else total
            self.edges += edges_of(op, args, params, whole)
            self.terms[node] = self._cut(whole)

    def _cut(self, term: Expr) -> Expr:
        """The term, or a name for it if it is a long sum: a loop that adds to its state has sums of sums of sums, and
        one that is shared would be added up anew at each step."""
        inner = inner_sum(term)[0]
        if inner is None or len(inner.terms) < _limits.LOOP_TERMS:
            return term
        name = Var(f"sum {len(self.cuts)}", term.shape)  # no name of a user's has a blank
        self.cuts.append((name, term))
        return name

    def _note_saved(self, k: int, node: Any) -> None:
        op = node.op
        if op.variadic or op.outputs or node.saved is None:
            return
        values = saved_values(node)
        for place, name in enumerate(op.saved):
            value = values[place]
            if type(value) is not np.ndarray or value.dtype != self.survey.arrays[0].dtype:
                continue
            source = node if name == "y" else node.parents[op.inputs.index(name)] if name in op.inputs else None
            term = self.terms.get(source)
            if isinstance(term, Expr):
                self.saved.append((term, (k, place), value.shape))

    def _leaf(self, node: Any) -> tuple[Expr, Any]:
        k = next(i for i, a in enumerate(self.survey.arrays) if a is node.data)
        self.terms[node], self.numbers[node] = self._array(k), node.data
        return self.terms[node], node.data

    def _array(self, k: int) -> Expr:
        name = f"c{k}"
        return Var(name, self.point[name].shape) if name in self.point else self._symbol(
            name, self.survey.arrays[k], ("array", k)
        )  # fmt: skip

    def _constant(self, node: Any, i: int) -> tuple[Expr, Any]:
        kind, k = self.places[node, i]
        if kind == "array":
            return self._array(k), self.survey.arrays[k]
        if kind == "turned":
            return transposed(self._array(k), (1, 0)), self.survey.arrays[k].T
        value = self.survey.scalars[k]
        if node.op.name == "where" and i:
            self.chosen.add(k)
        divisor = value == 0 and i == 1 and "div" in node.op.name
        if k not in self.free and value == value and abs(value) != float("inf") and not divisor:
            term = scalar(value)
            if term is not None:
                self.baked[k] = value
                return term, value
        return self._symbol(f"s{k}", np.asarray(float(value)), ("scalar", k)), value
