"""Derivatives of programs: the gradient by one walk back over the definitions, its derivative by one walk forward."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._limits import bound
from .._trees import postorder
from ..calculus import (
    SYMMETRIC,
    adjoint_onto,
    apply,
    chain,
    fitting_rules,
    jacobian,
    partial,
    pullback,
    squeezed,
    unstated_conditions,
)
from ..core import TABLE
from ..terms import (
    Call,
    Data,
    Delta,
    Ein,
    Expr,
    Indices,
    Lin,
    Map,
    One,
    Var,
    add,
    ein,
    inverse,
    is_zero,
    map_,
    number,
    rebuilt,
    sources,
    zeros,
)
from .builder import Builder, collected, merged
from .graph_terms import as_product, entries_of, every_name, label_set, named, of_kinds, sizes
from .survey import Unprogrammable

# -------------------------------------------------------------------------------------------------------------------
# Terms in their stable forms: what overflows is replaced by what does not; nothing is rewritten for the eye

# The idea to hold: formulas are simplified to be read, programs to be run. Of the table of rewrites a program takes
# those that name a function known to be computed well (softplus, logsumexp, softmax, logdet), and leaves common
# factors, quotients and powers as the function has them: they are shared by name, which is worth more.


class StableForms:
    """The stable forms of terms that share much: each term's is found once.

    Attributes
    ----------
    found : the form of every term met so far, by identity
    """

    def __init__(self) -> None:
        self.found: dict[int, Expr] = {}
        self._kept: list[tuple[Expr, Expr]] = []  # an identity is a term's for as long as the term is there

    def of(self, root: Expr) -> Expr:
        """A term in stable form."""
        for term in postorder(root, known=self.found):
            if id(term) not in self.found:  # by a rule's result that has it, too
                short = self._rewritten(rebuilt(term, self.found))
                self.found[id(term)] = short
                self._kept.append((term, short))
        return self.found[id(root)]

    def _rewritten(self, term: Expr) -> Expr:
        for _ in range(_limits.REWRITES):
            better = _better(term)
            if better is None:
                return term
            term = rebuilt(better, {id(c): self.of(c) for c in better.children})  # a rule's operands may be new
        return term


def _better(term: Expr) -> Expr | None:
    """A form in which a program computes a term at all points at which it has a value; None if there is no other.

    Of a matrix that is only taken for symmetric, as that of a Cholesky factor, NumPy reads one triangle.
    """
    for _, after, asked in fitting_rules(term, "stable"):
        if all(kind != SYMMETRIC for _, kind in asked):
            return after
    for _, after, asked in fitting_rules(term, "stated"):
        if not unstated_conditions(term, asked):
            return after
    return None


# -------------------------------------------------------------------------------------------------------------------
# Entries read, or added up, at places that are found at every run: of a sort, a quantile, a running maximum

# The idea to hold: where the places are has no derivative, and once they are found, reading is linear. Its Jacobian is
# one where the place of the result is the place of the entry, ``1[p[i] = k]``, and zero elsewhere; adding up is its
# transpose. Values and gradients read and add at the places themselves, second derivatives multiply with the ones.


READ_ALONG = frozenset([
    "pick", "max_dim", "min_dim", "median_dim", "nanmedian_dim", "mode_dim", "kthvalue_dim", "topk_dim", "sort_dim",
    "cummax_dim", "cummin_dim", "gather",
])  # fmt: skip
"""Rows that read along one axis at an index of as many axes."""
READ_SLICES = frozenset(["index", "index_select", "take"])
"""Rows that read whole slices at an index, or entries of the flat array."""
ADDS = {"unpick": "pick", "index_accumulate": "index", "add_flat": "take"}
"""Rows that add up what they are given at places of zeros, and what they are the transposes of."""
INTO = {"scatter_add": "gather", "index_add": "index_select"}
"""Rows that add their second operand up at places of the first."""
FINITE = "finite"
"""Beside the edges of operations: a term that was put in order, which NaN has not."""


def selection(term: Call, i: int) -> Expr | None:
    """The Jacobian of a call in its operand ``i``, where the call reads or adds at places; None if that is not all."""
    name = term.operation
    if name in INTO:
        if i == 0:
            every = tuple(range(2 * term.rank))
            deltas = [(Delta(d), (k, term.rank + k)) for k, d in enumerate(term.shape)]
            return ein(1, deltas, every) if term.rank else number(1)
        factor = term.params[1] if name == "index_add" else 1
        ones = _ones(INTO[name], term.args[2], term.params[0], term.shape, term.args[1].shape)
        return None if ones is None else _turned(ones, term.args[1].rank, factor)
    if i != 0 or name not in READ_ALONG | READ_SLICES | ADDS.keys():
        return None
    x, places = term.args
    dim = term.params[0] if name not in ("take", "add_flat") else 0
    if name in ("index", "index_accumulate") and term.params[1] != 1:
        return None
    if name in ADDS:
        found = _ones(ADDS[name], places, dim, term.shape, x.shape)
        return None if found is None else _turned(found, x.rank)
    return _ones(name, places, dim, x.shape, term.shape)


def selection_cotangent(term: Call, i: int, g: Expr) -> Expr | None:
    """The gradient of operand ``i`` of such a call: reads add up what comes in, and what adds up reads it."""
    if selection(term, i) is None:
        return None
    name, params, shape, places = term.operation, term.params, term.args[i].shape, term.args[1]
    if name in INTO:
        read = TABLE[INTO[name]]
        found: Expr = Call(read, (g, term.args[2]), params[:1], shape) if i else g
        every = found.axes
        return ein(params[1], [(found, every)], every) if i and name == "index_add" else found
    if name in ADDS:
        others = params[:-2] if name == "unpick" else params[:-1]
    elif name in READ_ALONG:
        if name == "gather":  # of places that a user gives; others were found, and are counted from the front
            places = _counted(places, sizes(shape)[params[0]])
        name, others = "unpick", (params[0], name == "gather" or params[1], sizes(shape), False)
    elif name == "take":
        name, others = "add_flat", (sizes(shape),)
    else:
        name, others = "index_accumulate", (params[0], 1, sizes(shape))
    return Call(TABLE[ADDS[name] if term.operation in ADDS else name], (g, places), others, shape)


def reads_at_run_time(op: Any, args: list[Expr], values: list[Any], params: Any) -> bool:
    """Whether a row can read, or add up, at places that are terms of the variables."""
    if op.name not in READ_ALONG | READ_SLICES | INTO.keys() or np.asarray(values[op.places[0]]).dtype.kind not in "iu":
        return False
    term = Call(op, tuple(args), params, np.shape(op.forward(*values, *params)))
    return args[0].rank > 0 and all(selection(term, i) is not None for i in range(op.places[0]))


def _turned(ones: Expr, rank: int, factor: Any = 1) -> Expr:
    """The transpose of an array whose first axes are ``rank``."""
    every = ones.axes
    return ein(factor, [(ones, every)], (*every[rank:], *every[:rank]))


def _ones(name: str, places: Expr, dim: int, inside: Any, out: Any) -> Expr | None:
    """The array that reads ``out`` of ``inside`` at places: the axes of both, those of what is read last."""
    inside, out = sizes(inside), sizes(out)
    if name == "take":
        flat = Data(np.arange(float(entries_of(inside))).reshape(inside))
        every = tuple(range(len(out) + len(inside)))
        place = _counted(places, entries_of(inside))
        return map_(TABLE["eq"], [(place, every[: len(out)]), (flat, every[len(out) :])], (), every)
    along = tuple(range(len(out)))
    if name in READ_SLICES:
        whole = (*inside[:dim], *sizes(places.shape), *inside[dim + 1 :])
        rest = {d: d if d < dim else d - 1 + places.rank for d in range(len(inside)) if d != dim}
        labels = along[dim : dim + places.rank]
        places = _counted(places, inside[dim])
    else:
        if places.rank != len(inside) or any(n != m for d, (n, m) in enumerate(zip(places.shape, inside)) if d != dim):
            return None
        kept = len(out) == len(inside)
        whole = tuple([n for d, n in enumerate(sizes(places.shape)) if kept or d != dim])
        rest = {d: d if kept or d < dim else d - 1 for d in range(len(inside)) if d != dim}
        labels = along
        places = _counted(places, inside[dim]) if name == "gather" else places
        places = places if kept else squeezed(places, [dim])
    if whole != out:
        return None
    steps, n = Data(np.arange(float(inside[dim]))), len(out)
    own = (*labels, n + dim)
    short = tuple(range(len(own)))
    ones = map_(TABLE["eq"], [(places, short[:-1]), (steps, short[-1:])], (), short)
    deltas: list[tuple[Expr, Indices]] = [(Delta(inside[d]), (label, n + d)) for d, label in rest.items()]
    return ein(1, [(ones, own), *deltas], tuple(range(n + len(inside))))


def _counted(places: Expr, n: int) -> Expr:
    """Places counted from the front: what is read there of the numbers from 0 to n, which have no place beyond."""
    return Call(TABLE["take"], (Data(np.arange(float(n))), places), (), places.shape)


# -------------------------------------------- Jacobians that only programs want: in a formula they would be no answer

# The idea to hold: a decomposition has a differential that is made of products, so a program can go through it in both
# directions. Source: Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, equation 8.


def _cholesky(term: Call) -> list[Expr] | None:
    """dL = L Φ(L⁻¹ dA L⁻ᵀ), where Φ takes the lower triangle and half the diagonal; dA is read as symmetric."""
    if term.rank != 2 or any(term.params):
        return None
    n = int(term.shape[0])
    half = Data(np.tril(np.ones((n, n))) - 0.5 * np.eye(n))
    inner = inverse(term)
    return [
        ein(0.5, [(term, (0, 4)), (half, (4, 1)), (inner, (4, k)), (inner, (1, m))], (0, 1, 2, 3))
        for k, m in ((2, 3), (3, 2))
    ]


def _length(x: Expr, dim: int) -> int:
    """How long an axis is, of which a square of constants is formed."""
    n = int(x.shape[dim])
    if n * n > _limits.CONSTANT_FORMED:
        raise Unprogrammable(f"a constant array of {n:,} × {n:,} would be formed")
    return n


def _without_each(x: Expr, dim: int) -> Expr:
    """Copies of an array along a new last axis: in the k-th the entries k along ``dim`` are one."""
    n, rank = _length(x, dim), x.rank
    one = Data(np.eye(n, dtype=bool)), (dim, rank)
    every = tuple(range(rank + 1))
    return map_(TABLE["where"], [one, (number(1), ()), (x, every[:-1])], (), every)


def _line_by_line(rate: Expr, x: Expr, dim: int) -> list[Expr]:
    """The Jacobian of what works along ``dim``: ``rate`` has the axes of the result, and last that of ``dim``."""
    n = rate.rank - 1
    others = [d for d in range(x.rank) if d != dim]
    own = others if n == x.rank else range(n)  # the result's axes that these are: it may lack ``dim``
    deltas = [(Delta(x.shape[d]), (k, n + d)) for d, k in zip(others, own, strict=True)]
    return [ein(1, [(rate, (*range(n), n + dim)), *deltas], tuple(range(n + x.rank)))]


def _cumprod(term: Call) -> list[Expr] | None:
    """The product of all up to here but one: no quotient, so zeros are no special case."""
    (x,), dim, n = term.args, term.params[0], term.rank
    if not n:
        return None
    each = Call(term.op, (_without_each(x, dim),), (dim,), (*x.shape, x.shape[dim]))
    every = tuple(range(n + 1))
    rate = ein(1, [(each, every), (Data(np.tri(_length(x, dim))), (dim, n))], every)
    return _line_by_line(rate, x, dim)


def _prod_dim(term: Call) -> list[Expr] | None:
    """The product of all the others."""
    (x,), (dims, keepdim) = term.args, term.params
    if len(dims) != 1 or keepdim or not x.rank:
        return None
    (dim,) = dims
    rate = Call(term.op, (_without_each(x, dim),), (dims, False), (*term.shape, x.shape[dim]))
    return _line_by_line(rate, x, dim)


def _logcumsumexp(term: Call) -> list[Expr] | None:
    """exp(x[k] − y[i]) for k up to i."""
    (x,), dim, n = term.args, term.params[0], term.rank
    if not n:
        return None
    every = tuple(range(n + 1))
    before = np.tri(_length(x, dim))
    apart = add([(1, x, tuple([n if d == dim else d for d in range(n)])), (-1, term, every[:-1])], every)
    apart = map_(TABLE["where"], [(Data(before > 0), (dim, n)), (apart, every), (number(0), ())], (), every)
    rate = ein(1, [(map_(TABLE["exp"], [(apart, every)], (), every), every), (Data(before), (dim, n))], every)
    return _line_by_line(rate, x, dim)


def _sinc(term: Call) -> list[Expr]:
    """(cos(πx) − sinc(x))/x, and near 0, where that has no digits, its power series."""
    x, shape, every = term.args[0], term.shape, term.axes
    small = apply("lt", shape, apply("abs", shape, x), number(0.3))
    near, far = apply("where", shape, small, x, number(0)), apply("where", shape, small, number(1), x)
    square = ein(1, [(near, every), (near, every)], every)
    series = ein(0, [(square, every)], every)
    for k in range(11, 0, -1):
        one = (-1) ** k * 2 * k * math.pi ** (2 * k) / math.factorial(2 * k + 1)
        series = add([(1, ein(1, [(series, every), (square, every)], every), every), (1, number(one), ())], every)
    turned = apply("cos", shape, ein(math.pi, [(far, every)], every))
    above = add([(1, turned, every), (-1, apply("sinc", shape, far), every)], every)
    quotient = ein(1, [(above, every), (apply("reciprocal", shape, far), every)], every)
    slope = apply("where", shape, small, ein(1, [(series, every), (near, every)], every), quotient)
    n = term.rank
    deltas = [(Delta(d), (k, n + k)) for k, d in enumerate(shape)]
    return [ein(1, [(slope, every), *deltas], tuple(range(2 * n)))]


DIFFERENTIALS: dict[str, Any] = {
    "linalg_cholesky": _cholesky, "cumprod": _cumprod, "prod_dim": _prod_dim, "logcumsumexp": _logcumsumexp,
    "sinc": _sinc,
}  # fmt: skip
"""The Jacobian of a row in its operand."""


def slopes(term: Call, i: int, values: Any) -> list[Expr]:
    """The Jacobian of a call in its operand ``i``: terms that are better not added up."""
    if i in term.op.places or term.op.kind == "constant":
        return []
    rule = DIFFERENTIALS.get(term.operation)
    found: list[Expr] | None = rule(term) if rule is not None else None
    if found is not None:
        return found
    read = selection(term, i)
    return [jacobian(term, i, values) if read is None else read]


def operand_cotangent(term: Call, i: int, g: Expr, values: Any) -> Expr:
    """The gradient of operand ``i`` of a call under the incoming gradient ``g``."""
    if i in term.op.places or term.op.kind == "constant":
        return zeros(term.args[i].shape)
    rule = DIFFERENTIALS.get(term.operation)
    found = rule(term) if rule is not None else None
    if found is None:
        read = selection_cotangent(term, i, g)
        return pullback(term, i, g, values) if read is None else read
    n, rank = term.rank, term.args[i].rank
    inside, every = tuple(range(n, n + rank)), tuple(range(rank))
    parts = [ein(1, [(j, (*range(n), *inside)), (g, tuple(range(n)))], inside) for j in found]
    return add([(1, part, every) for part in parts], every)


# ----------------------------------------------- Parts of a packed variable, differentiated as variables of their own

# The idea to hold: a function that takes ``W = x[:160].reshape(10, 16)`` and ``b = x[160:]`` of a flat ``x`` is one of
# W and b. What it has in second derivatives are blocks of two parts each, at the parts' places in the matrix; so no
# array on the way has an axis of all of ``x``, most of which would be zeros. A few single entries of it are parts, too.
# What else is done with ``x`` (a penalty on all of it, many single entries) is one more part: ``x`` itself.


class VariablePart(NamedTuple):
    """What second derivatives are taken in: the name ``var``, which is the variable numbered ``variable`` from its
    entry number ``start`` on; ``others`` are the names of its other parts, if it is the variable itself."""

    var: Var
    variable: int
    start: int
    others: tuple[str, ...] = ()


def parts_of(builder: Builder, root: Expr, variables: list[Var]) -> list[VariablePart]:
    """The parts of variables: those that are read as pieces of memory which do not overlap; else the variables."""
    found: list[VariablePart] = []
    users = _users(builder)
    for k, x in enumerate(variables):
        parts, direct = _read(builder, users, x, k)
        direct = direct or x.name in every_name(root)
        few = [p for p in parts if entries_of(p.var.shape) == 1]
        if few and not (_are_apart(parts) and _are_worth(builder, len(few))):
            parts, direct = [p for p in parts if p not in few], True
        apart = _are_apart(parts)
        again = direct and any(sizes(p.var.shape) == sizes(x.shape) for p in parts)  # x by another name
        if not apart or again or len(parts) + direct < 2:
            found.append(VariablePart(x, k, 0))
            continue
        found += [VariablePart(x, k, 0, tuple([p.var.name for p in parts]))] if direct else []
        found += parts
    return found


def _users(builder: Builder) -> dict[str, list[Var]]:
    """Per name the definitions that it stands in."""
    users: dict[str, list[Var]] = {}
    for var in builder.names:
        for name in dict.fromkeys(every_name(builder.terms[var.name])):
            users.setdefault(name, []).append(var)
    return users


def _read(builder: Builder, users: dict[str, list[Var]], x: Var, k: int) -> tuple[list[VariablePart], bool]:
    """The definitions that are pieces of a variable's memory, in order, and whether it stands in others, too."""
    found, direct = [], False
    for var in users.get(x.name, []):
        start = _start(builder.terms[var.name], x)
        if start is None:
            direct = True
            continue
        while len(users.get(var.name, [])) == 1:  # a slice that is only there to be reshaped
            (user,) = users[var.name]
            if _start(builder.terms[user.name], var) != 0 or entries_of(user.shape) != entries_of(var.shape):
                break
            var = user
        found.append(VariablePart(var, k, start))
    return sorted(found, key=lambda p: p.start), direct


def _are_apart(parts: list[VariablePart]) -> bool:
    """Whether no two parts, in their order, have an entry in common."""
    return all(p.start + entries_of(p.var.shape) <= other.start for p, other in pairwise(parts))


def _are_worth(builder: Builder, count: int) -> bool:
    """Whether so many single entries are parts of their own: then there are as many arrays for one with another axis,
    which pays where the arrays are long and the lines are few."""
    long, lines = [v for v in builder.names if entries_of(v.shape) > _limits.SINGLES], len(builder.names)
    return count <= _limits.SINGLES and 3 * len(long) > lines and count * lines <= _limits.SINGLES_LINES


def _start(term: Any, x: Var) -> int | None:
    """Where the piece of memory starts that a definition reads of an array; None if that is not what it is."""
    if not isinstance(term, Ein) or term.coef != 1 or len(term.factors) != 2:
        return None
    lins = of_kinds(term.factors, "lin")
    arrays = [(f, s) for f, s in term.factors if f is x]
    if not lins or not arrays:
        return None
    (lin, labels), (_, inside) = lins[0], arrays[0]
    if labels != (*range(term.rank), *inside) or sizes(lin.out_shape) != sizes(term.shape):
        return None
    return _first_of_run(lin)


def _first_of_run(lin: Lin) -> int | None:
    """Where an operation's results begin that are one run of its operand's entries; None if that is not what it is."""
    places = sources(lin)
    if places is None or not len(places) or places[0] < 0 or bool((np.diff(places) != 1).any()):
        return None
    return int(places[0])


# ------------------- Parts of a flat variable: blocks of the matrix in the place of products with slices and reshapes

# The idea to hold: the function may take ``w = x[:1000].reshape(50, 20)`` of a flat ``x``. A derivative in w is then a
# product with the array of that slice; read as a block of the matrix, at the slice's place and in the slice's shape,
# the product needs no such array.


Range = tuple[int, tuple[int, ...]]
"""Where a part starts in its variable, and the shape it has."""


def stripped(term: Ein, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[Range, Range, Ein]:
    """A product with axes of two variables as one of parts of them: the parts, and the product without their slices."""
    q = len(shapes[0])
    sides = [tuple(range(q)), tuple(range(q, term.rank))]
    parts = [_part(term, side) for side in sides]
    if parts[0] is None and parts[1] is None:
        return (0, shapes[0]), (0, shapes[1]), term
    gone = [k for p in parts if p is not None for k in p[0]]
    rest = [(f, s) for k, (f, s) in enumerate(term.factors) if k not in gone]
    dims = dict(enumerate(term.dims))
    labels: list[tuple[int, ...]] = []
    ranges: list[Range] = []
    for part, side, shape in zip(parts, sides, shapes, strict=True):
        labels.append(side if part is None else part[1])
        ranges.append((0, shape) if part is None else part[2])
    fresh = max(dims, default=-1) + 1
    columns = []
    for k in labels[1]:
        if k in labels[0]:  # both parts are read at one index: their diagonal
            rest.append((Delta(int(dims[k])), (k, fresh)))
            dims[fresh] = dims[k]
            columns.append(fresh)
            fresh += 1
        else:
            columns.append(k)
    out = (*labels[0], *columns)
    return ranges[0], ranges[1], as_product(ein(term.coef, rest, out, {k: dims[k] for k in out}))


def _part(term: Ein, side: tuple[int, ...]) -> tuple[list[int], tuple[int, ...], Range] | None:
    """The slices and reshapes that all indices of a side go into, one after the other: their places, the last one's own
    indices, and the range."""
    places: list[int] = []
    start = 0
    shape: tuple[int, ...] = ()
    while True:
        found = _step(term, side, places)
        if found is None:
            return (places, side, (start, shape)) if places else None
        place, side, (first, shape) = found
        places.append(place)
        start += first


def _step(term: Ein, side: tuple[int, ...], taken: list[int]) -> tuple[int, tuple[int, ...], Range] | None:
    if not side:
        return None
    users = [(k, f, s) for k, (f, s) in enumerate(term.factors) if k not in taken and set(s) & set(side)]
    if len(users) != 1 or users[0][1].kind != "lin":
        return None
    place, lin, s = users[0]
    out, inside = s[: lin.out_rank], s[lin.out_rank :]
    if inside != side or len(set(out)) < len(out) or set(out) & set(range(term.rank)):
        return None
    first = _first_of_run(lin)
    return None if first is None else (place, out, (first, sizes(lin.out_shape)))


# -------------------------------------------------------------------------------------------------------------------
# Derivatives of programs: the gradient by one walk back over the definitions, its derivative by one walk forward

# The idea to hold: going back, every adjoint gets a name, so nothing is computed twice. Going forward, a derivative
# keeps the variable's axes as indices of its own and stays a sum of products (`builder`): an identity, a data matrix, a
# shift are carried along unmultiplied until a product needs them. That is cross-country elimination: what a Hessian
# shares in all its entries is multiplied in last.


def reaching(builder: Builder, variables: list[Var]) -> set[str]:
    """The names of all that depends on the variables."""
    live = {v.name for v in variables}
    for var in builder.names:
        if not live.isdisjoint(every_name(builder.terms[var.name])):
            live.add(var.name)
    return live


def gradients(builder: Builder, root: Expr, variables: list[Var]) -> list[Expr]:
    """The gradient of a scalar atom with respect to each variable, as atoms. Variables may be names that others are
    made of: the gradient of one goes no further than to the next."""
    return _back(builder, {}, variables, root)


def gradients_behind(builder: Builder, names: list[Var], given: list[Expr], variables: list[Var]) -> list[Expr]:
    """The gradient with respect to variables of what has given gradients with respect to names made of them."""
    start: dict[str, list[Expr]] = {}
    for var, g in zip(names, given, strict=True):
        if not is_zero(g):
            start.setdefault(var.name, []).append(g)
    return _back(builder, start, variables)


def _back(builder: Builder, parts: dict[str, list[Expr]], variables: list[Var], root: Expr | None = None) -> list[Expr]:
    """The walk back from a root, or from what is there of gradients already."""
    live = reaching(builder, variables)
    ends = {v.name for v in variables}
    order = [v for v in builder.names if v.name in live and v.name not in ends]

    def give(name: str, value: Expr) -> None:
        if not is_zero(value):
            parts.setdefault(name, []).append(value)

    if root is not None:
        _pull(builder, root, number(1), live, give)
    for var in reversed(order):
        incoming = parts.pop(var.name, None)
        if incoming:
            _pull(builder, builder.terms[var.name], _total(builder, incoming, var), live, give)
    return [_total(builder, parts[x.name], x) if parts.get(x.name) else zeros(x.shape) for x in variables]


def _require_name(f: Expr) -> None:
    """No factor may hide what depends on the variables."""
    if f.children:
        raise AssertionError(f"a product of a program holds {f!r}, which has no name")


def _total(builder: Builder, incoming: list[Expr], var: Var) -> Expr:
    every = var.axes
    return builder.atom(add([(1, t, every) for t in incoming], every, dict(enumerate(var.shape))))


def _pull(builder: Builder, term: Expr, g: Expr, live: set[str], give: Any) -> None:
    """What the adjoint ``g`` of a definition gives to the names it is made of."""
    if is_zero(g):
        return
    every = term.axes
    dims = dict(enumerate(term.shape))
    if isinstance(term, Var):
        if term.name in live:
            give(term.name, g)
    elif isinstance(term, Ein):
        for place, (f, s) in enumerate(term.factors):
            _require_name(f)
            if not (isinstance(f, Var) and f.name in live):
                continue
            rest = [(g, every), *term.factors[:place], *term.factors[place + 1 :]]
            covered = label_set(rest)
            loose = [(One(term.dims[k]), (k,)) for k in dict.fromkeys(s) if k not in covered]
            give(f.name, builder.atom(adjoint_onto(term.coef, [*rest, *loose], s, f.shape)))
    elif term.kind == "add":
        for c, t, s in term.terms:  # type: ignore[attr-defined]
            if any(n in live for n in named(t)):
                _pull(builder, t, builder.atom(adjoint_onto(c, [(g, every)], s, t.shape)), live, give)
    elif isinstance(term, Map):
        for i, (a, s) in enumerate(term.args):
            if any(n in live for n in named(a)):
                slope = builder.atom(partial(term, i))
                if not is_zero(slope):
                    whole = chain(slope, every, g, every, every, dims, term)
                    _pull(builder, a, builder.atom(adjoint_onto(1, [(whole, every)], s, a.shape)), live, give)
    elif isinstance(term, Call):
        for i, a in enumerate(term.args):
            if any(n in live for n in named(a)):
                _pull(builder, a, builder.atom(operand_cotangent(term, i, g, builder.values)), live, give)
    elif term.children:
        raise Unprogrammable(f"a term of kind {term.kind} on the way")


# --------------------------------------------------------------------------------------------------------- forwards


class _TooMany(Exception):
    """Sums of products have become too long."""


SPARSE_SUMS = bound(1 << 16)
"""Entries up to which their sums become one array then."""


class Tangents:
    """The derivatives of names with respect to one variable: sums of products, the variable's axes last.

    ``limit`` bounds what may be multiplied out on the way: entries of an intermediate array; 0, where the pattern of
    the result is wanted. Names that are ``held`` do not change with the variable.
    """

    builder: Builder
    x: Var
    limit: int
    held: tuple[str, ...]
    products: int
    most: int

    def __init__(self, builder: Builder, x: Var, limit: int, held: tuple[str, ...] = ()) -> None:
        self.builder, self.x, self.limit, self.held = builder, x, limit, held
        self.known: dict[str, list[Ein]] = {}
        size = entries_of(x.shape)
        most = max(_limits.SPARSE_PRODUCTS, _limits.SPARSE_EACH * len(builder.names))
        self.products, self.most = 0, min(most, _limits.SPARSE_LEAST + _limits.SPARSE_WORTH * size)
        self._begin()

    def _begin(self) -> None:
        n = self.x.rank
        deltas = [(Delta(d), (i, n + i)) for i, d in enumerate(self.x.shape)]
        own = as_product(ein(1, deltas, tuple(range(2 * n)))) if n else as_product(number(1))
        self.known = {self.x.name: [own], **{name: [] for name in self.held}}

    def of(self, atom: Expr) -> list[Ein]:
        """The derivative of an atom, a sum of products."""
        try:
            return self._of(atom)
        except _TooMany:
            size = entries_of(self.x.shape)
            if size > _limits.SPARSE_SMALL:
                raise Unprogrammable(f"its derivatives have more than {self.most:,} products") from None
        self.limit = SPARSE_SUMS
        self._begin()
        return self._of(atom)

    def _of(self, atom: Expr) -> list[Ein]:
        needed = self.builder.behind(named(atom)) & reaching(self.builder, [self.x])
        last = self._last(atom)
        names = self.builder.names
        place, derived, before, many = 0, 0, self.builder.steps, len(needed - self.known.keys())
        while place < len(names):  # definitions that derivatives add come after what they need, and before its users
            name = names[place].name
            if name in needed and name not in self.known:
                self.known[name] = self._derived(self.builder.terms[name], name in last)
                derived += 1
                if derived > many // 4:  # the rest of a loop goes on as this part did, to a few per cent
                    reckoned = before + (self.builder.steps - before) * many / derived
                    self.builder.require_worth(reckoned / 1.1)
            place += 1
        return self._rate(atom)

    def _rate(self, atom: Expr) -> list[Ein]:
        """The derivative of an atom from that of its name."""
        if isinstance(atom, Var):
            return self.known.get(atom.name, [])
        return self._derived(atom)

    def _last(self, atom: Expr) -> set[str]:
        """The names that are only added up to the atom: what their derivatives have is the result's, term by term."""
        todo, seen = named(atom), set()
        while todo:
            name = todo.pop()
            term = self.builder.terms.get(name)
            if name not in seen and term is not None:
                seen.add(name)
                if term.kind == "add":
                    todo += [n for _, t, _ in term.terms for n in named(t)]  # type: ignore[attr-defined]
        return seen

    def _derived(self, term: Expr, last: bool = True) -> list[Ein]:
        """The derivative of a definition (or an atom)."""
        terms = self._rough(term)
        if len(terms) < 2 or (last and len(terms) <= _limits.LAST_TERMS):
            return collected(terms)
        return merged(self.builder, terms, term.rank, self.limit)

    def _rough(self, term: Expr) -> list[Ein]:
        x, rank = self.x, term.rank
        new = tuple(range(rank, rank + x.rank))
        dims = {**dict(enumerate(term.shape)), **dict(zip(new, x.shape, strict=True))}
        out = (*range(rank), *new)
        every = tuple(range(rank))
        if isinstance(term, Var):
            return self.known.get(term.name, [])
        if isinstance(term, Ein):
            last = len(term.dims)
            far = tuple(range(last, last + x.rank))
            found = []
            for place, (f, s) in enumerate(term.factors):
                _require_name(f)
                others = [*term.factors[:place], *term.factors[place + 1 :]]
                for rate in self._rate(f) if isinstance(f, Var) else ():
                    full = {**dims, **dict(zip(far, x.shape, strict=True))}
                    found += self._product(term.coef, [*others, (rate, (*s, *far))], (*every, *far), full)
            return found
        if term.kind == "add":
            found = []
            for c, t, s in term.terms:  # type: ignore[attr-defined]
                for rate in self._rate(t):
                    found += self._product(c, [(rate, (*s, *new))], out, dims)
            return found
        if isinstance(term, Map):
            return self._map(term, every, new, out, dims)
        if isinstance(term, Call):
            return self._call(term, rank)
        if not term.children:
            return []
        raise Unprogrammable(f"a term of kind {term.kind} on the way")

    def _map(self, term: Map, every: Any, new: Any, out: Any, dims: Any) -> list[Ein]:
        found: list[Ein] = []
        for i, (a, s) in enumerate(term.args):
            rates = self._rate(a)
            if not rates:
                continue
            slope = self.builder.atom(partial(term, i))
            if is_zero(slope):
                continue
            for rate in rates:
                found += self._product(1, [(slope, every), (rate, (*s, *new))], out, dims)
        return found

    def _call(self, term: Call, n: int) -> list[Ein]:
        found: list[Ein] = []
        for i, a in enumerate(term.args):
            rates = self._rate(a)
            if not rates:
                continue
            inside = tuple(range(n, n + a.rank))
            new = tuple(range(n + a.rank, n + a.rank + self.x.rank))
            out = (*range(n), *new)
            dims = {**dict(enumerate(term.shape)), **dict(zip(new, self.x.shape, strict=True))}
            terms = [j for part in slopes(term, i, self.builder.values) for j in self.builder.structural(part)]
            for j in terms:
                for rate in rates:
                    found += self._product(1, [(j, (*range(n), *inside)), (rate, (*inside, *new))], out, dims)
        return found

    def _product(self, coef: Any, factors: list[Any], out: Any, dims: Any) -> list[Ein]:
        """One product, its factors names and patterns; nothing if it is zero."""
        self.products += 1
        self.builder.products += 1
        self.builder.require_worth(self.builder.steps)
        if not self.limit and self.products > self.most:
            raise _TooMany
        short = ein(coef, factors, out, dims)
        if is_zero(short):
            return []
        return [t for t in self.builder.structural(short) if not is_zero(t)]
