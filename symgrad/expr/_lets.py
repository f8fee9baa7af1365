"""Definitions: a symbol that no formula of a user has, and the term that it stands for.

The idea to hold: a definition is a pair, and the symbol is like its term (shape, symmetry, real or not), so that a
formula with definitions is rewritten by the same rules as any other.
"""

from __future__ import annotations

from typing import Any

from ._node import Expr, Var
from ._reals import is_real

Let = tuple[Expr, Expr]
"""A symbol and what it stands for."""


def symbol_of(k: Any, term: Expr) -> Expr:
    """The symbol number ``k`` of a formula's definitions, for a term."""
    properties = (["symmetric"] if term.symmetric else []) + ([] if is_real(term) else ["complex"])
    return Var(f"\N{WHITE SQUARE}{k}", term.shape, frozenset(properties))


def is_symbol(t: Expr) -> bool:
    """Whether a term is such a symbol."""
    return isinstance(t, Var) and t.name.startswith("\N{WHITE SQUARE}")
