"""Notes as Python source: NumPy, PyTorch, JAX, and the ASCII form that `str` may use.

The idea to hold: every note is an array of known shape, so each kind has one expression that gives exactly that array.
``*``, ``/`` and ``@`` bind alike, so that a product inside another one is in parentheses; a diagonal matrix is never
built where scaling rows or columns does.
"""

from __future__ import annotations

import keyword
import re
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._errors import FormulaError
from ..core import TABLE, Op
from ._code_products import ADD, ATOM, COMPARED, MATMUL, MUL, UNARY, Products, Selection, Text
from ._functions import CALLS, COMPARE, ELEMENTWISE, FOR_ALL, GETITEMS, LINEAR, RESHAPES, SAME, TRANSPOSES
from ._layout import Note
from ._layout_lin import selected
from ._parameters import trimmed


class Symbols(NamedTuple):
    """What is known of symbols by how they are used."""

    sizes: frozenset[str] = frozenset()  # Python's numbers
    truths: frozenset[str] = frozenset()  # arrays of True and False
    numbers: frozenset[str] = frozenset()  # arrays of numbers


UNKNOWN = Symbols()


class CodeWriter(Products):
    """Writes notes as expressions of a library.

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

    def _name(self, note: Note) -> Text:
        return self.rename.get(note.info[0], note.info[0]), ATOM

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

    def _data(self, note: Note) -> Text:
        return self.new("array", repr(note.info.value.tolist())), ATOM

    def _ones(self, note: Note) -> Text:
        return self.new("ones", self.size(note.shape[0])), ATOM

    def _zeros(self, note: Note) -> Text:
        return self.new("zeros", self.shape(note.shape)), ATOM

    def _eye(self, note: Note) -> Text:
        return self.new("eye", self.size(note.shape[0])), ATOM

    def _T(self, note: Note) -> Text:
        return f"{self.text(note.parts[0], ATOM)}.T", ATOM

    def _inv(self, note: Note) -> Text:
        return self.function("linalg.inv", self.text(note.parts[0])), ATOM

    def function(self, name: str, *args: str) -> str:
        """A call of one of the library's functions."""
        return f"{self.np}{name}({', '.join(args)})"

    # ---- functions

    def _iverson(self, note: Note) -> Text:
        return self.indicator(self.text(note.parts[0])), ATOM

    def indicator(self, truth: str) -> str:
        """1 where it is true, else 0."""
        return self.function("where", truth, "1.0", "0.0")

    def _map(self, note: Note) -> Text:
        op, params = note.info
        written = [self.written(p) for p in note.parts]
        args = [self.fenced(w, MATMUL if op.name in COMPARE else COMPARED) for w in written]
        if op.name in COMPARE:
            return f"{args[0]} {COMPARE[op.name]} {args[1]}", COMPARED
        if op.name in SAME:
            return self.function(op.name, *args), ATOM
        row = ELEMENTWISE.get(op.name)
        text = FOR_ALL.get(op.name) if row is None else row[self.column]
        if text is None:
            return self.unknown(op, args, params)
        for k, (_, own) in enumerate(written):
            if own == ATOM:  # the table's own parentheses around an operand, not those of a call
                text = re.sub(rf"(?<!\w)\(\{{{k}\}}\)", f"{{{k}}}", text)
        return self.filled(text, op, args, params)

    def filled(self, text: str, op: Any, args: list[str], params: Any) -> Text:
        """An expression of a table with its operands and parameters."""
        values = {
            n: self.parameter(p[0] if n == "dim" and isinstance(p, tuple) and len(p) == 1 else p)
            for n, p in zip(op.params, params)
        }
        out = text.format(*args, np=self.np, args=", ".join(args), **values)
        whole = re.fullmatch(r"-?[\w.]+\(.*\)", text) is not None and not text.startswith("-")
        return out, ATOM if whole or (text == "{0}" and out.isidentifier()) else COMPARED

    def unknown(self, op: Any, args: list[str], params: Any) -> Text:
        """An operation that the library does not have: symgrad's own."""
        if op.name not in TABLE:
            raise FormulaError(
                f"there is no source code for {op.label!r}", "It is a function of yours, known here by its values.",
                "Call the formula, or write the function in operations of the library.",
            )  # fmt: skip
        values = [self.parameter(p) for p in params]
        operands = [f"({', '.join(args)},)"] if op.variadic else args
        return f"TABLE[{op.name!r}].forward({', '.join([*operands, *values])})", ATOM

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

    def _call(self, note: Note) -> Text:
        op, params, out = note.info
        args = [self.text(p) for p in note.parts]
        row = CALLS.get(op.name)
        plain = row is not None and not (op.name == "solve_vector" and note.parts[0].rank > 2)
        if plain and row is not None and not dict(zip(op.params, params)).get("upper"):
            text, own = self.filled(row[self.column], op, args, params)
        else:
            text, own = self.unknown(op, args, params)
        return (text, own) if out is None else (f"{text}[{out}]", ATOM)

    # ---- linear operations

    def _lin(self, note: Note) -> Text:
        term, adjoint = note.info
        op, params = term.op, dict(zip(term.op.params, term.params))
        inner = self.text(note.parts[0])
        if op.name in GETITEMS:
            if adjoint:
                return self.scattered(self.written(note.parts[0]), term, params["index"])
            return f"{self.text(note.parts[0], ATOM)}[{self.index(params['index'])}]", ATOM
        if op.name in RESHAPES:
            return f"{self.text(note.parts[0], ATOM)}.reshape({self.shape(note.shape)})", ATOM
        if op.name == "roll" and adjoint:
            shifts = params["shifts"]
            back = tuple([-s for s in shifts]) if isinstance(shifts, tuple) else -shifts
            return self.filled(LINEAR["roll"][self.column], op, [inner], (back, *term.params[1:]))
        key = f"{op.name} reverse" if params.get("reverse") else op.name
        row = (TRANSPOSES if adjoint else LINEAR).get(key)
        if row is not None:
            return self.filled(row[self.column], op, [inner], term.params)
        return self.adjoint(term, inner) if adjoint else self.unknown(op, [inner], term.params)

    def scattered(self, inner: Text, term: Any, index: Any) -> Text:
        """Zeros but for an array added at an index."""
        return self.at(inner[0], term.in_shape, self.index(index)), ATOM

    def at(self, inner: str, shape: Any, index: str) -> str:
        """Zeros but for an array added at an index, as text."""
        self.helpers.add("_placed")
        return f"_placed({inner}, {self.shape(shape)}, np.s_[{index}])"

    def applied(self, term: Any) -> str:
        """A linear operation on x."""
        operand = Note("lin", (Note("name", (), ("x", False), term.in_shape),), (term, False), term.out_shape)
        applied, self.rename = self.rename, {}
        text = self.text(operand)
        self.rename = applied
        return text

    def _index(self, note: Note) -> Text:
        entries = [np.array(e) if isinstance(e, list) else e for e in trimmed(note.info)]
        return f"{self.text(note.parts[0], ATOM)}[{self.index(tuple(entries))}]", ATOM

    def selection(self, note: Note) -> Selection | None:
        """What a matrix takes of what it is multiplied with, if it is rows of an identity or their transpose."""
        matrix = note.parts[0] if note.kind == "T" else note
        index = selected(matrix) if matrix.kind == "linear" else None
        if index is None:
            return None
        text = self.index((np.array(index) if isinstance(index, list) else index,))
        return Selection(text, note.kind == "T", matrix.shape[-1])

    def adjoint(self, term: Any, inner: str) -> Text:
        """The transpose of a linear operation that has no name: symgrad's own."""
        self.helpers.add("_transposed")
        return (
            f"_transposed({term.op.name!r}, {self.parameter(term.params)}, {inner}, {self.shape(term.in_shape)})",
            ATOM,
        )

    def _linear(self, note: Note) -> Text:
        term, index = note.info, selected(note)
        if index is not None:
            text = self.index((np.array(index) if isinstance(index, list) else index,))
            if note.rank == 1:
                return self.at(self.new("ones", "()"), term.in_shape, text), ATOM
            return f"{self.new('eye', self.size(term.in_shape[0]))}[{text}]", ATOM
        self.helpers.add("_array_of")
        return f"_array_of(lambda x: {self.applied(term)}, {self.shape(term.in_shape)}{self.dtype})", ATOM

    def index(self, value: Any) -> str:
        """An index as source."""
        if isinstance(value, tuple):
            return (
                ", ".join(map(self.index, value)) + ("," if len(value) == 1 and not _is_basic(value[0]) else "") or "()"
            )
        if isinstance(value, slice):
            ends = ["" if e is None else self.size(e) for e in (value.start, value.stop)]
            return ":".join(ends) + ("" if value.step is None else f":{int(value.step)}")
        return "..." if value is Ellipsis else self.parameter(value)

    def helper(self, name: str) -> str:
        """The source of a small function that expressions use."""
        return self.helper_sources[name]

    def _jac(self, note: Note) -> Text:
        """An unknown derivative is left to the library: that of the call as a function of one operand."""
        (call,) = note.parts
        operand = call.parts[note.info]
        variable = Note("name", (), ("_", False), operand.shape)
        parts = tuple([variable if k == note.info else p for k, p in enumerate(call.parts)])
        return self.derivative(self.text(call._replace(parts=parts)), "_", self.text(operand)), ATOM

    def derivative(self, text: str, variable: str, at: str) -> str:
        """The Jacobian of an expression in a variable."""
        raise NotImplementedError


def _is_basic(k: Any) -> bool:
    return k is None or k is Ellipsis or isinstance(k, (int, slice))


def identifier(text: str, taken: set[str]) -> str:
    """A Python name like a symbol's."""
    clean = re.sub(r"\W", "_", text) or "_"
    clean = f"_{clean}" if clean[0].isdigit() else clean
    while keyword.iskeyword(clean) or clean in taken:
        clean += "_"
    return clean
