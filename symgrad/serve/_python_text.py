"""A Python function as a formula's text: ``def f(x): r = A @ x; return r.sum()``, read and never run.

The idea to hold: only the statements are read here: names that are assigned become definitions after ``where``, and
each expression goes to `symgrad.parse` as it stands, which knows the functions that it may call. What is no plain
assignment changes something, and is refused.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from .. import _limits
from .._errors import FormulaError
from .._python_source import parsed

_RULE = "A function is read that has assignments to names and one return, of expressions that sg.parse knows."


class Function(NamedTuple):
    """A formula's text and the names of the parameters."""

    text: str
    parameters: list[str]


def is_python(text: str) -> bool:
    """Whether a text is a function, and no formula."""
    return text.lstrip().startswith(("def ", "lambda ", "lambda:", "import ", "from ", "@", "async "))


def read_function(text: str) -> Function:
    """The formula that a function's text says.

    Raises
    ------
    FormulaError : it is no Python, or has a statement that is not read
    """
    try:
        body = parsed(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f"Line {line}: {error.msg}." if isinstance(error, SyntaxError) and line else ""
        raise FormulaError("this is no Python", where, "Paste a def, or type a formula.") from None
    body = [s for s in body if not _is_import(s)]
    if len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Lambda):
        given = body[0].value
        parameters = _parameters(given.args, given)
        return Function(_text(given.body, set(parameters)), parameters)
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].decorator_list:
        raise _refused(body[0] if body else None, "one function is read, without a decorator")
    function = body[0]
    parameters = _parameters(function.args, function)
    return Function(_formula(function, parameters), parameters)


_MODULES = {"numpy": "np", "math": "math", "torch": "torch", "jax.numpy": "jnp", "symgrad": "sg"}
_SPOKEN = frozenset({"np", "numpy", "math", "torch", "jnp", "sg", "symgrad", "linalg", "special"})
_SOURCES = frozenset({*_MODULES, "numpy.linalg", "scipy.linalg", "scipy.special"})


def _is_import(statement: ast.stmt) -> bool:
    """Whether a statement imports what expressions may speak of anyway, by its own name: nothing is imported."""
    if isinstance(statement, ast.Import):
        known = all(a.name in _MODULES and a.asname in (None, _MODULES[a.name]) for a in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        known = statement.module in _SOURCES and not any(a.asname or a.name == "*" for a in statement.names)
    else:
        return False
    if not known:
        raise _refused(statement, f"'{ast.unparse(statement)}' gives something a name that is not known")
    return True


def _parameters(arguments: ast.arguments, at: ast.AST) -> list[str]:
    if arguments.vararg or arguments.kwarg:
        raise _refused(at, "*args and **kwargs are not read")
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _formula(function: ast.FunctionDef, parameters: list[str]) -> str:
    statements = list(function.body)
    if ast.get_docstring(function) is not None:
        statements = statements[1:]
    if len(statements) > _limits.SERVE_STATEMENTS:
        raise _refused(function, f"more than {_limits.SERVE_STATEMENTS} statements are not read")
    taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} | set(parameters)
    called: dict[str, str] = dict(zip(parameters, parameters, strict=True))  # name -> what its value now is called
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    def written(expression: ast.expr) -> str:
        early = next(
            (n for n in ast.walk(expression) if isinstance(n, ast.Name) and n.id in stored - called.keys()), None
        )
        if early is not None:
            raise _refused(early, f"{early.id!r} is read before it is assigned")
        return _text(_Renamed(called).visit(expression), stored | set(called.values()))

    parts: list[str] = []
    for statement in statements:
        if isinstance(statement, ast.Return) and statement is statements[-1] and statement.value is not None:
            text = written(statement.value)
            return text + ("\nwhere " + "\n".join(parts) if parts else "")
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets: list[ast.expr] = [statement.target]
            value = statement.value
        elif isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        else:
            raise _refused(statement, f"'{type(statement).__name__.lower()}' is not read")
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            raise _refused(statement, "only a name is assigned to, one at a time")
        text = written(value)
        name = targets[0].id
        called[name] = name if name not in called else _fresh(name, taken)
        parts.append(f"{called[name]} = {text}")
    raise _refused(function, "the function does not end with a return")


def _fresh(name: str, taken: set[str]) -> str:
    k = 2
    while f"{name}_{k}" in taken:
        k += 1
    taken.add(f"{name}_{k}")
    return f"{name}_{k}"


class _Renamed(ast.NodeTransformer):
    def __init__(self, called: dict[str, str]) -> None:
        self.called = called

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self.called.get(node.id, node.id), node.ctx), node)


_NO_FORMULA = (
    ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await,
    ast.Yield, ast.YieldFrom, ast.FormattedValue, ast.JoinedStr, ast.NamedExpr, ast.Starred,
)  # fmt: skip


def _text(node: ast.AST, own: set[str]) -> str:
    """An expression as it is written; what cannot be one of mathematics is refused with its line."""
    for inner in ast.walk(node):
        if isinstance(inner, _NO_FORMULA):
            raise _refused(inner, f"'{type(inner).__name__}' is no part of a formula")
        if (
            isinstance(inner, ast.Attribute)
            and isinstance(inner.value, ast.Name)
            and inner.value.id not in own | _SPOKEN
        ):
            raise _refused(inner, f"{inner.value.id!r} is not known")
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in own:
            raise _refused(inner, f"{inner.func.id!r} is a value, and is called")
        if isinstance(inner, ast.Constant) and type(inner.value) not in (int, float):
            raise _refused(inner, f"{inner.value!r} is no number")
    return ast.unparse(node)


def _refused(node: ast.AST | None, what: str) -> FormulaError:
    line = getattr(node, "lineno", None)
    return FormulaError(what, f"It is on line {line}." if line else "", _RULE)


__all__ = ["Function", "is_python", "read_function"]
