"""What the files of the package say of themselves, read once for all tests that ask.

The idea to hold: the trees of all files would be half a gigabyte, over which the garbage collector walks; a file is
parsed and walked once, and what stays of it are its statements of import, the lengths of its functions, the nodes in
which a figure may stand, and its words.
"""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[2] / "symgrad"
SOURCES = sorted(PACKAGE.rglob("*.py"))


class Facts(NamedTuple):
    imports: list
    """Statements of import, and calls that import."""
    functions: list
    """(name, lines without the docstring) of each function."""
    figures: list
    """Comparisons by size, and assignments to names."""
    words: frozenset
    """Names and attributes."""


@cache
def facts(path):
    """The facts of a file."""
    return facts_of(ast.parse(path.read_text(encoding="utf-8"), filename=str(path)))


def facts_of(tree):
    imports, functions, figures, words = [], [], [], set()
    for node in ast.walk(tree):
        kind = type(node)
        if kind is ast.Name:
            words.add(node.id)
        elif kind is ast.Attribute:
            words.add(node.attr)
        elif kind in (ast.Import, ast.ImportFrom) or (kind is ast.Call and _imports(node)):
            imports.append(node)
        elif kind in (ast.FunctionDef, ast.AsyncFunctionDef):
            functions.append((node.name, _lines_without_docstring(node)))
        elif (kind is ast.Compare and _by_size(node)) or (kind in (ast.Assign, ast.AnnAssign) and _in_capitals(node)):
            figures.append(node)
    return Facts(imports, functions, figures, frozenset(words))


def _imports(call):
    f = call.func
    return (f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", None)) in ("import_module", "__import__")


def _lines_without_docstring(function):
    doc = function.body[0] if ast.get_docstring(function, clean=False) is not None else None
    return function.end_lineno - function.lineno + 1 - (doc.end_lineno - doc.lineno + 1 if doc else 0)


def _by_size(compare):
    return any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in compare.ops)


def _in_capitals(assign):
    targets = assign.targets if isinstance(assign, ast.Assign) else [assign.target]
    names = [n for t in targets for n in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return any(isinstance(n, ast.Name) and n.id.isupper() for n in names)
