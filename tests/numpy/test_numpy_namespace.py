"""NumPy's whole namespace, and SciPy's ufuncs, on tensors in every place: values and derivatives, or said why not.

The calls are in `_numpy_samples.py`; in which class a name belongs is said by the code of the documentation's page.
"""

import difflib
import inspect
import itertools
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.special as sc

import symgrad as sg
import symgrad.numpy
from symgrad.core import NUMPY

from ..helpers.cases import one_in
from . import _numpy_samples as samples

sys.path.append(str(Path(__file__).parents[2] / "docs"))

from _numpy_names import DIFFERENTIABLE, MISSING, NO_DERIVATIVE, NOT_APPLICABLE, NOT_OF_TENSORS, kind, names

CALLS = [pytest.param(name, call, id=call) for name, call in samples.calls() if samples.is_there(call)]
MOST_MISSING = 0.02


def variables(call):
    return [name for name in samples.ARRAYS if re.search(rf'(?<![\w.]){name}(?![\w"=])', call)]


def leaves(result):
    return [leaf for part in result for leaf in leaves(part)] if isinstance(result, (list, tuple)) else [result]


def form(result):
    """How lists and tuples are nested in a result."""
    if not isinstance(result, (list, tuple)):
        return None
    return (list if isinstance(result, list) else tuple), [form(part) for part in result]


def plain(leaf):
    return leaf.detach().numpy() if isinstance(leaf, sg.Tensor) else leaf


def assert_same(got, want, rtol):
    assert form(got) == form(want)
    for g, w in zip(leaves(got), leaves(want), strict=True):
        if not isinstance(w, (np.ndarray, np.generic)):
            assert plain(g) == w  # a count is a number of Python's in some versions
            continue
        g = np.asarray(plain(g))
        assert (g.dtype, g.shape) == (w.dtype, w.shape)
        np.testing.assert_allclose(g, w, rtol, 1e-12 if rtol < 1e-9 else 1e-6)


def is_single(call, arrays):
    return "32" in call or any(a.dtype in (np.float32, np.complex64) for a in arrays.values())


def tensors(arrays):
    return {name: sg.tensor(a, requires_grad=True) for name, a in arrays.items()}


# ------------------------------------------------------------------------------------------------------- values


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "call"), CALLS)
def test_a_call_has_numpys_values_dtypes_and_shapes(name, call):
    arrays = {k: samples.ARRAYS[k] for k in variables(call)}
    with np.errstate(all="ignore"):
        assert_same(
            samples.run(call, tensors(arrays)), samples.run(call, {}), 2e-6 if is_single(call, arrays) else 1e-11
        )


# What a tensor and whole numbers make together is PyTorch's where operators do it, and linspace's are doubles.
OF_OTHER_KINDS = re.compile(r"np\.(add|clip|matmul|polyval)\(.*\[|add\.outer\(v, \[|np\.(lin|log)space")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "call"), [c for c in CALLS if not OF_OTHER_KINDS.search(c.values[1])])
def test_single_precision_stays_where_it_is_numpys(name, call):
    arrays = {k: a.astype({"f": np.float32, "c": np.complex64}[a.dtype.kind]) for k, a in samples.ARRAYS.items()}
    with np.errstate(all="ignore"):
        assert_same(
            samples.run(call, {**arrays, **tensors({k: arrays[k] for k in variables(call)})}),
            samples.run(call, arrays),
            3e-5,
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "call"), [c for c in CALLS if 'order="A"' not in c.values[1] and '"A")' not in c.values[1]]
)
def test_how_elements_lie_in_memory_changes_nothing(name, call):
    def backwards(a):
        if not a.ndim:
            return a
        whole = np.empty(a.shape[::-1], a.dtype).T[(slice(None, None, -1),) * a.ndim]
        whole[...] = a
        return whole

    arrays = {k: backwards(a) for k, a in samples.ARRAYS.items()}
    with np.errstate(all="ignore"):
        got, want = samples.run(call, tensors({k: arrays[k] for k in variables(call)})), samples.run(call, arrays)
    assert_same(got, want, 2e-6 if is_single(call, {k: arrays[k] for k in variables(call)}) else 1e-11)


# -------------------------------------------------------------------------------------------------- derivatives


def loss(parts):
    """A number made of all entries of a result's parts; NaN counts for nothing."""
    total = 0.0
    for k, part in enumerate(parts):
        if part.dtype.kind == "c":
            part = np.real(part) + 0.7 * np.imag(part)
        weights = np.cos(np.arange(np.size(part)) + k).reshape(np.shape(part))
        total = total + np.sum(np.nan_to_num(weights * part + (weights * part) ** 2, posinf=0.0, neginf=0.0))
    return total


def moved(arrays, steps, h):
    """The arrays h steps on, in the same places of memory."""
    found = {}
    for k, a in arrays.items():
        found[k] = np.empty_like(a) if a.ndim else np.array(a)
        found[k][...] = np.where(np.isnan(a), a, a + h * steps[k])
    return found


def gradients(call, arrays):
    given = tensors(arrays)
    parts = [p for p in leaves(samples.run(call, given)) if isinstance(p, sg.Tensor) and p.requires_grad]
    found = sg.autograd.grad(loss(parts), list(given.values()), create_graph=True, materialize_grads=True)
    return given, found


def along(gradient, steps, arrays):
    """The slope along ``steps`` that a gradient says; beside NaN there may be none."""
    total = 0.0
    for (k, a), g in zip(arrays.items(), gradient, strict=True):
        slopes = np.where(np.isnan(a), 0, (plain(g).conj() * steps[k]).real)
        total += np.nansum(slopes) if np.isnan(a).any() else np.sum(slopes)
    return total


@one_in(6)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "call"), [c for c in CALLS if variables(c.values[1])])
def test_first_and_second_derivatives_are_those_of_differences(name, call):
    arrays = {k: samples.ARRAYS[k] for k in variables(call)}
    rng = np.random.default_rng(5)
    steps = {k: rng.normal(size=a.shape) * (1 + 1j if a.dtype.kind == "c" else 1) for k, a in arrays.items()}
    h, rtol = (1e-2, 3e-2) if is_single(call, arrays) else (1e-6, 3e-6)
    given = tensors(arrays)
    with np.errstate(all="ignore"):
        kept = [isinstance(p, sg.Tensor) and p.requires_grad for p in leaves(samples.run(call, given))]
        if not any(kept):
            return

        def value(t):
            result = leaves(samples.run(call, moved(arrays, steps, t)))
            return loss([np.asarray(p, np.result_type(p, float)) for p, is_kept in zip(result, kept) if is_kept])

        given, gradient = gradients(call, arrays)
        slope, expected = along(gradient, steps, arrays), (value(h) - value(-h)) / (2 * h)
        assert abs(slope - expected) <= rtol * (1 + abs(expected))
        weights = [np.where(np.isnan(a), 0, rng.normal(size=a.shape)) for a in arrays.values()]
        weighed = sum(
            np.sum(np.where(np.isnan(w * plain(g)), 0, np.real(g)) * w) for g, w in zip(gradient, weights, strict=True)
        )
        if not weighed.requires_grad:
            return
        second = along(sg.autograd.grad(weighed, list(given.values()), materialize_grads=True), steps, arrays)
        ends = [gradients(call, moved(arrays, steps, t))[1] for t in (h, -h)]
        pairs = zip(*ends, weights, strict=True)
        change = sum(np.nansum((plain(a) - plain(b)).real * w) for a, b, w in pairs) / (2 * h)
        assert abs(second - change) <= 5 * rtol * (1 + abs(change))


# ---------------------------------------------------------------------------------------------------- the names


def test_every_name_is_in_one_class_and_next_to_none_is_missing():
    found = {name: kind(name, value) for name, value in names().items()}
    listed = [name for text in NOT_OF_TENSORS.values() for name in text.split()]
    assert len(listed) == len(set(listed))
    both = [name for name in listed if found.get(name, NOT_APPLICABLE) != NOT_APPLICABLE]
    assert not both, f"these have a row, and a reason why they need none: {both}"
    missing = [name for name, what in found.items() if what == MISSING]
    assert len(missing) <= MOST_MISSING * len(found), missing


NOT_ASKED = {
    "ascontiguousarray", "asfortranarray", "require", "linalg", "fft",
    # tests/numpy/test_numpy_submodules.py asks these
    "poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots",
}  # fmt: skip
"""NumPy does not hand these a tensor, they are in the table for who calls it; and what is tested elsewhere."""


@pytest.mark.filterwarnings("ignore")
def test_the_samples_agree_with_the_classes():
    records, seen = {}, set()
    for _, call in samples.calls():
        if not samples.is_there(call):
            continue
        with np.errstate(all="ignore"):
            parts = leaves(samples.run(call, tensors({k: samples.ARRAYS[k] for k in variables(call)})))
        used = {names().get(n) for n in re.findall(r"np\.((?:emath\.)?\w+)", call)} - {None}
        for function in used if len(used) == 1 else ():
            records.setdefault(function, []).extend(isinstance(p, sg.Tensor) and p.requires_grad for p in parts)
        seen |= used
    kinds = {
        value: kind(name, value)
        for name, value in names().items()
        if kind(name, value) in (DIFFERENTIABLE, NO_DERIVATIVE)
    }
    for function, what in kinds.items():
        found = records.get(function, [what == DIFFERENTIABLE])
        assert any(found) == (what == DIFFERENTIABLE), f"{function}: {found}"
    rest = {n for n, value in names().items() if kind(n, value) == DIFFERENTIABLE and value not in seen}
    assert not {n for n in rest if n.partition(".")[0] not in NOT_ASKED}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (np.ascontiguousarray, (samples.ARRAYS["T"],)), (np.ascontiguousarray, (samples.ARRAYS["s"], np.float32)),
        (np.asfortranarray, (samples.ARRAYS["A"],)), (np.require, (samples.ARRAYS["T"], None, "C")),
        (np.require, (samples.ARRAYS["v"], np.float32, ["C", "W"])),
        (np.lib.stride_tricks.as_strided, (samples.ARRAYS["v"], (3, 2), (8, 8))),
        (np.lib.stride_tricks.as_strided, (samples.ARRAYS["S"], (4,), (40,))),
    ],
)  # fmt: skip
def test_functions_that_numpy_hands_no_tensor_are_in_the_table(function, arguments):
    a, *rest = arguments
    got, want = NUMPY[function](sg.tensor(a, requires_grad=True), *rest), function(a, *rest)
    assert_same(got, want, 1e-12)
    assert got.requires_grad
    assert got.detach().numpy().flags.f_contiguous == want.flags.f_contiguous


# ------------------------------------------------------------------------------------------ keywords and constants


def test_what_where_leaves_out_is_zero_and_has_no_slope():
    x = sg.tensor([0.0, 4.0], requires_grad=True)
    y = np.sqrt(x, where=np.array([False, True]))
    y.sum().backward()
    assert y.tolist() == [0.0, 2.0] and x.grad.tolist() == [0.0, 0.25]
    with pytest.raises(TypeError, match="truth values"):
        np.sqrt(x, where=np.array([0.0, 1.0]))
    with pytest.raises(TypeError):
        np.add(x, 1.0, dtype=np.float32, casting="no")


@pytest.mark.parametrize("call", [
    lambda x, out: np.exp(x, out=out), lambda x, out: np.sum(x, out=out[:1]),
    lambda x, out: np.add.reduce(x, out=out[:1]),
       lambda x, out: np.clip(x, 0, 1, out=out),
    lambda x, out: np.multiply(x, 2, where=x > 0, out=out),
    lambda x, out: np.hypot.accumulate(x, out=out), lambda x, out: np.quantile(x, 0.5, out=out[:1]),
])  # fmt: skip
def test_an_array_as_out_is_refused_by_name(call):
    with pytest.raises((sg.NotDifferentiableError, sg.DTypeError), match=r"np\.[\w.]+ .*out="):
        call(sg.tensor([0.5, 1.5], requires_grad=True), np.zeros(2))


class Table:
    """What makes an array of itself, as a table of pandas does."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


@pytest.mark.parametrize("call", [
    lambda x, c: np.add(x, c), lambda x, c: np.dot(x, c), lambda x, c: np.where(x > 0, x, c),
    lambda x, c: np.append(x, c),
       lambda x, c: np.average(x, weights=c), lambda x, c: np.interp(x, c, c), lambda x, c: np.concatenate([x, c]),
    lambda x, c: np.power(x, c), lambda x, c: np.cov(x, c), lambda x, c: np.searchsorted(c, x),
    lambda x, c: np.clip(x, c, None), lambda x, c: np.matmul(x, c), lambda x, c: np.insert(x, 1, c),
])  # fmt: skip
@pytest.mark.parametrize("make", [list, tuple, Table, np.array])
def test_constants_are_whatever_makes_an_array(call, make):
    x, c = np.array([0.5, 1.5, 2.5]), [1.0, 2.0, 4.0]
    np.testing.assert_allclose(plain(call(sg.tensor(x, requires_grad=True), make(c))), call(x, np.array(c)))


def test_a_list_of_tensors_is_an_array_where_a_tensor_stands_beside_it():
    x, s = sg.tensor([1.0, 2.0], requires_grad=True), sg.tensor(3.0, requires_grad=True)
    np.dot(x, [s, 2 * s]).backward()
    assert s.grad.item() == 5.0 and x.grad.tolist() == [3.0, 6.0]


def test_counts_do_not_depend_on_weights_of_what_is_outside():
    w = sg.tensor([1.0, 2.0, 4.0], requires_grad=True)
    hist, edges = np.histogram([0.1, 0.6, 3.0], bins=[0.0, 0.5, 1.0], weights=w)
    hist[1].backward()
    assert hist.tolist() == [1.0, 2.0] and w.grad.tolist() == [0.0, 1.0, 0.0] and edges.tolist() == [0.0, 0.5, 1.0]


def test_edges_that_follow_the_data_have_their_slope():
    edges = lambda x: np.histogram(x, 4)[1]
    slopes = sg.jacrev(edges)(np.array([3.0, 1.0, 2.0]))
    np.testing.assert_allclose(slopes, [[k / 4, 1 - k / 4, 0] for k in range(5)], atol=1e-12)


# Functions of shape and index -----------------------------------------------------------------------------------------


CASES = """
np.reshape(A, (4, 3)) | np.reshape(A, -1) | np.reshape(A, (2, 6), order="F") | np.ravel(A) | np.transpose(A)
np.transpose(B, (2, 0, 1)) | np.swapaxes(B, 0, 2) | np.moveaxis(B, 0, -1) | np.squeeze(O) | np.squeeze(O, axis=(0, 2))
np.expand_dims(A, (0, 2)) | np.broadcast_to(v, (3, 4)) | np.broadcast_arrays(v, A) | np.tile(A, (2, 1, 2))
np.repeat(A, 2) | np.repeat(A, 2, axis=1) | np.repeat(A, [1, 2, 0], axis=0) | np.flip(A) | np.flip(A, 0) | np.fliplr(A)
np.flipud(A) | np.roll(A, 1) | np.roll(A, 1, axis=1) | np.roll(A, (1, 2), axis=(0, 1)) | np.roll(A, 1, axis=(0, 1))
np.rot90(A) | np.rot90(A, 2, (1, 0)) | np.concatenate([A, A]) | np.concatenate([A, S], axis=0) | np.vstack([v, A])
np.concatenate([A, A], None) | np.concatenate((v, np.ones(2))) | np.stack([v, v], axis=-1) | np.hstack([v, v])
np.dstack([A, A]) | np.column_stack([v, v]) | np.split(A, 2, axis=1) | np.split(v, [1, 3]) | np.array_split(v, 3)
np.hsplit(A, 2) | np.vsplit(A, 3) | np.dsplit(B, 2) | np.diagonal(S) | np.diagonal(B, 1, axis1=1, axis2=2) | np.diag(v)
np.diag(S, 1) | np.diagflat(A) | np.tril(S) | np.triu(S, 1) | np.trace(S) | np.trace(S, 1)
np.trace(B, axis1=1, axis2=2)
np.meshgrid(v, v) | np.meshgrid(v, A[0], indexing="ij") | np.atleast_1d(s) | np.atleast_2d(v) | np.atleast_3d(v)
np.pad(v, 2) | np.pad(A, ((1, 2), (0, 1))) | np.pad(A, 1, mode="reflect") | np.pad(A, (1, 2), mode="edge")
np.pad(A, 1, mode="wrap") | np.pad(v, 3, mode="symmetric") | np.pad(v, (1, 1), constant_values=2.0) | np.take(A, [0, 5])
np.take(A, [0, 2], axis=1) | np.take(A, 1, axis=0) | np.take(v, [5, -9], mode="wrap") | np.copy(A)
np.take_along_axis(A, np.array([[0], [1], [3]]), 1) | np.nonzero(A > 0) | np.argwhere(A > 0) | np.matrix_transpose(B)
np.lib.stride_tricks.sliding_window_view(v, 2) | A.T | A[::-1] | A[:, ::-2] | A[np.array([0, 2])]
A[A > 0] | A[0, ::-1]
"""
ARRAYS = {"A": (3, 4), "S": (4, 4), "v": (4,), "B": (2, 3, 4), "O": (1, 3, 1), "s": ()}


def results(case, values):
    result = eval(case, {"np": np, **values})
    return list(result) if isinstance(result, (tuple, list)) else [result]


ORDERS = (None, 0, -1, 1, 5, np.int64(0), np.array(0), 0.0, "a", (), (0,), [-1], (1, 0), (0, 0), np.array([1, 0]))


@pytest.mark.parametrize("name", ["transpose", "permute_dims"])
@pytest.mark.parametrize("axes", ORDERS, ids=repr)
@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (2, 3, 1)], ids=str)
def test_an_order_of_axes_is_whatever_numpy_takes_for_one(name, axes, shape):
    """One axis without a sequence around it, too; where NumPy raises, so do we: its class, or ours that is one."""
    move, array = getattr(np, name, np.transpose), np.arange(float(np.prod(shape))).reshape(shape)

    def outcome(x):
        try:
            return move(x, axes)
        except (TypeError, ValueError, IndexError) as error:
            return error

    def f(x):
        seen.append(outcome(x))
        return (seen[0] ** 2).sum() if not isinstance(seen[0], Exception) else x.sum()

    want, seen = outcome(array), []
    gradient, of_tensor = sg.grad(f)(array), outcome(sg.tensor(array))
    if isinstance(want, Exception):
        kind = IndexError if isinstance(want, IndexError) else type(want)
        assert isinstance(of_tensor, kind) and isinstance(seen[0], kind)
    else:
        np.testing.assert_array_equal(of_tensor.numpy(), want)
        assert seen[0].shape == want.shape
    np.testing.assert_array_equal(gradient, np.ones(shape) if isinstance(want, Exception) else 2 * array)


@pytest.mark.parametrize("case", [c.strip() for line in CASES.strip().splitlines() for c in line.split(" | ")])
def test_numpy_function_on_a_tensor_is_numpys_and_differentiable(case):
    rng = np.random.default_rng(0)
    arrays = {name: np.asarray(rng.normal(size=shape)) for name, shape in ARRAYS.items()}
    step = {name: np.asarray(rng.normal(size=shape)) for name, shape in ARRAYS.items()}
    leaves = {name: sg.tensor(a, requires_grad=True) for name, a in arrays.items()}
    got, want = results(case, leaves), results(case, arrays)
    assert len(got) == len(want)
    for t, a in zip(got, want, strict=True):
        assert isinstance(t, sg.Tensor)
        np.testing.assert_array_equal(t.detach().numpy(), a)
        assert t.requires_grad == (a.dtype.kind == "f")
    if not got[0].requires_grad:
        return
    gradients = sg.autograd.grad(sum((t**3).sum() for t in got), leaves.values(), materialize_grads=True)
    slope = sum((g.numpy() * step[name]).sum() for name, g in zip(leaves, gradients, strict=True))

    def along(h):
        moved = {name: np.asarray(a + h * step[name]) for name, a in arrays.items()}
        return sum((a**3).sum() for a in results(case, moved))

    if "A > 0" not in case:
        assert slope == pytest.approx((along(1e-6) - along(-1e-6)) / 2e-6, rel=1e-6)


# Ufuncs, with a tensor in every place that takes an array -------------------------------------------------------------

# A call that arrays take either raises, or records and then has NumPy's value and the slope of finite differences, or
# its result does not depend on that argument: it is constant on pieces. Nothing loses a derivative without a word.


HOMES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.lib.stride_tricks": np.lib.stride_tricks, "sc": sc}
WRITES_FILES = {
    "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "fromfile", "genfromtxt", "fromregex", "test",
    "show_config", "show_runtime", "info", "set_printoptions", "setbufsize", "seterr", "seterrcall", "printoptions",
    "get_include", "geterr",
}  # fmt: skip
IN_PLACE = {"np.copyto", "np.put", "np.place", "np.putmask", "np.fill_diagonal", "np.put_along_axis"}
UNCOMPARED = {
    "sc.boxcox": "at 0 its slope by the power is 0 times infinity, NaN: sc.boxcox has the limit",
    "sc.gdtr": "a rate of 0 is none: its slope there is NaN",
    "sc.gdtrc": "the same",
    "sc.elliprc": "beyond its cut SciPy has a principal value, which has no derivative here: NaN",
    "np.empty_like": "its entries are whatever was in memory",
    "np.logical_and": "of a list of numbers that are differentiated NumPy gives one of them, as Python's and does",
    "np.logical_or": "the same",
    "np.interp": "its places must increase, which those below do not",
    "np.rot90": "a number of quarter turns is whole",
    "np.linalg.pinv": "a cutoff among the singular values leaves some out",
}


def matrix(k):
    return np.sin(np.arange(1.0, 10.0) * (1.3 + 0.29 * k)).reshape(3, 3) + 4 * np.eye(3)


def candidates(k, symmetric=False):
    """The arguments to be tried in place ``k``: no two places get the same numbers, so there are no ties."""
    v = np.array([[0.52, 0.87, 0.33, 0.71], [0.46, 0.23, 0.94, 0.62], [0.81, 0.38, 0.57, 0.26]][k % 3])
    A = matrix(k) + symmetric * matrix(k).T
    return {"v": v, "A": A, "n": np.array(0.61 + 0.07 * k), "k": np.array([2, 0, 1, 0]), "1": 1, "[v]": [v],
            "m": np.array([True, False, True, True]), "[v, w]": [v, v[::-1] ** 2], "(2, 3)": (2, 3)}  # fmt: skip


def functions():
    for home, module in HOMES.items():
        for name in sorted(dir(module)):
            function = getattr(module, name)
            wanted = isinstance(function, np.ufunc) if home == "sc" else callable(function)
            if wanted and not isinstance(function, type) and not name.startswith("_") and name not in WRITES_FILES:
                yield f"{home}.{name}", function


def calls(function, symmetric):
    """Positional arguments, and the name of the last if it goes by name, of which arrays may be a call."""
    counts = [function.nin] if isinstance(function, np.ufunc) else [1, 2, 3]
    short = []
    for n in counts:
        if n > 3:
            continue
        names = [list(candidates(0)), ["v", "A", "n", "k", "1", "[v]"], ["v", "A", "k"]][n - 1]
        for chosen in itertools.product(names, repeat=n):
            arguments = [candidates(k, symmetric)[c] for k, c in enumerate(chosen)]
            yield arguments, None
            short += [arguments] if n < 3 else []
    if isinstance(function, np.ufunc):
        return
    try:
        named = [p.name for p in inspect.signature(function).parameters.values() if p.kind in (1, 3)]
    except ValueError:
        return
    works = [a for a in short if plain_numbers(function, a, None) is not None][:6]
    for name, arguments in itertools.product(named, works):
        if name not in ("out", "dtype", "like", "device", "order"):
            yield from (([*arguments, candidates(2)[c]], name) for c in ("v", "A", "n", "k", "m", "1"))


def own(a):
    return [u.copy() for u in a] if isinstance(a, list) else a.copy() if isinstance(a, np.ndarray) else a


def run(function, arguments, name, full_name=""):
    head, kwargs = (arguments, {}) if name is None else (arguments[:-1], {name: arguments[-1]})
    result = function(*head, **kwargs)
    return arguments[0] if full_name in IN_PLACE else result


def plain_numbers(function, arguments, name, full_name=""):
    """The numbers of a result of arrays, in one row; None where there is no such call."""
    try:
        return numbers(run(function, [own(a) for a in arguments], name, full_name))
    except Exception:
        return None


def leaves_of_arrays(result):
    if isinstance(result, (list, tuple)):
        return [leaf for part in result for leaf in leaves_of_arrays(part)]
    kinds = (sg.Tensor, np.ndarray, np.generic, int, float, complex)
    return [result] if isinstance(result, kinds) or hasattr(result, "requires_grad") else []


def together(result):
    """Results with arrays for NumPy's arrays of objects, whose entries are differentiated."""
    if isinstance(result, (list, tuple)):
        return [together(part) for part in result]
    is_objects = isinstance(result, np.ndarray) and result.dtype == object
    if not is_objects:
        return result
    array = symgrad.numpy.asarray(np.asarray(result))
    return array if is_differentiated(array) else np.asarray(array, float)


def is_differentiated(result):
    return bool(getattr(result, "requires_grad", False))


def numbers(result):
    arrays = [np.asarray(r.detach() if hasattr(r, "requires_grad") else r) for r in leaves_of_arrays(result)]
    rows = [a.astype(complex).reshape(-1) for a in arrays if a.dtype.kind in "fciub"]
    return np.concatenate(rows) if rows else np.zeros(0)


def is_float(a):
    return isinstance(a, np.ndarray) and a.dtype.kind == "f"


def arrays_of_floats(arguments):
    """(the array, a function that puts another in its place) for every array of floats among the arguments."""
    for i, a in enumerate(arguments):
        if is_float(a):
            yield a, lambda new, i=i: [*arguments[:i], new, *arguments[i + 1 :]]
        for j, part in enumerate(a if isinstance(a, list) else []):
            yield part, lambda new, i=i, j=j, a=a: [*arguments[:i], [*a[:j], new, *a[j + 1 :]], *arguments[i + 1 :]]


def recorded(function, x, replace, name, full_name, tensors):
    """The result with a tensor in place of ``x``, inside a transform, the gradient, and per part of the result whether
    it records; None where that raises. (What the function wrote to is a plain value afterwards.)"""
    found, records = [], []

    def f(t):
        arguments = [a if a is t else own(a) for a in replace(t)] if not tensors else replace(t)
        found.append(together(run(function, arguments, name, full_name)))
        records[:] = [is_differentiated(p) for p in leaves_of_arrays(found[0])]
        parts = [p for p, records_it in zip(leaves_of_arrays(found[0]), records, strict=True) if records_it]
        total = (t * 0).sum()
        for p in parts:
            weights = np.cos(np.arange(p.numel())).reshape(p.shape)
            total = total + (weights * (p.real if p.is_complex() else p)).sum()
        return total

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "Converting a tensor")  # a number that is taken is said, too
        try:
            slope = sg.grad(f)(x)
        except Exception as error:
            if found and not isinstance(error, sg.GradientError):  # np.array_equal holds what it cannot compare unequal
                raise
            return None
    return found[0], slope, records


def slope_of_numbers(function, x, direction, replace, name, full_name, records):
    """The directional derivative of the parts that record, weighed as above, by differences; None at a border."""
    ends = []
    for h in (1e-6, -1e-6):
        try:
            result = leaves_of_arrays(run(function, [own(a) for a in replace(x + h * direction)], name, full_name))
        except Exception:
            return None
        if len(result) != len(records):
            return None
        rows = [np.asarray(r).reshape(-1) for r, records_it in zip(result, records, strict=True) if records_it]
        ends.append(sum((np.cos(np.arange(r.size)) * r.real).sum() for r in rows))
    return (ends[0] - ends[1]) / 2e-6


def examine(full_name, function, arguments, name, want):
    for x, replace in arrays_of_floats(arguments):
        direction = np.resize([0.3, -0.7, 0.5, 0.9, -0.2], x.shape)
        direction = direction + direction.T if full_name.startswith("np.linalg.") and x.ndim == 2 else direction
        sides = [plain_numbers(function, replace(x + h * direction), name, full_name) for h in (1e-6, -1e-6)]
        if any(side is None or side.shape != want.shape for side in sides):
            continue
        for tensors in (False, True):
            put = replace if not tensors else lambda t, replace=replace: beside(replace, t)
            outcome = recorded(function, x, put, name, full_name, tensors)
            if outcome is None or outcome[0] is None:
                continue
            result, slope, records = outcome
            if not any(records):
                assert np.array_equal(*sides, equal_nan=True), f"lost: {arguments}, {name}"
                continue
            np.testing.assert_allclose(numbers(result), want, 1e-9, 1e-12, err_msg=f"{arguments}, {name}")
            expected = slope_of_numbers(function, x, direction, replace, name, full_name, records)
            if expected is not None and np.isfinite(expected):
                found = (slope * direction).sum()
                assert abs(found - expected) <= 2e-4 * (1 + abs(expected)), f"{arguments}, {name}: {found} {expected}"


def beside(replace, t):
    """The arguments with ``t`` put in, the other arrays of floats as tensors without a gradient."""
    return [[u if u is t else sg.tensor(u) for u in a] if isinstance(a, list) else sg.tensor(a) if is_float(a) else a
            for a in replace(t)]  # fmt: skip


def repaired(name, arguments, want):
    """NumPy's and SciPy's result, but for what is known to be wrong in it."""
    if name == "sc.stdtrit":  # SciPy's quantile of level 0 is +inf (tests/scipy/test_student_quantile.py)
        levels = np.broadcast_arrays(*arguments)[1].reshape(-1)
        return np.where(levels == 0, -np.inf, want) if levels.shape == want.shape else want
    return want


FUNCTIONS = [pytest.param(n, f, id=n) for n, f in functions() if n not in UNCOMPARED]


@pytest.mark.filterwarnings("ignore")
@one_in(24)
@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_a_derivative_is_right_or_refused_and_never_lost(name, function, monkeypatch):
    # refusals name functions near in name (see test_no_way_out.py): here that would take half of the time
    monkeypatch.setattr(difflib, "get_close_matches", lambda *_: [])
    with np.errstate(all="ignore"):
        for arguments, by_name in calls(function, name.startswith("np.linalg.")):
            want = plain_numbers(function, arguments, by_name, name)
            if want is not None:
                examine(name, function, arguments, by_name, repaired(name, arguments, want))


def test_the_sweep_sees_a_derivative_that_is_lost():
    def careless(x):
        return np.asarray(x.detach()) ** 2 if hasattr(x, "detach") else x**2

    with pytest.raises(AssertionError, match="lost"):
        examine("careless", careless, [candidates(0)["v"]], None, numbers(candidates(0)["v"] ** 2))


def test_numbers_that_are_not_finite_are_refused_where_that_is_asked():
    finite = symgrad.numpy.asarray_chkfinite
    assert sg.grad(lambda x: (finite(x) ** 2).sum())(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    for call in (lambda x: finite([1.0, np.nan]), lambda x: finite(x / 0.0), lambda x: finite([x[0], np.inf])):
        with pytest.raises(ValueError, match="infs or NaNs"):
            sg.grad(call)(np.ones(2))
