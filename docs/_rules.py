"""The page of rules, read from the tables: ``python docs/_rules.py`` prints it as Markdown.

`conf.py` puts it in the place of the note marked ``made: rules`` of rules.md, so nothing in it is written twice.
"""

from symgrad.calculus.passes import passes
from symgrad.calculus.rules import JACOBIANS
from symgrad.extend import RULES


def markdown() -> str:
    r"""Return the tables of rules, Jacobians and algorithms.

    >>> text = markdown()
    >>> [rule.pattern for rule in RULES if _code(rule.pattern).replace("|", "\\|") not in text]
    []
    >>> [record.of for record in JACOBIANS if _code(record.slope) not in text]
    []
    """
    rules = [
        (_code(r.pattern), _code(r.replacement), r.where, r.why + (f" ({r.when})" if r.when else "")) for r in RULES
    ]
    slopes = [(_code(j.of), _code(j.wrt), _code(j.slope), j.why) for j in JACOBIANS]
    steps = [(_code(p.text), p.why) for p in passes()]
    return "\n".join([
        "## This is that", "", _table(("what", "is", "where", "why"), rules),
        "## Derivatives", "", "Of functions of arrays, and of a few slopes; the others are those of "
        "[the table of operations](operations.md).", "", _table(("of", "in", "is", "why"), slopes),
        "## Algorithms", "", "Beside the rules stand a few algorithms, each shown here by an example. They are used "
        "where they make a formula shorter.", "", _table(("example", "reason"), steps),
    ])  # fmt: skip


def _code(text: str) -> str:
    return f"`{text}`"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *[[cell.replace("|", "\\|") for cell in row] for row in rows]]
    return "\n".join([f"| {' | '.join(line)} |" for line in lines]) + "\n"


if __name__ == "__main__":
    print(markdown())
