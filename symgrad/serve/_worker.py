"""The process that answers: it reads questions from a pipe, and may do nothing else.

The idea to hold: two walls. Texts are parsed and never evaluated; and if that failed, this process could still open no
file, no connection and no other process (an audit hook, limits of the system), and is ended when it takes too long: by
a processor's time, for what else the machine does is no reason to have no answer.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from typing import Any, BinaryIO

from .. import _limits

LENGTH = struct.Struct("!I")
_WARM = ("sum(log(1 + exp(-y*(X@w))))", "logdet(X)", "norm(A@x - b)", "sum(where(abs(r) <= c, r, c))", "softmax(x)")
_READABLE = (".py", ".pyc", ".so", ".css", ".js", ".txt")
_FORBIDDEN = (
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "os.startfile", "os.remove",
    "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.kill",
    "os.putenv", "shutil.", "socket.", "ftplib.", "urllib.", "http.client.", "smtplib.", "webbrowser.", "ctypes.",
    "pty.", "tempfile.", "sqlite3.", "pathlib.",
)  # fmt: skip


def main() -> None:
    """Answer questions until the pipe ends."""
    questions = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    from ._question import VIEWS, Question
    from ._sections import answer

    for text in _WARM:
        for view in VIEWS.keys() - {"sympy"}:
            answer(Question(f=text, view=view))
    answer(Question(f="sin(t)", shapes="t=()", view="sympy"))
    _lock()
    _send(answers, {"ready": True})
    while (asked := _receive(questions)) is not None:
        _end_in(asked.pop("seconds"))
        try:
            found = answer(Question(**asked))
        except MemoryError:
            found = {"sections": [], "script": "", "ok": False, "problem": "the answer needs too much memory"}
        except Exception as error:  # an error of symgrad's own must not end the process
            found = {"sections": [], "script": "", "ok": False, "problem": f"no answer: {type(error).__name__}"}
        _end_in(0)
        _send(answers, found)


def _end_in(seconds: float) -> None:
    """Let the system end this process when it has worked for so long; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _lock() -> None:
    """Give up what answering does not need."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_limits.SERVE_MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # a system without them has the hook, and the time
        pass
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, mode, flags = (*arguments, None, None, None)[:3]
        writes = bool(set(mode or "r") & set("wax+")) or bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        if writes or not str(path).endswith(_READABLE):
            raise PermissionError("a process that answers opens no file")
    elif event.startswith(_FORBIDDEN):
        raise PermissionError(f"a process that answers does not do this: {event}")


def _send(stream: Any, message: dict[str, Any]) -> None:
    data = json.dumps(message).encode()
    if len(data) > _limits.SERVE_ANSWER:
        data = json.dumps({"sections": [], "script": "", "ok": False, "problem": "the answer is too long"}).encode()
    view = memoryview(LENGTH.pack(len(data)) + data)
    while view:
        view = view[stream.write(view) :]


def _receive(stream: BinaryIO) -> dict[str, Any] | None:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    message: dict[str, Any] = json.loads(stream.read(LENGTH.unpack(head)[0]))
    return message


__all__ = ["LENGTH", "main"]
