"""The command line: the demonstration's numbers, formulas and exit status."""

import subprocess
import sys

import numpy as np
import pytest

from symgrad.cli import _demo, main


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
        (["norm(x)", "--wrt", "x", "--format", "latex"], r"\frac{x}{\lVert x \rVert}"),
        (["sum(x**2)", "--wrt", "x", "--format", "ascii"], "2*x"),
        (["sum(s*t)", "--wrt", "t", "--shape", "s=()", "--shape", "t=n,m"], "s𝟏𝟏ᵀ"),
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
    assert main(["diff", "norm(A*x)^2", "--wrt", "x"]) == 2
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


@pytest.mark.parametrize("which", ["estimate", "standard error", "log-likelihood"])
def test_the_demo_fails_if_a_number_is_off(which, capsys, monkeypatch):
    if which == "log-likelihood":
        monkeypatch.setattr(_demo, "PUBLISHED_LOG_LIKELIHOOD", -10.2)
    else:
        wrong = (15.05, 7.3786) if which == "estimate" else (15.0429, 7.4)
        monkeypatch.setitem(_demo.PUBLISHED, "intercept", wrong)
    assert main(["demo"]) == 1
    assert "WRONG" in capsys.readouterr().out


def test_the_package_runs_as_a_module():
    run = subprocess.run([sys.executable, "-m", "symgrad", "--help"], capture_output=True, text=True, check=True)
    assert "demo" in run.stdout


def test_an_unknown_command_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["fly"])
    assert stop.value.code == 2
    assert "fly" in capsys.readouterr().err
