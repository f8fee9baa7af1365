"""The common call of a derivative, without the bookkeeping of containers: arrays or tensors, of which one is
differentiated.

The idea to hold: nothing here is another way to compute. What a call needs beyond that (containers, symbols, histories,
several arguments, errors) is the business of `_run.py`, to which these functions leave it by returning None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _config
from .._array import as_here
from ..core import LEAF, Tensor, carried, edge, modes, reachable, wrap
from ._variables import nobodys, pull, run_at, zeros_like

_PLAIN = frozenset([np.ndarray, float, int, bool, str, type(None), np.float64])


class Simple(NamedTuple):
    """A recorded run of a function of one variable that returned a real number.

    Attributes
    ----------
    output, leaf : the number, and what stood for the argument
    plain : whether the arguments are arrays and numbers, no tensors
    """

    output: Tensor
    leaf: Tensor
    plain: bool

    def concerns_others(self) -> bool:
        """Whether somebody else could want to differentiate what was computed."""
        return any(leaf not in nobodys for leaf in reachable([edge(self.output)])[1])

    def leave(self, t: Tensor, others: bool) -> Any:
        """A result as the caller gets it: with a history only if others could want to differentiate it."""
        if self.plain:
            return as_here(t) if others and t._node is not None else t._data[()]
        return t if others or t._node is None else carried(wrap(t._data), t)


def run_simply(f: Callable[..., Any], k: Any, args: tuple[Any, ...], listed: bool = False) -> Simple | None:
    """A run of ``f`` at a variable in place of argument ``k`` (``listed`` as in `run_at`); None if a call is another
    one."""
    if type(k) is not int or not 0 <= k < len(args) or modes.tracing.get() is not None or modes.dual_level.get():
        return None
    plain = True
    for a in args:
        if type(a) not in _PLAIN:
            if type(a) is not Tensor or a._node is not None or a._extra is not None:
                return None
            plain = False
    x = args[k]
    if type(x) is float:
        x = np.asarray(x, _config.default_dtype())
    elif type(x) is Tensor:
        x = x._data
    elif type(x) is not np.ndarray:
        return None
    if x.dtype.kind != "f":
        return None
    leaf = wrap(x, LEAF)
    before, after = args[:k], args[k + 1 :]
    output = run_at(f if len(args) == 1 else lambda x: f(*before, x, *after), (leaf,), plain, listed)
    if type(output) is not Tensor or output._data.ndim or output._data.dtype.kind != "f":
        return None
    return Simple(output, leaf, plain)


def gradient_simply(f: Callable[..., Any], k: Any, args: tuple[Any, ...], value: bool) -> Any:
    """The gradient of ``f`` in argument ``k`` (after its value, if asked for); None if a call is another one."""
    run = run_simply(f, k, args, True)
    if run is None:
        return None
    output, leaf, _ = run
    graph = output._node is not None and modes.grad_enabled() and run.concerns_others()
    (g,) = pull([output], [leaf], [None], graph, graph)
    gradient = run.leave(zeros_like(leaf, ()) if g is None else g, graph)
    return (run.leave(output, graph), gradient) if value else gradient


__all__ = ["Simple", "gradient_simply", "run_simply"]
