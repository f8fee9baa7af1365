"""Calls of every function of the array API standard, written with ``xp`` for the namespace and names of arrays.

What stands after ``==`` is the same in NumPy, where NumPy (or an older one) has another name for it. A call above the
line of its section's text is differentiated with respect to all arrays of floating-point numbers in it.
"""

import ast
import operator
from dataclasses import dataclass

import numpy as np

DIFFERENTIATED = {
    "creation": """
xp.asarray(a) | xp.asarray(a, dtype=xp.float64, device="cpu", copy=True) | xp.asarray([h, 2.0, h * h])
xp.asarray([[h, 1.0], [0.5, h]]) | xp.asarray(a, copy=None) | xp.asarray(z) | xp.asarray(a, dtype=xp.complex128)
xp.full((2, 3), h) == h * np.ones((2, 3)) | xp.full(3, fill_value=h, dtype=xp.float64, device="cpu") == h * np.ones(3)
xp.full(shape=(2,), fill_value=h) == h * np.ones(2)
xp.full_like(c, h) | xp.full_like(c, fill_value=h, dtype=xp.float64, device="cpu")
xp.linspace(h, 3.0, 4) | xp.linspace(h, 2 * h, num=5, dtype=xp.float64, device="cpu", endpoint=False)
xp.linspace(a, b, 3)
xp.meshgrid(a, b) | xp.meshgrid(a, b, u[:, 0], indexing="ij")
xp.tril(A) | xp.tril(t, k=-1) | xp.triu(A) | xp.triu(c, k=1)
""",
    "dtypes": """
xp.astype(a, xp.float64) | xp.astype(a, xp.float64, copy=False, device="cpu") == a | xp.astype(a, xp.complex128)
xp.astype(z, xp.complex128, copy=True)
""",
    "entries": """
xp.abs(a - 0.5) | xp.abs(z) | xp.acos(a) | xp.acosh(b) | xp.asin(a) | xp.asinh(a) | xp.atan(a) | xp.atanh(a)
xp.acos(z) | xp.acosh(z) | xp.asin(z) | xp.asinh(z) | xp.atan(z) | xp.atanh(z)
xp.add(a, b) | xp.add(c, u) | xp.add(a, 2.0) | xp.add(1.5, a) | xp.add(a, i) | xp.add(a, 2) | xp.add(z, a)
xp.atan2(a, b) | xp.atan2(a, -1.0) | xp.atan2(c, u)
xp.ceil(a) | xp.floor(b) | xp.trunc(b) | xp.round(b) | xp.sign(a) | xp.sign(z)
xp.clip(a, 0.3, 0.7) | xp.clip(a, 0.4) == np.clip(a, 0.4, None)
xp.clip(a, min=0.4, max=None) == np.clip(a, 0.4, None) | xp.clip(b, max=2.0) == np.clip(b, None, 2.0)
xp.clip(a) == a | xp.clip(c, a, b)
xp.clip(a, min=None, max=h) == np.clip(a, None, h)
xp.conj(a) | xp.conj(z) | xp.copysign(a, -b) | xp.copysign(a, i) | xp.copysign(2.0, a)
xp.cos(a) | xp.cosh(a) | xp.cos(z) | xp.cosh(z)
xp.divide(a, b) | xp.divide(c, u) | xp.divide(1, b) | xp.divide(a, j + 1) | xp.divide(z, b) | xp.divide(a, z)
xp.exp(a) | xp.exp(z) | xp.expm1(a) | xp.expm1(z)
xp.floor_divide(b, a) | xp.remainder(b, a) | xp.remainder(b, 0.37) | xp.remainder(2.0, a) | xp.remainder(-b, a)
xp.hypot(a, b) | xp.hypot(c, u) | xp.hypot(a, 1.0) | xp.imag(z) | xp.real(z) | xp.real(a)
xp.log(a) | xp.log1p(a) | xp.log2(a) | xp.log10(a) | xp.log(z) | xp.log1p(z) | xp.log10(z) | xp.log2(z)
xp.logaddexp(a, b) | xp.logaddexp(c, u) | xp.logaddexp(0.0, a)
xp.maximum(a, b - 1) | xp.maximum(0.5, a) | xp.minimum(a, b - 1) | xp.minimum(c, u) | xp.maximum(a, 0)
xp.multiply(a, b) | xp.multiply(c, u) | xp.multiply(z, a) | xp.multiply(2, a) | xp.multiply(a, m)
xp.negative(a) | xp.positive(a) | xp.negative(z) | xp.positive(z)
xp.pow(a, b) | xp.pow(a, 2) | xp.pow(2.0, a) | xp.pow(a, i) | xp.pow(z, 2) | xp.pow(z, a) | xp.pow(c, 0.5)
xp.reciprocal(a) | xp.reciprocal(z) | xp.sin(a) | xp.sinh(a) | xp.sqrt(a) | xp.square(a) | xp.tan(a) | xp.tanh(a)
xp.sin(z) | xp.sinh(z) | xp.sqrt(z) | xp.square(z) | xp.tan(z) | xp.tanh(z)
xp.subtract(a, b) | xp.subtract(c, u) | xp.subtract(1.0, a) | xp.subtract(z, 1j)
""",
    "indexing": """
xp.take(a, j, axis=0) | xp.take(c, j, axis=1) | xp.take(c, xp.asarray([[0, -1], [2, 1]]), axis=0)
xp.take_along_axis(c, J, axis=-1) | xp.take_along_axis(c, J, axis=1)
xp.take_along_axis(c, J) == np.take_along_axis(c, J, -1)
""",
    "products": """
xp.matmul(A, S) | xp.matmul(c, a) | xp.matmul(t, D) | xp.matmul(a, D) | xp.matmul(Z, Z) | xp.matmul(a, b)
xp.matrix_transpose(c) | xp.matrix_transpose(t)
xp.tensordot(c, D, axes=1) | xp.tensordot(A, S) | xp.tensordot(t, c, axes=((1, 2), (0, 1)))
xp.tensordot(a, b, axes=0)
xp.vecdot(a, b) | xp.vecdot(c, u, axis=0) | xp.vecdot(c, a, axis=-1) | xp.vecdot(z, a) | xp.vecdot(Z, Z, axis=0)
""",
    "manipulation": """
xp.broadcast_arrays(u, a) | xp.broadcast_arrays(a, h, c) | xp.broadcast_to(u, (3, 4))
xp.broadcast_to(h, shape=(2, 2))
xp.concat([a, b]) == np.concatenate([a, b]) | xp.concat((c, t[0]), axis=1) == np.concatenate((c, t[0]), axis=1)
xp.concat([c, u], axis=None) == np.concatenate([c, u], axis=None) | xp.concat([a, i]) == np.concatenate([a, i])
xp.expand_dims(a, axis=1) | xp.expand_dims(a) == a[None] | xp.expand_dims(c, axis=-1) | xp.expand_dims(h, axis=0)
xp.flip(a) | xp.flip(c, axis=1) | xp.flip(t, axis=(0, -1)) | xp.flip(c, axis=None)
xp.moveaxis(t, 0, -1) | xp.moveaxis(t, (0, 1), (2, 0)) | xp.permute_dims(t, (2, 0, 1))
xp.permute_dims(c, axes=(1, 0))
xp.repeat(a, 2) | xp.repeat(c, 3, axis=1) | xp.repeat(a, j) | xp.repeat(c, xp.asarray([1, 0, 2]), axis=0)
xp.reshape(c, (2, 6)) | xp.reshape(c, shape=(-1,)) == np.reshape(c, -1)
xp.reshape(c, (4, 3), copy=True) == np.reshape(c, (4, 3))
xp.reshape(h, (1, 1), copy=False) == np.reshape(h, (1, 1))
xp.roll(a, 1) | xp.roll(c, shift=2, axis=1) | xp.roll(c, (1, -1), axis=(0, 1)) | xp.roll(c, 5, axis=None)
xp.squeeze(u, 1) | xp.squeeze(u, axis=-1) | xp.squeeze(u[None], axis=(0, 2))
xp.stack([a, b]) | xp.stack((a, b, a), axis=1) | xp.stack([h, h * 2]) | xp.stack([c, t[0]], axis=-1)
xp.tile(a, (2,)) | xp.tile(c, (2, 1, 2)) | xp.tile(h, (3,))
xp.unstack(c) == tuple(c) | xp.unstack(t, axis=-1) == tuple(np.moveaxis(t, -1, 0)) | xp.unstack(a, axis=0) == tuple(a)
""",
    "searching": """
xp.where(m, a, b) | xp.where(m, a, 0.0) | xp.where(a > 0.5, 1.0, a) | xp.where(m, c, u) | xp.where(m, a, i)
xp.where(m, z, a)
""",
    "sorting": """
xp.sort(a) | xp.sort(c, axis=0) | xp.sort(c, axis=-1, stable=False) | xp.sort(a, descending=True) == np.sort(a)[::-1]
xp.sort(c, axis=0, descending=True, stable=True) == np.sort(c, axis=0)[::-1]
""",
    "statistics": """
xp.cumulative_prod(a) == np.cumprod(a) | xp.cumulative_prod(c, axis=1) == np.cumprod(c, axis=1)
xp.cumulative_prod(a, dtype=xp.complex128, include_initial=True) == np.concatenate([[1 + 0j], np.cumprod(a)])
xp.cumulative_sum(a) == np.cumsum(a) | xp.cumulative_sum(c, axis=0, dtype=xp.float64) == np.cumsum(c, 0)
xp.cumulative_sum(c, axis=-1, include_initial=True) == np.concatenate([np.zeros((3, 1)), np.cumsum(c, 1)], 1)
xp.max(a) | xp.max(c, axis=1) | xp.max(t, axis=(0, 2), keepdims=True) | xp.min(a) | xp.min(c, axis=0, keepdims=True)
xp.mean(a) | xp.mean(c, axis=0) | xp.mean(t, axis=(0, -1), keepdims=True) | xp.mean(z)
xp.prod(a) | xp.prod(c, axis=1, keepdims=True) | xp.prod(a, dtype=xp.float64) | xp.prod(t, axis=(0, 1))
xp.std(a) | xp.std(c, axis=0, correction=1.0) | xp.std(t, axis=(1, 2), correction=0.5, keepdims=True)
xp.std(c, correction=1)
xp.sum(a) | xp.sum(c, axis=0) | xp.sum(t, axis=(0, 2), keepdims=True) | xp.sum(a, dtype=xp.complex128) | xp.sum(z)
xp.var(a) | xp.var(c, axis=1, correction=1.0) | xp.var(t, axis=(0, 1), keepdims=True, correction=2)
""",
    "utility": """
xp.diff(a) | xp.diff(c, axis=0) | xp.diff(c, n=2) | xp.diff(a, prepend=b, append=b)
xp.diff(c, axis=1, n=1, prepend=u)
xp.diff(a, prepend=None, append=None) == np.diff(a)
""",
    "linalg": """
xp.linalg.cholesky(sym(S)) | xp.linalg.cholesky(sym(S), upper=True) | xp.linalg.cholesky(sym(P))
xp.linalg.cholesky(sym(H))
xp.linalg.cross(A, S) | xp.linalg.cross(A, S, axis=0) | xp.linalg.cross(A[0, ...], S)
xp.linalg.cross(D, D * D, axis=-1)
xp.linalg.det(A) | xp.linalg.det(P) | xp.linalg.det(Z)
xp.linalg.diagonal(A) | xp.linalg.diagonal(t, offset=1) | xp.linalg.diagonal(c, offset=-1)
xp.linalg.eigh(sym(S)) | xp.linalg.eigh(sym(P)) | xp.linalg.eigvalsh(sym(S)) | xp.linalg.eigvalsh(sym(H))
xp.linalg.inv(A) | xp.linalg.inv(P) | xp.linalg.inv(Z)
xp.linalg.matmul(A, S) | xp.linalg.matmul(t, D)
xp.linalg.matrix_norm(c) | xp.linalg.matrix_norm(A, ord="nuc") | xp.linalg.matrix_norm(t, ord=1, keepdims=True)
xp.linalg.matrix_norm(A, ord=2) | xp.linalg.matrix_norm(A, ord=-2) | xp.linalg.matrix_norm(A, ord=float("inf"))
xp.linalg.matrix_norm(A, ord=-1) | xp.linalg.matrix_norm(Z, keepdims=False, ord="fro")
xp.linalg.matrix_power(A, 3) | xp.linalg.matrix_power(A, -2) | xp.linalg.matrix_power(P, 2)
xp.linalg.matrix_power(A, 1)
xp.linalg.matrix_transpose(c) | xp.linalg.outer(a, u[:, 0]) | xp.linalg.outer(z, a)
xp.linalg.pinv(D) | xp.linalg.pinv(A, rtol=1e-10) | xp.linalg.pinv(c, rtol=None)
xp.linalg.qr(D) | xp.linalg.qr(A, mode="complete") | xp.linalg.qr(D, mode="reduced") | xp.linalg.qr(P)
xp.linalg.slogdet(A) | xp.linalg.slogdet(P) | xp.linalg.solve(A, S) | xp.linalg.solve(A, D[0, :])
xp.linalg.solve(P, A)
xp.linalg.svd(A) | xp.linalg.svd(D, full_matrices=False) | xp.linalg.svdvals(D) | xp.linalg.svdvals(t)
xp.linalg.svdvals(Z)
xp.linalg.tensordot(c, D, axes=1) | xp.linalg.trace(A) | xp.linalg.trace(t, offset=1)
xp.linalg.trace(A, dtype=xp.complex128)
xp.linalg.vecdot(a, b) | xp.linalg.vecdot(c, u, axis=0) | xp.linalg.vecdot(z, z)
xp.linalg.vector_norm(a) | xp.linalg.vector_norm(c, axis=1, keepdims=True)
xp.linalg.vector_norm(t, axis=(0, 2), ord=3)
xp.linalg.vector_norm(a, ord=1) | xp.linalg.vector_norm(a, ord=float("inf")) | xp.linalg.vector_norm(z)
xp.linalg.vector_norm(a, ord=0.5) | xp.linalg.vector_norm(a, ord=-float("inf")) | xp.linalg.vector_norm(c)
""",
    "fft": """
xp.fft.fft(z) | xp.fft.fft(a) | xp.fft.fft(t, n=5, axis=1, norm="ortho") | xp.fft.fft(Z, n=2, axis=0, norm="forward")
xp.fft.ifft(z) | xp.fft.ifft(a, n=3) | xp.fft.ifft(Z, axis=0, norm="ortho") | xp.fft.ifft(Z, n=5, norm="forward")
xp.fft.fftn(Z) | xp.fft.fftn(t, s=(2, 3), axes=(0, 2), norm="ortho") | xp.fft.ifftn(Z)
xp.fft.ifftn(t, s=(4, 5), axes=(1, 2), norm="forward")
xp.fft.rfft(a) | xp.fft.rfft(c, n=5, axis=0, norm="ortho") | xp.fft.rfft(c, n=3, norm="forward")
xp.fft.irfft(z) | xp.fft.irfft(z, n=5) | xp.fft.irfft(Z, n=4, axis=0, norm="ortho") | xp.fft.irfft(z, norm="forward")
xp.fft.rfftn(c) | xp.fft.rfftn(t, s=(2, 3), axes=(0, 2), norm="ortho") | xp.fft.irfftn(Z)
xp.fft.irfftn(Z, s=(2, 5), axes=(0, 1), norm="forward")
xp.fft.hfft(z) | xp.fft.hfft(Z, n=5, axis=0, norm="ortho") | xp.fft.ihfft(a)
xp.fft.ihfft(c, n=3, axis=0, norm="forward")
xp.fft.fftshift(a) | xp.fft.fftshift(c, axes=1) | xp.fft.ifftshift(c) | xp.fft.ifftshift(t, axes=(0, 2))
xp.fft.fftshift(z, axes=None)
""",
}

CONSTANT = {
    "creation": """
xp.arange(5) | xp.arange(1, 7, 2) | xp.arange(1.0, stop=3.0, step=0.5, dtype=xp.float64, device="cpu")
xp.arange(3, dtype=xp.float32)
xp.asarray([1, 2]) | xp.asarray(2.5) | xp.asarray([[True], [False]]) | xp.asarray(i, dtype=xp.float64)
xp.asarray(1j)
xp.empty((2, 3)).shape | xp.empty(shape=2, dtype=xp.int64, device="cpu").dtype
xp.empty_like(c).shape | xp.empty_like(c, dtype=xp.int64, device="cpu").dtype
xp.eye(3) | xp.eye(2, 4, k=1, dtype=xp.float32, device="cpu")
xp.full((2, 3), 7) | xp.full(2, 1.5, dtype=xp.float32) | xp.full_like(i, 3) | xp.full_like(a, 1, dtype=xp.int64)
xp.from_dlpack(i) | xp.from_dlpack(g, device=None, copy=None) == g | xp.from_dlpack(i, copy=True) == i
xp.linspace(0, 1, 5) | xp.linspace(0.0, 1.0, num=3, dtype=xp.float32)
xp.meshgrid(i, j) | xp.ones((2, 2)) | xp.ones(shape=3, dtype=xp.int64, device="cpu")
xp.ones_like(c) | xp.ones_like(c, dtype=xp.int32, device="cpu") | xp.zeros(3)
xp.zeros(shape=(2, 1), dtype=xp.complex64, device="cpu")
xp.zeros_like(z) | xp.zeros_like(c, dtype=xp.bool, device="cpu") | xp.tril(I) | xp.triu(I, k=1)
""",
    "dtypes": """
xp.astype(i, xp.float64) | xp.astype(m, xp.int64) | xp.astype(g, xp.complex64) | xp.astype(i, xp.bool)
xp.can_cast(xp.int32, xp.int64) | xp.can_cast(xp.float64, xp.int64) | xp.can_cast(a, xp.complex128)
xp.can_cast(a, xp.float32)
float(xp.finfo(xp.float32).eps) | float(xp.finfo(a).max) == float(np.finfo(np.float64).max) | xp.finfo(z).bits == 64
float(xp.finfo(g).smallest_normal) == float(np.finfo(np.float32).smallest_normal)
xp.iinfo(xp.int8).max | xp.iinfo(i).min == int(np.iinfo(np.int64).min) | xp.iinfo(k).bits == 8
xp.isdtype(xp.float64, "real floating") | xp.isdtype(a.dtype, kind=("integral", xp.float64))
xp.isdtype(dtype=i.dtype, kind="bool")
xp.result_type(a, i) | xp.result_type(g, xp.complex64) | xp.result_type(i, 1.0, k) | xp.result_type(a, z, xp.float32)
""",
    "entries": """
xp.abs(i) | xp.add(i, k) | xp.add(i, 1) | xp.add(k, 200 - 100) | xp.add(m, i) | xp.bitwise_and(i, j)
xp.bitwise_and(m, ~m)
xp.bitwise_invert(i) | xp.bitwise_invert(m) | xp.bitwise_left_shift(j, 2) | xp.bitwise_or(i, j)
xp.bitwise_right_shift(i, j)
xp.bitwise_xor(i, 5) | xp.bitwise_xor(m, True) | xp.bitwise_left_shift(i, j) | xp.bitwise_or(m, m)
xp.ceil(i) | xp.floor(i) | xp.trunc(i) | xp.round(i) | xp.ceil(a) | xp.floor(a) | xp.round(b) | xp.round(z)
xp.sign(i) | xp.sign(g)
xp.clip(i, 0, 3) | xp.clip(g, min=0.5) == np.clip(g, 0.5, None) | xp.conj(i) | xp.equal(a, b) | xp.equal(i, 1)
xp.not_equal(a, b)
xp.equal(z, z)
xp.floor_divide(i, j + 1) | xp.floor_divide(b, a) | xp.floor_divide(7, j + 1) | xp.greater(a, 0.5)
xp.greater_equal(c, u)
xp.less(a, b) | xp.less_equal(0.3, a) | xp.imag(z) | xp.isfinite(n) | xp.isinf(n) | xp.isnan(n) | xp.isfinite(i)
xp.isnan(z)
xp.logical_and(m, m) | xp.logical_not(m) | xp.logical_or(m, False) | xp.logical_xor(m, True)
xp.logical_and(a > 0.5, m)
xp.maximum(i, j) | xp.minimum(i, 0) | xp.multiply(i, j) | xp.multiply(k, k) | xp.negative(i) | xp.nextafter(a, b)
xp.nextafter(g, 2.0)
xp.positive(i) | xp.pow(i, j) | xp.pow(i, 2) | xp.remainder(i, j + 1) | xp.signbit(a - 0.5) | xp.square(i)
xp.subtract(i, j)
xp.divide(i, j + 1) | xp.sin(g) | xp.exp(i) | xp.sqrt(j) | xp.atan2(g, g) | xp.hypot(g, 1.0) | xp.logaddexp(g, g)
xp.multiply(g, 2)
xp.add(g, 1.5) | xp.add(g, a) | xp.add(g, z) | xp.copysign(g, -1.0) | xp.reciprocal(g) | xp.real(z) | xp.pow(g, 2)
""",
    "indexing": "xp.take(i, j, axis=0) | xp.take_along_axis(I, xp.asarray([[0], [1], [0]]), axis=1)",
    "products": """
xp.matmul(I, I) | xp.tensordot(I, I, axes=1) | xp.vecdot(i, j) | xp.matrix_transpose(I) | xp.matmul(g, g)
xp.vecdot(i, j, axis=0)
""",
    "manipulation": """
xp.broadcast_to(i, (2, 4)) | xp.concat([i, k]) == np.concatenate([i, k]) | xp.flip(m) | xp.roll(i, 1)
xp.stack([i, j])
xp.tile(m, (2,)) | xp.repeat(i, 2) | xp.reshape(m, (2, 2)) | xp.expand_dims(i, axis=0)
xp.concat([g, a]) == np.concatenate([g, a])
""",
    "searching": """
xp.argmax(a) | xp.argmax(c, axis=1) | xp.argmax(c, axis=0, keepdims=True) | xp.argmin(c, axis=-1, keepdims=False)
xp.argmin(i)
xp.argmin(c, keepdims=True) | xp.count_nonzero(i) | xp.count_nonzero(c > 0.5, axis=1)
xp.count_nonzero(I, axis=0, keepdims=True)
xp.nonzero(a > 0.5) | xp.nonzero(i) | xp.nonzero(I) | xp.searchsorted(xp.sort(a), b - 1)
xp.searchsorted(a, b - 1, side="right", sorter=xp.argsort(a))
xp.searchsorted(xp.sort(i), j) | xp.where(m, i, j) | xp.where(m, 1, k) | xp.where(m, g, 0.0) | xp.where(i, m, False)
""",
    "sorting": """
xp.argsort(a) | xp.argsort(c, axis=0) | xp.argsort(c, axis=1, stable=False)
xp.argsort(i, descending=False, stable=True) == np.argsort(i, stable=True)
xp.argsort(a, descending=True) == np.argsort(-a) | xp.argsort(c, axis=0, descending=True) == np.argsort(-c, axis=0)
xp.argsort(r, descending=True, stable=True) == np.argsort(-r, stable=True)
xp.sort(k, descending=True) == np.sort(k)[::-1]
xp.sort(i) | xp.sort(m) | xp.sort(g) | xp.sort(g, descending=True) == np.sort(g)[::-1]
xp.unique_values(r) == np.unique(r) | xp.unique_counts(r) == np.unique(r, return_counts=True)
xp.unique_all(r) == np.unique_all(r) | xp.unique_inverse(r) == np.unique_inverse(r)
""",
    "statistics": """
xp.cumulative_sum(i) == np.cumsum(i) | xp.cumulative_sum(i, dtype=xp.float32) == np.cumsum(i, dtype=np.float32)
xp.cumulative_prod(j + 1) == np.cumprod(j + 1)
xp.cumulative_sum(k, include_initial=True) == np.concatenate([[0], np.cumsum(k)]).astype(np.uint64)
xp.max(i) | xp.min(I, axis=0) | xp.max(I, axis=1, keepdims=True) | xp.mean(g) | xp.prod(j + 1)
xp.prod(k, dtype=xp.int64) | xp.sum(i) | xp.sum(k)
xp.sum(I, axis=0, dtype=xp.float64) | xp.sum(m) | xp.sum(g) | xp.std(g) | xp.var(g, correction=1.0) | xp.max(g)
""",
    "utility": """
xp.all(m) | xp.all(c > 0.1, axis=0) | xp.any(c > 0.9, axis=1, keepdims=True) | xp.any(i)
xp.all(I, axis=(0, 1), keepdims=True)
xp.all(m, keepdims=True) | xp.any(xp.reshape(m, (2, 2)), axis=0) | xp.diff(i) | xp.diff(i, n=2, axis=0)
xp.diff(i, prepend=xp.asarray([0]))
""",
    "linalg": """
xp.linalg.matrix_rank(A) | xp.linalg.matrix_rank(P, rtol=1e-3) | xp.linalg.trace(I) | xp.linalg.diagonal(I)
xp.linalg.outer(i, j)
xp.linalg.inv(G) | xp.linalg.det(G) | xp.linalg.svdvals(G) | xp.linalg.vector_norm(g)
xp.linalg.trace(I, dtype=xp.float64)
xp.linalg.cross(I, I) | xp.linalg.matrix_power(I, 2) | xp.linalg.matrix_power(A, 0)
""",
    "fft": """
xp.fft.fftfreq(5) | xp.fft.fftfreq(4, d=0.5, device="cpu") | xp.fft.rfftfreq(5)
xp.fft.rfftfreq(6, d=0.1, device=None)
xp.fft.fftfreq(4, dtype=xp.float32) == np.fft.fftfreq(4).astype(np.float32)
xp.fft.rfftfreq(4, dtype=xp.float64) == np.fft.rfftfreq(4)
xp.fft.fftshift(i) | xp.fft.ifftshift(i, axes=0) | xp.fft.fft(g) | xp.fft.rfft(g)
""",
}


@dataclass(frozen=True)
class Call:
    """A call of the standard's, and the same in NumPy."""

    text: str
    plain: str

    @property
    def function(self):
        """The name of the function that is called first."""
        return next(iter(self.functions()), None)

    def functions(self):
        """The functions that are called, with how many arguments by place and which by name."""
        found = {}
        for node in ast.walk(ast.parse(self.text, mode="eval")):
            if isinstance(node, ast.Call) and (name := _name(node.func)):
                found.setdefault(name, []).append((len(node.args), [k.arg for k in node.keywords]))
        return found

    def names(self):
        """The arrays in it."""
        return sorted(
            {n.id for n in ast.walk(ast.parse(self.text, mode="eval")) if isinstance(n, ast.Name)} & set(ARRAYS)
        )

    def run(self, xp, arrays):
        """Its result in a namespace."""
        return eval(self.text, {"xp": xp, **_WORDS, **arrays})

    def run_plain(self, arrays):
        """Its result in NumPy."""
        return eval(self.plain, {"xp": np, **_WORDS, **arrays})


def _name(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed(parts)) if isinstance(node, ast.Name) and node.id == "xp" and parts else None


def sym(x):
    """The Hermitian part of matrices."""
    return (x + x.mT.conj()) / 2


def put(x, key, value):
    """An array after something was written to it."""
    x[key] = value
    return x


_WORDS = {"np": np, "sym": sym, "put": put, "op": operator}


def _arrays():
    rng = np.random.default_rng(5)
    draw = lambda *shape: rng.permutation(np.linspace(0.21, 0.93, int(np.prod(shape)))).reshape(shape)  # no ties
    A = draw(3, 3) + np.diag([2.0, 3.0, 4.5])
    P = draw(2, 3, 3) + np.diag([3.0, 5.0, 8.0])
    Z = draw(3, 3) + 1j * draw(3, 3) + np.diag([2.0, 3.0, 4.0])
    return {
        "a": draw(4), "b": draw(4) * 1.3 + 1.13, "c": draw(3, 4), "u": draw(3, 1), "h": np.asarray(0.63),
        "t": draw(2, 3, 4),
        "A": A, "S": A @ A.T, "P": P, "D": draw(4, 3) + np.eye(4, 3), "z": draw(4) + 1j * draw(4), "Z": Z,
        "H": Z @ Z.conj().T, "g": draw(4).astype(np.float32), "G": A.astype(np.float32), "i": np.array([3, -1, 4, 2]),
        "j": np.array([1, 0, 3, 2]), "k": np.array([7, 2, 9, 4], np.uint8), "m": np.array([True, False, True, True]),
        "I": np.array([[1, 2, 0], [0, 3, 4], [5, 0, 6]]), "J": np.array([[0, 3], [1, 1], [-1, 2]]),
        "n": np.array([1.0, np.nan, np.inf, -np.inf]), "r": np.array([2.0, 1.0, 2.0, 3.0, 1.0]),
    }  # fmt: skip


ARRAYS = _arrays()


def calls(texts):
    """The calls of a section."""
    found = {}
    for section, text in texts.items():
        for part in (p.strip() for line in text.strip().splitlines() for p in line.split(" | ")):
            head, _, plain = part.partition(" == ")
            found[f"{section}: {head}"] = Call(head, plain or head)
    return found
