"""The command ``symgrad``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..ops._public import settle as _settle
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
    serve = commands.add_parser("serve", help="a page that differentiates what one types, on this machine alone")
    serve.add_argument("--port", type=int, default=8765, help="default 8765; 0 takes a free one")
    options = parser.parse_args(argv)
    if options.command == "diff":
        return _diff.run(options)
    if options.command == "serve":
        from ..serve import serve as run_server

        return run_server(options.port)
    from ._demo import run

    return run()


_settle(__name__, globals(), __all__)
