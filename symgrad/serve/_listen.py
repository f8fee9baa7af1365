"""The server on the loopback address."""

from __future__ import annotations

import socket
import sys
from typing import Any

from .. import _limits
from ._application import application
from ._half_open import Prompt

ADDRESS = "127.0.0.1"


def listen(uvicorn: Any, port: int, debug: bool = False) -> int:
    """Answer until interrupted; returns 2, with the reason on standard error, where the port is taken."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((ADDRESS, port))
            listening.listen()
        except (OSError, OverflowError) as error:
            print(
                f"port {port} cannot be listened on: {error}\nChoose another: symgrad serve --port 0", file=sys.stderr
            )
            return 2
        print(f"http://{ADDRESS}:{listening.getsockname()[1]}/  (Ctrl+C ends it)", flush=True)
        config = uvicorn.Config(
            application(), log_level="error" if debug else "critical", access_log=False, server_header=False,
            ws="none", http=Prompt, limit_concurrency=_limits.SERVE_AT_ONCE, timeout_keep_alive=5,
            h11_max_incomplete_event_size=1 << 16,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listening])
    return 0


__all__ = ["listen"]
