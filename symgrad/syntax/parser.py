"""From tokens to a tree, by binding powers: the higher the power, the tighter a sign binds its operands.

The tree says what stands where, before anything is known about shapes. The stack of open brackets is the parser's only
memory beside its place; nesting is bounded, and signs in a row are read by loops.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from .. import _limits
from .lexer import (
    APPLIED,
    BRACKETS,
    CLOSING,
    COMPARE,
    GREEK,
    JUXT,
    LARGE_SIGNS,
    LETTER,
    MATRIX_PRODUCTS,
    POSTFIX,
    POWER,
    PREFIX,
    RELATIONS,
    SIGNS,
    SPELLED_LETTERS,
    SUM,
    ParseError,
    Token,
    end_of_bracket,
    ends_operand,
    is_unseen,
    is_where,
    starts_operand,
    too_deep,
    value_of,
)


def shortened(text: str, most: int = 40) -> str:
    """A part of a text for a message: on one line, its middle left out where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"


def close_to(name: str, others: Iterable[str]) -> list[str]:
    """The names among ``others`` that a mistyped name may have meant: the same first letter, and few others changed."""
    others = sorted(o for o in others if o[:1].lower() == name[:1].lower())
    if name[-1:] == "m" and name[:-1] in APPLIED | {"sqrt"}:  # sqrtm is of a matrix
        return []
    near = difflib.get_close_matches(name, others, n=3, cutoff=0.65)
    near = [o for o in near if 2 * abs(len(o) - len(name)) < max(len(o), len(name))]
    return near or [o for o in others if len(o) > 2 and o.lower() == name.lower()]


def meant_by(name: str, functions: Iterable[str]) -> str:
    """The next step where a name is no function: what it may have meant, else where they are listed."""
    listed = "symgrad.notation.functions() lists what is, the page on operations what it does."
    return f"Did you mean {' or '.join(close)}?" if (close := close_to(name, functions)) else listed


class Node:
    """A part of a text.

    ``kind`` is one of these, the last five being made later, by who reads the tree

    ======== ================================================= ===========================
    kind     value                                             children
    ======== ================================================= ===========================
    number   the number (or True, False, None)
    string   the string
    name     the name                                          what 'where' defines it as
    list     None                                              its elements
    tuple    None                                              its elements
    items    None                                              the list of what is joined
    binary   the sign: + - * / @ ** ^ .* ⊗ < ∧ …, juxt, sup    two operands
    unary    the sign: - + ~ √ T -T K ⁺                        one operand
    call     (name, names of the keyword arguments)            arguments, keywords last
    index    tuple of ints, slices, lists of ints, None        what is indexed
    entry    tuple of letters and ints                         what is indexed
    Σ        the letters it runs over                          what is summed
    Π        the letters it runs over                          what is multiplied
    method   the attribute: 'shape'                            its owner
    axes     the letters, in the order of the axes             entries that become an array
    pairs    None                                              P and Q of vec(P) vec(Q)ᵀ
    place    a letter that is summed over, its first number
    apply    a function of values, entry by entry              its operands
    given    the shape and the value of an array
    ======== ================================================= ===========================
    """

    __slots__ = ("at", "bracketed", "children", "end", "kind", "owner", "shifts", "spans", "start", "value")

    children: tuple[Node, ...]
    kind: str
    value: Any
    end: int
    start: int

    def __init__(
        self, kind: str, value: Any, children: tuple[Node, ...], start: int, end: int, at: int | None = None
    ) -> None:
        self.kind, self.value, self.children = kind, value, children
        self.start, self.end = start, end
        self.at: int = start if at is None else at  # where a caret points: at the operator
        self.bracketed: bool = False
        # of an entry: what is added to its letters, 1 in x[i+1], and the least and the most that is in its sum
        self.shifts: tuple[int, ...] = (0,) * len(value) if kind == "entry" else ()
        self.spans: dict[str, tuple[int, int]] = {}
        self.owner: str = ""  # of a call: the module before it, as np of np.std(x), or "." of a method

    @classmethod
    def leaf(cls, kind: str, value: Any, token: Token) -> Node:
        """What one token says."""
        return cls(kind, value, (), token.start, token.end)

    @classmethod
    def between(cls, left: Node, sign: str, right: Node, at: int) -> Node:
        """Two operands with a sign between them, ``at`` its place."""
        return cls("binary", sign, (left, right), left.start, right.end, at)

    @classmethod
    def behind(cls, left: Node, kind: str, value: str, sign: Token) -> Node:
        """An operand with a sign behind it."""
        return cls(kind, value, (left,), left.start, sign.end, sign.start)

    def is_binary(self, *signs: str) -> bool:
        """Whether one of these signs stands between two operands."""
        return self.kind == "binary" and self.value in signs

    def is_unary(self, *signs: str) -> bool:
        """Whether one of these signs stands before or behind an operand."""
        return self.kind == "unary" and self.value in signs

    def is_call(self, *names: str) -> bool:
        """Whether one of these functions is called."""
        return self.kind == "call" and self.value[0] in names

    def __repr__(self) -> str:
        return f"<{self.kind} {self.value!r} at {self.start}:{self.end}>"


# ------------------------------------------------------------------------------------------------------------ cursor


_DELTAS = frozenset({"δ", "eye"})


class Shifted(NamedTuple):
    """``i+1``: a letter of an index, and what is added to it."""

    letter: str
    by: int


class Cursor:
    """Where a parser is in its tokens; ``names`` are declared and defined, and no letters of indices; ``matrix``:
    whether things side by side are multiplied."""

    tokens: list[Token]
    text: str
    names: Collection[str]
    matrix: bool = False

    def __init__(self, tokens: list[Token], text: str, names: Collection[str]) -> None:
        self.tokens, self.text, self.names = tokens, text, names
        self.i: int = 0
        self.open: list[Token] = []

    @property
    def now(self) -> Token:
        return self.tokens[self.i]

    def token(self, at: int) -> Token:
        """The token at a place, the last one behind all."""
        return self.tokens[min(at, len(self.tokens) - 1)]

    def problem(self, what: str, token: Token, next_step: str = "") -> ParseError:
        return ParseError.at(what, self.text, token, next_step)

    def take(self) -> Token:
        token = self.tokens[self.i]
        self.i += 1
        return token

    def at(self, *signs: str) -> bool:
        """Whether the next token is one of the signs."""
        return self.now.is_sign(*signs)

    def at_end_of(self, opening: Token) -> bool:
        return self.now.kind == ("close" if opening.kind == "open" else "op") and (
            self.now.text == CLOSING[opening.text]
        )

    def close(self, opening: Token) -> Token:
        """Read the bracket that closes ``opening``."""
        if not self.at_end_of(opening):
            if self.now.kind == "end":
                raise self.unclosed()
            raise self.stray(self.now)
        self.open.pop()
        return self.take()

    def listed(self, opening: Token, item: Callable[[], Any]) -> tuple[list[Any], Token]:
        """Read ``a, b, …`` up to the bracket that closes ``opening``; what ``item`` made of each, and that bracket."""
        self.open.append(opening)
        items = []
        while not self.at_end_of(opening):
            items.append(item())
            if not self.at(","):
                break
            self.take()
        return items, self.close(opening)

    # ------------------------------------------------------------------ indices

    def index(self, left: Node, opening: Token) -> Node:
        """Read what is behind the bracket ``opening``."""
        items, closing = self.listed(opening, self._slice)
        end = closing.end
        if not items:
            raise self.problem("an empty index", opening)
        shifts = tuple([item.by if isinstance(item, Shifted) else 0 for item in items])
        items = [item.letter if isinstance(item, Shifted) else item for item in items]
        if not any(isinstance(item, str) for item in items):
            return Node("index", tuple(items), (left,), left.start, end, opening.start)
        if not all(isinstance(item, (str, int)) for item in items):
            step = "Write an entry, A[i,0], or a part, A[0, 1:]."
            raise self.problem("letters and slices in one index", opening, step)
        word = left.value == "delta" and len(items) == 2
        named = left.kind == "name" and left.value not in self.names
        if named and (word or (left.value in _DELTAS and len(items) > 1)):  # δᵢ is an entry
            left = Node("call", ("δ[]", ()), (), left.start, left.end)
        node = Node("entry", tuple(items), (left,), left.start, end, opening.start)
        node.shifts = shifts
        return node

    def _letter(self) -> str | Shifted:
        token = self.take()
        if not LETTER.fullmatch(token.text) and token.text != "…":
            raise self.problem("an index is a number, a slice or a letter alone", token, "Write x[0], x[1:] or x[i].")
        if token.text in self.names:
            step = "Choose another letter, or name the symbol otherwise."
            raise self.problem(f"'{token.text}' is a symbol here and cannot be an index", token, step)
        sign = self.take().text if self.at("+", "-") and self.tokens[self.i + 1].text.isdigit() else ""
        by = self._integer() if sign else 0
        if not self.at("]", ","):
            raise self.problem("an index is a letter, perhaps with a number", self.now, "Write x[i] or x[i+1].")
        return Shifted(token.text, -by if sign == "-" else by) if by else token.text

    def _slice(self) -> int | slice | list[int] | str | Shifted | None:
        if self.at("["):
            return self._chosen()
        if self.now.text == "None":
            self.take()
            return None
        if self.now.kind == "name" or self.at("…"):
            return self._letter()
        parts: list[int | None] = [None]
        colons = 0
        while not self.at("]", ","):
            if self.at(":"):
                self.take()
                colons += 1
                parts.append(None)
                if colons > 2:
                    raise self.problem("a slice has at most three parts", self.now)
                continue
            if parts[-1] is not None:
                raise self.missing(self.now)
            parts[-1] = self._integer()
        if not colons:
            if parts[0] is None:
                raise self.missing(self.now)
            return parts[0]
        if len(parts) > 2 and parts[2] == 0:
            raise self.problem("a slice needs a step that is not 0", self.now, "Write x[::2], or x[::-1] backwards.")
        return slice(*parts)

    def _chosen(self) -> list[int]:
        """Read ``[0, 2]`` in an index, which takes these entries of an axis."""
        opening = self.take()
        places, _ = self.listed(opening, self._integer)
        if not places:
            raise self.problem("an empty index", opening)
        return places

    def _integer(self) -> int:
        sign = -1 if self.at("-") else 1
        if sign < 0:
            self.take()
        if self.now.kind != "number" or not self.now.text.isdigit() or len(self.now.text) > _limits.TEXT_INDEX:
            raise self.problem("an index is an integer or a slice of integers", self.now, "Write x[0] or x[1:].")
        return sign * int(self.take().text)

    # ------------------------------------------------------------------ complaints

    def missing(self, token: Token) -> ParseError:
        """An operand is missing before a token."""
        if token.kind == "end":
            if self.open:
                return self.unclosed()
            return self.problem("the formula ends where an operand should follow", token)
        return self.problem(f"an operand is missing before '{token.text}'", token)

    def unclosed(self) -> ParseError:
        opening = self.open[-1]
        is_brace = self.text.startswith("{", opening.start)
        sign, closing = "{}" if is_brace else (opening.text, CLOSING[opening.text])
        return self.problem(f"'{sign}' is never closed", opening, f"Add the missing '{closing}'.")

    def stray(self, token: Token) -> ParseError:
        """A token stands where it cannot."""
        sign = token.text
        if sign in BRACKETS.values() or token.kind == "close":
            if self.open:
                opening = self.open[-1]
                return self.problem(f"'{sign}' does not close '{opening.text}'", token, "Balance the brackets.")
            return self.problem(f"'{sign}' closes nothing", token, "Remove it, or open the bracket before.")
        if token.kind in ("name", "number", "string", "open", *LARGE_SIGNS) or sign in ("(", "⟨", "⌊", "√", "["):
            step = "Write * between them."
            if not (self.matrix or token.kind == "number"):  # which follows nothing in matrix notation either
                step = 'Write * between them, or dialect="matrix" for matrix notation.'
            return self.problem(f"an operator is missing before '{shortened(sign)}'", token, step)
        if sign == "=":
            step = "Write the difference of both sides, F; where it is 0, y' = -F_x/F_y. Definitions follow 'where'."
            return self.problem("'=' is no part of a formula", token, step)
        return self.problem(f"'{sign}' is not expected here", token)


# ------------------------------------------------------------------------------------------------------------ parser


_OPENS = frozenset({"(", "⟨", "⌊", "√", "¬"})
_CALLS = {"‖": "‖‖", "|": "||", "⌊": "floor"}  # what brackets with one operand are
_ATOMS = frozenset({"name", "number", "index", "entry"})
_NORMAL = " Phi(…) is the normal distribution."
_POWERS = frozenset({"^", ".^", "^∘"})  # those of paper, where a power of a power may be read in two ways
MODULES = frozenset(
    {"np", "numpy", "sg", "symgrad", "torch", "jnp", "scipy", "sp", "sc", "math", "linalg", "special", "stats", "F",
     "nn", "functional"}
)  # fmt: skip
_LITERALS = {"True": True, "False": False, "None": None}
_VARYING, _WHOLE = frozenset("rstuvwxyz"), frozenset("knmN")
"""Letters that are raised to a written power, and not to one with another letter; letters that stand in powers."""
_OF_LISTS = frozenset({"cat", "concatenate", "hstack", "stack"})
OF_EACH = frozenset({"sum", "mean", "prod", "maximum", "minimum"})
"""Functions before whose argument Julia has another, ``sum(abs2, x)``."""


class Parser(Cursor):
    """Reads one expression.

    Parameters
    ----------
    tokens, text : what to read
    matrix : whether it is matrix notation, where things side by side are multiplied
    functions : the names of functions; any name before a bracket is one if None
    names : declared and defined names, which are no functions
    swaps : symbols that exchange the last two axes of what they stand behind
    """

    i: int
    matrix: bool
    functions: Collection[str] | None
    swaps: Collection[str]

    def __init__(
        self, tokens: list[Token], text: str, matrix: bool = False, functions: Collection[str] | None = None,
        names: Collection[str] = (), swaps: Collection[str] = (),
    ) -> None:  # fmt: skip
        super().__init__(tokens, text, names)
        self.matrix, self.functions, self.swaps = matrix, functions, swaps
        self.depth: int = 0

    def parse(self) -> Node:
        if self.now.kind == "end":
            raise self.problem("the formula is empty", self.now, "Write one, as in sum((X@w - y)**2).")
        node = self.expression(0)
        if self.now.kind != "end":
            raise self.stray(self.now)
        return node

    # ------------------------------------------------------------------ expressions

    def expression(self, power: int) -> Node:
        """Read on while signs bind tighter than ``power``."""
        self.depth += 1
        if self.depth > _limits.TEXT_DEPTH:
            raise too_deep(self.text, self.now)
        node = self._operand()
        while True:
            token = self.now
            binding = self._binding(token)
            if binding <= power:
                break
            node = self._joined(node, token, binding)
        if not power and self.now.kind == "name" and self.now.text == "if":
            node = self._conditional(node)
        self.depth -= 1
        return node

    def _conditional(self, value: Node) -> Node:
        """Read ``a if c else b`` of Python from the ``if`` on."""
        word, step = self.take(), "Write x if x > 0 else 0, or where(x > 0, x, 0)."
        condition = self.expression(COMPARE - 3)
        if not is_truth(condition):
            raise self.problem("a condition compares", word, step)
        if self.now.text != "else":
            raise self.problem("'if' without 'else' or 'otherwise'", word, step)
        self.take()
        other = self.expression(0)
        return Node("call", ("where", ()), (condition, value, other), value.start, other.end, word.start)

    def _binding(self, token: Token) -> int:
        """How tightly the next token binds what stands to its left; 0 if it ends the expression."""
        if token.kind == "sup":
            return POSTFIX
        if token.kind in ("name", "number"):
            return JUXT if self._may_stand_beside(token) else 0
        if token.kind in ("open", *LARGE_SIGNS):
            return JUXT if self.matrix else 0
        if token.kind != "op" or (self.open and self.at_end_of(self.open[-1])):
            return 0
        if token.text in (".", "[", "'"):
            return POSTFIX
        if token.text in _OPENS and self.matrix:
            return JUXT
        if token.text == "=" and self.open:
            return COMPARE
        return SIGNS[token.text].binds

    def _may_stand_beside(self, token: Token) -> bool:
        if not self.matrix:
            return False
        if token.kind == "number":
            before, after = self.tokens[self.i - 1], self.tokens[self.i + 1]
            is_fraction = before.text == ")" and before.end < token.start and (token.text, after.text) == ("1", "/")
            return is_fraction or self._is_indicator(token) or self._is_raised()  # (a + b) 1/(c + d)
        return token.text not in ("and", "if", "else", "otherwise") and not is_where(self.tokens, self.i)

    def _is_raised(self) -> bool:
        """Whether a number with a power stands behind a factor, ``x 2^x``: of ``x 2`` nobody knows."""
        before, exponent = self.tokens[self.i - 1], self.tokens[self.i - 2].is_sign("^")
        return self.tokens[self.i + 1].is_sign("^") and (before.kind != "number" or exponent)

    def _is_indicator(self, token: Token) -> bool:
        """Whether ``1[`` opens an indicator, ``1[x > 0]``."""
        after = self.tokens[self.i + 1] if self.tokens[self.i] is token else self.now
        return token.text == "1" and after.text == "[" and after.start == token.end

    def _joined(self, left: Node, token: Token, binding: int) -> Node:
        """``left`` with the sign that follows it, and its right operand."""
        if binding == POSTFIX:
            return self._postfix(left)
        if binding == JUXT and token.text in self.swaps:
            return Node.behind(left, "unary", "K", self.take())
        if binding == JUXT:
            self._refuse_half_a_product(left, token)
            right = self.expression(JUXT)
            return Node.between(left, "juxt", right, right.start)
        self.take()
        if binding == POWER and self.matrix and token.text == "^" and (turned := self._turned()):
            return Node("unary", turned, (left,), left.start, self.tokens[self.i - 1].end, token.start)
        if binding == POWER and self.at("+") and not self._raises(self.now):
            return self._positive_part(left, self.take())
        right = self._exponent() if binding == POWER else self.expression(binding)
        raised = right.children[0] if right.is_unary("-") else right
        if token.text == "^" and raised.kind == "name" and not (raised.bracketed or right.bracketed):
            self._refuse_word_above(left, raised)
        if token.text == "^" and raised.value == 1 and self.at("/") and not (raised.bracketed or right.bracketed):
            self._refuse_root(left, token)
        if token.text == "/" and (fraction := self._fraction(left, token, right)):
            return fraction
        product = right.children[0] if right.kind in LARGE_SIGNS.values() else right
        of_two = product.is_binary(*MATRIX_PRODUCTS) and not right.bracketed
        if token.text in ("/", "./") and of_two and not _is_form(product):
            raise self.problem(
                f"'{shortened(self.text[left.start : right.end])}' may be (a/b)c or a/(bc)", token, "Write brackets."
            )
        if binding == COMPARE and _is_comparison(left) and not left.bracketed:
            raise self.problem("comparisons in a chain", token, "Write (a < b) & (b < c).")
        is_power = left.is_binary(*_POWERS) and not left.bracketed
        if binding == POWER and self.matrix and is_power:
            raise self.problem("a power of a power may be read in two ways", token, "Write brackets.")
        of_root = left.is_unary("√") and not left.bracketed
        if binding == POWER and of_root and left.children[0].kind in _ATOMS and not left.children[0].bracketed:
            source = shortened(self.text[left.start : right.end])
            raise self.problem(f"'{source}' may be (√a)^b or √(a^b)", token, "Write brackets.")
        sign = {"=": "==", "%*%": "@"}.get(token.text, token.text)
        return Node.between(left, sign, right, token.start)

    def _refuse_word_above(self, left: Node, word: Node) -> None:
        """Refuse ``e^xy``, as ``e^3x`` is: a power times y, one of x·y, or one of a name that nobody said."""
        x, y = self.text[word.start : word.end][:1], self.text[word.start + 1 : word.end]
        own = word.value in self.names or word.value in SPELLED_LETTERS or self.functions is None
        if re.fullmatch("[A-Za-z]{2}", str(word.value)) and x + y == word.value and not own:
            before = shortened(self.text[left.start : word.start])
            what = f"'{before}{x}{y}' may be ({before}{x}){y}, {before}({x}·{y}), and a power of one name"
            step = f"Write ({before}{x})*{y} or {before}({x}*{y}), or declare the name: {x}{y}=()."
            raise ParseError.at(what, self.text, word, step)

    def _refuse_root(self, left: Node, token: Token) -> None:
        """Refuse ``x^1/2``, where nobody raises to the power 1, and ``x^-1/2``."""
        after = self.tokens[self.i + 1]
        if after.kind == "number":
            source = self.text[left.start : after.end]
            raise self.problem(f"'{source}' may be a root, and a fraction", token, "Write brackets, x^(1/2).")

    def _turned(self) -> str:
        """Read the ``T`` or ``-T`` of a transpose behind ``^``, if one is there; else nothing."""
        minus = self.at("-")
        letter = self.tokens[self.i + minus]
        if letter.text != "T" or "T" in self.names or (minus and letter.start != self.now.end):
            return ""
        self.i += 1 + minus
        return "-T" if minus else "T"

    def _fraction(self, left: Node, sign: Token, right: Node) -> Node | None:
        """``1/2 xᵀAx``, ``λ/2 ‖w‖²``: what is divided by a written number, times what is behind a blank; else None."""
        factors, first = list[Node](), right
        while first.is_binary("juxt", "·") and not first.bracketed:
            factors.append(first.children[1])
            first = first.children[0]
        turned = bool(factors) and factors[-1].is_unary("T")  # 1/2x'Qx, a form
        blank = turned or self.text[first.end : first.end + 1].isspace()
        top = left.children[0] if left.is_unary("-") and not left.bracketed else left
        if not factors or not blank or right.bracketed:
            return None
        if len(factors) == 1 and factors[0].kind in LARGE_SIGNS.values():  # 1/n Σ_i x_i
            return Node.between(Node.between(left, "/", first, sign.start), "juxt", factors[0], factors[0].start)
        if first.kind != "number":
            return None
        if top.kind != "number" and (left.end < sign.start or factors[-1].value in ("pi", "π")):  # h/2 π
            return None
        node = Node.between(left, "/", first, sign.start)
        for factor in reversed(factors):
            node = Node.between(node, "juxt", factor, factor.start)
        return node

    def _exponent(self) -> Node:
        """What is behind the sign of a power: a minus there belongs to the exponent alone, x^-1 y."""
        self.depth += 1
        if not self.at("-", "+") or self.depth > _limits.TEXT_DEPTH:
            self.depth -= 1
            return self.expression(POWER - (not self.matrix))
        sign = self.take()
        operand = self._exponent()
        self.depth -= 1
        return Node("unary", sign.text, (operand,), sign.start, operand.end)

    def _raises(self, sign: Token) -> bool:
        """Whether a plus behind the sign of a power has an operand, ``e^+x``."""
        after = self.token(self.i + 1)
        return after.start == sign.end and starts_operand(after)

    def _positive_part(self, left: Node, sign: Token) -> Node:
        """``(S − K)⁺``, where the operand stands in brackets: of ``A⁺`` nobody knows."""
        if not left.bracketed:
            step = "Write pinv(A) for the pseudo-inverse, max(x, 0) for the positive part."
            raise self.problem("the superscript '+' is not read", sign, step)
        return Node.behind(left, "unary", "⁺", sign)

    def _refuse_half_a_product(self, left: Node, token: Token) -> None:
        """Refuse ``2^xy``, ``e^-2x`` and ``√2x``, where it is not seen how much the exponent, or the root, takes."""
        last = left
        while last.value == "juxt" and not last.bracketed:
            last = last.children[1]
        apart = last.bracketed or last.end != token.start or self.text[token.start] == "["  # [A]²[B]
        if apart or token.kind not in ("name", "number"):
            return
        if last.is_binary(*_POWERS):
            inner, said = last.children[1], "(a^b)c or a^(bc)"
            if inner.kind == "number" and self._ends_a_power(last.children[0], token):
                return
        elif last.is_unary("√"):
            inner, said = last.children[0], "(√a)b or √(ab)"
        else:
            return
        if inner.kind == "unary" and not inner.bracketed and inner.children[0].value != 1:  # A^-1B is an inverse
            inner = inner.children[0]  # e^-2x
        if not inner.bracketed and inner.kind in ("name", "number"):
            above, factor = last.children[-1].start, self.text[token.start : token.end]
            before, exponent = self.text[last.start : above], self.text[above : token.start]
            step = f"Write ({before}{exponent}){factor} or {before}({exponent}{factor})."
            raise self.problem(f"'{shortened(before + exponent + factor)}' may be {said}", token, step)

    def _ends_a_power(self, base: Node, token: Token) -> bool:
        """Whether a written exponent ends before a token: ``x^2sin(x)``, ``x^2e^x``, and ``x^2y``; not ``e^2x``, nor
        ``x^2n``, nor ``x^2x``, which nobody writes for x³."""
        after = self.tokens[self.i + 1]
        called = self.functions is not None and token.text in self.functions and after.text == "("
        varies = base.kind == "name" and base.value in _VARYING and token.kind == "name"
        varies = varies and token.text not in _WHOLE | {base.value}
        return called or (token.text == "e" and after.is_sign("^")) or varies

    def _operand(self) -> Node:
        """Read what may start an expression: a number, a name, a bracket, a sign before its operand."""
        token = self.take()
        if token.kind == "number":
            if self._is_indicator(token):
                return self._indicator(token)
            return Node.leaf("number", value_of(token, self.text), token)
        if token.kind == "name":
            return self._named(token)
        if token.kind == "string":
            return Node.leaf("string", token.text, token)
        if token.kind in LARGE_SIGNS:  # as far as the next plus or minus
            body = self.expression(SUM)
            return Node(LARGE_SIGNS[token.kind], tuple(token.text.split()), (body,), token.start, body.end)
        if token.kind == "open":
            return self._bracket(token)
        if token.kind == "op":
            if token.text in ("-", "+", "~", "√", "¬"):
                operand = self.expression(POSTFIX - 1 if token.text == "√" else PREFIX)
                sign = "~" if token.text == "¬" else token.text
                return Node("unary", sign, (operand,), token.start, operand.end)
            if token.text in BRACKETS:
                return self._bracket(token)
        self.i -= 1
        raise self.missing(token)

    # ------------------------------------------------------------------ brackets

    def _list(self, opening: Token) -> tuple[tuple[Node, ...], Token]:
        items, closing = self.listed(opening, lambda: self.expression(0))
        return tuple(items), closing

    def _bracket(self, opening: Token) -> Node:
        if opening.text == "[":
            return self._rows(opening)
        items, closing = self._list(opening)
        start, end = opening.start, closing.end
        if opening.text == "⟨":
            if len(items) != 2:
                raise self.problem("⟨ ⟩ takes two operands", opening, "Write ⟨A, B⟩.")
            return Node("call", ("⟨⟩", ()), items, start, end)
        if not items:
            raise self.problem("nothing between the brackets", opening)
        if opening.text == "(":
            if len(items) > 1 or self.tokens[self.i - 2].text == ",":
                return Node("tuple", None, items, start, end)
            inner = items[0]
            inner.bracketed, inner.start, inner.end = True, start, end
            return inner
        if len(items) > 1:
            raise self.problem("a comma between bars", opening)
        if self.now.kind == "sub":  # ‖x‖₁
            token = self.take()
            kind, value = ("string", token.text) if token.text == "nuc" else ("number", float(token.text))
            order = Node.leaf(kind, value, token)
            return Node("call", ("‖‖", ("ord",)), (*items, order), start, token.end)  # and |w|₁
        return Node("call", (_CALLS[opening.text], ()), items, start, end)

    def _rows(self, opening: Token) -> Node:
        """Read ``[1, 2]``, ``[[1, 2], [3, 4]]`` or ``[1, 2; 3, 4]``."""
        self._refuse_blanks(opening)
        self.open.append(opening)
        rows: list[list[Node]] = [[]]
        while not self.at("]"):
            rows[-1].append(self.expression(0))
            if self.at(";"):
                rows.append([])
            elif not self.at(","):
                break
            self.take()
        end = self.close(opening).end
        if not all(rows):
            raise self.problem("an empty list", opening)
        lists = [Node("list", None, tuple(row), row[0].start, row[-1].end) for row in rows]
        return Node("list", None, tuple(lists) if len(rows) > 1 else tuple(rows[0]), opening.start, end)

    def _refuse_blanks(self, opening: Token) -> None:
        """Refuse ``[1 -1]`` and ``[a b; c d]``, whose blanks part elements in MATLAB."""
        depth, commas, rows, parts = 1, False, False, list[Token]()
        for k in range(self.i, len(self.tokens) - 1):
            before, token, after = self.tokens[k - 1 : k + 2]
            depth -= token.kind == "close" or token.text in (")", "]")
            if not depth:
                break
            commas = commas or (depth == 1 and token.is_sign(","))
            rows = rows or (depth == 1 and token.is_sign(";"))
            blank = before.end < token.start and ends_operand(before) and depth == 1
            signed = token.is_sign("+", "-") and token.end == after.start
            if blank and (signed or (starts_operand(token) and not token.is_sign("-"))):
                parts.append(token)
            depth += token.kind == "open" or token.text in ("(", "[")
        latex = re.search(r"\\[A-Za-z]{2}|[{}]", self.text)  # whose blanks mean nothing
        if parts and (rows or not commas) and self.text.isascii() and not latex:
            step = "Write [1, -1] for two elements, no blank, [1-1], for one."
            raise self.problem("a blank in brackets parts elements in MATLAB, and factors or summands elsewhere",
                               parts[0], step)  # fmt: skip

    def _indicator(self, one: Token) -> Node:
        items, closing = self._list(self.take())
        if len(items) != 1:
            raise self.problem("an indicator has one condition", one, "Write 1[x > 0].")
        return Node("call", ("1[]", ()), items, one.start, closing.end)

    # ------------------------------------------------------------------ names and calls

    def _named(self, token: Token) -> Node:
        start, owner = token.start, ""
        while token.text in MODULES and token.text not in self.names and self.at("."):
            owner = owner or token.text
            dot = self.take()
            if owner == "F" and self.now.kind == "name" and not self.is_function(self.now.text):  # a force?
                said = f"{owner}.{self.now.text}"
                raise self.problem(f"'{said}' is no function of PyTorch's, and may be a product", dot, "Write *, or @.")
            if self.now.kind != "name":
                raise self.missing(self.now)
            token = self.take()
        name = token.text
        if name in _LITERALS:
            return Node("number", _LITERALS[name], (), start, token.end)
        if keyword.iskeyword(name):
            raise self.problem(f"'{name}' is a word of Python and cannot be a name", token, "Choose another name.")
        if self.at("(") and name not in self.names:
            if self._is_factor(name):
                return Node("name", name, (), start, token.end)
            if self.is_function(name):
                return self._call(name, (), start, owner)
            apart = self.now.start > token.end or name in GREEK.values()  # D_e (1 − x), epsilon(x − y)
            if len(name) == 1 and self.tokens[self.i + 1].kind == "number":
                self._refuse_value(token)
            letter = len(name.partition("_")[0]) == 1 or (apart and name[1:].isdigit())  # b1 (1 − x)
            called = name in ("f", "g") and self.now.start == token.end and self.tokens[self.i + 1].kind != "number"
            if not (self.matrix and (letter or apart)) or name == "Γ" or called:
                raise self._unknown(token)
            self._refuse_value(token)
        elif self.at("(") and len(name) > 1 and name in (self.functions or ()) and self.now.start == token.end:
            self._refuse_own_function(token)
        return Node("name", name, (), start, token.end)

    def _refuse_value(self, token: Token) -> None:
        """Refuse ``x(t)`` and ``x(1)``: nobody puts one name in brackets to multiply by it."""
        inner, after = self.tokens[self.i + 1], self.i + 2
        if self.token(after).text == "[":  # u(c_t)
            after = end_of_bracket(self.tokens, after) + 1
        closing = self.token(after)
        shifted = inner.text in "tnkijs" and inner.text != token.text and closing.is_sign("+", "-")  # x(t − 1)
        shifted = shifted and token.text.isascii() and self.now.start == token.end
        if inner.kind in ("name", "number") and (shifted or closing.text in (")", ",")):
            name, inside = self.text[token.start : token.end], self.text[inner.start : self.tokens[after - 1].end]
            inside = f"({inside}…)" if shifted else inside
            what = f"{name}(…) may be a function, and the product with {name}"
            step = f"Write {name}*{inside} for the product, {name} alone for a function's value that does not change."
            if inner.kind == "number":
                what = f"{name}({inside}) may be an entry as MATLAB counts, a function's value, and the product"
                step = f"Write {name}[0] for the first entry, {name}*{inside} for the product."
            step += _NORMAL * (name == "N")
            raise self.problem(what, token, step)

    def _refuse_own_function(self, token: Token) -> None:
        """Refuse ``exp(x)`` where exp is the name of something: it may be the function, too."""
        if token.text.lower() not in GREEK.values():
            what = f"'{token.text}(…)' may be the function, and a product with what was declared by that name"
            raise self.problem(what, token, f"Write {token.text}*(…) for the product, or give it another name.")

    def _is_factor(self, name: str) -> bool:
        r"""Whether a letter stands before a root or a fraction of LaTeX, no bracket: ``\sigma\sqrt{T}``."""
        return len(name) == 1 and is_unseen(self.now, self.text)

    def is_function(self, name: str) -> bool:
        return self.functions is None or name in self.functions

    def _unknown(self, token: Token) -> ParseError:
        step = meant_by(token.text, self.functions or ())
        if token.text == "Γ":
            step = "Write exp(logΓ(x))."
        elif len(token.text.lstrip("Δ")) < 2 or self.now.start > token.end or token.text in GREEK.values():
            step = f"Write {token.text}*(…) for a product." + _NORMAL * (token.text == "N")
        return self.problem(f"'{token.text}' is no function that is known here", token, step)

    def _call(self, name: str, first: tuple[Node, ...], start: int, owner: str) -> Node:
        """Read the arguments of a call; ``first`` are those before the brackets, in ``x.sum()``."""
        keywords: list[str] = []
        each = self.tokens[self.i + 1] if name in OF_EACH and not first else self.now
        of_each = each.kind == "name" and each.text not in self.names and self.tokens[self.i + 2].is_sign(",")
        of_each = of_each and self.functions is not None and each.text in self.functions

        def argument() -> Node:
            if of_each and self.now is each:  # as a name, which is put before the next
                return Node.leaf("name", each.text, self.take())
            after = self.token(self.i + 1)
            if self.now.kind == "name" and after.is_sign("=") and name != "where":
                word = self.take()
                if word.text in keywords:
                    raise self.problem(f"the argument '{word.text}' is given twice", word)
                keywords.append(word.text)
                self.take()
            elif keywords:
                raise self.problem("a positional argument after a named one", self.now)
            return self.expression(0)

        rest, closing = self.listed(self.take(), argument)
        items = [*first, *rest]
        if of_each and len(items) > 1:
            items[:2] = [Node("call", (each.text, ()), (items[1],), each.start, items[1].end)]
        if name in _OF_LISTS and items and items[0].kind == "list":
            items[0] = Node("items", None, items[0].children, items[0].start, items[0].end)
        node = Node("call", (name, tuple(keywords)), tuple(items), start, closing.end)
        node.owner = owner
        return node

    # ------------------------------------------------------------------ what follows an operand

    def _postfix(self, left: Node) -> Node:
        token = self.take()
        if token.text == "!" and token.kind == "sup":
            more = Node.between(left, "+", Node.leaf("number", 1, token), token.start)
            return Node("call", ("gamma_function", ()), (more,), left.start, token.end, token.start)
        if token.kind == "sup" and token.text == "+":
            return self._positive_part(left, token)
        if token.kind == "sup" and token.text == "₊":
            zero = Node.leaf("number", 0, token)
            return Node("call", ("maximum", ()), (left, zero), left.start, token.end, token.start)
        if token.kind == "sup":
            if token.text in ("T", "-T") and left.kind == "number" and not left.bracketed:
                raise self.problem("a number has no transpose", token, "Write 𝟏ᵀx, or sum(x), for a sum.")
            if token.text in ("T", "-T"):
                return Node.behind(left, "unary", token.text, token)
            return Node.between(left, "sup", Node.leaf("number", int(token.text), token), token.start)
        if token.text == "'" and self.tokens[self.i - 2].text == "'":
            step = "Write the function of x; its derivatives are formula.grad and formula.hessian."
            raise self.problem("two primes are a second derivative", token, step)
        if token.text == "'":
            return Node.behind(left, "unary", "T", token)
        if token.text == "[":
            return self.index(left, token)
        return self._attribute(left, token)

    def _attribute(self, left: Node, point: Token) -> Node:
        if self.now.kind != "name":
            raise self.problem("a point without a name after it", point, "Write x.T or x.sum(), or 0.5 for a number.")
        token = self.take()
        if token.text in ("T", "mT"):
            return Node.behind(left, "unary", "T", token)
        if token.text == "shape":
            return Node.behind(left, "method", "shape", token)
        if not self.at("(") or not self.is_function(token.text):
            close = close_to(token.text, self.functions or ())
            step = f"Did you mean {' or '.join(close)}?" if close else "Known are .T, .shape, functions as in x.sum()."
            if self.is_function(token.text):
                step = f"Write .{token.text}()."
            raise self.problem(f"'.{token.text}' is unknown here", token, step)
        return self._call(token.text, (left,), left.start, ".")


def is_truth(node: Node) -> bool:
    """Whether a part is a comparison, or made of such."""
    if node.is_binary("&", "|", "∧", "∨", "⊕"):
        return all(map(is_truth, node.children))
    return _is_comparison(node) or node.is_unary("~") or isinstance(node.value, bool)


def _is_form(product: Node) -> bool:
    """Whether a product is a number as ``xᵀx`` and ``xᵀAx`` are: nothing is divided by their first factor alone."""
    factors = list[Node]()
    while product.is_binary(*MATRIX_PRODUCTS) and not product.bracketed:
        factors.append(product.children[1])
        product = product.children[0]
    names = [f.value for f in factors if f.kind == "name"]
    row = product.is_unary("T") and product.children[0].kind == "name"
    between = names[1:]
    square = not between or (len(between) == 1 and between[0] != names[0] and str(between[0])[:1].isupper())
    return row and 0 < len(names) == len(factors) and names[0] == product.children[0].value and square


def _is_comparison(node: Node) -> bool:
    return node.is_binary(*RELATIONS)
