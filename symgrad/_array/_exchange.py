"""DLPack: the numbers of an array for other libraries.

The idea to hold: an array's tensor never changes, so what another library may write to is a copy; and what leaves has
no history, so nothing leaves that is being differentiated.
"""

from __future__ import annotations

from typing import Any

from .._errors import GradientError
from ..ops._numpy_arguments import recorded
from ._ndarray import Array


def _to_dlpack(
    self: Array, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
) -> Any:
    t = self._t
    if recorded(t):
        raise GradientError(
            "DLPack hands the numbers of what is being differentiated to another library",
            "They have no history there: no derivative flows through them.", "Hand over x.detach().",
        )  # fmt: skip
    if copy is False:
        raise BufferError("the numbers of an array inside a transform never change: only a copy can be handed over")
    words: dict[str, Any] = {"stream": stream}
    if max_version is not None:  # since NumPy 2.1
        words.update(max_version=max_version, dl_device=dl_device)
    return t._data.copy().__dlpack__(**words)


def _dlpack_device(self: Array) -> tuple[int, int]:
    place: tuple[int, int] = self._shaped().__dlpack_device__()
    return place


Array.__dlpack__ = _to_dlpack  # type: ignore[attr-defined]
Array.__dlpack_device__ = _dlpack_device  # type: ignore[attr-defined]

__all__ = ["Array"]
