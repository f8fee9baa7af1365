"""What is plotted, whether it came as a function or as a formula: values and derivatives at many points.

The idea to hold: derivatives are symgrad's own, of a function through `vmap` of `grad`, of a formula by its formulas.
Where the function has no value (NaN) it has no derivative either, whatever the rule gives there.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _limits
from .._errors import DTypeError, FormulaError, ShapeError
from .._limits import bound
from .._tensor import symbol
from ..core import Tensor
from ..formulas import Formula
from ..transforms import Derivative, hessian, vmap
from ..transforms.calls import of_text, signature
from ..transforms.products import formula, taylor


class Subject:
    """A function of one number, or of two (``count``), which may be one vector of two.

    Attributes
    ----------
    name : what the function is called in labels
    variables : what its numbers are called
    """

    name: str
    variables: list[str]
    count: int

    def values(self, points: np.ndarray, order: int = 0) -> np.ndarray:
        """A derivative of a function of one number at points of shape (n,)."""
        raise NotImplementedError

    def text(self, order: int, points: np.ndarray, values: np.ndarray) -> str | None:
        """The LaTeX of a derivative; None where there is none, or it has not these values at these points."""
        raise NotImplementedError

    def coefficients(self, at: float, order: int) -> list[float]:
        """The Taylor coefficients at a point, from the value on."""
        raise NotImplementedError

    def gradients(self, points: np.ndarray) -> np.ndarray:
        """Of a function of two numbers the gradients at points of shape (n, 2)."""
        raise NotImplementedError

    def curvature(self, point: np.ndarray) -> np.ndarray:
        """Its 2 × 2 Hessian at a point."""
        raise NotImplementedError


class OfFunction(Subject):
    """A Python function; of two numbers it is taken as one of a vector."""

    name: str
    variables: list[str]
    count: int

    def __init__(self, f: Callable[..., Any], count: int, separate: bool) -> None:
        given = getattr(f, "__name__", "f")
        self.name = given if given.isidentifier() else "f"
        names = _parameters(f)
        self._f, self.count = f, count
        self._formulas: list[Formula | None] = []
        first = names[0] if names else "x"
        if count == 1:
            self.variables = [first]
        else:
            self.variables = (names + ["y"])[:2] if separate and len(names) > 1 else [f"{first}[0]", f"{first}[1]"]
        self._g = (lambda p: f(p[0], p[1])) if separate else f
        self._chain: list[Callable[..., Any]] = [self._g]

    def values(self, points: np.ndarray, order: int = 0) -> np.ndarray:
        while len(self._chain) <= order:
            self._chain.append(Derivative("grad", self._chain[-1], 0))
        with np.errstate(all="ignore"):
            found = vmap(self._chain[order])(points)
        return real_numbers(found, len(points), self.name)

    def text(self, order: int, points: np.ndarray, values: np.ndarray) -> str | None:
        if not self._formulas:
            try:
                self._formulas.append(formula(self._f, symbol(self.variables[0])))
            except Exception:  # a function need not take symbols: its curves have names then
                self._formulas.append(None)
        return _latex(self._formulas, self.variables[0], order, points, values)

    def coefficients(self, at: float, order: int) -> list[float]:
        with np.errstate(all="ignore"):
            return [float(c) for c in np.reshape(taylor(self._g, at, order), -1)]

    def gradients(self, points: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.asarray(vmap(Derivative("grad", self._g, 0))(points))

    def curvature(self, point: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the function is linear is seen
            return np.asarray(hessian(self._g)(point))


class OfFormula(Subject):
    """A formula whose free symbols are numbers: one, or two; or one vector of two."""

    def __init__(self, f: Formula) -> None:
        self.name = "f"
        if f.shape != ():
            raise ShapeError(
                f"sg.plot draws formulas whose value is one number, and this one has shape {f.shape}", f"It is {f}.",
                "Plot an entry of it, f[0], or a sum.",
            )  # fmt: skip
        known = f._background.symbols
        free = sorted(f.free_symbols & known.keys()) or list(known)[:1]  # the first in the alphabet goes to the right
        shapes = [known[name].shape for name in free]
        if not 0 < len(free) < 3 or (any(shapes) and len(free) > 1) or any(len(s) > 1 for s in shapes):
            listed = ", ".join(free) or "none"
            raise FormulaError(
                f"sg.plot draws formulas of one number, of two, or of a vector of two; this one has {listed}",
                f"It is {f}.", "Give the others values: f.subs(a=2.0).",
            )  # fmt: skip
        self._symbols, self._vector = free, bool(shapes[0])
        self.count: int = 2 if self._vector else len(free)
        self.variables: list[str] = [f"{free[0]}[{k}]" for k in range(2)] if self._vector else free
        self._known: dict[tuple[str, ...], Formula] = {(): f}
        self._chain: list[Formula | None] = [f]

    def _derivative(self, *path: str) -> Formula:
        if path not in self._known:
            self._known[path] = self._derivative(*path[:-1]).grad(path[-1])
        return self._known[path]

    def _at(self, f: Formula, point: np.ndarray) -> Any:
        if self._vector:
            given: dict[str, Any] = {self._symbols[0]: point}
        else:
            given = dict(zip(self._symbols, np.reshape(point, -1).tolist(), strict=True))
        return f(**given)

    def _each(self, f: Formula, points: np.ndarray) -> np.ndarray:
        """The values at all points, nan where a condition does not hold."""
        found, failed = list[np.ndarray | None](), None
        with np.errstate(all="ignore"):
            for point in points:
                try:
                    found.append(np.asarray(self._at(f, point)))
                except FormulaError as error:
                    failed = error
                    found.append(None)
        shapes = [v.shape for v in found if v is not None]
        if not shapes and failed is not None:
            raise failed
        return np.array([np.full(shapes[0], np.nan) if v is None else v for v in found])

    def values(self, points: np.ndarray, order: int = 0) -> np.ndarray:
        return real_numbers(
            self._each(self._derivative(*self._symbols[:1] * order), points), len(points), "the formula"
        )

    def text(self, order: int, points: np.ndarray, values: np.ndarray) -> str | None:
        return _latex(self._chain, self._symbols[0], order, points, values)

    def coefficients(self, at: float, order: int) -> list[float]:
        point = np.array([at])
        return [float(self.values(point, k)[0]) / math.factorial(k) for k in range(order + 1)]

    def gradients(self, points: np.ndarray) -> np.ndarray:
        parts = [self._each(self._derivative(name), points) for name in self._symbols]
        return parts[0] if self._vector else np.stack(parts, -1)

    def curvature(self, point: np.ndarray) -> np.ndarray:
        names = self._symbols
        rows = [[self._each(self._derivative(a, b), point[None])[0] for b in names] for a in names]
        return np.asarray(rows[0][0] if self._vector else rows)


def subject_of(f: Any, pair: bool) -> Subject:
    """What is plotted; ``pair`` says that the limits are pairs.

    Raises
    ------
    DTypeError, ShapeError, FormulaError : it is not a function of one or two numbers
    """
    if isinstance(f, Formula):
        return OfFormula(f)
    if isinstance(f, Tensor) or not callable(f):
        raise DTypeError(
            f"sg.plot draws a function, a formula or a matrix of second derivatives, got {type(f).__name__!r}",
            "A function is of one number, of two, or of a vector of two.",
            "sg.graph(t) is a picture of how a tensor was computed." if isinstance(f, Tensor)
            else of_text(f) if isinstance(f, str) else "Pass the function itself: sg.plot(lambda x: x**2, -1, 1).",
        )  # fmt: skip
    known = signature(f)
    needed = [] if known is None else [p for p in known.parameters.values() if p.default is p.empty]
    places = [p for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    spread = any(p.kind is p.VAR_POSITIONAL for p in needed)
    if known is not None and not known.parameters:
        raise ShapeError("sg.plot draws functions of one or two numbers, and this one takes none", "", "")
    if len(places) > 2 or any(p.kind is p.KEYWORD_ONLY for p in needed):
        raise ShapeError(
            "sg.plot draws functions of one or two numbers, and this one takes more",
            f"It takes {', '.join(p.name for p in needed)}.",
            f"Hold the others: sg.plot(lambda {places[0].name if places else 'x'}: f(…), low, high).",
        )  # fmt: skip
    separate = len(places) == 2 or (spread and pair)
    return OfFunction(f, 2 if separate or pair else 1, separate)


def real_numbers(found: Any, count: int, name: str) -> np.ndarray:
    """Values as floats, one for each point; an error where a function returns anything else."""
    if isinstance(found, Tensor):
        found = found._data
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "fiubc":
        raise DTypeError(
            f"sg.plot draws functions that return one number; {name} returns {type(found).__name__}", "",
            "Return one number, or plot an entry of it.",
        )  # fmt: skip
    if found.dtype.kind == "c":
        raise DTypeError(
            f"sg.plot draws real functions; {name} returns complex numbers", f"Their dtype is {found.dtype}.",
            "Plot .real, .imag or abs() of it.",
        )  # fmt: skip
    if found.shape != (count,):
        raise ShapeError(
            f"sg.plot draws functions that return one number; {name} returns an array of shape {found.shape[1:]}", "",
            "Plot an entry of it, or its sum: sg.plot(lambda x: f(x)[0], low, high).",
        )  # fmt: skip
    return found.astype(float)


def _parameters(f: Any) -> list[str]:
    known = signature(f)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [] if known is None else [p.name for p in known.parameters.values() if p.kind in kinds]


PLOT_CHECKED = bound(9)
"""Points at which such a formula is held against the curve."""


def _latex(
    chain: list[Formula | None], variable: str, order: int, points: np.ndarray, values: np.ndarray
) -> str | None:
    """The LaTeX of a derivative that speaks of the variable alone and is what is drawn; ``chain`` has the formulas of
    the function and of its derivatives as far as they are known, None where they are too long to go on.

    A function may draw numbers, or count its calls: at some points its formula is held against the curve, at all of
    them where it has conditions.
    """
    try:
        while len(chain) <= order:
            last = chain[-1]
            usable = last is not None and len(last.latex()) <= 2 * _limits.PLOT_LABEL
            chain.append(last.grad(variable) if last is not None and usable else None)
        f = chain[order]
        if f is None or not len(points):
            return None
        latex = f.latex()
        if not f.free_symbols <= {variable} or len(latex) > _limits.PLOT_LABEL:
            return None
        if not f.conditions:
            some = np.unique(np.linspace(0, len(points) - 1, PLOT_CHECKED).astype(int))
            points, values = points[some], values[some]
        with np.errstate(all="ignore"):  # there is an error where a condition does not hold
            found = [float(f(**({variable: x} if f.free_symbols else {}))) for x in points.tolist()]
        scale = np.abs(values).max()
        return latex if np.allclose(found, values, rtol=1e-6, atol=1e-6 * scale) else None
    except Exception:  # whatever is wrong with a formula, the curve has a name
        return None
