"""symgrad.scipy.integrate: SciPy's values, exact derivatives of samples, parameters and limits, its errors."""

import warnings

import numpy as np
import pytest
import scipy.integrate

import symgrad as sg
import symgrad.scipy as sp
from symgrad.scipy.integrate import _courses

from ..helpers.cases import one_in
from ..helpers.numeric import gradient
from ._integrate_cases import CASES
from ._oracle import assert_scipys, cases_of

pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")  # BDF reads np.empty

G = sp.integrate


@one_in(8)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


@pytest.mark.slow
@pytest.mark.parametrize("moved", range(8))
def test_an_integral_of_three_variables_in_each_of_its_arguments(moved):
    """The integral of a over a box with one moving side, by its closed form."""

    def integral(v, home=G):
        z = np.array([0.1, 0.9, 0.2, 0.7, 0.3, 0.8, 1.3, 0.4])
        z = [v if k == moved else float(c) for k, c in enumerate(z)]
        if home is None:
            x, y, w = ((z[2 * k + 1] - z[2 * k]) for k in range(3))
            return (z[6] + z[7]) * x * y * w
        low, high, left, right = (lambda x: z[2]), (lambda x: z[3]), (lambda x, y: z[4]), (lambda x, y: z[5])
        return home.tplquad(lambda w, y, x, a: a + z[7], z[0], z[1], low, high, left, right, (z[6],), 1e-4, 1e-4)[0]

    v = [0.1, 0.9, 0.2, 0.7, 0.3, 0.8, 1.3, 0.4][moved]
    assert integral(v) == pytest.approx(integral(v, None))
    assert sg.grad(integral)(v) == pytest.approx(sg.grad(lambda v: integral(v, None))(v), rel=1e-6)


def test_second_derivatives_of_a_solution_are_those_of_the_closed_form():
    def end(q, solve=True):
        if not solve:
            return q[2] * np.exp(-q[0] * q[1])
        return G.solve_ivp(lambda t, y: -q[0] * y, (0, q[1]), [q[2]], rtol=1e-9, atol=1e-9).y[0, -1]

    q = np.array([2.0, 1.0, 3.0])
    for make in (sg.grad, sg.hessian, sg.jacfwd):
        np.testing.assert_allclose(make(end)(q), make(lambda q: end(q, False))(q), rtol=1e-6, atol=1e-7)


def test_an_integral_in_limits_and_parameters_that_depend_on_each_other():
    f = sg.hessian(lambda p: G.quad(lambda x: np.exp(p * x) * p, p, 2 * p)[0])  # of exp(2p²) - exp(p²)
    want = sg.hessian(lambda p: np.exp(2 * p * p) - np.exp(p * p))
    assert f(0.7) == pytest.approx(want(0.7), rel=1e-8)


def test_a_limit_is_one_number_in_whatever_shape():
    up_to = sg.grad(lambda b: sp.integrate.quad(np.cos, 0.0, b)[0])
    np.testing.assert_allclose(up_to(np.array([[0.3]])), [[np.cos(0.3)]], rtol=1e-14)
    with pytest.raises(sg.ShapeError, match="limits of an integral are numbers"):
        up_to(np.array([0.3, 0.4]))
    each = sg.vmap(lambda b: sp.integrate.quad(np.cos, 0, b)[0])(np.array([0.3, 0.4]))
    np.testing.assert_allclose(each, np.sin([0.3, 0.4]), rtol=1e-14)


def test_three_integrals_one_inside_the_other():
    """The integral of z over the tetrahedron with edges r: r⁴/24. Limits depend on two outer variables and on r."""

    def moment(r, home=G):
        return home.tplquad(lambda z, y, x: z, 0, r, 0, lambda x: r - x, 0, lambda x, y: r - x - y)[0]

    assert moment(1.3) == scipy.integrate.tplquad(lambda z, y, x: z, 0, 1.3, 0, lambda x: 1.3 - x, 0,
                                                  lambda x, y: 1.3 - x - y)[0]  # fmt: skip
    assert sg.grad(moment)(1.3) == pytest.approx(1.3**3 / 6, rel=1e-9)


def test_integrals_in_several_variables_are_scipys_with_their_errors():
    f = lambda y, x, a: np.exp(-a * x * y)
    want = scipy.integrate.nquad(f, [(0, 1), (0, 2)], (0.7,), full_output=True)
    got = G.nquad(f, [(0, 1), (0, 2)], (sg.tensor(0.7, requires_grad=True),), full_output=True)
    assert got[0].item() == want[0] and got[1:] == want[1:]
    assert G.nquad(f, [(0, 1), (0, 2)], (0.7,), full_output=True) == want


class Holder:
    def __init__(self, p):
        self.p = p


def test_a_tensor_that_is_not_found_is_an_error_and_no_zero():
    def hidden(p):
        held = Holder(p)
        return G.quad(lambda x, q: held.p * x * q, 0, 1, args=(p,))[0]

    with pytest.raises(sg.GradientError, match="neither among args nor"):
        sg.grad(hidden)(2.0)


def test_an_integral_of_a_derivative_that_diverges_says_what_scipy_says():
    with warnings.catch_warnings(), pytest.raises(sg.GradientError, match="SciPy says"):
        warnings.simplefilter("ignore")
        sg.grad(lambda p: G.quad(lambda x: x ** (p - 1), 0, 1, limit=5)[0])(0.05)


def branching(x, K):
    return (x - K) * np.exp(-x) if x > K else 0 * K


PAYOFFS = {
    "maximum": lambda x, K: np.maximum(x - K, 0) * np.exp(-x),
    "where": lambda x, K: np.where(x > K, x - K, 0) * np.exp(-x),
    "branch": branching,
}


@pytest.mark.parametrize("kind", PAYOFFS)
def test_a_kink_that_moves_is_told_and_divided_at(kind):
    """∫ (x − K)₊ exp(−x) has the second derivative exp(−K)."""
    f = PAYOFFS[kind]
    for second, b in ((sg.hessian, 20), (lambda f: sg.grad(sg.grad(f)), np.inf)):
        with pytest.warns(sg.StructurallyZeroWarning, match=rf"(?s)kink at 1, .*{kind}.*Divide"):
            assert second(lambda K: G.quad(lambda x: f(x, K), 0, b)[0])(1.0) == 0  # noqa: B023 it runs here
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            whole = lambda K: G.quad(lambda x: f(x, K), 0, K)[0] + G.quad(lambda x: f(x, K), K, b)[0]  # noqa: B023
            assert second(whole)(1.0) == pytest.approx(np.exp(-1.0), rel=1e-7)


@pytest.mark.parametrize("f", [
    lambda x, K: np.maximum(x - K, 0) ** 3 * np.exp(-x),  # smooth enough
    lambda x, K: np.maximum(K * (x - 1.2), 0) * np.exp(-K * x),  # it stays where it is
    lambda x, K: np.exp(-np.abs(K) * x),  # it is not met
])  # fmt: skip
def test_a_kink_that_adds_nothing_is_not_told(f):
    of = lambda K: G.quad(lambda x: f(x, K), 0, 20, points=[1.0, 1.2])[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sg.hessian(of)(1.0) == pytest.approx(
            (sg.grad(of)(1.0 + 1e-4) - sg.grad(of)(1.0 - 1e-4)) / 2e-4, rel=1e-5
        )


def test_a_kink_that_leaves_the_inner_range_is_one_of_the_outer_integral():
    """∬ (x + y − K)₊ over the unit square moves by the part of it above the line: it took minutes."""
    f = lambda K: G.dblquad(lambda y, x: np.maximum(x + y - K, 0), 0, 1, 0, 1)[0]
    assert sg.grad(f)(0.7) == pytest.approx(0.7**2 / 2 - 1, rel=1e-9)


class Calls:
    """A counter that solvers share with the caller, for it says how it is copied."""

    count = 0

    def __copy__(self):
        return self


def test_the_step_that_a_kink_becomes_is_integrated_from_side_to_side():
    calls = Calls()

    def payoff(x, K):
        calls.count += 1
        return np.maximum(x - K, 0) * np.exp(-x)

    slope = sg.grad(lambda K: G.quad(lambda x: payoff(x, K), 0, 20)[0])(1.0)
    assert slope == pytest.approx(np.exp(-20.0) - np.exp(-1.0), rel=1e-9) and calls.count < 800
    J = sg.jacobian(lambda K: G.quad_vec(lambda x: payoff(x, K), 0, 20)[0])(np.array([1.0, 2.0]))
    np.testing.assert_allclose(np.diag(J), np.exp(-20.0) - np.exp([-1.0, -2.0]), rtol=1e-9)


def test_what_is_not_written_is_refused_by_name():
    with pytest.raises(sg.NotDifferentiableError, match="complex states"):
        sg.grad(lambda y: np.abs(G.solve_ivp(lambda t, y: 1j * y, (0, 1), y + 0j).y).sum())(np.ones(1))
    with pytest.raises(sg.NotDifferentiableError, match="symbol"):
        G.quad(lambda x, a: a * x, 0, 1, args=(sg.symbol("a"),))


def chain(t, y, k):
    """A row of neighbours that exchange and grow."""
    return 0.5 * (np.roll(y, 1) - 2 * y + np.roll(y, -1)) + k * y * (1 - y) - 0.2 * np.sin(t)


SOLVED = {
    "each step": lambda z: G.solve_ivp(chain, (0, z[0]), z[1:7], args=(z[7],), rtol=1e-9, atol=1e-11).y,
    "times": lambda z: G.solve_ivp(chain, (0, 2), z[1:7], "DOP853", np.stack([z[0] * 0, z[0], 2.0]), args=(z[7],),
                                   rtol=1e-10, atol=np.full(6, 1e-11)).y,
    "from a time on": lambda z: G.solve_ivp(chain, (z[0], 2), z[1:7], "LSODA", args=(z[7],), rtol=1e-9, atol=1e-11).y,
    "back": lambda z: G.solve_ivp(chain, (1, 0), z[1:7], args=(z[7],), rtol=1e-9, atol=1e-11).y,
    "stiff": lambda z: G.solve_ivp(chain, (0, 0.5), z[1:7], "Radau", args=(z[7],), rtol=1e-7, atol=1e-9).y[:, -1],
    "a branch": lambda z: G.solve_ivp(lambda t, y: (t - 0.5) * (z[7] * y if t < 0.5 else -y), (0, z[0]), z[1:7],
                                      rtol=1e-9, atol=1e-11).y,
    "odeint": lambda z: G.odeint(lambda y, t: chain(t, y, z[7]), z[1:7], np.array([0.0, 0.3, 1.0]), rtol=1e-10,
                                 atol=1e-11),
}  # fmt: skip


@one_in(8)
@pytest.mark.parametrize("case", SOLVED)
def test_a_gradient_by_the_adjoint_equation_is_that_of_the_sensitivities(case, monkeypatch):
    f = SOLVED[case]
    z = np.concatenate([[1.1], np.random.default_rng(5).uniform(0.4, 1.4, 6), [0.7]])

    def weighed(z):
        y = f(z)
        return (y * np.cos(np.arange(np.size(y))).reshape(np.shape(y))).sum()

    found = [sg.grad(weighed)(z)]  # along the solution
    monkeypatch.setattr("symgrad._limits.COURSE_ROWS", 0)
    ways = (10**9, 16, 256), (-(10**6), 16, 256), (-(10**6), 1, 256), (-(10**6), 10**9, 256), (10**9, 4, 0)
    for restart, programmed, sensitive in ways:
        monkeypatch.setattr("symgrad.scipy.integrate._trajectories.SENSITIVE", sensitive)
        monkeypatch.setattr("symgrad.scipy.integrate._trajectories.RESTART", restart)
        monkeypatch.setattr("symgrad.scipy.integrate._trajectories.PROGRAMMED", programmed)
        found.append(sg.grad(weighed)(z))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-5, atol=1e-6 * np.abs(found[0]).max())


def epidemic(q, **options):
    """Susceptible and infected, of the contact rate q₀, the recovery q₁ and the first infected q₂, in hundredths."""

    def change(t, y, q):
        caught = q[0] * y[0] * y[1]
        return np.stack([-caught, caught - q[1] * y[1]])

    start = np.stack([1 - 0.01 * q[2], 0.01 * q[2]])
    return G.solve_ivp(change, (0, 3), start, "DOP853", [1.0, 3.0], args=(q[:2],), rtol=1e-10, atol=1e-12, **options).y


@pytest.mark.slow
@pytest.mark.parametrize("programmed", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_second_derivatives_of_a_solution_entry_by_entry(programmed, monkeypatch):
    """By a program from the first evaluation on, and by the tape up to one in the middle."""
    monkeypatch.setattr("symgrad.scipy.integrate._trajectories.PROGRAMMED", programmed)
    monkeypatch.setattr("symgrad._limits.COURSE_ROWS", 0)
    q = np.array([1.7, 0.45, 1.0])
    f = lambda q: (epidemic(q) ** 2).sum()
    slopes = sg.grad(f)
    np.testing.assert_allclose(slopes(q), gradient(f, q), rtol=1e-7)
    rows = np.stack([gradient(lambda q: slopes(q)[k], q) for k in range(3)])  # noqa: B023
    np.testing.assert_allclose(np.asarray(sg.hessian(f)(q)), rows, rtol=1e-6)


@pytest.mark.slow
def test_second_derivatives_of_a_right_side_that_branches_have_no_program():
    decay = lambda t, y, a: -a * y if t < 0.5 else -a * a * y
    end = lambda a: G.solve_ivp(decay, (0, 1), [1.0], "DOP853", [1.0], args=(a,), rtol=1e-7, atol=1e-9, max_step=0.25)
    want = sg.hessian(lambda a: np.exp(-0.5 * (a + a * a)))(1.3)
    assert sg.hessian(lambda a: end(a).y[0, 0])(1.3) == pytest.approx(want, rel=1e-5)


def test_a_right_side_that_calls_a_solver_has_no_program_and_second_derivatives_in_either_mode():
    def end(q):  # q₁ exp(-q₀)
        slope = lambda t, y: -np.stack([sp.optimize.brentq(lambda z: z - q[0] * y[0], -9, 9, xtol=1e-13)])
        return G.solve_ivp(slope, (0, 1), np.stack([q[1]]), rtol=1e-7, atol=1e-8).y[0, -1]

    want = np.exp(-0.7) * np.array([[1.4, -1.0], [-1.0, 0.0]])
    np.testing.assert_allclose(sg.jacfwd(sg.grad(end))(np.array([0.7, 1.4])), want, atol=1e-5)


def test_a_stiff_system_whose_adjoint_equation_is_not_solved_has_its_gradient_from_the_sensitivities():
    """Robertson's: the dense output that the adjoint equation sees is not smooth enough for these tolerances."""

    def change(t, y, k):
        slow, fast, back = k[0] * y[0], k[1] * y[1] * y[2], k[2] * y[1] ** 2
        return np.stack([fast - slow, slow - fast - back, back])

    def left(k, method="BDF", **options):
        return G.solve_ivp(change, (0, 40.0), [1.0, 0.0, 0.0], method, args=(k,), rtol=1e-9, atol=1e-13).y[0, -1]

    k = np.array([0.04, 1e4, 3e7])
    want = [(left(k * (1 + h), "Radau") - left(k * (1 - h), "Radau")) / 2e-3 for h in np.eye(3) * 1e-3]
    np.testing.assert_allclose(sg.grad(left)(k) * k, want, rtol=1e-5)


def orbits(t, y, q):
    """Prey and hunters, and a third that hangs on time; the exponential makes all second derivatives differ."""
    met = q[0] * y[0] * y[1]
    return np.stack([q[1] * y[0] - met, 0.5 * met - np.exp(-q[2] * t) * y[1], np.sin(y[0] + q[0] * t) - q[2] * y[2]])


STIFF = lambda t, y, q: np.stack([-50 * q[0] * (y[0] - np.cos(q[1] * t)) - y[1] ** 2, q[2] * y[0] - y[1]])

ALONG = {
    "parameters": lambda q, **o: G.solve_ivp(orbits, (0, 4), [1.0, 0.5, 0.1], t_eval=[0.0, 0.7, 3.9], args=(q,), **o).y,
    "the start": lambda q, **o: G.solve_ivp(orbits, (0, 3), np.stack([q[0], q[1] * q[2], 0 * q[0]]), args=(q,), **o).y,
    "both ends": lambda q, **o: G.solve_ivp(orbits, (0.1 * q[0], 3 * q[1]), [1.0, 0.5, 0.1], args=(q,), **o).y[:, -1],
    "back": lambda q, **o: G.solve_ivp(orbits, (2, 0), q, t_eval=[1.5, 0.0], args=(q[::-1],), **o).y,
    "between": lambda q, **o: G.solve_ivp(orbits, (0, 3), q, args=(q,), dense_output=True, **o).sol([2.0, 0.3, 2.9]),
    "an event": lambda q, **o: G.solve_ivp(orbits, (0, 9), [1.0, 0.5, 0.1], args=(q,),
                                           events=lambda t, y, q: y[2] - 0.3 * q[0], **o).y_events[0],
    "stiff": lambda q, **o: G.solve_ivp(STIFF, (0, 2), [0.3, 0.1], args=(q,), t_eval=[0.1, 2.0], **o).y,
    "a corner": lambda q, **o: G.solve_ivp(lambda t, y: np.abs(y - 0.8 * q[0]) * q[1] + q[2], (0, 1), [0.0],
                                           **o).y[:, -1],
    "a line": lambda q, **o: G.solve_ivp(lambda t, y: np.stack([q[0], 2 * q[0] * t]), (0, 1), [0.0, 1.0], **o).y[:, -1],
}  # fmt: skip
METHODS = "RK45", "DOP853", "Radau", "BDF", "LSODA"


@pytest.fixture
def found_along(monkeypatch):
    """How often derivatives were found along a solution, and were looked for so."""
    counts = [0, 0]

    def counted(found, own=_courses._succeeds):
        counts[1] += 1
        counts[0] += (yes := own(found))
        return yes

    monkeypatch.setattr(_courses, "_succeeds", counted)
    return counts


def weighed(values):
    return (values * np.cos(np.arange(np.size(values))).reshape(np.shape(values))).sum()


@one_in(10, "case")
@one_in(3, "method")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", ALONG)
def test_sensitivities_along_a_solution_are_those_of_their_own_equation(case, method, monkeypatch, found_along):
    q, tight = np.array([1.1, 0.7, 0.4]), {"method": method, "rtol": 1e-7, "atol": 1e-9}
    f = lambda q: weighed(ALONG[case](q, **tight))
    slope, bent = sg.grad(f)(q), sg.hessian(f)(q) if case != "a corner" else None
    assert found_along[0] == found_along[1] > 0
    monkeypatch.setattr("symgrad._limits.COURSE_ROWS", 0)
    fine = {"method": "Radau" if case == "stiff" else "DOP853", "rtol": 1e-10, "atol": 1e-12}
    best = lambda q: weighed(ALONG[case](q, **fine))
    if np.shape(ALONG[case](q, **fine)) != np.shape(ALONG[case](q, **tight)):  # at SciPy's own steps
        fine = tight
    want = sg.grad(best)(q)
    assert np.abs(slope - want).max() <= 3e-4 * (1 + np.abs(want).max())
    if bent is not None:
        want = sg.hessian(best)(q)
        assert np.abs(bent - want).max() <= 1e-3 * (1 + np.abs(want).max())


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("method", METHODS)
def test_an_error_of_a_derivative_along_a_solution_is_of_the_tolerances(method, rtol, found_along):
    """Of the tangent y' = 1 + q y², from sin(s)/cos(s): the end is known, and moves by what the tolerances leave."""
    end = lambda q, solve: solve(lambda t, y: q[0] + q[1] * y**2, (0, 1), np.stack([q[2]]))
    by_steps = lambda q: end(q, lambda *a: G.solve_ivp(*a, method=method, rtol=rtol, atol=rtol).y[0, -1])

    def exact(q):
        w = np.sqrt(q[0] * q[1])
        return np.sqrt(q[0] / q[1]) * np.tan(w + np.arctan(q[2] * np.sqrt(q[1] / q[0])))

    q = np.array([0.7, 0.9, 0.2])
    for derivative in (sg.grad, sg.hessian):
        want, found = derivative(exact)(q), derivative(by_steps)(q)
        assert np.abs(found - want).max() <= 100 * rtol * np.abs(want).max()
    assert found_along[0] == found_along[1] == 3


def test_a_right_side_that_branches_on_time_has_its_sensitivities_by_their_own_equation(found_along):
    decay = lambda t, y, a: -a * y if t < 0.5 else -a * a * y
    end = lambda a: G.solve_ivp(decay, (0, 1), [1.0], args=(a,), rtol=1e-6, atol=1e-8, max_step=0.25).y[0, -1]
    assert sg.grad(end)(1.3) == pytest.approx(sg.grad(lambda a: np.exp(-0.5 * (a + a * a)))(1.3), rel=1e-4)
    assert found_along == [0, 1]


def brusselator(t, y, a):
    """50 states, stiff: two substances react and diffuse between fixed ends."""
    u, v, h = y[:25], y[25:], 26**2 / 50
    along = lambda w, end: np.concatenate([[end], w[:-1]]) - 2 * w + np.concatenate([w[1:], [end]])
    return np.concatenate([a + u**2 * v - 4 * u + h * along(u, 1.0), 3 * u - u**2 * v + h * along(v, 3.0)])


AT_REST = np.concatenate([1 + np.sin(2 * np.pi * np.arange(1, 26) / 26), np.full(25, 3.0)])


@one_in(2)
@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA", scipy.integrate.BDF])
def test_implicit_methods_get_the_exact_jacobian_where_something_is_differentiated(method):
    plain = G.solve_ivp(brusselator, (0, 10), AT_REST, method, args=(1.0,))
    own = scipy.integrate.solve_ivp(brusselator, (0, 10), AT_REST, method, args=(1.0,))
    assert plain.nfev == own.nfev
    assert (plain.y == own.y).all()
    calls = []

    def counted(t, y, a):
        calls.append(t)
        return brusselator(t, y, a)

    def end(a):
        solution.append(G.solve_ivp(counted, (0, 10), AT_REST, method, args=(a,)))
        return solution[0].y[:, -1]

    solution = []
    _, pullback = sg.vjp(end, 1.0)
    (found,) = solution
    np.testing.assert_allclose(found.y.detach().numpy()[:, -1], own.y[:, -1], rtol=1e-6)
    exact = sg.jacobian(lambda y: brusselator(0.0, y, 1.0))
    given = scipy.integrate.solve_ivp(brusselator, (0, 10), AT_REST, method, args=(1.0,), jac=lambda t, y, a: exact(y))
    assert (found.nfev, found.njev) == (given.nfev, given.njev)
    assert len(calls) < min(given.nfev + 4 * given.njev + 10, own.nfev + 50 * own.njev)
    step = [scipy.integrate.solve_ivp(brusselator, (0, 10), AT_REST, "LSODA", args=(1.0 + h,), rtol=1e-9, atol=1e-9)
            for h in (-1e-4, 1e-4)]  # fmt: skip
    want = (step[1].y[:, -1] - step[0].y[:, -1]) / 2e-4
    np.testing.assert_allclose(pullback(np.ones(50)), want.sum(), rtol=1e-2)


FEW = {"tfirst": True, "full_output": 1, "rtol": 1e-4, "atol": 1e-4}


def test_odeint_gets_the_exact_jacobian_where_something_is_differentiated():
    own, info = scipy.integrate.odeint(brusselator, AT_REST, [0, 10], (1.0,), **FEW)
    seen = []

    def end(a):
        states, info = G.odeint(brusselator, AT_REST, [0, 10], (a,), **FEW)
        seen.append(info)
        return states[-1]

    value, _ = sg.vjp(end, 1.0)
    np.testing.assert_allclose(value, own[-1], rtol=1e-5)
    assert seen[0]["nfe"][-1] < info["nfe"][-1] / 3


@pytest.mark.parametrize("given", [{"jac_sparsity": np.ones((50, 50))}, {"jac": -np.eye(50)}])
def test_a_jacobian_that_is_given_is_the_one_that_is_used(given):
    own = scipy.integrate.solve_ivp(brusselator, (0, 1e-3), AT_REST, "BDF", args=(1.0,), **given)
    value, _ = sg.vjp(lambda a: G.solve_ivp(brusselator, (0, 1e-3), AT_REST, "BDF", args=(a,), **given).y, 1.0)
    np.testing.assert_array_equal(value, own.y)


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_a_slope_that_is_not_finite_at_the_start_is_a_difference(method):
    """That of the square root at 0; y' = a - √y goes to a²."""
    f = lambda t, y, a: a - np.sqrt(abs(y))
    own = scipy.integrate.solve_ivp(f, (0, 30), [0.0], method, args=(1.5,), rtol=1e-8, atol=1e-8).y[0, -1]
    value, _ = sg.vjp(lambda a: G.solve_ivp(f, (0, 30), [0.0], method, args=(a,), rtol=1e-8, atol=1e-8).y[0, -1], 1.5)
    assert value == pytest.approx(own, rel=1e-6)


def test_the_second_of_many_gradients_does_not_solve_again():
    """All rows of a Jacobian come of the sensitivities, which are solved once."""
    calls = []

    def counted(t, y, k):
        calls.append(t)
        return chain(t, y, k)

    y0 = np.linspace(0.5, 1.5, 6)
    J = sg.jacobian(lambda k: G.solve_ivp(counted, (0, 1), y0, args=(k,), t_eval=np.linspace(0, 1, 30)).y)(0.7)
    assert J.shape == (6, 30)
    assert len(calls) < 1500


FINE = {"rtol": 1e-8, "atol": 1e-10, "method": "DOP853"}


def hit(t, y, q):
    return y[0]


hit.terminal, hit.direction = True, -1


def falls(q, home=G):
    """A stone thrown up from q₀ with the speed q₁, with drag q₂, until it is down; what is watched hangs on q too."""
    return home.solve_ivp(lambda t, y, q: np.stack([y[1], -9.81 - q[2] * y[1]]), (0, 10), q[:2], args=(q,),
                          events=[hit, lambda t, y, q: y[0] - q[0] * 1.5], dense_output=True, **FINE)  # fmt: skip


WATCHED = {
    "when it is down": lambda r: r.t_events[0][0],
    "how fast it is then": lambda r: r.y_events[0][0, 1],
    "when it passes": lambda r: r.t_events[1].sum(),
    "how fast it passes": lambda r: (r.y_events[1][:, 1] ** 2).sum(),
    "the last time": lambda r: r.t[-1],
    "the last speed": lambda r: r.y[1, -1],
    "at times between": lambda r: (r.sol(np.array([0.3, 0.1])) ** 2).sum(),
    "at a time": lambda r: r.sol(0.2)[0],
}


@one_in(8)
@pytest.mark.parametrize("case", WATCHED)
def test_events_and_what_is_between(case):
    q = np.array([2.0, 9.0, 0.3])
    f = lambda q: WATCHED[case](falls(q))
    plain = lambda q: float(WATCHED[case](falls(q, scipy.integrate)))
    assert f(q) == pytest.approx(plain(q), rel=1e-12)
    np.testing.assert_allclose(sg.grad(f)(q), gradient(plain, q), rtol=1e-5, atol=1e-7)
    t = sg.tensor(q, requires_grad=True)
    f(t).backward()
    np.testing.assert_allclose(t.grad.numpy(), sg.grad(f)(q), rtol=1e-6)


def test_second_derivatives_of_an_event():
    """Of ``exp(a t) = b``, at which t is ``log(b) / a``."""
    when = lambda q: G.solve_ivp(lambda t, y, a: a * y, (0, 9), [1.0], events=lambda t, y, a: y[0] - q[1],
                                 args=(q[0],), **FINE).t_events[0][0]  # fmt: skip
    q = np.array([0.5, 3.0])
    want = sg.hessian(lambda q: np.log(q[1]) / q[0])(q)
    np.testing.assert_allclose(np.asarray(sg.hessian(when)(q)), np.asarray(want), rtol=1e-5, atol=1e-6)


def test_a_solution_is_differentiated_in_the_times_it_is_asked_at():
    def speed(t):
        return G.solve_ivp(lambda t, y: -2 * y, (0, 1), np.ones(1) * t**0, dense_output=True, **FINE).sol(t)[0]

    assert sg.grad(speed)(0.4) == pytest.approx(-2 * np.exp(-0.8), rel=1e-7)


def test_an_event_that_never_comes_has_no_times():
    def never(q):
        r = G.solve_ivp(lambda t, y: q * y, (0, 1), [1.0], events=lambda t, y: y[0] + 1)
        assert r.status == 0 and len(r.t_events[0]) == 0
        return r.y[0, -1]

    assert sg.grad(never)(0.5) == pytest.approx(np.exp(0.5), rel=1e-3)


def test_an_event_of_slope_zero_has_no_derivative():
    touch = lambda t, y, q: np.sign(y[0] - q)
    with pytest.raises(sg.GradientError, match=r"event: (.|\n)*singular"):
        sg.grad(lambda q: G.solve_ivp(lambda t, y, q: np.ones(1), (0, 1), [0.0], args=(q,), events=touch)
                .t_events[0][0])(0.5)  # fmt: skip


def test_a_parameter_of_an_event_alone():
    when = lambda q: G.solve_ivp(lambda t, y: y, (0, 3), [1.0], events=lambda t, y: y[0] - q, **FINE).t_events[0][0]
    assert when(4.0) == pytest.approx(np.log(4), rel=1e-8)
    assert sg.grad(when)(4.0) == pytest.approx(0.25, rel=1e-6)


def test_samples_of_symbols_are_formulas():
    y = sg.symbol("y", 3)
    assert sg.grad(lambda y: G.trapezoid(y))(y).shape == (3,)


def test_a_gradient_from_an_infinite_value_is_nan_by_the_adjoint_equation_too():
    def log_of_end(y0):
        return np.log(sp.integrate.solve_ivp(lambda t, y: -y * np.arange(1.0, 10.0), (0, 1), y0).y[:, -1].sum())

    with np.errstate(divide="ignore"):
        assert np.isnan(sg.grad(log_of_end)(np.zeros(9))).all()


def test_what_is_not_finite_behind_an_integral_is_nan_in_its_gradient():
    with np.errstate(invalid="ignore"):
        assert np.isnan(sg.grad(lambda a: np.nan * G.quad(lambda x: a * x, 0, 1)[0])(2.0))
        assert np.isnan(sg.grad(lambda a: (np.inf * G.quad_vec(lambda x: a * x, 0, 1)[0]).sum())(np.ones(2))).all()
        assert np.isnan(sg.grad(lambda a: np.nan * G.dblquad(lambda y, x: a * x, 0, 1, 0, 1)[0])(2.0))


@pytest.mark.parametrize("method", ["RK45", "DOP853", "RK23", "Radau", "BDF", "LSODA"])
def test_a_solution_that_ends_where_it_begins_has_its_derivatives(method):
    """The first of several times of measurement, say."""

    def end(x):
        return sp.integrate.solve_ivp(lambda t, y: -x[0] * y, (0.0, x[2]), np.stack([x[1]]), method=method).y[0, -1]

    x = np.array([0.9, 0.4, 0.0])
    np.testing.assert_allclose(sg.grad(end)(x), [0.0, 1.0, -0.36], atol=1e-12)
    np.testing.assert_allclose(sg.hessian(end)(x)[:2, :2], np.zeros((2, 2)), atol=1e-12)
