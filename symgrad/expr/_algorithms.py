"""Products and sums that an algorithm shortens: deviations, inverses of products, sigmoids of opposite arguments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .._postorder import postorder
from ._add import add, shaped_sum
from ._ein import constant_of, ein, number, row, shaped
from ._lift_linalg import inverse
from ._map import map_
from ._node import Add, Call, Ein, Expr, Map, One, Var
from ._weight import is_negative


def meet(a: Any, b: Any) -> bool:
    """Whether terms of two operands meet when they are added: those of x and −2x do."""
    labels = tuple(sorted({*a[1], *b[1]}))
    if len(labels) > max(len(a[1]), len(b[1])):  # an outer product is no shorter as one array
        return False
    return _count(add([(1, *a), (1, *b)], labels)) < _count(a[0]) + _count(b[0])


def _count(u: Expr) -> int:
    """The number of terms of a sum."""
    if isinstance(u, Ein) and len(u.factors) == 1 and isinstance(u.factors[0][0], Add):  # a number times a sum
        return len(u.factors[0][0].terms)
    return len(u.terms) if isinstance(u, Add) else 0 if constant_of(u) == 0 else 1


def uses(term: Ein, label: int) -> int:
    """How often a label occurs among the factors."""
    return sum([k == label for _, s in term.factors for k in s])


def _opposite(f: Map) -> Map:
    """σ(−u) of σ(u)."""
    u, s = f.args[0]
    every = tuple(range(u.rank))
    return map_(f.op, [(ein(-1, [(u, every)], every), s)], (), tuple(range(f.rank)))  # type: ignore[return-value]


def opposite_sigmoids(term: Add) -> Expr | None:
    """σ(−u) = 1 − σ(u), where σ(u) is there too and the sum gets shorter."""
    rows = [(t, s, _in_sum(t, s)) for _, t, s in term.terms]
    found = {(f, at) for *_, factors in rows for f, at in factors if isinstance(f, Map) and f.op.name == "sigmoid"}
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
    whole, dims = tuple(range(term.rank)), dict(enumerate(term.shape))
    terms: list[Any] = []
    slopes: list[Any] = []
    for (c, t, s), (*_, factors) in zip(term.terms, rows, strict=True):
        which = next((x for x in factors if x in ((f, at), (positive, at))), None)
        if which is None:
            terms.append((c, t, s))
            continue
        rest = list(factors)
        rest.remove(which)
        left = ein(t.coef if isinstance(t, Ein) else 1, rest, whole, dims)
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
    from ._simplify import simplify

    f, s = sums[0]
    summed = [k for k in s if k >= term.rank]
    spread = any(len(i) < f.rank for _, _, i in f.terms)
    inner = any(t.kind == "ein" and any(g.kind == "add" for g in t.children) for _, t, _ in f.terms)
    if not summed or any(uses(term, k) > 1 for k in summed) or not (spread or inner):
        return None
    rest = [x for x in term.factors if x[0] is not f]
    every = tuple(range(term.rank))
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
        if not (isinstance(f, Call) and f.op.name == "matrix_exp_rate" and len(f.args) == 2 and f.rank == 2):
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
    if term.op.name != "matrix_exp_rate" or len(term.args) != 2 or term.rank != 2:
        return None
    at, e = term.args
    factors: Any = e.factors if isinstance(e, Ein) else [(e, (0, 1))]
    matrices = [(f, s) for f, s in factors if s]
    if len(matrices) != 1 or not _is_multiple(at, matrices[0][0], matrices[0][1] == (0, 1)):
        return None
    exponential = Call(row("matrix_exp"), (at,), (), term.shape)
    return ein(1, [(e, (0, 2)), (exponential, (2, 1))], (0, 1))


def _is_multiple(term: Expr, a: Expr, as_it_stands: bool) -> bool:
    """Whether a matrix is a number times another one, or times its transpose."""
    labels = (0, 1) if as_it_stands else (1, 0)
    factors: Any = term.factors if isinstance(term, Ein) else [(term, (0, 1))]
    return [s for f, s in factors if f is a] == [labels] and all(f is a or not s for f, s in factors)


def inverse_of_product(term: Ein) -> Expr | None:
    """(A B)⁻¹ = B⁻¹ A⁻¹ for square matrices, where that cancels with what is beside it."""
    for place, (f, s) in enumerate(term.factors):
        if not (isinstance(f, Call) and f.op.name == "inv" and f.rank == 2 and isinstance(f.args[0], Ein)):
            continue
        chain = _chain(f.args[0])
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
    from ._simplify import simplify

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
                if k < term.rank or uses(term, k) != 2 or not _has_inverse_of(f, s.index(k), g, t.index(k)):  # type: ignore[arg-type]
                    continue
                axis, end = s.index(k), t[1 - t.index(k)]
                shape = (*f.shape[:axis], g.shape[1 - t.index(k)], *f.shape[axis + 1 :])
                pair = (axis, f.rank) if t.index(k) else (f.rank, axis)
                terms = []
                for c, u, i in f.terms:  # type: ignore[attr-defined]
                    inside = (u, tuple([f.rank if m == axis else m for m in i]))
                    ones = [] if axis in i else [(One(f.shape[axis]), (f.rank,))]
                    others = [(One(n), (m,)) for m, n in enumerate(shape) if m not in (*i, axis)]
                    part = simplify(shaped(shape, 1, [(g, pair), inside, *ones, *others]))
                    terms.append((c, part, tuple(range(f.rank))))
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
    return isinstance(f, Call) and f.op.name == "inv"


def _is_orthogonal(f: Expr) -> bool:
    return isinstance(f, Var) and "orthogonal" in f.properties


def _has_inverse_of(total: Add, axis: int, g: Expr, at: int) -> bool:
    """Whether a term of a sum has, at an axis, the inverse of the matrix that is read there at its axis ``at``."""
    orthogonal = _is_orthogonal(g)
    for _, u, i in total.terms:
        if axis in i:
            factors = u.factors if isinstance(u, Ein) else [(u, tuple(range(u.rank)))]
            for h, s in [(h, s) for h, s in factors if len(s) == 2 and s.count(i.index(axis)) == 1]:
                turned = s.index(i.index(axis)) != at
                if (h is g and orthogonal and (not turned or h.symmetric)) or (
                    (_inverts(g, h) or _inverts(h, g)) and (turned or h.symmetric)
                ):
                    return True
    return False


def _inverts(f: Expr, g: Expr) -> bool:
    return _is_inverse(f) and f.args[0] is g  # type: ignore[attr-defined]


def _meets_its_inverse(product: Ein) -> bool:
    """Whether a matrix stands beside its inverse."""
    inverses = [(f, s) for f, s in product.factors if isinstance(f, Call) and f.op.name == "inv"]
    return any(
        g is f.args[0] and any(a == b and uses(product, a) == 2 for a, b in ((s[1], t[0]), (s[0], t[1])))
        for f, s in inverses for g, t in product.factors
    )  # fmt: skip


def _chain(product: Ein) -> list[tuple[Expr, bool]] | None:
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
