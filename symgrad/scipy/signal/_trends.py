"""Smoothing and trends, which are linear in the signal, under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as _scipy

from ..._array._protocols import _numbers
from ...core import Symbol, Tensor, table
from ...ops._dims import axis_of, rank, sizes
from ...ops.filters._borders import widened
from ...ops.filters._sliding_products import CORRELATE
from .._mirrored import mirrored


@mirrored(_scipy.savgol_filter, "x")
def savgol_filter(
    x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: Any = 1.0, axis: int = -1,
    mode: str = "interp", cval: Any = 0.0,
) -> Any:  # fmt: skip
    """Return what Savitzky and Golay's filter makes of a signal: at each place the value of a polynomial fitted there.

    Parameters are those of `scipy.signal.savgol_filter`; the signal, ``delta`` and ``cval`` are differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda x: sp.signal.savgol_filter(x, 3, 1)[1])(np.arange(4.0)).round(4)
    array([0.3333, 0.3333, 0.3333, 0.    ])
    """
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    axis = axis_of(axis, rank(x))
    x, n = np.moveaxis(x, axis, -1), sizes(x)[axis]
    if mode == "interp" and window_length > n:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    dtype = x.dtype if x.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    spacing, delta = delta, float(_numbers(delta))
    weights = _scipy.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta, use="dot").astype(dtype)
    half = window_length // 2
    last = rank(x) - 1
    before, behind = half - (window_length % 2 == 0), half
    if window_length % 2 == 0:
        before, behind = half - 1, half
    wide = widened(x, last, before, behind, "constant" if mode == "interp" else mode, cval)
    y = CORRELATE[1](wide, weights, False)
    if deriv and isinstance(spacing, (Tensor, Symbol)):
        y, x = (v * (delta / spacing) ** deriv for v in (y, x))  # the weights' own is in the numbers
    if mode != "interp" or not half:
        return np.moveaxis(y, -1, axis)
    unit = np.eye(window_length, dtype=dtype)
    whole = _scipy.savgol_filter(unit, window_length, polyorder, deriv=deriv, delta=delta, axis=0).astype(dtype)
    first, end = x[..., :window_length] @ whole[:half].T, x[..., n - window_length :] @ whole[-half:].T
    return np.moveaxis(table("cat")([first, y[..., half : n - half], end], last), -1, axis)


@mirrored(_scipy.detrend, "data")
def detrend(data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False) -> Any:
    """Return a signal less its mean or its straight line, piece by piece.

    Parameters are those of `scipy.signal.detrend`; ``overwrite_data`` means nothing where a derivative is taken.
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    axis = axis_of(axis, rank(data))
    if type in ("constant", "c"):
        return data - data.mean(axis, keepdims=True)
    x, n = np.moveaxis(data, axis, -1), sizes(data)[axis]
    ends = np.unique([0, *np.atleast_1d(bp).tolist(), n])
    if np.any(ends > n) or np.any(ends < 0):
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    pieces = []
    for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        piece, count = x[..., start:stop], stop - start
        basis, _ = np.linalg.qr(np.stack([np.arange(1, count + 1) / count, np.ones(count)], 1))
        basis = basis.astype(np.empty(0, x.dtype).real.dtype)
        pieces.append(piece - (piece @ basis) @ basis.T)
    return np.moveaxis(table("cat")(pieces, rank(x) - 1), -1, axis)
