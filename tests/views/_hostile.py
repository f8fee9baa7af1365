# ruff: noqa: E501  (a row of texts is a line)
"""Requests that nobody means well with: texts that would do something if they were run, broken ones, and huge ones.

``python tests/views/_hostile.py 100000`` sends as many and says what came back.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from urllib.parse import quote

ATTACKS = (
    "__import__('os').system('touch {canary}')", "open('{canary}', 'w').write('x')", "eval('1+1')", "exec('x=1')",
    "().__class__.__bases__[0].__subclasses__()", "x.__class__", "np.load('{canary}')", "np.save('{canary}', x)",
    "x.tofile('{canary}')", "np.fromfile('/etc/passwd')", "np.lib.format.open_memmap('{canary}')", "getattr(x, 'T')",
    "lambda x: open('{canary}', 'w')", "def f(x):\n    open('{canary}', 'w')\n    return x",
    "def f(x=open('{canary}', 'w')):\n    return x.sum()", "def f(x: open('{canary}', 'w')):\n    return x.sum()",
    "@open('{canary}', 'w')\ndef f(x):\n    return x", "import os\ndef f(x):\n    return os.system('touch {canary}')",
    "from os import system as sin\ndef f(x):\n    return sin('touch {canary}')",
    "def f(x):\n    while True:\n        pass\n    return x", "class A:\n    pass", "async def f(x):\n    return x",
    "f'{{open(\"{canary}\", \"w\")}}'", "\\input{{/etc/passwd}}", "\\write18{{touch {canary}}}", "%s%s%s%n", "{{7*7}}", "${{7*7}}",
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "';alert(1)//", "javascript:alert(1)", "</textarea><script>",
    "sum(x) where x = <script>alert(1)</script>", "../../etc/passwd", "x\x00y", "\u202ex", "\ud83d\ude00", "ﬁ(x)",
    "det(X)**2", "inv(X)@inv(X)@inv(X)", "X^-1000", "X^9999999999", "2**2**2**2**2**2", "10**10**10", "9" * 400, "1e9999",
    "eye(1000000)", "zeros(999999999)", "ones(99999, 99999)", "(" * 500 + "x" + ")" * 500, "-" * 900 + "x", "x" + "'" * 500,
    "|" * 61 + "x" + "|" * 61, "sum(" * 100 + "x" + ")" * 100, "exp(" * 60 + "t" + ")" * 60, "x*" * 900 + "x", "x@" * 900 + "x",
    "+".join(f"sin(x_{k})" for k in range(300)), "a" * 3999, "norm(" * 30 + "x" + ")" * 30, "logdet(" * 5 + "X" + ")" * 5,
    "where " * 300, "sum_i " * 300 + "x[i]", "Σᵢ" * 300, "einsum('" + "i" * 300 + "', x)", "x[" + "i," * 300 + "j]", "", " ", "\n\n",
    "softmax(softmax(softmax(softmax(X@X.T@X))))", "sum(log(1+exp(-y*(X@w))))", "x'*A*x", "sum((A@x-b)**2)", "tanh(" * 12 + "t" + ")" * 12,
)  # fmt: skip
SIGNS = "xXAbwyt01239.+-*/^@'()[]{}|<>=,;:_~!\"\\ \n∑ᵢᵀ⊙‖σλ·²"
PATHS = ("/",) * 90 + ("/../etc/passwd", "/%2e%2e/x", "//evil", "/static/x", "/favicon.ico", "/?", "/%00")
HOSTS = ("127.0.0.1:8765",) * 90 + (
    "localhost",
    "evil.example",
    "127.0.0.1.evil.example",
    "[::1]:8765",
    "",
    "127.0.0.1@evil",
)
METHODS = ("GET",) * 90 + ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH")
FIELDS = ("wrt", "shapes", "dialect", "claim", "view") * 4 + ("f", "next", "__class__")
VALUES = ("x", "X", "x=n", "X=n,n pd", "x=999999999", "x=" + "n," * 300, "x=-1", "numpy", "matrix", "steps", "check", "graph", "answer",
          "sympy", "2*x", "</script><script>alert(1)</script>", "a=b=c", "=", ";;;", "x=n evil")  # fmt: skip


def text(rng: random.Random, canary: str) -> str:
    """A text that is an attack, one that was changed somewhere, or noise."""
    found = rng.choice(ATTACKS).replace("{canary}", canary)
    turn = rng.random()
    if turn < 0.4:
        return "".join(rng.choice(SIGNS) for _ in range(rng.randrange(1, 60)))
    if turn < 0.7 and found:
        k = rng.randrange(len(found))
        return found[:k] + "".join(rng.choice(SIGNS) for _ in range(rng.randrange(4))) + found[k + rng.randrange(3) :]
    return found


def request(rng: random.Random, canary: str) -> tuple[str, str, str, bytes]:
    """Method, host, path and query."""
    pairs = [("f", text(rng, canary))]
    for _ in range(rng.choice((0, 0, 1, 1, 2, 7))):
        pairs.append((rng.choice(FIELDS), rng.choice(VALUES) if rng.random() < 0.9 else text(rng, canary)))
    query = "&".join(f"{k}={quote(v, errors='replace')}" for k, v in pairs)
    if rng.random() < 0.05:
        query = rng.choice(("&" * 5000, "f=" + "%" * 100, "f=%ff%fe", "f", "f=" + "x" * 30_000, "\x7f\x01"))
    return rng.choice(METHODS), rng.choice(HOSTS), rng.choice(PATHS), query.encode("ascii", "replace")


async def asked(app, method: str, host: str, path: str, query: bytes) -> tuple[int, dict[bytes, bytes], bytes]:
    """What an application answers: status, headers, body."""
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http", "path": path,
        "raw_path": path.encode(), "query_string": query, "root_path": "", "headers": [(b"host", host.encode())],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765),
    }  # fmt: skip
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    body = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
    return sent[0]["status"], dict(sent[0]["headers"]), body


async def storm(
    app, count: int, canary: str, seed: int = 0, at_once: int = 3
) -> tuple[Counter, list[float], list[str]]:
    """Send requests, some at a time: statuses, seconds each, and what should not have been."""
    rng = random.Random(seed)
    statuses: Counter = Counter()
    times: list[float] = []
    wrong: list[str] = []
    left = iter(range(count))
    await asked(app, "GET", HOSTS[0], "/", b"f=x")  # waits until a process is ready

    async def sender():
        for _ in left:
            what = request(rng, canary)
            start = time.perf_counter()
            status, headers, body = await asked(app, *what)
            times.append(time.perf_counter() - start)
            statuses[status] += 1
            if len(times) % 10_000 == 0:
                print(f"{len(times):,}: {dict(statuses)}, slowest {max(times):.2f} s, wrong {len(wrong)}", flush=True)
            policy = headers.get(b"content-security-policy", b"")
            if (
                status == 500
                or b"default-src 'none'" not in policy
                or b"<script>alert" in body
                or b"<img src=x" in body
            ):
                wrong.append(f"{status} {what}")

    await asyncio.gather(*[sender() for _ in range(at_once)])
    return statuses, times, wrong


def main() -> None:
    import tempfile
    from pathlib import Path

    from symgrad.serve._server import Processes, application

    processes = Processes()
    canary = Path(tempfile.mkdtemp()) / "canary"
    start = time.perf_counter()
    statuses, times, wrong = asyncio.run(storm(application(processes), int(sys.argv[1]), str(canary), seed=1))
    print(f"{sum(statuses.values()):,} requests in {time.perf_counter() - start:.0f} s: {dict(statuses)}")
    print(
        f"slowest {max(times):.2f} s, median {sorted(times)[len(times) // 2] * 1e3:.1f} ms, over 2.5 s: {sum(t > 2.5 for t in times)}"
    )
    print(
        f"processes ended {processes.ended}, canary {'THERE' if canary.exists() else 'not there'}, wrong {len(wrong)}"
    )
    print(*wrong[:10], sep="\n")
    processes.close()


if __name__ == "__main__":
    main()
