"""Whether a likelihood averages over the rows of its data: then its standard errors are those of one observation.

The idea to hold: rows are repeated. A sum grows with them, a penalty beside it or not; an average is the same. Nothing
is said where this cannot be seen: the function catches arrays, fails on some rows, or does not depend on them.
"""

from __future__ import annotations

import dis
from collections import Counter
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from .. import _limits
from ..core import Tensor, is_table
from ..distributed._survey_of_rows import returned
from ..transforms._tree import flatten, unflatten
from ._likelihood import Likelihood

_COPIES, _SAME, _LITTLE = (2, 4), 1e-11, 1e-6
_NOT_THE_USERS = ("numpy", "scipy", "pandas", "symgrad")
_POINTS = (1.0, 0.9, 1.2)
"""Parts of the estimates at which an average is the same of repeated rows: a sum may be 0 at one."""


def averaged_rows(model: Likelihood, flat: np.ndarray) -> int | None:
    """How many rows the function averages over; None where it does not, or that cannot be seen."""
    if type(model) is not Likelihood:  # of chunks it has been looked at
        return None
    leaves, spec = flatten(model.data)
    lengths = Counter([len(a) for a in leaves if isinstance(a, np.ndarray) and a.ndim and len(a) > 1])
    found = [n for n in lengths if _is_average(model, flat, leaves, spec, n)]
    return found[0] if len(found) == len(lengths) == 1 else None


def _is_average(model: Likelihood, flat: np.ndarray, leaves: list[Any], spec: Any, n: int) -> bool:
    few = np.unique(np.linspace(0, n - 1, min(n, _limits.DISTRIBUTED_SAMPLE)).astype(int))

    def at(rows: np.ndarray, theta: Any) -> float:
        cut = [isinstance(a, np.ndarray) and a.ndim > 0 and len(a) == n for a in leaves]
        given = [a[rows] if c else _count(a, n, len(rows)) for a, c in zip(leaves, cut, strict=True)]
        return float(returned(_with_count(model.f, n, len(rows)), theta, list(unflatten(spec, given))).sum())

    grown, varied = [], []
    for part in _POINTS:
        theta = model.params(flat * part)
        try:
            values = [
                at(rows, theta) for rows in (few, *(np.tile(few, k) for k in _COPIES), few[: (len(few) + 1) // 2])
            ]
        except Exception:  # whatever a function does with other rows: it says nothing
            return False
        if not np.isfinite(values).all():
            continue
        whole, *several, other = values
        grown.append(max(abs(v - whole) for v in several))
        varied.append(abs(other - whole))
        if grown[-1] > _SAME * abs(whole):
            return False
    return len(grown) > 1 and max(grown) < _LITTLE * max(varied)


def _count(value: Any, n: int, count: int) -> Any:
    """A number that is the count of rows, as that of others."""
    is_count = isinstance(value, int | float | np.number) and not isinstance(value, bool) and value == n
    return type(value)(count) if is_count else value


def _with_count(f: Any, n: int, count: int, depth: int = 3) -> Any:
    """The function, with another count of rows where it, or one that it calls, catches that; an error where they catch
    arrays."""
    if not isinstance(f, FunctionType) or (f.__module__ or "").partition(".")[0] in _NOT_THE_USERS:
        return f
    cells = [cell.cell_contents for cell in f.__closure__ or ()]
    caught = {name: f.__globals__[name] for name in _names(f.__code__) if name in f.__globals__}
    if not depth or any(_holds_rows(v) for v in (*caught.values(), *cells, *(f.__defaults__ or ()))):
        raise ValueError("what rows it has besides is not known")

    def other(value: Any) -> Any:
        return _with_count(value, n, count, depth - 1) if isinstance(value, FunctionType) else _count(value, n, count)

    space = {**f.__globals__, **{name: other(v) for name, v in caught.items()}}
    made = FunctionType(f.__code__, space, f.__name__, f.__defaults__, tuple([CellType(other(v)) for v in cells]))
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _names(code: CodeType) -> set[str]:
    """The names outside that a function asks for: attributes have names too, and are none."""
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    return own.union(*[_names(c) for c in code.co_consts if isinstance(c, CodeType)])


def _holds_rows(value: Any) -> bool:
    return isinstance(value, list | tuple | dict | np.ndarray | Tensor) or is_table(value)


__all__ = ["averaged_rows"]
