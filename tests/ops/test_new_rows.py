"""A row with a ``dim`` of its own, declared once: batched, pushed forward, printed and tested by what it says.

The idea to hold: nothing but the declarations below is written for these rows anywhere; whatever works follows from
them.
"""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import symgrad as sg
from symgrad.core import TABLE, computed, edge, general, multilinear
from symgrad.programs.sparsity.pattern import hessian_pattern
from symgrad.sweep import directions

from ..helpers.numeric import assert_close


def declare():
    def back(g, dim):
        return sg.flip(sg.cumsum(sg.flip(g, (dim,)), dim), (dim,))

    def within(g, x, dims, most):
        norm = np.sqrt(np.sum(x * x, axis=dims, keepdims=True))
        scaled = most / norm * (g - x * np.sum(g * x, axis=dims, keepdims=True) / (norm * norm))
        return np.where(norm <= most, g, scaled)

    def to_the_largest(g, x, y, dim, size):
        total, left = 0, np.ones_like(g)  # the first of those that tie has it
        for k in range(size):
            part = (slice(None),) * dim + (slice(k, k + y.shape[dim]),)
            hit = np.where(x[part] == y, left, 0)
            left = left - hit
            widths = [(k, size - 1 - k) if d == dim else (0, 0) for d in range(y.ndim)]
            total = total + np.pad(hit * g, widths)
        return total

    general(
        "cumlogsumexp2", lambda x, dim: np.log2(np.cumsum(np.exp2(x), dim)),
        lambda g, x, y, dim: np.exp2(x) * back(g * np.exp2(-y), dim),
        means="axis", sample=(1,), doc="the logarithm to base 2 of the sum of 2**x up to here, along dim",
    )  # fmt: skip
    general(
        "renormed", lambda x, dims, most: x * np.minimum(1, most / np.sqrt(np.sum(x * x, dims, keepdims=True))),
        lambda g, x, dims, most: within(g, x, dims, most),
        means="axes option", sample=((1,), 1.5), doc="x, scaled so that its norm over dims is at most so much",
    )  # fmt: skip
    general(
        "sliding_max", lambda x, dim, size: sliding_window_view(x, size, dim).max(-1),
        lambda g, x, y, dim, size: to_the_largest(g, x, y, dim, size),
        means="axis option", pieces=True, sample=(1, 2), doc="the largest of each window of so many along dim",
    )  # fmt: skip


NAMES = ("cumlogsumexp2", "renormed", "sliding_max")
CALLS = {"cumlogsumexp2": [(0,), (1,), (2,)], "renormed": [((0,), 1.5), ((1, 2), 2.0)], "sliding_max": [(0, 2), (2, 3)]}
CASES = [(name, params) for name in NAMES for params in CALLS[name]]


@pytest.fixture(autouse=True)
def new_rows():
    declare()
    yield
    for name in NAMES:
        del TABLE[name]


def values(seed=0, shape=(2, 3, 4)):
    return np.random.default_rng(seed).normal(size=shape)


def function(name, params):
    return lambda x: TABLE[name].apply(x, *params)


@pytest.mark.parametrize(("name", "params"), CASES)
def test_it_runs_on_a_batch_at_once(name, params):
    x, f = values(shape=(5, 2, 3, 4)), function(name, params)
    assert sg.vmap(f).plan(x) == "batched: 1 operation"
    assert_close(sg.vmap(f)(x), np.stack([computed(TABLE[name], [e], params) for e in x]))
    grads = sg.vmap(sg.grad(lambda x: (f(x) ** 2).sum()))
    assert "loop" not in grads.plan(x)
    assert_close(grads(x), np.stack([sg.grad(lambda x: (f(x) ** 2).sum())(e) for e in x]))


@pytest.mark.parametrize(("name", "params"), CASES)
def test_its_jacobian_is_found_at_once_both_ways_and_agrees_with_differences(name, params, monkeypatch):
    x, f = values(), function(name, params)

    def never(*_):
        raise AssertionError("one by one")

    monkeypatch.setattr(directions, "_one_by_one", never)
    monkeypatch.setattr(directions, "_each", never)
    forward, reverse = sg.jacfwd(f)(x), sg.jacrev(f)(x)
    assert_close(forward, reverse)
    t, h = values(1), 1e-6
    slope = (f(x + h * t) - f(x - h * t)) / (2 * h)
    np.testing.assert_allclose(np.tensordot(forward, t, 3), slope, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sg.jvp(f, (x,), (t,))[1], slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("name", "params"), CASES)
def test_its_gradients_are_right_to_the_second_order(name, params):
    x = sg.tensor(values(), requires_grad=True)
    assert sg.autograd.gradcheck(function(name, params), (x,), check_forward_ad=True)
    assert sg.autograd.gradgradcheck(function(name, params), (x,))


@pytest.mark.parametrize(("name", "params"), CASES)
def test_what_it_keeps_apart_is_zero_in_the_pattern_of_its_hessian(name, params):
    x = sg.tensor(values(), requires_grad=True)
    loss = (function(name, params)(x) ** 3).sum()
    H = sg.hessian(lambda x: (function(name, params)(x) ** 3).sum())(x.detach().numpy()).reshape(24, 24)
    pattern = hessian_pattern(edge(loss), [x]).toarray()
    assert not (H[~pattern] != 0).any()
    assert pattern.sum() < 24 * 24


@pytest.mark.parametrize(("name", "params", "text"), [
    ("cumlogsumexp2", (1,), "cumlogsumexp2(X, dim=1)"), ("renormed", ((0,), 1.5), "renormed(X, dims=0, most=1.5)"),
    ("sliding_max", (0, 2), "sliding_max(X, dim=0, size=2)"),
])  # fmt: skip
def test_a_formula_shows_it_by_its_name_and_parameters(name, params, text):
    X = sg.symbol("X", (4, 3))
    assert str(sg.formula(function(name, params), X)) == text


def test_what_it_means_must_be_said_of_every_parameter_and_in_words_that_there_are():
    for means in ("axis", "axis option option", "axis nonsense"):
        with pytest.raises(TypeError, match="means=.* does not say what dim, size mean"):
            general("ill_declared", lambda x, dim, size: x, lambda g: g, means=means)
    with pytest.raises(TypeError, match=r"unknown facts \['mean'\]"):
        general("ill_declared", lambda x, dim: x, lambda g: g, mean="axis")


def test_a_rule_may_use_the_methods_of_numpys_functions_at_every_order():
    mix = multilinear(
        "mix", lambda a, b: a @ b, lambda g, b: b @ g, lambda g, a: np.multiply.outer(a, g), equation="i,ij->j"
    )
    x = np.array([0.5, -1.0, 2.0])
    try:
        found = sg.hessian(lambda x: (mix(x, np.multiply.outer(x, x)) ** 2).sum())(x)
        grad = sg.jacfwd(sg.grad(lambda x: (mix(x, np.multiply.outer(x, x)) ** 2).sum()))(x)
    finally:
        del TABLE["mix"]
    assert_close(found, 6 * (x @ x) ** 2 * np.eye(3) + 24 * (x @ x) * np.outer(x, x))
    assert_close(grad, found)


def test_a_product_with_what_all_examples_share_has_its_gradient_in_its_shape():
    pairs = multilinear(
        "pairs", lambda a, b: (a * b).sum(-1), lambda g, b: g[..., None] * b, lambda g, a: g[..., None] * a,
        equation="...i,...i->...",
    )  # fmt: skip
    X, w = values(shape=(3, 4)), values(1, (4,))
    try:
        batch = sg.vmap(pairs, in_dims=(0, None))
        assert batch.plan(X, w) == "batched: 1 operation"
        assert_close(sg.grad(lambda w: (batch(X, w) ** 2).sum())(w), 2 * X.T @ (X @ w))
        assert_close(sg.jacrev(lambda w: batch(X, w))(w), X)
    finally:
        del TABLE["pairs"]
