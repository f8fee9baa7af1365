"""`vmap`: what is computed from an example's values is computed anew in each: masks, orders, indices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, hessian, vmap


@pytest.fixture
def signs():
    return sg.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0], [7.0, -8.0, -9.0], [-1.0, -2.0, -3.0]])


CHOICES = {
    "where": lambda r: sg.where(r > 0, r, -r * 10),
    "mask": lambda r: (r > 0) * r,
    "mask of a mask": lambda r: sg.logical_and(r > 0, ~(r > 5)).double() + r,
    "detached": lambda r: r * r.detach() + r.data,
    "count": lambda r: (r > 0).sum() * r,
    "argmax": lambda r: r.argmax(),
    "element at argmax": lambda r: r[r.argmax()],
    "gather at argmax": lambda r: r.gather(0, r.argmax(0, keepdim=True)),
    "sort": lambda r: r.sort()[0] * r.sort()[1],
    "order": lambda r: r[r.argsort()],
    "ranks": lambda r: r.argsort().argsort() + r,
    "one hot": lambda r: (sg.arange(3) == r.argmax()).double(),
    "sign": lambda r: r.sign() * 2 + r.round(),
    "largest": lambda r: r.max(0)[0] - r.min(0)[0] + r.amax() - r.median(),
    "clamp": lambda r: r.clamp(-1.5, r.mean()),
    "masked fill": lambda r: r.masked_fill(r > 0, 0.5),
    "no grad": lambda r: r * sg.no_grad()(lambda: r * 2)(),
    "unbind": lambda r: sum((k + 1) * v for k, v in enumerate(r)),
    "any": lambda r: sg.where((r > 5).any(), r, -r),
}


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_made_anew_in_each_example(name, signs):
    f = CHOICES[name]
    got, want = vmap(f)(signs), sg.stack([f(r) for r in signs])
    assert got.tolist() == want.tolist()
    assert got.dtype == want.dtype


@pytest.mark.parametrize("name", [n for n in CHOICES if n not in ("argmax", "one hot")])
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_of_choices_are_taken_in_each_example(name, order, signs):
    f = lambda r: (CHOICES[name](r) ** 3).sum()
    g = grad(f) if order == 1 else hessian(f)
    assert_allclose(vmap(g)(signs).tolist(), sg.stack([g(r) for r in signs]).tolist(), rtol=1e-10, atol=1e-9)


def test_masks_that_pick_different_numbers_of_elements_have_no_common_shape(signs):
    with pytest.raises(sg.ShapeError, match="equal size"):
        vmap(lambda r: r[r > 0])(signs)


INDEXED = {
    "row of a table": lambda table, x, i: table[i],
    "element": lambda table, x, i: x[i],
    "from the end": lambda table, x, i: x[i - 3],
    "loss": lambda table, x, i: -sg.log_softmax(x, 0)[i],
    "cross entropy": lambda table, x, i: sg.nn.functional.cross_entropy(x[None], i[None]),
    "one hot": lambda table, x, i: sg.nn.functional.one_hot(i, 3) * x,
    "select": lambda table, x, i: table.index_select(0, i[None]),
    "arithmetic": lambda table, x, i: x * i / 2 + i // 2,
    "full": lambda table, x, i: sg.full((2,), i) * x[0],
}


@pytest.mark.parametrize("name", INDEXED)
def test_whole_numbers_of_an_example_index_and_count(name, signs):
    table = sg.tensor(np.arange(12.0).reshape(3, 4), requires_grad=True)
    i = sg.tensor([0, 2, 2, 1])
    f = lambda x, k: INDEXED[name](table, x, k)
    got, want = vmap(f)(signs, i), sg.stack([f(x, k) for x, k in zip(signs, i, strict=True)])
    assert got.tolist() == want.tolist()
    assert got.dtype == want.dtype
    if want.requires_grad:
        assert sg.autograd.grad(got.sum(), table)[0].tolist() == sg.autograd.grad(want.sum(), table)[0].tolist()


def test_an_index_out_of_range_in_any_example_raises():
    with pytest.raises(IndexError):
        vmap(lambda x, i: x[i])(sg.ones(3, 2), sg.tensor([0, 1, 2]))


def test_whole_numbers_divided_by_zero_in_any_example_raise():
    with pytest.raises(sg.DTypeError, match="ZeroDivision"):
        vmap(lambda i: 7 // i)(sg.tensor([1, 2, 0]))
