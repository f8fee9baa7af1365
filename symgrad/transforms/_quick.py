"""The common call of a derivative, without the bookkeeping of containers: plain arrays, of which one is differentiated.

The idea to hold: nothing here is another way to compute. What a call needs beyond that (containers, tensors, symbols,
several arguments, errors) is the business of `_record.py`, to which these functions leave it by returning None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _config
from .._array import Recorder, around, leaving
from .._array._ndarray import expect_hook
from .._errors import refusal, require_not_refused
from ..core import LEAF, Tensor, edge, modes, next_seq, reachable, require_unwritten_since, wrap
from ._variables import let_go, nobodys, own_copy, pull, raise_cause, release_to, zeros_like

_PLAIN = frozenset([np.ndarray, float, int, bool, str, type(None), np.float64])


def run_at_array(
    f: Callable[..., Any], k: Any, args: tuple[Any, ...], first: bool = False
) -> tuple[Tensor, Tensor] | None:
    """What ``f`` returns, recorded, and the leaf that stood for argument ``k``; None if a call is another one.

    ``first``: nobody will ask for a second derivative.
    """
    if type(k) is not int or not 0 <= k < len(args) or modes.tracing.get() is not None or modes.dual_level.get():
        return None
    x = args[k]
    if type(x) is float:
        x = np.asarray(x, _config.default_dtype())
    elif type(x) is not np.ndarray or x.dtype.kind != "f":
        return None
    for a in args:
        if type(a) not in _PLAIN:
            return None
    leaf = wrap(x, LEAF)
    token = modes.mode.set(modes.on_value())
    mark = next_seq()
    written: dict[int, Any] = {}
    around_it = modes.running.get()
    recorder = Recorder() if first and around_it is None and modes.on_value() == modes.ON else None
    inside = modes.running.set((True, (leaf,), around_it, written, *([] if recorder is None else [recorder])))
    refused, own = refusal.get(), leaf._node
    if refused is not None:
        expect_hook()
    modes.under_way.add(own)
    try:
        output = leaving(f(*args[:k], around(leaf), *args[k + 1 :]))
        if written:
            output = own_copy(written, output)
    except (ValueError, TypeError, AttributeError, SystemError) as error:
        raise_cause(error, refused)
        raise
    finally:
        modes.mode.reset(token)
        modes.running.reset(inside)
        modes.under_way.discard(own)
        if recorder is not None:
            recorder.close()
        if written:
            let_go(written, edge(leaf))
    require_unwritten_since(mark)
    require_not_refused(refused)
    if type(output) is not Tensor or output._data.ndim or output._data.dtype.kind != "f":
        return None
    return output, leaf


def concerns_others(output: Tensor, leaf: Tensor) -> bool:
    """Whether somebody else could want to differentiate what was computed at a leaf of one's own."""
    node = edge(leaf)
    return any(other is not node and other not in nobodys for other in reachable([edge(output)])[1])


def gradient_at_array(f: Callable[..., Any], k: Any, args: tuple[Any, ...], value: bool) -> Any:
    """The gradient of ``f`` in argument ``k`` (after its value, if asked for); None if a call is another one."""
    found = run_at_array(f, k, args, True)
    if found is None:
        return None
    output, leaf = found
    graph = output._node is not None and modes.grad_enabled() and concerns_others(output, leaf)
    nobodys.add(edge(leaf))
    (g,) = pull([output], [leaf], [None], graph, graph)
    gradient = release_to(zeros_like(leaf, ()) if g is None else g, graph)
    return (release_to(output, graph), gradient) if value else gradient


__all__ = ["concerns_others", "gradient_at_array", "run_at_array"]
