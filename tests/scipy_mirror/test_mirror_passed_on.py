"""SciPy's names that have no mirror: SciPy's own of plain numbers, an error by name of what is differentiated."""

import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp

NAMESPACES = [
    "cluster.hierarchy", "cluster.vq", "constants", "fft", "integrate", "interpolate", "io", "io.wavfile", "linalg",
    "linalg.interpolative", "ndimage", "optimize", "signal", "signal.windows", "sparse", "sparse.csgraph",
    "sparse.linalg", "spatial", "spatial.distance", "spatial.transform", "special", "stats", "stats.contingency",
    "stats.mstats", "stats.qmc",
]  # fmt: skip


def both(home):
    return importlib.import_module(f"symgrad.scipy.{home}"), importlib.import_module(f"scipy.{home}")


def public(theirs):
    return getattr(theirs, "__all__", None) or [n for n in dir(theirs) if not n.startswith("_")]


@pytest.mark.parametrize("home", NAMESPACES)
@pytest.mark.filterwarnings("ignore")
def test_every_name_of_scipys_is_there_and_completes(home):
    ours, theirs = both(home)
    names = public(theirs)
    assert {n for n in names if not hasattr(ours, n)} == set()
    assert set(names) <= set(dir(ours)) and not [n for n in dir(ours) if n.startswith("_")]


@pytest.mark.parametrize("home", NAMESPACES)
@pytest.mark.filterwarnings("ignore")
def test_functions_without_a_mirror_refuse_what_is_differentiated_by_name(home):
    ours, theirs = both(home)
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    for name in public(theirs):
        value = getattr(ours, name)
        if getattr(value, "__wrapped__", None) is not getattr(theirs, name) or isinstance(value, type(importlib)):
            continue
        for args, kwargs in (((x,), {}), (([x],), {}), ((), {"a": {"b": x}}), ((lambda t: t * x,), {})):
            with pytest.raises(sg.NotDifferentiableError, match=rf"^symgrad\.scipy\.{home}\.{name} has no deriv"):
                value(*args, **kwargs)


def test_an_array_of_a_transform_is_refused_too():
    with pytest.raises(sg.NotDifferentiableError, match=r"(?s)stats.ttest_ind has.*plain arrays.*stats.__all__ lists"):
        sg.grad(lambda x: sp.stats.ttest_ind(x, x + 1).statistic)(np.arange(3.0))
    with pytest.raises(sg.NotDifferentiableError, match=r"(?s)distance.hamming has.*spatial.distance.__all__ lists"):
        sg.grad(lambda x: sp.spatial.distance.hamming(x, x + 1))(np.arange(3.0))
    with pytest.raises(sg.NotDifferentiableError, match=r"(?s)norm.rvs has.*scipy.stats.__all__ lists"):
        sg.grad(lambda x: sp.stats.norm.rvs(x).sum())(np.arange(3.0))
    with pytest.raises(sg.NotDifferentiableError, match=r"(?s)hierarchy.linkage has.*or on sg.stop_gradient\(x\)\.$"):
        sg.grad(lambda x: sp.cluster.hierarchy.linkage(x).sum())(np.ones((3, 1)))
    with pytest.raises(sg.NotDifferentiableError, match=r"(?s)io.savemat has.*or on sg.stop_gradient\(x\)\.$"):
        sg.grad(lambda x: sp.io.savemat("nowhere.mat", {"x": x}))(np.arange(3.0))


def test_imports_of_every_form():
    code = """
import symgrad.scipy.cluster.hierarchy as hierarchy
import symgrad.scipy.spatial.distance
import symgrad.scipy as scipy
from symgrad.scipy import constants, io, sparse, stats
from symgrad.scipy.constants import c, physical_constants
from symgrad.scipy.sparse import csgraph, eye, vstack
from symgrad.scipy.stats import qmc
assert constants.c == c and scipy.__version__ and "electron mass" in physical_constants
assert vstack([eye(2), eye(2)]).shape == (4, 2)
assert hierarchy.linkage([[0.0], [1.0], [5.0]]).shape == (2, 4)
assert csgraph.connected_components(eye(3))[0] == 3
assert stats.norm.rvs(size=3).shape == (3,) and qmc.Sobol(2).random(4).shape == (4, 2)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (lambda: sp.sparse.ey, "'symgrad.scipy.sparse' has no attribute 'ey'\nNeither has scipy.sparse.\nThere is eye"),
        (lambda: sp.spatail, "'symgrad.scipy' has no attribute 'spatail'\nNeither has scipy.\nThere is spatial."),
        (lambda: sp.stats.xxxx, r"no attribute 'xxxx'\nNeither has scipy.stats.\ndir\(symgrad.scipy.stats\) lists"),
        (lambda: sp.stats.norm.rvss, "symgrad.scipy.stats.norm has no 'rvss'\nThere is rvs."),
        (lambda: sp.linalg._private, "has no attribute '_private'"),
    ],
)
def test_misspelled_names_are_errors_that_name_what_is_near(look, words):
    with pytest.raises(AttributeError, match=words):
        look()


def test_a_module_that_scipy_has_not_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"symgrad\.scipy\.spatail"):
        importlib.import_module("symgrad.scipy.spatail")


def test_plain_numbers_give_what_scipy_gives():
    a, b = np.arange(5.0), np.array([1.0, 3, 2, 5, 4])
    assert sp.stats.ttest_ind(a, b) == scipy.stats.ttest_ind(a, b)
    np.testing.assert_array_equal(sp.linalg.cosm(np.diag(a)), scipy.linalg.cosm(np.diag(a)))
    assert sp.stats.norm.fit(b) == scipy.stats.norm.fit(b)
    assert sp.stats.norm(1, 2).interval(0.9) == scipy.stats.norm(1, 2).interval(0.9)
    assert sp.stats.multivariate_normal([0, 0]).rvs(3, 1).shape == (3, 2)
    np.testing.assert_array_equal(sp.interpolate.CubicSpline(a, b - 3).roots(), _roots(a, b - 3))


def _roots(x, y):
    return scipy.interpolate.CubicSpline(x, y).roots()


def test_known_tensors_give_tensors_and_in_a_function_of_arrays_arrays():
    found = sp.special.comb(sg.tensor([5.0, 4.0]), 2)
    assert isinstance(found, sg.Tensor) and found.tolist() == [10.0, 6.0]
    assert sp.stats.ttest_1samp(sg.tensor([1.0, 2.0, 3.0]), 0.0) == scipy.stats.ttest_1samp([1.0, 2.0, 3.0], 0.0)

    def f(x):
        window = sp.signal.windows.hann(3)
        window[0] = x[0]
        return (window * x).sum()

    np.testing.assert_array_equal(sg.grad(f)(np.array([2.0, 1.0, 1.0])), [4.0, 1.0, 0.0])


def test_methods_without_a_mirror_refuse_parameters_that_are_differentiated():
    x = sg.tensor([1.0, 2.0, 4.0], requires_grad=True)
    for call, name in (
        (lambda: sp.stats.norm(x, 1.0).mean(), "stats.norm.mean"), (lambda: sp.stats.gamma.rvs(x), "stats.gamma.rvs"),
        (lambda: sp.stats.dirichlet.mean(x), "stats.dirichlet.mean"),
        (lambda: sp.interpolate.CubicSpline(np.arange(3.0), x).roots(), "interpolate.CubicSpline.roots"),
        (lambda: sp.interpolate.BSpline(np.arange(6.0), x, 2).insert_knot(2.5), "interpolate.BSpline.insert_knot"),
    ):  # fmt: skip
        with pytest.raises(sg.NotDifferentiableError, match=rf"^symgrad\.scipy\.{name} has no derivative rule"):
            call()


def test_functions_are_one_object_that_pickles():
    assert sp.stats.ttest_ind is sp.stats.ttest_ind
    assert pickle.loads(pickle.dumps(sp.stats.ttest_ind)) is sp.stats.ttest_ind


@pytest.mark.parametrize("call", [
    lambda q: sp.stats.ncx2.cdf(5.0, 3.0, q), lambda q: sp.stats.nct.cdf(1.0, 3.0, q),
    lambda q: sp.stats.genpareto.ppf(q, 0.2), lambda q: sp.stats.genpareto.logpdf(0.5, q),
    lambda q: sp.stats.ncx2(3.0, q).cdf(5.0),
])  # fmt: skip
def test_a_distribution_without_derivatives_says_so_in_each_of_its_arguments(call):
    """Its code gives what is differentiated to ufuncs that know no objects: to put numbers together would not help."""
    with pytest.raises(sg.GradientError, match=r"(?s)scipy.stats \((ncx2|nct|genpareto).*no derivative"):
        sg.grad(call)(0.3)
