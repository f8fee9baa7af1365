"""The shapes of a text's parts, sizes that are not known yet, and the values that a text is computed with."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .._limits import bound
from .._tensor import dim as named_size
from .._tensor import symbol
from .._trees import postorder
from ..calculus import scalar
from ..core import Dim, Tensor, modes
from ..ops import FUNCTIONS
from ..syntax import Node, ParseError, SumRange, shortened
from ..terms import number

# ----------------------------------------- Sizes that are not known yet, and what follows about them from one another

# The idea to hold: an `UnknownSize` is an unknown plus a number, ``x[1:]`` being one entry shorter than ``x``;
# `Sizes.same` makes two equal, by union-find with offsets. What is declared keeps its name, what is not gets one
# (`Sizes.name_all`).


class Unknown:
    """A size: its ``value`` or ``name`` if it has one; ``above`` its representative, which is it less ``offset``."""

    __slots__ = ("above", "factors", "name", "offset", "opaque", "provisional", "shift", "value")

    def __init__(self, name: str | None = None) -> None:
        self.above: Unknown | None = None
        self.offset = 0
        self.name = name
        self.opaque = False
        self.provisional: str | None = None  # the name given to this size plus `shift`
        self.shift = 0
        self.value: int | None = None
        self.factors: tuple[int | UnknownSize, ...] = ()  # whose product it is


@dataclass(frozen=True, slots=True, eq=False)
class UnknownSize:
    """``unknown + offset`` entries."""

    unknown: Unknown
    offset: int = 0


class Sizes:
    """The sizes of one text: which have names, and which are equal."""

    def __init__(self) -> None:
        self.named: dict[str, UnknownSize] = {}
        self.declared: set[str] = set()
        self.given: dict[str, Any] = {}  # sizes that came with symbols, by name
        self.learnt = 0  # how often something new was said of a size

    def fresh(self) -> UnknownSize:
        """A size about which nothing is known."""
        return UnknownSize(Unknown())

    def opaque(self) -> UnknownSize:
        """A size that follows from others in no way that is known here."""
        dim = self.fresh()
        dim.unknown.opaque = True
        return dim

    def called(self, name: str) -> UnknownSize:
        """The size with a declared name."""
        if name not in self.named:
            self.named[name] = UnknownSize(Unknown(name))
        return self.named[name]

    def of_symbol(self, size: Any) -> int | UnknownSize:
        """A size of a symbol: a number, or a named one and perhaps a number more."""
        if type(size) is not Dim:
            return int(size)
        offset = dict(size.terms).get((), 0)
        rest: Any = size - offset
        self.given[rest.name] = rest
        self.declared.add(rest.name)
        return self.plus(self.called(rest.name), offset)

    def plus(self, dim: int | UnknownSize, more: int) -> int | UnknownSize:
        """A size changed by a number."""
        if isinstance(dim, int):
            return dim + more
        root = self.root(dim)
        return UnknownSize(root.unknown, root.offset + more) if isinstance(root, UnknownSize) else root + more

    def times(self, *dims: int | UnknownSize) -> int | UnknownSize:
        """The product of sizes; an unknown of its own unless it is plain."""
        roots = [d for d in map(self.root, dims) if not (isinstance(d, int) and d == 1)]
        numbers = [d for d in roots if isinstance(d, int)]
        if len(numbers) == len(roots):
            return prod(numbers)
        if len(roots) == 1:
            return roots[0]
        product = self.opaque()
        product.unknown.factors = tuple(roots)
        return product

    def root(self, dim: int | UnknownSize) -> int | UnknownSize:
        """The representative of a size: a number where it is known."""
        if isinstance(dim, int):
            return dim
        unknown, offset = dim.unknown, dim.offset
        path = []
        while unknown.above is not None:
            path.append((unknown, offset))
            offset += unknown.offset
            unknown = unknown.above
        for passed, before in path:  # so that the next search is short
            passed.above, passed.offset = unknown, offset - before
        return unknown.value + offset if unknown.value is not None else UnknownSize(unknown, offset)

    def same(self, a: int | UnknownSize, b: int | UnknownSize) -> bool:
        """Make two sizes equal; False if they cannot be."""
        a, b = self.root(a), self.root(b)
        self.learnt += 1
        if isinstance(a, int) or isinstance(b, int):
            if isinstance(a, int) and isinstance(b, int):
                return a == b
            known, open_ = (a, b) if isinstance(a, int) else (b, a)
            assert isinstance(known, int) and isinstance(open_, UnknownSize)
            value = known - open_.offset
            if value < 0:
                return False
            open_.unknown.value = value
            return True
        if a.unknown is b.unknown:
            return a.offset == b.offset
        if a.unknown.name is not None and b.unknown.name is not None:
            return False
        both = a.unknown.factors, b.unknown.factors
        if len(both[0]) == len(both[1]) > 1:  # of kron(A, B), which is square where A and B are
            return all(map(self.same, *both))
        if a.unknown.name is not None or (b.unknown.name is None and b.unknown.opaque < a.unknown.opaque):
            a, b = b, a  # a name outlives what has none
        a.unknown.above, a.unknown.offset = b.unknown, b.offset - a.offset
        b.unknown.opaque = b.unknown.opaque or a.unknown.opaque
        b.unknown.factors = b.unknown.factors or (() if a.offset or b.offset else a.unknown.factors)
        return True

    def agree(self, a: int | UnknownSize, b: int | UnknownSize) -> bool | None:
        """Whether two sizes are equal; None if that is not known: different names are different sizes."""
        a, b = self.root(a), self.root(b)
        if isinstance(a, int) or isinstance(b, int):
            return a == b if isinstance(a, int) and isinstance(b, int) else None
        if a.unknown is b.unknown:
            return a.offset == b.offset
        return None if a.unknown.name is None or b.unknown.name is None else False

    def text(self, dim: int | UnknownSize) -> str:
        """A size in a message: 3, n, n − 1."""
        dim = self.root(dim)
        if isinstance(dim, int):
            return str(dim)
        name, more = self.in_words(dim)
        return f"{name or '?'} {'+' if more > 0 else '−'} {abs(more)}" if more else name or "?"

    def in_words(self, dim: UnknownSize) -> tuple[str | None, int]:
        """The name that a size has, and by how much it is larger than what is named."""
        unknown = dim.unknown
        return (unknown.name, dim.offset) if unknown.name else (unknown.provisional, dim.offset - unknown.shift)

    def name_all(self, shapes: Iterable[tuple[int | UnknownSize, ...]], taken: set[str]) -> None:
        """Give every unknown size of ``shapes`` a name, in order: m and n for the first matrix, n for a vector."""
        shapes = sorted(shapes, key=lambda dims: len(dims) != 2)
        unnamed: dict[Unknown, UnknownSize] = {}
        for dims in shapes:
            for dim in map(self.root, dims):
                if isinstance(dim, UnknownSize) and dim.unknown.name is None:
                    unnamed.setdefault(dim.unknown, dim)
        first = [self.root(d) for d in shapes[0]] if shapes else []
        two = (
            len(first) == 2
            and len({d.unknown for d in first if isinstance(d, UnknownSize) and d.unknown in unnamed}) == 2
        )
        names = (name for name in _names(two) if name not in taken and name not in self.named)
        for unknown, dim in unnamed.items():
            unknown.provisional, unknown.shift = next(names), dim.offset


def _names(two: bool) -> Iterable[str]:
    yield from "mnklpqrdsh" if two else "nmklpqrdsh"
    for n in range(1, 10**6):
        yield f"n{n}"


# ------------------------------------------ The shapes of a text's parts, and what is known while they are worked out

# The idea to hold: a shape is a tuple of sizes, known or not; what an operator or a function demands of its operands
# makes unknown sizes equal, and what cannot be equal is an error at that place. In matrix notation a vector is a column
# until it is transposed, which is all that ``row`` remembers.


Evaluate = Callable[..., Any]
At = tuple[tuple[str, int | UnknownSize], ...]
"""Letters, and the sizes of what they run over."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of an array, whether it is a row of matrix notation, and its value if it is a written number.

    An entry has the letters ``at`` which it stands; in ``bound`` are those that were summed over inside.
    """

    dims: tuple[int | UnknownSize, ...] = ()
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


WorkedOut = tuple[Shape, Evaluate]
"""The shape of a part, and what computes its value from those of its operands."""

SIGMA = ("Σ", "Sigma")
"""How the names of matrices of covariances begin."""


def is_covariance(reading: Reading, name: str, shape: Shape) -> bool:
    """Whether an undeclared letter is Σ, a square matrix: everybody's is symmetric."""
    return may_be_covariance(reading, name, shape) and reading.sizes.agree(*shape.dims) is True


def may_be_covariance(reading: Reading, name: Any, shape: Shape) -> bool:
    """Whether an undeclared letter is Σ, a matrix: of it ``|Σ|`` is the determinant."""
    return (
        str(name).startswith(SIGMA)
        and name in reading.undeclared
        and shape.rank == 2
        and reading.sizes.agree(*shape.dims) is not False
    )


def is_no_number(node: Node, shape: Shape) -> bool:
    """Whether a part is a text, a truth, or None."""
    return isinstance(shape.number, (str, bool)) or (node.kind == "number" and node.value is None)


def call_in(text: str, name: str, inside: str) -> str:
    """A call as it is written in a text's notation."""
    shown = name.replace("_", r"\_")
    return rf"\operatorname{{{shown}}}({inside})" if "\\" in text else f"{name}({inside})"


def begins_with_number(node: Node) -> bool:
    """Whether it is a sum that begins with a written number, ``1 − x``."""
    first = node
    while first.is_binary("+", "-"):
        first = first.children[0]
    return first is not node and first.kind == "number"


def names_in(*nodes: Node) -> list[str]:
    """The names that stand in parts."""
    return [n.value for n in postorder(*nodes) if n.kind == "name"]


Axis = tuple[Node, Shape, int]
"""An axis of an operand."""


@dataclass(slots=True)
class NodeStep:
    """``run`` of the values of the nodes ``operands`` is the value of ``node``."""

    node: Node
    run: Evaluate
    operands: tuple[Node, ...]


TEXT_ENTRIES = bound(10**7)
"""Entries of one array that a text asks for."""


class LanguageMarks(NamedTuple):
    """Whose signs a text has, where the same words mean something else in each language.

    Attributes
    ----------
    matlab : ``.*``, ``./``, ``.^`` or ``'``, and none of the others': sums may be of columns, and 1 is the first place
    julia : ``log.(x)``, ``.+``, ``sum(abs2, x)``: 1 is the first place
    r : ``%*%``: so it is
    """

    matlab: bool = False
    julia: bool = False
    r: bool = False


@dataclass(slots=True)
class Reading:
    """What is known while the shapes of a text are worked out."""

    text: str
    matrix: bool
    symbols: dict[str, Shape]  # in the order of the text
    counts: dict[str, UnknownSize]  # names of sizes that the text uses as numbers
    definitions: dict[str, Node]
    sizes: Sizes
    rank: int = 0  # how many axes the result shall have, if that was said
    dets: frozenset[int] = frozenset()  # where bars are read as a determinant
    raised: frozenset[int] = frozenset()  # where they are so of a matrix: |Σ|^{1/2}
    places: dict[str, Node] = field(default_factory=dict)  # where each symbol stands first
    shapes: dict[int, Shape] = field(default_factory=dict)
    steps: dict[int, NodeStep] = field(default_factory=dict)  # by the node, in order
    stars: list[Node] = field(default_factory=list)  # where * joins arrays
    inverts: bool = False  # whether ^-1 inverts a matrix, as where * is the product of matrices
    bars: list[tuple[Node, Shape]] = field(default_factory=list)  # |X| of matrices
    unlike_square: list[tuple[Node, Shape, str, str]] = field(default_factory=list)  # what is said if it is square
    paper: bool = False  # whether signs are those of paper
    is_settled: bool = True  # whether the signs say which product ``*`` is
    is_numpy: bool = False  # whether they are NumPy's
    marks: LanguageMarks = field(default_factory=LanguageMarks)  # whose they are besides
    totals: set[int] = field(default_factory=set)  # calls, by identity, of which the same function is taken once more
    undeclared: set[str] = field(default_factory=set)  # the names whose shapes were found
    properties: dict[str, dict[str, bool]] = field(default_factory=dict)  # of names that the text says are such
    bold: bool = False  # whether vectors are bold, so that |v| is a length and v² the product of v with itself
    taken: set[str] = field(default_factory=set)  # what is taken for granted, in words
    families: set[str] = field(default_factory=set)  # names of which an index says which vector is meant
    square: set[int] = field(default_factory=set)  # parts, by identity, that only a square matrix can be
    printed: bool = False  # whether all signs are those that symgrad prints
    around: dict[int, set[str]] = field(default_factory=dict)  # the letters summed over around a node
    ranges: dict[int, SumRange] = field(default_factory=dict)  # of sums, by where they begin
    values: dict[str, Any] = field(default_factory=dict)  # of the symbols, once they are made
    lengths: dict[str, int] = field(default_factory=dict)  # that stand for sizes, by name; not those that were given
    _named: tuple[int, ...] = ()  # what was known when the sizes were named

    def length(self, node: Node, dim: int | UnknownSize) -> Any:
        """A size as symbols have it: a number, or a named size."""
        dim = self.sizes.root(dim)
        if isinstance(dim, int):
            return dim
        self.name_sizes()
        if dim.unknown.factors and dim.unknown.name is None:  # of kron(A, B)
            return prod((self.length(node, d) for d in dim.unknown.factors), start=1) + dim.offset
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

    def count(self, node: Node, dim: int | UnknownSize) -> Any:
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
        if prod(map(int, sizes)) > TEXT_ENTRIES:
            name = f"{node.value[0]}: " if node.kind == "call" else ""
            raise self.problem(node, f"{name}more than {TEXT_ENTRIES:,} entries")

    def require_place(self, node: Node, dim: int | UnknownSize, place: int) -> None:
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
        names = list(dict.fromkeys([name for name in names_in(*nodes) if name in self.symbols]))[:3]
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

    def entries(self, dim: int | UnknownSize, noun: str = "entries") -> str:
        """'n entries', '1 row'."""
        self.name_sizes()
        text = self.sizes.text(dim)
        return f"{text} {noun if text != '1' else 'entry' if noun == 'entries' else noun[:-1]}"

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


# ---------------------------------- The values that a text is computed with: written numbers, kept exact, and tensors


CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
"""Names that are numbers unless declared otherwise."""


def lift(value: Any) -> Any:
    """A value to compute with: fractions as floats, conditions as 0 and 1."""
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        return _rounded(value)
    return value * 1.0 if isinstance(value, Tensor) and value.dtype == bool else value


def _rounded(value: int | Fraction) -> int | float:
    """A written number as it is computed with; what is another number in a formula is noted while a claim is proved."""
    numerals = modes.numerals.get()
    if numerals is not None and numerals.exactly and scalar(float(value)) is not number(value):
        numerals.rounded.append(f"a number of the text is computed with as {float(value)!r}")
    return float(value) if isinstance(value, Fraction) else value


def as_numbers(value: Any) -> Any:
    return as_tensor(lift(value))


def as_tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else FUNCTIONS["tensor"](np.array(float(value)))


def as_truth(value: Any) -> Any:
    """A condition that a function is given: of numbers, where they are not 0."""
    value = as_tensor(value)
    return value if value.dtype == bool else FUNCTIONS["ne"](value, 0)


def exact_product(x: Any, y: Any) -> Any:
    """A product; a fraction is kept exact as two operations, p·x/q."""
    if isinstance(y, Fraction):
        x, y = y, x
    if isinstance(x, Fraction):
        return (_rounded(x.numerator) * y if x.numerator != 1 else y) / _rounded(x.denominator)
    return x * y


def ones(*sizes: Any) -> Any:
    """An array of ones that knows its named sizes: a constant of symgrad would have the lengths that stand in."""
    if not any(type(size) is Dim for size in sizes):
        return FUNCTIONS["ones"](*sizes)
    # of other sizes another symbol: two formulas that are compared may have both
    name = "_".join(["any", *[getattr(size, "name", None) or str(size) for size in sizes]])
    return symbol(re.sub(r"\W", "_", name), sizes) ** 0


def identity(size: Any) -> Any:
    """An identity matrix, see `ones`."""
    return FUNCTIONS["diag"](ones(size)) if type(size) is Dim else FUNCTIONS["eye"](size)
