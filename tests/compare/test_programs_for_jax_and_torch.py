"""``sg.compile(f, target=…)``: the programs of JAX and PyTorch against NumPy's, and what one does with them there."""

import contextlib
import importlib
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits

from ..properties._hessian_functions import function_of
from ..transforms.compiled.test_compile_loops import ARRAYS, SHOWN

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
PROBLEMS = importlib.import_module("hessians").PROBLEMS
sys.path.pop(0)

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore:.*disagree:RuntimeWarning")]


class Target(str):
    """A library's name, and its device on which the arguments lie: None for a processor."""

    gpu = None


@pytest.fixture(params=["jax", "torch", "jax on a GPU", "torch on a GPU"])
def target(request):
    name, _, place = request.param.partition(" on ")
    library, found = request.getfixturevalue(name), Target(name)
    if not place:
        on_processor = library.default_device(library.devices("cpu")[0]) if name == "jax" else contextlib.nullcontext()
        with on_processor:
            yield found
        return
    if name == "jax" and any(device.platform == "gpu" for device in library.devices()):
        found.gpu = library.devices("gpu")[0]
    elif name == "torch" and library.cuda.is_available():
        found.gpu = library.device("cuda", 0)
    else:
        pytest.skip(f"{name} sees no GPU: its programs run on the processor only")
    yield found


def given(target, value):
    """An array as the target's users have it."""
    gpu = getattr(target, "gpu", None)
    if target == "torch":
        return importlib.import_module("torch").tensor(value, device=gpu)
    return value if gpu is None else importlib.import_module("jax").device_put(value, gpu)


def arrays(results):
    """All arrays of a nest of results, by NumPy."""
    if isinstance(results, tuple | list):
        return [a for part in results for a in arrays(part)]
    if isinstance(results, dict):
        return [a for key in results for a in arrays(results[key])]
    return [np.asarray(results.cpu() if hasattr(results, "cpu") else results)]


def assert_alike(mine, truth, rtol=1e-10):
    mine, truth = arrays(mine), arrays(truth)
    assert len(mine) == len(truth)
    for a, b in zip(mine, truth, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=0, atol=rtol * (1e-3 + np.abs(b).max(initial=0)))


# ------------------------------------------------------------------------------------------------- against NumPy

WORSE = {"negative-binomial": 1e-8, "beta-regression": 1e-8}
"""PyTorch's polygamma has fewer digits than SciPy's."""

X = np.random.default_rng(0).normal(size=(6, 4))
ROWS = np.array([3, 0, 0, 2])

FUNCTIONS = {
    "written in place": (lambda x: np.sum(x[1:] * x[:-1] ** 2) + x[0] ** 3 * x[2], (5,)),
    "a gather with repeats": (lambda x: (x[ROWS] ** 2 * np.exp(x)).sum(), (4,)),
    "a matrix": (lambda x: np.tanh(X @ x.T @ x).sum(), (3, 4)),
    "a number": (lambda x: np.exp(np.sin(x)) * x**2, ()),
    "linear": (lambda x: (X @ x).sum(), (4,)),
    "quadratic": (lambda x: x @ X.T @ X @ x, (4,)),
    "linear algebra": (lambda x: np.linalg.slogdet(np.eye(4) + np.outer(x, x))[1], (4,)),
    "a solution": (lambda x: np.linalg.solve(np.eye(4) * 3 + np.outer(x, x), x).sum() ** 2, (4,)),
    "eigenvalues": (lambda x: (np.linalg.eigh(np.diag(np.arange(4.0)) + np.outer(x, x))[0] ** 3).sum(), (4,)),
    "eigenvectors": (lambda x: np.linalg.eigh(np.diag(np.arange(4.0)) + np.outer(x, x))[1][:, 0] ** 2 @ x, (4,)),
    "where": (lambda x: np.where(x > 0.2, x**3, 2 * x).sum() ** 2, (5,)),
    "a cumulative sum": (lambda x: (np.cumsum(x**2) ** 2).sum() + np.flip(x)[1] * x[0], (5,)),
    "softmax": (lambda x: sg.nn.functional.softmax(x @ X.T, 1)[:, 0].prod() + sg.logsumexp(x, 0).sum(), (3, 4)),
    "pairs of rows": (lambda x: np.exp(-((x[:, None] - x[None]) ** 2).sum(-1)).sum(), (5, 2)),
    "special functions": (lambda x: (sg.special.erf(x) * sg.special.ndtr(x)).sum(), (4,)),
    "turned round": (lambda x: (x[::-1] * np.exp(x)).sum() + (x[3:0:-2] ** 3).sum(), (5,)),
    "reductions": (lambda x: x.std() * x.max() + np.prod(x) + np.linalg.norm(x), (4,)),
}  # fmt: skip


@pytest.mark.parametrize("outputs", ["fgh", "g"])
@pytest.mark.parametrize("name", SHOWN)
def test_loops_are_scans_in_jax(jax, name, outputs, monkeypatch, tmp_path):
    monkeypatch.setattr(_limits, "SCAN_STEPS", 6)
    x = np.array([0.7, 0.4, 0.5])
    compiled = sg.compile(SHOWN[name], outputs, target="jax")
    assert_alike(compiled(x), sg.compile(SHOWN[name], outputs)(x), 1e-9)
    assert "jax.lax.scan" in compiled.code(x)
    mapped = jax.vmap(compiled)(np.stack([x, x + 0.1]))
    assert_alike([a[1] for a in arrays(mapped)], compiled(x + 0.1))
    compiled.save(tmp_path / "saved.py", x)
    subprocess.run([sys.executable, tmp_path / "saved.py"], check=True)


@pytest.mark.parametrize("outputs", ["fgh", "g"])
@pytest.mark.parametrize("name", SHOWN)
def test_loops_stay_loops_in_torch(torch, name, outputs, monkeypatch, tmp_path):
    monkeypatch.setattr(_limits, "SCAN_STEPS", 6)
    x = torch.tensor([0.7, 0.4, 0.5], dtype=torch.float64)
    compiled = sg.compile(SHOWN[name], outputs, target="torch")
    assert_alike(compiled(x), sg.compile(SHOWN[name], outputs)(x.numpy()), 1e-9)
    assert "def run_loop0" in compiled.code(x)
    mapped = torch.func.vmap(compiled)(torch.stack([x, x + 0.1]))
    assert_alike([a[1] for a in arrays(mapped)], compiled(x + 0.1))
    compiled.save(tmp_path / "saved.py", x)
    subprocess.run([sys.executable, tmp_path / "saved.py"], check=True)


@pytest.mark.parametrize("function", ["np.sin(h * p[0])", "np.maximum(h * p[0], 0.2)", "np.where(h > 0.1, p[0], 0.3)",
                                      "abs(p[1]) ** (1 + h * h)", "np.arctan2(h, 0.7)", "np.hypot(h, 2.0) * p[0]",
                                      "np.sign(h) * p[0]", "np.minimum(h, p[0] * e)"])  # fmt: skip
def test_functions_of_a_loop(function, target):
    f = eval(f"lambda p: sg.scan(lambda h, e: (0.5 * {function} + 0.1 * e, h * h), p[1], E)[1].sum()",
             {"np": np, "sg": sg, "E": np.sin(np.arange(300.0))})  # fmt: skip
    x = np.array([0.7, 0.4])
    assert_alike(sg.compile(f, target=target)(given(target, x)), sg.compile(f)(x), 1e-9)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_jacobian_of_loops(name, target):
    x = np.array([0.4, 0.7, -0.3])
    compiled = sg.compile(ARRAYS[name], "fj", target=target)
    assert_alike(compiled(given(target, x)), sg.compile(ARRAYS[name], "fj")(x), 1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_numbers_of_its_numpy_program(name, target):
    f, shape = FUNCTIONS[name]
    x = np.random.default_rng(1).uniform(0.2, 1.2, shape)
    fgh = sg.compile(f, target=target)
    assert_alike(fgh(given(target, x)), sg.compile(f)(x))
    assert_alike(fgh(given(target, 1.1 * x)), sg.compile(f)(1.1 * x))


@pytest.mark.slow
@pytest.mark.parametrize("key", list(PROBLEMS))
def test_a_problem_of_the_benchmarks_has_the_numbers_of_its_numpy_program(key, target):
    f, x, data = PROBLEMS[key].make(True)
    fgh, truth = (sg.compile(lambda x: f(sg, x, *data), target=t) for t in (target, "numpy"))
    assert_alike(fgh(given(target, x)), truth(x), WORSE.get(key, 1e-10))


@pytest.mark.parametrize("n", [20, 3])
def test_what_the_matrix_is_made_of_is_computed_once(jax, n):
    f = lambda x: np.exp(np.cos(x).mean()) + (np.sin(x) ** 3).sum()
    fgh, x = sg.compile(f, target="jax"), np.linspace(-1, 2, n)
    assert ("_once(v" in fgh.code(x)) == (n >= _limits.COMPUTED_AGAIN)  # entries of a column
    for at in (x, -x):
        assert_alike(fgh(at), sg.compile(f)(at))
    mapped = jax.vmap(fgh)(np.stack([x, 2 * x]))
    assert_alike([a[1] for a in mapped], sg.compile(f)(2 * x))


def _block(results, sizes):
    value, gradient, matrix = results
    if hasattr(matrix, "matrix"):  # of NumPy's arrays
        return [np.asarray(value), *arrays(gradient), np.asarray(matrix.matrix)]
    rows = matrix if isinstance(matrix, tuple) else ((matrix,),)
    n = range(len(sizes))
    parts = [[arrays(rows[i][j])[0].reshape(sizes[i], sizes[j]) for j in n] for i in n]
    return [*arrays(value), *arrays(gradient), np.block(parts)]


UNKNOWN = ("has no name in", "would need a matrix of")


def random_function_agrees(seed, target):
    """Whether a random function had a program to compare; raises where the two differ."""
    function = function_of(seed, most=8)
    f, points = function.compiled(), function.leaves
    argnums = 0 if len(points) == 1 else tuple(range(len(points)))
    try:
        with np.errstate(all="ignore"):
            truth = sg.compile(f, "fgh", argnums)
            value, gradient, matrix = truth(*points)
    except (sg.SymgradError, ArithmeticError, ValueError, IndexError, TypeError, RuntimeError):
        return False
    made, leaves = truth._known(tuple(points), {})
    expected = [np.asarray(value), *arrays(gradient), np.asarray(getattr(matrix, "matrix", matrix))]
    finite = made.program.run(made.values(leaves)) is not None
    if made.program.refused or not finite or not all(np.isfinite(a).all() for a in expected):
        return False
    try:
        found = sg.compile(f, "fgh", argnums, target=target)(*[given(target, x) for x in points])
    except sg.GradientError as error:
        if any(words in str(error) for words in UNKNOWN):
            return False
        raise
    sizes = [x.size for x in points]
    for a, b in zip(_block(found, sizes), expected, strict=True):
        size = np.abs(b).max(initial=0)
        close = 1e-8 * size + 1e-11
        np.testing.assert_allclose(a.reshape(-1), b.reshape(-1), rtol=0, atol=close, err_msg=f"seed {seed}")
    return True


@pytest.mark.filterwarnings("ignore")
def test_random_functions_have_the_numbers_of_their_numpy_programs(target):
    assert sum(random_function_agrees(seed, target) for seed in range(12)) > 5


# -------------------------------------------------------------------------------------- what one does with them

LATE = np.arange(3.0)  # caught
DATA, SIGNS = np.random.default_rng(3).normal(size=(9, 3)), np.array([1.0, -1, 1, 1, -1, 1, -1, -1, 1])


def loss(w):
    return np.log1p(np.exp(-SIGNS * (DATA @ w))).sum() + (w[1:] * w[:-1]).sum() ** 2


POINT = np.array([0.3, -0.4, 0.5])
BATCH = np.stack([POINT, 2 * POINT, POINT[::-1]])


def test_jax_traces_a_program_that_was_never_run(jax):
    fgh = sg.compile(loss, target="jax")
    assert_alike(jax.jit(fgh)(POINT), sg.compile(loss)(POINT))
    mapped = jax.jit(jax.vmap(sg.compile(loss, target="jax")))(BATCH)
    for k, x in enumerate(BATCH):
        assert_alike([a[k] for a in mapped], sg.compile(loss)(x))


def test_jax_differentiates_a_program(jax):
    fgh = sg.compile(loss, target="jax")
    _, gradient, matrix = sg.compile(loss)(POINT)
    assert_alike(jax.grad(lambda w: fgh(w)[0])(POINT), gradient)
    assert_alike(jax.hessian(lambda w: fgh(w)[0])(POINT), matrix)
    assert_alike(jax.jacobian(lambda w: fgh(w)[1])(POINT), matrix)
    third = sg.jacobian(lambda w: sg.func.hessian(loss)(w).reshape(-1))(POINT).reshape(3, 3, 3)
    assert_alike(jax.jacobian(lambda w: fgh(w)[2])(POINT), third, 1e-9)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
@pytest.mark.parametrize("name", ["i0e", "i1e", "k0e", "k1e", "spherical_in"])
def test_functions_that_torch_lacks_are_refused_by_name(torch, name):
    g = partial(sg.special.spherical_in, 2) if name == "spherical_in" else getattr(sg.scipy.special, name)
    with pytest.raises(sg.GradientError, match=r"(bessel_.e_order|spherical_i)' has no name in torch"):
        sg.compile(lambda x: (x * g(x)).sum(), target="torch")(np.array([0.3, 2.0]))


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # of PyTorch's own imports
def test_torch_maps_and_differentiates_a_program(torch):
    fgh = sg.compile(loss, target="torch")
    _, gradient, matrix = sg.compile(loss)(POINT)
    w = torch.tensor(POINT, requires_grad=True)
    value = fgh(w)[0]
    value.backward()
    assert_alike(w.grad, gradient)
    assert_alike(torch.func.jacrev(lambda w: fgh(w)[1])(torch.tensor(POINT)), matrix)
    assert_alike(torch.autograd.functional.jacobian(lambda w: fgh(w)[1], torch.tensor(POINT)), matrix)
    third = sg.jacobian(lambda w: sg.func.hessian(loss)(w).reshape(-1))(POINT).reshape(3, 3, 3)
    assert_alike(torch.func.jacfwd(lambda w: fgh(w)[2])(torch.tensor(POINT)), third, 1e-9)
    mapped = torch.func.vmap(sg.compile(loss, target="torch"))(torch.tensor(BATCH))
    for k, x in enumerate(BATCH):
        assert_alike([a[k] for a in mapped], sg.compile(loss)(x))


@pytest.mark.parametrize("name", [*list(FUNCTIONS)[:3], "pairs of rows", "linear algebra", "turned round"])
def test_a_batch_is_its_points(name, target, request):
    f, shape = FUNCTIONS[name]
    points = np.random.default_rng(2).uniform(0.2, 1.2, (3, *shape))
    library = request.getfixturevalue(target)
    vmap = library.vmap if target == "jax" else library.func.vmap
    mapped = vmap(sg.compile(f, target=target))(given(target, points))
    for k, x in enumerate(points):
        assert_alike([a[k] for a in mapped], sg.compile(f)(x))


def test_a_batch_in_one_of_several_arguments_is_its_points(target, request):
    def f(x, y):
        return (x @ X.T @ X @ x) * 2 + (np.exp(y * x) * x[::-1]).sum()

    library = request.getfixturevalue(target)
    ys = np.random.default_rng(4).normal(size=(3, 4))
    h = sg.compile(f, "h", target=target)
    vmap = library.vmap if target == "jax" else library.func.vmap
    axes = {"in_axes" if target == "jax" else "in_dims": (None, 0)}
    mapped = vmap(h, **axes)(given(target, X[0]), given(target, ys))
    for k, y in enumerate(ys):
        assert_alike(mapped[k], sg.compile(f, "h")(X[0], y))


# ------------------------------------------------------------------------------------- arguments, dtypes, edges


def affine(params, x, scale=1.0):
    return (np.tanh(x @ params["W"] + params["b"]) ** 2).sum() * scale


def test_containers_come_back_as_containers(target):
    rng = np.random.default_rng(5)
    params, x = {"W": rng.normal(size=(3, 2)), "b": rng.normal(size=2)}, rng.normal(size=(4, 3))
    mine = {k: given(target, v) for k, v in params.items()}
    value, gradient, matrix = sg.compile(affine, target=target)(mine, given(target, x), scale=2.0)
    truth = sg.compile(affine)(params, x, scale=2.0)
    assert_alike([value, gradient], truth[:2])
    for a in params:
        for b in params:
            assert_alike(matrix[a][b], truth[2][a, b])


def test_several_arguments_give_blocks(target):
    def f(x, y):
        return (x**2).sum() * (y**3).sum()

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    truth = sg.compile(f, "gh", (0, 1))(x, y)
    gradient, matrix = sg.compile(f, "gh", (0, 1), target=target)(given(target, x), given(target, y))
    assert_alike(gradient, truth[0])
    assert_alike(matrix, [truth[1][i, j] for i in (0, 1) for j in (0, 1)])


def test_results_lie_where_the_arguments_do(target):
    rows = lambda w, A: np.log1p(np.exp(A @ w)).sum() + np.linalg.slogdet(np.eye(3) + np.outer(w, w))[1] + LATE @ w
    fgh, truth = sg.compile(rows, target=target), sg.compile(rows)(POINT, DATA)
    elsewhere = Target(target)  # a program that was made for one device runs on another, and back
    for place in (target, elsewhere, target):
        found = fgh(given(place, POINT), given(place, DATA))
        assert_alike(found, truth)
        if place.gpu is not None:
            assert all(place.gpu == (a.device if target == "torch" else next(iter(a.devices()))) for a in found)


def test_float32_stays_float32(target):
    x = POINT.astype(np.float32)
    truth = sg.compile(lambda w: (np.exp(w) * w).sum())(x)
    assert_alike(sg.compile(lambda w: (np.exp(w) * w).sum(), target=target)(given(target, x)), truth, 1e-6)


def test_without_64_bits_jax_gets_32_and_a_word(jax):
    jax.config.update("jax_enable_x64", False)
    try:
        fgh = sg.compile(loss, target="jax")
        with pytest.warns(UserWarning, match="jax_enable_x64 is off"):
            found = fgh(POINT)
        with pytest.warns(UserWarning, match="jax_enable_x64 is off"):
            slope = sg.compile(np.linalg.det, "g", target="jax")(np.eye(2))
        np.testing.assert_allclose(slope, np.eye(2), atol=1e-6)  # its text has a number of more than 32 bits
        assert all(a.dtype == np.float32 for a in found) and not jax.config.jax_enable_x64
        for a, b in zip(found, sg.compile(loss)(POINT), strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * np.abs(b).max())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sg.compile(loss, target="jax")(POINT.astype(np.float32))
    finally:
        jax.config.update("jax_enable_x64", True)
    assert all(a.dtype == np.float64 for a in fgh(POINT))


def test_an_edge_that_only_the_tape_knows_is_nan(target):
    def f(x):
        return (np.abs(x) ** 2).sum()

    edge = np.array([0.0, 1.0])
    fgh = sg.compile(f, target=target)
    assert_alike(fgh(given(target, edge + 1)), sg.compile(f)(edge + 1))
    truth = sg.compile(f)(edge)
    for mine, known in zip(arrays(fgh(given(target, edge))), arrays(truth), strict=True):
        assert np.isnan(mine).all() or np.array_equal(mine, known)


def test_a_branch_on_a_value_is_refused(target):
    with pytest.raises(sg.SymbolicBranchError, match="branch|cannot be one program"):
        sg.compile(lambda x: x.sum() if x[0] > 0 else (x**2).sum(), target=target)(given(target, POINT))


def test_a_mask_is_not_lost(target):
    f = sg.compile(lambda x: (x**3).sum(), "f", target=target)
    f(POINT)
    with pytest.raises(sg.DTypeError, match="MaskedArray"):
        f(np.ma.array(POINT, mask=POINT > 0))


def test_what_a_library_lacks_is_named(target):
    f = sg.compile(lambda x: sg.special.ellipk(x**2).sum(), target=target)
    with pytest.raises(sg.GradientError, match=rf"ellipk\w*'? has no name in {target}"):
        f(given(target, POINT))


def test_formats_and_targets_that_there_are_not_are_refused(target):
    with pytest.raises(sg.GradientError, match="no format 'csr'"):
        sg.compile(loss, format="csr", target=target)
    with pytest.raises(sg.GradientError, match="no target 'tpu'"):
        sg.compile(loss, target="tpu")


def test_a_program_that_differs_from_numpys_is_refused(target, monkeypatch):
    from symgrad.programs import dialects

    dialect = getattr(dialects, target.upper())
    monkeypatch.setitem(dialect.calls, "np.square", f"{dialect.library.module}.sqrt")
    with pytest.raises(sg.GradientError, match="its program and NumPy's disagree"):
        sg.compile(lambda x: np.square(x).sum() ** 2, target=target)(given(target, np.array([0.3, 2.0])))


# --------------------------------------------------------------------------------------------------------- text


def test_code_is_the_librarys(target):
    text = sg.compile(loss, target=target).code(given(target, POINT))
    words = {"jax": ["import jax.numpy as jnp", ".at[", "jnp.sum"], "torch": ["import torch", "torch.sum", ".clone()"]}
    assert all(word in text for word in words[target]) and "np.add" not in text and "def derivatives(w" in text


@pytest.mark.parametrize("size", [3, 90])
def test_a_saved_program_needs_no_symgrad_and_tests_itself(target, size, tmp_path):
    data = np.random.default_rng(6).normal(size=(20, size))
    path = tmp_path / "saved.py"
    x = given(target, np.linspace(-0.3, 0.4, size))
    sg.compile(lambda w: np.log1p(np.exp(data @ w)).sum() + (w[1:] * w[:-1]).sum() ** 2, target=target).save(path, x)
    assert "symgrad" not in path.read_text().split('"""', 2)[2]
    done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "as it should be" in done.stdout, done.stderr
