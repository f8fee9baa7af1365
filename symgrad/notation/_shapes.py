"""The shapes of a text's parts, and what is known while they are worked out.

A shape is a tuple of sizes, known or not (`_sizes`); what an operator or a function demands
of its operands makes unknown sizes equal, and what cannot be equal is an error at that place. In matrix notation a
vector is a column until it is transposed, which is all that ``row`` remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from .. import _limits
from .._postorder import postorder
from .._symbol import dim as named_size
from ..syntax import Node, ParseError, shortened
from ._sizes import Dim, Sizes

Run = Callable[..., Any]
At = tuple[tuple[str, int | Dim], ...]
"""Letters, and the sizes of what they run over."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of an array, whether it is a row of matrix notation, and its value if it is a written number.

    An entry has the letters ``at`` which it stands; in ``bound`` are those that were summed over inside.
    """

    dims: tuple[int | Dim, ...] = ()
    row: bool = False
    number: Any = None
    parts: tuple[Shape, ...] = ()
    at: At = ()
    bound: frozenset[str] = frozenset()

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def is_number(self) -> bool:
        """Whether it is a number that stands in the text."""
        return self.number is not None


Axis = tuple[Node, Shape, int]
"""An axis of an operand."""


@dataclass(slots=True)
class Step:
    """``run`` of the values of the nodes ``operands`` is the value of ``node``."""

    node: Node
    run: Run
    operands: tuple[Node, ...]


@dataclass(slots=True)
class Reading:
    """What is known while the shapes of a text are worked out."""

    text: str
    matrix: bool
    symbols: dict[str, Shape]  # in the order of the text
    counts: dict[str, Dim]  # names of sizes that the text uses as numbers
    definitions: dict[str, Node]
    sizes: Sizes
    rank: int = 0  # how many axes the result shall have, if that was said
    dets: frozenset[int] = frozenset()  # where bars are read as a determinant
    places: dict[str, Node] = field(default_factory=dict)  # where each symbol stands first
    shapes: dict[int, Shape] = field(default_factory=dict)
    steps: dict[int, Step] = field(default_factory=dict)  # by the node, in order
    stars: list[Node] = field(default_factory=list)  # where * joins arrays
    inverts: bool = False  # whether ^-1 inverts a matrix, as where * is the product of matrices
    bars: list[tuple[Node, Shape]] = field(default_factory=list)  # |X| of matrices
    unlike_square: list[tuple[Node, Shape, str, str]] = field(default_factory=list)  # what is said if it is square
    printed: bool = False  # whether all signs are those that symgrad prints
    ranges: dict[int, tuple[str, int | str]] = field(default_factory=dict)  # of sums, by where they begin
    values: dict[str, Any] = field(default_factory=dict)  # of the symbols, once they are made
    lengths: dict[str, int] = field(default_factory=dict)  # that stand for sizes, by name; not those that were given
    _named: tuple[int, ...] = ()  # what was known when the sizes were named

    def length(self, node: Node, dim: int | Dim) -> Any:
        """A size as symbols have it: a number, or a named size."""
        dim = self.sizes.root(dim)
        if isinstance(dim, int):
            return dim
        self.name_sizes()
        name, more = self.sizes.in_words(dim)
        if name is None:
            raise self.problem(
                node,
                f"nothing tells the size of {self.source(node)}",
                'Declare the shapes, or that of the result: shape=("m", "n").',
            )
        if name in self.sizes.given:
            return self.sizes.given[name] + more
        size = named_size(name)
        self.lengths[name] = int(size)
        return size + more

    def count(self, node: Node, dim: int | Dim) -> Any:
        """A size as a number of the formula."""
        length = self.length(node, dim)
        return length if type(length) is int else length.number()

    def source(self, node: Node, most: int = 40) -> str:
        return shortened(self.text[node.start : node.end], most)

    def argument(self, node: Node) -> str:
        """The source of a part for the brackets of a function."""
        strip = node.bracketed and self.text[node.start] in "([{"
        return shortened(self.text[node.start + strip : node.end - strip], 12)

    def operand(self, node: Node, most: int = 12) -> str:
        """The source of a part where a sign follows: in brackets if it would not hold together."""
        source = self.source(node, most)
        loose = node.kind == "unary" or (node.kind == "binary" and node.value != "sup")
        return f"({source})" if loose and not node.bracketed and node.value != "T" else source

    def problem(self, node: Node, what: str, next_step: str = "") -> ParseError:
        return ParseError.at(what, self.text, node, next_step)

    def conflict(self, node: Node, what: str, *nodes: Node) -> ParseError:
        """An error of shapes at an operator or a function: what does not fit, and how to declare it."""
        return self.problem(node, f"{self.source(node)}: {what}", self.declare(*(nodes or node.children)))

    def wanted(self, node: Node, part: Node, shape: Shape, what: str) -> ParseError:
        """An error of shapes: a part is not what is needed."""
        return self.conflict(node, f"{self.said(part, shape)}, {what} is needed", part)

    def refuse_large(self, node: Node, sizes: Iterable[Any]) -> None:
        """Raise if an array of these sizes is too large."""
        if prod(map(int, sizes)) > _limits.TEXT_ENTRIES:
            name = f"{node.value[0]}: " if node.kind == "call" else ""
            raise self.problem(node, f"{name}more than {_limits.TEXT_ENTRIES:,} entries")

    def require_place(self, node: Node, dim: int | Dim, place: int) -> None:
        """Raise if an axis of what is indexed is known not to have an entry."""
        length = self.sizes.root(dim)
        if isinstance(length, int) and not -length <= place < length:
            raise self.conflict(node, f"{self.source(node.children[0])} has {self.entries(dim)}, from 0 on")

    def require_same(self, node: Node, one: Axis, two: Axis) -> None:
        """Make two axes of operands equally long; raise if they cannot be."""
        if not self.sizes.same(one[1].dims[one[2]], two[1].dims[two[2]]):
            said = [f"{self.source(n)} has {self.entries(s.dims[k], noun(s, k))}" for n, s, k in (one, two)]
            raise self.conflict(node, ", ".join(said))

    def fit(self, node: Node, spec: str, operands: list[tuple[Node, Shape]]) -> Shape:
        """The shape that ``"ii,ij -> ij"`` says of its operands, one letter being one size; `` | `` is between ways."""
        ways = [[part.strip() for part in way.split("->")] for way in spec.split("|")]
        kinds = list(zip(*(inputs.split(",") for inputs, _ in ways), strict=True))
        for (part, shape), kind in zip(operands, kinds, strict=True):
            if shape.rank not in map(len, kind):
                raise self.wanted(node, part, shape, " or ".join(dict.fromkeys(map(_kind, kind))))
        ranks = [shape.rank for _, shape in operands]
        inputs, output = next(way for way in ways if [len(s) for s in way[0].split(",")] == ranks)
        found: dict[str, tuple[int, Axis]] = {}
        for i, ((part, shape), subscript) in enumerate(zip(operands, inputs.split(","), strict=True)):
            for axis, letter in enumerate(subscript):
                k, first = found.setdefault(letter, (i, (part, shape, axis)))
                if k != i:
                    self.require_same(node, first, (part, shape, axis))
                elif not self.sizes.same(shape.dims[axis], int(letter) if letter.isdigit() else shape.dims[first[2]]):
                    has = [self.entries(d, noun(shape, n)) for n, d in enumerate(shape.dims)]
                    raise self.conflict(
                        node, f"{self.source(part)} has {' and '.join(has)}, {_kind(subscript)} is needed"
                    )
        return Shape(tuple(found[letter][1][1].dims[found[letter][1][2]] for letter in output))

    def declare(self, *nodes: Node) -> str:
        """The next step 'declare the shapes', for the names below ``nodes``."""
        names = []
        for node in nodes:
            names += [n.value for n in postorder(node) if n.kind == "name" and n.value in self.symbols]
        names = list(dict.fromkeys(names))[:3]
        if not names:
            return ""
        shown = ", ".join(f"{name}={self._declared(name)}" for name in names)
        return f"It was read with {shown}; declare other shapes: parse(text, {names[0]}=…)."

    def _declared(self, name: str) -> str:
        self.name_sizes()
        dims = [self.sizes.text(d) for d in self.symbols[name].dims]
        quoted = [d if d.isdigit() else f'"{d}"' for d in dims]
        return quoted[0] if len(quoted) == 1 else f"({', '.join(quoted)})"

    def name_sizes(self) -> None:
        """Name the sizes that have no name yet."""
        known = (
            self.sizes.learnt, len(self.symbols), len(self.counts), len(self.definitions), len(self.sizes.named),
        )  # fmt: skip
        if known == self._named:
            return
        self._named = known
        taken = {*self.symbols, *self.counts, *self.definitions}
        self.sizes.name_all([s.dims for s in self.symbols.values()], taken)

    def entries(self, dim: int | Dim, noun: str = "entries") -> str:
        """'n entries', '1 row'."""
        self.name_sizes()
        text = self.sizes.text(dim)
        one = {"entries": "entry", "rows": "row", "columns": "column"}
        return f"{text} {one[noun] if text == '1' else noun}"

    def said(self, node: Node, shape: Shape) -> str:
        """'x is a vector of n entries'."""
        return f"{self.source(node)} is {self.described(shape)}"

    def described(self, shape: Shape) -> str:
        self.name_sizes()
        if shape.parts:
            return "a pair"
        if not shape.dims:
            return "a number"
        if shape.rank == 1:
            kind = ("a row" if shape.row else "a column") if self.matrix else "a vector"
            return f"{kind} of {self.entries(shape.dims[0])}"
        return f"an array {' × '.join(map(self.sizes.text, shape.dims))}"


def broadcast(reading: Reading, node: Node, pairs: list[tuple[Node, Shape]]) -> Shape:
    """The shape of an element-wise operation; matrix notation only broadcasts numbers."""
    result, by = pairs[0][1], pairs[0][0]
    for other_node, other in pairs[1:]:
        if reading.matrix and result.dims and other.dims and (result.rank, result.row) != (other.rank, other.row):
            raise reading.conflict(
                node, f"{reading.source(by)} is {reading.described(result)}, "
                f"{reading.source(other_node)} is {reading.described(other)}",
            )  # fmt: skip
        wide, narrow = (result, other) if result.rank >= other.rank else (other, result)
        lead = wide.rank - narrow.rank
        dims = list(wide.dims)
        for axis, dim in enumerate(narrow.dims):
            mine = reading.sizes.root(dims[lead + axis])
            theirs = reading.sizes.root(dim)
            if mine == 1 and isinstance(mine, int):
                dims[lead + axis] = theirs
            elif not (isinstance(theirs, int) and theirs == 1):
                a, b = (by, other_node) if wide is result else (other_node, by)
                reading.require_same(node, (a, wide, lead + axis), (b, narrow, axis))
        result, by = Shape(tuple(dims), wide.row if wide.dims else False), by if wide is result else other_node
    return Shape(result.dims, result.row)


def noun(shape: Shape, axis: int) -> str:
    """What the entries along an axis are called."""
    axis %= shape.rank
    if shape.rank < 2:
        return "entries"
    return "columns" if axis == shape.rank - 1 else "rows" if axis == shape.rank - 2 else "layers"


def _kind(subscript: str) -> str:
    """What an operand of `Reading.fit` must be."""
    if len(subscript) > 2:
        return f"an array of {len(subscript)} axes"
    if len(subscript) == 2:
        return "a square matrix" if subscript[0] == subscript[1] else "a matrix"
    return f"a vector of {subscript}" if subscript.isdigit() else "a vector" if subscript else "a number"
