"""What takes long says so: a line on stderr after two seconds, which is gone when the work is done.

The idea to hold: work is a `Task` in a list, and a thread that only runs while there are tasks draws those that last.
The work itself never draws: it counts, and on errors its line is taken away as well. Where nobody looks (a pipe,
pytest, the processes of a cluster) there is neither a thread nor a line. Work that makes what stays, a graph or a
program, may ask Python's collector to look for garbage less often.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

from ._limits import bound

AFTER, EACH = 2.0, 0.25
"""Seconds of work until a line is drawn, and between two looks at it."""

wanted: ContextVar[bool | None] = ContextVar("wanted", default=None)
"""What progress= says of the work that goes on, inner work included: None where nobody has said."""

RARELY = bound(50_000)
"""New objects between two looks of the collector while a program is made (Python's own figure: 700 to 2,000)."""

_T = TypeVar("_T")
_lock = threading.RLock()
_tasks: list[Task] = []
_watcher: threading.Thread | None = None
_drawn = 0  # signs of the line that stands there, where there is no tqdm
_makers, _before = 0, (0, 0, 0)  # how many make a program now, and how often the collector looked before


class Task:
    """Work that may take long: ``with Task("sg.minimize", progress, unit="evaluations") as task``.

    Attributes
    ----------
    count : steps that are done, which the work may raise
    """

    __slots__ = ("after", "bar", "count", "owner", "progress", "since", "title", "token", "total", "unit", "watched")

    def __init__(self, title: str, progress: Any = None, total: int | None = None, unit: str = "steps") -> None:
        self.title, self.progress, self.total, self.unit = title, progress, total, unit
        self.count, self.since, self.after = 0, 0.0, AFTER
        self.bar: Any = None
        self.token: Any = None
        self.owner, self.watched = 0, False

    def __enter__(self) -> Task:
        if self.progress is not None:
            self.token = wanted.set(self.progress is True)
        said = wanted.get()
        self.watched = somebody_looks() if said is None else said
        if self.watched:
            self.owner, self.since, self.after = threading.get_ident(), time.monotonic(), 0.0 if said else AFTER
            _watch(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self.token is not None:
            wanted.reset(self.token)
        if self.watched:
            with _lock:
                if self in _tasks:
                    _tasks.remove(self)
                    with suppress(Exception):  # a terminal that is gone is no reason to fail
                        _withdraw(self)

    def each(self, steps: Iterable[_T]) -> Iterator[_T]:
        """The steps, counted."""
        for step in steps:
            yield step
            self.count += 1

    def counting(self, f: Callable[..., _T]) -> Callable[..., _T]:
        """The function, whose calls are counted; itself where nobody looks."""
        if not self.watched:
            return f

        def counted(*args: Any, **kwargs: Any) -> _T:
            self.count += 1
            return f(*args, **kwargs)

        return counted

    def done(self, *_: object) -> None:
        """One more step is done."""
        self.count += 1

    def text(self) -> str:
        """The line without tqdm."""
        seconds = int(time.monotonic() - self.since)
        of = f" of {self.total:,}" if self.total else ""
        steps = f"{self.count:,}{of} {self.unit}, " if self.count else ""
        return f"{self.title}: {steps}{seconds} s"


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector look for cycles seldom while a graph or a program is made, of which nothing is garbage.

    Its looks walk all that was made: a quarter of the time that the program of a long loop takes. The setting is the
    process's, so the first who begins changes it and the last who ends puts it back, unless others have set it since.
    """
    global _makers, _before
    with _lock:
        _makers += 1
        if _makers == 1:
            _before = gc.get_threshold()
            if 0 < _before[0] < RARELY:
                gc.set_threshold(RARELY, *_before[1:])
    try:
        yield
    finally:
        with _lock:
            _makers -= 1
            if _makers == 0 and gc.get_threshold()[0] == RARELY:
                gc.set_threshold(*_before)


def somebody_looks() -> bool:
    """Whether stderr is a terminal, or a notebook's, that a person sees."""
    try:
        seen = sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False
    if not seen or "PYTEST_CURRENT_TEST" in os.environ or os.environ.get("SYMGRAD_PROGRESS") == "0":
        return False
    processes = sys.modules.get("multiprocessing")  # the module is there in each process that it has started
    return processes is None or processes.parent_process() is None


def _watch(task: Task) -> None:
    global _watcher
    with _lock:
        _tasks.append(task)
        if _watcher is None:
            _watcher = threading.Thread(target=_look, name="symgrad-progress", daemon=True)
            try:
                _watcher.start()
            except RuntimeError:  # there are no threads, or no more: the work goes on in silence
                _watcher = None


def _look() -> None:
    """Draw what lasts, until there is nothing to do."""
    global _watcher
    while True:
        time.sleep(EACH)
        with _lock:
            if not _tasks:
                _watcher = None
                return
            try:
                _draw()
            except Exception:  # nobody can be told
                _tasks.clear()


def _draw() -> None:
    due = [t for t in _tasks if time.monotonic() - t.since >= t.after]
    if not due:
        return
    mine = [t for t in due if t.owner == due[0].owner]  # of several threads the first has the line
    bar = _tqdm()
    if bar is None:
        _write(" · ".join([t.text() for t in mine]))
        return
    for t in mine:
        if t.bar is None:
            counted = bool(t.total) or t.count > 0
            form = None if t.total else "{desc}: {n_fmt}{unit} [{elapsed}]" if counted else "{desc} [{elapsed}]"
            t.bar = bar(total=t.total, desc=t.title, unit=f" {t.unit}", leave=False, file=sys.stderr, bar_format=form)
            t.bar.start_t -= time.monotonic() - t.since
        t.bar.n = t.count
        t.bar.refresh()


def _withdraw(task: Task) -> None:
    if task.bar is not None:
        task.bar.close()
    elif _drawn:
        _write("")


def _write(line: str) -> None:
    """Put a line in place of the one that stands there; an empty one leaves nothing."""
    global _drawn
    import shutil

    line = line[: max(shutil.get_terminal_size().columns - 1, 20)]
    sys.stderr.write(f"\r{line.ljust(_drawn)}" + ("" if line else "\r"))
    sys.stderr.flush()
    _drawn = len(line)


def _tqdm() -> Any:
    """The class of tqdm's bars on text; None where it is not installed."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return None
    return tqdm


def _forget() -> None:
    """In a process that was forked there is no such thread, and what it had is not ours."""
    global _lock, _watcher, _drawn
    _lock, _watcher, _drawn = threading.RLock(), None, 0
    _tasks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
