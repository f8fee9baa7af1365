"""Softmax and log Σ exp as they are written by hand: formulas, programs and numbers are those of the functions."""

import numpy as np
import pytest

import symgrad as sg

RNG = np.random.default_rng(3)
Z = RNG.standard_normal((4, 3))
W = RNG.standard_normal((4, 3))


def by_rows(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def whole(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def log_total(z):
    m = z.max(axis=1, keepdims=True)
    return np.log(np.exp(z - m).sum(axis=1)) + m[:, 0]


FUNCTIONS = {
    "rows": (lambda z: (by_rows(z) * W).sum(), lambda z: (sg.softmax(z, 1) * W).sum()),
    "squares": (lambda z: (by_rows(z) ** 2).sum(), lambda z: (sg.softmax(z, 1) ** 2).sum()),
    "cubes, weighted": (lambda z: (by_rows(z) ** 3 * W).sum(), lambda z: (sg.softmax(z, 1) ** 3 * W).sum()),
    "all entries": (lambda z: (whole(z) ** 2 * W).sum(), lambda z: ((np.exp(z) / np.exp(z).sum()) ** 2 * W).sum()),
    "log of the sum": (lambda z: (log_total(z) ** 2).sum(), lambda z: (sg.logsumexp(z, 1) ** 2).sum()),
    "cross entropy": (lambda z: -(np.log(by_rows(z)) * W).sum(), lambda z: -(sg.log_softmax(z, 1) * W).sum()),
    "products": (
        lambda z: (by_rows(z)[:, :, None] * by_rows(z)[:, None, :]).sum(0)[0, 1],
        lambda z: (sg.softmax(z, 1)[:, :, None] * sg.softmax(z, 1)[:, None, :]).sum(0)[0, 1],
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_formulas_are_those_of_the_function(name):
    by_hand, known = FUNCTIONS[name]
    for derivative in (sg.grad, sg.hessian):
        mine, truth = derivative(by_hand), derivative(known)
        assert str(mine.formula(Z)) == str(truth.formula(Z))
        np.testing.assert_allclose(mine(Z), truth(Z), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_have_no_trace_of_the_maximum(name):
    by_hand, known = FUNCTIONS[name]
    compiled = sg.compile(by_hand, "gh")
    assert "np.max" not in compiled.code(Z).split("\ndef ")[-1]
    tied = np.round(Z)  # two entries of a row are its maximum
    for at in (Z, tied, 20 * Z):
        for mine, truth in zip(compiled(at), (sg.grad(known)(at), sg.hessian(known)(at)), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-8, atol=1e-10)


def test_masked_entries_have_no_weight():
    z = np.array([[0.5, -np.inf, 0.2]])
    f = sg.compile(lambda z: (by_rows(z) * np.arange(3.0)).sum(), "g")
    np.testing.assert_allclose(f(z), sg.grad(lambda z: (sg.softmax(z, 1) * np.arange(3.0)).sum())(z), atol=1e-15)


def test_what_is_the_same_along_the_axis_is_taken_off():
    z, Y, v, s = sg.symbol("z", "n"), sg.symbol("Y", ("n", "m")), sg.symbol("v", "n"), sg.symbol("s")
    assert str(sg.formula(lambda Y, v: sg.softmax(Y + v[:, None], 1), Y, v)) == "softmax(Y)"
    assert str(sg.formula(lambda Y, v: sg.softmax(Y + v[:, None], 0), Y, v)) == "softmax(Y + v𝟏ᵀ, dim=0)"
    assert str(sg.formula(lambda Y, v: sg.logsumexp(2 * Y - 3 * v[:, None], 1), Y, v)) == "logsumexp(2Y, dim=1) − 3v"
    assert str(sg.formula(lambda z, s: sg.logsumexp(z - s, 0), z, s)) == "logsumexp(z) − s"
    found = sg.formula(lambda z, s: sg.softmax(z + sg.log(s), 0), z, s)
    assert str(found) == "softmax(z)" and found.conditions == ["s > 0"]


def test_powers_that_are_not_those_of_one_softmax_stay():
    z, Y = sg.symbol("z", "n"), sg.symbol("Y", ("n", "n"))
    for f, at in (
        (lambda z: np.exp(2 * z) / np.exp(z).sum() ** 3, z),
        (lambda z: np.exp(3 * z) / np.exp(z).sum() ** 2, z),
        (lambda z: np.exp(3 * z) / np.exp(2 * z).sum() ** 2, z),
        (lambda z: (np.exp(z) / np.exp(z.T).sum(1, keepdims=True)) ** 2, Y),
    ):
        found = sg.formula(f, at)
        assert "softmax" not in str(found)
        point = RNG.standard_normal([3] * at.ndim)
        np.testing.assert_allclose(found(**{at.name: point}), f(point))
    pairs = sg.formula(lambda z: np.exp(z)[:, None] * np.exp(z) / np.exp(z).sum() ** 2, z)
    assert str(pairs) == "softmax(z) softmax(z)ᵀ"
