"""What code reads from elsewhere: names of its module, attributes, imports, cells of the function around.

The idea to hold: the instructions say it, of a function and of all functions within it, and they are read once.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

NOTHING = object()
"""In the place of what is not there."""
_OF_NAMES = frozenset(["LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"])
_OF_ATTRIBUTES = frozenset(["LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"])
_OUTWARDS = frozenset(["STORE_GLOBAL", "DELETE_GLOBAL"])


class Reads(NamedTuple):
    """What code, and functions within it, read.

    Attributes
    ----------
    names, attributes, imports : names looked up in the module, attributes asked for, modules imported (with the
        packages around them; None for one that hangs on where the code stands)
    steps : the names of the instructions
    writes : whether it writes to names of its module, or to variables of the function around it
    as_text : whether it may write numbers into a text
    """

    names: frozenset[str]
    attributes: frozenset[str]
    imports: frozenset[str | None]
    steps: frozenset[str]
    writes: bool
    as_text: bool


@lru_cache(512)
def reads(code: CodeType) -> Reads:
    """What code, and functions within it, read."""
    names, attributes, steps = set[str](), set[str](), set[str]()
    imports = set[str | None]()
    writes = remainders = texts = False
    for inner in _codes(code):
        texts = texts or any(isinstance(c, str) and "%" in c for c in inner.co_consts)
        instructions = list(dis.get_instructions(inner))
        for k, step in enumerate(instructions):
            steps.add(step.opname)
            if step.opname in _OF_NAMES:
                names.add(step.argval)
            elif step.opname in _OF_ATTRIBUTES:
                attributes.add(step.argval)
            elif step.opname == "IMPORT_NAME":
                words = step.argval.split(".") if instructions[k - 2].argval == 0 else []
                imports |= {".".join(words[: n + 1]) for n in range(len(words))} or {None}
            elif step.opname in _OUTWARDS or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars):
                writes = True
            elif step.opname == "BINARY_OP":
                remainders = remainders or step.argrepr in ("%", "%=")
    return Reads(
        frozenset(names), frozenset(attributes), frozenset(imports), frozenset(steps), writes, remainders and texts
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def content(cell: Any) -> Any:
    """What is in a cell; NOTHING if it is not assigned yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return NOTHING


def caught(function: FunctionType) -> list[tuple[int, Any]]:
    """What a function caught of the function around it, with its places, as far as it is assigned."""
    found = [(k, content(cell)) for k, cell in enumerate(function.__closure__ or ())]
    return [(k, value) for k, value in found if value is not NOTHING]


def builtins_of(function: FunctionType) -> dict[str, Any]:
    """Where a function finds names that its module does not have."""
    found = function.__globals__.get("__builtins__", {})
    return found if isinstance(found, dict) else vars(found)


__all__ = ["NOTHING", "Reads", "builtins_of", "caught", "content", "reads"]
