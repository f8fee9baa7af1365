"""NumPy's whole namespace on tensors: each function has NumPy's values and two orders of derivatives, or says why not.

The calls are in `_numpy_samples.py`; in which class a name belongs is said by the code of the documentation's page.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
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
    # tests/numpy/test_numpy_polynomials.py asks these
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
