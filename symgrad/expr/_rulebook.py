"""The rules of the calculus made ready for use, and the algorithms that stand beside them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from .._errors import FormulaError
from . import _algorithms, _choices, _exponentials, _factor, _kronecker, _quotients, _rational, _softmax
from ._ein import ein
from ._identities import Rule
from ._index_notation import COMPARISONS, Hole, Product, Sum, Whole, in_search_order, read
from ._matching import Bound, build, found
from ._node import Expr, Var
from ._rule_index import needs_of, readers_of, sums_like
from ._taken import words
from ._weight import is_negative

Condition = tuple[Expr, str]
"""What must hold: a term, and "> 0", "≠ 0" or "is symmetric"."""


def _even(bound: Bound) -> bool:
    k = bound["k^"]
    return isinstance(k, int) and k > 0 and k % 2 == 0


def _positive(bound: Bound) -> bool:
    return not isinstance(bound["k^"], complex) and bound["k^"] > 0


def _square(bound: Bound) -> bool:
    return all(bound[k + "["].rank == 2 and len(set(bound[k + "["].shape)) == 1 for k in "AB")


def _no_whole_number(bound: Bound) -> bool:
    k, n = bound["k^"], bound["n^"]
    return isinstance(k, int) and k % 2 == 0 and isinstance(n, Fraction)


def _orthogonal(bound: Bound) -> bool:
    q = bound["Q["]
    return isinstance(q, Var) and "orthogonal" in q.properties and bound["i]"] != bound["j]"]


def _onehot(bound: Bound) -> bool:
    p = bound["p["]
    return isinstance(p, Var) and "onehot" in p.properties and bound["p,"] == (p.rank - 1,)


WHEN: dict[str, Callable[[Bound], bool]] = {
    "": lambda bound: True,
    "k is even and positive": _even,
    "k is positive": _positive,
    "k is negative": lambda bound: is_negative(bound["k^"]),
    "k is not 1": lambda bound: bound["k^"] != 1 and not isinstance(bound["k^"], complex),
    "k is even and n no whole number": _no_whole_number,
    "n is −k": lambda bound: bound["n^"] == -bound["k^"],
    "A and B are square": _square,
    "Q was declared orthogonal": _orthogonal,
    "p was declared one-hot": _onehot,
}
"""What must be so of a rule's names for it to hold."""


DECLARED = {"Q was declared orthogonal": "declared orthogonal", "p was declared one-hot": "declared onehot"}
"""What a term is made of (see `signature`) where a rule asks for what was declared of a symbol."""


def _shorter_than_opposite(bound: Bound, name: str) -> bool:
    x, s = bound[name]
    return x.weight < ein(-1, [(x, s)], s).weight


def _has_minus(term: Any) -> bool:
    return is_negative(term.coef)


WANTED: dict[str, Callable[[Bound, Expr], bool]] = {
    "x is shorter than −x": lambda bound, before: _shorter_than_opposite(bound, "x"),
    "x and y are shorter than −x and −y": lambda bound, before: all(_shorter_than_opposite(bound, n) for n in "xy"),
    "there is a minus": lambda bound, before: _has_minus(before),
    "nothing else is multiplied": lambda bound, before: len(before.children) == 2,
    "terms of x and y meet": lambda bound, before: _algorithms.meet(bound["x"], bound["y"]),
}
"""What decides whether a rule that holds is wanted: it looks at its names and at the term."""


class Rewrite(NamedTuple):
    """A rule as it is used: ``apply`` gives the replacement and its conditions, or None.

    ``kind`` is that of the terms it is for; ``needs`` what they are made of (see `signature`), so that most rules need
    not be tried.
    """

    text: str
    why: str
    kind: str
    apply: Callable[[Any], tuple[Expr, tuple[Condition, ...]] | None]
    needs: frozenset[str] = frozenset()
    tags: str = "short"
    is_example: bool = False  # the text shows what an algorithm does, of which a term is another example

    @property
    def reason(self) -> str:
        """What is said of a term that was rewritten."""
        return self.why if self.is_example else f"{self.text}: {self.why}" if self.why else self.text


def compiled(rule: Rule) -> Rewrite:
    """A rule, ready for use."""
    pattern, replacement = in_search_order(read(rule.pattern)), read(rule.replacement)
    readers = readers_of(pattern)
    conditions = [c for c in conditions_of(rule.where) if c[1] != INVERTIBLE]  # asked where the inverse was recorded
    fits, wanted = WHEN.get(rule.when, WHEN[""]), WANTED.get(rule.when)

    def apply(term: Any) -> tuple[Expr, tuple[Condition, ...]] | None:
        if readers and not sums_like(term, readers, len(pattern.factors)):
            return None
        for after, bound in found(pattern, replacement, term, lambda b: fits(b) and (not wanted or wanted(b, term))):
            if after is not term:
                asked = [(build_whole(base, bound), kind) for base, kind in conditions]
                return after, tuple([(t, kind) for t, kind in asked if not (kind == SYMMETRIC and t.symmetric)])
        return None

    kind = {Product: "ein", Sum: "add", Whole: "call"}.get(type(pattern), "map")
    needs = needs_of(pattern) | ({DECLARED[rule.when]} if rule.when in DECLARED else set())
    return Rewrite(f"{rule.pattern} → {rule.replacement}", rule.why, kind, apply, needs, rule.tags)


SYMMETRIC, INVERTIBLE = "is symmetric", "has an inverse"


def conditions_of(where: str) -> list[tuple[Any, str]]:
    """What a rule's ``where`` asks: what each condition is about, and what it says of it."""
    return [_condition(part.strip()) for part in where.split(" and ") if part]


def _condition(text: str) -> tuple[Any, str]:
    for said_of_it in (SYMMETRIC, INVERTIBLE):
        if text.endswith(said_of_it):
            return read(text[: -len(said_of_it)]), said_of_it
    for sign in COMPARISONS:
        if text.endswith(f" {sign} 0"):
            return read(text[:-4]), f"{sign} 0"
    raise FormulaError(
        f"a rule's condition {text!r} is not understood", "", "Write 'a > 0', 'det(A) ≠ 0' or 'K is symmetric'."
    )


def build_whole(pattern: Any, bound: Bound) -> Expr:
    """What a condition is about: an operand, an array."""
    if isinstance(pattern, Hole):
        return bound[pattern.name][0] if pattern.name in bound else bound[pattern.name + "["]
    return build(pattern, bound)[0]


def said(conditions: tuple[Condition, ...]) -> str:
    """Conditions in words."""
    return ", ".join(dict.fromkeys([words(t, kind) for t, kind in conditions]))


def _pass(text: str, why: str, kind: str, function: Any, *needs: str, tags: str = "short") -> Rewrite:
    def apply(term: Expr) -> tuple[Expr, tuple[Condition, ...]] | None:
        after = function(term)
        return None if after is None else (after, ())

    return Rewrite(text, why, kind, apply, frozenset(needs), tags, True)


_COMMUTES = "a matrix commutes with its multiples"


def passes() -> list[Rewrite]:
    """What is an algorithm rather than a pattern."""
    q, both = _quotients, "short stable"
    return [
        _pass("σ(−u) → 1 − σ(u)", "1 − σ is σ of the opposite, which is there too", "add",
              _algorithms.opposite_sigmoids, "sigmoid"),
        _pass("S φ(u) = K e⁻ᵃ φ(v)", "two normal densities that are multiples of each other", "add",
              _exponentials.one_exponential, "normal_pdf"),
        _pass("exp(−u²/2)/√(2π) → φ(u)", "the density of the normal distribution", "ein", _exponentials.density, "exp"),
        _pass("a + exp(−u²/2)/√(2π) → a + φ(u)", "the normal density", "add", _exponentials.densities, "exp"),
        _pass("e²ᵘ/(Σ eᵘ)² → softmax(u)²", "the definition of softmax", "ein", _softmax.power, "exp", "pow_scalar",
              tags=both),
        *[_pass(f"{name}(u − c) → {name}(u){rest}", "what is the same for all entries goes out", "call",
                _softmax.shift, name,
                tags=both) for name, rest in zip(_softmax.SHIFTED, ("", "", " − c"), strict=True)],
        _pass("Σ (x − m) → Σ x − n m", "deviations from a mean, summed one by one", "ein",
              _algorithms.sum_of_deviations, "+"),
        _pass("⟨A, L(tAᵀ, G)⟩ → ⟨A exp(tA), G⟩", _COMMUTES, "ein", _algorithms.rate_along_itself, "matrix_exp_rate"),
        _pass("L(tA, A) → A exp(tA)", _COMMUTES, "call", _algorithms.rate_along_multiple, "matrix_exp_rate"),
        _pass("det(I + x yᵀ) → 1 + yᵀx", "but for one, the eigenvalues are 1", "call", _algorithms.det_of_rank_one,
              "det"),
        _pass("(A ⊗ B)⁻¹ → A⁻¹ ⊗ B⁻¹", "the inverse of a Kronecker product", "call", _kronecker.inverse_of_kron,
              "inv", "kron"),
        _pass("(A ⊗ B)(C ⊗ D) → AC ⊗ BD", "a product of Kronecker products, axes in pairs", "ein",
              _kronecker.product_of_krons, "kron"),
        _pass("A ⊗ B laid apart → A[i,j]·B[k,l]", "a Kronecker product by its axes in pairs", "ein",
              _kronecker.apart, "kron", "reshape_copy"),
        _pass("(A ⊗ B) vec(V) → vec(A V Bᵀ)", "a Kronecker product on axes in pairs", "ein", _kronecker.past, "kron",
              "reshape_copy"),
        _pass("reshape(reshape(x)) → x", "laid out and apart again", "ein", _kronecker.layouts, "reshape_copy"),
        _pass("Q(Qᵀx − b) → x − Q b", "a matrix meets its inverse", "ein", _algorithms.into_sum_with_inverse, "+"),
        _pass("(A B)⁻¹ → B⁻¹ A⁻¹", "a part of an inverse cancels with what is beside it", "ein",
              _algorithms.inverse_of_product, "inv"),
        _pass("1[c] u → where(c, u, 0)", "0 where the condition does not hold", "ein", _choices.guarded, "?",
              tags=both),
        _pass("1[c] a + 1[¬c] b → where(c, a, b)", "one of both conditions holds", "add", _choices.both_branches,
              "?", tags=both),
        _pass("c²(1 + x²/c²) → c² + x²", "multiplied in", "ein", q.multiplied_in, "pow_scalar", "+"),
        _pass("a(b + c/a) → a b + c", "multiplied out, since something cancels", "ein", q.expanded, "+"),
        _pass("a/s − b/s² → (a s − b)/s²", "over one denominator", "add", q.common_denominator, "pow_scalar"),
        _pass("p(1 − p)² − p²(1 − p) → p(1 − p)(1 − 2p)", "common powers in front", "add", q.common_powers, "+"),
        _pass("√(1 − x²/a²) beside √(a² − x²)", "roots that are multiples of each other", "add", q.one_root,
              "pow_scalar",
              tags="short real"),
        _pass("a + 2(b − a) → 2b − a", "multiplied out, since like terms meet", "add", q.multiplied_out, "+"),
        _pass("a/b + c/d in lowest terms", "in lowest terms", "add", _rational.lowest_terms, "pow_scalar"),
        _pass("(a + b)/(c + d) in lowest terms", "in lowest terms", "ein", _rational.lowest_terms, "+"),
        _pass("1/(x − x²) → 1/(x(1 − x))", "a divisor factored", "map", _rational.factored_divisor, "pow_scalar", "+"),
        _pass("p − 3p² + 2p³ → p(1 − p)(1 − 2p)", "a polynomial factored", "add", _rational.polynomial),
        _pass("a b + a c → a(b + c)", "the distributive law", "add", _factor.factored),
        _pass("x(a b + a c) → x a(b + c)", "the distributive law", "ein", _factor.inside_product, "+"),
        _pass("√(c²a + c⁴) → |c|√(a + c²)", "a square taken out of a root", "map", _factor.root_of_common_square,
              "pow_scalar", "+",
              tags="short real"),
        _pass("diag(a) + diag(b) → diag(a + b)", "diagonals added", "add", _factor.one_diagonal),
        _pass("a b + a c + d → a(b + c) + d", "the distributive law", "add", _factor.grouped),
    ]  # fmt: skip
