"""A page that differentiates what one types: ``symgrad serve``, on this machine alone.

The idea to hold: what is typed is parsed and never evaluated, in a process that may do nothing else and is ended when
it takes too long (`_questions`); the server itself (`_server`) passes texts on, and trusts no address but its own.
"""

from __future__ import annotations

from .._errors import MissingDependencyError

__all__ = ["serve"]


def serve(port: int, debug: bool = False) -> int:
    """Answer on the loopback address until interrupted; returns the exit status.

    ``debug`` shows on standard error what a broken request did in the server's libraries.

    Raises
    ------
    MissingDependencyError : Starlette or uvicorn is not installed
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingDependencyError(
            f"the server needs {error.name}, which is not installed", "", "Run: pip install symgrad[serve]"
        ) from error
    from ._server import listen

    return listen(uvicorn, port, debug)
