"""Functions that are handed to solvers: no number of what is differentiated is taken there without a word."""

import math

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ..helpers.numeric import gradient, slope

G, P = sp.integrate, sp.optimize
TIGHT = {"rtol": 1e-9, "atol": 1e-9}
METHODS = ["RK45", "Radau", "BDF", "LSODA"]


def filled(t, y, a):
    """A right side that fills an array of plain numbers."""
    d = np.zeros(2)
    d[0] = -a * y[0] + y[1]
    d[1] = -5 * y[1] * y[0]
    return d


LOST = {
    "quad": lambda p: G.quad(lambda x: math.exp(-p * x), 0, 1)[0],
    "quad, its args": lambda p: G.quad(lambda x, p: np.exp(-math.fabs(p * x)), 0, 1, args=(p,))[0],
    "quad_vec": lambda p: G.quad_vec(lambda x: math.exp(-p * x) * np.ones(2), 0, 1)[0].sum(),
    "dblquad": lambda p: G.dblquad(lambda y, x: x * y, 0, 1, lambda x: 0.0, lambda x: math.exp(p * x))[0],
    **{
        f"solve_ivp, {m}": lambda p, m=m: G.solve_ivp(filled, (0, 1), np.ones(2), args=(p,), method=m).y[0, -1]
        for m in METHODS
    },
    "an event": lambda p: G.solve_ivp(
        lambda t, y: p * y, (0, 5), [0.5], events=lambda t, y: math.exp(y[0]) - 2
    ).t_events[0][0],
    "odeint": lambda p: G.odeint(lambda y, t: [-p * math.sin(y[0])], [1.0], [0.0, 1.0])[-1, 0],
    "brentq": lambda p: P.brentq(lambda x: x - 2 * math.exp(-p * x), -5, 5),
    "root": lambda p: P.root(lambda x: np.stack([x[0] - p, x[1] - math.exp(p)]), [0.0, 0.0]).x[1],
    "fixed_point": lambda p: P.fixed_point(lambda x: 0.3 * math.cos(p) + 0.1 * x, 0.2),
    "implicit": lambda p: sg.implicit(lambda x, p: x - math.exp(p), math.exp, p),
}


@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("transform", [sg.grad, sg.hessian])
def test_a_number_that_is_taken_raises(name, transform):
    with pytest.raises(sg.GradientError, match="takes the number of a tensor that is being differentiated"):
        transform(LOST[name])(0.7)


def test_a_number_that_is_taken_raises_in_backward_too():
    p = sg.tensor(0.7, requires_grad=True)
    y = G.quad(lambda x: sg.exp(-p * x) if x > 2 else float(p) * x, 0, 1)[0]
    with pytest.raises(sg.GradientError, match="takes the number"):
        y.backward()


def test_a_tensor_in_an_attribute_is_not_found_and_the_message_says_so():
    class Parameters:
        def __init__(self, a):
            self.a = a

    quad = lambda a: G.quad(lambda x, p: np.exp(-p.a * x), 0, 1, args=(Parameters(a),))[0]
    ode = lambda a: G.solve_ivp(lambda t, y, p: -p.a * y, (0, 1), [1.0], args=(Parameters(a),)).y[0, -1]
    for f in (quad, ode):
        with pytest.raises(sg.GradientError, match="in an attribute, say. Pass the tensor in args"):
            sg.grad(f)(2.0)
    with pytest.raises(sg.GradientError, match="Use symgrad.scipy.integrate.quad"):
        sg.grad(lambda a: scipy.integrate.quad(lambda x: np.exp(-a * x), 0, 1)[0])(2.0)


def test_a_constant_is_taken_as_before():
    q = sg.tensor(0.7, requires_grad=True)
    G.quad(lambda x: q * x * math.exp(-2 * q.detach().item()), 0, 1)[0].backward()
    assert q.grad.item() == pytest.approx(0.5 * math.exp(-1.4))


@one_in(4)
@pytest.mark.parametrize("method", [*METHODS, "odeint"])
@pytest.mark.parametrize("force", [np.sqrt, lambda t: t**1.5])
def test_a_forcing_whose_slope_in_time_is_infinite_at_the_start(method, force):
    """The start is a constant: nothing asks for a derivative in the time."""

    def end(q, home=G):
        if method == "odeint":
            return home.odeint(lambda y, t: -q * y + force(t), [1.0], [0.0, 1.0], **TIGHT)[-1, 0]
        return home.solve_ivp(lambda t, y: -q * y + force(t), (0, 1), [1.0], method, **TIGHT).y[0, -1]

    s, w = np.polynomial.legendre.leggauss(60)  # y(1) = exp(−q) + ∫ exp(−q(1 − t)) force(t) dt, at t = u²
    u, w = (s + 1) / 2, w / 2
    exact = lambda q, k: (
        np.exp(-q) * (-1) ** k + (2 * u * w * (u**2 - 1) ** k * np.exp(-q * (1 - u**2)) * force(u**2)).sum()
    )
    assert sg.grad(end)(2.0) == pytest.approx(exact(2.0, 1), abs=1e-6)
    assert sg.hessian(end)(2.0) == pytest.approx(exact(2.0, 2), abs=1e-6)


def test_an_error_of_the_jacobian_is_not_lost_where_the_solver_goes_on():
    """LSODA, in C, goes on where its Jacobian raises."""

    def side(t, y):
        if type(y) is not np.ndarray:  # not with plain numbers
            raise KeyError("no such rate")
        return -2 * y

    for end in (
        lambda y0: G.solve_ivp(side, (0, 1), np.stack([y0]), "LSODA").y[0, -1],
        lambda y0: G.odeint(side, np.stack([y0]), [0.0, 1.0], tfirst=True)[-1, 0],
    ):
        with pytest.raises(KeyError, match="no such rate"):
            sg.value_and_grad(end)(1.0)


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_a_jacobian_that_is_given_may_be_sparse(method):
    jac = lambda t, y: scipy.sparse.csc_array(-np.eye(2))
    end = lambda q: G.solve_ivp(lambda t, y: -q * y, (0, 1), [1.0, 2.0], method, jac=jac, **TIGHT).y[0, -1]
    assert sg.grad(end)(1.0) == pytest.approx(-math.exp(-1), abs=1e-7)


@pytest.mark.parametrize("method", ["RK45", "Radau"])
def test_a_right_side_of_one_number_is_for_all_states(method):
    end = lambda q: G.solve_ivp(lambda t, y: -q * y[0], (0, 1), [1.0, 2.0], method, **TIGHT).y[:, -1]
    np.testing.assert_allclose(sg.jacobian(end)(1.0), -math.exp(-1), atol=1e-7)


def test_one_time_is_the_start():
    assert sg.grad(lambda q: G.odeint(lambda y, t: -q * y, 3 * q, [0.0])[0, 0])(1.0) == pytest.approx(3.0)


def test_a_bounded_minimum_at_its_bound_stays_there():
    """The bounded method stops a little before the bound, and says success."""
    f = lambda a: P.minimize_scalar(lambda x: (x - a) ** 2 + x, bounds=(2, 3), method="bounded")
    assert sg.grad(lambda a: f(a).x)(0.7) == 0
    assert sg.grad(lambda a: f(a).fun)(0.7) == pytest.approx(-2.6, abs=1e-4)
    assert sg.grad(lambda a: f(a).x)(3.0) == pytest.approx(1.0)  # 2.5, inside
    assert sg.grad(lambda a: f(a).x)(2.500004) == pytest.approx(1.0)  # 2.000004, inside


@pytest.mark.parametrize("method", ["logpdf", "pdf", "cdf", "entropy"])
def test_von_mises_where_it_is_uniform(method):
    """κ begins at 0: differences to one side, of the values that SciPy gives."""
    at = () if method == "entropy" else (0.3,)
    of = lambda k: getattr(sp.stats.vonmises, method)(*at, k)
    value = lambda k: float(getattr(scipy.stats.vonmises, method)(*at, k))
    h = 1e-4
    first = (-3 * value(0.0) + 4 * value(h) - value(2 * h)) / (2 * h)
    assert sg.grad(of)(0.0) == pytest.approx(first, abs=1e-6)
    for kappa in (0.4, 1.0, 3.0):
        assert sg.grad(of)(kappa) == pytest.approx(slope(lambda t, k=kappa: value(k + t)), rel=1e-7)


@pytest.mark.parametrize("name", ["norm", "t", "gamma", "lognorm", "logistic", "cauchy", "weibull_min"])
@pytest.mark.parametrize("method", ["cdf", "sf", "logcdf", "logsf"])
def test_what_is_certain_moves_with_no_parameter(name, method):
    """Bounds of censored data are infinite: there a probability is 0 or 1, to every order."""
    shapes = {"t": [3.0], "gamma": [2.0], "lognorm": [0.5], "weibull_min": [1.5]}.get(name, [])
    x, p = np.array([np.inf, 0.3, -np.inf, 1.7]), np.array([0.1, 1.2, *shapes])
    of = lambda p, home=sp: getattr(getattr(home.stats, name), method)(x, *p[2:], p[0], p[1])
    np.testing.assert_array_equal(of(p), of(p, scipy))
    J = sg.jacobian(of)(p)
    assert not J[[0, 2]].any()
    np.testing.assert_allclose(J[1], gradient(lambda p: of(p, scipy)[1], p), rtol=1e-6, atol=1e-9)
    H = sg.jacobian(sg.jacobian(of))(p)
    assert np.isfinite(H).all() and not H[[0, 2]].any()
    bad = of(sg.tensor(p * np.array([1, -1, *[1] * len(shapes)]), requires_grad=True)).detach().numpy()
    assert np.isnan(bad).all()  # a scale that makes no sense


def test_a_slope_on_the_border_is_not_made_0():
    """dμ e^−μ/dμ is 1 at 0, where the logarithm of the probability is −∞: NaN, as docs/scipy.md says, and never 0."""
    for f, at in ((lambda m: sp.stats.poisson.pmf(1, m), 0.0), (lambda p: sp.stats.binom.pmf(1, 5, p), 0.0)):
        assert np.isnan(sg.grad(f)(at))


def test_arrays_have_their_members_again_after_an_error_in_the_middle_of_a_librarys_code():
    """CPython can lose a class's hook for attributes there; the next transform has it again."""
    from symgrad._array.ndarray import Array

    with pytest.raises(sg.GradientError):
        sg.grad(LOST["quad"])(0.7)
    del Array.__getattr__
    for transform in (sg.grad, sg.jacobian):  # by the quick way and by the other
        assert (transform(lambda x: (x[:2].reshape(1, 2) ** 2).sum())(np.ones(3)) == [2, 2, 0]).all()
    assert "__getattr__" in vars(Array)
