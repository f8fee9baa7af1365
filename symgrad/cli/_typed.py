"""What a user gives to a command: formulas as text, shapes of names."""

from __future__ import annotations

import sys
from typing import Any

from .. import _limits
from ..notation._declarations import declared
from ..notation._parse import read
from ._answer import UsageError


def with_text(command: Any, what: str = "a formula") -> None:
    """Declare a formula with its shapes and its dialect."""
    command.add_argument(
        "text", metavar="EXPR",
        help=f"{what}, as X @ w (NumPy), x'*A*x (matrices), sum_k A[i,k]*x[k] (entries) or LaTeX; - reads it",
    )  # fmt: skip
    command.add_argument("--dialect", choices=("numpy", "matrix", "latex"),
                         help="what * is: entry by entry, or of matrices; or LaTeX without a backslash")  # fmt: skip
    with_shapes(command)
    command.set_defaults(formulas=True)


def with_shapes(command: Any) -> None:
    """Declare ``--shape``."""
    command.add_argument(
        "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="declare a symbol's shape: X=m,n (sizes are names or numbers), t=() for a number; once for each",
    )  # fmt: skip


def read_text(options: Any) -> Any:
    """Return what was found out about the text: its ``formula``, and what was ``assumed()``, which is said."""
    if options.text == "-":
        options.text = sys.stdin.buffer.read(4 * _limits.TEXT + 1).decode().strip()
    found = read(options.text.strip(), options.dialect, None, shapes_of(options))
    if assumed := found.assumed():
        print(f"Read with {', '.join(assumed)}.", file=sys.stderr)
    return found


def shapes_of(options: Any) -> dict[str, Any]:
    """Return the shapes (or symbols with properties) that were declared, by name."""
    try:
        return dict(map(declared, options.shape))
    except ValueError as error:
        raise UsageError(f"--shape takes NAME=SIZES: {error}", "", "Write --shape X=m,n.") from error


def variable_of(formula: Any, wrt: str | None) -> str:
    """Return the name to differentiate in; the only one needs not be said."""
    names = sorted(formula.free_symbols)
    if wrt is not None:
        return wrt
    if len(names) != 1:
        what = f"--wrt is missing: which of {', '.join(names)}?" if names else "there is no variable in the formula"
        raise UsageError(what)
    return names[0]
