"""The functions that texts may call: a closed list, each with the rule of its shape.

Element-wise ones are read from the table of operations; the others stand below by the shape of their result. A function
that is not here is not called, whatever its name: texts come from strangers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ..core import TABLE
from ..ops import FUNCTIONS
from ..show._functions import LETTERS
from . import _arrays, _makers, _rearranging, _reductions  # noqa: F401
from ._call_rules import RULES, Call, rule_of
from ._literals import as_numbers, as_truth, lift
from ._shapes import Reading, Run, Shape, broadcast
from ._syntax import Node

_NOT_FOR_TEXTS = frozenset({
    "add", "sub", "subtract", "rsub", "mul", "multiply", "div", "divide", "true_divide", "pow", "clone", "fill", "neg",
    "conj", "conj_physical", "angle", "complex", "polar", "normal", "bernoulli", "positive", "negative",
    "nan_to_num", "sgn", "resolve_conj", "addcmul", "addcdiv", "float_power", "floor_divide", "rdiv", "lerp",
    "masked_fill", "fix", "poisson", "nextafter", "igamma", "igammac",
})  # fmt: skip
_OTHER_NAMES = {
    "ln": "log", "expit": "sigmoid", "gammaln": "lgamma", "loggamma": "lgamma", "psi": "digamma",
    "fabs": "abs", "log_sigmoid": "logsigmoid", "logistic": "sigmoid", "norm_cdf": "ndtr", "logΓ": "lgamma",
    **{letter: name for name, letter in LETTERS.items()},
}  # fmt: skip
_CONDITIONS = ("logical_not", "logical_and", "logical_or", "logical_xor", "isnan", "isinf", "isfinite")


@cache
def _elementwise() -> dict[str, tuple[Callable[..., Any], int]]:
    """Element-wise functions by name: the function, and how many of its arguments are arrays."""
    rows = {op.label: op for op in TABLE.values() if op.kind == "elementwise" and not op.name.endswith("_")}
    names: dict[Any, str] = {FUNCTIONS[n]: n for n in rows if n in FUNCTIONS}
    found: dict[str, tuple[Callable[..., Any], int]] = {}
    for name, fn in FUNCTIONS.items():
        row = getattr(fn, "op", None) or rows.get(names.get(fn, name))
        if row is not None and row.kind == "elementwise" and name not in _NOT_FOR_TEXTS:
            found[name] = (fn, len(row.inputs))
    for name in ("ndtr", "xlog1py", "normal_pdf"):
        found[name] = (TABLE[name].apply, len(TABLE[name].inputs))
    found.update({name: (FUNCTIONS[name], len(TABLE[name].inputs)) for name in _CONDITIONS})
    found["polygamma"] = (lambda n, x: FUNCTIONS["polygamma"](int(n), x), 2)
    for name, known_as in _OTHER_NAMES.items():
        found[name] = found[known_as]
    return found


@cache
def known(matrix: bool) -> frozenset[str]:
    """The names of all functions that a text may call."""
    names = {*_elementwise(), *RULES}
    if not matrix:
        names -= _makers.ONLY_MATRIX
    return frozenset(n for n in names if n.isidentifier())


def is_function(name: str, matrix: bool) -> bool:
    return name in known(matrix)


def acts_on_entries(name: str) -> bool:
    """Whether a function of arrays is one of each entry."""
    return name in _elementwise() and name not in RULES


def call(reading: Reading, node: Node, *args: Shape) -> tuple[Shape, Run]:
    name = node.value[0]
    if name == "polygamma" and args and not (isinstance(args[0].number, int) and args[0].number >= 0):
        raise reading.problem(node, "polygamma(n, x) takes an order n = 0, 1, 2…")
    asked = Call(reading, node, args)
    if name in RULES:
        found = RULES[name](asked)
        asked.no_more()
        return found
    return _entry_by_entry(asked, *_elementwise()[name])


def _entry_by_entry(call: Call, fn: Callable[..., Any], inputs: int) -> tuple[Shape, Run]:
    if call.names:
        call.between(1, 9)
    else:
        call.between(1 if call.name in ("clip", "clamp") else inputs, 9)
    truths = call.name.startswith("logical_")
    for node, shape in call.arguments:
        if (isinstance(shape.number, (str, bool)) and not truths) or shape.parts:
            raise call.reading.problem(node, f"{call.name}: {call.reading.source(node)} is no number")
    shape = broadcast(call.reading, call.node, call.arguments)
    count = len(call.positional)

    def run(*values: Any) -> Any:
        if truths:
            return fn(*map(as_truth, values))
        arrays = [_argument(v, i, fn, inputs) for i, v in enumerate(values[:count])]
        return fn(*arrays, **dict(zip(call.names, map(lift, values[count:]), strict=True)))

    return shape, run


@rule_of("masked_fill")
def _masked_fill(call: Call) -> tuple[Shape, Run]:
    call.arrays(3)
    shape = broadcast(call.reading, call.node, call.arguments)
    where = FUNCTIONS["where"]
    return shape, lambda x, m, value: where(as_truth(m), lift(value), as_numbers(x))


def _argument(value: Any, place: int, fn: Any, inputs: int) -> Any:
    """What an operation of the table takes is a tensor (of bools for `where`); bounds and orders are numbers."""
    if value is None or place >= inputs or fn is _elementwise()["polygamma"][0]:
        return lift(value)
    if fn is FUNCTIONS["where"]:
        return as_truth(value) if place == 0 else lift(value)
    return as_numbers(value) if place == 0 or hasattr(fn, "op") else lift(value)
