"""The general way to run and to pull an operation, by looking things up: what ``_emit.py`` writes out for the
common case is done here for every case (any number of inputs, mixed dtypes, broadcasting, complex numbers,
saved-tensor hooks, large arrays, other carriers).
"""

from __future__ import annotations

import sys
from functools import cache
from itertools import combinations
from types import FunctionType
from typing import Any

import numpy as np

from .. import _config
from .._errors import DimensionError, DTypeError, GradientError, NotDifferentiableError, ShapeError, SymgradError
from . import _blocks, _modes
from ._graph import AccumulateGrad, Node, OutputNode, Tensor, edge, extra, meta, next_seq, wrap

_new = object.__new__
_SCALARS = (int, float, complex, bool)
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def table(name: str) -> Any:
    """A row's function, by name (rows refer to each other before both are declared)."""
    from ._op import TABLE

    return TABLE[name].apply


# ---------------------------------------------------------------------------------------------- forward


def other(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands that are not all plain tensors: arrays give arrays, formulas formulas."""
    found = False
    for a in operands:
        if isinstance(a, Tensor):
            found = True
        elif hasattr(type(a), "__symgrad_apply__"):
            return a.__symgrad_apply__(op, operands, params)
        elif not isinstance(a, (np.ndarray, np.generic, *_SCALARS)):
            if not (a is None and not op.variadic):
                raise DTypeError(
                    f"unsupported operand type(s) for {op.symbol or op.name}: " + " and ".join(repr(type(o).__name__) for o in operands),
                    f"It got {_describe(operands)}.",
                    "Pass tensors, NumPy arrays or numbers; sg.tensor(…) makes a tensor of a list.",
                )
    if found:
        return run(op, operands, params)
    try:
        return op.forward(operands, *params) if op.variadic else op.forward(*operands, *params)
    except Exception as error:
        raise explain(op, operands, params, error) from error


def run(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands of which at least one is a tensor, and record it."""
    values = tuple(a._data if isinstance(a, Tensor) else a.item() if isinstance(a, np.generic) else a for a in operands)
    try:
        if op.variadic:
            out = op.forward(values, *params)
        elif op.kind == "elementwise" and _is_big(values):
            out = _big_forward(op.forward, values, params)
        else:
            out = op.forward(*values, *params)
    except Exception as error:
        raise explain(op, operands, params, error) from error
    if op.outputs:
        return record_several(op, out, operands, params)
    if type(out) is not np.ndarray:
        out = np.asarray(out)
    return record(op, out, operands, params)


def _is_big(values: tuple[Any, ...]) -> bool:
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    return bool(arrays) and arrays[0].size > _blocks.BIG and arrays[0].dtype.kind == "f" and _blocks.blockable(values)


def _big_forward(forward: Any, values: tuple[Any, ...], params: tuple[Any, ...]) -> np.ndarray:
    shape = next(v.shape for v in values if isinstance(v, np.ndarray))
    if isinstance(forward, np.ufunc):
        types = tuple(v.dtype if isinstance(v, np.ndarray) else type(v) for v in values)
        out = np.empty(shape, forward.resolve_dtypes((*types, None))[-1])
        # one ufunc has no temporaries to keep in cache: a block per thread is enough
        return _blocks.run(lambda *a: forward(*a[:-1], out=a[-1]), values, out, block=1 << 30)
    first = forward(*(v.reshape(-1)[:1] if isinstance(v, np.ndarray) else v for v in values), *params)

    def block(*a: Any) -> None:
        a[-1][...] = forward(*a[:-1], *params)

    return _blocks.run(block, values, np.empty(shape, first.dtype))


def settle(op: Any, out: np.ndarray, operands: tuple[Any, ...]) -> np.ndarray:
    """Give the result PyTorch's dtype where NumPy's differs: tensors of whole numbers never widen floats, and
    a float function of whole numbers gives the default dtype."""
    if out.dtype.kind not in "fc" or op.own_dtype:
        return out
    dtypes = [a._data.dtype if isinstance(a, Tensor) else a.dtype for a in operands if isinstance(a, (Tensor, np.ndarray))]
    floats = [d for d in dtypes if d.kind in "fc"]
    want = np.result_type(*floats) if floats else _config.default_dtype()
    if out.dtype.kind == "c" and want.kind == "f":
        want = _config.complex_of(want)
    elif out.dtype.kind == "f" and want.kind == "c":
        want = _config.real_of(want)
    return out if out.dtype == want else out.astype(want)


def finish(op: Any, out: np.ndarray, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Tensor:
    """Wrap the result of an operation none of whose inputs requires grad."""
    if out.dtype.kind in "fc":
        if out.dtype.itemsize == 2 and not op.own_dtype:  # NumPy computes functions of small integers in half precision
            wide = tuple(a._data.astype(np.float64) if isinstance(a, Tensor) else a for a in operands)
            out = np.asarray(op.forward(*wide, *params))
        out = settle(op, out, operands)
    t = wrap(out)
    if op.view:
        from ._views import register_view

        register_view(t, operands[0], op, params)
    for a in operands:
        if isinstance(a, Tensor) and (op.kind == "constant" if a._node is not None else a._extra is not None):
            _note_origin(t, op, operands, params)
            break
    if _modes.mode.get() == _modes.INFERENCE:
        extra(t).inference = True
    return t


_LONGEST_ORIGIN = 24  # constants remember how they were computed this far back; a loop must not pile up memory


def _note_origin(t: Tensor, op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> None:
    """Let a constant remember how it was computed from named ones, or by comparing, so that formulas show ``-y`` and
    ``x > 0`` rather than what these happened to be. Operands with a history are kept as their nodes, without values."""
    if _modes.mode.get() <= 0 or op.outputs:
        return
    length = 0
    for a in operands:
        bag = a._extra if isinstance(a, Tensor) else None
        if isinstance(a, Tensor) and a._node is not None:
            length = max(length, 1)
        elif bag is not None:
            if bag.name is not None:
                length = max(length, 1)
            elif bag.origin is not None:
                length = max(length, 1 + bag.origin[4])
    if 0 < length <= _LONGEST_ORIGIN:
        kept = tuple(a._node if isinstance(a, Tensor) and a._node is not None else a for a in operands)
        extra(t).origin = (op, kept, params, next_seq(), length)


def record(op: Any, out: np.ndarray, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Tensor:
    """Wrap a result; make its node if grad mode is on and an input requires grad."""
    edges = tuple(edge(a) if isinstance(a, Tensor) else None for a in operands)
    mode = _modes.mode.get()
    if mode <= 0 or op.kind == "constant" or not any(e is not None for e in edges):
        return finish(op, out, operands, params)
    out = settle(op, out, operands)
    if out.dtype.kind not in "fc":
        return wrap(out)
    node = make_node(op, out, operands, params, edges)
    t = wrap(out, node)
    if op.view:
        from ._views import register_view

        register_view(t, operands[0], op, params)
    if mode == _modes.WATCH:
        watch(node)
    return t


def make_node(op: Any, out: Any, operands: tuple[Any, ...], params: tuple[Any, ...], edges: tuple[Any, ...]) -> Node:
    """A node for ``op`` with what its rules ask for, whatever its form."""
    node = _new(op.node)
    node.parents = edges
    node.saved = _saved(op, out, operands, params, edges)
    if node.saved is not None:
        _refuse_inference(op, operands, node.saved)
    constants: Any = tuple(None if e is not None else a for e, a in zip(edges, operands, strict=True))
    if all(c is None for c in constants):
        constants = None
    shapes = tuple(np.shape(a._data) if isinstance(a, Tensor) else np.shape(a) for a in operands)
    node.consts = (constants, params, shapes) if op.packs else constants
    node.fit = _fit(op, out, operands, edges)
    node.meta = None
    node.seq = next_seq()
    return node


def _refuse_inference(op: Any, operands: tuple[Any, ...], saved: tuple[Any, ...]) -> None:
    for a in operands:
        if isinstance(a, Tensor) and a._extra is not None and a._extra.inference and any(v is a._data for v in saved):
            raise GradientError(
                "Inference tensors cannot be saved for backward.",
                f"{op.name} got a tensor made in inference_mode.",
                "To work around you can make a clone to get a normal tensor and use it in autograd.",
            )


def _saved(op: Any, out: Any, operands: Any, params: Any, edges: Any) -> Any:
    if not op.saved:
        return None
    if op.variadic:
        values = tuple(a._data if isinstance(a, Tensor) else a for a in operands)
        return tuple(values if s in op.inputs else out if s == "y" else params[op.params.index(s)] for s in op.saved)
    live = {a for i, e in enumerate(edges) if e is not None for a in op.rule_args[i]}
    saved = []
    for name in op.saved:
        if name == "y":
            saved.append(out if name in live else None)
        elif name in op.inputs:
            a = operands[op.inputs.index(name)]
            saved.append((a._data if isinstance(a, Tensor) else a) if name in live else None)
        else:
            saved.append(params[op.params.index(name)])
    return tuple(saved)


def _fit(op: Any, out: Any, operands: Any, edges: Any) -> Any:
    """Per input (shape, dtype) to which its gradient must be brought, or None if all fit as they are."""
    outs = out if op.outputs else (out,)
    rows: list[Any] = []
    plain = outs[0].dtype in _FLOATS and not op.outputs and not op.variadic
    if op.kind == "elementwise" and outs[0].size > _blocks.BIG:
        plain = False  # large arrays are pulled in blocks
    for a, e in zip(operands, edges, strict=True):
        if e is None:
            rows.append(None)
            continue
        x = a._data
        rows.append((x.shape, x.dtype))
        if x.dtype != outs[0].dtype or (op.kind == "elementwise" and x.shape != outs[0].shape):
            plain = False
    if op.outputs:
        return tuple((o.shape, o.dtype) for o in outs)
    return None if plain else tuple(rows)


def record_several(op: Any, outs: tuple[np.ndarray, ...], operands: Any, params: Any) -> tuple[Tensor, ...]:
    """Wrap the outputs of an operation with several; they share one node."""
    edges = tuple(edge(a) if isinstance(a, Tensor) else None for a in operands)
    mode = _modes.mode.get()
    if mode <= 0 or not any(e is not None for e in edges):
        return tuple(finish(op, np.asarray(o), operands, params) for o in outs)
    outs = tuple(settle(op, np.asarray(o), operands) for o in outs)
    origin = make_node(op, outs, operands, params, edges)
    if mode == _modes.WATCH:
        watch(origin)
    return tuple(
        wrap(o, output_node(origin, i)) if o.dtype.kind in "fc" else wrap(o) for i, o in enumerate(outs)
    )


def output_node(origin: Node, index: int) -> OutputNode:
    """The edge to one output of a node with several."""
    node = _new(OutputNode)
    node.parents, node.saved, node.consts, node.fit, node.meta = (origin,), None, None, None, None
    node.seq = next_seq()
    node.index = index
    return node


def watch(node: Node) -> None:
    """What anomaly mode and saved-tensor hooks do to a node as it is recorded."""
    if _modes.anomaly.get() is not None:
        meta(node).where = caller()
    hooks = _modes.saved_hooks.get()
    if hooks and node.saved is not None:
        pack, unpack = hooks[-1]
        if pack is None:
            raise GradientError(str(unpack), "", "Leave the disable_saved_tensors_hooks block first.")
        token = _modes.mode.set(_modes.OFF)
        try:
            node.saved = tuple(
                Packed(pack(wrap(v)), unpack) if type(v) is np.ndarray else v for v in node.saved
            )
        finally:
            _modes.mode.reset(token)
        meta(node).packed = True


class Packed:
    """A saved value in the form that the user's pack hook gave it."""

    __slots__ = ("unpack", "value")

    def __init__(self, value: Any, unpack: Any) -> None:
        self.value, self.unpack = value, unpack

    def get(self) -> np.ndarray:
        """The array again, through the user's unpack hook."""
        t = self.unpack(self.value)
        if not isinstance(t, Tensor):
            raise DTypeError(
                f"unpack_hook must return a tensor, got {type(t).__name__!r}", "", "Return what pack_hook was given."
            )
        return t._data


def caller() -> str:
    """'file:line, in function' of the innermost frame outside symgrad."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != "symgrad" and not name.startswith("symgrad."):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}, in {frame.f_code.co_name}"
        frame = frame.f_back
    return "an unknown place"


# ---------------------------------------------------------------------------------------------- backward


def pull_slow(n: Any, g: Any, grads: dict[Any, Any], graph: bool) -> None:
    """Bring the gradient of each input, in any form of node."""
    op = n.op
    if op.outputs:
        g = [_zeros(fit, graph) if gi is None else gi for gi, fit in zip(g, n.fit, strict=True)]
    for i, p in enumerate(n.parents):
        if p is None:
            continue
        d = input_gradient(n, i, g, grads.get(p), graph)
        old = grads.get(p)
        if old is not None and d is not old:
            d = _add(old, d)
        grads[p] = d


def _add(old: Any, d: Any) -> Any:
    """``old + d``; large arrays that nobody else holds are added to in place."""
    if type(old) is not np.ndarray or old.size <= _blocks.BIG or old.dtype != d.dtype or not _blocks.blockable([old, d]):
        return old + d
    # references: the dict's, the caller's, this frame's and getrefcount's own
    out = old if old.base is None and sys.getrefcount(old) <= 4 else np.empty_like(old)
    return _blocks.run(lambda a, b, o: np.add(a, b, out=o), [old, d], out, block=1 << 30)


def _zeros(fit: Any, graph: bool) -> Any:
    z = np.zeros(*fit)
    return wrap(z) if graph else z


def input_gradient(n: Any, i: int, g: Any, old: Any, graph: bool, exact: bool = False) -> Any:
    """The gradient of input ``i``, reduced to its shape and dtype (added to ``old`` in place if ``old`` is returned).

    ``exact``: an incoming gradient of 0 gives 0, however steep the operation is there.
    """
    op = n.op
    rule = op.rules[0 if op.variadic else i]
    if rule is None:
        raise NotDifferentiableError(
            f"the derivative of '{op.name}' with respect to its input {i} is not implemented",
            f"It was recorded by {n.name()}.",
            "detach() that input if its gradient is not wanted, or define the rule with symgrad.autograd.Function.",
        )
    fit = None if op.outputs or n.fit is None else n.fit[i]
    values = _rule_values(n, i, g, graph)
    first = g[0] if op.outputs else g
    if not graph and not exact and op.kind == "elementwise" and first.size > _blocks.BIG and callable(rule) and fit is not None:
        done = _big_pull(rebind_to_arrays(rule), "g" in op.rule_args[i], g, values, fit, old)
        if done is not None:
            return done
    is_complex = op.holomorphic and (_kind(first) == "c" or any(_kind(v) == "c" for v in values))
    if op.kind == "elementwise" and "g" not in op.rule_args[i]:
        partial = rule if not callable(rule) else (rebind if graph else rebind_to_arrays)(rule)(*values)
        if is_complex and _kind(partial) == "c":
            partial = table("conj")(partial) if graph else np.conj(partial)
        if isinstance(partial, (int, float)):
            d = g if partial == 1 else -g if partial == -1 else g * partial
        else:
            d = g * partial
    else:
        fn = rebind(rule) if graph else rebind_to_arrays(rule)
        if is_complex:
            conj = table("conj") if graph else np.conj
            values = [_conj(v, conj) if a == "g" else v for a, v in zip(_rule_args(op, i), values, strict=True)]
            d = conj(fn(*values))
        else:
            d = fn(*values)
    if exact:
        d = _keep_zeros(g, d, graph)
    return d if fit is None else reduce_to(d, fit, graph)


def _keep_zeros(g: Any, d: Any, graph: bool) -> Any:
    """``d``, with 0 where it is not finite although the incoming gradient is 0."""
    zero = ~np.isfinite(d._data if graph else d) & ((g._data if graph else g) == 0)
    if not zero.any():
        return d
    return table("where")(zero, 0.0, d) if graph else np.where(zero, 0, d)


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


def _rule_values(n: Any, i: int, g: Any, graph: bool) -> list[Any]:
    op = n.op
    params = n.consts[1] if op.packs else ()
    shapes = n.consts[2] if op.packs else ()
    values: list[Any] = []
    for name in _rule_args(op, i):
        if name == "g":
            values.append(g)
        elif name == "i":
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
            v = n.saved[op.saved.index(name)]
            if graph:
                v = _lifted(n, op, name, v)
            values.append(v)
    return values


def _lifted(n: Any, op: Any, name: str, v: Any) -> Any:
    if name != "y":
        if op.variadic:
            return tuple(lift(n, j, u) for j, u in enumerate(v))
        return lift(n, op.inputs.index(name), v)
    if op.outputs:
        return tuple(wrap(o, output_node(n, j)) for j, o in enumerate(v))
    return lift_output(n, v)


def lift(n: Any, i: int, value: Any) -> Any:
    """The saved input ``i`` as a tensor again, with its history."""
    p = n.parents[i]
    if p is None:
        op = n.op
        constants = n.consts[0] if op.packs else n.consts
        constant = None if constants is None else constants[i]
        if type(value) is not np.ndarray:
            return value
        return constant if isinstance(constant, Tensor) and constant._data is value else wrap(value)
    if type(p) is AccumulateGrad:
        leaf = p.ref()
        if leaf is not None and leaf._data is value:
            return leaf
    return wrap(value, p)


def lift_output(n: Any, value: Any) -> Any:
    """The saved output as a tensor again."""
    return None if value is None else wrap(value, n)


def reduce_to(d: Any, fit: Any, graph: bool) -> Any:
    """Undo broadcasting and promotion: sum ``d`` to the shape, drop an imaginary part, cast."""
    shape, dtype = fit
    if d.shape != shape:
        d = table("sum_to")(d, shape) if graph else sum_to(np.asarray(d), shape)
    if d.dtype != dtype:
        if _kind(d) == "c" and dtype.kind == "f":
            d = table("real")(d) if graph else d.real
        if d.dtype != dtype:
            d = table("cast")(d, dtype) if graph else d.astype(dtype)
    return d


def sum_to(d: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum an array over the axes that broadcasting to its shape added or stretched (and broadcast missing ones)."""
    if d.size and len(shape) <= d.ndim:
        lead = d.ndim - len(shape)
        axes = tuple(range(lead)) + tuple(
            lead + k for k, s in enumerate(shape) if s == 1 and d.shape[lead + k] != 1
        )
        if axes:
            d = d.sum(axes, keepdims=True)
        if lead:
            d = d.reshape(d.shape[lead:])
    elif d.size == 0 and len(shape) <= d.ndim:
        lead = d.ndim - len(shape)
        axes = tuple(range(lead)) + tuple(lead + k for k, s in enumerate(shape) if d.shape[lead + k] != s)
        d = d.sum(axes, keepdims=True).reshape(shape)
    return d if d.shape == tuple(shape) else np.broadcast_to(d, shape)


def _big_pull(rule: Any, whole: bool, g: Any, values: list[Any], fit: Any, old: Any) -> Any:
    """g·rule(values) (the rule itself if it speaks of g) in blocks; into ``old`` when nobody else holds it."""
    if g.dtype != fit[1] or g.shape != fit[0] or any(isinstance(v, np.ndarray) and v.dtype != g.dtype for v in values):
        return None
    if not any(g.strides):  # the gradient of a sum: one number
        number = g[(0,) * g.ndim]
        values = [number if v is g else v for v in values]
        arrays = values if whole else [number, *values]
    else:
        arrays = values if whole else [g, *values]
    if not _blocks.blockable(arrays):
        return None
    # references: the dictionary's, pull_slow's call, this frame's and getrefcount's own
    owned = type(old) is np.ndarray and old.base is None and old.shape == g.shape and sys.getrefcount(old) <= 4

    def block(*a: Any) -> None:
        *inputs, out = a
        if owned:
            out += rule(*inputs) if whole else inputs[0] * rule(*inputs[1:])
        elif whole:
            out[...] = rule(*inputs)
        else:
            np.multiply(inputs[0], rule(*inputs[1:]), out=out)

    return _blocks.run(block, arrays, old if owned else np.empty(g.shape, g.dtype))


class _Recording:
    """Stands for ``np`` inside a rule that runs on tensors: each NumPy function is the table's own."""

    def __getattr__(self, name: str) -> Any:
        fn = getattr(np, name)
        value = NUMPY.get(fn, fn) if callable(fn) and not isinstance(fn, type) else fn
        setattr(self, name, value)
        return value


NUMPY: dict[Any, Any] = {}
"""What each NumPy function is on tensors (filled by the table)."""

_recording = _Recording()


@cache
def rebind_to_arrays(rule: Any) -> Any:
    """The rule with every row's function meaning the row's forward: the same on arrays, without asking what they are."""
    if not isinstance(rule, FunctionType):
        return rule
    rows = {}
    for name in rule.__code__.co_names:
        op = getattr(rule.__globals__.get(name), "op", None)
        if op is not None:
            rows[name] = op.forward
    if not rows:
        return rule
    return FunctionType(rule.__code__, {**rule.__globals__, **rows}, rule.__name__, rule.__defaults__, rule.__closure__)


@cache
def rebind(rule: Any) -> Any:
    """The rule with ``np`` meaning the table's functions: the same as NumPy's protocols give, 1 µs sooner."""
    if not isinstance(rule, FunctionType) or rule.__globals__.get("np") is not np:
        return rule
    names = {**rule.__globals__, "np": _recording}
    return FunctionType(rule.__code__, names, rule.__name__, rule.__defaults__, rule.__closure__)


# ---------------------------------------------------------------------------------------------- errors


def _describe(operands: tuple[Any, ...]) -> str:
    words = []
    for a in operands:
        if isinstance(a, Tensor):
            name = f"{a._extra.name} " if a._extra is not None and a._extra.name else ""
            words.append(f"{name}{tuple(a._data.shape)} {a._data.dtype}")
        elif isinstance(a, np.ndarray):
            words.append(f"array {a.shape} {a.dtype}")
        else:
            words.append(f"{type(a).__name__} {a!r}"[:60])
    return ", ".join(words)


def explain(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...], error: Exception) -> Exception:
    """The error of a failed forward, in the user's terms."""
    if isinstance(error, (SymgradError, MemoryError, NotImplementedError)):
        return error
    evidence = f"{op.name} got {_describe(operands)}" + (f" with {dict(zip(op.params, params, strict=False))}" if params else "") + "."
    if isinstance(error, np.exceptions.AxisError):
        low, high = -error.ndim if error.ndim else -1, error.ndim - 1 if error.ndim else 0
        return DimensionError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {error.axis})", evidence,
            "Count the tensor's dimensions with .dim().",
        )
    if isinstance(error, IndexError):
        return DimensionError(f"{error}", evidence, "Check the index against the tensor's shape.")
    if isinstance(error, (TypeError, np.exceptions.DTypePromotionError)):
        kinds = ", ".join(str(np.asarray(a._data).dtype) for a in operands if isinstance(a, Tensor))
        return DTypeError(f"{op.name} is not implemented for {kinds or 'these types'}: {error}", evidence, "Cast the operands with .to(dtype).")
    if isinstance(error, ValueError):
        return ShapeError(_mismatch(operands) or f"{op.name}: {error}", evidence, "Make the shapes agree: reshape, unsqueeze or expand.")
    return error


def _mismatch(operands: tuple[Any, ...]) -> str:
    """PyTorch's words for two shapes that do not broadcast."""
    shapes = [np.shape(a._data) if isinstance(a, Tensor) else np.shape(a) for a in operands if a is not None]
    for a, b in combinations(shapes, 2):
        for k in range(1, min(len(a), len(b)) + 1):
            if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
                return (
                    f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) "
                    f"at non-singleton dimension {max(len(a), len(b)) - k}"
                )
    return ""
