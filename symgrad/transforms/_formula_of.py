"""``sg.formula(f, *args)``: the formula of a Python function, in the names of its parameters and of the data it uses.

The idea to hold: the function is run once on named variables (`_tracing.py`) and the graph of its result is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._derivative import Derivative
from ._signature import bound
from ._tables import without_tables
from ._tracing import Traced, require_callable, unwrapped


def formula(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the formula of what a function computes, checked against its number.

    Parameters
    ----------
    f : function of arrays, written with NumPy, with operators or with symgrad's functions, that returns one tensor,
        array or number
    args, kwargs : where to run it. Arrays and tensors become symbols named after the parameters (``params_W`` for the
        entry 'W' of a dictionary); symbols stay themselves; numbers stay numbers, unless there are no arrays at all.
        Arrays that the function catches from its surroundings become symbols named after their variables

    Returns
    -------
    Formula

    Raises
    ------
    FormulaError : ``f`` returns something else, or uses an operation without a formula, or what stands in for a named
        size came into the formula as a number
    SymbolicBranchError : ``f`` asks for the value of a symbol

    Notes
    -----
    The function runs once (twice if it catches arrays), and once more at other lengths where symbols have named sizes:
    a formula in which such a length can be seen is refused. With arrays, what Python's ``if`` and ``for`` decide is
    decided by the arrays given: the formula is that of the branch taken.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> f = sg.formula(lambda x: sg.exp(x).sum(), np.array([0.0, 1.0]))
    >>> float(f(x=np.zeros(2)))
    2.0
    >>> print(sg.formula(lambda x: sg.exp(x).sum(), sg.symbol("x", "n")))
    sum(exp(x))
    """
    require_callable(f, "sg.formula")
    f, args, kwargs, _ = unwrapped(f, *without_tables((args, kwargs)))
    if isinstance(f, Derivative):
        return f.formula(*args, **kwargs)
    return Traced(f, bound(f, args, kwargs)).formula()
