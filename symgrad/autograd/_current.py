"""The sweep that is running: what a hook may ask about the backward it is called from."""

from __future__ import annotations

import sys
from typing import Any

from ..sweep import Sweep
from ..sweep.reverse import below


class Running:
    """A running sweep: the `Sweep`, and the edges that it visits."""

    def __init__(self, sweep: Any, nodes: Any, leaves: Any) -> None:
        self.sweep = sweep
        self.edges = {id(e) for e in (*nodes, *leaves)}

    def visits(self, edge: Any) -> bool:
        """Whether the gradient of what the edge stands for is computed."""
        return id(edge) in self.edges


def running() -> Running | None:
    """The innermost sweep on the stack, None outside any.

    Its frame is on the stack of every hook and rule (continued, deep down, in another thread): that costs a sweep
    nothing, where a context variable would have to be set for each.
    """
    code = Sweep.run.__code__
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code is code:
            names = frame.f_locals
            return Running(names["self"], names.get("nodes", ()), names.get("leaves", ()))
        frame = below(frame)
    return None
