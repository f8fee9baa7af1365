"""Loops over numbers in the function: their steps are written once."""

import itertools
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad._trees import postorder
from symgrad.show.layout import chains
from symgrad.show.layout_choice import sheet

S = sg.symbol


def recurrent(a, b, x):
    h = 0.0
    for t in range(12):
        h = sg.tanh(a * h + b * x[t])
    return h


def network(W, U, X):
    h = sg.zeros(3)
    for t in range(6):
        h = sg.tanh(W @ h + U @ X[t])
    return (h**2).sum()


def garch(omega, alpha, beta, r):
    s, total = 1.0, 0.0
    for t in range(10):
        s = omega + alpha * r[t] ** 2 + beta * s
        total = total - (sg.log(s) + r[t] ** 2 / s) / 2
    return total


def backwards(a, x):
    h = x[7]
    for t in range(7):
        h = sg.sin(h * a) + x[6 - t]
    return h


def iterated(a, x):
    for _ in range(8):
        x = sg.cos(a * x)
    return x


LOOPS = {
    "h₁₁\nwhere h₀ = tanh(bx₀)\n      hₜ = tanh(bxₜ + ahₜ₋₁) for t = 1 … 11": (recurrent, (S("a"), S("b"), S("x", 12))),
    "‖h₅‖²\nwhere h₀ = tanh(UX[0])\n      hₜ = tanh(UX[t] + Whₜ₋₁) for t = 1 … 5": (
        network, (S("W", (3, 3)), S("U", (3, 2)), S("X", (6, 2)))),
    "−(Σₜ₌₀⁹ (rₜ²/hₜ + log(hₜ)))/2\nwhere h₀ = αr₀² + β + ω\n      hₜ = αrₜ² + βhₜ₋₁ + ω for t = 1 … 9": (
        garch, (*[S(name, positive=True) for name in ("omega", "alpha", "beta")], S("r", 10))),
    "x₀ + h₆\nwhere h₀ = sin(ax₇)\n      hₜ = sin(ax₇₋ₜ + ahₜ₋₁) for t = 1 … 6": (backwards, (S("a"), S("x", 8))),
    "h₇\nwhere h₀ = cos(at)\n      hₖ = cos(ahₖ₋₁) for k = 1 … 7": (iterated, (S("a"), S("t"))),
}  # fmt: skip


@pytest.mark.parametrize("text", LOOPS)
def test_the_steps_of_a_loop_are_written_once(text):
    function, symbols = LOOPS[text]
    assert str(sg.formula(function, *symbols)) == text


def test_in_latex_too():
    function, symbols = LOOPS[next(iter(LOOPS))]
    latex = sg.formula(function, *symbols).latex()
    assert latex.endswith(r"h_{t} = \tanh(b x_{t} + a h_{t-1}) \quad \text{for } t = 1 \ldots 11 \end{aligned}")
    function, symbols = list(LOOPS.values())[2]
    assert (
        r"\sum_{t=0}^{9} \left(\frac{r_{t}^{2}}{h_{t}} + \log(h_{t})\right)" in sg.formula(function, *symbols).latex()
    )


_SIGNS = re.compile(r"[a-z]\[[^\]]*\]|tanh|sin|cos|[a-z]|[0-9]+|[-+*/()]")


def spelled(text):
    """What symgrad prints of numbers as Python."""
    subscripts = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋ₜₖ−", "0123456789+-tk-")
    text = re.sub("[₀-₉₊₋ₜₖ]+", lambda m: f"[{m[0].translate(subscripts)}]", text).translate(subscripts)
    signs = _SIGNS.findall(text)
    meet = [
        re.match(r"[\w)]", a[-1].replace("]", ")")) and re.match(r"[a-z(]", b) for a, b in itertools.pairwise(signs)
    ]
    meet = [found and a not in PYTHON for found, a in zip(meet, signs)]
    return "".join([a + "*" * bool(m) for a, m in zip(signs, [*meet, None])])


PYTHON = {"tanh": np.tanh, "sin": np.sin, "cos": np.cos}


def run(text, at):
    """The value of a text with a loop of numbers, read as it says: a second implementation of what it means."""
    body, first, step, letter, start, last = re.fullmatch(
        r"(.*)\nwhere h₀ = (.*)\n +h. = (.*) for (.) = (\d+) … (\d+)", text
    ).groups()
    names = {**PYTHON, **at, "h": {}}
    names["h"][0] = eval(spelled(first), names)
    for k in range(int(start), int(last) + 1):
        names["h"][k] = eval(spelled(step), {**names, letter: k})
    return eval(spelled(body), names)


@pytest.mark.parametrize("text", [t for t in LOOPS if "Σ" not in t and "‖" not in t])
def test_the_text_of_a_loop_means_the_formula(text):
    function, symbols = LOOPS[text]
    rng = np.random.default_rng(0)
    names = ("a", "b", "x") if len(symbols) == 3 else ("a", symbols[1]._extra.name)
    at = {n: rng.uniform(0.5, 1.5, tuple(map(int, s.shape))) for n, s in zip(names, symbols, strict=True)}
    formula = sg.formula(function, *symbols)
    np.testing.assert_allclose(run(str(formula), at), formula(**at))


def test_steps_that_differ_in_more_than_places_are_written_one_by_one():
    def uneven(a, x):
        for t in range(8):
            x = sg.cos(a * x) if t % 2 else sg.cos(x + a)
        return x

    assert "for t" not in str(sg.formula(uneven, S("a"), S("x")))

    def jumping(a, x):
        h = x[0]
        for t in (3, 1, 4, 2, 5, 0):
            h = sg.cos(a * h) + x[t]
        return h

    assert "for t" not in str(sg.formula(jumping, S("a"), S("x", 6)))


def test_a_formula_may_have_two_loops():
    two = sg.formula(lambda a, b, x: recurrent(a, b, x) * iterated(a, b), S("a"), S("b"), S("x", 12))
    lines = str(two).split("\n")
    assert len(re.findall("for t = ", str(two))) == 2 and len(lines) == 5, lines


def test_code_keeps_the_steps():
    function, symbols = LOOPS[next(iter(LOOPS))]
    formula = sg.formula(function, *symbols)
    names = {}
    exec(formula.code(), names)
    at = {"a": 0.3, "b": 0.7, "x": np.linspace(-1, 1, 12)}
    np.testing.assert_allclose(names["f"](**at), formula(**at))
    assert "for" not in format(formula, "ascii")


def test_a_line_of_terms_is_found_whatever_stands_beside_it():
    formula = sg.formula(recurrent, S("a"), S("b"), S("x", 12))
    (line,) = chains(list(postorder(formula.term)))[:1]
    assert len(line) == 12 and line[-1] is formula.term
    assert [label for label, _ in sheet(formula.term).definitions] == ["h[0]", "h[t]"]
