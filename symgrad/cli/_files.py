"""Functions and scripts in files of the user's, and what goes wrong in them.

The idea to hold: an error of the user's code is shown as Python shows it, in the user's lines alone; what symgrad lacks
of PyTorch is one message with the line that asks for it.
"""

from __future__ import annotations

import contextlib
import inspect
import runpy
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._absent import missing
from .._errors import SymgradError, compose
from .._symbol import symbol
from ..core import Tensor
from ._answer import Failed, UsageError
from ._typed import shapes_of

_OURS = (str(Path(__file__).parents[1]), "<symgrad", "<frozen ", runpy.__file__)


def is_function(text: str) -> bool:
    """Whether the text means a function in a file, ``model.py:loss``."""
    return text.rpartition(":")[0].endswith(".py")


def function_of_file(options: Any) -> tuple[Any, list[Any]]:
    """Return the function ``model.py:loss`` and its arguments: symbols of the declared shapes, or its own defaults."""
    path, _, name = options.text.rpartition(":")
    if not Path(path).is_file():
        raise FileNotFoundError(2, "there is no such file", path)
    sys.path.insert(0, str(Path(path).resolve().parent))
    with of_a_file(options):
        f = runpy.run_path(path, run_name=Path(path).stem).get(name)
    if not callable(f):
        raise UsageError(f"{path} has no function {name!r}")
    shapes, args = shapes_of(options), []
    for parameter in inspect.signature(f).parameters.values():
        if parameter.name in shapes:
            shape = shapes.pop(parameter.name)
            args.append(symbol(parameter.name, shape) if isinstance(shape, tuple) else shape)
        elif parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            raise UsageError(
                f"the shape of {parameter.name!r} is missing", f"{name} takes {inspect.signature(f)}.",
                f"Write --shape {parameter.name}=n, {parameter.name}=m,n, or {parameter.name}=() for a number.",
            )  # fmt: skip
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            args.append(parameter.default)
    if shapes:
        raise UsageError(f"{name} has no parameter {next(iter(shapes))!r}", f"It takes {inspect.signature(f)}.")
    return f, args


@contextlib.contextmanager
def of_a_file(options: Any) -> Iterator[None]:
    """Say of errors of the user's code inside where they are in it."""
    try:
        yield
    except Exception as error:
        if options.debug:
            raise
        raise Failed(_said(error)) from error


def _said(error: Exception) -> str:
    written = traceback.TracebackException.from_exception(error)
    inner = written.stack[-1].filename.startswith(_OURS[:2]) if written.stack else False
    written.stack = traceback.StackSummary.from_list([f for f in written.stack if not f.filename.startswith(_OURS)])
    if lacking := _lacking(error):
        last = written.stack[-1] if written.stack else None
        at = f"{last.filename}:{last.lineno}: {last.line}\n" if last else ""
        return f"{at}{type(error).__name__}: {lacking}"
    if isinstance(error, SymgradError):
        written.__cause__, written.__suppress_context__ = None, True
        inner = False
    return compose("".join(written.format()).rstrip(), "--debug shows symgrad's own lines, too." * inner)


def _lacking(error: Exception) -> str:
    """The message of an error about what symgrad has not; empty of others."""
    if isinstance(error, (ImportError, AttributeError)) and "which is symgrad here" in str(error):
        return str(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, Tensor) and error.name:
        return compose(str(error), missing("symgrad", error.name).args[0].partition("\n")[2])
    return ""
