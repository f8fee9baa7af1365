"""Memory that must not be written to, and what becomes of a tensor whose memory was."""

from __future__ import annotations

from typing import Any

from .._errors import InplaceError
from ._graph import Node, OutputNode, Tensor


class Guard:
    """Why a tensor may not be written to, nor a view of it.

    Attributes
    ----------
    why, advice : what the error says
    always : under no_grad neither
    base : the tensor whose memory it shares without being a view that could be taken again of a new value
    """

    __slots__ = ("advice", "always", "base", "why")

    def __init__(self, why: str, advice: str, always: bool = False, base: Tensor | None = None) -> None:
        self.why, self.advice, self.always, self.base = why, advice, always, base


OWN_RULE = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients."
)


class Overwritten(Node):
    """The history of a user-defined operation's output after a write to its base: there is none."""

    __slots__ = ()

    def name(self) -> str:
        """That of the operation that made the tensor."""
        node = self.parents[0]
        return str((node.parents[0] if type(node) is OutputNode else node).name())

    def pull(self, g: Any, grads: dict[Any, Any]) -> None:
        """Raise."""
        name, index = self.name().removesuffix("Backward"), getattr(self.parents[0], "index", 0)
        raise InplaceError(
            f"Output {index} of {name} is a view and its base or another view of its base has been modified inplace. "
            f"{OWN_RULE}",
            "The output has other values since, of which the operation knows nothing.",
            "You can fix this by cloning the output of the custom Function.",
        )

    pull_graph = pull


__all__ = ["OWN_RULE", "Guard", "Overwritten"]
