"""The command ``symgrad``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from . import _diff

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    Parameters
    ----------
    argv : the arguments after the program's name (default: the process's own)

    Examples
    --------
    >>> from symgrad.cli import main
    >>> main(["demo"])  # doctest: +ELLIPSIS
    Logistic regression of O-ring damage on temperature, 23 flights
    ...
    0
    >>> main(["diff", "sum(exp(A@x))", "--wrt", "x"])
    Aᵀ exp(Ax)
    0
    """
    parser = argparse.ArgumentParser(prog="symgrad", description="Autograd that shows its work.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="fit a logistic regression, with its Hessian, standard errors and formulas")
    _diff.add_arguments(commands.add_parser("diff", help='differentiate a formula: symgrad diff "x\'*A*x" --wrt x'))
    options = parser.parse_args(argv)
    if options.command == "diff":
        return _diff.run(options)
    from ._demo import run

    return run()
