"""``completion`` and the shell that asks: completed are commands, options, names in formulas, functions in files.

The idea to hold: the parser of arguments knows commands, options and choices, and argcomplete asks it. What stands in
an argument is looked up here: functions of formulas, the names a typed formula has, functions and parameters of a file
(which is read, never run). It is imported when a shell asks, so that no command starts later for it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from .._errors import MissingDependencyError
from .._trees import parsed
from ..notation import functions
from ._answer import is_function
from ._operations_table import operations


def script(shell: str) -> str:
    """Return what a shell runs so that it completes the command."""
    text: str = _argcomplete().shellcode(["symgrad"], shell=shell)
    return text.rstrip()


def _argcomplete() -> Any:
    try:
        import argcomplete
    except ImportError:
        raise MissingDependencyError(
            "completing names in a shell needs argcomplete", "", "python -m pip install argcomplete"
        ) from None
    return argcomplete


def complete(parser: Any, commands: Any, **options: Any) -> None:
    """Answer the shell, and end the process; ``options`` are argcomplete's."""
    files = _argcomplete().completers.FilesCompleter
    by_name = {
        "name": lambda prefix, **_: [name for name in operations() if name[-1] != "_"],
        "wrt": lambda prefix, parsed_args, **_: _names(parsed_args),
        "shape": lambda prefix, parsed_args, **_: [f"{name}=" for name in _names(parsed_args)],
        "output": files(), "script": files(("py",)), "arguments": files(),
        **dict.fromkeys(("text", "grad", "hess", "jac", "equals"), _formula(files(("py",)))),
    }  # fmt: skip
    for command in commands.choices.values():
        for action in command._actions:
            if action.dest in by_name and not action.choices:
                action.completer = by_name[action.dest]
    _argcomplete().autocomplete(parser, **options)


def _formula(files: Callable[..., Any]) -> Callable[..., Any]:
    """What completes a formula: its last name, as a function, or one that it has; where a file may stand, files too."""

    def completed(prefix: str, parsed_args: Any, action: Any, **asked: Any) -> Iterator[str]:
        if is_function(prefix):
            path, _, begun = prefix.rpartition(":")
            yield from (f"{path}:{known}" for known in _definitions(path) if known.startswith(begun))
            return
        if action.dest == "text" and getattr(parsed_args, "command", None) in ("graph", "report"):
            yield from (f"{path}:" if path.endswith(".py") else path for path in files(prefix))
        head, name = re.fullmatch(r"(.*?)([^\W\d]?\w*)", prefix, re.DOTALL).groups()  # type: ignore[union-attr]
        if name:
            dialect = "matrix" if getattr(parsed_args, "dialect", None) == "matrix" else "numpy"
            yield from (f"{head}{known}(" for known in functions(dialect) if known.startswith(name))
            others = names_of(head) + (_names(parsed_args) if action.dest != "text" else [])
            yield from (f"{head}{known}" for known in dict.fromkeys(others) if known.startswith(name))

    return completed


def _names(parsed_args: Any) -> list[str]:
    """The names in the formula that is typed already."""
    return names_of(getattr(parsed_args, "text", None))


def names_of(text: str | None) -> list[str]:
    """The names in a formula that are no functions, in order; of ``model.py:loss`` the function's parameters.

    >>> names_of("sum(log(1 + exp(-y*(X@w)))) + 2e3*y")
    ['y', 'X', 'w']
    """
    if text is None:
        return []
    if is_function(text):
        path, _, name = text.rpartition(":")
        return _definitions(path).get(name, [])
    return list(dict.fromkeys(re.findall(r"(?<![\w.\\])[^\W\d]\w*(?![\w(])", text)))


def _definitions(path: str) -> dict[str, list[str]]:
    """The functions of a file and their parameters; none of a file that cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            body = parsed(file.read()).body
    except (OSError, SyntaxError, ValueError):
        return {}
    return {
        node.name: [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        for node in body
        if isinstance(node, ast.FunctionDef)
    }
