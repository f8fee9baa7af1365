"""Bessel functions: those of order 0 and 1 by SciPy's functions of one argument, scaled ones from 1e-300 to 1e300."""

import functools
import re

import numpy as np
import pytest
import scipy.special as sc
from mpmath import mp

import symgrad as sg

from ..helpers.cases import one_in

NAMES = ["j0", "j1", "y0", "y1", "i0", "i1", "k0", "k1", "i0e", "i1e", "k0e", "k1e"]
EDGES = np.array(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, -3.5, 1e-300, 1e-320, -1e-300, 700.0, 720.0, 1e5, 3e9, 1e15, 1e300]
)
GENERAL = {"j": "jv", "y": "yv", "i": "iv", "k": "kv"}


def general(name):
    """The name of the function of an order."""
    return GENERAL[name[0]] + name[2:]


@pytest.mark.parametrize("name", NAMES)
def test_values_are_scipys_bit_by_bit_in_every_form(name):
    f = getattr(sc, name)
    want = f(EDGES)
    forms = {
        "tensor": f(sg.tensor(EDGES, requires_grad=True)).detach().numpy(),
        "order": getattr(sc, general(name))(int(name[1]), sg.tensor(EDGES, requires_grad=True)).detach().numpy(),
        "formula": np.array([sg.formula(f, sg.symbol("x"))(x=v) for v in EDGES.tolist()]),
    }
    for form, got in forms.items():
        np.testing.assert_array_equal(got, want, err_msg=form)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want), err_msg=form)
    single = EDGES[:-1].astype(np.float32)
    got = f(sg.tensor(single, requires_grad=True)).detach().numpy()
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, f(single))


SLOPES = {
    "j0": lambda x: -sc.j1(x), "y0": lambda x: -sc.y1(x), "i0": sc.i1, "k0": lambda x: -sc.k1(x),
    "i0e": lambda x: sc.i1e(x) - np.sign(x) * sc.i0e(x), "k0e": lambda x: np.minimum(sc.k0e(x), 1e308) - sc.k1e(x),
    "j1": lambda x: (sc.j0(x) - sc.jv(2, x)) / 2, "y1": lambda x: (sc.y0(x) - sc.yv(2, x)) / 2,
    "i1": lambda x: (sc.i0(x) + sc.iv(2, x)) / 2, "k1": lambda x: (sc.k0(x) + sc.kv(2, x)) / -2,
    "i1e": lambda x: (sc.i0e(x) + sc.ive(2, x)) / 2 - np.sign(x) * sc.i1e(x),
    "k1e": lambda x: np.minimum(sc.k1e(x), 1e308) - (sc.k0e(x) + sc.kve(2, x)) / 2,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_slopes_are_those_of_the_neighbouring_orders(name):
    x = sg.tensor(EDGES, requires_grad=True)
    (found,) = sg.autograd.grad(getattr(sc, name)(x).sum(), x)
    with np.errstate(all="ignore"):  # far out the scaled ones' neighbours cancel: test_bessel.py
        far = (np.abs(EDGES) > 25) & name.endswith("e")
        np.testing.assert_allclose(found.numpy()[~far], SLOPES[name](EDGES)[~far], rtol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_printed_code_and_programs_call_the_short_functions(name):
    f = getattr(sc, name)
    x = np.array([0.3, 2.5])
    formula = sg.formula(f, sg.symbol("x"))
    others = set() if name.endswith("e") else {f"{name[0]}{1 - int(name[1])}"}  # slopes of the scaled have a row
    for text, called in ((formula.code(), {name}), (formula.grad("x").code(), others)):
        assert called <= set(re.findall(r"special\.(\w+)", text))
    program = sg.compile(lambda x: f(x).sum(), "fg")
    value, slope = program(x)
    text = program.code(x)
    assert {name} | others <= set(re.findall(r"special\.(\w+)", text))
    assert not re.search(r"v(e|)\([01],", text)
    assert value == pytest.approx(f(x).sum(), rel=1e-15)
    np.testing.assert_allclose(slope, SLOPES[name](x), rtol=1e-14)
    space = {}
    exec(formula.grad("x").code(), space)
    np.testing.assert_allclose([space["f"](v) for v in x], SLOPES[name](x), rtol=1e-14)


@pytest.mark.parametrize("name", ["jv", "yv", "iv", "kv", "ive", "kve"])
def test_complex_numbers_have_the_general_function_in_values_and_in_code(name):
    z = np.array([1.0 + 1.0j, 2.0 - 0.5j])
    f = getattr(sc, name)
    if name in ("ive", "kve"):  # exp(-|re z|) is no holomorphic factor: refused
        with pytest.raises(sg.DTypeError):
            f(0, sg.tensor(z, requires_grad=True))
        return
    np.testing.assert_array_equal(f(0, sg.tensor(z, requires_grad=True)).detach().numpy(), f(0, z))
    space = {}
    exec(sg.formula(lambda z: f(0, z), z).code(), space)
    np.testing.assert_array_equal(space["f"](z), f(0, z))
    inner = sg.formula(lambda x: f(1, (1 + 1j) * x).imag, np.array([1.0, 2.0]))  # real, of complex numbers inside
    exec(inner.code(), space)
    np.testing.assert_allclose(space["f"](np.array([1.0, 2.0])), f(1, (1 + 1j) * np.array([1.0, 2.0])).imag, rtol=1e-15)


def test_orders_in_arrays_and_fractions_are_computed_as_before():
    x = sg.tensor([0.5, 1.5, 2.5], requires_grad=True)
    np.testing.assert_array_equal(sc.jv([0, 1, 2], x).detach().numpy(), sc.jv([0, 1, 2], [0.5, 1.5, 2.5]))
    np.testing.assert_array_equal(sc.jv(0.5, x).detach().numpy(), sc.jv(0.5, [0.5, 1.5, 2.5]))


ORDERS = np.arange(9.0).reshape(3, 3)
OF_ORDERS = {
    "turned operand": lambda x: (sc.jv(np.arange(9.0).reshape(3, 3), x.T) * x).sum(),
    "turned result": lambda x: (sc.jv(np.arange(9.0).reshape(3, 3), x).T * x).sum(),
    "a column of orders": lambda x: sc.jv([[1.0], [2.0]], x[0]).sum(),
    "a slope that has the order": lambda x: (sc.hyperu([1.0, 2.5, -2.0], 2.0, x) * x).sum(),
    "orders that it catches": lambda x: (sc.jv(ORDERS, x) * x.T).sum(),
}


@pytest.mark.parametrize("case", OF_ORDERS)
def test_formulas_and_programs_know_to_which_entry_an_order_belongs(case):
    f, x = OF_ORDERS[case], 0.5 + np.arange(9.0).reshape(3, 3) / 8
    value, slope, bend = sg.compile(f)(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-13)
    np.testing.assert_allclose(slope, sg.grad(f)(x), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(bend, sg.jacfwd(sg.grad(f))(x), rtol=1e-12, atol=1e-14)
    formula = sg.formula(f, sg.symbol("x", (3, 3)))
    np.testing.assert_allclose(formula.grad("x")(x=x), slope, rtol=1e-12, atol=1e-14)


# Scaled ones far out, beside mpmath's of neighbouring orders ----------------------------------------------------------


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
