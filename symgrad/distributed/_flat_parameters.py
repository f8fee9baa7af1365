"""Parameters of any structure as one flat vector, and back with names.

The idea to hold: a cluster adds up vectors and matrices, and people know containers. This is where one becomes the
other, in the order and with the labels of `symgrad.hessian`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Carrier, Symbol, Tensor, content
from ..transforms._arguments import Arguments
from ..transforms._labelled import labelled
from ..transforms._run import variable
from ..transforms._tree import flatten_like, flatten_values, pieces, require_numbers, unflatten
from ._cluster_errors import DistributedError
from ._jobs import flat


class Parameters:
    """The parameters of one call.

    Attributes
    ----------
    value : as the function takes them: containers of arrays and of NumPy's numbers
    size : how many numbers they are
    """

    def __init__(self, what: str, f: Callable[..., Any], theta: Any, data: list[Any]) -> None:
        self.call = Arguments(f, (theta, *data), {}, 0)
        leaves, self.spec = self.call.flat()
        require_numbers(what, self.call, leaves)
        if any(type(content(leaf)) is Symbol or isinstance(leaf, Carrier | Tensor) for leaf in leaves):
            raise DistributedError(f"{what} takes arrays and numbers as parameters", "There is a tensor or a symbol.",
                                   "A cluster gives numbers: pass x.detach().numpy().")  # fmt: skip
        arrays = [variable(leaf)._data for leaf in leaves]
        if any(a.dtype.kind == "c" for a in arrays):
            raise DistributedError(f"{what} takes real parameters", "", "Give real and imaginary parts.")
        self.shapes = [a.shape for a in arrays]
        self.size = sum(a.size for a in arrays)
        self.value = unflatten(self.spec, [np.array(a)[()] for a in arrays])[0]
        self.arrays = arrays
        self.alone = self.spec.parts[0].kind is None and self.call.tables()[0] is None

    @property
    def structure(self) -> Any:
        """What tells them from others, whose programs may be others."""
        return repr(self.spec), tuple([(a.shape, a.dtype.str) for a in self.arrays])

    def moved(self, size: float) -> Any:
        """Other values, near."""
        rng = np.random.default_rng(0)
        moved = [a + size * (1 + np.abs(a)) * rng.uniform(0.2, 1.0, a.shape) for a in self.arrays]
        return unflatten(self.spec, [np.asarray(m, a.dtype)[()] for m, a in zip(moved, self.arrays, strict=True)])[0]

    def like(self, vector: np.ndarray) -> Any:
        """A vector in their structure, with their labels."""
        parts = [np.array(p)[()] for p in pieces(vector, self.shapes)]
        return self.call.labelled(unflatten(self.spec, parts)[0])

    def vector(self, what: str, v: Any) -> Any:
        """A direction as the function would take it; an error where it is not like the parameters."""
        entries = flatten_like(self.spec.parts[0], v)
        if any(np.iscomplexobj(e) for e in entries or ()):
            raise DistributedError(f"{what}: v is complex", "Parameters are real.", "Give real and imaginary parts.")
        arrays = None if entries is None else [np.asarray(e, np.float64) for e in entries]
        if arrays is None or [a.shape for a in arrays] != self.shapes:
            raise DistributedError(f"{what}: v is not like the parameters", f"They have the shapes {self.shapes}.",
                                   "Give v their structure.")  # fmt: skip
        return unflatten(self.spec, [np.array(a)[()] for a in arrays])[0]

    def matrix(self, whole: np.ndarray, word: str | None = None) -> Any:
        """A matrix with their names."""
        found = labelled(self.call, self.spec, self.shapes, whole)
        if word is not None:
            found._word = word
        return found

    def hessian(self, whole: np.ndarray) -> Any:
        """Second derivatives in the form of `symgrad.hessian`."""
        if self.alone:
            return whole.reshape(self.shapes[0] * 2)[()]
        return self.matrix(whole)

    @property
    def flat(self) -> np.ndarray:
        """Their numbers."""
        return flat(unflatten(self.spec, self.arrays)[0], np.float64)


__all__ = ["Parameters", "flatten_values"]
