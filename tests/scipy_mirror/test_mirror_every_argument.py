"""Every distribution's every method, and every function of special, in every argument that is differentiated.

Each Jacobian and each Hessian is held against differences entry by entry: arguments are single numbers.
"""

import numpy as np
import pytest
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp
from symgrad.scipy.stats._multivariate import MULTIVARIATE
from symgrad.scipy.stats._standard_distributions import CONTINUOUS, DISCRETE

from ..helpers.cases import one_in
from ..scipy._oracle import CASES as ORACLE
from ._law_points import CONTINUOUS_METHODS, COUNTED_METHODS, METHODS, point_of
from ._special_cases import CASES as SPECIAL
from ._special_cases import SET_ASIDE

STEPS = np.array([1e-3, -1e-3, 5e-4, -5e-4])


def slope(values):
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
        assert first[k] == pytest.approx(slope(values[own]), rel=2e-7, abs=2e-8), f"the slope by argument {k}"
        bends = slope(gradients[own])
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
    assert set(sp.stats.__all__) == {*CONTINUOUS, *DISCRETE, *MULTIVARIATE, "gaussian_kde", "pearsonr", "zscore"}


def statistic(name):
    """What is made of data, as a number."""
    weights = np.array([0.3, 1.2, 0.7])
    return {
        "gaussian_kde": lambda D, z: D.gaussian_kde(z[:3], z[3], weights=np.exp(z[4:7])).logpdf(z[7:])[0],
        "pearsonr": lambda D, z: D.pearsonr(z[:3], z[3:6])[0],
        "pvalue": lambda D, z: D.pearsonr(z[:4], z[4:8])[1],
        "zscore": lambda D, z: (D.zscore(z[:3], ddof=1) * weights).sum(),
    }[name]


@pytest.mark.parametrize("name", ["gaussian_kde", "pearsonr", "pvalue", "zscore"])
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
