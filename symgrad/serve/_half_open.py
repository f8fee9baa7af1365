"""Connections that are to ask something.

The idea to hold: who opens a connection asks within some seconds, by a whole request, and asks again within as many
after an answer. Of those that have not yet asked there are few: for a new one the oldest goes, so that none who open
many keep others out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from .. import _limits


class Prompt(H11Protocol):
    """A connection that is ended where it does not ask.

    Attributes
    ----------
    deadline : when it ends, while it has not asked
    """

    deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for a first request."""
        super().connection_made(transport)
        self._wait()

    def handle_events(self) -> None:
        """Read what has come, which may be the end of a request."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_no_more()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and self.cycle.response_complete:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._wait_no_more()
        self.deadline = self.loop.call_later(_limits.SERVE_HEADER, self.transport.abort)
        waiting = [(c.deadline.when(), c) for c in self.connections if isinstance(c, Prompt) and c.deadline is not None]
        if len(waiting) > _limits.SERVE_WAITING:
            _, oldest = min(waiting, key=lambda pair: pair[0])
            oldest._wait_no_more()
            oldest.transport.abort()

    def _wait_no_more(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


__all__ = ["Prompt"]
