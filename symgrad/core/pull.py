"""The general way to pull a node: the gradient of each input, in any form of node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from typing import Any

import numpy as np

from .. import _limits
from .._errors import NotDifferentiableError
from .._limits import SHORT_SUM
from . import record
from .dual import as_it_moved
from .graph import AccumulateGrad, Tensor, held_operand, listening, output_node, wrap
from .ownership import OWN, Gradients, add_to, add_to_edge, are_alike
from .reading import constants_of, params_of, saved_value, shapes_of
from .symbols import make_symbolic
from .table import rebind, rebind_to_arrays, row_function

# ------------------------------------ The general way to pull a node: the gradient of each input, in any form of node

# What ``op.py`` writes out for the common case is done here for every case: mixed dtypes, broadcasting, complex
# numbers, any number of inputs, large arrays.


def pull_slow(n: Any, g: Any, grads: Gradients, graph: bool) -> None:
    """Bring the gradient of each input, in any form of node."""
    op = n.op
    if op.outputs:
        g = with_zeros(n, g, graph)
    for i, p in enumerate(n.parents):
        if p is None:
            continue
        if not graph and op.kind == "elementwise" and g.size > _limits.BIG and _pull_big(n, i, p, g, grads):
            continue
        d = input_gradient(n, i, g, graph)
        if graph or type(d) is not np.ndarray or d.size <= _limits.BIG:
            add_to(grads, p, d)
        else:
            add_to_edge(p, d, op.makes[0 if op.variadic else i] and d.base is None, grads)


def with_zeros(n: Any, g: Sequence[Any], graph: bool) -> list[Any]:
    """The gradients of the outputs of a node with several, zeros where nothing arrived."""
    zeros = starmap(np.zeros, n.fit)
    return [(wrap(z) if graph else z) if gi is None else gi for gi, z in zip(g, zeros, strict=True)]


def input_gradient(n: Any, i: int, g: Any, graph: bool, exact: bool = False) -> Any:
    """The gradient of input ``i``, reduced to its shape and dtype.

    ``exact``: an incoming gradient of 0 gives 0, however steep the operation is there.
    """
    op = n.op
    rule = rule_of(n, i)
    fit = None if op.outputs or n.fit is None else n.fit[i]
    if type(n.fit) is list:  # shapes alone: the dtypes agree
        fit = (fit, (g._data if graph else g).dtype)
    values = rule_values(n, i, g, graph)
    first = g[0] if op.outputs else g
    is_complex = op.holomorphic and (_kind(first) == "c" or any(_kind(v) == "c" for v in values))
    if op.kind == "elementwise" and "g" not in op.rule_args[i]:
        if callable(rule):
            partial = (rebind if graph else rebind_to_arrays)(rule)(*values)
            if is_complex and _kind(partial) == "c":
                partial = row_function("conj")(partial) if graph else np.conj(partial)
            d = g * partial
        else:
            d = g if rule == 1 else -g if rule == -1 else g * rule
    else:
        fn = rebind(rule) if graph else rebind_to_arrays(rule)
        if is_complex:
            conj = row_function("conj") if graph else np.conj
            values = [_conj(v, conj) if a == "g" else v for a, v in zip(_rule_args(op, i), values, strict=True)]
            d = conj(fn(*values))
        else:
            d = fn(*values)
    if exact:
        d = keep_zeros(g, d, graph)
    return d if fit is None else reduce_to(d, fit, graph)


def rule_of(n: Any, i: int) -> Any:
    """The rule of input ``i``: a function, or a number that is the partial derivative; raises if there is none."""
    rule = n.op.rules[0 if n.op.variadic else i]
    if rule is None:
        raise NotDifferentiableError(
            f"the derivative of '{n.op.name}' with respect to its input {i} is not implemented",
            f"It was recorded by {n.name()}.",
            "detach() that input if its gradient is not wanted, or define the rule with symgrad.autograd.Function.",
        )
    return rule


def keep_zeros(g: Any, d: Any, graph: bool) -> Any:
    """``d``, with 0 where it is not finite although the incoming gradient is 0."""
    if graph and d._node is not None and listening.get() is not None:  # a batch replays it: each example has its own
        return row_function("where")((g == 0) & ~row_function("isfinite")(d), 0.0, d)
    data = d._data if graph else d
    if np.isfinite(np.add.reduce(data, axis=None)):  # then all of it is, for a tenth of asking each entry
        return d
    zero = ~np.isfinite(data) & ((g._data if graph else g) == 0)
    if not zero.any():
        return d
    return row_function("where")(zero, 0.0, d) if graph else np.where(zero, 0, d)


def _conj(v: Any, conj: Any) -> Any:
    return [conj(u) for u in v] if isinstance(v, list) else conj(v)


def _kind(v: Any) -> str:
    if isinstance(v, Tensor):
        return v._data.dtype.kind
    if isinstance(v, np.ndarray | np.generic):
        return v.dtype.kind
    return "c" if isinstance(v, complex) else ""


def _rule_args(op: Any, i: int) -> tuple[str, ...]:
    return op.rule_args[0 if op.variadic else i]


def rule_values(n: Any, i: int, g: Any, graph: bool) -> list[Any]:
    """What the rule of input ``i`` asked for by name, for the incoming gradient ``g``."""
    op = n.op
    params, shapes = params_of(n), shapes_of(n)
    values = []
    for name in _rule_args(op, i):
        if name == "g":
            values.append(g)
        elif name == "i" and op.variadic:
            values.append(i)
        elif name == "shapes":
            values.append(shapes)
        elif name == "shape":
            values.append(shapes[i])
        elif name.startswith("shape_"):
            values.append(shapes[op.inputs.index(name[6:])])
        elif name in op.params:
            values.append(params[op.params.index(name)])
        else:
            v = saved_value(n, name)
            values.append(saved_as_tensor(n, name, v) if graph else v)
    return values


def saved_as_tensor(n: Any, name: str, v: Any) -> Any:
    """A saved value as a tensor again, with its history."""
    op = n.op
    if name != "y":
        if op.variadic:
            return tuple(lift(n, j, u) for j, u in enumerate(v))
        return lift(n, op.inputs.index(name), v)
    if op.outputs:
        return tuple(as_it_moved(wrap(o, output_node(n, j))) for j, o in enumerate(v))
    return lift_output(n, v)


def lift(n: Any, i: int, value: Any) -> Any:
    """The saved input ``i`` as a tensor again, with its history."""
    if value is None:
        return None
    p = n.parents[i]
    if p is None:
        constant = held_operand(constants_of(n)[i])
        if type(value) is not np.ndarray:
            return value
        if isinstance(constant, (int, float)):
            return constant  # a number stays one: it widens nothing
        return constant if isinstance(constant, Tensor) and constant._data is value else wrap(value)
    if type(p) is AccumulateGrad:
        leaf = p.ref()
        if leaf is not None and leaf._data is value:
            return leaf
    return _as_it_was(wrap(value, p), p)


def _as_it_was(t: Tensor, node: Any) -> Tensor:
    """A saved value as a symbol or a dual if it was one: formulas must not see what stands in for named sizes."""
    sizes = None if node.meta is None else node.meta.sizes
    return as_it_moved(t) if sizes is None else make_symbolic(t, dict(sizes))


def lift_output(n: Any, value: Any) -> Any:
    """The saved output as a tensor again."""
    return None if value is None else _as_it_was(wrap(value, n), n)


def reduce_to(d: Any, fit: Any, graph: bool) -> Any:
    """Undo broadcasting and promotion: sum ``d`` to the shape, drop an imaginary part, cast."""
    shape, dtype = fit
    if d.shape != shape:
        d = row_function("sum_to")(d, shape) if graph else sum_to(np.asarray(d), shape)
    if d.dtype != dtype:
        if _kind(d) == "c" and dtype.kind == "f":
            d = row_function("real")(d) if graph else d.real
        if d.dtype != dtype:
            d = row_function("cast")(d, dtype) if graph else d.astype(dtype)
    return d


def sum_to(d: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum an array over the axes that broadcasting to its shape added or stretched (and broadcast missing ones)."""
    lead = d.ndim - len(shape)
    if lead > 0 and d.shape[lead:] == shape:
        axes = 0 if lead == 1 else tuple(range(lead))
        if d.dtype == np.float32 and d.size > SHORT_SUM:  # NumPy adds rows one by one: short floats would lose digits
            return np.add.reduce(d, axes, np.float64).astype(np.float32)
        return np.add.reduce(d, axes)
    if d.size and len(shape) <= d.ndim:
        axes = tuple(range(lead)) + tuple(lead + k for k, s in enumerate(shape) if s == 1 and d.shape[lead + k] != 1)
        if axes:
            d = d.sum(axes, keepdims=True)
        if lead:
            d = d.reshape(d.shape[lead:])
    elif d.size == 0 and len(shape) <= d.ndim:
        axes = tuple(range(lead)) + tuple(lead + k for k, s in enumerate(shape) if d.shape[lead + k] != s)
        d = d.sum(axes, keepdims=True).reshape(shape)
    return d if d.shape == tuple(shape) else np.broadcast_to(d, shape)


def _pull_big(n: Any, i: int, p: Any, g: np.ndarray, grads: Gradients) -> bool:
    """g·rule(values) of a large array, in blocks; added in place to what ``p`` has where that is the sweep's own.

    Returns False, with nothing done, where blocks are not possible (broadcasting, mixed dtypes, gaps in memory).
    """
    op = n.op
    rule = op.rules[i]
    if not callable(rule) or type(n.fit) is not tuple or g.dtype.kind != "f":
        return False
    fit = n.fit[i]
    whole = "g" in op.rule_args[i]  # the rule itself speaks of g
    values = rule_values(n, i, g, False)
    if g.dtype != fit[1] or g.shape != fit[0] or any(isinstance(v, np.ndarray) and v.dtype != g.dtype for v in values):
        return False
    head = g if any(g.strides) else g[(0,) * g.ndim]  # the gradient of a sum is one number
    arrays = [head if v is g else v for v in values] if whole else [head, *values]
    if not record.blockable(arrays, g.shape):
        return False
    rule = rebind_to_arrays(rule)
    old = grads.get(p)
    into = old if p in grads[OWN] and are_alike(old, g) else None

    def block(*a: Any) -> None:
        *inputs, out = a
        if into is not None:
            out += rule(*inputs) if whole else inputs[0] * rule(*inputs[1:])
        elif whole:
            out[...] = rule(*inputs)
        else:
            np.multiply(inputs[0], rule(*inputs[1:]), out=out)

    d = record.run_in_blocks(block, arrays, np.empty(g.shape, g.dtype) if into is None else into)
    if into is None:
        add_to_edge(p, d, True, grads)
    return True
