"""What transforms return is the caller's: it shares memory with nothing, and may be written to."""

import itertools

import numpy as np
import pytest

import symgrad as sg

N = 9
C = np.linspace(0.2, 1.0, N)
A = np.add.outer(C, C**2)

OF_ONE_NUMBER = {
    "x·x": lambda x: (x * x).sum(),
    "linear": lambda x: (x * C).sum(),
    "sum": lambda x: x.sum(),
    "Rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "weighted": lambda x: (np.exp(x) * C).sum(),
    "quadratic": lambda x: x @ A @ x,
    "logsumexp": lambda x: np.log(np.sum(np.exp(x))),
}
OF_ARRAYS = {
    "itself": lambda x: x,
    "a view": lambda x: x[::-1],
    "a shape": lambda x: x.reshape(-1, 1),
    "a constant": lambda x: C,
    "twice": lambda x: (x, x),
    "several": lambda x: {"a": x[1:], "b": x + 0, "c": C},
    "exp": lambda x: np.exp(x),
}
V = np.ones(N)
CALLS = {
    **{name: lambda f, name=name: getattr(sg, name)(f) for name in ("grad", "value_and_grad", "hessian", "jacobian")},
    **{f"hessian {form}": lambda f, form=form: sg.hessian(f, format=form) for form in ("dense", "csr", "structured")},
    **{f"compile {what}": lambda f, what=what: sg.compile(f, what) for what in ("f", "g", "h", "fgh")},
    "hvp": lambda f: lambda x: sg.hvp(f, x, V),
}
CALLS_OF_ARRAYS = {
    "vjp": lambda f: lambda x: sg.vjp(f, x)[0],
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (V,)),
    "linearize": lambda f: lambda x: sg.linearize(f, x)[0],
    "jacobian": sg.jacobian,
    "jacfwd": sg.jacfwd,
    "vmap": lambda f: lambda x: sg.vmap(f)(np.stack([x, 2 * x])),
    "has_aux": lambda f: sg.grad(lambda x: (x.sum(), f(x)), has_aux=True),
}


def arrays_in(result):
    """The arrays that a result holds, whatever kind of result it is."""
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, dict):
        return arrays_in(list(result.values()))
    if isinstance(result, tuple | list):
        return [a for part in result for a in arrays_in(part)]
    if hasattr(result, "indptr"):
        return [result.data, result.indices, result.indptr]
    parts = [getattr(result, name) for name in getattr(type(result), "__slots__", ()) if hasattr(result, name)]
    return arrays_in([*parts, *getattr(result, "__dict__", {}).values()])


def check_its_own(call, x):
    held = [x, C, A, V]
    before = [h.copy() for h in held]
    first, second = arrays_in(call(x)), arrays_in(call(x))
    expected = [a.copy() for a in first]
    for a, b in [*itertools.product(first, second), *itertools.product(first, held), *itertools.combinations(first, 2)]:
        assert not np.shares_memory(a, b)
    for a in [*first, *second]:
        a[...] = 0
    for a, e in zip(arrays_in(call(x)), expected, strict=True):
        np.testing.assert_array_equal(a, e)
    for h, b in zip(held, before):
        np.testing.assert_array_equal(h, b)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("f", OF_ONE_NUMBER)
def test_derivatives_of_one_number(f, call):
    check_its_own(CALLS[call](OF_ONE_NUMBER[f]), np.linspace(0.1, 0.9, N))


# what is carried along and is no tensor is the function's own object, and stays that
OWN_OBJECTS = {("a constant", "has_aux"), ("several", "has_aux")}


@pytest.mark.parametrize(("f", "call"), sorted({*itertools.product(OF_ARRAYS, CALLS_OF_ARRAYS)} - OWN_OBJECTS))
def test_values_and_derivatives_of_arrays(f, call):
    check_its_own(CALLS_OF_ARRAYS[call](OF_ARRAYS[f]), np.linspace(0.1, 0.9, N))


def test_writing_to_the_output_of_vjp_changes_no_later_product():
    x = np.linspace(0.1, 0.9, N)
    output, pull = sg.vjp(lambda x: np.exp(x), x)
    output[...] = 0
    np.testing.assert_array_equal(pull(V)[0], np.exp(x))
    output, push = sg.linearize(lambda x: np.exp(x), x)
    output[...] = 0
    np.testing.assert_allclose(push(V), np.exp(x))
