"""The general way to run an operation and to record it, by looking things up.

What ``_emit.py`` writes out for the common case is done here for every case: any number of inputs, mixed dtypes,
arrays as operands, several outputs, large arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _config, _limits
from .._errors import DTypeError, GradientError
from .._limits import ORIGIN
from . import _parallel, modes
from ._borrowed import borrowed
from ._explain import describe, explain
from ._graph import FLOATS, FORGOTTEN, Node, Tensor, edge, extra, hold, new_node, next_seq, output_node, wrap
from ._quiet import hush, unhush
from ._reading import saved_values
from ._symbols import shape_of
from ._views import register_view
from ._watch import watch

SCALARS = (int, float, complex, bool)
"""Python's numbers, which are operands as they are."""


def run(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...], given: Any = None) -> Any:
    """Run ``op`` on operands of which at least one is a tensor, and record it (as tensors: see `run_symbolic`).

    ``given``: the parameters as the forward function gets them, where that differs from how they are recorded.
    """
    given = params if given is None else given
    values = tuple(a._data if isinstance(a, Tensor) else a.item() if isinstance(a, np.generic) else a for a in operands)
    values = promoted(op, values)
    state = hush()
    try:
        if op.variadic:
            out = op.forward(values, *given)
        elif op.kind == "elementwise" and _is_big(values):
            out = _big_forward(op.forward, values, given)
        else:
            out = op.forward(*values, *given)
    except Exception as error:
        raise explain(op, operands, params, error) from error
    finally:
        unhush(state)
    if op.outputs:
        return record_several(op, out, operands, params)
    if type(out) is not np.ndarray:
        out = np.asarray(out)
    return record(op, out, operands, params)


def promoted(op: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Short whole numbers beside floats as floats: NumPy takes the logarithm of an int8 in half precision."""
    if op.kind != "elementwise" or op.own_dtype or op.masks:
        return values
    arrays = [v.dtype for v in values if isinstance(v, np.ndarray)]
    if not any(d.itemsize < 4 and d.kind in "iu" for d in arrays):
        return values
    floats = [d for d in arrays if d.kind in "fc"]
    if not floats:
        return values
    want = np.result_type(*floats)
    return tuple([
        v.astype(want) if isinstance(v, np.ndarray) and v.dtype.kind in "iu" and k not in op.unmoved else v
        for k, v in enumerate(values)
    ])  # fmt: skip


def _is_big(values: tuple[Any, ...]) -> bool:
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    if not arrays or arrays[0].size <= _limits.BIG or arrays[0].dtype.kind != "f":
        return False
    return _parallel.blockable(values, arrays[0].shape)


def _kind(value: Any) -> Any:
    """What decides the dtype of a result: an array's dtype, a number's type (NumPy takes ``bool`` for no type)."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    return np.dtype(bool) if type(value) is bool else type(value)


def _big_forward(forward: Any, values: tuple[Any, ...], params: tuple[Any, ...]) -> np.ndarray:
    shape = next(v.shape for v in values if isinstance(v, np.ndarray))
    if isinstance(forward, np.ufunc):
        out = np.empty(shape, forward.resolve_dtypes((*map(_kind, values), None))[-1])
        # one ufunc has no temporaries to keep in cache: a block per thread is enough
        return _parallel.run(lambda *a: forward(*a[:-1], out=a[-1]), values, out, block=1 << 30)
    first = forward(*(v.reshape(-1)[:1] if isinstance(v, np.ndarray) else v for v in values), *params)

    def block(*a: Any) -> None:
        a[-1][...] = forward(*a[:-1], *params)

    return _parallel.run(block, values, np.empty(shape, first.dtype))


def settle(op: Any, out: np.ndarray, operands: tuple[Any, ...]) -> np.ndarray:
    """Give the result PyTorch's dtype where NumPy's differs: tensors of whole numbers never widen floats, and
    a float function of whole numbers gives the default dtype."""
    dtype = out.dtype
    if dtype.kind in "fc" and all(
        a._data.dtype is dtype if isinstance(a, Tensor) else type(a) is float or type(a) is int for a in operands
    ):
        return out  # nothing was promoted
    if out.dtype.kind not in "fc" or op.own_dtype:
        return out
    dtypes = [
        a._data.dtype if isinstance(a, Tensor) else a.dtype for a in operands if isinstance(a, (Tensor, np.ndarray))
    ]
    want = settled(out.dtype, dtypes)
    if out.dtype == want:
        return out
    with np.errstate(all="ignore"):
        return out.astype(want)


def settled(dtype: np.dtype[Any], dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    """The dtype of a result that NumPy gives the float ``dtype``, of operands of ``dtypes``."""
    floats = [d for d in dtypes if d.kind in "fc"]
    want = np.result_type(*floats) if floats else _config.default_dtype()
    if dtype.kind == "c" and want.kind == "f":
        return _config.complex_of(want)
    return _config.real_of(want) if dtype.kind == "f" and want.kind == "c" else want


def refuse_complex(op: Any, operands: tuple[Any, ...]) -> None:
    """Raise if an operand of a row for real numbers is complex."""
    for a in operands:
        value = a._data if isinstance(a, Tensor) else a
        if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
            raise DTypeError(
                f"'{op.name}' is not implemented for complex numbers",
                f"It got {describe(operands)}.",
                "Apply it to .real, .imag or .abs().",
            )


def finish(op: Any, out: np.ndarray, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Tensor:
    """Wrap the result of an operation none of whose inputs requires grad."""
    if op.real_only:
        refuse_complex(op, operands)
    if out.dtype.kind in "fc":
        # NumPy computes functions of small integers in half precision
        if out.dtype.itemsize == 2 and not op.own_dtype and not op.variadic and not op.view:
            arrays = [a._data if isinstance(a, Tensor) else a for a in operands]
            halves = any(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in arrays)  # whole numbers are places
            kinds = "f" if halves else "biuf"
            wide = (a.astype(np.float64) if isinstance(a, np.ndarray) and a.dtype.kind in kinds else a for a in arrays)
            with np.errstate(all="ignore"):
                out = np.asarray(op.forward(*wide, *params))
        out = settle(op, out, operands)
    t = wrap(out)
    if op.view:
        register_view(t, operands[0], op, params)
    for a in operands:
        if isinstance(a, Tensor) and (op.kind == "constant" if a._node is not None else a._extra is not None):
            _note_origin(t, op, operands, params)
            break
    if modes.mode.get() == modes.INFERENCE and (t._extra is None or t._extra.view is None):  # a view is as its base
        extra(t).inference = True
    return t


def _note_origin(t: Tensor, op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> None:
    """Let a constant remember how it was computed from named ones, or by comparing, so that formulas show ``-y`` and
    ``abs(r) < 1`` rather than what these happened to be.

    A mask keeps the nodes of what was compared (not the values): they may hang on nothing else. Whatever is smaller
    than what it was computed from, a metric say, keeps none of that, so that a list of metrics keeps no graphs; it says
    only that it was computed, as does what is computed where nothing records, or by a row of several results.
    """
    length, compared = 0, False
    for a in operands:
        if not isinstance(a, Tensor):
            continue
        bag = a._extra
        if a._node is not None:
            length, compared = max(length, 1), True
        elif bag is not None and bag.name is not None:
            length = max(length, 1)
        elif bag is not None and bag.origin is not None:
            length = max(length, 1 + bag.origin[4])
            compared = compared or bag.origin[5]
        if compared and a._data.size > t._data.size and modes.tracing.get() is None:
            extra(t).origin = FORGOTTEN
            return
    if modes.mode.get() <= 0 or op.outputs or length > ORIGIN:
        if compared and t._data.dtype.kind not in "fc":
            extra(t).origin = FORGOTTEN
    elif length:
        kept = tuple(a._node if isinstance(a, Tensor) and a._node is not None else a for a in operands)
        extra(t).origin = (op, kept, params, next_seq(), length, compared)


def record(op: Any, out: np.ndarray, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Tensor:
    """Wrap a result; make its node if grad mode is on and an input requires grad."""
    edges = tuple(edge(a) if isinstance(a, Tensor) else None for a in operands)
    mode = modes.mode.get()
    if mode <= 0 or op.kind == "constant" or not any(e is not None for e in edges):
        return finish(op, out, operands, params)
    out = settle(op, out, operands)
    if out.dtype.kind not in "fc":
        t = wrap(out)
        _note_origin(t, op, operands, params)
        return t
    if op.real_only:
        refuse_complex(op, operands)
    node = make_node(op, out, operands, params, edges)
    t = wrap(out, node)
    if op.view:
        register_view(t, operands[0], op, params)
    if mode == modes.WATCH:
        watch(node, (out,))
    return t


def make_node(op: Any, out: Any, operands: tuple[Any, ...], params: tuple[Any, ...], edges: tuple[Any, ...]) -> Node:
    """A node for ``op`` with what its rules ask for, whatever its form."""
    constants: Any = tuple(None if e is not None else hold(a) for e, a in zip(edges, operands, strict=True))
    if all(c is None for c in constants):
        constants = None
    consts = (constants, params, tuple(shape_of(a) for a in operands)) if op.packs else constants
    fit = _fit(op, out, operands, edges)
    node: Node = new_node(op.node, edges, _saved(op, out, operands, params, edges), consts, fit)
    if node.saved is not None:
        refuse_inference(op.name, operands, saved_values(node))
        borrowed(node, operands)
    return node


def refuse_inference(name: str, operands: Sequence[Any], saved: Sequence[Any]) -> None:
    """Raise where a tensor made in inference mode would be saved."""
    for a in operands:
        if isinstance(a, Tensor) and a._extra is not None and a._extra.inference and any(v is a._data for v in saved):
            raise GradientError(
                "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
                "in computation tracked by autograd.",
                f"{name} got a tensor made in inference_mode.",
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
            if isinstance(a, SCALARS) and op.kind == "elementwise" and not isinstance(a, complex):
                a = np.asarray(a, out.dtype)  # in the tensors' dtype: np.log(2.0) would be a float64
            value = a._data if isinstance(a, Tensor) else a
            if name in live and op.kind == "elementwise" and getattr(value, "dtype", out.dtype) != out.dtype:
                value = promoted(op, (value, out))[0]  # as it was computed with
            saved.append(value if name in live else None)
        else:
            saved.append(params[op.params.index(name)])
    if op.bare:
        return saved[0]
    return None if all(v is None for v in saved) else tuple(saved)


def _fit(op: Any, out: Any, operands: Any, edges: Any) -> Any:
    """Per input (shape, dtype) to which its gradient must be brought, or None if all fit as they are."""
    outs = out if op.outputs else (out,)
    rows: list[Any] = []
    plain = outs[0].dtype in FLOATS and not op.outputs and not op.variadic
    if op.kind == "elementwise" and outs[0].size > _limits.BIG:
        plain = False  # large arrays are pulled in blocks
    for a, e in zip(operands, edges, strict=True):
        if e is None:
            rows.append(None)  # beside whole numbers, say, NumPy computes a wider gradient than the operand is
            value = a._data if isinstance(a, Tensor) else a
            if op.kind in ("elementwise", "multilinear") and getattr(value, "dtype", outs[0].dtype).kind in "biu":
                plain = False
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
    mode = modes.mode.get()
    if mode <= 0 or not any(e is not None for e in edges):
        return tuple(finish(op, np.asarray(o), operands, params) for o in outs)
    outs = tuple(settle(op, np.asarray(o), operands) for o in outs)
    origin = make_node(op, outs, operands, params, edges)
    if mode == modes.WATCH:
        watch(origin, outs)
    return tuple(wrap(o, output_node(origin, i)) if o.dtype.kind in "fc" else wrap(o) for i, o in enumerate(outs))
