"""``sg.hessian``: the matrix of second derivatives, as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._derivative import Argnums, Derivative


def hessian(f: Callable[..., Any], argnums: Argnums = 0) -> Derivative:
    """Return the matrix of second derivatives of a function that returns one number.

    Parameters
    ----------
    f : function of arrays that returns one number
    argnums : as in `grad`

    Returns
    -------
    A function of the same arguments: for an argument of shape (n,) the result has shape (n, n), for one of shape (m, n)
    it has shape (m, n, m, n). A tuple of arguments gives a tuple of tuples of blocks, a dictionary a dictionary of
    dictionaries. Arrays, tensors and symbols as in `grad`.

    Raises
    ------
    ShapeError : ``f`` returns more than one number

    Notes
    -----
    Cost: one gradient, recorded, and one sweep per element of the arguments. The second order keeps no graph, unless
    somebody outside could differentiate it.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.hessian(lambda x: x.prod() ** 2)(np.array([1.0, 2.0]))
    array([[8., 8.],
           [8., 2.]])
    >>> x = sg.symbol("x", "n")
    >>> print(sg.hessian(lambda x: (x ** 3).sum() / 6)(x))
    diag(x)
    """
    return Derivative("hessian", f, argnums)


__all__ = ["hessian"]
