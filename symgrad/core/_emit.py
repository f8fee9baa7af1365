"""Writes each row's ``apply`` and ``pull`` once, when first called, from its kind and its rules' signatures.

Python is slow where it interprets decisions, so the decisions (how many inputs, which values are saved, is the
partial a number) are taken here and what remains is straight-line code. Rows of the same form share one
compiled code object; only their globals differ. Whatever is rare (mixed dtypes, broadcasting, complex numbers,
hooks) leaves the straight line for ``_record.py`` and ``_pull.py``, which do the same thing by looking things up.
"""

from __future__ import annotations

import builtins
import linecache
from functools import cache
from itertools import count
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from .._limits import BIG
from . import _dispatch, _pull, _quiet, _record, _rules, _views, _writes, modes
from ._explain import explain, refuse_reduced
from ._graph import Tensor, hold, next_seq
from ._table import table

# What generated code calls things. In an `apply` the parameters of a row stand beside them: all begin with an
# underscore, which no parameter does.
_BASE: dict[str, Any] = {
    "__name__": "symgrad", "__builtins__": builtins,
    "_type": type, "_int": int, "_float": float, "_Error": Exception,
    "_Tensor": Tensor, "_new": object.__new__, "_next_seq": next_seq, "_mode": modes.mode.get,
    "_ndarray": np.ndarray, "_asarray": np.asarray, "_F64": np.dtype(np.float64), "_F32": np.dtype(np.float32),
    "_hold": hold, "_other": _dispatch.other, "_record": _record.record, "_finish": _record.finish,
    "_alone": _quiet.alone, "_hush": _quiet.hush, "_unhush": _quiet.unhush, "_Busy": RuntimeError,
    "_run": _record.run, "_fill": _writes.fill, "_explain": explain, "_BIG": BIG,
    "_register_view": _views.register_view,
    "pull_slow": _pull.pull_slow, "lift": _pull.lift, "lift_output": _pull.lift_output,
}  # fmt: skip


@cache
def _compile(source: str) -> CodeType:
    file = f"<symgrad {source[4 : source.index('(')]} {next(_numbers)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # tracebacks show its text
    module = compile(source, file, "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


_numbers = count(1)


def emitted(name: str, source: str, **names: Any) -> Any:
    """The function whose text is ``source``; ``names`` are its globals besides what every such function uses."""
    fn = FunctionType(_compile(source), {**_BASE, **names}, name)
    fn.__module__ = "symgrad"
    return fn


# ------------------------------------------------------------------------------------ apply, written at its first call


def make_apply(op: Any) -> Any:
    """The function of a row: computes, and records when an input requires grad."""
    fn = _waiting(op)
    fn.__doc__ = op.doc
    fn.op = op
    return fn


def guarded(row: Any, condition: str, elsewhere: Any) -> Any:
    """A row's function for operands of which ``condition`` (on arrays _x0, _x1) holds; others go to ``elsewhere``.

    An operator that chooses among rows (``@``) reaches the commonest this way without a call in between.
    """
    return _waiting(row.op, condition, _elsewhere=elsewhere)


def _waiting(op: Any, condition: str = "", **names: Any) -> Any:
    """A row's function, which has its signature and will have its code: compiling hundreds takes time at import."""
    arguments = (*(("operands",) if op.variadic else op.arguments), *op.params)
    code = _TEMPLATE.replace(
        co_argcount=len(arguments), co_kwonlyargcount=1, co_nlocals=len(arguments) + 1, co_varnames=(*arguments, "out"),
        co_name=op.name, co_qualname=op.name,
    )  # fmt: skip
    own = {"__name__": "symgrad", "__builtins__": builtins, "_op": op, **names, "_begin": _begin}
    fn = FunctionType(code, own, op.name)
    fn.__defaults__ = tuple(op.defaults[p] for p in op.params if p in op.defaults)
    fn.__kwdefaults__ = {"out": None}
    fn.__module__ = "symgrad"
    own["_self"] = fn, condition
    return fn


def _begin(waiting: tuple[Any, str], given: dict[str, Any]) -> Any:
    fn, condition = waiting
    op = fn.__globals__["_op"]
    refuse_reduced(op, given)
    fn.__globals__.update(_BASE, _forward=op.forward, _Row=op.node)
    fn.__code__ = _compile(_apply_source(op, condition)).replace(co_name=fn.__name__)
    return fn(**given)


def _template() -> Any:
    return _begin(_self, locals())  # type: ignore[name-defined]  # noqa: F821  (of whatever parameters it is given)


_TEMPLATE = _template.__code__


def is_hot(op: Any) -> bool:
    """Whether a row's function is a straight line of its own: rows of one to three inputs and one result are."""
    return not (op.outputs or op.variadic or len(op.inputs) > 3 or op.kind == "constant")


def _apply_source(op: Any, condition: str = "") -> str:
    """The source of ``apply``. Its own names begin with an underscore: no parameter's does."""
    operands = "operands" if op.variadic else ", ".join(op.arguments)
    several = "tuple(operands)" if op.variadic else f"({operands},)" if operands else "()"
    tail = "".join(f", {p}" for p in op.params)
    pack = "(" + "".join(f"{p}, " for p in op.params) + ")"
    rest = f"_op, {several}, {pack}"
    head = [
        f"def apply({', '.join((*operands.split(', '), *op.params) if operands else op.params)}, *, out=None):",
        f"    if out is not None: return _fill(out, {rest})",
    ]
    if not is_hot(op):
        return "\n".join([*head, f"    return _other({rest})"])
    lines = [
        *head,
        *_unpack_source(op, rest, condition),
        *_forward_source(op, f"{', '.join(_VALUES[: len(op.inputs)])}{tail}", rest),
        "    if _type(_out) is not _ndarray: _out = _asarray(_out)",
        "    _dt = _out.dtype",
        f"    if {' and '.join(f'{p} is None' for p in _EDGES[: len(op.inputs)])}:",
        *_plain_source(op),
        f"        return _finish(_op, _out, {several}, {pack})",
        f"    if _mode() != 1 or (_dt is not _F64 and _dt is not _F32) or {_misfit_source(op)}:",
        f"        return _record(_op, _out, {several}, {pack})",
        "    _n = _new(_Row)",
        f"    _n.parents = ({', '.join(_EDGES[: len(op.inputs)])},)",
        f"    _n.saved = {_saved_source(op)}",
        f"    _n.consts = {_consts_source(op, pack)}",
        f"    _n.fit = {_fit_source(op)}",
        "    _n.meta = None; _n.seq = _next_seq()",
        "    _t = _new(_Tensor); _t._data = _out; _t._node = _n; _t._extra = None",
    ]
    if op.view:
        return "\n".join([*lines, f"    return _register_view(_t, {op.arguments[0]}, _op, {pack})"])
    return "\n".join([*lines, "    return _t"])


def _forward_source(op: Any, values: str, rest: str) -> list[str]:
    """The forward function, quietly. What moves entries computes nothing that NumPy could give notice of."""
    failed = f"    except _Error as _error: raise _explain({rest}, _error) from _error"
    if op.view or op.reshapes:
        return [f"    try: _out = _forward({values})", failed]
    if isinstance(op.forward, np.ufunc):
        return [f"    try: _out = _alone(_forward, {values})", f"    except _Busy: return _run({rest})", failed]
    return ["    _state = _hush()", f"    try: _out = _forward({values})", failed, "    finally: _unhush(_state)"]


_VALUES, _EDGES, _TYPES = ("_x0", "_x1", "_x2"), ("_p0", "_p1", "_p2"), ("_t0", "_t1", "_t2")


def _plain_source(op: Any) -> list[str]:
    """What needs no more than wrapping: operands without gradient, name or history, all in float64."""
    if op.view or op.kind != "elementwise" or len(op.inputs) > 2:
        return []
    if len(op.inputs) == 1:
        plain = f"_x0.dtype is _F64 and {op.arguments[0]}._extra is None"
    else:
        plain = " and ".join(
            f"({t} is not _Tensor or ({x}.dtype is _F64 and {a}._extra is None))"
            for t, a, x in zip(_TYPES, op.arguments, _VALUES)
        )
    return [
        f"        if _dt is _F64 and {plain} and _mode() >= 0:",
        "            _t = _new(_Tensor); _t._data = _out; _t._node = None; _t._extra = None",
        "            return _t",
    ]


def _unpack_source(op: Any, rest: str, condition: str) -> list[str]:
    unpack = (_unpack_one, _unpack_two, _unpack_three)[len(op.inputs) - 1]
    return unpack(op.arguments, rest, op.kind == "elementwise", condition)


def _unpack_one(arguments: tuple[str, ...], rest: str, elementwise: bool, condition: str) -> list[str]:
    (a,) = arguments
    return [
        f"    if _type({a}) is not _Tensor: return _other({rest})",
        f"    _x0 = {a}._data; _p0 = {a}._node",
        *([f"    if _x0.size > _BIG: return _run({rest})"] if elementwise else []),
    ]


def _unpack_two(arguments: tuple[str, ...], rest: str, elementwise: bool, condition: str) -> list[str]:
    a, b = arguments
    refuse = f"return _elsewhere({a}, {b})" if condition else f"return _other({rest})"
    if not elementwise:
        return [
            f"    if _type({a}) is not _Tensor or _type({b}) is not _Tensor: {refuse}",
            f"    _x0 = {a}._data; _p0 = {a}._node; _x1 = {b}._data; _p1 = {b}._node",
            *([f"    if not ({condition}): {refuse}"] if condition else []),
        ]
    number = "({0} is _float or {0} is _int)".format
    return [
        f"    _t0 = _type({a}); _t1 = _type({b})",
        "    if _t0 is _Tensor:",
        f"        _x0 = {a}._data; _p0 = {a}._node",
        f"        if _t1 is _Tensor: _x1 = {b}._data; _p1 = {b}._node",
        f"        elif {number('_t1')}: _x1 = {b}; _p1 = None",
        f"        else: {refuse}",
        f"        if _x0.size > _BIG: return _run({rest})",
        f"    elif _t1 is _Tensor and {number('_t0')}: _x0 = {a}; _p0 = None; _x1 = {b}._data; _p1 = {b}._node",
        f"    else: {refuse}",
    ]


def _unpack_three(arguments: tuple[str, ...], rest: str, elementwise: bool, condition: str) -> list[str]:
    lines = []
    for a, t, x, p in zip(arguments, _TYPES, _VALUES, _EDGES, strict=True):
        lines += [f"    {t} = _type({a})", f"    if {t} is _Tensor: {x} = {a}._data; {p} = {a}._node"]
        if elementwise:
            lines += [f"    elif {t} is _float or {t} is _int: {x} = {a}; {p} = None"]
        lines += [f"    else: return _other({rest})"]
    if elementwise:
        lines += [f"    if _t0 is _Tensor and _x0.size > _BIG: return _run({rest})"]
    return lines


def _fit_source(op: Any) -> str:
    """None, or for operands that were broadcast the list of their shapes, which their gradients are summed to."""
    if op.kind != "elementwise" or len(op.inputs) == 1:
        return "None"
    if len(op.inputs) == 2:
        same = "_t1 is not _Tensor or _t0 is not _Tensor or _x0.shape == _x1.shape"
        return f"None if {same} else [_x0.shape, _x1.shape]"
    pairs = list(zip(_VALUES, _EDGES, strict=True))
    same = " and ".join(f"({p} is None or {x}.shape == _out.shape)" for x, p in pairs)
    return f"None if {same} else [{', '.join(f'{x}.shape if {p} is not None else None' for x, p in pairs)}]"


def _misfit_source(op: Any) -> str:
    """The condition under which the straight line does not hold: mixed dtypes, inference tensors."""
    if len(op.inputs) == 1:
        return "_x0.dtype is not _dt"
    dead = "({p} is None and {t} is _Tensor and {a}._extra is not None and {a}._extra.inference)"
    parts = [dict(a=a, t=t, x=x, p=p) for a, t, x, p in zip(op.arguments, _TYPES, _VALUES, _EDGES)]
    if op.places and len(op.inputs) == 2:  # whole numbers
        return f"_x0.dtype is not _dt or ({op.arguments[1]}._extra is not None and {op.arguments[1]}._extra.inference)"
    if len(op.inputs) == 3:  # a condition may have any dtype; so may other operands without gradient of what is linear
        live = "({p} is not None and {x}.dtype is not _dt)"
        own = "({t} is _Tensor and {x}.dtype is not _dt)"
        domains = (op.domain,) * 3 if isinstance(op.domain, str) else op.domain
        free = [op.kind != "elementwise" or d == "bool" for d in domains]
        tests = [(live if f else own).format(**part) for part, f in zip(parts, free, strict=True)]
        return " or ".join(f"{test} or {dead.format(**part)}" for test, part in zip(tests, parts, strict=True))
    dtypes = "_x0.dtype is not _dt or _x1.dtype is not _dt"
    if op.kind != "elementwise":
        return dtypes
    return (
        f"(_t0 is _Tensor and _t1 is _Tensor and ({dtypes})) or "
        "(_t1 is not _Tensor and _x0.dtype is not _dt) or (_t0 is not _Tensor and _x1.dtype is not _dt) or "
        + " or ".join(dead.format(**part) for part in parts)
    )


def _saved_source(op: Any) -> str:
    if not op.saved:
        return "None"
    parts, used = [], set()
    for name in op.saved:
        value = "_out" if name == "y" else name
        if name in op.inputs:
            k = op.inputs.index(name)
            value = _VALUES[k]
            if len(op.inputs) > 1 and op.kind == "elementwise":
                # a number is kept in the tensors' dtype: np.log(2.0) would be a float64 that widens float32
                value = f"{value} if {_TYPES[k]} is _Tensor else _asarray({value}, _dt)"
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
    one = len(op.inputs) == 1
    pairs = list(zip(op.arguments, _EDGES))
    operands = "(" + ", ".join(f"None if {p} is not None else _hold({a})" for a, p in pairs) + ",)"
    both = " and ".join(f"{p} is not None" for _, p in pairs)
    if not op.packs:
        return "None" if one else f"None if {both} else {operands}"
    shapes = "()" if not op.sized else f"({', '.join(f'{x}.shape' for x, _ in zip(_VALUES, pairs))},)"
    if op.kind == "elementwise" and not one and op.sized:
        raise TypeError(f"row {op.name!r}: elementwise rules have no use for shapes")
    if one:
        return f"(None, {pack}, {shapes})"
    return f"(None, {pack}, {shapes}) if {both} else ({operands}, {pack}, {shapes})"


# ----------------------------------------------------------------------------------------------------------------- pull


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
        "multiply": table("mul") if graph else np.multiply,
        "negative": table("neg") if graph else np.negative,
        "sum_to": table("sum_to") if graph else _pull.sum_to,
    }
    for i, rule in enumerate(op.rules):
        names[f"r{i}"] = (_rules.rebind if graph else _rules.rebind_to_arrays)(rule)
        names[f"q{i}"] = None if graph else _rules.in_float64(names[f"r{i}"])
    return emitted(f"{op.node.__name__}.pull", _pull_source(op, graph), **names)


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
            f"        d = {gradient_source(op, i, rule, graph)}",
            *([f"        if fit is not None and d.shape != fit[{i}]: d = sum_to(d, fit[{i}])"] if broadcast else []),
            f"        old = grads.get(p{i})",
            f"        grads[p{i}] = d if old is None else old + d",
        ]
    if count == 1:
        lines = [line.replace("        ", "    ") if line.startswith("        ") else line for line in lines]
    return "\n".join(lines)


def gradient_source(op: Any, i: int, rule: Any, graph: bool) -> str:
    if not callable(rule):
        return "g" if rule == 1 else "negative(g)" if rule == -1 else f"multiply(g, {rule!r})"
    wide = not graph and op.kind == "elementwise" and _rules.in_float64(rule) is not None
    fn = f"(q{i} if g.dtype is _F64 else r{i})" if wide else f"r{i}"
    asked = ", ".join(_argument_source(op, i, a) for a in op.rule_args[i])
    call = asked if rule is _rules.itself else f"{fn}({asked})"
    return f"multiply(g, {call})" if op.kind == "elementwise" and "g" not in op.rule_args[i] else call


def _argument_source(op: Any, i: int, name: str) -> str:
    if name == "g":
        return "g"
    if name == "shape":
        return f"shapes[{i}]"
    if name.startswith("shape_"):
        return f"shapes[{op.inputs.index(name[6:])}]"
    return f"v_{name}"
