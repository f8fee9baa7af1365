"""Every real argument of every function of the mirror is differentiated in a case, or it is said why in none.

What is differentiated is measured, by a gradient that is not 0 in that argument alone. That the derivatives are right,
entry by entry, is the matter of the tests of each module and of those of second derivatives.
"""

import functools
import re

import numpy as np
import pytest
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp
from symgrad.scipy.stats._multivariate import MULTIVARIATE
from symgrad.scipy.stats._standard_distributions import CONTINUOUS, DISCRETE

from ..helpers.cases import one_in
from ..helpers.numeric import STEP, slope
from ..scipy._oracle import CASES as ORACLE
from . import (
    _fft_cases,
    _integrate_cases,
    _interpolate_cases,
    _linalg_cases,
    _ndimage_cases,
    _signal_cases,
    _sparse_cases,
    _special_cases,
    _stats_cases,
)
from ._law_points import CONTINUOUS_METHODS, COUNTED_METHODS, METHODS, point_of
from ._oracle import MIRROR, MODULES, POINT, assert_scipys, cases_of, total
from ._oracle import called as first_function
from ._special_cases import CASES as SPECIAL
from ._special_cases import SET_ASIDE
from ._undifferentiated import BY_FUNCTION, BY_MODULE, BY_NAME, FUNCTIONS
from ._watched import Watch, parameters, public
from .test_mirror_optimize import CASES as SOLVED
from .test_mirror_optimize import Q

TEXTS = {
    "linalg": _linalg_cases, "fft": _fft_cases, "signal": _signal_cases, "ndimage": _ndimage_cases,
    "interpolate": _interpolate_cases, "integrate": _integrate_cases, "sparse": _sparse_cases,
}  # fmt: skip
HERE = [m for m in MODULES.values() if m not in ("special", "stats")] + ["optimize"]
"""What test_mirror_every_argument.py does not go through."""


def watched(home):
    """The arguments in which the cases of a module have a gradient."""
    texts = TEXTS[home]
    for case in cases_of(texts.CASES + texts.SET_ASIDE):
        watch = Watch()
        yield watch, functools.partial(total, case, sg.tensor(POINT, requires_grad=True), watch.module)


def solved():
    for f in SOLVED.values():
        watch = Watch()
        yield watch, functools.partial(_weighed, f, watch)


def _weighed(f, watch):
    y = f(watch.module("optimize"), sg.tensor(Q, requires_grad=True))
    return (y * np.cos(np.arange(np.size(y))).reshape(np.shape(y))).sum()


@functools.cache
def moved(home):
    found = set()
    for watch, number in solved() if home == "optimize" else watched(home):
        found |= watch.moved(number())
    return found


NOWHERE = {p: why for why, names in BY_NAME.items() for p in names.split()}
HARMLESS = {(key.split()[0], p) for key in BY_FUNCTION for p in key.split()[1:]}


@one_in(4)
@pytest.mark.parametrize("module", HERE)
def test_every_real_argument_has_a_gradient_in_a_case_or_a_reason_for_none(module):
    found = moved(module.partition(".")[0])
    left = [
        f"{name}({p})"
        for name, fn in public(module)
        if name not in FUNCTIONS
        for p in parameters(fn)
        if (name, p) not in found | HARMLESS and p not in NOWHERE and f"{module} {p}" not in BY_MODULE
    ]
    assert not left, "in no case differentiated, and no reason is said: " + ", ".join(left)


@pytest.mark.slow
def test_what_is_said_to_have_no_derivative_has_none_and_is_there():
    functions = {name: fn for module in HERE for name, fn in public(module)}
    there = {(name, p) for name, fn in functions.items() for p in parameters(fn)}
    assert functions.keys() >= FUNCTIONS.keys()
    assert there >= HARMLESS
    named = {p for _, p in there} | ({"blocksize"} if np.lib.NumpyVersion(scipy.__version__) >= "1.18.0" else set())
    assert named >= NOWHERE.keys(), NOWHERE.keys() - named
    everywhere = set().union(*(moved(module) for module in {m.partition(".")[0] for m in HERE}))
    assert not everywhere & HARMLESS
    assert not sorted((p, name) for name, p in everywhere if p in NOWHERE)


# Every method of every distribution, and every function of special ----------------------------------------------------

# Each Jacobian and each Hessian is held against differences entry by entry: arguments are single numbers.


STEPS = np.array([1e-3, -1e-3, 5e-4, -5e-4])


def slope_at_steps(values):
    """The slope of what was computed at `STEPS`: central differences, extrapolated once."""
    wide, half = (values[0] - values[1]) / (STEPS[0] - STEPS[1]), (values[2] - values[3]) / (STEPS[2] - STEPS[3])
    return (4 * half - wide) / 3


def assert_every_entry(f, point, theirs=None, elementwise=False):
    """The Jacobian and the Hessian of a number, entry by entry; ``theirs`` computes the same by numbers alone.

    ``elementwise`` says that f takes many points at once, each a column: their gradients cost what one does.
    """
    n = len(point)
    near = np.concatenate([point + STEPS[:, None] * unit for unit in np.eye(n)])
    at_once = lambda z: f(sg.tensor(z.T, requires_grad=True)).detach().numpy()
    one_by_one = theirs or (lambda z: f(sg.tensor(z, requires_grad=True)).item())
    values = at_once(near) if elementwise and theirs is None else np.stack([one_by_one(z) for z in near])
    value = f(sg.tensor(point, requires_grad=True)).item()
    if theirs is not None:
        assert value == pytest.approx(theirs(point), rel=1e-10, abs=1e-12)
    g = sg.grad(f)
    gradients = sg.grad(lambda z: f(z).sum())(near.T).T if elementwise else np.stack([g(z) for z in near])
    first, H = g(point), sg.hessian(f)(point)
    for k in range(n):
        own = slice(4 * k, 4 * k + 4)
        assert first[k] == pytest.approx(slope_at_steps(values[own]), rel=2e-7, abs=2e-8), f"the slope by argument {k}"
        bends = slope_at_steps(gradients[own])
        np.testing.assert_allclose(H[:, k], bends, rtol=2e-7, atol=2e-8, err_msg=f"second slopes by argument {k}")


def reached(name, method):
    """Whether SciPy's own values are as smooth as differences need: it solves for some of its quantiles."""
    return (name, method) not in {(n, m) for n in ("skewnorm", "vonmises", "truncnorm") for m in ("ppf", "isf")}


@one_in(12)
@pytest.mark.parametrize(("name", "method"), CONTINUOUS_METHODS)
def test_continuous_distributions_in_every_argument(name, method):
    point = np.array(point_of(name, method)[1])
    ours, theirs = getattr(CONTINUOUS[name], method), getattr(getattr(scipy.stats, name), method)
    scipys = (lambda z: float(theirs(*z))) if reached(name, method) else None
    assert_every_entry(lambda z: ours(*z), point, scipys, elementwise=True)


@one_in(6)
@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
@pytest.mark.parametrize(("name", "method"), COUNTED_METHODS)
def test_distributions_of_counts_in_every_parameter(name, method):
    fixed, shapes = point_of(name, method)
    ours, theirs = getattr(DISCRETE[name], method), getattr(getattr(scipy.stats, name), method)
    assert_every_entry(lambda z: ours(*fixed, *z), np.array(shapes), lambda z: float(theirs(*fixed, *z)), True)


def symmetric(z):
    """A positive definite matrix of three numbers."""
    return np.stack([np.stack([z[0], z[1]]), np.stack([z[1], z[2]])])


C = (1.4, 0.3, 1.1)
MANY = {
    ("multivariate_normal", "logpdf"): (lambda m, z: m(z[:2], z[2:4], symmetric(z[4:])), (0.3, -0.4, 0.1, 0.2, *C)),
    ("multivariate_normal", "entropy"): (lambda m, z: m(None, symmetric(z)), C),
    ("multivariate_t", "logpdf"): (lambda m, z: m(z[:2], z[2:4], symmetric(z[4:7]), z[7]),
                                   (0.3, -0.4, 0.1, 0.2, *C, 3.4)),
    ("dirichlet", "logpdf"): (lambda m, z: m(z[:2], z[2:]), (0.3, 0.5, 1.4, 2.2, 0.8)),
    ("dirichlet", "entropy"): (lambda m, z: m(z), (1.4, 2.2, 0.8)),
    ("wishart", "logpdf"): (lambda m, z: m(symmetric(z[:3]), z[3], symmetric(z[4:])), (2.3, 0.4, 1.9, 4.2, *C)),
    ("wishart", "entropy"): (lambda m, z: m(z[0], symmetric(z[1:])), (4.2, *C)),
    ("multinomial", "logpmf"): (lambda m, z: m([1, 2, 3], 6, z / z.sum()), (0.2, 0.3, 0.6)),
}  # fmt: skip
for _name, _of, _log in (
    ("multivariate_normal", "pdf", "logpdf"), ("multivariate_normal", "cdf", "logpdf"),
    ("multivariate_normal", "logcdf", "logpdf"), ("multivariate_t", "pdf", "logpdf"), ("dirichlet", "pdf", "logpdf"),
    ("wishart", "pdf", "logpdf"), ("multinomial", "pmf", "logpmf"),
):  # fmt: skip
    MANY[_name, _of] = MANY[_name, _log]


@one_in(9)
@pytest.mark.parametrize(("name", "method"), MANY)
def test_distributions_of_vectors_in_every_argument(name, method):
    call, point = MANY[name, method]
    ours, theirs = getattr(MULTIVARIATE[name], method), getattr(getattr(scipy.stats, name), method)
    assert_every_entry(lambda z: call(ours, z), np.array(point), lambda z: float(call(theirs, z)))


def test_every_method_of_every_distribution_is_among_them():
    for name, law in (CONTINUOUS | DISCRETE).items():
        methods = {m for n, m in (*CONTINUOUS_METHODS, *COUNTED_METHODS) if n == name}
        assert methods == set(METHODS) - ({"pmf", "logpmf"} if name in CONTINUOUS else {"pdf", "logpdf"}) - (
            {"entropy"} if law._law.entropy is None else set()
        )
    assert {(n, m) for n, law in MULTIVARIATE.items() for m in law._formulas} == set(MANY)
    assert set(sp.stats.__all__) == {
        *CONTINUOUS,
        *DISCRETE,
        *MULTIVARIATE,
        "entropy",
        "gaussian_kde",
        "pearsonr",
        "zscore",
    }


def statistic(name):
    """What is made of data, as a number."""
    weights = np.array([0.3, 1.2, 0.7])
    return {
        "gaussian_kde": lambda D, z: D.gaussian_kde(z[:3], z[3], weights=np.exp(z[4:7])).logpdf(z[7:])[0],
        "entropy": lambda D, z: D.entropy(np.exp(z[:3]), np.exp(z[3:6])) + D.entropy(np.exp(z[:4]), base=z[4] + 2),
        "pearsonr": lambda D, z: D.pearsonr(z[:3], z[3:6])[0],
        "pvalue": lambda D, z: D.pearsonr(z[:4], z[4:8])[1],
        "zscore": lambda D, z: (D.zscore(z[:3], ddof=1) * weights).sum(),
    }[name]


@pytest.mark.parametrize("name", ["entropy", "gaussian_kde", "pearsonr", "pvalue", "zscore"])
def test_statistics_of_data_in_every_entry(name):
    point = np.array([0.3, 1.1, -0.4, 0.8, 0.5, -0.2, 0.1, 0.6])
    own = statistic(name)
    theirs = None if name == "gaussian_kde" else lambda z: float(own(scipy.stats, z))
    assert_every_entry(lambda z: own(sp.stats, z), point, theirs)


def test_every_function_of_special_is_measured():
    """By mpmath, in every argument (tests/scipy), or here by its cases; `round` has no slope but 0."""
    measured = {n.partition("[")[0] for n in ORACLE}
    for name in sp.special.__all__:
        assert name in measured or f"sc.{name}(" in SPECIAL + SET_ASIDE or name == "round", name


# Second derivatives by any two entries, along directions that move all ------------------------------------------------


BY_TRUTHS = {name.partition("[")[0] for name, of in ORACLE.items() if of.seconds}
"""Functions of special whose second derivatives are held against mpmath's (tests/scipy)."""
CASES = [
    c
    for m in (*TEXTS.values(), _special_cases)
    for c in cases_of(m.CASES + m.SET_ASIDE)
    if first_function(c) not in {f"sc.{name}" for name in BY_TRUTHS}
]


@one_in(160)
@pytest.mark.parametrize("case", CASES)
def test_every_second_derivative_is_that_of_differences_of_the_gradient(case):
    gradient = sg.grad(lambda z: total(case, z, MIRROR))
    at = gradient(POINT) != 0  # the other entries are not among the case's, and have no second derivative with any
    assert at.any(), "the case has no derivative at all: it tests nothing"
    rng = np.random.default_rng(len(case))
    for _ in range(2):  # half of the oracle's step, since all entries move as far as its largest
        direction = rng.uniform(0.5, 1, POINT.size) * rng.choice([-1, 1], POINT.size)
        truth = slope(lambda t: gradient(POINT + t * at * direction), STEP / 2)  # noqa: B023
        found = sg.grad(lambda z: (gradient(z) * direction).sum())(POINT)  # noqa: B023
        np.testing.assert_allclose(found, truth, rtol=1e-5, atol=2e-6 * (1 + np.abs(truth).max()))


ELSEWHERE = {
    "special.round": "It has none: its slope is 0.",
    "optimize.NonlinearConstraint": "test_mirror_optimize.py, by itself and in minimize.",
}
"""Functions of which no case is among these, and where their second derivatives are looked at."""


def called():
    """The functions that are called in cases whose second derivatives are compared, entry by entry."""
    z, found = sg.tensor(POINT, requires_grad=True), set()
    for case in {tuple(re.findall(r"[\w.]+\(", case)): case for case in CASES}.values():  # others call the same
        watch = Watch()
        total(case, z, watch.module)
        found |= watch.called
    for watch, number in solved():
        number()
        found |= watch.called
    return found | {f"special.{n}" for n in BY_TRUTHS}


def test_every_function_has_a_case_with_second_derivatives_entry_by_entry():
    """Those of stats: test_mirror_every_argument.py, with a test that they are all of them."""
    names = [n for module in HERE for n, _ in public(module)] + [f"special.{n}" for n in sp.special.__all__]
    seen = called()
    left = [n for n in dict.fromkeys(names) if n not in seen | FUNCTIONS.keys() | ELSEWHERE.keys()]
    assert not left, "of no case are second derivatives looked at: " + ", ".join(left)
    assert not seen & ELSEWHERE.keys()


# The cases that were set aside while the mirror was written -----------------------------------------------------------


WITH_CASES_ASIDE = (
    _linalg_cases, _stats_cases, _fft_cases, _interpolate_cases, _integrate_cases, _special_cases, _signal_cases,
    _ndimage_cases,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for m in WITH_CASES_ASIDE for c in cases_of(m.SET_ASIDE)])
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)
