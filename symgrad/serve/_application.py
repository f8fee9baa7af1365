"""The server: which requests are answered, and what a browser may do with the answer.

The idea to hold: every page is made of a question in its address, and a request changes nothing. A page of another
site may not ask (its host is not ours: that also ends attacks by names that lead here), frame, or read an answer.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from ._form import problem_page, whole_page
from ._processes import Busy, Late, Processes
from ._question import Question, Refused, read_query

HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


def application(processes: Processes | None = None) -> Starlette:
    """The application; ``processes`` answer, and are ended with it."""
    pool = processes

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        nonlocal pool
        pool = pool or Processes()
        try:
            yield
        finally:
            pool.close()

    async def answer(request: Request) -> HTMLResponse:
        nonce, question = secrets.token_urlsafe(16), Question()
        assert pool is not None
        try:
            _require_our_host(request)
            question = read_query(request.scope["query_string"].decode("ascii", "replace"))
            found = await run_in_threadpool(pool.ask, question) if question.f else None
            status = 200 if found is None or found["ok"] else 422
            html = whole_page(question, found, f"http://{request.headers['host']}", nonce)
        except Refused as error:
            status, html = error.status, problem_page(str(error), nonce)
        except Late:
            what = f"no answer within {pool.seconds:g} s of work: ask for less, or call symgrad in Python"
            status, html = 503, whole_page(question, {"problem": what}, "", nonce)
        except Busy:
            what = "too many questions at once: ask again in a while"
            status, html = 503, whole_page(question, {"problem": what}, "", nonce)
        return _response(html, status, nonce)

    async def refused(request: Request, error: Exception) -> HTMLResponse:
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = {404: "there is no such page", 405: "pages are read, by GET"}
        nonce = secrets.token_urlsafe(16)
        return _response(problem_page(words.get(status, "it went wrong"), nonce), status, nonce)

    handlers: dict[Any, Any] = {HTTPException: refused, Exception: refused}
    return Starlette(routes=[Route("/", answer)], lifespan=living, exception_handlers=handlers)


def _require_our_host(request: Request) -> None:
    host = request.headers.getlist("host")
    name = host[0].rpartition(":")[0] or host[0] if len(host) == 1 else ""
    name = host[0] if len(host) == 1 and host[0].endswith("]") else name
    if name.lower() not in HOSTS:
        raise Refused(421, "this server answers to 127.0.0.1 and localhost alone")


def _response(html: str, status: int, nonce: str) -> HTMLResponse:
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(html, status, {**_HEADERS, "Content-Security-Policy": policy})


__all__ = ["application"]
