"""``symgrad diff``: the derivative of a formula that was typed."""

from __future__ import annotations

import sys
from typing import Any

from .._errors import SymgradError

FORMATS = ("unicode", "ascii", "latex", "numpy", "torch", "jax", "sympy")


def add_arguments(parser: Any) -> None:
    """Declare the command's arguments."""
    parser.add_argument("text", help="a formula, as X @ w (NumPy), x'*A*x (matrices) or sum_k A[i,k]*x[k] (entries)")
    parser.add_argument("--wrt", help="the symbol to differentiate in")
    parser.add_argument("--order", type=int, default=1, choices=(0, 1, 2), help="of the derivative (default 1)")
    parser.add_argument("--format", default="unicode", choices=FORMATS)
    parser.add_argument("--dialect", choices=("numpy", "matrix"), help="what * is: entry by entry, or of matrices")
    parser.add_argument(
        "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="declare a symbol's shape: X=m,n (sizes are names or numbers), t=() for a scalar, S=n,n pd",
    )  # fmt: skip


def run(options: Any) -> int:
    """Print the derivative; returns 2, with the reason on standard error, if there is none."""
    try:
        print(_answer(options))
    except (SymgradError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _answer(options: Any) -> str:
    from ..notation._declarations import declared
    from ..notation._parse import read

    found = read(options.text, options.dialect, None, dict(map(declared, options.shape)))
    if assumed := found.assumed():
        print(f"Read with {', '.join(assumed)}.", file=sys.stderr)
    formula = found.formula
    if options.order:
        if options.wrt is None:
            raise ValueError(f"--wrt is missing: which of {sorted(formula.free_symbols)}?")
        formula = formula.grad(options.wrt) if options.order == 1 else formula.hessian(options.wrt)
    if options.format in ("unicode", "ascii", "latex"):
        return format(formula, options.format)
    return str(formula.code(options.format))
