"""Which first or second derivatives can be other than zero: which entries depend on which others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, starmap
from typing import Any

import numpy as np

from ... import _limits
from ..._limits import bound
from ...core import (
    Freed,
    OutputNode,
    Tensor,
    computed,
    constants_of,
    edge,
    held_operand,
    input_gradient,
    is_leaf_node,
    params_in_numbers,
    params_of,
    reachable,
    saved_operand,
    saved_value,
    shapes_of,
    version_conflict,
)
from ..survey import Unprogrammable

# -------------------------------------------------------------------------------------------------------------------
# How the entries of an operation's operands and results are connected, as far as its row of the table says so

# The idea to hold: entrywise operations and products are labels of axes, as in einsum; of others it is known which axes
# they keep apart, whether they leave every entry in its place, and in which operands they bend.


_FUSED = {
    "addmm": ("ik", "kj", "ij"), "addmv": ("ik", "k", "i"), "addr": ("i", "j", "ij"), "baddbmm": ("bik", "bkj", "bij"),
    "addbmm": ("bik", "bkj", "ij"), "vdot": ("k", "k", ""),
}  # fmt: skip


def labels_of_axes(node: Any, shapes: list[Any], out: tuple[int, ...]) -> Any:
    """The labels of an entrywise operation's or a product's operands and result; None for other operations."""
    op, name = node.op, node.op.name
    if op.kind == "elementwise":
        return [None if s is None else range(-len(s), 0) for s in shapes], range(-len(out), 0)
    ranks = [len(s) for s in shapes]
    if op.kind != "linear" and (op.equation or "equation" in (op.meanings or ())):
        return op.labels(ranks, params_of(node))
    if name in _FUSED:
        *terms, result = _FUSED[name]
        return [*([] if len(ranks) == 2 else [result[len(result) - ranks[0] :]]), *terms], result
    if name == "kron":
        pairs = [(k, s) for k in range(-len(out), 0) for s in "ab"]
        return [[(k, s) for k in range(-r, 0)] for r, s in zip(ranks, "ab", strict=True)], pairs
    if name == "linalg_cross":
        dim = params_of(node)[0] % len(out) - len(out)
        sides = [[s if k == dim else k for k in range(-r, 0)] for r, s in zip(ranks, "ab", strict=True)]
        return sides, ["y" if k == dim else k for k in range(-len(out), 0)]
    return None


def factors(op: Any) -> bool:
    """Whether each operand is multiplied by the others, along the labels of the axes."""
    return (op.kind == "multilinear" or op.name == "einsum") and op.name != "kron"


def in_place(op: Any) -> bool:
    """Whether an operation leaves every entry in its place (or pairs real with complex numbers)."""
    return len(op.inputs) == 1 and (op.last == 0 or op.reshapes or op.name == "view_as_complex")


def apart_axes(op: Any, params: tuple[Any, ...], rank: int) -> tuple[int, ...]:
    """The axes that an operation of one operand keeps apart from each other: those along which it does not act."""
    if op.last is not None:
        return tuple(range(rank - op.last))
    if not op.along:
        return ()
    taken: set[int] = set()
    for value, meaning in zip(params, op.meanings, strict=True):
        if meaning != "option":
            dims = range(rank) if value in (None, ()) else value if isinstance(value, tuple | list) else (value,)
            taken |= {d % rank for d in dims} if rank else set()
    return tuple([k for k in range(rank) if k not in taken])


def second_order_pairs(op: Any, count: int) -> list[tuple[int, int]]:
    """The pairs of operands (or an operand with itself) in which the operation has second derivatives."""
    if op.kind == "multilinear" or op.name == "einsum":
        return list(combinations(range(count), 2))
    if op.name in _FUSED:
        return [(1, 2)]
    if op.kind == "linear" or op.affine or op.pieces:
        return []
    if op.kind != "elementwise":
        return [(i, j) for j in range(count) for i in range(j + 1)]
    asks = [set(op.inputs) if "y" in args else set(args) for args in op.rule_args]
    return [
        (i, j) for j in range(count) for i in range(j + 1) if op.inputs[j] in asks[i] and op.inputs[i] in asks[j]
    ]  # fmt: skip


# -------------------------------------------------------------------------------------------------------------------
# Which entries of the variables an array's entries depend on: matrices of truth values, and what is done with them

# The idea to hold: an operation that moves entries, adds them up or repeats them is itself such a matrix, found by
# running it on the numbers of the places; and a product or an entrywise operation is one by the labels of its axes, as
# in einsum.


class TooDense(Unprogrammable):
    """The pattern has so many entries that a sparse matrix is no use."""


def choice(places: np.ndarray, n: int) -> Any:
    """The matrix whose row k has its one entry at ``places[k]``, none where that is negative."""
    from scipy.sparse import csr_array

    places = places.reshape(-1)
    there = places >= 0
    starts = np.concatenate([[0], np.cumsum(there)])
    columns = places[there]
    return csr_array((np.ones(columns.size, bool), columns, starts), (places.size, n))


DEPENDENCE = bound(1 << 25)
"""Entries of a pattern of what depends on what: with more the dense matrix is smaller, or does not fit either."""


def pattern_product(J: Any, G: Any) -> Any:
    """Per row of ``J`` the union of the rows of ``G`` that it names."""
    _require_few(G, J.indices)
    return J @ G


def _require_few(G: Any, rows: np.ndarray) -> None:
    if int(np.diff(G.indptr)[rows].sum()) > DEPENDENCE:
        raise TooDense(f"what its entries depend on is more than {DEPENDENCE} entries")


def stacked(parts: Sequence[Any]) -> Any:
    """Rows below each other."""
    from scipy.sparse import vstack

    return parts[0] if len(parts) == 1 else vstack(list(parts), "csr")


def either(parts: Sequence[Any]) -> Any:
    """What is in one of the matrices."""
    found = parts[0]
    for G in parts[1:]:
        found = found + G
    return found


def united(G: Any, places: np.ndarray, count: int) -> Any:
    """Rows of ``G`` united: row k goes to row ``places[k]`` of ``count``."""
    return pattern_product(choice(places, count).T.tocsr(), G)


class Rows:
    """What the entries of one operand depend on: rows ``G``, and per axis of the operand a label."""

    def __init__(self, G: Any, shape: Sequence[int], labels: Sequence[Any], sizes: dict[Any, int]) -> None:
        axes = [k for k, label in enumerate(labels) if shape[k] == sizes[label]]  # others are broadcast: size 1
        self.labels: tuple[Any, ...] = tuple([labels[k] for k in axes])
        self.sizes = sizes
        self.G = G
        if len(set(self.labels)) < len(self.labels):  # a diagonal
            own = tuple(dict.fromkeys(self.labels))
            self.G = G[_numbers(self.labels, own, sizes)]
            self.labels = own

    def kept(self, labels: Sequence[Any]) -> Rows:
        """The union over all labels but these."""
        keep = tuple([label for label in labels if label in self.labels])
        if keep == self.labels:
            return self
        count = math.prod([self.sizes[label] for label in keep])
        return self._of(united(self.G, _numbers(keep, self.labels, self.sizes), count), keep)

    def over(self, labels: Sequence[Any]) -> Any:
        """A row per entry of an array with these labels."""
        rows = self.kept([label for label in labels if label in self.labels])
        if rows.labels == tuple(labels):
            return rows.G
        places = _numbers(rows.labels, labels, self.sizes)
        _require_few(rows.G, places)
        return rows.G[places]

    def _of(self, G: Any, labels: tuple[Any, ...]) -> Rows:
        new = object.__new__(Rows)
        new.G, new.labels, new.sizes = G, labels, self.sizes
        return new


def _numbers(labels: Sequence[Any], among: Sequence[Any], sizes: dict[Any, int]) -> np.ndarray:
    """Per entry of an array with labels ``among`` its flat place in one with ``labels``."""
    total = np.zeros([sizes[label] for label in among], np.int64)
    for label in labels:
        axis = list(among).index(label)
        total = total * sizes[label] + np.arange(sizes[label]).reshape([-1] + [1] * (len(among) - axis - 1))
    return total.reshape(-1)


def spread_by(constant: Any, labels: Sequence[Any], rows: Rows, result: Sequence[Any]) -> Any:
    """What the entries of a product depend on where one factor is ``constant``: only what its zeros leave.

    None where all is left, or where the labels of the constant repeat: there the labels alone say as much.
    """
    if constant is None or not np.ndim(constant) or len(set(labels)) < len(labels):
        return None
    sizes, constant = rows.sizes, np.asarray(constant)
    kept = [k for k, label in enumerate(labels) if constant.shape[k] == sizes[label]]
    mine = [labels[k] for k in kept]
    there = np.nonzero(constant.reshape([constant.shape[k] for k in kept]))
    free = [label for label in dict.fromkeys([*rows.labels, *result]) if label not in mine]
    others = math.prod([sizes[label] for label in free])
    count = len(there[0]) if there else 1
    if count == constant.size or count * others > DEPENDENCE:
        return None
    place = {label: p[:, None] for label, p in zip(mine, there, strict=True)}
    if free:
        grid = np.indices([sizes[label] for label in free]).reshape(len(free), -1)
        place.update({label: g[None, :] for label, g in zip(free, grid, strict=True)})

    def flat(wanted: Sequence[Any]) -> np.ndarray:
        total = np.zeros((count, others), np.int64)
        for label in wanted:
            total = total * sizes[label] + place[label]
        return total.reshape(-1)

    from scipy.sparse import csr_array

    shape = (math.prod([sizes[label] for label in result]), rows.G.shape[0])
    J = csr_array((np.ones(count * others, bool), (flat(result), flat(rows.labels))), shape)
    return pattern_product(J, rows.G)


def distinct(G: Any) -> Any:
    """The rows without those that are empty or there already."""
    G = G[np.diff(G.indptr) > 0]
    G.sort_indices()
    marks = np.random.default_rng(0).integers(1 << 62, size=G.shape[1], dtype=np.uint64)
    lengths = np.diff(G.indptr)
    if not lengths.size:
        return G
    mark = np.add.reduceat(marks[G.indices], G.indptr[:-1]) + lengths.astype(np.uint64)
    _, first, which = np.unique(mark, return_index=True, return_inverse=True)
    twins = G[first[which]]  # equal marks do not prove equal rows
    if np.array_equal(np.diff(twins.indptr), lengths) and np.array_equal(twins.indices, G.indices):
        return G[first]
    return G


MEETINGS = bound(1 << 28)
"""Pairs of entries that meet in such a pattern."""


def meetings(A: Any, B: Any) -> Any:
    """AᵀB as truth values."""
    from scipy.sparse import csr_array

    n, work = A.shape[1], int((np.diff(A.indptr) * np.diff(B.indptr)).sum())
    if n <= _limits.DENSE_PATTERN and work > n * n:
        return csr_array((A.astype(np.float32).toarray().T @ B.astype(np.float32).toarray()) > 0)
    if work > MEETINGS:
        raise TooDense(f"about {work} pairs of entries meet")
    return A.T.tocsr() @ B


def probed(run: Callable[[np.ndarray], Any], n: int) -> np.ndarray | None:
    """Per entry of ``run(x)`` the entry of ``x`` that it is a multiple of, -1 where it is constant; None if it is more
    than that. Found by running it on the numbers of the places, and on others to be sure: the last of them are of all
    sizes, and once more with small and large exchanged, so that a small part of another entry shows."""
    rng = np.random.default_rng(n)
    zero = run(np.zeros(n))
    kind = np.finfo(zero.dtype) if zero.dtype.kind == "f" else np.finfo(float)
    zero = np.where(np.isfinite(zero), zero, 0.0)

    def moving(x: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            out = run(x)
        return np.where(np.isfinite(out), out - zero, 0.0)  # what is infinite is a constant: a margin, say

    scale = moving(np.ones(n))
    moved = scale != 0
    counted = moving(np.arange(n) + 1.0)
    with np.errstate(all="ignore"):
        place = np.where(moved, np.rint(counted / np.where(moved, scale, 1)) - 1, -1).astype(np.int64)
    if n == 0 or bool((place >= n).any()) or bool((place[moved] < 0).any()):
        return None
    sizes = rng.uniform(-kind.maxexp / 4, kind.maxexp / 4, n)
    for exponents in (0, sizes, -sizes):
        probe = rng.uniform(0.5, 1.5, n) * 2.0**exponents
        seen = moving(probe)
        if seen[~moved].any():
            return None
        expected = probe[place[moved]]
        rounding = 32 * float(kind.eps) * (np.abs(expected) + np.abs(zero[moved] / scale[moved]))
        if not (np.abs(seen[moved] / scale[moved] - expected) <= rounding).all():
            return None
    return place


# -------------------------------------------------------------------------------------------------------------------
# Which first or second derivatives of what was recorded can be other than zero, from the structure of its graph

# The idea to hold: a walk of the graph keeps, per operation, which entries of the variables each entry of its result
# depends on: a sparse matrix of truth values, one row per entry. What is linear passes rows on; where two rows meet
# non-linearly, every pair of a column of the one and a column of the other may have a second derivative. The pattern
# never misses an entry; it may hold some that happen to be zero. It holds for every graph of the same structure with
# the same indices and masks among its parameters (also those that sorting or choosing found), whatever the other
# numbers. For first derivatives those rows are the pattern itself; there, zeros of constant factors may count too.


# ------------------------------------------------------------------------- which places an operation connects


def _forward(node: Any, live: Any, shapes: Any, starts: Any) -> Callable[[np.ndarray], Any]:
    """The operation as a function of its live operands' entries, one after the other; zeros for the others."""

    def run(x: np.ndarray) -> Any:
        operands = [np.zeros(s) for s in shapes]
        for i in node.op.places:
            operands[i] = saved_value(node, node.op.inputs[i])
        for k, i in enumerate(live):
            operands[i] = x[starts[k] : starts[k + 1]].reshape(shapes[i])
        out = computed(node.op, operands, params_of(node))
        return np.concatenate([_real(o).reshape(-1) for o in (out if node.op.outputs else (out,))])

    return run


def _real(o: Any) -> np.ndarray:
    """Real numbers that are 0 where these are, but by chance: complex ones in a mixture of their parts."""
    o = np.asarray(o)
    return o.real + np.sqrt(2) * o.imag if o.dtype.kind == "c" else np.asarray(o, float)


def _backward(node: Any, i: int, out: tuple[int, ...]) -> Callable[[np.ndarray], Any]:
    """The gradient of operand ``i``, per entry, as a function of the result's."""
    return lambda g: np.asarray(input_gradient(node, i, g.reshape(out), False)).real.reshape(-1)


def _size(variable: Any) -> int:
    if isinstance(variable, Tensor):
        return int(variable._data.size)
    if is_leaf_node(variable):
        return int(variable.data.size)
    raise Unprogrammable("a variable is no leaf")


def _refuse_hooks(node: Any) -> None:
    bag = node.meta
    if bag is not None and any((bag.tensor_hooks, bag.pre_hooks, bag.hooks, bag.packed)):
        raise Unprogrammable(f"{node.name()} has hooks, which may change the gradient")
    if type(node.saved) is Freed:
        raise node.saved.error(node)


def _constant(node: Any, i: int) -> Any:
    """The value of an operand without gradient; None if the graph does not keep it, or it was written since."""
    constant = held_operand(constants_of(node)[i])
    if constant is None:
        return saved_operand(node, i)
    value = constant._data if isinstance(constant, Tensor) else constant
    return None if isinstance(value, np.ndarray) and version_conflict(value, node.seq) is not None else value


# ---------------------------------------------------------------------------------------------- the walk


class _Walk:
    """One walk: from the results back, for shapes and what is needed; then forwards, for what depends on what.

    ``first``: the rows of the results are asked for, not where rows meet; ``constants``: zeros of constants count.
    """

    def __init__(
        self, roots: dict[Any, tuple[int, ...]], variables: Sequence[Any], first: bool = False, constants: bool = False
    ) -> None:
        self.first, self.constants = first, constants
        self.rows: dict[Any, Any] = {}
        self.shapes: dict[Any, Any] = {**roots}
        self.needed: set[Any] = {*roots} if first else set()
        self.squares: list[Any] = []
        self.pairs: list[tuple[Any, Any]] = []
        sizes = [_size(v) for v in variables]
        edges = [edge(v) if isinstance(v, Tensor) else v for v in variables]
        self.total = sum(sizes)
        start = 0
        for e, n in zip(edges, sizes, strict=True):
            _refuse_hooks(e)
            self.rows[e] = choice(np.arange(start, start + n), self.total)
            start += n
        nodes = [node for node in reachable([*roots])[0] if node not in self.rows]
        for node in nodes:
            self._back(node)
        for node in reversed(nodes):
            self._forth(node)
        for e, n in zip(edges, sizes, strict=True):
            if math.prod(self.shapes.get(e, (n,))) != n:
                raise Unprogrammable("the shape of a variable is not what its graph says")

    def _back(self, node: Any) -> None:
        if node not in self.shapes:  # only on the way to a variable
            return
        if type(node) is OutputNode:
            self.shapes[node.parents[0]] = None
            self.needed |= {node.parents[0]} if node in self.needed else set()
            return
        if node.op is None:
            self._back_of_function(node)
            return
        _refuse_hooks(node)
        live = [i for i, p in enumerate(node.parents) if p is not None]
        curved = {i for pair in self._pairs_of(node, live) for i in pair}
        for i in live:
            p = node.parents[i]
            if node in self.needed or i in curved:
                self.needed.add(p)
            if p not in self.shapes:
                self.shapes[p] = self._shape(node, i)

    def _back_of_function(self, node: Any) -> None:
        """A function that is not in the table, but linear, and that says what it connects (``connects``)."""
        if not hasattr(getattr(node, "_function", None), "connects"):
            raise Unprogrammable(f"{node.name()} is a user-defined function")
        _refuse_hooks(node)
        p = node.parents[0]
        self.needed |= {p} if node in self.needed else set()
        self.shapes.setdefault(p, tuple(node._fits[0][0]))

    def _pairs_of(self, node: Any, live: list[int]) -> list[tuple[int, int]]:
        """The pairs of operands that meet; none where only first derivatives are asked for."""
        return (
            []
            if self.first
            else [pair for pair in second_order_pairs(node.op, len(node.parents)) if set(pair) <= set(live)]
        )

    def _shape(self, node: Any, i: int) -> tuple[int, ...]:
        """The shape of operand ``i``, as the node knows it."""
        op = node.op
        if shapes_of(node):
            return tuple(map(int, shapes_of(node)[i]))
        if not op.outputs and node.fit is not None:
            return tuple(node.fit[i]) if type(node.fit) is list else tuple(node.fit[i][0])
        if op.kind == "elementwise":
            return tuple(self.shapes[node])
        zeros = list(starmap(np.zeros, node.fit)) if op.outputs else np.zeros(self.shapes[node])
        return tuple(np.shape(input_gradient(node, i, zeros, False)))

    def _forth(self, node: Any) -> None:
        if node not in self.shapes:
            return
        if type(node) is OutputNode:
            found = self.rows.get(node.parents[0])
            if found is not None:
                self.rows[node] = found[node.index]
            return
        op = node.op
        if op is None:
            p = node.parents[0]
            if node in self.needed and self.rows.get(p) is not None:
                self.rows[node] = [pattern_product(node._function.connects(node, self.shapes[p]), self.rows[p])]
            return
        live = [i for i, p in enumerate(node.parents) if p is not None and self.rows.get(p) is not None]
        if not live:
            return
        curved = self._pairs_of(node, live)
        if not curved and node not in self.needed:
            return
        shapes = [self._operand_shape(node, i) for i in range(len(node.parents))]
        outs = [tuple(f[0]) for f in node.fit] if op.outputs else [tuple(self.shapes[node])]
        labels = labels_of_axes(node, shapes, outs[0])
        if labels is not None:
            found = [self._labelled(node, live, curved, shapes, outs[0], *labels)]
        elif op.kind == "linear" or (op.affine and op.last is None):  # a rule of matrices may say more than what moves
            found = self._linear(node, live, shapes, outs) or self._mixed(node, live, curved, shapes, outs)
        else:
            found = self._mixed(node, live, curved, shapes, outs)
        if node in self.needed:
            self.rows[node] = found if op.outputs else found[0]

    def _operand_shape(self, node: Any, i: int) -> Any:
        p = node.parents[i]
        if p is not None:
            return self.shapes[p]
        if node.op.kind == "elementwise":
            return None
        if shapes_of(node):
            return tuple(map(int, shapes_of(node)[i]))
        constant = _constant(node, i)
        if constant is None:
            raise Unprogrammable(f"a large constant operand of {node.name()} is gone")
        return np.shape(constant)

    def _labelled(
        self, node: Any, live: Any, curved: Any, shapes: Any, out: Any, labels: Any, result: Any
    ) -> Any:  # fmt: skip
        """Rows of an entrywise operation or a product: by labels of the axes."""
        sizes: dict[Any, int] = {}
        known = [*zip(labels, shapes, strict=True)]
        if node.op.name != "kron":
            known.append((result, out))
        for letters, shape in known:
            for label, n in zip(letters or (), shape or (), strict=True):
                sizes[label] = n if sizes.get(label, 1) == 1 else sizes[label]
        if node.op.name == "kron":
            sizes = {label: sizes.get(label, 1) for label in result}
        rows = {i: Rows(self.rows[node.parents[i]], shapes[i], labels[i], sizes) for i in live}
        for i, j in curved:
            if i == j:
                self.squares.append(rows[i].G)
                continue
            common = [label for label in rows[i].labels if label in rows[j].labels]
            self.pairs.append((rows[i].kept(common).G, rows[j].kept(common).G))
        if node not in self.needed:
            return None
        return either([self._factor(node, i, live, rows[i], labels, result) for i in live])

    def _factor(self, node: Any, i: int, live: Any, rows: Rows, labels: Any, result: Any) -> Any:
        """What a product depends on by one factor: by the labels, or by what the zeros of a constant one leave."""
        if self.constants and factors(node.op):
            for j in range(len(labels)):
                found = None if j in live else spread_by(_constant(node, j), labels[j], rows, result)
                if found is not None:
                    return found
        return rows.over(tuple(result))

    def _linear(self, node: Any, live: Any, shapes: Any, outs: Any) -> Any:
        """Rows where entries are moved, added up or repeated; None if it is not seen to be so."""
        operands = [self.rows[node.parents[i]] for i in live]
        counts = [math.prod(s) for s in outs]
        if in_place(node.op):
            n, m = operands[0].shape[0], counts[0]
            if m >= n:
                return [operands[0][np.arange(m) * n // max(m, 1)]]
            return [united(operands[0], np.arange(n) * m // n, m)]
        if node.op.name in ("diff", "undiff"):
            numbers = np.arange(operands[0].shape[0]).reshape(shapes[0])
            dim = params_of(node)[0] % numbers.ndim
            if node.op.name == "undiff":
                numbers = np.pad(numbers, [(int(k == dim),) * 2 for k in range(numbers.ndim)], constant_values=-1)
            ends = [np.moveaxis(numbers, dim, 0)[s] for s in (slice(1, None), slice(None, -1))]
            steps = [choice(np.moveaxis(e, 0, dim), operands[0].shape[0]) for e in ends]
            return [either([pattern_product(J, operands[0]) for J in steps])]
        there = [k for k, G in enumerate(operands) if G.shape[0]]
        if 0 < len(there) <= 2:  # apart, so that neither is lost beside the other
            found = [self._moved(node, [live[k]], shapes, [operands[k]]) for k in there]
        else:
            found = [self._moved(node, live, shapes, operands)]
        if all(G is not None for G in found):
            every = either(found)
            return [every[a:b] for a, b in pairwise(np.cumsum([0, *counts]))]
        if node.op.outputs:
            return None
        parts = []
        for i, G in zip(live, operands, strict=True):
            back = probed(_backward(node, i, outs[0]), counts[0])
            if back is None:
                return None
            parts.append(united(G[back >= 0], back[back >= 0], counts[0]))
        return [either(parts)]

    def _moved(self, node: Any, live: Any, shapes: Any, operands: Any) -> Any:
        """Rows of all results where each entry is a multiple of one of the operands' at the most; None elsewhere."""
        starts = np.cumsum([0, *[G.shape[0] for G in operands]])
        place = probed(_forward(node, live, shapes, starts), int(starts[-1]))
        return None if place is None else pattern_product(choice(place, int(starts[-1])), stacked(operands))

    def _mixed(self, node: Any, live: Any, curved: Any, shapes: Any, outs: Any) -> Any:
        """Rows where everything meets everything, of a group at least."""
        shape = shapes[0]
        apart = apart_axes(node.op, params_in_numbers(params_of(node)), len(shape)) if len(shapes) == 1 else ()
        sizes = dict(enumerate(shape)) if apart else {}
        if apart:
            rows = Rows(self.rows[node.parents[0]], shape, range(len(shape)), sizes).kept(apart)
        else:
            every = stacked([self.rows[node.parents[i]] for i in live])
            rows = Rows(united(every, np.zeros(every.shape[0], np.int64), 1), (), (), sizes)
        if curved:
            self.squares.append(rows.G)
        if node not in self.needed:
            return [None]
        return [either([rows.over(self._spread(node.op, apart, shape, out, sizes))]) for out in outs]

    def _spread(self, op: Any, apart: Any, shape: Any, out: Any, sizes: dict[Any, int]) -> list[Any]:
        """Labels of a result whose groups are ``apart``."""
        if apart and op.last is None:  # along axes, which may be longer or shorter than they were, or gone
            sizes.update({k: n for k, n in enumerate(out) if k not in apart} if len(out) == len(shape) else {})
            return list(range(len(shape))) if len(out) == len(shape) else list(apart)
        rest = [f"y{k}" for k in range(len(out) - len(apart))]
        sizes.update(zip(rest, out[len(apart) :], strict=True))
        return [*apart, *rest]

    def pattern(self) -> Any:
        """The pattern as a symmetric CSR matrix."""
        from scipy.sparse import csr_array

        found = csr_array((self.total, self.total), dtype=bool)
        if self.squares:
            rows = distinct(stacked(self.squares))
            found = found + meetings(rows, rows)
        if self.pairs:
            half = meetings(stacked([a for a, _ in self.pairs]), stacked([b for _, b in self.pairs]))
            found = found + half + half.T
        found = found.tocsr()
        found.sum_duplicates()
        return found


def hessian_pattern(root: Any, variables: Sequence[Any]) -> Any:
    """Return which entries of the matrix of second derivatives can be other than zero.

    Parameters
    ----------
    root : edge of the one number that is differentiated
    variables : tensors, or edges of leaves; N entries together

    Returns
    -------
    N×N ``scipy.sparse.csr_array`` of truth values, symmetric, its indices sorted; all stored entries are true. It holds
    every entry that is not zero, at the point of the graph and wherever the same structure is recorded.

    Raises
    ------
    Unprogrammable : there is a user-defined function or a hook in the graph
    GraphFreedError : the graph was used up by a backward
    TooDense : what an operation's entries depend on has more than `DEPENDENCE` entries, or more than `MEETINGS` pairs
        of entries meet

    Notes
    -----
    Cost: linear in the entries of the dependency matrices and of the pattern. No operation is differentiated; linear
    ones are run on the numbers of their places.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> from symgrad.core import edge
    >>> x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> f = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    >>> hessian_pattern(edge(f), [x]).astype(int).toarray()
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    """
    return _Walk({root: ()}, variables).pattern()


def jacobian_pattern(
    outputs: Sequence[tuple[Any, tuple[int, ...]]], variables: Sequence[Any], constants: bool = False
) -> Any:
    """Return which first derivatives of recorded arrays can be other than zero.

    Parameters
    ----------
    outputs : per array its edge (None if it has no history) and its shape; m entries together
    variables : tensors, or edges of leaves; n entries together
    constants : whether to count zeros of constants that the variables are multiplied by. The pattern then holds for
        these constants, and what is not finite may be spread beyond it: zero times infinity is NaN

    Returns
    -------
    m×n ``scipy.sparse.csr_array`` of truth values, its indices sorted; all stored entries are true. It holds every
    entry that is not zero, as that of `hessian_pattern` does, and raises the same.

    Notes
    -----
    Cost: as `hessian_pattern`; with ``constants`` also linear in the entries of theirs that are not zero.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> from symgrad.core import edge
    >>> x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> y = x[1:] * x[:-1]
    >>> jacobian_pattern([(edge(y), (2,))], [x]).astype(int).toarray()
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    from scipy.sparse import csr_array

    walk = _Walk({e: shape for e, shape in outputs if e is not None}, variables, True, constants)
    parts = []
    for e, shape in outputs:
        rows = None if e is None else walk.rows.get(e)
        parts.append(csr_array((math.prod(shape), walk.total), dtype=bool) if rows is None else rows)
    found = csr_array(stacked(parts), copy=len(parts) == 1)
    found.sum_duplicates()
    return found
