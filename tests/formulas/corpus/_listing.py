"""The corpus beside what symgrad prints: the table, the counts of tokens, and the file of approved texts.

The idea to hold: a line is one derivative of one entry; a formula that cannot be had is a line with its error, so that
the table is complete whatever the library's state.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .._tokens import count_tokens
from ._books import ENTRIES
from ._entry import APPROVED_FILE, Entry


@dataclass(frozen=True)
class Line:
    """One derivative: the book's text, symgrad's, or the error in its place."""

    entry: Entry
    what: str
    textbook: str
    printed: str
    error: str = ""

    @property
    def name(self) -> str:
        return f"{self.entry.name}, {self.what}"

    @property
    def textbook_tokens(self) -> int:
        return count_tokens(self.textbook, self.entry.long_names)

    @property
    def tokens(self) -> int:
        return count_tokens(self.printed, self.entry.long_names)

    @property
    def is_longer(self) -> bool:
        """Whether symgrad has no formula or one that is longer than the book's."""
        return bool(self.error) or self.tokens > self.textbook_tokens

    def record(self) -> dict[str, object]:
        """What ``approved.json`` keeps of it."""
        return {"text": self.printed, "tokens": self.tokens, "textbook_tokens": self.textbook_tokens}


def lines(entries: Iterable[Entry] = ENTRIES) -> Iterator[Line]:
    """Yield every derivative of the corpus with what symgrad prints for it now."""
    for entry in entries:
        for what, textbook in entry.textbook():
            try:
                yield Line(entry, what, textbook, str(entry.formula(what)))
            except Exception as error:  # the table shows it; the tests let it pass through
                yield Line(entry, what, textbook, "", f"{type(error).__name__}: {error}".splitlines()[0])


def share(found: list[Line]) -> float:
    """The share of lines that are no longer than the book's."""
    return sum(not line.is_longer for line in found) / len(found)


def table(found: list[Line]) -> str:
    """Return the lines as text, a line that is longer than the book's marked with ``>``."""
    rows = [("", "name", "textbook", "symgrad", "tokens")]
    for line in found:
        printed = line.error or line.printed
        counts = f"{line.textbook_tokens}/{'–' if line.error else line.tokens}"
        rows.append((">" if line.is_longer else "", line.name, *map(_one_line, (line.textbook, printed)), counts))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 0))).rstrip() for row in rows)


def summary(found: list[Line]) -> str:
    """Say how many lines there are and how many are no longer than the book's."""
    missing = sum(bool(line.error) for line in found)
    longer = sum(line.is_longer for line in found)
    counts = f"{longer} longer, {missing} of them missing"
    kinds = {what: [line for line in found if line.what == what] for what in ("gradient", "hessian")}
    by_kind = ", ".join(f"{what}s {share(some):.1%}" for what, some in kinds.items() if some)
    return f"{len(found)} lines, {share(found):.1%} no longer than the book's ({by_kind}); {counts}"


def approve(found: list[Line]) -> str:
    """Write ``approved.json`` anew and say what became of it."""
    kept: dict[str, dict[str, object]] = {}
    for line in found:
        if not line.error:
            kept.setdefault(line.entry.name, {})[line.what] = line.record()
    APPROVED_FILE.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return f"{sum(map(len, kept.values()))} texts written to {APPROVED_FILE.name}: review them as a diff"


def _one_line(text: str) -> str:
    return " ".join(text.split())
