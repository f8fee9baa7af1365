"""The error of anomaly mode: which operation is to blame for a NaN, where it stands, why, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .._errors import GradientError
from .._limits import bound
from ..core import (
    MASKS,
    AnomalyFound,
    OutputNode,
    computed,
    first_not_finite,
    is_leaf_node,
    operands_of,
    params_of,
    reachable,
)
from ..formulas import array_of, entry_at
from ..terms import Indices
from .recorded_values import (
    CallSite,
    RecordedValues,
    consumers_of,
    matched,
    operand_names,
    place_of,
    row_name,
    signed,
    slope_texts,
    title,
    unwatched,
)

# ------------------------------------------------------------- The search for the operation that a NaN is to blame on

# The idea to hold: a gradient is a product of factors along a way (summed over ways). The sweep noticed the product
# that is NaN; of its two factors the one that is not finite was made by somebody: by the operation itself, whose
# derivative has a pole there; by one nearer to the output, if it came in with the gradient; by an earlier one, if a
# value was not finite already when the function was computed. That one is the culprit.


class ChainStep(NamedTuple):
    """One step of a gradient's way: from entry ``place`` of the result of ``node`` to operand ``i``.

    ``incoming`` is the gradient there, ``slope`` the derivative (None: not known, and ``place`` is the worst),
    ``entry`` that of the operand.
    """

    node: Any
    i: int
    place: Indices
    incoming: Any
    slope: Any
    entry: Indices


class Culprit(NamedTuple):
    """Who made the first number that is not finite: ``how`` is 'slope' (a derivative), 'value' (a result), 'product'
    (of finite factors, too large), 'given' (operand ``i`` was not finite from the beginning), 'function' or 'hook'."""

    how: str
    node: Any
    place: Indices
    i: int = 0


class Search:
    """What led to what a sweep found."""

    found: AnomalyFound
    recorded: RecordedValues

    def __init__(self, found: AnomalyFound) -> None:
        self.found, self.recorded = found, RecordedValues()
        self.trail: dict[Any, Any] = found.trail
        nodes = reachable([*self.trail])[0]
        self.consumers: dict[Any, list[tuple[Any, int]]] = consumers_of(nodes)
        self.exact: bool = any(node.traits & MASKS for node in nodes)
        self.meeting: list[ChainStep] = []  # the factors whose product, or sum, is not finite
        self.culprit: Culprit = self._found()

    def _found(self) -> Culprit:
        found = self.found
        k, bad = found.first()
        place = place_of(bad) if bad.ndim else ()
        if found.how == "hook":
            return Culprit("hook", found.by, place, k)
        if found.how == "forward":
            return self._value(found.by, place)
        if found.how == "rule" and found.by.op is None:
            return Culprit("function", found.by, place, k)
        if found.how == "rule":
            self.meeting = [self.factor(found.by, k, place, found.incoming)]
            return self._of(self.meeting[0])
        return self._sum(found.by, place)

    # ------------------------------------------------------------------------------------------------------ factors

    def factor(self, node: Any, i: int, entry: Indices, g: Any) -> ChainStep:
        """The step through ``node`` to an entry of its operand that matters most."""
        column = None if type(node) is OutputNode else self.recorded.column(node, i, entry)
        if column is None:
            arrived = [array_of(v) for v in (g if isinstance(g, list) else [g]) if v is not None]
            array = next((v for v in arrived if first_not_finite(v, True) is not None), arrived[0])
            place = entry if type(node) is OutputNode and _is_place(entry, array.shape) else _worst(array)
            return ChainStep(node, i, place, array[place], 1.0 if type(node) is OutputNode else None, entry)
        g, (slope, reached) = array_of(g), column
        terms = g * slope
        if self.exact and node.op.steep:
            terms = np.where(g == 0, 0, terms)
        place = _heaviest(np.where(reached, terms, 0), reached)
        return ChainStep(node, i, place, g[place], slope[place], entry)

    def up(self, edge: Any, entry: Indices) -> ChainStep | None:
        """The step by which the most arrived at an entry of an edge; None at the output of all."""
        steps = [s for s in self.arrivals(edge, entry) if s.slope is None or s.slope != 0 or s.incoming != 0]
        return max(steps, key=_weight, default=None)

    def arrivals(self, edge: Any, entry: Indices) -> list[ChainStep]:
        """The steps by which something arrived at an entry of an edge."""
        return [
            self.factor(node, i, entry, self.trail[node])
            for node, i in self.consumers.get(edge, []) if node in self.trail
        ]  # fmt: skip

    def way(self, step: ChainStep) -> list[ChainStep]:
        """The steps from the output to this one."""
        steps = [step]
        while True:
            above = self.up(steps[-1].node, steps[-1].place)
            if above is None:
                return steps[::-1]
            steps.append(above)

    # ------------------------------------------------------------------------------------------------------ culprits

    def _of(self, step: ChainStep) -> Culprit:
        """Who made the factor that is not finite."""
        while True:
            node, i, place = step.node, step.i, step.place
            unknown = step.slope is None
            if self._operand_not_finite(node, place) if unknown else not np.isfinite(step.slope):
                return self._slope(node, place, i)
            if np.isfinite(step.incoming):
                return Culprit("slope" if unknown else "product", node, place, i)
            above = self.up(node, place)
            if above is None:
                return Culprit("product", node, place, i)
            if above.node.op is None and type(above.node) is not OutputNode:
                return Culprit("function", above.node, above.entry, above.i)
            step = above

    def _sum(self, edge: Any, entry: Indices) -> Culprit:
        """Of a gradient in which ways meet: the first of those who made a summand that is not finite."""
        self.meeting = [s for s in self.arrivals(edge, entry) if not _is_finite(s)]
        found = [self._of(step) for step in self.meeting]
        return min(found, key=lambda c: c.node.seq, default=Culprit("product", edge, entry))

    def _slope(self, node: Any, place: Indices, i: int) -> Culprit:
        """Of a derivative that is not finite: the operation itself, or who made its operand."""
        return self._value(node, place) if self._operand_not_finite(node, place) else Culprit("slope", node, place, i)

    def _operand_not_finite(self, node: Any, place: Indices) -> bool:
        return any(self._entry(node, i, place) is not None for i in range(len(node.parents)))

    def _value(self, node: Any, place: Indices) -> Culprit:
        """Of a value that is not finite: the first operation that made such a one of finite operands."""
        while True:
            while type(node) is OutputNode:
                node = node.parents[0]
            bad = [(i, e) for i in range(len(node.parents)) if (e := self._entry(node, i, place)) is not None]
            if not bad:
                return Culprit("value", node, place)
            i, entry = bad[0]
            parent = node.parents[i]
            if parent is None or (parent.op is None and type(parent) is not OutputNode):  # a constant, or a leaf
                return Culprit("given", node, place, i)
            node, place = parent, entry

    def _entry(self, node: Any, i: int, place: Indices) -> Indices | None:
        """Where an operand is not finite, as far as it matters for an entry of the result; None if nowhere."""
        value = self.recorded.operand(node, i)
        value = None if value is None or isinstance(value, (tuple, list, slice, str)) else np.asarray(value)
        bad = None if value is None else first_not_finite(value, True)
        if value is None or bad is None:
            return None
        if node.op is not None and node.op.kind == "elementwise":
            entry = matched(place, value.shape)
            return entry if not np.isfinite(value[entry]) else None
        return place_of(bad) if value.ndim else ()


def _is_place(place: Indices, shape: Indices) -> bool:
    return len(place) == len(shape) and all(p < n for p, n in zip(place, shape, strict=True))


def _worst(array: np.ndarray) -> Indices:
    """Where an array is not finite, else its first entry."""
    bad = first_not_finite(array, True)
    return (0,) * array.ndim if bad is None or not array.ndim else place_of(bad)


def _is_finite(step: ChainStep) -> bool:
    return step.slope is not None and bool(np.isfinite(step.incoming * step.slope))


def _heaviest(terms: np.ndarray, reached: np.ndarray) -> Indices:
    """Where the most comes from: a NaN, else an infinity, else the largest; of nothing, the first place reached."""
    if not terms.ndim:
        return ()
    for found in (np.isnan(terms), ~np.isfinite(terms)):
        if found.any():
            return place_of(found)
    size = np.abs(terms) if np.any(terms) else reached
    return entry_at(np.argmax(size), terms.shape)


def _weight(step: ChainStep) -> float:
    if step.slope is None:
        return 0.0
    product = step.incoming * step.slope
    return np.inf if np.isnan(product) else float(np.abs(product))


# -------------------------------------------------------------------------------------------------------------------
# What to write instead, so that a NaN does not arise: chosen by who made it, of what, and what came of it

# The idea to hold: the table is read from the top, and the first line whose conditions hold is the advice. A condition
# speaks of the operations around the culprit in the graph, never of a program.


class CulpritContext:
    """The surroundings of a culprit in the graph."""

    search: Search
    node: Any
    place: Indices
    overflow: bool
    name: str
    how: str
    zero: ChainStep | None
    i: int

    def __init__(self, search: Search, culprit: Culprit, overflow: bool, zero: ChainStep | None) -> None:
        self.search, self.node, self.place, self.overflow = search, culprit.node, culprit.place, overflow
        self.name, self.how, self.zero, self.i = row_name(self.node), culprit.how, zero, culprit.i
        self.call: str = CallSite(self.node).call or f"{self.name}(x)"

    def made_by(self, *names: str, operand: int | None = None, through: str = "") -> bool:
        """Whether an operand comes of one of these operations, perhaps through others that change little."""
        parents = self.node.parents if operand is None else self.node.parents[operand : operand + 1]
        return any(row_name(n) in names for p in parents for n in _down(p, through.split()))

    def used_by(self, *names: str, through: str = "") -> bool:
        """Whether the result goes into one of these operations, perhaps through others."""
        seen, todo = set(), [self.node]
        while todo:
            for user, _ in self.search.consumers.get(todo.pop(), []):
                if row_name(user) in names and user is not self.node:
                    return True
                if (row_name(user) in through.split() or type(user) is OutputNode) and user not in seen:
                    seen.add(user)
                    todo.append(user)
        return False

    def shares_operand(self, name: str) -> bool:
        """Whether the result is multiplied (``name``) with something that it was computed from."""
        users = [u for u, _ in self.search.consumers.get(self.node, []) if row_name(u) == name]
        return any(p is not None and p in self.node.parents for u in users for p in u.parents)

    @property
    def masked(self) -> bool:
        """Whether the zero came of multiplying with something that is 0 there, a mask."""
        zero = self.zero
        if zero is None or zero.node.op is None or row_name(zero.node) != "mul" or zero.node is self.node:
            return False
        other = self.search.recorded.entry(zero.node, 1 - zero.i, zero.place)
        return other is not None and not other

    @property
    def squares(self) -> bool:
        """Whether the operand is a sum of squares."""
        for n in _down(self.node.parents[0], ["sum"]):
            if row_name(n) == "pow" or (row_name(n) == "mul" and n.parents[0] is n.parents[1]):
                return True
        return False

    @property
    def divides_by_zero(self) -> bool:
        """Whether a division's last operand is 0 at the culprit's place."""
        return self.name == "div" and self._is_zero(len(self.node.parents) - 1)

    @property
    def is_zero_over_zero(self) -> bool:
        """Whether both operands of a division are 0 there."""
        return self.divides_by_zero and len(self.node.parents) > 1 and self._is_zero(0)

    def _is_zero(self, i: int) -> bool:
        value = self.search.recorded.entry(self.node, i, self.place)
        return value is not None and not value

    @property
    def is_outside(self) -> bool:
        """Whether a function of one operand has no value there."""
        value = self.search.recorded.value(self.node) if len(self.node.parents) == 1 else None
        there = value[self.place] if isinstance(value, np.ndarray) else 0.0
        return bool(np.isnan(there) and not np.isinf(there))  # a complex pole is ∞ + NaN i


def _down(edge: Any, through: Iterable[str]) -> list[Any]:
    """The operation that made an edge, and those below it as long as they are among ``through``."""
    found, todo, names = [], [edge], [*through]
    while todo:
        node = todo.pop()
        while type(node) is OutputNode:
            node = node.parents[0]
        if node is None or (node.op is None and not hasattr(node, "_function")):
            continue
        found.append(node)
        if row_name(node) in names:
            todo.extend(node.parents)
    return found


class Advice(NamedTuple):
    """Operations, what must hold around them, and the advice: ``{call}`` is what the user wrote."""

    of: str
    when: Callable[[CulpritContext], bool]
    advice: str


_ROOTS = "sqrt pow rsqrt log acos asin acosh atanh div reciprocal log2 log10 log1p"

ADVICE = (
    Advice("exp", lambda a: a.overflow and a.used_by("div") and a.used_by("sum"),
            "sg.softmax(x, dim) divides by the sum without an overflow: it takes the largest away first."),
    Advice("exp", lambda a: a.overflow and a.used_by("log", "log2", "log10", through="sum mean"),
            "sg.logsumexp(x, dim) for log(sum(exp(x))): it takes the largest away first."),
    Advice("exp", lambda a: a.overflow and a.used_by("log", "log1p", through="add"),
            "sg.nn.functional.softplus(x) for log(1 + exp(x)); sg.logaddexp(x, y) for log(exp(x) + exp(y))."),
    Advice("exp", lambda a: a.overflow and a.used_by("div", "reciprocal", through="add"),
            "sg.sigmoid(x) for 1/(1 + exp(−x)): it never forms the large number."),
    Advice("*", lambda a: a.overflow,
            "Keep the operand smaller: scale it, bound it (sg.clamp(x, max=…)), or compute with its log; "
            "float64 reaches 1.8e308, float32 3.4e38."),
    Advice("log", lambda a: a.made_by("softmax"), "sg.log_softmax(x, dim) for log(softmax(x, dim))."),
    Advice("log", lambda a: a.made_by("sigmoid"),
            "sg.nn.functional.logsigmoid(x) for log(sigmoid(x)); a loss: binary_cross_entropy_with_logits."),
    Advice("log", lambda a: a.made_by("exp"), "x for log(exp(x))."),
    Advice("log", lambda a: a.made_by("exp", through="sub neg add expm1"),
            "sg.log(-sg.expm1(x)) for log(1 − exp(x)): expm1 keeps the digits that 1 − exp(x) loses near 0."),
    Advice("log", lambda a: a.made_by("exp", through="sum mean"), "sg.logsumexp(x, dim) for log(sum(exp(x)))."),
    Advice("log", lambda a: a.made_by("prod"), "sg.log(x).sum(dim): the sum of the logs for the log of the product."),
    Advice("log", lambda a: a.made_by("det", "linalg_det"), "sg.linalg.slogdet(A) for log(det(A))."),
    Advice("log", lambda a: a.shares_operand("mul") or a.masked,
            "sg.where(w != 0, w * {call}, 0): the branch not taken gets exactly 0. (sg.xlogy mends the value alone: "
            "its derivative in x is w/x.)"),
    Advice("xlogy", lambda a: True, "sg.where(w != 0, {call}, 0): the branch not taken gets exactly 0."),
    Advice("hypot", lambda a: True, "sg.stack([x, y]).norm(dim=0): its gradient at 0 is 0."),
    Advice(_ROOTS, lambda a: a.masked,
            "Choose instead of multiplying by 0: sg.where(mask, {call}, 0); the branch not taken gets exactly 0. For "
            "libraries where it does not, choose the operand too: f(where(mask, x, 1))."),
    Advice(_ROOTS, lambda a: a.is_outside,
            "The operand is outside the domain: look where it comes from, or bound it: sg.clamp(x, min=…, max=…)."),
    Advice("sqrt pow", lambda a: a.squares,
            "x.norm(dim=…) for the root of the sum of squares, sg.cdist for distances: their gradient at 0 is 0."),
    Advice("sqrt", lambda a: a.made_by("var"), "x.std(): its gradient is 0 where all values are equal; or "
            "sg.sqrt(x.var() + eps)."),
    Advice("sqrt rsqrt", lambda a: True, "Keep away from 0: sg.sqrt(x + eps), or sg.sqrt(sg.clamp(x, min=eps))."),
    Advice("div", lambda a: a.is_zero_over_zero and a.made_by("sin", operand=0),
            "sg.sinc(x / sg.pi) for sin(x)/x: it is 1 at 0."),
    Advice("div", lambda a: a.made_by("exp", operand=1, through="sum"),
            "sg.softmax(x, dim) for exp(x)/sum(exp(x)): its largest term is 1, so that the sum is never 0."),
    Advice("div", lambda a: a.is_zero_over_zero and a.made_by("expm1", "log1p", "tanh", "exp", operand=0,
                                                               through="sub"),
            "At 0 both are 0, and the quotient has a limit: sg.where(x == 0, 1, f(x) / sg.where(x == 0, 1, x))."),
    Advice("div reciprocal", lambda a: a.divides_by_zero or a.name == "reciprocal",
            "Keep the divisor away from 0: x / sg.clamp(y, min=eps) (a count: min=1), or choose it too: "
            "sg.where(y != 0, x / sg.where(y != 0, y, 1), 0)."),
    Advice("acos", lambda a: True, "Keep inside the domain: sg.acos(sg.clamp(x, -1 + eps, 1 - eps)); of an angle "
            "between vectors sg.atan2(‖u × v‖, u · v), which has no pole."),
    Advice("asin atanh", lambda a: True, "Keep inside the domain: sg.clamp(x, -1 + eps, 1 - eps) first; better, keep "
            "the value before the function that this one undoes."),
    Advice("acosh", lambda a: True, "Keep away from 1: sg.acosh(sg.clamp(x, min=1 + eps))."),
    Advice("log log2 log10", lambda a: True, "Keep away from 0: sg.log(sg.clamp(x, min=eps)), or sg.log(x + eps)."),
    Advice("pow", lambda a: True, "Keep the base away from 0: sg.clamp(x, min=eps) ** p; where it is 0 on purpose, "
            "sg.where(x > 0, sg.where(x > 0, x, 1) ** p, 0)."),
)  # fmt: skip


def advice_for(around: CulpritContext) -> str:
    """The advice for a culprit."""
    if around.how == "function":
        return (
            f"Mend the backward of {around.name}: sg.autograd.gradcheck({around.name}.apply, inputs) compares it with "
            "differences."
        )
    if around.how == "given":
        return (
            "Look where that number comes from: it was not finite before symgrad saw it. Where ∞ is meant, take "
            "functions with that limit (sg.sigmoid(z), or scipy.special.expit(z), for 1/(1 + exp(−z))), or 300 for ∞."
        )
    for row in ADVICE:
        if (row.of == "*" or around.name in row.of.split()) and row.when(around):
            return row.advice.format(call=around.call)
    return "Move the operand off that point, or choose another branch there: sg.where(condition, a, b)."


# -------------------------------------------------------------------------------------------------------------------
# The error of anomaly mode: which operation is to blame, where it stands, why, and what to write instead


class AnomalyError(GradientError):
    """A backward made NaN (or an infinity), found by anomaly mode: `detect_anomaly`.

    Attributes
    ----------
    operation : the operation that is to blame, as users call it: the first that made a number that is not finite
    call, line, where : how the user called it; the line of the source; 'file:line, in function'. Empty if it was
        recorded outside anomaly mode
    element : the entry of its result
    operands : the operands' values there, by name
    slope : its local derivative as a formula, and with the numbers put in; empty if it has none that can be written
    factors : the gradient's way from the output, each step an operation and its local derivative
    cause : what is not finite, and why
    rewrite : what would not have made it

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([4.0, 0.0], requires_grad=True)
    >>> with sg.detect_anomaly():
    ...     try:
    ...         (sg.sqrt(x) * sg.tensor([1.0, 0.0])).sum().backward()
    ...     except sg.AnomalyError as error:
    ...         print(error.operation, error.element, error.operands)
    ...         print(error.cause)
    sqrt (1,) {'x': 0.0}
    0·∞: ∂sqrt/∂x = 1/(2√x) = 1/(2√0) = ∞
    """

    operation = call = line = where = slope = cause = rewrite = ""
    element: tuple[int, ...] = ()
    operands: dict[str, float]
    factors: tuple[tuple[str, float], ...] = ()


def blame(found: AnomalyFound) -> AnomalyError:
    """The error for what anomaly mode found."""
    with unwatched():
        return _AnomalyMessage(Search(found)).error()


FACTORS_SHOWN = bound(16)
"""Factors of a gradient's way that the error of anomaly mode shows."""
WAYS_SHOWN = bound(2)
"""Ways of which it shows the factors."""


class _AnomalyMessage:
    """What is said of a culprit, part by part."""

    def __init__(self, search: Search) -> None:
        self.search, self.found = search, search.found
        self.culprit: Culprit = search.culprit
        self.node, self.place = self.culprit.node, self.culprit.place
        self.ways = [search.way(step) for step in search.meeting[:WAYS_SHOWN]]
        self.source = CallSite(self.node) if self.culprit.how != "hook" else _HookSite(self.node)

    def error(self) -> AnomalyError:
        hook = self.culprit.how == "hook"
        operands = {} if hook else self._operands()
        slope, numbers = self._slope(operands)
        cause, overflow = self._cause(operands, slope, numbers)
        around = None if hook else CulpritContext(self.search, self.culprit, overflow, self._zero())
        advice = _HOOK if around is None else advice_for(around)
        operation = "hook" if hook else row_name(self.node)
        error = AnomalyError(self._title(), self._evidence(operation, operands, cause), f"Rewrite: {advice}")
        error.operation, error.call, error.line = operation, self.source.call, self.source.line
        error.where, error.element, error.operands = self.source.where, self.place, operands
        error.slope, error.cause, error.rewrite = f"{slope} = {numbers}" if slope else "", cause, advice
        error.factors = tuple((row_name(s.node), s.slope) for way in self.ways for s in _without_outputs(way))
        return error

    # ---------------------------------------------------------------------------------------------------- the message

    def _title(self) -> str:
        """PyTorch's words, where it has any."""
        found = self.found
        k = found.first()[0]
        what = "infinite" if first_not_finite(found.values[k]) is None else "nan"
        if found.how == "rule":
            return f"Function '{found.by.name()}' returned {what} values in its {k}th output."
        if found.how == "forward":
            return f"Function '{found.by.name()}' computed {what} values in its {k}th result."
        if found.how == "hook":
            return f"The hook {_hook_name(found.by)} on {found.incoming} made {what} values of a gradient without any."
        return f"The gradients that meet at {title(found.by)} add up to {what} values."

    def _evidence(self, operation: str, operands: dict[str, float], cause: str) -> str:
        source, place = self.source, list(self.place)
        where = f", {source.where}" if source.where else ", recorded outside anomaly mode"
        lines = [f"To blame is {operation}{where}:"]
        lines += [f"    {source.line}"] * bool(source.line)
        values = ", ".join(f"{n} = {signed(v)}" for n, v in operands.items())
        call = f" of {source.call}" if source.call else ""
        lines.append(
            f"At element {place}{call}" + f", its operand{'s' * (len(operands) > 1)} {values}" * bool(values) + "."
        )
        lines.append(f"Cause: {cause}.")
        for way in self.ways:
            lines += self._way(way)
        return "\n".join(lines)

    def _way(self, way: list[ChainStep]) -> list[str]:
        """A gradient's way from the output, a factor a line."""
        steps, shown = _without_outputs(way), FACTORS_SHOWN
        first = steps[0].incoming
        lines = ["The gradient's way there, from the output:", f"    {signed(first)}"]
        for k, step in enumerate(steps):
            if shown // 2 <= k < len(steps) - shown // 2:
                if k == shown // 2:
                    lines.append(f"    … {len(steps) - 2 * (shown // 2)} more factors")
                continue
            source = CallSite(step.node)
            number = "?" if step.slope is None else signed(step.slope)
            at = f"  {source.call}  ({source.short})" * bool(source.where)
            lines.append(f"    · {number:<10} {row_name(step.node)}{list(step.place)}{at}")
        last = steps[-1]
        if last.slope is not None:
            lines.append(f"    = {signed(last.incoming * last.slope)}")
        return lines

    # -------------------------------------------------------------------------------------------------------- the parts

    def _operands(self) -> dict[str, Any]:
        """The operands' values at the entry: of an elementwise operation all, of others those that are one number."""
        op = self.node.op
        values: dict[str, Any] = {}
        for i, name in enumerate(operand_names(self.node)):
            value = None if is_leaf_node(self.node) else self.search.recorded.operand(self.node, i)
            if isinstance(value, (np.ndarray, int, float)) and (
                np.ndim(value) == 0 or (op is not None and op.kind == "elementwise")
            ):
                entry = np.asarray(value)[matched(self.place, np.shape(value))]
                values[name] = float(entry) if entry.dtype.kind != "c" else complex(entry)
        return values

    def _slope(self, operands: dict[str, float]) -> tuple[str, str]:
        op = None if self.culprit.how in ("hook", "function") else self.node.op
        if op is None or op.kind != "elementwise" or op.variadic or not callable(op.rules[self.culprit.i]):
            return "", ""
        return slope_texts(self.node, self.culprit.i, operands)

    def _cause(self, operands: dict[str, float], slope: str, numbers: str) -> tuple[str, bool]:
        """What is not finite and why; and whether it is an overflow, no pole."""
        how, node, place = self.culprit.how, self.node, self.place
        if how == "hook":
            return f"the hook {_hook_name(node)} made it: what it was given was as it should be", False
        if how == "function":
            return f"the backward of {row_name(node)} returned it", False
        form = self._form()
        if how == "given":
            name = operand_names(node)[self.culprit.i]
            value = signed(operands[name]) if name in operands else "not finite"
            parent = node.parents[self.culprit.i]
            constant = operands_of(node)[self.culprit.i] if parent is None else None
            whose = getattr(constant, "name", None) or title(parent)
            return f"{form}its operand {name}, {whose}, is {value} from the beginning", False
        y = None if is_leaf_node(node) else self.search.recorded.value(node)
        result = None if y is None or isinstance(y, tuple) else y[place]
        if result is not None and np.isinf(result) and not self._has_pole():
            largest = f"{np.finfo(result.dtype).max:.2g}"
            said = ", ".join(map(signed, operands.values()))
            return f"{form}overflow: {row_name(node)}({said}) is beyond the largest {result.dtype}, {largest}", True
        if how == "value" and result is None:
            return f"{form}{row_name(node)} computed it of finite operands", False
        if how == "value":
            return f"{form}{self._value_text(operands)} = {signed(result)}", False
        if how == "product":
            what = "the gradients that arrive add up" if not self.search.meeting else "gradient times derivative comes"
            return f"{form}overflow: {what} to more than the largest number", True
        if not slope:
            return f"{form}the local derivative of {row_name(node)} is not finite there", False
        value = self.search.recorded.partial(node, self.culprit.i)[place]  # type: ignore[index]
        local = f"∂{row_name(node)}/∂{operand_names(node)[self.culprit.i]}"
        wide = f" in {value.dtype}" * (value.dtype.itemsize < np.dtype(float).itemsize)
        return f"{form}{local} = {slope} = {numbers}{self._quotient(value)} = {signed(value)}{wide}", False

    def _form(self) -> str:
        """The two factors (or summands) whose product (sum) is none: '0·∞: '."""
        is_nan = first_not_finite(self.found.values[self.found.first()[0]]) is not None
        if self.found.how == "sum":
            return "∞ − ∞: " if is_nan else ""
        if not self.search.meeting or self.search.meeting[0].slope is None:
            return ""
        step = self.search.meeting[0]
        if np.isnan(step.slope) or np.isnan(step.incoming):
            return ""
        if np.isnan(step.incoming * step.slope):
            return f"{signed(step.incoming)}·{signed(step.slope)}: "
        return "∞ − ∞: " if is_nan else ""

    def _quotient(self, value: Any) -> str:
        """What a quotient comes to that is none."""
        if not np.isnan(value) or self.node.op.name != "div":
            return ""
        a, b = (signed(self.search.recorded.entry(self.node, i, self.place)) for i in (0, 1))
        return f", which is {a}/{b}"

    def _value_text(self, operands: dict[str, float]) -> str:
        """An operation with numbers for its operands."""
        said = [signed(v) for v in operands.values()]
        sign = {"add": " + ", "sub": " − ", "mul": "·", "div": "/"}.get(row_name(self.node))
        return sign.join(said) if sign and len(said) == 2 else f"{row_name(self.node)}({', '.join(said)})"

    def _has_pole(self) -> bool:
        """Whether the result is finite a hair beside the entry: then it is no overflow."""
        op = self.node.op
        if op.kind != "elementwise" or op.variadic:
            return False
        entries = [self.search.recorded.entry(self.node, i, self.place) for i in range(len(op.inputs))]
        for sign in (1, -1):
            moved = [v + sign * (4 * np.finfo(v.dtype).eps * abs(v) if v else 1e-6) if v.dtype.kind in "fc" else v
                     for v in entries]  # fmt: skip
            if np.isfinite(computed(op, moved, params_of(self.node))):
                return True
        return False

    def _zero(self) -> ChainStep | None:
        """The factor that made the gradient 0 on its way, if one did."""
        for step in (s for way in self.ways[:1] for s in way):
            if step.node is self.node:
                return None
            if step.slope is not None and step.slope == 0 and step.incoming != 0:
                return step
        return None


def _without_outputs(way: list[ChainStep]) -> list[ChainStep]:
    return [step for step in way if type(step.node) is not OutputNode] or way


_HOOK = "Guard the hook's own division, root or logarithm; a hook that only looks returns nothing."


def _hook_name(fn: Any) -> str:
    return getattr(fn, "__name__", type(fn).__name__)


class _HookSite(CallSite):
    """Where a hook is written."""

    def __init__(self, fn: Any) -> None:
        import linecache

        code = getattr(fn, "__code__", None)
        self.where = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}, in {code.co_name}"
        self.line = "" if code is None else linecache.getline(code.co_filename, code.co_firstlineno).strip()
        self.call = ""
