"""What a formula takes from a rule must hold for all values, not for those at which the rule was read."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.calculus.derive import vjp
from symgrad.core import computed
from symgrad.terms.node import Call, Var

from ..helpers.rows import SAMPLED, rows, sample

READ = [op for op in SAMPLED if op.kind not in ("elementwise", "constant") and not op.variadic]


def read_at(op, seed, params):
    """The terms of a row's rules, read at operands drawn with a seed."""
    operands, _ = sample(op, rng=np.random.default_rng(seed))
    if any(not isinstance(a, np.ndarray) or a.dtype.kind != "f" for a in operands):
        pytest.skip("a formula leaves complex numbers to the tape")
    variables = tuple(Var(f"v{k}", a.shape) for k, a in enumerate(operands))
    values = {v.name: a for v, a in zip(variables, operands)}
    result = computed(op, operands, params)
    found = []
    for out, y in enumerate(result) if op.outputs else [(None, result)]:
        term, g = Call(op, variables, params, np.shape(y), out), Var("g", np.shape(y))
        found += [vjp(term, i, g, values) for i, rule in enumerate(op.rules) if callable(rule)]
    return found


@rows(READ)
def test_a_rule_reads_the_same_wherever_it_is_read(op):
    params = tuple(p._data if isinstance(p, sg.Tensor) else p for p in sample(op)[1])
    first, second = read_at(op, 1, params), read_at(op, 2, params)
    assert all(a is b for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("reduce", ["amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_the_extremes_that_are_scattered_are_chosen_anew_at_each_point(reduce, include_self):
    places = np.array([0, 0, 1, 1])

    def f(x):
        return (x[:2].scatter_reduce(0, places, x * x, reduce, include_self=include_self) ** 2).sum()

    points = np.array([-1.184, 0.743, -0.376, 1.046]), np.array([0.3, 2.0, -1.5, 0.2]), np.array([2.0, 0.5, -0.5, 0.5])
    gradient, H = sg.formula(f, sg.symbol("x", 4)).grad("x"), sg.hessian(f)
    for x in points:
        np.testing.assert_allclose(gradient(x=x), sg.grad(f)(x))
        np.testing.assert_allclose(H(x), sg.func.hessian(f)(sg.tensor(x)).numpy())
