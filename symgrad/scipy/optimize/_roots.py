"""Roots and fixed points under SciPy's names, differentiated by the implicit function theorem."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize as _scipy

from ..._array import numbers_of, to_tensors
from ..._errors import GradientError
from ..._limits import bound
from ...autograd import Function
from ...autograd import enable_grad as _enable_grad
from ...autograd import grad as _grad
from ...core import modes, wrap
from ...ops import named
from .._mirrored import (
    Callback,
    brief,
    called_as,
    calls_again,
    is_differentiated,
    jacobian_at,
    numbers_in,
    pulled,
    rows,
    shaped,
    tracked,
)

# ---------------- The implicit function theorem: what solves an equation, differentiated without a look at the solver

# The idea to hold: a solution x of ``F(x, p) = 0`` moves with p so that F stays 0: ``dx = −(∂F/∂x)⁻¹ ∂F/∂p dp``. The
# rule is written in operations, at the solution that it itself differentiates, so that there is no last order.


STEP = 1e-3
"""How far from a solution a solver may stop to be differentiated: a step of Newton's, relative to |x|. A longer one may
do as well, relative to 1 + |x|, for x may be 0: ..."""
CHANGE = 1e-2
"""... if the derivative of what it moves is the same behind it, to so much of it, or nothing to what it was before."""


def slopes(f: Any, x: Any) -> Any:
    """The gradient of a number in x, recorded."""
    found = _grad(f, x, create_graph=True, allow_unused=True)[0] if f.requires_grad else None
    return x * 0.0 if found is None else found


class Equation:
    """``F(x, leaves)``, of the shape of x. ``by_entries``: each entry depends on its own entry of x alone."""

    def __init__(
        self, what: str, tensors: Callable[[Any, list[Any]], Any], by_entries: bool = False, note: str = ""
    ) -> None:
        self.what, self.tensors, self.by_entries, self.note = what, tensors, by_entries, note

    def cotangent(self, F: Any, x: Any, g: Any, leaves: list[Any], recorded: bool) -> Any:
        """The solution w of ``(∂F/∂x)ᵀ w = g``; where nothing is ``recorded`` (leaves are numbers), without history."""
        if F.shape != x.shape:
            raise GradientError(
                f"{self.what}: the equation has the shape {tuple(F.shape)}, its solution {tuple(x.shape)}",
                "As many equations as unknowns are needed.", "",
            )  # fmt: skip
        if self.by_entries:
            slope = slopes(F.sum(), x)
            self._expect_regular(np.diagflat(slope.detach().numpy()), F, x, g, leaves)
            return g / slope
        if not recorded:
            J = wrap(jacobian_at(lambda x: self.tensors(x, leaves), x.detach().numpy()))
        else:
            J = rows(F.reshape((-1,)), [x])
        self._expect_regular(J.detach().numpy(), F, x, g, leaves)
        return np.linalg.solve(J.mT, g.reshape((-1,))).reshape(tuple(x.shape))

    def _expect_regular(self, J: np.ndarray, F: Any, x: Any, g: Any, leaves: list[Any]) -> None:
        """An error where the theorem does not hold, or where x does not solve the equation."""
        if not J.size:
            return
        value, at = F.detach().numpy().reshape(-1), x.detach().numpy().reshape(-1)
        if not np.isfinite(J).all() or not np.isfinite(value).all():
            raise GradientError(
                f"{self.what}: the equation or its derivative is not finite at the solution",
                f"The value is {brief(value)}." + self._said(), "",
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
        step = np.linalg.solve(J, value)
        far = np.abs(step) > STEP * (1 + np.abs(at))
        if not far.any():
            far = self._far(x.detach().numpy(), step, g.detach().numpy().reshape(-1), leaves)
        if far.any():
            k = int(np.argmax(np.where(far, np.abs(step), 0)))
            raise GradientError(
                f"{self.what}: the solver has not found a solution, so there is no derivative of it",
                f"The equation's largest entry is {np.abs(value).max():.1e} and the solution about "
                f"{abs(step[k]):.1e} away, where x is {at[k]:.1e}." + self._said(),
                "Start nearer, allow more iterations, ask for more digits or try another method.",
            )  # fmt: skip

    def _far(self, x: np.ndarray, step: np.ndarray, g: np.ndarray, leaves: list[Any]) -> np.ndarray:
        """Which entries of x are so far from a solution, beside their own size, that the derivatives that g asks for
        are others: of a system those of all its entries together, else of each."""
        far = np.abs(step) > STEP * np.abs(x.reshape(-1))
        if not self.by_entries and far.any():
            return far & self._changes(x, step, g[:, None], leaves)
        asked = np.flatnonzero(far & (g != 0))[:_ASKED]
        far[:] = False
        if asked.size:
            far[asked] = self._changes(x, step, np.diag(g)[:, asked], leaves)
        return far

    def _changes(self, x: np.ndarray, step: np.ndarray, G: np.ndarray, leaves: list[Any]) -> np.ndarray:
        """For which columns of G the derivatives change by a step of Newton's, and not as noise does."""
        (before, _), (after, rest) = (self._moves(v, leaves, G) for v in (x, x - step.reshape(x.shape)))
        size, change = np.abs(after).max(1), np.abs(after - before).max(1)
        is_noise = (np.abs(rest) <= CHANGE * np.abs(step @ G)) & (size <= CHANGE * np.abs(before).max(1))
        return ~((change <= CHANGE * size) | is_noise)

    def _moves(self, numbers: np.ndarray, leaves: list[Any], G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The derivatives in the leaves of sums of x, weighted by the columns of G, if these numbers were the solution,
        and these sums of their steps of Newton's; NaN without."""
        with _enable_grad():
            own = tracked([v.detach() for v in leaves])
            x = wrap(np.array(numbers)).requires_grad_()
            F = self.tensors(x, own).reshape((-1,))
            try:
                W = np.linalg.solve(rows(F, [x]).detach().numpy().T, G).T
            except np.linalg.LinAlgError:
                W = np.full(G.T.shape, np.nan)
            found = np.stack([pulled(F, wrap(w), own).detach().numpy() for w in W.copy()])
        return found, W @ F.detach().numpy()

    def _said(self) -> str:
        return f" SciPy says: {' '.join(self.note.split())}" if self.note else ""


_ASKED = bound(8)
"""Entries of a solution, far from it beside their size, whose derivatives are looked at."""


def _entries(direction: np.ndarray) -> str:
    """The entries of a direction that matter, the largest first."""
    order = [k for k in np.argsort(-np.abs(direction), kind="stable")[:4] if abs(direction[k]) > 0.1]
    return ", ".join(f"{direction[k]:.2g}·x[{k}]" for k in order)


class _Solution(Function):
    """``apply(equation, x, *leaves)``: the numbers x, which solve ``equation(x, leaves) = 0``."""

    _found = True

    @staticmethod
    def forward(ctx: Any, equation: Equation, x: Any, *leaves: Any) -> Any:
        ctx.equation = equation
        out = wrap(np.array(x, np.float64))
        ctx.save_for_backward(*leaves, out)
        return out

    @staticmethod
    @calls_again
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
            weights = -ctx.equation.cotangent(F, x, g, own if recorded else leaves, recorded)
            moved = [v for v, w in zip(own, wanted, strict=True) if w]
            if not recorded:  # what is asked by x and by the others apart costs less: no rule computes both each time
                F, weights = ctx.equation.tensors(tracked([out])[0], own), weights.detach()
            flat = pulled(F, weights, moved, recorded)
        parts = iter(shaped(flat if recorded else flat.detach(), moved))
        return None, None, *[next(parts) if w else None for w in wanted]


def solution(equation: Equation, x: Any, leaves: list[Any]) -> Any:
    """Numbers that solve an equation, with their derivatives in leaves."""
    return _Solution.apply(equation, x, *leaves)


def real(what: str, x: Any) -> np.ndarray:
    """The numbers of a start or a solution, without what they remember."""
    numbers = np.asarray(numbers_of(to_tensors(x)))
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
    leaves = numbers_in(callback.leaves)
    if callable(x):
        x = x(*callback.args_of_numbers(leaves))
    numbers = real("sg.implicit", x)
    if not callback.is_differentiated:
        callback.expect_found(to_tensors(residual(numbers[()], *args)))
        return callback.as_asked(numbers[()])
    callback.keep()
    equation = Equation("sg.implicit", lambda x, leaves: callback.of_tensors((x,), tuple(leaves)))
    return callback.as_asked(solution(equation, numbers, callback.leaves))


# -------------------------------------------------------------------------------------------------------------------
# Roots and fixed points under SciPy's names, differentiated as what they are: solutions of an equation

# The idea to hold: SciPy computes with plain numbers, and nothing of its steps is recorded.


def _of_numbers(callback: Callback) -> Callable[..., Any]:
    """The user's function, for SciPy."""
    leaves = numbers_in(callback.leaves)

    def of_numbers(*variables: Any) -> Any:
        found = callback.of_numbers(variables, leaves)
        return found if found.ndim else found[()]

    return of_numbers


class SolverCall:
    """One call of a solver of SciPy's: a function of the user's, by numbers and by tensors.

    ``start`` are the arguments in which the solution is constant: where to begin, brackets.
    """

    def __init__(self, what: str, function: Any, args: Any, *start: Any) -> None:
        self.what = f"symgrad.scipy.optimize.{what}"
        self.callback = Callback(f"optimize.{what}", function, args, start)
        self.leaves = [*self.callback.leaves, *(to_tensors(v) for v in start if is_differentiated(v))]
        self.of_numbers = _of_numbers(self.callback)

    @property
    def is_differentiated(self) -> bool:
        return self.callback.is_differentiated

    def of_tensors(self, x: Any, leaves: Any) -> Any:
        return self.callback.of_tensors((x,), tuple(leaves[: len(self.callback.leaves)]))

    def also(self, function: Any, args: Any) -> Any:
        """Another function of the user's, for SciPy: its derivative, say."""
        if not callable(function):
            return function
        own = Callback(self.callback._what, function, args, ())
        own.of_arrays = own.of_arrays or self.callback.of_arrays
        return _of_numbers(own)

    def jacobian(self, x: Any) -> np.ndarray:
        """The derivative of the user's function at numbers, for SciPy's methods that ask for one."""
        known = [v.detach() for v in self.callback.leaves]
        return jacobian_at(lambda x: self.of_tensors(x, known), x)

    def solution(self, x: Any, equation: Any = None, by_entries: bool = False, note: str = "") -> Any:
        """Numbers x, where ``equation(x, leaves) = 0`` (default: the user's function), with their derivatives."""
        self.callback.keep()
        found = Equation(self.what, equation or self.of_tensors, by_entries, note)
        return self.callback.as_asked(solution(found, real(self.what, x), self.leaves))


def split(function: Any, jac: Any) -> tuple[Any, Any]:
    """A function and its derivative, where ``jac=True`` says that one function returns both."""
    if jac is not True:
        return function, jac
    return lambda *args: function(*args)[0], lambda *args: function(*args)[1]


# ------------------------------------------------------------------------------------------------------ many unknowns


@called_as(_scipy.root)
def root(fun: Any, x0: Any, args: Any, method: str, jac: Any, **further: Any) -> Any:
    """Return a root of a vector of n functions of n unknowns, as `scipy.optimize.root`; ``.x`` is differentiable.

    Parameters are those of `scipy.optimize.root`.

    Parameters
    ----------
    fun : ``fun(x, *args)``, of the shape of x
    x0 : start; the derivative in it is 0
    args : differentiable, and so are tensors that fun sees where it is written

    Raises
    ------
    GradientError : when a derivative is taken: SciPy has not converged, with its message; the Jacobian at the root is
        singular, with the direction; fun is differentiated in something that is not found

    Notes
    -----
    By the implicit function theorem, as `symgrad.implicit`: n rows and a solve, n³. The methods ``hybr`` and ``lm``
    get exact Jacobians unless ``jac`` is given.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def meet(r):  # of the circle of radius r and the diagonal
    ...     return sp.optimize.root(lambda x: np.stack([x[0] ** 2 + x[1] ** 2 - r**2, x[0] - x[1]]), np.ones(2)).x
    >>> sg.jacobian(meet)(2.0).round(9)
    array([0.70710678, 0.70710678])
    """
    function, derivative = split(fun, jac)
    solved = SolverCall("root", function, args, x0)
    if not solved.is_differentiated:
        return NotImplemented
    if derivative is None and method.lower() in ("hybr", "lm"):
        derivative = solved.jacobian
    else:
        derivative = solved.also(derivative, args)
    found = _scipy.root(solved.of_numbers, real(solved.what, x0), (), method, derivative, **further)
    found.x = solved.solution(found.x, note=found.message)
    return found


@called_as(_scipy.fsolve)
def fsolve(func: Any, x0: Any, args: Any, fprime: Any, full_output: Any, col_deriv: Any, **further: Any) -> Any:
    """Return a root of a vector of functions, as `scipy.optimize.fsolve`; differentiable as `root`.

    Parameters are those of `scipy.optimize.fsolve`.

    Raises
    ------
    GradientError : as of `root`

    Notes
    -----
    Costs are those of `root`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> roots = lambda a: sp.optimize.fsolve(lambda x, a: x**2 - a, np.ones(2), args=(a,))
    >>> sg.jacobian(roots)(np.array([4.0, 9.0])).round(6)
    array([[0.25    , 0.      ],
           [0.      , 0.166667]])
    """
    solved = SolverCall("fsolve", func, args, x0)
    if not solved.is_differentiated:
        return NotImplemented
    derivative = solved.also(fprime, args) if fprime is not None else solved.jacobian
    x, *rest = _scipy.fsolve(
        solved.of_numbers, real(solved.what, x0), (), derivative, True, col_deriv if fprime else 0, **further
    )  # fmt: skip
    x = solved.solution(x, note=rest[-1])
    return (x, *rest) if full_output else x


@called_as(_scipy.fixed_point)
def fixed_point(func: Any, x0: Any, args: Any, **further: Any) -> Any:
    """Return x with ``func(x, *args) = x``, as `scipy.optimize.fixed_point`; differentiable as `root`.

    Parameters are those of `scipy.optimize.fixed_point`.

    Raises
    ------
    GradientError : as of `root`
    RuntimeError : no convergence, SciPy's

    Notes
    -----
    Costs are those of `root`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x = sp.optimize.fixed_point(np.cos, 1.0)
    >>> slope = sg.grad(lambda a: sp.optimize.fixed_point(lambda x: np.cos(a * x), 1.0))(1.0)
    >>> bool(np.isclose(slope, -x * np.sin(x) / (1 + np.sin(x))))
    True
    """
    solved = SolverCall("fixed_point", func, args, x0)
    if not solved.is_differentiated:
        return NotImplemented
    x = _scipy.fixed_point(solved.of_numbers, real(solved.what, x0), (), **further)
    return solved.solution(x, lambda x, leaves: x - solved.of_tensors(x, leaves))


# -------------------------------------------------------------------------------------------------------- one unknown


_BRACKETED = """Return a root of a function of one number between a and b, as `scipy.optimize.{name}`; differentiable.

    Parameters are those of `scipy.optimize.{name}`.

    Parameters
    ----------
    f : ``f(x, *args)``, a number; of different signs at a and b
    args : differentiable, and so are tensors that f sees where it is written

    Raises
    ------
    GradientError : when a derivative is taken: f has slope 0 at the root; f depends on a tensor that is found
        neither in args nor among its variables
    ValueError, RuntimeError : no change of sign, no convergence: SciPy's

    Notes
    -----
    ``dx = −(∂f/∂p) / (∂f/∂x) dp``, by the implicit function theorem: two gradients, whatever the steps. The derivative
    in a and b is 0.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> root = lambda a: sp.optimize.{name}(lambda x: x**3 - a, 0.0, 4.0)
    >>> sg.grad(root)(8.0).round(6), sg.hessian(root)(8.0).round(6)
    (np.float64(0.083333), np.float64(-0.006944))
    """


def _bracketed(name: str) -> Callable[..., Any]:
    original = getattr(_scipy, name)

    def solver(f: Any, a: Any, b: Any, args: Any, full_output: bool, **further: Any) -> Any:
        solved = SolverCall(name, f, args, a, b)
        if not solved.is_differentiated:
            return NotImplemented
        a, b = (real(solved.what, v).item() for v in (a, b))
        x, found = original(solved.of_numbers, a, b, full_output=True, **further)
        x = found.root = solved.solution(x, by_entries=True, note=str(found.flag))
        return (x, found) if full_output else x

    return called_as(original)(named(solver, name, _BRACKETED.format(name=name)))


bisect: Callable[..., Any]
brenth: Callable[..., Any]
brentq: Callable[..., Any]
ridder: Callable[..., Any]
toms748: Callable[..., Any]

bisect, brenth, brentq, ridder, toms748 = map(_bracketed, ("bisect", "brenth", "brentq", "ridder", "toms748"))


@called_as(_scipy.newton)
def newton(func: Any, x0: Any, fprime: Any, args: Any, fprime2: Any, x1: Any, full_output: bool, **further: Any) -> Any:
    """Return a root of a function of one number, or a root for each entry of x0, as `scipy.optimize.newton`.

    Parameters are those of `scipy.optimize.newton`.

    Parameters
    ----------
    func : ``func(x, *args)``; of an array x0, each entry by itself
    fprime, fprime2 : derivatives for SciPy's steps; default: the secant's, as in SciPy
    args : differentiable, and so are tensors that func sees where it is written

    Raises
    ------
    GradientError : as of `brentq`
    RuntimeError : no convergence, SciPy's

    Notes
    -----
    Costs are those of `brentq`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> roots = lambda a: sp.optimize.newton(lambda x, a: x**2 - a, np.ones(2), args=(a,))
    >>> sg.grad(lambda a: roots(a).sum())(np.array([4.0, 16.0])).round(6)
    array([0.25 , 0.125])
    """
    solved = SolverCall("newton", func, args, x0)
    if not solved.is_differentiated:
        return NotImplemented
    start = real(solved.what, x0)
    found = _scipy.newton(
        solved.of_numbers, start if start.ndim else start.item(), solved.also(fprime, args), (),
        fprime2=solved.also(fprime2, args), x1=x1 if x1 is None else real(solved.what, x1)[()], full_output=True,
        **further,
    )  # fmt: skip
    x = solved.solution(found[0], by_entries=True)
    if not full_output:
        return x
    if start.ndim:
        return type(found)(x, *found[1:])
    found[1].root = x
    return x, found[1]


@called_as(_scipy.root_scalar)
def root_scalar(f: Any, args: Any, bracket: Any, fprime: Any, fprime2: Any, x0: Any, x1: Any, **further: Any) -> Any:
    """Return a root of a function of one number, as `scipy.optimize.root_scalar`; ``.root`` is differentiable.

    Parameters are those of `scipy.optimize.root_scalar`.

    Raises
    ------
    GradientError : as of `brentq`; where SciPy has not converged, with what it says

    Notes
    -----
    Costs are those of `brentq`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.optimize.root_scalar(lambda x: x**2 - a, bracket=(0, 9)).root)(4.0).round(9)
    np.float64(0.25)
    """
    function, derivative = split(f, fprime)
    ends = () if bracket is None else tuple(bracket)
    solved = SolverCall("root_scalar", function, args, *ends, *(v for v in (x0, x1) if v is not None))
    if not solved.is_differentiated:
        return NotImplemented
    plain = functools.partial(real, solved.what)
    found = _scipy.root_scalar(
        solved.of_numbers, bracket=None if bracket is None else [plain(v).item() for v in bracket],
        fprime=solved.also(derivative, args), fprime2=solved.also(fprime2, args),
        x0=None if x0 is None else plain(x0).item(), x1=None if x1 is None else plain(x1).item(), **further,
    )  # fmt: skip
    found.root = solved.solution(found.root, by_entries=True, note=str(found.flag))
    return found
