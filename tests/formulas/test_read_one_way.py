"""What would be read otherwise than it is meant is refused; what is printed says along which axis it works."""

import pytest

import symgrad as sg

MISREAD = {
    "2ˣ": "letters are not read as exponents",
    "xʸ": "letters are not read as exponents",
    "‖x‖_1": "an underscore stands inside a name only",
    "1_000 x": "an underscore stands inside a name only",
    "0x10": "numbers are decimal",
    "1ᵀx": "a number has no transpose",
}


@pytest.mark.parametrize("text", MISREAD)
def test_what_means_something_else_is_refused(text):
    with pytest.raises(sg.FormulaError, match=MISREAD[text]):
        sg.parse(text)


def test_a_softmax_over_all_entries_says_so():
    X = sg.symbol("X", ("m", "n"))
    assert str(sg.formula(lambda X: sg.logsumexp(X, (0, 1)), X).grad("X")) == "softmax(X, dim=(0, 1))"
    assert str(sg.formula(lambda X: sg.softmax(X, 1), X)) == "softmax(X)"
    assert str(sg.formula(lambda X: X.sum((0, 1)), X)) == "sum(X)"


def test_code_asks_for_sizes_that_it_cannot_see():
    x = sg.symbol("x", "n")
    code = sg.formula(lambda x: (x * x).sum(), x).hessian("x").code()
    assert "def f(n):" in code
