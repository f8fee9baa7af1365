"""``python -m tests.formulas.corpus [--approve] [--longer]``: the table of the corpus, or a new approved.json."""

import argparse

from ._listing import approve, lines, summary, table


def main() -> None:
    """Read the command line and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.formulas.corpus", description=__doc__)
    parser.add_argument("--approve", action="store_true", help="write approved.json anew, to be reviewed as a diff")
    parser.add_argument("--longer", action="store_true", help="only the lines that are longer than the book's")
    options = parser.parse_args()
    found = list(lines())
    if options.approve:
        print(approve(found))
        return
    print(table([line for line in found if line.is_longer] if options.longer else found))
    print(f"\n{summary(found)}")


if __name__ == "__main__":
    main()
