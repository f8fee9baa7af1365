"""First to fourth derivatives of scaled Bessel functions at 1e-300 to 1e300, beside mpmath's of neighbouring orders."""

import functools

import numpy as np
import pytest
import scipy.special as sc
from mpmath import mp

import symgrad as sg

from ..helpers.cases import one_in

SIZES = [1e-300, 1e-100, 1e-8, 0.03, 0.9, 2.5, 4.3, 8.0, 12.0, 19.0, 24.9, 25.1, 60.0, 1e3, 1e5, 1e9, 1e15, 1e300]
SHORT = {"i0e": ("ive", 0), "i1e": ("ive", 1), "k0e": ("kve", 0), "k1e": ("kve", 1)}
CASES = [*SHORT, ("ive", 2), ("ive", 7), ("ive", 30), ("ive", 2.3), ("kve", 2), ("kve", 7), ("kve", 20), ("kve", 2.3)]


@functools.cache
def truth(name, v, x, n):
    """The n-th derivative at x > 0: 2^-n times the 2n-th difference of neighbouring orders (DLMF 10.29.5)."""
    with mp.workdps(60 + int(n * max(0, mp.log10(x)))):
        of, side = (mp.besseli, -1) if name == "ive" else (mp.besselk, 1)
        orders = [mp.mpf(v) - n + i for i in range(2 * n + 1)]
        orders = [abs(k) if name == "kve" or v % 1 == 0 else k for k in orders]
        found = sum((-1) ** i * mp.binomial(2 * n, i) * of(k, mp.mpf(x)) for i, k in enumerate(orders))
        return float(found * mp.exp(side * mp.mpf(x)) / 2**n * (-1 if name == "kve" and n % 2 else 1))


@one_in(4)
@pytest.mark.parametrize("case", CASES)
def test_derivatives_keep_ten_digits_at_every_size(case):
    name, order = SHORT.get(case, case)
    f = getattr(sc, case) if case in SHORT else functools.partial(getattr(sc, name), order)
    sizes = np.array([s for s in SIZES if s > 1e-3 or order % 1 == 0])
    points = np.concatenate([sizes, -sizes]) if name == "ive" and order % 1 == 0 else sizes
    x = sg.tensor(points, requires_grad=True)
    found = f(x)
    for n in (1, 2, 3, 4):
        (found,) = sg.autograd.grad(found.sum(), x, create_graph=True)
        want = np.array([truth(name, order, s, n) for s in sizes])
        if len(points) > len(sizes):
            want = np.concatenate([want, (-1) ** (order + n) * want])
        np.testing.assert_allclose(found.detach().numpy(), want, rtol=1e-10, atol=1e-300, err_msg=f"{n}")


@pytest.mark.parametrize("case", SHORT)
def test_formulas_programs_and_what_is_written_with_them_keep_their_digits(case):
    name, order = SHORT[case]
    f = getattr(sc, case)
    formula = sg.formula(f, sg.symbol("x")).grad("x")
    space = {}
    exec(formula.code(), space)
    program = sg.compile(lambda x: f(x).sum(), "g")
    for x in SIZES[3:]:
        want = pytest.approx(truth(name, order, x, 1), rel=1e-12)
        assert formula(x=x) == want
        assert space["f"](x) == want
        assert program(np.array([x])).item() == want
        assert sg.grad(lambda x: np.log(f(x)))(x) * f(x) == want


def test_at_0_a_derivative_is_half_of_both_sides():
    x = sg.tensor(0.0, requires_grad=True)
    for order, want in ((0, [0.0, 1.5, 0.0]), (1, [0.5, 0.0, 1.875])):
        found = sc.ive(order, x)
        for value in want:
            (found,) = sg.autograd.grad(found, x, create_graph=True)
            assert found.item() == pytest.approx(value, rel=1e-12)
