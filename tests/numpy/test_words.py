"""Messages speak the words of the function they are raised in: NumPy's among arrays, PyTorch's among tensors.

The idea to hold: a message is written once, in PyTorch's words; `symgrad._errors.NUMPYS_WORDS` puts NumPy's in their
places. So every text of the package is swept, and calls show that what is said also helps.
"""

import ast
import re

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad import _errors

from ..helpers.sources import PACKAGE, SOURCES
from ._wrong_calls import CALLS, M, R, X, program

PYTORCHS = re.compile(
    r"\.long\(|\.double\(|\.float\(|\.mT\b|\.dim\(|\.to\(|\.numpy\(|\bdetach\b|\bclone\(|\bunsqueeze|\bpermute\b"
    r"|\bcat\(|\btorch\b|\bkeepdim\b|\bdims?\d?\b|\b[Tt]ensors?\b|\bTensorList\b|\brequires? (?:a )?grad"
    r"|'(?:Double|Float|Long)'|(?<!of )(?<!negative )(?<!shape )(?<!have )(?<!has )\b[Dd]imension -?\d"
    r"|\bDimension out of range"
)
"""Words that only users of PyTorch know; a dimension with a number is an axis."""

OF_TENSORS = """
nn optim autograd func interop utils programs show views cli serve data distributed notation syntax extend inspect stats
testing cuda backends _limits _moved _serialize _function _typing _errors
""".split()  # noqa: SIM905
"""Packages whose messages no function of arrays meets, or that speak of arrays and tensors by name."""


def message_of(f, at):
    with pytest.raises(Exception) as caught:
        sg.grad(f)(at)
    return str(caught.value)


@pytest.mark.parametrize("case", CALLS, ids=[case.name for case in CALLS])
def test_a_wrong_call_of_arrays_is_told_in_numpys_words_and_the_advice_works(case):
    message = message_of(program(case.call), case.at)
    assert not PYTORCHS.findall(message), message
    assert re.search(case.operation, message), message
    assert all(re.search(words, message) for words in case.evidence), message
    assert "\n" in message or "Use " in message, message
    assert re.search(case.step, message), message
    assert np.isfinite(sg.grad(program(case.right))(case.at)).all()


# ------------------------------------------------------------------------------------------------------- every text


def texts(path):
    """The texts of a file in which there is more than one word, numbers in the places of what is filled in."""
    tree, parts = ast.parse(path.read_text(encoding="utf-8")), set()
    for node in ast.walk(tree):
        docs = isinstance(node, ast.keyword) and node.arg in ("doc", "means", "text")
        docs = docs or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "named")
        if docs or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            parts.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.JoinedStr):
            parts.update(map(id, node.values))
    for node in ast.walk(tree):
        text = None
        if isinstance(node, ast.JoinedStr) and id(node) not in parts:
            text = "".join(str(v.value) if isinstance(v, ast.Constant) else "0" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            text = node.value
        if text is not None and re.search(r"\S \S", text):
            yield node.lineno, text


NO_MESSAGES = {
    "core/reading.py": "names of rows, and of their twins in formulas",
    "_tensor/history.py": "a tensor's method, detach_, that arrays do not have",
    "ops/entries/bessel.py": "a docstring that is put together",
}
"""Files with texts that are found by their words, and are none that a function of arrays meets: why."""


def test_no_text_of_the_package_says_pytorchs_words_to_a_function_of_arrays():
    found = []
    for path in SOURCES:
        name = path.relative_to(PACKAGE).as_posix()
        if name.split("/")[0].removesuffix(".py") in OF_TENSORS or name in NO_MESSAGES:
            continue
        for line, text in texts(path):
            said = re.sub(r"'\w+'", "", _errors.in_words_of_reader(text, of_arrays=True))  # a word that the user wrote
            found += [f"{name}:{line}: {words} in {said!r}" for words in [PYTORCHS.findall(said)] if words]
    assert not found, "\n".join(found)


def test_each_row_of_words_has_a_text_that_needs_it():
    every = "\n".join(text for path in SOURCES if path.name != "_errors.py" for _, text in texts(path))
    assert [pattern for pattern, _ in _errors.NUMPYS_WORDS if re.search(pattern, every) is None] == []


# --------------------------------------------------------------------------------------------------- the other way


@pytest.mark.parametrize(("call", "words"), [
    ("(x + sg.ones(2)).sum()", r"size of tensor a \(3\).*non-singleton dimension 0"),
    ("x.sum(dim=1)", r"Dimension out of range .*\n.*The tensor has 1 dim.*\nCount dimensions"),
    ("sg.bincount(x)", r"'Double'\nCast it with \.long\(\)\."),
    ("np.sum(x, axis=1)", "Dimension out of range"),
    ("x @ sg.ones(2)", r"Transpose \(\.mT\)"),
    ("sg.cat([x, sg.ones(2, 3)])", r"Tensors must have same number of dimensions[^$]*x\.unsqueeze\(0\)"),
    ("np.asarray(x, float).sum()", r"Can't call numpy\(\) on Tensor that requires grad"),
    ("float(x[0])", r"number of a tensor[^$]*x\.detach\(\)"),
])  # fmt: skip
def test_a_function_of_tensors_hears_pytorchs_words(call, words):
    message = message_of(eval(f"lambda x: {call}", {"sg": sg, "np": np}), sg.tensor(X, requires_grad=True))
    assert re.search(words, message), message
    assert not re.search(r"\barray that is differentiated|stop_gradient|\baxis out of range", message)


def test_words_are_those_of_the_function_that_was_entered():
    def of_tensors(t):
        return (t + sg.ones(2)).sum()

    assert "size of array a" in message_of(lambda x: (x + np.ones(2)).sum(), X)
    with pytest.raises(sg.ShapeError, match="size of tensor a"):
        sg.func.grad(of_tensors)(sg.tensor(X))
    with pytest.raises(sg.ShapeError, match="size of tensor a"):  # outside of any function
        of_tensors(sg.tensor(X))


TRANSFORMS = {
    "grad": sg.grad, "hessian": sg.hessian, "jacobian": sg.jacobian, "jacfwd": sg.jacfwd, "vmap": sg.vmap,
    "compile": lambda f: sg.compile(f, "g"), "value_and_grad": sg.value_and_grad,
    "hvp": lambda f: lambda x: sg.hvp(f, x, x), "jvp": lambda f: lambda x: sg.jvp(f, (x,), (x,)),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_transform_speaks_to_arrays(name):
    at = M if name == "vmap" else X
    with pytest.raises(Exception, match="axis") as caught:
        TRANSFORMS[name](lambda x: np.sum(x, axis=3))(at)
    assert not PYTORCHS.findall(str(caught.value))


@pytest.mark.parametrize("call", [
    lambda: sg.vmap(lambda a, b: a * b)(X, X[:2]), lambda: sg.vmap(np.sin)(2.0), lambda: sg.vmap(np.sin, in_dims=3)(X),
    lambda: sg.vmap(lambda x: "a")(X), lambda: sg.grad(lambda x: "a")(X), lambda: sg.jacobian(lambda x: None)(X),
    lambda: sg.hvp(lambda x: (x**2).sum(), X, X + 1j), lambda: sg.grad(np.sum)(np.array([1, None])),
])  # fmt: skip
def test_what_a_transform_says_before_and_after_the_function_is_in_its_words(call):
    with pytest.raises(Exception) as caught:
        call()
    message = re.sub(r"in_dims?|out_dims", "", str(caught.value))  # parameters of `vmap`
    assert not PYTORCHS.findall(message), message


def test_what_the_user_wrote_is_not_translated():
    words = "'dim' of dim.py:3, a tensor of 'dim 0', in tensor.py"
    assert _errors.in_words_of_reader(words, True) == "'dim' of dim.py:3, an array of 'dim 0', in tensor.py"
    for label in ("dim", "keepdim", "tensor", "a tensor of dim 0"):
        assert repr(label) in message_of(lambda x: x[label], X)  # noqa: B023


def test_an_error_of_the_users_function_stays_as_it_is():
    def wrong(row):
        raise ValueError("a tensor of dim 3")

    assert message_of(lambda x: np.apply_along_axis(wrong, 0, x).sum(), X) == "a tensor of dim 3"


def test_of_calls_within_calls_the_innermost_is_named():
    message = message_of(lambda x: np.apply_along_axis(lambda row: np.sum(row, axis=3), 0, x).sum(), X)
    assert message.startswith("np.sum: axis out of range")


# ----------------------------------------------------------------------------------------------------- sg.stop_gradient


def test_stop_gradient_is_a_constant_to_every_transform():
    def f(x):
        return (sg.stop_gradient(np.exp(x)) * x**2).sum()

    e = np.exp(X)
    np.testing.assert_allclose(sg.grad(f)(X), 2 * X * e)
    np.testing.assert_allclose(sg.hessian(f)(X), np.diag(2 * e))
    np.testing.assert_allclose(sg.hvp(f, X, X), 2 * X * e)
    np.testing.assert_allclose(sg.jacfwd(lambda x: sg.stop_gradient(x) * x)(X), np.diag(X))
    np.testing.assert_allclose(sg.vmap(sg.grad(lambda x: sg.stop_gradient(np.exp(x)) * x**2))(X), 2 * X * e)
    t = sg.tensor(X, requires_grad=True)
    (sg.stop_gradient(sg.exp(t)) * t**2).sum().backward()
    np.testing.assert_allclose(t.grad.numpy(), 2 * X * e)
    assert f(X) == pytest.approx((e * X**2).sum())  # and by itself


def test_stop_gradient_reaches_into_containers_and_arrays_of_pieces():
    def f(x):
        found = sg.stop_gradient({"a": (x, [x[0], 1.0, None])})
        pieces = sg.stop_gradient(np.array([x[2], 1.0]))
        return found["a"][0][1] * x[1] + found["a"][1][0] * x[0] + (pieces * x[2]).sum()

    np.testing.assert_allclose(sg.grad(f)(X), [1, 2, 5])


def test_a_write_to_what_was_stopped_does_not_reach_the_array():
    def f(x):
        y = sg.stop_gradient(x)
        y[0] = 7.0
        return (y * x).sum() + x[0]

    before = X.copy()
    np.testing.assert_allclose(sg.grad(f)(X), [8, 2, 4])
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(
    "value", [3, 2.5, 1j, True, None, np.float32(2), np.zeros(0), np.zeros((1, 2), "f4"), (), [], {}]
)
def test_what_nothing_differentiates_is_handed_back_by_stop_gradient(value):
    found = sg.stop_gradient(value)
    assert found is value or found == value
    assert type(found) is type(value)


def test_what_may_hide_what_is_differentiated_is_refused_by_stop_gradient():
    with pytest.raises(sg.DTypeError, match="got a list_iterator"):
        sg.grad(lambda x: sg.stop_gradient(iter([x])))(X)


def test_scipys_functions_are_named_too():
    for f, name in (
        (lambda x: sg.scipy.special.logsumexp(x, axis=3), "scipy.special.logsumexp: axis out of range"),
        (lambda x: sg.scipy.stats.norm.logpdf(x, x[:2]).sum(), "scipy.stats.norm.logpdf: The size of array a"),
        (lambda x: scipy.special.jv("a", x).sum(), "scipy.special.jv: "),
        (lambda x: sg.scipy.linalg.expm(R * x).sum(), "scipy.linalg.expm: "),
    ):
        message = message_of(f, X)
        assert message.startswith(name), message
        assert not PYTORCHS.findall(message)
