"""What to write instead, so that a NaN does not arise: chosen by who made it, of what, and what came of it.

The idea to hold: the table is read from the top, and the first line whose conditions hold is the advice. A condition
speaks of the operations around the culprit in the graph, never of a program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core import OutputNode
from ._culprit import Culprit, Factor, Search, matched
from ._wording import Source, row_name


class Around:
    """The surroundings of a culprit in the graph."""

    def __init__(self, search: Search, culprit: Culprit, overflow: bool, zero: Factor | None) -> None:
        self.search, self.node, self.place, self.overflow = search, culprit.node, culprit.place, overflow
        self.name, self.how, self.zero, self.i = row_name(self.node), culprit.how, zero, culprit.i
        self.call = Source(self.node).call or f"{self.name}(x)"

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
        other = self.search.replay.operand(zero.node, 1 - zero.i)
        return other is not None and not np.asarray(other)[matched(zero.place, np.shape(other))]

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
        value = self.search.replay.operand(self.node, i)
        return value is not None and not np.asarray(value)[matched(self.place, np.shape(value))]

    @property
    def is_outside(self) -> bool:
        """Whether a function of one operand has no value there."""
        value = self.search.replay.value(self.node) if len(self.node.parents) == 1 else None
        return isinstance(value, np.ndarray) and bool(np.isnan(value[self.place]))


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


class Rewrite(NamedTuple):
    """Operations, what must hold around them, and the advice: ``{call}`` is what the user wrote."""

    of: str
    when: Callable[[Around], bool]
    advice: str


_ROOTS = "sqrt pow rsqrt log acos asin acosh atanh div reciprocal log2 log10 log1p"

REWRITES = (
    Rewrite("exp", lambda a: a.overflow and a.used_by("div") and a.used_by("sum"),
            "sg.softmax(x, dim) divides by the sum without an overflow: it takes the largest away first."),
    Rewrite("exp", lambda a: a.overflow and a.used_by("log", "log2", "log10", through="sum mean"),
            "sg.logsumexp(x, dim) for log(sum(exp(x))): it takes the largest away first."),
    Rewrite("exp", lambda a: a.overflow and a.used_by("log", "log1p", through="add"),
            "sg.nn.functional.softplus(x) for log(1 + exp(x)); sg.logaddexp(x, y) for log(exp(x) + exp(y))."),
    Rewrite("exp", lambda a: a.overflow and a.used_by("div", "reciprocal", through="add"),
            "sg.sigmoid(x) for 1/(1 + exp(−x)): it never forms the large number."),
    Rewrite("*", lambda a: a.overflow,
            "Keep the operand smaller: scale it, bound it (sg.clamp(x, max=…)), or compute with its log; "
            "float64 reaches 1.8e308, float32 3.4e38."),
    Rewrite("log", lambda a: a.made_by("softmax"), "sg.log_softmax(x, dim) for log(softmax(x, dim))."),
    Rewrite("log", lambda a: a.made_by("sigmoid"),
            "sg.nn.functional.logsigmoid(x) for log(sigmoid(x)); a loss: binary_cross_entropy_with_logits."),
    Rewrite("log", lambda a: a.made_by("exp"), "x for log(exp(x))."),
    Rewrite("log", lambda a: a.made_by("exp", through="sub neg add expm1"),
            "sg.log(-sg.expm1(x)) for log(1 − exp(x)): expm1 keeps the digits that 1 − exp(x) loses near 0."),
    Rewrite("log", lambda a: a.made_by("exp", through="sum mean"), "sg.logsumexp(x, dim) for log(sum(exp(x)))."),
    Rewrite("log", lambda a: a.made_by("prod"), "sg.log(x).sum(dim): the sum of the logs for the log of the product."),
    Rewrite("log", lambda a: a.made_by("det", "linalg_det"), "sg.linalg.slogdet(A) for log(det(A))."),
    Rewrite("log", lambda a: a.shares_operand("mul") or a.masked,
            "sg.where(w != 0, w * {call}, 0): the branch not taken gets exactly 0. (sg.xlogy mends the value alone: "
            "its derivative in x is w/x.)"),
    Rewrite("xlogy", lambda a: True, "sg.where(w != 0, {call}, 0): the branch not taken gets exactly 0."),
    Rewrite("hypot", lambda a: True, "sg.stack([x, y]).norm(dim=0): its gradient at 0 is 0."),
    Rewrite(_ROOTS, lambda a: a.masked,
            "Choose instead of multiplying by 0: sg.where(mask, {call}, 0); the branch not taken gets exactly 0. For "
            "libraries where it does not, choose the operand too: f(where(mask, x, 1))."),
    Rewrite(_ROOTS, lambda a: a.is_outside,
            "The operand is outside the domain: look where it comes from, or bound it: sg.clamp(x, min=…, max=…)."),
    Rewrite("sqrt pow", lambda a: a.squares,
            "x.norm(dim=…) for the root of the sum of squares, sg.cdist for distances: their gradient at 0 is 0."),
    Rewrite("sqrt", lambda a: a.made_by("var"), "x.std(): its gradient is 0 where all values are equal; or "
            "sg.sqrt(x.var() + eps)."),
    Rewrite("sqrt rsqrt", lambda a: True, "Keep away from 0: sg.sqrt(x + eps), or sg.sqrt(sg.clamp(x, min=eps))."),
    Rewrite("div", lambda a: a.is_zero_over_zero and a.made_by("sin", operand=0),
            "sg.sinc(x / sg.pi) for sin(x)/x: it is 1 at 0."),
    Rewrite("div", lambda a: a.made_by("exp", operand=1, through="sum"),
            "sg.softmax(x, dim) for exp(x)/sum(exp(x)): its largest term is 1, so that the sum is never 0."),
    Rewrite("div", lambda a: a.is_zero_over_zero and a.made_by("expm1", "log1p", "tanh", "exp", operand=0,
                                                               through="sub"),
            "At 0 both are 0, and the quotient has a limit: sg.where(x == 0, 1, f(x) / sg.where(x == 0, 1, x))."),
    Rewrite("div reciprocal", lambda a: a.divides_by_zero or a.name == "reciprocal",
            "Keep the divisor away from 0: x / sg.clamp(y, min=eps) (a count: min=1), or choose it too: "
            "sg.where(y != 0, x / sg.where(y != 0, y, 1), 0)."),
    Rewrite("acos", lambda a: True, "Keep inside the domain: sg.acos(sg.clamp(x, -1 + eps, 1 - eps)); of an angle "
            "between vectors sg.atan2(‖u × v‖, u · v), which has no pole."),
    Rewrite("asin atanh", lambda a: True, "Keep inside the domain: sg.clamp(x, -1 + eps, 1 - eps) first; better, keep "
            "the value before the function that this one undoes."),
    Rewrite("acosh", lambda a: True, "Keep away from 1: sg.acosh(sg.clamp(x, min=1 + eps))."),
    Rewrite("log log2 log10", lambda a: True, "Keep away from 0: sg.log(sg.clamp(x, min=eps)), or sg.log(x + eps)."),
    Rewrite("pow", lambda a: True, "Keep the base away from 0: sg.clamp(x, min=eps) ** p; where it is 0 on purpose, "
            "sg.where(x > 0, sg.where(x > 0, x, 1) ** p, 0)."),
)  # fmt: skip


def rewrite(around: Around) -> str:
    """The advice for a culprit."""
    if around.how == "function":
        return (
            f"Mend the backward of {around.name}: sg.autograd.gradcheck({around.name}.apply, inputs) compares it with "
            "differences."
        )
    if around.how == "given":
        return "Look where that number comes from: it was not finite before symgrad saw it."
    for row in REWRITES:
        if (row.of == "*" or around.name in row.of.split()) and row.when(around):
            return row.advice.format(call=around.call)
    return "Move the operand off that point, or choose another branch there: sg.where(condition, a, b)."
