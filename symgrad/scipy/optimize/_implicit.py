"""The implicit function theorem: what solves an equation, differentiated without a look at the solver.

The idea to hold: a solution x of ``F(x, p) = 0`` moves with p so that F stays 0: ``dx = −(∂F/∂x)⁻¹ ∂F/∂p dp``. The rule
is written in operations, at the solution that it itself differentiates, so that there is no last order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._array._protocols import carried, unpacked
from ..._errors import GradientError
from ...autograd import Function
from ...autograd import enable_grad as _enable_grad
from ...autograd import grad as _grad
from ...core import modes, wrap
from .._callbacks import Callback, jacobian_at, pulled, rows, shaped, tracked

STEP = 1e-3
"""How far from a solution a solver may stop to be differentiated: a step of Newton's, relative to 1 + |x|."""


class Equation:
    """``F(x, leaves)``, of the shape of x. ``by_entries``: each entry depends on its own entry of x alone."""

    def __init__(
        self, what: str, tensors: Callable[[Any, list[Any]], Any], by_entries: bool = False, note: str = ""
    ) -> None:
        self.what, self.tensors, self.by_entries, self.note = what, tensors, by_entries, note

    def cotangent(self, F: Any, x: Any, g: Any, leaves: Any = None) -> Any:
        """The solution w of ``(∂F/∂x)ᵀ w = g``; with ``leaves``, which are numbers, one that has no history."""
        if F.shape != x.shape:
            raise GradientError(
                f"{self.what}: the equation has the shape {tuple(F.shape)}, its solution {tuple(x.shape)}",
                "As many equations as unknowns are needed.", "",
            )  # fmt: skip
        if self.by_entries:
            slope = _grad(F.sum(), x, create_graph=True, allow_unused=True)[0] if F.requires_grad else None
            slope = wrap(np.zeros(x.shape)) if slope is None else slope
            self._expect_regular(np.diagflat(slope.detach().numpy()), F, x)
            return g / slope
        if leaves is not None:
            J = wrap(jacobian_at(lambda x: self.tensors(x, leaves), x.detach().numpy()))
        else:
            J = rows(F.reshape((-1,)), [x])
        self._expect_regular(J.detach().numpy(), F, x)
        return np.linalg.solve(J.mT, g.reshape((-1,))).reshape(tuple(x.shape))

    def _expect_regular(self, J: np.ndarray, F: Any, x: Any) -> None:
        """An error where the theorem does not hold, or where x does not solve the equation."""
        if not J.size:
            return
        value, at = F.detach().numpy().reshape(-1), x.detach().numpy().reshape(-1)
        if not np.isfinite(J).all() or not np.isfinite(value).all():
            raise GradientError(
                f"{self.what}: the equation or its derivative is not finite at the solution",
                f"The value is {_brief(value)}." + self._said(), "",
            )  # fmt: skip
        size = np.abs(J).max(1, keepdims=True)
        scaled = J / np.where(size == 0, 1, size)  # equations may be in different units
        _, values, right = np.linalg.svd(scaled)
        if values[-1] <= len(J) * np.finfo(float).eps * values[0]:
            raise GradientError(
                f"{self.what}: the Jacobian at the solution is singular, so the solution has no derivative",
                f"Its smallest singular value is {values[-1]:.1e}, along {_entries(right[-1])}: the equation does not "
                "determine x there." + self._said(), "A double root has none; leave out unknowns that move nothing.",
            )  # fmt: skip
        step = np.abs(np.linalg.solve(J, value)) / (1 + np.abs(at))
        if step.max() > STEP:
            raise GradientError(
                f"{self.what}: the solver has not found a solution, so there is no derivative of it",
                f"The equation's largest entry is {np.abs(value).max():.1e} and the solution about "
                f"{np.abs(step * (1 + np.abs(at))).max():.1e} away." + self._said(),
                "Start nearer, allow more iterations or try another method.",
            )  # fmt: skip

    def _said(self) -> str:
        return f" SciPy says: {' '.join(self.note.split())}" if self.note else ""


def _brief(value: np.ndarray) -> str:
    return np.array2string(value, precision=3, threshold=6)


def _entries(direction: np.ndarray) -> str:
    """The entries of a direction that matter, the largest first."""
    order = [k for k in np.argsort(-np.abs(direction), kind="stable")[:4] if abs(direction[k]) > 0.1]
    return ", ".join(f"{direction[k]:.2g}·x[{k}]" for k in order)


class _Solution(Function):
    """``apply(equation, x, *leaves)``: the numbers x, which solve ``equation(x, leaves) = 0``."""

    @staticmethod
    def forward(ctx: Any, equation: Equation, x: Any, *leaves: Any) -> Any:
        ctx.equation = equation
        out = wrap(np.array(x, np.float64))
        ctx.save_for_backward(*leaves, out)
        return out

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        *leaves, out = ctx.saved_tensors
        recorded = modes.grad_enabled()
        if not recorded:
            leaves, out = [v.detach() for v in leaves], out.detach()
        wanted = ctx.needs_input_grad[2:]
        with _enable_grad():
            (x,) = tracked([out])
            own = [tracked([v])[0] if w else v.detach() for v, w in zip(leaves, wanted, strict=True)]
            F = ctx.equation.tensors(x, own if recorded else leaves)
            weights = -ctx.equation.cotangent(F, x, g, None if recorded else leaves)
            moved = [v for v, w in zip(own, wanted, strict=True) if w]
            if not recorded:  # what is asked by x and by the others apart costs less: no rule computes both each time
                F, weights = ctx.equation.tensors(tracked([out])[0], own), weights.detach()
            flat = pulled(F, weights, moved, recorded)
        parts = iter(shaped(flat if recorded else flat.detach(), moved))
        return None, None, *[next(parts) if w else None for w in wanted]


def solution(equation: Equation, x: Any, leaves: list[Any], of_arrays: bool) -> Any:
    """Numbers that solve an equation, with their derivatives in leaves, as the caller's kind of array."""
    found = _Solution.apply(equation, x, *leaves)
    return carried(found) if of_arrays else found


def real(what: str, x: Any) -> np.ndarray:
    """The numbers of a start or a solution, without what they remember."""
    x = unpacked(x)
    numbers = np.asarray(x.detach().numpy() if hasattr(x, "detach") else x)
    if numbers.dtype.kind == "c":
        raise GradientError(
            f"{what}: a complex solution has no derivative here", f"x has the dtype {numbers.dtype}.",
            "Write real and imaginary parts as unknowns of their own.",
        )  # fmt: skip
    return numbers.astype(np.float64)


def implicit(residual: Any, x: Any, *args: Any) -> Any:
    """Return x, which solves ``residual(x, *args) = 0``, with the derivatives of the solution in args.

    How x was found does not matter: by a solver of one's own, by one that only takes plain numbers, in closed form.

    Parameters
    ----------
    residual : ``residual(x, *args)``, of the shape of x; written in operations
    x : array of numbers, or a function of the numbers of args that returns it: ``solve(*args)``
    args : differentiable, to every order; so are tensors that residual sees where it is written

    Raises
    ------
    GradientError : when a derivative is taken: x does not solve the equation (by a step of Newton's), or the Jacobian
        in x is singular, with the direction; residual has another shape than x, or is differentiated in something
        that is found neither in args nor among its variables

    Notes
    -----
    By the implicit function theorem: ``∂x/∂p = −(∂F/∂x)⁻¹ ∂F/∂p``. A gradient costs a Jacobian of n rows and a solve,
    n³, whatever x has cost. Nothing of the solver is recorded.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> def root(a):  # of x² = a, by ten steps of a solver that knows nothing of derivatives
    ...     x = 1.0
    ...     for _ in range(10):
    ...         x = (x + a / x) / 2
    ...     return x
    >>> f = lambda a: sg.implicit(lambda x, a: x**2 - a, root, a)
    >>> f(4.0), sg.grad(f)(4.0), sg.hessian(f)(4.0)
    (np.float64(2.0), np.float64(0.25), np.float64(-0.03125))
    """
    callback = Callback("sg.implicit", residual, args, ())
    leaves = tuple(v.detach().numpy() for v in callback.leaves)
    if callable(x):
        x = x(*callback.args_of_numbers(leaves))
    numbers = real("sg.implicit", x)
    if not callback.is_differentiated:
        return carried(numbers[()]) if callback.of_arrays else numbers[()]
    equation = Equation("sg.implicit", lambda x, leaves: callback.of_tensors((x,), tuple(leaves)))
    return solution(equation, numbers, callback.leaves, callback.of_arrays)
