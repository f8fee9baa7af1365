"""A user-defined Function as an operation of formulas."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core import Node, RowFacts, Tensor, operands_of, wrap


class UserOperation(RowFacts):
    """A user-defined Function as an operation of formulas: known by name and by what it computes."""

    kind = "general"
    params: tuple[str, ...] = ()
    defaults: ClassVar[dict[str, Any]] = {}
    packs, affine, along, places, shared = True, False, False, (), ()
    meanings = None

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        operands = tuple([f"x{i}" for i, a in enumerate(arguments) if a is None or isinstance(a, Tensor)])
        vars(self).update(inputs=operands, outputs=True, label=function.__name__)
        self.function, self.arguments = function, arguments
        self.known_as = f"{self.label} {[a for a in arguments if not isinstance(a, Tensor)]!r}"  # in every process
        self.name = f"{self.known_as} {id(function)}"  # two of the same name are two

    @staticmethod
    def named(params: Any) -> list[tuple[str, Any]]:
        """Its parameters with their names: it has none."""
        return []

    @staticmethod
    def of(node: Any) -> UserOperation:
        """The operation that the node of a Function recorded."""
        operands = operands_of(node)
        return UserOperation(node._function, tuple([None if isinstance(a, Node) else a for a in operands]))

    def apply(self, *operands: Any) -> Any:
        """Run it on tensors, recording; what it returns beside tensors is left out."""
        rest = iter(operands)
        out = self.function.apply(*[next(rest) if a is None or isinstance(a, Tensor) else a for a in self.arguments])
        return tuple([o for o in out if isinstance(o, Tensor)]) if isinstance(out, tuple) else out

    def forward(self, *values: Any) -> Any:
        """Run it on arrays."""
        out = self.apply(*[wrap(np.asarray(v)) for v in values])
        return tuple([o._data for o in out]) if isinstance(out, tuple) else out._data
