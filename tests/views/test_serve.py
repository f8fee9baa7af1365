"""``symgrad serve``: what is typed is read and never run, for this machine alone, and always answered in time."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from html import unescape

import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.cli import main
from symgrad.notation import all_declared
from symgrad.serve._questions import LENGTH, Question, Refused, answer, read_function, read_query

from ._browser import browser, needs_a_browser, tab_stops  # noqa: F401
from ._hostile import asked, storm

starlette = pytest.importorskip("starlette", reason="THE SERVER IS NOT TESTED: pip install symgrad[serve]")
HOST = "127.0.0.1:8765"


@pytest.fixture(scope="module")
def processes():
    from symgrad.serve._server import Processes

    found = Processes(2, seconds=6.0)  # each loads for seconds; and the machine that tests has more to do
    yield found
    found.close()


@pytest.fixture(scope="module")
def app(processes):
    from symgrad.serve._server import application

    return application(processes)


def get(app, question=None, host=HOST, method="GET", path="/", query=None):
    if query is None:
        query = question.query() if question is not None else ""
    status, headers, body = asyncio.run(asked(app, method, host, path, query.encode()))
    return status, headers, unescape(body.decode())


# -------------------------------------------------------------------------------------------------------- answers


@pytest.mark.slow
def test_an_answer_has_the_formulas_and_says_how_it_was_read(app):
    status, _, page = get(app, Question("sum(log(1 + exp(-y*(X@w))))", "w", "y=m sign"))
    assert status == 200
    for said in (
        "−Xᵀ(y ⊙ σ(−y ⊙ Xw))",
        "Xᵀ diag(p ⊙ (1 − p)) X",
        "as the product entry by entry",
        "import numpy as np",
    ):
        assert said in page, said
    assert f"http://{HOST}/?f=sum%28log" in page


def test_a_question_is_asked_again_by_its_address():
    asked_for = Question("x'*A*x + 1 & 2", "x", "A=n,n pd; x=n", "matrix", "A*x", "check")
    assert read_query(asked_for.query()) == asked_for


@pytest.mark.slow
def test_every_view_answers(app):
    for view, said in {
        "steps": "product rule",
        "check": "✓ agrees with differences",
        "graph": "const facts",
        "sympy": "x_0",
    }.items():
        status, _, page = get(app, Question("x@A@x", "x", "A=2,2", view=view))
        assert status == 200 and said in page, view
    status, _, page = get(app, Question("x@A@x", "x", claim="2*A@x", view="check"))
    assert "REFUTED: the claim is not the gradient" in page and "Right is Ax + Aᵀx" in page


def test_a_function_is_read(app):
    text = (
        "import numpy as np\ndef f(x, A):\n    '''doc'''\n    r = A @ x\n    r = r - r.mean()\n    return (r**2).sum()"
    )
    status, _, page = get(app, Question(text))
    assert status == 200 and "where r = A @ x\nr_2 = r - r.mean()" in page and "‖Ax − mean(Ax)‖²" in page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lambda x, A: x @ A @ x", "x @ A @ x"),
        ("def f(x):\n    return scipy.special.expit(x).sum()", "scipy.special.expit(x).sum()"),
        ("def f(x):\n    y = 2*x\n    x = y*y\n    return x.sum()", "x_2.sum()\nwhere y = 2 * x\nx_2 = y * y"),
        (
            "def f(X):\n    return np.sum(X[:, None], axis=1, keepdims=True)",
            "np.sum(X[:, None], axis=1, keepdims=True)",
        ),
        (
            "lambda x, A: np.linalg.norm(A @ x if x[0] > 0 else x, ord=None)",
            "np.linalg.norm(A @ x if x[0] > 0 else x, ord=None)",
        ),
        ("def f(x: float, c=1) -> float:\n    y: float = x*c\n    return -y**2", "-y ** 2\nwhere y = x * c"),
    ],
)
def test_a_function_is_its_return_where_its_names_are(text, expected):
    found = read_function(text)
    assert found.text == expected


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, A):\n    s = A @ x\n    t = s * s - x\n    return (t * s).sum() / 2",
        "def f(x, A):\n    return (A.sum(axis=1, keepdims=True) * x[:, None]).sum()",
        "def f(x, A):\n    return A[0, 0] * x[0] if x[1] < 0 else A.sum()",
    ],
)
def test_a_function_has_the_values_of_its_formula(text):
    import numpy as np

    scope = {}
    exec(text, scope)
    f = sg.parse(read_function(text).text, dialect="numpy", A=("n", "n"))
    x, A = np.array([0.5, -2.0]), np.array([[1.0, 2.0], [3.0, 5.0]])
    assert float(f(x=x, A=A)) == pytest.approx(scope["f"](x, A), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(x):\n    y = x * z\n    z = 2\n    return y", "'z' is read before it is assigned"),
        ("def f(x):\n    x += 1\n    return x", "'augassign' is not read"),
        ("def f(x):\n    x[0] = 1\n    return x", "only a name is assigned to"),
        ("def f(x):\n    for i in x:\n        pass\n    return x", "'for' is not read"),
        ("from math import sin as cos\ndef f(x):\n    return cos(x)", "gives something a name"),
        ("import os\ndef f(x):\n    return x", "gives something a name"),
        ("def f(x):\n    return random.normal(x)", "'random' is not known"),
        ("def f(x, exp):\n    return exp(x)", "'exp' is a value, and is called"),
        ("def f(x):\n    return {1: x}", "'Dict' is no part of a formula"),
        ("def f(x):\n    return f'{x}'", "is no part of a formula"),
        ("def f(x):\n    return x * 2j", "2j is no number"),
        ("def f(*x):\n    return x", r"\*args"),
        ("@jit\ndef f(x):\n    return x", "one function is read"),
        ("def f(x):\n    y = x", "does not end with a return"),
        ("def f(x:\n", "this is no Python"),
    ],
)
def test_what_no_formula_says_is_refused(text, said):
    with pytest.raises(sg.FormulaError, match=said):
        read_function(text)


def test_a_parameter_with_a_constants_name_is_asked_about(app):
    assert "the parameter 'nan' has the name" in get(app, Question("def f(nan):\n    return nan*nan"))[2]
    status, _, page = get(app, Question("def f(e):\n    return e*e"))
    assert status == 422 and "the parameter 'e' has the name of a constant" in page
    status, _, page = get(app, Question("def f(e):\n    return e*e", shapes="e=()"))
    assert status == 200 and "∂f/∂e" in page


def test_declarations():
    found = all_declared("X=m,n; t=() \n w=n;S=n,n pd")
    assert (found["X"], found["t"], found["w"]) == (("m", "n"), (), ("n",)) and found["S"].name == "S"
    for wrong in ("X", "=n", "X=n evil"):
        with pytest.raises(ValueError, match="NAME=SIZES"):
            all_declared(wrong)


def test_a_wrong_text_is_shown_where_it_is_wrong(app):
    status, _, page = get(app, Question("sum(log(1+exq(x)))"))
    assert status == 422 and "exq" in page and "^" in page


# --------------------------------------------------------------------------------------------------------- safety


def test_a_browser_is_told_to_run_nothing_else(app):
    for question in (None, Question("x@x"), Question("x@")):
        _, headers, page = get(app, question)
        policy = headers[b"content-security-policy"].decode()
        (nonce,) = set(re.findall(r"'nonce-([^']+)'", policy))
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers[b"x-content-type-options"] == b"nosniff" and headers[b"referrer-policy"] == b"no-referrer"
        tags = re.findall(r"<(?:script|style)[^>]*>", page)
        assert tags and all(f'nonce="{nonce}"' in tag for tag in tags)
    assert get(app)[1][b"content-security-policy"] != get(app)[1][b"content-security-policy"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.1@evil", "192.168.0.1:8765"])
def test_another_host_is_refused(app, host):
    assert get(app, Question("x@x"), host=host)[0] == 421


def test_only_our_page_is_read(app):
    assert get(app, host="[::1]:8765")[0] == get(app, host="localhost")[0] == 200
    assert get(app, method="POST")[0] == 405
    for path in ("/etc/passwd", "/../x", "/data/page.css"):
        assert get(app, path=path)[0] == 404


@pytest.mark.parametrize(
    ("query", "status"),
    [("f=" + "x" * 30_000, 414), ("f=" + "x" * 5000, 413), ("f=x&f=y", 400), ("g=1", 400), ("f=%ff", 400),
     ("f=x&view=no", 400), ("f=x&time=3600", 400), ("f=x%00", 400), ("&" * 100, 400)],
)  # fmt: skip
def test_a_query_is_bounded(app, query, status):
    with pytest.raises(Refused):
        read_query(query)
    assert get(app, query=query)[0] == status


def test_a_process_that_does_not_become_ready_is_ended_and_another_started(monkeypatch):
    from symgrad.serve import _server

    class OneLate:
        started: list = []  # noqa: RUF012

        def __init__(self):
            self.started.append(self)
            self.ends = 0

        def wait(self):
            if self is self.started[0]:
                raise _server.Late

        def ask(self, question, seconds):
            return {"answered by": self.started.index(self)}

        def end(self):
            self.ends += 1

    monkeypatch.setattr(_server, "_Process", OneLate)
    monkeypatch.setattr(_server, "_PAUSE", 0.01)
    pool = _server.Processes(1)
    assert pool.ask(Question("x")) == {"answered by": 1}
    assert OneLate.started[0].ends == 1 and pool.ended == 1
    pool.close()


@pytest.mark.slow
def test_what_takes_too_long_is_ended_and_the_next_is_answered(processes, app, monkeypatch):
    monkeypatch.setattr(processes, "seconds", 0.005)
    status, _, page = get(app, Question("logdet(X) - 12345", "X", "X=n,n", "numpy", "inv(X).T + 678", "check"))
    assert status == 503 and "no answer within" in page
    for typed in ("logdet(X) - 12345", 'value="X=n,n"', 'value="numpy" selected', "inv(X).T + 678"):
        assert typed in page, typed
    offered = unescape(re.search(r'class="button" href="/\?([^"]+)"', page)[1])
    status, _, page = get(app, query=offered)
    assert status == 200 and "you derived" in page
    assert processes.seconds_for(read_query(offered)) == processes.more
    monkeypatch.undo()
    assert get(app, Question("x@x"))[0] == 200


@pytest.mark.slow
def test_a_machine_that_has_more_to_do_costs_no_answer(processes, app, monkeypatch):
    """The answer takes longer on the clock than it may take, and less of a processor's time."""
    assert get(app, Question("x@x"))[0] == 200  # one is ready
    monkeypatch.setattr(processes, "seconds", 1.5)

    def now_and_then(process):
        while not done.wait(0.1):
            process.send_signal(signal.SIGSTOP)
            done.wait(0.9)
            process.send_signal(signal.SIGCONT)

    done = threading.Event()
    slowed = [threading.Thread(target=now_and_then, args=(p.process,)) for p in processes._all]
    for thread in slowed:
        thread.start()
    began = time.monotonic()
    try:
        status, _, page = get(app, Question("norm(A@x - b)*logdet(S)", "x", "S=n,n pd", view="check"))
    finally:
        done.set()
        for thread in slowed:
            thread.join()
    assert status == 200 and "agrees with differences" in page
    assert time.monotonic() - began > 1.5


LOCKED = """
import os, subprocess, socket, sys
from symgrad.serve import _questions
_questions._lock()
tries = {
    "write": lambda: open(sys.argv[1], "w"), "read": lambda: open("/etc/passwd"),
    "low": lambda: os.open(sys.argv[1], os.O_CREAT),
    "run": lambda: subprocess.run(["true"]), "system": lambda: os.system("true"), "fork": os.fork, "net": socket.socket,
    "remove": lambda: os.remove(sys.argv[1]),
}
for name, act in tries.items():
    try: act()
    except PermissionError: continue
    print(name)
"""


def test_the_process_that_answers_can_do_nothing_else(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LOCKED, str(tmp_path / "x")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "" and not (tmp_path / "x").exists()


@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_hostile_requests(count, app, processes, tmp_path):
    canary = tmp_path / "canary"
    statuses, times, wrong = asyncio.run(storm(app, count, str(canary), seed=2))
    assert not wrong and not canary.exists() and statuses[500] == 0
    assert statuses[422] > 0.2 * count and statuses[200] > 0.01 * count  # most get as far as the reader
    assert max(times) < 10 * processes.seconds  # none hangs; a busy machine is late with an answer "no answer within"
    assert get(app, Question("x@x"))[0] == 200


def test_a_verdict_is_prose_that_wraps_but_for_a_proof():
    for claim, word, kept in (("A.T@(A@x - b)", "REFUTED", False), ("2*A.T@(A@x - b)", "PROVED", True)):
        found = answer(Question("sum((A@x - b)**2)", "x", claim=claim, view="check"))
        sections = {name: body for name, _, body in found["sections"]}
        assert word in sections["claim"] and ("<pre>" in sections["claim"]) is kept


# ------------------------------------------------------------------------------------------------- the real server


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """What the server writes on standard error."""
    return tmp_path_factory.mktemp("serve") / "stderr"


@pytest.fixture(scope="module")
def address(complaints):
    one = "from symgrad.serve import _server; _server.SERVE_PROCESSES = _server.SERVE_HEADER = 1"  # is enough here
    run = f"{one}; from symgrad.cli import main; main(['serve', '--port', '0'])"
    command = [sys.executable, "-c", run]
    with complaints.open("w") as file:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True, env=dict(os.environ))
    yield re.match(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
    server.terminate()
    server.wait(10)
    server.stdout.close()


@pytest.mark.slow
def test_the_server_answers(address):
    with urllib.request.urlopen(address) as answer:
        assert answer.status == 200 and "server" not in {k.lower() for k in answer.headers}
        assert b"Examples" in answer.read()


@pytest.mark.parametrize(
    "request_",
    [
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"a" * 1_000_000 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xa5" * 500,
        "GET /?f=σ(x) HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
    ],
    ids=["chunks", "two lengths", "a long header", "TLS", "bytes"],
)
def test_what_is_no_request_ends_quietly(address, complaints, request_):
    port = int(address.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request_)
            assert connection.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 200", b"HTTP/1.1 405"))
    with urllib.request.urlopen(address) as answer:
        assert answer.status == 200
    assert "Traceback" not in complaints.read_text()


def trickle(port, beginning):
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(beginning)
    return connection


@pytest.mark.parametrize("asked_before", [False, True], ids=["at first", "after an answer"])
@pytest.mark.parametrize("beginning", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n"], ids=["nothing", "half"])
def test_who_opens_connections_and_does_not_ask_keeps_nobody_out(address, beginning, asked_before):
    port = int(address.rstrip("/").rpartition(":")[2])
    whole = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with contextlib.ExitStack() as stack:
        opened = []
        for _ in range(2 * _limits.SERVE_AT_ONCE):
            opened.append(stack.enter_context(trickle(port, whole if asked_before else beginning)))
            if asked_before:
                assert opened[-1].recv(1 << 16).startswith(b"HTTP/1.1 404")
                with contextlib.suppress(ConnectionError):
                    opened[-1].sendall(beginning)
        with urllib.request.urlopen(address, timeout=5) as answer:
            assert answer.status == 200
        end, last = time.monotonic() + 10, opened[-1]
        while time.monotonic() < end:  # a byte now and then buys no more time
            try:
                last.sendall(b"A" if beginning else b"")
                last.settimeout(0.2)
                if not last.recv(100):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert time.monotonic() < end - 5


def test_without_starlette_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert main(["serve"]) == 1
    assert "pip install symgrad[serve]" in capsys.readouterr().err


@pytest.mark.slow
@needs_a_browser
def test_in_a_browser(address, browser):  # noqa: F811
    browser.wide(390)
    url = address + "?" + Question("norm(A@x - b)", "x", view="graph").query()
    long = Question("norm(A*x - b)", "x", "A=m,n; x=n; b=m", "matrix", view="steps")
    for page in (address, url, *[address + "?" + q.query() for q in (Question("norm(A@x - b)", "x"), long)]):
        browser.open(page)
        assert not browser.problems, browser.problems
        assert {r for r in browser.requests if r != "data:,"} == {page}
        assert browser.run("document.documentElement.scrollWidth") <= 390
        stops = tab_stops(browser)
        assert [s[0] for s in stops][:6] == ["TEXTAREA", "INPUT", "INPUT", "SELECT", "INPUT", "BUTTON"]
        assert all(seen for _, seen, _ in stops)
    browser.run("document.querySelector('[data-copy]').click()")
    time.sleep(0.05)
    assert browser.run("document.getElementById('said').textContent") == "Copied"


@pytest.mark.slow
@needs_a_browser
def test_a_question_is_asked_from_the_keyboard(address, browser):  # noqa: F811
    browser.open(address)
    browser.press("Tab")
    browser.write("sum((A@x - b)**2)")
    browser.press("Enter", control=True)
    end = time.monotonic() + 20
    while "2Aᵀ(Ax − b)" not in browser.run("document.body?.innerHTML ?? ''") and time.monotonic() < end:
        time.sleep(0.05)
    assert "f=sum" in browser.run("location.search") and time.monotonic() < end


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers of processes")
def test_a_process_that_is_left_alone_ends():
    run = "from symgrad.serve import _questions; "
    run += "_questions._WARM = _questions._WARM[-1:]; _questions.main()"  # what it would load first is nothing to this
    with subprocess.Popen([sys.executable, "-c", run], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.read(LENGTH.unpack(process.stdout.read(LENGTH.size))[0])  # it is ready
        question = json.dumps({"f": "*".join(f"(x+{k})" for k in range(60)), "seconds": 0.05}).encode()
        process.stdin.write(LENGTH.pack(len(question)) + question)
        process.stdin.flush()
        assert process.wait(timeout=30) == -signal.SIGPROF
