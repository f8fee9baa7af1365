"""The length of a formula as a reader counts it: names, functions, numbers, signs; layout is free.

The idea to hold: one lexer reads Unicode and ASCII. Letters side by side are a product unless the whole run is a
declared name, so `xᵀBx` has four tokens and `X beta` two; a superscript is one token, a pair of brackets or bars two.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from symgrad.ops import FUNCTIONS as LIBRARY

_NAMES = """abs arccos arccosh arcsin arcsinh arctan arctan2 arctanh cos cosh cumsum det diag digamma erf erfc exp expm1
    inv lgamma log log1p log_softmax logaddexp logdet logsumexp matrix_exp max mean min ndtr norm polygamma prod relu
    reshape sigmoid sign sin sinh softmax softplus sqrt std sum tan tanh tr trace var vec where xlogy logΓ Γ Φ φ ψ σ"""
_REMARK = "exchanges the last two axes"
FUNCTIONS = frozenset([*_NAMES.split(), *_REMARK.split()])
"""Names that are one token without being declared, and the words of the remark that defines the exchange matrix."""

COSTS = {"free": 0, "name": 1, "number": 1, "operator": 1, "superscript": 1, "bracket": 1, "bar": 1}

_PARTS = re.compile(
    r"""(?P<free>[\s,;]+|\bwhere\b(?!\s*\())
    |(?P<superscript>⁽[⁰¹²³⁴⁵⁶⁷⁸⁹]+⁾|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ]+|\.T\b|(?:\*\*|\^)\s*(?:[0-9]+\b(?!\.)|\(-[0-9]+\)))
    |(?P<number>[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)
    |(?P<name>(?:sg\.|np\.)?[A-Za-z\u0370-\u03ff_𝟏][A-Za-z0-9_\u0370-\u03ff₀-₉ₐ-ₜᵢ-ᵪⱼ]*)
    |(?P<bracket>[()\[\]⟨⟩⌊⌋])
    |(?P<bar>[‖|])
    |(?P<operator>\.\.\.|\*\*|[<>=!]=|[−+\-⊙⊗·/@*^√=<>≤≥≠:∘×∧∨¬±∈∂])
    """,
    re.VERBOSE,
)
_LETTERS = re.compile(r"𝟏|[A-Za-z\u0370-\u03ff][0-9]*[₀-₉]*|[ₐ-ₜᵢ-ᵪⱼ]")


@dataclass(frozen=True)
class Token:
    """A piece of a formula: its kind (a key of `COSTS`) and its text."""

    kind: str
    text: str


def tokens(text: str, names: Collection[str] = ()) -> Iterator[Token]:
    """Split a formula, where ``names`` are the declared names of more than one character."""
    place = 0
    while place < len(text):
        found = _PARTS.match(text, place)
        if found is None:
            raise ValueError(f"{text[place]!r} at {place} of {text!r} is no part of the notation")
        place = found.end()
        kind = str(found.lastgroup)
        if kind == "name":
            run = found.group().removeprefix("sg.").removeprefix("np.")
            called = text.startswith("(", place) and len(run) > 2 and run in LIBRARY
            yield from (Token(kind, name) for name in ([run] if called else _names(run, names)))
        else:
            yield Token(kind, found.group())


def _names(run: str, names: Collection[str]) -> list[str]:
    if run in names or run in FUNCTIONS or "_" in run:
        return [run]
    return _LETTERS.findall(run)


def defined_names(text: str) -> frozenset[str]:
    """The names that a formula's own "where r = …" introduces."""
    return frozenset(re.findall(r"([^\W\d]\w*)\s*=(?!=)", text))


def count_tokens(text: str, names: Collection[str] = ()) -> int:
    """Count the tokens of a formula in either notation; the word "where" is free, its "=" is not.

    Examples
    --------
    >>> count_tokens("2Aᵀ(Ax − b)"), count_tokens("2*A.T @ (A @ x - b)")
    (9, 12)
    >>> count_tokens("xᵀBx"), count_tokens("X beta − y", {"beta"})
    (4, 4)
    >>> count_tokens("diag(p) − ppᵀ where p = softmax(x)")
    14
    >>> count_tokens("(A ⊗ B)K where K exchanges the last two axes")
    12
    """
    return sum(COSTS[token.kind] for token in tokens(text, {*names, *defined_names(text)}))
