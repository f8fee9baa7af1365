"""Memory that is used again while a task runs, where Dask tells processes to give all of it back at once.

The idea to hold: workers run with ``MALLOC_TRIM_THRESHOLD_``, so that what is freed goes to the system and comes back
page by page, for each temporary of each block. While a task runs it is kept; afterwards it goes back, as Dask wants it.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from .. import _limits

_TRIM, _MAP = -1, -3
"""Numbers of ``mallopt``'s settings in glibc."""

_MAPPED = 1 << 17
"""Above so many bytes glibc asks the system for memory by default."""

_ALONE = threading.Lock()
_running = 0


@cache
def _libc() -> Any:
    """The C library, where it is glibc and was told to trim; else nothing."""
    if not os.environ.get("MALLOC_TRIM_THRESHOLD_", "").isdigit():
        return None
    try:
        library = ctypes.CDLL(None)
        return library if library.gnu_get_libc_version and library.mallopt else None
    except (OSError, AttributeError, TypeError):
        return None


def _set(trim: int, mapped: int) -> None:
    _libc().mallopt(_TRIM, trim)
    _libc().mallopt(_MAP, mapped)


@contextmanager
def kept_memory() -> Iterator[None]:
    """Keep freed memory until this ends, and what else runs in this process at the same time."""
    global _running
    if _libc() is None:
        yield
        return
    with _ALONE:
        _running += 1
        if _running == 1:
            _set(2 * _limits.DISTRIBUTED_HEAP, _limits.DISTRIBUTED_HEAP)
    try:
        yield
    finally:
        with _ALONE:
            _running -= 1
            if not _running:
                _set(int(os.environ["MALLOC_TRIM_THRESHOLD_"]), _MAPPED)
                _libc().malloc_trim(0)


__all__ = ["kept_memory"]
