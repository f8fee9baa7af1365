"""symgrad.scipy.optimize and sg.implicit: values, derivatives, errors; and functions that solvers are handed."""

import functools
import math
import warnings

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.sparse

import symgrad as sg
import symgrad.numpy as snp
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ..helpers.numeric import STEP, gradient, slope

opt = sp.optimize
RNG = np.random.default_rng(17)
A = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
T = np.linspace(0, 2, 9)
NOISY = np.exp(-0.7 * T) + 0.1 * RNG.normal(size=9)
Q = np.array([0.7, 1.4, 0.4])


def cubic(x, a):
    return x**3 + a[0] * x - a[1]


def bent(x, q):
    """A convex function of three numbers, whose minimum moves with q."""
    return (np.cosh(x - q)).sum() + 0.1 * (x[:-1] * x[1:]).sum() * q[0] + x @ x


def lp(x, q):
    return ((x - q) ** 2).sum() + 0.1 * (x**4).sum()


class Decay:
    """A curve as a method."""

    def at(self, x, a, b):
        return a * np.exp(-b * x)


# What each solver finds, as a function of one vector: numbers alone go to SciPy itself.
BY_SIGN = {n: (lambda opt, q, n=n: getattr(opt, n)(cubic, -5.0, 5.0, args=(q,)))
           for n in ("bisect", "brenth", "brentq", "ridder", "toms748")}  # fmt: skip
MINIMA = {
    m: (lambda opt, q, m=m: opt.minimize(bent, np.zeros(3), args=(q,), method=m, options={"gtol": 1e-10}).x)
    for m in ("CG", "BFGS", "L-BFGS-B")
}
BY_SIGN |= {f"{n} of what it sees": (lambda opt, q, n=n: getattr(opt, n)(lambda x: cubic(x, q), -5.0, 5.0, xtol=1e-12))
            for n in ("bisect", "brenth", "brentq", "ridder", "toms748")}  # fmt: skip
CASES = {
    **BY_SIGN,
    **{f"minimize {m}": f for m, f in MINIMA.items()},
    "newton": lambda opt, q: opt.newton(cubic, 0.5, args=(q,), tol=1e-12),
    "newton by slopes": lambda opt, q: opt.newton(cubic, 0.5, lambda x, a: 3 * x * x + a[0], (q,), tol=1e-12),
    "newton of an array": lambda opt, q: opt.newton(lambda x: x**3 + q[0] * x - q, np.full(3, 0.5), tol=1e-12),
    "root_scalar": lambda opt, q: opt.root_scalar(cubic, (q,), bracket=(-5, 5)).root,
    "root_scalar with fprime=True": lambda opt, q: opt.root_scalar(
        lambda x: (x**3 + q[0] * x - q[1], 3 * x**2 + q[0]), fprime=True, x0=0.5, xtol=1e-14).root,
    "root": lambda opt, q: opt.root(lambda x: A @ x + np.sin(x) - q, np.zeros(3), tol=1e-13).x,
    "root lm": lambda opt, q: opt.root(lambda x: A @ x + np.sin(x) - q, np.zeros(3), method="lm", tol=1e-13).x,
    "root of a matrix": lambda opt, q: opt.root(
        lambda x: (x.reshape(3, 3) @ x.reshape(3, 3) + q[0] * x.reshape(3, 3) - A @ A.T).reshape(-1), 2 * np.eye(3),
        tol=1e-13).x,
    "root that returns its Jacobian": lambda opt, q: opt.root(
        lambda x, q: (A @ x + x**3 - q, A + np.diag(3 * x**2)), np.zeros(3), (q,), jac=True, tol=1e-13).x,
    "fsolve": lambda opt, q: opt.fsolve(lambda x, q: [x[0] * x[1] - q[0], x[0] + x[1] ** 3 - q[1]], [1.0, 1.0], (q,),
                                    xtol=1e-13),
    "fixed_point": lambda opt, q: opt.fixed_point(lambda x: np.sqrt(q + x), np.ones(3), xtol=1e-13),
    "fixed_point of arguments": lambda opt, q: opt.fixed_point(
        lambda x, q: np.sqrt(q + x), np.ones(3), (q,), xtol=1e-13),
    "fsolve of what it sees": lambda opt, q: opt.fsolve(lambda x: x**3 + q * x - q[0], np.ones(3), xtol=1e-13),
    "minimize_scalar of arguments": lambda opt, q: opt.minimize_scalar(
        lambda x, a, b: np.cosh(x - a) + b * x**2, args=(q[0], q[1]), tol=1e-13).x,
    "minimize of what it sees": lambda opt, q: opt.minimize(
        lambda x: bent(x, q), np.zeros(3), options={"gtol": 1e-10}).x,
    "minimize_scalar": lambda opt, q: opt.minimize_scalar(lambda x: np.cosh(x - q[0]) + q[1] * x**2, tol=1e-13).x,
    "minimize_scalar within bounds": lambda opt, q: opt.minimize_scalar(
        lambda x: np.cosh(x - q[0]) + q[1] * x**2, bounds=(-3, 3), options={"xatol": 1e-11}).x,
    "minimize trust-exact": lambda opt, q: opt.minimize(
        lp, np.zeros(3), (q,), "trust-exact", lambda x, q: 2 * (x - q) + 0.4 * x**3,
        lambda x, q: np.diag(2 + 1.2 * x**2), tol=1e-12).x,
    "minimize within bounds": lambda opt, q: opt.minimize(bent, np.zeros(3), args=(q,), bounds=[(0.4, 2)] * 3,
                                                      options={"gtol": 1e-10, "ftol": 1e-15}).x,
    "minimize with an equation": lambda opt, q: opt.minimize(
        lp, np.zeros(3), args=(q,), options={"ftol": 1e-16},
        constraints={"type": "eq", "fun": lambda x, q: x.sum() - q[1] ** 2, "args": (q,)}).x,
    "minimize with two inequalities": lambda opt, q: opt.minimize(
        lp, np.zeros(3), args=(q,), options={"ftol": 1e-16},
        constraints=[{"type": "ineq", "fun": lambda x: 1 - x @ x * q[0]},
                     {"type": "ineq", "fun": lambda x: 9 - x[0]}]).x,
    "minimize with a plane": lambda opt, q: opt.minimize(
        lp, np.zeros(3), args=(q,), method="SLSQP", options={"ftol": 1e-16},
        constraints=scipy.optimize.LinearConstraint(np.ones((1, 3)), -np.inf, 1)).x,
    "minimize on a sphere": lambda opt, q: opt.minimize(
        lp, np.ones(3), args=(q,), method="SLSQP", options={"ftol": 1e-16},
        constraints=scipy.optimize.NonlinearConstraint(lambda x: (x**2).sum(), 2, 2)).x,
    "the minimum's value": lambda opt, q: opt.minimize(bent, np.zeros(3), args=(q,), options={"gtol": 1e-10}).fun,
    "least_squares": lambda opt, q: opt.least_squares(
        lambda p: p[0] * np.exp(-p[1] * T) - q[0] - NOISY, [1.0, 1.0], xtol=1e-15, ftol=1e-15, gtol=1e-15).x,
    "least_squares with keywords": lambda opt, q: opt.least_squares(
        lambda p, k, w: (p[0] * np.exp(-p[1] * T) - k - NOISY) * w, [1.0, 1.0], args=(q[0],), kwargs={"w": q[1]},
        xtol=1e-15, ftol=1e-15, gtol=1e-15).cost,
    **{f"least_squares {loss}": lambda opt, q, loss=loss: opt.least_squares(
        lambda p: p[0] * np.exp(-p[1] * T) - q[0] * NOISY, [1.0, 1.0], loss=loss, f_scale=0.1, xtol=1e-15, ftol=1e-15,
        gtol=1e-15).x for loss in ("soft_l1", "huber", "cauchy", "arctan")},
    "curve_fit of what it sees": lambda opt, q: opt.curve_fit(
        lambda x, a, b: a * np.exp(-b * x) + q[2] * x, T, NOISY, [1.0, 1.0], xtol=1e-15,
        ftol=1e-15, gtol=1e-15)[0],
    "curve_fit": lambda opt, q: opt.curve_fit(lambda x, a, b: a * np.exp(-b * x), T, NOISY * q[0], [1.0, 1.0],
                                              xtol=1e-15)[0],
    "curve_fit from where SciPy starts": lambda opt, q: opt.curve_fit(
        functools.partial(lambda c, x, a, b: a * np.exp(-b * c * x), 1.2), T, NOISY * q[0], bounds=(0.1, 0.95),
        xtol=1e-15, ftol=1e-15, gtol=1e-15)[0],
    "curve_fit of a method": lambda opt, q: opt.curve_fit(Decay().at, T, NOISY * q[0], xtol=1e-15)[0],
    "curve_fit's covariance": lambda opt, q: opt.curve_fit(
        lambda x, a, b: a * np.exp(-b * x), T * q[1], NOISY + q[0] * T, [1.0, 1.0], 0.1 + q[2] * T, xtol=1e-15)[1],
}  # fmt: skip
ROUGH = {case for case in CASES if case.startswith(("minimize", "least_squares", "curve_fit"))}
"""SciPy's own minima are by differences, or by values alone: their last seven digits are noise."""


def differences(f, case):
    """The Jacobian by differences, wider ones of what has fewer digits."""
    step = 4 * STEP if case in ROUGH else STEP
    return np.stack([slope(lambda t, u=u: f(Q + t * u), step) for u in np.eye(Q.size)], -1)


@pytest.mark.parametrize("case", CASES)
def test_values_are_scipys_and_every_derivative_is_that_of_differences(case):
    f = CASES[case]
    assert np.all(f(opt, Q) == f(scipy.optimize, Q))
    got = sg.jacobian(lambda q: f(opt, q))(Q)
    want = differences(lambda q: f(scipy.optimize, q), case)
    np.testing.assert_allclose(got, want, rtol=1e-4 if case in ROUGH else 2e-6, atol=2e-5 if case in ROUGH else 1e-6)
    q = sg.tensor(Q, requires_grad=True)
    weight = np.cos(np.arange(np.size(f(opt, Q)))).reshape(np.shape(f(opt, Q)))
    (f(opt, q) * weight).sum().backward()
    np.testing.assert_allclose(q.grad.numpy(), np.tensordot(weight, got, weight.ndim), rtol=1e-6, atol=1e-8)


@one_in(12)
@pytest.mark.parametrize("case", CASES)
def test_every_second_derivative_of_every_result_is_a_difference_of_first_ones(case):
    first = sg.jacobian(lambda q: CASES[case](opt, q))
    got = sg.jacobian(first)(Q)
    want = differences(first, case)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=3e-5 if case in ROUGH else 1e-6)
    np.testing.assert_allclose(got, np.swapaxes(got, -1, -2), rtol=1e-6, atol=1e-6)


# ------------------------------------------------------------------------------------------------------- sg.implicit


def test_third_derivatives_of_a_square_root():
    root = lambda a: sg.implicit(lambda x, a: x**2 - a, np.sqrt, a)
    third = sg.grad(sg.grad(sg.grad(root)))(4.0)
    assert third == pytest.approx(3 / 8 * 4**-2.5)


def test_a_matrix_square_root_by_its_equation():
    S = A @ A.T
    f = lambda S: sg.implicit(lambda X, S: X @ X - S, lambda S: np.real(sp.linalg.sqrtm(S)), S)
    np.testing.assert_allclose(sg.jacobian(f)(S), sg.jacobian(sp.linalg.sqrtm)(S), rtol=1e-9, atol=1e-12)


def test_numbers_stay_numbers():
    assert type(sg.implicit(lambda x, a: x - a, lambda a: a, 2.0)) is np.float64


def test_tensors_around_the_residual_are_found():
    a = sg.tensor(9.0, requires_grad=True)
    x = sg.implicit(lambda x: x * x - a, 3.0)
    x.backward()
    assert a.grad.item() == pytest.approx(1 / 6)


# ------------------------------------------------------------------------------------------------------------- errors


def test_a_start_and_a_bracket_have_derivative_zero():
    assert sg.grad(lambda x0: opt.newton(lambda x: x**2 - 2, x0))(1.0) == 0
    assert sg.grad(lambda b: opt.brentq(lambda x: x**2 - 2, 0, b))(2.0) == 0


def test_what_was_not_found_has_no_derivative_and_the_error_says_what_scipy_said():
    def early(q):
        return opt.minimize(bent, np.full(3, 9.0), args=(q,), method="BFGS", options={"maxiter": 1})

    assert not early(sg.tensor(Q, requires_grad=True)).success
    with pytest.raises(sg.GradientError, match=r"not found a solution(.|\n)*SciPy says: Maximum number of iterations"):
        sg.grad(lambda q: early(q).x.sum())(Q)
    with pytest.raises(sg.GradientError, match=r"symgrad.scipy.optimize.root: (.|\n)*SciPy says"):
        sg.grad(lambda a: opt.root(lambda x: x**2 + a, np.ones(1)).x.sum())(1.0)


def test_a_singular_jacobian_is_named_with_its_direction():
    with pytest.raises(sg.GradientError, match=r"singular(.|\n)*along -?0.71·x\[\d\], -?0.71·x"):
        sg.grad(lambda a: opt.root(lambda x: np.stack([x[0] - x[1], a * (x[0] - x[1])]), np.zeros(2)).x.sum())(2.0)
    with pytest.raises(sg.GradientError, match="singular"):  # a double root
        sg.grad(lambda a: sg.implicit(lambda x, a: (x - a) ** 2, lambda a: a, a))(1.0)


def test_a_minimum_with_a_kink_is_refused():
    def clipped(q):
        return opt.minimize(lambda x: ((x - q) ** 2).sum(), np.ones(2), bounds=[(0, None)] * 2).x

    np.testing.assert_allclose(sg.jacobian(clipped)(np.array([-1.0, 2.0])), [[0, 0], [0, 1]], atol=1e-12)
    with pytest.raises(sg.GradientError, match=r"kink(.|\n)*x\[0\] is at its bound"):
        sg.jacobian(clipped)(np.array([0.0, 2.0]))


def test_bounds_are_constants():
    with pytest.raises(sg.NotDifferentiableError, match="bounds"):
        sg.grad(lambda b: opt.minimize(lambda x: x @ x * b, np.ones(1), bounds=[(b, None)]).fun)(1.0)


def test_shapes_that_do_not_fit_and_functions_of_many_numbers_are_errors():
    with pytest.raises(sg.GradientError, match="shape"):
        sg.grad(lambda a: sg.implicit(lambda x, a: (x**2 - a).sum(), np.ones(2), a).sum())(1.0)
    with pytest.raises((sg.GradientError, ValueError), match="number|scalar"):
        sg.grad(lambda a: opt.minimize(lambda x: a * x**2, np.ones(2)).fun)(1.0)


def test_a_tensor_that_is_not_found_is_an_error_and_no_zero():
    held = type("Held", (), {})()

    def hidden(p):
        held.p = p
        return opt.brentq(lambda x, q: held.p * x - q, 0, 9, args=(p,))

    with pytest.raises(sg.GradientError, match="neither among args nor"):
        sg.grad(hidden)(2.0)


# --------------------------------------------------------------------------------------------- for SciPy's own solvers


def rosenbrock(x, a=100.0):
    return (a * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "Newton-CG", "trust-ncg", "trust-krylov",
                                    "trust-exact", "trust-constr", "Nelder-Mead", "Powell"])  # fmt: skip
def test_a_problem_has_what_each_method_wants(method):
    given = opt.problem(rosenbrock, np.full(3, 0.5), (10.0,), method)
    found = scipy.optimize.minimize(**given, tol=1e-8)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-3)
    assert ("hessp" in given) == (method in ("Newton-CG", "trust-ncg", "trust-krylov"))


def test_a_problem_of_an_unknown_method():
    with pytest.raises(ValueError, match="no method 'newton'"):
        opt.problem(rosenbrock, np.zeros(3), method="newton")


def test_constraints_have_exact_derivatives():
    on_circle = opt.NonlinearConstraint(lambda x: np.stack([x @ x, x[0] * x[1]]), [1, -1], [1, 1])
    x, v = np.array([0.6, 0.8]), np.array([2.0, 3.0])
    np.testing.assert_allclose(on_circle.jac(x), [[1.2, 1.6], [0.8, 0.6]])
    np.testing.assert_allclose(on_circle.hess(x, v), [[4, 3], [3, 4]])
    found = scipy.optimize.minimize(lambda x: x.sum() + 0.1 * x @ x, x, method="trust-constr", constraints=on_circle)
    np.testing.assert_allclose(found.x, -np.sqrt([0.5, 0.5]), atol=1e-5)


def test_our_constraints_in_our_minimize():
    def shortest(b):
        touching = opt.NonlinearConstraint(lambda x: b * x.sum() - 1, 0, 0)
        return opt.minimize(lambda x: (x**2).sum(), np.ones(2), method="SLSQP", constraints=touching).x

    np.testing.assert_allclose(shortest(2.0), [0.25, 0.25])
    np.testing.assert_allclose(sg.jacobian(shortest)(2.0), [-0.125, -0.125], atol=1e-8)


def square(x):
    return (x**2).sum()


START = np.ones(2)
MOVED = {
    "minimize in its bounds": lambda b: opt.minimize(square, START, bounds=opt.Bounds(b, 9.0)).x,
    "minimize in its bounds ": lambda b: opt.minimize(square, START[:1], bounds=[(b[0], 3)]).x,
    "minimize in a LinearConstraint": lambda b: opt.minimize(
        square, START, constraints=opt.LinearConstraint(np.eye(2), b, 9.0)).x,
    "minimize_scalar in its bounds": lambda b: opt.minimize_scalar(square, bounds=(b[0], 3)).x,
    "least_squares in f_scale": lambda b: opt.least_squares(lambda x: x, 9 * START, f_scale=b[0]).x,
    "least_squares in its bounds": lambda b: opt.least_squares(lambda x: x, 9 * START, bounds=(b, np.inf)).x,
    "curve_fit in its bounds": lambda b: opt.curve_fit(lambda x, a: a * x, T, T, bounds=(b[0], 9))[0],
}  # fmt: skip


@pytest.mark.parametrize("words", MOVED)
def test_bounds_that_are_differentiated_are_refused_by_name(words):
    with pytest.raises(sg.NotDifferentiableError, match=f"^symgrad.scipy.optimize.{words.strip()}"):
        sg.grad(lambda b: MOVED[words](b).sum())(np.array([1.0, 2.0]))


def test_scipys_own_solvers_say_which_function_takes_arrays():
    for name in ("brentq", "brenth", "bisect", "ridder") * 2:  # again: what an error in C spoilt would show now
        solver = getattr(scipy.optimize, name)
        with pytest.raises(sg.GradientError, match=f"Use symgrad.scipy.optimize.{name}, which takes arrays"):
            sg.grad(lambda a: solver(lambda x: x - a, 0, 9))(2.0)  # noqa: B023
        with pytest.raises(sg.GradientError, match=f"Use symgrad.scipy.optimize.{name}, which takes arrays"):
            sg.jacobian(lambda a: np.stack([solver(lambda x: x - a[0], 0, 9)]))(np.ones(2))  # noqa: B023


# Functions that are handed to solvers ---------------------------------------------------------------------------------


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
    with pytest.raises(sg.GradientError, match="takes the number of an array that is being differentiated"):
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
    root = lambda a: opt.root(lambda x, p: x**2 - p.a, np.ones(1), args=(Parameters(a),)).x[0]
    fsolve = lambda a: opt.fsolve(lambda x, p: x**2 - p.a, np.ones(1), args=(Parameters(a),))[0]
    for f in (quad, ode, root, fsolve):
        with pytest.raises(sg.GradientError, match="in an attribute, say. Pass the array in args"):
            sg.grad(f)(2.0)
    with pytest.raises(sg.GradientError, match="In an attribute|in an attribute"):
        sg.grad(lambda a: sg.implicit(lambda x, p: x**2 - p.a, np.sqrt(2.0), Parameters(a)))(2.0)
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


class Keeping:
    """Functions for a solver that leave behind what they computed: each is called at (x, a)."""

    def __init__(self, how, a):
        kept = snp.zeros(1)
        last, count, rows, sums = 0.0, 0, [], {}

        def variable(x):
            nonlocal last
            last = a * x
            return x * x - a

        def counter(x):
            nonlocal count
            count += 1
            return x * x - a

        def into_list(x):
            rows.append(a * x)
            return x * x - a

        def into_dictionary(x):
            sums["last"] = a * x
            return x * x - a

        def into_array(x, filled=kept):
            filled[0] = a * x
            return x * x - a

        self.function = locals()[how]
        self.found = lambda: {"variable": lambda: last, "counter": lambda: count}[how]()


@pytest.mark.parametrize("how", ["variable", "into_list", "into_dictionary", "into_array"])
def test_a_function_that_keeps_numbers_for_later_is_told_that_they_are_constants(how):
    with pytest.warns(UserWarning, match=rf"brentq: {how} keeps numbers that it computed"):
        sg.grad(lambda a: sp.optimize.brentq(Keeping(how, a).function, 0.0, 5.0))(2.0)


def test_what_a_function_writes_to_a_variable_around_it_arrives_and_a_counter_is_no_number_to_differentiate():
    def f(a, how):
        keeping = Keeping(how, a)
        r = sp.optimize.brentq(keeping.function, 0.0, 5.0)
        seen.append(keeping.found())
        return r

    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sg.grad(f)(2.0, "counter") == pytest.approx(0.125**0.5)
    with pytest.warns(UserWarning):
        sg.grad(f)(2.0, "variable")
    assert seen[0] > 3 and seen[1] == pytest.approx(2 * 2**0.5)


@pytest.mark.parametrize("a", [4e-8, 4e-4, 4.0])
def test_a_solution_is_judged_beside_its_own_size(a):
    """Variances and hazards are that small: what is no solution for its size has another derivative than that has."""
    off = lambda by: sg.grad(lambda a: sg.implicit(lambda x, a: x**2 - a, lambda a: np.sqrt(a) * (1 + by), a))(a)
    assert off(1e-4) == pytest.approx(0.5 / a**0.5, rel=1.1e-4)
    for by in (0.05, 5.0, -0.9):
        with pytest.raises(sg.GradientError, match="has not found a solution"):
            off(by)
    for solved in (lambda a: opt.brentq(lambda x: x**2 - a, 0, 3.0), lambda a: opt.fsolve(lambda x: x**2 - a, 1.0)[0]):
        assert sg.grad(solved)(a) == pytest.approx(0.5 / a**0.5, rel=1e-6)


def test_a_small_unknown_that_the_derivative_hardly_feels_may_be_off_for_its_size():
    """A solver stops when all of them together are exact: a small multiplier or state is not exact for its own size."""
    F = lambda z, a: np.stack([z[0] ** 2 - a + z[1] / 8, z[1] ** 2 - 1e-8 * a])
    near = lambda a: np.stack([np.sqrt(a - 1.1e-4 * np.sqrt(a) / 8), 1.1e-4 * np.sqrt(a)])  # the second is 10 % off
    found = sg.jacobian(lambda a: sg.implicit(F, near, a)[:1])(4.0)
    truth = sg.jacobian(lambda a: np.sqrt(a - 1e-4 * np.sqrt(a) / 8))(4.0)
    assert found == pytest.approx([truth], rel=1e-3)
    with pytest.raises(sg.GradientError, match="has not found a solution"):
        sg.jacobian(lambda a: sg.implicit(F, near, a))(4.0)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "Nelder-Mead", "SLSQP"])
def test_an_unknown_that_is_0_has_a_derivative_with_a_solvers_noise(method):
    def lowest(q, home=opt):  # the last is 0 for all q
        f = lambda x: (x[0] - q[0]) ** 2 + (x[1] - q[1]) ** 2 + x[0] * x[1] + x[2] ** 2 * (1 + x[0])
        return home.minimize(f, np.ones(3), method=method).x

    J = sg.jacobian(lowest)(np.array([2.0, 1.0]))  # the minimum is at 0 in the second too
    np.testing.assert_allclose(J, np.array([[4, -2], [-2, 4], [0, 0]]) / 3, atol=2e-4)
    zero = sg.grad(lambda a: sg.implicit(lambda x, a: np.sin(x) - x * a, lambda a: 0.0 * a, a))(2.0)
    assert zero == 0


def each_in_turn(solved):
    """The sum of what is solved with a function of a loop's counter, whose last value a sweep would find there."""

    def total(a):
        s = 0.0
        for k in (1.0, 2.0):
            scaled = lambda x: k * x  # noqa: B023 that is what people write
            s = s + solved(lambda x: a * scaled(x))  # noqa: B023
        return s

    return total


IN_LOOPS = {
    "quad": lambda h: G.quad(lambda x: np.exp(-h(x)), 0, 1)[0],
    "quad_vec": lambda h: G.quad_vec(lambda x: np.exp(-h(x)), 0, 1)[0],
    "dblquad": lambda h: G.dblquad(lambda y, x: np.exp(-h(x * y)), 0, 1, 0, 1)[0],
    "solve_ivp": lambda h: G.solve_ivp(lambda t, y: -h(y), (0, 1), [1.0], rtol=1e-10, atol=1e-10).y[0, -1],
    "brentq": lambda h: opt.brentq(lambda x: x**3 - h(1.0), 0.0, 5.0),
    "root": lambda h: opt.root(lambda x: x**3 - h(1.0), np.ones(1), tol=1e-12).x[0],
    "minimize": lambda h: opt.minimize(
        lambda x: ((x - h(1.0)) ** 2).sum() + x[0] ** 4, np.zeros(1), options={"gtol": 1e-10}).x[0],
    "least_squares": lambda h: opt.least_squares(
        lambda x: np.stack([x[0] - h(1.0), x[0] ** 2 - h(2.0)]), np.ones(1), xtol=1e-14, ftol=1e-14, gtol=1e-14).x[0],
}  # fmt: skip


@pytest.mark.parametrize("solver", IN_LOOPS)
def test_a_function_keeps_the_counter_of_its_round(solver):
    f = each_in_turn(IN_LOOPS[solver])
    assert sg.grad(f)(0.8) == pytest.approx(slope(lambda s: f(0.8 + s)), rel=2e-5)
    if solver not in ("minimize", "least_squares"):
        assert sg.hessian(f)(0.8) == pytest.approx(slope(lambda s: sg.grad(f)(0.8 + s)), rel=2e-5)


SOLVERS = {name: IN_LOOPS[name] for name in IN_LOOPS if name != "dblquad"} | {
    "newton": lambda h: opt.newton(lambda x: x**3 - h(1.0), 1.0, tol=1e-12),
    "root_scalar": lambda h: opt.root_scalar(lambda x: x**3 - h(1.0), bracket=(0.0, 5.0)).root,
    "fsolve": lambda h: opt.fsolve(lambda x: x**3 - h(1.0), np.ones(1))[0],
    "minimize_scalar": lambda h: opt.minimize_scalar(lambda x: (x - h(1.0)) ** 2 + x**4, (0.0, 1.0)).x,
    "curve_fit": lambda h: opt.curve_fit(lambda x, b: b**3 * x + h(x**2), T, NOISY, p0=[1.0])[0][0],
    "odeint": lambda h: G.odeint(lambda y, t: -h(y), [1.0], [0.0, 1.0], rtol=1e-10, atol=1e-10)[1, 0],
    "an event": lambda h: G.solve_ivp(lambda t, y: 1.0 + 0.0 * y, (0, 5), [0.0],
                                      events=lambda t, y: y[0] - h(1.0)).t_events[0][0],
    "a constraint": lambda h: opt.minimize(
        lambda x: x @ x, np.ones(1), constraints={"type": "eq", "fun": lambda x: x**3 - h(1.0)}).x[0],
    "implicit": lambda h: sg.implicit(lambda x: x**3 - h(1.0), lambda: opt.brentq(lambda x: x**3 - h(1.0), 0.0, 5.0)),
}  # fmt: skip


class Held:
    """A number in an attribute."""

    def __init__(self):
        self.k = 0.0

    def __getitem__(self, _):
        return self.k

    def __setitem__(self, _, k):
        self.k = k


IN_A_MODULE = [0.0]
HELD = {
    "a list": lambda: [0.0], "a dictionary": lambda: {0: 0.0}, "an array": lambda: np.zeros(1),
    "an array that may be differentiated": lambda: snp.zeros(1), "an object": Held,
}  # fmt: skip


@pytest.mark.parametrize("solver", SOLVERS)
def test_derivatives_run_a_function_of_what_it_read_when_it_was_solved(solver):
    """Whatever it reads is something else later: in the next round, and when a sweep comes."""
    solved = SOLVERS[solver]

    def of(scaled):
        return lambda a: solved(lambda x: a * scaled(x, 1.0)) + solved(lambda x: a * scaled(x, 2.0))

    def held_in(made):
        def total(a):
            w, s = made(), 0.0
            for k in (1.0, 2.0):
                w[0] = k
                s = s + solved(lambda x: a * w[0] * x)
            w[0] = 9.0
            return s

        return total

    def in_a_module(a):
        global LAST
        s = 0.0
        for k in (1.0, 2.0):
            LAST = IN_A_MODULE[0] = k / 2
            s = s + solved(lambda x: a * (LAST + IN_A_MODULE[0]) * x)  # noqa: B023 a name of the module
        LAST = IN_A_MODULE[0] = 9.0
        return s

    def derivatives(f):
        return (sg.jvp(f, (0.8,), (1.0,))[1], *sg.jvp(sg.grad(f), (0.8,), (1.0,)))

    expected = derivatives(of(lambda x, k: k * x))
    for f in (*map(held_in, HELD.values()), in_a_module):
        np.testing.assert_allclose(derivatives(f), expected, rtol=1e-9)


@pytest.mark.parametrize("in_list", [True, False])
def test_what_is_solved_of_the_solutions_before_is_differentiated_to_second_order(in_list):
    """A curve of zero rates: bond after bond, each of the rates that were found."""

    def zeros(coupons):
        rates = [] if in_list else np.zeros_like(coupons)
        for n, c in enumerate(coupons):

            def price(x):
                known = [*rates[:n], x]  # noqa: B023 that is what people write
                return c * sum(np.exp(-q * (j + 1)) for j, q in enumerate(known)) + np.exp(-x * (n + 1)) - 1  # noqa: B023

            found = sp.optimize.brentq(price, -0.5, 1.0, xtol=1e-14)
            rates[n:] = [found] if in_list else [found, *rates[n + 1 :]]
        return np.stack(list(rates))

    at = np.array([0.02, 0.025, 0.03])
    J = np.stack([slope(lambda t, e=e: zeros(at + t * e)) for e in np.eye(3)], -1)
    np.testing.assert_allclose(sg.jacobian(zeros)(at), J, atol=1e-7)
    np.testing.assert_allclose(sg.jacfwd(zeros)(at), J, atol=1e-7)
    last = lambda c: zeros(c)[2]
    H = np.stack([slope(lambda t, e=e: sg.grad(last)(at + t * e)) for e in np.eye(3)], -1)
    np.testing.assert_allclose(sg.hessian(last)(at), H, atol=1e-6)


UNRECORDED = {m: functools.partial(MINIMA[m], opt) for m in MINIMA} | {
    name: functools.partial(CASES[name], opt)
    for name in ("minimize with an equation", "minimize with two inequalities", "root")
}
UNRECORDED |= {
    m: (lambda q, m=m: opt.minimize(lp, np.zeros(3), (q,), m).x)
    for m in ("SLSQP", "TNC", "Newton-CG", "trust-exact", "trust-constr")
} | {"curve_fit's covariance": lambda q: opt.curve_fit(lambda x, a: np.exp(-a * x) + x * q[0], T, NOISY)[1]}


@pytest.mark.parametrize("mode", [sg.no_grad, sg.inference_mode])
@pytest.mark.parametrize("case", UNRECORDED)
def test_a_solver_finds_the_same_where_nothing_is_recorded(case, mode):
    f, q = UNRECORDED[case], sg.tensor(Q, requires_grad=True)
    with mode():
        found = f(q)
    assert not found.requires_grad
    np.testing.assert_allclose(found.numpy(), f(q).detach().numpy(), rtol=1e-6, atol=1e-8)


def test_an_integral_over_a_minimum_has_a_gradient_in_its_limit():
    lowest = lambda x: opt.minimize(lambda z: (z[0] - x) ** 2, np.zeros(1)).x[0]
    assert sg.grad(lambda b: G.quad(lowest, 0, b)[0])(1.5) == pytest.approx(1.5, rel=1e-6)


WITH_A_SLOPE = {
    "quad": (lambda q: G.quad(lambda x: sg.grad(lambda a: a**3 * x)(q[0]), 0, q[1])[0],
             lambda q: 1.5 * (q[0] * q[1]) ** 2),
    "quad_vec": (lambda q: G.quad_vec(lambda x: sg.hessian(lambda a: (a**3).sum() * x)(q), 0, q[1])[0][0, 0],
                 lambda q: 3 * q[0] * q[1] ** 2),
    "solve_ivp": (lambda q: G.solve_ivp(lambda t, y: -sg.grad(lambda y: q[0] * y[0] ** 2 / 2)(y), (0, q[1]), q[1:],
                                        "DOP853", rtol=1e-11, atol=1e-12).y[0, -1],
                  lambda q: q[1] * np.exp(-q[0] * q[1])),
    "brentq": (lambda q: opt.brentq(lambda x: sg.jvp(lambda a: a**2 * x, (q[0],), (1.0,))[1] - q[1], 0, 9),
               lambda q: q[1] / (2 * q[0])),
    "minimize": (lambda q: opt.minimize(lambda x: (x[0] - sg.grad(lambda a: a**3 * q[1])(q[0])) ** 2, np.zeros(1)).x[0],
                 lambda q: 3 * q[0] ** 2 * q[1]),
    "implicit": (lambda q: sg.implicit(lambda x, q: sg.grad(lambda a: a**3 * x / 3)(q[0]) - q[1],
                                       lambda q: q[1] / q[0] ** 2, q), lambda q: q[1] / q[0] ** 2),
}  # fmt: skip


@pytest.mark.parametrize("solver", WITH_A_SLOPE)
def test_a_slope_in_a_solvers_function_is_differentiated_twice(solver):
    (f, closed), q = WITH_A_SLOPE[solver], np.array([0.7, 1.4])
    np.testing.assert_allclose(sg.grad(f)(q), sg.grad(closed)(q), rtol=1e-6)
    np.testing.assert_allclose(sg.hessian(f)(q), sg.hessian(closed)(q), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(sg.jacfwd(sg.jacfwd(f))(q), sg.hessian(closed)(q), rtol=1e-6, atol=1e-7)


FOUND = {
    "brentq": lambda q: sp.optimize.brentq(lambda E: E - q[0] * np.sin(E) - q[1], 0, 6),
    "minimize": lambda q: sp.optimize.minimize(lambda z: ((z - q) ** 4 + z**2).sum(), np.zeros(2)).x.sum(),
    "solve_ivp": lambda q: sp.integrate.solve_ivp(lambda t, y, a: -a * y, (0, 1), q[1:], args=(q[0],)).y[0, -1],
    "spsolve": lambda q: sp.sparse.linalg.spsolve(sp.sparse.csc_array((q, ([0, 1], [0, 1]))), np.ones(2)).sum(),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_formula_of_what_a_solver_found_holds_at_its_point(name):
    """At other values it had given the same number, without a word."""
    f, q = FOUND[name], np.array([0.7, 1.3])
    formula, slope = sg.formula(f, q), sg.grad(f).formula(q)
    np.testing.assert_allclose(formula(), f(q), rtol=1e-5)
    np.testing.assert_allclose(slope(), sg.grad(f)(q), rtol=1e-5)
    for found in (formula, slope):
        assert any("a solver found" in condition for condition in found.conditions)
        with pytest.raises(sg.FormulaError, match="another point"):
            found(q=q + 0.1)
