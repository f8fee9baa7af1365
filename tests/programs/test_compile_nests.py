"""Programs as loops that Numba compiles, whole or beside lines of NumPy: right as Python, and right compiled."""

import math
import subprocess
import sys
import types

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.programs.loops.nested_program import Nested

from ..helpers.cases import one_in
from ..properties._hessian_functions import function_of

RNG = np.random.default_rng(3)
T, Y = np.linspace(0.0, 3.0, 40), RNG.normal(size=40)
X = RNG.normal(size=(40, 3))
S = np.array([[3.0, 0.5, 0.1], [0.5, 2.0, 0.3], [0.1, 0.3, 1.5]])


def decay(p):
    return ((p[0] * np.exp(-p[1] * T) + p[2] + p[3] * T - Y) ** 2).sum()


def mixture(p):
    logits, mean, log_sd = p[:2], p[2:4], p[4:]
    z = (T[:, None] - mean) * np.exp(-log_sd)
    return -sg.logsumexp(logits - sg.logsumexp(logits, 0) - log_sd - 0.5 * z**2, 1).sum()


def regression(w):
    z = X @ w
    return np.logaddexp(0, -np.sign(Y) * z).sum() + 0.3 * (w**2).sum()


def classes(W):
    return (sg.log_softmax(X @ W, 1)[:, 1] + sg.softmax(X @ W, 1)[:, 0] ** 2).sum()


def branches(p):
    z = p[0] * T - p[1]
    return np.where(z > 0.3, z**3 * p[2], np.sin(z)).sum() + np.maximum(z, p[1] * T).sum() ** 2


def factored(p):
    K = S * np.exp(p[0]) + np.eye(3) * np.exp(p[1])
    return np.linalg.slogdet(K)[1] + p[2] * (X[0] @ np.linalg.solve(K, X[1])) + (p**4).sum()


def two(u, v):
    return (np.exp(u) @ X[:2]) @ v + (u[:, None] * v * v).sum() ** 2 + (v**3).sum()


def diagonals(x):
    return np.exp(-0.2 * np.sqrt((x**2).mean())) + np.exp(np.cos(2 * x).mean()) + (x[0] * x).sum()


def shifted(p):
    e = (Y[2:] - p[0] - p[1] * Y[1:-1] - p[2] * Y[:-2]) * np.exp(-p[3])
    return 38 * p[3] + 0.5 * (e**2).sum()


def powers(p):
    return ((1 + (p[0] * T) ** 2) ** 1.5 + (2 + p[1] * T) ** -0.3).sum() * p[2] ** 5


def found(p):
    order = np.argsort(p)
    return (p[np.argmin(p) - 1] ** 3 + p[order[0]] * p[order] ** 2).sum() * np.exp(p).sum()


P = np.array([0.4, 0.7, -0.2, 0.3])
CASES = {
    "decay": (decay, (P,)), "mixture": (mixture, (np.linspace(-0.5, 0.6, 6),)), "regression": (regression, (P[:3],)),
    "classes": (classes, (RNG.normal(size=(3, 3)),)), "branches": (branches, (P[:3],)),
    "factored": (factored, (P[:3],)), "two": (two, (P[:2], P[1:])), "powers": (powers, (P[:3],)),
    "diagonals": (diagonals, (np.linspace(-1, 2, 12),)), "shifted": (shifted, (P,)), "found": (found, (P,)),
}  # fmt: skip


@pytest.fixture
def nests(monkeypatch):
    """Arrays, not single numbers, and nests however much work they are."""
    for name, value in dict(SCALAR_COMPILED=-1, NESTED_WORK=10**9, NESTED_LINES=10**4).items():
        monkeypatch.setattr(_limits, name, value)


@pytest.fixture
def python(monkeypatch, nests):
    """The loops are run by Python, not compiled."""
    monkeypatch.setitem(sys.modules, "numba", types.SimpleNamespace(njit=lambda **_: lambda f: f, __version__="none"))


@pytest.fixture(params=[0, 300])
def beside(monkeypatch, request):
    """Loops beside lines of NumPy, which computes what takes more steps than so many; they are run by Python."""
    figures = dict(SCALAR_COMPILED=-1, SCALAR_GAIN=0, NESTED_LINES=-1, NESTED_LEAST=1, NESTED_WORK=request.param)
    for name, value in figures.items():
        monkeypatch.setattr(_limits, name, value)
    monkeypatch.setitem(sys.modules, "numba", types.SimpleNamespace(njit=lambda **_: lambda f: f, __version__="none"))


def nested_of(compiled):
    """Whether all of each program is loops."""
    return [type(made.fused) is Nested and made.fused.most == math.inf for made in compiled._programs]


def compare(f, args, expected=True):
    """Value, gradient and Hessian are those of NumPy's lines, at points where other branches are taken too."""
    argnums = tuple(range(len(args))) if len(args) > 1 else 0
    fast, plain = sg.compile(f, argnums=argnums, target="numba"), sg.compile(f, argnums=argnums)
    for scale in (1.0, 0.7, -1.2):
        at = [a * scale for a in args]
        for mine, truth in zip(fast(*at), plain(*at), strict=True):
            for a, b in zip(*[v if isinstance(v, tuple) else (v,) for v in (mine, truth)], strict=True):
                assert type(a) is type(b)
                a, b = np.asarray(a), np.asarray(b)
                assert a.shape == b.shape and a.dtype == b.dtype
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(b).max(initial=0)))
    if expected is not None:
        assert nested_of(fast) == [expected]
    return fast


@pytest.mark.parametrize("case", CASES)
def test_the_loops_are_right_as_python(case, python):
    compare(*CASES[case])


@pytest.mark.parametrize("case", CASES)
def test_loops_beside_numpy_are_right_as_python(case, beside):
    fast = compare(*CASES[case], expected=False)
    assert [type(made.fused) for made in fast._programs] == [Nested]


@pytest.mark.parametrize("case", [case for case, (_, args) in CASES.items() if len(args) == 1])
def test_sparse_matrices_are_right_as_python(case, beside):
    f, (at,) = CASES[case]
    plain = sg.compile(f, "h", format="csr")
    try:
        plain(at)
    except sg.SymgradError as error:  # it has no sparse program: nor has it one by loops
        with pytest.raises(type(error)):
            sg.compile(f, "h", format="csr", target="numba")(at)
        return
    fast = sg.compile(f, "h", format="csr", target="numba")
    for scale in (1.0, 0.7, -1.2):
        mine, truth = fast(at * scale).toarray(), plain(at * scale).toarray()
        np.testing.assert_allclose(mine, truth, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(truth).max()))


@pytest.mark.parametrize("case", CASES)
def test_the_matrix_is_symmetric_to_the_last_bit(case, python):
    f, args = CASES[case]
    if len(args) == 1:
        H = sg.compile(f, "h", target="numba")(args[0])
        n = args[0].size
        assert np.array_equal(H.reshape(n, n), H.reshape(n, n).T)


@pytest.mark.parametrize("case", ["decay", "mixture", "factored", "two"])
@pytest.mark.slow
def test_the_loops_are_right_compiled(case, nests, monkeypatch, tmp_path):
    pytest.importorskip("numba")
    monkeypatch.setenv("SYMGRAD_CACHE", str(tmp_path))
    compare(*CASES[case])


@pytest.mark.filterwarnings("ignore")  # what the functions do is theirs
@one_in(12)
@pytest.mark.parametrize("seed", range(48))
def test_random_programs_are_right_as_loops(seed, python):
    same_as_numpy(seed)


@pytest.mark.filterwarnings("ignore")  # what the functions do is theirs
@one_in(12)
@pytest.mark.parametrize("seed", range(48))
def test_random_programs_are_right_as_loops_beside_numpy(seed, beside):
    same_as_numpy(seed)


def same_as_numpy(seed):
    function = function_of(seed)
    with np.errstate(all="ignore"):
        try:
            sg.compile(function.compiled(), argnums=tuple(range(len(function.leaves))))(*function.leaves)
        except sg.SymgradError:
            pytest.skip("it has no program")
        f, leaves = function.compiled(), [np.asarray(a) for a in function.leaves]
        argnums = tuple(range(len(leaves)))
        fast, plain = sg.compile(f, argnums=argnums, target="numba"), sg.compile(f, argnums=argnums)
        for scale in (1.0, 0.93):
            at = [a * scale for a in leaves]
            for mine, truth in zip(fast(*at), plain(*at), strict=True):
                parts = [v if isinstance(v, tuple) else (v,) for v in (mine, truth)]
                for a, b in zip(*parts, strict=True):
                    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-7, atol=1e-8)


GRID = np.linspace(-1.3, 1.1, 35)


def neighbours(x):
    u = x.reshape(7, 5)
    right, down = u[:-1, 1:] - u[:-1, :-1], u[1:, :-1] - u[:-1, :-1]
    return np.sqrt(1 + right**2 + down**2).sum() + (u**4).sum()


def bell(x):
    return (np.exp(-(x**2)) * x**2 + x / (1 + x**2)).sum()


def softened(x):
    return (np.logaddexp(0, x) * x**2 + np.tanh(x) ** 3 / (1 + np.exp(-x))).sum() + (x[1:] * x[:-1] ** 2).sum()


def raised(x):
    return (3.0 ** np.sin(x)).sum() + (2.0 ** (x**2)).sum()


def turned(x):
    u = x[:25].reshape(5, 5)
    s = 1 / (1 + u**2)
    return (np.exp(s) * s.T * u + s**3).sum() + (x**2).sum()


@pytest.mark.parametrize("f", [bell, softened, neighbours, raised, turned])
@pytest.mark.parametrize("format", ["dense", "csr"])
def test_loops_beside_numpys_functions_are_those_of_the_tape(f, format, beside):
    fast = sg.compile(f, format=format, target="numba")
    for scale in (1.0, 0.6, -1.1):
        value, gradient, H = fast(GRID * scale)
        np.testing.assert_allclose(value, f(GRID * scale), rtol=1e-12)
        np.testing.assert_allclose(gradient, sg.grad(f)(GRID * scale), rtol=1e-10, atol=1e-10)
        H = H.toarray() if format == "csr" else H
        np.testing.assert_allclose(H, sg.hessian(f)(GRID * scale), rtol=1e-9, atol=1e-9)


def test_an_array_is_written_once_and_little_is_computed_again(beside):
    fast = sg.compile(bell, "fg", target="numba")
    fast(GRID)
    code = fast.code(GRID)
    made = [line.split()[0] for line in code.splitlines() if " = np.empty(" in line]
    assert len(made) == len(set(made)) and "np.exp(" in code
    first, second = code.split("def _loops")[1:]
    again = "x_v0 = (x0[i0] * x0[i0])"  # the square that both the exponential and what comes after it are of
    assert again in first and again in second and "v0[i0]" not in second


def residuals(p):
    return np.exp(-p[0] * T[:6]) * p[1] + p[2] * T[:6] - Y[:6]


def moved(p):
    return np.stack([p[0] * p[1], np.sin(p).sum(), (p[1:] * p[:-1]).sum()])


@pytest.mark.parametrize("f", [residuals, moved])
def test_jacobians_are_right_as_python(f, python):
    fast, plain = sg.compile(f, "fj", target="numba"), sg.compile(f, "fj")
    for scale in (1.0, -0.5):
        for mine, truth in zip(fast(P * scale), plain(P * scale), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-10, atol=1e-12)
    assert nested_of(fast) == [True]


def test_little_work_is_nested_and_much_is_not(python, monkeypatch):
    monkeypatch.setattr(_limits, "NESTED_WORK", 5000)
    compare(decay, (P,))
    W = RNG.normal(size=(400, 200))
    compare(lambda w: (np.exp(W @ w * 0.01) ** 2).sum(), (RNG.normal(size=200) * 0.1,), expected=False)


def test_what_is_not_finite_is_as_in_numpy(python):
    f = sg.compile(decay, target="numba")
    plain = sg.compile(decay)
    f(P), plain(P)
    for bad in (np.nan, np.inf, -np.inf, 1e300):
        at = P.copy()
        at[1] = bad
        with np.errstate(all="ignore"):
            for mine, truth in zip(f(at), plain(at), strict=True):
                np.testing.assert_allclose(np.asarray(mine), np.asarray(truth))


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: np.exp(x).sum() / (x @ x) ** 2, np.zeros(12)),
        (lambda x: np.exp(x).sum() / (x @ x) ** 2, np.full(12, 1e-170)),  # its square is 0
        (lambda x: (np.cumprod(x) ** 2).sum() / (x**2).sum(), np.zeros(12)),
        (lambda x: (x**-2.0).sum() + (x**-1.5).sum() + (x @ x) ** -0.5, np.zeros(12)),
    ],
)
@pytest.mark.slow
def test_a_negative_power_of_zero_is_infinite(f, at, nests, tmp_path, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("SYMGRAD_CACHE", str(tmp_path))
    mine, plain = sg.compile(f, "h", target="numba"), sg.compile(f, "h")
    point = np.linspace(0.3, 4, 12)
    np.testing.assert_allclose(mine(point), plain(point))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(mine(at), plain(at))


@pytest.mark.slow
def test_names_of_the_user_do_not_meet_those_of_the_loops(nests, tmp_path, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("SYMGRAD_CACHE", str(tmp_path / "cache"))

    def f(total, top, here, i0, s1, T1, x_v3):
        z = np.exp(-total[:, None] * top) * here
        return (z**2).sum() * s1 + sg.logsumexp(top * i0, 0) + (T1 * x_v3).sum() ** 2

    args = (np.linspace(0, 1, 7), np.array([0.3, 0.2]), np.array([1.0, 2.0]), np.array(0.5), np.array(2.0), P, P)
    compiled = sg.compile(f, "fgh", (1, 2, 5), target="numba")
    compiled.save(tmp_path / "names.py", *args)
    text = (tmp_path / "names.py").read_text(encoding="utf-8")
    assert "_loops0(" in text and "import symgrad" not in text
    found = subprocess.run([sys.executable, tmp_path / "names.py"], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_arguments_of_other_kinds(python):
    """Arrays that are not in one piece, whole numbers and truths among the constants, numbers beside arrays."""
    data = np.asfortranarray(RNG.normal(size=(3, 20)))[:, ::2]
    counts, chosen = np.arange(10), np.arange(10) % 2 == 0

    def f(w, a):
        z = a * (w @ data) + counts
        return np.where(chosen, z**2, np.cos(z)).sum()

    fast, plain = sg.compile(f, "fgh", target="numba"), sg.compile(f, "fgh")
    for a in (0.5, 1.5):
        for mine, truth in zip(fast(P[:3], a), plain(P[:3], a), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-10)
    assert set(nested_of(fast)) == {True}


def test_truth_values_that_are_numbers_stay_truth_values(python):
    """Bounds that are computed: whether they cross is one truth value, which meets those of the entries."""
    f = lambda x: sg.clamp(1 + x**2, (x**3).sum() - 0.2, np.hypot(x, 1.0).sum()).sum() * np.tanh(x).sum()
    at = np.linspace(-1.2, 0.9, 8).reshape(4, 2)
    fast, plain = sg.compile(f, "fgh", target="numba"), sg.compile(f, "fgh")
    for x in (at, 2 * at, at - 0.5):
        for mine, truth in zip(fast(x), plain(x), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-10, atol=1e-12)
    assert set(nested_of(fast)) == {True}


def test_parts_of_a_matrix_that_numpy_defines_come_before_it_is_filled(python):
    f = lambda x: 0.3 * np.cumsum(x).prod() + (np.tanh(x @ x) / (1.2 + np.sin(np.cumsum(x)))) @ x
    fast, plain = sg.compile(f, "fgh", target="numba"), sg.compile(f, "fgh")
    for x in (np.array([0.5, 1.1, 0.6, -1.0, 0.3, -1.2, -0.2]), np.linspace(-0.3, 0.4, 7)):
        for mine, truth in zip(fast(x), plain(x), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-10, atol=1e-10)
    assert set(nested_of(fast)) == {True}


def test_a_number_that_numpy_chooses_is_a_number_for_loops():
    """`np.where` of numbers is an array of no axes, which Numba does not take for a number."""
    pytest.importorskip("numba")
    W = np.random.default_rng(0).normal(size=(8, 50))

    def f(p):
        S, v = p[0], p[1]
        for w in W:
            v = v + p[1] * np.minimum(S, 1.5)
            S = np.maximum(S + w, p[1])
        return S.mean() + v.mean()

    x = np.array([0.9, 0.3])
    made = sg.compile(f, "h", target="numba")
    np.testing.assert_allclose(made(x), sg.hessian(f)(x), rtol=1e-12)
    np.testing.assert_allclose(made(x + 0.01), sg.hessian(f)(x + 0.01), rtol=1e-12)
