"""The page of questions about the source says where things are."""

import ast
import re

import pytest

from ..helpers.sources import PACKAGE

PAGE = PACKAGE.parent / "docs" / "where-is.md"
ROWS = re.findall(r"^\| (.+?) \| `(.+?)` \| `(.+?)` \|$", PAGE.read_text(encoding="utf-8"), re.M)


def defined(tree):
    """The names that a module defines."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        for target in [*getattr(node, "targets", ()), *([node.target] if isinstance(node, ast.AnnAssign) else [])]:
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


@pytest.mark.parametrize(("question", "file", "name"), ROWS)
def test_a_definition_is_where_the_page_says(question, file, name):
    path = (PACKAGE.parent if file.startswith(("tests/", "docs/")) else PACKAGE) / file
    assert path.exists(), f"{question}: there is no {file}"
    assert name in set(defined(ast.parse(path.read_text(encoding="utf-8")))), f"{question}: {file} has no {name}"


def test_there_are_thirty_questions():
    assert len(ROWS) >= 30
