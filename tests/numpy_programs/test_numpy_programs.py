"""NumPy programs as scientists write them: `sg.grad(f)(array)` differentiates them, with plain NumPy where NumPy's
protocols allow it and with `symgrad.numpy` always.

The idea to hold: a program is run on plain NumPy arrays, where nothing is recorded, and differences of that are the
truth.
"""

import numpy
import pytest

from ..helpers.cases import one_in
from . import (
    _complex,
    _containers,
    _functions,
    _in_place,
    _indexing,
    _linear_algebra,
    _loops,
    _methods,
    _pieces,
    _recurrences,
    _sciences,
    _scipy,
)
from ._judge import assert_gradient, assert_second_derivatives, assert_value

MODULES = (
    _methods,
    _in_place,
    _pieces,
    _functions,
    _indexing,
    _linear_algebra,
    _loops,
    _recurrences,
    _containers,
    _complex,
    _scipy,
    _sciences,
)
pytestmark = pytest.mark.filterwarnings("ignore:.*multiplies Python objects one by one")  # of X.dot(w), as people write

CASES = {f"{module.__name__.rpartition('._')[2]}: {case.name}": case for module in MODULES for case in module.CASES}
module_of = lambda name: name.partition(":")[0]
PLAIN = [name for name, case in CASES.items() if case.plain]


@pytest.fixture(scope="module")
def own():
    """NumPy as symgrad has it, under the same names."""
    return pytest.importorskip("symgrad.numpy")


@pytest.mark.parametrize("name", PLAIN)
def test_the_gradient_of_a_program_of_plain_numpy(name):
    assert_gradient(CASES[name], numpy)


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_of_a_program_of_symgrad_numpy(name, own):
    assert_gradient(CASES[name], own)


@pytest.mark.parametrize("name", PLAIN)
def test_the_value_of_a_program_of_plain_numpy(name):
    assert_value(CASES[name], numpy)


@pytest.mark.parametrize("name", CASES)
def test_the_value_of_a_program_of_symgrad_numpy(name, own):
    assert_value(CASES[name], own)


@one_in(40)
@pytest.mark.parametrize("name", PLAIN)
def test_second_derivatives_of_a_program_of_plain_numpy(name):
    assert_second_derivatives(CASES[name], numpy)


@one_in(40)
@pytest.mark.parametrize("name", CASES)
def test_second_derivatives_of_a_program_of_symgrad_numpy(name, own):
    case = CASES[name]
    assert_second_derivatives(case, own, jacobian=case.plain)  # sg.hessian of these is taken with plain NumPy


def test_every_program_has_a_name_of_its_own():
    assert len(CASES) == sum(len(module.CASES) for module in MODULES)
