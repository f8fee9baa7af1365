"""The error of anomaly mode: which operation is to blame, where it stands, why, and what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from .._errors import GradientError
from ..core import AnomalyFound, OutputNode, computed, is_leaf_node, modes, operands_of, params_of, strange
from ._culprit import Culprit, Factor, Search, matched
from ._rewrites import Around, rewrite
from ._wording import Source, operand_names, row_name, signed, slope_texts, title


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
    mode, anomaly = modes.mode.set(modes.OFF), modes.anomaly.set(None)
    try:
        with np.errstate(all="ignore"):
            return _Report(Search(found)).error()
    finally:
        modes.anomaly.reset(anomaly)
        modes.mode.reset(mode)


class _Report:
    """What is said of a culprit, part by part."""

    def __init__(self, search: Search) -> None:
        self.search, self.found = search, search.found
        self.culprit: Culprit = search.culprit
        self.node, self.place = self.culprit.node, self.culprit.place
        self.ways = [search.way(step) for step in search.meeting[: _limits.WAYS_SHOWN]]
        self.source = Source(self.node) if self.culprit.how != "hook" else _HookSource(self.node)

    def error(self) -> AnomalyError:
        hook = self.culprit.how == "hook"
        operands = {} if hook else self._operands()
        slope, numbers = self._slope(operands)
        cause, overflow = self._cause(operands, slope, numbers)
        around = None if hook else Around(self.search, self.culprit, overflow, self._zero())
        advice = _HOOK if around is None else rewrite(around)
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
        what = "infinite" if strange(found.values[k]) is None else "nan"
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

    def _way(self, way: list[Factor]) -> list[str]:
        """A gradient's way from the output, a factor a line."""
        steps, shown = _without_outputs(way), _limits.FACTORS_SHOWN
        first = steps[0].incoming
        lines = ["The gradient's way there, from the output:", f"    {signed(first)}"]
        for k, step in enumerate(steps):
            if shown // 2 <= k < len(steps) - shown // 2:
                if k == shown // 2:
                    lines.append(f"    … {len(steps) - 2 * (shown // 2)} more factors")
                continue
            source = Source(step.node)
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
            value = None if is_leaf_node(self.node) else self.search.replay.operand(self.node, i)
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
        y = None if is_leaf_node(node) else self.search.replay.value(node)
        result = None if y is None or isinstance(y, tuple) else y[place]
        if result is not None and np.isinf(result) and not self._has_pole():
            largest = f"{np.finfo(result.dtype).max:.2g}" if result.dtype.kind == "f" else ""
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
        value = self.search.replay.partial(node, self.culprit.i)[place]  # type: ignore[index]
        local = f"∂{row_name(node)}/∂{operand_names(node)[self.culprit.i]}"
        wide = f" in {value.dtype}" * (value.dtype.itemsize < np.dtype(float).itemsize)
        return f"{form}{local} = {slope} = {numbers}{self._quotient(value)} = {signed(value)}{wide}", False

    def _form(self) -> str:
        """The two factors (or summands) whose product (sum) is none: '0·∞: '."""
        is_nan = strange(self.found.values[self.found.first()[0]]) is not None
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
        a, b = (np.asarray(self.search.replay.operand(self.node, i)) for i in (0, 1))
        return f", which is {signed(a[matched(self.place, a.shape)])}/{signed(b[matched(self.place, b.shape)])}"

    def _value_text(self, operands: dict[str, float]) -> str:
        """An operation with numbers for its operands."""
        said = [signed(v) for v in operands.values()]
        sign = {"add": " + ", "sub": " − ", "mul": "·", "div": "/"}.get(row_name(self.node))
        return sign.join(said) if sign and len(said) == 2 else f"{row_name(self.node)}({', '.join(said)})"

    def _has_pole(self) -> bool:
        """Whether the result is finite a hair beside the entry: then it is no overflow."""
        op, place = self.node.op, self.place
        if op.kind != "elementwise" or op.variadic:
            return False
        values = [np.asarray(self.search.replay.operand(self.node, i)) for i in range(len(op.inputs))]
        entries = [v[matched(place, v.shape)] for v in values]
        for sign in (1, -1):
            moved = [v + sign * (4 * np.finfo(v.dtype).eps * abs(v) if v else 1e-6) if v.dtype.kind == "f" else v
                     for v in entries]  # fmt: skip
            if np.isfinite(computed(op, moved, params_of(self.node))):
                return True
        return False

    def _zero(self) -> Factor | None:
        """The factor that made the gradient 0 on its way, if one did."""
        for step in (s for way in self.ways[:1] for s in way):
            if step.node is self.node:
                return None
            if step.slope is not None and step.slope == 0 and step.incoming != 0:
                return step
        return None


def _without_outputs(way: list[Factor]) -> list[Factor]:
    return [step for step in way if type(step.node) is not OutputNode] or way


_HOOK = "Guard the hook's own division, root or logarithm; a hook that only looks returns nothing."


def _hook_name(fn: Any) -> str:
    return getattr(fn, "__name__", type(fn).__name__)


class _HookSource(Source):
    """Where a hook is written."""

    def __init__(self, fn: Any) -> None:
        import linecache

        code = getattr(fn, "__code__", None)
        self.where = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}, in {code.co_name}"
        self.line = "" if code is None else linecache.getline(code.co_filename, code.co_firstlineno).strip()
        self.call = ""
