"""What a formula of one row of the table prints is read back, in each notation: equal in numbers, or refused."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE

from ..helpers import rows as _rows

OF_REALS = [
    op for op in _rows.SAMPLED
    if op.kind == "elementwise" and not _rows.is_draw(op)
    and all(np.asarray(a).dtype.kind == "f" for a in _rows.sample(op)[0])
]  # fmt: skip

NOT_READ = {
    ("ascii", 0): 6, ("unicode", 0): 46, ("latex", 0): 83,
    ("unicode", 1): 46, ("latex", 1): 56, ("unicode", 2): 51, ("latex", 2): 71,
}  # fmt: skip
"""Of how many rows, of numbers, vectors and matrices, the printed form is refused: complex ones, letters that are one
capital (``K(x)``) or of two rows (``H₄(x)``), derivatives by a parameter (``∂P/∂a``), in LaTeX what says what a
function is, and |X| and quotients of matrices, which are asked about. They may only fall."""


def _formula(op, params, names, shape=()):
    return sg.formula(lambda *args: op.apply(*args, *params), *[sg.symbol(name, shape) for name in names])


@pytest.mark.parametrize(("form", "rank"), NOT_READ)
def test_what_a_row_prints_is_read_back(form, rank):
    shape = (2,) * rank
    refused = []
    for op in OF_REALS:
        operands, params = _rows.sample(op)
        names = "xyzw"[: len(operands)]
        names = names.upper() if rank == 2 else names
        formula = _formula(op, params, names, shape)
        text = format(formula, form)
        try:
            again = sg.parse(text, dialect="latex" if form == "latex" else None, **dict.fromkeys(names, shape))
        except sg.ParseError:
            refused.append(op.name)
            continue
        if not again.free_symbols <= set(names):  # K(x) is K·(x)
            refused.append(op.name)
            continue
        for entry in zip(*[np.reshape(a, -1) for a in operands], strict=True):
            point = dict(zip(names, map(float, entry), strict=True))
            point = {name: value + 0.01 * np.arange(2**rank).reshape(shape) for name, value in point.items()}
            found = again(**{name: v for name, v in point.items() if name in again.free_symbols})
            np.testing.assert_allclose(found, formula(**point), rtol=1e-9, err_msg=f"{text} was read as {again}")
    assert len(refused) <= NOT_READ[form, rank], refused


LETTERS = [
    "Γ(x)", "J₁(x)", "I₀(x)", "Y₂(x)", "j₂(2x)", "C₄^(1.5)(x)", "Ai(x)", "Ai′(x)", "R_F(x, 1 + x, 2)", "W₀(x)", "E₁(x)",
    "1/Γ(x)", "P₄^(0.5, 1.5)(x)", "He₄(x)", "Si(x)", "sn(x, 0.3)", "erfcx(x)", "betaln(x, 2)", "J₁(x)²",
    "sinc⁽²⁾(x)", "ive₁⁽¹⁾(x)", "kve₂⁽¹⁾(2x)", "erfcx⁽³⁾(x)²", "L₄⁽⁰⁾(x)", "ψ⁽²⁾(x)", "D⁽²⁾(x)", "1 + x sinc⁽¹⁾(x)",
]  # fmt: skip


@pytest.mark.parametrize("text", LETTERS)
def test_a_function_is_read_by_its_letter(text):
    assert str(sg.parse(text, x=())) == text


@pytest.mark.parametrize("text", ["sinc⁽²⁾(x)", "ive₁⁽¹⁾(x)", "kve₁⁽¹⁾(2x)", "erfcx⁽³⁾(x)²"])
def test_an_order_above_is_read_from_latex(text):
    latex = format(sg.parse(text, x=()), "latex")
    assert "^{(" in latex and str(sg.parse(latex, dialect="latex", x=())) == text


NO_ORDERS = [
    "sin⁽²⁾(x)", "x⁽²⁾", "x⁽²⁾(x)", "f⁽²⁾(x)", "sinc⁽²⁾", "sinc⁽²⁾ x", "sinc⁽²⁾[x]", "2⁽²⁾", "(x)⁽²⁾(x)", "sinc⁽⁾(x)",
    "sinc⁽²(x)", "sinc⁽ᵀ⁾(x)", "ive⁽¹⁾(x)", "sinc₁⁽²⁾(x)", "J₁⁽¹⁾(x)", "sinc ⁽²⁾(x)²⁽²⁾", "exp(x)⁽²⁾", "sinc⁽²⁾⁽²⁾(x)",
    "sinc⁽⁻¹⁾(x)", r"\sin^{(2)}(x)", r"\operatorname{sinc}^{(2)} x", r"\operatorname{sinc}_{1}^{(2)}(x)", r"x^{(2)}(x)",
    r"\operatorname{ive}_{x}^{(1)}(x)", r"\operatorname{ive}_{1}^{(x)}(x)",
    r"\operatorname{relu}^{(2)}(x)", r"\log_{2}^{(2)}(x)",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_ORDERS)
def test_an_order_above_is_that_of_a_function_of_the_table_or_refused(text):
    with pytest.raises(sg.ParseError):
        sg.parse(text, dialect="latex" if "\\" in text or "{" in text else None, x=())


def test_an_order_above_a_name_is_no_power_of_it():
    for text in ("sinc⁽²⁾(x)", r"\mathrm{sinc}^{(2)}(x)"):
        with pytest.raises(sg.ParseError):
            sg.parse(text, dialect="latex" if "\\" in text else None, x=(), sinc=())


def test_a_letter_that_is_a_name_is_no_function():
    assert sg.parse("J₁ x", J_1=(), x=()).free_symbols == {"J_1", "x"}
    assert sg.parse("Γ(x + 1)", dialect="matrix", Γ=("n", "n"), x="n").free_symbols >= {"Γ", "x"}
    for text in ("H₄(x)", "K(x)", r"I_{2}(x)"):
        with pytest.raises(sg.ParseError):
            sg.parse(text, x=())


@pytest.mark.parametrize("name", [n for n, op in TABLE.items() if op in OF_REALS and op.params])
def test_parameters_are_given_in_order_or_by_name(name):
    op = TABLE[name]
    operands, params = _rows.sample(op)
    text = f"{name}({', '.join('xyzw'[: len(operands)])}, {', '.join(f'{k}={p!r}' for k, p in zip(op.params, params))})"
    try:
        found = sg.parse(text, **dict.fromkeys("xyzw"[: len(operands)], ()))
    except sg.ParseError as error:  # a function of that name with parameters of other names
        assert name in sg.notation.functions() or "is no function" in str(error)
        return
    point = {n: float(np.reshape(a, -1)[0]) for n, a in zip("xyzw", operands)}
    expected = op.forward(*[np.asarray(v) for v in point.values()], *params)
    np.testing.assert_allclose(
        found(**{n: v for n, v in point.items() if n in found.free_symbols}), expected, rtol=1e-9
    )


OF_NUMBERS = {
    "gammainc": lambda a, x: sg.special.gammainc(a, x), "gammaincc": lambda a, x: sg.special.gammaincc(a, x),
    "betainc": lambda a, x: sg.special.betainc(a, 4, x), "betainc of halves": lambda a, x: sg.special.betainc(3, a, x),
    "betaincc": lambda a, x: sg.special.betaincc(a, a, x),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_NUMBERS)
@pytest.mark.parametrize("a", [3, 3.5, 2.7, 5])
def test_the_numbers_of_an_exponent_are_added_up(name, a):
    formula = sg.formula(lambda x: OF_NUMBERS[name](a, x), sg.symbol("x", ()))
    for _ in range(3):
        formula = formula.grad("x")
        for form in ("unicode", "latex"):
            text = format(formula, form)
            number = r"(?:[0-9./]+|\\frac\{\d+\}\{\d+\})"
            assert not re.search(rf"[({{^]{number} [−+-] {number}[)}} ]", text), text
            try:
                again = sg.parse(text, dialect="latex" if form == "latex" else None, x=())
            except sg.ParseError:
                assert form == "latex" or "B(" in text, text
            else:
                np.testing.assert_allclose(again(x=0.3), formula(x=0.3), rtol=1e-9, err_msg=text)


def test_letters_of_an_exponent_stay_before_its_number():
    formula = sg.formula(lambda a, x: sg.special.gammainc(a, x), sg.symbol("a", ()), sg.symbol("x", ()))
    found = formula.grad("x").grad("x").grad("x")
    sums = {
        "a + 1": "x^a exp(−x)/Γ(1 + a)", "2 - a": "x^(1 − a) exp(−x)/Γ(2 − a)",
        "b + a": "x^(a + b − 1) exp(−x)/Γ(a + b)",
        "b - a - 1": "x^(b − a − 2) exp(−x)/Γ(b − a − 1)", "a/2 + 1": "x^(a/2) exp(−x)/Γ(1 + a/2)",
        "3 - a - b": "x^(−a − b + 2) exp(−x)/Γ(3 − a − b)", "a*(b + 1)": "x^(ab + a − 1) exp(−x)/Γ(ab + a)",
    }  # fmt: skip
    for text, shown in sums.items():
        slope = sg.parse(f"igamma({text}, x)", a=(), b=(), x=()).grad("x")
        point = {n: v for n, v in {"a": 0.7, "b": 1.9, "x": 0.4}.items() if n in slope.free_symbols}
        assert str(slope) == shown
        np.testing.assert_allclose(sg.parse(shown, a=(), b=(), x=())(**point), slope(**point), rtol=1e-9)
    assert "x^(a − 2) " in str(found) and "Γ(a − 2)" in str(found) and "x^(a − 3) " in str(found)


@pytest.mark.parametrize("name", ["exp1", "expi", "erfcinv", "betaln", "erfcx", "loggamma"])
def test_what_a_second_derivative_prints_is_read_back(name):
    f = getattr(sg.special, name)
    given = (1.5,) if name == "betaln" else ()
    second = sg.formula(lambda x: f(*given, x), sg.symbol("x")).grad("x").grad("x")
    again = sg.parse(str(second), x=())
    for x in (0.3, 0.6):
        assert again(x=x) == pytest.approx(second(x=x), rel=1e-9), str(second)
