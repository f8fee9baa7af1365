"""What a tensor says of itself: shape, size, dtype, place in the graph, text; how functions become members."""

from __future__ import annotations

import functools
import keyword
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .. import _config
from .._errors import DimensionError, DTypeError, GradientError
from .._typing import ONLY, Device, Size
from .._typing import dtype as _dtype
from ..core import (
    NAMED,
    Tensor,
    extra,
    is_leaf_node,
    public_node,
    storage,
    tangent_of,
)
from ..ops import FUNCTIONS, axis_of, describe
from .repr import format_tensor

# ----------------------------------------------------------------------------- How functions become members of Tensor


def make_member(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of this module a member of Tensor."""
    setattr(Tensor, fn.__name__, fn)
    return fn


def member(getter: Callable[[Tensor], Any]) -> property:
    """Make a function of this module a property of Tensor."""
    prop = property(getter, doc=getter.__doc__)
    setattr(Tensor, getter.__name__, prop)
    return prop


def settle_members() -> None:
    """Let Tensor's own methods say that they are its methods: see `symgrad.ops.public.set_public_names`."""
    functions = {id(fn) for fn in FUNCTIONS.values()}
    for name, value in vars(Tensor).items():
        if name.startswith("__") or not isinstance(value, FunctionType) or id(value) in functions:
            continue
        if "Tensor." not in value.__qualname__:
            value.__module__, value.__qualname__ = "symgrad", f"Tensor.{name}"
            describe(value, f"symgrad.{value.__qualname__}")


# ----------------------------------------- ``x.size``: PyTorch's method, which says so where NumPy's number was meant


_WORDS = "x.size is a method: write x.numel() or np.size(x)"  # a failed operation shows this much of an operand


def _refuse(*_: Any) -> Any:
    raise DTypeError(
        "x.size is PyTorch's method here, not the number of elements", "x.size() is the shape.",
        "Write x.numel() or np.size(x).",
    )  # fmt: skip


class method:
    """``x.size``: a method that is called, and refuses to be computed with (errors of operands show a type's name)."""

    __slots__ = ("_fn", "_self")
    __array_ufunc__ = _refuse
    __hash__ = object.__hash__

    def __init__(self, fn: Callable[..., Any], owner: Any) -> None:
        self._fn, self._self = fn, owner

    def __call__(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one dimension."""
        return self._fn(self._self, dim)

    def __repr__(self) -> str:
        return _WORDS


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod",
    "rpow", "neg", "lt", "le", "gt", "ge", "eq", "ne", "index", "int", "float", "bool", "iter", "len", "getitem",
):  # fmt: skip
    setattr(method, f"__{_name}__", _refuse)


class SizeMethod:
    """The member ``size`` of a class of tensors: on the class the function, on a tensor its `method`."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        functools.update_wrapper(self, fn)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self._fn if instance is None else method(self._fn, instance)

    def __call__(self, *args: Any) -> Any:
        return self._fn(*args)


# ----------------------------------------------- What a tensor says of itself: shape, dtype, place in the graph, text


@member
def shape(self: Tensor) -> Size:
    """The sizes of the dimensions."""
    return Size(self._data.shape)


@member
def dtype(self: Tensor) -> Any:
    """The dtype: ``sg.float64`` …, which NumPy takes for its own."""
    own = self._data.dtype
    return ONLY.get(own) or _dtype(own)


@member
def device(self: Tensor) -> Device:
    """The device: always the CPU."""
    return Device("cpu")


for _name in ("is_cuda", "is_meta", "is_mps", "is_nested", "is_quantized", "is_sparse"):
    setattr(Tensor, _name, False)
Tensor.is_cpu = True


@member
def ndim(self: Tensor) -> int:
    """The number of dimensions."""
    return self._data.ndim


@member
def itemsize(self: Tensor) -> int:
    """Bytes per element."""
    return self._data.itemsize


@member
def nbytes(self: Tensor) -> int:
    """Bytes of all elements."""
    return self._data.nbytes


@member
def is_leaf(self: Tensor) -> bool:
    """Whether no recorded operation made this tensor."""
    return self._node is None or is_leaf_node(self._node)


@member
def grad_fn(self: Tensor) -> Any:
    """The node of the operation that made this tensor, None for a leaf."""
    return public_node(self)


@member
def output_nr(self: Tensor) -> int:
    """Which output of ``grad_fn`` this tensor is."""
    return getattr(self._node, "index", 0)


@member
def _version(self: Tensor) -> int:
    """How often the tensor's memory was written in place."""
    if is_inference(self):
        raise GradientError("Inference tensors do not track version counter.", "", "clone() it outside inference_mode.")
    return storage.version(self._data) - (0 if self._extra is None else self._extra.uncounted)


@member
def _base(self: Tensor) -> Any:
    """The tensor this one is a view of, or None."""
    bag = self._extra
    if bag is None:
        return None
    return bag.view[0] if bag.view is not None else bag.write_ban.base if bag.write_ban is not None else None


@member
def retains_grad(self: Tensor) -> bool:
    """Whether a non-leaf keeps its gradient."""
    return not self.is_leaf and self._extra is not None and self._extra.retains


def _get_name(self: Tensor) -> Any:
    """The name that formulas and errors use, or None."""
    return self._extra.name if self._extra is not None else None


def _set_name(self: Tensor, name: str | None) -> None:
    if name is not None and (not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name)):
        raise ValueError(
            f"a tensor's name must be an identifier, got {name!r}\nWrite letters, digits and _, a letter first: 'W1'."
        )
    extra(self).name = name
    if is_leaf_node(self._node):
        self._node.label = name
    elif self._node is not None and name is not None:
        NAMED[self._node] = name


Tensor.name = property(_get_name, _set_name)  # type: ignore[method-assign,assignment]


def size(self: Tensor, dim: int | None = None) -> Any:
    """Return the shape, or the size of one dimension."""
    return Size(self._data.shape) if dim is None else self._data.shape[_one_dim(self, dim)]


Tensor.size = SizeMethod(size)  # type: ignore[method-assign,assignment]


def _one_dim(self: Tensor, dim: int) -> int:
    if not self._data.ndim:
        raise DimensionError(
            f"Dimension specified as {dim} but tensor has no dimensions", "", "tensor.item() gives its number."
        )
    return axis_of(dim, self._data.ndim)


@make_member
def dim(self: Tensor) -> int:
    """Return the number of dimensions."""
    return self._data.ndim


@make_member
def numel(self: Tensor) -> int:
    """Return the number of elements."""
    return self._data.size


Tensor.nelement = numel  # type: ignore[method-assign]
Tensor.ndimension = dim  # type: ignore[method-assign]


@make_member
def element_size(self: Tensor) -> int:
    """Return the bytes per element."""
    return self._data.itemsize


@make_member
def data_ptr(self: Tensor) -> int:
    """Return the address of the first element."""
    return self._data.__array_interface__["data"][0]


@make_member
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the steps between neighbours, in elements."""
    steps = tuple(s // self._data.itemsize for s in self._data.strides)
    return steps if dim is None else steps[_one_dim(self, dim)]


@make_member
def storage_offset(self: Tensor) -> int:
    """Return the distance of the first element from the start of its memory, in elements."""
    start = storage.owner(self._data).__array_interface__["data"][0]
    return (self.data_ptr() - start) // self._data.itemsize


@make_member
def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    """Return whether the elements lie in memory in C order."""
    return bool(self._data.flags.c_contiguous)


@make_member
def is_inference(self: Tensor) -> bool:
    """Return whether the tensor was made in `inference_mode`.

    Examples
    --------
    >>> import symgrad as sg
    >>> with sg.inference_mode():
    ...     x = sg.ones(2)
    >>> x.is_inference(), sg.is_inference(sg.ones(2))
    (True, False)
    """
    return self._extra is not None and bool(self._extra.inference)


@make_member
def __repr__(self: Tensor) -> str:
    node = public_node(self)
    title = "Parameter containing:\n" if self._extra is not None and self._extra.is_parameter else ""
    cell = tangent_of(self)
    return title + format_tensor(
        self._data, requires_grad=is_leaf_node(self._node), grad_fn_name=None if node is None else node.name(),
        name=self.name, default_float=_config.default_dtype().type,
        tangent=None if cell is None else repr(cell.get()),
    )  # fmt: skip


@make_member
def __format__(self: Tensor, spec: str) -> str:
    if self._data.ndim == 0:
        return format(self._data.item(), spec)
    return object.__format__(self, spec)
