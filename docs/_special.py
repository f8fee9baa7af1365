"""The table of special functions: ``python docs/_special.py`` prints it as Markdown.

`conf.py` puts it in place of the note ``made: special`` of special-functions.md. The arguments and the formulas are
read off the rows, the errors are measured at the points of tests/scipy, beside mpmath's 50 digits.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import symgrad as sg
from tests.scipy._measured import function, read, worst
from tests.scipy._oracle import CASES, HELD_OUT, OPEN


def markdown() -> str:
    """Return a line per function: what is differentiated, the slope by its last argument, the largest errors.

    Every function has a slope (tests/scipy looks at the errors):

    >>> [name for name in CASES if not _slope(name)[0]]
    []
    """
    head = [
        "| function | differentiated by | slope by the last | value | first | second |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *map(_line, CASES)])


def _line(name: str) -> str:
    """The line of a function.

    >>> _line("ellipk")
    '| `ellipk` | m | (E(m) − (1 − m) K(m))/(2m(1 − m)) | ...'
    """
    errors = worst(name, _truths(OPEN)[name] + _truths(HELD_OUT)[name])
    slope, letters = _slope(name)
    return f"| `{name}` | {', '.join(letters)} | {slope} | {' | '.join(map(_figure, errors))} |"


_truths = cache(read)


def _figure(error: float) -> str:
    return "0" if error == 0 else f"{error:.0e}"


def _slope(name: str) -> tuple[str, list[str]]:
    """The slope by the last argument, as a formula, and the names of the arguments that are differentiated."""
    case = CASES[name]
    letters = _letters(name, len(case.points[0]))
    middle = case.points[len(case.points) // 2]
    given = [sg.symbol(n) if k in case.wrt else _plain(v) for k, (n, v) in enumerate(zip(letters, middle))]
    call = function(name)
    symbols = [given[k] for k in case.wrt]

    def f(*moving: Any) -> Any:
        found = iter(moving)
        value = call(*[next(found) if k in case.wrt else v for k, v in enumerate(given)])
        return value.real if name == "lambertw" else value

    try:
        text = str(sg.formula(f, *symbols).grad(letters[case.wrt[-1]]))
    except sg.FormulaError:
        text = "on tensors only: its result is complex"
    return text.partition("\n")[0].replace("|", "\\|"), [letters[k] for k in case.wrt]


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


_LETTERS = {
    "ellipk": "m", "ellipe": "m", "ellipkm1": "p", "ellipkinc": "φ m", "ellipeinc": "φ m", "owens_t": "h a",
    "huber": "δ r", "pseudo_huber": "δ r", "stdtr": "n t", "stdtrit": "n p", "chdtr": "v x", "chdtrc": "v x",
    "chdtri": "v p", "fdtr": "n d x", "fdtrc": "n d x", "fdtri": "n d p", "gammaincinv": "a p", "gammainccinv": "a p",
    "betaincinv": "a b p", "betainccinv": "a b p", "gdtrix": "a b p", "boxcox": "x λ", "boxcox1p": "x λ",
    "inv_boxcox": "x λ", "inv_boxcox1p": "x λ", "bdtr": "k n p", "bdtrc": "k n p", "bdtri": "k n y",
    "nbdtr": "k n p", "nbdtrc": "k n p", "pdtr": "k m", "pdtrc": "k m", "pdtri": "k y", "poch": "a m",
    "multigammaln": "a", "zeta": "s q",
}  # fmt: skip
"""What the arguments are called, where that is not x, or a and b before it."""
_BY_COUNT = {1: "x", 2: "a x", 3: "a b x", 4: "a b c x"}
_OF_TWO = frozenset({"beta", "betaln", "xlogy", "xlog1py", "rel_entr", "kl_div", "elliprc"})
_OF_THREE = frozenset({"elliprf", "elliprd", "elliprg"})


def _letters(name: str, count: int) -> list[str]:
    if name in _OF_TWO:
        return ["a", "b"]
    if name in _OF_THREE:
        return ["x", "y", "z"]
    return (_LETTERS.get(name) or _BY_COUNT[count]).split()


if __name__ == "__main__":
    print(inspect.cleandoc(markdown()))
