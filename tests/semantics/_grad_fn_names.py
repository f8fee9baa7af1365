"""The operands that the tables of `grad_fn` names speak of."""

from functools import partial

import symgrad as sg


def operands():
    leaf = partial(sg.tensor, requires_grad=True)
    return {
        "sg": sg,
        "F": sg.nn.functional,
        "x": leaf([0.2, 0.5, 0.7]),
        "y": leaf([0.3, 0.4, 0.9]),
        "s": leaf(0.6),
        "A": leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]),
        "S": leaf([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),
        "B": leaf([[[1.0, 2.0], [3.0, 5.0]]]),
        "R": leaf([[[1.0, 2.0, 3.0]]]),
        "c": sg.tensor([2.0, 3.0, 4.0]),
        "i": sg.tensor([0, 2]),
        "m": sg.tensor([True, False, True]),
    }


def name_of(expression):
    result = eval(expression, operands())
    if isinstance(result, (tuple, list)):
        result = result[0]
    return result.grad_fn.name()
