"""The arguments of a call, asked for by name or by place, and the table of the rules that ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._problem import ParseError
from ._shapes import Reading, Run, Shape
from ._syntax import Node


class Call:
    """A call in a text: its arguments are taken one by one, and what nobody took is an error."""

    def __init__(self, reading: Reading, node: Node, args: tuple[Shape, ...]) -> None:
        self.reading, self.node = reading, node
        self.name, self.names = node.value
        pairs = list(zip(node.children, args, strict=True))
        cut = len(pairs) - len(self.names)
        self.arguments = pairs
        self.positional, self.named = pairs[:cut], dict(zip(self.names, pairs[cut:], strict=True))
        self.taken: set[str] = set()

    def problem(self, what: str, next_step: str = "", at: Node | None = None) -> ParseError:
        return self.reading.problem(at or self.node, f"{self.name}: {what}", next_step)

    def between(self, least: int, most: int) -> None:
        """Check how many arguments stand without a name."""
        n = len(self.positional)
        if not least <= n <= most:
            wanted = str(least) if least == most else f"{least} to {most}" if most < 9 else f"at least {least}"
            raise self.problem(f"takes {wanted} argument{'s' * (not wanted.endswith('1'))}, got {n}")

    def array(self, i: int = 0, rank: int | None = None, what: str = "") -> tuple[Node, Shape]:
        """The argument ``i``, an array of some rank."""
        self.between(i + 1, 9)
        node, shape = self.positional[i]
        if isinstance(shape.number, (str, bool)) or shape.parts or (node.kind == "number" and node.value is None):
            raise self.problem(f"{self.reading.source(node)} is no array", at=node)
        if rank is not None and shape.rank != rank:
            raise self.reading.wanted(self.node, node, shape, what)
        return node, shape

    def arrays(self, n: int, rank: int | None = None, what: str = "") -> list[tuple[Node, Shape]]:
        """The arguments of a function of ``n`` arrays."""
        self.between(n, n)
        return [self.array(i, rank, what) for i in range(n)]

    def option(self, *names: str, place: int | None = None, default: Any = None) -> Any:
        """A written number, tuple of numbers, string or flag, by name or by place."""
        for name in names:
            if name in self.named:
                self.taken.add(name)
                return self._written(*self.named[name])
        if place is not None and place < len(self.positional):
            return self._written(*self.positional[place])
        return default

    def _written(self, node: Node, shape: Shape) -> Any:
        if node.kind == "number" and node.value is None:
            return None
        if shape.parts and all(isinstance(p.number, int) for p in shape.parts):
            return tuple(p.number for p in shape.parts)
        if shape.number is None:
            raise self.problem(f"{self.reading.source(node)} must be a written number", at=node)
        return shape.number

    def no_more(self) -> None:
        for name in self.named:
            if name not in self.taken:
                raise self.problem(f"has no argument '{name}'", at=self.named[name][0])

    def axes(self, rank: int, *, place: int | None = None, default: Any = None) -> Any:
        """The axes given as axis or dim, None or a tuple counted from 0."""
        axis = self.option("axis", "dim", "dims", place=place, default=default)
        if axis is None:
            return None
        axes = axis if isinstance(axis, tuple) else (axis,)
        for a in axes:
            if isinstance(a, bool) or not isinstance(a, int) or not -rank <= a < rank:
                node, shape = self.positional[0]
                described = f": {self.reading.source(node)} is {self.reading.described(shape)}"
                raise self.problem(f"there is no axis {a}{described if not shape.parts else ''}")
        counted = tuple(a % rank for a in axes)
        if len(set(counted)) < len(counted):
            raise self.problem("an axis is given twice")
        return counted

    def flag(self, *names: str) -> bool:
        value = self.option(*names, default=False)
        if not isinstance(value, bool):
            raise self.problem(f"'{names[0]}' is True or False")
        return value


Rule = Callable[[Call], tuple[Shape, Run]]
RULES: dict[str, Rule] = {}
"""The shape of a call and how it is computed, by the function's name."""


def rule_of(*names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return register
