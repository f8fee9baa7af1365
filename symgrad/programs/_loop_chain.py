"""The chain rule along a loop: what its steps' derivatives are made to, on arrays of all steps.

The idea to hold: J are the Jacobians of all steps, (steps, results, what a step gets), S their second derivatives,
weighed, (steps, what a step gets, twice). A step gets k numbers of the state, then what comes from outside (with the
state n numbers, the variables that all steps share), then its slice, of which ``places`` say which variables these are,
(steps, numbers of a slice). Linear recurrences carry the rest. The
functions stand in the source of every saved loop, as they are here.
"""

from __future__ import annotations

import inspect
import re

import numpy as np

from ..ops.linalg._block_recurrence import RECURRENCE, recurrence


def carried(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """y[t] = A[t] @ y[t - 1] + b[t], from nothing on."""
    return recurrence(b, A, False)


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
    across = np.concatenate([J[1:, :k, :k], np.zeros_like(J[:1, :k, :k])]).transpose(0, 2, 1)
    return carried(np.ascontiguousarray(across[::-1]), arrived[::-1])[::-1]


def weights(J: np.ndarray, k: int, g: np.ndarray) -> np.ndarray:
    """The gradients in what each step gives, of those in all values, (steps, results, m)."""
    after = np.concatenate([times(J[1:, k:, :k].transpose(0, 2, 1), g[1:, k:]), np.zeros_like(g[:1, :k])])
    return np.concatenate([back(J, k, g[:, :k] + after), g[:, k:]], 1)


def variables(each: np.ndarray, k: int, n: int, places: np.ndarray, size: int) -> np.ndarray:
    """The gradients in the variables, so many, of those in what each step gets, (steps, what a step gets, m)."""
    found = np.zeros((size, each.shape[2]), each.dtype)
    found[:k], found[k:n] = each[0, :k], each[:, k:n].sum(0)
    np.add.at(found, places, each[:, n:])
    return found


def pulled(
    J: np.ndarray, k: int, n: int, places: np.ndarray, size: int, g: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The gradient in the variables of all values times g, and the weights of what each step gives."""
    weighed = weights(J, k, g[:, :, None])
    return variables(times(J.transpose(0, 2, 1), weighed), k, n, places, size)[:, 0], weighed[:, :, 0]


def bent(S: np.ndarray, along: np.ndarray) -> np.ndarray:
    """The second derivatives along directions."""
    m = along.shape[2]
    turned = times(S, along).reshape(-1, m)
    return times(along.reshape(-1, m).T, turned)


_NUMBA = '''{decorator}
def _carried(A, b):
    """y[t] = A[t] @ y[t - 1] + b[t], from nothing on."""
    y = b.copy()
    steps, k, n = b.shape
    for t in range(1, steps):
        for i in range(k):
            for j in range(k):
                for a in range(n):
                    y[t, i, a] += A[t, i, j] * y[t - 1, j, a]
    return y'''


_FUNCTIONS = (*RECURRENCE, carried, times, along, back, weights, variables, pulled, bent)
_NAME = re.compile(rf"\b_?({'|'.join([f.__name__.lstrip('_') for f in _FUNCTIONS])})\(")
_TEXTS = {f"_{f.__name__.lstrip('_')}": _NAME.sub(r"_\1(", inspect.getsource(f).rstrip()) for f in _FUNCTIONS}
"""The functions as text, by names that are no argument's."""


def source(called: str, decorator: str = "") -> list[str]:
    """The functions that a text calls, as text; with a decorator of Numba's the recurrence is a loop."""
    found, words = list[str](), called
    for name, text in reversed(_TEXTS.items()):
        if f"{name}(" in words:
            text = _NUMBA.format(decorator=decorator) if decorator and name == "_carried" else text
            found.insert(0, text)
            words += text
    return found


__all__ = ["along", "back", "bent", "pulled", "source", "times", "variables", "weights"]
