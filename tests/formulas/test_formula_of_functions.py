"""``sg.formula(f, *args)``: symbols named after parameters, data named after variables, numbers left as they are."""

import functools
from typing import NamedTuple

import numpy as np
import pytest

import symgrad as sg

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 3))
y = np.sign(rng.normal(size=20))
labels = np.array([0, 2, 1])
batch = {"X": X, "scale": 2.0}
calls = []


def helper(w):
    return np.log1p(np.exp(-y * (X @ w))).sum()


def nll(w):
    return helper(w) / len(y)


def names(f, *args, **kwargs):
    return sg.formula(f, *args, **kwargs).free_symbols


def agrees(f, *args, **kwargs):
    """The formula evaluates to what the function returns."""
    found = sg.formula(f, *args, **kwargs)()
    assert np.allclose(found, f(*args, **kwargs))
    return True


# -------------------------------------------------------------------------------------------------------- arguments


def test_arrays_are_named_after_parameters():
    f = lambda A, x, b: ((A @ x - b) ** 2).sum()
    args = rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=3)
    assert names(f, *args) == {"A", "x", "b"} and agrees(f, *args)


def test_tensors_are_named_after_parameters_and_their_history_stays_out():
    w = sg.tensor([1.0, 2.0], requires_grad=True, name="w")
    assert names(lambda v: v.sum(), w * 2) == {"v"}


def test_symbols_keep_their_names():
    assert names(lambda a: sg.exp(a).sum(), sg.symbol("x", "n")) == {"x"}
    assert sg.formula(lambda a: a, sg.symbol("x", "n")).shape[0].name == "n"


def test_numbers_stay_numbers_beside_arrays():
    assert names(lambda x, p: (x**p).sum(), np.ones(3), 3) == {"x"}
    assert names(lambda x, p: (x**p).sum(), np.ones(3), p=0.5) == {"x"}


def test_numbers_alone_are_symbols():
    assert names(lambda x: sg.sin(x) / x, 0.5) == {"x"}
    assert names(lambda x, k: x**k, 0.5, 3) == {"x"}
    assert names(lambda x: x**2, 3) == {"x"}


def test_variable_arguments_are_numbered_and_keywords_keep_their_names():
    assert names(lambda *xs, **kw: xs[0] + xs[1] * kw["c"], 1.0, 2.0, c=3.0) == {"xs_0", "xs_1", "c"}


def test_containers_give_names_of_their_entries():
    class Pair(NamedTuple):
        left: object
        right: object

    params = {"W": np.ones((2, 3)), "layers": [np.ones(3), np.ones(3)], 0: 2.0}
    f = lambda params: (params["W"] @ (params["layers"][0] + params["layers"][1])).sum() * params[0]
    assert names(f, params) == {"W", "layers_0", "layers_1"} and agrees(f, params)
    assert names(lambda p: p.left @ p.right, Pair(np.ones(2), np.ones(2))) == {"left", "right"}


def test_a_key_that_names_something_else_is_told_apart():
    both = {"w": np.ones(2), "b": np.ones(2)}
    assert names(lambda p, q: p["w"] @ q["w"] + p["b"] @ q["b"], both, both) == {"p_w", "q_w", "p_b", "q_b"}
    assert names(lambda p, w: p["w"] @ w, {"w": np.ones(2)}, np.ones(2)) == {"p_w", "w"}
    assert str(sg.formula(lambda p: p["alpha"] + 2 * p["beta"], {"alpha": 1.0, "beta": 2.0})) == "2β + α"


def test_arrays_of_whole_numbers_are_constants_with_names():
    f = lambda x, k: (x[k] ** 2).sum()
    assert agrees(f, np.arange(3.0), np.array([0, 2]))
    assert names(lambda x, mask: sg.where(mask, x, 0.0).sum(), np.ones(3), np.array([True, False, True])) == {
        "x",
        "mask",
    }


def test_one_name_is_one_symbol():
    f = lambda a, b: (a * b).sum()
    assert names(f, sg.symbol("b", 3), np.ones(3)) == {"b", "b_1"}


def test_defaults_are_arguments():
    f = lambda x, c=X[0], k=2.0: (k * c * x).sum()
    assert names(f, np.ones(3)) == {"x", "c"}


def test_a_partial_function_is_the_function_with_its_arguments():
    f = functools.partial(lambda a, b, c: (a * b + c).sum(), np.ones(3), c=1.0)
    assert names(f, np.ones(3)) == {"a", "b"}


def test_rows_of_the_table_and_numpy_functions_have_formulas():
    assert str(sg.formula(sg.sin, 0.3)) == "sin(x)"
    assert str(sg.formula(np.exp, np.ones(3))) == "exp(x)"


def test_methods_have_formulas():
    class Model:
        def loss(self, w):
            return ((X @ w) ** 2).sum()

    assert names(Model().loss, np.ones(3)) == {"X", "w"}


# ----------------------------------------------------------------------------------------------------- caught data


def test_data_of_the_module_are_named_in_functions_called_too():
    assert names(nll, np.zeros(3)) == {"X", "y", "w"} and agrees(nll, np.zeros(3))


def test_data_of_a_closure_are_named():
    def make():
        design, target = X[:5], y[:5]
        return lambda w: ((design @ w - target) ** 2).sum()

    assert names(make(), np.ones(3)) == {"design", "target", "w"}


def test_entries_of_caught_containers_are_named():
    assert names(lambda w: (batch["X"] @ w).sum() * batch["scale"], np.ones(3)) == {"batch_X", "w"}


def test_caught_tensors_without_a_name_get_one_and_others_keep_theirs():
    kernel, named = sg.ones(3), sg.tensor([1.0, 2.0, 3.0], name="q")
    assert names(lambda w: (kernel * w * named).sum(), np.ones(3)) == {"kernel", "q", "w"}


def test_nothing_of_the_users_is_changed():
    before, cells = dict(globals()), X.copy()
    sg.formula(nll, np.zeros(3))
    assert {k: v for k, v in globals().items() if before.get(k) is not v} == {} and np.array_equal(X, cells)
    assert isinstance(X, np.ndarray)


def test_code_that_only_arrays_can_run_keeps_its_data_unnamed():
    f = lambda w: (w * X.astype(np.float32).sum(axis=0).astype(float)).sum()
    assert agrees(f, np.ones(3))


def test_methods_that_mean_something_else_for_tensors_are_those_of_the_array():
    f = lambda w: w.sum() * y.std()  # NumPy divides by n, PyTorch by n - 1
    assert agrees(f, np.ones(3))


def test_indices_and_labels_may_be_caught():
    assert agrees(lambda w: (w[labels] * X[:3, 0]).sum(), np.ones(3))


def test_functions_that_write_to_their_surroundings_still_do():
    count = 0

    def f(w):
        nonlocal count
        count += 1
        calls.append(1)
        return (X @ w).sum()

    sg.formula(f, np.ones(3))
    assert count >= 1 and calls


# ---------------------------------------------------------------------------------------------- symbols beside data


def test_named_sizes_take_lengths_from_data():
    f = sg.formula(nll, sg.symbol("w", "k"))
    assert f.free_symbols == {"X", "y", "w"}
    assert f(w=np.ones(3)) == pytest.approx(nll(np.ones(3)))


def test_named_sizes_take_lengths_from_other_arguments():
    f = sg.formula(lambda A, x: A @ x, rng.normal(size=(4, 2)), sg.symbol("x", "n"))
    assert f.shape == (4,) and f.free_symbols == {"A", "x"}


def test_sizes_that_fit_nothing_raise_as_they_did():
    with pytest.raises(sg.ShapeError, match="mat1 and mat2|must match|size"):
        sg.formula(lambda A, x: A @ x, sg.symbol("A", ("m", "n")), sg.symbol("x", ("p", "q")))


# ------------------------------------------------------------------------------------------------- results, errors


def test_results_need_not_be_numbers():
    assert sg.formula(lambda x: sg.exp(x), sg.symbol("x", "n")).shape[0].name == "n"
    assert sg.formula(lambda x: 3.0, np.ones(2))() == 3.0


@pytest.mark.parametrize(
    ("f", "what"),
    [(3, "takes a function"), (sg.ones(2), "t.formula"), (lambda x: (x, x), "tuple"), (lambda x: None, "NoneType")],
)
def test_what_has_no_formula_says_so(f, what):
    with pytest.raises(sg.FormulaError, match=what):
        sg.formula(f, np.ones(2))


def test_a_wrong_call_raises_as_the_function_would():
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        sg.formula(lambda a, b: a, 1.0)


def test_errors_of_the_function_are_its_own():
    def f(w):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sg.formula(f, np.ones(2))


def test_branches_on_symbols_raise_and_on_arrays_choose():
    f = lambda x: x**2 if x.sum() > 0 else -x
    with pytest.raises(sg.SymbolicBranchError):
        sg.formula(f, sg.symbol("x", "n"))
    assert str(sg.formula(f, np.ones(2))) == "x²"
