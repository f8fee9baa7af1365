"""Single numbers while a gradient is computed: a list of what was done to them, and the operators that are followed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import Node, Tensor, add_to, function_of_source, hush, modes, new_node, of_numpy, row_function, unhush, wrap
from ..ops import METHODS
from ..ops.shape import reshape, stack
from ..sweep import grad
from .members import BINARY, COMPARISONS, of_python, set_method
from .ndarray import Array, Number, set_numbers
from .pieces import expect_own_choice, expect_own_root, is_another_key, is_point, note_hashed
from .protocols import call_ufunc

# -------------------------------------------------------------------------------------------------------------------
# Single numbers while a gradient is computed: a list of what was done to them, in place of a node for each operation

# The idea to hold: a loop over numbers (``h[t] = a + b * h[t-1]``) is thousands of operations that cost NumPy a
# twentieth of what a node costs. Where nothing but a first derivative can be asked for, as in the outermost `sg.grad`,
# an operation on two numbers is an entry of a list: where its operands stand, and the partial derivatives in them. The
# list is one node of the graph; its backward walks it from the end. What is not plain and finite takes the usual way.


_mode = modes.mode.get
_F64 = np.dtype(np.float64)
_SOURCE = (None, 0, None, 0, None)


class Steps:
    """What was done to numbers, in order, until the result of one was needed as a tensor.

    Attributes
    ----------
    entries : `_SOURCE` for a number from outside; (operation, place, partial, constant, None) for an operation with a
        constant (or without); (operation, place, partial, place, partial) for one of two numbers. A partial None:
        the branch that is not taken
    sources : where the numbers from outside come from: (place in the list, tensor, place in its flat array)
    open : whether more may be added
    node : of the list, once it is closed
    recorder : what has the list that is open
    """

    __slots__ = ("entries", "node", "open", "recorder", "sources")

    def __init__(self, recorder: Recorder) -> None:
        self.entries: list[Any] = []
        self.sources: list[tuple[int, Tensor, int]] = []
        self.open, self.recorder = True, recorder
        self.node: NumbersNode | None = None


class Recorder:
    """The numbers of one run of a function.

    Attributes
    ----------
    steps : the list that is open
    """

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = Steps(self)

    def close(self) -> None:
        """Let go of the list: the run has ended."""
        self.steps.open = False
        self.steps.recorder = None  # type: ignore[assignment]

    def entry(self, t: Tensor, flat: int) -> tuple[Steps, int]:
        """A place in the open list for a number of a tensor's."""
        steps = self.steps
        k = len(steps.entries)
        steps.entries.append(_SOURCE)
        steps.sources.append((k, t, flat))
        return steps, k


def recorder() -> Recorder | None:
    """That of the function that runs, if there is one and operations record."""
    running = modes.running.get()
    return running.recorder if running is not None and _mode() == 1 else None


# ----------------------------------------------------------------------------------------------------------- the node


class NumbersNode(Node):
    """A list of steps, as a node: its gradient is a list of one number for each."""

    __slots__ = ("entries", "sources", "tensors")
    traits = 0
    entries: list[Any]
    sources: list[tuple[int, int, int]]
    tensors: list[Tensor]

    def name(self) -> str:
        """As it is called in messages."""
        return "NumbersBackward"

    def pull(self, adjoints: Any, grads: dict[Any, Any]) -> None:
        """Walk the list from its end."""
        for g, (_, i, d, j, e) in zip(reversed(adjoints), reversed(self.entries), strict=True):
            if g is None or d is None:
                continue
            old = adjoints[i]
            adjoints[i] = g * d if old is None else old + g * d
            if e is not None:
                old = adjoints[j]
                adjoints[j] = g * e if old is None else old + g * e
        found: dict[int, tuple[list[int], list[float]]] = {}
        for k, which, flat in self.sources:
            if adjoints[k] is not None:  # what nothing used has no gradient: 0 times an infinite slope is none
                places, parts = found.setdefault(which, ([], []))
                places.append(flat)
                parts.append(adjoints[k])
        for which, (places, parts) in found.items():
            data, edge = self.tensors[which]._data, self.parents[which]
            total = np.zeros(data.size)
            np.add.at(total, places, parts)
            add_to(grads, edge, total.reshape(data.shape))

    def pull_graph(self, adjoints: Any, grads: dict[Any, Any]) -> None:
        """The same by operations that record: the steps are done once more, on tensors.

        The gradient is that in the lines, which are nodes of their own: one tensor may have been computed from another.
        """
        again = [wrap(t._data, p) for t, p in zip(self.tensors, self.parents, strict=True)]
        lines = [reshape(t, (t._data.size,)) for t in again]
        values = [None] * len(self.entries)
        for k, which, flat in self.sources:
            values[k] = lines[which][flat]
        for k, entry in enumerate(self.entries):
            if entry is not _SOURCE:
                values[k] = entry[0](values[entry[1]], entry[3] if entry[4] is None else values[entry[3]])
        live = [(v, g) for v, g in zip(values, adjoints, strict=True) if g is not None]
        found = grad([v for v, _ in live], lines, [g for _, g in live], create_graph=True, allow_unused=True)
        for edge, t, d in zip(self.parents, again, found, strict=True):
            if d is not None:
                add_to(grads, edge, reshape(d, t._data.shape))


class NumbersPart(Node):
    """Some of a list's numbers as one tensor."""

    __slots__ = ("places",)
    traits = 0
    places: list[int]

    def name(self) -> str:
        """As it is called in messages."""
        return "NumbersBackward"

    def pull(self, g: Any, grads: dict[Any, Any]) -> None:
        """Put the gradient among those of the list."""
        self._add(np.asarray(g, np.float64).reshape(-1).tolist(), grads)

    def pull_graph(self, g: Any, grads: dict[Any, Any]) -> None:
        """The same of a gradient that has a history."""
        line = reshape(g, (len(self.places),))
        self._add([line[j] for j in range(len(self.places))], grads)

    def _add(self, values: list[Any], grads: dict[Any, Any]) -> None:
        origin = self.parents[0]
        row = grads.get(origin)
        if row is None:
            row = grads[origin] = [None] * len(origin.entries)
        for k, value in zip(self.places, values, strict=True):
            old = row[k]
            row[k] = value if old is None else old + value


def _closed(steps: Steps) -> NumbersNode:
    """The node of a list, which ends here; what follows begins another."""
    if steps.node is not None:
        return steps.node
    if steps.open and steps.recorder is not None:
        steps.recorder.steps = Steps(steps.recorder)
    steps.open = False
    tensors: list[Tensor] = []
    known: dict[int, int] = {}
    sources = []
    for k, t, flat in steps.sources:
        which = known.setdefault(id(t), len(tensors))
        if which == len(tensors):
            tensors.append(t)
        sources.append((k, which, flat))
    node: NumbersNode = new_node(NumbersNode, tuple([t._node for t in tensors]))
    node.entries, node.sources, node.tensors = steps.entries, sources, tensors
    steps.node = node
    return node


def tensor_of_numbers(numbers: Sequence[Any]) -> Tensor:
    """Numbers side by side, as a tensor of one dimension."""
    steps = numbers[0].steps
    if any(n.steps is not steps for n in numbers):
        return stack([n._t for n in numbers], 0)
    node = new_node(NumbersPart, (_closed(steps),))
    node.places = [n.place for n in numbers]
    return wrap(np.array([n.value for n in numbers]), node)


# --------------------------------------------------------------------------------------------------------- operations


class NumberRule:
    """An entry-by-entry row of one or two operands, at floats.

    Attributes
    ----------
    row, of_one, swapped : the function that records; the same with a second operand that means nothing; with the first
        operand, a constant, as the second
    forward, partials : the value, and for each operand its partial derivative as a function of (1, the operands, the
        value), which takes those in the places ``asked``; or a number
    masks : whether the row chooses: what is not taken has no derivative, whatever comes in
    flat : whether all its derivatives are 0
    """

    __slots__ = ("asked", "flat", "forward", "masks", "of_one", "partials", "row", "swapped")

    def __init__(self, row: Any) -> None:
        op, names = row.op, ("g", *row.op.inputs, "y")
        self.row, self.forward, self.masks, self.partials = row, op.forward, op.masks, op.rules
        self.of_one, self.swapped = lambda a, _: row(a), lambda a, constant: row(constant, a)
        self.flat = all(not callable(rule) and rule == 0 for rule in op.rules)
        self.asked = [[names.index(a) for a in asked] for asked in op.rule_args]

    def __call__(self, values: Sequence[float]) -> tuple[float, list[float | None]] | None:
        """The value and the partial derivatives (None: not taken); None where one of them is not finite."""
        state = hush()
        try:
            exact = [_ONE, *map(np.float64, values)]
            y = self.forward(*exact[1:])
            exact.append(y)
            slopes = [
                float(rule(*[exact[k] for k in asked]) if callable(rule) else rule)
                for rule, asked in zip(self.partials, self.asked)
            ]
        finally:
            unhush(state)
        if not math.isfinite(sum(slopes, float(y)) + sum(values)):  # a sum is finite only if all of them are
            return None
        return float(y), [s or None for s in slopes] if self.masks else [*slopes]


_ONE = np.float64(1.0)
_RULES: dict[Any, NumberRule | None] = {}


def rule_of(ufunc: Any) -> NumberRule | None:
    """How a ufunc acts on numbers; None if it is no entry-by-entry row of one or two operands."""
    try:
        return _RULES[ufunc]
    except KeyError:
        row = row_function(_OF_REAL_NUMBERS[ufunc]) if ufunc in _OF_REAL_NUMBERS else of_numpy[ufunc]
        op: Any = getattr(row, "op", None)
        fits = op is not None and op.kind == "elementwise" and not op.params and len(op.inputs) <= 2
        _RULES[ufunc] = found = NumberRule(row) if fits and None not in op.rules else None
        return found


_OF_REAL_NUMBERS = {np.absolute: "abs", np.fabs: "abs", np.sign: "sign"}
"""The rows of functions that choose by dtype."""


def number(recorder: Recorder, t: Tensor, flat: int, value: float) -> Number:
    """An entry of a tensor, or a tensor without dimensions, as a number that is followed step by step."""
    n = Number()
    n.value = value
    n.steps, n.place = recorder.entry(t, flat)
    return n


def noted(steps: Steps, value: float, entry: tuple[Any, ...]) -> Number:
    """The result of a further step."""
    n = Number()
    n.value, n.steps, n.place = value, steps, len(steps.entries)
    steps.entries.append(entry)
    return n


def joined(*values: Any) -> Steps | None:
    """The open list, in which these numbers stand from now on; None if one of them is none that can."""
    found = recorder()
    if found is None:
        return None
    for n in values:
        if type(n) is Number:
            if n.steps is not found.steps:
                t = n._t  # which closes the list that it stands in, if that is open
                n.steps, n.place = found.entry(t, 0)
        elif type(n) not in _PLAIN:
            return None
    return found.steps


_PLAIN = frozenset([float, int, np.float64, np.int64])


@modes.recorded
def tensor_of_number(n: Number) -> Tensor:
    """A number as a tensor: the entry that it was, or what the steps made. Recorded, as the number was, also where
    recording is off when the tensor is first asked for."""
    if n.steps.entries[n.place] is _SOURCE:
        _, t, flat = next(s for s in n.steps.sources if s[0] == n.place)
        if not t._data.ndim:
            return t
        at = np.unravel_index(flat, t._data.shape)
        return METHODS["__getitem__"](t, tuple(map(int, at)))
    return reshape(tensor_of_numbers([n]), ())


set_numbers(tensor_of_number, recorder, number, tensor_of_numbers)


# --------------------------- Operators of numbers that are followed step by step: a float's, and an entry in the list

# The idea to hold: an operator is written out from a line that says its value and its partial derivatives. What does
# not fit the line (another list, no finite number, recording switched off) goes the way of all arrays.


_PAIRS = {
    "add": ("a + b", "1.0", "1.0"), "sub": ("a - b", "1.0", "-1.0"), "mul": ("a * b", "b", "a"),
    "truediv": ("a / b", "1.0 / b", "-v / b"), "pow": ("a ** b", "b * a ** (b - 1)", "v * _log(a)"),
}  # fmt: skip
"""Of two numbers: the value, the partial in the first, and in the second."""

_SWAP = str.maketrans("ab", "ba")
_CONSTANTS = {
    **{name: (value, slope) for name, (value, slope, _) in _PAIRS.items()},
    **{f"r{name}": (value.translate(_SWAP), slope.translate(_SWAP)) for name, (value, _, slope) in _PAIRS.items()},
    "pow": ("a * a if b == 2 else a ** b", "2.0 * a if b == 2 else b * a ** (b - 1)"),
}  # fmt: skip
"""Of a number ``a`` and a constant ``b``: the value, and the slope."""

_OPERATOR_SOURCE = """def {name}(self, other):
    steps = self.steps
    if steps.open and _mode() == 1:
        a = self.value; kind = _type(other)
        try:
{pair}            if kind is _Float64: b = _float(other)
            elif kind is _float or kind is _int: b = other
            else: return _slow(_name, self, other)
            v = {value}
            if {finite} == 0.0:
                n = _Number(); n.value = v; n.steps = steps; entries = steps.entries; n.place = _len(entries)
                entries.append((_operator, self.place, {slope}, b, None))
                return n
        except _Arithmetic: pass
    return _slow(_name, self, other)
"""
_PAIR = """            if kind is _Number:
                b = other.value; v = {value}
                if {finite} == 0.0 and other.steps is steps:
                    n = _Number(); n.value = v; n.steps = steps; entries = steps.entries; n.place = _len(entries)
                    entries.append((_operator, self.place, {da}, other.place, {db}))
                    return n
                return _slow(_name, self, other)
"""


def _slow(name: str, a: Number, b: Any) -> Any:
    """What does not go straight: numbers of a list that is closed go on in the open one; the rest is done by rows."""
    kind = type(b)
    closed = not a.steps.open or (kind is Number and b.steps is not a.steps)
    if closed and joined(a, b) is not None:
        return getattr(a, f"__{name}__")(b)
    return getattr(Array, f"__{name}__")(a, b)


_FINITE = {
    "truediv": "(v - v) + (1.0 / b - 1.0 / b)", "rtruediv": "(v - v) + (v / a - v / a)",
    "pow": "(v - v) + _float(v / a - v / a)",
}  # fmt: skip
"""What is 0 if value and slopes are finite: a finite sum or product has finite operands. (A broken power of a negative
number is complex to Python: of that there is no float.)"""


def _operator(name: str) -> Callable[[Any, Any], Any]:
    """What is done to the tensors of two numbers, to ``b`` and ``a`` if the name says so."""
    op = of_python(name.removeprefix("r"))
    return op if name in _PAIRS else lambda a, b: op(b, a)


def _written(name: str) -> Callable[[Number, Any], Any]:
    value, slope = _CONSTANTS[name]
    pair, finite = "", _FINITE.get(name, "v - v")
    if name in _PAIRS:
        value, da, db = _PAIRS[name]
        pair = _PAIR.format(value=value, da=da, db=db, finite=finite)
    source = _OPERATOR_SOURCE.format(name=name, value=value, slope=slope, pair=pair, finite=finite)
    return function_of_source(
        f"Number.{name}", source, _mode=_mode, _Number=Number, _Float64=np.float64, _name=name, _slow=_slow,
        _len=len, _operator=_operator(name), _log=math.log, _Arithmetic=(ArithmeticError, TypeError, ValueError),
    )  # fmt: skip


for _name in _CONSTANTS:
    setattr(Number, f"__{_name}__", _written(_name))


def _negative(self: Number) -> Any:
    steps = joined(self)
    if steps is None:
        return call_ufunc(np.negative, "__call__", (self,), {})
    return noted(steps, -self.value, (_minus, self.place, -1.0, None, None))


def _minus(a: Any, _: Any) -> Any:
    return -a


for _name, _fn in {
    "__neg__": _negative, "__pos__": lambda self: self,
    "__abs__": lambda self: number_ufunc(self, np.absolute, "__call__", self),
}.items():  # fmt: skip
    setattr(Number, _name, _fn)


def _test(name: str) -> Callable[[Number, Any], Any]:
    test, orders = of_python(name), name not in ("eq", "ne")

    def method(self: Number, other: Any) -> Any:
        kind, given = type(other), other
        if kind is Number:
            other = other.value
        elif kind is not float and kind is not int and kind is not np.float64:
            return getattr(Array, f"__{name}__")(self, other)
        if orders and self.value == other:
            expect_own_choice()
        return np.bool_(test(self.value, other) and not (name == "eq" and is_another_key(self, given)))

    return method


for _name in COMPARISONS:
    set_method(Number, f"__{_name}__", _test(_name))


def _hash(self: Number) -> int:
    note_hashed()
    return hash(self.value)


setattr(Number, "__hash__", _hash)  # noqa: B010  (which mypy does not know of)
Number.__bool__ = lambda self: self.value != 0.0  # type: ignore[attr-defined]

_BY_OPERATOR = {np.float_power: ("__pow__", "__rpow__")}
_BY_OPERATOR.update({BINARY[name][0]: (f"__{name}__", f"__r{name}__") for name in _PAIRS})


def number_ufunc(self: Number, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """A ufunc of numbers: an entry of the list, where it is an entry-by-entry row with finite slopes."""
    if ufunc is np.sqrt and not self.value:
        expect_own_root()
    if method == "__call__" and not kwargs:
        if ufunc is np.equal and inputs[1] is self and is_point(inputs[0]):
            return self == inputs[0][()]
        names = _BY_OPERATOR.get(ufunc)
        if names is None:
            found = _negative(self) if ufunc is np.negative else _step(ufunc, inputs)
            if found is not None:
                return found
        elif type(inputs[0]) is Number:
            return getattr(inputs[0], names[0])(inputs[1])
        elif type(inputs[0]) is np.float64 or type(inputs[0]) is float:
            return getattr(inputs[1], names[1])(inputs[0])
    return call_ufunc(ufunc, method, inputs, kwargs)


def _step(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """The result of a further step, of a flat one a constant; None if it has to go the usual way."""
    rule = rule_of(ufunc)
    if rule is None:
        return None
    steps = joined(*inputs)
    if steps is None:
        return None
    values = [v.value if type(v) is Number else float(v) for v in inputs]
    found = rule(values)
    if found is None:
        return None
    (value, slopes), row = found, rule.row
    if rule.flat:
        return np.float64(value)
    if len(values) == 1:
        return noted(steps, value, (rule.of_one, inputs[0].place, slopes[0], None, None))
    a, b = inputs
    follows_a, follows_b = type(a) is Number, type(b) is Number
    if follows_a and follows_b and None not in slopes:
        return noted(steps, value, (row, a.place, slopes[0], b.place, slopes[1]))
    if follows_a and (slopes[0] is not None or not follows_b):  # what is not taken is a constant
        return noted(steps, value, (row, a.place, slopes[0], values[1], None))
    return noted(steps, value, (rule.swapped, b.place, slopes[1], values[0], None))


Number.__array_ufunc__ = number_ufunc  # type: ignore[attr-defined]
