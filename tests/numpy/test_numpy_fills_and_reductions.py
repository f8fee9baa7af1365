"""What NumPy fills, writes, counts and reduces: its values on tensors, and exact derivatives of every order."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.versions import cases_of
from .test_numpy_idioms import POINT, assert_derivatives, assert_recorded, parts

M = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]])

CASES = """
np.bincount([0, 2, 0, 5], weights=v) | np.bincount(np.array([1, 1, 0, 1]), v, 4) | np.bincount([3, 0], v[:2], minlength=2)
np.full_like(v, v[0]) | np.full_like(A, s) | np.full_like(A, v) | np.full_like(v, s, shape=(2, 2)) | np.full_like(A, v[:3, None])
np.nan_to_num(np.array([np.nan, 1.0]) * v[:2], nan=s) | np.nan_to_num(N, True, 0.5) | np.nan_to_num(N, copy=False)
np.linspace(s, v[0], 5) | np.linspace(0.0, s, 4) | np.linspace(v, 2.0, 3) | np.linspace(v[:3, None], v, 3, axis=1)
np.linspace(s, 2, 4, endpoint=False) | np.linspace(s, 3.0, 5, retstep=True)[1] | np.linspace(s, v[1], 1)
np.linspace(s, 1.0, 0) | np.logspace(s, 1.0, 4) | np.logspace(s, v[0], 3, base=2.0) | np.logspace(0.0, 1.0, 3, base=s)
np.geomspace(s, 7.0, 4) | np.geomspace(-s, -v, 3, endpoint=False)
np.median(A, axis=(0, 1)) | np.median(A, keepdims=True) | np.median(A, 0, keepdims=True) | np.median(A[:, :3], axis=(1, 0))
np.cross(A[:, :3], A[:, 1:], axisa=0, axisb=1) | np.cross(A[:, :3], A[:, 1:], axisc=0) | np.cross(A[:, 1:], M[:, 1:] * 1.0, axis=0)
np.diff(v, prepend=0.0) | np.diff(v, append=1) | np.diff(A, prepend=s, axis=0) | np.diff(A, prepend=A[:, :1], append=2.0)
np.diff(v, 2, prepend=[0.0, 1.0]) | np.diff([1.0, 2.0], prepend=s) | np.diff(v, 0) | np.ediff1d(A, to_begin=s, to_end=[1.0, 2.0])
np.sum(v, initial=3.0) | np.sum(A, 0, initial=s) | np.sum(A, where=M) | np.sum(A, axis=1, where=[True, False, True, True])
np.sum(A, 1, None, None, True) | np.sum(A, where=A > 0.5, keepdims=True) | np.sum(v, dtype=float, where=v > 9, initial=s)
np.prod(v, initial=2.0) | np.prod(A, axis=0, where=M, initial=s) | np.max(v, initial=0.6) | np.max(v, initial=5 * s)
np.max(A, axis=0, where=M, initial=0.3) | np.max(v, where=v > 7, initial=s) | np.min(A, 1, initial=s) | np.amin(v, initial=-s)
np.min(A, axis=1, where=M, initial=9.0) | np.max(A, 0, None, True) | np.nanmax(N, initial=s) | np.nanmin(N, 0, where=M, initial=s)
np.nansum(N, where=M) | np.nansum(N, axis=0, initial=s) | np.nanprod(N, axis=1, initial=s, where=M)
np.mean(A, where=M) | np.mean(A, axis=1, where=M, keepdims=True) | np.nanmean(N, axis=0, where=M) | np.var(A, where=M)
np.var(A, 0, None, None, 1) | np.var(A, axis=1, where=M, ddof=1) | np.std(A, axis=0, where=M) | np.std(A, 1, correction=1)
np.nanvar(N, where=M) | np.nanstd(N, axis=1, where=M, keepdims=True) | np.any(A > 0.5, where=M) * v | np.all(A, where=M) * v
np.count_nonzero(A, axis=0, keepdims=True) * v | np.logaddexp.reduce(v) | np.logaddexp.reduce(A, axis=1)
np.logaddexp.reduce(A, axis=None) | np.logaddexp.reduce(A, axis=0, keepdims=True) | np.logaddexp.reduce(v, initial=s)
np.logaddexp.reduce(A, axis=1, where=M, initial=-np.inf) | np.logaddexp.accumulate(A, axis=1) | np.add.reduce(A, initial=s)
np.add.reduce(A, axis=1, where=M) | np.multiply.reduce(A, initial=s) | np.maximum.reduce(A, initial=s) | np.minimum.reduce(v)
np.maximum.accumulate(v) | np.minimum.accumulate(A, axis=1) | np.maximum.accumulate(A) | np.add.reduceat(v, [0, 2])
np.add.reduceat(v, [3, 1, 1, 0]) | np.add.reduceat(A, [0, 2], axis=1) | np.add.reduceat(A, [2, 0]) | np.multiply.accumulate(v)
np.cumulative_sum(v, include_initial=True) | np.cumulative_prod(A, axis=1, include_initial=True) | np.outer(A, v)
np.vdot(A, 2 * A) | np.inner(v, [1.0, 2.0, 3.0, 4.0]) | np.dot(A, [1.0, 2.0, 3.0, 4.0]) | np.matmul([1.0, 2.0, 3.0], A)
np.linalg.solve(np.eye(3) * v[:3, None, None], A[:, :3]) | np.linalg.solve(np.eye(3) * v[None, :3, None, None], A[:, :3])
np.sum(A, axis=()) | np.sum(A, (), where=M) | np.max(A, (), None, True) | np.prod(A, (), initial=s)
np.moveaxis(A, np.int64(0), 1) | np.roll(A, np.int64(1), np.int64(-1)) | np.nan_to_num(N, nan=s, posinf=v, neginf=-v) | np.linalg.qr(A, "r") | np.linalg.qr(A.T, mode="r")
np.einsum("ij,j->i", A, [1.0, 2.0, 3.0, 4.0]) | np.tensordot(A, [1.0, 2.0, 3.0, 4.0], 1) | np.trace(A, 1, 0, 1, float)
np.lib.stride_tricks.sliding_window_view(v, np.int64(2)) | np.take_along_axis(A, np.array([-1, 3]), None)
np.kron(v, [1.0, 2.0]) | np.atleast_2d(v, 1.0)[0] | np.broadcast_arrays(s, [1.0, 2.0])[0] | np.trapezoid(v, dx=A[:, :3])
np.extract([2, 0, 1, 0], v) | np.heaviside([-1.0, 0.0, 2.0, 0.0], v)
"""  # noqa: E501
NAMES = cases_of(CASES)


def evaluate(case, z):
    return eval(case, {"np": np, "M": M, **parts(z)})


@one_in(6)
@pytest.mark.parametrize("case", NAMES)
def test_a_fill_or_reduction_has_numpys_value_and_the_derivatives_of_finite_differences(case):
    want = evaluate(case, POINT)
    got = evaluate(case, sg.tensor(POINT, requires_grad=True))
    assert_recorded(got, want)
    assert_derivatives(lambda z: (evaluate(case, z) ** 3 + evaluate(case, z)).sum())


def test_the_median_of_nan_is_nan():
    lines = np.array([[3.0, 1.0, np.nan, 2.0], [3.0, 1.0, 4.0, 2.0]])
    np.testing.assert_array_equal(np.median(sg.tensor(lines), axis=1).numpy(), np.median(lines, axis=1))
    assert np.isnan(np.median(sg.tensor(lines[0, :3])).item())


@pytest.mark.parametrize("right", [False, True])
def test_digitize_takes_bins_in_falling_order_too(right):
    x, bins = np.array([0.5, 1.0, 2.5, 9.0]), np.array([3.0, 2.0, 1.0])
    for edges in (bins, bins[::-1], bins[:1]):
        np.testing.assert_array_equal(np.digitize(sg.tensor(x), edges, right).numpy(), np.digitize(x, edges, right))
    with pytest.raises(ValueError, match="monotonically"):
        np.digitize(sg.tensor(x), [1.0, 3.0, 2.0])


def at(target, places, values):
    np.add.at(target, places, values)


WRITES = {
    "add.at": lambda a, z: at(a, ([0, 1, 0, 2], [1, 1, 1, 3]), z[:4] ** 2),
    "add.at of an entry": lambda a, z: at(a, (1, 2), z[0] ** 2),
    "add.at of rows": lambda a, z: at(a, [0, 0], z[:4]),
    "add.at of a slice": lambda a, z: at(a, slice(0, 2), z[4]),
    "subtract.at": lambda a, z: np.subtract.at(a, (slice(None), [0, 0]), z[:2]),
    "put": lambda a, z: np.put(a, [0, 5, -1, 5], z[:4] ** 2),
    "put, fewer values": lambda a, z: np.put(a, [0, 5, 7], z[:2]),
    "put, wrapped": lambda a, z: np.put(a, [13, 5], z[:2], mode="wrap"),
    "put, clipped": lambda a, z: np.put(a, [40, -3], z[:2], mode="clip"),
    "place": lambda a, z: np.place(a, M, z[:3] ** 2),
    "putmask": lambda a, z: np.putmask(a, M, z[:5]),
    "one place twice": lambda a, z: a.__setitem__(([0, 2, 0, 0], [1, 1, 1, 2]), z[:4] ** 2),
    "one row twice": lambda a, z: a.__setitem__(([2, 0, -1],), z[:12].reshape(3, 4) ** 2),
    "one column twice": lambda a, z: a.__setitem__((slice(1, 3), [1, 1, 3]), z[:3] ** 2),
    "a number twice": lambda a, z: a.__setitem__(([0, 0], 1), z[3] ** 2),
    "a mask beside a place named twice": lambda a, z: a.__setitem__((M[:, 0], [1, 1]), z[:2] ** 2),
    "copyto": lambda a, z: np.copyto(a, z[:4] ** 2),
    "copyto, where": lambda a, z: np.copyto(a, z[:4], where=M),
    "fill_diagonal": lambda a, z: np.fill_diagonal(a, z[:2]),
    "fill_diagonal of a number": lambda a, z: np.fill_diagonal(a, z[3] ** 2),
    "put_along_axis": lambda a, z: np.put_along_axis(a, np.array([[1], [0], [3]]), z[:3].reshape(3, 1), 1),
    "put_along_axis of all": lambda a, z: np.put_along_axis(a, np.array([4, 2]), z[:2], None),
}


@one_in(3)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("of", [lambda z: z.reshape(3, 4) * 2, lambda z: np.zeros_like(z.reshape(3, 4))])
def test_a_write_in_place_has_numpys_value_and_derivatives(name, of):
    def written(z):
        target = of(z)
        assert WRITES[name](target, z) is None
        return target

    np.testing.assert_allclose(written(sg.tensor(POINT)).numpy(), written(POINT), rtol=1e-15)
    weights = np.cos(np.arange(12.0)).reshape(3, 4)
    assert_derivatives(lambda z: (written(z) ** 3 * weights + written(z)).sum())


@pytest.mark.parametrize(
    "put",
    [
        lambda a, z: sg.index_put(a, (sg.tensor([0, 2, 0]),), z),
        lambda a, z: sg.index_copy(a, 0, sg.tensor([0, 2, 0]), z),
        lambda a, z: sg.scatter(a, 0, sg.tensor([0, 2, 0]), z),
        lambda a, z: sg.put(a, sg.tensor([0, 2, -4]), z),
    ],
)
def test_a_value_that_another_overwrites_has_no_gradient(put):
    a, z = sg.ones(4, requires_grad=True), sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    weights = sg.tensor([1.0, 10.0, 100.0, 1000.0])
    y = put(a, z)
    assert y.tolist() == [3.0, 1.0, 2.0, 1.0]
    by_a, by_z = sg.autograd.grad((weights * y).sum(), (a, z))
    assert (by_a.tolist(), by_z.tolist()) == ([0, 10, 0, 1000], [0, 100, 1])
    assert sg.autograd.gradcheck(put, (a, z)) and sg.autograd.gradgradcheck(lambda a, z: put(a, z) ** 2, (a, z))
    f = lambda z: (weights * put(sg.zeros(4), z) ** 2).sum()
    np.testing.assert_array_equal(sg.hessian(f)(np.ones(3)), np.diag([0.0, 200.0, 2.0]))
    np.testing.assert_array_equal(sg.formula(f, sg.symbol("z", 3)).grad("z")(z=np.ones(3)), [0, 200, 2])


def test_a_diagonal_of_a_tall_or_deep_array_is_filled_as_numpy_does():
    for shape, wrap in [((5, 2), False), ((5, 2), True), ((3, 3, 3), False), ((2, 5), True)]:
        want, got = np.zeros(shape), sg.zeros(*shape)
        np.fill_diagonal(want, [1.0, 2.0], wrap)
        np.fill_diagonal(got, sg.tensor([1.0, 2.0]), wrap)
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda a, x: np.add.at(a, [0, 1], x), ["np.add.at", "np.bincount(places, weights=x", "sg.index_add"]),
        (lambda a, x: np.put(a, [0, 1], x), ["np.put", "np.zeros_like(x)"]),
        (lambda a, x: np.place(a, a == 0, x), ["np.place", "np.where"]),
        (lambda a, x: np.putmask(a, a == 0, x), ["np.putmask", "np.where"]),
        (lambda a, x: np.copyto(a, x), ["np.copyto", "np.zeros_like(x)"]),
        (lambda a, x: np.fill_diagonal(np.zeros((2, 2)), x), ["fill_diagonal", "np.diag(v)"]),
        (lambda a, x: np.put_along_axis(a, np.array([0, 1]), x, 0), ["np.put_along_axis", "np.where"]),
        (lambda a, x: np.full_like(a, x[0]), ["np.full_like(a, value)", "np.broadcast_to(value, shape)"]),
        (lambda a, x: np.full((2,), x[0], dtype=float), ["np.full(shape, value)", "np.broadcast_to(value, shape)"]),
        (lambda a, x: np.multiply.at(a, [0], x[:1]), ["np.multiply.at", "symgrad.numpy"]),
    ],
)
def test_into_an_array_nothing_is_written_and_the_error_says_what_to_write_instead(write, words):
    array = np.zeros(2)
    with pytest.raises(sg.SymgradError) as caught:
        sg.grad(lambda x: write(array, x) or x.sum())(np.ones(2))
    assert all(w in str(caught.value) for w in words), str(caught.value)
    assert not array.any()


def test_a_tensor_without_dimensions_is_written_to():
    for write in (lambda a, z: np.put(a, [0, 0], z[:2]), lambda a, z: at(a, (), z[1])):

        def written(z, write=write):
            a = np.copy(z[3:4]).reshape(())
            write(a, z)
            return a

        assert written(sg.tensor(POINT)).item() == written(POINT)
        assert_derivatives(lambda z, written=written: written(z) ** 3 + 0 * z.sum())


def test_an_argument_is_not_overwritten():
    for write in (lambda x: np.put(x, [0], 5.0), lambda x: np.add.at(x, [0], 1.0), lambda x: np.copyto(x, 5.0)):
        x, changed = np.ones(2), np.ones(2)
        write(changed)
        value, _ = sg.value_and_grad(lambda x, write=write: write(x) or x.sum())(x)
        assert value == changed.sum() and x.tolist() == [1.0, 1.0]
        with pytest.raises(sg.InplaceError):
            sg.func.grad(lambda x, write=write: write(x) or x.sum())(sg.ones(2))


# Group sums -----------------------------------------------------------------------------------------------------------


def test_group_sums_of_a_mixed_model_have_the_right_gradient_and_hessian():
    groups, x = np.array([0, 1, 0, 2]), np.array([1.0, 2.0, 3.0, 4.0])
    f = lambda x: (np.bincount(groups, weights=x, minlength=3) ** 2).sum()
    np.testing.assert_array_equal(sg.grad(f)(x), 2 * np.bincount(groups, weights=x)[groups])
    np.testing.assert_array_equal(sg.hessian(f)(x), 2.0 * (groups[:, None] == groups))
    np.testing.assert_array_equal(sg.compile(f)(x)[2], 2.0 * (groups[:, None] == groups))
    rows = np.stack([x, x[::-1]])
    np.testing.assert_array_equal(sg.vmap(sg.grad(f))(rows), [sg.grad(f)(r) for r in rows])


def test_weights_and_their_places_are_checked_as_numpy_does():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match="same length"):
        np.bincount([0, 1, 2], weights=x)
    with pytest.raises(ValueError, match="negative"):
        np.bincount([0, -1], weights=x)
    with pytest.raises(TypeError, match="real"):
        np.bincount([0, 1], weights=x + 1j)
    with pytest.raises(sg.DTypeError):
        np.bincount(x, weights=[1.0, 2.0])
    with pytest.raises(sg.ShapeError, match="same length"):
        sg.bincount(sg.tensor([0, 1, 2]), weights=x)
    assert np.bincount([1], weights=sg.tensor([2.0], dtype=sg.float32)).dtype == np.float64
    assert sg.bincount(sg.tensor([1]), weights=sg.tensor([2.0], dtype=sg.float32)).dtype == np.float32


def test_fills_and_spans_of_symgrads_own_take_tensors():
    x = sg.tensor([2.0, 3.0], requires_grad=True)
    for make in (lambda: sg.full((2, 2), x[0]), lambda: sg.full_like(x, x[0]), lambda: x.new_full((3,), x[0])):
        out = make()
        (g,) = sg.autograd.grad(out.sum(), x)
        assert g.tolist() == [out.numel(), 0] and set(out.detach().reshape(-1).tolist()) == {2.0}
    (g,) = sg.autograd.grad(sg.linspace(x[0], x[1], 3).sum(), x)
    assert g.tolist() == [1.5, 1.5]
    spans = sg.logspace(x[0], 1.0, 3)
    np.testing.assert_allclose(spans.detach().numpy(), np.logspace(2, 1, 3), rtol=1e-14)
    with pytest.raises(sg.ShapeError, match="np.broadcast_to"):
        sg.full((2,), x)


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (
            lambda x: np.unique(np.concatenate([x, x]), return_counts=True),
            sg.NotDifferentiableError,
            "np.unique(x.detach())",
        ),
        (lambda x: sg.unique(x), sg.NotDifferentiableError, "unique(x.detach())"),
        (lambda x: x.unique_consecutive(), sg.NotDifferentiableError, "unique_consecutive(x.detach())"),
        (lambda x: np.linalg.norm(x, ord=x[0]), sg.NotDifferentiableError, "ord="),
        (lambda x: np.std(x, ddof=x[0]), sg.NotDifferentiableError, "ddof="),
        (lambda x: np.max(x, where=x > 0.5), ValueError, "initial="),
        (lambda x: np.sum(x, where=x), TypeError, "write a comparison"),
        (lambda x: np.sum(x[:2], where=x > 0.5), sg.ShapeError, "does not broadcast"),
        (lambda x: np.add.reduceat(x, [4]), IndexError, "from 0 to 3"),
        (lambda x: np.diff(x, -1), ValueError, "non-negative"),
        (lambda x: np.pad(x, (-1, 0), mode="wrap"), ValueError, "negative"),
        (lambda x: np.pad(x, (-1, 0)), ValueError, "negative"),
        (lambda x: np.pad(x, 1.5), TypeError, "integral"),
        (lambda x: np.geomspace(-x, 1.0), ValueError, "same sign"),
        (lambda x: np.put(x * 1, [9], 1.0), IndexError, "out of bounds"),
        (lambda x: np.trace(np.diag(x), 0, 0, 1, None, np.zeros(())), sg.DTypeError, "np.trace on tensors does not"),
        (lambda x: np.concatenate([x, x], 0, np.zeros(8)), sg.DTypeError, "on tensors does not take out="),
        (lambda x: np.add.reduce(x, 0, None, np.zeros(())), sg.DTypeError, "np.add.reduce on tensors does not"),
        (lambda x: np.convolve(np.diag(x), x), sg.ShapeError, "np.convolve takes vectors"),
        (lambda x: np.pad(x, 1, lambda *_: None), sg.NotDifferentiableError, "a function as mode"),
        (lambda x: np.pad(x, 1, "edge", stat_length=2), ValueError, "unsupported keyword arguments"),
        (lambda x: np.split(x, np.int64(3)), sg.ShapeError, "np.array_split does"),
    ],
)
def test_what_has_no_derivative_says_so(run, error, words):
    with pytest.raises(error) as caught:
        run(sg.tensor(POINT[:4], requires_grad=True))
    assert words in str(caught.value)


def test_a_dtype_that_numpy_is_told_is_the_results():
    x = sg.tensor(POINT[:4], requires_grad=True)
    for make in (
        lambda dtype: np.einsum("i->", x, dtype=dtype), lambda dtype: np.maximum.reduce(x, 0, dtype),
        lambda dtype: np.trace(np.diag(x), 0, 0, 1, dtype), lambda dtype: np.multiply.accumulate(x, dtype=dtype),
    ):  # fmt: skip
        assert make(np.float32).dtype == np.float32
    whole = np.linspace(sg.tensor(-1.0), 1.0, 4, dtype=int)
    np.testing.assert_array_equal(whole.numpy(), np.linspace(-1.0, 1.0, 4, dtype=int))


def test_places_in_a_triangle_of_any_size_are_refused():
    with pytest.raises(sg.SymbolicBranchError, match="Declare the symbol with numbers"):
        np.triu_indices_from(sg.symbol("A", ("n", "n")))
    assert len(np.triu_indices_from(sg.symbol("A", (3, 3)))[0]) == 6


def test_what_has_no_gradient_goes_on_as_numpy():
    t = sg.tensor([3.0, 1.0, 3.0])
    assert np.unique(t).tolist() == [1.0, 3.0]
    np.testing.assert_array_equal(np.unique(t, return_counts=True)[1].numpy(), [1, 2])
    assert [r.tolist() for r in np.unique(t, return_index=True)] == [[1.0, 3.0], [1, 0]]
    assert np.unique(sg.tensor([np.nan, np.nan])).numel() == 1 and sg.unique(sg.tensor([np.nan, np.nan])).numel() == 2
    array = np.zeros(3)
    np.copyto(array, t)
    assert array.tolist() == [3.0, 1.0, 3.0]
    np.add.at(array, sg.tensor([0, 0]), t[:2])
    np.put(array, [2], t[1])
    assert array.tolist() == [7.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "formula"),
    [
        (lambda x: np.sum(x, initial=3.0), "3 + sum(x)"),
        (lambda x: np.logaddexp.reduce(x), "logsumexp(x)"),
        (lambda x: np.full_like(x, x.sum()).sum(), "n sum(x)"),
    ],
)
def test_they_have_formulas(function, formula):
    assert str(function(sg.symbol("x", "n")).formula()) == formula


@pytest.mark.parametrize("function", [np.ptp, np.var, np.std, np.nanvar, np.sum, np.prod, np.max, np.mean])
def test_a_default_that_is_spelt_out_says_nothing(function):
    x = np.array([[1.0, 2.0], [5.0, 4.0]])
    assert np.shape(function(sg.tensor(x), keepdims=np._NoValue)) == ()
    np.testing.assert_allclose(sg.grad(function)(x), sg.grad(lambda x: function(x))(x))  # `sg.grad` passes defaults
