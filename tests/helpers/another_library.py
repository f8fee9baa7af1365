"""A module ``cupy`` without a GPU: NumPy under another name, as strict as CuPy is about what its functions take.

An array is no array of NumPy's, mixes with numbers and its own kind only, and becomes NumPy's by ``asnumpy`` alone.
"""

import types

import numpy as np
import scipy.linalg
import scipy.special


class Array(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of the library."""

    def __init__(self, value):
        self._value = np.asarray(value)

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    def __array_ufunc__(self, ufunc, method, *given, **named):
        return Function(getattr(ufunc, method))(*given, **named)

    def __getitem__(self, index):
        return _wrapped(self._value[_bare(index)])

    def __setitem__(self, index, value):
        self._value[_bare(index)] = _own(value)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._value, name)
        return Function(found) if callable(found) else _wrapped(found)

    def __len__(self):
        return len(self._value)

    def __bool__(self):
        return bool(self._value)


class Function:
    """A function of NumPy's on these arrays."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *given, **named):
        return _wrapped(self._function(*map(_own, given), **{k: _own(v) for k, v in named.items()}))

    def __getitem__(self, index):  # of ``s_`` and ``ogrid``
        return _wrapped(self._function[_bare(index)])

    def __getattr__(self, name):
        return Function(getattr(self._function, name))


class Module(types.ModuleType):
    """A module of NumPy's or SciPy's under another name."""

    def __init__(self, name, module, **more):
        super().__init__(name)
        self.__dict__.update(more, _module=module)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._module, name)
        return found if isinstance(found, type | float | int | None) else Function(found)


def _wrapped(value):
    if isinstance(value, tuple | list):
        return tuple(map(_wrapped, value))
    return Array(value) if isinstance(value, np.ndarray | np.generic) else value


def _bare(value):
    """An index, or an array, as NumPy takes it."""
    if isinstance(value, tuple | list):
        return type(value)(map(_bare, value))
    return value._value if isinstance(value, Array) else value


def _own(value):
    """What a function takes; NumPy's arrays it refuses."""
    if isinstance(value, tuple | list):
        return type(value)(map(_own, value))
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("unsupported type <class 'numpy.ndarray'>")
    return _bare(value)


def modules():
    """What is imported, by name."""
    linalg = Module("cupy.linalg", np.linalg)
    special, of_scipy = Module("cupyx.scipy.special", scipy.special), Module("cupyx.scipy.linalg", scipy.linalg)
    cupy = Module(
        "cupy", np, ndarray=Array, asnumpy=_bare, linalg=linalg,
        asarray=lambda a, dtype=None: Array(np.array(_bare(a), dtype)),
        array=lambda a, dtype=None: Array(np.array(_bare(a), dtype)),
    )  # fmt: skip
    scipy_there = types.ModuleType("cupyx.scipy")
    scipy_there.special, scipy_there.linalg = special, of_scipy
    cupyx = types.ModuleType("cupyx")
    cupyx.scipy = scipy_there
    for package in (cupy, cupyx, scipy_there):
        package.__path__ = []
    found = cupy, linalg, cupyx, scipy_there, special, of_scipy
    return {module.__name__: module for module in found}
