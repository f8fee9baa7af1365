"""Functions whose slopes books write with a quotient, where it is 0/0: numbers, formulas, printed code and programs."""

import re

import numpy as np
import pytest
import scipy.special as sc
from mpmath import mp

import symgrad as sg

S = sg.special
CASES = {
    "sinc": (np.sinc, 0, lambda x: mp.sinc(mp.pi * x)),
    "sin(x)/x": (S.spherical_bessel_j0, 0, mp.sinc),
    "Si": (lambda x: S.sici(x)[0], 0, mp.si),
    "Shi": (lambda x: S.shichi(x)[0], 0, mp.shi),
    "exprel": (sc.exprel, 0, lambda x: mp.expm1(x) / x if x else mp.mpf(1)),
    "spence": (sc.spence, 1, lambda x: mp.re(mp.polylog(2, 1 - x))),
    "ellipk": (sc.ellipk, 0, mp.ellipk),
    "ellipe": (sc.ellipe, 0, mp.ellipe),
    "ellipkinc": (lambda m: sc.ellipkinc(1.2, m), 0, lambda m: mp.ellipf(1.2, m)),
    "ellipeinc": (lambda m: sc.ellipeinc(1.2, m), 0, lambda m: mp.ellipe(1.2, m)),
    "boxcox": (lambda k: sc.boxcox(2.0, k), 0, lambda k: mp.expm1(k * mp.log(2)) / k if k else mp.log(2)),
    "inv_boxcox": (lambda k: sc.inv_boxcox(2.0, k), 0, lambda k: mp.exp(mp.log1p(2 * k) / k if k else 2)),
    "jv": (lambda x: sc.jv(1, x), 0, lambda x: mp.besselj(1, x)),
    "spherical_in": (lambda x: S.spherical_in(0, x), 0, lambda x: mp.sinh(x) / x if x else mp.mpf(1)),
    "struve": (lambda x: sc.struve(-1, x), 0, lambda x: 2 / mp.pi - mp.struveh(1, x)),
    "modstruve": (lambda x: sc.modstruve(-1, x), 0, lambda x: 2 / mp.pi + mp.struvel(1, x)),
}  # fmt: skip
for a in (1.0, 2.0, 3.0):
    CASES[f"gammainc({a})"] = (
        lambda x, a=a: sc.gammainc(a, x), 0, lambda x, a=a: x**a / mp.gamma(a + 1) * mp.hyp1f1(a, a + 1, -x)
    )  # fmt: skip
    for b in (0.5, 1.0, 3.0):
        CASES[f"betainc({a}, {b})"] = (
            lambda x, a=a, b=b: sc.betainc(a, b, x), 0,
            lambda x, a=a, b=b: x**a / a / mp.beta(a, b) * mp.hyp2f1(a, 1 - b, a + 1, x),
        )  # fmt: skip


ENDS = {
    "boxcox at 0": (lambda k: sc.boxcox(0.0, k), 1.7, lambda k: -1 / k),
    "boxcox1p at -1": (lambda k: sc.boxcox1p(-1.0, k), 2, lambda k: -1 / k),
    "elliprc by a": (lambda a: sc.elliprc(a, -1.0), 1, lambda a: mp.sqrt(a / (a + 1)) * mp.elliprc(a + 1, 1)),
    "elliprc by b": (lambda b: sc.elliprc(1.0, b), -1, lambda b: mp.elliprc(1 - b, -b) / mp.sqrt(1 - b)),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_derivatives_where_a_slope_in_books_is_infinity_less_infinity(name):
    f, at, truth = ENDS[name]
    with mp.workdps(40):
        want = [float(mp.re(mp.diff(truth, at, n))) for n in (1, 2, 3)]
    x = sg.tensor(float(at), requires_grad=True)
    found, formula = f(x), sg.formula(f, sg.symbol("x"))
    for right in want:
        (found,) = sg.autograd.grad(found, x, create_graph=True)
        formula, space = formula.grad("x"), {}
        exec(formula.code(), space)
        np.testing.assert_allclose([found.item(), formula(x=at), space["f"](float(at))], right, rtol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_at_and_beside_a_removable_point(name):
    f, at, truth = CASES[name]
    points = [at, at + 1e-300, at + 1e-200, at + 1e-8, at + 1e-3]
    with mp.workdps(40):
        series = mp.taylor(truth, at, 12)
        want = [
            [float(mp.polyval(p, mp.mpf(x) - at)) for x in points]
            for p in _derivatives([mp.re(c) for c in series[::-1]])
        ]
    x = sg.tensor(np.array(points), requires_grad=True)
    formula, found = sg.formula(f, sg.symbol("x")), f(x)
    for n in (1, 2, 3):
        (found,) = sg.autograd.grad(found.sum(), x, create_graph=True)
        formula, space = formula.grad("x"), {}
        exec(formula.code(), space)
        close = dict(rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(found.detach().numpy(), want[n - 1], **close)
        np.testing.assert_allclose([formula(x=v) for v in points], want[n - 1], **close)
        np.testing.assert_allclose(
            [space["f"](*[v for _ in formula.free_symbols]) for v in points], want[n - 1], **close
        )
    gradient, matrix = sg.compile(lambda x: f(x).sum(), "gh")(np.array(points, float))
    np.testing.assert_allclose(gradient, want[0], **close)
    np.testing.assert_allclose(np.diag(matrix), want[1], **close)


def _derivatives(p):
    """A polynomial's first three derivatives, the highest power first."""
    for _ in range(3):
        n = len(p) - 1
        p = [c * (n - k) for k, c in enumerate(p[:-1])]
        yield p


@pytest.mark.parametrize("m", [-3, -1, 0, 1, 2, 5, 0.5, 2.3])
def test_derivatives_of_pochhammers_symbol_by_its_first_argument_at_poles_of_gamma(m):
    points = [0.0, -1.0, -2.0, -7.0, 1e-8, -1e-300, 0.3, 4.0, 30.0]
    points = [a for a in points if m >= 0 or a not in (4.0, 1e-8)]
    x = sg.tensor(np.array(points), requires_grad=True)
    formula, found = sg.formula(lambda a: sc.poch(a, m), sg.symbol("a")), sc.poch(x, m)
    for n in (1, 2, 3):
        (found,) = sg.autograd.grad(found.sum(), x, create_graph=True)
        formula = formula.grad("a")
        with mp.workdps(60):
            want = [float(mp.diff(lambda a: mp.rf(a, m), mp.mpf(a) + mp.mpf(10) ** -40, n)) for a in points]
        np.testing.assert_allclose(found.detach().numpy(), want, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose([formula(a=a) for a in points], want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in CASES if n.startswith(("gammainc", "betainc"))])
def test_a_derivative_by_whole_parameters_has_no_terms_over_a_pole_of_gamma(name):
    f, _, truth = CASES[name]
    formula = sg.formula(f, sg.symbol("x"))
    for n in (1, 2, 3, 4):
        formula = formula.grad("x")
        assert not re.search(r"(Γ|\\Gamma)\((0|[−-]\d+)\)", f"{formula} {formula.latex()}")
        with mp.workdps(40):
            want = float(mp.re(mp.diff(truth, mp.mpf("0.3"), n)))
        assert formula(**dict.fromkeys(formula.free_symbols, 0.3)) == pytest.approx(want, rel=1e-9, abs=1e-9)


NEAR_POLES = [-3.0, -2.5, -2.0, -1.3, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 2.0, 2.5, 3.0]
BETAS = {
    "beta": (sc.beta, lambda a, b: mp.gammaprod([a, b], [a + b])),
    "betaln": (sc.betaln, lambda a, b: mp.log(abs(mp.gammaprod([a, b], [a + b])))),
}  # fmt: skip


@pytest.mark.parametrize("a", NEAR_POLES)
@pytest.mark.parametrize("name", BETAS)
def test_derivatives_of_the_beta_function_at_poles_of_gamma(name, a):
    f, truth = BETAS[name]
    for b in NEAR_POLES:
        slopes = sg.grad(f, (0, 1))(a, b)
        compiled = sg.compile(f, "g", argnums=(0, 1))(a, b)
        np.testing.assert_array_equal(compiled, slopes)
        moves = (lambda h, b=b: truth(a + h, b), lambda h, b=b: truth(a, b + h))
        for slope, moved, (own, other) in zip(slopes, moves, ((a, b), (b, a))):
            with mp.workdps(50):
                h = mp.mpf(10) ** -20
                sides = [(s * (moved(s * h) - moved(mp.mpf(0))) / h) for s in (1, -1)]
            if all(map(mp.isfinite, sides)) and abs(sides[0] - sides[1]) < 1e-9 * (1 + abs(sides[0])):
                assert slope == pytest.approx(float(sides[0]), rel=1e-12)
            elif name == "betaln" and _at_pole(other) and not _at_pole(own) and not _at_pole(a + b):
                # the term of the other alone is infinite and does not move: the slope is that of the rest
                assert slope == pytest.approx(float(mp.digamma(own) - mp.digamma(a + b)), rel=1e-12)
            else:
                assert not np.isfinite(slope)


def _at_pole(x):
    return x <= 0 and x == int(x)


@pytest.mark.parametrize("r", [0.0, 1e-300, 1e-8, 1.0, 1e4, 1e8, 1e300])
@pytest.mark.parametrize("d", [1e-300, 1e-8, 2.0, 1e8])
def test_derivatives_of_the_pseudo_huber_loss_at_every_ratio(d, r):
    with mp.workdps(1500):
        h = mp.sqrt(mp.mpf(d) ** 2 + mp.mpf(r) ** 2)
        want = [float(v) for v in (mp.mpf(d) * r / h, (h - d) ** 2 / h, (d / h) ** 3)]
    x, s = sg.tensor(r, requires_grad=True), sg.tensor(d, requires_grad=True)
    by_d, by_r = sg.autograd.grad(sc.pseudo_huber(s, x), (s, x), create_graph=True)
    (second,) = sg.autograd.grad(by_r, x)
    found = [by_r.item(), by_d.item(), second.item()]
    np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("x", [1e-300, 1e-20, 1e-8, 0.3, 0.59, 0.61, 1.39, 1.41, 1e3, 1e15])
def test_derivatives_of_spences_function_near_0_and_far_out(x):
    f = sc.spence
    for n in (1, 2, 3):
        f = sg.grad(f)
        with mp.workdps(700):
            step = mp.mpf(x) * mp.mpf(10) ** -40
            want = mp.diff(lambda t: mp.log(t) / (1 - t), mp.mpf(x), n - 1, h=step)
        if abs(want) < 1e300:
            assert f(x) == pytest.approx(float(want), rel=1e-11, abs=0)


@pytest.mark.parametrize("m", [-1.7e308, -1e300, -1e200, -1e16, -1.0, 0.5, 1 - 1e-15])
def test_derivatives_of_complete_elliptic_integrals_over_the_whole_range(m):
    with mp.workdps(60):
        K, E, x = mp.ellipk(mp.mpf(m)), mp.ellipe(mp.mpf(m)), mp.mpf(m)
        want = [float((E - (1 - x) * K) / (2 * x * (1 - x))), float((E - K) / (2 * x))]
    np.testing.assert_allclose([sg.grad(sc.ellipk)(m), sg.grad(sc.ellipe)(m)], want, rtol=1e-12, atol=1e-320)


def test_elliptic_integrals_are_infinitely_steep_where_they_end():
    quarter = np.pi / 2
    assert [sg.grad(sc.ellipk)(1.0), sg.grad(sg.grad(sc.ellipk))(1.0), sg.grad(sc.ellipkm1)(0.0)] == [
        np.inf,
        np.inf,
        -np.inf,
    ]
    assert [sg.grad(sc.ellipe)(1.0), sg.grad(lambda m: sc.ellipeinc(quarter, m))(1.0)] == [-np.inf, -np.inf]
    assert sg.grad(sc.elliprf, (0, 1, 2))(0.0, 0.0, 1.0) == (-np.inf,) * 3


@pytest.mark.parametrize(
    "point", [(1e-300, 1.0, 1e5), (1e300, 1e-5, 1.0), (1e200, 1e200, 1e-100), (1e-200, 1e-200, 1e90)]
)
def test_derivatives_of_carlsons_integral_where_its_arguments_are_far_apart(point):
    with mp.workdps(60):
        x, y, z = map(mp.mpf, point)
        want = [float(-mp.elliprd(*p) / 6) for p in ((y, z, x), (x, z, y), (x, y, z))]
    np.testing.assert_allclose(sg.grad(sc.elliprf, (0, 1, 2))(*point), want, rtol=1e-11, atol=1e-320)


@pytest.mark.parametrize("name", [n for n in dir(sc) if n.startswith("eval_")])
def test_polynomials_of_degrees_below_0_are_scipys_recorded_too(name):
    f, x = getattr(sc, name), np.array([-0.6, 0.3, 0.9, 2.5])
    weights = (0.7,) * {"eval_gegenbauer": 1, "eval_genlaguerre": 1, "eval_jacobi": 2, "eval_sh_jacobi": 2}.get(name, 0)
    for degree in (-1, -2, -3, -4, 0, 1, 3, np.array([-3, -1, 0, 2])):
        want, found = f(degree, *weights, x), f(degree, *weights, sg.tensor(x, requires_grad=True))
        np.testing.assert_allclose(found.detach().numpy(), want, rtol=1e-13, atol=1e-14, err_msg=f"{degree}")


@pytest.mark.parametrize("order", [0, 1, 2, 4])
def test_a_modified_spherical_bessel_function_is_0_no_sooner_than_its_value(order):
    points = 10.0 ** np.array([-1.0, -7.9, -8.1, -40.0, -60.0, -100.0, -139.0, -300.0])
    want = [float(mp.sqrt(mp.pi / (2 * mp.mpf(x))) * mp.besseli(order + mp.mpf(1) / 2, x)) for x in points]
    for x in (points, sg.tensor(points)):
        np.testing.assert_allclose(S.spherical_in(order, x), want, rtol=1e-13)
