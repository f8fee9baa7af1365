"""Functions of complex numbers: their first and second derivatives beside mpmath's, in PyTorch's convention."""

import mpmath as mp
import numpy as np
import pytest
import scipy.special as sc

import symgrad as sg

from ..helpers.cases import one_in

Z = np.array([0.7 + 0.4j, -1.2 + 2.0j, 3.0 - 0.5j])

FUNCTIONS = {
    "erf": (sc.erf, mp.erf), "erfc": (sc.erfc, mp.erfc), "erfi": (sc.erfi, mp.erfi),
    "wofz": (sc.wofz, lambda z: mp.exp(-z * z) * mp.erfc(-1j * z)), "exp1": (sc.exp1, mp.e1),
    "Si": (lambda z: sc.sici(z)[0], mp.si), "Ci": (lambda z: sc.sici(z)[1], mp.ci),
    "Shi": (lambda z: sc.shichi(z)[0], mp.shi),
    "S": (lambda z: sc.fresnel(z)[0], mp.fresnels),
    "jv": (lambda z: sc.jv(1.5, z), lambda z: mp.besselj(1.5, z)),
    "yv": (lambda z: sc.yv(0, z), lambda z: mp.bessely(0, z)),
    "iv": (lambda z: sc.iv(2, z), lambda z: mp.besseli(2, z)),
    "kv": (lambda z: sc.kv(0.3, z), lambda z: mp.besselk(mp.mpf(0.3), z)), "Ai": (lambda z: sc.airy(z)[0], mp.airyai),
    "Bi": (lambda z: sc.airy(z)[2], mp.airybi), "lambertw": (lambda z: sc.lambertw(z), mp.lambertw),
    "hankel1": (lambda z: sc.hankel1(1.5, z), lambda z: mp.hankel1(1.5, z)),
    "hankel2": (lambda z: sc.hankel2(0, z), lambda z: mp.hankel2(0, z)),
    "hankel1, far above": (lambda z: sc.hankel1(2, z + 30j), lambda z: mp.hankel1(2, z + 30j)),
    "lambertw, -1": (lambda z: sc.lambertw(z, -1), lambda z: mp.lambertw(z, -1)),
}  # fmt: skip


@one_in(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_holomorphic_function_has_the_conjugate_of_its_derivative(name):
    call, truth = FUNCTIONS[name]
    z = sg.tensor(Z, requires_grad=True)
    (first,) = sg.autograd.grad(call(z).real.sum(), z, create_graph=True)
    (second,) = sg.autograd.grad(first.real.sum(), z)
    with mp.workdps(40):
        for k, at in enumerate(Z.tolist()):
            for found, order in ((first, 1), (second, 2)):
                expected = complex(mp.diff(truth, mp.mpmathify(at), order))
                assert abs(np.conj(found.detach().numpy()[k]) - expected) <= 1e-10 * abs(expected), (at, order)


@pytest.mark.parametrize("name", ["wofz", "lambertw", "hankel1", "hankel2"])
def test_of_real_numbers_a_complex_function_has_a_real_gradient(name):
    call, truth = FUNCTIONS[name]
    x = sg.tensor([0.4, 2.5, 90.0], requires_grad=True)
    (found,) = sg.autograd.grad(call(x).real.sum() + 2 * call(x).imag.sum(), x)
    assert found.dtype == sg.float64
    with mp.workdps(40):
        for ours, at in zip(found.tolist(), [0.4, 2.5, 90.0], strict=True):
            d = mp.diff(truth, mp.mpf(at))
            assert ours == pytest.approx(float(mp.re(d) + 2 * mp.im(d)), rel=1e-10)


@pytest.mark.parametrize("f", [sc.gamma, sc.ellipk, lambda z: sc.gammainc(2.0, z)])
def test_a_function_of_real_numbers_refuses_complex_ones(f):
    with pytest.raises(sg.DTypeError, match="complex"):
        f(sg.tensor(Z, requires_grad=True))


def test_airys_scaled_functions_have_both_derivatives_where_their_factor_has_two():
    def third(z):
        return 2 * z * mp.sqrt(z) / 3

    def falling(f):
        return lambda z: f(z) * mp.exp(third(z))

    def growing(f):
        return lambda z: f(z) * mp.exp(-abs(mp.re(third(z))))

    truths = (falling(mp.airyai), falling(lambda z: mp.airyai(z, derivative=1)), growing(mp.airybi),
              growing(lambda z: mp.airybi(z, derivative=1)))  # fmt: skip
    for at in (1 + 1j, -2 + 0.5j, 0.3 - 2j, 8 + 9j, -20 - 3j):
        z = sg.tensor(at, requires_grad=True)
        for k, truth in enumerate(truths):
            value = sc.airye(z)[k]
            assert value.item() == pytest.approx(sc.airye(at)[k], rel=1e-14)
            (first,) = sg.autograd.grad(value.real, z, create_graph=True)
            (second,) = sg.autograd.grad(first.real + 2 * first.imag, z)
            with mp.workdps(40):
                d = {o: float(mp.diff(lambda a, b, t=truth: mp.re(t(mp.mpc(a, b))), (at.real, at.imag), o))
                     for o in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))}  # fmt: skip
            assert abs(first.item() - complex(d[1, 0], d[0, 1])) <= 1e-10 * abs(first.item())
            expected = complex(d[2, 0] + 2 * d[1, 1], d[1, 1] + 2 * d[0, 2])
            assert abs(second.item() - expected) <= 1e-9 * abs(expected)


def test_airys_scaled_functions_of_real_numbers_are_scipys_at_edges():
    x = np.array([-np.inf, -3.0, -0.0, 0.0, 1e-300, 1e10, np.inf, np.nan])
    for ours, theirs in zip(sc.airye(sg.tensor(x, requires_grad=True)), sc.airye(x), strict=True):
        np.testing.assert_array_equal(ours.detach().numpy(), theirs)
