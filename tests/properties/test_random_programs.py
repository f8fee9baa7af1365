"""Random programs: derivatives of every order agree with differences, and the formula with the number."""

import gc

import numpy as np
import pytest

import symgrad as sg

from ..helpers.examples import seeds
from ..helpers.numeric import assert_close, gradient, is_smooth
from ._programs import differentiated, program_of

SMOOTH = {"smooth": True}
WRITTEN = {"smooth": True, "inplace": True}
EVERYTHING = {"smooth": False, "inplace": True}
LARGEST = 1e4
"""Differences of larger numbers say more about rounding than about derivatives."""


def leaves_of(program, arrays=None):
    return [sg.tensor(a, requires_grad=True) for a in (program.leaves if arrays is None else arrays)]


def put(arrays, i, a):
    return [*arrays[:i], a, *arrays[i + 1 :]]


def gradients(program, arrays=None, graph=False):
    leaves = leaves_of(program, arrays)
    return leaves, sg.autograd.grad(program.loss(sg, leaves), leaves, create_graph=graph, materialize_grads=True)


def legal(seed, options):
    """The program of a seed; None for one that PyTorch refuses too, and for numbers too large for differences."""
    program = program_of(seed, **options)
    found = differentiated(program, leaves_of(program))
    return program if found and all(np.abs(g.numpy()).max() < LARGEST for g in found[1]) else None


def direction(program):
    """The loss along a line through the leaves."""
    rng = np.random.default_rng(0)
    u = [rng.normal(size=a.shape) for a in program.leaves]
    return lambda t: program.loss(
        sg, leaves_of(program, [a + t * v for a, v in zip(program.leaves, u, strict=True)])
    ).item()


def steady(seed, options):
    """The legal program of a seed; None where differences do not see its slope, for it bends within their step."""
    program = legal(seed, options)
    return program if program and is_smooth(direction(program)) else None


@pytest.mark.parametrize("options", [SMOOTH, WRITTEN, EVERYTHING], ids=str)
def test_most_programs_are_legal(options):
    assert sum(legal(seed, options) is not None for seed in range(40)) >= 30


def test_differences_see_the_slopes_of_most_programs():
    assert sum(steady(seed, SMOOTH) is not None for seed in range(40)) >= 30


def check_first(program):
    _, found = gradients(program)
    for i, g in enumerate(found):
        expected = gradient(
            lambda a, i=i: program.loss(sg, leaves_of(program, put(program.leaves, i, a))).item(), program.leaves[i]
        )
        assert_close(g.numpy(), expected, rtol=1e-5, atol=1e-5, what=f"d loss / d x{i}")


@seeds(20)
def test_gradient_is_the_derivative(seed):
    if program := steady(seed, SMOOTH):
        check_first(program)


@seeds(20)
def test_gradient_is_the_derivative_with_in_place_writes(seed):
    program = steady(seed, WRITTEN)
    if program and not any("detach" in line for line in program.lines):  # differences do not know what is cut
        check_first(program)


@seeds(20)
def test_second_derivative_is_the_derivative_of_the_gradient(seed):
    program = steady(seed, SMOOTH)
    if not program:
        return
    rng = np.random.default_rng(0)
    u = [rng.normal(size=a.shape) for a in program.leaves]

    def along(arrays):
        return sum(float((g.numpy() * v).sum()) for g, v in zip(gradients(program, arrays)[1], u, strict=True))

    leaves, first = gradients(program, graph=True)
    total = sum((g * sg.tensor(v)).sum() for g, v in zip(first, u, strict=True))
    if not total.requires_grad:
        second = [sg.zeros_like(x) for x in leaves]
    else:
        second = sg.autograd.grad(total, leaves, materialize_grads=True)
    for i, h in enumerate(second):
        expected = gradient(lambda a, i=i: along(put(program.leaves, i, a)), program.leaves[i])
        assert_close(h.numpy(), expected, rtol=1e-5, atol=1e-5, what=f"second derivative by x{i}")


def loss_and_gradient(program, arrays):
    """The loss and its gradient in the first leaf, with their graphs; None where PyTorch refuses that too."""
    found = differentiated(program, leaves_of(program, arrays), create_graph=True)
    return found and (found[0], found[1][0])


def rounding(number, near):
    """How far the last digits of the leaves move a number: a large product modulo 0.7 has no digits of its own."""
    with np.errstate(invalid="ignore"):
        moved = np.abs(near - number)
    return 100 * moved[np.isfinite(moved)].max(initial=0)


@seeds(20)
def test_formula_is_the_number(seed):
    program = program_of(seed, **EVERYTHING)
    found = loss_and_gradient(program, program.leaves)
    nearby = loss_and_gradient(program, [a * (1 + 1e-15) for a in program.leaves])
    if not (found and nearby):
        return
    written_unseen = any(".detach()" in line for line in program.lines)
    for t, near in zip(found, nearby, strict=True):
        try:
            formula = t.formula()
        except sg.FormulaError as error:
            # a write through detach() changes values that no recorded operation explains: then, and only then, refused
            assert written_unseen and "no formula describes" in str(error)
            continue
        assert str(formula)
        number = t.detach().numpy()
        try:
            value = formula()
        except sg.FormulaError as error:  # at a point that it leaves out, where the number is NaN
            assert "the formula holds where" in str(error) and not np.isfinite(number).all()
            continue
        np.testing.assert_allclose(value, number, rtol=1e-9, atol=1e-9 + rounding(number, near.detach().numpy()))


@seeds(20)
def test_walking_a_retained_graph_twice_doubles_the_gradients(seed):
    program = program_of(seed, **EVERYTHING)
    if differentiated(program, leaves_of(program)) is None:
        return
    leaves = leaves_of(program)
    loss = program.loss(sg, leaves)
    loss.backward(retain_graph=True)
    once = [None if x.grad is None else x.grad.numpy().copy() for x in leaves]
    loss.backward()
    for x, g in zip(leaves, once, strict=True):
        assert (x.grad is None) == (g is None)
        if g is not None:
            np.testing.assert_array_equal(x.grad.numpy(), 2 * g)


@seeds(20)
def test_the_garbage_collector_changes_nothing(seed):
    program = program_of(seed, **EVERYTHING)

    def numbers():
        try:
            _, found = gradients(program, graph=True)
            return [g.detach().numpy() for g in found]
        except sg.SymgradError as error:
            return str(error)

    with_collector = numbers()
    gc.disable()
    try:
        without = numbers()
    finally:
        gc.enable()
    if isinstance(with_collector, list):
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(with_collector, without, strict=True))
    else:
        assert with_collector == without


@seeds(20)
def test_a_programs_direction_is_smooth(seed):
    """What the generator promises to the tests above."""
    if program := legal(seed, SMOOTH):
        assert is_smooth(direction(program), step=1e-4)  # some bend within a larger one
