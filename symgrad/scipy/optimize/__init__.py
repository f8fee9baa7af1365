"""`scipy.optimize` with derivatives of every order: roots, minima and fits, by the implicit function theorem.

Examples
--------
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> sg.grad(lambda a: sp.optimize.brentq(lambda x: x**3 + x - a, 0, 10))(2.0).round(9)  # 1/(3x² + 1) at x = 1
np.float64(0.25)
"""

from scipy.optimize import Bounds, LinearConstraint

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._least_squares import curve_fit, least_squares
from ._minima import NonlinearConstraint, minimize, minimize_scalar, problem
from ._roots import bisect, brenth, brentq, fixed_point, fsolve, newton, ridder, root, root_scalar, toms748

__all__ = [
    "Bounds", "LinearConstraint", "NonlinearConstraint", "bisect", "brenth", "brentq", "curve_fit", "fixed_point",
    "fsolve", "least_squares", "minimize", "minimize_scalar", "newton", "problem", "ridder", "root", "root_scalar",
    "toms748",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("optimize")


_settle(__name__, globals(), __all__)
