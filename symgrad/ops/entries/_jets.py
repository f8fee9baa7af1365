"""Numbers that carry their derivatives: what series and continued fractions are summed with to differentiate them.

The idea to hold: a recurrence that is run with these gives, beside its value, the derivatives of the very sums that it
makes, exact to rounding. A jet has a value, one slope per parameter and, if asked for, the second derivatives.
"""

from __future__ import annotations

from typing import Any


class Jet:
    """A value ``v`` with slopes ``g`` by each of the parameters and second derivatives ``h[i, j]``, i <= j.

    ``h`` is empty where second derivatives are not wanted. Arrays of one shape in each place; 0 stands for itself.
    """

    __slots__ = ("g", "h", "v")

    def __init__(self, v: Any, g: list[Any], h: dict[tuple[int, int], Any]) -> None:
        self.v, self.g, self.h = v, g, h

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.v + other, self.g, self.h)
        h = {k: self.h[k] + other.h[k] for k in self.h}
        return Jet(self.v + other.v, [a + b for a, b in zip(self.g, other.g, strict=True)], h)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            h = {k: v * other for k, v in self.h.items()}
            return Jet(self.v * other, [a * other for a in self.g], h)
        u, w = self, other
        g = [a * w.v + u.v * b for a, b in zip(u.g, w.g, strict=True)]
        h = {(i, j): u.h[i, j] * w.v + u.g[i] * w.g[j] + u.g[j] * w.g[i] + u.v * w.h[i, j] for i, j in u.h}
        return Jet(u.v * w.v, g, h)

    __rmul__ = __mul__

    def __truediv__(self, other: Jet) -> Jet:
        u, w = self, other
        q = u.v / w.v
        g = [(a - q * b) / w.v for a, b in zip(u.g, w.g, strict=True)]
        h = {(i, j): (u.h[i, j] - g[i] * w.g[j] - g[j] * w.g[i] - q * w.h[i, j]) / w.v for i, j in u.h}
        return Jet(q, g, h)


def parameters(values: list[Any], second: bool) -> list[Jet]:
    """The parameters themselves: each has slope 1 by itself."""
    n = len(values)
    pairs = {(i, j): 0.0 for i in range(n) for j in range(i, n)} if second else {}
    return [Jet(v, [float(i == k) for k in range(n)], dict(pairs)) for i, v in enumerate(values)]
