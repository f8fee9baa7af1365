"""What a user gives to a command and what it answers: text as it is typed and spelled, files, errors."""

from __future__ import annotations

import codecs
import contextlib
import inspect
import json
import os
import re
import runpy
import signal
import sys
import threading
import traceback
import unicodedata
import weakref
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .. import _limits
from .._errors import FormulaError, MissingDependencyError, SymgradError, TooLargeError, compose, missing
from .._limits import bound
from .._tensor import symbol
from ..core import Tensor
from ..notation import DIALECTS, PROPERTIES, all_declared, read
from ..show.signs import called
from ..syntax import ACCENTS, GREEK, SIGNS

# ------------------------------ Text for terminals that lack its signs: they are spelled in letters, as one says them

# The idea to hold: what a terminal has is written as it is, and what it lacks by the tables of signs and of Greek
# letters that texts are read by. An answer does not fail for a sign.


_WORDS = {
    **GREEK,
    **{accent: f"_{word}" for word, accent in ACCENTS.items()},
    **{other: sign for sign, row in SIGNS.items() if sign.isascii() for other in row.also},
    "·": "*", "∙": "*", "⋅": "*", "×": "*", "⊙": ".*", "⊗": "kron", "∘": "o", "\u2044": "/", "√": "sqrt", "‖": "||",
    "⟨": "<", "⟩": ">", "⌊": "floor[", "⌋": "]", "⌈": "ceil[", "⌉": "]", "¬": "not ",
    "∧": "and", "∨": "or", "⊕": "xor", "∂": "d", "∇": "grad ", "∑": "sum", "∫": "integral ", "∞": "inf", "±": "+-",
    "→": "->", "↦": "->", "…": "...", "–": "-",
    "°": " deg", "□": "[]", "✓": "ok", "✗": "x", "─": "-", "│": "|", "├": "+", "└": "+",
}  # fmt: skip
_MARKS = {"<super>": "^", "<sub>": "_"}
_NAME = "symgrad-spelled"


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """What is written for signs that cannot be: each spelled, and words kept apart from the letters beside them."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    pieces, mark = [error.object[: error.start][-1:]], ""
    for sign in error.object[error.start : error.end]:
        kind, _, codes = unicodedata.decomposition(sign).partition(" ")
        before, mark = mark, _MARKS.get(kind, "")
        plain = "".join([chr(int(code, 16)) for code in codes.split()]) if kind.startswith("<") else ""
        word = _WORDS.get(sign) or (mark if mark != before else "") + "".join([_WORDS.get(c, c) for c in plain])
        if not word or not word.isascii():
            word = sign.encode("ascii", "backslashreplace").decode()
        pieces += [word] if mark and mark == before else [_between(pieces[-1], word), word]
    after = error.object[error.end :][:1]
    return "".join(pieces[1:]) + _between(pieces[-1], after), error.end


def _between(before: str, after: str) -> str:
    """What keeps a word and a letter, or two words, from being read as one."""
    return " " if before[-1:].isalnum() and after[:1].isalnum() and len(before + after) > 2 else ""


codecs.register_error(_NAME, _spelled)


@contextlib.contextmanager
def as_it_can() -> Iterator[None]:
    """Write to the terminal what it can, and spell the rest."""
    streams = [s for s in (sys.stdout, sys.stderr) if hasattr(s, "reconfigure")]
    before = [s.errors for s in streams]
    for stream in streams:
        stream.reconfigure(errors=_NAME)
    try:
        yield
    finally:
        for stream, errors in zip(streams, before, strict=True):
            stream.reconfigure(errors=errors)


def has_signs(text: str) -> bool:
    """Whether standard output has all signs of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


# -------------------------- What a command answers, and how it ends: every error becomes a message and an exit status

# The idea to hold: a command returns an `Answer` or raises; what a user typed wrong (status 2), what failed (1) and
# what takes too long are told apart here and nowhere else.


class Answer(NamedTuple):
    """A command's result: for reading, as data, and whether it is good (0) or not (1)."""

    text: str
    data: dict[str, Any]
    status: int = 0


class UsageError(SymgradError):
    """Options that do not go together."""


class Failed(Exception):
    """Code of the user's raised an error; the message says where."""


class _OverTime(BaseException):  # no `except Exception` on the way may take it for a reason to go another way
    """The command took longer than it may."""


COMMAND_SECONDS = bound(60)
"""Seconds after which a command on a text gives up."""


def with_json(command: Any) -> None:
    """Declare what commands that answer with data take."""
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--seconds", type=float, default=COMMAND_SECONDS, help=f"give up after ({COMMAND_SECONDS})")


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
        text, status = _message_and_status(error, options)
        print(text if isinstance(error, Failed) else f"symgrad {options.command}: {text}", file=sys.stderr)
        return status


def _message_and_status(error: BaseException, options: Any) -> tuple[str, int]:
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


# -------------------------------------------------- What a user gives to a command: formulas as text, shapes of names


def with_text(command: Any, what: str = "a formula") -> None:
    """Declare a formula with its shapes and its dialect."""
    command.add_argument(
        "text", metavar="EXPR",
        help=f"{what}, as X @ w (NumPy), x'*A*x (matrices), sum_k A[i,k]*x[k] (entries) or LaTeX; - reads it",
    )  # fmt: skip
    command.add_argument("--dialect", choices=DIALECTS,
                         help="what * is: entry by entry, or of matrices; or LaTeX without a backslash")  # fmt: skip
    with_shapes(command)
    command.set_defaults(formulas=True)


def with_shapes(command: Any) -> None:
    """Declare ``--shape``."""
    command.add_argument(
        "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="declare a symbol's shape: X=m,n (sizes are names or numbers), t=() for a number, S=n,n pd with what is "
        f"known of it ({', '.join(PROPERTIES)}); once for each",
    )  # fmt: skip


def typed(options: Any) -> str:
    """Return the text, which - reads."""
    if options.text == "-":
        options.text = sys.stdin.buffer.read(4 * _limits.TEXT + 1).decode().strip()
    return str(options.text)


def read_text(options: Any) -> Any:
    """Return what was found out about the text: its ``formula``, and what was ``assumed()``, which is said."""
    text, shapes = typed(options).strip(), shapes_of(options)
    found = read(text, options.dialect, None, shapes)
    apart = _with_letters_apart(text, getattr(options, "wrt", None), found.formula.free_symbols - shapes.keys())
    if apart != text:
        with contextlib.suppress(FormulaError):
            found = read(apart, options.dialect, None, shapes)
            print(f"Read as {apart}, for the letter to differentiate in.", file=sys.stderr)
    if assumed := found.assumed():
        print(f"Read with {', '.join(assumed)}.", file=sys.stderr)
    return found


TOGETHER = bound(4)
"""Letters of a word that may be a product."""


def _with_letters_apart(text: str, wrt: str | None, names: Collection[str]) -> str:
    """A text in which words that nobody declared are products where a letter of them is to be differentiated in, and
    stands nowhere else: the T of ``nRT``."""
    words = [n for n in names if wrt and len(wrt) == 1 and n.isalpha() and 1 < len(n) <= TOGETHER and wrt in n]
    if wrt in names or not words:
        return text
    pattern = re.compile(rf"(?<![\w\\])({'|'.join(map(re.escape, words))})(?![\w(])")

    def product(word: re.Match[str]) -> str:
        raised = text[word.end() : word.end() + 1] in tuple("^²³⁴⁻'ᵀ")
        return " ".join(word[1]) if raised else f"({' '.join(word[1])})"

    return pattern.sub(product, text)


def shapes_of(options: Any) -> dict[str, Any]:
    """Return the shapes (or symbols with properties) that were declared, by name."""
    try:
        return all_declared("\n".join(options.shape))
    except ValueError as error:
        raise UsageError(f"--shape takes NAME=SIZES: {error}", "", "Write --shape X=m,n.") from error


def variable_of(formula: Any, wrt: str | None) -> str:
    """Return the name to differentiate in; the only one needs not be said."""
    names = sorted(formula.free_symbols)
    if wrt and wrt.strip():
        return called(wrt.strip(), names)
    if len(names) != 1:
        what = f"--wrt is missing: which of {', '.join(names)}?" if names else "there is no variable in the formula"
        raise UsageError(what)
    return names[0]


def variables_asked(formula: Any, wrt: str | None) -> str | list[str]:
    """Return the name to differentiate in, or the names of several numbers: ``--wrt x,y``."""
    if wrt is None or "," not in wrt:
        return variable_of(formula, wrt)
    return [variable_of(formula, name) for name in wrt.split(",")]


# ------------------------------------------ Functions and scripts in files of the user's, and what goes wrong in them

# The idea to hold: an error of the user's code is shown as Python shows it, in the user's lines alone; what symgrad
# lacks of PyTorch is one message with the line that asks for it.


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
        raise Failed(_reason(error)) from error


def _reason(error: Exception) -> str:
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
