"""Convolution, correlation, recursive filters, division of polynomials and the analytic signal under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as _scipy

from ...core import Symbol, row_function
from ...ops import axes_of, axis_of, kind_of, ndarray_of, rank, sizes
from ...ops.filters.linear_filters import CONVOLVE, CORRELATE, recursive_row, widened
from ...ops.fourier.transforms import mirrored_twice, resized
from ...ops.linalg import conj
from .._mirrored import mirrored, refused

# -------------------------------------------------------------------- Convolution and correlation under SciPy's names


def _flipped(x: Any) -> Any:
    return np.flip(x, tuple(range(rank(x))))


def _turned(x: Any) -> Any:
    """What a convolution with is the correlation with x."""
    return _flipped(conj(x) if kind_of(x) == "c" else x)


def centred(x: Any, shape: tuple[int, ...]) -> Any:
    """The middle of an array, of a shape."""
    starts = [(have - want) // 2 for have, want in zip(sizes(x), shape, strict=True)]
    return x[tuple(slice(s, s + want) for s, want in zip(starts, shape, strict=True))]


def _check_mode(mode: str) -> None:
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")


def larger_first(x: Any, w: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Two operands of a 'valid' convolution, the window last."""
    n, k = sizes(x), sizes(w)
    if all(n[i] >= k[i] for i in axes):
        return x, w
    if all(k[i] >= n[i] for i in axes):
        return w, x
    raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")


def _convolved(x: Any, w: Any, mode: str, fft: bool, axes: tuple[int, ...], what: str) -> Any:
    """The convolution along axes; the others broadcast."""
    _check_mode(mode)
    if rank(x) != rank(w):
        raise ValueError(f"{what}: in1 and in2 should have the same dimensionality, got {rank(x)} and {rank(w)}")
    if not rank(x):
        return x * w
    if len(axes) > 3:
        raise refused(
            f"signal.{what} along {len(axes)} axes", "It has rules for up to three.", "Leave some axes apart."
        )
    if 0 in (*sizes(x), *sizes(w)):
        return np.zeros(0)
    shape, last = sizes(x), tuple(range(-len(axes), 0))
    if mode == "valid":
        x, w = larger_first(x, w, axes)
        x, w = np.moveaxis(x, axes, last), np.flip(np.moveaxis(w, axes, last), last)
        return np.moveaxis(CORRELATE[len(axes)](x, w, fft), last, axes)
    found = np.moveaxis(CONVOLVE[len(axes)](np.moveaxis(x, axes, last), np.moveaxis(w, axes, last), fft), last, axes)
    return centred(found, shape) if mode == "same" else found


def _by_fft(x: Any, w: Any, mode: str, method: str) -> bool:
    if method == "auto":
        if mode == "valid" or not rank(x) or rank(x) != rank(w) or 0 in (*sizes(x), *sizes(w)):
            mode = "full"
        one, other = (np.broadcast_to(np.zeros((), v.dtype), sizes(v)) for v in (x, w))
        method = "direct" if mode not in ("full", "same") else _scipy.choose_conv_method(one, other, mode)
    if method not in ("direct", "fft"):
        raise ValueError("acceptable method flags are 'auto', 'direct', or 'fft'")
    return method == "fft"


@mirrored(_scipy.convolve, "in1 in2")
def convolve(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """Return the convolution of two arrays of up to three dimensions.

    Parameters are those of `scipy.signal.convolve`. A gradient is a correlation, by the same method.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda w: sp.signal.convolve(np.array([1.0, 2.0]), w))(np.array([3.0, 4.0]))
    array([[1., 0.],
           [2., 1.],
           [0., 2.]])
    """
    return _convolved(in1, in2, mode, _by_fft(in1, in2, mode, method), tuple(range(rank(in1))), "convolve")


@mirrored(_scipy.correlate, "in1 in2")
def correlate(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """Return the cross-correlation of two arrays of up to three dimensions; the second is conjugated.

    Parameters are those of `scipy.signal.correlate`.
    """
    fft = _by_fft(in1, in2, mode, method)
    return _convolved(in1, _turned(in2), mode, fft, tuple(range(rank(in1))), "correlate")


def _along(in1: Any, in2: Any, mode: str, axes: Any, what: str) -> Any:
    return _convolved(in1, in2, mode, True, axes_of(axes, rank(in1)), what)


@mirrored(_scipy.fftconvolve, "in1 in2")
def fftconvolve(in1: Any, in2: Any, mode: str, axes: Any) -> Any:
    """Return the convolution along axes (all), by Fourier transforms; other axes broadcast.

    Parameters are those of `scipy.signal.fftconvolve`. Gradients are computed by Fourier transforms too: their error
    is that of the largest entries.
    """
    return _along(in1, in2, mode, axes, "fftconvolve")


@mirrored(_scipy.oaconvolve, "in1 in2")
def oaconvolve(in1: Any, in2: Any, mode: str, axes: Any) -> Any:
    """Return what `fftconvolve` does: where a derivative is taken, there are no blocks.

    Parameters are those of `scipy.signal.oaconvolve`.
    """
    return _along(in1, in2, mode, axes, "oaconvolve")


_BORDERS = {
    **dict.fromkeys(("fill", "pad"), "constant"), **dict.fromkeys(("wrap", "circular"), "wrap"),
    **dict.fromkeys(("symm", "symmetric"), "reflect"),
}  # fmt: skip


def _of_images(x: Any, w: Any, mode: str, boundary: str, fillvalue: Any, what: str, start: Any) -> Any:
    _check_mode(mode)
    if boundary not in _BORDERS:
        raise ValueError("acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm')")
    if rank(x) != 2 or rank(w) != 2:
        raise ValueError(f"{what} inputs must both be 2-D arrays")
    if mode == "valid":
        return _convolved(x, w, mode, False, (0, 1), what)
    border = _BORDERS[boundary]
    if border != "constant" and any(k > n for n, k in zip(sizes(x), sizes(w), strict=True)):
        raise refused(
            f"signal.{what}(boundary={boundary!r})", f"The window {sizes(w)} is larger than the image {sizes(x)}.",
            "Exchange them, or pad the image with np.pad.",
        )  # fmt: skip
    wide = x
    for axis, k in enumerate(sizes(w)):
        wide = widened(wide, axis, k - 1, k - 1, border, fillvalue)
    found = CORRELATE[2](wide, _flipped(w), False)
    if mode == "full":
        return found
    places = [start(k) for k in sizes(w)]
    return found[tuple(slice(s, s + n) for s, n in zip(places, sizes(x), strict=True))]


@mirrored(_scipy.convolve2d, "in1 in2")
def convolve2d(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any) -> Any:
    """Return the convolution of two matrices; beyond the first is a value, or itself again.

    Parameters are those of `scipy.signal.convolve2d`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> blur = np.ones((2, 2))
    >>> sg.grad(lambda x: sp.signal.convolve2d(x, blur, "same", "wrap")[0, 0])(np.eye(3))
    array([[1., 0., 1.],
           [0., 0., 0.],
           [1., 0., 1.]])
    """
    return _of_images(in1, in2, mode, boundary, fillvalue, "convolve2d", lambda k: (k - 1) // 2)


@mirrored(_scipy.correlate2d, "in1 in2")
def correlate2d(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any) -> Any:
    """Return the cross-correlation of two matrices; the second is conjugated.

    Parameters are those of `scipy.signal.correlate2d`.
    """
    return _of_images(in1, _turned(in2), mode, boundary, fillvalue, "correlate2d", lambda k: k // 2)


# ------------------------------------------ Filters by differences of a signal and of its result, under SciPy's names

# The idea to hold: with the state in front, ``A y = B x + z`` as polynomials; what is left of the last terms when ``y``
# ends is the state behind.


def of_length(x: Any, n: int) -> Any:
    """The last axis with zeros behind, up to a length."""
    return resized(x, n, rank(x) - 1)


def _coefficients(b: Any, a: Any, what: str) -> tuple[Any, Any]:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    for name, v in (("b", b), ("a", a)):
        if rank(v) != 1 or not sizes(v)[0]:
            raise ValueError(f"{what}: {name} is not a non-empty 1d array, since {name}.shape={sizes(v)}")
    first = a[0]
    if not isinstance(first, Symbol) and ndarray_of(first) == 0:
        raise ValueError(f"{what}: the filter coefficient a[0] must not be 0")
    return b, a


def _filtered(b: Any, a: Any, x: Any, z: Any = None) -> tuple[Any, Any]:
    """The result along the last axis; with a state, the state behind."""
    n, order = sizes(x)[-1], max(sizes(a)[0], sizes(b)[0]) - 1
    moved = CONVOLVE[1](x, b, False)
    if z is not None:
        moved = of_length(moved, n + order) + of_length(a[0] * z, n + order)
    y = moved[..., :n] / a[0] if sizes(a)[0] == 1 else recursive_row(a, moved[..., :n])
    if z is None:
        return y, None
    fed = CONVOLVE[1](y, a, False)
    return y, ((moved - of_length(fed, n + order)) / a[0])[..., n:]


@mirrored(_scipy.lfilter, "b a x zi")
def lfilter(b: Any, a: Any, x: Any, axis: int, zi: Any) -> Any:
    """Return a signal filtered along an axis, ``a[0] y[t] + a[1] y[t-1] + … = b[0] x[t] + b[1] x[t-1] + …``.

    Parameters are those of `scipy.signal.lfilter`. The signal, both sets of coefficients and the state ``zi`` are
    differentiated. A gradient costs two filters more, one of them run backwards, and correlations of ``len(a)`` and
    ``len(b)`` terms.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x = np.array([1.0, 0.0, 0.0, 0.0])
    >>> sg.jacobian(lambda r: sp.signal.lfilter([1.0], np.stack([1.0, -r]), x))(0.5)
    array([0.  , 1.  , 1.  , 0.75])
    """
    b, a = _coefficients(b, a, "lfilter")
    axis = axis_of(axis, rank(x))
    if not sizes(x)[axis]:
        raise ValueError(f"lfilter: x has no entries along axis {axis}")
    x = np.moveaxis(x, axis, -1)
    if zi is None:
        return np.moveaxis(_filtered(b, a, x)[0], -1, axis)
    order = max(sizes(a)[0], sizes(b)[0]) - 1
    wanted = (*sizes(x)[:-1], order)
    z = np.moveaxis(zi, axis, -1) if rank(zi) == len(wanted) else None
    if z is None or sizes(z)[-1] != order or any(k not in (1, n) for k, n in zip(sizes(z), wanted, strict=True)):
        shape = (*wanted[:axis], order, *wanted[axis:-1])
        raise ValueError(f"Unexpected shape for zi: expected {shape}, found {sizes(zi)}.")
    y, end = _filtered(b, a, x, np.broadcast_to(z, wanted))
    return np.moveaxis(y, -1, axis), np.moveaxis(end, -1, axis)


def _steady(b: Any, a: Any) -> Any:
    """The state in which a filter does not move when a step comes, and a is normalised."""
    b, a = b / a[0], a / a[0]
    order = max(sizes(a)[0], sizes(b)[0]) - 1
    b, a = of_length(b, order + 1), of_length(a, order + 1)
    moved = b[1:] - a[1:] * b[0]
    gain = moved.sum() / a.sum()
    return gain * np.cumsum(a, 0)[:-1] - np.cumsum(moved, 0) + moved


@mirrored(_scipy.lfilter_zi, "b a")
def lfilter_zi(b: Any, a: Any) -> Any:
    """Return the state of `lfilter` after a step that is long ago.

    Parameters are those of `scipy.signal.lfilter_zi`.
    """
    return _steady(*_coefficients(b, a, "lfilter_zi"))


def _sections(sos: Any, what: str) -> list[tuple[Any, Any]]:
    if rank(sos) != 2 or sizes(sos)[1] != 6:
        raise ValueError(f"{what}: sos array must be shape (n_sections, 6), got {sizes(sos)}")
    if isinstance(sos, Symbol):
        raise refused(
            f"signal.{what} of a symbol", "sos[:, 3] must be 1, which a symbol is not.", "Stack it with ones."
        )
    if not np.all(ndarray_of(sos)[:, 3] == 1):
        raise ValueError("sos[:, 3] should be all ones")
    one = np.ones(1, sos.dtype)
    return [(s[:3], row_function("cat")([one, s[4:]], 0)) for s in (sos[k] for k in range(sizes(sos)[0]))]


def _by_sections(sections: Any, x: Any, states: Any) -> tuple[Any, Any]:
    ends = []
    for k, (b, a) in enumerate(sections):
        x, end = _filtered(b, a, x, None if states is None else states[k])
        ends.append(end)
    return x, None if states is None else np.stack(ends)


@mirrored(_scipy.sosfilt, "sos x zi")
def sosfilt(sos: Any, x: Any, axis: int, zi: Any) -> Any:
    """Return a signal filtered by second-order sections, one behind the other.

    Parameters are those of `scipy.signal.sosfilt`; ``sos[:, 3]`` must be 1, and its gradient is 0.
    """
    sections = _sections(sos, "sosfilt")
    axis = axis_of(axis, rank(x))
    x = np.moveaxis(x, axis, -1)
    if zi is None:
        return np.moveaxis(_by_sections(sections, x, None)[0], -1, axis)
    lead = sizes(x)[:-1]
    wanted = (len(sections), *lead[:axis], 2, *lead[axis:])
    if sizes(zi) != wanted:
        raise ValueError(f"Invalid zi shape. With axis={axis}, zi must have shape {wanted}, got {sizes(zi)}.")
    y, ends = _by_sections(sections, x, np.moveaxis(zi, axis + 1, -1))
    return np.moveaxis(y, -1, axis), np.moveaxis(ends, -1, axis + 1)


def _steady_sections(sections: Any) -> Any:
    states, scale = [], 1.0
    for b, a in sections:
        states.append(scale * _steady(b, a))
        scale = scale * (b.sum() / a.sum())
    return np.stack(states)


@mirrored(_scipy.sosfilt_zi, "sos")
def sosfilt_zi(sos: Any) -> Any:
    """Return the states of `sosfilt` after a step that is long ago.

    Parameters are those of `scipy.signal.sosfilt_zi`.
    """
    return _steady_sections(_sections(sos, "sosfilt_zi"))


def _extended(x: Any, padtype: str | None, edge: int) -> Any:
    """The last axis with as many entries more on both sides."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    if sizes(x)[-1] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    if not edge:
        return x
    before, behind = np.flip(x[..., 1 : edge + 1], -1), np.flip(x[..., -edge - 1 : -1], -1)
    if padtype == "odd":
        before, behind = 2 * x[..., :1] - before, 2 * x[..., -1:] - behind
    elif padtype == "constant":
        before, behind = x[..., :1] + 0 * before, x[..., -1:] + 0 * behind
    return row_function("cat")([before, x, behind], rank(x) - 1)


def _to_and_fro(run: Any, x: Any, edge: int) -> Any:
    y = run(np.flip(run(x), -1))
    y = np.flip(y, -1)
    return y[..., edge:-edge] if edge else y


@mirrored(_scipy.filtfilt, "b a x")
def filtfilt(b: Any, a: Any, x: Any, axis: int, padtype: str | None, padlen: int | None, method: str) -> Any:
    """Return a signal filtered forwards and backwards, which shifts no phase.

    Parameters are those of `scipy.signal.filtfilt`; ``method="gust"`` is refused.
    """
    if method != "pad":
        raise refused(f"signal.filtfilt(method={method!r})", "Gustafsson's method has no rule.", "Take method='pad'.")
    b, a = _coefficients(b, a, "filtfilt")
    count = 3 * max(sizes(a)[0], sizes(b)[0]) if padlen is None else padlen
    edge = 0 if padtype is None else count
    wide = _extended(np.moveaxis(x, axis, -1), padtype, edge)
    state = _steady(b, a)
    return np.moveaxis(_to_and_fro(lambda v: _filtered(b, a, v, state * v[..., :1])[0], wide, edge), -1, axis)


@mirrored(_scipy.sosfiltfilt, "sos x")
def sosfiltfilt(sos: Any, x: Any, axis: int, padtype: str | None, padlen: int | None) -> Any:
    """Return a signal filtered by second-order sections forwards and backwards.

    Parameters are those of `scipy.signal.sosfiltfilt`.
    """
    sections = _sections(sos, "sosfiltfilt")
    numbers = ndarray_of(sos)
    taps = 2 * len(sections) + 1 - min((numbers[:, 2] == 0).sum(), (numbers[:, 5] == 0).sum())
    edge = 0 if padtype is None else int(3 * taps) if padlen is None else padlen
    wide, state = _extended(np.moveaxis(x, axis, -1), padtype, edge), _steady_sections(sections)

    def run(v: Any) -> Any:
        return _by_sections(sections, v, [state[k] * v[..., :1] for k in range(len(sections))])[0]

    return np.moveaxis(_to_and_fro(run, wide, edge), -1, axis)


# ----------------------------------------------- Division of polynomials and the analytic signal, under SciPy's names


@mirrored(_scipy.hilbert, "x")
def hilbert(x: Any, N: Any, axis: int) -> Any:
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
    return np.fft.ifft(np.fft.fft(x, n, axis) * resized(mirrored_twice(n, axis, x, 2.0), n, 0), axis=axis)


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
