"""Running the user's hooks: values go in as tensors, replacements are checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ..core import AccumulateGrad, Meta, Node, Tensor, extra, wrap


def _tensor(g: Any) -> Any:
    return None if g is None else g if isinstance(g, Tensor) else wrap(np.asarray(g))


def _replacement(result: Any, g: Any, what: str) -> Any:
    if not isinstance(result, Tensor):
        raise DTypeError(
            f"hook on {what} returned {type(result).__name__!r}, expected None or a Tensor.",
            "",
            "Return the new gradient as a tensor, or nothing.",
        )
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
        result = fn(_tensor(g))
        if result is not None:
            result = _replacement(result, g, what)
            g = result if graph else result._data
    return g


def run_tensor_hooks(node: Node, bag: Meta, g: Any, graph: bool) -> Any:
    """The hooks of the tensor that ``node`` made, then its retained gradient."""
    if bag.tensor_hooks:
        what = getattr(node, "label", None) or f"the output of {node.name()}"
        g = _run(bag.tensor_hooks, g, graph, what)
    tensor = bag.retained() if bag.retained is not None else None
    if tensor is not None:
        own = extra(tensor)
        new = g if graph else wrap(np.array(g))
        own.grad = new if own.grad is None else own.grad + new
    return g


def run_post_hooks(leaf: AccumulateGrad, bag: Meta, g: Any) -> None:
    """The hooks after accumulation: those of the tensor get the leaf, those of the node tuples."""
    for fn in list((bag.post_hooks or {}).values()):
        if fn(leaf.variable) is not None:
            raise DTypeError(
                "Tensor post accumulate grad hooks should return None.", "", "Change leaf.grad in place instead."
            )
    for fn in list((bag.hooks or {}).values()):
        fn((), (_tensor(g),))


def tuple_hooks(node: Node, hooks: dict[int, Any], g: Any, graph: bool, outputs: Any = None) -> Any:
    """A node's own hooks: they see and return tuples (gradients of the inputs, then of the outputs)."""
    many = outputs is not None or isinstance(g, list)
    values = tuple(g) if many else (g,)
    given = tuple(outputs) if isinstance(outputs, list) else (outputs,)
    for fn in list(hooks.values()):
        shown = tuple(_tensor(v) for v in values)
        result = fn(shown) if outputs is None else fn(shown, tuple(_tensor(v) for v in given))
        if result is None:
            continue
        result = result if isinstance(result, tuple) else (result,)
        if len(result) != len(values):
            raise ShapeError(
                f"hook on {node.name()} returned {len(result)} values, expected {len(values)}",
                "",
                "Return one gradient for each it was given.",
            )
        values = tuple(
            v if r is None else (_replacement(r, v, node.name()) if v is not None else r)
            for r, v in zip(result, values, strict=True)
        )
        if not graph:
            values = tuple(v._data if isinstance(v, Tensor) else v for v in values)
    if outputs is not None:
        return values
    return list(values) if isinstance(g, list) else values[0]
