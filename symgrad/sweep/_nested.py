"""Backwards inside backwards, to any depth.

The idea to hold: each level takes some of Python's stack, of which every thread has its own. So after a number of
levels the next one runs in a new thread, which its caller waits for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from threading import Thread
from typing import Any

from .._limits import NESTED

_depth: ContextVar[int] = ContextVar("symgrad_depth_of_rules", default=0)


def nested(fn: Callable[..., Any], *args: Any) -> Any:
    """What a rule or hook of the user's returns, which may run backwards of its own."""
    depth = _depth.get()
    token = _depth.set(depth + 1)
    try:
        return fn(*args) if (depth + 1) % NESTED else _in_a_thread(fn, args)
    finally:
        _depth.reset(token)


def _in_a_thread(fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The same, with a stack of its own and the modes of here."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def run(caller: Any) -> None:
        try:
            results.append(fn(*args))
        except BaseException as error:
            errors.append(error)

    place = (run, sys._getframe())
    thread = Thread(target=copy_context().run, args=place, name="symgrad backward", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # Python is ending, or the system allows no more
        return fn(*args)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def below(frame: Any) -> Any:
    """The frame that called this one, in another thread if need be; None at the bottom of the stack."""
    if frame.f_code.co_qualname == _RUN:
        return frame.f_locals["caller"]
    return frame.f_back


_RUN = "_in_a_thread.<locals>.run"

__all__ = ["below", "nested"]
