"""The command ``symgrad``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..ops._public import settle as _settle
from . import _bench, _formulas, _operations_table, _pictures, _scripts
from ._answer import answered as _answered

__all__ = ["main"]

_EXAMPLES = """\
examples:
  symgrad diff "sum(log(1 + exp(-y*(X@w))))" --wrt w --order 2 --format latex
  symgrad diff "norm(A*x - b)^2" --dialect matrix --wrt x --format numpy
  symgrad diff '\\lVert Ax-b \\rVert^2' --wrt x --shape A=m,n
  symgrad explain "sum((A@x - b)**2)" --wrt x --shape A=m,n
  symgrad verify "sum((X@w - y)**2)" --grad "X'(Xw - y)" --wrt w --shape X=m,n
  symgrad graph model.py:loss --shape w=n -o loss.svg
  symgrad run tutorial.py

exit status: 0 done, 1 refuted or failed, 2 what was typed cannot be understood
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 done, 1 refuted or failed, 2 not understood.

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
    >>> main(["verify", "sum(x**2)", "--grad", "3x"])  # doctest: +ELLIPSIS
    REFUTED: the claim is not the gradient of f in x
    ...
    1
    """
    parser = argparse.ArgumentParser(
        prog="symgrad", description="Autograd that shows its work.", epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    version = sys.modules["symgrad"].__version__
    parser.add_argument("--version", action="version", version=f"symgrad {version}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show where in symgrad an error comes from")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for module in (_formulas, _pictures, _operations_table, _scripts, _bench):
        module.declare(commands, common)
    options = parser.parse_args(argv)
    if options.command is None:  # who types the name alone asks what there is
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    return _answered(options)


_settle(__name__, globals(), __all__)
