"""A library that programs are written for is one record: here CuPy's, of which no GPU is needed.

The record is all that `sg.compile` is told of it. Where CuPy and a GPU are, its module is CuPy; else it is NumPy's
under another name, as strict as CuPy is about what its functions take (`helpers/another_library.py`), so that nothing
of NumPy's or PyTorch's words goes through.
"""

import importlib.util
import pickle
import sys

import numpy as np
import pytest

import symgrad as sg
from symgrad import GradientError
from symgrad.programs.dialects import DIALECTS, Arrays, Dialect, numpys_calls, numpys_helpers
from symgrad.show import Library

from ..helpers.another_library import modules
from ..properties._hessian_functions import function_of
from ..transforms.compiled.test_compile_loops import LOOPED, X


class CupyArrays(Arrays):
    """CuPy's arrays become NumPy's when they are asked to."""

    def shown(self, leaf):
        return self.root.asnumpy(leaf)


CUPY = Dialect(
    Library("cupy", "CuPy", "cp", 0, {
        "math": "math", "np": "numpy", "cp": "cupy",
        **{f"cupyx.scipy.{m}": f"cupyx.scipy.{m}" for m in ("linalg", "special")},
    }, "cupy-cuda12x"),
    CupyArrays,
    "cupy.ndarray",
    calls={**numpys_calls("cp"), "scipy.special": "cupyx.scipy.special", "scipy.linalg": "cupyx.scipy.linalg"},
    helpers=numpys_helpers("cp", {}),
    array="cp.asarray",
    written="cp.array({0}, dtype={1!r})",
    shown="cp.asnumpy({0})",
)  # fmt: skip

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(6, 4)), RNG.normal(size=6)
POINT = RNG.normal(size=4)
FUNCTIONS = {
    "least squares": lambda x: ((A @ x - B) ** 2).sum(),
    "a chain": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "logistic": lambda x: sg.log1p(sg.exp(A @ x)).sum(),
    "softmax": lambda x: -sg.log(sg.softmax(A @ x, 0))[0],
    "of SciPy": lambda x: sg.special.erf(x).sum() * x[0],
    "a determinant": lambda x: sg.linalg.slogdet(A.T @ A + sg.diag(x**2))[1],
    "a system": lambda x: sg.linalg.solve(A.T @ A + sg.diag(x**2), x) @ x,
    "places": lambda x: (x[np.array([0, 1, 1])] ** 3).sum(),
    "an order": lambda x: (sg.sort(x)[0] ** 2 * np.arange(4.0)).sum(),
    "backwards": lambda x: (x[::-1] * x**2).sum() * x[0],
    "a hinge": lambda x: np.maximum(A @ x - B, 0).sum() ** 2,
    "a condition": lambda x: np.where(x > 0, x**3, np.exp(x)).sum(),
}


def on_a_gpu():
    """CuPy's own module where it is installed and sees a GPU; None elsewhere."""
    if importlib.util.find_spec("cupy") is None:
        return None
    library = importlib.import_module("cupy")
    return library if library.cuda.is_available() else None


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setitem(DIALECTS, "cupy", CUPY)
    library = on_a_gpu()
    if library is not None:
        return library
    found = modules()
    for name, module in found.items():
        monkeypatch.setitem(sys.modules, name, module)
    return found["cupy"]


def assert_alike(cupy, mine, truth):
    for found, known in zip(mine, truth, strict=True):
        assert isinstance(found, cupy.ndarray)
        np.testing.assert_allclose(cupy.asnumpy(found), known, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_has_the_numbers_of_its_numpy_program(cupy, name):
    fgh = sg.compile(FUNCTIONS[name], target="cupy")
    for x in (POINT, 1.1 * POINT):
        assert_alike(cupy, fgh(cupy.asarray(x)), sg.compile(FUNCTIONS[name])(x))


@pytest.mark.parametrize("seed", range(8))
def test_random_functions_have_the_numbers_of_their_numpy_programs(cupy, seed):
    function = function_of(seed, kinks=False)
    f, wrt = function.compiled(), tuple(range(len(function.leaves)))
    truth = sg.compile(f, "fg", wrt)(*function.leaves)
    mine = sg.compile(f, "fg", wrt, target="cupy")(*map(cupy.asarray, function.leaves))
    assert_alike(cupy, [mine[0], *mine[1]], [truth[0], *truth[1]])


@pytest.mark.parametrize("name", list(LOOPED)[:6])
def test_loops_stay_loops(cupy, name):
    fgh = sg.compile(LOOPED[name], target="cupy")
    assert_alike(cupy, fgh(cupy.asarray(X)), sg.compile(LOOPED[name])(X))
    assert "_scan(step, first, rows)" in fgh.code(X)


def test_a_jacobian_has_the_numbers_of_its_numpy_program(cupy):
    f = lambda x: np.stack([x[0] ** 2, x[0] * x[1]])
    assert_alike(cupy, sg.compile(f, "fj", target="cupy")(cupy.asarray(POINT)), sg.compile(f, "fj")(POINT))


def test_the_source_is_in_its_words_and_tests_itself(cupy, tmp_path, capsys):
    fgh = sg.compile(FUNCTIONS["least squares"], target="cupy")
    fgh.save(tmp_path / "saved.py", cupy.asarray(POINT))
    text = (tmp_path / "saved.py").read_text()
    assert "import cupy as cp" in text and "cp.asarray" in text and "jnp" not in text and "torch" not in text
    spec = importlib.util.spec_from_file_location("saved_cupy", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._test()
    assert "as it should be" in capsys.readouterr().out


def test_workers_run_it(cupy):
    pytest.importorskip("dask")
    total = sg.distributed.sum_over(lambda b, X, y: (X @ b - y) ** 2, target="cupy")
    rows = [A[:4], A[4:]], [B[:4], B[4:]]
    value, gradient = total.value_and_grad(POINT, *rows)
    assert type(gradient) is np.ndarray
    np.testing.assert_allclose(value, ((A @ POINT - B) ** 2).sum())
    np.testing.assert_allclose(gradient, 2 * A.T @ (A @ POINT - B))
    np.testing.assert_allclose(total.hessian(POINT, *rows), 2 * A.T @ A)


def test_what_the_record_does_not_have_is_refused_by_name(cupy):
    with pytest.raises(GradientError, match=r"logcumsumexp.* has no name in cupy"):
        sg.compile(lambda x: sg.logcumsumexp(x, 0).sum() * x[0], target="cupy")(cupy.asarray(POINT))


def test_arrays_of_symgrad_are_refused(cupy):
    with pytest.raises(GradientError, match=r"is a function of cupy\.ndarrays"):
        sg.compile(FUNCTIONS["logistic"], target="cupy")(sg.tensor(POINT))


def test_what_is_not_installed_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(DIALECTS, "cupy", CUPY)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(sg.MissingDependencyError, match="pip install cupy-cuda12x"):
        sg.compile(FUNCTIONS["logistic"], target="cupy")


def test_a_target_that_is_not_there_is_answered_by_all_that_are(cupy):
    for ask in (sg.compile, sg.distributed.sum_over):
        with pytest.raises(sg.SymgradError, match="'numpy', 'numba', 'jax', 'torch', 'cupy'"):
            ask(FUNCTIONS["logistic"], target="fortran")


def test_a_compiled_function_is_pickled(cupy, monkeypatch):
    fgh = pickle.loads(pickle.dumps(sg.compile(least_squares, target="cupy")))
    assert_alike(cupy, fgh(cupy.asarray(POINT)), sg.compile(least_squares)(POINT))


def least_squares(x):
    return ((A @ x - B) ** 2).sum()
