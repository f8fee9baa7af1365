"""What `sg.compile` promises: the tape's numbers, for every form of argument and at every point, and files that run."""

import dataclasses
import functools
import inspect
import itertools
import runpy
import sys
import warnings
from importlib.util import find_spec

import numpy as np
import pytest

import symgrad as sg
from symgrad.programs import program

from ...helpers.cases import one_in

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3))
Y = np.where(X[:, 0] > 0, 1.0, 0.0)
W = np.array([0.5, -0.3, 0.8])
U = np.array([1.1, 0.7, -0.4])


@pytest.fixture(autouse=True)
def mistakes_are_raised(monkeypatch):
    """A mistake in making a program is an error here, and no reason to take the tape."""
    monkeypatch.setattr(program, "STRICT", True)


def loss(w, X, y):
    return (np.logaddexp(0, X @ w) - y**2 * (X @ w)).sum()


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def tape(f, *points):
    """Value, gradient and Hessian by sweeps; for several points, one flat gradient and one whole matrix."""
    ts = [sg.tensor(x, dtype=sg.float64, requires_grad=True) for x in points]
    y = f(*ts)
    places = tuple(range(len(points)))
    sizes = [np.size(x) for x in points]
    first = sg.autograd.grad(y, ts, allow_unused=True)
    gradient = [np.zeros(n) if g is None else g.numpy().reshape(-1) for g, n in zip(first, sizes)]
    second = sg.func.hessian(f, places)(*[sg.tensor(x, dtype=sg.float64) for x in points])
    blocks = [[second[i][j].detach().numpy().reshape(sizes[i], sizes[j]) for j in places] for i in places]
    return y.item(), np.concatenate(gradient), np.block(blocks)


def flat(found):
    """A gradient of any structure as one array, a Hessian of any kind as one matrix."""
    if hasattr(found, "matrix"):
        return found.matrix
    if isinstance(found, dict):
        found = list(found.values())
    if dataclasses.is_dataclass(found):
        found = [getattr(found, field.name) for field in dataclasses.fields(found)]
    return np.concatenate([np.ravel(g) for g in found]) if isinstance(found, (list, tuple)) else found


def agree(compiled, f, *points):
    """Compare value, gradient and Hessian with the tape's."""
    value, gradient, matrix = compiled
    v, g, h = tape(f, *points)
    np.testing.assert_allclose(value, v, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(np.ravel(flat(gradient)), g, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(np.reshape(flat(matrix), h.shape), h, rtol=1e-9, atol=1e-10)


# What comes out -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outputs", ["".join(p) for n in (1, 2, 3) for p in itertools.permutations("fgh", n)])
def test_results_come_in_the_order_that_was_asked_for(outputs):
    truth = dict(zip("fgh", tape(lambda w: loss(w, X, Y), W), strict=True))
    found = sg.compile(loss, outputs)(W, X, Y)
    for letter, value in zip(outputs, found if len(outputs) > 1 else (found,), strict=True):
        np.testing.assert_allclose(value, truth[letter], rtol=1e-10)
        assert type(value) is (np.float64 if letter == "f" else np.ndarray)


@pytest.mark.parametrize("outputs", ["", "x", "ff", "fgg", None, 5, ["f"], ("f", "g")])
def test_other_outputs_are_refused(outputs):
    with pytest.raises(sg.GradientError, match="each once"):
        sg.compile(loss, outputs)


def test_other_formats_and_what_is_no_function_are_refused():
    with pytest.raises(sg.GradientError, match="no format 'structured'"):
        sg.compile(loss, format="structured")
    with pytest.raises(sg.SymgradError, match="takes a function"):
        sg.compile(3)


@one_in(3)
@pytest.mark.parametrize("argnums", [
    0, 1, 2, -1, -3, "w", "X", (0,), (0, 1), (1, 0), ("w", "y"), ("y", "w"), (2, 0, 1), ("X", 0)
])  # fmt: skip
def test_argnums_mean_what_they_mean_to_grad_and_hessian(argnums):
    compiled = sg.compile(loss, "fgh", argnums)
    g, h = sg.grad(loss, argnums)(W, X, Y), sg.hessian(loss, argnums)(W, X, Y)
    for found in (compiled(W, X, Y), compiled(W, X=X, y=Y), compiled(y=Y, X=X, w=W)):
        assert type(found[1]) is type(g) and type(found[2]) is type(h)
        np.testing.assert_allclose(flat(found[1]), flat(g), rtol=1e-9)
        np.testing.assert_allclose(flat(found[2]), flat(h), rtol=1e-9, atol=1e-12)
        assert getattr(found[2], "labels", None) == getattr(h, "labels", None)


@pytest.mark.parametrize("argnums", [3, -4, "z", (), (0, 0), ("w", 0), 1.5, None])
def test_argnums_that_name_nothing_are_refused(argnums):
    with pytest.raises(sg.GradientError, match=r"argnums|no parameter"):
        sg.compile(loss, "fgh", argnums)(W, X, Y)


@dataclasses.dataclass
class Layer:
    W: object
    b: object


@pytest.mark.parametrize("make", [
    lambda a, b: {"W": a, "b": b}, lambda a, b: {"b": b, "W": a}, lambda a, b: [a, b], lambda a, b: (a, b), Layer
])  # fmt: skip
def test_containers_keep_their_structure(make):
    def network(p):
        a, b = (p["W"], p["b"]) if isinstance(p, dict) else (p.W, p.b) if isinstance(p, Layer) else p
        return (sg.tanh(X @ a + b) ** 2).sum()

    p, compiled = make(RNG.normal(size=(3, 2)), np.array([0.1, 0.2])), sg.compile(network)
    value, gradient, h = compiled(p)
    truth = sg.hessian(network)(p)
    np.testing.assert_allclose(value, network(p))
    assert type(gradient) is type(p) and h.labels == truth.labels
    np.testing.assert_allclose(h.matrix, truth.matrix, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(flat(gradient), flat(sg.grad(network)(p)), rtol=1e-9)
    if isinstance(p, dict):
        assert list(gradient) == list(p)


def test_no_two_arrays_of_containers_get_one_name():
    for f, args, argnums in (
        (lambda p, p_a: (p["a"] * p_a**2).sum(), ({"a": W}, U), (0, 1)),
        (lambda p: (p["a_b"] * p["a"]["b"] ** 2).sum(), ({"a_b": W, "a": {"b": U}},), 0),
        (lambda p: (p["a b"] * p["a-b"] ** 2 * p["class"]).sum(), ({"a b": W, "a-b": U, "class": W},), 0),
        (lambda p: (p[1] * p["1"] ** 2).sum(), ({1: W, "1": U},), 0),
    ):
        found, truth = sg.compile(f, "fgh", argnums)(*args), sg.hessian(f, argnums)(*args)
        np.testing.assert_allclose(found[0], f(*args))
        np.testing.assert_allclose(found[2].matrix, truth.matrix, rtol=1e-9)


NAMES = """
H np x x0 x1 v0 v1 v2 v10 data flat D T A B k0_ k1_ t0 t1 i lambda_ F G0 g0 g1 d0 c0 c1 p0 op_sort scipy value gradient
hessian derivatives _softmax _logsumexp e float range zip slice out found truth Path _data _test _results _at_z self
"""  # names that programs and their files use themselves
PAIRS = list(zip(NAMES.split(), NAMES.split()[len(NAMES.split()) // 2 :]))  # every name is in one of them
BODIES = [
    "({0} * {1}).sum() ** 2 * sg.exp({0}).sum() + sg.lgamma(1 + {1}**2).sum()",
    "-sg.log_softmax(S @ {0}, 0)[2] * sg.softmax({0}, 0)[0] + sg.logsumexp({0} * {1}, 0) + rosenbrock({0})",
    "((sg.outer({0}, {1}) @ sg.outer({1}, {0})) ** 2).sum() + sg.where({0} > 0, {0}**3, {1}).sum()",
]


@one_in(10)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_parameter_may_have_any_name(first, second, tmp_path):
    for body in BODIES:
        text = f"lambda {first}, {second}: {body.format(first, second)}"
        f = eval(text, {"sg": sg, "S": X, "rosenbrock": rosenbrock})
        compiled = sg.compile(f, "fgh", (0, 1))
        agree(compiled(W, U), f, W, U)
        agree(compiled(U, W), f, U, W)
        compiled.save(tmp_path / "program.py", W, U)
        saved = runpy.run_path(str(tmp_path / "program.py"))["derivatives"]
        assert [p.rstrip("_") for p in inspect.signature(saved).parameters] == [first.rstrip("_"), second.rstrip("_")]
        agree(saved(U, W), f, U, W)


# One program for all points -------------------------------------------------------------------------------------------


def test_arrays_that_are_one_object_now_may_be_two_later():
    f = lambda a, b: ((a - 2 * b) ** 3 * W).sum() * a.sum()
    compiled = sg.compile(f, "fgh", (0, 1))
    in_a_dictionary = sg.compile(lambda p: f(p["a"], p["b"]))
    for a, b in ((W, W), (W, U), (U, W), (U, U)):
        agree(compiled(a, b), f, a, b)
        agree(in_a_dictionary({"a": a, "b": b}), f, a, b)
    assert repr(compiled) == "compile(<lambda>, outputs='fgh', programs=1)"


def test_a_program_is_made_once_for_a_structure_of_arguments():
    runs = []

    def f(x, p=2, scale=True):
        runs.append(1)
        return ((x if scale else 2 * x) ** p).sum()

    compiled = sg.compile(f, "h")
    before = repr(compiled)
    for _ in range(3):
        for args, kwargs in (((W,), {}), ((np.ones(4),), {}), ((W, 3), {}), ((W,), {"scale": False})):
            np.testing.assert_allclose(compiled(*args, **kwargs), sg.hessian(f)(*args, **kwargs))
        if not before.endswith("programs=4)"):
            before = repr(compiled)
    assert "programs=0" not in before and repr(compiled) == before == "compile(f, outputs='h', programs=4)"
    runs.clear()
    compiled(2 * W)
    assert not runs


@pytest.mark.parametrize("value", [3, 3.0, True, 1, 1.0, False, 0, 0.0, np.float64(2), np.int64(2), np.array(2)])
def test_a_number_that_is_no_variable_is_taken_at_its_value(value):
    f = lambda x, p: (sg.copysign(x**3, 1.0 * p) + x**p).sum()
    compiled = sg.compile(f, "h")
    for p in (2, 1.0, 0.0, value, 3.0, value):
        np.testing.assert_allclose(compiled(np.abs(W), p), sg.hessian(f)(np.abs(W), p))


VARYING = {  # and how many programs there are for six floats
    "factor": (lambda x, k: k * (x**3).sum(), 3), "keyword": (lambda x, *, k: (x[0] - k) ** 2 * x[1], 3),
    "exponent": (lambda x, k: (x**k).sum(), 3), "branch": (lambda x, k: (x**2).sum() * (k if k > 2.2 else -1.0), 6),
    "container": (lambda x, k, p: (x * p["scale"]).sum() ** 2 + k, 3),
    "count": (lambda x, k: (x ** int(k * 2)).sum(), 6), "size": (lambda x, k: x[: int(k)].sum() ** 2, 6),
    "kind": (lambda x, k: (x**2).sum() * (k if type(k) is float else 5.0), 6),
    "isinstance": (lambda x, k: (x**2).sum() * (k if isinstance(k, float) else 5.0), 3),
    "whole": (lambda x, k, n: k * (x**n).sum(), 5), "truth": (lambda x, k, n: k * (x ** (2 if n else 3)).sum(), 4),
}  # fmt: skip


@pytest.mark.parametrize("name", VARYING)
@pytest.mark.filterwarnings("error")
def test_a_float_that_is_another_at_every_call_becomes_an_input(name):
    f, programs = VARYING[name]
    compiled, x = sg.compile(f, "fgh"), np.array([0.7, 1.3])
    others = {"whole": [2, 3, 4], "truth": [True, False]}.get(name, [])
    for j, k in enumerate((1.5, 2.0, 3.25, 2.5, 1.75, 4.5)):
        words = {"k": k} | ({"n": others[j % len(others)]} if others else {})
        words |= {"p": {"scale": k + 1}} if name == "container" else {}
        found = compiled(x, **words)
        truth = f(x, **words), sg.grad(f)(x, **words), sg.hessian(f)(x, **words)
        for mine, theirs in zip(found, truth, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    assert len(compiled._programs) == programs
    for k in (3, 2, True) if name in ("factor", "exponent") else ():  # no floats
        np.testing.assert_allclose(compiled(x, k=k)[1], sg.grad(f)(x, k=k))
    single, short = np.ones(2, np.float32), sg.compile(lambda x, k: k * x.sum(), "fg")
    inside = sg.compile(lambda x, k: x.astype(np.float32).sum() * k, "fg")
    for k in (1.5, 2.5, 3.5, 4.5):
        assert short(single, k)[0].dtype == inside(np.ones(2), k)[0].dtype == np.float32


def test_minus_zero_is_another_number_than_zero():
    compiled = sg.compile(lambda x, p: (sg.copysign(x, p) ** 3).sum(), "h")
    for p in (0.0, -0.0, 0.0):
        np.testing.assert_allclose(np.diag(compiled(W, p)), 6 * np.copysign(W, p))


def test_what_cannot_be_hashed_is_known_by_what_it_is():
    f = lambda x, s: sum(x[k] ** 3 for k in s)
    compiled = sg.compile(f, "f")
    for places in ({0, 1}, {1, 2}, {2}, {0, 2}):
        np.testing.assert_allclose(compiled(W, set(places)), f(W, places))
    g = sg.compile(lambda x, s: (x[s] ** 3).sum(), "f")
    for k in (0, 1, 0):
        np.testing.assert_allclose(g(W, slice(k, k + 2)), (W[k : k + 2] ** 3).sum())


def test_keywords_defaults_partials_methods_and_strings():
    def f(x, k=U, p=2, *, kind="power"):
        return (k * x**p).sum() if kind == "power" else sg.exp(k * x).sum()

    compiled = sg.compile(f)
    for kwargs in ({}, {"p": 3}, {"k": 2 * W}, {"kind": "exp"}, {"p": 3, "k": W}, {}):
        agree(compiled(W, **kwargs), functools.partial(f, **kwargs), W)
    agree(sg.compile(functools.partial(loss, X=X, y=Y))(W), lambda w: loss(w, X, Y), W)
    agree(sg.compile(functools.partial(lambda A, w: (A @ w).sum() ** 2, X))(W), lambda w: (X @ w).sum() ** 2, W)
    third = type("Power", (), {"p": 3, "f": lambda self, x: (x**self.p).sum()})()
    agree(sg.compile(third.f)(W), third.f, W)


def test_what_the_function_catches_is_as_it_was_at_the_first_run():
    scale = np.array([2.0])
    f = lambda x: (scale * x**2).sum()
    compiled = sg.compile(f, "f")
    assert compiled(np.ones(1)) == 2
    scale[0] = 10
    assert compiled(np.ones(1)) == 2 and sg.compile(f, "f")(np.ones(1)) == 10


@pytest.mark.filterwarnings("ignore:.*its program and the tape disagree")  # then the tape is asked
@pytest.mark.filterwarnings("ignore:.*is zero wherever the function is smooth")
@pytest.mark.parametrize("f", [
    lambda x: (x.detach() * x**2).sum(), lambda x: (sg.sort(x)[0] * sg.arange(3)).sum() ** 2,
    lambda x: sg.max(x, 0)[0] ** 2, lambda x: sg.topk(x, 2)[0].prod(), lambda x: sg.median(x, 0)[0] ** 2,
    lambda x: (sg.cummax(x, 0)[0] ** 2).sum(), lambda x: sg.kthvalue(x, 2)[0] ** 2, lambda x: sg.amax(x) ** 3,
    lambda x: (np.sort(x) * np.arange(3)).sum() ** 3, lambda x: sg.relu(x).pow(3).sum() + x.abs().pow(3).sum(),
    lambda x: sg.where(x > 0, x**2, x**3).sum(), lambda x: ((x**2).detach_() * x).sum(),
])  # fmt: skip
def test_what_depends_on_values_is_right_at_every_point_or_refused(f):
    compiled = sg.compile(f)
    for x in (W, -W, W[::-1].copy(), U):
        try:
            found = compiled(x)
        except sg.SymgradError:
            return
        agree(found, f, x)


@pytest.mark.parametrize("inside", [sg.grad, sg.hessian, sg.value_and_grad])
def test_a_compiled_function_does_not_lose_a_derivative_in_silence(inside):
    f = lambda x: (x**3).sum()
    compiled = sg.compile(f, "f")
    compiled(W)
    try:
        found = inside(compiled)(W)
    except sg.SymgradError:
        return
    expected = inside(f)(W)
    for a, b in zip(
        found if isinstance(found, tuple) else [found], expected if isinstance(expected, tuple) else [expected]
    ):
        np.testing.assert_allclose(a, b)


def test_a_compiled_function_of_symbols_is_the_function():
    compiled = sg.compile(lambda x: (x**3).sum(), "f")
    for _ in range(2):
        assert str(compiled(sg.symbol("x", 3)).formula()) == str(sg.formula(compiled, W)) == "sum(x³)"
        compiled(W)


# Shapes, dtypes, layouts, points --------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [2.0, 2, np.array(2.0), np.float64(2), np.float32(2), np.array(2), np.array([1, 2])])
def test_numbers_give_what_grad_and_hessian_give(x):
    f = lambda x: sg.sum(sg.exp(x))
    for found, truth in zip(sg.compile(f, "gh")(x), (sg.grad(f)(x), sg.hessian(f)(x)), strict=True):
        np.testing.assert_allclose(found, truth, rtol=1e-6)
        assert np.shape(found) == np.shape(truth) and found.dtype == truth.dtype


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32])
def test_other_dtypes_are_taken_as_grad_takes_them(dtype):
    x = np.array([100, 3, 1]).astype(dtype)
    for f in (lambda x: (x**4).sum(), lambda x: (1 - x**2).sum() ** 2, lambda w: (sg.tanh(X @ w) ** 2).sum()):
        value, g, h = sg.compile(f)(x)
        np.testing.assert_allclose(g, sg.grad(f)(x), rtol=1e-5)
        np.testing.assert_allclose(h, sg.hessian(f)(x), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(value, f(sg.tensor(x.astype(float))).item(), rtol=1e-5)
        assert g.dtype == h.dtype == (np.float32 if dtype is np.float32 else np.float64)


@pytest.mark.parametrize("where", [[0, 0, 2], np.array([True, False, True])])
def test_half_precision_leaves_indices_as_they_are(where):
    f, x = lambda x: (x[where] ** 2).sum() * x[1], np.array([1, 2, 3], np.float16)
    for mine, expected in zip(sg.compile(f)(x), (f(x), sg.grad(f)(x), sg.hessian(f)(x)), strict=True):
        assert mine.dtype == expected.dtype and mine.tolist() == expected.tolist()


def test_layouts_do_not_matter_and_the_matrix_is_symmetric_to_the_last_bit():
    f = lambda w, A: (sg.tanh(A @ w) ** 2).sum() + ((w @ w.T) ** 2).sum()
    compiled, w = sg.compile(f), RNG.normal(size=(3, 2))
    frozen = w.copy()
    frozen.setflags(write=False)
    for v in (w, np.asfortranarray(w), np.repeat(w, 2, 1)[:, ::2], w[::-1, ::-1], frozen):
        for A in (X, np.asfortranarray(X), X[::-1]):
            found = compiled(v, A)
            agree(found, lambda w, A=A: f(w, A), v)
            h = found[2].reshape(6, 6)
            np.testing.assert_array_equal(h, h.T)


@pytest.mark.parametrize("f", [
    lambda w: w @ w / 2, lambda w: w.sum(), lambda w: W @ w, lambda w: w[0] * w[1], lambda w: 0 * w.sum(),
    lambda w: 3.0, lambda w: np.prod(w),
])  # fmt: skip
def test_results_own_their_memory(f):
    compiled, x = sg.compile(f), W.copy()
    first = compiled(x)
    kept = [np.copy(a) for a in first]
    for a in first[1:]:
        a[...] = np.nan
    for a, b in zip(compiled(x), kept, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(x, W)


@pytest.mark.parametrize("f", [
    lambda x: sg.log(x).sum() + (x**2).sum(), lambda x: x.norm() + x.sum() ** 2, lambda x: (1 / x).sum(),
    lambda x: sg.exp(x).sum(), lambda x: np.sqrt(x @ x), lambda x: (x**1.5).sum(),
])  # fmt: skip
def test_where_a_number_is_not_finite_the_result_is_the_tapes(f):
    compiled = sg.compile(f)
    for x in (np.ones(3), np.zeros(3), np.array([1, np.nan, 2]), np.array([1.0, 1000.0, 0.0]), np.full(3, -1.0)):
        found = compiled(x)
        np.testing.assert_allclose(found[2], sg.hessian(f)(x), rtol=1e-9)
        np.testing.assert_allclose(found[1], sg.grad(f)(x), rtol=1e-9)


def test_a_number_that_is_nan_does_not_hang():
    for f in (lambda x, p: (x**2 * p).sum(), lambda x, p: (x + p).prod()):
        assert np.isnan(sg.compile(f, "g")(W, float("nan"))).all()


def test_a_singular_matrix_is_an_error_as_on_the_tape():
    compiled = sg.compile(lambda x: sg.linalg.solve(sg.outer(x, x) + sg.diag(x - W), x).sum())
    agree(compiled(U), lambda x: sg.linalg.solve(sg.outer(x, x) + sg.diag(x - W), x).sum(), U)
    with pytest.raises(np.linalg.LinAlgError, match="(?i)singular"):
        compiled(W)


# What cannot be one program -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("f", "words"), [
    (lambda x: float(x.sum()) * x.sum(), r"float\(\)"),
    (lambda x: int(x.sum()) * x.sum(), r"int\(\)"), (lambda x: x.sum().item() * x.sum(), r"item\(\)"),
    (lambda x: (x[x > 0] ** 2).sum(), "which elements an index picks"), (lambda x: sum(x.tolist()), r"tolist\(\)"),
    (lambda x: (np.asarray(x, float) ** 2).sum(), r"np.asarray\(\)"),
])  # fmt: skip
def test_asking_for_a_value_is_an_error_that_says_what_to_write(f, words):
    with pytest.raises(sg.SymbolicBranchError, match=rf"(?s){words}.*np\.where.*sg\.hessian"):
        sg.compile(f)(W)


@pytest.mark.parametrize("f", [lambda x: x**2, lambda x: None, lambda x: ((x**2).sum(), 1), lambda x: "a"])
def test_functions_that_do_not_return_one_number_are_refused(f):
    with pytest.raises(sg.SymgradError, match="returned"):
        sg.compile(f)(W)


@pytest.mark.parametrize("x", [True, "a", None, {}, np.array([1 + 2j])])
def test_what_cannot_be_differentiated_is_refused_by_name(x):
    with pytest.raises(sg.SymgradError):
        sg.compile(lambda x: abs(x * 1.0).sum() if isinstance(x, np.ndarray) else 1.0)(x)


def test_a_matrix_that_does_not_fit_into_memory_is_refused():
    with pytest.raises(sg.TooLargeError, match="1,000,000 variables"):
        sg.compile(lambda x: (x**4).sum())(np.ones(10**6))
    assert sg.compile(lambda x: (x**4).sum(), "g")(np.ones(10**6)).shape == (10**6,)


def test_an_array_that_is_written_after_it_was_used_is_refused():
    def f(x):
        c = sg.ones(3, dtype=sg.float64)
        z = x * x + c
        c.mul_(5.0)
        return (z * z).sum()

    with pytest.raises(sg.GradientError, match="writes into an array that it has used"):
        sg.compile(f)(np.array([1.0, 2.0, 3.0]))


def test_a_value_that_is_not_defined_stays_so():
    i = sg.tensor([0, 0])
    f = lambda x: sg.nn.functional.cross_entropy(x * x, i, ignore_index=0) + (x**2).sum()
    with pytest.warns(RuntimeWarning):
        assert np.isnan(sg.compile(f, "f")(np.array([[0.5, 0.6], [0.3, 0.2]])))


def test_none_in_a_container_stays_none():
    value, gradient, hessian = sg.compile(lambda p: (p["a"] ** 3).sum() * p["c"][1])(
        {"a": np.array([1.0, 2.0]), "b": None, "c": (None, 3.0)}
    )
    assert value == 27 and gradient["b"] is None and gradient["c"] == (None, 9.0)
    np.testing.assert_allclose(gradient["a"], [9.0, 36.0])
    assert hessian.labels == ["a[0]", "a[1]", "c.1"]
    np.testing.assert_allclose(hessian["a", "a"], np.diag([18.0, 36.0]))


def test_without_numba_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(sg.MissingDependencyError, match="pip install"):
        sg.compile(loss, target="numba")


@pytest.mark.parametrize("outputs", ["g", "h", "fg"])
def test_a_loop_that_is_too_long_is_refused_at_once_by_the_way_to_write_it(outputs, monkeypatch):
    def f(x):
        c = x[0]
        for e in np.random.default_rng(3).normal(size=1200):  # rounds of two kinds, which have nothing in common
            c = c * x[1] if e > 0 else np.sin(c)
        return c

    made = []
    monkeypatch.setattr("symgrad.programs.builder.Builder.__init__", lambda *_, **__: made.append(1))
    monkeypatch.setattr(sg._limits, "NAMES", 1000)
    with pytest.raises(sg.GradientError, match=r"operations would be more than 1,000 lines[\s\S]*sg\.scan"):
        sg.compile(f, outputs)(np.array([0.1, 0.5]))
    assert not made


@pytest.mark.parametrize("pick", [lambda a, x: a[np.argsort(x)], lambda a, x: a[x > 0], lambda a, x: a[:, x > 0]])
def test_an_array_of_pieces_picked_by_values_is_refused_by_name(pick):
    """Its square brackets are NumPy's, which ask for numbers; the derivative that runs the function has them."""

    def f(x):
        pieces = np.array([[x[0], x[1]], [x[1], 2 * x[0]]])
        return pick(pieces, x).sum()

    at = np.array([0.5, 0.25])
    assert sg.grad(f)(at).shape == (2,)
    with pytest.raises(sg.SymbolicBranchError):
        sg.compile(f, "g")(at)


@pytest.mark.parametrize("target", ["numpy", "numba"] if find_spec("numba") else ["numpy"])
@pytest.mark.parametrize("n", [2, 300])
def test_tensors_go_the_way_of_arrays_and_come_out_as_tensors(n, target):
    """The quick ways too, on single numbers and of arrays, in whatever order calls come."""
    f = lambda x, y: (x**3 * y).sum()
    compiled = sg.compile(f, target=target)
    rng = np.random.default_rng(n)
    for k in range(12):
        x, y = rng.normal(size=n), rng.normal(size=n)
        given = [x if k % 3 else sg.tensor(x), y if k % 2 else sg.tensor(y)]
        found = compiled(*given)
        tensors = any(isinstance(a, sg.Tensor) for a in given)
        assert all(isinstance(a, sg.Tensor) == tensors for a in found)
        for mine, truth in zip(found, ((x**3 * y).sum(), 3 * x**2 * y, np.diag(6 * x * y)), strict=True):
            assert np.allclose(np.asarray(mine), truth)
    x = sg.tensor(rng.normal(size=n), requires_grad=True)
    compiled(x, sg.ones(n))[1].sum().backward()  # a history is not lost on the quick way
    assert np.allclose(x.grad.numpy(), 6 * x.detach().numpy())


def test_containers_of_tensors_are_other_arguments_than_containers_of_arrays():
    f = lambda p: (p["x"] ** 2).sum() * (3.0 if isinstance(p["x"], sg.Tensor) else 1.0)
    compiled = sg.compile(f, "g")
    assert compiled({"x": sg.ones(2)})["x"].tolist() == [6.0, 6.0]
    assert compiled({"x": np.ones(2)})["x"].tolist() == [2.0, 2.0]


def test_a_factor_of_what_need_not_be_symmetric_reads_one_triangle():
    def f(a):
        return np.log(np.diag(np.linalg.cholesky(a.reshape(3, 3)))).sum()

    x = (np.eye(3) * 4 + RNG.normal(size=(3, 3))).reshape(-1)  # not symmetric
    compiled = sg.compile(f, "fgh")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, slope, H = compiled(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    np.testing.assert_allclose(slope, sg.grad(f).by_recording((x,), {}), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(H, sg.hessian(f).by_recording((x,), {}), rtol=1e-9, atol=1e-11)
    assert "slogdet" not in compiled.code(x)


def test_the_factor_of_what_is_symmetric_by_its_data_is_a_determinant():
    places = RNG.normal(size=(12, 2))
    apart = ((places[:, None] - places) ** 2).sum(-1)

    def f(p):
        K = np.exp(p[0]) * np.exp(-apart * np.exp(-p[1])) + np.exp(p[2]) * np.eye(12)
        return np.log(np.diag(np.linalg.cholesky(K))).sum()

    compiled, x = sg.compile(f, "h"), np.array([0.1, 0.2, -1.0])
    np.testing.assert_allclose(compiled(x), sg.hessian(f).by_recording((x,), {}), rtol=1e-8)
    assert "cholesky" not in compiled.code(x)


def test_a_write_into_plain_numbers_says_what_can_be_filled():
    def f(p):
        e = np.zeros(4)
        for t in range(1, 4):
            e[t] = p[0] * e[t - 1] + p[1]
        return (e**2).sum()

    for derivative in (sg.compile(f, "h"), sg.hessian(f)):
        with pytest.raises((sg.SymbolicBranchError, sg.GradientError), match="import symgrad.numpy as np"):
            derivative(np.array([0.5, 1.0]))
    with pytest.raises(sg.SymbolicBranchError, match="Use sg.where"):
        sg.compile(lambda p: p[0] if p[0].item() > 0 else p[1], "f")(sg.ones(2))
