"""What a command answers, and how it ends: every error becomes a message and an exit status.

The idea to hold: a command returns an `Answer` or raises; what a user typed wrong (status 2), what failed (1) and what
takes too long are told apart here and nowhere else.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import _limits
from .._errors import MissingDependencyError, SymgradError, TooLargeError, compose
from ._spelled import has_signs


class Answer(NamedTuple):
    """A command's result: for reading, as data, and whether it is good (0) or not (1)."""

    text: str
    data: dict[str, Any]
    status: int = 0


class UsageError(ValueError):
    """Options that do not go together."""

    def __init__(self, what: str, evidence: str = "", next_step: str = "") -> None:
        super().__init__(compose(what, evidence, next_step))


class Failed(Exception):
    """Code of the user's raised an error; the message says where."""


class _OverTime(BaseException):  # no `except Exception` on the way may take it for a reason to go another way
    """The command took longer than it may."""


def with_json(command: Any) -> None:
    """Declare what commands that answer with data take."""
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument(
        "--seconds", type=float, default=_limits.COMMAND_SECONDS, help=f"give up after ({_limits.COMMAND_SECONDS})"
    )


def answered(options: Any) -> int:
    """Run the command that was chosen, print what it answers, and return the exit status."""
    try:
        with _within(getattr(options, "seconds", None)):
            answer = options.run(options)
        if isinstance(answer, int):
            return answer
        as_json = getattr(options, "json", False)
        text = json.dumps(answer.data, ensure_ascii=False, indent=2) if as_json else answer.text
        if as_json and not has_signs(text):
            text = json.dumps(answer.data, indent=2)
        print(text, flush=True)
        return int(answer.status)
    except BrokenPipeError:  # whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except (Exception, _OverTime) as error:
        if options.debug:
            raise
        text, status = _said(error, options)
        print(text if isinstance(error, Failed) else f"symgrad {options.command}: {text}", file=sys.stderr)
        return status


def _said(error: BaseException, options: Any) -> tuple[str, int]:
    """The message of an error, and the exit status."""
    if isinstance(error, _OverTime):
        step = "Declare shapes, name parts of it (… where r = …), or allow more: --seconds 600."
        return compose(f"not done after {options.seconds:g} seconds", "", step), 1
    if isinstance(error, UnicodeDecodeError):
        return compose(f"the text is not {error.encoding}", f"Byte {error.start} is {error.object[error.start]}."), 2
    if isinstance(error, (Failed, MissingDependencyError, TooLargeError)):
        return str(error), 1
    if isinstance(error, OSError):
        return (f"{error.filename}: " if error.filename else "") + (error.strerror or str(error)), 1
    if isinstance(error, (SymgradError, ValueError)):
        return str(error), 2
    if isinstance(error, (RecursionError, MemoryError)):
        return compose("the formula is too large", "", "Name parts of it: … where r = …"), 1
    return compose(
        f"it failed with {type(error).__name__}: {error}", "This is symgrad's mistake.", "--debug shows where."
    ), 1


_AGAIN = 0.2
"""Seconds after which an alarm comes again: a library may have caught the first one."""


@contextlib.contextmanager
def _within(seconds: float | None) -> Iterator[None]:
    """Stop what is done inside after some time, where the system has alarms."""
    if not seconds or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: Any) -> None:
        if frame is None or frame.f_code.co_filename != weakref.__file__:  # what is raised there is printed, and lost
            raise _OverTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
