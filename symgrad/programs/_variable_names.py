"""Names in a program's source: those that the user knows take the place of the internal ones, and meet none of them.

The idea to hold: programs are made and run under internal names (x0, c1, v7), which nobody else gives. Only the text
that somebody reads or saves has the user's names, put in word by word; what stood in their way moves. Names are moved
in the program's function and at the level of the module; a helper function has names of its own, which meet nobody's.
"""

from __future__ import annotations

import ast
import builtins
import io
import itertools
import keyword
import re
import tokenize
from typing import Any

from .._python_source import parsed

NUMBERED = re.compile(r"[cv]\d+$")
WORD = re.compile(r"\b[a-zA-Z_]\w*\b", re.ASCII)  # to Python's re, the ² of x² is part of a word otherwise
FIXED = frozenset([*keyword.kwlist, *dir(builtins), "scipy", "math", "numba", "Path", "__file__", "__name__"])
"""Words that cannot move: a user's name that is one of them gets an underscore."""


def renamed(source: str, names: dict[str, str], kept: str = "") -> str:
    """The source with ``names`` (internal name: wanted name) put in, and c…, v… numbered as they come.

    ``kept`` is a name that stays, whoever wants it.
    """
    every = _words(source)
    words = _without_local(source, every, kept)
    everywhere = {text for _, text in every}
    used = dict.fromkeys(text for _, text in words)
    final = _wanted(names, used)
    taken = set(final.values())
    for name in used:
        if name in final or name == kept or name in FIXED:
            continue
        if NUMBERED.match(name):
            final[name] = next(n for k in itertools.count() if (n := f"{name[0]}{k}") not in taken)
            taken.add(final[name])
    for name in used:
        if name not in final and name in taken and name != kept and name not in FIXED:
            final[name] = name + "_"
            while final[name] in taken or final[name] in everywhere:
                final[name] += "_"
            taken.add(final[name])
    return _replaced(source, words, final)


def mentions(text: str, name: str) -> bool:
    """Whether a source has a word."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def array_text(value: Any) -> str:
    """An array written out."""
    numbers = re.sub(r"\b(inf|nan)\b", r"np.\1", repr(value.tolist()))
    return f"np.array({numbers}, dtype={value.dtype.name!r})"


def _wanted(names: dict[str, str], used: dict[str, None]) -> dict[str, str]:
    """Each internal name's, free of words that cannot move and of one another."""
    final: dict[str, str] = {}
    taken: set[str] = set()
    for name, wanted in names.items():
        while wanted in taken or keyword.iskeyword(wanted) or (wanted in FIXED and wanted in used):
            wanted += "_"
        taken.add(wanted)
        final[name] = wanted
    return final


def _words(source: str) -> list[tuple[tuple[int, int], str]]:
    """The names in a source and where they stand: no attributes, no keywords of calls."""
    found = []
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type != tokenize.COMMENT]
    for before, t, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        attached = after.string == "=" and after.start == t.end and before.string in ("(", ",")
        if t.type == tokenize.NAME and before.string != "." and not attached:
            found.append((t.start, t.string))
    if tokens and tokens[0].type == tokenize.NAME:
        found.insert(0, (tokens[0].start, tokens[0].string))
    return found


def _without_local(
    source: str, words: list[tuple[tuple[int, int], str]], kept: str
) -> list[tuple[tuple[int, int], str]]:
    """The words without the parameters and variables of helper functions (all but the one called ``kept``)."""
    local: dict[int, set[str]] = {}
    for helper in parsed(source).body:
        if not isinstance(helper, ast.FunctionDef) or helper.name == kept:
            continue
        own = {t.arg for t in ast.walk(helper) if isinstance(t, ast.arg)}
        own |= {t.id for t in ast.walk(helper) if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)}
        local.update(dict.fromkeys(range(helper.lineno, (helper.end_lineno or helper.lineno) + 1), own))
    return [(place, name) for place, name in words if name not in local.get(place[0], ())]


def _replaced(source: str, words: list[tuple[tuple[int, int], str]], final: dict[str, str]) -> str:
    lines = source.split("\n")
    for (row, column), name in reversed(words):
        if name in final:
            line = lines[row - 1]
            lines[row - 1] = line[:column] + final[name] + line[column + len(name) :]
    swap = {name: word for name, word in final.items() if re.fullmatch(r"[a-z]\d+", name) or name != word}
    for k, line in enumerate(lines):
        code, sign, comment = line.partition("  # ")
        if sign:
            lines[k] = code + sign + WORD.sub(lambda m: swap.get(m.group(0), m.group(0)), comment)
    return "\n".join(lines)
