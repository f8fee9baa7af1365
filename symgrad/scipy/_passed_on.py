"""SciPy's own names where there is no mirror: what needs no derivative passes through to SciPy.

The idea to hold: ``symgrad.scipy.x`` has every name that ``scipy.x`` has, so that a script changes its imports
and no more. What is mirrored has derivatives. Of the rest a function is SciPy's own on plain numbers, and an error by
its name where something is differentiated; classes and constants are SciPy's. There is no list: the installed SciPy is
asked.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

from .._errors import NotDifferentiableError, compose
from ..transforms.calls import FoundValues
from ._mirrored import Remembering, by_scipy, holds

HOME = "symgrad.scipy"


def passed_on(original: Callable[..., Any], what: str) -> Callable[..., Any]:
    """A function of SciPy's that has no mirror: of what is differentiated an error, and itself of plain numbers.

    Parameters
    ----------
    what : its name behind ``symgrad.scipy.``
    """

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if FoundValues().search((args, kwargs)) or any(holds(v, Remembering) for v in (*args, *kwargs.values())):
            raise without_rule(what)
        return by_scipy(original, args, kwargs)

    call.__module__ = f"{HOME}.{what.rpartition('.')[0]}".rstrip(".")
    return call


def without_rule(what: str) -> NotDifferentiableError:
    """The error of a function of SciPy's that was given what is differentiated."""
    home = f"{HOME}.{what}"
    while home not in sys.modules:
        home = home.rpartition(".")[0]
    is_mirror = home != HOME and hasattr(sys.modules[home], "__file__")  # what is passed on has none
    mirror = f"; {home}.__all__ lists what has derivatives" if is_mirror else ""
    return NotDifferentiableError(
        f"symgrad.scipy.{what} has no derivative rule",
        "It is SciPy's own, of plain numbers: its result would not remember what it was computed of.",
        f"Call it on plain arrays, or on x.detach(){mirror}.",
    )  # fmt: skip


def member(original: Any, what: str, name: str) -> Any:
    """A method of an object of SciPy's that its mirror has not, passed on; AttributeError, if SciPy has none."""
    if name.startswith("_") or not hasattr(original, name):
        near = [] if name.startswith("_") else get_close_matches(name, [n for n in dir(original) if n[0] != "_"], 3)
        step = f"There is {', '.join(near)}." if near else ""
        raise AttributeError(compose(f"symgrad.scipy.{what} has no {name!r}", step), name=name)
    value = getattr(original, name)
    return passed_on(value, f"{what}.{name}") if inspect.isroutine(value) else value


def member_of(make: Callable[..., Any], parts: tuple[Any, ...], what: str, name: str) -> Any:
    """A method of an object of SciPy's that is made of these parts: an error when it is called, if one has history."""
    if not FoundValues().search(parts):
        return member(by_scipy(make, parts, {}), what, name)

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise without_rule(f"{what}.{name}")

    return refused


def passing_on(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and the ``__dir__`` of a module here, which SciPy's names fill up.

    Parameters
    ----------
    module : its name behind ``symgrad.scipy.``; "" is the outermost
    """
    own, theirs = f"{HOME}.{module}".rstrip("."), f"scipy.{module}".rstrip(".")

    @functools.cache  # a function is one object, which pickles find by its name
    def get(name: str) -> Any:
        if name.startswith("_") and (name, module) != ("__version__", ""):
            raise AttributeError(f"module {own!r} has no attribute {name!r}", name=name)
        try:
            value = getattr(importlib.import_module(theirs), name)
        except AttributeError:
            near = get_close_matches(name, names(), 3, 0.7)
            step = f"There is {', '.join(near)}." if near else f"dir({own}) lists what there is."
            what = f"module {own!r} has no attribute {name!r}"
            raise AttributeError(
                compose(what, f"Neither has {theirs}.", step), name=name, obj=sys.modules[own]
            ) from None
        if isinstance(value, ModuleType):
            return importlib.import_module(f"{own}.{name}") if value.__name__ == f"{theirs}.{name}" else value
        if _is_function(value):
            return passed_on(value, f"{module}.{name}".lstrip("."))
        return value

    def names() -> list[str]:
        found = importlib.import_module(theirs)
        public = getattr(found, "__all__", None) or [n for n in dir(found) if not n.startswith("_")]
        return sorted({*getattr(sys.modules[own], "__all__", ()), *public})

    return get, names


def _is_function(value: Any) -> bool:
    """Whether a value only computes: ufuncs take tensors as they are, classes and distributions are more than that."""
    return callable(value) and hasattr(value, "__name__") and not isinstance(value, (np.ufunc, type))


class PassedOn:
    """Finds the modules that SciPy has and symgrad has no mirror of; an entry of `sys.meta_path`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The specification of ``symgrad.scipy.spatial``; None if SciPy has no such module."""
        home = name.removeprefix(f"{HOME}.")
        if home == name or any(part.startswith("_") for part in home.split(".")):
            return None
        if importlib.util.find_spec(f"scipy.{home}") is None:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty module, which asks SciPy's for names."""
        home = spec.name.removeprefix(f"{HOME}.")
        return ModuleType(spec.name, f"SciPy's `scipy.{home}`, under symgrad's name: it takes plain numbers.")

    def exec_module(self, module: ModuleType) -> None:
        """Let it ask."""
        home = module.__name__.removeprefix(f"{HOME}.")
        get, names = passing_on(home)
        vars(module).update(__getattr__=get, __dir__=names, __all__=names())
