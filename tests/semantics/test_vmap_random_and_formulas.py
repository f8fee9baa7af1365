"""`vmap` of functions that draw random numbers, and of symbols."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import vmap


@pytest.fixture
def rows():
    return sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_random_numbers_are_refused_different_or_the_same(rows):
    f = lambda r: r * 0 + sg.rand(3)
    with pytest.raises(RuntimeError, match="random"):
        vmap(f)(rows)
    sg.manual_seed(0)
    different = vmap(f, randomness="different")(rows)
    assert different[0].tolist() != different[1].tolist()
    sg.manual_seed(0)
    same = vmap(f, randomness="same")(rows)
    assert same[0].tolist() == same[1].tolist() == different[0].tolist()
    sg.manual_seed(0)
    sg.rand(3)
    after = sg.rand(1).item()
    sg.manual_seed(0)
    vmap(f, randomness="same")(rows)
    assert sg.rand(1).item() == after


def test_a_loop_after_a_trace_draws_what_a_loop_would_have_drawn(rows):
    f = lambda r: r * 0 + sg.rand(3) if r.sum() > 10 else sg.rand(3)
    sg.manual_seed(0)
    expected = sg.stack([f(r) for r in rows]).tolist()
    sg.manual_seed(0)
    assert vmap(f, randomness="different")(rows).tolist() == expected


# ------------------------------------------------------------------------------------------------------------ formulas


def test_a_formula_of_a_batch_holds_for_every_size():
    X, w = sg.symbol("X", ("N", "n")), sg.symbol("w", "n")
    data, weights = np.random.default_rng(0).normal(size=(5, 4)), np.arange(4.0)
    losses = sg.vmap(lambda x: sg.log1p(sg.exp(x @ w)))(X)
    assert str(losses.shape) == "symgrad.Size([N])"
    assert_allclose(losses.formula()(X=data, w=weights), np.log1p(np.exp(data @ weights)))
    means = sg.vmap(lambda x: (x**2).sum() / x.shape[0])(X)
    assert_allclose(means.formula()(X=data), (data**2).mean(1))
    gradients = sg.vmap(sg.grad(lambda x: (x**3).sum()))(X)
    assert str(gradients.formula()) == "3X^∘2"


def test_a_formula_of_a_function_with_a_vmap_inside():
    f = lambda X: sg.vmap(lambda x: sg.exp(x).sum())(X).sum()
    assert str(sg.formula(f, sg.symbol("X", ("N", "n")))) == "sum(exp(X))"
    assert str(sg.grad(f)(sg.symbol("X", ("N", "n")))) == "exp(X)"
    x = sg.tensor([[0.1, 0.2]], requires_grad=True, name="x")
    assert str(sg.vmap(lambda r: (r**2).sum())(x).sum().formula()) == "‖x‖²"


def test_a_loop_over_a_size_without_a_number_is_refused():
    X = sg.symbol("X", ("N", "n"))
    with pytest.raises(sg.SymbolicBranchError):
        vmap(lambda x: x if x.sum() > 0 else -x)(X)


GENERATED = {
    "rand": lambda g: sg.rand(6, generator=g), "normal_": lambda g: sg.zeros(6).normal_(generator=g),
    "randperm": lambda g: sg.randperm(6, generator=g), "randint": lambda g: sg.randint(0, 99, (6,), generator=g),
    "bernoulli": lambda g: sg.bernoulli(sg.full((6,), 0.5), generator=g),
    "both": lambda g: sg.rand(6) + sg.rand(6, generator=g),
}  # fmt: skip


@pytest.mark.parametrize("chunk_size", [None, 3])
@pytest.mark.parametrize("name", GENERATED)
def test_a_generator_of_ones_own_is_as_random_as_it_is_said(name, chunk_size):
    def seeded():
        sg.manual_seed(1)
        return sg.Generator().manual_seed(3)

    draw, g = GENERATED[name], seeded()
    first, second = draw(g), draw(g)
    g = seeded()
    found = sg.vmap(lambda a: a * draw(g), randomness="same", chunk_size=chunk_size)(sg.ones(4, 6))
    assert (found == first).all() and (draw(g) == second).all()
    g = seeded()
    found = sg.vmap(lambda a: a * draw(g), randomness="different", chunk_size=chunk_size)(sg.ones(4, 6))
    assert len(set(map(tuple, found.tolist()))) == 4 or name == "bernoulli"
