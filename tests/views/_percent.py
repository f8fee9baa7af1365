"""Scripts of cells, as Jupytext pairs them: ``# %%`` begins a cell of Python, ``# %% [markdown]`` one of text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple


class Cell(NamedTuple):
    """A cell: 'code' or 'markdown', its lines, and where it begins in the file."""

    kind: str
    source: str
    line: int


def cells_of(path: Path) -> list[Cell]:
    """The cells of a script."""
    found, lines = list[tuple[str, list[str], int]](), path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if start := re.fullmatch(r"# %%( \[markdown\])?", line):
            found.append(("markdown" if start[1] else "code", [], number))
        elif found:
            found[-1][1].append(line)
    text = [(kind, [re.sub("^# ?", "", line) if kind == "markdown" else line for line in body], at)
            for kind, body, at in found]  # fmt: skip
    return [Cell(kind, "\n".join(body).strip(), at) for kind, body, at in text]
