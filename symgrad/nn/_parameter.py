"""`Parameter`: a leaf tensor that a `Module` collects, because it was marked as one.

The idea to hold: there is one tensor class, so a parameter is an ordinary `Tensor` that carries a mark.
``Parameter(t)`` makes and marks it, ``isinstance(t, Parameter)`` looks for the mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from .. import ops
from ..core import Tensor, extra

__all__ = ["Buffer", "Parameter"]


if TYPE_CHECKING:
    _Base = Tensor
else:
    _Base = object


class _Marked(type):
    def __instancecheck__(cls, obj: object) -> bool:
        return isinstance(obj, Tensor) and obj._extra is not None and obj._extra.is_parameter


class Parameter(_Base, metaclass=_Marked):
    """Make a tensor that a module registers as its own when it is assigned as an attribute.

    Parameters
    ----------
    data : Tensor or array_like, optional
        Values; memory is shared with a tensor, copied from anything else.
    requires_grad : bool
        Whether gradients are accumulated for it.

    Returns
    -------
    Tensor
        A leaf. ``isinstance(result, Parameter)`` is true; ``type(result)`` is `Tensor`.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.nn.Parameter(sg.tensor([1.0, 2.0]))
    >>> w
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    >>> isinstance(w, sg.nn.Parameter), isinstance(sg.ones(2), sg.nn.Parameter)
    (True, False)
    >>> w.is_leaf
    True
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = ops.zeros(0)
        if isinstance(data, Tensor) and data._node is not None:
            data._refuse_lost("Parameter")  # a leaf of what a transform differentiates
        tensor = data.detach() if isinstance(data, Tensor) else ops.tensor(data)
        tensor.requires_grad_(requires_grad)
        extra(tensor).is_parameter = True
        return tensor  # type: ignore[return-value]  # of the marked, not of the class


class _MarkedBuffer(type):
    def __instancecheck__(cls, obj: object) -> bool:
        return isinstance(obj, Tensor) and getattr(obj, "_is_buffer", False)


class Buffer(_Base, metaclass=_MarkedBuffer):
    """Make a tensor that a module registers as a buffer when it is assigned as an attribute.

    Parameters
    ----------
    data : Tensor, optional
        Values; memory is shared.
    persistent : bool
        Whether it belongs to the module's `state_dict`.

    Examples
    --------
    >>> import symgrad as sg
    >>> net = sg.nn.Module()
    >>> net.mean = sg.nn.Buffer(sg.zeros(2))
    >>> [name for name, _ in net.named_buffers()]
    ['mean']
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Self:
        data = ops.zeros(0) if data is None else data
        tensor: Any = data.detach().requires_grad_(data.requires_grad)
        tensor.persistent, tensor._is_buffer = persistent, True
        return tensor
