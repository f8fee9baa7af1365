"""Notes as LaTeX, and what a notebook shows of an object."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

from .. import _limits
from ..syntax import GREEK, command_of
from .functions import parameter
from .layout import LAST, Note
from .layout_choice import chosen_sheet
from .signs import ATOM, CHAIN, COMPARED, POW, Piece, taken_apart
from .text import kept, shortened
from .writer import Writer

# ------------------------------------------------------------------ Notes as LaTeX: the Unicode fold with other signs


_FLAT = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_CHANGES = (r"\mathrm{d}", *[rf"\{GREEK[d]} " for d in "δΔ"], r"\mathrm{D}")
"""How a differential begins: a thin space stands before it."""
_COMMANDS = frozenset(["exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "det", "max", "min"])


class LatexWriter(Writer):
    """Writes notes as LaTeX."""

    minus = "-"
    had: str = f" {command_of('⊙')} "
    kron: str = f" {command_of('⊗')} "
    dot = r" \, "
    dots = r"\ldots"
    for_all = r" \quad \text{for } "
    top = r"\top"
    delta = r"\delta"
    entrywise = r"\circ "
    one = r"\mathbf{1}"
    functions: ClassVar[dict[str, str]] = {
        **Writer.functions, "normal_pdf": r"\varphi", "lgamma": r"\log\Gamma",
    }  # fmt: skip
    on_one_line = False
    marks: ClassVar[dict[str, str]] = {
        "norm": r"\lVert {} \rVert", "norm1": r"\lVert {} \rVert_{{1}}", "norm∞": r"\lVert {} \rVert_{{\infty}}",
        "nuclear": r"\lVert {} \rVert_{{*}}", "spectral": r"\lVert {} \rVert_{{2}}",
        "bars": r"\lvert {} \rvert", "floor": r"\left\lfloor {} \right\rfloor", "inner": r"\langle {}, {} \rangle",
        "iverson": r"\mathbf{{1}}[{}]", "partial": r"\frac{{\partial {}}}{{\partial {}}}",
        "remark": r"{} \text{{ {}}}",
    }  # fmt: skip
    relations: ClassVar[dict[str, str]] = {sign: command_of(sign) for sign in "≠≤≥∧∨⊕¬"}
    constants: ClassVar[dict[str, str]] = {
        "pi": r"\pi", "sqrt2": r"\sqrt{2}", "sqrtpi": r"\sqrt{\pi}", "sqrt2overpi": r"\sqrt{2/\pi}",
        "sqrt2pi": r"\sqrt{2\pi}", "ln2": r"\log(2)", "ln10": r"\log(10)", "pi2": r"\pi^{2}",
        "ln2pi": r"\log(2\pi)", "e": r"\exp(1)", "ln2pie": r"(1 + \log(2\pi))", "ln2e": r"(1 + \log(2))",
        "sqrt3": r"\sqrt{3}",
    }  # fmt: skip

    def table_text(self, note: Note, label: str) -> str:
        piece = self.piece(note)
        return self.equation(self.word(label), piece) if label else piece.text

    def _table(self, note: Note) -> Piece:
        """Rows in parentheses; a vector is a column, and a matrix of one row or column a vector under its shape."""
        rows = [
            " & ".join([self.piece(p).text for p in row.parts if note.rank > 1] or [self.piece(row).text])
            for row in note.parts
        ]
        table = Piece(r"\begin{pmatrix} " + r" \\ ".join(rows) + r" \end{pmatrix}")
        if note.rank > 1 and 1 in note.shape:
            return self.call("reshape", [table.text, parameter("", note.shape)])
        return table

    def parenthesis(self, text: str) -> str:
        tall = any(command in text for command in (r"\frac", r"\sum", r"\begin"))
        return rf"\left({text}\right)" if tall else f"({text})"

    def gap(self, before: Piece, after: Piece) -> str:
        digits_meet = after.text[:1] == "[" or (
            after.text[:1].isdigit() and (before.text[-1:].isdigit() or not after.left)
        )
        if digits_meet:
            return r" \cdot "
        apart = (before.right and after.left) or after.text.startswith(_CHANGES)
        return r" \, " if apart else " "

    def raised(self, base: Piece, exponent: str) -> Piece:
        each = exponent.removeprefix(self.entrywise)
        exponent = exponent if each == exponent or each.isalnum() else f"{self.entrywise}({each})"
        return Piece(f"{self.fenced(base, ATOM).text}^{{{exponent}}}", POW, base.left, base.right)

    def named(self, shown: list[tuple[str, Any]]) -> list[str]:
        names = [(rf"\mathrm{{{n}}}=".replace("_", r"\_") if n else "", self.given(n, p)) for n, p in shown]
        return [name + value for name, value in names]

    def figures(self, value: Any) -> str:
        text = super().figures(value)
        return {"nan": r"\mathrm{nan}", "inf": r"\infty"}.get(text, text)

    def scientific(self, mantissa: str, exponent: int) -> str:
        power = f"10^{{{exponent}}}"
        return mantissa[:-1] + power if mantissa in ("1", "-1") else rf"{mantissa} \cdot {power}"

    def inverse(self, base: Piece, transposed: bool) -> Piece:
        return self.raised(base, r"-\top" if transposed else "-1")

    def transposed(self, base: Piece) -> Piece:
        return self.raised(base, self.top)

    def root(self, base: Piece) -> Piece:
        return Piece(rf"\sqrt{{{base.text}}}", POW)

    def fraction(self, top: Piece, bottom: Piece) -> Piece:
        return Piece(rf"\frac{{{_bare(top.text)}}}{{{_bare(bottom.text)}}}", CHAIN)

    def order_statistic(self, x: str, k: str) -> Piece:
        return Piece(f"{x if len(x) == 1 else self.parenthesis(x)}_{{({k})}}", ATOM)

    def call(self, function: str, args: list[str]) -> Piece:
        if function == "where" and len(args) == 3:
            return self._cases(*args)
        text = self.parenthesis(", ".join(args))
        return Piece(f"{self.operator(function)}{text}", ATOM, left=True, right=True)

    def _cases(self, condition: str, value: str, otherwise: str) -> Piece:
        """A choice, with those in its last branch as further rows."""
        begin, end = r"\begin{cases} ", r" \end{cases}"
        chosen = otherwise.startswith(begin) and otherwise.endswith(end)  # a part of anything else is in brackets
        last = otherwise[len(begin) : -len(end)] if chosen else rf"{otherwise} & \text{{otherwise}}"
        value = self.parenthesis(value) if value.startswith(begin) else value
        return Piece(rf"{begin}{value} & \text{{if }} {condition} \\ {last}{end}", COMPARED)

    def operator(self, function: str) -> str:
        """The name of a function."""
        if function in _COMMANDS:
            return "\\" + function
        if function.startswith("\\"):
            return function
        plain, hat, rest = function.partition(self.top)
        name = plain.replace("_", r"\_")
        return rf"\operatorname{{{name}}}" + (f"^{{{hat}}}{rest}" if hat else "")

    def own_text(self, op: Any) -> str:
        return str(op.latex) or super().own_text(op)

    def sign_of(self, letter: str) -> str:
        """A function's letter: ``₁F₁`` has numbers before and after it, ``R_F`` a letter below, ``Ai′`` a stroke."""
        before, stem, after, below, stroke = re.fullmatch(r"([₀-₉]*)([^₀-₉_′]+)([₀-₉]*)(_\w)?(′?)", letter).groups()  # type: ignore[union-attr]
        shown = f"\\{GREEK[stem]}" if stem in GREEK else stem if len(stem) == 1 else rf"\operatorname{{{stem}}}"
        shown = f"{{}}_{{{before.translate(_FLAT)}}}{shown}" if before else shown
        index = after.translate(_FLAT) or (below or "")[1:]
        return shown + (f"_{{{index}}}" if index else "") + "'" * len(stroke)

    def with_index(self, function: str, text: str) -> str:
        return f"{function}_{{{text}}}"

    def with_degree(self, function: str, text: str) -> str:
        return f"{function}^{{({text})}}"

    def symbol(self, text: str) -> str:
        return symbol(text)

    def stem(self, text: str) -> str:
        """As in text; ``x1`` has its digit below, too."""
        letters = text.rstrip("0123456789")
        return super().stem(text) or (letters if letters != text else "")

    def spelled(self, text: str) -> str:
        return _spelled(text) if len(text) > 1 and text.isascii() else symbol(text)

    def word(self, text: str) -> Piece:
        return Piece(self.told_apart(text), ATOM, len(text) > 1, len(text) > 1)

    def item(self, array: Piece, at: tuple[str, ...]) -> Piece:
        return Piece(f"{{{self.fenced(array, ATOM).text}}}_{{{','.join(at)}}}")

    def big_sum(self, letters: list[str]) -> str:
        return rf"\sum_{{{','.join(letters)}}} "

    def sum_of_steps(self, letter: str, first: int, last: int) -> str:
        return rf"\sum_{{{letter}={first}}}^{{{last}}} "

    def raised_to(self, base: Piece, exponent: Piece, mark: str = "") -> Piece:
        return self.raised(base, mark + exponent.text)

    def template(self, text: str) -> str:
        """A row's own text."""
        function, parenthesis, rest = super().template(text).partition("(")
        return self.operator(function) + parenthesis + rest if function.isidentifier() else super().template(text)


def _bare(text: str) -> str:
    """Text without the parentheses around all of it, which a fraction bar makes needless."""
    inner = text.removeprefix(r"\left").removeprefix("(").removesuffix(")").removesuffix(r"\right")
    if text not in (f"({inner})", rf"\left({inner}\right)"):
        return text
    depths = itertools.accumulate([(c == "(") - (c == ")") for c in inner], initial=0)
    return inner if min(depths) >= 0 else text


def symbol(text: str) -> str:
    """A symbol's name: Greek letters as such, ``W1`` with an index, words upright; a d before a differential's."""
    if text.startswith(LAST):
        d, name = text[1], text[2:]
        return (rf"\mathrm{{{d}}}" if d.isascii() else rf"\{GREEK[d]} ") + (symbol(name) if name else "")
    stem, accent, below, place = taken_apart(text)
    letters = stem.rstrip("0123456789")
    if not letters.strip("_"):
        return _spelled(text)
    below = [part for part in (*below, stem[len(letters) :]) if part]
    if letters[0] == "Δ" and len(letters) == 2:  # a difference
        shown = rf"\Delta {_letter(letters[1:])}"
    else:
        shown = _letter(letters)
    shown = rf"\{accent}{{{shown}}}" if accent else shown
    inner = ",".join(below)
    inner = inner if len(inner) == 1 or inner.isdigit() else rf"\mathrm{{{inner}}}"
    shown = f"{shown}_{{{inner}}}" if below else shown
    return (
        f"{{{shown}}}_{{{','.join(place)}}}"
        if place and below
        else f"{shown}_{{{','.join(place)}}}"
        if place
        else shown
    )


def _letter(text: str) -> str:
    return f"\\{GREEK[text]}" if text in GREEK else text if len(text) == 1 else _spelled(text)


def _spelled(text: str) -> str:
    escaped = text.replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}" if text.isascii() else rf"\text{{{escaped}}}"


# ------------------------------------------------ Reasons and conditions in LaTeX: words, with mathematics among them

# The idea to hold: what a reason quotes of a formula it has in LaTeX beside the text (`quoted`). Anything else that is
# no ASCII is turned sign by sign, so that whatever a rule's text says is something that plain LaTeX knows.


_QUOTED = re.compile("\ue001(.*?)\ue002(.*?)\ue003", re.DOTALL)
_ESCAPED = str.maketrans({c: f"\\{c}" for c in "_#%&{}$"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"})
_SIGNS = {
    "−": "-", "→": r"\to ", "…": r"\ldots ", "∞": r"\infty ", "𝟏": r"\mathbf{1}", "½": r"\tfrac{1}{2}",
    "∂": r"\partial ",
    "∘": r"\circ ", "‖": r"\Vert ", "′": "'", "Σ": r"\sum ", "√": r"\surd ", "⁎": "*", "∈": r"\in ", "⊤": r"\top ",
    "∅": r"\emptyset ", "×": r"\times ", "✓": r"\checkmark ", "✗": r"\times ", "∇": r"\nabla ", "⇒": r"\Rightarrow ",
    "\ue004": "{", "\ue005": "}",
}  # fmt: skip
_HIGH = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿᵀᵏᵃᵇˣʸᵘᵛⁱʲ⁄ᐟ", [*"0123456789+-()n", r"\top ", *"kabxyuvij//"]))
_LOW = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₘₙₚᵣₛₜᵤᵥₕₒₐₓₑ", "0123456789+-ijklmnprstuvhoaxe"))
_RAISED = re.compile(r"\^(?:(\w+(?:\([^()]*\))?)|\(([^()]*(?:\([^()]*\)[^()]*)*)\))")
"""What is raised to: a word, a call, or what is in parentheses, which braces take the place of."""
_RUNS = re.compile(
    f"([{''.join(_HIGH)}]+)|([{''.join(_LOW)}]+)|([A-Za-z][A-Za-z0-9_]+)|(.[\u0302-\u0308])|(.)", re.DOTALL
)


def quoted(text: str, latex: str) -> str:
    """Mathematics in a sentence, as text and as LaTeX; `plain` has the one, `in_words` the other."""
    return f"\ue001{text}\ue002{latex}\ue003"


def plain(sentence: str) -> str:
    """A sentence as text."""
    return _QUOTED.sub(lambda m: m[1], sentence)


def in_words(sentence: str) -> str:
    """A sentence as what may stand in ``\\text{…}``: its mathematics between dollars."""
    out, end = [], 0
    for found in _QUOTED.finditer(sentence):
        out += [_worded(sentence[end : found.start()]), f"${found[2]}$"]
        end = found.end()
    return "".join([*out, _worded(sentence[end:])])


def _worded(text: str) -> str:
    rule = re.fullmatch(r"(.*? → .*?)(: .*| \(if .*|)", text, re.DOTALL)
    if rule:
        return f"${in_mathematics(rule[1])}${_worded(rule[2])}"
    return "".join([_word(w) for w in re.split(r"( +)", text)])


_NEGATIVE = re.compile(r"([\[(]*)([−+.0-9e]+)([\]),;]*)")


def _word(word: str) -> str:
    if word.isascii():
        return word.translate(_ESCAPED)
    number = _NEGATIVE.fullmatch(word)  # of a list: what is around it is no part of it
    before, inner, after = number.groups() if number else ("", word, "")
    return f"{before}${in_mathematics(inner)}${after}"


def in_mathematics(text: str) -> str:
    """A formula as rules and conditions write it, in LaTeX, sign by sign."""

    def written(found: re.Match[str]) -> str:
        high, low, word, marked, sign = found.groups()
        if high:
            return f"^{{{''.join(map(_HIGH.__getitem__, high))}}}"
        if low:
            return f"_{{{''.join(map(_LOW.__getitem__, low))}}}"
        if word:
            if text[found.end() : found.end() + 1] == "(":
                return "\\" + word if word in _COMMANDS else rf"\operatorname{{{word}}}".replace("_", r"\_")
            return symbol(word)
        if marked:
            return symbol(unicodedata.normalize("NFC", marked)) + " "
        if sign in _SIGNS:
            return _SIGNS[sign]
        if sign in GREEK:
            return f"\\{GREEK[sign]} "
        if sign.isascii():
            return sign.translate(_ESCAPED) if sign in "#%&{}$_\\~" else sign
        try:
            return f"{command_of(sign)} "
        except StopIteration:
            return symbol(unicodedata.normalize("NFC", sign)) if unicodedata.normalize("NFD", sign)[0].isascii() else ""

    raised = _RAISED.sub(lambda m: f"^\ue004{m[1] or m[2]}\ue005", text)
    return _RUNS.sub(written, raised).strip()


def to_latex(
    root: Any,
    given: Sequence[tuple[str, Any]] = (),
    limit: int = 200,
    level: str = "array",
    taken: Collection[str] = (),
    forms: Callable[[], list[Any]] | None = None,
    laid: Any = None,
) -> str:
    """Return a term as LaTeX, the definitions of its named parts in an aligned clause after it.

    Parameters
    ----------
    root : term
    given : sequence of (name, term)
        Definitions to stop at: ``root`` has a symbol of that name.
    limit : int
        How many definitions are printed; how many were left out is stated.
    level : {"array", "element"}
        Matrix notation where there is one, or entries throughout.
    taken : collection of str
        Names that no part is given.
    forms : function, optional
    laid : Laid, optional
        As for `to_text`.

    Returns
    -------
    str
        Without the dollars.

    Examples
    --------
    >>> from symgrad.terms import Ein
    >>> from symgrad.terms import Var
    >>> from symgrad.show import to_latex
    >>> A, x = Var("A", (2, 3)), Var("x", (2,))
    >>> print(to_latex(Ein(2, [(A, (1, 0)), (x, (1,))], (3, 2), 1)))
    2 A^{\\top} x
    """
    entries = level == "element"
    laid = laid or chosen_sheet(root, given, entries=entries, taken=taken, forms=forms)
    body, lines = LatexWriter(laid.taken).body_and_lines(laid, entries)
    body = shortened(body, r"\ldots")
    shown, left = kept(lines, limit, _limits.PAGE - len(body))
    if not lines:
        return body
    if left:
        shown.append(rf"& \text{{and {left} more definitions}}")
    body = r" \\ ".join(
        [rf"& {body}", rf"& \text{{where}}\quad {shown[0]}"]
        + [rf"& \phantom{{\text{{where}}}}\quad {line}" for line in shown[1:]]
    )
    return rf"\begin{{aligned}} {body} \end{{aligned}}"


# --------------------- What a notebook shows of an object as the last value of a cell: as much as a page has room for

# The idea to hold: what is long is left to `print`, which always shows all of it. LaTeX cannot be cut, so that a long
# formula is shown as the beginning of its text.


def shortened_in_notebooks(text: str) -> str:
    """The beginning of a text that is long, and how much more there is."""
    lines = text.split("\n")
    shown, room = list[str](), _limits.NOTEBOOK_TEXT
    for line in lines[: _limits.NOTEBOOK_LINES]:
        if len(line) > room:
            shown += [line[:room] + "…"] if room else []
            break
        shown.append(line)
        room -= len(line)
    found = "\n".join(shown)
    if found == text:
        return text
    return f"{found}\n… cut here: the text has {len(text):,} characters, which print shows"


def in_dollars(latex: str) -> str | None:
    """LaTeX as a notebook takes it; None of what is long."""
    return f"$\\displaystyle {latex}$" if len(latex) <= _limits.NOTEBOOK_LATEX else None


def cut_in_ipython(self: Any, printer: Any, cycle: bool) -> None:
    """``_repr_pretty_`` of what may be long. IPython takes it from the class that has the ``__repr__``, no base."""
    printer.text(shortened_in_notebooks(repr(self)))
