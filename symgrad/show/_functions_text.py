"""Functions, calls and linear operations as text.

The idea to hold: an operation prints by its row's own text if it has one, else by its public name with the parameters
that are not its defaults; only those with a notation of their own (``|x|``, ``x > 0``, ``A⁻¹b``) are named here.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np

from ..core import TABLE
from ._layout import COMPARISONS, Note, number
from ._layout_lin import own_transpose, selected
from ._parameters import WRITTEN, elu, index_of, parameter, shown_parameters, takes_many, written_call
from ._row_text import with_signs_of_entries, with_sums_of_numbers
from ._shown_names import in_unicode
from ._signs import ADD, ATOM, CHAIN, COMPARED, MUL, POW, Piece, Signs

_NAMES = re.compile(r"\b[a-z]\w*(?=\()")
"""The functions in a row's own text, which may have letters."""
_BELOW, _ABOVE = str.maketrans("0123456789−", "₀₁₂₃₄₅₆₇₈₉₋"), str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_PLACE = re.compile(r"<(\d)>")
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
_ORDERED = {f"{name}_dim": name for name in ("kthvalue", "topk", "sort", "median", "nanmedian", "mode")}
"""Rows that pick where another row found what is chosen, and the function that does both."""
_ALONG_ROWS = frozenset({"cumsum", "flip", "diff", "clear", "roll"})
"""Linear operations whose matrix is what they make of the identity, along its first axis."""


def _is_plain(name: str) -> bool:
    """Whether a word of a row's text is a row that is called by its operands alone."""
    return name in TABLE and not TABLE[name].letter.endswith(("_", "^"))


def _is_enclosed(text: str) -> bool:
    """Whether the parenthesis that a text begins with is closed by its last character."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return c == ")" and k == len(text) - 1 and k > 0
    return False


def _level(text: str) -> int:
    """How tightly a row's text holds together: a sum or a quotient is enclosed in parentheses."""
    if not _is_enclosed(text):
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
        """A function by its letter, the first parameters below and above it; None where the letter is a symbol."""
        letter = op.letter.rstrip("_^")
        places = op.letter[len(letter) :]
        if letter in map(in_unicode, self.taken) or any(map(np.ndim, params)):
            return None
        shown = self.functions.get(op.name) or self.sign_of(letter)
        rest = [self.given("", p) for p in params]
        if places[:1] == "_":
            shown = self.with_index(shown, rest.pop(0))
        if places[-1:] == "^":
            shown, rest = self.with_degree(shown, ", ".join(rest)), []
        return Piece(f"{shown}{self.parenthesis(', '.join([*[a.text for a in args], *rest]))}", ATOM, True, True)

    def sign_of(self, letter: str) -> str:
        """A function's letter."""
        return letter

    def with_index(self, function: str, text: str) -> str:
        """A function with its order below."""
        return function + (text.translate(_BELOW) if text.lstrip("−").isdigit() else f"_{text}")

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
        text = text[1:-1] if _is_enclosed(text) else text
        text, args = with_sums_of_numbers(text, args, self)

        def place(mark: re.Match[str]) -> str:
            piece, before, after = args[int(mark[1])], text[: mark.start()], text[mark.end() :]
            return self.fenced(piece, _least(before, after, piece.text)).text

        filled = _PLACE.sub(place, text)
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
        if not letter or letter in map(in_unicode, self.taken):
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
        if op.name in _ORDERED and note.parts[0] in note.parts[1].parts:
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
        name, given = _ORDERED[note.info[0].name], dict(finder.named(params))
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
            whole = self.zero_array(Note("zeros", (), None, term.in_shape)).text
            at = ", ".join([parameter("index", (k,)) for k in index]) + ("," if len(index) == 1 else "")
            return self.call("index_put", [whole, f"({at})", inner.text, "accumulate=True"])
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
        along = [n for n in ("dim", "dims") if n in params]
        if len(term.in_shape) == 1 and op.name in _ALONG_ROWS:
            others = [self.given(n, p) for n, p in params.items() if n not in along and type(p) is not bool]
            named = self.named([(n, 0) for n in along])
            inner = self.call(self.label(op), [self.identity(term.in_shape[0]).text, *others, *named])
            return self.transposed(inner) if params.get("reverse") else inner
        letters = "xyzuvw" if len(term.in_shape) < 2 else "XYZUVW"
        symbol = self.word(next((c for c in letters if c not in self.taken), letters[0] + "0"))
        return self.mark("partial", self.operation(term, symbol, False).text, symbol.text)

    def _jac(self, note: Note) -> Piece:
        call = self.piece(note.parts[0]).text
        inner = self.piece(note.parts[0].parts[note.info]).text
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
