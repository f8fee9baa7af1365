"""The words of SciPy and statsmodels for what a fit has under another name, and the next step for who uses them.

The idea to hold: these are no aliases. A lookup or a call by such a word fails as it did, and says what to write.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from .._errors import compose

_P = ParamSpec("_P")
_R = TypeVar("_R")

ATTRIBUTES = {
    "params": "fit.x", "bse": "fit.standard_errors()", "tvalues": "fit.z()", "zvalues": "fit.z()",
    "conf_int": "fit.confint()", "cov_params": "fit.covariance()", "hess_inv": "fit.covariance()",
    "cov": "fit.covariance()", "llf": "fit.loglik", "loglike": "fit.loglik", "nobs": "fit.observations",
    "estimates": "fit.x", "se": "fit.standard_errors()", "std_errors": "fit.standard_errors()",
    "hess": "sg.hessian(f)(fit.x, …)", "predict": "your model at fit.x, in NumPy",
    "wald_test": "sg.stats.delta(g, fit), of one restriction g", "t_test": "sg.stats.delta(g, fit)",
    "get_margeff": "sg.stats.delta(g, fit), g the effect",
}  # fmt: skip
"""What to write in place of an attribute of other packages' results."""

_DERIVATIVES = "Derivatives are made from f: leave it out."
_OPTION = "It is an option of SciPy's: options={{{0!r}: …}}."
OF_MINIMIZE = {
    "args": "Data follow the parameters, one by one: sg.minimize(f, params, X, y).",
    "data": "Data follow the parameters, one by one: sg.minimize(f, params, X, y).",
    "x0": "The start is the second argument: sg.minimize(f, params).",
    "jac": _DERIVATIVES, "hess": _DERIVATIVES, "hessp": _DERIVATIVES,
    "maxiter": _OPTION, "disp": _OPTION, "gtol": _OPTION, "ftol": _OPTION,
    "names": 'Names are those of the parameters: start from pd.Series(0.0, index=names), or from {"a": 0.0, "b": 0.0}.',
}  # fmt: skip
_CLUSTERS = "Groups are clusters=: fit.standard_errors('cluster', clusters=groups)."
_NAMES = "Names are those of the parameters: start from a Series or a dictionary; .latex({old: new}) prints others."
OF_STATISTICS = {
    "cov_type": "It is kind=: 'hessian', 'opg', 'sandwich' (robust) or 'cluster'.",
    "alpha": "level= is the probability of the interval: level=0.95 for alpha=0.05.",
    "groups": _CLUSTERS, "cov_kwds": _CLUSTERS, "cluster": _CLUSTERS,
    "names": _NAMES, "xname": _NAMES, "labels": _NAMES,
}  # fmt: skip

OF_KINDS = {
    **dict.fromkeys(("hc0", "robust", "white", "qml"), "'sandwich' is that."),
    **dict.fromkeys(("hc1", "hc2", "hc3"), "'sandwich' is HC0: there is no correction for small samples."),
    **dict.fromkeys(("nonrobust", "oim", "eim", "mle"), "'hessian' is that."),
    **dict.fromkeys(("clustered", "clusters"), "'cluster' is that."),
    **dict.fromkeys(("bhhh", "bhhj"), "'opg' is that."),
}
"""What other packages call a kind of covariance, in lower case."""


def instead_of_keywords(words: dict[str, str]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator: a keyword that the function lacks is refused with what to write in its place."""

    def decorate(f: Callable[_P, _R]) -> Callable[_P, _R]:
        known = tuple(inspect.signature(f).parameters.values())
        names = frozenset(p.name for p in known)
        taken = ", ".join(p.name for p in known if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD))

        @functools.wraps(f)
        def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            unknown = [name for name in kwargs if name not in names]
            if unknown:
                step = words.get(unknown[0], f"It takes {taken.removeprefix('self, ')}.").format(unknown[0])
                raise TypeError(compose(f"{f.__name__}() takes no keyword {unknown[0]!r}", "", step))
            return f(*args, **kwargs)

        return checked

    return decorate


__all__ = ["ATTRIBUTES", "OF_KINDS", "OF_MINIMIZE", "OF_STATISTICS", "instead_of_keywords"]
