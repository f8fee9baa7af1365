"""Complex tensors from their parts, and back.

These operations are not holomorphic: their rules speak PyTorch's convention (the gradient of a real function is its
conjugate Wirtinger derivative) themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _config
from .._errors import DTypeError, ShapeError
from ..core import elementwise, linear
from ._public import public

complex_row = elementwise(
    "complex", lambda a, b: a + 1j * b, lambda g: np.real(g), lambda g: np.imag(g),
    holomorphic=False, own_dtype=True, doc="a + ib",
)  # fmt: skip
polar_row = elementwise(
    "polar", lambda a, b: a * np.exp(1j * b), lambda g, b: np.real(g * np.exp(-1j * b)),
    lambda g, a, b: a * np.imag(g * np.exp(-1j * b)), holomorphic=False, own_dtype=True, doc="a * exp(ib)",
)  # fmt: skip
view_as_real_row = linear(
    "view_as_real", lambda x: x.view(x.real.dtype).reshape((*x.shape, 2)), lambda g: view_as_complex_row(g),
    view=True, holomorphic=False, own_dtype=True,
    sample=lambda rng: ([rng.normal(size=3) + 1j * rng.normal(size=3)], ()),
    doc="the parts of complex numbers along a new last dimension",
)  # fmt: skip
view_as_complex_row: Any = linear(
    "view_as_complex", lambda x: np.ascontiguousarray(x).view(_config.complex_of(x.dtype))[..., 0],
    lambda g: view_as_real_row(g),
    view=True, holomorphic=False, own_dtype=True, sample=lambda rng: ([rng.normal(size=(3, 2))], ()),
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
        if getattr(t, "dtype", None) is not None and t.dtype.kind != "f":
            raise DTypeError(
                f"{what}: Expected both inputs to be Half, Float or Double tensors but got {t.dtype}", "",
                "Cast it first.",
            )


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
    if input.dtype.kind != "f":
        raise DTypeError(f"view_as_complex is only supported for half, float and double tensors, but got {input.dtype}")
    if input.ndim == 0 or input.shape[-1] != 2:
        raise ShapeError(
            "Tensor must have a last dimension of size 2", f"Got shape {tuple(input.shape)}.", "Stack the parts last.",
        )
    return view_as_complex_row(input)
