"""Notes as ASCII text: a Python expression in the names that NumPy and symgrad share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ._code import CodeWriter
from ._expressions import MATMUL, UNARY, Selection, Text
from ._functions import LINEAR, PUBLIC, QUALIFIED
from ._layout import Note, size
from ._layout_lin import selected
from ._numbers import digits
from ._parameters import (
    WRITTEN,
    elu,
    full,
    index_of,
    parameter,
    shown_parameters,
    signature,
    takes_many,
    written_call,
)
from ._signs import ATOM, MUL, POW, Piece
from ._unicode import Writer

_EXPRESSIONS = frozenset({"keep", "gate", "slant", "between", "tied", "masked_fill"})
"""Operations without a function of their name, or with one that makes integers of numbers as they stand here."""


class AsciiWriter(CodeWriter):
    """Writes notes as Python expressions of bare names: ``2*A.T @ (A @ x - b)``, ``softmax(x)``."""

    np = ""

    def function(self, name: str, *args: str) -> str:
        return f"{name.rpartition('.')[2]}({', '.join(args)})"

    def expression(self, text: str, *args: str, **values: str) -> str:
        return super().expression(text.replace("linalg.", ""), *args, **values)

    def new(self, function: str, args: str) -> str:
        return f"{function}({args})"

    def size(self, n: int) -> str:
        return str(getattr(n, "name", None) or int(n))

    def _map(self, note: Note) -> Text:
        op, params = note.info
        if op.name in _EXPRESSIONS or op.symbol:
            return super()._map(note)
        args = [self.text(p) for p in note.parts]
        if op.name == "polygamma_order":
            return op.text.format(*args, *params), ATOM
        if op.name == "elu_alpha":
            label, shown, scale = elu(op, params)
            text = f"{label}({', '.join([*args, *[f'{n}={self.given(n, p)}' for n, p in shown]])})"
            return (text, ATOM) if scale == 1 else (f"{self.number(scale)[0]}*{text}", MUL)
        return self.called(op, args, params, -1)

    def _call(self, note: Note) -> Text:
        op, params, out = note.info
        if op.name in WRITTEN:
            return written_call(note, lambda n: self.text(n), lambda n: self.text(n, ATOM)), ATOM
        rank = max(note.parts[0].rank, note.rank) if note.parts else 0
        text, own = self.called(op, [self.text(p) for p in note.parts], params, rank)
        return (text, own) if out is None else (f"{text}[{out}]", own)

    def called(self, op: Any, args: list[str], params: Any, rank: int) -> Text:
        """A function by its public name; parameters that are not its defaults by theirs."""
        known = tuple(signature(op.label).values())
        needed = {p.name for p in known if p.default is p.empty}
        shown = shown_parameters(op, params, rank)
        if not op.along:  # others must be told the axis of a vector too
            shown = shown_parameters(op, params) if needed & {"dim", "dims"} else shown
        named = [f"{n}={self.given(n, p)}".lstrip("=") for n, p in shown]
        if op.variadic and not takes_many(op):
            args = ["[" + ", ".join(args) + "]"]
        elif {*op.inputs[1:]} <= {p.name for p in known} and op.places:  # scatter(x, dim, index, src)
            named += [f"{name}={arg}" for name, arg in zip(op.inputs[1:], args[1:])]
            order = [p.name for p in known]
            named.sort(key=lambda text: order.index(text.partition("=")[0]))
            args = args[:1]
        return f"{QUALIFIED.get(op.label, op.label)}({', '.join([*args, *named])})", ATOM

    def given(self, name: str, value: Any) -> str:
        """A parameter's value; an array as one, which functions take where indexing takes a list."""
        if name == "index" and isinstance(value, tuple) and len(value) > 1:
            return f"s_[{parameter(name, value)}]"
        if name == "indices" and isinstance(value, tuple):
            return "(" + ", ".join([self.given("", v) for v in value]) + ("," if len(value) == 1 else "") + ")"
        return f"array({parameter(name, value)})" if isinstance(value, np.ndarray) else parameter(name, value)

    def filled(self, text: str, op: Any, args: list[str], params: Any) -> Text:
        reverse = " reverse" if text == LINEAR["cumsum reverse"][0] else ""
        return super().filled(PUBLIC.get(op.name + reverse, text).replace("np.", ""), op, args, params)

    def unknown(self, op: Any, args: list[str], params: Any) -> Text:
        return self.called(op, args, params, -1)

    def selection(self, note: Note) -> Selection | None:
        return None  # rows of an identity are short, and need no function of their own

    def adjoint(self, term: Any, inner: str) -> Text:
        operation = f"lambda x: {self.applied(term)}"
        at = f"zeros({self.shape(term.in_shape)})"
        return f"autograd.functional.vjp({operation}, {at}, tensor({inner}))[1]", ATOM

    def scattered(self, inner: Text, term: Any, index: Any) -> Text:
        shape = term.in_shape
        if len(shape) == 1 and term.out_rank == 1:
            rows = f"eye({self.size(shape[0])})[{self.index(index)}]"
            return f"{rows}.T @ {self.fenced(inner, UNARY)}", MATMUL
        unit = f"reshape(eye({'*'.join(map(self.size, shape))}), {self.shape(shape + shape)})"
        return f"tensordot({inner[0]}, {unit}[{self.index(full(index, len(shape)))}], {term.out_rank})", ATOM

    def index(self, value: Any) -> str:
        return parameter("index", value)

    def _linear(self, note: Note) -> Text:
        term, index = note.info, selected(note)
        if index is not None:
            return f"eye({self.size(term.in_shape[0])})[{self.index((index,))}]", ATOM
        if len(term.in_shape) == 1 and index_of(term.op, term.params) is not None:
            eye = Note("eye", (), None, term.in_shape * 2)
            return self._lin(Note("lin", (eye,), (term, False), note.shape))
        at = f"zeros({self.shape(term.in_shape)})"
        return f"autograd.functional.jacobian(lambda x: {self.applied(term)}, {at})", ATOM

    def derivative(self, text: str, variable: str, at: str) -> str:
        return f"autograd.functional.jacobian(lambda {variable}: {text}, tensor({at}))"


class PlainWriter(Writer):
    """Writes entries in ASCII."""

    minus, had, kron, dot, top, delta, one = "-", "*", " kron ", "*", ".T", "eye", "1"
    entrywise = ""
    before_sum = "*"
    functions: ClassVar[dict[str, str]] = {}
    marks: ClassVar[dict[str, str]] = {
        **Writer.marks, "norm": "norm({})", "norm1": "norm({}, 1)", "norm∞": "norm({}, inf)", "bars": "abs({})",
        "floor": "floor({})", "inner": "sum({}*{})", "partial": "d {}/d {}",
    }  # fmt: skip
    relations: ClassVar[dict[str, str]] = {
        "=": "==", "≠": "!=", "≤": "<=", "≥": ">=", "∧": "and", "∨": "or", "⊕": "xor",
    }  # fmt: skip
    constants: ClassVar[dict[str, str]] = {
        "pi": "pi", "sqrt2": "sqrt(2)", "sqrtpi": "sqrt(pi)", "sqrt2overpi": "sqrt(2/pi)", "sqrt2pi": "sqrt(2*pi)",
        "ln2": "log(2)", "ln10": "log(10)", "pi2": "pi**2", "ln2pi": "log(2*pi)", "sqrt3": "sqrt(3)",
    }  # fmt: skip

    def symbol(self, text: str) -> str:
        return text

    def function(self, note: Note, args: list[Piece]) -> Piece:
        op, params = note.info
        if op.text and not op.text.isascii():  # a slope that is written with letters
            return self.call(op.label, [*[a.text for a in args], *self.named(shown_parameters(op, params))])
        return super().function(note, args)

    def _lettered(self, op: Any, params: Any, args: list[Piece]) -> Piece | None:
        return None

    def label(self, op: Any) -> str:
        found = super().label(op)
        return found if found.isascii() else op.label

    def figures(self, value: Any) -> str:
        return value if isinstance(value, str) else str(digits(value))

    def zero_array(self, note: Note) -> Piece:
        return Piece(f"zeros({parameter('', note.shape)})")

    def _ones(self, note: Note) -> Piece:
        return Piece(f"ones({self.piece(size(note.shape[0])).text})") if note.shape else Piece("1")

    def identity(self, n: int) -> Piece:
        return self.call("eye", [self.piece(size(n)).text])

    def gap(self, before: Piece, after: Piece) -> str:
        return "*"

    def raised(self, base: Piece, exponent: str) -> Piece:
        exponent = exponent if exponent.isalnum() else self.parenthesis(exponent)
        return Piece(f"{self.fenced(base, ATOM).text}**{exponent}", POW)

    def root(self, base: Piece) -> Piece:
        return Piece(f"sqrt({base.text})")

    def inverse(self, base: Piece, transposed: bool) -> Piece:
        return Piece(f"inv({base.text}{'.T' if transposed else ''})")

    def big_sum(self, letters: list[str]) -> str:
        return f"sum_{{{','.join(letters)}}} "

    def raised_to(self, base: Piece, exponent: Piece, mark: str = "") -> Piece:
        return self.raised(base, mark + exponent.text)
