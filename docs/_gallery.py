"""The tables of gallery.md: ``python docs/_gallery.py`` writes them there, with every derivative taken anew.

The function is typed as for `sg.parse` and the command ``symgrad diff``; what symgrad answers stands beside it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from _operations import code, table

import symgrad as sg
from symgrad.views.pages import parted

PAGE = Path(__file__).parent / "gallery.md"


class Entry(NamedTuple):
    """A function as it is typed, the variable, and what is declared of the names in it."""

    title: str
    text: str
    wrt: str
    declared: dict[str, Any] = {}  # noqa: RUF012  (read only)


def _square(name: str, **properties: bool) -> dict[str, Any]:
    return {name: sg.symbol(name, ("n", "n"), **properties)}


SECTIONS: dict[str, list[Entry]] = {
    "Regression": [
        Entry("least squares", "sum((A@x - b)**2)", "x"),
        Entry("mean squared error", "mean((X@w - y)**2)", "w", {"X": ("m", "n")}),
        Entry("ridge", "sum((X@w - y)**2) + lam*w@w", "w"),
        Entry("weighted", "sum(c*(X@w - y)**2)", "w"),
        Entry("several outputs", "sum((X@W - Y)**2)", "W"),
        Entry("Huber's loss", "sum(where(abs(r) <= c, r**2/2, c*(abs(r) - c/2)))", "r", {"c": ()}),
        Entry("log-cosh", "sum(log(cosh(X@w - y)))", "w"),
    ],
    "Likelihoods": [
        Entry("logistic, y = ±1", "sum(log(1 + exp(-y*(X@w))))", "w", {"y": sg.symbol("y", "m", sign=True)}),
        Entry("logistic, y = 0 or 1", "sum(softplus(X@w) - y*(X@w))", "w"),
        Entry("Poisson", "sum(exp(X@w) - y*(X@w))", "w"),
        Entry("softmax cross entropy", "logsumexp(x) - y@x", "x"),
        Entry("normal, in the deviation", "m*log(s) + sum((x - u)**2)/(2*s**2)", "s", {"x": "m", "u": (), "s": ()}),
        Entry("multivariate normal", "(u - x)@inv(S)@(u - x)/2", "u", _square("S", pd=True)),
        Entry("Kullback–Leibler", "sum(p*log(p/q))", "p"),
    ],
    "Matrices": [
        Entry("quadratic form", "x@B@x", "x"),
        Entry("product", "sum((A@X@B + C)**2)", "X"),
        Entry("trace of a product", "trace(X.T@B@X@C)", "X"),
        Entry("factorisation", "sum((U@V.T - T)**2)", "U"),
        Entry("log-determinant", "logdet(X)", "X"),
        Entry("volatility of a portfolio", "sqrt(w@C@w)", "w", _square("C", symmetric=True)),
    ],
    "Norms, barriers, networks": [
        Entry("norm", "norm(x)", "x"),
        Entry("norm of a residual", "norm(A@x - b)", "x"),
        Entry("cubic regulariser", "norm(x)**3/3", "x"),
        Entry("linear programme with barrier", "t*c@x - sum(log(x))", "x", {"t": ()}),
        Entry("log-sum-exp", "logsumexp(A@x + b)", "x"),
        Entry("softmax", "softmax(x)", "x"),
        Entry("one tanh unit", "sum((tanh(X@w) - y)**2)/2", "w"),
    ],
    "Physics": [
        Entry("Kepler's potential", "-k/norm(x)", "x", {"k": (), "x": 3}),
        Entry("Lennard-Jones", "4*e*((s/r)**12 - (s/r)**6)", "r", {"e": (), "s": (), "r": ()}),
        Entry("free energy", "-log(sum(exp(-b*E)))", "b", {"b": (), "E": "n"}),
    ],
}


ENTRIES = {entry.title: entry for entries in SECTIONS.values() for entry in entries}


@cache
def formulas(title: str) -> list[sg.Formula]:
    """The function of an entry, its gradient and its Hessian; of one with several values the Jacobian alone."""
    _, text, wrt, declared = ENTRIES[title]
    f = sg.parse(text, **declared)
    return [f, f.jacobian(wrt)] if f.shape else [f, f.grad(wrt), f.hessian(wrt)]


def markdown() -> str:
    """Return the tables.

    The page has them as they are now:

    >>> page = PAGE.read_text(encoding="utf-8")
    >>> [line for line in markdown().splitlines() if line not in page.splitlines()]
    []

    and every formula in them was compared with the tape:

    >>> [title for title in ENTRIES for f in formulas(title)[1:] if f.checked is not True]
    []
    """
    return "\n".join(f"## {title}\n\n{_table(entries)}" for title, entries in SECTIONS.items())


def cards() -> str:
    """Return the same for the site: each function with its derivatives set as mathematics, which a phone can show.

    >>> text = cards()
    >>> "### least squares" in text and r"$$ \\nabla f = 2 A^{\\top} (A x - b) $$" in text
    True
    """
    return "\n".join(f"## {title}\n\n" + "\n".join(map(_card, entries)) for title, entries in SECTIONS.items())


def _card(entry: Entry) -> str:
    found = formulas(entry.title)
    signs = ("f", "\\nabla f", "\\nabla^2 f") if len(found) == 3 else ("f", "J")
    lines = [line for sign, g in zip(signs, found, strict=True) for line in _lines(sign, g)]
    return f"### {entry.title}\n\n`{entry.text}` in {entry.wrt}\n\n" + "\n".join(f"$$ {s} $$\n" for s in lines)


def _lines(sign: str, f: sg.Formula) -> list[str]:
    """An equation, and below it what its names stand for."""
    body, where = parted(f.latex())
    return [f"{sign} = {body}", where] if where else [f"{sign} = {body}"]


def _table(entries: list[Entry]) -> str:
    lines = []
    for entry in entries:
        derivatives = [code(str(f)) for f in formulas(entry.title)[1:]]
        lines.append((entry.title, code(entry.text), entry.wrt, *derivatives, "")[:5])
    return table(("", "function", "in", "gradient", "Hessian"), lines)


def write() -> None:
    """Replace the tables of the page; what stands before the first heading of a table stays."""
    introduction = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    PAGE.write_text(f"{introduction}\n{markdown()}", encoding="utf-8")


if __name__ == "__main__":
    write()
