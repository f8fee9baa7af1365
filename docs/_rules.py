"""The page of rules, read from the tables: ``python docs/_rules.py`` prints it as Markdown.

`conf.py` puts it in the place of the note marked ``made: rules`` of rules.md, so nothing in it is written twice.
"""

from _operations import code, table

from symgrad.calculus.passes import passes
from symgrad.calculus.rules import JACOBIANS
from symgrad.extend import RULES


def markdown() -> str:
    r"""Return the tables of rules, Jacobians and algorithms.

    >>> text = markdown()
    >>> [rule.pattern for rule in RULES if code(rule.pattern) not in text]
    []
    >>> [record.of for record in JACOBIANS if code(record.slope) not in text]
    []
    """
    reasons = [f"{r.why} ({r.when})" if r.when else r.why for r in RULES]
    rules = [
        (code(r.pattern), code(r.replacement), r.where, why.replace("|", "\\|"))
        for r, why in zip(RULES, reasons, strict=True)
    ]
    slopes = [(code(j.of), code(j.wrt), code(j.slope), j.why) for j in JACOBIANS]
    steps = [(code(p.text), p.why) for p in passes()]
    return "\n".join([
        "## This is that", "", table(("what", "is", "where", "why"), rules),
        "## Derivatives", "", "Of functions of arrays, and of a few slopes; the others are those of "
        "[the table of operations](operations.md).", "", table(("of", "in", "is", "why"), slopes),
        "## Algorithms", "", "Beside the rules stand a few algorithms, each shown here by an example. They are used "
        "where they make a formula shorter.", "", table(("example", "reason"), steps),
    ])  # fmt: skip


if __name__ == "__main__":
    print(markdown())
