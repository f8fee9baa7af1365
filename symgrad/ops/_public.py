"""From rows to the interface: which names users see, as functions, methods, in-place methods and NumPy entries."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from ..core import (
    NUMPY,
    TABLE,
    Carrier,
    Symbol,
    Tensor,
    carried,
    check_writable,
    content,
    extra,
    sizes_of,
    symbolic,
    wrap,
    write,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Public functions, ``sg.name``."""

METHODS: dict[str, Callable[..., Any]] = {}
"""Methods of Tensor."""

PROPERTIES: dict[str, Callable[..., Any]] = {}
"""Properties of Tensor that are operations: ``x.T``."""


def publish(
    fn: Callable[..., Any],
    *names: str,
    function: bool = True,
    method: bool = True,
    inplace: bool = False,
    numpy: Iterable[Any] = (),
) -> Callable[..., Any]:
    """Make ``fn`` public under its names: as functions, as methods, as in-place methods ``name_``, for NumPy's
    functions ``numpy`` when they meet a tensor."""
    for name in names:
        if function:
            FUNCTIONS[name] = fn
        if method:
            METHODS[name] = fn
        if inplace:
            METHODS[name + "_"] = in_place(fn, name + "_")
    for np_function in numpy:
        NUMPY[np_function] = fn
    return fn


def public(*aliases: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function to `publish` it under its own name (less a trailing underscore) and ``aliases``."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        publish(fn, fn.__name__.rstrip("_"), *aliases, **options)
        return fn

    return decorate


def publish_rows(names: str, **options: Any) -> None:
    """Publish rows of the table, named in one text, that need no other arguments than inputs and parameters."""
    for name in names.split():
        publish(TABLE[name].apply, name, **options)


@functools.cache
def docstrings() -> dict[bytes, bytes]:
    """The docstrings that are worked out of the table and of signatures, by full names: see docs/_docstrings.py."""
    path = os.path.join(os.path.dirname(__file__), os.pardir, "data", "docstrings.txt")
    text = __loader__.get_data(path)  # type: ignore[name-defined]
    return {name: doc for name, _, doc in (entry.partition(b"\n") for entry in text.split(b"\f\n"))}


def describe(value: Any, name: str) -> None:
    """Give a function or class the docstring that is written for its full name, if there is one."""
    doc = docstrings().get(name.encode())
    if doc is not None:
        value.__doc__ = doc.decode()


def settle(module: str, space: dict[str, Any], names: Iterable[str]) -> None:
    """Let public functions and classes say where users find them, ``symgrad.linalg.inv``, for help and pickle; and give
    them their docstrings where those are written for them. ``dir`` of the module says no more than is public."""
    if space["__name__"] == module:
        space.setdefault("__getattr__", functools.partial(_refuse, module))
        space.setdefault("__dir__", lambda: [n for n in space if n in space["__all__"] or n.startswith("__")])
    elsewhere = {id(fn) for fn in FUNCTIONS.values()} if module != "symgrad" else set()
    for name in names:
        value = space[name]
        if not isinstance(value, FunctionType | type) or id(value) in elsewhere:
            continue
        if value.__module__.partition(".")[0] == "symgrad":
            if space.get(value.__name__) is not value:
                value.__name__ = name
            value.__module__, value.__qualname__ = module, value.__name__
            describe(value, f"{module}.{value.__name__}")


def _refuse(module: str, name: str) -> Any:
    """What a module does that is asked for what it has not: say why, where it is a name of PyTorch's."""
    from .._absent import missing

    raise missing(module, name)


def in_place(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The in-place method of an out-of-place function: computed beside, then written to the tensor's memory."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, name)
        for a in args:
            if isinstance(a, Carrier):
                args = tuple(map(content, args))
                break
        return write(self, fn(_as_it_was(self, args), *args, **kwargs), name)

    method.__name__ = method.__qualname__ = name
    method.__wrapped__ = fn  # type: ignore[attr-defined]  # whose arguments it takes
    method.__doc__ = f"In-place version of `{fn.__name__}`: writes the result to the tensor's memory and returns it."
    return method


def _as_it_was(x: Tensor, args: tuple[Any, ...]) -> Tensor:
    """What an in-place method computes from: a constant that is written over with what has a history is still an
    operand of that history, so it is kept as it was."""
    if x._node is None and any(isinstance(a, Tensor) and a._node is not None for a in args):
        return _symbol_as_it_was(x) if type(x) is Symbol else carried(wrap(x._data.copy()), x)
    return x


def _symbol_as_it_was(x: Symbol) -> Symbol:
    before: Symbol = symbolic(wrap(x._data.copy()), sizes_of(x))
    if x._extra is not None:
        extra(before).name, extra(before).origin = x._extra.name, x._extra.origin
    return before


class Signature(inspect.Signature):
    """A function's signature with further keywords, worked out when it is asked for: import has no time for it."""

    __slots__ = ("_also", "_fn")

    def __init__(self, fn: Callable[..., Any], also: tuple[str, ...]) -> None:
        self._fn, self._also = fn, also

    def _whole(self) -> inspect.Signature:
        own = inspect.signature(self._fn)
        known = list(own.parameters.values())
        new = [name for name in self._also if name not in own.parameters]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in new]
        place = len(known) - any(p.kind is p.VAR_KEYWORD for p in known)
        return own.replace(parameters=[*known[:place], *more, *known[place:]])

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:  # type: ignore[override]
        """Each parameter by its name."""
        return self._whole().parameters

    @property
    def return_annotation(self) -> Any:
        """What the function is said to return."""
        return inspect.signature(self._fn).return_annotation

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        """Return a plain signature with some of this one's parts exchanged."""
        return self._whole().replace(**changes)

    def __reduce__(self) -> Any:
        return self._whole().__reduce__()


_NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}


def dims(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that takes ``dim`` and ``keepdim`` also take NumPy's ``axis`` and ``keepdims``."""
    code = inspect.unwrap(fn).__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    names = {**_NUMPY_NAMES, "axis": "dims"} if "dims" in known else _NUMPY_NAMES

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if kwargs and ("axis" in kwargs or "keepdims" in kwargs):
            for numpy_name, name in names.items():
                if numpy_name in kwargs:
                    if name in kwargs:
                        raise TypeError(f"{fn.__name__}() got both {name!r} and {numpy_name!r}; they mean the same")
                    kwargs[name] = kwargs.pop(numpy_name)
        return fn(*args, **kwargs)

    wrapper.__signature__ = Signature(fn, tuple(n for n in names if names[n] in known))  # type: ignore[attr-defined]
    return wrapper
