"""Which arguments of the mirror's functions move the result of a case: measured, not declared.

A case runs on modules that stand for the mirror's own and hand every call on, each differentiated argument as a tensor
of its own. What the case's number has a gradient in was differentiated there.
"""

import functools
import inspect
from importlib import import_module

import numpy as np

import symgrad as sg
from symgrad.scipy.sparse import SparseArray

HOME = "symgrad.scipy."


def public(module):
    """The public functions of a module of the mirror, and the methods of its classes, by name."""
    mirror = import_module(HOME + module)
    for name in mirror.__all__:
        made = getattr(mirror, name)
        if inspect.isclass(made) and made.__module__.startswith((HOME, "scipy.")):
            yield f"{module}.{name}", made
            for method in dir(made):
                fn = getattr(made, method)
                if inspect.isfunction(fn) and (method == "__call__" or not method.startswith("_")):
                    yield f"{module}.{fn.__qualname__}", fn
        elif callable(made) and not inspect.ismodule(made):
            yield f"{module}.{name}", made


def parameters(fn):
    names = [p for p in inspect.signature(fn).parameters if p != "self"]
    return names


class Watch:
    """What was called with what: ``found`` are the names of functions and parameters, with tensors that went in."""

    def __init__(self):
        self.found, self.called = [], set()

    def module(self, name):
        return _Module(self, name)

    def moved(self, number):
        """The arguments in which a number that was made of the calls has a gradient that is not 0."""
        tensors = [t for _, t in self.found if t is not None]
        slopes = iter(sg.autograd.grad(number, tensors, allow_unused=True) if tensors else ())
        return {key for key, t in self.found if t is None or _is_moved(next(slopes))}

    def handed_on(self, name, fn, args, kwargs):
        self.called.add(name)
        bound = inspect.signature(fn).bind(*args, **kwargs)
        for parameter, value in bound.arguments.items():
            bound.arguments[parameter] = self._own((name, parameter), value)
        return _watched(self, name.partition(".")[0], fn(*bound.args, **bound.kwargs))

    def _own(self, key, value):
        """The argument, with tensors of its own in the place of those that are differentiated."""
        if isinstance(value, _Object):
            value = value._watched
        if isinstance(value, SparseArray):
            return value._with(self._own(key, value.data))
        if isinstance(value, sg.Tensor) and value.requires_grad:
            value = value.clone()
            self.found.append((key, value))
        elif type(value) in (list, tuple):
            return type(value)(self._own(key, v) for v in value)
        elif type(value) is dict:
            return {k: self._own(key, v) for k, v in value.items()}
        elif inspect.isfunction(value) and _holds_tensors(value):
            self.found.append((key, None))
        return value


def _is_moved(slope):
    return slope is not None and bool((slope.abs() > 0).any())


def _holds_tensors(function):
    """Whether a function has tensors in what it closes over, or among the names of its case."""
    inside = [c.cell_contents for c in function.__closure__ or ()]
    inside += [function.__globals__.get(n) for n in function.__code__.co_names]
    return any(isinstance(v, sg.Tensor) and v.requires_grad for v in inside)


class _Module:
    def __init__(self, watch, name):
        self._watch, self._name, self._mirror = watch, name, import_module(HOME + name)

    def __getattr__(self, name):
        made = getattr(self._mirror, name)
        if inspect.isclass(made):
            return _Class(self._watch, f"{self._name}.{name}", made)
        return functools.partial(_call, self._watch, f"{self._name}.{name}", made)


def _call(watch, name, fn, /, *args, **kwargs):
    return watch.handed_on(name, fn, args, kwargs)


class _Class:
    """A class of the mirror, whose instances are watched too."""

    def __init__(self, watch, name, made):
        self._watch, self._name, self._made = watch, name, made

    def __call__(self, *args, **kwargs):
        return _call(self._watch, self._name, self._made, *args, **kwargs)

    def __getattr__(self, name):
        return functools.partial(_call, self._watch, f"{self._name}.{name}", getattr(self._made, name))


class _Object:
    """An instance: its methods are watched under the name of the class that defines them."""

    def __init__(self, watch, module, made):
        self._watch, self._module, self._watched = watch, module, made

    def __getattr__(self, name):
        found = getattr(self._watched, name)
        if inspect.ismethod(found):
            return functools.partial(_call, self._watch, f"{self._module}.{found.__func__.__qualname__}", found)
        return _watched(self._watch, self._module, found)

    def __call__(self, *args, **kwargs):
        method = type(self._watched).__call__
        return _call(self._watch, f"{self._module}.{method.__qualname__}", self._watched, *args, **kwargs)

    def __getitem__(self, key):
        return self._watched[key]

    def _operation(operate):
        def method(self, other):
            other = other._watched if isinstance(other, _Object) else other
            return _watched(self._watch, self._module, operate(self._watched, other))

        return method

    __matmul__, __rmatmul__ = _operation(lambda a, b: a @ b), _operation(lambda a, b: b @ a)
    __rmul__, __sub__ = _operation(lambda a, b: b * a), _operation(lambda a, b: a - b)
    __array_ufunc__ = None  # as a sparse array: operators are the methods here
    _multiplies_tensors = True


def _watched(watch, module, made):
    """A result; an object of the mirror's is watched too."""
    home = type(made).__module__
    own = home.startswith(HOME) and not isinstance(made, (np.ndarray, tuple, sg.Tensor))
    return _Object(watch, home.removeprefix(HOME).rpartition(".")[0] or module, made) if own else made
