"""Numbers, sizes, indices and calls as Python source.

The idea to hold: an expression is text and how tightly it binds. What a library calls things (``np.``, ``axis``) is an
attribute or a small method here, which is where NumPy, PyTorch, JAX and the ASCII form differ.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import Op
from ._layout import Note
from ._layout_lin import selected
from ._signs import ADD, ATOM, BIG, CHAIN, COMPARED, MUL

MATMUL, UNARY = BIG, CHAIN  # a @ b may follow numbers, not arrays: 2*A @ x; what stands beside * or @
LETTERS = "ijklmnopqrstuvwxyzabcdefghABCDEFGHIJKLMNOPQRSTUVWXYZ"
Text = tuple[str, int]


class Selection(NamedTuple):
    """Rows of an identity matrix of a size, or their transpose: the index that takes them."""

    index: Any
    transposed: bool
    size: int


class Symbols(NamedTuple):
    """What is known of symbols by how they are used."""

    sizes: frozenset[str] = frozenset()  # Python's numbers
    truths: frozenset[str] = frozenset()  # arrays of True and False
    numbers: frozenset[str] = frozenset()  # arrays of numbers
    real: bool = True  # nothing in the formula is complex


UNKNOWN = Symbols()
KINDS = {
    "ones": ("{np}ones({n}{dtype})", COMPARED, ATOM),
    "zeros": ("{np}zeros({shape}{dtype})", COMPARED, ATOM),
    "eye": ("{np}eye({n}{dtype})", COMPARED, ATOM),
    "T": ("{0}.T", ATOM, ATOM),
    "inv": ("{np}linalg.inv({0})", COMPARED, ATOM),
    "dot": ("{0} @ {1}", UNARY, MATMUL),
    "inner": ("{np}sum({0}*{1})", UNARY, ATOM),
    "square": ("{np}sum({0}**2)", ATOM, ATOM),
    "trace": ("{np}trace({0})", COMPARED, ATOM),
    "mean": ("{np}mean({0})", COMPARED, ATOM),
    "diag": ("{np}diag({0})", COMPARED, ATOM),
    "diagpart": ("{np}diag({0})", COMPARED, ATOM),
    "full": ("{np}broadcast_to({0}, {shape})", COMPARED, ATOM),
    "kron": ("{np}einsum('ac,bd->abcd', {0}, {1})", COMPARED, ATOM),
    "kronswap": ("{np}einsum('ad,bc->abcd', {0}, {1})", COMPARED, ATOM),
    "vecvec": ("{np}einsum('ab,cd->abcd', {0}, {1})", COMPARED, ATOM),
}
"""Notes that are one expression, how tightly it wants its parts, and how tightly it binds itself."""


class Expressions:
    """The part of a code writer that writes numbers, sizes, indices and calls.

    Attributes
    ----------
    np : what the library's functions are called with
    column : which of a row's expressions is the library's
    helpers : names of the small functions that the source needs
    sizes : the named sizes that occur
    """

    np = "np."
    column = 0
    dtype = ""
    helper_sources: ClassVar[dict[str, str]] = {}

    def __init__(self, rename: dict[str, str] | None = None, like: str = "", known: Symbols = UNKNOWN) -> None:
        self.rename = {} if rename is None else rename
        self.like = like  # the dtype that new arrays take, as source
        self.known = known
        self.helpers: set[str] = set()
        self.sizes: dict[str, int] = {}  # the named sizes in what was written

    def written(self, note: Note) -> Text:
        """An expression and how tightly it binds."""
        if note.kind not in KINDS:
            return getattr(self, "_" + note.kind)(note)
        text, level, own = KINDS[note.kind]
        sizes = {"n": self.size(note.shape[0])} if "{n}" in text else {}
        sizes.update({"shape": self.shape(note.shape)} if "{shape}" in text else {})
        return self.expression(text, *[self.text(p, level) for p in note.parts], dtype=self.dtype, **sizes), own

    def expression(self, text: str, *args: str, **values: str) -> str:
        """An expression of a table with what it is of."""
        return text.format(*args, np=self.np, **values)

    def text(self, note: Note, level: int = COMPARED) -> str:
        """An expression, in parentheses if it binds less tightly than ``level``."""
        return self.fenced(self.written(note), level)

    def fenced(self, text: Text, level: int) -> str:
        """Text, in parentheses if it binds less tightly than ``level``."""
        return text[0] if text[1] >= level else f"({text[0]})"

    def _name(self, note: Note) -> Text:
        name, bracket, at = note.info[0].partition("[")
        return self.rename.get(name, name) + bracket + at, ATOM

    def _number(self, note: Note) -> Text:
        return self.number(note.info)

    def number(self, value: Any) -> Text:
        """A number, exactly."""
        if isinstance(value, Fraction):
            return (str(value), MUL if value.denominator > 1 else UNARY)
        if isinstance(value, float) and not np.isfinite(value):
            text = "nan" if value != value else "inf"
            return (f"float('{text}')" if value != value or value > 0 else f"-float('{text}')"), UNARY
        value = value.item() if isinstance(value, np.generic) else value
        text = str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e16 else repr(value)
        return text, ADD if isinstance(value, complex) else UNARY if text.startswith("-") else ATOM

    def size(self, n: int) -> str:
        """The size of an axis."""
        text = ""
        for product, c in getattr(n, "terms", ()):
            for label, standin in product:
                self.sizes[label] = int(standin)
            names = [self.rename.setdefault(label, label) for label, _ in product]
            word = "*".join(([str(abs(c))] if abs(c) != 1 or not names else []) + names)
            text += f" {'-' if c < 0 else '+'} {word}" if text else f"-{word}" if c < 0 else word
        return text or str(int(n))

    def shape(self, sizes: Any) -> str:
        """Sizes as a tuple."""
        return "(" + ", ".join([self.size(n) for n in sizes]) + ("," if len(sizes) == 1 else "") + ")"

    def new(self, function: str, args: str) -> str:
        """A new array."""
        return f"{self.np}{function}({args})"

    def function(self, name: str, *args: str) -> str:
        """A call of one of the library's functions."""
        return f"{self.np}{name}({', '.join(args)})"

    def parameter(self, value: Any) -> str:
        """A parameter as source."""
        if isinstance(value, np.ndarray):
            return f"np.array({value.tolist()!r}, dtype=np.{value.dtype.name})"
        if isinstance(value, tuple):
            return "(" + ", ".join(map(self.parameter, value)) + ("," if len(value) == 1 else "") + ")"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.parameter, value)) + "]"
        if isinstance(value, float) and not np.isfinite(value):
            return f"float({str(value)!r})"
        if isinstance(value, np.dtype):
            return f"np.dtype({value.name!r})"
        if isinstance(value, Op):
            return f"TABLE[{value.name!r}]"
        return self.size(value) if type(value) is not bool and isinstance(value, int) else repr(value)

    def index(self, value: Any) -> str:
        """An index as source."""
        if isinstance(value, tuple):
            return (
                ", ".join(map(self.index, value)) + ("," if len(value) == 1 and not _is_basic(value[0]) else "") or "()"
            )
        if isinstance(value, list):
            value = np.array(value)
        if isinstance(value, slice):
            ends = ["" if e is None else self.size(e) for e in (value.start, value.stop)]
            return ":".join(ends) + ("" if value.step is None else f":{int(value.step)}")
        return "..." if value is Ellipsis else self.parameter(value)

    def read(self, array: str, index: Any) -> str:
        """What an index takes of an array, whose text brackets may follow."""
        return f"{array}[{self.index(index)}]"

    def at(self, inner: str, shape: Any, index: Any) -> str:
        """Zeros but for an array added at an index, as text."""
        self.helpers.add("_placed")
        return f"_placed({inner}, {self.shape(shape)}, np.s_[{self.index(index)}])"

    def selection(self, note: Note) -> Selection | None:
        """What a matrix takes of what it is multiplied with, if it is rows of an identity or their transpose."""
        matrix = note.parts[0] if note.kind == "T" else note
        index = selected(matrix) if matrix.kind == "linear" else None
        if index is None:
            return None
        return Selection(index, note.kind == "T", matrix.shape[-1])


def _is_basic(k: Any) -> bool:
    return k is None or k is Ellipsis or isinstance(k, (int, slice))
