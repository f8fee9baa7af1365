"""Writes each row's ``apply`` and ``pull`` once, at declaration, from its kind and its rules' signatures.

Python is slow where it interprets decisions, so the decisions (how many inputs, which values are saved, is the
partial a number) are taken here and what remains is straight-line code. Rows of the same form share one
compiled code object; only their globals differ. Whatever is rare (mixed dtypes, broadcasting, complex numbers,
hooks) leaves the straight line for ``_run.py`` and ``_pull.py``, which do the same thing by looking things up.
"""

from __future__ import annotations

import builtins
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from .._limits import BIG
from . import _modes, _pull, _rules, _run, _views
from ._explain import explain
from ._graph import Tensor, hold, next_seq

_BASE: dict[str, Any] = {
    "__name__": "symgrad", "__builtins__": builtins,  # from Python 3.13 on, warnings look for both where they are raised
    "Tensor": Tensor, "new": object.__new__, "next_seq": next_seq, "mode": _modes.mode.get,
    "ndarray": np.ndarray, "asarray": np.asarray, "F64": np.dtype(np.float64), "F32": np.dtype(np.float32),
    "hold": hold, "other": _run.other, "record": _run.record, "finish": _run.finish, "run": _run.run,
    "explain": explain,
    "BIG": BIG, "register_view": _views.register_view, "pull_slow": _pull.pull_slow, "lift": _pull.lift,
    "lift_output": _pull.lift_output,
}  # fmt: skip


NAMES = frozenset({*_BASE, "op", "forward", "Row", "elsewhere", "type", "Exception"} - {"__name__", "__builtins__"})
"""What the code of an ``apply`` calls things: parameters of a row may not have these names, which would hide them."""


@cache
def _compile(source: str) -> CodeType:
    module = compile(source, "<symgrad operation>", "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


def _function(name: str, source: str, **names: Any) -> Any:
    fn = FunctionType(_compile(source), {**_BASE, **names}, name)
    fn.__module__ = "symgrad"
    return fn


def writes_apply(op: Any) -> bool:
    """Whether a row's function is written out for it."""
    return not (op.outputs or op.variadic or len(op.inputs) > 3 or op.kind == "constant")


def make_apply(op: Any) -> Any:
    """The function of a row: computes, and records when an input requires grad."""
    if not writes_apply(op):
        fn = _generic_apply(op)
    else:
        names = {"op": op, "forward": op.forward, "Row": op.node}
        fn = _function(op.name, _apply_source(op), **names)
        if op.defaults:
            fn.__defaults__ = tuple(op.defaults[p] for p in op.params if p in op.defaults)
    fn.__name__ = fn.__qualname__ = op.name
    fn.__doc__ = op.doc
    fn.op = op
    return fn


def guarded(row: Any, condition: str, elsewhere: Any) -> Any:
    """A row's function for operands of which ``condition`` (on arrays _x0, _x1) holds; others go to ``elsewhere``.

    An operator that chooses among rows (``@``) reaches the commonest this way without a call in between.
    """
    op = row.op
    return _function(
        op.name, _apply_source(op, condition), op=op, forward=op.forward, Row=op.node, elsewhere=elsewhere
    )


def _generic_apply(op: Any) -> Any:
    count = len(op.inputs)

    def of_list(operands: Any, *params: Any) -> Any:
        return _run.other(op, tuple(operands), params)

    def apply(*args: Any) -> Any:
        return _run.other(op, args[:count], args[count:])

    return of_list if op.variadic else apply


def _apply_source(op: Any, condition: str = "") -> str:
    """The source of ``apply``. Its own names are in `NAMES` or begin with an underscore: no parameter has those."""
    count, tail = len(op.inputs), "".join(f", {p}" for p in op.params)
    pack = "(" + "".join(f"{p}, " for p in op.params) + ")"
    operands = ", ".join(_OPERANDS[:count])
    rest = f"({operands},), {pack}"
    lines = [
        f"def apply({operands}{tail}):",
        *(
            _unpack_one(rest, op.kind == "elementwise")
            if count == 1
            else _unpack_two(rest, op.kind == "elementwise", condition)
            if count == 2
            else _unpack_three(rest, op.kind == "elementwise")
        ),
        f"    try: _out = forward({', '.join(_VALUES[:count])}{tail})",
        f"    except Exception as _error: raise explain(op, {rest}, _error) from _error",
        "    if type(_out) is not ndarray: _out = asarray(_out)",
        "    _dt = _out.dtype",
        f"    if {' and '.join(f'{p} is None' for p in _EDGES[:count])}:",
        *_plain_source(op),
        f"        return finish(op, _out, {rest})",
        f"    if mode() != 1 or (_dt is not F64 and _dt is not F32) or {_misfit_source(op)}:",
        f"        return record(op, _out, {rest})",
        "    _n = new(Row)",
        f"    _n.parents = ({', '.join(_EDGES[:count])},)",
        f"    _n.saved = {_saved_source(op)}",
        f"    _n.consts = {_consts_source(op, pack)}",
        f"    _n.fit = {_fit_source(op)}",
        "    _n.meta = None; _n.seq = next_seq()",
        "    _t = new(Tensor); _t._data = _out; _t._node = _n; _t._extra = None",
    ]
    if op.view:
        return "\n".join([*lines, f"    return register_view(_t, _a, op, {pack})"])
    return "\n".join([*lines, "    return _t"])


def _plain_source(op: Any) -> list[str]:
    """What needs no more than wrapping: operands without gradient, name or history, all in float64."""
    if op.view or op.kind != "elementwise" or len(op.inputs) > 2:
        return []
    if len(op.inputs) == 1:
        plain = "_x0.dtype is F64 and _a._extra is None"
    else:
        plain = " and ".join(
            f"({t} is not Tensor or ({x}.dtype is F64 and {a}._extra is None))"
            for t, a, x in (("_ta", "_a", "_x0"), ("_tb", "_b", "_x1"))
        )
    return [
        f"        if _dt is F64 and {plain} and mode() >= 0:",
        "            _t = new(Tensor); _t._data = _out; _t._node = None; _t._extra = None",
        "            return _t",
    ]


_OPERANDS, _VALUES, _EDGES = ("_a", "_b", "_c"), ("_x0", "_x1", "_x2"), ("_p0", "_p1", "_p2")


def _unpack_one(rest: str, elementwise: bool) -> list[str]:
    return [
        f"    if type(_a) is not Tensor: return other(op, {rest})",
        "    _x0 = _a._data; _p0 = _a._node",
        *([f"    if _x0.size > BIG: return run(op, {rest})"] if elementwise else []),
    ]


def _unpack_two(rest: str, elementwise: bool, condition: str = "") -> list[str]:
    refuse = "return elsewhere(_a, _b)" if condition else f"return other(op, {rest})"
    if not elementwise:
        return [
            f"    if type(_a) is not Tensor or type(_b) is not Tensor: {refuse}",
            "    _x0 = _a._data; _p0 = _a._node; _x1 = _b._data; _p1 = _b._node",
            *([f"    if not ({condition}): return elsewhere(_a, _b)"] if condition else []),
        ]
    return [
        "    _ta = type(_a); _tb = type(_b)",
        "    if _ta is Tensor:",
        "        _x0 = _a._data; _p0 = _a._node",
        "        if _tb is Tensor: _x1 = _b._data; _p1 = _b._node",
        "        elif _tb is float or _tb is int: _x1 = _b; _p1 = None",
        f"        else: {refuse}",
        f"        if _x0.size > BIG: return run(op, {rest})",
        "    elif _tb is Tensor and (_ta is float or _ta is int): _x0 = _a; _p0 = None; _x1 = _b._data; _p1 = _b._node",
        f"    else: {refuse}",
    ]


def _unpack_three(rest: str, elementwise: bool) -> list[str]:
    lines = []
    for a, x, p in zip(_OPERANDS, _VALUES, _EDGES, strict=True):
        lines += [f"    _t{a[1]} = type({a})", f"    if _t{a[1]} is Tensor: {x} = {a}._data; {p} = {a}._node"]
        if elementwise:
            lines += [f"    elif _t{a[1]} is float or _t{a[1]} is int: {x} = {a}; {p} = None"]
        lines += [f"    else: return other(op, {rest})"]
    if elementwise:
        lines += [f"    if _ta is Tensor and _x0.size > BIG: return run(op, {rest})"]
    return lines


def _fit_source(op: Any) -> str:
    """None, or for operands that were broadcast the list of their shapes, which their gradients are summed to."""
    if op.kind != "elementwise" or len(op.inputs) == 1:
        return "None"
    if len(op.inputs) == 2:
        return "None if _tb is not Tensor or _ta is not Tensor or _x0.shape == _x1.shape else [_x0.shape, _x1.shape]"
    pairs = list(zip(_VALUES, _EDGES, strict=True))
    same = " and ".join(f"({p} is None or {x}.shape == _out.shape)" for x, p in pairs)
    return f"None if {same} else [{', '.join(f'{x}.shape if {p} is not None else None' for x, p in pairs)}]"


def _misfit_source(op: Any) -> str:
    """The condition under which the straight line does not hold: mixed dtypes, inference tensors."""
    if len(op.inputs) == 1:
        return "_x0.dtype is not _dt"
    if len(op.inputs) == 3:  # operands without gradient (a condition, say) may have any dtype and shape
        live = "({p} is not None and {x}.dtype is not _dt)"
        dead = "({p} is None and _t{t} is Tensor and {a}._extra is not None and {a}._extra.inference)"
        return " or ".join(
            live.format(p=p, x=x) + " or " + dead.format(p=p, t=a[1], a=a)
            for a, x, p in zip(_OPERANDS, _VALUES, _EDGES, strict=True)
        )
    if op.kind != "elementwise":
        return "_x0.dtype is not _dt or _x1.dtype is not _dt"
    dtypes = "_x0.dtype is not _dt or _x1.dtype is not _dt"
    dead = "{p} is None and {t} is Tensor and {a}._extra is not None and {a}._extra.inference"
    return (
        f"(_ta is Tensor and _tb is Tensor and ({dtypes})) or "
        "(_tb is not Tensor and _x0.dtype is not _dt) or (_ta is not Tensor and _x1.dtype is not _dt) or "
        f"({dead.format(p='_p0', t='_ta', a='_a')}) or ({dead.format(p='_p1', t='_tb', a='_b')})"
    )


def _saved_source(op: Any) -> str:
    if not op.saved:
        return "None"
    parts, used = [], set()
    for name in op.saved:
        value = "_out" if name == "y" else name
        if name in op.inputs:
            value = _VALUES[op.inputs.index(name)]
            if len(op.inputs) > 1 and op.kind == "elementwise":
                # a number is kept in the tensors' dtype: np.log(2.0) would be a float64 that widens float32
                value = f"{value} if _t{'abc'[op.inputs.index(name)]} is Tensor else asarray({value}, _dt)"
        users = [i for i, args in enumerate(op.rule_args) if name in args]
        used |= set(users) or set(range(len(op.inputs)))
        if 0 < len(users) < len(op.inputs):
            live = " or ".join(f"{_EDGES[i]} is not None" for i in users)
            value = f"({value}) if {live} else None"
        parts.append(f"({value}), ")
    if op.bare:
        return parts[0].removesuffix(", ")
    packed = "(" + "".join(parts) + ")"
    if len(used) == len(op.inputs):
        return packed
    return f"{packed} if {' or '.join(f'{_EDGES[i]} is not None' for i in sorted(used))} else None"


def _consts_source(op: Any, pack: str) -> str:
    """Operands without gradient, parameters, shapes: only what is there, since building tuples takes time."""
    count = len(op.inputs)
    one = count == 1
    pairs = list(zip(_OPERANDS, _EDGES, strict=True))[:count]
    operands = "(" + ", ".join(f"None if {p} is not None else hold({a})" for a, p in pairs) + ",)"
    both = " and ".join(f"{p} is not None" for _, p in pairs)
    if not op.packs:
        return "None" if one else f"None if {both} else {operands}"
    shapes = "()" if not op.sized else f"({', '.join(f'{x}.shape' for x in _VALUES[:count])},)"
    if op.kind == "elementwise" and not one and op.sized:
        raise TypeError(f"row {op.name!r}: elementwise rules have no use for shapes")
    if one:
        return f"(None, {pack}, {shapes})"
    return f"(None, {pack}, {shapes}) if {both} else ({operands}, {pack}, {shapes})"


def lazy_pull(op: Any, graph: bool) -> Any:
    """The backward of a row, written when it is first needed (importing symgrad should be quick)."""
    attribute = "pull_graph" if graph else "pull"

    def first(n: Any, g: Any, grads: Any) -> None:
        fn = _make_pull(op, graph)
        setattr(op.node, attribute, fn)
        fn(n, g, grads)

    return first


def _make_pull(op: Any, graph: bool) -> Any:
    if op.outputs or op.variadic or len(op.inputs) > 3 or None in op.rules:

        def slow(n: Any, g: Any, grads: Any) -> None:
            _pull.pull_slow(n, g, grads, graph)

        return slow
    names: dict[str, Any] = {
        "multiply": _rules.table("mul") if graph else np.multiply,
        "negative": _rules.table("neg") if graph else np.negative,
        "sum_to": _rules.table("sum_to") if graph else _pull.sum_to,
    }
    for i, rule in enumerate(op.rules):
        names[f"r{i}"] = (_rules.rebind if graph else _rules.rebind_to_arrays)(rule)
        names[f"q{i}"] = None if graph else _rules.in_float64(names[f"r{i}"])
    return _function(f"{op.node.__name__}.pull", _pull_source(op, graph), **names)


def _pull_source(op: Any, graph: bool) -> str:
    count = len(op.inputs)
    # `+` on arrays of 0 dimensions gives NumPy scalars: harmless inside a sweep, made arrays at its end
    lines = [
        "def pull(n, g, grads):",
        "    fit = n.fit",
        f"    if fit is not None and type(fit) is not list: return pull_slow(n, g, grads, {graph})",
        f"    {', '.join(f'p{i}' for i in range(count))}, = n.parents",
    ]
    if op.saved:
        nothing = "(" + "None, " * len(op.saved) + ")"
        many = f"{''.join(f'v_{s}, ' for s in op.saved)} = n.saved or {nothing}"
        lines.append(f"    v_{op.saved[0]} = n.saved" if op.bare else f"    {many}")
        if graph:
            for s in op.saved:
                if s == "y":
                    lines.append("    v_y = lift_output(n, v_y)")
                elif s in op.inputs:
                    lines.append(f"    v_{s} = lift(n, {op.inputs.index(s)}, v_{s})")
    broadcast = op.kind == "elementwise" and count > 1
    asked = {a for args in op.rule_args for a in args}
    if op.sized or not asked.isdisjoint(op.params):
        params = "".join(f"v_{p}, " for p in op.params)
        lines.append(f"    _, {f'({params})' if params else '_'}, shapes = n.consts")
    for i, rule in enumerate(op.rules):
        lines += [
            *([] if count == 1 else [f"    if p{i} is not None:"]),
            f"        d = {_gradient_source(op, i, rule, graph)}",
            *([f"        if fit is not None and d.shape != fit[{i}]: d = sum_to(d, fit[{i}])"] if broadcast else []),
            f"        old = grads.get(p{i})",
            f"        grads[p{i}] = d if old is None else old + d",
        ]
    if count == 1:
        lines = [line.replace("        ", "    ") if line.startswith("        ") else line for line in lines]
    return "\n".join(lines)


def _gradient_source(op: Any, i: int, rule: Any, graph: bool) -> str:
    if not callable(rule):
        return "g" if rule == 1 else "negative(g)" if rule == -1 else f"multiply(g, {rule!r})"
    wide = not graph and op.kind == "elementwise" and _rules.in_float64(rule) is not None
    fn = f"(q{i} if g.dtype is F64 else r{i})" if wide else f"r{i}"
    call = f"{fn}({', '.join(_argument_source(op, i, a) for a in op.rule_args[i])})"
    return f"multiply(g, {call})" if op.kind == "elementwise" and "g" not in op.rule_args[i] else call


def _argument_source(op: Any, i: int, name: str) -> str:
    if name == "g":
        return "g"
    if name == "shape":
        return f"shapes[{i}]"
    if name.startswith("shape_"):
        return f"shapes[{op.inputs.index(name[6:])}]"
    return f"v_{name}"
