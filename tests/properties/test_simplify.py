"""Builders and the simplifier keep values and find one form, whatever the order of operands; derivatives are right.

The idea to hold: a random term is a recipe (`_terms.py`), which NumPy evaluates without any of the library. The term
that is built of it, simplified, differentiated, must say the same.
"""

import pickle
import random

import numpy as np

from symgrad.calculus.derive import derivative, gradient
from symgrad.calculus.rewriting import simplify
from symgrad.terms.evaluation import evaluate

from ..helpers.examples import seeds
from ..helpers.numeric import gradient as differences
from ..helpers.numeric import is_smooth
from ._terms import build, point, symbol, value, write_recipe

DEEPEST = 3


def recipe_of(seed, **options):
    """The recipe of a number."""
    return write_recipe(random.Random(seed), depth=1 + seed % DEEPEST, **options)


def one_of(names, seed):
    """The name of a symbol."""
    return sorted(names)[seed // DEEPEST % len(names)]


def agree(found, expected, tolerance=1e-8):
    """Equal where the recipe is finite and not too large: elsewhere a rewrite may say more, as in x/x = 1."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    there = np.isfinite(expected) & (np.abs(expected) < 1e8)
    scale = 1 + np.abs(expected[there]).max(initial=0)
    np.testing.assert_allclose(found[there] / scale, expected[there] / scale, rtol=0, atol=tolerance)


def numbers(recipe, at):
    """The recipe's value; None where values blow up on the way."""
    nearby = {k: a * (1 + 1e-9 * (-1) ** i) for i, (k, a) in enumerate(at.items())}
    try:
        with np.errstate(all="ignore"):
            found, nearby = value(recipe, at), value(recipe, nearby)
    except np.linalg.LinAlgError:
        return None
    with np.errstate(invalid="ignore"):
        well = np.isfinite(found).any() and np.abs(np.nan_to_num(found - nearby)).max(initial=0) < 1e-5
    return found if well else None


def test_most_recipes_have_a_value_and_symbols():
    recipes = map(recipe_of, range(60))
    assert sum(bool(names) and numbers(recipe, point(names)) is not None for recipe, names in recipes) >= 40


@seeds(50)
def test_a_term_has_the_value_of_what_it_was_built_from(seed):
    recipe, names = recipe_of(seed)
    at = point(names)
    expected = numbers(recipe, at)
    if expected is not None:
        agree(evaluate(build(recipe), at), expected)


@seeds(50)
def test_simplifying_keeps_the_value(seed):
    recipe, names = recipe_of(seed)
    term = simplify(build(recipe))
    for at in (point(names, k) for k in range(3)):
        expected = numbers(recipe, at)
        if expected is not None:
            agree(evaluate(term, at), expected)


@seeds(50)
def test_every_rewrite_keeps_the_value(seed):
    """One by one, so that what fails names the rule."""
    recipe, names = recipe_of(seed)
    at = point(names)
    if numbers(recipe, at) is None:
        return
    steps = []
    simplify(build(recipe), steps)
    for step in steps:
        try:
            agree(evaluate(step.after, at), evaluate(step.before, at))
        except AssertionError as error:
            raise AssertionError(f"{step.rule}:\n{step.before}\n{step.after}") from error


@seeds(50)
def test_simplifying_twice_is_simplifying_once(seed):
    term = simplify(build(recipe_of(seed)[0]))
    assert simplify(term) is term


@seeds(50)
def test_the_order_of_operands_and_the_names_of_labels_do_not_matter(seed):
    recipe, _ = recipe_of(seed)
    assert build(recipe, random.Random(seed + 1)) is build(recipe)


@seeds(50)
def test_simplified_terms_do_not_depend_on_the_order_either(seed):
    recipe, _ = recipe_of(seed)
    assert simplify(build(recipe, random.Random(seed + 1))) is simplify(build(recipe))


@seeds(50)
def test_a_pickled_term_comes_back_as_itself(seed):
    recipe, _ = recipe_of(seed)
    for term in (build(recipe), simplify(build(recipe))):
        assert pickle.loads(pickle.dumps(term)) is term


@seeds(50)
def test_the_derivative_is_the_limit_of_differences(seed):
    recipe, names = recipe_of(seed, smooth=True)
    if not names:
        return
    at = point(names)
    name = one_of(names, seed)
    term = build(recipe)
    w = np.random.default_rng(1).normal(size=term.shape)
    found = evaluate(simplify(derivative(term, symbol(name, names[name]), at)), at)
    assert found.shape == (*term.shape, *names[name])
    found = np.tensordot(w, found, w.ndim)

    def along(a):
        with np.errstate(all="ignore"):
            return float(np.sum(w * value(recipe, {**at, name: a})))

    u = np.random.default_rng(2).normal(size=names[name])
    if not (is_smooth(lambda t: along(at[name] + t * u)) and abs(along(at[name])) < 1e6):
        return
    expected = differences(along, at[name])
    if not (np.isfinite(expected).all() and np.abs(expected).max(initial=0) < 1e6):
        return
    scale = 1 + np.abs(expected).max(initial=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-6)


@seeds(50)
def test_the_reverse_gradient_is_the_forward_derivative(seed):
    recipe, names = recipe_of(seed, rank=0)
    at = point(names)
    if not names or numbers(recipe, at) is None:
        return
    name = one_of(names, seed)
    term, x = build(recipe), symbol(name, names[name])
    back, forth = (evaluate(simplify(d), at) for d in (gradient(term, x, at), derivative(term, x, at)))
    agree(back, forth, 1e-7)


@seeds(50)
def test_the_hessian_is_symmetric(seed):
    recipe, names = recipe_of(seed, rank=0, smooth=True)
    at = point(names)
    if not names or numbers(recipe, at) is None:
        return
    name = one_of(names, seed)
    x = symbol(name, names[name])
    found = evaluate(simplify(derivative(simplify(gradient(build(recipe), x, at)), x, at)), at)
    n = x.rank
    agree(found, np.moveaxis(found, range(n), range(n, 2 * n)), 1e-7)
