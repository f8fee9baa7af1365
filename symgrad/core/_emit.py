"""Writes each row's ``apply`` and ``pull`` once, at declaration, from its kind and its rules' signatures.

Python is slow where it interprets decisions, so the decisions (how many inputs, which values are saved, is the
partial a number) are taken here and what remains is straight-line code. Rows of the same form share one
compiled code object; only their globals differ. Whatever is rare (mixed dtypes, broadcasting, complex numbers,
hooks) leaves the straight line for ``_run.py``, which does the same thing by looking things up.
"""

from __future__ import annotations

from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from . import _modes, _run, _views
from ._blocks import BIG
from ._graph import Tensor, next_seq

_BASE: dict[str, Any] = {
    "__name__": "symgrad",
    "Tensor": Tensor, "new": object.__new__, "next_seq": next_seq, "mode": _modes.mode.get,
    "ndarray": np.ndarray, "asarray": np.asarray, "F64": np.dtype(np.float64), "F32": np.dtype(np.float32),
    "other": _run.other, "record": _run.record, "finish": _run.finish, "explain": _run.explain, "run": _run.run,
    "BIG": BIG, "register_view": _views.register_view, "pull_slow": _run.pull_slow, "lift": _run.lift, "lift_output": _run.lift_output,
}  # fmt: skip


@cache
def _compile(source: str) -> CodeType:
    module = compile(source, "<symgrad operation>", "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


def _function(name: str, source: str, **names: Any) -> Any:
    fn = FunctionType(_compile(source), {**_BASE, **names}, name)
    fn.__module__ = "symgrad"
    return fn


def make_apply(op: Any) -> Any:
    """The function of a row: computes, and records when an input requires grad."""
    if op.outputs or op.variadic or len(op.inputs) > 2 or op.kind == "constant":
        fn = _generic_apply(op)
    else:
        source = _apply_source(
            len(op.inputs), op.params, tuple(op.saved), op.inputs, _uses(op), op.kind == "elementwise", op.view, op.sized
        )
        fn = _function(op.name, source, op=op, forward=op.forward, Row=op.node)
        if op.defaults:
            fn.__defaults__ = tuple(op.defaults[p] for p in op.params if p in op.defaults)
    fn.__name__ = fn.__qualname__ = op.name
    fn.__doc__ = op.doc
    fn.op = op
    return fn


def _generic_apply(op: Any) -> Any:
    count = 1 if op.variadic else len(op.inputs)
    if op.variadic:

        def apply(operands: Any, *params: Any) -> Any:
            return _run.other(op, tuple(operands), params)
    else:

        def apply(*args: Any) -> Any:
            return _run.other(op, args[:count], args[count:])

    return apply


def _uses(op: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(a for a in args if a in op.saved) for args in op.rule_args)


def _apply_source(count: int, params: Any, saved: Any, inputs: Any, uses: Any, elementwise: bool, view: bool, sized: bool) -> str:
    tail = "".join(f", {p}" for p in params)
    pack = "(" + "".join(f"{p}, " for p in params) + ")"
    args = "a" if count == 1 else "a, b"
    tensors = "(a,)" if count == 1 else "(a, b)"
    xs = "x0" if count == 1 else "x0, x1"
    lines = [f"def apply({args}{tail}):"]
    if count == 1:
        lines += [f"    if type(a) is not Tensor: return other(op, (a,), {pack})", "    x0 = a._data; p0 = a._node"]
    else:
        scalar = "{t} is float or {t} is int"
        refuse = f"return other(op, (a, b), {pack})"
        lines += [
            "    ta = type(a); tb = type(b)",
            "    if ta is Tensor:",
            "        x0 = a._data; p0 = a._node",
            "        if tb is Tensor: x1 = b._data; p1 = b._node",
            f"        elif {scalar.format(t='tb')}: x1 = b; p1 = None" if elementwise else f"        else: {refuse}",
            *([f"        else: {refuse}"] if elementwise else []),
            f"    elif tb is Tensor and ({scalar.format(t='ta')}): x0 = a; p0 = None; x1 = b._data; p1 = b._node"
            if elementwise
            else f"    else: {refuse}",
            *([f"    else: {refuse}"] if elementwise else []),
        ]
    if elementwise:
        size = "x0.size > BIG" if count == 1 else "ta is Tensor and x0.size > BIG"
        lines += [f"    if {size}: return run(op, {tensors}, {pack})"]
    lines += [
        f"    try: out = forward({xs}{tail})",
        f"    except Exception as error: raise explain(op, {tensors}, {pack}, error) from error",
        "    if type(out) is not ndarray: out = asarray(out)",
    ]
    none = "p0 is None" if count == 1 else "p0 is None and p1 is None"
    plain = f"finish(op, out, {tensors}, {pack})"
    lines += [f"    if {none}: return {plain}", "    dt = out.dtype"]
    fits = ["x0.dtype is not dt"]
    if count == 2:
        same = " or x0.shape != x1.shape" if elementwise else ""
        both = f"ta is Tensor and tb is Tensor and (x0.dtype is not dt or x1.dtype is not dt{same})"
        one = "tb is not Tensor and x0.dtype is not dt or ta is not Tensor and x1.dtype is not dt"
        dead = [f"p{i} is None and t{c} is Tensor and {c}._extra is not None and {c}._extra.inference" for i, c in enumerate("ab")]
        fits = [f"({both})", f"({one})", *(f"({d})" for d in dead)] if elementwise else ["x0.dtype is not dt or x1.dtype is not dt"]
    lines += [
        f"    if mode() != 1 or (dt is not F64 and dt is not F32) or {' or '.join(fits)}:",
        f"        return record(op, out, {tensors}, {pack})",
        "    n = new(Row)",
        "    n.parents = (p0,)" if count == 1 else "    n.parents = (p0, p1)",
        "    n.saved = " + _saved_source(count, saved, inputs, uses),
        "    n.consts = " + _consts_source(count, elementwise, pack, sized),
        "    n.fit = None; n.meta = None; n.seq = next_seq()",
        "    t = new(Tensor); t._data = out; t._node = n; t._extra = None",
    ]
    if view:
        lines += [f"    if out.base is not None: return register_view(t, a, op, {pack})"]
    lines += ["    return t"]
    return "\n".join(lines)


def _saved_source(count: int, saved: Any, inputs: Any, uses: Any) -> str:
    if not saved:
        return "None"
    parts = []
    for name in saved:
        value = "out" if name == "y" else f"x{inputs.index(name)}" if name in inputs else name
        users = [i for i in range(count) if name in uses[i]]
        if count == 2 and len(users) == 1:
            value = f"{value} if p{users[0]} is not None else None"
        parts.append(value)
    return "(" + ", ".join(f"({p})" for p in parts) + ",)"


def _consts_source(count: int, elementwise: bool, pack: str, sized: bool) -> str:
    """Operands without gradient, parameters, shapes: only what is there, since building tuples takes time."""
    operands = "None" if count == 1 else "(None if p0 is not None else a, None if p1 is not None else b)"
    if elementwise and pack == "()":
        return operands if count == 1 else f"None if p0 is not None and p1 is not None else {operands}"
    shapes = "()" if not sized else "(x0.shape,)" if count == 1 else "(x0.shape, x1.shape)"
    if count == 1:
        return f"(None, {pack}, {shapes})"
    return f"(None, {pack}, {shapes}) if p0 is not None and p1 is not None else ({operands}, {pack}, {shapes})"


def lazy_pull(op: Any, graph: bool) -> Any:
    """The backward of a row, written when it is first needed (importing symgrad should be quick)."""
    attribute = "pull_graph" if graph else "pull"

    def first(n: Any, g: Any, grads: Any) -> None:
        fn = _make_pull(op, graph)
        setattr(op.node, attribute, fn)
        fn(n, g, grads)

    return first


def _make_pull(op: Any, graph: bool) -> Any:
    if op.outputs or op.variadic or len(op.inputs) > 2 or None in op.rules:

        def slow(n: Any, g: Any, grads: Any) -> None:
            _run.pull_slow(n, g, grads, graph)

        return slow
    names: dict[str, Any] = {
        "multiply": _run.table("mul") if graph else np.multiply,
        "negative": _run.table("neg") if graph else np.negative,
    }
    for i, rule in enumerate(op.rules):
        names[f"r{i}"] = (_run.rebind if graph else _run.rebind_to_arrays)(rule)
    return _function(f"{op.node.__name__}.pull", _pull_source(op, graph), **names)


def _pull_source(op: Any, graph: bool) -> str:
    count = len(op.inputs)
    # `+` on arrays of 0 dimensions gives NumPy scalars: harmless inside a sweep, made arrays at its end
    lines = [
        "def pull(n, g, grads):",
        f"    if n.fit is not None: return pull_slow(n, g, grads, {graph})",
        "    p0, = n.parents" if count == 1 else "    p0, p1 = n.parents",
    ]
    if op.saved:
        lines.append(f"    {''.join(f'v_{s}, ' for s in op.saved)} = n.saved")
        if graph:
            for s in op.saved:
                if s == "y":
                    lines.append("    v_y = lift_output(n, v_y)")
                elif s in op.inputs:
                    lines.append(f"    v_{s} = lift(n, {op.inputs.index(s)}, v_{s})")
    asked = {a for args in op.rule_args for a in args}
    if op.sized or not asked.isdisjoint(op.params):
        params = "".join(f"v_{p}, " for p in op.params)
        lines.append(f"    _, {f'({params})' if params else '_'}, shapes = n.consts")
    for i, rule in enumerate(op.rules):
        lines += [
            *([] if count == 1 else [f"    if p{i} is not None:"]),
            f"        d = {_gradient_source(op, i, rule)}",
            f"        old = grads.get(p{i})",
            f"        grads[p{i}] = d if old is None else old + d",
        ]
    if count == 1:
        lines = [line.replace("        ", "    ") if line.startswith("        ") else line for line in lines]
    return "\n".join(lines)


def _gradient_source(op: Any, i: int, rule: Any) -> str:
    if not callable(rule):
        return "g" if rule == 1 else "negative(g)" if rule == -1 else f"multiply(g, {rule!r})"
    call = f"r{i}({', '.join(_argument_source(op, i, a) for a in op.rule_args[i])})"
    return f"multiply(g, {call})" if op.kind == "elementwise" and "g" not in op.rule_args[i] else call


def _argument_source(op: Any, i: int, name: str) -> str:
    if name == "g":
        return "g"
    if name == "shape":
        return f"shapes[{i}]"
    if name.startswith("shape_"):
        return f"shapes[{op.inputs.index(name[6:])}]"
    return f"v_{name}"
