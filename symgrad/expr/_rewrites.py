"""The rewrites that make formulas short and stable: a table of what is replaced by what, and why that is the same.

Each holds for all real values unless its condition says otherwise; a condition travels with the formula. Patterns are
element-wise (see `_patterns`); what involves sums or matrices is a function in a file of its subject.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import _factor, _quotients, _rational, _rewrites_choice, _rewrites_exp, _rewrites_matrix
from ._node import Expr
from ._patterns import read, rewrite


class Rewrite(NamedTuple):
    """A rule for terms of a kind: ``apply`` gives the replacement or None.

    ``condition`` says where that holds (None: always); ``needs`` what a term must be made of (see `signature`), so
    that most rules need not be tried.
    """

    text: str
    kind: str
    apply: Callable[[Any], Expr | None]
    condition: Callable[[Any], str] | None = None
    needs: frozenset[str] = frozenset()


def signature(term: Expr) -> frozenset[str]:
    """What a term is made of at its surface: names of operations, "+" for sums, "?" for conditions."""
    known = term.memo.get("signature")
    if known is None:
        names: set[str] = set()
        for t in (term, *term.children):
            _note(t, names)
            if t.kind in ("ein", "map") and (term.kind == "add" or t.kind == "map"):
                for u in t.children:
                    _note(u, names)
        term.memo["signature"] = known = frozenset(names)
    return known


def _note(t: Any, names: set[str]) -> None:
    if t.kind == "add":
        names.add("+")
    elif t.kind in ("map", "call"):
        names.add(t.op.name)
        if t.op.kind == "constant":
            names.add("?")


TABLE: list[tuple[str, str]] = [
    # pattern, replacement; x stands for anything. (What was divided out is noted elsewhere: see `_conditions`.)
    ("log(1 + exp(x))", "softplus_unit(x)"),  # the definition; finite for large x
    ("log1p(exp(x))", "softplus_unit(x)"),
    ("logaddexp(0, x)", "softplus_unit(x)"),  # log(e^0 + e^x)
    ("logaddexp(x, 0)", "softplus_unit(x)"),
    ("logsigmoid(x)", "-softplus_unit(-x)"),  # log(1/(1 + e^-x))
    ("log(sigmoid(x))", "-softplus_unit(-x)"),
    ("1 / (1 + exp(x))", "sigmoid(-x)"),  # the definition of sigmoid at -x
    ("exp(x) * sigmoid(-x)", "sigmoid(x)"),  # e^x/(1 + e^x)
    ("exp(x) * exp(-x)", "1"),
    ("sin(x)**2 + cos(x)**2", "1"),
    ("1 - sin(x)**2", "cos(x)**2"),
    ("1 - cos(x)**2", "sin(x)**2"),
    ("cosh(x)**2 - sinh(x)**2", "1"),
    ("sin(x) / cos(x)", "tan(x)"),
    ("sinh(x) / cosh(x)", "tanh(x)"),
    ("abs(x) * sign(x)", "x"),
    ("x * sign(x)", "abs(x)"),
    ("x / abs(x)", "sign(x)"),
]


def _compiled() -> list[Rewrite]:
    rules = []
    for pattern, replacement in TABLE:
        before, after = read(pattern), read(replacement)

        def apply(term: Expr, before: Expr = before, after: Expr = after) -> Expr | None:
            return rewrite(before, after, term)

        text = f"{pattern} → {replacement}".replace("softplus_unit", "softplus")  # the public name of that row
        rules.append(Rewrite(text, before.kind, apply, None, _needs(before)))
    return rules


def _needs(pattern: Expr) -> frozenset[str]:
    """What a pattern's matches are made of."""
    tops = [pattern, *pattern.children]
    return frozenset([t.op.name for t in tops if t.kind == "map"])  # type: ignore[attr-defined]


def _rule(text: str, kind: str, apply: Any, *needs: str, where: Any = None) -> Rewrite:
    return Rewrite(text, kind, apply, where, frozenset(needs))


def rules() -> list[Rewrite]:
    """All rewrites."""
    choice, exp, matrix, quotients = _rewrites_choice, _rewrites_exp, _rewrites_matrix, _quotients
    return [
        *_compiled(),
        _rule("log(sum(exp(u))) → logsumexp(u)", "map", exp.log_sum_exp, "log"),
        _rule("exp(u)/sum(exp(u)) → softmax(u)", "ein", exp.exp_over_sum, "exp", "pow_scalar"),
        _rule("exp(u) exp(v) → exp(u + v) where terms meet", "ein", exp.exp_times_exp, "exp"),
        _rule("exp(u - logsumexp(u)) → softmax(u)", "map", exp.exp_of_log_softmax, "exp"),
        _rule("sum(softmax(u)) → 1", "ein", exp.sum_of_softmax, "softmax"),
        _rule("σ(−u)(1 − σ(−u)) → σ(u)(1 − σ(u))", "ein", exp.sigmoid_pair, "sigmoid", "+"),
        _rule("σ(−u) → 1 − σ(u)", "add", exp.opposite_sigmoids, "sigmoid"),
        _rule("sum(x - m) → sum(x) - n m", "ein", matrix.sum_of_deviations, "+"),
        _rule("log(det(X)) → logdet(X)", "map", matrix.log_det, where=matrix.where_log_det),
        _rule("logdet(X) only where det(X) > 0", "ein", matrix.sign_of_det, "ne", where=matrix.positive_determinant),
        _rule(
            "L Lᵀ → K, L⁻ᵀ L⁻¹ → K⁻¹ for L = cholesky(K)", "ein", matrix.cholesky_product, where=matrix.where_cholesky
        ),
        _rule(
            "sum(log(diag(cholesky(K)))) → logdet(K)/2",
            "ein",
            matrix.log_diagonal_of_cholesky,
            "log",
            where=matrix.where_cholesky,
        ),
        _rule("tr(A ⊗ B) → tr(A) tr(B)", "ein", matrix.trace_of_kronecker, "kron"),
        _rule("(A B)⁻¹ → B⁻¹ A⁻¹", "ein", matrix.inverse_of_product, "inv"),
        _rule("sign(x)² → 1[x ≠ 0]", "map", choice.square_of_sign, "sign"),
        _rule("relu(x) 1[x > 0] → relu(x)", "ein", choice.relu_where_positive, "relu"),
        _rule("1[c] u → where(c, u, 0)", "ein", choice.guarded, "?"),
        _rule("1[c] a + 1[not c] b → where(c, a, b)", "add", choice.both_branches, "?"),
        _rule("a^u a^v → a^(u + v)", "ein", quotients.exponents, "pow_tensor", where=quotients.positive_base),
        _rule("(a^u)^k → a^(k u)", "map", quotients.power_of_power, "pow_tensor", where=quotients.positive_base),
        _rule("c²(1 + x²/c²) → c² + x²", "ein", quotients.multiplied_in, "pow_scalar", "+"),
        _rule("a(b + c/a) → a b + c", "ein", quotients.expanded, "+"),
        _rule("a/s - b/s² → (a s - b)/s²", "add", quotients.common_denominator, "pow_scalar"),
        _rule("p(1 - p)² - p²(1 - p) → p(1 - p)(1 - 2p)", "add", quotients.common_powers, "+"),
        _rule("a + 2(b - a) → 2b - a", "add", quotients.multiplied_out, "+"),
        _rule("a/b + c/d in lowest terms", "add", _rational.lowest_terms, "pow_scalar"),
        _rule("(a + b)/(c + d) in lowest terms", "ein", _rational.lowest_terms, "+"),
        _rule("p − 3p² + 2p³ → p(1 − p)(1 − 2p)", "add", _rational.polynomial),
        _rule("common factors of a sum in front", "add", _factor.factored),
        _rule("common factors of a sum beside it", "ein", _factor.inside_product, "+"),
        _rule("common factors of some terms in front", "add", _factor.grouped),
    ]
