"""A formula and its definitions as Unicode or ASCII text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

import numpy as np

from .. import _limits
from .code import MATMUL, UNARY, CodeWriter, Selection, Text
from .functions import (
    LINEAR,
    PUBLIC,
    QUALIFIED,
    WRITTEN,
    elu,
    full,
    index_of,
    parameter,
    selected,
    shown_parameters,
    signature,
    takes_many,
    tuple_text,
    written_call,
)
from .layout import Note, digits, filled, size
from .layout_choice import chosen_sheet, inline
from .signs import ATOM, MUL, POW, Piece
from .writer import Writer

# --------------------------------- Notes as ASCII text: a Python expression in the names that NumPy and symgrad share


_EXPRESSIONS = frozenset({"keep", "gate", "slant", "between", "tied", "masked_fill"})
"""Operations without a function of their name, or with one that makes integers of numbers as they stand here."""


class AsciiWriter(CodeWriter):
    """Writes notes as Python expressions of bare names: ``2*A.T @ (A @ x - b)``, ``softmax(x)``."""

    @property
    def np(self) -> str:
        return ""

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
            return written_call(note, self.text, lambda n: self.text(n, ATOM)), ATOM
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
            return tuple_text([self.given("", v) for v in value])
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
            eye = filled("eye", term.in_shape * 2)
            return self._lin(Note("lin", (eye,), (term, False), note.shape))
        at = f"zeros({self.shape(term.in_shape)})"
        return f"autograd.functional.jacobian(lambda x: {self.applied(term)}, {at})", ATOM

    def derivative(self, text: str, variable: str, at: str) -> str:
        return f"autograd.functional.jacobian(lambda {variable}: {text}, tensor({at}))"


class PlainWriter(Writer):
    """Writes entries in ASCII."""

    minus = "-"
    had = "*"
    kron = " kron "
    dot = "*"
    top = ".T"
    delta = "eye"
    one = "1"
    entrywise = ""
    before_sum = "*"
    functions: ClassVar[dict[str, str]] = {}
    marks: ClassVar[dict[str, str]] = {
        **Writer.marks, "norm": "norm({})", "norm1": "norm({}, 1)", "norm∞": "norm({}, inf)",
        "nuclear": "norm({}, 'nuc')", "spectral": "norm({}, 2)", "bars": "abs({})",
        "floor": "floor({})", "inner": "sum({}*{})", "partial": "d {}/d {}",
    }  # fmt: skip
    relations: ClassVar[dict[str, str]] = {
        "=": "==", "≠": "!=", "≤": "<=", "≥": ">=", "∧": "and", "∨": "or", "⊕": "xor",
    }  # fmt: skip
    constants: ClassVar[dict[str, str]] = {
        "pi": "pi", "sqrt2": "sqrt(2)", "sqrtpi": "sqrt(pi)", "sqrt2overpi": "sqrt(2/pi)", "sqrt2pi": "sqrt(2*pi)",
        "ln2": "log(2)", "ln10": "log(10)", "pi2": "pi**2", "e": "exp(1)",
        "ln2pi": "log(2*pi)", "ln2pie": "(1 + log(2*pi))", "ln2e": "(1 + log(2))", "sqrt3": "sqrt(3)",
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


# ------------------------------------------------------------- A formula and its definitions as Unicode or ASCII text

# The idea to hold: layout, writer, page. Which names there are is the layout's matter, which signs the writer's, and
# how much of it is printed the page's.


def to_text(
    root: Any, style: str = "unicode", level: str = "array", given: Sequence[tuple[str, Any]] = (), limit: int = 200,
    taken: Collection[str] = (), forms: Callable[[], list[Any]] | None = None, laid: Any = None,
) -> str:  # fmt: skip
    """Return the text of a term, the definitions of its named parts after it.

    Parameters
    ----------
    root : term
    style : {"unicode", "ascii"}
        Notation of the textbook, or a Python expression.
    level : {"array", "element"}
        Matrix notation where there is one, or entries throughout.
    given : sequence of (name, term)
        Definitions to stop at: ``root`` has a symbol of that name.
    limit : int
        How many definitions are printed; how many were left out is stated.
    taken : collection of str
        Names that no part is given: they mean something else to the reader.
    forms : function, optional
        Gives other ways to write it, with definitions.
    laid : Laid, optional
        Its notation, if there is one already (`lay`).

    Returns
    -------
    str
        At most about 20,000 characters. Entries are those at i, j, k, …, in the order of the axes. A fourth-order term
        ``P ⊗ Q`` has the entries ``P[i,k]·Q[j,l]``; ``K`` after it exchanges k and l. In Unicode ``softmax`` and
        ``log_softmax`` of a matrix are those of each row; along the other axis they say ``dim=0``.

    Examples
    --------
    >>> from symgrad.terms import Ein
    >>> from symgrad.terms import Var
    >>> from symgrad.show import to_text
    >>> A, x = Var("A", (2, 3)), Var("x", (3,))
    >>> term = Ein(2, [(A, (0, 1)), (x, (1,))], (2, 3), 1)
    >>> print(to_text(term), to_text(term, "ascii"), to_text(term, level="element"), sep=" | ")
    2Ax | 2*A @ x | 2 Σⱼ A[i,j]·x[j]
    """
    entries = level == "element"
    if style == "ascii" and not entries:
        laid = chosen_sheet(root, given, lines=True, taken=taken)
        code = AsciiWriter()
        lines = [f"{label} = {code.text(note)}" for label, note in laid.definitions]
        return page(code.text(laid.body), lines, limit, "...")
    laid = laid or chosen_sheet(root, given, entries=entries, taken=taken, forms=forms)
    writer = PlainWriter(laid.taken) if style == "ascii" else Writer(laid.taken)
    return page(*writer.body_and_lines(laid, entries), limit)


def in_one_piece(root: Any) -> str:
    """Return the text of a term without definitions, to be part of a sentence.

    Examples
    --------
    >>> from symgrad.terms import Var
    >>> from symgrad.show import in_one_piece
    >>> in_one_piece(Var("x", (3,)))
    'x'
    """
    laid = inline(root)
    return to_text(root) if laid.definitions else Writer(laid.taken).text(laid.body)


def in_one_line(text: str, after: str = "") -> str:
    """A printed formula with its definitions on one line, ``after`` between both.

    Examples
    --------
    >>> from symgrad.show import in_one_line
    >>> in_one_line("st\\nwhere s = n/2\\n      t = d/2", " in x")
    'st in x, where s = n/2, t = d/2'
    """
    body, where, definitions = text.partition("\nwhere ")
    return body + after + (f", where {', '.join(map(str.strip, definitions.splitlines()))}" if where else "")


def shortened(text: str, dots: str = "…") -> str:
    """Text, or the beginning of a long one."""
    return text if len(text) <= _limits.PAGE else f"{text[: _limits.PAGE]} {dots} ({len(text)} characters)"


def kept(lines: list[str], limit: int, room: int) -> tuple[list[str], int]:
    """The last definitions, which the formula itself uses, as many as fit; and how many do not."""
    shown: list[str] = []
    for line in reversed(lines[max(len(lines) - limit, 0) :]):
        room -= len(line)
        if room < 0:
            break
        shown.append(line)
    return shown[::-1], len(lines) - len(shown)


def page(body: str, lines: list[str], limit: int, dots: str = "…") -> str:
    """A formula and its definitions."""
    text = shortened(body, dots)
    shown, left = kept(lines, limit, _limits.PAGE - len(text))
    if left:
        shown.append(f"{dots} and {left} more definitions")
    return f"{text}\nwhere " + "\n      ".join(shown) if shown else text
