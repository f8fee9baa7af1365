"""Which notation a text is written in: NumPy's, or that of matrices on paper; and what ``*`` is there.

The idea to hold: signs decide, never a guess about the writer. ``'``, ``.*``, ``./``, ``.^``, ``^`` and what symgrad
prints (``Aᵀ``, ``x²``, ``⊙``, ``‖x‖``) exist on paper only, ``**`` in NumPy only; a text with both is refused. On paper
``*`` and juxtaposition are the matrix product, in NumPy ``*`` is entry by entry; a text whose signs do not tell which
it is, as ``norm(A*x - b)``, is read in both ways (`settled`): one reading must be left, because only one fits together,
or because both are the same formula. Else the text is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._errors import FormulaError
from ..syntax import WRITERS, ParseError, Token, ends_operand, is_where
from ._operators import SQUARE

_ENTRYWISE = {".*": "*", "./": "/"}


class Notation(NamedTuple):
    """How a text is read.

    Attributes
    ----------
    paper : whether the signs are those of paper: side by side is a product, ^ is a power, ' transposes
    matrix : whether vectors are columns and * is the matrix product
    settled : whether that was said, or the signs leave no other reading
    """

    paper: bool
    matrix: bool
    settled: bool


def notation_of(tokens: list[Token], text: str, dialect: str | None, products: list[Token]) -> Notation:
    """The notation of a text; ``dialect`` is what the caller asked for, ``products`` the words that are products by
    what was declared, as on paper.

    Raises
    ------
    ParseError : the text mixes the notations, or is not in the one that was asked for
    """
    paper = [t for i, t in enumerate(tokens) if _is_paper(tokens, i)]
    signs = {t.text for t in tokens if _is_sign(t)}
    algebra = not signs.isdisjoint(WRITERS["a"]) or any(_transposes(tokens, i) for i in range(len(tokens)))
    power = next((t for t in tokens if t.text == "**" and t.kind == "op"), None)
    if dialect is None:
        paper += products if signs.isdisjoint(("@", "**")) else []
        if paper and power is not None:
            what = f"{_quoted(paper[0], text)} is matrix notation and '**' is NumPy's, so '*' may mean either product"
            step = "Write ^ (or .^ entry by entry) for the power, or .T for the transpose."
            raise ParseError.at(what, text, power, step)
        matrix = bool(paper) or (is_printed(tokens, text) and signs.isdisjoint(WRITERS["n"]))
        settled = not matrix if "@" in signs else matrix and algebra
        return Notation(matrix, matrix, settled or "*" not in signs)
    if dialect == "latex":
        return Notation(True, True, True)
    if dialect == "matrix" and power is not None:
        raise ParseError.at("'**' is not a power of matrix notation", text, power, "Write ^, or .^ entry by entry.")
    if dialect == "numpy" and paper:
        what = f'{_quoted(paper[0], text)} is matrix notation, and dialect="numpy" was asked for'
        step = 'Write .T, * and ** as in NumPy, or leave dialect="numpy" out.'
        raise ParseError.at(what, text, paper[0], step)
    return Notation(dialect == "matrix", dialect == "matrix", True)


def _transposes(tokens: list[Token], i: int) -> bool:
    """Whether a token transposes as on paper, where ``*`` is the product of matrices."""
    token = tokens[i]
    return token.text in ("T", "-T") if token.kind == "sup" else token.text == "^" and tokens[i + 1].text == "T"


def is_printed(tokens: list[Token], text: str) -> bool:
    """Whether a text has a sign, or things side by side, as symgrad prints them."""
    return any(
        t.kind == "sup" or (t.text == "-" and text[t.start] == "−") or (_is_sign(t) and t.text in WRITERS["u"])
        or (t.kind == "sum" and text[t.start] != "s")
        or is_where(tokens, i) or _beside(tokens, i) for i, t in enumerate(tokens)
    )  # fmt: skip


def only_printed(tokens: list[Token], text: str) -> bool:
    """Whether a text is as symgrad prints it: no sign in it is that of a matrix language."""
    return is_printed(tokens, text) and not any(t.kind == "op" and t.text in WRITERS["t"] for t in tokens)


def _is_sign(token: Token) -> bool:
    return token.kind in ("op", "open", "close")


def _is_paper(tokens: list[Token], i: int) -> bool:
    token = tokens[i]
    if token.kind == "sup" or (token.kind == "name" and token.text == "𝟏"):
        return True
    if not _is_sign(token) or token.text not in WRITERS["p"]:
        return False
    # 2.*x is in NumPy 2.0*x: a point after a digit proves nothing
    before = tokens[i - 1] if i else None
    behind_digit = before is not None and before.kind == "number" and before.end == token.start
    return not (token.text in _ENTRYWISE and behind_digit)


def as_numpy(tokens: list[Token]) -> list[Token]:
    """The tokens of ``2.*x`` as NumPy reads them."""
    return [t._replace(text=_ENTRYWISE[t.text]) if t.kind == "op" and t.text in _ENTRYWISE else t for t in tokens]


def _beside(tokens: list[Token], i: int) -> bool:
    """Whether two things that are multiplied on paper stand side by side: ``2x``, ``x y``, ``f(x)(1 − p)``."""
    a, b = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else None
    if b is None or is_where(tokens, i) or is_where(tokens, i + 1) or b.text == "and":
        return False
    if not ends_operand(a) or a.text == "'":
        return False
    if b.text == "[":
        return a.text == "1" and a.end == b.start  # 1[x > 0]
    return b.kind in ("name", "open", "sum") or (b.text == "(" and a.kind != "name")


def _quoted(token: Token, text: str) -> str:
    return f"'{text[token.start : token.end]}'" if token.text != "'" else "the transpose '"


# ---------------------------------------------------------------------- one reading of two


def settled(first: Any, another: Callable[[], Any]) -> Any:
    """The one reading of a text: ``first``, or the one in which ``*`` is the other product."""
    failure: ParseError | None = None
    try:
        first.work()
    except ParseError as error:
        failure = error
    if failure is None and (not first.reading.stars or first.reading.inverts):
        return first
    other = another()
    try:
        other.work()
    except FormulaError:
        if failure is not None:
            raise failure from None
        return first
    if failure is not None:
        if other.reading.stars:
            return other
        raise failure
    if first.formula.equals(other.formula):
        return first
    star = first.reading.stars[0]
    a, b = map(first.reading.operand, star.children)
    step = f'Write {a} @ {b} or {a} .* {b}, or say how it is meant: dialect="matrix" or dialect="numpy".'
    raise first.reading.problem(star, "'*' may be the matrix product, and the product entry by entry", step)


def refuse_determinants(found: Any, another: Callable[[frozenset[int]], Any]) -> None:
    """Refuse ``|X|`` of a matrix that may be square, unless a determinant would not fit at its place.

    Raises
    ------
    ParseError : some of the bars may be determinants
    """
    bars = [node for node, shape in found.reading.bars if found.may_be_square(shape)]
    for some in [*({node.start} for node in bars), {node.start for node in bars}] if bars else []:
        try:
            if len(bars) < 3:  # else there are more ways to choose among them than are tried
                another(frozenset(some)).infer()
        except FormulaError:
            continue
        source = found.reading.argument(bars[0].children[0])
        what = f"|{source}| of {SQUARE} may be read in two ways"
        raise found.reading.problem(bars[0], what, f"Write abs({source}), or det({source}).")
