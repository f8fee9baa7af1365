"""The arguments of one call of a function, by parameter, and which of them are differentiated."""

from __future__ import annotations

import functools
import inspect
import reprlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from keyword import iskeyword
from types import FunctionType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from ..._errors import GradientError, ShapeError, SymgradError, compose
from ..._function import Function
from ...core import Symbol, Tensor, content, is_table
from .symbolic_run import require_callable, tracing, unwrapped
from .tree import (
    Spec,
    difference,
    flatten,
    flatten_like,
    flatten_values,
    leaf_shape,
    note_tables,
    require_numbers,
    require_one_order,
    tables_again,
    with_tables,
    without_tables,
)
from .variables import all_plain

# ---------------------------------- The parameters of whatever is differentiated, and a call's arguments by parameter

# The idea to hold: rows, ufuncs, modules and custom operations have parameters as functions do, and an argument that
# goes to ``*args`` has one of its own.


def signature(f: Any) -> inspect.Signature | None:
    """The parameters of a function, as far as Python knows them: a row's are its inputs, a Function's and a module's
    those of its forward."""
    owner = getattr(f, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, Function) and f == owner.apply:
        return owner._parameters()
    op = getattr(f, "op", None)
    if op is not None:
        return _of_names((*op.inputs, *op.params))
    if isinstance(f, np.ufunc):
        return _of_names("xyzuvw"[: f.nin])  # NumPy's own speaks of dtype= and where=
    if hasattr(f, "named_parameters") and callable(getattr(f, "forward", None)):
        f = f.forward  # a module's __call__ takes anything
    try:
        return _own_signature(f) or inspect.signature(f)
    except (TypeError, ValueError):
        return None


def _own_signature(f: Any) -> inspect.Signature | None:
    """The parameters of a function that wraps another and names some of its own: what is called is it."""
    if not isinstance(f, FunctionType) or not hasattr(f, "__wrapped__"):
        return None
    own = inspect.signature(f, follow_wrapped=False)
    return own if any(p.kind not in _MANY for p in own.parameters.values()) else None


def _of_names(names: Iterable[str]) -> inspect.Signature:
    """A signature of these parameters."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(n, kind) for n in names])


class _Short(NamedTuple):
    """A default of a parameter, as it is shown."""

    value: Any

    def __repr__(self) -> str:
        return reprlib.repr(self.value)


def _with_short_defaults(known: inspect.Signature) -> str:
    """A signature as text; a default may be an array of any size."""
    shown = [p if p.default is p.empty else p.replace(default=_Short(p.default)) for p in known.parameters.values()]
    return str(known.replace(parameters=shown))


def bind_arguments(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], whole: Iterable[Any] = ()
) -> inspect.BoundArguments:
    """The arguments by parameter, defaults included.

    What is given to ``*args`` and ``**kwargs`` has parameters of its own (``args_0``, and its keyword), but for those
    of the two that are named in ``whole``.
    """
    known = signature(f)
    if known is None:
        letters = "xyzuvw"
        known = _of_names(letters[: len(args)] if len(args) <= len(letters) else [f"x{k}" for k in range(len(args))])
    try:
        arguments = known.bind(*args, **kwargs)
    except TypeError as error:
        if not hasattr(f, "__wrapped__"):
            name = getattr(f, "__name__", type(f).__name__)
            raise TypeError(f"{name}{_with_short_defaults(known)} is called with other arguments: {error}") from None
        known = inspect.signature(f, follow_wrapped=False)  # it gives what it wraps other arguments
        arguments = known.bind(*args, **kwargs)
    arguments.apply_defaults()
    if any(p.kind in _MANY and p.name not in whole for p in known.parameters.values()):
        return _spread(arguments, whole)
    return arguments


_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
LOOSE = "an entry of **kwargs"
"""The annotation of parameters that have a name and no position."""


def _spread(arguments: inspect.BoundArguments, whole: Iterable[Any]) -> inspect.BoundArguments:
    """The same call of a function in whose signature each argument has a parameter of its own."""
    given = arguments.signature.parameters
    values: dict[str, Any] = {}
    new: list[inspect.Parameter] = []
    for name, value in arguments.arguments.items():
        p = given[name].replace(default=inspect.Parameter.empty)  # which may stand before one without
        if p.name in whole or p.kind not in _MANY:
            new.append(p)
            values[name] = value
        elif p.kind is p.VAR_POSITIONAL:
            for k, entry in enumerate(value):
                own = _fresh(f"{name}_{k}", {*given, *values})
                new.append(inspect.Parameter(own, p.POSITIONAL_OR_KEYWORD))
                values[own] = entry
        else:
            own_names = [k for k in value if k.isidentifier() and not iskeyword(k) and k not in values]
            new += [inspect.Parameter(k, p.KEYWORD_ONLY, annotation=LOOSE) for k in own_names]
            values.update({k: value[k] for k in own_names})
            if len(own_names) < len(value):  # the others cannot be parameters' names
                new.append(p)
                values[name] = {k: v for k, v in value.items() if k not in own_names}
    return inspect.BoundArguments(inspect.Signature(new), OrderedDict(values))


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


# -------------------------------------------------------------------------------------------------------------------
# The arguments of one call of a function, and which of them a transform differentiates with respect to

# The idea to hold: whatever names the arguments (argnums, all of them, the only one), a call gives the values to
# differentiate at, runs the function with others in their places, and packs one result for each.


Argnums = int | str | tuple[int | str, ...]


class Arguments:
    """The arguments of one call, and which of them to differentiate with respect to.

    Attributes
    ----------
    names, several : the parameters to differentiate with respect to, and whether argnums was a tuple
    otherwise : what to do where there is nothing to differentiate
    """

    otherwise = "Name another by argnums, or pass an array."

    f: Any
    several: bool

    def __init__(self, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Argnums) -> None:
        f, args, kwargs, front = unwrapped(f, args, kwargs)
        self.f, self.several = f, isinstance(argnums, tuple)
        wanted = argnums if isinstance(argnums, tuple) else (argnums,)
        self.bound: inspect.BoundArguments = bind_arguments(f, args, kwargs, wanted)
        self._given = dict(self.bound.arguments)
        arrays = without_tables(self._given)
        if arrays is not self._given:
            require_one_order(self._given)
            self.bound.arguments.update(arrays)
        if not wanted:
            raise GradientError("argnums must be non-empty", "", "Name at least one argument.")
        self.names: tuple[str, ...] = tuple(self._name(a, front) for a in wanted)
        if len(set(self.names)) != len(self.names):
            raise GradientError(f"argnums elements must be unique, got {argnums}", "", "Name each argument once.")

    def _name(self, argnum: Any, front: int) -> str:
        parameters = self.bound.signature.parameters
        if isinstance(argnum, str):
            if argnum not in parameters:
                raise GradientError(
                    f"the function has no parameter {argnum!r}", f"Its parameters are {list(parameters)}.",
                    "Give argnums one of these, or a position.",
                )  # fmt: skip
            return argnum
        if not isinstance(argnum, int) or isinstance(argnum, bool):
            raise GradientError(
                f"argnums must be an int, a name, or a tuple of these, got {argnum!r}", "", "argnums=0 is the first.",
            )  # fmt: skip
        names = [name for name, p in parameters.items() if p.annotation is not LOOSE]
        place = argnum + (front if argnum >= 0 else len(names))
        if not front <= place < len(names):
            named = [name for name in parameters if name not in names]
            raise GradientError(
                f"Got argnums={argnum}, but the function takes {len(names) - front} arguments",
                f"They are {names[front:]}{f', and by name {named}' if named else ''}.",
                "Positions count from 0; those of *args are arguments of their own." if parameters else
                "What it is differentiated in must be an argument, not a variable from outside: def f(x): ….",
            )  # fmt: skip
        return names[place]

    def pack(self, results: Sequence[Any]) -> Any:
        """One result for one argument, a tuple for a tuple of them."""
        return tuple(results) if self.several else results[0]

    def labelled(self, result: Any) -> Any:
        """A result of the structure of the arguments to differentiate, with the labels of pandas' tables."""
        originals = tuple([self._given[name] for name in self.names])
        return with_tables(originals if self.several else originals[0], result)

    def tables(self) -> list[Any]:
        """Per array to differentiate the table that was given for it, or None."""
        leaves = flatten_values([self._given[name] for name in self.names])[0]
        return [leaf if is_table(leaf) else None for leaf in leaves]

    def given(self) -> list[Any]:
        """The values of all arguments."""
        return list(self.bound.arguments.values())

    def chosen(self) -> tuple[Any, ...]:
        """The values of the arguments to differentiate with respect to."""
        return tuple(self.bound.arguments[name] for name in self.names)

    def flat(self) -> tuple[list[Any], Spec]:
        """Those values, array by array, and their structure."""
        return flatten_values(self.chosen())

    def run(self, values: tuple[Any, ...]) -> Any:
        """The function with ``values`` in their place."""
        return self._call({**self.bound.arguments, **dict(zip(self.names, values, strict=True))})

    def as_called(self) -> Any:
        """The function at values, with the tables that were given, and these by name; None if there were none."""
        own = dict(self.bound.arguments)
        tables = tables_again(own, own)
        if tables is None:
            return None
        return lambda values: self._call(tables_again(own, {**own, **dict(zip(self.names, values))})), tables

    def _call(self, filled: dict[str, Any]) -> Any:
        complete = inspect.BoundArguments(self.bound.signature, filled)
        try:
            return self.f(*complete.args, **complete.kwargs)
        except Exception as error:
            note_tables(error, self._given)
            raise


class Positional:
    """A call with positional arguments, all of which are differentiated: what `Arguments` is, without names."""

    otherwise = "Pass an array."

    f: Any
    args: Any

    def __init__(self, f: Any, args: tuple[Any, ...], names: tuple[str, ...] = ()) -> None:
        self.f, self.args = f, without_tables(args)
        self.names: tuple[str, ...] = names or tuple(f"primals[{k}]" for k in range(len(args)))

    def given(self) -> list[Any]:
        """The values of all arguments."""
        return list(self.args)

    def chosen(self) -> tuple[Any, ...]:
        """The values to differentiate at."""
        return self.args

    def flat(self) -> tuple[list[Any], Spec]:
        """Those values, array by array, and their structure."""
        return flatten_values(self.args)

    def run(self, values: tuple[Any, ...]) -> Any:
        """The function at ``values``."""
        return self.f(*values)

    def as_called(self) -> Any:
        """As of `Arguments`."""
        tables = tables_again(self.args, self.args)
        if tables is None:
            return None
        return lambda values: self.f(*tables_again(self.args, values)), dict(zip(self.names, tables))

    def pack(self, results: Sequence[Any]) -> Any:
        """One result per argument."""
        return tuple(results)


class OneArgument(Positional):
    """A call of a function of one argument, taken apart once.

    Attributes
    ----------
    leaves, spec : the argument, array by array, and its structure
    """

    leaves: list[Any]
    spec: Spec

    def __init__(self, what: str, f: Any, x: Any) -> None:
        super().__init__(require_callable(f, f"sg.{what}"), (x,), ("x",))
        self.what = what
        self.leaves, self.spec = flatten_values(self.args)
        if any(map(_is_complex, self.leaves)):
            raise GradientError(
                f"sg.{what} takes real arguments: second derivatives in complex ones are no one matrix",
                "One of its arrays is complex.", "Give real and imaginary parts as arrays of their own.",
            )  # fmt: skip

    def given(self) -> list[Any]:
        """The arrays of the argument."""
        return self.leaves

    def flat(self) -> tuple[list[Any], Spec]:
        """The argument, array by array, and its structure."""
        return self.leaves, self.spec

    def pack(self, results: Sequence[Any]) -> Any:
        """The only result."""
        return results[0]

    def like(self, v: Any) -> list[Any]:
        """The arrays of a vector in the order of the argument's."""
        leaves = flatten_like(self.spec, (v,))
        formulas = leaves is not None and symbols_among(self.leaves + leaves)  # sizes are found while tracing
        if leaves is None or not (formulas or list(map(leaf_shape, leaves)) == list(map(leaf_shape, self.leaves))):
            require_numbers(f"sg.{self.what}", self, self.leaves)
            raise ShapeError(
                f"sg.{self.what}(f, x, v) takes a vector v that is like x", str(difference(self.args[0], v, "x", "v")),
                "Give v the structure and the shapes of x.",
            )  # fmt: skip
        return leaves


def _is_complex(leaf: Any) -> bool:
    leaf = content(leaf)
    data = leaf._data if isinstance(leaf, Tensor) else leaf
    return data.dtype.kind == "c" if isinstance(data, np.ndarray) else isinstance(data, (complex, np.complexfloating))


def symbols_among(leaves: list[Any]) -> bool:
    """Whether formulas are asked for: there is a symbol, and nobody above is tracing already."""
    return Symbol in set(map(type, leaves)) and not tracing()


def any_symbol(tree: Any) -> bool:
    """`symbols_among` the arrays of a container."""
    return symbols_among(flatten(tree)[0])


# ---------------------------------- Transforms of functions of one argument, called with more: how to hold the others

# The idea to hold: `sg.grad` and its kind take a function's arguments one after the other; `sg.hvp` and its kind take
# one, and something else after it. Who gives them more wants to hold the rest, and is told how.


_P = ParamSpec("_P")
_R = TypeVar("_R")


def of_one_argument(transform: Callable[_P, _R]) -> Callable[_P, _R]:
    """The transform, whose TypeError for arguments beyond its own names `fix`; pandas' tables are arrays for it."""
    own = tuple(inspect.signature(transform).parameters.values())
    names, most = frozenset([p.name for p in own]), len(own)

    @functools.wraps(transform)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if len(args) > most or not names.issuperset(kwargs):
            _refuse(transform.__name__, own, args, kwargs)
        given = (args, kwargs)
        bare = without_tables(given)
        try:
            if bare is given:
                return transform(*args, **kwargs)
            require_one_order(dict(zip([p.name for p in own], args)) | kwargs)
            x = args[1] if len(args) > 1 else kwargs["x"]
            return with_tables(x, transform(*bare[0], **bare[1]))
        except SymgradError as error:
            if all_plain(given):
                error.say_to_arrays()
            raise

    return checked


def _refuse(what: str, own: tuple[inspect.Parameter, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise if the arguments too many are those of the function; what is misspelt Python refuses."""
    f = args[0] if args else kwargs.get("f")
    known = signature(f) if callable(f) else None
    every = list(known.parameters.values()) if known is not None else []
    others = [p.name for p in every if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)][1:]
    extra = [name for name in kwargs if name not in [p.name for p in own]]
    if not set(extra) <= set(others) or (known is not None and not others):
        return
    title = getattr(f, "__name__", "")
    needed = ", ".join([p.name for p in own if p.default is p.empty])
    held = ", ".join([f"{name}=…" for name in others or ["y"]])
    fixed = f"sg.fix({title if title.isidentifier() else 'f'}, {held})"
    raise TypeError(
        compose(
            f"sg.{what}({needed}) takes a function of one argument, and got arguments for others",
            f"It got {', '.join(extra)}." if extra else f"It got {len(args)} arguments.",
            f"Hold the other arguments: sg.{what}({fixed}, {needed.removeprefix('f, ')}).",
        )
    )
