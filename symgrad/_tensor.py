"""Tensor's own members: what a tensor is asked about itself. Its operations follow from the table (`symgrad.ops`)."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _config
from ._errors import DeviceError, DTypeError, GradientError, InplaceError, ShapeError
from ._device import Device, Size, as_device
from ._typing import DTYPES, as_dtype
from .core import LEAF, RemovableHandle, Tensor, extra, is_leaf_node, make_leaf, meta, public_node, table, wrap
from .core import _modes, _storage
from .core._graph import _new
from .core._views import alias, check_writable
from .ops._public import METHODS, PROPERTIES
from .show._repr import format_tensor
from .sweep import _anomaly
from .sweep import backward as _backward


def attach(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of this module a member of Tensor."""
    setattr(Tensor, fn.__name__, fn)
    return fn


def member(getter: Callable[[Tensor], Any]) -> property:
    """Make a function of this module a property of Tensor."""
    prop = property(getter, doc=getter.__doc__)
    setattr(Tensor, getter.__name__, prop)
    return prop


def _construct(cls: type[Tensor], *args: Any, **kwargs: Any) -> Tensor:
    """``Tensor([1, 2])`` holds the data in the default dtype; ``Tensor(2, 3)`` is an uninitialised tensor of that size."""
    if len(args) == 1 and not isinstance(args[0], int):
        data = args[0]._data if isinstance(args[0], Tensor) else args[0]
        return wrap(np.array(data, dtype=_config.default_dtype()))
    if kwargs:
        raise TypeError("Tensor() takes a sequence or sizes; sg.tensor(…) takes dtype and requires_grad")
    return wrap(np.empty(args if args else (0,), dtype=_config.default_dtype()))


class _VariableMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """PyTorch's old name: ``Variable(t, requires_grad=True)`` is a leaf of the same memory; every tensor is one."""

    def __new__(cls, data: Tensor, requires_grad: bool = False) -> Any:
        t = alias(data, untracked=False)
        if requires_grad:
            _set_requires_grad(t, True)
        return t


Tensor.__new__ = _construct  # type: ignore[method-assign,assignment]

# ------------------------------------------------------------------------------------------- description


@member
def shape(self: Tensor) -> Size:
    """The sizes of the dimensions."""
    return Size(self._data.shape)


@member
def dtype(self: Tensor) -> np.dtype[Any]:
    """The dtype, a NumPy dtype (``sg.float64`` …)."""
    return self._data.dtype


@member
def device(self: Tensor) -> Device:
    """The device: always the CPU."""
    return Device("cpu")


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
    return _storage.version(self._data)


@member
def _base(self: Tensor) -> Any:
    """The tensor this one is a view of, or None."""
    bag = self._extra
    return bag.view[0] if bag is not None and bag.view is not None else None


@member
def retains_grad(self: Tensor) -> bool:
    """Whether a non-leaf keeps its gradient."""
    return not self.is_leaf and self._extra is not None and self._extra.retains  # type: ignore[attr-defined]


def _get_name(self: Tensor) -> Any:
    """The name that formulas and errors use, or None."""
    return self._extra.name if self._extra is not None else None


def _set_name(self: Tensor, name: str | None) -> None:
    if name is not None and not (isinstance(name, str) and name.isidentifier()):
        raise ValueError(f"a tensor's name must be an identifier, got {name!r}")
    extra(self).name = name
    if is_leaf_node(self._node):
        self._node.label = name


Tensor.name = property(_get_name, _set_name)  # type: ignore[attr-defined]


@attach
def size(self: Tensor, dim: int | None = None) -> Any:
    """Return the shape, or the size of one dimension."""
    return Size(self._data.shape) if dim is None else self._data.shape[_one_dim(self, dim)]


def _one_dim(self: Tensor, dim: int) -> int:
    n = self._data.ndim
    if not -max(n, 1) <= dim < max(n, 1) or n == 0:
        from ._errors import DimensionError

        low, high = -max(n, 1), max(n, 1) - 1
        raise DimensionError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")
    return dim


@attach
def dim(self: Tensor) -> int:
    """Return the number of dimensions."""
    return self._data.ndim


@attach
def numel(self: Tensor) -> int:
    """Return the number of elements."""
    return self._data.size


Tensor.nelement = numel  # type: ignore[attr-defined]
Tensor.ndimension = dim  # type: ignore[attr-defined]


@attach
def element_size(self: Tensor) -> int:
    """Return the bytes per element."""
    return self._data.itemsize


@attach
def data_ptr(self: Tensor) -> int:
    """Return the address of the first element."""
    return self._data.__array_interface__["data"][0]


@attach
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the steps between neighbours, in elements."""
    steps = tuple(s // self._data.itemsize for s in self._data.strides)
    return steps if dim is None else steps[dim]


@attach
def storage_offset(self: Tensor) -> int:
    """Return the distance of the first element from the start of its memory, in elements."""
    start = _storage.owner(self._data).__array_interface__["data"][0]
    return (self.data_ptr() - start) // self._data.itemsize  # type: ignore[attr-defined]


@attach
def is_contiguous(self: Tensor) -> bool:
    """Return whether the elements lie in memory in C order."""
    return bool(self._data.flags.c_contiguous)


@attach
def is_floating_point(self: Tensor) -> bool:
    """Return whether the dtype is a real float."""
    return self._data.dtype.kind == "f"


@attach
def is_complex(self: Tensor) -> bool:
    """Return whether the dtype is complex."""
    return self._data.dtype.kind == "c"


@attach
def is_inference(self: Tensor) -> bool:
    """Return whether the tensor was made in `inference_mode`."""
    return self._extra is not None and self._extra.inference


@attach
def __repr__(self: Tensor) -> str:
    node = public_node(self)
    title = "Parameter containing:\n" if self._extra is not None and self._extra.is_parameter else ""
    return title + format_tensor(
        self._data, requires_grad=is_leaf_node(self._node), grad_fn_name=None if node is None else node.name(), name=self.name,  # type: ignore[attr-defined]
        default_float=_config.default_dtype().type,
    )  # fmt: skip


@attach
def __format__(self: Tensor, spec: str) -> str:
    return format(self._data.item(), spec) if self._data.ndim == 0 else format(repr(self), spec)


# ----------------------------------------------------------------------------------------------- values


def _get_data(self: Tensor) -> Tensor:
    """The same memory without history; writes through it go unnoticed by the graph."""
    return alias(self, untracked=True)


def _set_data(self: Tensor, value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise DTypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    self._data = value._data
    if is_leaf_node(self._node):
        self._node.data = value._data


Tensor.data = property(_get_data, _set_data)  # type: ignore[attr-defined]


@attach
def item(self: Tensor) -> Any:
    """Return the one element as a Python number."""
    if self._data.size != 1:
        raise ShapeError(
            f"a Tensor with {self._data.size} elements cannot be converted to Scalar",
            f"Its shape is {list(self._data.shape)}.", "Index one element, or use tolist().",
        )  # fmt: skip
    return self._data.item()


@attach
def tolist(self: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers."""
    return self._data.tolist()


@attach
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """Return the array itself (shared memory); a tensor that requires grad must be detached first."""
    if self._node is not None and not force:
        raise GradientError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            "An array has no history: what is computed from it would silently have no gradient.",
        )
    return self._data[...] if self._data.ndim == 0 else self._data


@attach
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    array = numpy(self)
    if dtype is not None and np.dtype(dtype) != array.dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


@attach
def __array_ufunc__(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    from .ops._numpy import ufunc_on_tensors

    return ufunc_on_tensors(ufunc, method, inputs, kwargs)


@attach
def __array_function__(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    from .ops._numpy import function_on_tensors

    return function_on_tensors(func, args, kwargs)


def _number(convert: Any) -> Any:
    def method(self: Tensor) -> Any:
        if self._data.size != 1:
            raise ShapeError(
                "only one element tensors can be converted to Python scalars", f"This one has shape {list(self._data.shape)}.",
                "Index one element, or use tolist().",
            )  # fmt: skip
        return convert(self._data.item())

    return method


for _name, _convert in {"__float__": float, "__int__": int, "__complex__": complex}.items():
    setattr(Tensor, _name, _number(_convert))


@attach
def __index__(self: Tensor) -> int:
    if self._data.dtype.kind not in "iub" or self._data.size != 1:
        raise DTypeError("only integer tensors of a single element can be converted to an index")
    return int(self._data.item())


@attach
def __bool__(self: Tensor) -> bool:
    if self._data.size != 1:
        what = "no values" if self._data.size == 0 else "more than one value"
        raise GradientError(
            f"Boolean value of Tensor with {what} is ambiguous", f"Its shape is {list(self._data.shape)}.",
            "Use .any() or .all().",
        )  # fmt: skip
    return bool(self._data.item())


@attach
def __len__(self: Tensor) -> int:
    if self._data.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._data.shape[0]


@attach
def __iter__(self: Tensor) -> Iterator[Tensor]:
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(METHODS["unbind"](self, 0))


@attach
def __contains__(self: Tensor, value: Any) -> bool:
    return bool((self._data == (value._data if isinstance(value, Tensor) else value)).any())


# ---------------------------------------------------------------------------------------------- autograd


def _get_requires_grad(self: Tensor) -> bool:
    """Whether gradients flow to this tensor."""
    return self._node is not None


def _set_requires_grad(self: Tensor, value: bool) -> None:
    if value:
        if self._node is None:
            if self._data.dtype.kind not in "fc":
                raise DTypeError(
                    "only Tensors of floating point and complex dtype can require gradients",
                    f"This tensor's dtype is {self._data.dtype}.", "Cast it first: x.double().",
                )  # fmt: skip
            if is_inference(self) and _modes.mode.get() != _modes.INFERENCE:
                raise GradientError(
                    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.", "", "clone() it first."
                )
            make_leaf(self)
    elif is_leaf_node(self._node):
        self._node = None
    elif self._node is not None:
        raise GradientError(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach().",
            f"This one was made by {public_node(self).name()}.",
        )


Tensor.requires_grad = property(_get_requires_grad, _set_requires_grad)  # type: ignore[attr-defined]


@attach
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Set ``requires_grad`` and return the tensor."""
    _set_requires_grad(self, requires_grad)
    return self


def _get_grad(self: Tensor) -> Any:
    """The accumulated gradient of a leaf (or of a non-leaf that was asked to ``retain_grad``), or None."""
    bag = self._extra
    if bag is not None and bag.grad is not None:
        return bag.grad
    if self._node is not None and not is_leaf_node(self._node) and not (bag is not None and bag.retains):
        import warnings

        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
            "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
            "Tensor, use .retain_grad() on the non-leaf Tensor.",
            UserWarning, stacklevel=2,
        )  # fmt: skip
    return None


def _set_grad(self: Tensor, value: Any) -> None:
    if value is None:
        if self._extra is not None:
            self._extra.grad = None
        return
    if not isinstance(value, Tensor):
        raise DTypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is self:
        raise GradientError("can't assign Variable as its own grad")
    if value._data.shape != self._data.shape:
        raise ShapeError(
            f"assigned grad has data of a different size: attempting to assign a gradient of size '{list(value._data.shape)}' to a "
            f"tensor of size '{list(self._data.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    if value._data.dtype != self._data.dtype:
        raise DTypeError(
            f"attempting to assign a gradient with dtype '{value._data.dtype}' to a tensor with grad_dtype '{self._data.dtype}'", "", "Cast it first."
        )
    extra(self).grad = value


def _del_grad(self: Tensor) -> None:
    _set_grad(self, None)


Tensor.grad = property(_get_grad, _set_grad, _del_grad)  # type: ignore[attr-defined]


@attach
def backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Compute the gradient of this tensor and add it to the ``.grad`` of the leaves.

    Parameters as in `symgrad.autograd.backward`: ``gradient`` weights the elements of a tensor that is no scalar.
    """
    _backward(self, gradient, retain_graph, create_graph, inputs=inputs)


@attach
def retain_grad(self: Tensor) -> None:
    """Keep the gradient of this non-leaf in ``.grad`` too. It changes no gradient; on a leaf it does nothing."""
    if self._node is None:
        raise GradientError("can't retain_grad on Tensor that has requires_grad=False")
    if is_leaf_node(self._node):
        return
    bag = extra(self)
    if not bag.retains:
        bag.retains = True
        meta(self._node).retained = weakref.ref(self)


@attach
def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call ``hook(grad)`` whenever this tensor's gradient is computed; what it returns replaces the gradient."""
    if self._node is None:
        raise GradientError("cannot register a hook on a tensor that doesn't require gradient")
    holder = meta(self._node)
    if holder.tensor_hooks is None:
        holder.tensor_hooks = {}
    return RemovableHandle(holder.tensor_hooks, hook)


@attach
def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook(leaf)`` after a backward has added to this leaf's ``.grad``."""
    if self._node is None:
        raise GradientError("cannot register a hook on a tensor that doesn't require gradient")
    if not is_leaf_node(self._node):
        raise GradientError("post accumulate grad hooks cannot be registered on non-leaf tensors", "", "Use register_hook.")
    holder = meta(self._node)
    if holder.post_hooks is None:
        holder.post_hooks = {}
    return RemovableHandle(holder.post_hooks, hook)


@attach
def detach(self: Tensor) -> Tensor:
    """Return a leaf that shares this tensor's memory and has no history."""
    return alias(self, untracked=False)


@attach
def detach_(self: Tensor) -> Tensor:
    """Cut this tensor itself from its graph."""
    if self._extra is not None and self._extra.view is not None:
        raise InplaceError(
            "Can't detach views in-place. Use detach() instead.", "A view's history is its base's.",
        )  # fmt: skip
    self._node = None
    if self._extra is not None:
        self._extra.retains = False
    return self


@attach
def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if not self.is_leaf:  # type: ignore[attr-defined]
        raise GradientError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.",
            f"This one was made by {public_node(self).name()}.", "detach() or clone() it.",
        )  # fmt: skip
    if id(self) in memo:
        return memo[id(self)]
    new = memo[id(self)] = wrap(self._data.copy(), LEAF if self._node is not None else None)
    bag = self._extra
    if bag is not None:
        own = extra(new)
        _set_name(new, bag.name)
        own.is_parameter = bag.is_parameter
        if bag.grad is not None:
            own.grad = wrap(bag.grad._data.copy())
    return new


def _rebuild(data: np.ndarray, requires_grad: bool, name: str | None, is_parameter: bool, grad: Any) -> Tensor:
    t = wrap(data, LEAF if requires_grad else None)
    if name is not None or is_parameter or grad is not None:
        _set_name(t, name)
        bag = extra(t)
        bag.is_parameter, bag.grad = is_parameter, grad
    return t


@attach
def __reduce_ex__(self: Tensor, protocol: Any) -> Any:
    if not self.is_leaf:  # type: ignore[attr-defined]
        raise GradientError(
            "cannot pickle a tensor that is not a leaf",
            f"It was made by {public_node(self).name()}; a graph cannot be pickled.", "detach() it.",
        )  # fmt: skip
    bag = self._extra
    return _rebuild, (
        self._data, self._node is not None, bag.name if bag else None, bool(bag and bag.is_parameter), None
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------- casts


@attach
def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, **options: Any) -> Tensor:
    """Return the tensor in another dtype (differentiable), or itself if nothing changes; the device is the CPU."""
    for a in args:
        if isinstance(a, Tensor):
            dtype = a._data.dtype
        elif isinstance(a, bool):
            continue
        elif isinstance(a, (str, Device)) and (isinstance(a, Device) or a not in DTYPES):
            device = a
        elif a is not None:
            dtype = a
    if device is not None:
        as_device(device)
    target = self._data.dtype if dtype is None else as_dtype(dtype)
    if target == self._data.dtype:
        return METHODS["clone"](self) if copy else self
    return table("cast")(self, target)


def _type(self: Tensor, dtype: Any = None) -> Any:
    """Return the tensor in another dtype, or without argument PyTorch's name of its type."""
    if dtype is None:
        from .core._views import _short

        return f"symgrad.{_short(self._data.dtype)}Tensor"
    return to(self, dtype)


Tensor.type = _type  # type: ignore[attr-defined]


def _cast(name: str) -> Callable[[Tensor], Tensor]:
    target = DTYPES[name]

    def method(self: Tensor) -> Tensor:
        return to(self, target)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return the tensor as {target}."
    return method


for _name in ("double", "float", "half", "int", "long", "short", "bool", "cdouble", "cfloat"):
    setattr(Tensor, _name, _cast(_name))


@attach
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the dtype of ``other``."""
    return to(self, other._data.dtype)


@attach
def cpu(self: Tensor) -> Tensor:
    """Return the tensor itself: it is on the CPU."""
    return self


@attach
def cuda(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Raise: symgrad computes on the CPU."""
    raise DeviceError(
        "Torch not compiled with CUDA enabled: symgrad runs on the CPU, and there is no CUDA device.", "NumPy holds the numbers.",
        "Export the derivative as code for PyTorch or JAX to run it on a GPU, or leave out .cuda().",
    )  # fmt: skip


@attach
def share_memory_(self: Tensor) -> Tensor:
    """Return the tensor itself (for scripts that call it)."""
    return self


@attach
def increment_version(self: Tensor) -> None:
    """Note a write to the tensor's memory that was made outside symgrad."""
    _storage.stamp(self._data)


@attach
def formula(self: Tensor) -> Any:
    """Return the formula of this tensor in the names of its leaves, checked against its numbers.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor([0.5, -1.0], requires_grad=True, name="w")
    >>> (w * w).sum().backward(create_graph=True)
    >>> print(w.grad.formula())
    w + w
    """
    from .expr import tensor_formula

    return tensor_formula(self)


@attach
def sympy(self: Tensor) -> Any:
    """Return this tensor as a SymPy expression, checked against its number.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(0.5, requires_grad=True, name="x")
    >>> (sg.sin(x) / x).sympy()
    sin(x)/x
    """
    from .expr._sympy import tensor_sympy

    return tensor_sympy(self)


def _partial_text(op: Any, i: int) -> str:
    from .expr._sympy import partial_text

    return partial_text(op, i)


_anomaly.partial_text = _partial_text  # anomaly mode shows formulas, and the sweep may not import them

for _name, _fn in METHODS.items():
    if _name not in Tensor.__dict__ or _name in ("__getitem__",):
        setattr(Tensor, _name, _fn)
for _name, _fn in PROPERTIES.items():
    setattr(Tensor, _name, property(_fn, doc=_fn.__doc__))

__all__ = ["Tensor", "attach", "check_writable", "member", "_new"]
