"""`Applied`: a module that is a function of `functional` with its options fixed.

The idea to hold: most layers without parameters, and the losses, are nothing more. A subclass names the function, and
hands its own arguments to ``super().__init__`` by the names that the function gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._module import Module

__all__ = ["Applied"]


class Applied(Module):
    """Apply a function whose options are attributes."""

    _function: Callable[..., Any]

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._options = tuple(options)
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the function of the same name."""
        return type(self)._function(*args, **kwargs, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self) -> str:
        shown = {name: getattr(self, name) for name in self._options}
        return ", ".join(f"{name}={value!r}" for name, value in shown.items() if name != "inplace" or value)
