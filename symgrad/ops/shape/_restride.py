"""In-place changes of shape: ``x.unsqueeze_(0)`` gives the tensor itself another shape, and moves nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._errors import InplaceError
from ...core import Tensor, carried, check_writable, is_leaf_node, modes, recorded_as, set_node, storage
from .._public import METHODS
from ._shape import squeeze, swapaxes, t, transpose, unsqueeze
from ._strided import as_strided


def _method(name: str, fn: Callable[..., Any]) -> None:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, name)
        bag = self._extra
        if bag is not None and any(ref() is not None for ref in bag.views or ()):
            raise InplaceError(
                f"{name} cannot change the shape of a tensor that has views",
                "Their place in it would no longer be known.",
                f"Use {name[:-1]}, which returns a new view.",
            )
        # a tensor with a history keeps it in step with its shape, under no_grad too: its gradient has the new shape
        token = modes.mode.set(modes.on_value()) if self._node is not None else None
        try:
            result = fn(self, *args, **kwargs)
        finally:
            if token is not None:
                modes.mode.reset(token)
        if bag is not None and bag.view is not None:
            bag.view = result._extra.view
        if self._node is not None and not is_leaf_node(self._node):
            set_node(self, recorded_as(result, result._node.op.name + "_")._node)
        self._data = result._data
        storage.stamp(self._data)
        carried(self, result)
        return self

    method.__name__ = method.__qualname__ = name
    method.__wrapped__ = fn  # type: ignore[attr-defined]  # whose arguments it takes
    method.__doc__ = f"In-place version of `{name[:-1]}`: gives the tensor itself the other shape and returns it."
    METHODS[name] = method


_method("unsqueeze_", unsqueeze)
_method("squeeze_", squeeze)
_method("t_", t)
_method("as_strided_", as_strided)
_method("transpose_", transpose)
for _name in ("swapaxes_", "swapdims_"):
    _method(_name, swapaxes)
