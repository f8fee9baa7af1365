"""The processes that answer, seen from the server: asked one question at a time, and ended when they are late."""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
import time
from typing import Any

from .. import _limits
from ._question import Question
from ._worker import LENGTH

SECONDS = 1.5
"""Of a processor's time, for one question."""
_WAITED = 0.5
"""On the clock, until a process is ready that can be asked."""
_START = 60.0
_START_LINE = "from symgrad.serve._worker import main; main()"


class Late(Exception):
    """A question took too long, or its process died."""


class Busy(Exception):
    """No process is there to answer."""


class _Process:
    def __init__(self) -> None:
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        here = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PATH": os.environ.get("PATH", "")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START_LINE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**here, **one}, cwd="/", bufsize=0, start_new_session=True,
        )  # fmt: skip

    def wait(self) -> None:
        """Wait until it has loaded what it needs."""
        self._receive(_START)

    def ask(self, question: Question, seconds: float) -> dict[str, Any]:
        data = json.dumps({**question._asdict(), "seconds": seconds}).encode()
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(LENGTH.pack(len(data)) + data)
        except OSError as error:
            raise Late from error
        return self._receive(_limits.SERVE_CLOCK)

    def _receive(self, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        (length,) = LENGTH.unpack(self._bytes(LENGTH.size, end))
        answer: dict[str, Any] = json.loads(self._bytes(length, end))
        return answer

    def _bytes(self, count: int, end: float) -> bytes:
        assert self.process.stdout is not None
        file, parts = self.process.stdout.fileno(), bytearray()
        while len(parts) < count:
            ready, _, _ = select.select([file], [], [], max(0.0, end - time.monotonic()))
            part = os.read(file, count - len(parts)) if ready else b""
            if not part:
                raise Late
            parts += part
        return bytes(parts)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


class Processes:
    """Some processes, of which those that are ready wait in a queue; for one that was late another is started.

    Parameters
    ----------
    count : how many
    seconds : of a processor's time, for a question
    """

    def __init__(self, count: int = _limits.SERVE_PROCESSES, seconds: float = SECONDS) -> None:
        self.seconds, self.ended = seconds, 0
        self._all: set[_Process] = set()
        self._idle: queue.Queue[_Process] = queue.Queue()
        self._lock, self._closed, self._begun = threading.Lock(), False, False
        for _ in range(count):
            self._start()

    def _start(self) -> None:
        with self._lock:
            if self._closed:
                return
            process = _Process()
            self._all.add(process)
        threading.Thread(target=self._make_ready, args=(process,), daemon=True).start()

    def _make_ready(self, process: _Process) -> None:
        try:
            process.wait()
        except (Late, ValueError, OSError):
            return
        self._begun = True
        self._idle.put(process)

    def ask(self, question: Question) -> dict[str, Any]:
        """The answer.

        Raises
        ------
        Late : it took too long
        Busy : no process has become ready for a while
        """
        try:
            process = self._idle.get(timeout=_WAITED if self._begun else _START)
        except queue.Empty:
            raise Busy from None
        try:
            found = process.ask(question, self.seconds)
        except (Late, ValueError) as error:
            with self._lock:
                process.end()
                self._all.discard(process)
                self.ended += 1
            self._start()
            raise Late from error
        self._idle.put(process)
        return found

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for process in self._all:
                process.end()


__all__ = ["SECONDS", "Busy", "Late", "Processes"]
