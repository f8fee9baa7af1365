"""`vmap` and derivatives, inside and outside each other."""

import functools
import types

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, hessian, jacfwd, jacrev, vmap


@pytest.fixture
def signs():
    return sg.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0], [7.0, -8.0, -9.0], [-1.0, -2.0, -3.0]])


def test_vmap_of_a_gradient_of_many_parameters_in_a_dictionary():
    rng = np.random.default_rng(0)
    p = {"W": sg.tensor(rng.normal(size=(3, 4))), "b": sg.tensor(rng.normal(size=4))}
    x, y = sg.tensor(rng.normal(size=(5, 3))), sg.tensor(rng.normal(size=(5, 4)))
    loss = lambda p, x, y: ((sg.tanh(x @ p["W"] + p["b"]) - y) ** 2).sum()
    per_example = vmap(grad(loss), in_dims=(None, 0, 0))
    assert per_example.plan(p, x, y).startswith("batched: ")
    got = per_example(p, x, y)
    for b in range(5):
        want = grad(loss)(p, x[b], y[b])
        assert_allclose(got["W"][b].tolist(), want["W"].tolist())
        assert_allclose(got["b"][b].tolist(), want["b"].tolist())
    assert not got["W"].requires_grad


@pytest.mark.parametrize("transform", [grad, sg.grad, hessian, sg.hessian, jacrev, jacfwd])
def test_every_derivative_inside_is_batched(transform, signs):
    f = lambda r: sg.sin(r).prod() + (r**3).sum()
    g = transform(f)
    assert "batched: " in vmap(g).plan(signs)
    assert_allclose(vmap(g)(signs).tolist(), sg.stack([g(r) for r in signs]).tolist())


@pytest.mark.parametrize("transform", [grad, sg.grad, hessian, sg.hessian])
def test_a_vmap_inside_a_derivative(transform, signs):
    w = sg.tensor([0.1, -0.2, 0.3])
    batched = lambda w: sg.vmap(lambda r: sg.sin(r @ w))(signs).sum()
    plain = lambda w: sg.sin(signs @ w).sum()
    assert_allclose(transform(batched)(w).tolist(), transform(plain)(w).tolist())


def test_derivatives_of_vmap_of_derivatives(signs):
    w = sg.tensor([0.1, -0.2, 0.3], requires_grad=True)
    loss = lambda w, r: sg.sin(r @ w) ** 2
    squared = (vmap(grad(loss), in_dims=(None, 0))(w, signs) ** 2).sum()
    loops = sum((grad(loss)(w, r) ** 2).sum() for r in signs)
    (first,) = sg.autograd.grad(squared, w, create_graph=True)
    (expected,) = sg.autograd.grad(loops, w, create_graph=True)
    assert_allclose(first.tolist(), expected.tolist())
    (second,) = sg.autograd.grad(first.sum(), w)
    assert_allclose(second.tolist(), sg.autograd.grad(expected.sum(), w)[0].tolist())


def test_a_tensor_with_a_history_that_the_function_catches_is_reached(signs):
    w = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = w * 2

    model = types.SimpleNamespace(weights={"h": h})

    def call(r, model):
        return (r * model.weights["h"]).sum()

    for f in (lambda r: (h * r).sum(), functools.partial(lambda k, r: (k * r).sum(), h), lambda r: call(r, model)):
        out = vmap(f)(signs)
        assert_allclose(sg.autograd.grad(out.sum(), h, retain_graph=True)[0].tolist(), signs.sum(0).tolist())
    assert vmap(lambda r: (h * r).sum()).plan(signs) == "batched: 2 operations"
    out = vmap(lambda r, k: (k * r).sum(), in_dims=(0, None))(signs, h)
    assert_allclose(sg.autograd.grad(out.sum(), h)[0].tolist(), signs.sum(0).tolist())


def test_no_history_is_made_where_there_was_none(signs):
    assert not vmap(grad(lambda r: (r**3).sum()))(signs).requires_grad
    w = sg.ones(3, requires_grad=True)
    with sg.no_grad():
        assert not vmap(lambda r: r @ w)(signs).requires_grad
        assert vmap(grad(lambda r: sg.sin(r @ w)))(signs).shape == (4, 3)


def test_what_is_detached_inside_gets_no_gradient():
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    vmap(lambda r: (r * r.detach()).sum())(x).sum().backward()
    assert x.grad.tolist() == x.tolist()


def test_three_nested_batches():
    a, b, c = sg.arange(2.0), sg.arange(3.0), sg.arange(4.0)
    f = vmap(vmap(vmap(lambda x, y, z: sg.sin(x + y * z), (None, None, 0)), (None, 0, None)), (0, None, None))
    expected = sg.sin(a[:, None, None] + b[:, None] * c)
    assert_allclose(f(a, b, c).tolist(), expected.tolist())
    assert f.plan(a, b, c).startswith("batched: ")


def test_a_function_of_rows_that_uses_the_whole_batch(signs):
    f = lambda r: sg.vmap(lambda s: ((r - s) ** 2).sum())(signs)
    expected = ((signs[:, None] - signs) ** 2).sum(-1)
    assert_allclose(sg.vmap(f)(signs).tolist(), expected.tolist())
