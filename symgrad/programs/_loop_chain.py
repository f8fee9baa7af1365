"""The chain rule along a loop: what its steps' derivatives are made to, on arrays of all steps.

The idea to hold: J are the Jacobians of all steps, (steps, results, what a step gets), S their second derivatives,
weighed, (steps, what a step gets, twice). A step gets k numbers of the state, then what comes from outside (with the
state n numbers, the variables that all steps share), then its slice, of which ``places`` say which variables these are,
(steps, numbers of a slice). Linear recurrences carry the rest. The functions stand in the source of every saved loop.
"""

from __future__ import annotations

import numpy as np

from ..ops.linalg._block_recurrence import RECURRENCE, recurrence


def carried(A: np.ndarray, b: np.ndarray, reverse: bool = False) -> np.ndarray:
    """y[t] = A[t] @ y[t - 1] + b[t] (y[t + 1] if reverse), from nothing on."""
    return recurrence(b, A, reverse)


def rows_added(A: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A new array with values added to its rows, more than once where a place comes more than once."""
    np.add.at(A, places, values)
    return A


def times(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Many small products of matrices."""
    return A @ B


def along(J: np.ndarray, k: int, n: int, places: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """How what each step gets moves in directions of the variables, (variables, m)."""
    steps, m = len(J), directions.shape[1]
    given = np.concatenate([np.broadcast_to(directions[k:n], (steps, n - k, m)), directions[places]], 1)
    added = np.concatenate([directions[None, :k], times(J[:-1, :k, k:], given[:-1])])
    across = np.concatenate([np.zeros_like(J[:1, :k, :k]), J[:-1, :k, :k]])
    return np.concatenate([carried(across, added), given], 1)


def back(J: np.ndarray, k: int, arrived: np.ndarray) -> np.ndarray:
    """What arrives at the state after each step, (steps, k, m), carried back from later steps."""
    across = np.concatenate([J[1:, :k, :k], np.zeros_like(J[:1, :k, :k])])
    return carried(np.swapaxes(across, 1, 2), arrived, True)


def weights(J: np.ndarray, k: int, g: np.ndarray) -> np.ndarray:
    """The gradients in what each step gives, of those in all values, (steps, results, m)."""
    after = np.concatenate([times(np.swapaxes(J[1:, k:, :k], 1, 2), g[1:, k:]), np.zeros_like(g[:1, :k])])
    return np.concatenate([back(J, k, g[:, :k] + after), g[:, k:]], 1)


def variables(each: np.ndarray, k: int, n: int, places: np.ndarray, size: int) -> np.ndarray:
    """The gradients in the variables, so many, of those in what each step gets, (steps, what a step gets, m)."""
    rest = np.zeros((size - n, each.shape[2]), dtype=each.dtype)
    return rows_added(np.concatenate([each[0, :k], each[:, k:n].sum(0), rest]), places, each[:, n:])


def pulled(
    J: np.ndarray, k: int, n: int, places: np.ndarray, size: int, g: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The gradient in the variables of all values times g, and the weights of what each step gives."""
    weighed = weights(J, k, g[:, :, None])
    return variables(times(np.swapaxes(J, 1, 2), weighed), k, n, places, size)[:, 0], weighed[:, :, 0]


def bent(S: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """The second derivatives along directions, in which what each step gets is ``moved``."""
    m = moved.shape[2]
    turned = times(S, moved).reshape(-1, m)
    return times(moved.reshape(-1, m).T, turned)


OF_ARRAYS = along, back, weights, variables, pulled, bent
"""Those that are the same in every library's words, each after those that it calls."""

FUNCTIONS = (*RECURRENCE, carried, rows_added, times, *OF_ARRAYS)

__all__ = ["FUNCTIONS", "along", "back", "bent", "pulled", "rows_added", "times", "variables", "weights"]
