"""The command ``symgrad``.

_answer            what a user gives and what it answers: text as it is typed and spelled, files, errors
_bench             how long a gradient, a Hessian and a formula take on this machine, beside other libraries
_completion        what a shell completes: commands, options, names in formulas, functions in files
_formulas          ``diff``, ``explain``, ``verify`` of what was typed; pages: ``graph``, ``report``, ``serve``
_operations_table  ``ops``: the table of operations, each with its derivative
_scripts           ``run``, a script for PyTorch; ``completion``, one for a shell; ``demo``, one model as an example
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from ..ops import set_public_names as _settle
from . import _bench, _formulas, _operations_table, _scripts
from ._answer import answered as _answered
from ._answer import as_it_can as _as_it_can

__all__ = ["main"]

_TO_TRY = """\
symgrad: autograd that shows its work. Try

  symgrad diff "norm(A@x - b)**2" --wrt x
  symgrad explain "sum(log(1 + exp(-y*(X@w))))" --wrt w
  symgrad verify "sum((X@w - y)**2)" --grad "2X'(Xw - y)" --wrt w --shape X=m,n
  symgrad ops tanh

a derivative, the steps to one, a proof of one, and what is known of an operation.
usage: symgrad COMMAND ...; symgrad --help lists all commands, symgrad COMMAND --help the options of one
"""
_EXAMPLES = """\
examples:
  symgrad diff "sum(log(1 + exp(-y*(X@w))))" --wrt w --order 2 --format latex
  symgrad diff "norm(A*x - b)^2" --dialect matrix --wrt x --format numpy
  symgrad diff '\\lVert Ax-b \\rVert^2' --wrt x --shape A=m,n
  symgrad explain "sum((A@x - b)**2)" --wrt x --shape A=m,n
  symgrad verify "sum((X@w - y)**2)" --grad "X'(Xw - y)" --wrt w --shape X=m,n
  symgrad graph model.py:loss --shape w=n -o loss.svg
  symgrad report model.py:loss --shape w=n -o loss.html
  symgrad report "norm(A@x - b)" --wrt x
  symgrad serve --port 0
  symgrad ops tanh
  symgrad run tutorial.py --epochs 3
  symgrad completion bash

exit status: 0 done, 1 false or failed, 2 what was typed cannot be understood
"""


_OPTION = re.compile(r"--?|-\w|--[A-Za-z][\w-]*(=.*)?", re.DOTALL)
"""What may be an option, misspelt perhaps; of one letter or a word."""


class _Once(argparse._StoreAction):
    """An option that is given once: a second value of it would be the only one, without a word."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        given = namespace.__dict__.setdefault("given", {})
        if option_string is not None and self.dest in given:
            step = f"write --wrt {given[self.dest]},{values}" if self.dest == "wrt" else "give it once"
            parser.error(f"{option_string} stands twice, with {given[self.dest]!r} and {values!r}; {step}")
        given[self.dest] = values
        super().__call__(parser, namespace, values, option_string)


class _Command(argparse.ArgumentParser):
    """The parser of a command."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "_ARGCOMPLETE" not in os.environ:  # which calls actions of argparse's own only
            self.register("action", None, _Once)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 done, 1 false or failed, 2 not understood.

    Parameters
    ----------
    argv : the arguments after the program's name (default: the process's own)

    Examples
    --------
    >>> from symgrad.cli import main
    >>> main(["demo"])  # doctest: +ELLIPSIS
    Logistic regression of O-ring damage on temperature, 23 flights
    ...
    0
    >>> main(["diff", "sum(exp(A@x))", "--wrt", "x"])
    Aᵀ exp(Ax)
    0
    >>> main(["verify", "sum(x**2)", "--grad", "3x"])  # doctest: +ELLIPSIS
    REFUTED: the claim is not the gradient of f in x
    ...
    1
    """
    with _as_it_can():
        options = _parsed(argv)
        if options.command != "run":  # a script writes as Python does
            return _answered(options)
    return _answered(options)


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """What was typed, read."""
    parser = argparse.ArgumentParser(
        prog="symgrad", description="Autograd that shows its work.", epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    version = sys.modules["symgrad"].__version__
    parser.add_argument("--version", action="version", version=f"symgrad {version}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show where in symgrad an error comes from")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Command)
    for module in (_formulas, _operations_table, _scripts, _bench):
        module.declare(commands, common)
    _with_examples(commands)
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        from ._completion import complete

        complete(parser, commands)
    options, more = parser.parse_known_args(_formulas_kept(commands, sys.argv[1:] if argv is None else [*argv]))
    if options.command is None and not more:  # who types the name alone asks what there is
        sys.stderr.write(_TO_TRY)
        raise SystemExit(2)
    if more:
        asked = commands.choices.get(options.command, parser)
        hint = "write --equals before the second formula" if options.command == "verify" else ""
        if hasattr(options, "wrt") and not hint and more[0] in re.findall(r"\w+", options.text):
            hint = f"write --wrt {more[0]} to differentiate in it"
        asked.error(_of_too_much(more[0], asked, _hint_of_shapes(getattr(options, "shape", [])) or hint))
    return options


def _hint_of_shapes(shapes: list[str]) -> str:
    """What to say of ``--shape x n`` and ``--shape X=m n``."""
    if not shapes:
        return ""
    name, equals, _ = shapes[-1].partition("=")
    return f"sizes stand behind commas, --shape {name}=m,n" if equals else f"a shape is written --shape {name}=n"


def _of_too_much(word: str, command: argparse.ArgumentParser, hint: str) -> str:
    """What to say of a word that a command does not take; ``hint`` is the next step."""
    if word.startswith("-"):
        options = [name for action in command._actions for name in action.option_strings if name.startswith("--")]
        return f"there is no option {word.partition('=')[0]}; there are {', '.join(sorted(options))}"
    return f"{word!r} is one too many" + f"; {hint}" * bool(hint)


def _with_examples(commands: Any) -> None:
    """Give the help of each command what it is for, and the examples that are of it."""
    for about in commands._choices_actions:
        command = commands.choices[about.dest]
        lines = [line for line in _EXAMPLES.splitlines() if line.startswith(f"  symgrad {about.dest} ")]
        command.description = f"{about.help[0].upper()}{about.help[1:].partition(': symgrad')[0]}."
        command.epilog = "\n".join(["examples:", *lines]) if lines else None
        command.formatter_class = argparse.RawDescriptionHelpFormatter


def _formulas_kept(commands: Any, words: list[str]) -> list[str]:
    """The arguments; a formula that begins with a minus has a space before it, which says that it is no option."""
    command = commands.choices.get(words[0]) if words else None
    if command is None or not command.get_default("formulas"):
        return words
    known = [n for action in command._actions for n in action.option_strings if action.nargs != 0 or n[:2] == "--"]
    return [words[0], *[f" {w}" if _is_formula(w, known) else w for w in words[1:]]]


def _is_formula(word: str, known: list[str]) -> bool:
    """Whether a word that begins with a minus is no option: ``-x**2`` is none where there is no -x."""
    if word[:1] != "-" or _OPTION.fullmatch(word):
        return False
    name = word.partition("=")[0]
    return not any(k.startswith(name) if name[:2] == "--" else k == name[:2] for k in known)


_settle(__name__, globals(), __all__)
