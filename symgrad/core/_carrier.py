"""Values of another interface than Tensor's, which carry a tensor: operations take it out and put their result in one.

The idea to hold: the table, the sweeps and the programs know tensors only. `symgrad._array` makes arrays of NumPy's
manners around them; here stands what an operation that meets one must know.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

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

    @staticmethod
    def ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A ufunc of NumPy's that met one, maybe in a list; to be set likewise."""
        raise NotImplementedError

    @staticmethod
    def function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function of NumPy's that met one, maybe in a list; to be set likewise."""
        raise NotImplementedError

    def sharing(self, found: Tensor, function: Callable[[Any], Any]) -> Any:
        """What carries a result of a function of this one: a view where it shares memory."""
        raise NotImplementedError

    def written(self, function: Callable[[Tensor], Any]) -> Any:
        """This one, to whose tensor (a copy) a function writes."""
        raise NotImplementedError


def content(value: Any) -> Any:
    """A value, or the tensor that it carries."""
    return value._t if isinstance(value, Carrier) else value


def run_carried(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands some of which carry tensors: so do the results."""
    tensors, params = tuple([content(a) for a in operands]), contents(params)
    found = op.apply(tensors, *params) if op.variadic else op.apply(*tensors, *params)
    if op.view and isinstance(operands[0], Carrier):
        return shared(operands[0], found, lambda x: op.apply(x, *tensors[1:], *params))
    return around_all(found)


def shared(carrier: Carrier, found: Any, function: Callable[[Any], Any]) -> Any:
    """Results of a function of what carries a tensor: views of it, where they share memory."""
    if isinstance(found, Tensor):
        return carrier.sharing(found, function)
    if isinstance(found, (tuple, list)) and not hasattr(found, "_fields"):
        return type(found)([shared(carrier, t, _part(function, k)) for k, t in enumerate(found)])
    return around_all(found)


def _part(function: Callable[[Any], Any], k: int) -> Callable[[Any], Any]:
    return lambda x: function(x)[k]


def contents(value: Any) -> Any:
    """What stands in containers, taken out of what carries it."""
    if isinstance(value, Carrier):
        return value._t
    if type(value) is list or type(value) is tuple:
        return type(value)([contents(v) for v in value])
    return value


def around_all(value: Any) -> Any:
    """Results with their tensors carried, in the containers that they are in."""
    if isinstance(value, Tensor):
        return Carrier.around(value)
    if isinstance(value, (tuple, list)):
        parts = [around_all(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def carries(value: Any) -> bool:
    """Whether a value, or something in it, carries a tensor."""
    if isinstance(value, Carrier):
        return True
    return (type(value) is list or type(value) is tuple) and any(map(carries, value))


def opened(fn: Callable[..., Any], writes: bool = False) -> Callable[..., Any]:
    """A function of tensors that also takes what carries them, of which its results then are.

    ``writes``: it writes to its first argument.
    """
    if hasattr(fn, "op") or isinstance(fn, type):
        return fn  # a row sees by itself
    made: Callable[..., Any] | None = _opened.get(fn)
    if made is not None:
        return made

    @functools.wraps(fn)
    def door(*args: Any, **kwargs: Any) -> Any:
        for a in args:
            if isinstance(a, _KINDS) and carries(a):
                return _through(fn, args, kwargs, writes)
        if kwargs and any(map(carries, kwargs.values())):
            return _through(fn, args, kwargs, writes)
        return fn(*args, **kwargs)

    _opened[fn] = door
    return door


_KINDS = (Carrier, list, tuple)
_opened: WeakKeyDictionary[Callable[..., Any], Callable[..., Any]] = WeakKeyDictionary()
MAKES_TENSORS = frozenset(["as_tensor", "asarray", "from_numpy", "tensor", "is_tensor"])
"""Functions that are asked for a tensor, whatever they are given."""


def _through(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], writes: bool) -> Any:
    first, name = args[0] if args else None, getattr(fn, "__name__", "")
    given, options = tuple(map(contents, args)), {k: contents(v) for k, v in kwargs.items()}
    if isinstance(first, Carrier) and (writes or options.get("inplace")):
        return first.written(lambda t: fn(t, *given[1:], **options))
    found = fn(*given, **options)
    if name in MAKES_TENSORS:
        return found
    if isinstance(first, Carrier):
        return shared(first, found, lambda x: fn(x, *given[1:], **options))
    return around_all(found)
