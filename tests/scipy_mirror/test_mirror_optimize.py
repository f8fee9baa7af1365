"""symgrad.scipy.optimize and sg.implicit: SciPy's values, derivatives by differences and in closed form, its errors."""

import numpy as np
import pytest
import scipy.optimize

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ..helpers.numeric import STEP, slope

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


def test_a_name_that_is_missing_says_so():
    with pytest.raises(AttributeError, match="linprog has no mirror"):
        sp.optimize.linprog


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


def test_scipys_own_solvers_say_which_function_takes_tensors():
    for name in ("brentq", "brenth", "bisect", "ridder"):
        solver = getattr(scipy.optimize, name)
        with pytest.raises(sg.GradientError, match=f"Use symgrad.scipy.optimize.{name}, which takes tensors"):
            sg.grad(lambda a: solver(lambda x: x - a, 0, 9))(2.0)  # noqa: B023
        with pytest.raises(sg.GradientError, match=f"Use symgrad.scipy.optimize.{name}, which takes tensors"):
            sg.jacobian(lambda a: np.stack([solver(lambda x: x - a[0], 0, 9)]))(np.ones(2))  # noqa: B023
