"""The functions that are written from rows: what they are called with, what tracebacks show, and ``out=``."""

import inspect
import traceback

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE, elementwise


@pytest.fixture
def new_row():
    yield elementwise("scaled_for_this_test", lambda x, k=2.0: x * k, lambda k: k)
    del TABLE["scaled_for_this_test"]


@pytest.mark.parametrize("call", [
    lambda f, x: f(x), lambda f, x: f(input=x), lambda f, x: f(x, k=2.0), lambda f, x: f(x, 2.0),
    lambda f, x: f(k=2.0, input=x), lambda f, x: f(x, out=sg.empty(0)),
])  # fmt: skip
def test_the_first_call_may_be_any_call_and_changes_nothing(new_row, call):
    x = sg.tensor([1.0, 3.0])
    assert str(inspect.signature(new_row)) == "(input, k=2.0, *, out=None)"
    for _ in range(2):
        assert call(new_row, x).tolist() == [2.0, 6.0]
        assert str(inspect.signature(new_row)) == "(input, k=2.0, *, out=None)"


@pytest.mark.parametrize("call", [
    lambda a, b: sg.maximum(a, other=b), lambda a, b: sg.maximum(input=a, other=b), lambda a, b: a.maximum(other=b),
    lambda a, b: sg.maximum(other=b, input=a),
])  # fmt: skip
def test_operands_have_pytorchs_names(call):
    assert call(sg.tensor([1.0, 5.0]), sg.tensor([2.0, 3.0])).tolist() == [2.0, 5.0]


def test_a_traceback_shows_the_text_of_generated_code():
    sg.ones(1).add(sg.ones(1))
    with pytest.raises(sg.ShapeError) as caught:
        sg.add(sg.ones(2), sg.ones(3))
    text = "".join(traceback.format_exception(caught.value))
    assert "<symgrad apply" in text and "try: _out = _alone(_forward, _x0, _x1)" in text


def test_out_takes_the_result_and_records_nothing():
    x = sg.tensor([1.0, 4.0])
    into, view = sg.zeros(2), sg.zeros(4)
    assert sg.sqrt(x, out=into) is into and into.tolist() == [1.0, 2.0] and into.grad_fn is None
    sg.sqrt(x, out=view[1:3])
    assert view.tolist() == [0.0, 1.0, 2.0, 0.0]
    empty = sg.empty(0)
    assert sg.maximum(x, into, out=empty) is empty and empty.tolist() == [1.0, 4.0]
    assert sg.maximum(x, other=into, out=x) is x and x.tolist() == [1.0, 4.0]
    half = sg.zeros(2, dtype=sg.float32)
    assert sg.sqrt(x, out=half).dtype == sg.float32


def test_out_of_a_tensor_that_was_saved_spoils_it():
    x, y = sg.ones(2, requires_grad=True), sg.ones(2)
    z = x * y
    sg.sqrt(sg.ones(2), out=y)
    with pytest.raises(sg.InplaceError, match="modified by an inplace operation"):
        z.sum().backward()


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda x, w: sg.sin(w, out=x), sg.GradientError, "don't support automatic differentiation"),
    (lambda x, w: sg.sin(x, out=w), sg.GradientError, "don't support automatic differentiation"),
    (lambda x, w: sg.sin(x, out=np.zeros(2)), sg.DTypeError, "argument 'out' must be Tensor, not ndarray"),
    (lambda x, w: sg.sin(x, out=sg.zeros(3)), sg.ShapeError, "doesn't match the broadcast shape"),
    (lambda x, w: sg.sin(x, out=sg.zeros(2, dtype=sg.int64)), sg.DTypeError, "can't be cast to the desired output"),
    (lambda x, w: sg.sin(x, out=sg.zeros(1).expand(2)), sg.InplaceError, "more than one element"),
])  # fmt: skip
def test_out_is_refused_as_pytorch_refuses_it(call, error, message):
    x = sg.tensor([1.0, 4.0])
    with pytest.raises(error, match=message):
        call(x, sg.ones(2, requires_grad=True))
    assert x.tolist() == [1.0, 4.0]


def test_out_works_under_no_grad_whatever_requires_a_gradient():
    w = sg.ones(2, requires_grad=True)
    with sg.no_grad():
        assert sg.square(w, out=sg.empty(0)).tolist() == [1.0, 1.0]
        sg.exp2(w, out=w)
    assert w.tolist() == [2.0, 2.0] and w.requires_grad
