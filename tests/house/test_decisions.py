"""The index of decisions names each once, and what has been superseded says by which, in its file and in the index."""

import re

import pytest

from ..helpers.sources import PACKAGE

FOLDER = PACKAGE.parent / "docs" / "decisions"
FILES = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("[0-9]*.md"))}
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\* \[(\d{4})\]\((.+?)\): (.+)$", INDEX, re.M)
HEAD = re.compile(
    r"\*\*(?:(Superseded|In part superseded) by \[(\d{4})\]\((.+?)\)\*\*|No longer holds\*\*(?: in part)?): \S"
)


def head(text):
    """The lines between the title and the choice that say what became of a decision: how, the number and the file."""
    found = []
    for line in filter(None, text.splitlines()[1:]):
        if (said := HEAD.match(line)) is None:
            break
        found.append(said.groups())
    return found


def test_the_index_has_each_decision_once():
    assert sorted(re.findall(r"\]\((.+?)\)", INDEX)) == sorted(FILES)
    assert {(number, name) for number, name, _ in LINES} == {(name[:4], name) for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_what_supersedes_a_decision_is_a_later_one(name):
    text, said = FILES[name], head(FILES[name])
    for _, number, file in said:
        assert number is None or (file in FILES and file[:4] == number > name[:4]), f"{name}: {file}"
    marks = re.findall(r"^\W*(?:Superseded|Replaced|In part superseded|No longer holds)\b.*", text, re.M)
    assert len(marks) == len(said), f"{name}: not in the form of {HEAD.pattern}, or not below the title: {marks}"


@pytest.mark.parametrize(("number", "name", "line"), LINES)
def test_the_index_says_what_was_superseded(number, name, line):
    decided, _, rest = line.partition(" (superseded by " if " (superseded by " in line else " (in part ")
    said = head(FILES[name])
    later = [n for _, n, _ in said if n]
    assert re.findall(r"\d{4}", rest) == sorted(later), f"{number}: {line}"
    assert ("(superseded by" in line) == any(how == "Superseded" for how, _, _ in said), f"{number}: {line}"
    assert ("no longer holds" in line) == (None in [n for _, n, _ in said]), f"{number}: {line}"
    assert len(decided.split()) <= 15, f"{number}: {len(decided.split())} words"
