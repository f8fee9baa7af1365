"""``torch.func.vmap`` is `symgrad.vmap`."""

from __future__ import annotations

from ..transforms._vmap import vmap

__all__ = ["vmap"]
