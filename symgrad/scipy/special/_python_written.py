"""What SciPy writes in Python of its special functions, under its names and signatures."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.special as _scipy

from ...core import Symbol, Tensor
from ...ops import FUNCTIONS, axes_of, kind_of, named, ndarray_of, rank
from ...ops.entries.all_special import SCIPY_NAMES
from ...ops.entries.bessel import spherical_i, spherical_j, spherical_k, spherical_theta, spherical_y
from ...ops.reduce import log_softmax_dim, logsumexp_dim, softmax_dim
from .._mirrored import mirrored, refused


def _weighted(a: Any, b: Any, axes: tuple[int, ...], keepdims: bool) -> tuple[Any, Any]:
    """``log|sum(b exp(a))|`` and the sign of the sum."""
    if any(isinstance(x, Symbol) for x in (a, b)):
        raise refused(
            "special.logsumexp(b=…)", "On symbols the largest entry is not known.", "Leave out b, or add log(b) to a."
        )
    a, b = np.broadcast_arrays(a, b)
    if not isinstance(b, Tensor):
        a = np.where(b == 0, -np.inf, a)  # what counts 0 times counts 0 times if it is infinite, too
    counted = np.where(ndarray_of(b) == 0, -np.inf, ndarray_of(a))
    largest = counted.max(axes, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, 0).astype(counted.dtype)
    total = (b * np.exp(a - largest)).sum(axes, keepdims=keepdims)
    largest = largest if keepdims else largest.reshape(ndarray_of(total).shape)
    return np.log(np.abs(total)) + largest, np.sign(ndarray_of(total))


@mirrored(_scipy.logsumexp, "a b")
def logsumexp(a: Any, axis: Any, b: Any, keepdims: bool, return_sign: bool) -> Any:
    """Return ``log(sum(b * exp(a)))`` along axes (all), without overflow.

    Parameters are those of `scipy.special.logsumexp`; ``a`` and ``b`` are differentiated, and real.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda b: sp.special.logsumexp(np.zeros(2), b=b))(np.array([1.0, 3.0]))
    array([0.25, 0.25])
    """
    if "c" in (kind_of(a), kind_of(b) if b is not None else "f"):
        raise refused("special.logsumexp", "It was given complex numbers.", "Write np.log(np.exp(a).sum()).")
    axes = axes_of(axis, rank(a) if b is None else len(np.broadcast_shapes(np.shape(a), np.shape(b))))
    if b is None:
        found = logsumexp_dim(a, axes, bool(keepdims))
        return (found, np.ones_like(ndarray_of(found))) if return_sign else found
    found, sign = _weighted(a, b, axes, bool(keepdims))
    return (found, sign) if return_sign else np.where(sign < 0, np.nan, found)


@mirrored(_scipy.softmax, "x")
def softmax(x: Any, axis: Any) -> Any:
    """Return ``exp(x) / sum(exp(x))`` along axes (all).

    Parameters are those of `scipy.special.softmax`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(sp.special.softmax)(np.zeros(2))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    return softmax_dim(x, axes_of(axis, rank(x)))


@mirrored(_scipy.log_softmax, "x")
def log_softmax(x: Any, axis: Any) -> Any:
    """Return ``log(softmax(x))`` along axes (all), without overflow.

    Parameters are those of `scipy.special.log_softmax`.
    """
    return log_softmax_dim(x, axes_of(axis, rank(x)))


@mirrored(_scipy.softplus, "x")
def softplus(x: Any, **kwargs: Any) -> Any:
    """Return ``log(1 + exp(x))``, without overflow.

    Parameters are those of `scipy.special.softplus`; keywords are refused where a derivative is taken.
    """
    if kwargs:
        raise refused(f"special.softplus({next(iter(kwargs))}=…)", "It is a ufunc's keyword.", "Leave it out.")
    return np.logaddexp(0, x)


@mirrored(_scipy.multigammaln, "a")
def multigammaln(a: Any, d: Any) -> Any:
    """Return the logarithm of the gamma function of dimension ``d``, a whole number.

    Parameters are those of `scipy.special.multigammaln`.
    """
    if int(d) != d:
        raise ValueError("d should be a positive integer (dimension)")
    if not isinstance(a, Symbol) and np.any(ndarray_of(a) <= 0.5 * (d - 1)):
        raise ValueError(f"condition a ({ndarray_of(a)}) > 0.5 * (d-1) ({0.5 * (d - 1)}) not met")
    return FUNCTIONS["mvlgamma"](a, int(d))


def _of_each_order(n: Any, what: str, fn: Callable[[int], Any]) -> Any:
    """A function of whole orders, at an order or an array of them."""
    if isinstance(n, Tensor):
        raise refused(
            f"special.{what}", "Its order is a whole number, and was given as a tensor.", "Call detach().numpy()."
        )
    n = np.asarray(n)
    if n.dtype.kind not in "iu" and np.any(n != np.trunc(n)):
        raise ValueError(f"{what}: n must be whole numbers, got {n}")
    if np.any(n < 0):
        raise ValueError(f"{what}: n must not be negative, got {n}")
    if n.ndim == 0:
        return fn(int(n))
    found: Any = None
    for k in np.unique(n):
        found = fn(int(k)) if found is None else np.where(n == k, fn(int(k)), found)
    return found + np.zeros(n.shape, found.dtype)  # its shape, if there is one order only


@mirrored(_scipy.polygamma, "x")
def polygamma(n: Any, x: Any) -> Any:
    """Return the derivative of order ``n``, a whole number or an array of them, of digamma.

    Parameters are those of `scipy.special.polygamma`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda x: sp.special.polygamma(0, x))(1.0)
    np.float64(1.6449340668482266)
    """
    return _of_each_order(n, "polygamma", lambda k: FUNCTIONS["polygamma"](k, x))


@mirrored(_scipy.zeta, "q")
def zeta(x: Any, q: Any) -> Any:
    """Return Hurwitz's zeta function, the sum of ``(q + k)**-x``; without ``q`` Riemann's.

    Parameters are those of `scipy.special.zeta`; ``q`` is differentiated, ``x`` has no derivative.
    """
    return SCIPY_NAMES["_zeta"](np.asarray(x) if isinstance(x, (list, tuple)) else x, 1.0 if q is None else q)


@mirrored(_scipy.lambertw)
def lambertw(z: Any, k: Any, tol: Any) -> Any:
    """Return Lambert's W, the solution of ``w exp(w) = z`` on the branch ``k``: complex, as in SciPy.

    Parameters are those of `scipy.special.lambertw`; ``tol`` means nothing where a derivative is taken.
    """
    return SCIPY_NAMES["lambertw"](z, k, tol)


def _slope(row: Any, x: Any, n: int, below: int, above: int) -> Any:
    before = 0 if n == 0 else below * n * row(x, n - 1)
    return (before + above * (n + 1) * row(x, n + 1)) / (2 * n + 1)


def _spherical(name: str, row: Any, below: int, above: int, says: str) -> Callable[..., Any]:
    def fn(n: Any, z: Any, derivative: bool = False) -> Any:
        return _of_each_order(n, name, lambda k: _slope(row, z, k, below, above) if derivative else row(z, k))

    doc = f"""Return the {says}, or its derivative.

    Parameters are those of `scipy.special.{name}`: orders are whole numbers, and have no derivative.
    """
    return mirrored(getattr(_scipy, name), "z")(named(fn, name, doc))


@mirrored(_scipy.sph_harm_y)
def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: int = 0) -> Any:
    """Return the spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi: complex.

    Parameters are those of `scipy.special.sph_harm_y`. n and m are whole numbers,
    and have no derivative; neither have poles a special place.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda t: sp.special.sph_harm_y(1, 0, t, 0.0).real)(0.5).round(6)
    np.float64(-0.234249)
    """
    if diff_n != 0:
        raise refused("special.sph_harm_y(diff_n=…)", "It is not written.", "Differentiate sph_harm_y itself.")
    for value, said in ((n, "degree"), (m, "order")):
        if isinstance(value, Tensor):
            raise refused("special.sph_harm_y", f"Its {said} is a whole number, and was given as a tensor.",
                          "Call detach().numpy().")  # fmt: skip
    n, m = np.asarray(n), np.asarray(m)
    if any(np.any(v != np.trunc(v)) for v in (n, m)):
        raise ValueError(f"sph_harm_y: n and m must be whole numbers, got {n} and {m}")
    shape = np.broadcast_shapes(n.shape, m.shape)
    n, m = (np.broadcast_to(v.astype(np.int64), shape) if shape else int(v) for v in (n, m))
    theta = np.broadcast_to(theta, np.broadcast_shapes(shape, np.shape(theta))) if shape else theta
    return spherical_theta(theta, n, m) * np.exp(1j * m * phi)


_BESSEL = "spherical Bessel function of the {} kind"
spherical_jn: Callable[..., Any] = _spherical("spherical_jn", spherical_j, 1, -1, _BESSEL.format("first"))
spherical_yn: Callable[..., Any] = _spherical("spherical_yn", spherical_y, 1, -1, _BESSEL.format("second"))
spherical_in: Callable[..., Any] = _spherical("spherical_in", spherical_i, 1, 1, f"modified {_BESSEL.format('first')}")
spherical_kn: Callable[..., Any] = _spherical(
    "spherical_kn", spherical_k, -1, -1, f"modified {_BESSEL.format('second')}"
)


def stdtrit(df: Any, p: Any, /, **options: Any) -> Any:
    """Return the quantile of Student's distribution, also of arrays, of which SciPy's own is +inf at 0.

    Parameters are those of `scipy.special.stdtrit`: the degrees of freedom and the probability. Options are refused.
    """
    if options:
        raise refused(f"special.stdtrit({next(iter(options))}=…)", "SciPy's values are not taken.", "Leave it out.")
    found = SCIPY_NAMES["stdtrit"](df, p)
    return found[()] if isinstance(found, np.ndarray) else found


with suppress(ValueError):  # of a ufunc older NumPys know none
    stdtrit.__signature__ = inspect.signature(_scipy.stdtrit)  # type: ignore[attr-defined]
