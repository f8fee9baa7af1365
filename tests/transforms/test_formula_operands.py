"""Formulas beside symbols and tensors, and under functions: what works, and what is said where it does not."""

import numpy as np
import pytest

import symgrad as sg


def test_a_symbol_behind_a_formula_multiplies_it():
    f, d = sg.parse("exp(-x**2/t)", x=(), t=()), sg.symbol("D", ())
    assert str(f * d) == "D exp(−x²/t)"
    assert float((f * d)(x=1.0, t=2.0, D=3.0)) == pytest.approx(3 * np.exp(-0.5))


@pytest.mark.parametrize(
    "apply",
    [
        lambda f: sg.symbol("D", ()) * f, lambda f: sg.symbol("D", ()) / f, lambda f: sg.tensor(2.0) * f,
        lambda f: sg.sin(f), lambda f: sg.symbol("D", ()) + f,
    ],
)  # fmt: skip
def test_elsewhere_it_is_said_what_to_write(apply):
    with pytest.raises(sg.DTypeError, match=r"(?s)Formula exp\(x\).*Write the formula first, f \* x"):
        apply(sg.parse("exp(x)", x=()))


def test_a_function_of_a_formula_as_the_error_says():
    f = sg.parse("sin(u)", u=()).subs(u=sg.parse("x**2", x=()))
    assert str(f) == "sin(x²)"
