"""The server on the loopback address: its form, which requests are answered, and the processes that answer."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import starmap
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from .. import _limits
from .._limits import bound
from ..views import Section, copy_button, escaped, page
from ._questions import DIALECTS, LENGTH, VIEWS, Question, Refused, read_query

# ----------------------------------------------------- The page of the server: a form, examples, and the answer below


_EXAMPLES = (
    ("least squares", Question("sum((A@x - b)**2)", "x")),
    ("logistic regression, y = ±1", Question("sum(log(1 + exp(-y*(X@w))))", "w", "y=m sign")),
    ("softmax cross entropy", Question("logsumexp(x) - y@x", "x")),
    ("multivariate normal", Question("(u - x)@inv(S)@(u - x)/2", "u", "S=n,n pd")),
    ("log-determinant", Question("logdet(X)", "X")),
    ("quadratic form, as on paper", Question("x'*A*x + b'*x", "x")),
    ("norm of a residual", Question("norm(A@x - b)", "x")),
    ("entry by entry", Question("Σᵢ (Σⱼ A[i,j]·x[j] − b[i])²", "x")),
    ("LaTeX", Question(r"\frac{1}{2} \lVert Ax - b \rVert^2 + \lambda \lVert x \rVert_1", "x")),
    ("a function", Question("def loss(w, X, y):\n    h = np.tanh(X @ w)\n    return ((h - y)**2).sum() / 2")),
)


def whole_page(question: Question, found: dict[str, Any] | None, address: str, nonce: str) -> str:
    """The page of a question and its answer, ``found``; without one the page has examples."""
    head = f"<h1>Derivatives as formulas</h1>{_form(question)}"
    if found is None:
        rows = "".join(
            f'<tr><td>{escaped(title)}</td><td><a href="/?{escaped(q.query())}"><code>{escaped(q.f.split(chr(10))[0])}'
            "</code></a></td></tr>"
            for title, q in _EXAMPLES
        )
        note = (
            '<p class="note">It runs on this machine alone: what you type is parsed, never run, and goes nowhere.</p>'
        )
        return page("symgrad", head + note, [Section("examples", "Examples", f'<table class="gallery">{rows}</table>')],
                    nonce=nonce)  # fmt: skip
    if found.get("problem"):
        return problem_page(str(found["problem"]), nonce, head + _views(question), _more_time(question, found))
    sections = list(starmap(Section, found["sections"]))
    if found["ok"]:
        link = f"{address}/?{question.query()}"
        again = f'<p><a href="/?{escaped(question.query())}">{escaped(link)}</a></p>'
        sections.append(Section("link", "Link", again + f'<div class="copy">{copy_button("Copy", link)}</div>'))
        head += _views(question)
    return page(f"{question.f[:60]} – symgrad", head, sections, found["script"], nonce)


def _more_time(question: Question, found: dict[str, Any]) -> str:
    """What else may be done where an answer came too late."""
    if "more" not in found:
        return ""
    again = f'<a class="button" href="/?{escaped(question.query(time="more"))}">Work on it for {found["more"]:g} s</a>'
    step = "Ask for less (a view above, fewer sizes), or call symgrad in Python."
    return f"<p>{again if not question.time else ''} {step}</p>"


def problem_page(what: str, nonce: str, head: str = "<h1>symgrad</h1>", step: str = "") -> str:
    """A page that says why there is no answer."""
    body = f'<div class="problem" role="alert"><b>{escaped(what)}</b></div>{step}<p><a href="/">Begin anew</a></p>'
    return page("symgrad", head, [Section("problem", "No answer", body)], nonce=nonce)


def _form(question: Question) -> str:
    choices = "".join(
        f'<option value="{key}"{" selected" if key == question.dialect else ""}>{escaped(words)}</option>'
        for key, words in DIALECTS.items()
    )
    lines = max(2, min(question.f.count("\n") + 1, 16))

    def field(name: str, title: str, value: str, hint: str) -> str:
        return (
            f'<div><label for="{name}">{title}</label><input type="text" id="{name}" name="{name}" autocomplete="off" '
            f'autocapitalize="off" spellcheck="false" value="{escaped(value)}" placeholder="{escaped(hint)}"></div>'
        )

    return (
        '<form action="/" method="get"><label for="f">A formula, or a Python function</label>'
        f'<textarea id="f" name="f" rows="{lines}" required spellcheck="false" autocapitalize="off" '
        f'placeholder="sum((A@x - b)**2)">{chr(10)}{escaped(question.f)}</textarea><div class="fields">'
        + field("wrt", "Differentiate in", question.wrt, "x")
        + field("shapes", "Shapes", question.shapes, "A=m,n; t=(); S=n,n pd")
        + f'<div><label for="dialect">Read as</label><select id="dialect" name="dialect">{choices}</select></div>'
        + field("claim", "Your gradient, to be checked", question.claim, "2*A.T@(A@x - b)")
        + f'</div><input type="hidden" name="view" value="{"check" if question.claim else "answer"}">'
        '<p><button class="primary">Differentiate</button></p></form>'
    )


def _views(question: Question) -> str:
    ways = "".join(
        f'<li><a href="/?{escaped(question.query(view=view))}"{" aria-current=page" if view == question.view else ""}>'
        f"{title}</a></li>"
        for view, title in VIEWS.items()
    )
    return f'<nav aria-label="what is shown"><ul class="views">{ways}</ul></nav>'


# ------------------------------------------------------------------------------ Connections that are to ask something

# The idea to hold: who opens a connection asks within some seconds, by a whole request, and asks again within as many
# after an answer. Of those that have not yet asked there are few: for a new one the oldest goes, so that none who open
# many keep others out.


SERVE_HEADER = bound(10)
"""Seconds within which a connection asks, by a whole request."""


class PromptConnection(H11Protocol):
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
        self.deadline = self.loop.call_later(SERVE_HEADER, self.transport.abort)
        waiting = [
            (c.deadline.when(), c)
            for c in self.connections
            if isinstance(c, PromptConnection) and c.deadline is not None
        ]
        if len(waiting) > _limits.SERVE_WAITING:
            _, oldest = min(waiting, key=lambda pair: pair[0])
            oldest._wait_no_more()
            oldest.transport.abort()

    def _wait_no_more(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


# -------------------------------------------------------------------------------------------------------------------
# The processes that answer, seen from the server: asked one question at a time, and ended when they are late


SECONDS, MORE_SECONDS = 1.5, 20.0
"""Of a processor's time, for one question; and for one that may take long."""
_WAITED = 0.5
"""On the clock, until a process is ready that can be asked."""
_START = 60.0
_PAUSE = 1.0
"""On the clock, before another is started for one that did not become ready within ``_START``."""
_START_LINE = "from symgrad.serve._questions import main; main()"


class Late(Exception):
    """A question took too long, or its process died."""


class Busy(Exception):
    """No process is there to answer."""


SERVE_CLOCK = bound(60)
"""Seconds on the clock after which an answer is ended that takes no processor's time either."""


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
        return self._receive(SERVE_CLOCK)

    def _receive(self, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        (length,) = LENGTH.unpack(self._bytes(LENGTH.size, end))
        return json.loads(self._bytes(length, end))

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


SERVE_PROCESSES = bound(3)
"""Such processes: while one answers, and one is started anew, another is ready."""


class Processes:
    """Some processes, of which those that are ready wait in a queue; for one that was late another is started.

    Parameters
    ----------
    count : how many
    seconds, more : of a processor's time, for a question, and for one that may take long
    """

    def __init__(
        self, count: int = SERVE_PROCESSES, seconds: float = SECONDS, more: float = MORE_SECONDS
    ) -> None:  # fmt: skip
        self.seconds, self.more, self.ended = seconds, more, 0
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
            self._end(process)
            time.sleep(_PAUSE)  # one that dies at once is not started without end
            self._start()
            return
        self._begun = True
        self._idle.put(process)

    def _end(self, process: _Process) -> None:
        with self._lock:
            process.end()
            self._all.discard(process)
            self.ended += 1

    def seconds_for(self, question: Question) -> float:
        return self.more if question.time else self.seconds

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
            found = process.ask(question, self.seconds_for(question))
        except (Late, ValueError) as error:
            self._end(process)
            self._start()
            raise Late from error
        self._idle.put(process)
        return found

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for process in self._all:
                process.end()


# --------------------------------- The server: which requests are answered, and what a browser may do with the answer

# The idea to hold: every page is made of a question in its address, and a request changes nothing. A page of another
# site may not ask (its host is not ours: that also ends attacks by names that lead here), frame, or read an answer.


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
            what = f"no answer within {pool.seconds_for(question):g} s of work"
            status, html = 503, whole_page(question, {"problem": what, "more": pool.more}, "", nonce)
        except Busy:
            what = "too many questions at once: ask again in a while"
            status, html = 503, whole_page(question, {"problem": what}, "", nonce)
        return _response(html, status, nonce)

    async def refused(request: Request, error: Exception) -> HTMLResponse:
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = {404: "there is no such page", 405: "pages are read, by GET"}
        nonce = secrets.token_urlsafe(16)
        return _response(problem_page(words.get(status, "it went wrong"), nonce), status, nonce)

    handlers = {HTTPException: refused, Exception: refused}
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


# --------------------------------------------------------------------------------- The server on the loopback address


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
            ws="none", http=PromptConnection, limit_concurrency=_limits.SERVE_AT_ONCE, timeout_keep_alive=5,
            h11_max_incomplete_event_size=1 << 16,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listening])
    return 0
