"""``symgrad run``, a script for PyTorch as it stands; ``demo``; and ``completion``, a script for a shell."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

from ..interop import install
from ._answer import Answer, of_a_file, with_json


def declare(commands: Any, common: Any) -> None:
    """Declare the commands."""
    demo = commands.add_parser(
        "demo", parents=[common], help="fit a logistic regression, with its Hessian, standard errors and formulas"
    )
    with_json(demo)
    demo.set_defaults(run=_demo)
    run = commands.add_parser("run", parents=[common], help="run a script for PyTorch, with symgrad under its name")
    run.add_argument("script")
    run.add_argument("arguments", nargs="...", help="for the script")
    run.set_defaults(run=_run)
    completion = commands.add_parser(
        "completion", parents=[common], help='make a shell complete names: eval "$(symgrad completion bash)"'
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    completion.set_defaults(run=_completion)


def _demo(options: Any) -> Answer | int:
    from ._demo import run

    data, wrong = run(say=(lambda text: None) if options.json else print)
    return Answer("", data, int(wrong)) if options.json else int(wrong)


def _completion(options: Any) -> int:
    from ._completion import script

    print(script(options.shell))
    return 0


def _run(options: Any) -> int:
    """Run the script as Python would."""
    path = Path(options.script)
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file", options.script)
    argv, first = sys.argv, sys.path[0]
    with install("torch"), of_a_file(options):
        sys.argv, sys.path[0] = [options.script, *options.arguments], str(path.resolve().parent)
        try:
            runpy.run_path(options.script, run_name="__main__")
        finally:
            sys.argv, sys.path[0] = argv, first
    return 0
