"""Whether a likelihood averages over the rows of its data: then its standard errors are those of one observation.

The idea to hold: rows are repeated. A sum grows with them, a penalty beside it or not; an average is the same, and a
sum that is divided by another power of the count grows as what is left. Of rows that the function catches, or cannot
repeat, the record says how it ends: in a mean, or in a sum that is divided by its length or the root of that. Nothing
is said where neither shows it.
"""

from __future__ import annotations

import math
from collections import Counter
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..core import Tensor, constants_of, is_table, shapes_of
from ..distributed._jobs import returned
from ..transforms._arguments import Arguments
from ..transforms._reads import reads
from ..transforms._run import Run
from ..transforms._tree import flatten, unflatten
from ._likelihood import Likelihood

_COPIES, _SAME, _LITTLE = (2, 4), 1e-11, 1e-6
_ROOT = 0.5
"""The one power of the count, besides the count, by which a sum that ends a record is seen to be divided."""
_NOT_THE_USERS = ("numpy", "scipy", "pandas", "symgrad")
_POINTS = (1.0, 0.9, 1.2)
"""Parts of the estimates at which an average is the same of repeated rows: a sum may be 0 at one."""


class Divided(NamedTuple):
    """By which power of their count a function divides the sum over its rows: 1 is an average."""

    rows: int
    power: float


def averaged_rows(model: Likelihood, flat: np.ndarray) -> Divided | None:
    """What the function divides the sum over its rows by; None where it does not, or that cannot be seen."""
    if type(model) is not Likelihood:  # of chunks it has been looked at
        return None
    leaves, spec = flatten(model.data)
    lengths = Counter([len(a) for a in leaves if isinstance(a, np.ndarray) and a.ndim and len(a) > 1])
    found = [(n, power) for n in lengths if (power := _power(model, flat, leaves, spec, n)) is not None]
    return Divided(*found[0]) if len(found) == len(lengths) == 1 else _rows_at_the_end(model, flat)


def _rows_at_the_end(model: Likelihood, flat: np.ndarray) -> Divided | None:
    """Of how many terms the function returns the mean, beside sums of no more terms than there are parameters; or the
    sum by the root of their count, where that is no whole number, which could be another one."""
    try:
        run = Run("value_and_grad", Arguments(model.f, (model.params(flat), *model.data), {}, 0))
    except Exception:  # it returns contributions, say
        return None
    found, pending = set(), [(run.output._node, 1.0)]
    while pending:
        node, factor = pending.pop()
        name = getattr(getattr(node, "op", None), "name", None)
        if name in ("mean", "sum"):
            shape = shapes_of(node)[0]
            weight = abs(factor) * (1 if name == "mean" else math.prod(shape))
            if math.prod(shape) > flat.size:
                found.add(_divided(shape[0], weight) if len(shape) == 1 else None)
        elif name in ("add", "sub"):
            pending += [(p, factor) for p in node.parents if p is not None]
        elif name in ("neg", "mul", "div") and len(above := [p for p in node.parents if p is not None]) == 1:
            number = next((c for c in constants_of(node) if c is not None), 1.0)
            if np.ndim(number) or (name == "div" and node.parents[0] is None):
                return None
            pending.append((above[0], factor / number if name == "div" else factor * number))
        else:
            return None
    return found.pop() if len(found) == 1 else None


_WEIGHTS = (0.5, 1.0, 2.0)
"""What the mean of terms is multiplied with in a likelihood, a sum of squares, a deviance."""


def _divided(rows: int, weight: float) -> Divided | None:
    """What a sum over rows is divided by, if its mean has this weight."""
    powers = (1.0, _ROOT) if math.isqrt(rows) ** 2 != rows else (1.0,)
    fitting = [p for p in powers if any(math.isclose(weight, w * rows ** (1 - p)) for w in _WEIGHTS)]
    return Divided(rows, fitting[0]) if fitting else None


def _power(model: Likelihood, flat: np.ndarray, leaves: list[Any], spec: Any, n: int) -> float | None:
    few = np.unique(np.linspace(0, n - 1, min(n, _limits.DISTRIBUTED_SAMPLE)).astype(int))
    half = (len(few) + 1) // 2
    parts = [few, *(np.tile(few, k) for k in _COPIES), few[:half], few[half:]]

    def at(rows: np.ndarray, theta: Any) -> float:
        cut = [isinstance(a, np.ndarray) and a.ndim > 0 and len(a) == n for a in leaves]
        given = [a[rows] if c else _count(a, n, len(rows)) for a, c in zip(leaves, cut, strict=True)]
        return float(returned(_with_count(model.f, n, len(rows)), theta, list(unflatten(spec, given))).sum())

    grown, varied, powers = [], [], []
    for part in _POINTS:
        theta = model.params(flat * part)
        try:
            values = np.array([at(rows, theta) for rows in parts])
        except Exception:  # whatever a function does with other rows: it says nothing
            return None
        if np.isfinite(values).all():
            grown.append(np.abs(values[1:3] - values[0]).max() / max(abs(values[0]), np.finfo(float).tiny))
            varied.append(abs(values[3] - values[0]) / max(abs(values[0]), np.finfo(float).tiny))
            powers.append(_left_of_a_sum(values, np.array([len(rows) for rows in parts])))
    if len(grown) < 2:
        return None
    if max(grown) <= _SAME:
        return 1.0 if max(grown) < _LITTLE * max(varied) else None
    power = powers[0]
    if power is None or any(p is None or abs(p - power) > _LITTLE for p in powers) or power < _LITTLE:
        return None
    return round(power, 6)


def _left_of_a_sum(values: np.ndarray, counts: np.ndarray) -> float | None:
    """The power of the count of rows that values on several rows were divided by, if that leaves a sum over these; of
    rows, their copies, and both halves of them."""
    if not (values[0] and (values[1:3] / values[0] > 0).all()):
        return None
    power = 1 - math.log2(values[1] / values[0])
    whole, _, fourfold, *halves = values * counts**power
    if abs(fourfold - 4 * whole) > _LITTLE**1.5 * abs(whole):
        return None
    return power if abs(sum(halves) - whole) <= _LITTLE**1.5 * np.abs([whole, *halves]).max() else None


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
    caught = {name: f.__globals__[name] for name in reads(f.__code__).names if name in f.__globals__}
    if not depth or any(_holds_rows(v) for v in (*caught.values(), *cells, *(f.__defaults__ or ()))):
        raise ValueError("what rows it has besides is not known")

    def other(value: Any) -> Any:
        return _with_count(value, n, count, depth - 1) if isinstance(value, FunctionType) else _count(value, n, count)

    space = {**f.__globals__, **{name: other(v) for name, v in caught.items()}}
    made = FunctionType(f.__code__, space, f.__name__, f.__defaults__, tuple([CellType(other(v)) for v in cells]))
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _holds_rows(value: Any) -> bool:
    return isinstance(value, list | tuple | dict | np.ndarray | Tensor) or is_table(value)


__all__ = ["Divided", "averaged_rows"]
