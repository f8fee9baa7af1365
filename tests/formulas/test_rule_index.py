"""What a rule needs never leaves out a term that it fits: the index beside the matching that it saves."""

import pytest

import symgrad as sg
from symgrad._trees import postorder
from symgrad.calculus.matching import found, read
from symgrad.calculus.rule_checks import instance
from symgrad.calculus.rules import RULES, WANTED, WHEN, compiled, needs_of, readers_of, signature, sums_like
from symgrad.terms.normal_form import shaped, shaped_sum

from ._derived import FEW, derivative, few
from .corpus._books import ENTRIES

BOOKS = {"few": few(ENTRIES), "others": ENTRIES[FEW // 2 :: FEW]}


@pytest.fixture(scope="module", params=["few", pytest.param("others", marks=pytest.mark.slow)])
def terms(request):
    """Terms of many kinds: what every rule is for, that beside itself and beside a vector of ones, and derivatives."""
    roots = [instance(rule) for rule in RULES]
    roots += [shaped_sum(t.shape, [(1, t, every(t)), (-3, t, every(t)[::-1])]) for t in roots if square(t)]
    roots += [shaped(t.shape[1:], 2, [(t, (t.rank - 1, *range(t.rank - 1)))]) for t in roots if t.rank]
    formulas = [derivative(entry, what) for entry in BOOKS[request.param] for what, _ in entry.textbook()]
    return list(postorder(*roots, *[f._raw for f in formulas], *[f.term for f in formulas]))


def every(term):
    return tuple(range(term.rank))


def square(term):
    return term.rank == 2 and term.shape[0] == term.shape[1]


def fits(rule, pattern, term):
    """Whether a rule fits a term, found by matching alone."""
    when, wanted = WHEN.get(rule.when, WHEN[""]), WANTED.get(rule.when)
    ways = found(pattern, read(rule.replacement), term, lambda b: when(b) and (not wanted or wanted(b, term)))
    return any(after is not term for after, _ in ways)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.pattern)
def test_a_rule_is_tried_wherever_it_fits(rule, terms):
    ready, pattern = compiled(rule), read(rule.pattern)
    mine = [t for t in terms if t.kind == ready.kind]
    tried = [t for t in mine if ready.needs <= signature(t) and ready.apply(t) is not None]
    assert tried == [t for t in mine if fits(rule, pattern, t)]
    assert tried or rule.when  # of numbers k and n as that asks, there need not be a term here


def test_what_a_pattern_needs():
    assert needs_of(read("exp(x) · exp(y)")) == {"exp", "exp twice"}
    assert needs_of(read("x · 1[x > 0]")) == set()  # x < 0 is a comparison of another name
    assert readers_of(read("Σₖ inv(A)[i,k] · A[k,j]")) == [2]
    assert readers_of(read("log(1 + exp(x))")) == []


def test_an_index_that_too_few_factors_have_is_no_sum_of_a_rule():
    X, w = sg.symbol("X", ("m", "n")), sg.symbol("w", "n")
    product = sg.formula(lambda X, w: X @ w, X, w).term
    assert sums_like(product, [2], 2)
    assert not sums_like(product, [1], 1)
    assert not sums_like(sg.formula(lambda w: 2 * w, w).term, [1], 1)
