"""The operation: one row of the table, declared once; its ``apply`` and ``pull`` are written when first called."""

from __future__ import annotations

import builtins
import inspect
import linecache
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from keyword import iskeyword
from types import CodeType, FunctionType
from typing import Any, Literal

import numpy as np

from .._limits import BIG
from . import dispatch, modes, pull, record, writes
from .graph import FAILS, MASKS, Node, Tensor, hold_weakly, next_seq, register_view
from .reading import has_overloads, node_name, rename
from .record import explain, refuse_reduced
from .symbols import params_in_numbers
from .table import FACTS, MEANINGS, PUBLIC, TABLE, RowFacts, in_float64, itself, rebind, rebind_to_arrays, row_function

# -------------------------------------------------------------------------------------------------------------------
# Writes each row's ``apply`` and ``pull`` once, when first called, from its kind and its rules' signatures

# Python is slow where it interprets decisions, so the decisions (how many inputs, which values are saved, is the
# partial a number) are taken here and what remains is straight-line code. Rows of the same form share one
# compiled code object; only their globals differ. Whatever is rare (mixed dtypes, broadcasting, complex numbers,
# hooks) leaves the straight line for ``record.py`` and ``pull.py``, which do the same thing by looking things up.


# What generated code calls things. In an `apply` the parameters of a row stand beside them: all begin with an
# underscore, which no parameter does.
_BASE: dict[str, Any] = {
    "__name__": "symgrad", "__builtins__": builtins,
    "_type": type, "_int": int, "_float": float, "_Error": Exception,
    "_Tensor": Tensor, "_new": object.__new__, "_next_seq": next_seq, "_mode": modes.mode.get,
    "_ndarray": np.ndarray, "_asarray": np.asarray, "_F64": np.dtype(np.float64), "_F32": np.dtype(np.float32),
    "_hold": hold_weakly, "_other": dispatch.run_on_carriers, "_record": record.record, "_finish": record.finish,
    "_alone": record.alone, "_hush": record.hush, "_unhush": record.unhush, "_Busy": RuntimeError,
    "_run": record.run, "_fill": writes.fill, "_explain": explain, "_BIG": BIG,
    "_register_view": register_view,
    "pull_slow": pull.pull_slow, "lift": pull.lift, "lift_output": pull.lift_output,
}  # fmt: skip


@cache
def _compile(source: str) -> CodeType:
    file = f"<symgrad {source[4 : source.index('(')]} {next(_numbers)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # tracebacks show its text
    module = compile(source, file, "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


_numbers = count(1)


def function_of_source(name: str, source: str, **names: Any) -> Any:
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


def shortcut_if(row: Any, condition: str, elsewhere: Any) -> Any:
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
            pull.pull_slow(n, g, grads, graph)

        return slow
    names: dict[str, Any] = {
        "multiply": row_function("mul") if graph else np.multiply,
        "negative": row_function("neg") if graph else np.negative,
        "sum_to": row_function("sum_to") if graph else pull.sum_to,
    }
    for i, rule in enumerate(op.rules):
        names[f"r{i}"] = (rebind if graph else rebind_to_arrays)(rule)
        names[f"q{i}"] = None if graph else in_float64(names[f"r{i}"])
    return function_of_source(f"{op.node.__name__}.pull", _pull_source(op, graph), **names)


def saved_source(op: Any) -> list[str]:
    """The line that names what a node ``n`` has saved, if it saves anything."""
    if not op.saved:
        return []
    if op.bare:
        return [f"    v_{op.saved[0]} = n.saved"]
    return [f"    {''.join(f'v_{s}, ' for s in op.saved)} = n.saved or ({'None, ' * len(op.saved)})"]


def _pull_source(op: Any, graph: bool) -> str:
    count = len(op.inputs)
    # `+` on arrays of 0 dimensions gives NumPy scalars: harmless inside a sweep, made arrays at its end
    lines = [
        "def pull(n, g, grads):",
        "    fit = n.fit",
        f"    if fit is not None and type(fit) is not list: return pull_slow(n, g, grads, {graph})",
        f"    {', '.join(f'p{i}' for i in range(count))}, = n.parents",
    ]
    lines += saved_source(op)
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
    wide = not graph and op.kind == "elementwise" and in_float64(rule) is not None
    fn = f"(q{i} if g.dtype is _F64 else r{i})" if wide else f"r{i}"
    asked = ", ".join(_argument_source(op, i, a) for a in op.rule_args[i])
    call = asked if rule is itself else f"{fn}({asked})"
    return f"multiply(g, {call})" if op.kind == "elementwise" and "g" not in op.rule_args[i] else call


def _argument_source(op: Any, i: int, name: str) -> str:
    if name == "g":
        return "g"
    if name == "shape":
        return f"shapes[{i}]"
    if name.startswith("shape_"):
        return f"shapes[{op.inputs.index(name[6:])}]"
    return f"v_{name}"


# ----------------------------------------------------------------- The operation: one row of the table, declared once

# `Op` is what a row declares; the four kinds below say how a gradient follows from it. From the row follow the
# function (``op.apply``), the node class (``SinBackward0``) and both backward passes (on arrays, and on tensors
# when the derivative is to be differentiated again). The code of the hot ones is written out (`make_apply`).
#
# How a rule says what it needs: by its parameters' names. ``x`` (or ``a``, ``b``, or the forward function's own
# name for it) is an input and ``y`` the output: those are saved. ``g`` is the incoming gradient, ``shape`` (or
# ``shape_a``…) an input's shape, any other name a parameter of the operation; those cost nothing. A rule that is such a
# name is that value; the name of a row, or a function of NumPy's, is that function of the inputs.


Rule = Callable[..., Any] | str | int | float | None


class Op(RowFacts):
    """One operation: name, forward function, one rule per input, and the facts that tests, printers and docs read.

    Attributes
    ----------
    name : the public name
    kind : 'elementwise', 'linear', 'multilinear', 'general' or 'constant' (no derivative: its output is not smooth)
    forward : the function on arrays
    inputs, params : names of the differentiable inputs and of the other parameters
    arguments : what users call the inputs
    rules : per input a function, a number (a constant partial) or None (raises when differentiated)
    meanings : per parameter what it means for axes; None where the row does not say
    saved : names of what a backward needs, in the order of ``node.saved``
    affine : no rule asks for a value of what moves: the derivative is the same everywhere
    places : the numbers of the operands that hold places (indices)
    unmoved : the numbers of the operands that are indices or conditions, which have no derivative
    moving : those of the others, where there are any such; else empty
    shared : those of them whose axes are no operand's: an index of a batch is the same for all examples
    makes : per input whether its gradient is an array made for it; where not, it may be the incoming gradient, say

    and the facts of a row: see `RowFacts`.
    """

    inputs: tuple[str, ...]
    meanings: tuple[str, ...] | None
    packs: bool
    rules: tuple[Any, ...]
    rule_args: tuple[tuple[str, ...], ...]
    makes: tuple[bool, ...]
    sized: bool
    saved: tuple[str, ...]
    affine: bool
    places: tuple[int, ...]
    unmoved: tuple[int, ...]
    moving: tuple[int, ...]
    shared: tuple[int, ...]
    along: bool
    bare: bool
    steep: bool

    def __init__(self, name: str, kind: str, forward: Callable[..., Any], rules: Sequence[Rule], **facts: Any) -> None:
        if name in TABLE:
            raise ValueError(f"there is a row {name!r} already: take another name, or del TABLE[{name!r}] first")
        _refuse_row(name, kind, forward, rules, facts)
        unknown = sorted(facts.keys() - FACTS.keys())
        if unknown:
            raise TypeError(f"row {name!r}: unknown facts {unknown}\nThere are {', '.join(FACTS)}.")
        inputs, params, defaults = _names(forward, len(rules), facts.get("inputs"))
        # the other facts are those of the class; a frozen one's `__init__` takes its time, and there are 500 rows
        vars(self).update({"label": name, **facts}, name=name, kind=kind, forward=forward, given=rules)
        vars(self).update(inputs=inputs, params=params, defaults=defaults, arguments=_arguments_of(inputs))
        if PUBLIC and not TABLE.awaits(name):  # a row of a user's: what is wrong with it is said where it is declared
            self._read_rules()
        vars(self).update(apply=make_apply(self))
        TABLE[name] = self

    def __getattr__(self, name: str) -> Any:
        own = vars(self)
        if "node" not in own and not name.startswith("__"):
            self._read_rules()
        if name not in own:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return own[name]

    def _read_rules(self) -> None:
        """Find out what follows from the rules: when it is first asked for, since most rows are never called.

        Threads that ask at once find the same; of their node classes one is taken.
        """
        rules, kind = self.given, self.kind
        self.meanings = self._meanings()
        self.packs = kind != "elementwise" or bool(self.params)  # whether node.consts holds parameters and shapes
        read = [self._read(rule) for rule in rules]
        self.rules, self.rule_args = tuple(r for r, _ in read), tuple(args for _, args in read)
        self._refuse_names()
        asked = {a for args in self.rule_args for a in args}
        self.makes = tuple(
            i in self.new or _makes(kind, rule, args) for i, (rule, args) in enumerate(zip(self.rules, self.rule_args))
        )
        self.sized = any(a in ("shape", "shapes") or a.startswith("shape_") for a in asked)  # a rule asks for shapes
        self.saved = tuple(
            s for s in (*self.inputs, "y", *self.params) if (s in asked and s not in self.params) or s in self.keep
        )
        moving = {x for x, rule in zip(self.inputs, self.rules) if callable(rule) or rule != 0}
        self.affine = kind != "elementwise" and None not in self.rules and asked.isdisjoint({*moving, "y"})
        domains = self.domain if type(self.domain) is tuple else ()
        self.places = tuple(k for k, d in enumerate(domains) if d in ("places", "index"))
        apart = [k for k, d in enumerate(domains) if d in ("places", "index", "bool") and self.rules[k] == 0]
        self.unmoved = tuple(apart)
        self.moving = tuple(k for k in range(len(domains)) if k not in apart) if apart else ()
        self.shared = tuple(k for k, d in enumerate(domains) if d == "index")
        # acts along axes of its one operand, and leaves the others as they are
        self.along = (
            not self.variadic
            and len(self.inputs) == 1
            and self.last is None
            and {*(self.meanings or ())} in ({"axis"}, {"axes"}, {"axis", "option"}, {"axes", "option"})
        )
        # one saved value is kept as it is, several as a tuple: a tuple less to build, and for the collector to follow
        self.bare = len(self.saved) == 1 and not (self.outputs or self.variadic)
        # its slope may be infinite: see sweep on exact zeros
        self.steep = kind == "elementwise" and not self.masks and bool(self.saved)
        vars(self).setdefault("node", self._node_class())

    def _meanings(self) -> tuple[str, ...] | None:
        if not self.means and (self.last is None or self.params):
            return None
        meanings = tuple(self.means.split())
        if len(meanings) != len(self.params) or not set(meanings) <= MEANINGS.keys():
            raise TypeError(
                f"row {self.name!r}: means={self.means!r} does not say what {', '.join(self.params) or 'nothing'} "
                f"mean{'' if len(self.params) > 1 else 's'}\nThere are {', '.join(MEANINGS)}.\n"
                "Say one for each parameter, in order; leave means= out where a batch is to be a loop."
            )
        return meanings

    def _read(self, rule: Rule) -> tuple[Any, tuple[str, ...]]:
        """A rule as a function or a number, and the names of what it asks for."""
        if isinstance(rule, str):
            if rule in (*_MEANINGS, *self.inputs, *self.params) or rule not in TABLE:
                return itself, (rule,)
            rule = TABLE[rule].apply
        if not callable(rule):
            return rule, ()
        if inspect.isfunction(rule) and not hasattr(rule, "op"):
            return rule, _parameters(rule)
        return rule, self.inputs  # a row, one of NumPy's functions

    def _refuse_names(self) -> None:
        """Raise for a name that would mean two things, or nothing: a rule would get another value than it asks for."""
        declared = (*self.inputs, *self.params)
        meanings = {**_MEANINGS, **({"i": "the number of the operand"} if self.variadic else {})}
        shapes = {f"shape_{x}": f"the shape of {x}" for x in self.inputs}
        if any(map(callable, self.rules)):
            _refuse(self.name, declared, meanings | shapes, "in a rule that is {}")
        own = {p: "a name of the code that is written for a row" for p in declared if p.startswith("_")}
        taken = {n: "what users call an operand" for n in self.arguments if n not in self.inputs}
        _refuse(self.name, self.params, taken | own | {"out": "where users want the result"}, "it is {}")
        _refuse(self.name, self.inputs, own, "it is {}")
        known = {*declared, *meanings, *shapes}
        for asks in self.rule_args:
            unknown = [a for a in asks if a not in known]
            if unknown:
                raise TypeError(
                    f"row {self.name!r}: a rule asks for {unknown[0]!r}, which there is not\n"
                    f"A rule may ask for {', '.join(sorted(known))}.\n"
                    "Name its parameters after these; the forward function's parameters are the operands' names."
                )

    def _node_class(self) -> type[Node]:
        body = {
            "__slots__": (),
            "op": self,
            "own_name": (lambda node: rename(node, self.name, self.label)) if has_overloads(self.name) else None,
            "traits": (FAILS if self.fails or None in self.rules else 0) | (MASKS if self.masks else 0),
            "pull": lazy_pull(self, graph=False),
            "pull_graph": lazy_pull(self, graph=True),
            "__doc__": f"The backward of {self.name}.",
            "__module__": "symgrad.autograd",
        }
        return type(node_name(self.name, self.label), (Node,), body)

    def named(self, params: Sequence[Any]) -> list[tuple[str, Any]]:
        """Parameters with their names; before them may stand the places at which a linear operation is taken."""
        names = (*self.inputs, *self.params)
        return list(zip(names[len(names) - len(params) :], params, strict=True))

    def labels(self, ranks: Sequence[int], params: Sequence[Any] = ()) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
        """The labels of the axes of a product's operands, of so many dimensions, and of its result.

        They are the letters of its equation (of a parameter that is one); what ``...`` stands for has negative numbers,
        counted from its end.
        """
        equation = self.equation or params[(self.meanings or ()).index("equation")]
        inputs, out = equation.split("->")
        before = [r - len(term) + 3 if "..." in term else 0 for r, term in zip(ranks, inputs.split(","), strict=True)]
        terms = [(*range(-n, 0), *term.replace("...", "")) for n, term in zip(before, inputs.split(","), strict=True)]
        return terms, (*range(-max(before), 0), *out.replace("...", ""))

    def __call__(self, *args: Any) -> Any:
        return self.apply(*args)

    def __reduce__(self) -> Any:
        return _row, (self.name,)

    def __repr__(self) -> str:
        return f"<{self.kind} operation {self.name}({', '.join((*self.inputs, *self.params))})>"


_MEANINGS = {
    "g": "the incoming gradient", "y": "the result", "shape": "the shape of the operand",
    "shapes": "the shapes of all operands",
}  # fmt: skip
"""What the parameters of rules mean that are no operand's and no parameter's name."""


_PUBLIC_NAMES = {"x": "input", "a": "input", "b": "other"}


def _arguments_of(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """What users call the operands: PyTorch's ``input`` and ``other``, unless the rules' own names say more."""
    names = tuple(_PUBLIC_NAMES.get(x, x) for x in inputs)
    return names if len(set(names)) == len(names) else inputs


def _refuse_row(name: Any, kind: str, forward: Any, rules: Sequence[Rule], facts: Any) -> None:
    """Raise for what cannot be a row, or would be another than was meant."""
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise ValueError(
            f"row {name!r}: its name is not the name of a function\n"
            f"It is {'a keyword of Python' if iskeyword(name) else 'no identifier'}; formulas call a row by it.\n"
            "Take letters, digits and underscores; label= is what a formula shows."
        )
    if name in PUBLIC:
        raise ValueError(
            f"row {name!r}: symgrad has a function of this name\n"
            f"A formula that shows {name}(…) would be read as symgrad's.\nTake another name."
        )
    if not rules and kind != "constant":
        raise TypeError(
            f"row {name!r}: there is no rule to differentiate it by\n"
            f"{kind}(name, forward, …) got none: each operand has one, and that tells operands from parameters.\n"
            "Give the rules; None for one that raises. What has no derivative is declared by `constant`."
        )
    if isinstance(forward, np.ufunc) and not facts.get("variadic") and forward.nin != len(rules):
        raise TypeError(
            f"row {name!r}: np.{forward.__name__} takes {forward.nin} operands, and there are {len(rules)} rules\n"
            "A rule for each operand says how the gradient reaches it.\nGive as many; None for one that raises."
        )


def _refuse(row: str, declared: Sequence[str], taken: dict[str, str], why: str) -> None:
    for name in declared:
        if name in taken:
            raise TypeError(
                f"row {row!r}: the parameter {name!r} of its forward function needs another name\n"
                f"{why.format(taken[name]).capitalize()}. Taken are {', '.join(sorted(taken))}"
                f"{' and what begins with an underscore' if name.startswith('_') else ''}.\n"
                "Rename it in the forward function and in the rules."
            )


def _makes(kind: str, rule: Rule, args: tuple[str, ...]) -> bool:
    """Whether the kind multiplies: g times a partial is a new array, g times 1 is g."""
    return "g" not in args and kind == "elementwise" if callable(rule) else rule not in (1, None)


def _names(forward: Any, count: int, inputs: Any) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Any]]:
    if isinstance(forward, np.ufunc) or not inspect.isfunction(forward):
        names = inputs or (("x",) if count <= 1 else ("a", "b", "c")[:count])
        return tuple(names), (), {}
    every = _parameters(forward)
    given = getattr(inspect.unwrap(forward), "__defaults__", None) or ()
    defaults = dict(zip(every[len(every) - len(given) :], given, strict=True))
    return every[:count], every[count:], defaults


def _parameters(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters (`inspect.signature` takes ten times as long, and there are a thousand)."""
    code = getattr(inspect.unwrap(fn), "__code__", None)
    if code is None or code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return tuple(inspect.signature(fn).parameters)
    return tuple(code.co_varnames[: code.co_argcount])


def _row(name: str) -> Op:
    """The row of a name: pickle knows rows by theirs."""
    return TABLE[name]


def elementwise(name: str, forward: Callable[..., Any], *partials: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare an operation that acts entry by entry: ``forward`` and one partial derivative per input.

    Broadcasting, the chain rule and the complex convention are the kind's business; a partial is the formula
    on paper, ``lambda y: 1 - y * y``, or a number.
    """
    return Op(name, "elementwise", forward, partials, **facts).apply


def linear(
    name: str, forward: Callable[..., Any], transpose: Rule, *others: Literal[0], **facts: Any
) -> Callable[..., Any]:
    """Declare an operation that is linear in its first input: ``forward`` and its transpose ``(g, …)``.

    ``others``: a 0 for each further input, which says where (indices) and has no derivative.
    """
    return Op(name, "linear", forward, (transpose, *others), **facts).apply


def multilinear(name: str, forward: Callable[..., Any], *rules: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare a product, linear in each input: rules ``(g, other inputs, …)``.

    Its ``equation``, as `einsum` writes it ("...i,...j,oij->...o"), says what it is in a formula, on a batch and in the
    pattern of a sparse Hessian. Without it a formula shows the product by its name.
    """
    return Op(name, "multilinear", forward, rules, **facts).apply


def general(name: str, forward: Callable[..., Any], *rules: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare an operation by its vector-Jacobian products ``(g, …)``, written in operations."""
    return Op(name, "general", forward, rules, **facts).apply


def fallible(name: str, forward: Callable[..., Any], *rules: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare a `general` operation whose rules may raise (at singular matrices, equal eigenvalues): a sweep through
    it keeps what it needs to put everything back."""
    return Op(name, "general", forward, rules, fails=True, **facts).apply


def applied(op: Any, operands: Sequence[Any], params: Sequence[Any] = ()) -> Any:
    """A row (or a user-defined operation) on tensors, recording."""
    return op.apply(tuple(operands), *params) if op.variadic else op.apply(*operands, *params)


def computed(op: Any, values: Sequence[Any], params: Sequence[Any] = ()) -> Any:
    """A row's forward function on arrays; named sizes among the parameters count as their stand-ins."""
    params = params_in_numbers(tuple(params))
    return op.forward(tuple(values), *params) if op.variadic else op.forward(*values, *params)


def predicate(name: str, forward: Callable[..., Any], inputs: int = 1, **facts: Any) -> Callable[..., Any]:
    """Declare a comparison or connective: truths, entry by entry, which carry no gradient."""
    return Op(name, "constant", forward, (0,) * inputs, truth=True, finite=True, **facts).apply


def constant(name: str, forward: Callable[..., Any], inputs: int = 1, **facts: Any) -> Callable[..., Any]:
    """Declare an operation whose output carries no gradient: comparisons, argmax, counting."""
    return Op(name, "constant", forward, (0,) * inputs, **facts).apply
