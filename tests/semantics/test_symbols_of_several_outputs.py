"""Operations with several outputs on what has no gradient (masks, orders, detached symbols): each output is a formula.

The idea to hold: a formula is asked at another point than the one that stands in for the symbol, where a number that
was frozen into it would show.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg

POINT = np.array([-1.3, 0.4, 2.2, -0.2, 0.9, -3.1])
MATRIX = np.array([[2.0, -1.0, 0.3], [0.5, -1.5, 1.0], [0.1, 0.7, -3.0]])


@pytest.fixture
def x():
    return sg.symbol("x", 6)


@pytest.fixture
def A():
    return sg.symbol("A", (3, 3))


PARTS = {
    "split of a comparison": lambda x: (x > 0).split(2)[1] * 1.0,
    "split of a comparison in given sizes": lambda x: (x > 0).split([1, 3, 2])[1] * 1.0,
    "last of the chunks of a comparison, counted": lambda x: (x > 0).chunk(3)[2].sum() * x[0],
    "unbind of a comparison": lambda x: sg.where((x > 0).unbind(0)[3], x[0], -x[0]),
    "iteration over a comparison": lambda x: sum((k + 1.0) * m * x[0] for k, m in enumerate(x > 0)),
    "parts of a part": lambda x: (x > 0).split(3)[1].unbind(0)[1] * x[2],
    "split of an order": lambda x: x.argsort().split(3)[0] * 1.0,
    "unbind of an order": lambda x: x.argsort().unbind(0)[0] * x[1],
    "extremes of whole numbers": lambda x: x.argsort()[:4].aminmax()[1] * x[0],
    "extremes of a comparison": lambda x: (x > 1.0).long().aminmax()[1] * 2.0,
    "unbind of what is detached": lambda x: x.detach().unbind(0)[2] * x[1],
    "split of what is detached": lambda x: x.detach().split(3)[1] * x.split(3)[0],
    "variance and mean of what is detached": lambda x: sg.var_mean(x.detach())[0] * x[0],
    "under no_grad": lambda x: sg.no_grad()(lambda: (x * 2).split(3)[1])() * x[0],
    "a count of a comparison": lambda x: (x > 0).sum() * x[0],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_what_has_no_gradient_is_a_formula_at_every_point(name, x):
    f = PARTS[name]
    here, there = np.asarray(x._data), POINT
    want = f(sg.tensor(there)).numpy()
    assert not np.allclose(want, f(sg.tensor(here)).numpy())
    assert_allclose(f(x).formula()(x=there), want)
    assert_allclose(sg.formula(f, x)(x=there), want)


DECOMPOSITIONS = {
    "logarithm of a determinant": lambda A: sg.linalg.slogdet(A.detach())[1] * A[0, 0],
    "eigenvalues": lambda A: sg.linalg.eigh((A @ A.T).detach())[0],
    "singular values": lambda A: sg.linalg.svd(A.detach())[1],
    "a triangle": lambda A: sg.linalg.qr(A.detach())[1].abs(),
}


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_a_decomposition_of_a_detached_symbol_is_a_formula_at_every_point(name, A):
    f = DECOMPOSITIONS[name]
    assert_allclose(f(A).formula()(A=MATRIX), f(sg.tensor(MATRIX)).numpy())


def test_no_gradient_flows_through_the_parts(x):
    for part in ((x > 0).split(2)[1], x.detach().unbind(0)[0], x.argsort().split(2)[0]):
        assert type(part) is sg.Symbol
        assert not part.requires_grad and part.is_leaf and part.grad_fn is None
    with pytest.raises(sg.FormulaError, match="'x' also occurs detached"):  # not the derivative of one that is not
        sg.grad(lambda x: (x.detach().split(3)[1] * x.split(3)[0]).sum())(x)


def test_a_gradient_keeps_the_masks_parts(x):
    g = sg.grad(lambda x: ((x > 0).split(2)[1] * x.split(2)[0] ** 2).sum())(x)
    want = np.zeros(6)
    want[:2] = 2 * POINT[:2] * (POINT > 0)[2:4]
    assert_allclose(g(x=POINT), want)


def test_parts_say_in_print_what_they_are(x):
    assert str((x > 0).split(2)[1].formula()) == "1[x > 0][2:4]"
    assert repr(x.detach().unbind(0)[2]) == "symbol(x₂)"
    assert repr(x.argsort().aminmax()[1]) == "symbol(aminmax(argsort(x))[1])"


def test_the_values_of_parts_stay_hidden(x):
    for part in ((x > 0).unbind(0)[0], x.argsort().unbind(0)[0]):
        with pytest.raises(sg.SymbolicBranchError):
            bool(part)


def test_parts_keep_named_sizes():
    v = sg.symbol("v", "n")
    mask = (v > 0).unsqueeze(0).unbind(0)[0]
    assert mask.shape == v.shape
    assert_allclose((mask * v).formula()(v=np.array([1.0, -2.0, 3.0])), [1.0, 0.0, 3.0])
