"""L-BFGS: Newton's method with an inverse Hessian that is guessed from the last gradients, and its line search."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import ops
from ..autograd import enable_grad, no_grad
from ..core import Tensor
from ._optimizer import Optimizer, as_reals, check_settings, from_reals

# -------------------------------------------------------------------------------------------------------------------
# A step length that decreases the function enough and flattens its slope enough: the strong Wolfe conditions

# The search is that of Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6, with the safeguards
# that PyTorch's LBFGS has, so that both visit the same points.


class Point(NamedTuple):
    """One trial: step length, value, gradient, and slope along the search direction."""

    t: float
    value: float
    gradient: np.ndarray
    slope: float


def _cubic_minimum(a: Point, b: Point, low: float | None = None, high: float | None = None) -> float:
    """Minimise the cubic through two values with two slopes, between `low` and `high` (or the two points)."""
    if a.t > b.t:
        a, b = b, a
    low = a.t if low is None else low
    high = b.t if high is None else high
    if a.t == b.t:
        return min(max(a.t, low), high)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    bottom = b.slope - a.slope + 2 * d2
    if bottom == 0:
        return (low + high) / 2.0
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / bottom), low), high)


def strong_wolfe(
    evaluate: Callable[[float], Point],
    start: Point,
    t: float,
    reach: float,
    *,
    max_trials: int,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    tolerance: float = 1e-9,
) -> tuple[Point, int]:
    """Search for a step length along a descent direction.

    Parameters
    ----------
    evaluate : callable
        Gives the `Point` at a step length.
    start : Point
        The point at 0.
    t : float
        The first step length to try.
    reach : float
        Largest element of the direction; with `tolerance` it says when steps no longer differ.
    decrease, curvature : float
        Constants of the two conditions.
    max_trials : int
        Evaluations after the first.

    Returns
    -------
    The point found, and the number of evaluations.
    """

    def too_high(point: Point) -> bool:
        return point.value > start.value + decrease * point.t * start.slope

    def flat(point: Point) -> bool:
        return abs(point.slope) <= -curvature * start.slope

    # Walk outwards until the minimum lies between two points.
    previous, point, trials = start, evaluate(t), 0
    while trials < max_trials:
        over = too_high(point) or (trials > 1 and point.value >= previous.value)
        if not over and flat(point):
            return point, trials + 1
        if over or point.slope >= 0:
            break
        t = _cubic_minimum(previous, point, point.t + 0.01 * (point.t - previous.t), point.t * 10)
        previous, point = point, evaluate(t)
        trials += 1
    else:
        previous = start

    # Narrow the bracket until its lower end will do.
    bracket = [previous, point]
    # Which end is the lower one is looked up by position: of two equal ends, that is the first.
    low = 0 if bracket[0].value <= bracket[1].value else 1
    stuck = False
    while trials < max_trials and not abs(bracket[1].t - bracket[0].t) * reach < tolerance:
        t, stuck = _keep_off_the_ends(_cubic_minimum(bracket[0], bracket[1]), bracket[0].t, bracket[1].t, stuck)
        point = evaluate(t)
        trials += 1
        if too_high(point) or point.value >= bracket[low].value:
            bracket[1 - low] = point
            low = 0 if bracket[0].value <= bracket[1].value else 1
            continue
        if flat(point):
            return point, trials + 1
        if point.slope * (bracket[1 - low].t - bracket[low].t) >= 0:
            bracket[1 - low] = bracket[low]
        bracket[low] = point
    return bracket[low], trials + 1


def _keep_off_the_ends(t: float, one: float, other: float, stuck: bool) -> tuple[float, bool]:
    """Move a trial that crowds an end of the bracket, the second time or if it is on the end, a tenth inwards."""
    left, right = min(one, other), max(one, other)
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if stuck or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True


# ---------------------------- L-BFGS: Newton's method with an inverse Hessian that is guessed from the last gradients

# The idea to hold: the inverse Hessian is never built. The differences of the last steps and gradients, walked over
# twice, multiply a vector by it (the two-loop recursion; Nocedal and Wright, Numerical Optimization, 2006, chapter 7).


class LBFGS(Optimizer):
    """Minimise a function of few thousand parameters by a quasi-Newton method.

    Parameters
    ----------
    params : iterable of Tensor
        What is optimized: one group only.
    lr : float
        Step length, or with a line search the first one tried.
    max_iter : int
        Iterations in one call of `step`.
    max_eval : int, optional
        Evaluations of the function in one call of `step`; a quarter more than `max_iter` if left out.
    tolerance_grad : float
        Stop when no element of the gradient is larger.
    tolerance_change : float
        Stop when neither parameters nor value change by more.
    history_size : int
        How many differences are remembered.
    line_search_fn : {None, "strong_wolfe"}
        Whether to search for a step length that satisfies the strong Wolfe conditions.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor([-1.2, 1.0], requires_grad=True)
    >>> optimizer = sg.optim.LBFGS([w], max_iter=100, line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> bool(((w - 1).abs() < 1e-4).all())
    True
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_settings(learning_rate=(lr, lr >= 0))
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        settings = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, settings)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    # Parameters as one vector ----------------------------------------------------------------------------------

    def _gradient(self) -> np.ndarray:
        flat = []
        for parameter in self.param_groups[0]["params"]:
            gradient = parameter.grad
            source = parameter.detach() * 0 if gradient is None else gradient.detach()
            flat.append(as_reals(source.numpy()).reshape(-1))
        return np.concatenate(flat)

    def _values(self) -> list[np.ndarray]:
        return [parameter.detach().numpy().copy() for parameter in self.param_groups[0]["params"]]

    def _place(self, values: list[np.ndarray], t: float, direction: np.ndarray) -> None:
        """Set the parameters to ``values + t * direction``."""
        start = 0
        with no_grad():
            for parameter, value in zip(self.param_groups[0]["params"], values, strict=True):
                stop = start + as_reals(value).size
                parameter.copy_(ops.as_tensor(value + t * from_reals(direction[start:stop], value)))
                start = stop

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over settings and memory that `state_dict` returned, here or in PyTorch."""
        super().load_state_dict(state_dict)
        for memory in self.state.values():
            memory.update({name: _as_arrays(value) for name, value in memory.items()})

    # One call --------------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Iterate until one of the limits is reached.

        Parameters
        ----------
        closure : callable
            Resets the gradients, computes the loss, calls backward, returns the loss. Called many times.

        Returns
        -------
        The first loss.
        """
        if closure is None:
            raise TypeError("LBFGS evaluates the function many times: step() needs a closure that does it")

        def evaluate() -> Any:
            with enable_grad():
                return closure()

        group = self.param_groups[0]
        memory = self.state[group["params"][0]]
        memory.setdefault("func_evals", 0)
        memory.setdefault("n_iter", 0)
        first = evaluate()
        memory["func_evals"] += 1
        here = Point(0.0, _number(first), self._gradient(), 0.0)
        evaluations = 1
        if _largest(here.gradient) <= group["tolerance_grad"]:
            return first
        for iteration in range(1, group["max_iter"] + 1):
            memory["n_iter"] += 1
            direction = self._direction(memory, here.gradient, group["history_size"])
            before = memory["prev_loss"] = here.value
            slope = float(here.gradient @ direction)
            t = group["lr"]
            if memory["n_iter"] == 1:
                t *= min(1.0, 1.0 / float(np.abs(here.gradient).sum()))
            memory["t"] = t
            if slope > -group["tolerance_change"]:
                break
            start = here._replace(t=0.0, slope=slope)
            here, used = self._advance(evaluate, start, t, direction, iteration, evaluations)
            memory["t"] = here.t
            evaluations += used
            memory["func_evals"] += used
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or _largest(here.gradient) <= group["tolerance_grad"]
                or _largest(direction * here.t) <= group["tolerance_change"]
                or abs(here.value - before) < group["tolerance_change"]
            ):
                break
        return first

    def _direction(self, memory: dict[str, Any], gradient: np.ndarray, history_size: int) -> np.ndarray:
        """Multiply minus the gradient by the guessed inverse Hessian, having learnt from the last step."""
        if memory["n_iter"] == 1:
            memory.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
        else:
            change = gradient - memory["prev_flat_grad"]
            step = memory["d"] * memory["t"]
            product = float(change @ step)
            if product > 1e-10:  # curvature along the step is positive: the guess stays positive definite
                for name, value in (("old_dirs", change), ("old_stps", step), ("ro", 1.0 / product)):
                    memory[name].append(value)
                    del memory[name][:-history_size]
                memory["H_diag"] = product / float(change @ change)
        pairs = list(zip(memory["old_dirs"], memory["old_stps"], memory["ro"], strict=True))
        q = -gradient
        shares = []
        for change, step, ro in reversed(pairs):
            share = float(step @ q) * ro
            q = q - share * change
            shares.append(share)
        r = q * memory["H_diag"]
        for (change, step, ro), share in zip(pairs, reversed(shares), strict=True):
            r = r + (share - float(change @ r) * ro) * step
        memory["d"] = r
        memory["prev_flat_grad"] = gradient.copy()
        return r

    def _advance(
        self, evaluate: Callable[[], Any], start: Point, t: float, direction: np.ndarray, iteration: int, used: int
    ) -> tuple[Point, int]:
        """Move the parameters along the direction; return the point reached and the number of evaluations."""
        group, values = self.param_groups[0], self._values()

        def at(t: float) -> Point:
            self._place(values, t, direction)
            value, gradient = _number(evaluate()), self._gradient()
            return Point(t, value, gradient, float(gradient @ direction))

        if group["line_search_fn"] == "strong_wolfe":
            trials = group["max_eval"] - used
            point, count = strong_wolfe(at, start, t, _largest(direction), max_trials=trials)
            self._place(values, point.t, direction)
            return point, count
        if iteration == group["max_iter"]:
            # Nothing would look at the value: the next call evaluates it first.
            self._place(values, t, direction)
            return start._replace(t=t), 0
        return at(t), 1


def _as_arrays(value: Any) -> Any:
    """Remembered tensors, also PyTorch's, as arrays, and those without dimensions as numbers."""
    if isinstance(value, list):
        return [_as_arrays(part) for part in value]
    return np.asarray(value)[()] if hasattr(value, "__array__") else value


def _number(loss: Any) -> float:
    return loss.item() if isinstance(loss, Tensor) else float(loss)


def _largest(vector: np.ndarray) -> float:
    return float(np.abs(vector).max(initial=0.0))
