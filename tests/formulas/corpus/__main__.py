"""``python -m tests.formulas.corpus [--approve] [--longer] [--held-out]``: the corpus as a table, or approved anew."""

import argparse

from ._listing import approve, lines, summary, table
from .held_out._held import FIELDS


def main() -> None:
    """Read the command line and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.formulas.corpus", description=__doc__)
    parser.add_argument("--approve", action="store_true", help="write approved.json anew, to be reviewed as a diff")
    parser.add_argument("--longer", action="store_true", help="only the lines that are longer than the book's")
    parser.add_argument("--held-out", action="store_true", help="only the figures of the entries kept for measuring")
    options = parser.parse_args()
    if options.held_out:
        everything = []
        for field, entries in FIELDS.items():
            everything += (found := list(lines(entries)))
            print(f"{field}: {summary(found)}")
        print(f"\nheld out: {summary(everything)}")
        return
    found = list(lines())
    if options.approve:
        print(approve(found))
        return
    print(table([line for line in found if line.is_longer] if options.longer else found))
    print(f"\n{summary(found)}")


if __name__ == "__main__":
    main()
