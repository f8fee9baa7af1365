"""Copies: of values, into another dtype, into another tensor's memory.

The last kind is what an in-place write looks like to the graph: a new value of which a part was copied from elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _config
from ..._errors import DTypeError, ShapeError, SymbolicBranchError
from ..._typing import as_dtype, in_dtype
from ...core import (
    NUMPY,
    Dual,
    Symbol,
    Tensor,
    check_writable,
    content,
    elementwise,
    general,
    has_history,
    is_shared_with_user,
    linear,
    mark_overwritten,
    mismatch,
    modes,
    storage,
    unwrap,
    wrap,
    write_result,
)
from ..arguments import kind_of, rests_on_values, sizes, unexpandable
from ..public import FUNCTIONS, METHODS, public
from ..samples import sampled

clone_row = linear(
    "clone", lambda x, order: x.copy(_order(x, order)), lambda g: g, reshapes=True, means="option", last=0,
    sample=("K",), doc="a copy of x"
)  # fmt: skip
cast_row = linear(
    "cast",
    lambda x, dtype: x.astype(dtype, _order(x, "K")),
    lambda g: g,
    own_dtype=True,
    means="option",
    last=0,
    sample=(np.dtype(np.float64),),
    doc="x in another dtype",
)


def _order(x: np.ndarray, order: Any) -> Any:
    """``order``; C order for what was broadcast, whose order in memory says nothing."""
    return "C" if 0 in x.strides else order


def cast(x: Any, dtype: Any) -> Any:
    """``x`` in ``dtype`` (None: as it is)."""
    if dtype is None:
        return x
    target = as_dtype(dtype)
    return x if getattr(x, "dtype", None) == target else cast_row(x, target)


def beside(x: Any, other: Any) -> Any:
    """``x``, whole numbers or truth values, in the dtype of ``other`` if that is of floats: a rule that counts with
    them would give a short float a gradient in double."""
    floats = isinstance(other, Tensor) and kind_of(other) in ("f", "c")
    return cast(x, other._data.dtype) if floats and kind_of(x) in ("b", "i", "u") else x


def blank(x: Any) -> Any:
    """Zeros like an array or a tensor: what does not move, or was overwritten (``0 * x`` would keep infinities)."""
    return wrap(np.zeros_like(x._data)) if isinstance(x, Tensor) else np.zeros_like(x)


zero_row = linear(
    "zero",
    lambda x: np.zeros_like(x),
    lambda g: blank(g),
    last=0,
    sample=sampled(of=[(2, 3)]),
    doc="zeros like x",
)
fill_row = elementwise(
    "fill",
    lambda x, value: np.full_like(x, value),
    lambda g: blank(g),
    domain="real",
    sample=(2.0,),
    doc="a tensor like x that holds one value",
)
fill_tensor_row = elementwise(
    "fill_tensor",
    lambda a, b: np.full_like(a, b),
    lambda g: blank(g),
    1,
    label="fill",
    doc="a tensor like a that holds the value b",
)


def _copied(a: Any, b: Any) -> np.ndarray:
    a, b = np.asarray(a), np.asarray(b)
    if b.shape != a.shape:
        b = np.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape))
    return b[...] if b.dtype == a.dtype else b.astype(a.dtype)


# `write_result` copies the result into a's memory, so a view of b will do here
copy_row = elementwise(
    "copy_from",
    _copied,
    lambda g: blank(g),
    1,
    own_dtype=True,
    doc="b, in the shape and dtype of a",
)


_OF_COMPLEX = ("real", "imag", "view_as_real")


def _replaced(base: np.ndarray, value: Any, steps: Any) -> np.ndarray:
    out = np.array(base, order="C")
    kinds = [op.name for op, _ in steps if op.name in _OF_COMPLEX or op.name == "view_as_complex"]
    if out.dtype.kind == "f" and kinds and kinds[0] in _OF_COMPLEX:
        out = out.astype(_config.complex_of(out.dtype))  # a formula's zeros have no other type
    view = _viewed(out, steps)
    if storage.owner(view) is out:
        view[...] = value
    else:  # a step made a copy: of memory in the order in which the tensor's lay it would be a view
        _write_by_places(out, steps, value)
    return out


def _write_by_places(out: np.ndarray, steps: Any, value: Any) -> None:
    """Write ``value`` where ``steps`` lead to, which their copy of the places says; a complex number has two."""
    parts = out.reshape(-1)
    if out.dtype.kind not in "fc":
        parts[_viewed(np.arange(out.size).reshape(out.shape), steps)] = value
        return
    places = np.arange(out.size * (1 + (out.dtype.kind == "c")), dtype=np.float64)
    if out.dtype.kind == "c":
        parts, places = parts.view(_config.real_of(out.dtype)), places.view(np.complex128)
    places = _viewed(places.reshape(out.shape), steps)
    parts[places.real.astype(np.intp)] = np.real(value)
    if places.dtype.kind == "c":
        parts[places.imag.astype(np.intp)] = np.imag(value)


def _viewed(x: np.ndarray, steps: Any) -> np.ndarray:
    for op, params in steps:
        x = op.forward(x, *params)
    return x


def _stepped(x: Any, steps: Any) -> Any:
    for op, params in steps:
        x = op.apply(x, *params)
    return x


copy_slices: Any = general(
    "copy_slices",
    _replaced,
    lambda g, steps: copy_slices(g, 0, steps),
    lambda g, steps: _stepped(g, steps),
    holomorphic=False,  # a step may be the imaginary part
    sample=sampled((), of=[(3,), (3,)]),
    doc="base, with the view of it that steps lead to replaced by value",
)


@public()
def clone(input: Any, *, memory_format: Any = None) -> Any:
    """Return a copy that is part of the graph: gradients flow through it to ``input``."""
    return clone_row(input, "K")


NUMPY[np.copy] = lambda a, order="K", subok=False: clone_row(a, order)


def copy(self: Tensor, order: str = "C") -> Tensor:
    """Return a copy that is part of the graph, as `clone` does, under NumPy's name.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.grad(lambda x: (x.copy() ** 2).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return clone_row(self, order)


def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself if its elements lie in memory in C order, else a copy that does."""
    return self if self._data.flags.c_contiguous else clone_row(self, "C")


def _recording(t: Tensor, value: Any) -> bool:
    if type(t) is Dual or type(value) is Dual:
        return True  # the tangent follows the values, whatever the mode
    if modes.mode.get() <= 0 and (type(t) is Symbol or type(value) is Symbol):
        raise SymbolicBranchError(
            "a symbol is written in place where nothing is recorded",
            "No formula would know of it: the tensor would hold what stands in for the symbol's values.",
            "Write outside no_grad, or make a new tensor (sg.cat, sg.stack, sg.where).",
        )
    if modes.mode.get() <= 0:
        return False
    return t._node is not None or has_history(value) or is_shared_with_user(t)


def _strip(value: Any, ndim: int) -> Any:
    """``value`` without the leading dimensions of size 1 that the target lacks."""
    shape = sizes(value)
    while len(shape) > ndim and shape[0] == 1:
        shape = shape[1:]
    return value if shape == sizes(value) else value.reshape(shape)


def wrote(t: Tensor, *sources: Any) -> Tensor:
    """Note that the memory of ``t`` was written just now, past the graph, from ``sources``; returns ``t``."""
    storage.stamp(t._data, seen=t._extra is None or not t._extra.untracked)
    if any(map(rests_on_values, sources)):
        mark_overwritten(t)
    return t


def overwrite(t: Tensor, value: Any, what: str) -> Tensor:
    """Copy ``value`` (broadcast, cast) into the memory of ``t``, recorded if anybody needs to know."""
    check_writable(t, what, value)
    if _recording(t, value):
        return write_result(t, copy_row(t, value), what)
    try:
        np.copyto(t._data, unwrap(value), casting="unsafe")
    except ValueError:
        words = mismatch(sizes(t), sizes(value))
        if not words:
            both = np.broadcast_shapes(sizes(t), sizes(value))
            words = f"output with shape {list(sizes(t))} doesn't match the broadcast shape {list(both)}"
        raise ShapeError(
            words, f"{what} of {list(sizes(value))} into {list(sizes(t))}.", "The value must broadcast to the target.",
        ) from None  # fmt: skip
    return wrote(t, value)


def assign(t: Tensor, value: Any) -> None:
    """What ``t[...] = value`` does: a number fills, anything else is broadcast and cast into place."""
    if isinstance(value, (int, float, complex, np.generic)):
        check_writable(t, "__setitem__")
        if _recording(t, value):
            write_result(t, fill_tensor_row(t, value), "__setitem__")
        else:
            t._data[...] = in_dtype(value, t._data.dtype, "__setitem__")
            wrote(t)
        return
    if not isinstance(value, (Tensor, np.ndarray)):
        value = gathered(value, t)
    value = _strip(value, t._data.ndim)
    words = unexpandable(sizes(value), t._data.shape)
    if words:
        raise ShapeError(words, "The value must broadcast to the part it is assigned to.", "Reshape the value.")
    overwrite(t, value, "__setitem__")


def gathered(value: Any, t: Tensor) -> Any:
    """What a list holds that is assigned to ``t``: an array; where tensors are in it a tensor, with their histories."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return FUNCTIONS["stack"]([gathered(v, t) for v in value])
    array = np.asarray(value) if isinstance(value, (list, tuple, int, float, complex, np.ndarray)) else np.asarray(None)
    if array.dtype.kind not in "biufc":
        raise DTypeError(
            f"can't assign a {type(value).__name__} to a tensor of dtype {t._data.dtype}",
            "",
            "Assign a number, a tensor or an array.",
        )
    return array


def _holds_tensors(value: Any) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and any(map(_holds_tensors, value)))


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Copy the values of ``src``, broadcast and cast, into this tensor, and return it; differentiable in ``src``."""
    return overwrite(self, content(src), "copy_")


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to ``value``, a number or a tensor of one element without dimensions, and return the tensor."""
    check_writable(self, "fill_", value)
    if isinstance(value, (Tensor, np.ndarray)):
        if unwrap(value).ndim:
            raise ShapeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {unwrap(value).ndim} dimensions.",
                "",
                "Use copy_.",
            )
        return write_result(self, _kept(fill_tensor_row(self, value), self), "fill_")
    return write_result(self, fill_row(self, in_dtype(value, self._data.dtype, "fill_")), "fill_")


def _kept(result: Tensor, t: Tensor) -> Tensor:
    return result if result._data.dtype == t._data.dtype else wrap(result._data.astype(t._data.dtype), result._node)


def zero_(self: Tensor) -> Tensor:
    """Set every element to zero and return the tensor."""
    check_writable(self, "zero_")
    if _recording(self, None):
        return write_result(self, zero_row(self), "zero_")
    self._data.fill(0)
    return wrote(self)


METHODS.update(contiguous=contiguous, copy=copy, copy_=copy_, fill_=fill_, zero_=zero_)


@public(method=False)
def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor like ``input`` that holds one value everywhere, a number or a tensor without dimensions."""
    return fill_(clone(input), value)


@public(method=False)
def detach(input: Tensor) -> Tensor:
    """Return a tensor of the same memory without history; see `Tensor.detach`."""
    return input.detach()
