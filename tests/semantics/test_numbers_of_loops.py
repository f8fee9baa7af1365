"""Single numbers in a function of arrays: they are followed in a list of steps, which nobody is to notice."""

import numpy as np
import pytest

import symgrad as sg


@pytest.mark.parametrize("used", [lambda b: b * b, lambda b: b * np.arange(3.0), lambda b: np.stack([b, b * 3])])
@pytest.mark.parametrize("made", [lambda x: x[0], lambda x: x[0] * 2, lambda x: np.sin(x[0]) + x[1]])
def test_a_number_that_is_first_used_where_nothing_is_recorded_keeps_its_history(made, used):
    def f(x, quietly):
        b = made(x)
        if quietly:
            with sg.no_grad():
                used(b)
        return b**3

    x = np.array([0.7, 1.3])
    expected = sg.grad(lambda x: f(x, False))(x)
    assert expected.any()
    np.testing.assert_array_equal(sg.grad(lambda x: f(x, True))(x), expected)
