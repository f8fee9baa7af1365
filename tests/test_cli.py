"""The command line: the demonstration's numbers, formulas and exit status."""

import subprocess
import sys

import pytest

from symgrad.cli import _demo, main


def test_the_demo_reproduces_the_published_fit_and_shows_the_formulas(capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    for text in ("15.0429", "7.3786", "-0.2322", "0.1082", "-10.158"):
        assert out.count(text) >= 2  # computed, and published
    assert "sum(logaddexp(0, X @ w) - y*(X @ w))" in out
    assert "(sigmoid(X @ w) - y) @ X" in out
    assert "where r0 = sigmoid(X @ w)" in out


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
