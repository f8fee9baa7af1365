"""Builders and the simplifier keep values and find one form, whatever the order of operands; derivatives are right.

The idea to hold: a random term is a recipe (`_terms.py`), which NumPy evaluates without any of the library. The term
that is built of it, simplified, differentiated, must say the same.
"""

import pickle
import random

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from symgrad.expr._derive import derivative, gradient
from symgrad.expr._evaluate import evaluate
from symgrad.expr._simplify import simplify

from .._examples import examples
from .._numeric import gradient as differences
from .._numeric import is_smooth
from ._terms import build, point, symbol, value, write_recipe

DEEPEST = 3


def recipes(**options):
    """Recipes by number; the smaller numbers stand for the shallower ones."""
    return st.integers(0, 10**6).map(lambda k: write_recipe(random.Random(k), depth=1 + k % DEEPEST, **options))


shuffles = st.integers(0, 10**6).map(random.Random)


def agree(found, expected, tolerance=1e-8):
    """Equal where the recipe is finite and not too large: elsewhere a rewrite may say more, as in x/x = 1."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    there = np.isfinite(expected) & (np.abs(expected) < 1e8)
    scale = 1 + np.abs(expected[there]).max(initial=0)
    np.testing.assert_allclose(found[there] / scale, expected[there] / scale, rtol=0, atol=tolerance)


def numbers(recipe, at):
    """The recipe's value; programs whose values blow up on the way are left out."""
    nearby = {k: a * (1 + 1e-9 * (-1) ** i) for i, (k, a) in enumerate(at.items())}
    try:
        with np.errstate(all="ignore"):
            found, nearby = value(recipe, at), value(recipe, nearby)
    except np.linalg.LinAlgError:
        assume(False)
    with np.errstate(invalid="ignore"):
        well = np.isfinite(found).any() and np.abs(np.nan_to_num(found - nearby)).max(initial=0) < 1e-5
    assume(well)
    return found


@examples(recipes(), few=50, rest=250)
def test_a_term_has_the_value_of_what_it_was_built_from(given_):
    recipe, names = given_
    at = point(names)
    agree(evaluate(build(recipe), at), numbers(recipe, at))


@examples(recipes(), few=50, rest=250)
def test_simplifying_keeps_the_value(given_):
    recipe, names = given_
    term = simplify(build(recipe))
    for seed in range(3):
        at = point(names, seed)
        agree(evaluate(term, at), numbers(recipe, at))


@examples(recipes(), few=50, rest=250)
def test_every_rewrite_keeps_the_value(given_):
    """One by one, so that what fails names the rule."""
    recipe, names = given_
    at = point(names)
    numbers(recipe, at)
    steps = []
    simplify(build(recipe), steps)
    for step in steps:
        try:
            agree(evaluate(step.after, at), evaluate(step.before, at))
        except AssertionError as error:
            raise AssertionError(f"{step.rule}:\n{step.before}\n{step.after}") from error


@examples(recipes(), few=50, rest=250)
def test_simplifying_twice_is_simplifying_once(given_):
    term = simplify(build(given_[0]))
    assert simplify(term) is term


@examples(recipes(), shuffles, few=50, rest=250)
def test_the_order_of_operands_and_the_names_of_labels_do_not_matter(given_, r):
    term = build(given_[0])
    assert build(given_[0], r) is term


@examples(recipes(), shuffles, few=50, rest=250)
def test_simplified_terms_do_not_depend_on_the_order_either(given_, r):
    assert simplify(build(given_[0], r)) is simplify(build(given_[0]))


@examples(recipes(), few=50, rest=250)
def test_a_pickled_term_comes_back_as_itself(given_):
    for term in (build(given_[0]), simplify(build(given_[0]))):
        assert pickle.loads(pickle.dumps(term)) is term


@examples(recipes(smooth=True), st.integers(0, 9), few=50, rest=250)
def test_the_derivative_is_the_limit_of_differences(given_, choice):
    recipe, names = given_
    assume(names)
    at = point(names)
    name = sorted(names)[choice % len(names)]
    term = build(recipe)
    w = np.random.default_rng(1).normal(size=term.shape)
    found = evaluate(simplify(derivative(term, symbol(name, names[name]), at)), at)
    assert found.shape == (*term.shape, *names[name])
    found = np.tensordot(w, found, w.ndim)

    def along(a):
        with np.errstate(all="ignore"):
            return float(np.sum(w * value(recipe, {**at, name: a})))

    u = np.random.default_rng(2).normal(size=names[name])
    assume(is_smooth(lambda t: along(at[name] + t * u)) and abs(along(at[name])) < 1e6)
    expected = differences(along, at[name])
    assume(np.isfinite(expected).all() and np.abs(expected).max(initial=0) < 1e6)
    scale = 1 + np.abs(expected).max(initial=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-6)


@examples(recipes(rank=0), st.integers(0, 9), few=50, rest=250)
def test_the_reverse_gradient_is_the_forward_derivative(given_, choice):
    recipe, names = given_
    assume(names)
    at = point(names)
    numbers(recipe, at)
    name = sorted(names)[choice % len(names)]
    term, x = build(recipe), symbol(name, names[name])
    back, forth = (evaluate(simplify(d), at) for d in (gradient(term, x, at), derivative(term, x, at)))
    agree(back, forth, 1e-7)


@examples(recipes(rank=0, smooth=True), st.integers(0, 9), few=50, rest=250)
def test_the_hessian_is_symmetric(given_, choice):
    recipe, names = given_
    assume(names)
    at = point(names)
    numbers(recipe, at)
    name = sorted(names)[choice % len(names)]
    x = symbol(name, names[name])
    found = evaluate(simplify(derivative(simplify(gradient(build(recipe), x, at)), x, at)), at)
    n = x.rank
    agree(found, np.moveaxis(found, range(n), range(n, 2 * n)), 1e-7)
