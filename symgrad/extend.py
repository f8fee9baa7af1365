"""Operations of your own, declared as symgrad's are: a row with its forward function and its rules.

From the row follow the function, its node, both sweeps, derivatives of every order, the formula and the SymPy twin.
The kinds say what rules are: partial derivatives (`elementwise`), the transpose (`linear`), one rule per factor
(`multilinear`), vector-Jacobian products (`general`, and `fallible` where they may raise), none (`predicate`,
`constant`). `TABLE` holds every row by its name; `FACTS`
are the keywords that a row takes, and what each says.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> from symgrad.extend import TABLE, elementwise
>>> versine = elementwise("versine", lambda x: 1 - np.cos(x), lambda x: np.sin(x), sympy="1 - cos(x)", doc="1 - cos(x)")
>>> sg.grad(versine)(sg.symbol("x"))
sin(x)
>>> del TABLE["versine"]
"""

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
from .ops._public import settle as _settle

__all__ = [
    "FACTS", "TABLE", "Op", "constant", "elementwise", "fallible", "general", "linear", "multilinear", "predicate",
]  # fmt: skip

_settle(__name__, globals(), __all__)
