"""Running the user's hooks: values go in as tensors of the hook's own, replacements are checked.

A hook may keep what it is shown and write to it: that is a copy. What it returns, or what it made of what it was shown
if it returns nothing, is copied again, since it may be written to later or be the same for several tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ..core import AccumulateGrad, Meta, Node, Tensor, extra, look
from ._given import adding, given
from ._nested import nested


def _shown(g: Any) -> Any:
    return None if g is None else given(g)


def _taken(t: Any, graph: bool) -> Any:
    """What a hook left as a gradient of the sweep's: an array, or a tensor where the sweep records."""
    return None if t is None else given(t) if graph else np.array(t._data)


def _replacement(result: Any, g: Any, what: str) -> Any:
    if not isinstance(result, Tensor):
        raise DTypeError(
            f"hook on {what} returned {type(result).__name__!r}, expected None or a Tensor.",
            "",
            "Return the new gradient as a tensor, or nothing.",
        )
    if g is None:
        return result
    if tuple(result._data.shape) != tuple(np.shape(g._data if isinstance(g, Tensor) else g)):
        raise ShapeError(
            f"hook on {what} has changed the size of value",
            f"The gradient has shape {tuple(g.shape)}, the hook returned {tuple(result._data.shape)}.",
            "Return a gradient of the same shape.",
        )
    if result._data.dtype != g.dtype:
        raise DTypeError(
            f"hook on {what} has changed the type of value (was {g.dtype} got {result._data.dtype})",
            "",
            "Cast the replacement back.",
        )
    return result


def _run(hooks: dict[int, Any], g: Any, graph: bool, what: str) -> Any:
    for fn in list(hooks.values()):
        shown = given(g)
        result = nested(fn, shown)
        g = _taken(shown if result is None else _replacement(result, g, what), graph)
        look("hook", fn, g, what)
    return g


def run_tensor_hooks(node: Node, bag: Meta, g: Any, graph: bool) -> Any:
    """The hooks of the tensor that ``node`` made, then its retained gradient."""
    if bag.tensor_hooks:
        what = getattr(node, "label", None) or f"the output of {node.name()}"
        g = _run(bag.tensor_hooks, g, graph, what)
    tensor = bag.retained() if bag.retained is not None else None
    if tensor is not None:
        with adding:
            own = extra(tensor)
            own.grad = given(g) if own.grad is None else own.grad + given(g)
    return g


def run_post_hooks(leaf: AccumulateGrad, bag: Meta, g: Any) -> None:
    """The hooks after accumulation: those of the tensor get the leaf, those of the node tuples."""
    for fn in list((bag.post_hooks or {}).values()):
        if nested(fn, leaf.variable) is not None:
            raise DTypeError(
                "Tensor post accumulate grad hooks should return None.", "", "Change leaf.grad in place instead."
            )
    for fn in list((bag.hooks or {}).values()):
        nested(fn, (), (given(g),))


def tuple_hooks(node: Node, hooks: dict[int, Any], g: Any, graph: bool, outputs: Any = None) -> Any:
    """A node's own hooks: they see and return tuples (gradients of the inputs, then of the outputs)."""
    many = outputs is not None or isinstance(g, list)
    values = tuple(g) if many else (g,)
    given_outputs = tuple(outputs) if isinstance(outputs, list) else (outputs,)
    for fn in list(hooks.values()):
        shown = tuple(map(_shown, values))
        result = nested(fn, shown, *(() if outputs is None else (tuple(map(_shown, given_outputs)),)))
        if result is None:
            result = shown
        result = result if isinstance(result, tuple) else (result,)
        if len(result) != len(values):
            raise ShapeError(
                f"hook on {node.name()} returned {len(result)} values, expected {len(values)}",
                "",
                "Return one gradient for each it was given.",
            )
        values = tuple(
            _taken(s if r is None else _replacement(r, v, node.name()), graph)
            for r, v, s in zip(result, values, shown, strict=True)
        )
        look("hook", fn, values, node.name())
    if outputs is not None:
        return values
    return list(values) if isinstance(g, list) else values[0]
