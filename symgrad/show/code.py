"""Notes as Python source: NumPy, PyTorch, JAX, and the ASCII form that `str` may use."""

from __future__ import annotations

import keyword
import re
import unicodedata
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._errors import FormulaError
from ..core import TABLE, Op
from .functions import (
    CALLS,
    COMPARE,
    FOR_ALL,
    LIBRARIES,
    LINEAR,
    SAME,
    Library,
    elementwise,
    index_of,
    is_enclosed,
    is_mask,
    selected,
    trimmed,
    tuple_text,
    written,
    written_call,
)
from .layout import Note, above_and_below, chain, entries_of, factors_of, filled, inverted, is_negative, transpose
from .signs import ADD, ATOM, CHAIN, COMPARED, LARGE, MUL, POW

# ----------------------------------------------------------------- Numbers, sizes, indices and calls as Python source

# The idea to hold: an expression is text and how tightly it binds. What a library calls things (``np.``, ``axis``) is
# an attribute or a small method here, which is where NumPy, PyTorch, JAX and the ASCII form differ.


MATMUL, UNARY = LARGE, CHAIN  # a @ b may follow numbers, not arrays: 2*A @ x; what stands beside * or @
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


def _is_one_call(text: str) -> bool:
    """Whether it is one call, ``f(…)``, and not several with signs between them."""
    head = re.match(r"[\w.]+(?=\()", text)
    return head is not None and is_enclosed(text[head.end() :])


class Expressions:
    """The part of a code writer that writes numbers, sizes, indices and calls.

    Attributes
    ----------
    library : whose expressions they are
    helpers : names of the small functions that the source needs
    sizes : the named sizes that occur
    """

    library: ClassVar[Library] = LIBRARIES["numpy"]
    dtype = ""
    helper_sources: ClassVar[dict[str, str]] = {}

    def __init__(self, rename: dict[str, str] | None = None, like: str = "", known: Symbols = UNKNOWN) -> None:
        self.rename: dict[str, str] = {} if rename is None else rename
        self.like = like  # the dtype that new arrays take, as source
        self.known = known
        self.helpers: set[str] = set()
        self.sizes: dict[str, int] = {}  # the named sizes in what was written

    @property
    def np(self) -> str:
        """What the library's functions are called with."""
        return f"{self.library.module}."

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
        return tuple_text([self.size(n) for n in sizes])

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
            return tuple_text([self.parameter(v) for v in value])
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


# ------------------------------------------------------------------------- Products, sums and powers as Python source

# The idea to hold: ``*``, ``/`` and ``@`` bind alike in Python, so products are kept apart by kind and one inside
# another is in parentheses. Matrices are applied to a vector from the right; a diagonal matrix scales rows or columns.


class Products(Expressions):
    """The part of a code writer that writes products."""

    def _chain(self, note: Note) -> Text:
        parts = list(note.parts)
        if parts[-1].rank == 1:
            return self._on_vector(parts)
        for k, p in enumerate(parts[:-1]):
            if _inverse(p) is not None:
                rest = self._solve(p, self.text(chain(*parts[k + 1 :])))
                if not k:
                    return rest, ATOM
                left = self._times_matrices(parts[:k])
                return f"{left[0] if left[1] == MATMUL else self.fenced(left, UNARY)} @ {rest}", MATMUL
        return self._times_matrices(parts)

    def _times_matrices(self, parts: list[Note]) -> Text:
        """Matrices from the left; a diagonal one scales the rows of what follows or the columns of what precedes."""
        if parts[0].kind == "diag" and len(parts) > 1:
            rest = self.fenced(self._times_matrices(parts[1:]), UNARY)
            return f"{self.text(parts[0].parts[0], ATOM)}[:, None]*{rest}", MUL
        found = self.selection(parts[0]) if len(parts) > 1 else None
        if found is not None:
            return self._rows(found, self._times_matrices(parts[1:]), parts[-1].shape[1:]), ATOM
        product = self.written(parts[0])
        for p in parts[1:]:
            found = self.selection(p)
            if found is not None and found.transposed:
                product = self.read(self.fenced(product, ATOM), (slice(None), found.index)), ATOM
            elif found is not None:
                product = self.at(product[0], (parts[0].shape[0], found.size), (slice(None), found.index)), ATOM
            elif p.kind == "diag":
                product = f"{self.fenced(product, UNARY)}*{self.text(p.parts[0], UNARY)}", MUL
            else:
                left = product[0] if product[1] == MATMUL else self.fenced(product, UNARY)
                product = f"{left} @ {self.text(p, UNARY)}", MATMUL
        return product

    def _rows(self, found: Selection, product: Text, rest: tuple[int, ...]) -> str:
        """A selection of the rows of a product, or its rows put where they were selected."""
        if found.transposed:
            return self.at(product[0], (found.size, *rest), (found.index,))
        return self.read(self.fenced(product, ATOM), (found.index,))

    def _on_vector(self, parts: list[Note]) -> Text:
        """Matrices applied to a vector, the last one first."""
        if parts[-1].kind == "ones":
            parts, product = parts[:-2], self._row_sums(parts[-2])
        else:
            parts, product = parts[:-1], self.written(parts[-1])
        for p in reversed(parts):
            found = self.selection(p)
            if found is not None:
                product = self._rows(found, product, ()), ATOM
            elif p.kind == "diag":
                product = f"{self.text(p.parts[0], UNARY)}*{self.fenced(product, UNARY)}", MUL
            elif _inverse(p) is not None:
                product = self._solve(p, product[0]), ATOM
            else:
                product = f"{self.text(p, UNARY)} @ {self.fenced(product, UNARY)}", MATMUL
        return product

    def _row_sums(self, matrix: Note) -> Text:
        if matrix.kind == "T":
            return f"{self.text(matrix.parts[0], ATOM)}.sum(axis=0)", ATOM
        if matrix.kind == "diag":
            return self.written(matrix.parts[0])
        return f"{self.text(matrix, ATOM)}.sum(axis=1)", ATOM

    def _solve(self, inverse: Note, right: str) -> str:
        matrix = _inverse(inverse)
        assert matrix is not None
        return self.function("linalg.solve", self.text(matrix), right)

    def _outer(self, note: Note) -> Text:
        u, v = note.parts
        if v.kind == "ones" or u.kind == "ones":
            other = v if u.kind == "ones" else u
            if other.kind == "ones":
                return self.new("ones", self.shape(note.shape)), ATOM
            column = "[:, None]" if v.kind == "ones" else ""
            return self.function(
                "broadcast_to", self.text(other, ATOM if column else COMPARED) + column, self.shape(note.shape)
            ), ATOM
        return self.function("outer", self.text(u), self.text(v)), ATOM

    def _sum(self, note: Note) -> Text:
        (part,) = note.parts
        axis = [] if note.info is None else [f"axis={note.info[0] if len(note.info) == 1 else note.info}"]
        if part.kind == "chain" and part.rank == 2 and not axis:  # A @ B.sum(axis=1) takes fewer steps than A @ B
            part = chain(part, filled("ones", part.shape[1:]))
        return self.function("sum", self.text(part), *axis), ATOM

    def _diagvec(self, note: Note) -> Text:
        flat = f"{self.text(note.parts[0], ATOM)}.reshape(-1)"
        return f"{self.function('diag', flat)}.reshape({self.shape(note.shape)})", ATOM

    def _einsum(self, note: Note) -> Text:
        indices, rank = note.info
        stacked = _stacked(*zip(note.parts, indices), rank=rank) if len(indices) == 2 else None
        if stacked is not None:
            return " @ ".join([self.text(p, UNARY) for p in stacked]), MATMUL
        inner = any(i >= rank for s in indices for i in s)
        if inner or any(len(set(s)) < len(s) for s in indices) or "eye" in [p.kind for p in note.parts]:
            spec = ",".join(["".join([LETTERS[i] for i in s]) for s in indices]) + "->" + LETTERS[:rank]
            return self.function("einsum", f"'{spec}'", *[self.text(p) for p in note.parts]), ATOM
        factors = [self.aligned(p, s, rank) for p, s in zip(note.parts, indices) if p.kind != "ones"]
        if not factors:
            return self.new("ones", self.shape(note.shape)), ATOM
        text, own = (
            factors[0] if len(factors) == 1 else ("*".join([t if o > MUL else f"({t})" for t, o in factors]), MUL)
        )
        covered = {i for p, s in zip(note.parts, indices) for i in s if p.kind != "ones"}
        return (
            (text, own) if len(covered) == rank else (self.function("broadcast_to", text, self.shape(note.shape)), ATOM)
        )

    def _kronvec(self, note: Note) -> Text:
        return self.written(note._replace(kind="einsum"))

    def aligned(self, note: Note, indices: tuple[int, ...], rank: int) -> Text:
        """An array with axes of length 1 where the result has others."""
        text, own = self.written(note)
        turned = tuple(sorted(range(len(indices)), key=indices.__getitem__))
        if turned != tuple(range(len(indices))):
            text, own = self.permuted(text, turned), ATOM
        first = min(indices, default=rank)
        if all(i in indices for i in range(first, rank)):
            return text, own
        slots = [":" if i in indices else "None" for i in range(first, rank)]
        return f"{text if own == ATOM else f'({text})'}[{', '.join(slots)}]", ATOM

    def permuted(self, text: str, axes: tuple[int, ...]) -> str:
        """An array with its axes in another order."""
        return self.function("transpose", text, str(axes))

    def _bcast(self, note: Note) -> Text:
        return self.aligned(note.parts[0], note.info, note.rank)

    def _had(self, note: Note) -> Text:
        return self._quotient(1, list(note.parts))

    def _product(self, note: Note) -> Text:
        coef, scalars, body = factors_of(note)
        entrywise = list(body.parts) if body is not None and body.kind == "had" else list(note.parts[len(scalars) :])
        return self._quotient(coef, scalars + entrywise)

    def _quotient(self, coef: Any, parts: list[Note]) -> Text:
        """Numerator over denominator: negative powers go below."""
        negative = is_negative(coef)
        coef = -coef if negative else coef
        top, bottom = (coef.numerator, coef.denominator) if isinstance(coef, Fraction) else (coef, 1)
        above, below = above_and_below(parts)
        if below or bottom != 1:
            texts = [self.text(p, UNARY) for p in above]
        else:
            last = MATMUL if not any(p.shape for p in above[:-1]) else UNARY  # numbers may stand before A @ x
            texts = [self.text(p, last if p is above[-1] else UNARY) for p in above]
        if top != 1 or not texts:
            number, own = self.number(top)
            texts = [number if own > MUL else f"({number})", *texts]
        text = "*".join(texts)
        divisors = ([str(bottom)] if bottom != 1 else []) + [self.text(p, UNARY) for p in below]
        if divisors:
            text += "/" + (divisors[0] if len(divisors) == 1 else "(" + "*".join(divisors) + ")")
        own = MATMUL if above and above[-1].kind in ("chain", "dot") and not divisors else MUL
        return (f"-{text}", ADD) if negative else (text, own)

    def _pow(self, note: Note) -> Text:
        (base,) = note.parts
        if is_negative(note.info):
            return f"1/{self.text(inverted(note), UNARY)}", MUL
        if note.info == Fraction(1, 2):
            if base.kind == "square":
                return self.function("linalg.norm", self.text(base.parts[0])), ATOM
            return self.function("sqrt", self.text(base)), ATOM
        exponent, own = self.number(note.info)
        return f"{self.text(base, ATOM)}**{exponent if own == ATOM else f'({exponent})'}", POW

    def _add(self, note: Note) -> Text:
        text = ""
        for part, sign in zip(note.parts, note.info):
            between = (" - " if sign < 0 else " + ") if text else ("-" if sign < 0 else "")
            text += between + self.text(part, MATMUL)
        return text, ADD


def _stacked(*factors: tuple[Note, tuple[int, ...]], rank: int) -> tuple[Note, Note] | None:
    """The factors of a product of stacks of matrices, one for each index of the axes in front; None if it is none."""
    for (a, s), (b, t) in (factors, factors[::-1]):
        summed = s[-1]
        rows, batch_a = (s[-2:-1], s[:-2]) if len(s) > 1 else ((), ())
        columns, batch_b = (t[-1:], t[:-2]) if len(t) > 1 else ((), ())
        batch = max(batch_a, batch_b, key=len)
        fits = all(batch[len(batch) - len(own) :] == own for own in (batch_a, batch_b))
        meet = summed >= rank and summed == t[-1 - len(columns)]
        if fits and meet and (*batch, *rows, *columns) == tuple(range(rank)):
            return a, b
    return None


def _inverse(note: Note) -> Note | None:
    """The matrix whose inverse a note is."""
    if note.kind == "inv":
        return note.parts[0]
    return transpose(note.parts[0].parts[0]) if note.kind == "T" and note.parts[0].kind == "inv" else None


# --------------------------------- Notes as Python source: NumPy, PyTorch, JAX, and the ASCII form that `str` may use

# The idea to hold: every note is an array of known shape, so each kind has one expression that gives exactly that
# array. ``*``, ``/`` and ``@`` bind alike, so that a product inside another one is in parentheses; a diagonal matrix is
# never built where scaling rows or columns does.


class CodeWriter(Products):
    """Writes notes as expressions of a library."""

    rename: dict[str, str]

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
        text = FOR_ALL.get(op.name) if row is None else row[self.library.column]
        if not text:
            return self.unknown(op, args, params)
        for k, (_, own) in enumerate(written):
            if own == ATOM:  # the table's own parentheses around an operand, not those of a call
                text = re.sub(rf"(?<!\w)\(\{{{k}\}}\)", f"{{{k}}}", text)
        like = next((arg for arg, part in zip(args, note.parts, strict=True) if part.kind != "number"), "")
        for k, part in enumerate(note.parts):  # a number alone is no tensor
            if part.kind == "number" and like and re.search(rf"torch(?:\.\w+)+\(\(?\{{{k}\}}\)?\)", text):
                args[k] = f"torch.full_like({like}, {args[k]})"
        return self.filled(text, op, args, params)

    def filled(self, text: str, op: Any, args: list[str], params: Any) -> Text:
        """An expression of a table with its operands and parameters."""
        values = {
            n: self.parameter(p[0] if n == "dim" and isinstance(p, tuple) and len(p) == 1 else p)
            for n, p in op.named(params)
        }
        out = text.format(*args, np=self.np, args=", ".join(args), **values)
        return out, ATOM if _is_one_call(text) or (text == "{0}" and out.isidentifier()) else COMPARED

    def unknown(self, op: Any, args: list[str], params: Any) -> Text:
        """An operation that the library does not have."""
        raise _missing(op, self.library)

    def _call(self, note: Note) -> Text:
        op, params, out = note.info
        args = [self.whole(p) if k in op.places else self.text(p) for k, p in enumerate(note.parts)]
        if op.name == "index":
            return written_call(note, self.whole, lambda n: self.text(n, ATOM)), ATOM
        flags = dict(op.named(params))
        several = isinstance(flags.get("dim"), tuple) and len(flags["dim"]) > 1
        row = (CALLS.get(f"{op.name} over several") if several else None) or CALLS.get(op.name)
        row = (FOR_ALL[op.name],) * 3 if row is None and op.name in FOR_ALL else row
        plain = row is not None and not (op.name == "solve_vector" and note.parts[0].rank > 2)
        if plain and row is not None and not flags.get("upper") and not flags.get("descending"):
            text, own = self.filled(row[self.library.column], op, args, params)
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
            return self.filled(row[self.library.column], op, [inner], params)
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
        """The transpose of a linear operation that has no name there."""
        raise _missing(term.op, self.library)

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
    """A Python name like a symbol's, as Python itself reads it: there, ℓ is l."""
    clean = re.sub(r"\W", "_", unicodedata.normalize("NFKC", text.replace("ℓ", "ell"))) or "_"
    clean = f"_{clean}" if clean[0].isdigit() else clean
    while keyword.iskeyword(clean) or clean in taken:
        clean += "_"
    return clean


# -------------------------------------------------------------------------------------------------------------------
# The libraries that code is written for, where they differ from NumPy, and the small functions their code may need


_PLACED = '''def _placed(x, shape, index):
    """Zeros, with an array added at an index."""
    x = np.asarray(x)*1  # truth values as numbers
    out = np.zeros(shape, x.dtype)
    np.add.at(out, index, x)
    return out'''
_PLACED_TORCH = '''def _placed(x, shape, index):
    """Zeros, with an array added at an index."""
    x = torch.as_tensor(x)*1  # truth values as numbers
    places = torch.arange(math.prod(shape)).reshape(shape)[index]
    out = torch.zeros(math.prod(shape), dtype=x.dtype)
    return out.index_add(0, places.reshape(-1), x.reshape(-1)).reshape(shape)'''
_PLACED_JAX = '''def _placed(x, shape, index):
    """Zeros, with an array added at an index."""
    x = jnp.asarray(x)*1  # truth values as numbers
    return jnp.zeros(shape, x.dtype).at[index].add(x)'''
_ARRAY_OF = '''def _array_of(operation, shape):
    """The array of a linear operation on arrays of a shape: the output's axes, then the operand's."""
    units = np.eye(math.prod(shape)).reshape(-1, *shape)
    columns = np.stack([operation(unit) for unit in units], axis=-1)
    return columns.reshape(*columns.shape[:-1], *shape)'''
_ARRAY_OF_TORCH = '''def _array_of(operation, shape, dtype):
    """The array of a linear operation on arrays of a shape: the output's axes, then the operand's."""
    units = torch.eye(math.prod(shape), dtype=dtype).reshape(-1, *shape)
    columns = torch.stack([operation(unit) for unit in units], dim=-1)
    return columns.reshape(*columns.shape[:-1], *shape)'''
_TRANSPOSED = '''def _transposed(name, params, x, shape):
    """The transpose of one of symgrad's linear operations on arrays of a shape."""
    _, pull = sg.func.vjp(lambda a: TABLE[name].apply(a, *params), sg.zeros(shape))
    return np.asarray(pull(sg.tensor(x*1.0))[0])'''


_JACOBIAN = '''def _jacobian(name, params, out, wrt, *operands):
    """The derivative of one of symgrad's operations in operand number wrt: its output's axes, then the operand's."""
    operands = [sg.tensor(a) for a in operands]

    def run(x):
        found = TABLE[name].apply(*operands[:wrt], x, *operands[wrt + 1 :], *params)
        return found if out is None else found[out]

    return np.asarray(sg.autograd.functional.jacobian(run, operands[wrt]))'''


class NumpyWriter(CodeWriter):
    """Writes notes as NumPy expressions."""

    helper_sources: ClassVar[dict[str, str]] = {
        "_placed": _PLACED, "_array_of": _ARRAY_OF, "_transposed": _TRANSPOSED, "_jacobian": _JACOBIAN,
    }  # fmt: skip

    def unknown(self, op: Any, args: list[str], params: Any) -> Text:
        """An operation that NumPy does not have: symgrad's own."""
        if op.name not in TABLE:
            raise FormulaError(
                f"there is no source code for {op.label!r}", "It is a function of yours, known here by its values.",
                "Call the formula, or write the function in operations of the library.",
            )  # fmt: skip
        values = [self.parameter(p) for p in params]
        operands = [f"({', '.join(args)},)"] if op.variadic else args
        return f"TABLE[{op.name!r}].forward({', '.join([*operands, *values])})", ATOM

    def adjoint(self, term: Any, inner: str) -> Text:
        """The transpose of a linear operation that has no name: symgrad's own."""
        self.helpers.add("_transposed")
        return (
            f"_transposed({term.op.name!r}, {self.parameter(term.params)}, {inner}, {self.shape(term.in_shape)})",
            ATOM,
        )

    def _jac(self, note: Note) -> Text:
        (call,) = note.parts
        op, params, out = call.info
        if op.variadic:
            raise FormulaError(
                f"the derivative of {op.label} has no formula",
                "It stands in this formula as an unknown.",
                "Evaluate the formula with sg.grad or sg.jacobian.",
            )
        self.helpers.add("_jacobian")
        about = [repr(op.name), self.parameter(params), repr(out), repr(note.info)]
        return f"_jacobian({', '.join(about + [self.text(p) for p in call.parts])})", ATOM


class JaxWriter(CodeWriter):
    """Writes notes as JAX expressions."""

    library: ClassVar[Library] = LIBRARIES["jax"]
    helper_sources: ClassVar[dict[str, str]] = {"_placed": _PLACED_JAX, "_array_of": _ARRAY_OF.replace("np.", "jnp.")}

    def derivative(self, text: str, variable: str, at: str) -> str:
        return f"jax.jacobian(lambda {variable}: {text})({at})"


_OPERATORS = frozenset({"pow_tensor", "floor_divide", "div_floor", "tied"})
"""Operations that are Python's operators in code, which take numbers."""
_OF_TENSORS = frozenset(
    {"atan2", "logaddexp", "logaddexp2", "hypot", "fmax", "fmin", "heaviside", "nextafter", "logical_and", "logical_or",
     "logical_xor"}
)  # fmt: skip
"""Functions of two operands that take tensors only."""
_VALUES = {
    "where": (1, 2), "keep": (0,), "gate": (0,), "slant": (0,), "between": (0,), "div_or_zero": (0, 1),
    "masked_fill": (0, 2),
}  # fmt: skip
"""Functions that are ``where`` in code: which operands are values, of which one must be a tensor."""


_PRODUCTS = frozenset({"chain", "dot", "einsum", "kron", "kronswap", "vecvec"})


class TorchWriter(CodeWriter):
    """Writes notes as PyTorch expressions."""

    library: ClassVar[Library] = LIBRARIES["torch"]
    helper_sources: ClassVar[dict[str, str]] = {
        "_placed": _PLACED_TORCH,
        "_array_of": _ARRAY_OF_TORCH,
    }

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """The argument that gives new arrays their dtype."""
        return f", dtype={self.like or 'torch.float64'}"

    def new(self, function: str, args: str) -> str:
        return f"torch.{'tensor' if function == 'array' else function}({args}{self.dtype})"

    def _data(self, note: Note) -> Text:
        if note.info.value.dtype == bool:
            return f"torch.tensor({note.info.value.tolist()!r})", ATOM
        return super()._data(note)

    def _table(self, note: Note) -> Text:
        """Of numbers it is made as it stands; else stacked, through which gradients flow."""
        if all(self._is_number(p) for p in entries_of(note)):
            return super()._table(note)
        numbers = [k for k, p in enumerate(note.parts) if not p.shape and self._is_number(p)]
        return f"torch.stack([{', '.join(map(self.text, self._with_tensors(note, numbers).parts))}])", ATOM

    def whole(self, note: Note) -> str:
        """An array of places."""
        if note.kind == "data":
            return f"torch.tensor({note.info.value.tolist()!r})"
        text = super().whole(note)
        return f"torch.as_tensor({self.text(note)}).long()" if text.endswith(".astype(int)") else text

    def _map(self, note: Note) -> Text:
        """A function of tensors: PyTorch's take numbers in few places, and make float32 of them where all are."""
        op = note.info[0].name
        if op in COMPARE or op in _OPERATORS:
            return super()._map(note)
        values = _VALUES.get(op, range(len(note.parts)))
        numbers = [k for k in values if self._is_number(note.parts[k])]
        if op not in _OF_TENSORS and len(numbers) < len(values):
            numbers = [k for k in numbers if not k and op not in _VALUES]
        elif op in _VALUES:
            numbers = numbers[:1]
        return super()._map(self._with_tensors(note, numbers))

    def _pow(self, note: Note) -> Text:
        if note.info == Fraction(1, 2) and self._is_number(note.parts[0]):
            return f"math.sqrt({self.text(note.parts[0])})", ATOM
        return super()._pow(note)

    def _with_tensors(self, note: Note, places: list[int]) -> Note:
        parts = [Note("constant", (p,), None, ()) if k in places else p for k, p in enumerate(note.parts)]
        return note._replace(parts=tuple(parts))

    def _constant(self, note: Note) -> Text:
        return self.new("array", self.text(note.parts[0])), ATOM

    def written(self, note: Note) -> Text:
        if note.kind == "full" and self._is_number(note.parts[0]):
            return self.new("full", f"{self.shape(note.shape)}, {self.text(note.parts[0])}"), ATOM
        return super().written(self._of_numbers(note) if note.kind in _PRODUCTS else note)

    def _is_number(self, note: Note) -> bool:
        """Whether it is a number in Python: digits, sizes and what is computed of these."""
        if note.kind in ("product", "add", "had", "pow"):
            return not note.shape and all(self._is_number(p) for p in note.parts)
        return note.kind == "number" or (note.kind == "name" and note.info[0] in self.known.sizes)

    def _of_numbers(self, note: Note) -> Note:
        """Factors of one dtype, which products take: a truth as a number."""
        if note.kind == "name" and note.info[0] in self.known.truths:
            return Note("iverson", (note,), None, note.shape)
        if note.kind not in (*_PRODUCTS, "T", "had", "diag", "outer"):
            return note
        return note._replace(parts=tuple(map(self._of_numbers, note.parts)))

    def read(self, array: str, index: Any) -> str:
        turned, rest = _forwards(index)
        array = f"torch.flip({array}, {turned})" if turned else array
        return array if turned and _is_all(rest) else super().read(array, rest)

    def at(self, inner: str, shape: Any, index: Any) -> str:
        turned, rest = _forwards(index)
        placed = inner if turned and _is_all(rest) else super().at(inner, shape, rest)
        return f"torch.flip({placed}, {turned})" if turned else placed

    def derivative(self, text: str, variable: str, at: str) -> str:
        return f"torch.autograd.functional.jacobian(lambda {variable}: {text}, {at})"

    def permuted(self, text: str, axes: tuple[int, ...]) -> str:
        return f"torch.permute({text}, {axes})"

    def indicator(self, truth: str) -> str:
        return f"{truth if truth.isidentifier() else f'({truth})'}.to({self.like or 'torch.float64'})"


def _forwards(index: Any) -> tuple[tuple[int, ...], Any]:
    """The axes that are turned round, and what an index takes then: PyTorch has no slices with negative steps.

    Entry i from the front is entry −1 − i of what is turned round, in Python's count and beyond the ends, too.
    """
    parts = list(index) if isinstance(index, tuple) else [index]
    axes = [0 if p is None or p is Ellipsis else p.ndim if is_mask(p) else 1 for p in parts]
    turned = []
    for k, part in enumerate(parts):
        if isinstance(part, slice) and part.step is not None and part.step < 0:
            from_the_end = any(p is Ellipsis for p in parts[:k])
            turned.append(-sum(axes[k:]) if from_the_end else sum(axes[:k]))
            start, stop = [None if end is None else -1 - end for end in (part.start, part.stop)]
            parts[k] = slice(start, stop, None if part.step == -1 else -part.step)
    return (tuple(turned), tuple(parts)) if turned else ((), index)


def _is_all(index: tuple[Any, ...]) -> bool:
    return all(p is Ellipsis or (isinstance(p, slice) and p == slice(None)) for p in index)


def _missing(op: Any, library: Library) -> FormulaError:
    return FormulaError(
        f"{library.title} has no counterpart of {op.label!r} here",
        "",
        "Ask for NumPy code, which falls back on symgrad itself.",
    )


WRITERS = {writer.library.name: writer for writer in (NumpyWriter, TorchWriter, JaxWriter)}
