"""The command line: numbers, formulas and exit status; what is typed there, help, pages and data."""

import contextlib
import doctest
import io
import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad.cli import _bench, _scripts, main
from symgrad.cli._answer import as_it_can

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_reproduces_the_published_fit_and_shows_the_formulas(capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    for text in ("15.0429", "7.3786", "-0.2322", "0.1082", "-10.158"):
        assert out.count(text) >= 2  # computed, and published
    assert "sum(softplus(Xw) − y ⊙ Xw)" in out
    assert "Xᵀ(σ(Xw) − y)" in out
    assert "Xᵀ diag(p ⊙ (1 − p)) X\n  where p = σ(Xw)" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["sum(log(1+exp(-y*(X@w))))", "--wrt", "w"], "−Xᵀ(y ⊙ σ(−y ⊙ Xw))"),
        (["x'*A*x", "--wrt", "x", "--order", "2"], "A + Aᵀ"),
        (["x'*A*x", "--order", "0"], "xᵀAx"),
        (["x^2*y + y^3", "--wrt", "x,y"], "[2xy, 3y² + x²]"),
        (["x^2*y + y^3", "--wrt", "x,y", "--order", "2"], "[[2y, 2x], [2x, 6y]]"),
        (["norm(x)", "--wrt", "x", "--format", "latex"], r"\frac{x}{\lVert x \rVert}"),
        (["sum(x**2)", "--wrt", "x", "--format", "ascii"], "2*x"),
        (["sum(s*t)", "--wrt", "t", "--shape", "s=()", "--shape", "t=n,m"], "s𝟏𝟏ᵀ"),
        (["5", "--wrt", "x"], "0"), (["a^2 + b", "--wrt", "x", "--order", "2"], "0"),
    ],
)  # fmt: skip
def test_the_command_differentiates_text(arguments, expected, capsys):
    assert main(["diff", *arguments]) == 0
    assert capsys.readouterr().out.strip() == expected


def test_the_command_says_what_it_assumed(capsys):
    assert main(["diff", "norm(A*x)^2", "--wrt", "x", "--dialect", "matrix", "--shape", "A=m,n"]) == 0
    out, said = capsys.readouterr()
    assert (out, said) == ("2AᵀAx\n", "Read with x as a column of n entries, * as the matrix product.\n")
    assert main(["diff", "sum(x*y)", "--wrt", "x", "--shape", "x=n", "--shape", "y=n"]) == 0
    assert capsys.readouterr().err == "Read with * as the product entry by entry.\n"
    assert main(["diff", "sum_k A[i,k]*x[k]", "--order", "0", "--shape", "A=m,n", "--shape", "x=n"]) == 0
    assert capsys.readouterr() == ("Ax\n", "")
    assert main(["diff", "norm(A*x)", "--wrt", "x"]) == 2
    assert 'dialect="matrix" or dialect="numpy"' in capsys.readouterr().err


def test_the_command_writes_code(capsys):
    assert main(["diff", "sum((A@x-b)**2)", "--wrt", "x", "--format", "numpy"]) == 0
    scope = {}
    exec(capsys.readouterr().out, scope)
    A, b, x = np.arange(6.0).reshape(3, 2), np.ones(3), np.array([1.0, 2.0])
    np.testing.assert_allclose(scope["f"](A, b, x), 2 * A.T @ (A @ x - b))


@pytest.mark.parametrize("text", ["sum(log(1+exq(x)))", "sum(x", "x@", "__import__('os')"])
def test_the_command_shows_where_the_text_is_wrong(text, capsys):
    assert main(["diff", text, "--wrt", "x"]) == 2
    error = capsys.readouterr().err
    assert "^" in error and "Traceback" not in error


def test_the_command_names_the_symbols_it_knows(capsys):
    assert main(["diff", "sum(x)", "--wrt", "z"]) == 2
    assert "'x'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("tan(x) = sin(x)/cos(x)", "PROVED: both are equal"), ("sqrt(x^2) = x", "REFUTED: they differ"),
        (r"\tan x = \frac{\sin x}{\cos x}", "PROVED: both are equal"),
        ("cosh(x)^2 - sinh(x)^2 = 1", "PROVED: both are equal"),
    ],
)  # fmt: skip
def test_an_equation_is_judged_whatever_it_begins_with(text, verdict, capsys):
    assert main(["verify", text]) == (verdict[:6] != "PROVED")
    assert capsys.readouterr().out.startswith(verdict)
    assert str(sg.verify(text)).startswith(verdict)


@pytest.mark.parametrize("which", ["estimate", "standard error", "log-likelihood"])
def test_the_demo_fails_if_a_number_is_off(which, capsys, monkeypatch):
    if which == "log-likelihood":
        monkeypatch.setattr(_scripts, "PUBLISHED_LOG_LIKELIHOOD", -10.2)
    else:
        wrong = (15.05, 7.3786) if which == "estimate" else (15.0429, 7.4)
        monkeypatch.setitem(_scripts.PUBLISHED, "intercept", wrong)
    assert main(["demo"]) == 1
    assert "WRONG" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["sum(x**3)"], "3x²"),  # one variable needs no --wrt
        (["t^4", "--order", "3", "--shape", "t=()"], "24t"),
        (["sum(x**4)", "--order", "3"], "24x[i]·δ[i,j]·δ[i,k]"),
        (["sum(x**2)", "--format", "sympy", "--shape", "x=2"], "[2*x_0, 2*x_1]"),
        (["3", "--order", "0"], "3"),
    ],
)
def test_orders_and_single_variables(arguments, expected, capsys):
    assert main(["diff", *arguments]) == 0
    assert capsys.readouterr().out.strip() == expected


def test_of_an_array_there_is_the_jacobian_and_it_is_said(capsys):
    assert main(["diff", "exp(A@x)", "--wrt", "x"]) == 0
    out, said = capsys.readouterr()
    assert out == "diag(exp(Ax)) A\n" and "this is its Jacobian" in said


def test_a_formula_is_read_from_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("‖x‖²\n".encode())))
    assert main(["diff", "-"]) == 0
    assert capsys.readouterr().out == "2x\n"


def test_json_has_what_the_text_has(capsys):
    assert main(["diff", "sum(log(x))", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["result"], data["wrt"], data["order"]) == ("1/x", "x", 1)
    assert data["assumed"] == ["x as a vector of n entries"]
    assert main(["verify", "sum(x**2)", "--grad", "3x", "--json"]) == 1
    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    assert (claim["verdict"], claim["right"], claim["kind"]) == ("REFUTED", "2x", "grad")
    assert main(["explain", "sum(x**2)", "--json"]) == 0
    assert "∂f/∂x = 2x" in json.loads(capsys.readouterr().out)["result"]
    assert main(["ops", "tanh", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["derivative"] == "1 − tanh(x)²"


def test_where_alone_a_derivative_says_something_is_said(capsys):
    assert main(["diff", "det X", "--wrt", "X", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["only"] == ["X has an inverse"] and "holds where X has an inverse; else" in said.err
    assert "The formula of the gradient says something where x ≠ 0 only" in sg.report(sg.parse("prod(x)", x="n")).html


def test_a_derivation_is_shown(capsys):
    assert main(["explain", "sum((A@x - b)**2)", "--wrt", "x"]) == 0
    out = capsys.readouterr().out
    assert out == str(sg.parse("sum((A@x - b)**2)").grad("x").explain()) + "\n"
    assert main(["explain", "sum(x**2)", "--format", "latex"]) == 0
    assert capsys.readouterr().out.startswith(r"\begin{aligned}")
    assert main(["explain", "x^2*y", "--wrt", "x,y"]) == 0
    out = capsys.readouterr().out
    assert all(line in out for line in ("g = ∂f/∂x = 2xy", "h = ∂f/∂y = x²", "k = [2xy, x²]"))


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["sum((X@w - y)**2)", "--grad", "2X'*(X*w - y)", "--wrt", "w", "--shape", "X=m,n"], 0, "PROVED"),
        (["sum((X@w - y)**2)", "--grad", "X'(Xw - y)", "--wrt", "w", "--shape", "X=m,n"], 1, "1/2 times"),
        (["t^2 - 1", "--equals", "(t+1)(t-1)", "--shape", "t=()", "--dialect", "matrix"], 0, "PROVED"),
        (["x'*A*x", "--grad", "A*x + A'*x", "--hess", "2A", "--wrt", "x"], 1, "REFUTED"),
        (["x^2*y", "--grad", "[2xy, x^2]", "--hess", "[[2y, 2x], [2x, 0]]", "--wrt", "x,y"], 0, "PROVED"),
        (["x^2*y", "--hess", "[[2y, 2x], [x, 0]]", "--wrt", "x,y"], 1, "Entry [1, 0]"),
        (["sum(at**2)", "--grad", "2at", "--shape", "at=n"], 0, "PROVED"),  # a parameter of verify, too
        (["x^2 - 1 = (x-1)(x+1)"], 0, "PROVED"),
        (["x^2", "--grad", "2exp(log(x))"], 1, "where x > 0 only"),
        (["x^2 - 1 == (x-1)(x+2)"], 1, "REFUTED"),
        ([r"$\sin^2 x + \cos^2 x = 1$"], 0, "PROVED"),
        (["(A+B)x = A*x + B*x", "--dialect", "matrix"], 0, "PROVED"),
    ],
)
def test_claims_are_verified(arguments, status, words, capsys):
    assert main(["verify", *arguments]) == status
    assert words in capsys.readouterr().out


MODEL = """
import numpy as np

def loss(w, X, y, scale=2.0):
    return scale * ((X @ w - y) ** 2).sum()

def fails(w):
    raise KeyError("mine")
"""


def test_a_function_in_a_file_is_drawn(tmp_path, capsys):
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    shapes = ["--shape", "w=n", "--shape", "X=m,n", "--shape", "y=m"]
    assert main(["graph", f"{file}:loss", *shapes]) == 0
    assert "v3 = v2²" in capsys.readouterr().out
    for suffix, start in (("svg", "<svg"), ("dot", "digraph"), ("mmd", "flowchart"), ("html", "<")):
        target = tmp_path / f"out.{suffix}"
        assert main(["graph", f"{file}:loss", *shapes, "-o", str(target)]) == 0
        assert start in target.read_text(encoding="utf-8")[:200]
    capsys.readouterr()
    for arguments, words in (
        ([f"{file}:loss", "--shape", "w=n"], "the shape of 'X' is missing"),
        ([f"{file}:loss", *shapes, "--shape", "q=1"], "no parameter 'q'"),
        ([f"{file}:gain"], "no function 'gain'"),
    ):
        assert main(["graph", *arguments]) == 2
        assert words in capsys.readouterr().err
    assert main(["graph", f"{file}:fails", "--shape", "w=n"]) == 1
    said = capsys.readouterr().err
    assert f'File "{file}", line 8, in fails' in said and "KeyError: 'mine'" in said and "site-packages" not in said
    assert "symgrad" not in said.replace(str(file), "")


def test_a_formula_is_drawn(tmp_path, capsys):
    assert main(["graph", "sum(exp(x))"]) == 0
    assert "v1 = exp(x)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["graph", "sum(x)", "-o", "no/such/folder/x.svg"], "The file is 'no/such/folder/x.svg'.\nChoose"),
        (["graph", "nowhere.py:f"], "no such file"),
        (["run", "nowhere.py"], "no such file"),
    ],
)
def test_what_cannot_be_read_or_written_is_status_1(arguments, words, capsys):
    assert main(arguments) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["diff", "sum(x*y)", "--shape", "x=n", "--shape", "y=n"],
        ["diff", "sum(x)", "--shape", "x"],
        ["diff", "sum(x)", "--shape", "x=-1"],
        ["diff", "sum(x)", "--shape", "2=3"],
        ["diff", "3"],
        ["diff", "sum(x**2)", "--format", "sympy"],  # n is a name
        ["diff", ""],
        ["diff", "x\udcff"],
        ["diff", "(" * 50_000],
        ["diff", "x" * 10**6],
        ["diff", "9^9^9^9^9^9"],
        ["diff", "().__class__.__bases__"],
        ["graph", "sum(x)", "-o", "out.xyz"],
        ["verify", "sum(x)"],
        ["verify", "y = x^2"],
        ["verify", "x + 1 = y + 1 = 2"],
        ["diff", "x^2 + y^2 == 25", "--wrt", "x"],
        ["diff", "x^2 + y^2 = 25", "--wrt", "x"],
        ["diff", "y^2", "--wrt", "x"],
        ["diff", "a*x", "--wrt", "X"],
        ["diff", "5", "--wrt", "5"],
        ["diff", "x*y", "--wrt", ""],
        ["diff", "x*y", "--wrt", "x,"],
        ["verify", "sum(x)", "--grad", "open('x')"],
        ["ops", "tahn"],
        ["report", "sum(x"],
    ],
    ids=lambda arguments: " ".join(arguments)[:30],
)
def test_what_is_not_understood_is_status_2(arguments, capsys):
    assert main(arguments) == 2
    out, said = capsys.readouterr()
    assert not out and "Traceback" not in said and said.strip() and len(said) < 1000


def test_bytes_that_are_no_text_are_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"sum(x\xff)")))
    assert main(["diff", "-"]) == 2
    assert "not utf-8" in capsys.readouterr().err


def printed(arguments, encoding):
    """The exit status, and what is written to a terminal of an encoding: on standard output, and of errors."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            status = main(arguments)
        except SystemExit as ended:  # of argparse: help, or what it does not understand
            status = ended.code
    for stream in streams:
        stream.flush()
    return status, *[stream.buffer.getvalue().decode(encoding) for stream in streams]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["diff", "sum(log(1 + exp(-y*(X@w))))", "--wrt", "w", "--order", "2"],
        ["diff", "norm(A*x - b)^2", "--dialect", "matrix", "--wrt", "x", "--format", "unicode"],
        ["diff", "sum(σ(θ))", "--wrt", "θ", "--format", "latex"],
        ["explain", "sum((A@x - b)**2)", "--wrt", "x"],
        ["verify", "sum((X@w - y)**2)", "--grad", "2*X.T@(X@w - y)", "--wrt", "w"],
        ["verify", "sum((X@w - y)**2)", "--grad", "X.T@(X@w - y)", "--wrt", "w"],
        ["verify", "sum(x**2)", "--grad", "x·∑", "--wrt", "x"],
        ["diff", "sum(σ(θ)) +", "--wrt", "θ"],
        ["graph", "sum(σ(A@θ̂)**2)"],
        ["ops"],
        ["ops", "tanh"],
        ["ops", "special.ellipk"],
        ["ops", "µ"],
        ["demo"],
        ["bench", "--peers", "--help"],
        ["report", "--help"],
    ],
    ids=lambda a: " ".join(a)[:40] if isinstance(a, list) else a,
)
def test_a_terminal_without_the_signs_has_the_same_answer_in_letters(arguments, encoding):
    status, out, errors = printed(arguments, encoding)
    truth = printed(arguments, "utf-8")
    assert status == truth[0]
    assert (
        len(out.splitlines()) == len(truth[1].splitlines()) and "\\u" not in out + errors and "\\x" not in out + errors
    )
    for said, true in ((out, truth[1]), (errors, truth[2])):
        if true.isascii():
            assert said == true
    assert "this terminal" not in errors


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("Xᵀ(y ⊙ σ(−y ⊙ Xw)) ≤ 2πσ²x⁻¹", "X^T(y .* sigma(-y .* Xw)) <= 2 pi sigma^2 x^-1"),
        ("‖Aᵀx‖ → ∂f/∂θ̂ₖ", "||A^T x|| -> df/d theta_hat_k"),
        ("x₁₂·½", "x_12*1/2"),
        ("日", "\\u65e5"),
        ("f ✓", "f ok"),
    ],
)
def test_signs_are_spelled_so_that_they_can_be_read(text, spelled):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="ascii")) as out, as_it_can():
        print(text, end="", flush=True)
        assert out.buffer.getvalue().decode() == spelled
    assert out.errors == "strict"


def test_data_are_the_same_on_every_terminal():
    arguments = ["diff", "sum(exp(A@θ))", "--wrt", "θ", "--json"]
    status, out, _ = printed(arguments, "ascii")
    assert status == 0 and out.isascii() and json.loads(out) == json.loads(printed(arguments, "utf-8")[1])


def test_a_derivative_is_an_expression_where_the_terminal_has_no_signs():
    assert printed(["diff", "sum(exp(A@x))", "--wrt", "x"], "ascii")[:2] == (0, "A.T @ exp(A @ x)\n")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # lost in a finalizer, it comes again
def test_time_is_bounded(capsys):
    text = "*".join(f"sin(x + {k})" for k in range(30))
    assert main(["diff", text, "--shape", "x=()", "--order", "4", "--seconds", "0.3"]) == 1
    assert "not done after 0.3 seconds" in capsys.readouterr().err


def test_an_alarm_that_was_caught_comes_again(capsys, monkeypatch):
    caught, slept = [], []

    def slow(*args):
        while len(caught) < 2:
            try:
                time.sleep(10)
            except BaseException as error:  # as some library may
                caught.append(error)
        time.sleep(10)
        slept.append(10)

    monkeypatch.setattr(sg.Formula, "grad", slow)
    assert main(["diff", "sum(x)", "--seconds", "0.1"]) == 1
    assert "not done after 0.1 seconds" in capsys.readouterr().err
    assert len(caught) == 2 and not slept


def test_a_mistake_of_symgrads_is_called_so_and_debug_shows_it(capsys, monkeypatch):
    def broken(*args):
        raise TypeError("oops")

    monkeypatch.setattr(sg.Formula, "grad", broken)
    assert main(["diff", "sum(x)"]) == 1
    said = capsys.readouterr().err
    assert "TypeError: oops" in said and "symgrad's mistake" in said and "Traceback" not in said
    with pytest.raises(TypeError, match="oops"):
        main(["diff", "sum(x)", "--debug"])


@pytest.mark.slow
def test_who_stops_reading_is_no_error():
    command = f"{sys.executable} -m symgrad ops | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("\n") == 1


@pytest.mark.slow
def test_the_table_of_operations(capsys):
    assert main(["ops"]) == 0
    rows = dict(re.split(r"  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines()[:-1])
    assert rows["exp"] == "exp(x)" and rows["mul"] == "b in a; a in b" and rows["cumsum"] == "linear"
    assert rows["sub"] == "1 in a; −2 in b  (for alpha = 2.0)"
    assert main(["ops", "matmul"]) == 0
    assert "matrix product" in capsys.readouterr().out
    assert main(["ops", "fft.fft"]) == 0
    assert capsys.readouterr().out.startswith("fft.fft, derivative: linear\n")


def test_the_bench_times_each(capsys):
    assert main(["bench", "--peers", "--json"]) == 0
    times = json.loads(capsys.readouterr().out)["milliseconds"]
    assert set(times) == {"symgrad", "NumPy by hand"}
    assert all(0 < t < 1e4 for row in times.values() for t in row.values())
    assert set(times["symgrad"]) == {"gradient", "hessian", "formula"}


def test_the_bench_waits_for_runs_after_those_that_compile():
    seconds = iter([0.1, 0.1, 0.1])
    assert _bench._time(lambda: time.sleep(next(seconds, 0.0))) < 50


# ------------------------------------------------------------------------------------------------------- scripts


def run(arguments, tmp_path, text, status, name="script.py"):
    script = tmp_path / name
    script.write_text(text)
    there = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    argv, path = list(sys.argv), list(sys.path)
    try:
        assert main(["run", str(script), *arguments]) == status
    finally:
        assert "torch" not in sys.modules and (sys.argv, sys.path) == (argv, path)
        sys.modules.update(there)
    return script


def test_a_script_gets_its_arguments_and_its_folder(tmp_path, capsys):
    (tmp_path / "beside.py").write_text("import torch\ntwo = torch.tensor(2.0)")
    text = "import sys, torch, beside\nprint(sys.argv[1:], __name__, isinstance(beside.two, torch.Tensor))"
    run(["--epochs", "3", "-h"], tmp_path, text, 0)
    assert capsys.readouterr().out == "['--epochs', '3', '-h'] __main__ True\n"
    sys.modules.pop("beside")


def test_a_scripts_own_status_is_kept(tmp_path):
    with pytest.raises(SystemExit) as stop:
        run([], tmp_path, "import sys; sys.exit(3)", 3)
    assert stop.value.code == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import torch\ny = torch.stft(torch.ones(3))", ":2: y = torch.stft(torch.ones(3))\nAttributeError: torch"),
        ("from torch import nn, jit", ":1: from torch import nn, jit\nModuleNotFoundError: torch, which is symgrad"),
        ("import torch\nx = torch.ones(2)\nx.to_sparse()", "'to_sparse'\nLeft out: sparse and nested tensors."),
    ],
)
def test_what_a_script_lacks_is_said_in_its_line(text, words, tmp_path, capsys):
    run([], tmp_path, text, 1)
    said = capsys.readouterr().err
    assert words in said and "Traceback" not in said


def test_an_error_of_a_script_is_shown_in_its_own_lines(tmp_path, capsys):
    script = run([], tmp_path, "import torch\ntorch.ones(2) + torch.ones(3)", 1)
    said = capsys.readouterr().err
    assert said.startswith("Traceback") and "must match the size of tensor b (3)" in said
    assert re.findall('File "(.*)"', said) == [str(script)]
    run([], tmp_path, "x = (1,", 1)
    assert "SyntaxError" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------- what others build


def test_reports_and_servers_are_called(tmp_path, capsys, monkeypatch):
    (tmp_path / "model.py").write_text(MODEL)
    called = []

    class Page:
        title = "loss"

        def save(self, path):
            called.append(path)

    server = type(sys)("symgrad.serve")
    server.serve = lambda port, debug: called.append(port) or 0
    monkeypatch.setitem(sys.modules, "symgrad.serve", server)
    monkeypatch.setattr(
        "symgrad.cli._formulas.report", lambda f, *args, wrt: called.append((f.__name__, args[0].name)) or Page()
    )
    shapes = ["--shape", "w=n", "--shape", "X=m,n", "--shape", "y=m"]
    assert main(["report", f"{tmp_path / 'model.py'}:loss", *shapes, "-o", "page.html"]) == 0
    assert main(["serve", "--port", "9"]) == 0
    assert called == [("loss", "w"), "page.html", 9]


# ----------------------------------------------------------------------------------------------------- the program


def test_the_package_runs_as_a_module():
    run = subprocess.run([sys.executable, "-m", "symgrad", "--help"], capture_output=True, text=True, check=True)
    assert "demo" in run.stdout and "examples:" in run.stdout


EXAMPLES = re.findall(
    r"^\$ symgrad (.*)\n((?:(?!\$ |```).*\n)*)", (ROOT / "docs/command-line.md").read_text(encoding="utf-8"), re.M
)


@pytest.mark.parametrize(("typed", "expected"), EXAMPLES, ids=[typed[:40] for typed, _ in EXAMPLES])
def test_the_page_on_the_command_line_shows_what_is_printed(typed, expected, capsys):
    main(shlex.split(typed))
    out, said = capsys.readouterr()
    assert doctest.OutputChecker().check_output(expected, said + out, doctest.ELLIPSIS), said + out


def test_the_name_alone_shows_four_things_to_try_and_each_works_when_pasted(capsys):
    with pytest.raises(SystemExit):
        main([])
    said = capsys.readouterr().err
    tries = re.findall(r"^  symgrad (.*)", said, re.M)
    assert len(tries) == 4 and "symgrad --help" in said
    for typed in tries:
        assert main(shlex.split(typed)) == 0, typed
        assert capsys.readouterr().out


# ------------------------------------------------------------------------------------------ names a shell completes

COMPLETES = """
import io, os, sys
from symgrad.cli import _completion, main

class Done(Exception): pass

def stop(status=0): raise Done

complete = _completion.complete
for line in sys.stdin.read().splitlines():
    os.environ |= {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9",
                   "_ARGCOMPLETE_IFS": "|", "_ARGCOMPLETE_SHELL": "bash",
                   "_ARGCOMPLETE_COMP_WORDBREAKS": " \\t\\n\\"'@><=;|&(:"}
    out = io.StringIO()
    _completion.complete = lambda *args: complete(*args, exit_method=stop, output_stream=out)
    try: main(line.split()[1:])
    except Done: pass
    print(out.getvalue())
"""
"""What a shell asks, line by line. (In a process of its own: argcomplete closes files that it did not open.)"""

COMPLETED = {
    "symgrad di": ["diff"], "symgrad ": ["diff", "explain", "verify", "graph", "ops", "completion", "--help"],
    "symgrad diff 'x' --fo": ["--format"], "symgrad diff 'x' --format ": ["unicode", "latex", "numpy", "sympy"],
    "symgrad ops tan": ["tan", "tanh"], "symgrad completion ": ["bash", "zsh", "fish"],
    "symgrad diff 'sum(log1": ["sum(log10(", "sum(log1p("], "symgrad diff 'sum(weight*we": ["sum(weight*weight"],
    "symgrad diff 'sum(log(A@x))' --wrt ": ["A", "x"], "symgrad diff 'sum(log(A@x))' --shape ": ["A=", "x="],
    "symgrad verify 'sum(theta**2)' --grad '2*the": ["2*theta"], "symgrad graph mod": ["model.py:"],
    "symgrad graph model.py:": ["loss", "gain"], "symgrad report model.py:loss --wrt ": ["w", "X", "y"],
    "symgrad run mo": ["model.py"], "symgrad graph 'sum(x)' -o da": ["data.csv"],
    "symgrad graph missing.py:": [""], "symgrad graph broken.py:": [""], "symgrad diff '((((": [""],
    "symgrad ops (": [""],
}  # fmt: skip
NOT_OFFERED = {
    "symgrad ops tan": ["tan_"],
    "symgrad run mo": ["data.csv"],
    "symgrad graph model.py:": ["Net", "absent"],
    "symgrad diff 'sum(log(A@x))' --wrt ": ["sum", "log"],
}


def test_a_shell_completes_names(tmp_path):
    pytest.importorskip("argcomplete")
    (tmp_path / "model.py").write_text("import absent\ndef loss(w, X, *, y=1): ...\ndef gain(a): ...\nclass Net: ...\n")
    (tmp_path / "broken.py").write_text("def (:\n")
    (tmp_path / "data.csv").touch()
    program = [sys.executable, "-c", COMPLETES]
    run = subprocess.run(program, input="\n".join(COMPLETED), capture_output=True, text=True, check=True, cwd=tmp_path)
    found = [[word.strip() for word in line.split("|")] for line in run.stdout.splitlines()]
    for (line, words), offered in zip(COMPLETED.items(), found, strict=True):
        assert set(words) <= set(offered) and (words != [""] or offered == words), (line, offered)
        assert not set(NOT_OFFERED.get(line, ())) & set(offered), (line, offered)


@pytest.mark.parametrize(
    ("shell", "words"), [("bash", "complete "), ("zsh", "#compdef symgrad"), ("fish", "function ")]
)
def test_what_a_shell_needs_is_printed(shell, words, capsys):
    pytest.importorskip("argcomplete")
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert words in out and "symgrad" in out


def test_without_argcomplete_the_line_that_installs_it_is_said(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert main(["completion", "bash"]) == 1
    assert "python -m pip install argcomplete" in capsys.readouterr().err


def test_a_command_does_not_load_what_completes_names():
    code = "import sys; from symgrad.cli import main; main(['diff', 'x**2', '--shape', 'x=()'])"
    code += "; print('argcomplete' in sys.modules, 'symgrad.cli._completion' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["2x", "False", "False"]


def test_the_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out == f"symgrad {sg.__version__}\n"


@pytest.mark.parametrize("arguments", [["fly"], [], ["diff", "x", "--order", "10"], ["diff", "x", "--format", "word"]])
def test_an_unknown_command_or_option_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert (arguments or ["COMMAND"])[-1] in capsys.readouterr().err


# What is typed --------------------------------------------------------------------------------------------------------


def asked(capsys, *words):
    """Status, standard output and standard error of a command."""
    try:
        status = main(list(words))
    except SystemExit as ended:
        status = ended.code
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["diff", "-x**2", "--shape", "x="], "−2x"),
        (["diff", "--order", "2", "-x**3", "--shape", "x="], "−6x"),
        (["diff", "-h**2", "--shape", "h="], "−2h"),
        (["diff", "--x**2", "--shape", "x="], "2x"),
        (["verify", "-x**2", "--grad", "-2*x", "--shape", "x="], "PROVED: the claim is the gradient of f in x"),
        (["graph", "-exp(x)", "--shape", "x="], "v2 = −v1      number   result"),
    ],
)
def test_a_formula_may_begin_with_a_minus(capsys, words, expected):
    status, out, _ = asked(capsys, *words)
    assert (status, out.splitlines()[0]) == (0, expected)


@pytest.mark.parametrize(("words", "said"), [
    (["diff", "--ordr", "2", "x**2"], "--ordr"), (["diff", "x**2", "-w", "x"], "-w"),
    (["verify", "x**2", "--grad"], "expected one argument"),
])  # fmt: skip
def test_a_misspelt_option_is_none_the_less_one(capsys, words, said):
    status, _, err = asked(capsys, *words)
    assert status == 2 and said in err


def test_a_script_has_its_own_words(tmp_path):
    (tmp_path / "script.py").write_text("import sys; print(sys.argv[1:])")
    words = [sys.executable, "-m", "symgrad", "run", str(tmp_path / "script.py"), "-x**2", "--lr", "-1"]
    # in a process of its own: where PyTorch is loaded, its name is taken
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "['-x**2', '--lr', '-1']\n"


def test_a_name_that_stands_alone_may_be_the_variable(capsys):
    _, _, err = asked(capsys, "diff", "x^2*sin(x)", "x")
    assert err.endswith("'x' is one too many; write --wrt x to differentiate in it\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["diff", "x*y", "--wrt", "x", "--wrt=y"], "--wrt stands twice, with 'x' and 'y'; write --wrt x,y"),
        (["verify", "x", "--wrt", "x", "--grad", "2", "--grad", "2"], "--grad stands twice"),
        (["diff", "x", "--order", "2", "--order", "2"], "--order stands twice, with 2 and 2; give it once"),
    ],
)
def test_an_option_that_is_given_twice_is_refused(words, said, capsys):
    status, _, err = asked(capsys, *words)
    assert status == 2 and said in err
    assert main(["diff", "a*x*y", "--wrt", "x", "--shape", "x=()", "--shape", "y=()"]) == 0


def test_a_report_is_about_a_formula_too(capsys, tmp_path):
    page = tmp_path / "page.html"
    status, out, _ = asked(capsys, "report", "norm(A@x - b)", "--wrt", "x", "-o", str(page), "--json")
    assert (status, json.loads(out)["output"]) == (0, str(page))
    assert "agrees with differences" in page.read_text() and "∂f/∂x" in page.read_text()
    assert asked(capsys, "report", "norm(A@x - b)", "-o", str(page))[2].endswith(
        "--wrt is missing: which of A, b, x?\n"
    )
    assert asked(capsys, "report", "x^4*y^3", "--wrt", "x,y", "-o", str(page))[0] == 0  # as diff takes it
    assert "∂²f/∂(x, y)²" in page.read_text() and "agrees with differences: 12 entries" in page.read_text()
    assert asked(capsys, "report", "x^4", "--wrt", "y", "-o", str(page))[0] == 2


def test_the_demo_as_data(capsys):
    status, out, _ = asked(capsys, "demo", "--json")
    data = json.loads(out)
    assert status == 0 and data["formulas"]["gradient"] == "Xᵀ(σ(Xw) − y)"
    assert [round(v, 4) for v in data["estimates"] + data["standard_errors"]] == [15.0429, -0.2322, 7.3786, 0.1082]


@pytest.mark.parametrize("command", ["diff", "explain", "verify", "graph", "report", "serve", "ops", "run"])
def test_help_says_what_a_command_is_for_with_examples(capsys, command):
    status, out, _ = asked(capsys, command, "--help")
    assert status == 0 and f"examples:\n  symgrad {command} " in out
    assert len(out.split("\n\n")[1].split()) > 2  # a sentence, between the usage and the arguments


def test_a_gradient_of_an_array_is_refused_in_the_words_of_the_command(capsys):
    status, _, err = asked(capsys, "verify", "x**2", "--grad", "2x", "--shape", "x=n")
    assert status == 2 and "--jac" in err and "--shape x=" in err and "jac=" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verify", "sin(2x)", "2sin(x)cos(x)"], "verify: error: '2sin(x)cos(x)' is one too many; write"),
        (["diff", "x*y", "--shape", "x", "n"], "'n' is one too many; a shape is written --shape x=n"),
        (["diff", "x*y", "--shape", "x=m", "n"], "'n' is one too many; sizes stand behind commas"),
        (["diff", "x", "y"], "symgrad diff: error: 'y' is one too many\n"),
        (["diff", "x", "--at", "x=2"], "there is no option --at; there are --debug, --dialect"),
        (["--nonsense"], "symgrad: error: there is no option --nonsense; there are --help, --version"),
    ],
)  # fmt: skip
def test_a_word_too_many_is_told_with_what_there_is(words, said, capsys):
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2 and said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "wrt", "found"),
    [("P = nRT/V", "T", "Rn/V"), ("exp(-E/kT)", "T", "E exp(−E/(Tk))/(T²k)"), ("mgh", "h", "gm")],
)
def test_the_letter_to_differentiate_in_stands_in_no_word(text, wrt, found, capsys):
    assert main(["diff", text, "--wrt", wrt]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == found and "Read as" in said.err
