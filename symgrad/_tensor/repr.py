"""The text of a tensor: four digits, aligned columns, nested brackets, PyTorch's suffixes.

The idea to hold: one *column style* is chosen for the whole array by looking at every number that will be shown
(are they all integers, how far apart are the largest and the smallest), and then each number is written in that
style, padded to one common width. Everything else is laying out strings in nested brackets.

The result equals PyTorch's for the same values, so that output in PyTorch documents and notebooks can be compared
by eye or by ``==``.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._config import spoken_name

Writer = Callable[[Any], str]


@dataclass(frozen=True)
class _Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": _Options(),
    "short": _Options(precision=2, edgeitems=2),
    "full": _Options(threshold=math.inf),
}

_options = _PROFILES["default"]


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are printed, for the whole process.

    Parameters
    ----------
    precision : int, optional
        Digits after the point (default 4).
    threshold : float, optional
        Tensors with more elements than this are summarised with ``...`` (default 1000).
    edgeitems : int, optional
        Elements shown at each end of a summarised dimension (default 3).
    linewidth : int, optional
        Columns after which a row of numbers is broken (default 80).
    profile : {"default", "short", "full"}, optional
        A named set of the four above, applied before them.
    sci_mode : bool, optional
        True or False forces scientific notation on or off; None lets the values decide. As in PyTorch, each call
        sets this one: leaving it out returns to None.

    Examples
    --------
    >>> import numpy as np
    >>> from symgrad._tensor.repr import format_tensor, set_printoptions
    >>> set_printoptions(precision=2)
    >>> format_tensor(np.array([1.12345]))
    'tensor([1.12])'
    >>> set_printoptions(profile="default")
    >>> format_tensor(np.array([1.12345]))
    'tensor([1.1235])'
    """
    global _options
    if profile is not None and profile not in _PROFILES:
        raise ValueError(
            f"set_printoptions: unknown profile {profile!r}. Choose one of {', '.join(map(repr, _PROFILES))}."
        )
    base = _options if profile is None else _PROFILES[profile]
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = replace(base, sci_mode=sci_mode, **changes)


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set print options inside a ``with`` block and restore the earlier ones after it.

    Parameters
    ----------
    **options
        Those of `set_printoptions`.

    Examples
    --------
    >>> import numpy as np
    >>> from symgrad._tensor.repr import format_tensor, printoptions
    >>> with printoptions(sci_mode=True, precision=1):
    ...     format_tensor(np.array([1234.5]))
    'tensor([1.2e+03])'
    """
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


def format_tensor(
    data: np.ndarray,
    *,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    name: str | None = None,
    default_float: Any = np.float64,
    tangent: str | None = None,
) -> str:
    """Write a tensor as PyTorch does.

    Parameters
    ----------
    data : ndarray
        The values, of any shape.
    requires_grad : bool
        Whether to say ``requires_grad=True``; a `grad_fn_name` says more and replaces it.
    grad_fn_name : str, optional
        Name of the node that made the tensor, as in ``grad_fn=<MulBackward0>``.
    name : str, optional
        The user's name of the tensor.
    default_float : dtype
        The float dtype that goes without saying. Its complex partner, int64 and bool do too.
    tangent : str, optional
        The text of its tangent.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from symgrad._tensor.repr import format_tensor
    >>> print(format_tensor(np.array([[1.5, -2.0], [0.25, 10.0]]), requires_grad=True))
    tensor([[ 1.5000, -2.0000],
            [ 0.2500, 10.0000]], requires_grad=True)
    >>> print(format_tensor(np.array(6.0), grad_fn_name="MulBackward0"))
    tensor(6., grad_fn=<MulBackward0>)
    """
    prefix = "tensor("
    indent = len(prefix)
    text = prefix + _body(data, indent)
    suffixes = _value_suffixes(data, np.dtype(default_float))
    if name is not None:
        suffixes.append(f"name={name!r}")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    return _append_suffixes(text, suffixes, indent)


def _value_suffixes(data: np.ndarray, default_float: np.dtype) -> list[str]:
    """List what the printed numbers do not tell: the shape of nothing, an unusual dtype."""
    empty = data.size == 0
    suffixes = []
    # An empty vector is `[]`; any other shape, and a tensor whose every element is elided, has to be told.
    if (empty and data.ndim != 1) or (not empty and not _options.edgeitems):
        suffixes.append(f"size={data.shape}")
    if empty:
        # No element shows whether this is `[]` of integers or of floats.
        silent = data.dtype == default_float
    else:
        default_complex = np.complex128 if default_float == np.float64 else np.complex64
        silent = data.dtype in (default_float, np.dtype(default_complex), np.dtype(np.int64), np.dtype(bool))
    if not silent:
        suffixes.append(f"dtype={spoken_name()}.{data.dtype.name}")
    return suffixes


def _append_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Append ``, suffix`` each, beginning a new line where the current one is full."""
    # The two beyond the text itself (counted from the newline) are what PyTorch counts; line breaks must agree.
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def _body(data: np.ndarray, indent: int) -> str:
    """Write the numbers and their brackets."""
    if data.size == 0:
        return "[]"
    summarize = data.size > _options.threshold
    write, width = _element_writer(_edges(data) if summarize else data)
    return _nested(data, indent, summarize, write, width)


def _edges(data: np.ndarray) -> np.ndarray:
    """Keep the elements that a summary shows: both ends of every dimension."""
    keep = _options.edgeitems
    for axis, length in enumerate(data.shape):
        if length > 2 * keep:
            data = data.take([*range(keep), *range(length - keep, length)], axis=axis)
    return data


def _nested(data: np.ndarray, indent: int, summarize: bool, write: Writer, width: int) -> str:
    if data.ndim == 0:
        return write(data.item())
    keep = _options.edgeitems
    elide = summarize and len(data) > 2 * keep
    if data.ndim == 1:
        return _row(data, indent, elide, write, width)
    shown = [*data[:keep], *data[len(data) - keep :]] if elide else list(data)
    blocks = [_nested(block, indent + 1, summarize, write, width) for block in shown]
    if elide:
        blocks.insert(keep, "...")
    separator = "," + "\n" * (data.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join(blocks) + "]"


def _row(data: np.ndarray, indent: int, elide: bool, write: Writer, width: int) -> str:
    """Write a vector, broken into lines of as many elements as fit."""
    keep = _options.edgeitems
    if elide:
        # The blank keeps the dots apart from the number before them when columns are one character wide.
        dots = " ..." if keep else "..."
        cells = [
            *map(write, data[:keep].tolist()),
            dots,
            *map(write, data[len(data) - keep :].tolist()),
        ]
    else:
        cells = [write(value) for value in data.tolist()]
    per_line = max(1, (_options.linewidth - indent) // (width + len(", ")))
    lines = [", ".join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _element_writer(shown: np.ndarray) -> tuple[Writer, int]:
    """Choose the style for these values; return the function that writes one of them, and the column's width."""
    if not np.iscomplexobj(shown):
        return _number_writer(shown)
    write_real, real_width = _number_writer(shown.real)
    write_imag, imag_width = _number_writer(shown.imag)

    def write(value: complex) -> str:
        imag = write_imag(value.imag).lstrip()
        return write_real(value.real) + ("" if imag.startswith("-") else "+") + imag + "j"

    return write, real_width + imag_width + len("j")


def _number_writer(shown: np.ndarray) -> tuple[Writer, int]:
    if shown.dtype.kind != "f":
        width = max(map(len, map(str, shown.ravel().tolist())), default=1)
        return (lambda value: str(value).rjust(width)), width

    # Zeros, infinities and NaNs have no say in the style, nor in the width: PyTorch lets them stick out.
    finite = shown[np.isfinite(shown) & (shown != 0)]
    whole = bool((finite == np.ceil(finite)).all())
    if finite.size and _needs_exponent(np.abs(finite)):
        spec = f".{_options.precision}e"
        point = ""
    elif whole:
        spec = ".0f"
        point = "."  # says that these integers are floats
    else:
        spec = f".{_options.precision}f"
        point = ""

    def text(value: float) -> str:
        return format(value, spec) + (point if math.isfinite(value) else "")

    width = max(map(len, map(text, finite.tolist())), default=1)
    return (lambda value: text(value).rjust(width)), width


def _needs_exponent(magnitudes: np.ndarray) -> bool:
    """Tell whether four digits after the point would lose, or bury, some of these numbers."""
    if _options.sci_mode is not None:
        return _options.sci_mode
    smallest, largest = float(magnitudes.min()), float(magnitudes.max())
    return largest > 1e8 or smallest < 1e-4 or largest / smallest > 1000.0
