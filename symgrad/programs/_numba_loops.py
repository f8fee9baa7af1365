"""Runs of element-wise lines as loops that Numba compiles; all else stays NumPy.

The idea to hold: a line of NumPy goes once through memory, and takes a microsecond before it begins. Lines that compute
entry by entry in one shape become one loop, in which what only they use is never an array. What has a name outside is
written to an array; what a loop reads that is no such line (a product, a view, a sum) is an argument, computed by NumPy
as before. What little an earlier loop of the shape computed is computed again: that is cheaper than an array.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from .. import _limits
from .._python_source import parsed
from ._numba_files import loaded
from ._scalar_form import IMPORTS, NUMBA
from ._source_module import function
from ._variable_names import WORD

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Call, ast.Attribute, ast.Compare, ast.expr_context,
          ast.Add, ast.Sub, ast.Mult, ast.Div, ast.unaryop, ast.cmpop)  # fmt: skip
QUICK = {
    "square": "({0} * {0})", "sqrt": "math.sqrt({0})", "abs": "abs({0})", "where": "({1} if {0} else {2})",
    "maximum": "({0} if {0} >= {1} or {0} != {0} else {1})", "minimum": "({0} if {0} <= {1} or {0} != {0} else {1})",
}  # fmt: skip
"""Functions that a loop computes as fast as NumPy."""

SLOW = {name: f"math.{name}({{0}})" for name in (
    "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh",
)}  # fmt: skip
"""Functions that NumPy computes faster in long arrays, several at a time."""


class Loop:
    """Lines of one shape that become one loop.

    Attributes
    ----------
    defined : the names of the lines, and their dtypes
    again : names of earlier loops, computed once more
    given : what the loop reads, by text, and its shape
    """

    def __init__(self, shape: tuple[int, ...], number: int) -> None:
        self.shape, self.name = shape, f"_loop{number}"
        self.lines: list[str] = []  # inside the loop
        self.plain: list[str] = []  # the same lines as NumPy has them
        self.defined: dict[str, Any] = {}
        self.given: dict[str, tuple[int, ...]] = {}
        self.again: set[str] = set()
        self.steps = 0

    @property
    def words(self) -> set[str]:
        """The names that it reads from outside."""
        return {word for text in self.given for word in WORD.findall(text)}

    def argument(self, text: str, shape: tuple[int, ...]) -> str:
        """An entry of something given."""
        self.given.setdefault(text, shape)
        name = f"a{list(self.given).index(text)}"
        if not shape:
            return name
        lead = len(self.shape) - len(shape)
        return f"{name}[{', '.join(['0' if n == 1 else f'i{lead + k}' for k, n in enumerate(shape)])}]"

    def source(self, results: list[str]) -> str:
        """The function of the loop, which writes these arrays."""
        names = [*[f"a{k}" for k in range(len(self.given))], *[f"{name}_all" for name in results]]
        lines = [f"def {self.name}({', '.join(names)}):"]
        for k, n in enumerate(self.shape):
            lines.append(f"{'    ' * (k + 1)}for i{k} in range({n}):")
        inside = "    " * (len(self.shape) + 1)
        place = ", ".join(f"i{k}" for k in range(len(self.shape)))
        lines += [inside + line for line in self.lines]
        lines += [f"{inside}{name}_all[{place}] = {name}" for name in results]
        return "\n".join([NUMBA, *lines])

    def call(self, results: list[str]) -> list[str]:
        """The lines that call it."""
        kinds = ["" if self.defined[name] != np.bool_ else ", np.bool_" for name in results]
        made = [f"{name} = np.empty({self.shape}{kind})" for name, kind in zip(results, kinds, strict=True)]
        return [*made, f"{self.name}({', '.join([*self.given, *results])})"]


class _Whole(Exception):
    """A line is no element-wise one."""


class Fusing:
    """Lines in the making: those of NumPy, and loops.

    ``space`` holds the values of names at a point, which say what shape each thing has.
    """

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space
        self.items: list[str | Loop] = []
        self.known: dict[str, tuple[ast.expr, tuple[int, ...], int]] = {}  # what loops may compute again, and its steps
        self.open: dict[tuple[int, ...], Loop] = {}
        self.loops = 0

    def line(self, text: str) -> None:
        """Take one line, and run it."""
        node = parsed(text).body[0]
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self._assigned(node.targets[0].id, node.value, text)
            return
        if isinstance(node, ast.AugAssign | ast.Assign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = f"w{len(self.space)}_"
            if self._assigned(name, node.value, f"{name} = {ast.unparse(node.value)}", only=True):
                sign = f"{SIGNS[type(node.op)]}=" if isinstance(node, ast.AugAssign) else "="
                text = f"{ast.unparse(target)} {sign} {name}"
            self._forget({n.id for n in ast.walk(target) if isinstance(n, ast.Name)})
        self.close()  # it writes, and names may share memory
        self._run(text)
        self.items.append(text)

    def _run(self, text: str) -> None:
        exec(compile(text, "<symgrad derivative program>", "exec"), self.space)  # our own source

    def _assigned(self, name: str, value: ast.expr, text: str, only: bool = False) -> bool:
        """Take a line that defines a name: into a loop if it can be; else, but for ``only`` so, as it is."""
        for loop in list(self.open.values()):
            if name in loop.defined or name in loop.words or name in loop.again:
                self.close(loop)
        self._forget({name})
        found = eval(compile(ast.Expression(value), "<symgrad derivative program>", "eval"), self.space)
        if isinstance(found, np.ndarray) and found.ndim and found.size > 1 and found.dtype.char in "d?":
            try:
                self._into_loop(name, value, found, text)
            except _Whole:
                pass
            else:
                self.space[name] = found
                return True
        if only:
            return False
        self._close_for(text)
        self.space[name] = found
        self.items.append(text)
        return False

    def _forget(self, names: set[str]) -> None:
        """What names were, and what was made of them, is not what they are from now on."""
        for name, (value, _, _) in list(self.known.items()):
            if name in names or any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(value)):
                del self.known[name]

    def _into_loop(self, name: str, value: ast.expr, found: np.ndarray, text: str) -> None:
        loop = self.open.get(found.shape)
        others = {word for word in WORD.findall(text) if loop is None or word not in loop.defined}
        for other in list(self.open.values()):
            if other is not loop and others & set(other.defined):
                self.close(other)
        if loop is None or loop.steps > _limits.FUSED_STEPS:
            if loop is not None:
                self.close(loop)
            loop = Loop(found.shape, self.loops)
        lines, steps, given, again = list(loop.lines), loop.steps, dict(loop.given), set(loop.again)
        try:
            written = self._entry(value, loop, True)
        except _Whole:
            loop.lines, loop.steps, loop.given, loop.again = lines, steps, given, again
            if loop.defined and any(word in loop.defined for word in WORD.findall(text)):
                self.close(loop)
                self._into_loop(name, value, found, text)  # what it reads is an array now
                return
            raise
        if self.open.get(found.shape) is not loop:
            self.open[found.shape] = loop
            self.loops += 1
        loop.lines.append(f"{name} = {written}")
        loop.plain.append(text)
        loop.defined[name] = found.dtype
        took = loop.steps - steps + sum([self.known[n][2] for n in _names(value) if n in self.known])
        slow = any(f"math.{f}(" in line for line in loop.lines[len(lines) :] for f in SLOW)
        if took <= _limits.FUSED_AGAIN and not slow and all(isinstance(n, _PLAIN) for n in ast.walk(value)):
            self.known[name] = value, found.shape, took

    def _entry(self, node: ast.expr, loop: Loop, top: bool = False) -> str:
        """An entry of an expression, as an expression of entries."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return f"{float(node.value)!r}"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            loop.steps += 1
            return f"({'-' if isinstance(node.op, ast.USub) else '+'}{self._entry(node.operand, loop)})"
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            loop.steps += 1
            return f"({self._entry(node.left, loop)} {SIGNS[type(node.op)]} {self._entry(node.right, loop)})"
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            loop.steps += 1
            sign = COMPARISONS[type(node.ops[0])]
            return f"({self._entry(node.left, loop)} {sign} {self._entry(node.comparators[0], loop)})"
        form = self._function(node, loop)
        if form is not None and isinstance(node, ast.Call):
            return form.format(*[self._named(self._entry(a, loop), loop) for a in node.args])
        if top:
            raise _Whole
        return self._given(node, loop)

    def _function(self, node: ast.expr, loop: Loop) -> str | None:
        if not isinstance(node, ast.Call) or node.keywords or not isinstance(node.func, ast.Attribute):
            return None
        if not isinstance(node.func.value, ast.Name) or node.func.value.id != "np":
            return None
        name = node.func.attr
        loop.steps += 1
        short = int(np.prod(loop.shape)) <= _limits.FUSED_FUNCTIONS
        return QUICK.get(name) or (SLOW.get(name) if short else None)

    def _named(self, text: str, loop: Loop) -> str:
        """A text that may stand twice."""
        if text.replace("_", "").isalnum() or (text.startswith("a") and text.endswith("]")):
            return text
        name = f"s{len(loop.lines)}"
        loop.lines.append(f"{name} = {text}")
        return name

    def _given(self, node: ast.expr, loop: Loop) -> str:
        """Something that is computed outside."""
        if isinstance(node, ast.Name) and (node.id in loop.defined or node.id in loop.again):
            return node.id
        if isinstance(node, ast.Name) and node.id in self.known and self.known[node.id][1] == loop.shape:
            loop.lines.append(f"{node.id} = {self._entry(self.known[node.id][0], loop, True)}")
            loop.again.add(node.id)
            return node.id
        text = ast.unparse(node)
        if any(word in loop.defined for word in WORD.findall(text)):
            raise _Whole
        value = eval(compile(ast.Expression(node), "<symgrad derivative program>", "eval"), self.space)
        if isinstance(value, float) or (isinstance(value, np.ndarray | np.generic) and value.dtype.char in "d?l"):
            if np.ndim(value) > len(loop.shape):
                raise _Whole
            return loop.argument(f"({text})[()]" if isinstance(value, np.ndarray) and not value.ndim else text,
                                 np.shape(value))  # fmt: skip
        raise _Whole

    def close(self, loop: Loop | None = None) -> None:
        """End a loop, or all."""
        for shape, one in list(self.open.items()):
            if loop is None or one is loop:
                del self.open[shape]
                self.items += [one] if one.steps >= _limits.FUSED_LEAST else one.plain

    def _close_for(self, text: str) -> None:
        """End the loops whose names a text reads."""
        words = set(WORD.findall(text))
        for loop in list(self.open.values()):
            if words & set(loop.defined):
                self.close(loop)


def _names(node: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


class Fused:
    """A module whose runs of element-wise lines are loops: it runs as `Module` does."""

    def __init__(self, program: Any, values: list[Any]) -> None:
        whole = self.whole = program.whole
        self.pattern, self.structured = whole.pattern, whole.structured
        space = {**whole.function.__globals__, **{n: v for (n, _), v in zip(whole.arguments, values, strict=True)}}
        fusing = Fusing(space)
        with np.errstate(all="ignore"):
            for line in whole.source.lines:
                fusing.line(line)
        fusing.close()
        ends = {word for text in (*whole.results, *whole.pieces) for word in WORD.findall(text)}
        self.lines, loops = [], []
        for item in fusing.items:
            if isinstance(item, str):
                self.lines.append(item)
                continue
            used = ends.union(*[
                other.words if isinstance(other, Loop) else WORD.findall(other)
                for other in fusing.items if other is not item
            ])  # fmt: skip
            results = [name for name in item.defined if name in used]
            if results:
                loops.append(item.source(results))
                self.lines += item.call(results)
        self.loops = "\n\n\n".join(loops)
        self.any = bool(loops)
        if self.any:
            names = loaded("\n".join([*IMPORTS, "", "", self.loops, ""]))
            result = f"({', '.join(whole.results)},), ({''.join(p + ', ' for p in whole.pieces)})"
            text = function(whole.name, [name for name, _ in whole.arguments], self.lines, result)
            space = {**whole.function.__globals__, **{k: v for k, v in names.items() if k.startswith("_loop")}}
            exec(compile(text, "<symgrad derivative program>", "exec"), space)  # our own source
            self.function = space[whole.name]

    def shown(self, name: str, arguments: list[str], results: list[str], check: list[str]) -> str:
        """The source of the loops, and of a function of the arguments, which a file's checks first."""
        main = function(name, arguments, [*check, *self.lines], ", ".join(results))
        return f"{self.loops}\n\n\n{main}"


__all__ = ["Fused"]
