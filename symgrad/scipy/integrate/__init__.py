"""`scipy.integrate` with derivatives of every order: integrals of samples and functions, differential equations.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> sg.grad(lambda p: sp.integrate.quad(lambda x: x**p, 0, 1)[0])(1.0).round(9)  # of 1/(p + 1)
np.float64(-0.25)
"""

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._ivp import odeint, solve_ivp
from ._quadrature import dblquad, fixed_quad, nquad, quad, quad_vec, tplquad
from ._samples import cumulative_simpson, cumulative_trapezoid, romb, simpson, trapezoid

__all__ = [
    "cumulative_simpson", "cumulative_trapezoid", "dblquad", "fixed_quad", "nquad", "odeint", "quad", "quad_vec",
    "romb", "simpson", "solve_ivp", "tplquad", "trapezoid",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("integrate")


_settle(__name__, globals(), __all__)
