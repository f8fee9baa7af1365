"""Notes as Python source: NumPy, PyTorch, JAX, and the ASCII form that `str` may use.

The idea to hold: every note is an array of known shape, so each kind has one expression that gives exactly that array.
``*``, ``/`` and ``@`` bind alike, so that a product inside another one is in parentheses; a diagonal matrix is never
built where scaling rows or columns does.
"""

from __future__ import annotations

import keyword
import re
from typing import Any

from .._errors import FormulaError
from ..core import TABLE
from ._code_products import Products
from ._expressions import MATMUL, Text
from ._functions import CALLS, COMPARE, FOR_ALL, LINEAR, SAME, elementwise
from ._layout import Note
from ._layout_lin import selected, written
from ._parameters import index_of, trimmed, written_call
from ._signs import ATOM, COMPARED


class CodeWriter(Products):
    """Writes notes as expressions of a library."""

    def _data(self, note: Note) -> Text:
        return self.new("array", repr(note.info.value.tolist())), ATOM

    def _table(self, note: Note) -> Text:
        return self.new("array", self.listed(note)), ATOM

    def listed(self, note: Note) -> str:
        """A table as nested lists."""
        return f"[{', '.join(map(self.listed, note.parts))}]" if note.kind == "table" else self.text(note)

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
        row = elementwise(op, params if self.known.real else ())
        text = FOR_ALL.get(op.name) if row is None else row[self.column]
        if not text:
            return self.unknown(op, args, params)
        for k, (_, own) in enumerate(written):
            if own == ATOM:  # the table's own parentheses around an operand, not those of a call
                text = re.sub(rf"(?<!\w)\(\{{{k}\}}\)", f"{{{k}}}", text)
        return self.filled(text, op, args, params)

    def filled(self, text: str, op: Any, args: list[str], params: Any) -> Text:
        """An expression of a table with its operands and parameters."""
        values = {
            n: self.parameter(p[0] if n == "dim" and isinstance(p, tuple) and len(p) == 1 else p)
            for n, p in op.named(params)
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

    def _call(self, note: Note) -> Text:
        op, params, out = note.info
        args = [self.whole(p) if k in op.places else self.text(p) for k, p in enumerate(note.parts)]
        if op.name == "index":
            return written_call(note, self.whole, lambda n: self.text(n, ATOM)), ATOM
        row = CALLS.get(op.name)
        plain = row is not None and not (op.name == "solve_vector" and note.parts[0].rank > 2)
        flags = dict(op.named(params))
        if plain and row is not None and not flags.get("upper") and not flags.get("descending"):
            text, own = self.filled(row[self.column], op, args, params)
        else:
            text, own = self.unknown(op, args, params)
        return (text, own) if out is None else (f"{text}[{out}]", ATOM)

    def whole(self, note: Note) -> str:
        """An array of places: whole numbers, where formulas compute with floats."""
        if note.kind == "data" or (note.kind == "call" and note.info[0].kind == "constant"):
            return self.text(note)
        return f"{self.np}asarray({self.text(note)}).astype(int)"

    # ---- linear operations

    def _lin(self, note: Note) -> Text:
        term, adjoint = note.info
        op, params, index = term.op, term.params, index_of(term.op, term.params)
        inner = self.text(note.parts[0])
        if index is not None:
            if adjoint:
                return self.scattered(self.written(note.parts[0]), term, index)
            return self.read(self.text(note.parts[0], ATOM), index), ATOM
        if op.reshapes:
            return f"{self.text(note.parts[0], ATOM)}.reshape({self.shape(note.shape)})", ATOM
        name, params, adjoint = written(op, params, adjoint)
        row = LINEAR.get(name)
        if row is not None and not adjoint:
            return self.filled(row[self.column], op, [inner], params)
        return self.adjoint(term, inner) if adjoint else self.unknown(op, [inner], params)

    def scattered(self, inner: Text, term: Any, index: Any) -> Text:
        """Zeros but for an array added at an index."""
        return self.at(inner[0], term.in_shape, index), ATOM

    def applied(self, term: Any) -> str:
        """A linear operation on x."""
        operand = Note("lin", (Note("name", (), ("x", False), term.in_shape),), (term, False), term.out_shape)
        applied, self.rename = self.rename, {}
        text = self.text(operand)
        self.rename = applied
        return text

    def _index(self, note: Note) -> Text:
        return self.read(self.text(note.parts[0], ATOM), tuple(trimmed(note.info))), ATOM

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
            if note.rank == 1:
                return self.at(self.new("ones", "()"), term.in_shape, (index,)), ATOM
            return self.read(self.new("eye", self.size(term.in_shape[0])), (index,)), ATOM
        self.helpers.add("_array_of")
        return f"_array_of(lambda x: {self.applied(term)}, {self.shape(term.in_shape)}{self.dtype})", ATOM

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


def identifier(text: str, taken: set[str]) -> str:
    """A Python name like a symbol's."""
    clean = re.sub(r"\W", "_", text) or "_"
    clean = f"_{clean}" if clean[0].isdigit() else clean
    while keyword.iskeyword(clean) or clean in taken:
        clean += "_"
    return clean
