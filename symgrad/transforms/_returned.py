"""The formulas of functions that return several arrays.

The idea to hold: a formula is that of one array. So the function is traced once per array that comes out, each time
with that one as its only output, and the formulas are put into the containers that it returned.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _limits
from .._array import leaving
from ..core import Tensor
from ._run import none_returned, split
from ._signature import signature
from ._tracing import Traced
from ._tree import LEAF as ONE
from ._tree import flatten, flatten_values, tree_map, unflatten


class Returned:
    """What a function returns while it is traced: a formula is that of one array, so it is run once per output.

    Parameters
    ----------
    what : who asks, for errors
    has_aux : the function returns ``(output, aux)``

    Attributes
    ----------
    spec, count : the structure of the output of the last run, and of how many arrays it consists
    """

    def __init__(self, what: str, has_aux: bool = False) -> None:
        self.what, self.has_aux = what, has_aux
        self.spec, self.count, self.aux = ONE, 1, None

    def entry(self, f: Any, k: int) -> Callable[..., Any]:
        """``f`` with its ``k``-th array as the only output; those of aux count on behind those of the output."""

        def one(*args: Any, **kwargs: Any) -> Any:
            result = tree_map(leaving, f(*args, **kwargs))
            if self.has_aux:
                result, self.aux = split(self.what, result)
            leaves, self.spec = flatten_values(result)
            self.count = len(leaves)
            leaves = leaves or none_returned(self.what)
            return [*leaves, *filter(_is_array, flatten(self.aux)[0])][k]

        return as_if_written_beside(f, one)

    def aux_formulas(self, f: Any, arguments: inspect.BoundArguments, chosen: tuple[str, ...] = ()) -> Any:
        """What is returned beside the output, with formulas for its arrays."""
        leaves, spec = flatten(self.aux)
        places = [i for i, leaf in enumerate(leaves) if _is_array(leaf)]
        for k, i in enumerate(places):
            leaves[i] = Traced(self.entry(f, self.count + k), arguments, chosen).formula()
        return unflatten(spec, leaves)


def as_if_written_beside(f: Any, g: Any) -> Callable[..., Any]:
    """``g``, a function around ``f``, named and placed as ``f`` is, so that the data ``f`` catches keep their names."""
    g.__name__ = getattr(f, "__name__", g.__name__)
    g.__module__ = getattr(f, "__module__", None) or g.__module__
    return g


def _is_array(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def formulas_at(what: str, f: Any, g: Any, values: tuple[Any, ...], more: dict[str, Any], has_aux: bool = False) -> Any:
    """The formulas of all that ``g(*values, *more)`` returns, in the same containers.

    ``g`` is a function around ``f``, after whose parameters the values are named.
    """
    g, names = as_if_written_beside(f, g), _names(f, len(values))
    names += [name if name not in names else f"{name}_1" for name in more]
    kind = inspect.Parameter.POSITIONAL_ONLY
    known = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    arguments = known.bind(*values, *more.values())
    seen = Returned(what, has_aux)
    several = [Traced(seen.entry(g, 0), arguments).formula()]
    several += [Traced(seen.entry(g, k), arguments).formula() for k in range(1, seen.count)]
    result = unflatten(seen.spec, several)
    return (result, seen.aux_formulas(g, arguments)) if has_aux else result


def _names(f: Any, count: int) -> list[str]:
    """What the first positional arguments of a function are called."""
    known = signature(f)
    names: list[str] = []
    for p in known.parameters.values() if known is not None else ():
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}_{k}" for k in range(count - len(names))]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    names = names[:count]
    letters = list("xyzuvw") if count <= _limits.LETTERS else [f"x{k}" for k in range(count)]
    return names + letters[len(names) : count]


__all__ = ["Returned", "as_if_written_beside", "formulas_at"]
