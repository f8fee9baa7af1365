"""Checks for tests: `assert_close` for values, `gradcheck` for derivatives, `check_row` for operations of your own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._config import real_of
from .autograd import grad
from .autograd._gradcheck import gradcheck, gradgradcheck
from .ops import FUNCTIONS, known_values
from .ops import set_public_names as _settle

_TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
    check_device: bool = True,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an AssertionError unless two values, or containers of them, have close entries and the same shapes.

    Entries are close where ``|actual - expected| <= atol + rtol * |expected|``.

    Parameters
    ----------
    actual, expected : tensors, arrays, numbers, or sequences and mappings of them
    rtol, atol : both or neither; by default by the dtype, 1e-7 for float64, 1.3e-6 and 1e-5 for float32, 0 for integers
    equal_nan : whether nan is close to nan
    check_dtype : whether dtypes must agree (a Python number has none)
    check_device : there is but one device
    msg : what the error says, or a function that makes it of what it would have said

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.testing.assert_close(sg.tensor([0.1]) * 3, sg.tensor([0.3]))
    >>> sg.testing.assert_close({"a": [1, 2]}, {"a": [1, 3]})
    Traceback (most recent call last):
    AssertionError: Scalars are not equal!
    <BLANKLINE>
    Expected 3 but got 2.
    Absolute difference: 1
    Relative difference: 0.333333
    <BLANKLINE>
    The failure occurred for item ['a'][1]
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, "
            f"but got no {'rtol' if rtol is None else 'atol'}."
        )
    found, place = _difference(actual, expected, (rtol, atol), equal_nan, check_dtype, "")
    if found:
        found += f"\n\nThe failure occurred for item {place}" if place else ""
        raise AssertionError(msg(found) if callable(msg) else msg or found)


def _difference(a: Any, b: Any, tolerance: Any, *options: Any) -> tuple[str, str]:
    """How two values differ (empty: they do not), and at which item of the containers."""
    *how, place = options
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if set(a) != set(b):
            missing, more = [k for k in b if k not in a], [k for k in a if k not in b]
            return f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {missing}\n" + (
                f"Additional keys in the actual mapping: {more}"
            ), place
        pairs = [(key, a[key], b[key]) for key in a]
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
        if len(a) != len(b):
            return f"The length of the sequences mismatch: {len(a)} != {len(b)}", place
        pairs = list(zip(range(len(a)), a, b, strict=True))
    elif a is None or b is None:
        return "" if a is b else f"None mismatch: {a} is not {b}", place
    else:
        return _of_arrays(a, b, tolerance, *how), place
    for key, x, y in pairs:
        found = _difference(x, y, tolerance, *how, f"{place}[{key!r}]")
        if found[0]:
            return found
    return "", ""


def _of_arrays(actual: Any, expected: Any, tolerance: Any, equal_nan: bool, check_dtype: bool) -> str:
    a, b = (np.asarray(known_values(x, "assert_close")) for x in (actual, expected))
    if a.dtype.kind not in "fciub" or b.dtype.kind not in "fciub":
        raise TypeError(
            f"assert_close compares numbers, and was given a {type(actual).__name__} and a {type(expected).__name__}"
        )
    if a.shape != b.shape:
        return f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}."
    typed = hasattr(actual, "dtype") and hasattr(expected, "dtype")
    if check_dtype and typed and a.dtype != b.dtype:
        return f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}."
    rtol, atol = tolerance if tolerance[0] is not None else _tolerances(a.dtype, b.dtype)
    wide = np.result_type(a, b, np.float64)
    with np.errstate(all="ignore"):
        far, size = np.abs(np.subtract(a, b, dtype=wide)), np.abs(b.astype(wide))
        near = (a == b) if rtol == atol == 0 else (a == b) | (np.isfinite(far) & (far <= atol + rtol * size))
        near |= equal_nan & np.isnan(a) & np.isnan(b)
        far, ratio = np.where(near, 0, far), np.where(near, 0, far / size)
    return "" if near.all() else _report(a, b, far, ratio, near, rtol, atol)


def _tolerances(*dtypes: np.dtype[Any]) -> tuple[float, float]:
    each = [_TOLERANCES.get(real_of(d).name, (0.0, 0.0)) for d in dtypes]
    return max(r for r, _ in each), max(t for _, t in each)


def _report(a: Any, b: Any, far: Any, ratio: Any, near: Any, rtol: float, atol: float) -> str:
    exact = rtol == atol == 0
    what, wrong = "equal" if exact else "close", near.size - int(near.sum())
    if a.ndim:
        share = f"{wrong} / {near.size} ({wrong / near.size:.1%})"
        lines = [f"Tensor-likes are not {what}!\n\nMismatched elements: {share}"]
    else:
        lines = [f"Scalars are not {what}!\n\nExpected {b} but got {a}."]
    for word, values, limit in (("absolute", far, atol), ("relative", ratio, rtol)):
        worst = np.unravel_index(np.argmax(np.where(np.isnan(values), np.inf, values)), values.shape)
        text = f"{f'Greatest {word}' if a.ndim else word.capitalize()} difference: {values[worst]:g}"
        text += f" at index {tuple(map(int, worst))}" if a.ndim else ""
        lines.append(text + ("" if exact else f" (up to {limit:g} allowed)"))
    return "\n".join(lines)


def check_row(row: Any, *operands: Any, params: tuple[Any, ...] = ()) -> None:
    """Raise unless an operation of one's own, declared as a row of the table, is right at these operands.

    Its first and second derivatives, in both sweeps and for batches, are compared with differences; its formula, its
    gradients' and its SymPy twin with its numbers.

    Parameters
    ----------
    row : what `elementwise`, `linear`, `multilinear` or `general` returned, of one result
    operands : numbers or arrays inside the domain, away from kinks
    params : the row's other parameters

    Raises
    ------
    GradcheckError, FormulaError, AssertionError : what is wrong, and where

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.testing.check_row(sg.hypot, [0.5, 1.0], 2.0)
    """
    op = row.op
    tensor = FUNCTIONS["tensor"]
    arrays = [np.array(a, dtype=np.float64) for a in operands]

    def call(*ts: Any) -> Any:
        return op.apply(*ts, *params)

    def leaves(values: Any) -> list[Any]:
        return [tensor(a, requires_grad=True, name=n) for a, n in zip(values, op.inputs, strict=True)]

    xs = leaves(arrays)
    gradcheck(call, tuple(xs), check_forward_ad=True, check_batched_grad=True)
    gradgradcheck(call, tuple(xs))
    y = call(*xs)
    for t in (y, *grad(y.sum(), xs, create_graph=True)):
        assert_close(t.formula()(), t.detach().numpy(), check_dtype=False)
    if isinstance(op.sympy, str):
        call(*leaves([a.flat[0] for a in arrays])).sympy()


__all__ = ["assert_close", "check_row", "gradcheck", "gradgradcheck"]

_settle(__name__, globals(), ["assert_close", "check_row"])
