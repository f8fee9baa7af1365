"""A formula and its definitions as Unicode or ASCII text.

The idea to hold: layout, writer, page. Which names there are is the layout's matter, which signs the writer's, and how
much of it is printed the page's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from .. import _limits
from ._ascii import AsciiWriter, PlainWriter
from ._layout_choice import inline, sheet
from ._unicode import Writer


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
        laid = sheet(root, given, lines=True, taken=taken)
        code = AsciiWriter()
        lines = [f"{label} = {code.text(note)}" for label, note in laid.definitions]
        return page(code.text(laid.body), lines, limit, "...")
    laid = laid or sheet(root, given, entries=entries, taken=taken, forms=forms)
    writer = PlainWriter(laid.taken) if style == "ascii" else Writer(laid.taken)
    body = writer.text(laid.body, entries=entries)
    lines = [writer.text(note, label, entries) for label, note in laid.definitions]
    return page(body, lines + writer.remarks([body, *lines]), limit)


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
