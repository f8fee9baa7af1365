"""What a function, and who differentiates it, hears where symgrad cannot, or may not, mean what is asked."""

import datetime
import inspect
import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.special
import scipy.stats

import symgrad as sg

X = np.array([1.0, 2.0, 4.0])
A = scipy.sparse.diags_array([1.0, 2.0, 3.0]).tocsr()
PYTORCH = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."

TRANSFORMS = {
    "grad": lambda f: sg.grad(f)(X), "value_and_grad": lambda f: sg.value_and_grad(f)(X),
    "jacobian": lambda f: sg.jacobian(f)(X), "jacfwd": lambda f: sg.jacfwd(f)(X), "hessian": lambda f: sg.hessian(f)(X),
    "hvp": lambda f: sg.hvp(f, X, X), "vjp": lambda f: sg.vjp(f, X), "jvp": lambda f: sg.jvp(f, (X,), (X,)),
    "func.grad": lambda f: sg.func.grad(f)(X), "func.jacrev": lambda f: sg.func.jacrev(f)(X),
    "taylor": lambda f: sg.taylor(lambda t: f(t * X), 1.0, order=2),
}  # fmt: skip
of_transforms = pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)


def heard(run):
    """The messages of the warnings of a run, as Python shows them by default: once per line."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        run()
    return [str(w.message) for w in seen]


def refused(f, error=sg.GradientError, at=X):
    """The message with which the gradient of ``f`` is refused."""
    with pytest.raises(error) as caught:
        sg.grad(f)(at)
    return str(caught.value)


# Arrays ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("f", "words"), [
    (lambda x: np.asarray(x, float).sum(), "leave out asarray"),
    (lambda x: np.array([x[0], x[1]], float).sum(), "np.stack([…]) or np.concatenate"),
    (lambda x: A.multiply(x).sum(), "A sparse array is a factor, A @ x"),
    (lambda x: scipy.special.logsumexp(x), "Use symgrad.scipy.special.logsumexp"),
    (lambda x: scipy.special.softmax(x)[0], "Use symgrad.scipy.special.softmax"),
    (lambda x: scipy.linalg.det(np.diag(x)), "Use symgrad.scipy.linalg.det"),
    (lambda x: scipy.stats.norm.logpdf(x).sum(), "Use symgrad.scipy.stats.norm.logpdf"),
    (lambda x: scipy.stats.levy.logpdf(x).sum(), "by scipy.stats (levy.logpdf())"),
    (lambda x: scipy.stats.levy.logpdf(x).sum(), "sg.autograd.Function"),
])  # fmt: skip
def test_a_conversion_to_an_array_says_what_to_write_instead(f, words):
    message = refused(f)
    assert message.splitlines()[0] == "Can't make numbers of an array that is differentiated."
    assert words in message
    assert "sg.stop_gradient() is for constants only" in message


def test_a_conversion_to_an_array_names_the_users_line():
    def f(x):
        y = x + 1
        return scipy.stats.norm.logpdf(y).sum()

    line = inspect.getsourcelines(f)[1] + 2
    assert f"line {line} of test_errors_in_transforms.py" in refused(f)


def test_a_librarys_function_that_is_handed_over_is_named_too():
    message = refused(scipy.special.logsumexp)
    assert "scipy.special (logsumexp())" in message
    assert "of test_errors_in_transforms.py" in message


def test_what_the_errors_advise_has_the_derivative():
    np.testing.assert_allclose(sg.grad(lambda x: (np.stack([x[0], x[1]]) ** 2).sum())(X), [2, 4, 0])
    np.testing.assert_allclose(sg.grad(lambda x: (A.toarray() @ x).sum())(X), [1, 2, 3])
    np.testing.assert_allclose(sg.grad(lambda x: sg.logsumexp(x, 0))(X), scipy.special.softmax(X))


def test_numpy_asked_for_by_name_goes_on_with_the_array_and_of_tensors_keeps_pytorchs_words():
    assert "Go on with the array" in refused(lambda x: x.numpy().sum())
    with pytest.raises(sg.GradientError) as caught:
        sg.ones(2, requires_grad=True).numpy()
    assert str(caught.value).startswith(PYTORCH)
    assert "Go on" not in str(caught.value)


# Writes to the argument -----------------------------------------------------------------------------------------------


def unrecorded(x):
    with sg.no_grad():
        x += 1
    return (x**2).sum()


def in_part(x):
    with sg.no_grad():
        x[:2].mul_(10)
    return (x**2).sum()


def detached(x):
    x.detach().add_(1)
    return (x**2).sum()


def through_data(x):
    x.data[0] = 5.0
    return (x**2).sum()


@of_transforms
@pytest.mark.parametrize("f", [unrecorded, in_part, through_data])
def test_a_write_that_no_derivative_would_know_of_is_refused(transform, f):
    before = X.copy()
    with pytest.raises(sg.GradientError if f is through_data else sg.InplaceError, match="derivative"):
        transform(f)
    assert (before == X).all()


@of_transforms
def test_a_write_to_what_is_detached_is_one_to_a_copy(transform):
    before = X.copy()
    for found, one in zip(flat(transform(detached)), flat(transform(lambda x: (x**2).sum())), strict=True):
        np.testing.assert_array_equal(found, one)
    assert (before == X).all()


def flat(result):
    """The arrays of a transform's result."""
    if isinstance(result, (tuple, list)):
        return [a for part in result for a in flat(part)]
    return [] if callable(result) else [np.asarray(result)]


def test_a_write_is_refused_inside_a_transform_in_a_transform():
    with pytest.raises(sg.InplaceError):
        sg.grad(lambda x: sg.grad(unrecorded)(x).sum())(X)
    assert X.tolist() == [1.0, 2.0, 4.0]


def whole(x):
    x += 1
    return (x**2).sum()


def entry(x):
    x[0] = 1.0
    return (x**2).sum()


def view(x):
    x[:2] *= 2
    return (x**2).sum()


@of_transforms
@pytest.mark.parametrize("f", [whole, entry, view])
def test_a_write_to_the_argument_is_one_to_what_the_function_has_of_it(transform, f):
    before = X.copy()

    def on_a_copy(x):
        return f(np.copy(x))

    for found, one in zip(flat(transform(f)), flat(transform(on_a_copy)), strict=True):
        np.testing.assert_array_equal(found, one)
    assert (before == X).all()


@pytest.mark.parametrize("f", [whole, entry, view])
def test_a_write_to_a_tensor_that_is_the_argument_keeps_pytorchs_words_and_advises_a_copy(f):
    with pytest.raises(sg.InplaceError, match="np.copy") as caught:
        sg.func.grad(f)(sg.tensor(X))
    message = str(caught.value)
    assert "a leaf Variable that requires grad is being used in an in-place operation." in message
    assert "x = x + 1 in place of x += 1" in message
    assert "no_grad" not in message


def test_leaves_that_are_no_arguments_are_told_of_no_grad():
    w = sg.ones(3, requires_grad=True)

    def f(x):
        w.add_(1)
        return (x * w).sum()

    assert "sg.no_grad()" in refused(f, sg.InplaceError)


def test_writes_to_copies_and_to_tensors_of_the_functions_own_go_on():
    def f(x):
        y, w = np.copy(x), sg.ones(3, requires_grad=True)
        y += 1
        with sg.no_grad():
            w += 1
        return (y * w.detach()).sum()

    np.testing.assert_array_equal(sg.grad(f)(X), [2, 2, 2])


def test_a_tensor_that_was_passed_is_written_to_under_no_grad_as_in_pytorch():
    t = sg.tensor(X)
    assert sg.func.grad(unrecorded)(t).tolist() == [4.0, 6.0, 10.0]
    assert t.tolist() == [2.0, 3.0, 5.0]


# Methods that mean another thing --------------------------------------------------------------------------------------

MEANINGS = {
    "std": (lambda x: x.std(), lambda x: sg.std(x, correction=0)),
    "var": (lambda x: x.var(0), lambda x: sg.var(x, 0, correction=0)),
    "var of an axis": (lambda x: x.var(axis=0), lambda x: ((x - x.mean()) ** 2).mean()),
    "repeat": (lambda x: (x.repeat(2) ** 2 * np.arange(6)).sum(), lambda x: (x**2 * np.array([1, 5, 9])).sum()),
    "std of a dim": (lambda x: x.std(dim=0), lambda x: sg.std(x, 0)),
    "a correction": (lambda x: x.var(correction=1), lambda x: np.var(x, ddof=1)),
    "sg.std": (lambda x: sg.std(x), lambda x: np.std(x, ddof=1)),
}  # fmt: skip


@of_transforms
@pytest.mark.parametrize("name", MEANINGS)
def test_a_method_means_what_numpy_means_unless_a_word_of_pytorchs_asks_for_its(transform, name):
    f, same = MEANINGS[name]
    assert heard(lambda: transform(f)) == []
    for found, one in zip(flat(transform(f)), flat(transform(same)), strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-10, atol=1e-12)


def test_functions_of_tensors_are_programs_of_pytorchs():
    t = sg.tensor(X, requires_grad=True)
    f = lambda x: x.std() + (x.repeat(2) * sg.arange(6)).sum()
    g = lambda x: np.std(x, ddof=1) + (x * np.array([3, 5, 7])).sum()
    np.testing.assert_allclose(sg.func.grad(f)(sg.tensor(X)).numpy(), sg.grad(g)(X))
    np.testing.assert_allclose(sg.grad(f)(t).detach().numpy(), sg.grad(g)(X))


@pytest.mark.parametrize("f", [lambda x: x.std(), lambda x: x.var(0), lambda x: x.repeat(2)])
def test_vmap_of_arrays_is_the_loop_over_arrays(f):
    rows = np.arange(12.0).reshape(4, 3) ** 2
    np.testing.assert_allclose(sg.vmap(f)(rows), np.stack([f(row) for row in rows]))


@pytest.mark.parametrize("f", [lambda x: x.std(), lambda x: x.var(), lambda x: x.repeat(2)])
def test_vmap_of_tensors_keeps_pytorchs_meaning(f):
    rows = sg.tensor(np.arange(12.0).reshape(4, 3) ** 2)
    assert sg.vmap(f).plan(rows).startswith("batched")
    assert sg.vmap(f)(rows).tolist() == sg.stack([f(row) for row in rows]).tolist()


# Numbers that leave the record ----------------------------------------------------------------------------------------

LOSSES = {
    "float": lambda x: float(x[0]) * x[1] ** 2, "int": lambda x: int(x[0]) * x[1] ** 2,
    "item": lambda x: x[0].item() * x[1] ** 2,
    "tolist": lambda x: x.tolist()[0] * x[1] ** 2, "complex": lambda x: complex(x[0]).real * x[1] ** 2,
}  # fmt: skip


@of_transforms
@pytest.mark.parametrize("name", LOSSES)
def test_a_number_that_is_taken_where_a_transform_runs_is_refused(transform, name):
    words = rf"{name}\(\) takes the number of an array that is being differentiated in line \d+ of test_errors_in_tr"
    with pytest.raises(sg.GradientError, match=words) as caught:
        transform(LOSSES[name])
    assert f"sg.stop_gradient(x).{'tolist' if name == 'tolist' else 'item'}()" in str(caught.value)


TAKEN = {
    "math.exp": lambda x: x[0] * math.exp(x[1]), "np.float64": lambda x: x[0] * np.float64(x.sum()),
    "round": lambda x: x[0] * round(float(x[1]), 2), "math.sqrt": lambda x: x[0] * math.sqrt(x[1]),
    "of a closure": lambda x: sg.grad(lambda y: (y * float(x[0])).sum())(x).sum(),
    "into an array": lambda x: x[1] * first_entry(x).sum(),
}  # fmt: skip


def first_entry(x):
    out = np.zeros(2)
    out[0] = x[0]
    return out


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize(
    "at", [sg.grad, sg.hessian, lambda f: lambda x: sg.grad(f).formula(x), sg.func.grad, sg.compile]
)
def test_libraries_that_take_numbers_are_refused(at, name):
    with pytest.raises((sg.GradientError, sg.SymbolicBranchError)):
        at(TAKEN[name])(X)


def test_the_error_names_the_users_line():
    line = inspect.getsourcelines(first_entry)[1] + 2
    with pytest.raises(sg.GradientError, match=f"line {line} of test_errors_in_tran"):
        sg.grad(TAKEN["into an array"])(X)


def test_texts_and_whole_numbers_are_free():
    seen = []

    def f(x):
        value = x.sum()
        seen.append((f"{value:.3f}", "%.3f" % value, "{:.3f}".format(value), str(x), repr(x)))  # noqa: UP031, UP032
        with sg.no_grad():
            seen.append(float(value))
        return (x[int(x.argmax())] * float(x.detach().max())).sum()

    for transform in (sg.grad, sg.func.grad, sg.jacobian, sg.jacfwd):
        transform(f)(X)
    assert seen[0][:3] == ("%.3f" % X.sum(),) * 3 and seen[1] == X.sum()  # noqa: UP031


def test_numbers_of_what_is_not_differentiated_here_are_free():
    w = sg.tensor([2.0, 3.0], requires_grad=True)
    assert sg.grad(lambda x: (x * float(w[0])).sum())(X).tolist() == [2.0] * len(X)


@pytest.mark.parametrize("name", LOSSES)
def test_numbers_of_detached_tensors_and_outside_of_transforms_do_not_warn(name):
    f = LOSSES[name]
    t = sg.tensor(X, requires_grad=True)
    assert heard(lambda: (sg.grad(lambda x: f(x.detach()) * x[1])(X), f(t).backward(), (t * t).sum().item())) == []


def test_a_refused_argument_leaves_no_transform_behind():
    with pytest.raises(sg.SymgradError):
        sg.func.grad(lambda x: x.sum())(sg.tensor([1, 2]))
    t = sg.tensor(X, requires_grad=True)
    assert heard(lambda: (math.sin(t[0]), t.std())) == []


# Jacobians that do not fit --------------------------------------------------------------------------------------------


def fourth(x):
    return x**4


@pytest.mark.parametrize("ask", [
    lambda x: sg.jacobian(fourth)(x), lambda x: sg.jacrev(fourth)(x), lambda x: sg.jacfwd(fourth)(x),
    lambda x: sg.func.jacrev(fourth)(x), lambda x: sg.func.jacfwd(fourth)(x),
    lambda x: sg.func.hessian(lambda x: fourth(x).sum())(x),
    lambda x: sg.jacobian(sg.grad(lambda x: fourth(x).sum()))(x),
    lambda x: sg.jacobian(lambda p: {"y": p["x"] ** 2})({"x": x}),
    lambda x: sg.autograd.functional.jacobian(fourth, sg.tensor(x)),
    lambda x: sg.jacobian(fourth)(sg.tensor(x, requires_grad=True)),
])  # fmt: skip
def test_a_jacobian_that_does_not_fit_is_refused_before_it_is_made(ask):
    words = r"(?s)1,000,000 outputs in 1,000,000 variables takes 8 TB.*sg\.vjp.*sg\.jvp.*\[:100\]"
    with pytest.raises(MemoryError, match=words) as caught:
        ask(np.ones(10**6))
    assert type(caught.value) is sg.TooLargeError


def test_some_rows_of_a_large_jacobian_fit():
    found = sg.jacobian(lambda x: fourth(x)[:2])(np.ones(10**5))
    assert found.shape == (2, 10**5)
    assert found.sum() == 8.0


# Truths and whole numbers ---------------------------------------------------------------------------------------------

TESTS = {
    "np.allclose": lambda x: np.allclose(x, 2 * x), "np.isclose": lambda x: np.isclose(x[0], x[1]),
    "np.array_equal": lambda x: np.array_equal(x, x), "np.all": lambda x: np.all(x > 0), "any": lambda x: (x > 1).any(),
    "comparison": lambda x: x[0] > 0, "np.isnan": lambda x: np.isnan(x[0]), "bool": lambda x: True,
    "np.bool": lambda x: np.bool_(True), "argmax": np.argmax, "np.count_nonzero": np.count_nonzero,
    "sum of truths": lambda x: (x > 0).sum(), "np.int64": lambda x: np.int64(3), "cast": lambda x: x.sum().astype(int),
}  # fmt: skip
OF_NUMBERS = {
    **{name: transform for name, transform in TRANSFORMS.items() if not name.startswith("func.")},
    "jacrev": lambda f: sg.jacrev(f)(X), "linearize": lambda f: sg.linearize(f, X),
    "laplacian": lambda f: sg.laplacian(f, X), "of a tensor": lambda f: sg.grad(f)(sg.tensor(X)),
    "in a container": lambda f: sg.jacobian(lambda x: {"a": f(x), "b": x.sum()})(X),
    "formula of the gradient": lambda f: sg.grad(f)(sg.symbol("x", 3)), "compile": lambda f: sg.compile(f)(X),
}  # fmt: skip


@pytest.mark.parametrize("transform", OF_NUMBERS.values(), ids=OF_NUMBERS)
@pytest.mark.parametrize("name", TESTS)
def test_a_truth_or_a_whole_number_has_no_gradient_and_says_so(transform, name):
    f = TESTS[name]
    if name == "np.int64" and transform is OF_NUMBERS["formula of the gradient"]:
        assert str(transform(f)) == "zeros(3)"  # of a constant there is no more to know
        return
    with pytest.raises((sg.DTypeError, sg.SymbolicBranchError), match="a truth value|whole numbers|values of a symbol"):
        transform(f)


def test_the_error_of_a_truth_says_what_to_return_instead():
    text = refused(lambda x: np.allclose(x, 2 * x), sg.DTypeError)
    assert "returned a truth value" in text and "np.max(np.abs(a - b))" in text and "has_aux=True" in text
    assert "x.max() in place of x.argmax()" in refused(np.argmax, sg.DTypeError)


def test_a_written_whole_number_is_a_constant_and_a_truth_may_come_along():
    assert sg.grad(lambda x: 0)(X).tolist() == [0.0, 0.0, 0.0]
    g, close = sg.grad(lambda x: (x.sum(), np.allclose(x, x)), has_aux=True)(X)
    assert g.tolist() == [1.0, 1.0, 1.0] and close


# What cannot be differentiated with respect to ------------------------------------------------------------------------


PLACE = np.array([1.0, 2.0])
f = lambda x: np.sum(x * x)

# name: (argument, words of the error)
BAD = {
    "objects": (np.array([1.0, 2.0], object), "holds objects(.|\n)*x.astype"),
    "objects that are no numbers": (np.array([1.0, None], object), "holds objects"),
    "rows of different lengths": (np.array([PLACE, PLACE[:1]], object), "holds objects"),
    "text": (np.array(["a", "b"]), "holds text"), "a text": ("abc", "the str 'abc'"),
    "NumPy's text": (np.str_("a"), "holds text"), "bytes": (b"ab", "the bytes"),
    "points in time": (PLACE.astype("M8[s]"), "points in time(.|\n)*timedelta64"),
    "spans of time": (PLACE.astype("m8[s]"), "spans of time"), "a date": (datetime.date(2020, 1, 1), "the date"),
    "records": (np.rec.fromarrays([PLACE, PLACE], names="a,b"), 'holds records(.|\n)*x\\["a"\\]'),
    "a structured array": (np.zeros(2, [("a", float), ("b", int)]), "holds records"),
    "truth values": (PLACE > 1, "truth values(.|\n)*astype"), "True": (True, "the bool True"),
    "NumPy's True": (np.True_, "truth values"), "a set": ({1.0}, "the set"), "a range": (range(2), "the range"),
    "a function": (np.sin, "the ufunc"), "an object": (object(), "the object"),
    "a Decimal": (Decimal(1), "the Decimal(.|\n)*float"), "a Fraction": (Fraction(1, 2), "the Fraction(.|\n)*float"),
    "a tensor of whole numbers": (sg.tensor([1, 2]), "floating point(.|\n)*int64(.|\n)*double"),
}  # fmt: skip

TRANSFORMS_OF_F = {
    "grad": lambda x: sg.grad(f)(x), "value_and_grad": lambda x: sg.value_and_grad(f)(x),
    "jacobian": lambda x: sg.jacobian(f)(x), "jacfwd": lambda x: sg.jacfwd(f)(x), "jacrev": lambda x: sg.jacrev(f)(x),
    "hessian": lambda x: sg.hessian(f)(x), "hvp": lambda x: sg.hvp(f, x, PLACE), "vjp": lambda x: sg.vjp(f, x),
    "jvp": lambda x: sg.jvp(f, (x,), (PLACE,)), "linearize": lambda x: sg.linearize(f, x),
    "laplacian": lambda x: sg.laplacian(f, x), "diag_hessian": lambda x: sg.diag_hessian(f, x),
    "hessian_operator": lambda x: sg.hessian_operator(f, x), "taylor": lambda x: sg.taylor(f, x, 2),
    "ggn_vp": lambda x: sg.ggn_vp(lambda x: x * x, x, PLACE, f), "compile": lambda x: sg.compile(f)(x),
    "grad.formula": lambda x: sg.grad(f).formula(x), "beside": lambda x: sg.grad(lambda a, b: f(b), 1)(PLACE, x),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS_OF_F)
@pytest.mark.parametrize("kind", BAD)
def test_bad_arguments_are_refused_by_place(name, kind):
    x, words = BAD[kind]
    with pytest.raises(sg.DTypeError, match=words) as caught:
        TRANSFORMS_OF_F[name](x)
    what = {"grad.formula": "grad", "beside": "grad"}.get(name, name)
    place = "b" if name == "beside" else "primals[0]" if name in ("vjp", "jvp", "linearize") else "x"
    assert str(caught.value).splitlines()[0] == f"sg.{what} cannot differentiate with respect to {place}"
    assert str(caught.value).count("\n") == 2


def test_the_place_in_a_container_is_named():
    with pytest.raises(sg.DTypeError, match=r"with respect to x\['names'\]\[1\]\nIt is the str 'b'"):
        sg.grad(lambda x: x["w"])({"w": 1.0, "names": (2.0, "b")})


@pytest.mark.parametrize("name", ["grad", "hessian", "vjp", "compile", "laplacian", "grad.formula"])
def test_nothing_is_refused(name):
    for x, words in ((None, "is None"), ([], "holds no array"), ({"a": None}, "holds no array")):
        with pytest.raises(sg.GradientError, match=f"nothing to differentiate with respect to\n.*{words}"):
            TRANSFORMS_OF_F[name](x)


def test_whole_numbers_of_numpy_and_python_are_floats():
    assert sg.grad(f)(np.array([1, 2])).tolist() == [2.0, 4.0] and sg.grad(f)(3) == 6.0
    assert sg.grad(f)(np.int32(3)) == 6.0


@pytest.mark.parametrize("kind", ["objects", "text", "points in time", "records"])
def test_directions_batches_and_constants_of_no_numbers_are_refused(kind):
    x = BAD[kind][0]
    for call in (
        lambda: sg.jvp(f, (PLACE,), (x,)), lambda: sg.vjp(lambda x: x * x, PLACE)[1](x), lambda: sg.hvp(f, PLACE, x),
        lambda: sg.vmap(lambda x: x)(x), lambda: sg.vmap(lambda a: x)(PLACE), lambda: sg.jacobian(lambda a: x)(PLACE),
        lambda: sg.grad(lambda a: (a * x).sum())(PLACE), lambda: sg.grad(lambda a, b: (a * b).sum())(PLACE, x),
    ):  # fmt: skip
        with pytest.raises(sg.DTypeError, match="arrays that are differentiated do not compute with arrays of"):
            call()


def test_ragged_lists_beside_a_tensor_are_refused():
    with pytest.raises(sg.ShapeError, match="different shapes"):
        sg.grad(lambda a: (a * [[1.0, 2.0], [3.0]]).sum())(PLACE)
