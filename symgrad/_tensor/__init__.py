"""Tensor's own members: what a tensor is asked about itself. Its operations follow from the table (`symgrad.ops`).

declared       declaring symbols: `symbol("A", ("m", "n"), ...)`
describe       what a tensor says of itself: shape, size, dtype, place in the graph, text; how functions become members
function_node  the node of a user-defined operation, the ``ctx`` of its ``forward`` and ``backward``
history        a tensor's part in the graph: requires_grad, grad, hooks, detaching, copying
repr           the text of a tensor: four digits, aligned columns, nested brackets, PyTorch's suffixes
saved          what a node saved, under PyTorch's names: ``y.grad_fn._saved_self``, and hooks for one saved value
symbolic       what a symbol says of itself: named sizes, indices and its formula, and never a value
types          PyTorch's oldest names, of a tensor and its dtype in one: ``sg.LongTensor([1, 2])``
values         a tensor's values: as numbers and arrays, in other dtypes; and the errors of code that carries them off
"""

from __future__ import annotations

from typing import Any

from .. import _config
from ..core import Node, Symbol, Tensor, alias, plain_array, wrap
from ..ops import METHODS, PROPERTIES
from . import describe, history, saved, values  # they add Tensor's members
from .describe import make_member, settle_members
from .types import make_typed


def _construct(cls: type[Tensor], *args: Any, **kwargs: Any) -> Tensor:
    """``Tensor([1, 2])`` holds the data in the default dtype; ``Tensor(2, 3)`` is uninitialised and of that size."""
    if kwargs:
        raise TypeError("Tensor() takes a sequence or sizes; sg.tensor(…) takes dtype and requires_grad")
    return make_typed(args, _config.default_dtype())


class _VariableMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """PyTorch's old name: ``Variable(t, requires_grad=True)`` is a leaf of the same memory; every tensor is one."""

    def __new__(cls, data: Tensor, requires_grad: bool = False) -> Any:
        t = alias(data, untracked=False)
        if requires_grad:
            t.requires_grad_()
        return t


Tensor.__new__ = _construct  # type: ignore[method-assign,assignment]


@make_member
def formula(self: Tensor, level: str = "array", stop_at: Any = ()) -> Any:
    """Return the formula of this tensor in the names of its leaves, checked against its numbers.

    Parameters
    ----------
    level : 'array' for matrix notation, 'element' for sums over indices
    stop_at : named tensors of the graph that appear by their names, defined under "where"

    Returns
    -------
    Formula

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor([0.5, -1.0], requires_grad=True, name="w")
    >>> (w * w).sum().backward(create_graph=True)
    >>> print(w.grad.formula())
    2w
    >>> r = w - 1
    >>> r.name = "r"
    >>> print((r**2).sum().formula(stop_at=[r]))
    ‖r‖²
    where r = w − 1
    """
    from ..formulas import tensor_formula

    return tensor_formula(self, level, stop_at)


def _node_formula(node: Any) -> Any:
    """The node's own rule under a gradient ``g`` in its (first) result: a `Formula`, or one for each input (None for
    constants).

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 1.0], requires_grad=True)
    >>> sg.sin(x).grad_fn.formula
    g ⊙ cos(x)
    """
    from ..formulas import local_rule

    return local_rule(node)


Node.formula = property(_node_formula, doc=_node_formula.__doc__)  # type: ignore[attr-defined]


@make_member
def sympy(self: Tensor) -> Any:
    """Return this tensor as a SymPy expression, checked against its number.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(0.5, requires_grad=True, name="x")
    >>> (sg.sin(x) / x).sympy()
    sin(x)/x
    """
    from ..formulas import tensor_sympy

    return tensor_sympy(self)


for _name, _fn in METHODS.items():
    if _name not in Tensor.__dict__ or _name in ("__getitem__",):
        setattr(Tensor, _name, _fn)


def _part_setter(part: Any) -> Any:
    def assign(self: Tensor, value: Any) -> None:
        part(self).copy_(value if isinstance(value, Tensor) else wrap(plain_array(value)))

    return assign


for _name, _fn in PROPERTIES.items():
    _setter = _part_setter(_fn) if _name in ("real", "imag") else None
    setattr(Tensor, _name, property(_fn, _setter, doc=_fn.__doc__))

settle_members()

# ruff: noqa: E402
from . import symbolic  # a symbol's members, last: they replace some of a tensor's
from .declared import dim, symbol, symbols, with_sizes
from .function_node import FunctionNode, VmapRuleError, traced
from .history import _rebuild
from .repr import set_printoptions
from .values import calling_library, is_under_way, refused_by_scipy
