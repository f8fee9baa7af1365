"""Calls of the mirror's functions, with the numbers that went in: they are made again with others, here or by SciPy.

The idea to hold: a case is recorded once and gives single calls. What is stacked of several of them is a batch, and
nobody types it.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np

import symgrad as sg

from ._oracle import total
from ._watched import HOME, Watch, _call, _holds_tensors, _Module, _Object, _watched


@dataclass
class Leaf:
    """Numbers that went into a call."""

    value: np.ndarray
    differentiated: bool
    parameter: str


@dataclass
class Call:
    """A call of ``path`` (names, with dots) in a module or of an object, which is the call that made it.

    ``axes`` says whether the function has an argument of this name that was not given: it takes all of an array's.
    """

    name: str
    of: "str | Call"
    path: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    axes: bool = False

    def leaves(self):
        return [*(self.of.leaves() if isinstance(self.of, Call) else ()), *_leaves((self.args, self.kwargs))]

    def names(self):
        """The functions that are called: the class of an object too."""
        return [*(self.of.names() if isinstance(self.of, Call) else ()), self.name]

    def made(self, home, values):
        """The call's result by ``home``, with these values (an iterator) in the place of its leaves."""
        of = self.of.made(home, values) if isinstance(self.of, Call) else import_module(f"{home}.{self.of}")
        for name in self.path.split("."):
            of = getattr(of, name)
        args, kwargs = (_filled(part, home, values) for part in (self.args, self.kwargs))
        return of(*args, **kwargs)


class Unknown(Exception):
    """A call with an argument that is not made again: a function that has tensors inside, an attribute of an object."""


def _leaves(part):
    if isinstance(part, (list, tuple)):
        return [leaf for v in part for leaf in _leaves(v)]
    if isinstance(part, dict):
        return [leaf for v in part.values() for leaf in _leaves(v)]
    return part.leaves() if isinstance(part, Call) else [part] if isinstance(part, Leaf) else []


def _filled(part, home, values):
    if isinstance(part, (list, tuple)):
        return type(part)([_filled(v, home, values) for v in part])
    if isinstance(part, dict):
        return {k: _filled(v, home, values) for k, v in part.items()}
    return part.made(home, values) if isinstance(part, Call) else next(values) if isinstance(part, Leaf) else part


class Recorder(Watch):
    """A watch that keeps the calls."""

    def __init__(self):
        super().__init__()
        self.calls, self._makers, self._kept = [], {}, []

    def module(self, name):
        return _Recorded(self, name)

    def handed_on(self, name, fn, args, kwargs):
        try:
            call = self._call(name, fn, args, kwargs)
        except Unknown:
            call = None
        args, kwargs = _opened(args), _opened(kwargs)
        found = fn(*args, **kwargs)
        if call is not None:
            self.calls.append(call)
            self._makers[id(found)] = call
        self._kept.append(found)  # so that no other object has its number
        return _watched(self, name.partition(".")[0], found)

    def _call(self, name, fn, args, kwargs):
        if isinstance(fn, Method):
            of, _, path = name.partition(".")
        elif inspect.ismethod(fn):
            of, path = self._maker(fn.__self__), fn.__name__
        elif id(fn) in self._makers:
            of, path = self._maker(fn), "__call__"
        else:
            of, path = name.rpartition(".")[::2]
        signature = inspect.signature(fn)
        bound = signature.bind(*args, **kwargs)
        all_axes = "axes" in signature.parameters and bound.arguments.get("axes") is None
        noted = {p: self._noted(p, v) for p, v in bound.arguments.items()}
        bound.arguments.update(noted)
        return Call(name, of, path, bound.args, bound.kwargs, all_axes)

    def _maker(self, value):
        if id(value) not in self._makers:
            raise Unknown
        return self._makers[id(value)]

    def _noted(self, parameter, value):
        if isinstance(value, _Object):
            return self._maker(value._watched)
        if isinstance(value, sg.Tensor):
            return Leaf(value.detach().numpy(), value.requires_grad, parameter)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim:
            return Leaf(value, False, parameter)
        if type(value) in (list, tuple):
            return type(value)([self._noted(parameter, v) for v in value])
        if type(value) is dict:
            return {k: self._noted(parameter, v) for k, v in value.items()}
        if inspect.isfunction(value) and _holds_tensors(value):
            raise Unknown
        return value


def _opened(part):
    """The arguments, with objects in the place of what watches them."""
    if isinstance(part, _Object):
        return part._watched
    if type(part) in (list, tuple):
        return type(part)([_opened(v) for v in part])
    return {k: _opened(v) for k, v in part.items()} if type(part) is dict else part


class _Recorded(_Module):
    """A module whose distributions are watched, too: they are objects that it has."""

    def __getattr__(self, name):
        made = getattr(self._mirror, name)
        if type(made).__module__.startswith(HOME + "stats"):
            return _Law(self._watch, f"{self._name}.{name}", made)
        return super().__getattr__(name)


class _Law:
    """A distribution: its methods are called by its own name."""

    def __init__(self, watch, name, made):
        self._watch, self._name, self._made = watch, name, made

    def __getattr__(self, method):
        return functools.partial(_call, self._watch, f"{self._name}.{method}", Method(getattr(self._made, method)))

    def __call__(self, *args, **kwargs):
        return self._made(*_opened(args), **_opened(kwargs))


@dataclass
class Method:
    """A distribution's method, which is of no object that a call has made."""

    fn: Callable

    @property
    def __signature__(self):
        return inspect.signature(self.fn)

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)


def recorded(case, point):
    """The calls of a case at a point."""
    watch = Recorder()
    total(case, sg.tensor(point, requires_grad=True), watch.module)
    return watch.calls
