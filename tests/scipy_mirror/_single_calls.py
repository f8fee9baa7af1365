"""Single calls of every function of the mirror, each three times with other numbers: what batches are made of.

They are recorded in the cases of the modules; methods of distributions and functions of special are called at numbers.
"""

import functools

import numpy as np

from ..scipy._oracle import CASES as ORACLE
from . import _special_cases, _stats_cases
from ._law_points import methods, point_of
from ._oracle import POINT, cases_of
from ._recorded import Call, Leaf, recorded
from .test_mirror_every_argument import TEXTS

NUDGE = 0.01 * np.cos(3.0 * np.arange(POINT.size))
"""From one of the three points to the next: cases that live in a domain stay there."""
TEXT = TEXTS | {"stats": _stats_cases, "special": _special_cases}


@functools.cache
def of_case(case):
    return list(zip(*(recorded(case, POINT + j * NUDGE) for j in range(3)), strict=True))


def of_function(name):
    """The calls of a public function, a method or a class: three copies of each."""
    module, _, rest = name.partition(".")
    if name in LAWS:
        return of_a_law(*rest.split("."))
    word = rest.rpartition("linalg.")[2]
    cases = [c for c in cases_of(TEXT[module].CASES + TEXT[module].SET_ASIDE) if "." in word or f".{word}(" in c]
    found = [copies for case in cases for copies in of_case(case) if name in copies[0].names()]
    return [*of_the_oracle(rest), *found] if module == "special" else found


def at_numbers(name, module, path, columns, moved):
    """Three copies of a call, whose arguments are the rows of columns."""
    return [
        Call(name, module, path, tuple(Leaf(np.asarray(v), k in moved, f"argument {k}") for k, v in enumerate(row)))
        for row in columns
    ]


def of_a_law(name, method):
    fixed, moved = point_of(name, method)
    rows = [(*fixed, *(v * (1 + 0.03 * j) for v in moved)) for j in range(3)]
    places = set(range(len(fixed), len(fixed) + len(moved)))
    return [at_numbers(f"stats.{name}.{method}", "stats", f"{name}.{method}", rows, places)]


def of_the_oracle(name):
    """Calls of a function of special, of numbers alone; by one argument where pairs have no second derivative."""
    for case, of in ORACLE.items():
        if case.partition("[")[0] == name and name not in ("polygamma", "multigammaln"):  # those take whole numbers
            points = [p for p in of.points if all(abs(v) < 50 for v in p)]
            rows = [points[int(share * (len(points) - 1))] for share in (0.3, 0.5, 0.8)]
            for moved in [of.wrt] if of.pairs is None else [(i,) for i, j in of.pairs if i == j]:
                yield at_numbers(f"special.{name}", "special", name, rows, moved)


LAWS = [f"stats.{name}.{method}" for name, method in methods()]
