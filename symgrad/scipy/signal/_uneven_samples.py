"""Spectra of samples at uneven times under SciPy's names: waves fitted to them by least squares.

The idea to hold: the fit is that of a cosine and a sine, whichever the moment from which both are counted. SciPy
chooses the one at which they are orthogonal. Here that is a constant, and their product, which is 0, has a derivative.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import scipy.signal as _scipy

from ...ops._dims import array, sizes
from .._mirrored import mirrored
from ._spectra import by_scipy, typed

_UNSAID = inspect.signature(_scipy.lombscargle).parameters["precenter"].default


@mirrored(_scipy.lombscargle, "x y freqs weights")
def lombscargle(
    x: Any, y: Any, freqs: Any, *, precenter: Any = _UNSAID, normalize: Any = False, weights: Any = None,
    floating_mean: bool = False,
) -> Any:  # fmt: skip
    """Return the Lomb-Scargle periodogram of samples at uneven times: the power of the wave that fits best.

    Parameters are those of `scipy.signal.lombscargle`; times, samples, angular frequencies and weights are
    differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> t = np.array([0.0, 0.4, 1.3, 1.9, 3.1, 3.6])
    >>> best = lambda w: sp.signal.lombscargle(t, np.cos(2 * t), np.stack([w]))
    >>> sg.grad(best)(2.0).round(9) + 0.0  # all of it is explained at 2
    np.float64(0.0)
    """
    options = {"normalize": normalize, "weights": weights, "floating_mean": floating_mean}
    if precenter is not _UNSAID:
        options["precenter"] = precenter
    known: Any = by_scipy("lombscargle", x, y, freqs, **options)
    weights = np.ones(sizes(x)) if weights is None else weights
    w = weights / weights.sum()
    y = y - y.mean() if precenter is not _UNSAID and precenter else y
    turns = freqs[:, None] * x
    cc, ss, cs, _, _ = _moments(array(w), array(turns), floating_mean)
    start = 0.5 * np.arctan2(2.0 * cs, cc - ss)
    turns = turns - start[:, None]
    cc, ss, cs, c, s = _moments(w, turns, floating_mean)
    mean = (w * y).sum() if floating_mean else 0.0
    yc, ys = np.cos(turns) @ (w * y) - mean * c, np.sin(turns) @ (w * y) - mean * s
    least = np.finfo(np.float64).epsneg  # SciPy's own bound
    cc, ss = (np.where(v < least, least, v) for v in (cc, ss))
    det = cc * ss - cs * cs
    a, b = (yc * ss - ys * cs) / det, (ys * cc - yc * cs) / det
    if normalize == "amplitude":
        found = (a + 1j * b) * np.exp(1j * start)
    else:
        found = 2.0 * (a * yc + b * ys)
        legacy = normalize in (False, "power")
        found = found * (sizes(x)[0] / 4.0 if legacy else 0.5 / ((w * y * y).sum() - mean * mean))
    return typed(found.reshape(known.shape), known)


def _moments(w: Any, turns: Any, floating_mean: bool) -> tuple[Any, Any, Any, Any, Any]:
    """Of cosines and sines their weighted squares and product, around their means if these float; and the means."""
    cos, sin = np.cos(turns), np.sin(turns)
    cc, cs, c, s = (cos * cos) @ w, (cos * sin) @ w, cos @ w, sin @ w
    ss = 1.0 - cc
    return (cc - c * c, ss - s * s, cs - c * s, c, s) if floating_mean else (cc, ss, cs, c, s)


__all__ = ["lombscargle"]
