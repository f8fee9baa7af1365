r"""What stands below and above in LaTeX: entries and names, ``x_i`` and ``x_{\mathrm{max}}``; powers, transposes.

The idea to hold: a digit below is what it is in other texts, ``x₁``; letters below are indices if they are summed over,
as many as the declared array has axes, or i, j, k, l; words that stand upright belong to the name. Anything else is
refused: ``x_t`` may be an entry and a name.
"""

from __future__ import annotations

import re

from ._latex_commands import LETTERS, TRANSPOSES, WORDS
from ._latex_scan import spelled
from ._latex_source import RELATIONS, LatexSource, is_bracketed
from ._lexer import Token

_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
INDICES = frozenset("ijkl")
"""Letters below that are taken for indices where nothing sums over them."""
_DELTA = "δ"
_ORDERS = {"1": "1", "2": "2", "infty": "inf", "F": "", "mathrm F": "", "text F": "", "mathsf F": "", "mathrm Fro": ""}
_LABELS = frozenset({"*", "⊙", "·", "dagger", "star", "H", "mathsf H", "mathrm H", "+", "ddagger"})
_SUFFIXES = frozenset({"max", "min", "star", "sup", "inf"})


class Scripts(LatexSource):
    """The part of the reader that reads scripts."""

    def with_scripts(self, at: int, kind: str, forced: bool = False) -> bool:
        """Read the scripts of the operand whose tokens begin at ``at``; its kind is name, number, bracket, or bar.

        ``forced`` says that it stands in braces, so that what is below is an index.
        """
        if self.now.kind != "script":
            return True
        sign = self.now
        below, above, above_first = self.scripts()
        if below is not None:
            entry = self._below(at, kind, below, sign, forced)
            if entry and above is not None:
                self._refuse_two_ways(above, sign, above_first, entry)
        if above is not None:
            self.raised(above, sign)
        return True

    def _refuse_two_ways(self, above: list[Token], sign: Token, above_first: bool, letters: int) -> None:
        turned = spelled(above).removeprefix("- ") in TRANSPOSES
        if turned and letters == 1:
            step = "Write X w for all rows of X at once, or declare the name with its subscript."
            raise self.problem("an entry is a number, and has no transpose", sign, step)
        if (turned or above_first or spelled(above) == "- 1") and letters > 1:
            step = "Write brackets, (A^{-1})_{ij} for an entry of the inverse, 1/A_{ij} for the inverse of an entry."
            raise self.problem("an entry with a superscript may be read in two ways", sign, step)

    # ------------------------------------------------------------------ above

    def raised(self, above: list[Token], sign: Token) -> None:
        """Write a superscript."""
        said = spelled(above)
        start, end = sign.start, self.raw[self.i - 1].end
        minus, _, turned = said.rpartition("- ")
        if turned in TRANSPOSES and not minus and not (turned == "T" and "T" in self.declared):
            return self.emit("sup", "-T" if said.startswith("- ") else "T", start, end)
        if re.fullmatch(r"(- |\+ )?[0-9]{1,3}", said):
            return self.emit("sup", said.replace(" ", ""), start, end)
        if said in _LABELS:
            step = r"Write ^{\top} for the transpose, \operatorname{pinv}(A) for the pseudo-inverse."
            raise self.problem(f"the superscript '{self.source(sign, self.raw[self.i - 1])}' is not read", sign, step)
        if not above:
            raise self.problem("an empty superscript", sign)
        if is_bracketed(above):
            step = "Write x_{1} for a numbered name, x^{n} for a power."
            raise self.problem("a superscript in brackets may be a power and a label", sign, step)
        entrywise = above[0].kind == "op" and above[0].text == "⊙"
        inner = self.translated(above[entrywise:], sign)
        self.emit("op", "^∘" if entrywise else "^", start, start + 1)
        self.wrap(inner, start + 1, end)
        return None

    # ------------------------------------------------------------------ below

    def _below(self, at: int, kind: str, below: list[Token], sign: Token, forced: bool) -> int:
        """Write what stands below; how many letters it has as indices, 0 if it is part of a name."""
        if kind == "bar":
            return self._order(below, sign)
        if kind == "number":
            raise self.problem("a number has no subscript", sign, r"Write \mathbf{1}_n for a vector of ones.")
        base = self.out[at]
        if kind == "name":
            if base.text == "I" and "I" not in self.declared and not forced:
                self._sized(at, "eye", below, sign)
                return 0
            named = None if forced else self._named(base, below)
            if named is not None:
                self.out[at] = base._replace(text=named, end=self.raw[self.i - 1].end)
                return 0
            forced = forced or base.text == _DELTA
        return self._index(base, below, sign, forced or kind != "name")

    def _order(self, below: list[Token], sign: Token) -> int:
        """The order of a norm."""
        said = spelled(below)
        if self.out[-1].text != "‖" or said not in _ORDERS:
            step = r"Write \lVert x \rVert_1, _2, _\infty or _F, or \sqrt{x^{\top} S x}."
            raise self.problem(f"the subscript '{self.source(sign, self.raw[self.i - 1])}' is no order", sign, step)
        if _ORDERS[said]:
            self.emit("sub", _ORDERS[said], sign.start, self.raw[self.i - 1].end)
        return 0

    def _sized(self, at: int, function: str, below: list[Token], sign: Token) -> None:
        """An identity, or ones, of a size that stands below."""
        said = [t for t in below if t.kind != "group"]
        twice = len(said) == 3 and said[1].text == "·" and said[0].text == said[2].text  # I_{n \times n}
        if not (len(said) == 1 or twice) or said[0].kind not in ("name", "number"):
            raise self.problem("the subscript of an identity, of 1 or 0 is its size", sign, "Write I_n or I_{3}.")
        base = self.out[at]
        self.out[at:] = [base._replace(text=function, kind="name")]
        self.wrap([said[0]], sign.start, self.raw[self.i - 1].end)

    def _named(self, base: Token, below: list[Token]) -> str | None:
        """The name with what stands below it; None if that is an index."""
        said = [t for t in below if t.kind != "group" and t.text != ","]
        upright = said[:1] and said[0].kind == "command" and said[0].text in WORDS
        if upright:
            said = said[1:]
        if len(said) == 1 and said[0].kind == "number" and said[0].text.isdigit() and not upright:
            digits = said[0].text  # W_{2} is how W2 is printed, too
            return base.text + (digits if self._is_joined(base.text, digits) else digits.translate(_BELOW))
        words = [LETTERS.get(t.text, t.text) if t.kind == "command" else t.text for t in said]
        name = "_".join([base.text, *words])
        if not words or not all(w.replace("_", "").isalnum() for w in words):
            return None
        greek = all(t.kind != "command" or t.text in LETTERS or t.text in _SUFFIXES for t in said)
        if name in self.declared or (upright and greek):
            return name
        plain = len(words) == 1 and (said[0].kind == "command" or (len(words[0]) == 1 and not words[0].islower()))
        return name if plain and greek and not words[0].isdigit() else None

    def _is_joined(self, stem: str, digits: str) -> bool:
        apart = (f"{stem}_{digits}", stem + digits.translate(_BELOW))
        entry = self.declared.get(stem, 0) in (1, len(digits))
        return stem + digits in self.declared and not entry and self.declared.keys().isdisjoint(apart)

    def _index(self, base: Token, below: list[Token], sign: Token, forced: bool) -> int:
        """Write an index; how many places it has."""
        items: list[list[Token]] = [[]]
        comma = [k for k, t in enumerate(below) if t.text == ","]
        for part in below:
            if part.text == "," and part.kind == "op":
                items.append([])
            elif part.kind == "name" and not comma and part.text not in self.bound:
                for k, c in enumerate(part.text):
                    one = Token("number" if c.isdigit() else "name", c, part.start + k, part.start + k + 1)
                    items[-1] = [one]
                    items.append([])
                items.pop()
            elif part.kind != "group":
                items[-1].append(part)
        letters = [t.text for item in items for t in item if t.kind == "name"]
        rank = self.declared.get(base.text)
        fits = forced or (rank == len(items) if rank is not None else {*letters} <= self.bound | INDICES)
        plain = all(
            [t.kind for t in item] in (["name"], ["number"]) or [t.text for t in item[:1]] in (["-"], [":"])
            for item in items
        )
        last = self.raw[self.i - 1]
        if not fits or not plain or any(t.text in RELATIONS for t in below):
            source = self.text[base.start : last.end]
            if any(t.text in "+-" for t in below):
                what, step = "an index is a letter alone", "Write entries at one place, x_i; slice for shifted ones."
            else:
                what = f"'{source}' may be an entry and a name"
                step = rf"Declare it, {base.text}=… for an entry; write {base.text}_{{\mathrm{{…}}}} for a name."
            raise self.problem(what, base if base.start < sign.start else sign, step, last)
        at = self.out[-1].end
        self.emit("op", "[", at, max(at, items[0][0].start))
        for k, item in enumerate(items):
            if k:
                self.emit("op", ",", item[0].start, item[0].start)
            self.out += item
        self.emit("op", "]", min(self.out[-1].end, last.end), last.end)
        self.used += letters
        return len(items)

    used: list[str]
    """Letters of the entries that were written."""
