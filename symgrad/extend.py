"""Operations of your own, declared as symgrad's are: a row with its forward function and its rules.

From the row follow the function, its node, both sweeps, derivatives of every order, the formula and the SymPy twin.
The kinds say what rules are: partial derivatives (`elementwise`), the transpose (`linear`), one rule per factor
(`multilinear`), vector-Jacobian products (`general`, and `fallible` where they may raise), none (`predicate`,
`constant`). `TABLE` holds every row by its name; `FACTS` are the keywords that a row takes, and what each says.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> from symgrad.extend import TABLE, elementwise
>>> versine = elementwise("versine", lambda x: 1 - np.cos(x), lambda x: np.sin(x), sympy="1 - cos(x)", doc="1 - cos(x)")
>>> sg.grad(versine)(sg.symbol("x"))
sin(x)
>>> del TABLE["versine"]

What is shown instead of something else is said by `rule`, one line of index notation; `RULES` lists them all.
"""

from .calculus import RULES, Rule, withdraw
from .calculus import declare as _declare
from .core import (
    FACTS,
    TABLE,
    Op,
    constant,
    elementwise,
    fallible,
    general,
    linear,
    multilinear,
    predicate,
)
from .ops import set_public_names as _settle


def rule(pattern: str, replacement: str, *, where: str = "", why: str = "", stable: bool = False) -> Rule:
    """Declare that formulas show something as something else, from now on; `withdraw` takes it back.

    Parameters
    ----------
    pattern : what is replaced, in index notation: ``sigmoid(x)·(1 − sigmoid(x))``, ``Σₖ A[i,k]·inv(A)[k,j]``. A name
        without indices is any operand, entry by entry; one with indices is an array, ``…`` its axes that are not named
    replacement : what is shown instead, made of the same names
    where : where that holds: ``a > 0``, ``det(A) ≠ 0``, ``K is symmetric``; it becomes a condition of the formula
    why : the reason, for derivations
    stable : whether derivative programs use it too: with a ``where`` only if what is replaced has no value elsewhere,
        since a program runs at all points

    Raises
    ------
    FormulaError : a text is not index notation (it shows where), the replacement has a name that the pattern lacks, the
        two differ at a random point (which is told), or another rule undoes it

    Notes
    -----
    The rule is tried at random real points in NumPy before it is used, which takes some milliseconds; it is not used
    on formulas with complex numbers.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.extend import rule, withdraw
    >>> sech = rule("1 − tanh(x)²", "1/cosh(x)²", why="cosh² − sinh² = 1")
    >>> x = sg.symbol("x")
    >>> f = sg.formula(lambda x: sg.log(sg.cosh(x)), x).hessian("x")
    >>> print(f, f(x=0.0))
    1/cosh(x)² 1.0
    >>> withdraw(sech)
    """
    used = "" if not stable else "stated " if where else "stable "
    new = Rule(pattern, replacement, where, why, tags=f"short {used}real")
    _declare(new)
    return new


__all__ = [
    "FACTS", "RULES", "TABLE", "Op", "Rule", "constant", "elementwise", "fallible", "general", "linear",
    "multilinear", "predicate", "rule", "withdraw",
]  # fmt: skip

_settle(__name__, globals(), __all__)
