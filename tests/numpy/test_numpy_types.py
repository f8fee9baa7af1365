"""Types and axes in functions of arrays: whole numbers, truth values, short floats, and NumPy's integers as axes.

Each call is made inside a function that is differentiated, and gives what NumPy gives: values, dtype, shape. Where what
it gives are doubles, its derivative is that of central differences (of whole numbers it is zero). And Python's other
numbers beside what is differentiated.
"""

import operator
from fractions import Fraction

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp

from ..helpers.versions import cases_of

X = np.array([[0.3, 0.7, -1.2], [1.5, 0.6, 2.25]])

MEANS = """
(x > 0.5).mean() | (x > 0.5).mean(axis=0) | (x > 0.5).mean(axis=0, keepdims=True) | np.mean(x > .5)
np.average(x > .5) | np.average(x > .5, weights=x) | np.average(x > .5, axis=1, returned=True)
np.average(x.astype(int)) | np.std(x > .5) | np.var(x > .5) | (x > .5).std(axis=0) | np.nanmean(x > .5)
np.nanstd(x > .5) | np.nanvar(x.astype(int)) | np.mean(x.astype(int), axis=1) | np.mean(x.astype(int), where=x > 0)
np.var(x.astype(int), where=x > 0) | np.std(x.astype(int), ddof=1) | x.mean(dtype=np.int8)
x.mean(axis=0, dtype=np.int8) | x.mean(dtype=np.float32) | x.mean(dtype=complex) | np.mean(x > .5, dtype=np.float32)
np.mean(x.astype(np.int8)) | np.mean(x.astype(np.float16)) | np.cov(x > .5) | np.cov(x.astype(int))
np.corrcoef(x.astype(int)) | np.mean([x[0,0] > 0, x[0,1] > 1])
"""
AXES = """
x.sum(axis=np.int64(0)) | x.mean(axis=np.int64(0)) | np.sum(x, axis=np.int64(0)) | np.sum(x, axis=(np.int64(0), 1))
x.max(axis=np.argmin(x.shape)) | np.prod(x, axis=np.int64(0)) | np.cumsum(x, axis=np.int64(0))
np.std(x, axis=np.int64(0)) | np.any(x, axis=np.int64(0)) | np.argmax(x, axis=np.int64(0))
np.argsort(x, axis=np.int64(0)) | np.sort(x, axis=np.int64(0)) | np.median(x, axis=np.int64(0))
np.quantile(x, .5, axis=np.int64(0)) | np.ptp(x, axis=np.int64(0)) | np.average(x, axis=np.int64(0))
np.diff(x, axis=np.int64(0)) | np.take(x, [0, 1], axis=np.int64(0)) | np.repeat(x, 2, axis=np.int64(0))
np.concatenate([x, x], axis=np.int64(0)) | np.stack([x, x], axis=np.int64(0)) | np.flip(x, axis=np.int64(0))
np.roll(x, 1, axis=np.int64(0)) | np.roll(x, np.int64(1), axis=np.int64(0)) | np.swapaxes(x, np.int64(0), np.int64(1))
np.moveaxis(x, np.int64(0), np.int64(1)) | np.rollaxis(x, np.int64(1)) | np.transpose(x, (np.int64(1), np.int64(0)))
np.transpose(x, np.array([1, 0])) | x.transpose(np.int64(1), np.int64(0)) | np.expand_dims(x, np.int64(1))
np.expand_dims(x, (np.int64(1), 0)) | np.squeeze(x[:1], np.int64(0)) | x[:1].squeeze(axis=np.int64(0))
np.split(x, np.int64(3), axis=np.int64(1)) | np.array_split(x, 2, axis=np.int64(1))
np.cross(x, x[::-1], axis=np.int64(1)) | np.trapezoid(x, axis=np.int64(0)) | np.gradient(x, axis=np.int64(0))
np.linalg.norm(x, axis=np.int64(0)) | np.linalg.vector_norm(x, axis=np.int64(0)) | np.fft.fft(x, axis=np.int64(0))
np.fft.fft(x, n=np.int64(4), axis=np.int64(0)) | np.fft.fft2(x, axes=(np.int64(0), np.int64(1)))
np.apply_along_axis(lambda v: v.sum(), np.int64(0), x) | np.apply_over_axes(np.sum, x, np.int64(0))
np.count_nonzero(x, axis=np.int64(0)) | np.delete(x, 0, axis=np.int64(0)) | np.insert(x, 0, 1., axis=np.int64(0))
np.append(x, x, axis=np.int64(0)) | np.tensordot(x, x.T, axes=np.int64(1))
np.tensordot(x, x.T, axes=(np.int64(1), np.int64(0))) | np.nansum(x, axis=np.int64(0))
np.nanmax(x, axis=np.int64(0)) | np.compress([True, False], x, axis=np.int64(0))
np.diagonal(x, np.int64(0), np.int64(0), np.int64(1)) | np.trace(x, np.int64(1), np.int64(0), np.int64(1))
np.add.reduce(x, axis=np.int64(0)) | np.maximum.accumulate(x, axis=np.int64(0))
np.linspace(0, x, 3, axis=np.int64(0)) | np.size(x, np.int64(0)) | np.linalg.det(x.T @ x + np.eye(np.int64(3)))
np.take_along_axis(x, np.argsort(x, 1), axis=np.int64(1)) | np.partition(x, np.int64(1), axis=np.int64(1))
np.vecdot(x, x, axis=np.int64(0)) | np.unwrap(x, axis=np.int64(0))
np.rot90(x, np.int64(1), axes=(np.int64(0), np.int64(1))) | np.fft.fftshift(x, axes=np.int64(0))
np.packbits(x > 0, axis=np.int64(0)) | np.tril(x, np.int64(1)) | np.diag(x, np.int64(1))
np.reshape(x, (np.int64(3), np.int64(2))) | x.reshape(np.int64(3), np.int64(2)) | x.reshape(np.int64(6))
np.reshape(x, np.array([3, 2])) | np.tile(x, np.int64(2)) | np.tile(x, (np.int64(2), np.int64(1)))
np.repeat(x, np.int64(2)) | np.broadcast_to(x, (np.int64(2), np.int64(2), np.int64(3))) | np.sum(x, axis=np.array(0))
np.linalg.matrix_norm(x, ord=np.int64(1)) | np.linalg.norm(x, np.int64(1), axis=(np.int64(0), np.int64(1)))
np.linalg.matrix_power(x[:, :2], np.int64(2)) | np.pad(x, np.int64(1))
np.searchsorted(np.sort(x[0]), np.float64(.5)) | np.cumulative_sum(x, axis=np.int64(0))
np.var(x, axis=np.int64(0), ddof=np.int64(1)) | np.round(1.01 * x, np.int64(1)) | np.diff(x, np.int64(2), axis=1)
np.unstack(x, axis=np.int64(0)) | np.logaddexp.reduce(x, axis=np.int64(0))
np.percentile(x, 50, axis=(np.int64(0), np.int64(1))) | np.nanmedian(x, axis=np.int64(0))
np.nanpercentile(x, np.int64(50), axis=np.int64(0)) | np.argpartition(x, 1, axis=np.int64(1)).shape
np.hypot.outer(x[0], x[1]) | np.lib.stride_tricks.sliding_window_view(x, np.int64(2), axis=np.int64(1))
np.linalg.cross(x, x[::-1], axis=np.int64(1)) | np.nanargmax(x, axis=np.int64(0)) | np.nanprod(x, axis=np.int64(0))
np.nancumsum(x, axis=np.int64(0)) | np.nancumprod(x, axis=np.int64(0)) | np.nanstd(x, axis=np.int64(0))
np.nanvar(x, axis=np.int64(0)) | np.nanmean(x, axis=np.int64(0)) | np.nanmin(x, axis=np.int64(0))
np.nanquantile(x, .5, axis=np.int64(0)) | np.fft.fftn(x, axes=(np.int64(0),)) | np.fft.irfft(x, axis=np.int64(0))
np.fft.rfft(x, axis=np.int64(0)) | np.fft.hfft(x, axis=np.int64(0)) | np.fft.ihfft(x, axis=np.int64(1))
np.fft.ifftshift(x, axes=(np.int64(0), 1))
np.fft.fft2(x, s=(np.int64(2), np.int64(2)), axes=(np.int64(0), np.int64(1))) | x.argmax(axis=np.int64(0))
x.argmin(np.int64(0)) | x.cumsum(np.int64(0)) | x.cumprod(axis=np.int64(1)) | x.take([0], axis=np.int64(1))
x.swapaxes(np.int64(0), np.int64(1)) | x.var(np.int64(0)) | x.min(np.int64(0)) | x.prod(np.int64(1))
x.any(np.int64(1)) | x.all(axis=np.int64(1)) | x.argsort(np.int64(0)) | x.compress([True, False], np.int64(0))
x.diagonal(np.int64(1), np.int64(0), np.int64(1)) | x.trace(np.int64(1)) | x.sum((np.int64(0), np.int64(1)))
x.sum(np.intp(0)) | x.sum(np.int8(-1)) | x.sum(np.uint8(1)) | x.mean(np.uint64(1))
x.flatten().reshape(np.int64(2), -1) | x.repeat(np.int64(2), np.int64(1)) | x.repeat(np.array([2, 1]), np.int64(0))
x[np.int64(1)] | x[:, np.int64(1)] | np.lexsort((x[0], x[1]), axis=np.int64(0)) | np.kron(x, x).sum(np.int64(0))
np.vander(x[0], np.int64(3)) | np.full_like(x, 1, shape=np.int64(3))
np.zeros_like(x, shape=(np.int64(3), np.int64(1))) | np.resize(x, (np.int64(3), np.int64(3)))
np.hsplit(x, np.int64(3)) | np.vsplit(x, np.int64(2)) | np.sinc(x).sum(np.int64(1)) | np.histogram(x, np.int64(4))[0]
np.logaddexp.accumulate(x, axis=np.int64(0)) | np.add.reduceat(x, [0, 1], axis=np.int64(1))
np.multiply.reduce(x, axis=np.int64(0)) | np.logical_and.reduce(x > 0, axis=np.int64(0))
np.hypot.reduce(x, axis=np.int64(0)) | np.linalg.matrix_power(x[:, :2], np.int64(-1))
np.linalg.diagonal(x, offset=np.int64(1)) | np.linalg.trace(x, offset=np.int64(1))
np.fill_diagonal(x.copy(), np.float64(1)) | np.tensordot(x, x.T, axes=([np.int64(1)], [np.int64(0)]))
np.tensordot(x, x.T, axes=np.array([1, 0])) | np.permute_dims(x, (np.int64(1), np.int64(0)))
np.cumulative_prod(x, axis=np.int64(0)) | np.atleast_3d(x).sum(np.int64(2)) | np.polyder(x[0], np.int64(1))
np.polyint(x[0], np.int64(1)) | np.polyfit(np.arange(3.), x[0], np.int64(1)) | np.eye(np.int64(3)) @ x.T
np.gradient(x, axis=(np.int64(0), np.int64(1))) | np.flip(x, axis=(np.int64(0), np.int64(1)))
np.roll(x, (np.int64(1), 2), axis=(np.int64(0), np.int64(1))) | np.pad(x, ((np.int64(1), 0), (0, np.int64(1))))
np.pad(x, np.array([[1, 0], [0, 1]]), mode='reflect') | np.triu(x, np.int64(1))
np.median(x, (np.int64(0), np.int64(1))) | np.bincount(np.array([0, 1, 1]), x[0], np.int64(4))
np.average(x, axis=np.int64(0), weights=np.arange(2.) + 1) | np.average(x, axis=(np.int64(0), np.int64(1)), weights=x)
"""
NO_AXIS = """
np.median(x, axis=()) | np.median(x, axis=(), keepdims=True) | np.quantile(x, .3, axis=())
np.quantile(x, [.3, .5], axis=()) | np.percentile(x, 30, axis=()) | np.nanmedian(x, axis=())
np.nanquantile(x, .5, axis=()) | np.ptp(x, axis=()) | np.average(x, axis=())
np.average(x, axis=(), weights=np.ones((2,3))) | np.linalg.vector_norm(x, axis=()) | np.max(z, axis=())
np.max(x, axis=()) | np.sum(x, axis=()) | np.mean(x, axis=()) | np.flip(x, axis=()) | np.any(x, axis=())
np.squeeze(x[:1], axis=()) | np.expand_dims(x, ()) | np.count_nonzero(x, axis=()) | np.std(x, axis=())
np.einsum('ii->i', x[:0, :0]) | np.einsum('ii', x[:0, :0]) | np.einsum('ij->j', x[:0]) | np.einsum('ij->ji', x[:0])
np.einsum('ij,jk', x[:0], x.T) | np.roll(x,1,axis=()) | np.roll(x,(),axis=()) | x.sum().squeeze(axis=-1)
np.squeeze(x.sum(), axis=0) | x.sum().squeeze(axis=())
"""
KINDS = """
np.clip(x.astype(int), 0, np.array(2,np.float32)) | np.clip(x.astype(np.float32), 0, np.array(2.))
np.clip(x.astype(np.float32), 0, 2.) | np.clip(x.astype(np.float32), np.float64(0), 2.)
np.clip(x.astype(int), 0, 1.5) | np.clip(x.astype(int), 0, 1) | np.polyval([1,2,3], x.astype(np.float32))
np.polyval(x[0].astype(np.float32), np.arange(3)) | np.cross(x.astype(int), (x[::-1]*(1+1j)).astype(np.complex64))
np.cross(x.astype(int), x.astype(np.float32)) | np.dot(x.astype(int), x.T.astype(np.float32))
np.matmul(x.astype(int), x.T.astype(np.float32)) | np.inner(x.astype(int), x.astype(np.float32))
np.outer(x.astype(int), x.astype(np.float32)) | np.tensordot(x.astype(int), x.T.astype(np.float32), 1)
np.einsum('ij,ij->i', x.astype(int), x.astype(np.float32)) | np.kron(x.astype(int), x.astype(np.float32))
np.vdot(x.astype(int), x.astype(np.float32)) | np.convolve(x[0].astype(int), x[1].astype(np.float32))
np.where(x > 0, x.astype(np.float32), 1) | np.where(x > 0, x.astype(np.float32), x.astype(int))
np.concatenate([x.astype(np.float32), x.astype(int)]) | np.stack([x.astype(np.float32), x.astype(int)])
np.average(x.astype(np.float32), weights=x.astype(int) + 3) | np.average(x.astype(np.float32), weights=x > 0.5)
np.average(x.astype(np.float32), weights=x) | np.searchsorted(x[0], x[1].astype(np.float32)).shape
np.interp(x.astype(np.float32), [0,1],[2,3]) | np.maximum(x.astype(int), x.astype(np.float32))
np.select([x > 0], [x.astype(np.float32)], x.astype(int)) | np.select([x > 0], [x.astype(np.float32)], 0)
np.select([x > 0], [x.astype(int)], 0) | np.nan_to_num(x.astype(int))
np.trapezoid(x.astype(np.float32), dx=np.float64(1)) | np.trapezoid(x.astype(int))
np.gradient(x.astype(np.float32), axis=0) | np.gradient(x.astype(int), axis=0)
np.linspace(0, x.astype(np.float32), 3) | np.linspace(0, x.astype(int), 3) | np.logspace(0, x.astype(np.float32), 3)
np.geomspace(1, np.abs(x).astype(np.float32), 3) | np.sqrt(x > .5) | np.exp(x > .5) | np.hypot(x > .5, x > 0)
np.cbrt(x > .5) | np.arctan2(x > .5, x > 0) | np.exp(x.astype(np.int8)) | np.exp(x.astype(np.int16))
np.exp(x.astype(np.int32)) | np.true_divide(x.astype(np.int8), x.astype(np.int8) + np.int8(5))
np.reciprocal(x.astype(int) + 2) | np.round(x.astype(int), 1) | np.round(x.astype(int) * 17, -1)
x.astype(int).round(1) | np.max(x.astype(int), initial=-5.0) | x.astype(int).max(initial=-5.0)
x.astype(int).max(initial=5) | np.nanmax(x.astype(int)) | np.nanmin(x.astype(int), axis=0) | np.modf(x.astype(int))
np.median(x.astype(int), axis=1) | np.median(x.astype(int)) | np.median(x > .5) | np.median(x > .5, axis=0)
np.quantile(x.astype(int), .3, axis=1) | np.nanmedian(x.astype(int), axis=1) | np.floor(x.astype(int))
np.ceil(x.astype(int)) | np.trunc(x.astype(int)) | np.rint(x.astype(int)) | np.fix(x.astype(int))
np.sign(x.astype(int)) | np.abs(x.astype(int)) | np.square(x.astype(int)) | np.power(x.astype(int), 2)
np.nansum(x.astype(int), axis=0) | np.nanprod(x.astype(int)) | np.nancumsum(x.astype(int))
np.nancumprod(x.astype(int)) | np.nanmin(x > 0.5) | np.nanargmax(x.astype(int)) | np.ptp(x.astype(int))
np.prod(x > 0.5) | np.sum(x > 0.5) | np.cumsum(x > 0.5) | np.cumprod(x > .5) | np.diff(x.astype(int))
np.unwrap(x.astype(int) * 5) | np.sinc(x.astype(int)) | np.deg2rad(x.astype(int)) | np.frexp(x.astype(int))
np.heaviside(x.astype(int), 0) | np.positive(x.astype(int)) | np.sum((x > 0).astype(np.int8))
np.sum((x > 0).astype(np.uint8)) | np.prod((x > 0).astype(np.uint8)) | np.cumsum((x > 0).astype(np.uint8))
np.sum((x > 0).astype(np.int32), axis=0)
"""
ASKED = """
x.sum(dtype=np.int8) | x.sum(axis=0, dtype=np.int8) | x.sum(dtype=bool) | np.prod(x, dtype=np.int8)
np.prod(x, axis=0, dtype=bool) | np.cumsum(x, dtype=np.int8) | np.cumsum(x, axis=0, dtype=np.int8)
np.cumprod(x, axis=0, dtype=np.int8) | np.cumsum(x, dtype=bool) | np.trace(x, dtype=np.int8) | np.trace(x, dtype=bool)
np.nansum(x, dtype=np.int8) | np.add.reduce(x, dtype=np.int8) | np.add.accumulate(x, dtype=np.int8)
x.sum(dtype=np.uint8) | x.sum(dtype=np.float32) | (x > 0).sum(dtype=np.int32) | (x > 0).sum(dtype=np.int32, axis=0)
(x > 0).sum(dtype=float) | np.std(x, dtype=complex) | np.var(x, dtype=complex) | np.var(x, axis=0, dtype=np.float32)
np.var(x, axis=0, dtype=np.complex64)
np.concatenate([x, x], axis=None, dtype='f4') | np.concatenate([x, x], dtype='f4')
np.concatenate([x, x], axis=None, dtype=np.float32) | np.stack([x, x], dtype='f4')
np.concatenate([x, x], 1, dtype='f4') | np.concatenate([x, x], axis=None) | np.vstack([x, x], dtype='f4')
np.hstack([x, x], dtype='f4') | np.concatenate([x, x], axis=None, dtype='f4', casting='unsafe')
"""
EDGES = """
x.sum().argsort() | np.argsort(x.sum()) | np.argsort(x.sum(), axis=None) | x.sum().argmax()
np.cumulative_sum(x[:0].ravel(), include_initial=True) | np.cumulative_prod(x[:0].ravel(), include_initial=True)
np.cumulative_sum(x[:0], axis=0, include_initial=True)
x[0].repeat(2, axis=-1) | np.repeat(x, 2, axis=-1) | np.repeat(x, [1, 2, 3], axis=-1)
np.ldexp(x[0], np.int64(2)) | np.ldexp(x[0], np.int32(2)) | np.ldexp(x[0], 2) | np.ldexp(x[0], np.array([1,2,3]))
np.float_power(x[0], 10**20) | np.power(x[0], 10**20) | np.float_power(x.astype(int), 2) | np.float_power(2, x)
np.ldexp(x[0].astype(np.float32), 2)
x.astype(int) // np.arange(3) | x.astype(int) % np.arange(3) | np.divmod(x.astype(int), np.arange(3))
np.remainder(x.astype(int), np.arange(3)) | np.fmod(x.astype(int), np.arange(3)) | np.floor_divide(x.astype(int), 0)
x.astype(int) // 0 | x // 0 | 5 // x.astype(int) | 5 % x.astype(int) | divmod(x.astype(int), np.arange(3))
np.reciprocal(x.astype(int)) | np.arange(3) // x.astype(int) | x.astype(np.int8) // np.int8(0)
(lambda a: (np.putmask(a, np.zeros((2, 3), bool), np.array([])), a)[1])(x.copy())
(lambda a: (np.putmask(a, np.ones((2, 3), bool), np.array([])), a)[1])(x.copy())
(lambda a: (np.putmask(a, a > 0, x[0, :0]), a)[1])(x.copy())
(lambda a: (np.put_along_axis(a, np.array([[0], [1]]), np.ones((1, 2, 1)), 1), a)[1])(x.copy())
(lambda a: (np.put_along_axis(a, np.array([[0], [1]]), x[None, :, :1], 1), a)[1])(x.copy())
(lambda a: (np.put_along_axis(a, np.array([[0], [1]]), x[0, 0], 1), a)[1])(x.copy())
(lambda a: (np.put(a, [], []), a)[1])(x.copy())
(lambda a: (np.place(a, np.zeros((2, 3), bool), []), a)[1])(x.copy())
"""
COMPLEX = """
np.clip(z, 0, 1+1j) | np.clip(z, 0, 1) | np.max(z, initial=0) | np.min(z, initial=0) | z.max(axis=0, initial=1+1j)
np.max(z, axis=0) | np.max(z, axis=(0, 1), keepdims=True) | np.ptp(z) | np.ptp(z, axis=0) | np.median(z)
np.median(z, axis=0) | z < 1 | z < z[::-1] | z >= 0.5 | np.less(z, 1) | z.argmax() | np.sort(z, axis=None)
np.maximum(z, 1) | np.maximum.reduce(z) | np.maximum.accumulate(z) | np.nanmax(z) | np.sign(z)
"""
FURTHER = """
np.sum(x.astype(int), initial=2.5) | np.prod(x.astype(int) + 3, initial=2.5) | np.max(x.astype(int), initial=5.5)
np.max(x > 0.5, initial=5.5) | np.max(x.astype(np.float32), initial=5.55)
np.max(x.astype(np.float32), initial=np.float64(5.55)) | np.sum(x.astype(np.float32), initial=np.float64(5.55))
np.max(x.astype(int), initial=x[0, 0]) | np.max(x[:0], axis=0, initial=np.float32(2)) | np.sum(x > 0, initial=2)
np.nanmax(x, initial=x[0, 1]) | np.nanmax(z, axis=0) | np.nanmin(np.where(x > 1, np.nan, z))
np.max(z, where=x > 0, initial=0.1) | np.add.reduce(x > 0) | np.add.reduce(x > 0, axis=None)
np.maximum.reduce(x.astype(np.int8)) | np.add.accumulate((x > 0).astype(np.int8))
np.add.reduceat((x > 0).astype(np.int8), [0, 1]) | np.multiply.reduce((x > 0).astype(np.uint8), axis=None)
np.mean((x > 0), dtype=int) | np.clip(x, 0, z) | np.clip(z, None, 1) | np.clip(z, 0.5, None)
np.clip(x > 0, False, True) | np.clip(x.astype(int), None, 1) | np.clip(x, 0, 1, dtype=np.float32)
np.clip(x, x.T[0].astype(np.float32)[0], 1) | x.clip(0, 1) | x.astype(int).clip(0, 1.5)
np.median(z, axis=1, keepdims=True) | np.median(np.where(x > 1, np.nan, z), axis=1) | np.nanmedian(x > 0)
np.median(x.astype(np.float32))
np.quantile(x[:, :0], .5, axis=0) | np.median(x.sum()) | np.ptp(x.astype(int), axis=0, keepdims=True)
np.ptp(x, keepdims=True) | np.var(z, dtype=np.complex64) | np.std(z, axis=0) | np.var(z) | np.average(z, weights=x)
np.average(x, axis=(), keepdims=True) | np.average(x.astype(int), weights=[[1, 2, 3], [1, 2, 3]])
np.average(x, axis=1, weights=[1, 2, 3]) | np.round(x.astype(np.int8), 2) | np.round(x.astype(int) * 1234, -2)
np.round(1.01 * z, 1) | np.linspace(x, 1, 4, retstep=True) | np.linspace(x.astype(int), 4, 4, dtype=int)
np.linspace(z, 1, 3) | np.linspace(0, x[0, 0], np.int64(3)) | np.logspace(0, x, 3, base=2)
np.logspace(0, x, 3, base=np.array([2., 3., 4.])) | np.astype(x, 'f4') | np.astype(x, int) | x.astype('f4')
np.concatenate([x.astype(int), x > 0]) | np.stack([x, x], dtype=complex)
np.einsum('ij,j->i', x, np.arange(3), dtype=np.float64) | np.power(x.astype(int), 2) | (x > 0) + (x > 1) | ~(x > 0)
(x > 0) * 2 | (x > 0) / 2 | (x > 0) // 2 | (x > 0) % 2 | x.astype(int) / 0 | x.astype(int) / 2 | x.astype(int) << 1
x.astype(np.int8) + 1 | x.astype(np.int8) * np.int8(100) | x.astype(np.int8) + np.int16(1)
x.astype(np.uint8) + x.astype(np.int8) | np.sqrt(x.astype(np.uint8)) | np.isnan(x.astype(int))
np.logical_not(x.astype(int)) | np.maximum(x > 0, 2) | np.gcd(x.astype(int), 2) | np.arctan2(x.astype(int), 2)
np.logaddexp(x.astype(int), 2) | np.copysign(x.astype(int), -1) | np.heaviside(x > 0, 0.5)
np.float_power(x.astype(np.int8), 2) | np.float_power(z, 2) | np.ldexp(x, (x > 0).astype(int))
np.ldexp(x.astype(int), 2) | np.ldexp(x, x > 0) | np.spacing(x.astype(int)) | np.nextafter(x.astype(int), 2)
np.trunc(x > 0) | np.deg2rad(x > 0) | np.conj(x.astype(int)) | np.abs(x > 0) | np.square(x > 0)
np.exp2(x.astype(np.int16)) | np.fmax(x.astype(int), 1) | np.matmul(x.astype(int), x.T.astype(int))
np.matmul(x > 0, (x > 0).T) | np.trace(x > 0) | np.trace(x, np.int64(1), dtype=np.float32)
np.linalg.trace(x, dtype=np.int8) | np.argsort(x.sum(), axis=-1) | x[0, 0].argsort() | np.repeat(x[0, 0], 2, axis=0)
np.repeat(x[0, 0], 2) | x[0, 0].repeat(3) | np.cumulative_sum(x > 0, axis=0, include_initial=True)
np.cumulative_sum(x, axis=1, dtype=np.int8, include_initial=True) | np.polyval(x[0], x.astype(int))
np.polyval([], x) | np.polyval([x[0, 0], 2, x[0, 1]], x) | np.cross([1, 2, 3], x)
"""
TEXTS = (FURTHER, MEANS, AXES, NO_AXIS, KINDS, ASKED, EDGES, COMPLEX)
CASES = list(dict.fromkeys(case for text in TEXTS for case in cases_of(text)))
SHORT = ("float16", "float32", "complex64", "'f4'", "int8", "int16")
"""In these derivatives are as short."""
ENDLESS = ("10**20", "np.where(x > 1, np.nan", " / 0")
"""And these have NaN or infinities for values."""


def parts(found):
    """The arrays of a result."""
    if isinstance(found, tuple | list):
        return [p for f in found for p in parts(f)]
    return [np.asarray(found._t._data if hasattr(found, "_t") else found)]


def evaluate(case, x, names=np):
    return eval(case, {"np": names, "x": x, "z": x + 1j * x[::-1]})


def inside(case, names):
    """What a call gives in a function that is differentiated."""
    found = []

    def f(x):
        found.extend(parts(evaluate(case, x, names)))
        return x.sum()

    sg.grad(f)(X.copy())
    return found


def loss(case, x):
    """A number made of all floats of a result."""
    found = evaluate(case, x)
    found = found if isinstance(found, tuple | list) else [found]
    total = 0.1 * x[0, 0]
    for k, f in enumerate(found):
        if np.dtype(getattr(f, "dtype", int)).kind in "fc":
            total = total + (k + 1) * (f.real**3 + 2 * f.imag**2 + f.real * f.imag).sum()
    return total


@pytest.mark.parametrize("names", [np, snp], ids=["numpy", "symgrad.numpy"])
@pytest.mark.parametrize("case", CASES)
def test_a_call_gives_numpys_values_dtype_and_shape(case, names):
    with np.errstate(all="ignore"):
        want = parts(evaluate(case, X.copy()))
    got = inside(case, names)
    assert [(g.shape, g.dtype) for g in got] == [(w.shape, w.dtype) for w in want]
    for g, w in zip(got, want, strict=True):
        tolerance = 2e-3 if w.dtype == np.float16 else 2e-6 if any(s in case for s in SHORT) else 1e-12
        if w.dtype.kind != "O":
            np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", [c for c in CASES if not any(s in c for s in SHORT + ENDLESS)])
def test_its_derivative_is_that_of_central_differences(case):
    got = sg.grad(lambda x: loss(case, x))(X.copy())
    for place in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[place] = 1e-6
        with np.errstate(all="ignore"):
            want = (loss(case, X + step) - loss(case, X - step)) / 2e-6
        np.testing.assert_allclose(got[place], want, rtol=2e-6, atol=2e-6)


KINDS_OF_RESULTS = """
np.result_type(x.astype(np.float32), x.astype(int)) | np.result_type(x, 1) | np.result_type(x.astype(np.float32), 1.5)
np.result_type(x.astype(np.float32), np.float64(1.5)) | np.result_type(x.astype(int), 1.5)
np.result_type(x.astype(np.float32).sum(), x.astype(np.float32)) | np.result_type(x > 0, np.float32)
np.result_type(x.sum(), np.float32)
"""


@pytest.mark.parametrize("names", [np, snp], ids=["numpy", "symgrad.numpy"])
@pytest.mark.parametrize("case", cases_of(KINDS_OF_RESULTS))
def test_the_dtype_of_results_is_numpys(case, names):
    found = []

    def f(x):
        found.append(evaluate(case, x, names))
        return x.sum()

    sg.grad(f)(X.copy())
    want = evaluate(case, X)
    assert found == [want]
    assert type(found[0]) is type(want)


def share(x):
    above = (x > 0.5).mean(axis=np.int64(1))
    return (above * (x**2).sum(axis=np.argmax(x.shape))).sum() + np.std(x > 0.5) * x[0, 0]


def test_a_share_of_truths_is_a_constant_in_every_transform():
    weight = 2 * (X > 0.5).mean(1)[:, None] + np.zeros_like(X)
    want = weight * X
    want[0, 0] += np.std(X > 0.5)
    np.testing.assert_allclose(sg.grad(share)(X), want)
    np.testing.assert_allclose(sg.compile(share)(X)[1], want)
    np.testing.assert_allclose(sg.vmap(sg.grad(share))(np.stack([X, X])), np.stack([want, want]))
    np.testing.assert_allclose(sg.hessian(share)(X).reshape(6, 6), np.diag(weight.ravel()))
    assert "1[x > 1/2]" in str(sg.formula(lambda x: (x > 0.5).mean() * x.sum(), X[0]))


def test_tensors_are_divided_and_averaged_as_pytorch_does():
    def f(x):
        t = sg.as_tensor(x.astype(int))
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            t // 0
        with pytest.raises(RuntimeError, match="could not infer output dtype"):
            t.mean()
        return x.sum()

    sg.grad(f)(X)
    assert np.exp(sg.tensor([1], dtype=sg.int8)).dtype == sg.float64


BESIDE = {
    "times": operator.mul, "plus": operator.add, "minus": operator.sub, "by": operator.truediv, "to": operator.pow,
    "rest": operator.mod, "larger": lambda x, c: x * x if x > c else 3 * x, "largest": lambda x, c: max(x, c) * x,
    "smallest": lambda x, c: min(x, c) * x, "equal": lambda x, c: x * x if x == c else 3 * x,
    "chosen": lambda x, c: np.where(x > c, x * x, c * x), "maximum": lambda x, c: np.maximum(x, c) * x,
    "stacked": lambda x, c: np.stack([x, c]).sum() * x,
}  # fmt: skip
NUMBERS = {
    "a fraction": Fraction(3, 7), "one of many digits": Fraction(10**30, 7 * 10**29), "many digits": 10**30,
    "a long double": np.longdouble(1.5), "a byte": np.uint8(12),
}  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("way", BESIDE)
def test_numbers_of_every_class_beside_what_is_differentiated(way, turned, number):
    c, x = NUMBERS[number], 1.7
    f = lambda x: (BESIDE[way](c, x) if turned else BESIDE[way](x, c)) + x
    with np.errstate(all="ignore"):
        value, after, before = [float(f(np.float64(x + h))) for h in (0, 2.0**-20, -(2.0**-20))]
    if not abs(value) < 1e30 or (turned and way == "rest"):  # of 10**30 differences are noise
        return
    slope = (after - before) * 2.0**19
    tensor = sg.tensor(x, dtype=sg.float64, requires_grad=True)
    of_tensor = f(tensor)
    of_tensor.backward()
    for found in (
        sg.value_and_grad(f)(x), sg.value_and_grad(lambda x: f(x[0]))(np.array([x])),
        (of_tensor.item(), tensor.grad.item()),
    ):  # fmt: skip
        np.testing.assert_allclose(np.hstack(found), [value, slope], rtol=1e-6, atol=1e-6)


def test_a_fraction_is_a_number_of_formulas():
    third = Fraction(1, 3)
    assert str(sg.formula(lambda x: (third * x**2 + x * third).sum(), sg.symbol("x", "n")).grad("x")) == "(1 + 2x)/3"


def test_what_asks_whether_a_number_is_whole_asks_at_each_call():
    f = lambda x: x * x if x.is_integer() else 3 * x
    slope = sg.grad(f)
    for x in (2.0, 1.5) * 60:
        assert slope(x) == sg.grad(lambda p: f(p[0]))(np.array([x]))[0] == (2 * x if x == 2 else 3)
    for name in ("hex", "as_integer_ratio"):
        with pytest.raises(sg.GradientError, match="takes the number"):
            sg.grad(lambda x: (getattr(x, name)(), x)[1])(2.0)  # noqa: B023


@pytest.mark.parametrize("base", [np.float16, np.float32, np.uint8, np.int8])
def test_a_power_of_a_short_number_has_the_slope_of_a_long_one(base):
    three = np.array(3, base)
    for of in (three, three[()], sg.tensor(three)):
        x = sg.tensor(1.7, dtype=sg.float64, requires_grad=True)
        (of**x).backward()
        assert x.grad.item() == pytest.approx(3**1.7 * np.log(3), rel=1e-14)
