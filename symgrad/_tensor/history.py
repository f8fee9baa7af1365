"""A tensor's part in the graph: requires_grad, grad, hooks, detaching, copying."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import DTypeError, GradientError, InplaceError, ShapeError
from ..core import (
    FORGOTTEN,
    LEAF,
    Dual,
    RemovableHandle,
    Symbol,
    Tensor,
    alias,
    extra,
    is_leaf_node,
    listening,
    make_leaf,
    meta,
    modes,
    public_node,
    refresh_views,
    storage,
    wrap,
)
from ..ops import METHODS
from ..sweep import backward as _backward
from ..sweep import retain
from .describe import _set_name, is_inference, make_member

# ---------------------------------- Copies by `copy.copy` and `copy.deepcopy` inside a function that a transform runs

# The idea to hold: outside, a copy of a tensor is a tensor of its own, without the other's history. A function that is
# being differentiated copies what it takes for its own numbers, and what it computes from the copy depends on them:
# there a copy is a `clone`.


def copied_inside(t: Tensor) -> Tensor | None:
    """The copy of a tensor that a transform's function makes, None where it is to be one of its own."""
    return METHODS["clone"](t) if _of_a_transform(t) else None


def _of_a_transform(t: Tensor) -> bool:
    """Whether a tensor is, or is made of, what a transform put in the place of an argument."""
    if t._node is None or (t._extra is not None and t._extra.is_parameter):
        return False
    running = modes.running.get()
    if modes.tracing.get() is not None:
        return True
    if type(t) is Symbol and (running is not None or listening.get() is not None):
        return True
    if not is_leaf_node(t._node):
        return running is not None
    while running is not None:
        if any(variable is t for variable in running.variables):
            return True
        running = running.around
    return False


@make_member
def __copy__(self: Tensor) -> Any:
    found = copied_inside(self)
    if found is not None:
        return found
    make, state = self.__reduce_ex__(4)
    return make(*state)


# --------------------------------------- A tensor's part in the graph: requires_grad, grad, hooks, detaching, copying


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
            if is_inference(self) and modes.mode.get() != modes.INFERENCE:
                raise GradientError(
                    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
                    "",
                    "clone() it first.",
                )
            make_leaf(self)
            if self._extra is not None and self._extra.views:
                refresh_views(self, False)  # its views are views of a leaf now
    elif is_leaf_node(self._node):
        self._node = None
    elif self._node is not None:
        raise GradientError(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach().",
            f"This one was made by {public_node(self).name()}.",
        )


Tensor.requires_grad = property(_get_requires_grad, _set_requires_grad)  # type: ignore[method-assign,assignment]


@make_member
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
            "assigned grad has data of a different size: attempting to assign a gradient of size "
            f"'{list(value._data.shape)}' to a tensor of size '{list(self._data.shape)}'. "
            "Please ensure that the gradient and the tensor are the same size"
        )
    if value._data.dtype != self._data.dtype:
        raise DTypeError(
            f"attempting to assign a gradient with dtype '{value._data.dtype}' to a tensor with grad_dtype "
            f"'{self._data.dtype}'",
            "",
            "Cast it first.",
        )
    extra(self).grad = value


def _del_grad(self: Tensor) -> None:
    _set_grad(self, None)


Tensor.grad = property(_get_grad, _set_grad, _del_grad)  # type: ignore[method-assign,assignment]


@make_member
def backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Compute the gradient of this tensor and add it to the ``.grad`` of the leaves.

    Parameters as in `symgrad.autograd.backward`: ``gradient`` weights the elements of a tensor that is no scalar.
    """
    _backward(self, gradient, retain_graph, create_graph, inputs=inputs)


@make_member
def retain_grad(self: Tensor) -> None:
    """Keep the gradient of this non-leaf in ``.grad`` too. It changes no gradient; on a leaf it does nothing."""
    if self._node is None:
        raise GradientError("can't retain_grad on Tensor that has requires_grad=False")
    retain(self)


@make_member
def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call ``hook(grad)`` whenever this tensor's gradient is computed; what it returns replaces the gradient."""
    if self._node is None:
        raise GradientError("cannot register a hook on a tensor that doesn't require gradient")
    holder = meta(self._node)
    if holder.tensor_hooks is None:
        holder.tensor_hooks = {}
    return RemovableHandle(holder.tensor_hooks, hook)


@make_member
def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook(leaf)`` after a backward has added to this leaf's ``.grad``."""
    if self._node is None:
        raise GradientError("cannot register a hook on a tensor that doesn't require gradient")
    if not is_leaf_node(self._node):
        raise GradientError(
            "post accumulate grad hooks cannot be registered on non-leaf tensors", "", "Use register_hook."
        )
    holder = meta(self._node)
    if holder.post_hooks is None:
        holder.post_hooks = {}
    return RemovableHandle(holder.post_hooks, hook)


@make_member
def detach(self: Tensor) -> Tensor:
    """Return a leaf that shares this tensor's memory and has no history."""
    return alias(self, untracked=False)


@make_member
def detach_(self: Tensor) -> Tensor:
    """Cut this tensor itself from its graph, and from what it moves with."""
    bag = self._extra
    if bag is not None and (bag.view is not None or (bag.write_ban is not None and bag.write_ban.base is not None)):
        raise InplaceError(
            "Can't detach views in-place. Use detach() instead.", "A view's history is its base's.",
        )  # fmt: skip
    if self._node is not None:
        extra(self).origin = FORGOTTEN  # to formulas and programs it is no constant
    self._node = None
    if type(self) is Dual:
        self.__class__ = Tensor  # type: ignore[assignment]
    if bag is not None:
        bag.retains = False
    return self


@make_member
def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if id(self) in memo:
        return memo[id(self)]
    found = copied_inside(self)
    if found is not None:
        memo[id(self)] = found
        return found
    if not self.is_leaf:
        raise GradientError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.",
            f"This one was made by {public_node(self).name()}.", "detach() or clone() it.",
        )  # fmt: skip
    new = memo[id(self)] = wrap(_copied(self._data, memo), LEAF if self._node is not None else None)
    new.__dict__.update(copy.deepcopy(self.__dict__, memo))
    bag = self._extra
    if bag is not None:
        own = extra(new)
        _set_name(new, bag.name)
        own.is_parameter = bag.is_parameter
        if bag.grad is not None and not bag.is_parameter:
            own.grad = wrap(_copied(bag.grad._data, memo))
    return new


def _copied(array: np.ndarray, memo: dict[Any, Any]) -> np.ndarray:
    """A copy of an array that has with other copies of ``memo`` the memory in common that the arrays have."""
    block = storage.owner(array)
    key = ("memory", id(block))
    if key not in memo:
        memo[key] = block.copy("K"), block  # which lives as long as its identity stands for it
    copy = memo[key][0]
    if array is block or copy.strides != block.strides:
        return copy if array is block else array.copy()
    start = array.__array_interface__["data"][0] - block.__array_interface__["data"][0]
    dense = copy.transpose(sorted(range(copy.ndim), key=lambda k: -copy.strides[k]))
    return np.ndarray(array.shape, array.dtype, dense, start, array.strides)


def _rebuild(
    data: np.ndarray, requires_grad: bool, name: str | None, is_parameter: bool, attributes: dict[str, Any]
) -> Tensor:
    t = wrap(data, LEAF if requires_grad else None)
    if name is not None:
        _set_name(t, name)
    if is_parameter:
        extra(t).is_parameter = True
    t.__dict__.update(attributes)
    return t


@make_member
def __reduce_ex__(self: Tensor, protocol: Any) -> Any:
    """Pickle the values (a graph is not pickled: a non-leaf comes back as a leaf that requires grad)."""
    bag = self._extra
    is_parameter = bool(bag and bag.is_parameter)
    return _rebuild, (self._data, self._node is not None, bag.name if bag else None, is_parameter, dict(self.__dict__))
