"""Notes as Unicode text, functions and entries too, and the fold that LaTeX shares with it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from .. import _limits
from ..core import TABLE
from .functions import (
    ORDERED,
    WRITTEN,
    array,
    chosen,
    elu,
    index_of,
    is_enclosed,
    labels,
    own_transpose,
    parameter,
    selected,
    shown_parameters,
    takes_many,
    tuple_text,
    written_call,
)
from .layout import (
    COMPARISONS,
    Note,
    above_and_below,
    by_entries,
    chain,
    diagonal_matrix,
    factors_of,
    filled,
    inverted,
    is_divisor,
    is_negative,
    number,
    product,
    size,
    transpose,
    transposes,
)
from .signs import (
    ADD,
    ATOM,
    CHAIN,
    COMPARED,
    LARGE,
    MUL,
    PLACE,
    POW,
    Piece,
    Signs,
    in_unicode,
    with_signs_of_entries,
    with_sums_of_numbers,
)

# --------------------------------------------------------------------- Functions, calls and linear operations as text

# The idea to hold: an operation prints by its row's own text if it has one, else by its public name with the parameters
# that are not its defaults; only those with a notation of their own (``|x|``, ``x > 0``, ``A⁻¹b``) are named here.


_NAMES = re.compile(r"\b[a-z]\w*(?=\()")
"""The functions in a row's own text, which may have letters."""
_BELOW, _ABOVE = str.maketrans("0123456789−", "₀₁₂₃₄₅₆₇₈₉₋"), str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_TERM, _SIGNED = re.compile(" [+−-] "), ("+ ", "− ", "- ", "(−", "{-")
_OPENS, _CLOSES = frozenset("({,;"), frozenset(")},;")
"""What stands around an operand of a row's own text that is an argument, and needs no parentheses."""
_OF_MATRICES = frozenset({"det", "slogdet", "matrix_exp"})
"""Functions of a matrix as such, whose 1 is I to a reader."""
EXPLAINED = frozenset({
    "shift", "recurrence", "cumprod_before", "undiff", "clear", "stays", "pick", "unpick", "clear_along", "stays_along",
    "scatter_count", "scatter_sum", "scatter_share", "scatter_share_src", "scatter_extreme", "within", "add_flat",
    "argkth", "argtop", "argmedian", "argmode", "argcummax", "argcummin", "overlay", "constant_pad", "border_pad",
    "copy_slices", "det_second",
})  # fmt: skip
"""Rows that no public function is called like: what they do is said below the formula."""


def _is_plain(name: str) -> bool:
    """Whether a word of a row's text is a row that is called by its operands alone."""
    return name in TABLE and not TABLE[name].letter.endswith(("_", "^"))


def _level(text: str) -> int:
    """How tightly a row's text holds together: a sum or a quotient is enclosed in parentheses."""
    if not is_enclosed(text):
        return ATOM
    depths = [text[: k + 1].count("(") - text[: k + 1].count(")") for k in range(len(text))]
    return (
        ADD if any(c in "+−" and d == 1 and text[k - 1] == " " for k, (c, d) in enumerate(zip(text, depths))) else MUL
    )


def _least(before: str, after: str, text: str) -> int:
    """How tightly an operand must hold together between what stands before and after it in a row's own text."""
    first, last = before.rstrip()[-1:] in _OPENS, after.lstrip()[:1] in _CLOSES
    if first and last:
        return COMPARED
    if not (last or _TERM.match(after)):
        return ATOM
    if first and "Σ" not in text:  # 1 + n/2 − 1; but a sum would take what follows into it
        return ADD
    return MUL if first or before.endswith(_SIGNED) else ATOM


class Functions(Signs):
    """The part of a writer that writes functions."""

    functions: ClassVar[dict[str, str]] = {
        "lgamma": "logΓ", "amax": "max", "amin": "min",
    }  # fmt: skip

    def _map(self, note: Note) -> Piece:
        args = [self.piece(p) for p in note.parts]
        if note.info[0].name == "pow_tensor" and note.rank == 2:
            return self.raised_to(args[0], args[1], self.entrywise)
        return self.function(note, args)

    def function(self, note: Note, args: list[Piece]) -> Piece:
        """An element-wise function of its arguments."""
        op, params = note.info
        sign = COMPARISONS.get(op.name)
        if sign and len(args) == 2:
            a, b = [self.fenced(p, CHAIN if op.name.startswith(("log", "bit")) else ADD).text for p in args]
            return Piece(f"{a} {self.relations.get(sign, sign)} {b}", COMPARED)
        if op.name in ("abs", "abs_complex"):
            return self.mark("bars", args[0].text)
        if op.name in ("div_floor", "floor_divide"):
            return self.mark("floor", self.fraction(*args).text)
        if op.name == "pow_tensor" and len(args) == 2:
            return self.raised_to(args[0], args[1])
        if op.name == "keep":
            return self.call("where", [args[1].text, args[0].text, "0"])
        if op.letter and (lettered := self._lettered(op, params, args)):
            return lettered
        if op.text and not op.name.startswith("einsum"):
            return self._template(op, params, args, [p.rank for p in note.parts])
        if op.name == "elu_alpha":
            return self._elu(op, params, args)
        return self.call(self.label(op), [*[a.text for a in args], *self.named(shown_parameters(op, params))])

    def _lettered(self, op: Any, params: Any, args: list[Piece]) -> Piece | None:
        """A function by its letter, the first parameters below and above it; None where the letter is a symbol, and
        where the order below is not written in digits: ``J_-1(x)`` is read as a difference."""
        letter = op.letter.rstrip("_^")
        places = op.letter[len(letter) :]
        if letter in map(in_unicode, self.taken) or any(map(np.ndim, params)):
            return None
        shown = self.functions.get(op.name) or self.sign_of(letter)
        rest = [self.given("", p) for p in params]
        if places[:1] == "_":
            below = rest.pop(0)
            if not below.isdigit():
                return None
            shown = self.with_index(shown, below)
        if places[-1:] == "^":
            shown, rest = self.with_degree(shown, ", ".join(rest)), []
        return Piece(f"{shown}{self.parenthesis(', '.join([*[a.text for a in args], *rest]))}", ATOM, True, True)

    def sign_of(self, letter: str) -> str:
        """A function's letter."""
        return letter

    def with_index(self, function: str, text: str) -> str:
        """A function with its order below."""
        return function + text.translate(_BELOW)

    def with_degree(self, function: str, text: str) -> str:
        """A function with a parameter above, in parentheses."""
        return f"{function}⁽{text.translate(_ABOVE)}⁾" if text.lstrip("−").isdigit() else f"{function}^({text})"

    def _elu(self, op: Any, params: Any, args: list[Piece]) -> Piece:
        """elu, its multiple, or selu, which is the multiple that keeps means and variances."""
        label, shown, scale = elu(op, params)
        piece = self.call(label, [args[0].text, *self.named(shown)])
        return self.scaled(scale, [], piece) if scale != 1 else piece

    def named(self, shown: list[tuple[str, Any]]) -> list[str]:
        """Parameters by name."""
        return [f"{n}={self.given(n, p)}" if n else self.given(n, p) for n, p in shown]

    def given(self, name: str, value: Any) -> str:
        """A parameter's value."""
        text = self.figures(value) if isinstance(value, float) else parameter(name, value)
        return f"({text})" if name == "index" and isinstance(value, tuple) and len(value) > 1 else text

    def _template(self, op: Any, params: Any, args: list[Piece], ranks: list[int]) -> Piece:
        """A row's own text."""
        values = [self.figures(p) if isinstance(p, float) else parameter(n, p) for n, p in op.named(params)]
        own = self.own_text(op)
        if own:
            own = with_signs_of_entries(own, ranks, self)
            return self._filled(own, [*args, *[Piece(v, ATOM) for v in values]], _level(op.text))
        if op.text[:1] == "(":  # a quotient, which is fenced where it must be
            out = Piece(self.template(op.text[1:-1].format(*[a.text for a in args])), MUL)
            out.divided = self.on_one_line
            return out
        fences = [self.fenced(a, CHAIN).text for a in args] if not op.text.endswith(")") else [a.text for a in args]
        text = op.text.format(*fences, *values)
        whole = op.text.endswith((")", "]")) or op.text == "{0}"
        return Piece(self.template(text) if whole else text, ATOM if whole else ADD, left=whole, right=whole)

    def own_text(self, op: Any) -> str:
        """A row's text whose places are written <0>: what stands there is fenced, unless it stands alone."""
        return str(op.text) if "<0>" in op.text else ""

    def _filled(self, text: str, args: list[Piece], level: int) -> Piece:
        """A row's text with its operands: in parentheses where they are not an argument of their own."""
        text = text[1:-1] if is_enclosed(text) else text
        text, args = with_sums_of_numbers(text, args, self)

        def place(mark: re.Match[str]) -> str:
            piece, before, after = args[int(mark[1])], text[: mark.start()], text[mark.end() :]
            return self.fenced(piece, _least(before, after, piece.text)).text

        filled = PLACE.sub(place, text)
        out = Piece(filled, level, level == ATOM, level == ATOM)
        out.divided = level == MUL and self.on_one_line
        return out

    def template(self, text: str) -> str:
        """The text of a row that stands for a function, with the letters of those it is made of."""
        return _NAMES.sub(lambda name: self.label(TABLE[name[0]]) if _is_plain(name[0]) else name[0], text)

    def label(self, op: Any) -> str:
        """The name of a function: its Greek letter, unless that is a symbol of the formula."""
        if op.name in EXPLAINED or op.explained:
            self.explained[f"{self.operator(op.label)}({', '.join(op.inputs)})"] = op.doc
        letter = op.letter.rstrip("_^")
        if not letter or letter + "_" == op.letter or letter in map(in_unicode, self.taken):
            return op.label if letter else self.functions.get(op.name, op.label)
        return self.functions.get(op.name) or self.sign_of(letter)

    def raised_to(self, base: Piece, exponent: Piece, mark: str = "") -> Piece:
        """A power whose exponent is an array."""
        exponent = self.fenced(exponent, ATOM)
        return Piece(f"{self.fenced(base, ATOM).text}^{mark}{exponent.text}", POW, base.left, True)

    def _call(self, note: Note) -> Piece:
        op, params, out = note.info
        parts = map(self.as_matrix, note.parts) if op.name in _OF_MATRICES else note.parts
        args = [self.array(p).text for p in parts]
        if op.name in ("solve", "solve_vector"):
            inverse = Note("inv", note.parts[:1], None, note.parts[0].shape)
            return self.beside([self.piece(inverse), self.inside(note.parts[1], CHAIN)])
        if op.name == "slogdet":
            det = self.call("det", args)
            return self.call("log", [self.mark("bars", det.text).text]) if out == 1 else self.call("sign", [det.text])
        if op.name == "unpick" and note.rank == 1 and params[1]:
            chosen = self.item(self.identity(note.shape[0]), (args[1],))
            return self.beside([self.transposed(chosen), self.inside(note.parts[0], CHAIN)])
        if (
            op.name == "vector_norm"
            and params[0] in (1, 2, float("inf"))
            and len(params[1] or ()) in (0, note.parts[0].rank)
        ):
            return self.mark({1: "norm1", 2: "norm", float("inf"): "norm∞"}[params[0]], args[0])
        if op.name in ORDERED and note.parts[0] in note.parts[1].parts:
            return self._ordered(note, args[0])
        if op.name in WRITTEN:
            text, atom = (lambda n: self.array(n).text), (lambda n: self.fenced(self.array(n), ATOM).text)
            return Piece(written_call(note, text, atom), ATOM)
        if op.text and op.places:
            return self._template(op, params, list(map(self.array, note.parts)), [p.rank for p in note.parts])
        whole = note.parts[0].rank if note.parts else 0
        shown = shown_parameters(op, params, max(whole, note.rank))
        if op.rowwise and params[0] in (whole - 1, -1, (whole - 1,)):  # of each row, as in papers
            shown = [(n, p) for n, p in shown if n != "dim"]
        named = self.named(shown)
        if op.variadic and not takes_many(op):
            args = ["[" + ", ".join(args) + "]"]
        piece = self.call(self.label(op), [*args, *named])
        return piece if out is None else Piece(f"{piece.text}[{out}]", ATOM, True, True)

    def _ordered(self, note: Note, x: str) -> Piece:
        """What is picked from an array where an order of that array says: the function that does both."""
        finder, params, _ = note.parts[1].info
        name, given = ORDERED[note.info[0].name], dict(finder.named(params))
        k = [str(given["k"])] if "k" in given else []
        shown = [("dim", given["dim"])] if note.parts[0].rank > 1 else []
        kept = note.rank == note.parts[0].rank and not name.startswith(("topk", "sort"))
        if name == "kthvalue" and not (shown or kept):
            return self.order_statistic(x, *k)
        usual = {"largest": True, "descending": False}
        shown += [(n, given[n]) for n in usual if given.get(n, usual[n]) is not usual[n]]
        return self.call(name, [x, *k, *self.named([*shown, *[("keepdim", True)] * kept])])

    def order_statistic(self, x: str, k: str) -> Piece:
        """The ``k``-th smallest entry."""
        return self.call("kthvalue", [x, k])

    def _lin(self, note: Note) -> Piece:
        term, adjoint = note.info
        inner = self.array(note.parts[0])
        return self.operation(term, inner, adjoint)

    def operation(self, term: Any, inner: Piece, adjoint: bool) -> Piece:
        """A linear operation applied to something, or its transpose."""
        op, params = term.op, term.params
        rank = max(len(term.in_shape), term.out_rank)
        index = index_of(op, params)
        if index is not None and not adjoint:
            return Piece(f"{self.fenced(inner, ATOM).text}[{parameter('index', index)}]", ATOM, right=True)
        if adjoint and index is not None and term.out_rank == len(term.in_shape) == 1:
            selection = self.transposed(self.operation(term, self.identity(term.in_shape[0]), False))
            return self.beside([selection, self.fenced(inner, CHAIN)])
        if adjoint and index is not None:
            whole = self.zero_array(filled("zeros", term.in_shape)).text
            at = tuple_text([parameter("index", (k,)) for k in index])
            return self.call("index_put", [whole, at, inner.text, "accumulate=True"])
        if adjoint and op.reshapes:
            return self.call("reshape", [inner.text, parameter("", term.in_shape)])
        if adjoint and (own := own_transpose(op, params)) is not None:
            adjoint, params = False, own
        named = self.named(shown_parameters(op, params, rank))
        if adjoint:
            return self.call(f"{self.label(op)}{self.top}", [inner.text, *[n.rpartition("=")[2] for n in named]])
        if op.text:
            return self._template(op, params, [self.fenced(inner, ATOM)], [len(term.in_shape)])
        return self.call(self.label(op), [inner.text, *named])

    def _linear(self, note: Note) -> Piece:
        term, index = note.info, selected(note)
        op, params = term.op, dict(term.op.named(term.params))
        if len(term.in_shape) == 1 and index_of(op, term.params) is not None:
            return self.operation(term, self.identity(term.in_shape[0]), False)
        if index is not None:
            return Piece(f"{self.identity(term.in_shape[0]).text}[{parameter('index', (index,))}]", ATOM, right=True)
        if op.name == "reshape_copy":  # an identity between the axes before and after
            return self.call("reshape", [self.identity(math.prod(term.in_shape)).text, parameter("", term.shape)])
        along = [n for n in ("dim", "dims") if n in params]
        others = [self.given(n, p) for n, p in params.items() if n not in along and type(p) is not bool]
        named = self.named([(n, 0) for n in along])
        inner = self.call(self.label(op), [self.identity(term.in_shape[0]).text, *others, *named])
        return self.transposed(inner) if params.get("reverse") else inner

    def _jac(self, note: Note) -> Piece:
        function, *variable = note.parts  # code, which is counted in these signs, names no variable
        call = self.piece(function).text
        inner = self.piece(*variable or [function.parts[note.info]]).text
        return self.mark("partial", call, inner if inner.isalnum() else self.parenthesis(inner))

    def as_matrix(self, note: Note) -> Note:
        """What is multiplied or inverted as a matrix: a number added to each entry is a multiple of 𝟏𝟏ᵀ, not of I."""
        if note.kind == "T":
            return note._replace(parts=(self.as_matrix(note.parts[0]),))
        if note.kind != "add" or note.rank != 2:
            return note
        parts = [p if p.shape else Note("full", (p,), None, note.shape) for p in note.parts]
        return note._replace(parts=tuple(parts))

    def array(self, note: Note) -> Piece:
        """The text of a note that is taken as a whole: what is the same everywhere is an array there, with its size."""
        value = number(0) if note.kind == "zeros" else note.parts[0] if note.kind == "full" else None
        if value is None or not note.shape or value.rank or (note.rank < 3 and note.kind == "full"):
            return self.piece(note)
        if note.rank > 2:
            return self.call("full", [parameter("", note.shape), self.piece(value).text])
        return self.zero_array(note)

    def zero_array(self, note: Note) -> Piece:
        """A vector or matrix of zeros."""
        ones = self.piece(Note("full", (number(1),), None, note.shape))
        return Piece(f"0{self.dot}{ones.text}", MUL)


# -------------------------------- Formulas by their entries: ``Σₖ A[i,k]·B[k,j]`` for whatever has no matrix notation

# The idea to hold: a note read at given indices. Sums over indices, products and functions pass the indices on to their
# parts; what has matrix notation of its own is written in it and indexed, ``(AB)[i,j]``.


_PLACES: dict[str, Sequence[Sequence[int]]] = {
    "ones": (), "eye": (), "T": ((1, 0),), "diag": ((0,),), "diagpart": ((0, 0),), "outer": ((0,), (1,)),
    "kron": ((0, 2), (1, 3)), "kronswap": ((0, 3), (1, 2)), "vecvec": ((0, 1), (2, 3)), "diagvec": ((0, 1),),
}  # fmt: skip
"""Notes whose entry is the product of their parts' entries: at which of its places."""
_DELTAS = {"eye": ((0, 1),), "diag": ((0, 1),), "diagvec": ((0, 2), (1, 3))}
"""Places that must be equal for it not to be 0."""


def _places(note: Note) -> Sequence[Sequence[int]] | None:
    if note.kind == "kronvec":
        return note.info[0]
    if note.kind in ("bcast", "full"):
        return (note.info or range(note.rank),)
    return _PLACES.get(note.kind)


class EntryWriter(Functions):
    """The part of a writer that writes entries."""

    def entry(self, note: Note, at: tuple[str, ...]) -> Piece:
        """The entry of a note at indices."""
        if not note.shape:
            return self.entry_einsum(note, at) if note.kind == "einsum" else self.piece(note)
        places = _places(note)
        if places is not None:
            deltas = [self.entry_of_identity(note.shape[k], (at[k], at[m])) for k, m in _DELTAS.get(note.kind, ())]
            entries = [self.entry(p, tuple([at[i] for i in s])) for p, s in zip(note.parts, places)]
            return self.times(deltas + entries)
        rule = getattr(self, "entry_" + note.kind, None)
        return self.item(self.piece(note), at) if rule is None else rule(note, at)

    def has_entries(self, note: Note) -> bool:
        """Whether its entries can be said in those of its parts."""
        return _places(note) is not None or hasattr(self, "entry_" + note.kind)

    def entry_zeros(self, note: Note, at: tuple[str, ...]) -> Piece:
        return Piece("0")

    def entry_chain(self, note: Note, at: tuple[str, ...]) -> Piece:
        first, *rest = note.parts
        if first.kind == "diag":
            return self.times([self.entry(first.parts[0], at[:1]), self.entry(chain(*rest), at)])
        if note.parts[-1].kind == "diag":
            return self.times([self.entry(chain(*note.parts[:-1]), at), self.entry(note.parts[-1].parts[0], at[1:])])
        return self.item(self.piece(note), at)

    def entry_add(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.sum([self.entry(p, at) for p in note.parts], note.info)

    def entry_product(self, note: Note, at: tuple[str, ...]) -> Piece:
        coef, body = note.info[0], note.parts[-1]
        above, below = above_and_below(body.parts if body.kind == "had" else [body])
        over, under = (self.times([self.entry(p, at) for p in found]) if found else None for found in (above, below))
        return self.scaled(coef, list(note.parts[:-1]), over, under)

    def entry_had(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.quotient([(p, at) for p in note.parts])

    def quotient(self, factors: list[tuple[Note, tuple[str, ...]]]) -> Piece:
        """A product of entries, negative powers below."""
        divisors = [factor for factor in factors if is_divisor(factor[0])]
        if not divisors:
            return self.times([self.entry(p, at) for p, at in factors])
        above = self.times([self.entry(*factor) for factor in factors if factor not in divisors])
        return self.fraction(above, self.times([self.entry(inverted(p), at) for p, at in divisors]))

    def entry_pow(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.powered(self.entry(note.parts[0], at), note.info)

    def entry_map(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.function(note, [self.entry(p, at) for p in note.parts])

    def entry_iverson(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.mark("iverson", self.entry(note.parts[0], at).text)

    def entry_images(self, note: Note, at: tuple[str, ...]) -> Piece:
        """An entry of what an operation makes of the array that is 1 at the last indices, else 0."""
        (made,), k = note.parts, note.info
        shape = made.parts[k].shape
        units = [self.item(self.identity(n), (i,)) for n, i in zip(shape, at[made.rank :])]
        if len(shape) == 2:
            unit = self.beside([units[0], self.transposed(units[1])])
        else:
            unit = Piece(self.kron.join([u.text for u in units]) or "1", MUL if len(units) > 1 else ATOM)
        operand = Note("sign", (), unit, shape)
        whole = self.piece(made._replace(parts=(*made.parts[:k], operand, *made.parts[k + 1 :])))
        return self.item(whole, at[: made.rank]) if made.rank else whole

    def entry_sum(self, note: Note, at: tuple[str, ...]) -> Piece:
        (part,) = note.parts
        if not by_entries(part):
            return self.item(self.piece(note), at)
        fresh, kept = self.borrow(len(note.info), at), iter(at)
        summed = dict(zip(note.info, fresh))
        body = self.entry(part, tuple([summed[k] if k in summed else next(kept) for k in range(part.rank)]))
        self.give_back(fresh)
        return self.big(fresh, body)

    def entry_einsum(self, note: Note, at: tuple[str, ...]) -> Piece:
        indices, rank = note.info
        inner = sorted({i for s in indices for i in s if i >= rank})
        fresh = self.borrow(len(inner), at)
        name = {**dict(enumerate(at)), **dict(zip(inner, fresh))}
        items = sorted(zip(note.parts, indices), key=lambda item: (item[0].kind == "add", item[0].kind == "map"))
        body = self.quotient([(p, tuple([name[i] for i in s])) for p, s in items])
        self.give_back(fresh)
        return self.big(fresh, body) if fresh else body

    def big(self, letters: list[str], body: Piece) -> Piece:
        """A sum over indices."""
        return Piece(f"{self.big_sum(letters)}{self.fenced(body, LARGE).text}", LARGE)


# ------------------------------------------------------ Notes as Unicode text, and the fold that LaTeX shares with it

# The idea to hold: one method per kind of note gives a `Piece`. All signs are attributes of the writer or small methods
# (`signs`), which is where LaTeX differs.


_WORDS = re.compile(r"[^\W_]+")


class Writer(EntryWriter):
    """Writes notes as Unicode text."""

    swap: str = ""  # the matrix that exchanges two axes, once it is needed

    def text(self, note: Note, label: str = "", entries: bool = False) -> str:
        """The text of a formula, or of its entries at i, j, …; with a ``label``, of the equation that defines it."""
        if note.kind == "zeros" and note.shape and not (label or entries):
            return self.call("zeros", self._sizes(note)).text
        if note.kind == "table" and not entries:
            return self.table_text(note, label)
        if note.kind == "factors":
            return self.decomposition(*note.parts)
        if not note.shape or not (self.has_entries(note) if entries else by_entries(note)):
            return self.equation(self.word(label), self.piece(note)) if label else self.piece(note).text
        at = tuple(self.borrow(note.rank))
        piece = self.entry(note, at)
        self.give_back(at)
        if label:
            return self.equation(self.item(self.word(label), at), piece)
        return piece.text if entries else self._at_each(piece, at, note).text

    def _at_each(self, piece: Piece, at: tuple[str, ...], note: Note) -> Piece:
        """An entry at all indices of its array: times a one at those that nothing else in it tells of."""
        told = set(_WORDS.findall(piece.text))
        ones = [self.call("ones", [n]) for n in self._sizes(note)]
        return self.times([piece, *[self.item(one, (i,)) for one, i in zip(ones, at) if i not in told]])

    def _sizes(self, note: Note) -> list[str]:
        return [self.piece(size(n)).text for n in note.shape]

    def _loop(self, note: Note) -> Piece:
        letter, first, last = note.info
        steps = self.equation(self.word(letter), Piece(f"{first} {self.dots} {last}"))
        return Piece(f"{self.piece(note.parts[0]).text}{self.for_all}{steps}", LARGE)

    def _series(self, note: Note) -> Piece:
        return Piece(self.sum_of_steps(*note.info) + self.inside(note.parts[0], ADD + 1).text, LARGE)

    def table_text(self, note: Note, label: str) -> str:
        """A table that stands alone: a matrix that is too long for a line has one for each row."""
        left = f"{self.word(label).text} = " if label else ""
        rows = [self.piece(p).text for p in note.parts]
        text = f"{left}[{', '.join(rows)}]"
        if note.rank < 2 or len(text) <= _limits.TABLE_WIDTH:
            return text
        return f"{left}[" + (",\n" + " " * (len(left) + 1 + 6 * bool(label))).join(rows) + "]"  # 6: "where "

    def decomposition(self, matrix: Note, left: Note, values: Note, right: Note) -> str:
        """X = U diag(s) Vᵀ, which says what U, s and V are; X = UΣVᵀ where s has no other use."""
        between = values if values.rank == 2 else diagonal_matrix(values)
        return self.equation(self.piece(matrix), self.piece(chain(left, between, transpose(right))))

    def equation(self, left: Piece, right: Piece) -> str:
        """A definition."""
        return f"{left.text} = {self.fenced(right, ADD).text}"

    def _index(self, note: Note) -> Piece:
        if not note.shape and note.parts[0].kind == "name":
            return self.number_in(note.parts[0].info[0], note.info)
        base = self.inside(note.parts[0], ATOM)
        return Piece(f"{base.text}[{chosen(note)}]", ATOM, base.left, True)

    def number_in(self, name: str, place: tuple[int, ...]) -> Piece:
        """An entry of a symbol, below its name unless another symbol is shown so."""
        at = f"[{', '.join(map(str, place))}]"
        piece = self.word(name + at)
        below = piece.text not in self.shown or name + at in self.taken
        return piece if below else Piece(self.word(name).text + at, right=True)

    def _name(self, note: Note) -> Piece:
        return self.word(note.info[0])

    def _number(self, note: Note) -> Piece:
        return self.scaled(note.info, [], None)

    def _data(self, note: Note) -> Piece:
        ones = labels(note.info.value)
        if ones is not None:
            return self.call("one_hot", [array(ones), str(note.shape[1])])
        return Piece(self.written_out(note.info.value.tolist()), ATOM)

    def _table(self, note: Note) -> Piece:
        inside = ", ".join([self.piece(p).text for p in note.parts])
        alone = len(note.parts) == 1 and note.parts[0].kind not in ("name", "number", "table")
        return Piece(f"[{inside},]" if alone else f"[{inside}]", ATOM, right=True)  # [x + y] would be brackets

    def written_out(self, value: Any) -> str:
        """Nested lists of numbers."""
        if isinstance(value, list):
            return "[" + ", ".join(map(self.written_out, value)) + "]"
        return self.figures(value)

    def _sign(self, note: Note) -> Piece:
        return note.info

    def _places(self, note: Note) -> Piece:
        last = size(note.shape[0] - 1 + note.info)
        return Piece(self.parenthesis(f"{note.info}, {self.dots}, {self.piece(last).text}"), ATOM)

    def _zeros(self, note: Note) -> Piece:
        return Piece("0")

    def _ones(self, note: Note) -> Piece:
        return Piece(self.one)

    def _eye(self, note: Note) -> Piece:
        return self.identity(note.shape[0])

    def _T(self, note: Note) -> Piece:
        (matrix,) = note.parts
        if matrix.kind == "inv":
            return self.inverse(self.piece(self.as_matrix(matrix.parts[0])), True)
        return self.transposed(self.piece(matrix))

    def _inv(self, note: Note) -> Piece:
        (matrix,) = note.parts
        base = matrix.parts[0] if matrix.kind == "T" else matrix
        return self.inverse(self.piece(self.as_matrix(base)), matrix.kind == "T")

    def _chain(self, note: Note) -> Piece:
        runs = [(part, len(list(run))) for part, run in itertools.groupby(note.parts)]
        return self.beside([piece for part, k in runs for piece in self._times_itself(part, k)])

    def _times_itself(self, matrix: Note, k: int) -> list[Piece]:
        """A matrix k times: X³, P⁻²; AᵀAᵀ stays, which is shorter than (Aᵀ)²."""
        turned = matrix.kind == "T" or (matrix.kind == "inv" and matrix.parts[0].kind == "T")
        if k == 1 or (turned and k == 2) or not self.entrywise:
            return [self.inside(self.as_matrix(matrix), CHAIN)] * k
        inverse = matrix.kind == "inv" and not turned
        base = matrix.parts[0] if inverse else matrix
        return [self.raised(self.piece(self.as_matrix(base)), f"-{k}" if inverse else str(k))]

    def _dot(self, note: Note) -> Piece:
        u, v = note.parts
        piece = self.beside([*self._row(u), self.inside(v, CHAIN)])
        return Piece(piece.text, piece.level, piece.left, True)  # xᵀAx Bx: a space after the number

    def _row(self, vector: Note) -> list[Piece]:
        """A vector lying down: uᵀ, and uᵀM for what is Mᵀu standing."""
        if vector.kind == "chain":
            matrices = [transpose(p) for p in reversed(vector.parts[:-1])]
            if sum(map(transposes, matrices)) <= transposes(vector) + 1:
                return [*self._row(vector.parts[-1]), *[self.inside(p, CHAIN) for p in matrices]]
        return [self.transposed(self.piece(vector))]

    def _outer(self, note: Note) -> Piece:
        u, v = note.parts
        return self.beside([self.inside(u, CHAIN), *self._row(v)])

    def _bcast(self, note: Note) -> Piece:
        if note.rank > 2:
            return self.item(self.piece(note.parts[0]), (self.dots,))
        ones = filled("ones", ())
        return self._outer(
            Note("outer", (*note.parts, ones) if note.info == (0,) else (ones, *note.parts), None, note.shape)
        )

    def _full(self, note: Note) -> Piece:
        (part,) = note.parts
        if part.rank:
            return self.piece(part)
        if note.rank > 2:
            ones = Note("sign", (), self.call("ones", self._sizes(note)), note.shape)
            return self.piece(product(1, [part], ones))
        along = [filled("ones", (n,)) for n in note.shape]
        return self.piece(
            _everywhere(part, Note("outer", tuple(along), None, note.shape) if note.rank > 1 else along[0])
        )

    def _square(self, note: Note) -> Piece:
        return self.raised(self.mark("norm", self.piece(note.parts[0]).text), "2")

    def _sum(self, note: Note) -> Piece:
        along = [] if note.info is None else [("dim", note.info)]
        return self.call("sum", [self.piece(note.parts[0]).text, *self.named(along)])

    def _add(self, note: Note) -> Piece:
        parts = note.parts
        if note.rank == 2 and any(
            _core(p).kind in ("eye", "diag") for p in parts
        ):  # a number beside I is every entry's
            ones = filled("ones", ())
            every = Note("outer", (ones, ones), None, note.shape)
            parts = tuple([p if p.shape else _everywhere(p, every) for p in parts])
        return self.sum([self.piece(p) for p in parts], note.info)

    def _had(self, note: Note) -> Piece:
        return self._quotient(1, [], note)

    def _product(self, note: Note) -> Piece:
        coef, scalars, body = factors_of(note)
        if body is not None and body.kind == "kron" and self.on_one_line and isinstance(coef, (int, Fraction)):
            return self._scaled_kron(coef, scalars, body)
        return self._quotient(coef, scalars, body)

    def _pow(self, note: Note) -> Piece:
        if is_negative(note.info):
            return self._quotient(1, [], note)
        base = note.parts[0]
        if base.kind == "square":
            norm, exponent = self.mark("norm", self.piece(base.parts[0]).text), note.info * 2
            return norm if exponent == 1 else self.raised(norm, self.figures(exponent))
        return self.powered(self.piece(base), note.info, self.entrywise if note.rank == 2 else "")

    def _quotient(self, coef: Any, scalars: list[Note], body: Note | None) -> Piece:
        """Numerator over denominator: negative powers go below."""
        parts = [] if body is None else list(body.parts) if body.kind == "had" else [body]
        above, below = above_and_below(parts)
        over = self._hadamard(above) if above else None
        under = self._hadamard(below) if below else None
        return self.scaled(coef, scalars, over, under)

    def _hadamard(self, parts: list[Note]) -> Piece:
        if len(parts) == 1:
            return self.piece(parts[0])
        pieces = [self.inside(p, MUL + 1) for p in parts]
        out = self._joined(self.had, pieces)
        out.divided = pieces[-1].divided
        return out

    def _joined(self, sign: str, pieces: list[Piece]) -> Piece:
        """Factors with a sign between them."""
        return Piece(sign.join([p.text for p in pieces]), MUL, pieces[0].left, pieces[-1].right)

    # Third and fourth order as matrices: pairs of axes are read row by row, so that most of what derivatives make is a
    # Kronecker product. ⊗ binds looser than ⊙: 2XᵀX ⊗ I/n needs no parentheses.

    def body_and_lines(self, laid: Any, entries: bool) -> tuple[str, list[str]]:
        """The text of a formula that is laid out, and of its definitions and what is to be said of them."""
        body = self.text(laid.body, entries=entries)
        lines = [self.text(note, label, entries) for label, note in laid.definitions]
        return body, lines + self._remarks([body, *lines])

    def _remarks(self, lines: list[str]) -> list[str]:
        """What is to be said after the definitions, of what occurs in the lines."""
        found = {self.word(self.swap).text: "exchanges the last two axes"} if self.swap else {}
        for call, words in self.explained.items():
            if any(call.partition("(")[0] in line for line in lines):
                found[call] = f"is {words}"
        return [self.mark("remark", symbol, words).text for symbol, words in found.items()]

    def _kron(self, note: Note) -> Piece:
        return self._joined(self.kron, [self.inside(p, MUL + 1) for p in note.parts])

    def _kronswap(self, note: Note) -> Piece:
        if not self.swap:
            names = itertools.chain(("K", "Π"), (f"K{i}" for i in itertools.count(1)))
            self.swap = next(k for k in names if k not in self.shown)
        return self.beside([Piece(self.parenthesis(self._kron(note).text)), self.word(self.swap)])

    def _scaled_kron(self, coef: Any, scalars: list[Note], body: Note) -> Piece:
        """``c P ⊗ Q/d``: what is multiplied with stands before the first factor, what is divided by after the last."""
        above, below = [s for s in scalars if not is_divisor(s)], [s for s in scalars if is_divisor(s)]
        top, bottom = abs(coef.numerator), coef.denominator
        first, second = body.parts
        parts = product(top, above, first), product(Fraction(1, bottom) if bottom > 1 else 1, below, second)
        piece = self._kron(Note("kron", parts, None, body.shape))
        return Piece(self.minus + piece.text, ADD, False, piece.right) if is_negative(coef) else piece

    def _kronvec(self, note: Note) -> Piece:
        first, second = note.parts
        left = self.inside(first, MUL + 1)
        right = self.transposed(self.piece(second)) if note.info[0][1] == (2,) else self.inside(second, MUL + 1)
        return self._joined(self.kron, [left, right])

    def _vecvec(self, note: Note) -> Piece:
        vectors = [self.call("vec", [self.piece(p).text]) for p in note.parts]
        return self.beside([vectors[0], self.transposed(vectors[1])])

    def _diagvec(self, note: Note) -> Piece:
        return self.call("diag", [self.call("vec", [self.piece(note.parts[0]).text]).text])

    def _einsum(self, note: Note) -> Piece:
        """Products with indices inside other notation, which layouts avoid."""
        at = tuple(self.borrow(note.rank))
        piece = self._at_each(self.entry_einsum(note, at), at, note)
        self.give_back(at)
        return Piece(f"[{piece.text}]") if at else piece


def _core(note: Note) -> Note:
    """What a coefficient and scalars stand before."""
    return note.parts[-1] if note.kind == "product" and note.info[1] else note


def _everywhere(note: Note, every: Note) -> Note:
    """A number as a matrix that has it at every place."""
    return product(note.info, [], every) if note.kind == "number" else product(1, [note], every)
