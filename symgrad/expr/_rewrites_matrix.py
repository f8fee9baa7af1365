"""Rewrites of matrices: Cholesky factors, determinants, inverses of products, deviations from a mean."""

from __future__ import annotations

from fractions import Fraction

from .._postorder import postorder
from ..show import to_text
from ._add import shaped_sum
from ._canonical import is_symmetric
from ._ein import row, shaped
from ._lift_linalg import inverse
from ._node import Add, Call, Data, Ein, Expr, Map, One
from ._rewrites_exp import uses


def sum_of_deviations(term: Ein) -> Expr | None:
    """Σ (x - m) = Σ x - n m, where that is shorter: sums of deviations from a mean vanish."""
    sums = [(f, s) for f, s in term.factors if isinstance(f, Add)]
    if len(sums) != 1 or not sums[0][1]:
        return None
    f, s = sums[0]
    summed = [k for k in s if k >= term.rank]
    if not summed or any(uses(term, k) > 1 for k in summed) or all(len(i) == f.rank for _, _, i in f.terms):
        return None
    rest = [x for x in term.factors if x[0] is not f]
    every = tuple(range(term.rank))
    terms = []
    for c, t, i in f.terms:
        ones = [(One(f.shape[k]), (s[k],)) for k in range(f.rank) if k not in i]
        part = shaped(term.shape, term.coef, [*rest, (t, tuple([s[k] for k in i])), *ones])
        terms.append((c, part, every))
    result = shaped_sum(term.shape, terms)
    return result if result.weight < term.weight else None


def cholesky_product(term: Ein) -> Expr | None:
    """L Lᵀ = K and L⁻ᵀ L⁻¹ = K⁻¹ for the Cholesky factor L of K."""
    for a, (f, s) in enumerate(term.factors):
        base, side = _cholesky_factor(f)
        if base is None:
            continue
        for b in range(a + 1, len(term.factors)):
            g, t = term.factors[b]
            k = s[side]
            if g is f and t[side] == k and k >= term.rank and s != t and uses(term, k) == 2:
                whole = base if side == 1 else inverse(base)
                rest = [x for i, x in enumerate(term.factors) if i not in (a, b)]
                pair = (whole, (s[1 - side], t[1 - side]))
                return shaped(term.shape, term.coef, [*rest, pair])
    return None


def where_cholesky(term: Ein) -> str:
    """Where a Cholesky factor is one of the matrix: it is made of one triangle, and says nothing of the other."""
    factors = [t for t in postorder(term) if isinstance(t, Call) and t.op.name == "linalg_cholesky"]
    found = [f"{to_text(t.args[0])} is symmetric" for t in factors if not is_symmetric(t.args[0])]
    return ", ".join(dict.fromkeys(found))


def _cholesky_factor(f: Expr) -> tuple[Expr | None, int]:
    """The matrix whose Cholesky factor (side 1) or its inverse (side 0) a term is."""
    if isinstance(f, Call) and f.rank == 2:
        if f.op.name == "linalg_cholesky":
            return f.args[0], 1
        if f.op.name == "inv":
            base, side = _cholesky_factor(f.args[0])
            return (base, 0) if side == 1 else (None, 0)
    return None, 0


def log_diagonal_of_cholesky(term: Ein) -> Expr | None:
    """Σ log(diag(L)) = ½ log det K for the Cholesky factor L of K."""
    for place, (f, s) in enumerate(term.factors):
        if not (
            isinstance(f, Map) and f.op.name == "log" and f.rank == 1 and s[0] >= term.rank and uses(term, s[0]) == 1
        ):
            continue
        diagonal = f.args[0][0]
        if isinstance(diagonal, Ein) and len(diagonal.factors) == 1 and diagonal.coef == 1:
            base, side = _cholesky_factor(diagonal.factors[0][0])
            if base is not None and side == 1 and diagonal.factors[0][1] == (0, 0):
                rest = [x for i, x in enumerate(term.factors) if i != place]
                half = Call(row("slogdet"), (base,), (), (), 1)
                return shaped(term.shape, term.coef * Fraction(1, 2), [*rest, (half, ())])
    return None


def log_det(term: Map) -> Expr | None:
    """log det X and log |det X| are what slogdet computes without overflow."""
    if term.op.name == "log" and term.rank == 0:
        inner = term.args[0][0]
        if isinstance(inner, Map) and inner.op.name == "abs":
            inner = inner.args[0][0]
        if isinstance(inner, Call) and inner.op.name == "det":
            return Call(row("slogdet"), inner.args, (), (), 1)
    if term.op.name == "where" and isinstance(term.args[1][0], Data) and isinstance(term.args[2][0], Call):
        value, kept = term.args[1][0].value, term.args[2][0]
        if value.size == 1 and value != value and kept.op.name == "slogdet" and kept.out == 1:  # NaN where det X < 0
            return kept
    return None


def sign_of_det(term: Ein) -> Expr | None:
    """The logarithm of a determinant is asked for where it is positive."""
    for place, (f, _) in enumerate(term.factors):
        if isinstance(f, Map) and f.op.name == "ne" and isinstance(f.args[0][0], Call):
            call = f.args[0][0]
            if call.op.name == "slogdet" and call.out == 0:
                rest = [x for i, x in enumerate(term.factors) if i != place]
                return shaped(term.shape, term.coef, rest)
    return None


def where_log_det(term: Map) -> str:
    """Where `log_det` drops a branch: elsewhere the logarithm is NaN."""
    call = term.args[-1][0]
    return f"det({to_text(call.args[0])}) > 0" if term.op.name == "where" and isinstance(call, Call) else ""


def positive_determinant(term: Ein) -> str:
    """Where `sign_of_det` holds."""
    calls = [f.args[0][0] for f, _ in term.factors if isinstance(f, Map) and f.op.name == "ne"]
    return ", ".join([f"det({to_text(c.args[0])}) > 0" for c in calls if isinstance(c, Call)])


def trace_of_kronecker(term: Ein) -> Expr | None:
    """tr(A ⊗ B) = tr(A) tr(B) for square A and B."""
    for place, (f, s) in enumerate(term.factors):
        if isinstance(f, Call) and f.op.name == "kron" and f.rank == 2 and s[0] == s[1] and uses(term, s[0]) == 2:
            a, b = f.args
            if s[0] >= term.rank and a.rank == b.rank == 2 and a.shape[0] == a.shape[1] and b.shape[0] == b.shape[1]:
                rest = [x for i, x in enumerate(term.factors) if i != place]
                k = len(term.dims)
                return shaped(term.shape, term.coef, [*rest, (a, (k, k)), (b, (k + 1, k + 1))])
    return None


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
        if out.weight < term.weight:
            return out
    return None


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
