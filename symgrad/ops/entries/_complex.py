"""Complex tensors from their parts, and back.

Of a real part only the real part of a gradient is left, as everywhere (`core`); the views between complex numbers and
pairs speak PyTorch's convention themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _config
from ..._errors import DTypeError, ShapeError
from ...core import Tensor, elementwise, linear
from .._dims import kind_of
from .._public import public


def _parts(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "f":  # in a formula, where zeros and numbers that happen to be real have no other type
        x = x.astype(_config.complex_of(x.dtype))
    return x[..., None].view(x.real.dtype)


def _pairs(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind != "f":
        raise DTypeError(
            f"view_as_complex is only supported for real float tensors, but got {x.dtype}", "", "Cast it first."
        )  # fmt: skip
    dtype = _config.complex_of(x.dtype)
    if x.ndim and x.strides[-1] == x.itemsize:
        return x.view(dtype)[..., 0]
    return np.ascontiguousarray(x).view(dtype)[..., 0].copy()  # with no base of its own it counts as a copy


def _polar(a: Any, b: Any) -> Any:
    y = a * np.exp(b * 1j)
    arrays = [v.dtype for v in (a, b) if isinstance(v, np.ndarray)]  # a number among them does not widen the other
    return y.astype(_config.complex_of(np.result_type(*arrays)), copy=False) if arrays else y


def _joined(a: Any, b: Any) -> Any:
    """Not a + 1j b, which is NaN beside an infinity and loses a zero's sign, which says the side of a cut."""
    y = np.empty(np.broadcast_shapes(np.shape(a), np.shape(b)), np.result_type(a, b, np.complex64))
    y.real, y.imag = a, b
    return y


complex_row = elementwise("complex", _joined, 1, lambda g: g * 1j, own_dtype=True, doc="a + ib")
polar_row = elementwise(
    "polar", _polar, lambda b: np.exp(b * 1j), lambda y: y * 1j, own_dtype=True, doc="a * exp(ib)"
)  # fmt: skip
view_as_real_row = linear(
    "view_as_real", _parts, lambda g: view_as_complex_row(g),
    view=True, holomorphic=False, own_dtype=True,
    last=0, sample=lambda rng: ([rng.normal(size=3) + 1j * rng.normal(size=3)], ()),
    doc="the parts of complex numbers along a new last dimension",
)  # fmt: skip
view_as_complex_row: Any = linear(
    "view_as_complex", _pairs,
    lambda g: view_as_real_row(g),
    view=True, holomorphic=False, own_dtype=True, last=1, sample=lambda rng: ([rng.normal(size=(3, 2))], ()),
    doc="the complex numbers whose parts lie along the last dimension",
)  # fmt: skip


@public(method=False)
def complex_(real: Any, imag: Any) -> Any:
    """Return the complex tensor of two real ones; differentiable in both."""
    _expect_real("complex", real, imag)
    return complex_row(real, imag)


@public(method=False)
def polar(abs: Any, angle: Any) -> Any:
    """Return the complex tensor of absolute values and angles (in radians); differentiable in both."""
    _expect_real("polar", abs, angle)
    return polar_row(abs, angle)


def _expect_real(what: str, *parts: Any) -> None:
    for t in parts:
        if kind_of(t) not in ("", "f"):
            raise DTypeError(f"{what}: Expected both inputs to be real float tensors but got {t.dtype}", "", "Cast it.")


@public(method=False)
def view_as_real(input: Any) -> Any:
    """Return a view of a complex tensor as real numbers, its parts along a new last dimension of size 2."""
    if input.dtype.kind != "c":
        raise DTypeError(
            "view_as_real is only supported for complex tensors", f"Got {input.dtype}.", "Use complex(real, imag)."
        )
    return view_as_real_row(input)


@public(method=False)
def view_as_complex(input: Any) -> Any:
    """Return a view of a real tensor, whose last dimension has size 2, as complex numbers."""
    if input.ndim == 0 or input.shape[-1] != 2:
        raise ShapeError(
            "Tensor must have a last dimension of size 2",
            f"Got shape {tuple(input.shape)}.",
            "Stack the parts last.",
        )
    data = input._data if type(input) is Tensor else input
    if isinstance(data, np.ndarray) and data.size and data.strides[-1] != data.itemsize:
        raise ShapeError(  # a copy would not be a view: what is written to it would be lost
            "Tensor must have a last dimension with stride 1",
            f"The parts are {data.strides[-1] // data.itemsize} elements apart in memory.",
            "Use view_as_complex(x.contiguous()), or complex(x[..., 0], x[..., 1]).",
        )
    return view_as_complex_row(input)
