"""NumPy's polynomials, as arrays of coefficients, the highest first: values, products, quotients, roots, fits.

The idea to hold: they are NumPy's own lines in operations, and only which coefficients count as zero, and are left out,
is found by looking. Roots are an operation of their own: a root r of p moves by ``-dp(r) / p'(r)``.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..._errors import GradientError
from ...core import NUMPY, fallible, table
from .._dims import array, constant_number, data, found_in, kind_of, known, rank, sizes
from .._left_out import expect_still
from .._numpy_arguments import tensor_like
from ..entries import _elementwise as e
from ..entries._copy import cast
from ..linalg._contract import matmul
from ..linalg._linalg import as_column, conj, inv, is_complex
from ..reduce._reduce import sum
from ..shape._join import cat, stack
from ..shape._pad import constant_pad
from ..shape._shape import reshape

# -------------------------------------------------------------------------------------------------- coefficients


def _coefficients(p: Any) -> Any:
    """Coefficients in a row; those of `numpy.poly1d` too."""
    p = tensor_like(p.coeffs if isinstance(p, np.poly1d) else p)
    return reshape(p, (1,)) if not rank(p) else p


def _without_leading_zeros(p: Any, what: str) -> Any:
    places = np.flatnonzero(array(known(p, what)))
    start = places[0] if places.size else sizes(p)[0] - 1  # of zeros alone the last
    expect_still(p, range(start), what)
    return p[start:]


def _behind(p: Any, before: int, after: int) -> Any:
    """Coefficients between zeros."""
    return constant_pad(p, ((before, after),), 0) if before or after else p


def _numpy_polyadd(a1: Any, a2: Any) -> Any:
    a, b = _coefficients(a1), _coefficients(a2)
    n = max(sizes(a)[0], sizes(b)[0])
    return _behind(a, n - sizes(a)[0], 0) + _behind(b, n - sizes(b)[0], 0)


def _numpy_polysub(a1: Any, a2: Any) -> Any:
    a, b = _coefficients(a1), _coefficients(a2)
    n = max(sizes(a)[0], sizes(b)[0])
    return _behind(a, n - sizes(a)[0], 0) - _behind(b, n - sizes(b)[0], 0)


def _numpy_polymul(a1: Any, a2: Any) -> Any:
    factors = [_without_leading_zeros(_coefficients(a), "np.polymul") for a in (a1, a2)]
    return NUMPY[np.convolve](*factors)


def _numpy_polydiv(u: Any, v: Any) -> Any:
    u, v = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    if rank(u) != 1 or rank(v) != 1:
        raise ValueError(f"np.polydiv takes coefficients in a row, not of shapes {sizes(u)} and {sizes(v)}")
    m, n = sizes(u)[0], sizes(v)[0]
    if m < n:
        return NUMPY[np.zeros_like](u[:1] + v[:1]), u
    quotient, rest = [], u
    for k in range(m - n + 1):
        quotient.append(rest[k] / v[0])
        rest = rest - _behind(quotient[-1] * v, k, m - n - k)
    rest = rest[min(m - n + 1, m - 1) :] if n > 1 else rest[-1:]
    values = array(known(rest, "np.polydiv"))
    start = next((k for k, c in enumerate(values) if not np.allclose(c, 0, rtol=1e-14)), len(values) - 1)
    expect_still(rest, range(start), "np.polydiv", seed=1.0)
    return stack(quotient, 0), rest[start:]


def _numpy_polyder(p: Any, m: int = 1) -> Any:
    if m < 0:
        raise ValueError("np.polyder: Order of derivative must be positive (see polyint)")
    p = _coefficients(p)
    for _ in range(int(m)):
        p = p[:-1] * np.arange(sizes(p)[0] - 1, 0, -1) if sizes(p)[0] else p
    return p


def _numpy_polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    if m < 0:
        raise ValueError("np.polyint: Order of integral must be positive (see polyder)")
    p = _coefficients(p)
    k = np.zeros(m) if k is None else _coefficients(k)
    k = k[0] * np.ones(m) if sizes(k)[0] == 1 and m > 1 else k
    if sizes(k)[0] < m:
        raise ValueError("np.polyint: k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(int(m)):
        p = cat([p / np.arange(sizes(p)[0], 0, -1), k[i : i + 1]], 0)
    return p


def _numpy_polyval(p: Any, x: Any) -> Any:
    x = tensor_like(x)
    p = p.coeffs if isinstance(p, np.poly1d) else p
    coefficients = list(p if isinstance(p, (list, tuple)) else tensor_like(p))
    x = cast(x, np.result_type(*(data(tensor_like(v)).dtype for v in (x, *coefficients))))
    if not coefficients:
        return x * 0
    value = coefficients[0] if len(coefficients) > 1 else coefficients[0] + x * 0
    for c in coefficients[1:]:
        value = value * x + c
    return value


# ---------------------------------------------------------------------------------------------------------- roots


def _powers(r: Any, n: int) -> Any:
    """A row for each root: its powers, down from the n-th."""
    columns = [np.ones_like(r)]
    for _ in range(n):
        columns.append(columns[-1] * r)
    return table("stack")(columns[::-1], len(r.shape))


def _expect_simple(roots: np.ndarray, flat: np.ndarray) -> None:
    """Raise where the polynomial is flat at a root, and another is near: it moves by the root of a change."""
    for k in np.flatnonzero(flat):
        gap = np.abs(np.delete(roots, k) - roots[k]).min(initial=np.inf)
        if gap <= 1e-4 * np.abs(roots).max():
            raise GradientError(
                f"np.roots: a multiple root has no derivative: the gap between the root {k} and another is {gap:.1e}.",
                f"The roots are {np.array2string(roots, precision=6)}.",
                "Move the coefficients apart; sums and products of all roots are coefficients themselves.",
            )  # fmt: skip


def _roots_rule(g: Any, x: Any, y: Any) -> Any:
    n = int(x.shape[0]) - 1
    powers = _powers(y, n)
    slopes = matmul(powers[:, 1:], x[:-1] * np.arange(n, 0, -1).astype(array(x).real.dtype))
    terms = np.abs(array(powers[:, 1:])) @ (np.abs(array(x[:-1])) * np.arange(n, 0, -1))
    _expect_simple(array(y), (np.abs(array(slopes)) <= 1e-7 * terms) & (array(g) != 0))
    d = -matmul(conj(g / conj(slopes)), powers)
    d = conj(d) if is_complex(d) else d
    return table("real")(d) if is_complex(d) and not is_complex(x) else d


roots_row = fallible(
    "roots", lambda x: np.roots(x), _roots_rule, holomorphic=False, own_dtype=True,
    sample=lambda rng: ([np.poly([0.3, -1.2, 2.5]) * 1.5], ()), doc="the roots of a polynomial",
)  # fmt: skip


def _numpy_roots(p: Any) -> Any:
    p = _coefficients(p)
    if rank(p) != 1:
        raise ValueError("np.roots: Input must be a rank-1 array.")
    if not np.any(array(known(p, "np.roots"))):
        return found_in(np.array([]), p)
    return roots_row(cast(p, np.float64) if kind_of(p) in "iub" else p)


def _numpy_poly(seq_of_zeros: Any) -> Any:
    roots = _coefficients(seq_of_zeros)
    if rank(roots) == 2 and sizes(roots)[0] == sizes(roots)[1] != 0:
        roots = NUMPY[np.linalg.eigvals](roots)
    elif rank(roots) != 1:
        raise ValueError("np.poly: input must be 1d or non-empty square 2d array.")
    if not sizes(roots)[0]:
        return 1.0
    p = NUMPY[np.ones_like](roots[:1])
    for k in range(sizes(roots)[0]):
        p = _behind(p, 0, 1) - roots[k] * _behind(p, 1, 0)
    if not is_complex(p):
        return p
    values = array(known(roots, "np.poly"))
    return e.real(p) if np.all(np.sort(values) == np.sort(values.conj())) else p


# ----------------------------------------------------------------------------------------------------------- fits


def _expect_points(x: Any, y: Any, deg: int) -> None:
    if deg < 0:
        raise ValueError("np.polyfit: expected deg >= 0")
    if rank(x) != 1:
        raise TypeError("np.polyfit: expected 1D vector for x")
    if not sizes(x)[0]:
        raise TypeError("np.polyfit: expected non-empty vector for x")
    if rank(y) not in (1, 2):
        raise TypeError("np.polyfit: expected 1D or 2D array for y")
    if sizes(x)[0] != sizes(y)[0]:
        raise TypeError("np.polyfit: expected x and y to have same length")


def _numpy_polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    x, y, count = tensor_like(x) + 0.0, tensor_like(y) + 0.0, int(constant_number(deg, "deg=")) + 1
    _expect_points(x, y, count - 1)
    rcond = len(x) * np.finfo(array(x).dtype).eps if rcond is None else rcond
    left, right = _powers(x, count - 1), y
    if w is not None:
        w = tensor_like(w) + 0.0
        if rank(w) != 1 or sizes(w)[0] != sizes(y)[0]:
            raise TypeError("np.polyfit: expected a 1-d array for weights, of the length of y")
        left, right = left * as_column(w), right * (as_column(w) if rank(y) == 2 else w)
    scale = e.sqrt(sum(left * left, 0))
    left = left / scale
    c, residuals, count_found, values = NUMPY[np.linalg.lstsq](left, right, rcond)
    c = c / (as_column(scale) if rank(c) == 2 else scale)
    if full:
        return c, residuals, count_found, values, rcond
    if int(array(count_found)) != count:
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=5)
    if not cov:
        return c
    base = inv(matmul(left.T, left)) / (as_column(scale) * scale)
    factor: Any = 1
    if cov != "unscaled":
        if len(x) <= count:
            raise ValueError("np.polyfit: the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (len(x) - count)
    return c, base * factor if rank(y) == 1 else reshape(base, (count, count, 1)) * factor


NUMPY.update({
    np.poly: _numpy_poly, np.polyadd: _numpy_polyadd, np.polyder: _numpy_polyder, np.polydiv: _numpy_polydiv,
    np.polyfit: _numpy_polyfit, np.polyint: _numpy_polyint, np.polymul: _numpy_polymul, np.polysub: _numpy_polysub,
    np.polyval: _numpy_polyval, np.roots: _numpy_roots,
})  # fmt: skip
