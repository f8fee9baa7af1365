"""NumPy's ``numpy.lib``, whose ``stride_tricks.as_strided`` also takes arrays that are differentiated."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from .._array import ARRAYS, by_strides, expect_strides, has_pieces
from ..core import NUMPY, Tensor


def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True, **options: Any
) -> Any:
    """Return a view of an array with another shape, whose entries lie where ``strides`` say.

    Parameters are those of `numpy.lib.stride_tricks.as_strided`; strides are in bytes, as ``x.strides``.

    Raises
    ------
    NotDifferentiableError : of an array that is differentiated, where an entry would lie between or beyond those of x;
        of NumPy's array of objects, if its numbers are not as large as addresses

    Notes
    -----
    Cost: a selection of as many entries as the view has.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.numpy as np
    >>> def f(x):  # sums of neighbours, squared
    ...     pairs = np.lib.stride_tricks.as_strided(x, (len(x) - 1, 2), 2 * x.strides)
    ...     return (pairs.sum(1) ** 2).sum()
    >>> sg.grad(f)(np.array([1.0, 2.0, 4.0]))
    array([ 6., 18., 12.])
    >>> print(sg.formula(f, sg.symbol("x", 3)).grad("x")(x=np.array([1.0, 2.0, 4.0])))
    [ 6. 18. 12.]
    """
    if type(x) in ARRAYS:
        return by_strides(x, shape, strides)
    if isinstance(x, Tensor):
        return NUMPY[np.lib.stride_tricks.as_strided](x, shape, strides)
    if has_pieces(x):
        expect_strides(np.asarray(x))
    return np.lib.stride_tricks.as_strided(x, shape, strides, subok, writeable, **options)


stride_tricks = ModuleType("symgrad.numpy.lib.stride_tricks", np.lib.stride_tricks.__doc__)
vars(stride_tricks).update(
    {name: value for name, value in vars(np.lib.stride_tricks).items() if not name.startswith("_")},
    as_strided=as_strided, __all__=["as_strided", "sliding_window_view"],
)  # fmt: skip


def __getattr__(name: str) -> Any:
    return getattr(np.lib, name)


__all__ = ["stride_tricks"]


def __dir__() -> list[str]:
    return __all__
