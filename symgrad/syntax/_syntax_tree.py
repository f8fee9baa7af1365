"""The tree of a text: what stands where, before anything is known about shapes."""

from __future__ import annotations

from typing import Any


class Node:
    """A part of a text.

    ``kind`` is one of

    ======== ================================================= ===========================
    kind     value                                             children
    ======== ================================================= ===========================
    number   the number (or True, False, None)
    string   the string
    name     the name                                          what 'where' defines it as
    list     None                                              its elements
    tuple    None                                              its elements
    items    None                                              the list of what is joined
    binary   the sign: + - * / @ ** ^ .* ./ .^ ⊙ ⊗ juxt < ∧ …   two operands
    unary    the sign: - + ~ √ T -T ² (as 'sup')               one operand
    call     (name, names of the keyword arguments)            arguments, keywords last
    index    tuple of ints, slices, lists of ints, None        what is indexed
    entry    tuple of letters and ints                         what is indexed
    Σ        the letters it runs over                          what is summed
    Π        the letters it runs over                          what is multiplied
    axes     the letters, in the order of the axes             entries that become an array
    method   the attribute: 'shape'                            its owner
    ======== ================================================= ===========================
    """

    __slots__ = ("at", "bracketed", "children", "end", "kind", "start", "value")

    def __init__(
        self, kind: str, value: Any, children: tuple[Node, ...], start: int, end: int, at: int | None = None
    ) -> None:
        self.kind, self.value, self.children = kind, value, children
        self.start, self.end = start, end
        self.at = start if at is None else at  # where a caret points: at the operator
        self.bracketed = False

    def __repr__(self) -> str:
        return f"<{self.kind} {self.value!r} at {self.start}:{self.end}>"
