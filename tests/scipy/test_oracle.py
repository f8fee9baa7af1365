"""Values, first and second derivatives of SciPy's functions beside mpmath's at 50 digits, complex ones too."""

import itertools
import json

import mpmath
import numpy as np
import pytest
import scipy.special as sc
from mpmath import mp

import symgrad as sg

from ..helpers.cases import one_in
from ._measured import errors, read
from ._oracle import CASES, HELD_OUT, OPEN, truths

TRUTHS = read(OPEN)


@one_in(6)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_are_those_of_mpmath(name):
    assert len(TRUTHS[name]) == len(CASES[name].points[::2])
    for row, (value, first, second) in zip(TRUTHS[name], errors(name, TRUTHS[name]), strict=True):
        assert max(value, *first, *second, 0.0) <= CASES[name].within, (
            f"{name}{tuple(row[0])}: {value}, {first}, {second}"
        )


@pytest.mark.parametrize("name", ["gammainc", "ellipkinc", "struve", "stdtr", "betaincinv"])
def test_the_file_of_truths_is_what_mpmath_says(name):
    rows = truths(CASES[name], CASES[name].points[:3])
    assert json.loads(json.dumps(rows[::2])) == TRUTHS[name][:2]


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize(("name", "truth"), [("struve", mp.struveh), ("modstruve", mp.struvel)])
def test_struves_functions_at_0_have_derivatives_of_every_order(name, truth, order):
    def f(x):
        return getattr(sg.scipy.special, name)(order, x)

    for k, coefficient in enumerate(mp.taylor(lambda x: truth(order, x), 0, 4)):
        np.testing.assert_allclose(f(np.array(0.0)), float(coefficient * mp.factorial(k)), atol=1e-9)
        f = sg.grad(f)


# Points that were set aside while the rules were written --------------------------------------------------------------


TRUTHS_HELD_OUT = read(HELD_OUT)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_at_points_held_out_are_those_of_mpmath(name):
    assert len(TRUTHS_HELD_OUT[name]) == len(CASES[name].points[1::2])
    for row, (value, first, second) in zip(TRUTHS_HELD_OUT[name], errors(name, TRUTHS_HELD_OUT[name]), strict=True):
        assert max(value, *first, *second, 0.0) <= CASES[name].within, (
            f"{name}{tuple(row[0])}: {value}, {first}, {second}"
        )


# Complex numbers, in PyTorch's convention -----------------------------------------------------------------------------


Z = np.array([0.7 + 0.4j, -1.2 + 2.0j, 3.0 - 0.5j])

FUNCTIONS = {
    "erf": (sc.erf, mpmath.erf), "erfc": (sc.erfc, mpmath.erfc), "erfi": (sc.erfi, mpmath.erfi),
    "wofz": (sc.wofz, lambda z: mpmath.exp(-z * z) * mpmath.erfc(-1j * z)), "exp1": (sc.exp1, mpmath.e1),
    "Si": (lambda z: sc.sici(z)[0], mpmath.si), "Ci": (lambda z: sc.sici(z)[1], mpmath.ci),
    "Shi": (lambda z: sc.shichi(z)[0], mpmath.shi),
    "S": (lambda z: sc.fresnel(z)[0], mpmath.fresnels),
    "jv": (lambda z: sc.jv(1.5, z), lambda z: mpmath.besselj(1.5, z)),
    "yv": (lambda z: sc.yv(0, z), lambda z: mpmath.bessely(0, z)),
    "iv": (lambda z: sc.iv(2, z), lambda z: mpmath.besseli(2, z)),
    "kv": (lambda z: sc.kv(0.3, z), lambda z: mpmath.besselk(mpmath.mpf(0.3), z)),
    "Ai": (lambda z: sc.airy(z)[0], mpmath.airyai),
    "Bi": (lambda z: sc.airy(z)[2], mpmath.airybi), "lambertw": (lambda z: sc.lambertw(z), mpmath.lambertw),
    "hankel1": (lambda z: sc.hankel1(1.5, z), lambda z: mpmath.hankel1(1.5, z)),
    "hankel2": (lambda z: sc.hankel2(0, z), lambda z: mpmath.hankel2(0, z)),
    "hankel1, far above": (lambda z: sc.hankel1(2, z + 30j), lambda z: mpmath.hankel1(2, z + 30j)),
    "lambertw, -1": (lambda z: sc.lambertw(z, -1), lambda z: mpmath.lambertw(z, -1)),
}  # fmt: skip


@one_in(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_holomorphic_function_has_the_conjugate_of_its_derivative(name):
    call, truth = FUNCTIONS[name]
    z = sg.tensor(Z, requires_grad=True)
    (first,) = sg.autograd.grad(call(z).real.sum(), z, create_graph=True)
    (second,) = sg.autograd.grad(first.real.sum(), z)
    with mpmath.workdps(40):
        for k, at in enumerate(Z.tolist()):
            for found, order in ((first, 1), (second, 2)):
                expected = complex(mpmath.diff(truth, mpmath.mpmathify(at), order))
                assert abs(np.conj(found.detach().numpy()[k]) - expected) <= 1e-10 * abs(expected), (at, order)


@pytest.mark.parametrize("name", ["wofz", "lambertw", "hankel1", "hankel2"])
def test_of_real_numbers_a_complex_function_has_a_real_gradient(name):
    call, truth = FUNCTIONS[name]
    x = sg.tensor([0.4, 2.5, 90.0], requires_grad=True)
    (found,) = sg.autograd.grad(call(x).real.sum() + 2 * call(x).imag.sum(), x)
    assert found.dtype == sg.float64
    with mpmath.workdps(40):
        for ours, at in zip(found.tolist(), [0.4, 2.5, 90.0], strict=True):
            d = mpmath.diff(truth, mpmath.mpf(at))
            assert ours == pytest.approx(float(mpmath.re(d) + 2 * mpmath.im(d)), rel=1e-10)


@pytest.mark.parametrize("f", [sc.gamma, sc.ellipk, lambda z: sc.gammainc(2.0, z)])
def test_a_function_of_real_numbers_refuses_complex_ones(f):
    with pytest.raises(sg.DTypeError, match="complex"):
        f(sg.tensor(Z, requires_grad=True))


def test_airys_scaled_functions_have_both_derivatives_where_their_factor_has_two():
    def third(z):
        return 2 * z * mpmath.sqrt(z) / 3

    def falling(f):
        return lambda z: f(z) * mpmath.exp(third(z))

    def growing(f):
        return lambda z: f(z) * mpmath.exp(-abs(mpmath.re(third(z))))

    truths = (falling(mpmath.airyai), falling(lambda z: mpmath.airyai(z, derivative=1)), growing(mpmath.airybi),
              growing(lambda z: mpmath.airybi(z, derivative=1)))  # fmt: skip
    for at in (1 + 1j, -2 + 0.5j, 0.3 - 2j, 8 + 9j, -20 - 3j):
        z = sg.tensor(at, requires_grad=True)
        for k, truth in enumerate(truths):
            value = sc.airye(z)[k]
            assert value.item() == pytest.approx(sc.airye(at)[k], rel=1e-14)
            (first,) = sg.autograd.grad(value.real, z, create_graph=True)
            (second,) = sg.autograd.grad(first.real + 2 * first.imag, z)
            with mpmath.workdps(40):
                d = {o: float(mpmath.diff(lambda a, b, t=truth: mpmath.re(t(mpmath.mpc(a, b))), (at.real, at.imag), o))
                     for o in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))}  # fmt: skip
            assert abs(first.item() - complex(d[1, 0], d[0, 1])) <= 1e-10 * abs(first.item())
            expected = complex(d[2, 0] + 2 * d[1, 1], d[1, 1] + 2 * d[0, 2])
            assert abs(second.item() - expected) <= 1e-9 * abs(expected)


def test_airys_scaled_functions_of_real_numbers_are_scipys_at_edges():
    x = np.array([-np.inf, -3.0, -0.0, 0.0, 1e-300, 1e10, np.inf, np.nan])
    for ours, theirs in zip(sc.airye(sg.tensor(x, requires_grad=True)), sc.airye(x), strict=True):
        np.testing.assert_array_equal(ours.detach().numpy(), theirs)


# Arguments that are NaN, of plain arrays and of recorded ones ---------------------------------------------------------


def test_values_of_gauss_function_at_nan_are_scipys_recorded_too():
    points = np.array(list(itertools.product([0.0, 0.5, -1.0, 2.5, np.nan], repeat=4))).T
    for k in range(4):
        operands = [*points]
        operands[k] = sg.tensor(points[k], requires_grad=True)
        np.testing.assert_allclose(sc.hyp2f1(*operands).detach().numpy(), sc.hyp2f1(*points), rtol=1e-14)


@pytest.mark.parametrize("branch", [0, -1, 2])
def test_a_branch_of_lambertw_at_complex_numbers_warns_of_nothing(branch):
    """NumPy casts all operands of a ufunc to one dtype, whole numbers too."""
    z = 0.5 + 0.3j
    w = sc.lambertw(z, branch)
    found = sg.grad(lambda z: sc.lambertw(z, branch), holomorphic=True)(z)
    assert found == pytest.approx(w / (z * (1 + w)))
    assert sg.grad(lambda z: sc.lambertw(z, branch).real)(z) == pytest.approx(np.conj(found))
