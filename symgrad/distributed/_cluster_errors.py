"""Errors of work on a cluster, and the install line where Dask is missing.

The idea to hold: an error names the chunk and the cause, in words that the client can read: what a worker raised has
lost its frames on the way.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .._errors import MissingDependencyError, SymgradError


class DistributedError(SymgradError, RuntimeError):
    """Work on a cluster cannot be done, or was not finished: there is no result, and no part of one."""


class ChunkError(DistributedError):
    """One chunk of the data could not be worked out; the message names it, and the cause."""


class NoSumError(DistributedError):
    """A function is no sum over rows; where it is seen on the way, of a chunk that the message names."""


def require_dask(what: str) -> None:
    """Raise the install line where Dask is not there, and what to do where a program that ends would load it."""
    if find_spec("dask") is None:
        raise MissingDependencyError(f"{what} needs Dask", "", 'python -m pip install "symgrad[dask]"')
    try:
        import_module("dask.base")
    except RuntimeError as error:
        raise DistributedError(
            f"{what} needs Dask, which cannot be loaded while the program ends", f"{error}.", "import dask before."
        ) from error


def cause_of(error: BaseException) -> str:
    """What an error says, with its class, on one line or few."""
    if isinstance(error, ChunkError):
        return str(error)
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def listed(words: list[Any], most: int = 3) -> str:
    """The first of some words, and how many more there are."""
    rest = len(words) - most
    return ", ".join(map(str, words[:most])) + (f" and {rest} more" if rest > 0 else "")


__all__ = ["ChunkError", "DistributedError", "NoSumError", "cause_of", "listed", "require_dask"]
