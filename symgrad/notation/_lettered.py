"""Functions by their letters, as formulas print them: ``Γ(x)``, ``J₁(x)``, ``Ai(x)``, ``C₄^(1.5)(x)``.

The idea to hold: a letter is that of a row of the table unless it is the name of something; what stands below and above
it are the row's parameters. One capital alone is read as no function: P(x), E(x) mean too many things.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection
from functools import cache
from typing import Any

from ..core import TABLE
from ..show._functions import LETTERS
from ..syntax import GREEK, ParseError, Token
from ._words import DIGITS

_REMARK = re.compile(r"\n\s*(?:where )?\s*\w+\([\w, ]*\) is [^\n]*")
_LATEX_REMARK = re.compile(
    r"\\\\ & (?:\\text\{where\}|\\phantom\{\\text\{where\}\})\\quad "
    r"\\operatorname\{[\w\\]+\}\([\w, ]*\) \\text\{ is [^{}]*\}"
)
_WITH_BELOW = re.compile(r"([^\W\d_₀₁₂₃₄₅₆₇₈₉]+)(?:_?([0-9]+)|([₀₁₂₃₄₅₆₇₈₉]+))")


@cache
def _rows() -> dict[str, Any]:
    """The rows that have a letter, by it; those with parameters by the letter and their places, ``J_``."""
    found: dict[str, Any] = {}
    shared = Counter([op.letter for op in TABLE.values()])  # Hₙ(x) is Hermite's polynomial, and Struve's function
    for op in TABLE.values():
        if op.kind != "elementwise":
            continue
        if op.label in GREEK.values():
            found[op.label] = op
        bare = op.letter.rstrip("_^")
        clear = len(bare) > 1 or not bare.isascii() or bare != op.letter
        if bare and clear and shared[op.letter] == 1 and bare not in LETTERS.values():
            found.setdefault(op.letter.replace("′", "'"), op)
    return found


def bare_letters() -> frozenset[str]:
    """The letters of functions, without what stands below and above them."""
    return frozenset([letter.rstrip("_^'") for letter in _rows()])


def without_remarks(text: str, latex: bool = False) -> str:
    """A printed text without what it says of functions that have no public name, ``stdtr_by_n(n, t) is …``."""
    return (_LATEX_REMARK if latex else _REMARK).sub(lambda found: " " * len(found[0]), text)


def with_functions(tokens: list[Token], names: Collection[str], text: str) -> list[Token]:
    """The tokens with the functions of letters that are no ``names`` by the names of their rows.

    Raises
    ------
    ParseError : ``I_{2}(x)`` of LaTeX and ``K(x)``, which may be a function and a product; an order above anything
        else
    """
    out = list(tokens)
    sized = [k for k, t in enumerate(out) if t.text == "eye" and text[t.start : t.start + 1] == "I"]
    for k in reversed(sized):
        a, number, b = out[k], out[k + 2], out[k + 4]
        if number.kind == "number" and b.text == "(" and number.text in "01":  # no identity before a bracket
            out[k : k + 4] = [a._replace(text=f"I_{number.text}", end=out[k + 3].end)]
        elif number.kind == "number" and b.text == "(":
            what = f"I_{number.text}(…) may be Bessel's function, and the identity times a bracket"
            step = f"Write bessel_i({number.text}, …), or eye({number.text}) and a sign of multiplication."
            raise ParseError.at(what, text, out[k], step)
    alone = {
        a.text
        for a, b in itertools.pairwise(out)
        if a.kind == "name" and b.text not in ("(", "^", "'") and b.kind != "order"
    }
    names = {*names, *alone}
    i = 0
    while i < len(out):
        if out[i].kind == "name" and out[i].text not in names:
            found = _function(out, i, names)
            if found is not None:
                op, params, opens = found
                more = [
                    t for name, value in zip(op.params, params, strict=True) for t in _given(name, value, out[opens])
                ]
                end = _closing(out, opens)
                if end:
                    word = f"{op.label}_function" if op.label in GREEK.values() else op.label
                    head = Token("name", word, out[i].start, out[opens].start)
                    out[i:] = [head, *out[opens:end], *more, *out[end:]]
        i += 1
    for before, sign in itertools.pairwise(out):
        if before.kind == "name" and before.text not in names and sign.text == "(" and sign.start == before.end:
            _refuse_capital(before, text)
        if sign.kind == "order":
            what = f"a superscript of '{text[before.start : before.end]}' may be read in two ways"
            step = "Write ^ for the power; an order stands above a function of the table, before its bracket."
            raise ParseError.at(what, text, sign, step)
    return out


@cache
def _capitals() -> dict[str, str]:
    """The functions of one operand that are printed as one capital alone, as matrices are."""
    rows = [op for op in TABLE.values() if op.kind == "elementwise" and len(op.inputs) == 1 and not op.params]
    return {op.letter: op.label for op in rows if len(op.letter) == 1 and op.letter.isascii() and op.letter.isupper()}


def _refuse_capital(name: Token, text: str) -> None:
    if name.text in _capitals():
        what = f"{name.text}(…) may be the function {_capitals()[name.text]}, and the product with a matrix {name.text}"
        step = f"Write {_capitals()[name.text]}(…), or declare the name: {name.text}=(…)."
        raise ParseError.at(what, text, name, step)


def _function(tokens: list[Token], i: int, names: Collection[str]) -> tuple[Any, list[str], int] | None:
    """The row that a name with what follows is the letter of, its parameters, and the place of its bracket."""
    text, at, params, rows = tokens[i].text, i + 1, list[str](), _rows()
    if tokens[at].text == "'" and tokens[at + 1].text == "(" and text + "'" in rows:
        return rows[text + "'"], [], at + 1
    places = ""
    if text not in rows and (below := _WITH_BELOW.fullmatch(text)) is not None:
        text, places = below[1], "_"
        params.append((below[2] or below[3]).translate(DIGITS))
        if not {text, text + params[0], f"{text}_{params[0]}"}.isdisjoint(names):
            return None
    if tokens[at].text == "^" and tokens[at + 1].text == "(" and text + places + "^" in rows:
        end = _closing(tokens, at + 1)
        inner = tokens[at + 2 : end]
        if not end or any(t.kind != "number" for t in inner[::2]) or any(t.text != "," for t in inner[1::2]):
            return None
        params += [t.text for t in inner[::2]]
        places, at = places + "^", end + 1
    if tokens[at].kind == "order" and text + places + "^" in rows:
        params.append(tokens[at].text)
        places, at = places + "^", at + 1
    op = rows.get(text + places)
    fits = op is not None and len(op.params) == len(params) and tokens[at].text == "("
    return (op, params, at) if fits else None


def _given(name: str, value: str, near: Token) -> list[Token]:
    """The tokens of ``, name=value``."""
    signs = (("op", ","), ("name", name), ("op", "="), ("number", value))
    return [Token(kind, text, near.start, near.end) for kind, text in signs]


def _closing(tokens: list[Token], opens: int) -> int:
    """The place of the bracket that closes one; 0 if there is none."""
    depth = 0
    for k in range(opens, len(tokens)):
        depth += (
            (tokens[k].text in "([{") - (tokens[k].text in ")]}") if tokens[k].kind in ("op", "open", "close") else 0
        )
        if not depth:
            return k
    return 0
