"""Division of polynomials and the analytic signal, under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as _scipy

from ...ops._dims import axis_of, kind_of, rank, sizes
from .._mirrored import mirrored
from ._convolutions import convolve
from ._recursive_filters import lfilter


@mirrored(_scipy.hilbert, "x")
def hilbert(x: Any, N: Any = None, axis: int = -1) -> Any:
    """Return the analytic signal of a real one, which is complex: its imaginary part is the Hilbert transform.

    Parameters are those of `scipy.signal.hilbert`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda x: sp.signal.hilbert(x).imag)(np.zeros(4))[0].round(9) + 0.0
    array([ 0. , -0.5,  0. ,  0.5])
    """
    if kind_of(x) == "c":
        raise ValueError("x must be real.")
    axis = axis_of(axis, rank(x))
    n = sizes(x)[axis] if N is None else int(N)
    if n <= 0:
        raise ValueError("N must be positive.")
    half = np.zeros(n, x.dtype)
    half[0] = 1
    half[1 : (n + 1) // 2] = 2
    if n % 2 == 0:
        half[n // 2] = 1
    return np.fft.ifft(np.fft.fft(x, n, axis) * half.reshape(n, *[1] * (rank(x) - 1 - axis)), axis=axis)


@mirrored(_scipy.deconvolve, "signal divisor")
def deconvolve(signal: Any, divisor: Any) -> Any:
    """Return ``(quotient, remainder)`` with ``signal = convolve(divisor, quotient) + remainder``.

    Parameters are those of `scipy.signal.deconvolve`; both are differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda d: sp.signal.deconvolve(np.array([1.0, 3.0, 2.0]), d)[0])(np.array([1.0, 1.0])) + 0.0
    array([[-1.,  0.],
           [-1., -1.]])
    """
    signal, divisor = (np.reshape(v, (1,)) if rank(v) == 0 else v for v in (signal, divisor))
    for v, name in ((signal, "signal"), (divisor, "divisor")):
        if rank(v) != 1 or sizes(v)[0] == 0:
            raise ValueError(f"Parameter {name} must be non-empty 1d array, but its shape is {sizes(v)}!")
    count = sizes(signal)[0] - sizes(divisor)[0] + 1
    if count < 1:
        return [], signal
    unit = np.zeros(count)
    unit[0] = 1
    quotient = lfilter(signal, divisor, unit)
    return quotient, signal - convolve(divisor, quotient, mode="full")


__all__ = ["deconvolve", "hilbert"]
