"""Views in which dimensions of size 1 repeat: expand, broadcast_to and kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._device import Size
from ..._errors import ShapeError
from ...core import NUMPY, mismatch
from .._dims import sizes, spread
from .._numpy_arguments import tensor_like
from .._public import public, publish
from ..reduce._reduce import expand as expand_row


def expand(self: Any, *sizes_: Any, size: Any = None) -> Any:
    """Return a view in which dimensions of size 1 (and new leading ones) repeat; -1 keeps a size."""
    return expand_row(self, _expanded(sizes(self), spread(sizes_ if size is None else (size,))))


def _expanded(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    lead = len(target) - len(shape)
    if lead < 0:
        raise ShapeError(
            f"expand(tensor of {list(shape)}, size={list(target)}): the number of sizes provided ({len(target)}) "
            "must be greater or "
            f"equal to the number of dimensions in the tensor ({len(shape)})",
            "",
            "",
        )
    out = []
    for k, size in enumerate(target):
        own = shape[k - lead] if k >= lead else 1
        if size == -1:
            if k < lead:
                raise ShapeError(
                    f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {k}",
                    "",
                    "",
                )
            size = own
        if own not in (1, size) or size < 0:
            raise ShapeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({own}) at non-singleton "
                f"dimension {k}.  "
                f"Target sizes: {list(target)}.  Tensor sizes: {list(shape)}",
                "Only dimensions of size 1 repeat.",
                "repeat() copies.",
            )
        out.append(size)
    return tuple(out)


def expand_as(self: Any, other: Any) -> Any:
    """Return `expand` to the shape of ``other``."""
    return expand(self, sizes(other))


publish(expand, "expand", function=False)
publish(expand_as, "expand_as", function=False)


@public()
def broadcast_to(input: Any, size: Any) -> Any:
    """Return a view of shape ``size`` in which dimensions of size 1 repeat."""
    return expand(input, size)


NUMPY[np.broadcast_to] = lambda array, shape, subok=False: expand(array, shape)


@public(method=False)
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Return the tensors as views of the one shape that they broadcast to."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    tensors = tuple(map(tensor_like, tensors))
    shape = broadcast_shapes(*map(sizes, tensors))
    return tuple(x if sizes(x) == shape else expand(x, shape) for x in tensors)


NUMPY[np.broadcast_arrays] = lambda *args, subok=False: broadcast_tensors(*args)


@public(method=False)
def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that shapes broadcast to."""
    out: tuple[int, ...] = ()
    for shape in shapes:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        words = mismatch(out, shape)
        if words:
            raise ShapeError(words, f"The shapes are {shapes}.", "Insert dimensions of size 1.")
        out = np.broadcast_shapes(out, shape)
    return Size(out)
