"""The arguments of one call of a function, and which of them a transform differentiates with respect to.

The idea to hold: whatever names the arguments (argnums, all of them, the only one), a call gives the values to
differentiate at, runs the function with others in their places, and packs one result for each.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import GradientError, ShapeError
from ..core import Symbol, Tensor, content, is_table
from ._signature import LOOSE, bound
from ._tables import note_tables, with_tables, without_tables
from ._tracing import require_callable, tracing, unwrapped
from ._tree import Spec, difference, flatten, flatten_like, flatten_values, leaf_shape, require_numbers

Argnums = int | str | tuple[int | str, ...]


class Arguments:
    """The arguments of one call, and which of them to differentiate with respect to.

    Attributes
    ----------
    names, several : the parameters to differentiate with respect to, and whether argnums was a tuple
    otherwise : what to do where there is nothing to differentiate
    """

    otherwise = "Name another by argnums, or pass an array."

    def __init__(self, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Argnums) -> None:
        f, args, kwargs, front = unwrapped(f, args, kwargs)
        self.f, self.several = f, isinstance(argnums, tuple)
        wanted: tuple[Any, ...] = argnums if isinstance(argnums, tuple) else (argnums,)
        self.bound = bound(f, args, kwargs, wanted)
        self._given = dict(self.bound.arguments)
        self.bound.arguments.update(without_tables(self._given))
        if not wanted:
            raise GradientError("argnums must be non-empty", "", "Name at least one argument.")
        self.names = tuple(self._name(a, front) for a in wanted)
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
        filled = {**self.bound.arguments, **dict(zip(self.names, values, strict=True))}
        complete = inspect.BoundArguments(self.bound.signature, filled)
        try:
            return self.f(*complete.args, **complete.kwargs)
        except Exception as error:
            note_tables(error, self._given)
            raise


class Positional:
    """A call with positional arguments, all of which are differentiated: what `Arguments` is, without names."""

    otherwise = "Pass an array."

    def __init__(self, f: Any, args: tuple[Any, ...], names: tuple[str, ...] = ()) -> None:
        self.f, self.args = f, without_tables(args)
        self.names = names or tuple(f"primals[{k}]" for k in range(len(args)))

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

    def pack(self, results: Sequence[Any]) -> Any:
        """One result per argument."""
        return tuple(results)


class OneArgument(Positional):
    """A call of a function of one argument, taken apart once.

    Attributes
    ----------
    leaves, spec : the argument, array by array, and its structure
    """

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


__all__ = ["Argnums", "Arguments", "OneArgument", "Positional", "any_symbol", "symbols_among"]
