"""`symgrad.numpy` is the namespace of the Python array API standard, 2024.12, differentiable throughout.

The idea to hold: one list of calls, written as the standard's text has them, runs on NumPy's arrays, on tensors, and on
arrays inside a transform, as constants and differentiated. NumPy says what comes out, differences say the derivatives.
"""

import inspect
import json
import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy

import symgrad as sg
import symgrad.numpy as xp
from symgrad._array import ARRAYS as KINDS
from symgrad._array import tensor_of

from ..helpers.cases import one_in
from ..helpers.numeric import assert_close, assert_gradient, gradient
from . import _array_api_object_cases
from ._array_api_cases import ARRAYS, CONSTANT, DIFFERENTIATED, calls
from ._array_api_scipy import BY_BOTH, IN_TRANSFORMS, texts
from ._array_api_scipy import REFUSED as REFUSED_WITH_SCIPY
from ._array_api_signatures import CONSTANTS, DTYPES, signatures

WITH_GRADIENT = {**calls(DIFFERENTIATED), **calls(_array_api_object_cases.DIFFERENTIATED)}
_WITHOUT = {**calls(CONSTANT), **calls(_array_api_object_cases.CONSTANT)}
CASES = {**WITH_GRADIENT, **{f"constant, {name}": call for name, call in _WITHOUT.items()}}
SIGNATURES = signatures()
REFUSED = {
    **dict.fromkeys(
        ("unique_all", "unique_counts", "unique_inverse", "unique_values"),
        "which elements are equal depends on their values, and so does how many results there are: xp.sort has the "
        "sorted values with derivatives",
    ),
}  # fmt: skip
"""Functions that refuse what is being differentiated, with reasons."""


def leaves(found):
    """The arrays of a result."""
    return [leaf for part in found for leaf in leaves(part)] if isinstance(found, tuple | list) else [found]


def numbers(leaf):
    """What a result is in NumPy."""
    t = tensor_of(leaf) if type(leaf) in KINDS else leaf
    return np.asarray(t.detach().numpy() if isinstance(t, sg.Tensor) else t)


def assert_equal(found, expected):
    """Values, shapes and dtypes are NumPy's, and the names of several results."""
    fields = getattr(expected, "_fields", None)
    assert fields is None or tuple(fields) == tuple(found._fields)
    found, expected = leaves(found), leaves(expected)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        if isinstance(theirs, np.dtype | str | bool | int | float) and not isinstance(theirs, np.generic):
            assert ours == theirs
            continue
        ours, theirs = numbers(ours), np.asarray(theirs)
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        np.testing.assert_allclose(
            ours, theirs, rtol=1e-5 if theirs.dtype in (np.float32, np.complex64) else 1e-11, atol=1e-12
        )


def is_array(leaf):
    """Whether a result of NumPy's is an array, or the number that it has in place of one."""
    return isinstance(leaf, np.ndarray | np.generic)


def given(names, make=lambda v: v):
    """The arrays of these names."""
    return {name: make(ARRAYS[name].copy()) for name in names}


def differentiable(call):
    """The arrays of numbers that have derivatives."""
    return {name: v for name, v in given(call.names()).items() if v.dtype.kind in "fc"}


def constant(v):
    """An array as a function of arrays makes it, where a transform runs that."""
    return xp.asarray(v, copy=True)


# ---------------------------------------------------------------------------------------------------- the namespace


def test_it_is_given_by_tensors_and_by_arrays_inside_a_transform():
    seen = []

    def f(x):
        seen.extend(
            [x.__array_namespace__(), x[0].__array_namespace__(api_version="2024.12"), x[1:].__array_namespace__()]
        )
        return (x * x).sum()

    sg.grad(f)(np.ones(3))
    t = sg.tensor([1.0, 2.0], requires_grad=True)
    seen += [t.__array_namespace__(), (t * 2).__array_namespace__(api_version="2023.12")]
    assert all(module is xp for module in seen)


@pytest.mark.parametrize("of", [lambda: sg.tensor([1.0]), lambda: xp.asarray])
def test_a_version_that_is_not_there_is_refused(of):
    ask = getattr(of(), "__array_namespace__", xp.namespace)
    with pytest.raises(ValueError, match="1999"):
        ask(api_version="1999.01")
    assert ask(api_version=None) is xp


@pytest.mark.parametrize("name", [*SIGNATURES, *DTYPES, *CONSTANTS])
def test_every_name_of_the_standard_is_there(name):
    home, _, last = name.rpartition(".")
    assert hasattr(getattr(xp, home) if home else xp, last)


@one_in(6)
@pytest.mark.parametrize("name", SIGNATURES)
def test_every_parameter_of_every_function_is_given_in_some_call(name):
    places, words = SIGNATURES[name]
    used, most = set(), 0
    for call in CASES.values():
        for count, keywords in call.functions().get(name, ()):
            used.update(keywords)
            most = max(most, count)
    by_name_alone = set(words) - set(places)
    assert most >= 1 or places[0] in used
    assert by_name_alone <= used, "given by name nowhere"
    assert all(p in used or k < most for k, p in enumerate(places)), "given nowhere"
    assert used <= set(words), "the standard has no such parameter"


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters_have_the_standards_names(name):
    """Where a function's signature can be read: what goes by name in the standard goes by name here."""
    home, _, last = name.rpartition(".")
    try:
        found = inspect.signature(getattr(getattr(xp, home) if home else xp, last)).parameters
    except ValueError:
        pytest.skip("a function of C without a signature")
    if any(p.kind is p.VAR_KEYWORD for p in found.values()):
        pytest.skip("takes words as they come: the calls tell")
    by_name = [p for p in SIGNATURES[name][1] if p not in found or found[p].kind is found[p].POSITIONAL_ONLY]
    assert not by_name


def test_constants_and_dtypes_are_numpys():
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (np.e, np.pi, np.inf, None)
    assert xp.nan != xp.nan
    assert all(np.dtype(getattr(xp, name)) == np.dtype(name) for name in DTYPES)


def test_what_the_namespace_says_of_itself():
    info = xp.__array_namespace_info__()
    told = info.capabilities()
    assert told["boolean indexing"] and told["data-dependent shapes"]
    assert info.default_device() == "cpu" and list(info.devices()) == ["cpu"]
    assert info.default_dtypes()["real floating"] == np.float64
    assert info.default_dtypes(device="cpu")["integral"] == np.int64
    assert set(info.dtypes()) == set(DTYPES)
    assert set(info.dtypes(device="cpu", kind="complex floating")) == {"complex64", "complex128"}


# ------------------------------------------------------------------------------------------------------ what comes out


@pytest.mark.parametrize("name", CASES)
def test_numpys_arrays_give_numpys_arrays(name):
    call = CASES[name]
    found, expected = call.run(xp, given(call.names())), call.run_plain(given(call.names()))
    assert_equal(found, expected)
    assert all(is_array(leaf) for leaf, plain in zip(leaves(found), leaves(expected)) if is_array(plain))


@pytest.mark.parametrize("name", CASES)
def test_tensors_give_tensors(name):
    call = CASES[name]
    found, expected = call.run(xp, given(call.names(), sg.tensor)), call.run_plain(given(call.names()))
    assert_equal(found, expected)
    if call.names():
        kinds = [type(leaf) for leaf, plain in zip(leaves(found), leaves(expected)) if is_array(plain)]
        assert all(kind is sg.Tensor for kind in kinds), kinds


@pytest.mark.parametrize("name", CASES)
def test_constants_inside_a_transform_have_numpys_values(name):
    call, seen = CASES[name], []

    def f(x):
        seen.append(call.run(xp, given(call.names(), constant)))
        return (x * x).sum()

    sg.grad(f)(np.ones(2))
    assert_equal(seen[0], call.run_plain(given(call.names())))


@pytest.mark.parametrize(
    "name", [n for n, call in CASES.items() if differentiable(call) and call.function not in REFUSED]
)
def test_what_is_differentiated_has_numpys_values(name):
    call, seen = CASES[name], []
    expected = call.run_plain(given(call.names()))

    def f(args):
        seen.append(call.run(xp, {**given(call.names(), constant), **args}))
        return 1.0 * sum(xp.sum(v) for v in args.values()).real

    sg.grad(f)(differentiable(call))
    assert_equal(seen[0], expected)
    for leaf, plain in zip(leaves(seen[0]), leaves(expected), strict=True):
        assert name not in WITH_GRADIENT or type(leaf) in KINDS or np.asarray(plain).dtype.kind not in "fc", (
            "no history"
        )


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_is_refused_with_a_reason(name):
    for run in (lambda: sg.grad(lambda x: xp.sum(leaves(getattr(xp, name)(x))[0]))(np.ones(3)),
                lambda: getattr(xp, name)(sg.tensor(np.ones(3), requires_grad=True))):  # fmt: skip
        with pytest.raises(sg.NotDifferentiableError, match=r"np\.sort\(x\)"):
            run()


# -------------------------------------------------------------------------------------------------------- derivatives


def total(found, np_or_xp):
    """One real number that depends on every number of a result, on each in its own way."""
    sums = 0.0
    for k, leaf in enumerate(leaves(found)):
        if leaf.dtype.kind not in "fc":
            continue
        weights = np.cos(1.0 + k + np.arange(math.prod(leaf.shape))).reshape(leaf.shape)
        if leaf.dtype.kind == "c":
            sums = (
                sums
                + np_or_xp.sum(weights * np_or_xp.real(leaf))
                + np_or_xp.sum(weights[::-1] * np_or_xp.imag(leaf) if leaf.ndim else 0.7 * np_or_xp.imag(leaf))
            )
        else:
            sums = sums + np_or_xp.sum(weights * leaf)
    return sums


def functions(call):
    """The total of a call as a function of its arrays: in NumPy, and here."""
    rest = given(call.names())
    plain = lambda args: float(total(call.run_plain({**rest, **args}), np))
    return plain, lambda args: total(call.run(xp, {**rest, **args}), xp)


@pytest.mark.parametrize("name", WITH_GRADIENT)
def test_gradients_are_those_of_differences(name):
    call = WITH_GRADIENT[name]
    plain, ours = functions(call)
    args = differentiable(call)
    found = sg.grad(ours)(args)
    for k, v in args.items():
        assert_close(found[k], gradient(lambda w, k=k: plain({**args, k: w}), v), 1e-6, 1e-8, k)


@pytest.mark.parametrize("name", WITH_GRADIENT)
def test_gradients_of_tensors_are_those_of_arrays(name):
    call = WITH_GRADIENT[name]
    _, ours = functions(call)
    tensors = {k: sg.tensor(v, requires_grad=True) for k, v in differentiable(call).items()}
    found = ours(tensors)
    assert type(found) is sg.Tensor
    found.backward()
    for k, expected in sg.grad(ours)(differentiable(call)).items():
        grad = tensors[k].grad
        assert_close(np.zeros_like(expected) if grad is None else grad.numpy(), expected, 1e-9, 1e-11, k)


@one_in(10)
@pytest.mark.parametrize("name", WITH_GRADIENT)
def test_second_derivatives_are_those_of_differences(name):
    call = WITH_GRADIENT[name]
    _, ours = functions(call)
    args = differentiable(call)
    first = sg.grad(ours)
    slopes = lambda args: total([first(args)[k] for k in sorted(args)], xp)
    found = sg.grad(slopes)(args)
    for k, v in args.items():
        assert_gradient(found[k], lambda w, k=k: float(slopes({**args, k: w})), v, 1e-6, what=k)


# Functions that know nothing but ``xp``, as libraries write them ------------------------------------------------------


def softmax_cross_entropy(logits):
    xp = logits.__array_namespace__()
    labels = xp.asarray([2, 0, 1])
    shifted = logits - xp.max(logits, axis=-1, keepdims=True)
    logs = shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))
    return -xp.mean(xp.take_along_axis(logs, labels[:, None], axis=-1))


def least_squares_by_qr(A):
    xp = A.__array_namespace__()
    Q, R = xp.linalg.qr(A, mode="reduced")
    b = xp.linspace(0.0, 1.0, A.shape[0], dtype=A.dtype, device=A.device)
    x = xp.linalg.solve(R, xp.matrix_transpose(Q) @ b)
    return xp.sum(x**2) + xp.linalg.vector_norm(A @ x - b)


def gram_schmidt(A):
    xp = A.__array_namespace__()
    basis = []
    for v in xp.unstack(A, axis=1):
        for q in basis:
            v = v - xp.vecdot(q, v) * q
        basis.append(v / xp.linalg.vector_norm(v))
    Q = xp.stack(basis, axis=1)
    return xp.sum(Q * xp.reshape(xp.arange(12, dtype=A.dtype), Q.shape))


def low_pass_filter(signal):
    xp = signal.__array_namespace__()
    frequencies = xp.fft.rfftfreq(signal.shape[0], d=0.1)
    kept = xp.where(xp.abs(frequencies) < 2.0, xp.fft.rfft(signal), xp.asarray(0.0))
    return xp.sum(xp.square(xp.fft.irfft(kept, n=signal.shape[0])) * xp.arange(signal.shape[0], dtype=signal.dtype))


def power_iteration(A):
    xp = A.__array_namespace__()
    S = xp.matrix_transpose(A) @ A
    v = xp.ones(S.shape[0], dtype=A.dtype)
    for _ in range(12):
        v = S @ v
        v = v / xp.linalg.vector_norm(v)
    return v @ S @ v


def whitening(X):
    xp = X.__array_namespace__()
    centred = X - xp.mean(X, axis=0, keepdims=True)
    values, vectors = xp.linalg.eigh(centred.mT @ centred / (X.shape[0] - 1) + 0.1 * xp.eye(X.shape[1]))
    white = centred @ (vectors / xp.sqrt(values)) @ vectors.mT
    return xp.sum(xp.tanh(white) ** 2) + xp.var(white[:, 0], correction=1)


def gaussian_process(X):
    xp = X.__array_namespace__()
    distances = xp.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    L = xp.linalg.cholesky(xp.exp(-0.5 * distances) + 0.1 * xp.eye(X.shape[0], dtype=X.dtype))
    y = xp.sin(xp.arange(X.shape[0], dtype=X.dtype))
    z = xp.linalg.solve(L, y[:, None])
    return 0.5 * xp.sum(z * z) + xp.sum(xp.log(xp.linalg.diagonal(L)))


def heat_equation(u):
    xp = u.__array_namespace__()
    for _ in range(5):
        new = xp.zeros_like(u)
        new[1:-1] = u[1:-1] + 0.2 * xp.diff(u, n=2)
        new[0], new[-1] = u[0], u[-1]
        u = new
    return xp.sum(u**3)


def robust_location(x):
    xp = x.__array_namespace__()
    x = xp.sort(xp.reshape(x, (-1,)), descending=True)
    trimmed = xp.clip(x[2:-2], 0.3, 0.8)
    return xp.mean(trimmed) + xp.std(x[x > 0.4]) + xp.cumulative_sum(x, include_initial=True)[4] + xp.min(x)


def low_rank(A):
    xp = A.__array_namespace__()
    U, s, Vh = xp.linalg.svd(A, full_matrices=False)
    near = (U[:, :2] * s[:2]) @ Vh[:2, :]
    return xp.linalg.matrix_norm(A - near) + xp.sum(near[0, :] ** 3)


PROGRAMS = {f.__name__: (f, shape) for f, shape in (
    (softmax_cross_entropy, (3, 4)), (least_squares_by_qr, (5, 3)), (gram_schmidt, (4, 3)), (low_pass_filter, (9,)),
    (power_iteration, (4, 3)), (whitening, (5, 3)), (gaussian_process, (4, 2)), (heat_equation, (8,)),
    (robust_location, (3, 3)), (low_rank, (4, 3)),
)}  # fmt: skip


def start(shape):
    """Numbers that are not alike."""
    return np.random.default_rng(3).permutation(np.linspace(0.1, 1.1, int(np.prod(shape)))).reshape(shape)


def plain(f):
    """The program in NumPy: arrays that answer with the namespace of this package, outside any transform."""
    import symgrad.numpy as xp

    class Plain(np.ndarray):
        __array_namespace__ = staticmethod(lambda api_version=None: xp)

    return lambda x: float(f(x.view(Plain)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_of_a_program_in_a_transform(name):
    f, shape = PROGRAMS[name]
    assert_close(sg.grad(f)(start(shape)), gradient(plain(f), start(shape)), 1e-6, 1e-8)


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives_of_a_program(name):
    f, shape = PROGRAMS[name]
    x = start(shape)
    weights = np.cos(np.arange(x.size)).reshape(shape)
    along = gradient(lambda u: float(np.sum(weights * sg.grad(f)(u))), x)
    assert_close(sg.grad(lambda u: (weights * sg.grad(f)(u)).sum())(x), along, 1e-6, 1e-8)
    np.testing.assert_allclose(np.asarray(sg.hvp(f, x, weights)), along, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_of_a_program_by_tensors(name):
    f, shape = PROGRAMS[name]
    t = sg.tensor(start(shape), requires_grad=True)
    loss = f(t)
    assert type(loss) is sg.Tensor
    loss.backward()
    assert_close(t.grad.numpy(), sg.grad(f)(start(shape)), 1e-9, 1e-11)


def test_a_library_that_asks_array_api_compat_gets_this_namespace():
    compat = pytest.importorskip("scipy._lib.array_api_compat", reason="SciPy older than 1.11 has no array_api_compat")
    import symgrad.numpy as xp

    seen = []

    def f(x):
        seen.append(compat.array_namespace(x, xp.asarray([1, 2, 3])))
        seen.append((compat.size(x), compat.device(x), compat.is_array_api_obj(x), compat.to_device(x, "cpu") is x))
        return seen[0].sum(x**2)

    assert sg.grad(f)(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
    assert seen == [xp, (3, "cpu", True, True)]
    assert compat.array_namespace(sg.tensor([1.0]), sg.tensor([2.0]), api_version="2024.12") is xp


# SciPy's own functions, with SCIPY_ARRAY_API=1 ------------------------------------------------------------------------

# The list is that of docs/array-api.md. What needs a younger SciPy than the installed one is skipped, and says so.


HERE = Path(__file__).resolve().parent
NEW = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
YOUNG = np.lib.NumpyVersion(scipy.__version__) >= "1.17.0"


@cache
def process():
    """The process, when it has ended."""
    path = os.pathsep.join([str(HERE.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, HERE / "_array_api_scipy.py", HERE], capture_output=True, text=True, check=False,
        env={**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": path},
    )  # fmt: skip


def judged(text):
    """What it says of a call."""
    assert process().returncode == 0, process().stderr[-3000:]
    return json.loads(process().stdout)[text]


def right(text, way):
    """Assert that a gradient is right, or skip where SciPy is older than the list."""
    found = judged(text)
    if not YOUNG and (found is None or found[way]):
        pytest.skip(f"SciPy {scipy.__version__} does not ask arrays for their namespace in {text}; 1.17 does")
    assert found is not None, "SciPy has no such function"
    assert found[way] == ""


@one_in(6)
@pytest.mark.parametrize("text", texts(BY_BOTH + IN_TRANSFORMS))
def test_gradient_of_a_function_of_scipys_in_a_transform(text):
    right(text, 0)


@pytest.mark.parametrize("text", texts(BY_BOTH))
def test_gradient_of_a_function_of_scipys_by_tensors(text):
    right(text, 1)


@pytest.mark.parametrize("text", texts(REFUSED_WITH_SCIPY))
def test_a_function_that_takes_the_numbers_out_raises(text):
    found = judged(text)
    if found is None:
        pytest.skip(f"SciPy {scipy.__version__} has no {text}")
    errors = ("GradientError", "NotDifferentiableError", "TypeError", "ValueError")
    assert all(said.startswith(errors) or (NEW and said == "") for said in found), found  # what is new may be right
