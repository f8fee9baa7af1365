"""What may be said of an operation besides its functions: the facts of a row, each a field with its sentence."""
# ruff: noqa: RUF009  (a fact is a line; `_fact` makes a field)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ._meanings import MEANINGS


def _fact(default: Any, says: str) -> Any:
    return field(default=default, metadata={"says": says})


@dataclass(init=False, frozen=True, repr=False, eq=False)
class Facts:
    """The facts of a row. `symgrad.extend` lists them with what each says."""

    # of the functions
    inputs: tuple[str, ...] | None = _fact(None, "names of the operands, where the forward function does not tell them")
    variadic: bool = _fact(False, "takes a list of operands, all under one rule")
    outputs: bool = _fact(False, "gives several results, as a tuple")
    view: bool = _fact(False, "its result shares memory with its operand")
    fails: bool = _fact(False, "a rule may raise half-way through a sweep (singular matrices)")
    new: Sequence[int] = _fact((), "operands whose rules return new arrays: never g, a saved value, or a view of one")
    keep: Sequence[str] = _fact((), "parameters (indices, masks) that count as saved values")
    # of axes
    means: str = _fact("", f"what each parameter means for axes, in order: {', '.join(MEANINGS)}")
    last: int | None = _fact(None, "how many last axes it works on; before them operands broadcast and axes are kept")
    reshapes: bool = _fact(False, "its result has its operand's entries, in the same order")
    equation: str = _fact("", "of a product: what it sums, as einsum writes it")
    # of values
    domain: Any = _fact(
        "real", "where tests sample each operand: 'real', 'positive', 'bool'…; 'places' are indices with the axes of "
        "what they pick from, an 'index' has its own",
    )  # fmt: skip
    sample: Any = _fact(None, "sample parameters, or a function (rng) of sample operands and parameters")
    real_only: bool = _fact(False, "refuses complex numbers")
    holomorphic: bool = _fact(True, "False where the rule itself speaks PyTorch's complex convention")
    own_dtype: bool = _fact(False, "its result's dtype is its own, not that of its operands")
    masks: bool = _fact(False, "chooses among branches, of which one not taken has a derivative of exactly 0")
    pieces: bool = _fact(False, "is linear between its kinks: its second derivative is 0")
    truth: bool = _fact(False, "its values are truths, entry by entry")
    odd: bool = _fact(False, "f(-x) = -f(x)")
    even: bool = _fact(False, "f(-x) = f(x)")
    undoes: str = _fact("", "f(g(x)) = x for the row g of this name")
    sign: str = _fact("", "of all its values: '>' (than 0) or '>='")
    finite: bool = _fact(False, "finite wherever its operands are, but for overflow")
    refusal: Any = _fact(None, "(operands) -> the error of operands whose shapes do not fit")
    # of words
    doc: str = _fact("", "what it computes, in a sentence")
    kink: str = _fact("", "where it has no derivative, and what is given there")
    label: str = _fact("", "the public function that a formula shows; the row's name if not said")
    rowwise: bool = _fact(False, "is written of a matrix, as in papers, where it is that of each row")
    symbol: Any = _fact(None, "the operator that prints it")
    letter: str = _fact(
        "", "the sign that formulas call it by, 'Γ'; in 'J_' its first parameter stands below, in 'ψ^' all, "
        "in 'L_^' all others stand above, in parentheses",
    )  # fmt: skip
    latex: str = _fact("", "its text in LaTeX, <0>… the operands and parameters; its ``text`` else")
    explained: bool = _fact(False, "no function that readers know: its ``doc`` stands below a formula that has it")
    scipy: str = _fact("", "the call of scipy.special that it is, {0}… the operands: 'jv({order}, {0})'")
    short: Sequence[str] = _fact(
        (), "the functions of scipy.special that it is, of real numbers, where its parameter is the number 0, 1…"
    )
    text: str = _fact("", "its text in a formula, {0}… the operands and parameters")
    sympy: Any = _fact(None, "its SymPy twin: a text, or a function that builds it")


FACTS = {f.name: str(f.metadata["says"]) for f in fields(Facts)}
"""Each fact's name and what it says."""
