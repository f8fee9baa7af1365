"""What is computed of a chunk: functions of parameters and rows, made of the user's, and their derivatives.

The idea to hold: every result is some of value, gradient, matrix and Jacobian of one function in its first argument, so
that one program of `sg.compile` computes it; and each knows how the tape does the same where there is no program.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import ShapeError
from ..autograd import no_grad
from ..core import Symbol, Tensor
from ..transforms._derivative import Derivative
from ..transforms._forward import jvp
from ..transforms._hessian import Hessian
from ..transforms._products import ggn_vp, hvp
from ..transforms._tree import flatten_values
from ._cluster_errors import DistributedError, NoSumError


def plain(value: Any) -> Any:
    """The array of a tensor."""
    return value._data if isinstance(value, Tensor) else value


def flat(tree: Any, dtype: Any = None) -> np.ndarray:
    """All numbers of a container, one array after the other."""
    parts = [np.asarray(plain(leaf), dtype).reshape(-1) for leaf in flatten_values(tree)[0]]
    return np.concatenate(parts) if parts else np.zeros(0)


def returned(f: Any, theta: Any, args: list[Any]) -> np.ndarray:
    """What the function returns, as an array."""
    with no_grad(), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the rows are ours, not the user's
        found = plain(f(theta, *args))
    if type(found) is Symbol or not isinstance(found, np.ndarray | np.generic | float | int):
        raise DistributedError(
            f"the function returned a {type(found).__name__}", "",
            "Return one number, the sum over the rows, or the vector of their contributions.",
        )  # fmt: skip
    return np.asarray(found)


def pieces(rows: int, alone: int = 0) -> list[int]:
    """Where rows are cut: in pieces of one, four, sixteen, …, and the last ones one by one."""
    many = rows - alone
    return sorted({end for k in range(rows.bit_length()) if (end := (4**k - 1) // 3) and end < many}
                  | {*range(max(many, 1), rows)})  # fmt: skip


def are_equal(title: str, of: str, kinds: list[Any], whole: np.ndarray, apart: np.ndarray, count: int) -> bool:
    """Raise where a value, or contributions of rows, are not those of the parts; whether that could be seen."""
    if not np.isfinite(whole).all():
        return False
    size = np.abs(whole).sum(dtype=np.float64) + np.abs(apart).sum(dtype=np.float64)
    single = any(not np.can_cast(np.float64, d) for d in (whole.dtype, *kinds) if d.kind == "f")
    total, sums = whole.sum(dtype=np.float64), apart.sum(dtype=np.float64)
    one_by_one = np.abs(whole - apart).sum(dtype=np.float64) if whole.ndim else abs(total - sums)
    if np.isfinite(size) and one_by_one <= (_CLOSE_SINGLE if single else _CLOSE) * size:
        return True
    raise NoSumError(
        f"{title}: the function is not a sum over rows",
        f"Of {of} it is {total:.12g}, of {count} parts of them {sums:.12g} in all.",
        "A mean is mean=True, a penalty regulariser=. If it is a sum over chunks, which must not be cut: "
        'over="chunks". Where the difference is rounding: check=False.',
    )


_CLOSE, _CLOSE_SINGLE = 1e-10, 1e-6
"""Of the sum of absolute values what rounding may be, of double precision and of single."""


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


__all__ = [
    "GaussNewton", "Job", "Product", "Rows", "Scores", "are_equal", "flat", "pieces", "plain", "returned",
]  # fmt: skip
