"""Values of another interface than Tensor's, which carry a tensor: operations take it out and put their result in one.

The idea to hold: the table, the sweeps and the programs know tensors only. `symgrad._array` makes arrays of NumPy's
manners around them; here stands what an operation that meets one must know.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ._graph import Tensor


class Carrier:
    """Carries a tensor, which is what operations compute with.

    Attributes
    ----------
    _t : the tensor
    """

    __slots__ = ()
    _t: Tensor

    @staticmethod
    def around(t: Tensor) -> Any:
        """What carries the result of an operation; to be set by the class that there is."""
        raise NotImplementedError


def content(value: Any) -> Any:
    """A value, or the tensor that it carries."""
    return value._t if isinstance(value, Carrier) else value


def run_carried(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands some of which carry tensors: so do the results."""
    operands = tuple([content(a) for a in operands])
    found = op.apply(operands, *params) if op.variadic else op.apply(*operands, *params)
    return tuple(map(Carrier.around, found)) if isinstance(found, tuple) else Carrier.around(found)


def contents(value: Any) -> Any:
    """What stands in containers, taken out of what carries it."""
    if isinstance(value, Carrier):
        return value._t
    if type(value) is list or type(value) is tuple:
        return type(value)([contents(v) for v in value])
    return value


def _around_all(value: Any) -> Any:
    if isinstance(value, Tensor):
        return Carrier.around(value)
    if isinstance(value, (tuple, list)):
        parts = [_around_all(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _carries(value: Any) -> bool:
    if isinstance(value, Carrier):
        return True
    return (type(value) is list or type(value) is tuple) and any(map(_carries, value))


def opened(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors that also takes what carries them, of which its results then are."""

    @functools.wraps(fn)
    def door(*args: Any, **kwargs: Any) -> Any:
        for a in args:
            if isinstance(a, _KINDS) and _carries(a):
                break
        else:
            if not kwargs or not any(map(_carries, kwargs.values())):
                return fn(*args, **kwargs)
        return _around_all(fn(*map(contents, args), **{k: contents(v) for k, v in kwargs.items()}))

    return door


_KINDS = (Carrier, list, tuple)
