"""Forward-mode derivatives, as an operation runs: a tensor with a tangent, and what is computed from it.

The idea to hold: a tangent is a direction in which a tensor moves. `make_dual` gives it one, every operation computes
that of its result, `unpack_dual` reads it: the Jacobian times the direction, with nothing recorded.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._errors import DTypeError, GradientError, ShapeError
from ..core import Level, Symbol, Tensor, modes, setting, tangent_of, wrap
from ..ops import METHODS
from ..sweep import set_tangent
from ._modes import _Mode


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, None if it does not move."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Begin a level: from here on there can be tangents. There is one at a time. Returns its number, 0.

    Raises
    ------
    GradientError : inside another level

    Examples
    --------
    >>> import symgrad as sg
    >>> level = sg.autograd.forward_ad.enter_dual_level()
    >>> sg.autograd.forward_ad.exit_dual_level(level=level)
    """
    if modes.dual_level.get() is not None:
        raise GradientError(
            "Nested forward mode AD is not supported at the moment",
            "A level of forward-mode derivatives is open already.",
            "For derivatives of higher order nest sg.jvp, or take a gradient inside the level.",
        )
    modes.dual_level.set(Level())
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level; the tangents that exist in it are forgotten.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.autograd.forward_ad.exit_dual_level()
    Traceback (most recent call last):
      ...
    symgrad.GradientError: Dual level must be a positive number.
    No level of forward-mode derivatives is open.
    Enter one first.
    """
    now = modes.dual_level.get()
    if now is None:
        raise GradientError(
            "Dual level must be a positive number.", "No level of forward-mode derivatives is open.", "Enter one first."
        )
    if level:
        raise GradientError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported.",
            f"The level that is open is 0, not {level}.",
            "Exit that.",
        )
    modes.dual_level.set(None)
    now.end()


class dual_level(_Mode):
    """A level of forward-mode derivatives, as a block or around a function.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.autograd.forward_ad as fwAD
    >>> x, t = sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0])
    >>> with fwAD.dual_level():
    ...     y = fwAD.make_dual(x, t) ** 3
    ...     fwAD.unpack_dual(y).tangent
    tensor([  3., 120.])
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()


def _require_numbers(t: Any, what: str) -> None:
    if not isinstance(t, Tensor):
        raise DTypeError(f"make_dual expects tensors, got {type(t).__name__!r} as {what}", "", "Wrap it: sg.tensor(…).")
    if t._data.dtype.kind not in "fc":
        raise ValueError(f"Expected {what} to be floating point or complex, but got: {t._data.dtype}")


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a tensor of the same memory and history that moves along ``tangent`` until the level ends.

    Parameters
    ----------
    tensor : what moves, of floating-point or complex numbers
    tangent : the direction, of its shape. Where it has a history, what `unpack_dual` finds can be differentiated by it

    Raises
    ------
    GradientError : there is no level; the tensor has a tangent already
    ShapeError : the tangent is of another shape

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     fwAD.unpack_dual(sg.sin(fwAD.make_dual(sg.zeros(2), sg.tensor([1.0, 5.0]))))
    UnpackedDualTensor(primal=tensor([0., 0.]), tangent=tensor([1., 5.]))

    The gradient of a dual is a dual: the Hessian times the tangent.

    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> with fwAD.dual_level():
    ...     g, = sg.autograd.grad((fwAD.make_dual(x, sg.tensor([1.0, 10.0])) ** 3).sum(), x)
    ...     fwAD.unpack_dual(g).tangent
    tensor([  6., 120.])
    """
    now = modes.dual_level.get()
    if now is None:
        raise GradientError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.",
            "", "Write it inside `with sg.autograd.forward_ad.dual_level():`.",
        )  # fmt: skip
    if level:
        raise GradientError(f"Invalid level given to make_dual: {level}", "There is one level, 0.", "Leave it out.")
    _require_numbers(tensor, "primal")
    _require_numbers(tangent, "tangent")
    if type(tensor) is Symbol or type(tangent) is Symbol:
        raise DTypeError("make_dual takes numbers, got a symbol", "", "sg.jvp(f, (x,), (t,)) gives the formula.")
    if tangent_of(tensor) is not None:
        raise GradientError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported.", "", "Add the tangents, or start from the primal of unpack_dual.",
        )  # fmt: skip
    if tangent._data.shape != tensor._data.shape:
        raise ShapeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor._data.shape)} while the given forward gradient is of size "
            f"{list(tangent._data.shape)}.",
            "A tangent is a direction in which the tensor moves.", "Give it the tensor's shape.",
        )  # fmt: skip
    if tangent._data.dtype.kind == "c" and tensor._data.dtype.kind != "c":
        raise DTypeError("a real tensor moves in a real direction", "The tangent is complex.", "Take its real part.")
    return set_tangent(_alias(tensor), tangent)


def _alias(t: Tensor) -> Tensor:
    """Another tensor of the same memory and history that is no dual."""
    if t._node is None:
        return wrap(t._data[...])
    with setting(modes.dual_level, None):
        return METHODS["view_as"](t, t)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return a tensor without its tangent, and the tangent: None if it does not move, or if its level is over.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(sg.tensor(2.0), sg.tensor(1.0))
    ...     y = fwAD.unpack_dual(x * x)
    >>> y.primal, y.tangent
    (tensor(4.), tensor(4.))
    """
    if not isinstance(tensor, Tensor):
        raise DTypeError(f"unpack_dual expects a tensor, got {type(tensor).__name__!r}", "", "Pass the tensor itself.")
    cell = None if level else tangent_of(tensor)
    return UnpackedDualTensor(_alias(tensor), None if cell is None else cell.get())
