"""What is typed at the command line: formulas that look like options, pages about formulas, help, data."""

import json
import subprocess
import sys

import pytest

from symgrad.cli import main


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


def test_a_report_is_about_a_formula_too(capsys, tmp_path):
    page = tmp_path / "page.html"
    status, out, _ = asked(capsys, "report", "norm(A@x - b)", "--wrt", "x", "-o", str(page), "--json")
    assert (status, json.loads(out)["output"]) == (0, str(page))
    assert "agrees with differences" in page.read_text() and "∂f/∂x" in page.read_text()
    assert asked(capsys, "report", "norm(A@x - b)", "-o", str(page))[2].endswith(
        "--wrt is missing: which of A, b, x?\n"
    )


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
    status, _, err = asked(capsys, "verify", "x**2", "--grad", "2x")
    assert status == 2 and "--jac" in err and "--shape x=" in err and "jac=" not in err
