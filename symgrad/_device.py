"""Sizes and devices as PyTorch's scripts expect them: a tuple, and the CPU."""

from __future__ import annotations

import math
from typing import Any

from ._errors import DeviceError


class Size(tuple[int, ...]):
    """A shape: a tuple of ints that prints as ``symgrad.Size([2, 3])``."""

    __slots__ = ()

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"symgrad.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(index)
        return Size(value) if isinstance(index, slice) else value

    def __add__(self, other: Any) -> Size:
        return Size(tuple(self) + tuple(other))


class Device:
    """The CPU; any other device raises."""

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        text = str(type)
        name, _, number = text.partition(":")
        if name != "cpu":
            raise DeviceError(
                f"symgrad runs on the CPU: there is no device {text!r}" + (" (CUDA)." if "cuda" in text else "."),
                "NumPy holds the numbers.",
                "Leave out device=, or export the derivative as code for PyTorch or JAX to run it there.",
            )
        self.type = "cpu"
        self.index = int(number) if number else index

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) or other == "cpu"

    def __hash__(self) -> int:
        return hash("cpu")

    def __reduce__(self) -> Any:
        return Device, (self.type, self.index)


def as_device(device: Any) -> Device:
    """The CPU, whatever way it is said; another device raises DeviceError."""
    return device if isinstance(device, Device) else Device(device)
