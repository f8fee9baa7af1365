"""Functions that know nothing but ``xp = x.__array_namespace__()``, as libraries write them, are differentiable."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.numeric import assert_close, gradient


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
