"""The algorithms that stand beside the rules: what is known to `simplify` and is no pattern.

The idea to hold: an algorithm is asked as a rule is, and says what it did by an example.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from .. import _limits
from .._limits import bound
from .._trees import postorder
from ..terms import (
    Add,
    Call,
    Delta,
    Ein,
    Expr,
    Indices,
    Lin,
    Map,
    One,
    Var,
    add,
    constant_of,
    ein,
    inverse,
    is_condition,
    is_negative,
    map_,
    number,
    pow_,
    row,
    shaped,
    shaped_sum,
)
from .factor import (
    common_denominator,
    common_powers,
    expanded,
    factored,
    grouped,
    inside_product,
    multiplied_in,
    multiplied_out,
    one_diagonal,
    one_root,
    root_of_common_square,
)
from .lifting import is_product, negated
from .rational import factored_divisor, functions_of, lowest_terms, opened_polynomial, polynomial
from .rewriting import Condition, Rewrite, simplify, use

# ----- Products and sums that an algorithm shortens: deviations, inverses of products, sigmoids of opposite arguments


def uses(term: Ein, label: int) -> int:
    """How often a label occurs among the factors."""
    return sum([k == label for _, s in term.factors for k in s])


def _opposite(f: Map) -> Map:
    """σ(−u) of σ(u)."""
    u, s = f.args[0]
    every = u.axes
    return map_(f.op, [(ein(-1, [(u, every)], every), s)], (), f.axes)  # type: ignore[return-value]


def opposite_sigmoids(term: Add) -> Expr | None:
    """σ(−u) = 1 − σ(u), where σ(u) is there too and the sum gets shorter."""
    rows = [(t, s, _in_sum(t, s)) for _, t, s in term.terms]
    found = {(f, at) for *_, factors in rows for f, at in factors if f.operation == "sigmoid"}
    for f, at in sorted(found, key=lambda x: (x[0].digest, x[1])):
        if isinstance(f.args[0][0], Ein) and is_negative(f.args[0][0].coef):
            positive = _opposite(f)
            if (positive, at) in found:
                result = _one_sigmoid(term, rows, f, positive, at)
                if result.weight < term.weight:
                    return result
    return None


def _in_sum(t: Expr, s: Any) -> list[Any]:
    """The factors of an element-wise term at the sum's labels."""
    if isinstance(t, Ein):
        if len(t.dims) > t.rank:
            return []
        return [(f, tuple([s[k] for k in labels])) for f, labels in t.factors]
    return [(t, s)]


def _one_sigmoid(term: Add, rows: Any, f: Expr, positive: Expr, at: Any) -> Expr:
    """The sum with ``1 − positive`` for ``f``, what multiplies ``positive`` collected."""
    whole, dims = term.axes, dict(enumerate(term.shape))
    terms: list[Any] = []
    slopes: list[Any] = []
    for (c, t, s), (*_, factors) in zip(term.terms, rows, strict=True):
        which = next((x for x in factors if x in ((f, at), (positive, at))), None)
        if which is None:
            terms.append((c, t, s))
            continue
        rest = list(factors)
        rest.remove(which)
        left = ein(t.coef, rest, whole, dims)
        slopes.append((c if which[0] is positive else -c, left, whole))
        if which[0] is f:
            terms.append((c, left, whole))
    slope = add(slopes, whole, dims)
    return add([*terms, (1, ein(1, [(slope, whole), (positive, at)], whole, dims), whole)], whole, dims)


def sum_of_deviations(term: Ein) -> Expr | None:
    """Σ (x - m) = Σ x - n m, where that is shorter: sums of deviations from a mean vanish."""
    sums = [(f, s) for f, s in term.factors if isinstance(f, Add)]
    if len(sums) != 1 or not sums[0][1]:
        return None
    f, s = sums[0]
    summed = [k for k in s if k >= term.rank]
    spread = any(len(i) < f.rank for _, _, i in f.terms)
    inner = any(t.kind == "ein" and any(g.kind == "add" for g in t.children) for _, t, _ in f.terms)
    if not summed or any(uses(term, k) > 1 for k in summed) or not (spread or inner):
        return None
    rest = [x for x in term.factors if x[0] is not f]
    every = term.axes
    terms = []
    for c, t, i in f.terms:
        ones = [(One(f.shape[k]), (s[k],)) for k in range(f.rank) if k not in i]
        part = shaped(term.shape, term.coef, [*rest, (t, tuple([s[k] for k in i])), *ones])
        terms.append((c, simplify(part), every))  # what was declared: the entries of a one-hot row sum to one
    result = shaped_sum(term.shape, terms)
    return result if result.weight < term.weight and not has_namesakes(result) else None


def has_namesakes(root: Expr) -> bool:
    """Whether a size, that of what was constant along an axis, is called like a symbol: no reader could tell them."""
    names = [t.name for t in postorder(root) if isinstance(t, Var)]
    return len(set(names)) < len(names)


def rate_along_itself(term: Ein) -> Expr | None:
    """⟨A, L(tAᵀ, G)⟩ = ⟨A exp(tA), G⟩ for the derivative L of the exponential: a matrix commutes with its multiples."""
    for place, (f, s) in enumerate(term.factors):
        if not (f.operation == "matrix_exp_rate" and len(f.args) == 2 and f.rank == 2):
            continue
        at, g = f.args
        transposed = ein(1, [(at, (1, 0))], (0, 1))
        for beside, (a, t) in enumerate(term.factors):
            if beside == place or set(s) != set(t) or len(s) != 2 or any(k < term.rank or uses(term, k) > 2 for k in s):
                continue
            if not _is_multiple(transposed, a, t == s):
                continue
            (i, j), k = s, len(term.dims)
            rest = [x for n, x in enumerate(term.factors) if n not in (place, beside)]
            exponential = Call(row("matrix_exp"), (transposed,), (), f.shape)
            mine = (a, (i, k) if t == s else (k, i))
            return shaped(term.shape, term.coef, [*rest, mine, (exponential, (k, j)), (g, s)])
    return None


def rate_along_multiple(term: Call) -> Expr | None:
    """L(tA, A) = A exp(tA)."""
    if term.operation != "matrix_exp_rate" or len(term.args) != 2 or term.rank != 2:
        return None
    at, e = term.args
    matrices = [(f, s) for f, s in e.factors if s]
    if len(matrices) != 1 or not _is_multiple(at, matrices[0][0], matrices[0][1] == (0, 1)):
        return None
    exponential = Call(row("matrix_exp"), (at,), (), term.shape)
    return ein(1, [(e, (0, 2)), (exponential, (2, 1))], (0, 1))


def _is_multiple(term: Expr, a: Expr, as_it_stands: bool) -> bool:
    """Whether a matrix is a number times another one, or times its transpose."""
    labels = (0, 1) if as_it_stands else (1, 0)
    return [s for f, s in term.factors if f is a] == [labels] and all(f is a or not s for f, s in term.factors)


def inverse_of_product(term: Ein) -> Expr | None:
    """(A B)⁻¹ = B⁻¹ A⁻¹ for square matrices, where that cancels with what is beside it."""
    for place, (f, s) in enumerate(term.factors):
        if not (f.operation == "inv" and f.rank == 2 and isinstance(f.args[0], Ein)):
            continue
        chain = square_chain(f.args[0])
        if chain is None or len(chain) < 2:
            continue
        fresh = len(term.dims)
        ends = [s[0], *range(fresh, fresh + len(chain) - 1), s[1]]
        pieces = []
        for k, (a, flipped) in enumerate(reversed(chain)):
            pair = (ends[k], ends[k + 1])
            pieces.append((inverse(a), pair[::-1] if flipped else pair))
        rest = [x for i, x in enumerate(term.factors) if i != place]
        coef = term.coef * (1 / Fraction(f.args[0].coef))  # type: ignore[arg-type,operator]
        out = shaped(term.shape, coef, [*rest, *pieces])
        if isinstance(out, Ein) and _meets_its_inverse(out):
            return out
    return None


def into_sum_with_inverse(term: Ein) -> Expr | None:
    """Q(Qᵀx − b) = x − Qb: a matrix goes into a sum that has its inverse beside it, where that is shorter."""
    sums = [n for n, f in enumerate(term.children) if f.kind == "add"]
    turning = {
        g for g in term.children
        if (g.kind == "call" and _is_inverse(g)) or (g.kind == "var" and g.properties and _is_orthogonal(g))  # type: ignore[attr-defined]
    }  # fmt: skip
    for place in sums if turning or any(_inverted_in(term.children[n]) for n in sums) else ():
        f, s = term.factors[place]
        cancel = turning | _inverted_in(f)
        matrices = [(n, g, t) for n, (g, t) in enumerate(term.factors) if g in cancel and n != place]
        for beside, g, t in [m for m in matrices if len(m[2]) == 2 and m[2][0] != m[2][1]]:
            for k in set(s) & set(t):
                if k < term.rank or uses(term, k) != 2 or not _has_inverse_of(f, s.index(k), g, t.index(k)):
                    continue
                axis, end = s.index(k), t[1 - t.index(k)]
                shape = (*f.shape[:axis], g.shape[1 - t.index(k)], *f.shape[axis + 1 :])
                pair = (axis, f.rank) if t.index(k) else (f.rank, axis)
                terms = []
                for c, u, i in f.terms:
                    inside = (u, tuple([f.rank if m == axis else m for m in i]))
                    ones = [] if axis in i else [(One(f.shape[axis]), (f.rank,))]
                    others = [(One(n), (m,)) for m, n in enumerate(shape) if m not in (*i, axis)]
                    part = simplify(shaped(shape, 1, [(g, pair), inside, *ones, *others]))
                    terms.append((c, part, f.axes))
                rest = [x for n, x in enumerate(term.factors) if n not in (place, beside)]
                whole = (shaped_sum(shape, terms), tuple([end if m == k else m for m in s]))
                result = shaped(term.shape, term.coef, [*rest, whole])
                if result.weight < term.weight:
                    return result
    return None


def _inverted_in(total: Expr) -> frozenset[Expr]:
    """What is inverted in the terms of a sum; worked out once."""
    known: frozenset[Expr] | None = total.memo.get("inverted")
    if known is None:
        inside: list[Any] = [h for u in total.children for h in (u, *u.children)]
        known = total.memo["inverted"] = frozenset([h.args[0] for h in inside if h.kind == "call" and _is_inverse(h)])
    return known


def _is_inverse(f: Expr) -> bool:
    return f.operation == "inv"


def _is_orthogonal(f: Expr) -> bool:
    return isinstance(f, Var) and "orthogonal" in f.properties


def _has_inverse_of(total: Add, axis: int, g: Expr, at: int) -> bool:
    """Whether a term of a sum has, at an axis, the inverse of the matrix that is read there at its axis ``at``."""
    orthogonal = _is_orthogonal(g)
    for _, u, i in total.terms:
        if axis in i:
            for h, s in [(h, s) for h, s in u.factors if len(s) == 2 and s.count(i.index(axis)) == 1]:
                turned = s.index(i.index(axis)) != at
                if (h is g and orthogonal and (not turned or h.symmetric)) or (
                    (_inverts(g, h) or _inverts(h, g)) and (turned or h.symmetric)
                ):
                    return True
    return False


def _inverts(f: Expr, g: Expr) -> bool:
    return _is_inverse(f) and f.args[0] is g


def _meets_its_inverse(product: Ein) -> bool:
    """Whether a matrix stands beside its inverse."""
    inverses = [(f, s) for f, s in product.factors if f.operation == "inv"]
    return any(
        g is f.args[0] and any(a == b and uses(product, a) == 2 for a, b in ((s[1], t[0]), (s[0], t[1])))
        for f, s in inverses for g, t in product.factors
    )  # fmt: skip


def square_chain(product: Ein) -> list[tuple[Expr, bool]] | None:
    """The factors of a product of square matrices of one size, in order, each with whether it is transposed."""
    n = product.shape[0]
    if isinstance(product.coef, (complex, float)) or any(f.shape != (n, n) for f, _ in product.factors):
        return None
    left, rest, chain = 0, list(product.factors), []
    while rest:
        here = [x for x in rest if left in x[1]]
        if len(here) != 1 or here[0][1][0] == here[0][1][1]:
            return None
        f, s = here[0]
        rest.remove(here[0])
        flipped = s[1] == left
        chain.append((f, flipped))
        left = s[0] if flipped else s[1]
    return chain if left == 1 else None


def det_of_rank_one(term: Call) -> Expr | None:
    """det(I + x yᵀ) = 1 + yᵀx: all eigenvalues but one are 1."""
    inner: Any = term.args[0]
    coef: Any = 1
    if isinstance(inner, Ein) and [s for _, s in inner.factors] == [(0, 1)]:  # minus a difference
        inner, coef = inner.factors[0][0], inner.coef
    if not isinstance(inner, Add) or len(inner.terms) != 2:
        return None
    found = sorted([(c * coef, t, s) for c, t, s in inner.terms], key=lambda t: t[1].kind != "delta")
    (one, identity, _), (c, outer, _) = found
    if identity.kind != "delta" or one != 1 or not isinstance(outer, Ein) or _meets(outer, 0, 1):
        return None
    return add([(1, number(1), ()), (c, ein(1, [(outer, (0, 0))], ()), ())], ())


def _meets(term: Ein, i: int, j: int) -> bool:
    """Whether summed labels lead from a factor with one label to a factor with the other."""
    reached, left = {i}, [set(s) for _, s in term.factors]
    while any(reached & s for s in left):
        for s in [s for s in left if reached & s]:
            reached |= s
            left.remove(s)
    return j in reached


# ---------------------------------------------------------------------- Choices: masks that guard, branches that meet


def guarded(term: Ein) -> Expr | None:
    """[c]·u = where(c, u, 0), if u may be infinite where c does not hold: what was not taken must not spoil it."""
    for i, (c, s) in enumerate(term.factors):
        if not is_condition(c) or not s or len(set(s)) < len(s):
            continue
        beside = [(j, f) for j, (f, t) in enumerate(term.factors) if j != i and t and set(t) <= set(s)]
        unsafe = [j for j, f in beside if not is_product(c, f)]
        if unsafe:
            parts = [term.factors[j] for j in unsafe]
            labels = tuple(sorted(set(s)))
            sizes = dict(zip(s, c.shape, strict=True))
            inner = ein(1, parts, labels, sizes)
            chosen = map_(row("where"), [(c, s), (inner, labels), (number(0), ())], (), labels)
            rest = [x for j, x in enumerate(term.factors) if j != i and j not in unsafe]
            return shaped(term.shape, term.coef, [*rest, (chosen, labels)])
    return None


def both_branches(term: Add) -> Expr | None:
    """[c]·a + [not c]·b = where(c, a, b)."""
    every = term.axes
    parts = [_masked(c, t, s, term) for c, t, s in term.terms]
    for i, a in enumerate(parts):
        for j, b in enumerate(parts):
            if a is None or b is None or i == j or a[1] != b[1] or negated(a[0]) is not b[0]:
                continue
            if not _comes_first(a[0], b[0]):
                continue
            rest = [t for k, t in enumerate(term.terms) if k not in (i, j)]
            chosen = map_(row("where"), [(a[0], a[1]), (a[2], every), (b[2], every)], (), every)
            return add_back(rest, chosen, term)
    return None


def add_back(rest: Any, extra: Expr, term: Add) -> Expr:
    """The sum of terms and one more."""
    every = term.axes
    return shaped_sum(term.shape, [*rest, (1, extra, every)])


_FIRST = {"gt", "lt", "ge", "le", "eq"}


def _comes_first(a: Expr, b: Expr) -> bool:
    return (a.operation in ("lt", "le", "eq")) or b.operation not in _FIRST


def _masked(c: Any, t: Expr, s: Any, whole: Add) -> Any:
    """A term as (condition, its labels, the rest) if it is masked."""
    if t.operation == "where":
        condition, x, zero = t.args
        if constant_of(zero[0]) == 0:
            rest = shaped(whole.shape, c, [(x[0], tuple([s[k] for k in x[1]]))])
            return condition[0], tuple([s[k] for k in condition[1]]), rest
    if isinstance(t, Ein):
        for place, (f, labels) in enumerate(t.factors):
            if is_condition(f) and all(k < t.rank for k in labels):
                others = [x for i, x in enumerate(t.factors) if i != place]
                names = {k: s[k] for k in range(t.rank)}
                inner = [(g, tuple([names.get(k, 1000 + k) for k in u])) for g, u in others]
                return f, tuple([s[k] for k in labels]), shaped(whole.shape, c * t.coef, inner)
    elif is_condition(t):
        return t, s, shaped(whole.shape, c, [])
    return None


# ------- Exponentials that differ by a factor are one: S φ(d₁) = K e⁻ʳᵀ φ(d₂), since d₁² − d₂² is twice log(S/K) + rT
#
# The idea to hold: what is exponential in a term (eᵘ, and φ(u), which is e to −u²/2) has one exponent. Where two
# exponents differ by a sum of logarithms, the terms differ by powers of what these are of.


Factor = tuple[Expr, Indices]


_ROOT = math.sqrt(2 * math.pi)


def density(term: Ein) -> Expr | None:
    """exp(−u²/2)/√(2π) is φ(u)."""
    found = _as_density(term.coef, list(term.factors))
    return None if found is None else shaped(term.shape, *found)


def densities(term: Add) -> Expr | None:
    """A sum in whose terms exp(−u²/2)/√(2π) is φ(u)."""
    terms: list[Any] = []
    for c, t, s in term.terms:
        found = _as_density(c * t.coef, list(t.factors))
        terms.append((c, t, s) if found is None else (found[0], shaped(t.shape, 1, found[1]), s))
    return None if terms == list(term.terms) else shaped_sum(term.shape, terms)


DENSITY = bound(64)
"""Denominators up to which a number is a fraction times 1/√(2π)."""


def _as_density(coef: Any, factors: list[Factor]) -> tuple[Fraction, list[Factor]] | None:
    if not isinstance(coef, float):
        return None
    times = Fraction(coef * _ROOT).limit_denominator(DENSITY)
    if not times or abs(times / _ROOT - coef) > 4 * math.ulp(coef):
        return None
    for place, (f, s) in enumerate(factors):
        u = _deviation(f.args[0][0]) if f.operation == "exp" else None
        if u is not None:
            normal = map_(row("normal_pdf"), [(u, f.args[0][1])], (), f.axes)
            return times, [*factors[:place], *factors[place + 1 :], (normal, s)]
    return None


def _deviation(exponent: Expr) -> Expr | None:
    """u of −u²/2."""
    if not isinstance(exponent, Ein) or exponent.coef != Fraction(-1, 2) or len(exponent.dims) > exponent.rank:
        return None
    bases = [(*f.as_power, s) for f, s in exponent.factors]
    if any(not isinstance(e, int) or e % 2 for _, e, _ in bases):
        return None
    return shaped(exponent.shape, 1, [(pow_(base, e // 2), s) for base, e, s in bases])


class _Row(NamedTuple):
    """A term of a sum: a number, what is exponential in it, its exponent, how many densities, and the rest."""

    coef: Any
    exponentials: list[Factor]
    exponent: Expr
    densities: int
    rest: list[Factor]


def one_exponential(term: Add) -> Expr | None:
    """A sum whose terms have exponentials that differ by powers, with one of them; None if it is no shorter."""
    if len(term.terms) > _limits.CANCELLED or term.weight > _limits.EXPONENTIALS:
        return None
    rows = [_row(c, t, s, term) for c, t, s in term.terms]
    best = None
    for kept in rows:
        if kept is None:
            continue
        result = _with(kept, rows, term)
        if result is not None and result.weight < (best or term).weight:
            best = result
    return best


def _row(c: Any, t: Expr, s: Indices, like: Add) -> _Row | None:
    """A term taken apart; None if nothing in it is exponential."""
    if len(t.dims) > t.rank:
        return None
    labelled = [(f, tuple([s[k] for k in labels])) for f, labels in t.factors]
    there = [x for x in labelled if x[0].operation in ("exp", "normal_pdf")]
    if not there:
        return None
    every, dims = like.axes, dict(enumerate(like.shape))
    parts = []
    for f, labels in there:
        u, k = f.args[0]
        at = tuple([labels[i] for i in k])
        is_density = f.operation == "normal_pdf"
        parts.append((Fraction(-1, 2), pow_(u, 2), at) if is_density else (1, u, at))
    densities = sum([f.operation == "normal_pdf" for f, _ in there])
    return _Row(c * t.coef, there, add(parts, every, dims), densities, [x for x in labelled if x not in there])


def _with(kept: _Row, rows: list[_Row | None], term: Add) -> Expr | None:
    """The sum with the exponentials of one term in all terms where that is possible."""
    every = term.axes
    out, changed = [], False
    for r, (c, t, s) in zip(rows, term.terms, strict=True):
        powers = None
        if r is not None and r.exponentials != kept.exponentials and r.densities == kept.densities:
            powers = _apart(r.exponent, kept.exponent, term)
        if r is None or powers is None:
            out.append((c, t, s))
        else:
            changed = True
            out.append((1, shaped(term.shape, r.coef, [*r.rest, *kept.exponentials, *powers]), every))
    return shaped_sum(term.shape, out) if changed else None


def _apart(one: Expr, other: Expr, like: Add) -> list[Factor] | None:
    """The powers that e to the difference of two exponents is."""
    every = like.axes
    difference = shaped_sum(like.shape, [(1, one, every), (-1, other, every)])
    for form in functions_of(difference):
        terms = form.terms if isinstance(form, Add) else [(1, form, every)]
        powers = [_of_logarithm(c, t, s) for c, t, s in terms]
        if all(p is not None for p in powers):
            return powers  # type: ignore[return-value]
    return None


def _of_logarithm(c: Any, t: Expr, s: Indices) -> Factor | None:
    """uᶜ for c log u."""
    if isinstance(t, Ein) and len(t.factors) == 1 and len(t.dims) == t.rank:
        f, labels = t.factors[0]
        c, t, s = c * t.coef, f, tuple([s[k] for k in labels])
    if t.operation != "log" or isinstance(c, (float, complex)):
        return None
    u, k = t.args[0]
    inner = u if k == u.axes else ein(1, [(u, k)], t.axes)
    return pow_(inner, c), s


# ----------- Kronecker products without their layout: the gradient of ‖A ⊗ X‖² in X is 2‖A‖²X, (A ⊗ B)⁻¹ is A⁻¹ ⊗ B⁻¹
#
# The idea to hold: an axis of a Kronecker product is a pair of axes, laid out as one. Where a reshape lays them apart
# again, or another product's axis meets them, the pair is read instead of the layout.


def _is_kron(t: Any) -> bool:
    return t.operation == "kron" and all(a.rank == 2 for a in t.args)


def _is_layout(t: Any) -> bool:
    """Whether a term is the array of a reshape."""
    return isinstance(t, Lin) and t.op.name == "reshape_copy"


def _without(term: Any, gone: set[int], new: list[Any]) -> Expr:
    """A product with some of its factors replaced."""
    return shaped(term.shape, term.coef, [*[f for i, f in enumerate(term.factors) if i not in gone], *new])


def _only_there(term: Any, labels: Any, places: set[int]) -> bool:
    """Whether labels are summed, and occur in some factors only."""
    others = {k for i, (_, s) in enumerate(term.factors) if i not in places for k in s}
    return all(k >= term.rank and k not in others for k in labels)


def inverse_of_kron(term: Any) -> Expr | None:
    """(A ⊗ B)⁻¹ = A⁻¹ ⊗ B⁻¹ of square matrices."""
    inner = term.args[0]
    if not _is_square_kron(inner):
        return None
    return Call(row("kron"), tuple(inverse(a) for a in inner.args), (), term.shape)


def _is_square_kron(t: Any) -> bool:
    return _is_kron(t) and all(a.shape[0] == a.shape[1] for a in t.args)


def apart(term: Any) -> Expr | None:
    """A Kronecker product whose two axes a reshape lays apart: A[i,j]·B[k,l]."""
    for i, (f, s) in enumerate(term.factors):
        for j, (g, t) in enumerate(term.factors):
            if _is_layout(f) and _is_kron(g) and f.out_rank == 4 and set(s[4:]) == set(t) and _fits(f, g, s, t):
                if not _only_there(term, t, {i, j}) or len(set(t)) < 2:
                    continue
                at = {label: (s[2 * k], s[2 * k + 1]) for k, label in enumerate(s[4:])}
                a, b = ((x, tuple([at[label][k] for label in t])) for k, x in enumerate(g.args))
                return _without(term, {i, j}, [a, b])
    return None


def _fits(layout: Lin, kron: Call, s: Any, t: Any) -> bool:
    """Whether the pairs of axes that a reshape gives are those of a Kronecker product."""
    pairs = {label: tuple(layout.shape[2 * k : 2 * k + 2]) for k, label in enumerate(s[4:])}
    return all(pairs[label] == tuple([a.shape[k] for a in kron.args]) for k, label in enumerate(t))


def past(term: Any) -> Expr | None:
    """(A ⊗ B) vec(V) = vec(A V Bᵀ), row by row: the layout moves past the product, from one axis of it to the other."""
    for i, (f, s) in enumerate(term.factors):
        if not _is_layout(f) or len(s) != 3:
            continue
        flat, pair = (s[0], s[1:]) if f.out_rank == 1 else (s[2], s[:2])
        lengths = f.shape[1:] if f.out_rank == 1 else f.shape[:2]
        for j, (g, t) in enumerate(term.factors):
            if not _is_kron(g) or t.count(flat) != 1 or not _only_there(term, [flat], {i, j}):
                continue
            axis = t.index(flat)
            if lengths == tuple([a.shape[axis] for a in g.args]):
                ends, other = (len(term.dims), len(term.dims) + 1), t[1 - axis]
                lengths = tuple([a.shape[1 - axis] for a in g.args])
                layout = Lin(f.op, ((g.shape[1 - axis],),), (g.shape[1 - axis],), lengths)
                parts = [(a, (e, k) if axis else (k, e)) for a, e, k in zip(g.args, ends, pair, strict=True)]
                return _without(term, {i, j}, [(layout, (other, *ends)), *parts])
    return None


def layouts(term: Any) -> Expr | None:
    """Two reshapes of the same lengths that meet in the axes they lay out are identities."""
    there = [(i, f, s) for i, (f, s) in enumerate(term.factors) if _is_layout(f)]
    for n, (i, f, s) in enumerate(there):
        for j, g, t in there[n + 1 :]:
            for ours, theirs in (
                (slice(f.out_rank, None), slice(g.out_rank, None)),
                (slice(f.out_rank), slice(g.out_rank)),
            ):
                left, right = _rest(s, ours), _rest(t, theirs)
                shapes = _rest(f.shape, ours), _rest(g.shape, theirs)
                if s[ours] == t[theirs] and shapes[0] == shapes[1] and _only_there(term, s[ours], {i, j}):
                    new = [(Delta(n), (a, b)) for n, a, b in zip(shapes[0], left, right, strict=True)]
                    return _without(term, {i, j}, new)
    return None


def _rest(x: Any, part: slice) -> Any:
    return x[part.stop :] if part.start is None else x[: part.start]


def product_of_krons(term: Any) -> Expr | None:
    """(A ⊗ B)(C ⊗ D) = AC ⊗ BD, whichever axes meet."""
    there = [(i, f, s) for i, (f, s) in enumerate(term.factors) if _is_kron(f)]
    for n, (i, f, s) in enumerate(there):
        for j, g, t in there[n + 1 :]:
            for k in set(s) & set(t):
                p, q = s.index(k), t.index(k)
                meet = all(a.shape[p] == b.shape[q] for a, b in zip(f.args, g.args, strict=True))
                if not meet or s.count(k) + t.count(k) > 2 or not _only_there(term, [k], {i, j}):
                    continue
                parts = [
                    ein(1, [(a, (0, 2) if p else (2, 0)), (b, (2, 1) if not q else (1, 2))], (0, 1))
                    for a, b in zip(f.args, g.args, strict=True)
                ]
                shape = (f.shape[1 - p], g.shape[1 - q])
                whole = Call(row("kron"), tuple(parts), (), shape)
                return _without(term, {i, j}, [(whole, (s[1 - p], t[1 - q]))])
    return None


# ----------------------- Softmax and log Σ exp as they are written by hand: with a maximum taken off first, in powers
#
# The idea to hold: what is the same for all entries cancels in eᵘ/Σ eᵘ, and stands in front of log Σ eᵘ. It is taken
# off for the numbers' sake, so that no exponent is positive; the derivative is that of what is left.


SHIFTED = ("softmax", "log_softmax", "logsumexp")


def shift(call: Call) -> Expr | None:
    """softmax(u − c) = softmax(u) and logsumexp(u − c) = logsumexp(u) − c, with c the same along the axes."""
    if call.operation not in SHIFTED or any(call.params[1:]):
        return None
    u, over = call.args[0], call.params[0]
    coef, inner = (u.coef, u.factors[0][0]) if _is_numbered(u) else (1, u)
    if not isinstance(inner, Add):
        return None
    moving = [(coef * c, t, s) for c, t, s in inner.terms if not set(over).isdisjoint(s)]
    if not moving or len(moving) == len(inner.terms):
        return None
    left = Call(call.op, (shaped_sum(u.shape, moving),), call.params, call.shape, call.out)
    if call.operation != "logsumexp":
        return left
    places = {k: place for place, k in enumerate([k for k in range(u.rank) if k not in over])}
    constant = [(coef * c, t, tuple([places[k] for k in s])) for c, t, s in inner.terms if set(over).isdisjoint(s)]
    return shaped_sum(call.shape, [(1, left, call.axes), *constant])


def _is_numbered(u: Expr) -> bool:
    """Whether a term is a number times a sum, which stands as it is."""
    return isinstance(u, Ein) and len(u.factors) == 1 and u.factors[0][1] == u.axes == _every(u)


def _every(u: Ein) -> Indices:
    return tuple(range(len(u.dims)))


def power(term: Ein) -> Expr | None:
    """e²ᵘ/(Σ eᵘ)² is softmax(u)², and so on: as many exponentials as the sum has powers."""
    for place, (divisor, at) in enumerate(term.factors):
        total = _power_of_sum(divisor)
        if total is None:
            continue
        u, over, left = total
        rest: list[Any] = []
        found: list[Any] = []
        for f, s in (*term.factors[:place], *term.factors[place + 1 :]):
            there = len(s) == u.rank and tuple([k for i, k in enumerate(s) if i not in over]) == at
            k = _multiple(f, u, left) if there else 0
            left -= k
            (found if k else rest).append((pow_(softmax(u, over), k) if k else f, s))
        if found and not left:
            return shaped(term.shape, term.coef, [*rest, *found])
    return None


def softmax(u: Expr, over: Indices) -> Expr:
    """softmax(u) along some axes."""
    return Call(row("softmax"), (u,), (over,), u.shape)


def _power_of_sum(f: Expr) -> tuple[Expr, Indices, int] | None:
    """u of (Σ eᵘ)⁻ⁿ, the axes that are summed over, and n > 1; the others are in order."""
    if not (isinstance(f.exponent, int) and f.exponent < -1):
        return None
    total, labels = f.args[0]
    if not (isinstance(total, Ein) and total.coef == 1 and len(total.factors) == 1) or labels != f.axes:
        return None
    e, s = total.factors[0]
    if not (e.operation == "exp" and len(set(s)) == len(s) == len(total.dims)):
        return None
    u, inner = e.args[0]
    if inner != e.axes or [k for k in s if k < total.rank] != list(range(total.rank)):
        return None
    return u, tuple([i for i, k in enumerate(s) if k >= total.rank]), -f.exponent


def _multiple(f: Expr, u: Expr, most: int) -> int:
    """k of eᵏᵘ, at most so many; 0 for anything else."""
    if f.operation == "exp" and f.args[0][1] == f.axes and f.shape == u.shape:
        every = u.axes
        for k in range(1, most + 1):
            if ein(k, [(u, every)], every) is f.args[0][0]:
                return k
    return 0


# ------------------------------------------------------------------------------------------------------------ passes


def _pass(text: str, why: str, kind: str, function: Any, *needs: str, tags: str = "short") -> Rewrite:
    def apply(term: Expr) -> tuple[Expr, tuple[Condition, ...]] | None:
        after = function(term)
        return None if after is None else (after, ())

    return Rewrite(text, why, kind, apply, frozenset(needs), tags, True)


_COMMUTES = "a matrix commutes with its multiples"


def passes() -> list[Rewrite]:
    """What is an algorithm rather than a pattern."""
    both = "short stable"
    return [
        _pass("σ(−u) → 1 − σ(u)", "1 − σ is σ of the opposite, which is there too", "add",
              opposite_sigmoids, "sigmoid"),
        _pass("S φ(u) = K e⁻ᵃ φ(v)", "two normal densities that are multiples of each other", "add",
              one_exponential, "normal_pdf"),
        _pass("exp(−u²/2)/√(2π) → φ(u)", "the density of the normal distribution", "ein", density, "exp"),
        _pass("a + exp(−u²/2)/√(2π) → a + φ(u)", "the normal density", "add", densities, "exp"),
        _pass("e²ᵘ/(Σ eᵘ)² → softmax(u)²", "the definition of softmax", "ein", power, "exp", "pow_scalar",
              tags=both),
        *[_pass(f"{name}(u − c) → {name}(u){rest}", "what is the same for all entries goes out", "call",
                shift, name,
                tags=both) for name, rest in zip(SHIFTED, ("", "", " − c"), strict=True)],
        _pass("Σ (x − m) → Σ x − n m", "deviations from a mean, summed one by one", "ein",
              sum_of_deviations, "+"),
        _pass("⟨A, L(tAᵀ, G)⟩ → ⟨A exp(tA), G⟩", _COMMUTES, "ein", rate_along_itself, "matrix_exp_rate"),
        _pass("L(tA, A) → A exp(tA)", _COMMUTES, "call", rate_along_multiple, "matrix_exp_rate"),
        _pass("det(I + x yᵀ) → 1 + yᵀx", "but for one, the eigenvalues are 1", "call", det_of_rank_one,
              "det"),
        _pass("(A ⊗ B)⁻¹ → A⁻¹ ⊗ B⁻¹", "the inverse of a Kronecker product", "call", inverse_of_kron,
              "inv", "kron"),
        _pass("(A ⊗ B)(C ⊗ D) → AC ⊗ BD", "a product of Kronecker products, axes in pairs", "ein",
              product_of_krons, "kron"),
        _pass("A ⊗ B laid apart → A[i,j]·B[k,l]", "a Kronecker product by its axes in pairs", "ein",
              apart, "kron", "reshape_copy"),
        _pass("(A ⊗ B) vec(V) → vec(A V Bᵀ)", "a Kronecker product on axes in pairs", "ein", past, "kron",
              "reshape_copy"),
        _pass("reshape(reshape(x)) → x", "laid out and apart again", "ein", layouts, "reshape_copy"),
        _pass("Q(Qᵀx − b) → x − Q b", "a matrix meets its inverse", "ein", into_sum_with_inverse, "+"),
        _pass("(A B)⁻¹ → B⁻¹ A⁻¹", "a part of an inverse cancels with what is beside it", "ein",
              inverse_of_product, "inv"),
        _pass("1[c] u → where(c, u, 0)", "0 where the condition does not hold", "ein", guarded, "?",
              tags=both),
        _pass("1[c] a + 1[¬c] b → where(c, a, b)", "one of both conditions holds", "add", both_branches,
              "?", tags=both),
        _pass("c²(1 + x²/c²) → c² + x²", "multiplied in", "ein", multiplied_in, "pow_scalar", "+"),
        _pass("a(b + c/a) → a b + c", "multiplied out, since something cancels", "ein", expanded, "+"),
        _pass("a/s − b/s² → (a s − b)/s²", "over one denominator", "add", common_denominator, "pow_scalar"),
        _pass("p(1 − p)² − p²(1 − p) → p(1 − p)(1 − 2p)", "common powers in front", "add", common_powers, "+"),
        _pass("√(1 − x²/a²) beside √(a² − x²)", "roots that are multiples of each other", "add", one_root,
              "pow_scalar",
              tags="short real"),
        _pass("a + 2(b − a) → 2b − a", "multiplied out, since like terms meet", "add", multiplied_out, "+"),
        _pass("a/b + c/d in lowest terms", "in lowest terms", "add", lowest_terms, "pow_scalar"),
        _pass("(a + b)/(c + d) in lowest terms", "in lowest terms", "ein", lowest_terms, "+"),
        _pass("1/(x − x²) → 1/(x(1 − x))", "a divisor factored", "map", factored_divisor, "pow_scalar", "+"),
        _pass("p − 3p² + 2p³ → p(1 − p)(1 − 2p)", "a polynomial factored", "add", polynomial),
        _pass("p(1 − p)² + p³ − p² → 2p³ + p − 3p²", "a polynomial multiplied out", "add", opened_polynomial),
        _pass("a b + a c → a(b + c)", "the distributive law", "add", factored),
        _pass("x(a b + a c) → x a(b + c)", "the distributive law", "ein", inside_product, "+"),
        _pass("√(c²a + c⁴) → |c|√(a + c²)", "a square taken out of a root", "map", root_of_common_square,
              "pow_scalar", "+",
              tags="short real"),
        _pass("diag(a) + diag(b) → diag(a + b)", "diagonals added", "add", one_diagonal),
        _pass("a b + a c + d → a(b + c) + d", "the distributive law", "add", grouped),
    ]  # fmt: skip


use(passes())
