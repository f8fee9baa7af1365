"""NumPy's functions of shape and index on tensors: the values of plain NumPy, and derivatives."""

import numpy as np
import pytest

import symgrad as sg

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
