"""Rules that see a parameter as a matrix: they remember less than its numbers, or turn the step as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ._optimizer import check_settings
from ._rule import Memory, Rule, averaged

__all__ = ["Adafactor", "Muon"]


def _mean_square(a: np.ndarray, axis: int | None = None) -> Any:
    return np.mean(a * a, axis=axis, keepdims=axis is not None)


class Adafactor(Rule):
    """Divide by a root mean square of which only the means of rows and columns are kept (Shazeer and Stern 2018).

    Parameters
    ----------
    lr : float
        The longest step, relative to the size of w; ``1 / sqrt(n)`` at step n if that is less.
    beta2_decay : float
        Step n counts with the share ``n ** beta2_decay`` in the averages.
    eps : pair of float
        The least mean square (by default the precision of the dtype), and the least size of w.
    d : float
        The longest root mean square of the divided gradient, at least 1.
    """

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_settings(clipping_threshold=(d, d >= 1), beta2_decay=(beta2_decay, beta2_decay <= 0))
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        _check_real(self, memory)
        n, (least, smallest) = memory.count(), group["eps"]
        least = np.finfo(w.dtype).eps if least is None else least
        keep = 1 - n ** group["beta2_decay"]
        if w.ndim > 1:
            rows, columns = ((*w.shape[:-1], 1), (*w.shape[:-2], 1, w.shape[-1]))
            row = averaged(memory.array("row_var", shape=rows), keep, _mean_square(g, -1))
            column = averaged(memory.array("col_var", shape=columns), keep, _mean_square(g, -2))
            square = row * column / np.maximum(row.mean(-2, keepdims=True), least)
        else:
            square = averaged(memory.array("variance"), keep, g * g)
        direction = g / np.sqrt(np.maximum(square, least * least))
        length = min(group["lr"], n**-0.5) * max(smallest, np.sqrt(_mean_square(w)))
        return length / max(1.0, np.sqrt(_mean_square(direction)) / group["d"]) * direction


class Muon(Rule):
    """Step along the orthogonal matrix next to the average gradient; for matrices only (Jordan et al. 2024).

    Parameters
    ----------
    weight_decay : float
        Shrinks w itself: ``w *= 1 - lr * weight_decay``.
    momentum : float
        Share of the past in the average of g.
    nesterov : bool
        Whether the newest gradient counts once more.
    ns_coefficients : tuple of float
        The polynomial ``a * x + b * x ** 3 + c * x ** 5`` that is applied to the singular values.
    ns_steps : int
        How often it is.
    adjust_lr_fn : {None, "original", "match_rms_adamw"}
        How the step length depends on the matrix's shape.
    """

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, locals())

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add matrices, with settings of their own, to those that are optimized."""
        super().add_param_group(param_group)
        for parameter in self.param_groups[-1]["params"]:
            if parameter.ndim != 2:
                raise ShapeError(
                    "Muon only supports 2D parameters.", f"One has the shape {tuple(parameter.shape)}.",
                    "Give the others to an optimizer of their own, as AdamW.",
                )  # fmt: skip

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        _check_real(self, memory)
        momentum, (rows, columns) = group["momentum"], w.shape
        mean = averaged(memory.array("momentum_buffer"), momentum, g)
        step = _orthogonal((1 - momentum) * g + momentum * mean if group["nesterov"] else mean, group)
        if group["adjust_lr_fn"] == "match_rms_adamw":
            return group["lr"] * 0.2 * max(rows, columns) ** 0.5 * step
        return group["lr"] * max(1.0, rows / columns) ** 0.5 * step


def _check_real(rule: Rule, memory: Memory) -> None:
    if memory.parameter.is_complex():
        raise DTypeError(f"{type(rule).__name__} does not support complex parameters.")


def _orthogonal(a: np.ndarray, group: dict[str, Any]) -> np.ndarray:
    """Bring all singular values near 1, by an odd polynomial that is applied several times (Newton and Schulz)."""
    first, third, fifth = group["ns_coefficients"]
    x = a.T if a.shape[0] > a.shape[1] else a
    x = x / max(np.linalg.norm(x), group["eps"])
    for _ in range(group["ns_steps"]):
        square = x @ x.T
        x = first * x + (third * square + fifth * square @ square) @ x
    return x.T if a.shape[0] > a.shape[1] else x
