"""What is computed of a chunk: functions of parameters and rows, made of the user's, and their derivatives.

The idea to hold: every result is some of value, gradient, matrix and Jacobian of one function in its first argument, so
that one program of `sg.compile` computes it; and each knows how the tape does the same where there is no program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import ShapeError
from ..autograd import no_grad
from ..core import Tensor
from ..transforms._derivative import Derivative
from ..transforms._forward import jvp
from ..transforms._hessian import Hessian
from ..transforms._products import ggn_vp, hvp
from ..transforms._tree import flatten_values


def plain(value: Any) -> Any:
    """The array of a tensor."""
    return value._data if isinstance(value, Tensor) else value


def flat(tree: Any, dtype: Any = None) -> np.ndarray:
    """All numbers of a container, one array after the other."""
    parts = [np.asarray(plain(leaf), dtype).reshape(-1) for leaf in flatten_values(tree)[0]]
    return np.concatenate(parts) if parts else np.zeros(0)


class Rows:
    """The user's function: one number, or with ``vector`` the contributions of the rows; the last argument may be
    their weights.

    Attributes
    ----------
    sign : −1 where the function is a log-likelihood, to be maximised
    """

    def __init__(self, f: Callable[..., Any], vector: bool, weighted: bool, sign: float = 1.0) -> None:
        self.f, self.vector, self.weighted, self.sign = f, vector, weighted, sign
        self.__name__ = getattr(f, "__name__", type(f).__name__)

    def contributions(self, theta: Any, *args: Any) -> Any:
        """What the function returns, weighed."""
        found = self.f(theta, *args[:-1]) * args[-1] if self.weighted else self.f(theta, *args)
        return found if self.sign == 1.0 else self.sign * found

    def __call__(self, theta: Any, *args: Any) -> Any:
        found = self.contributions(theta, *args)
        return found.sum() if self.vector else found


class Job:
    """Value, gradient and matrix of the total."""

    def __init__(self, rows: Rows, outputs: str) -> None:
        self.rows, self.outputs = rows, outputs
        self.__name__ = rows.__name__

    def __call__(self, *args: Any) -> Any:
        return self.rows(*args)

    def by_tape(self, *args: Any) -> list[np.ndarray]:
        """The results, flat, where there is no program."""
        found: list[np.ndarray] = []
        if set(self.outputs) & set("fg"):
            if "g" not in self.outputs:
                with no_grad():
                    value = self(*args)
            else:
                value, slope = Derivative("value_and_grad", self.__call__, 0)(*args)
            if "f" in self.outputs:
                found.append(_number(value))
            if "g" in self.outputs:
                found.append(flat(slope))
        if "h" in self.outputs:
            matrix = Hessian(self.__call__)(*args)
            n = flat(args[0]).size
            found.append(np.asarray(plain(getattr(matrix, "matrix", matrix))).reshape(n, n))
        return found


def _number(value: Any) -> np.ndarray:
    array = np.asarray(plain(value))
    if array.ndim:
        raise ShapeError(f"the function returned an array of shape {array.shape}", "It is to return one number.",
                         "Sum over what is not a row.")  # fmt: skip
    return array


class Product(Job):
    """The matrix of second derivatives times a vector, which is the second argument."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows, "g")

    def __call__(self, *given: Any) -> Any:
        theta, v, *args = given
        return jvp(lambda t: self.rows(t, *args), (theta,), (v,))[1]

    def by_tape(self, *given: Any) -> list[np.ndarray]:
        theta, v, *args = given
        return [flat(hvp(lambda t: self.rows(t, *args), theta, v))]


class GaussNewton(Job):
    """The Gauss–Newton matrix times a vector: the gradient of ⟨J a, ∇²loss J v⟩ in the first argument, a."""

    def __init__(self, rows: Rows, loss: Callable[..., Any] | None) -> None:
        super().__init__(rows, "g")
        self.loss = loss

    def __call__(self, *given: Any) -> Any:
        a, theta, v, *args = given

        def model(t: Any) -> Any:
            return self.rows.f(t, *args)

        z, u = jvp(model, (theta,), (v,))
        if self.loss is not None:
            u = jvp(Derivative("grad", lambda z: self.loss(z, *args).sum(), 0), (z,), (u,))[1]  # type: ignore[misc]
        return (jvp(model, (theta,), (a,))[1] * u).sum()

    def by_tape(self, *given: Any) -> list[np.ndarray]:
        _, theta, v, *args = given
        loss = None if self.loss is None else lambda z: self.loss(z, *args).sum()  # type: ignore[misc]
        return [flat(ggn_vp(lambda t: self.rows.f(t, *args), theta, v, loss))]


class Scores(Job):
    """The gradients of the contributions, a row for each row of the data."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows, "j")

    def __call__(self, *args: Any) -> Any:
        return self.rows.contributions(*args)

    def by_tape(self, *args: Any) -> list[np.ndarray]:
        found = flatten_values(Derivative("jacobian", self.__call__, 0)(*args))[0]
        parts = [np.asarray(plain(j)) for j in found]
        return [np.concatenate([p.reshape(len(p), -1) for p in parts], 1)]


__all__ = ["GaussNewton", "Job", "Product", "Rows", "Scores", "flat", "plain"]
