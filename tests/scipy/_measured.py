"""What is measured: a function of SciPy's at the oracle's points, its value and derivatives beside the truths."""

import json
import math
import re

import numpy as np
import scipy.special as sc

import symgrad as sg
import symgrad.scipy as sp

from ._oracle import CASES

PYTHON = {
    "polygamma",
    "multigammaln",
    "spherical_jn",
    "spherical_yn",
    "spherical_in",
    "spherical_kn",
    "zeta",
    "lambertw",
    "softplus",
}
"""Functions that SciPy writes in Python: they make arrays of what they get, and are called as `symgrad.special`'s."""
_MORE = {"multigammaln": (2,)}


def function(name):
    """The function of a case's name: ``airy[0]`` is the first of several results."""
    plain, _, part = name.partition("[")
    home = sp.special if plain == "softplus" else sg.special if plain in PYTHON else sc
    of = getattr(home, plain)

    def call(*arguments):
        if plain == "polygamma":  # of one order
            n, x = arguments
            return sum(np.where(n == k, of(int(k), x), 0.0) for k in np.unique(n))
        found = of(*arguments, *_MORE.get(plain, ()))
        return found[int(part[:-1])] if part else found

    return call


def derivatives(name, points):
    """Value, first and second derivatives at each of the points: all points at once."""
    case = CASES[name]
    columns = [np.array(c, float) for c in zip(*points, strict=True)]
    arguments = [sg.tensor(c, requires_grad=True) if k in case.wrt else c for k, c in enumerate(columns)]
    leaves = [arguments[k] for k in case.wrt]
    value = function(name)(*arguments)
    if value.is_complex():
        value = value.real
    first = sg.autograd.grad(value.sum(), leaves, create_graph=True)
    second = []
    for i, j in case.seconds:  # by the last argument first: a parameter's slope has none of its own everywhere
        g, leaf = first[case.wrt.index(j)], arguments[i]
        found = sg.autograd.grad(g.sum(), leaf, retain_graph=True, allow_unused=True)[0] if g.requires_grad else None
        second.append(np.zeros(len(points)) if found is None else found.numpy())
    return value.detach().numpy(), [g.detach().numpy() for g in first], second


def error(found, truth, least=1e-290):
    """The relative error, of numbers below ``least`` relative to that; NaN counts as infinitely wrong."""
    if found == truth:
        return 0.0
    if not math.isfinite(found) or not math.isfinite(truth):
        return math.inf
    return abs(found - truth) / max(abs(truth), least)


def errors(name, rows):
    """Per row of truths: the errors of the value, of each first and of each second derivative."""
    value, first, second = derivatives(name, [r[0] for r in rows])
    least = 1.0 if CASES[name].saturates else 1e-290
    return [
        (
            error(value[k], row[1]),
            [error(f[k], t, least) for f, t in zip(first, row[2], strict=True)],
            [error(s[k], t, least) for s, t in zip(second, row[3], strict=True)],
        )
        for k, row in enumerate(rows)
    ]


def worst(name, rows):
    """The largest errors of the value, of the first and of the second derivatives."""
    found = errors(name, rows)
    return (
        max(e[0] for e in found),
        max(max(e[1], default=0.0) for e in found),
        max(max(e[2], default=0.0) for e in found),
    )


def read(path):
    return json.loads(path.read_text())


def plain_name(name):
    return re.sub(r"\[.*", "", name)
