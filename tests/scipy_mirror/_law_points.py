"""Where the methods of distributions of single numbers are looked at."""

import scipy.stats

from symgrad.scipy.stats._standard_distributions import CONTINUOUS_LAWS
from symgrad.scipy.stats._standard_distributions import DISCRETE_LAWS as COUNTED

SHAPES = {
    "beta": (1.7, 2.4), "chi2": (3.3,), "f": (3.2, 5.1), "gamma": (2.3,), "lognorm": (0.7,), "pareto": (2.2,),
    "skewnorm": (1.4,), "t": (4.3,), "truncnorm": (-1.2, 1.9), "vonmises": (1.6,), "weibull_min": (1.8,),
    "betabinom": (7, 1.7, 2.4), "binom": (7, 0.35), "geom": (0.3,), "nbinom": (2.6, 0.4), "poisson": (2.7,),
}  # fmt: skip
WHOLE = {"betabinom", "binom"}
"""Their first parameter counts, and has no derivative."""
METHODS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "entropy")


def methods_of(law):
    """The methods for which a law has formulas."""
    known = {m for m in ("cdf", "sf", "ppf", "isf", "entropy") if getattr(law, m) is not None}
    return known | ({"logcdf", "logsf"} if "cdf" in known else set())


CONTINUOUS_METHODS = [
    (n, m) for n in CONTINUOUS_LAWS for m in METHODS if m in methods_of(CONTINUOUS_LAWS[n]) | {"pdf", "logpdf"}
]
COUNTED_METHODS = [(n, m) for n in COUNTED for m in METHODS if m in methods_of(COUNTED[n]) | {"pmf", "logpmf"}]


def methods():
    return CONTINUOUS_METHODS + COUNTED_METHODS


def point_of(name, method):
    """The arguments of a method, all of them numbers: those without a derivative and those that have one."""
    shapes = SHAPES.get(name, ())
    if name in COUNTED:
        fixed = () if method == "entropy" else (0.37,) if method in ("ppf", "isf") else (3,)
        whole = name in WHOLE
        return (*fixed, *shapes[:whole]), shapes[whole:]
    places = (0.37,) if method != "entropy" else ()
    if places and method not in ("ppf", "isf"):
        places = (scipy.stats.__dict__[name].ppf(0.37, *shapes, 0.2, 1.3),)
    return (), (*places, *shapes, 0.2, 1.3)
