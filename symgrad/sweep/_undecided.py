"""What arrives at a node is 0 where its rule divides it by 0: whether nobody asks, or the quotient has another limit.

The idea to hold: numbers do not tell, a derivative does. A sweep that meets such a rule puts everything back, records
itself down to that node, and looks whether what arrives there moves with what the node gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .._errors import GradientError
from ..core import modes, output_node, saved_value, wrap
from ..ops.linalg._gaps import Undecided


def is_decided(undecided: Undecided, g: Any) -> bool:
    """Whether nothing arrived at the outputs in question: nobody asks for them."""
    return all(g[k] is None for k in undecided.where)


def expect_still(undecided: Undecided, again: Callable[..., list[Any]], seeds: dict[Any, Any]) -> None:
    """Raise if what arrives at the outputs in question moves with the outputs of the node, where it counts."""
    node = undecided.node
    outputs = [wrap(y, output_node(node, k)) for k, y in enumerate(saved_value(node, "y"))]
    arrived = again([output_node(node, k) for k in undecided.where], seeds)
    for g, where in zip(arrived, undecided.where.values(), strict=True):
        if g is not None and g._node is not None and modes.moves_with(g, where, outputs):
            raise GradientError(*undecided.parts)


@contextmanager
def decided() -> Iterator[None]:
    """Rules that are asked here take 0 / 0 as 0."""
    token = modes.decided.set(True)
    try:
        yield
    finally:
        modes.decided.reset(token)


__all__ = ["Undecided", "decided", "expect_still", "is_decided"]
