"""What cannot be differentiated with respect to: refused with the transform, the place and what to write."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import symgrad as sg

X = np.array([1.0, 2.0])
f = lambda x: np.sum(x * x)

# name: (argument, words of the error)
BAD = {
    "objects": (np.array([1.0, 2.0], object), "holds objects(.|\n)*x.astype"),
    "objects that are no numbers": (np.array([1.0, None], object), "holds objects"),
    "rows of different lengths": (np.array([X, X[:1]], object), "holds objects"),
    "text": (np.array(["a", "b"]), "holds text"), "a text": ("abc", "the str 'abc'"),
    "NumPy's text": (np.str_("a"), "holds text"), "bytes": (b"ab", "the bytes"),
    "points in time": (X.astype("M8[s]"), "points in time(.|\n)*timedelta64"),
    "spans of time": (X.astype("m8[s]"), "spans of time"), "a date": (datetime.date(2020, 1, 1), "the date"),
    "records": (np.rec.fromarrays([X, X], names="a,b"), 'holds records(.|\n)*x\\["a"\\]'),
    "a structured array": (np.zeros(2, [("a", float), ("b", int)]), "holds records"),
    "truth values": (X > 1, "truth values(.|\n)*astype"), "True": (True, "the bool True"),
    "NumPy's True": (np.True_, "truth values"), "a set": ({1.0}, "the set"), "a range": (range(2), "the range"),
    "a function": (np.sin, "the ufunc"), "an object": (object(), "the object"),
    "a Decimal": (Decimal(1), "the Decimal(.|\n)*float"), "a Fraction": (Fraction(1, 2), "the Fraction(.|\n)*float"),
    "a tensor of whole numbers": (sg.tensor([1, 2]), "floating point(.|\n)*int64(.|\n)*double"),
}  # fmt: skip

TRANSFORMS = {
    "grad": lambda x: sg.grad(f)(x), "value_and_grad": lambda x: sg.value_and_grad(f)(x),
    "jacobian": lambda x: sg.jacobian(f)(x), "jacfwd": lambda x: sg.jacfwd(f)(x), "jacrev": lambda x: sg.jacrev(f)(x),
    "hessian": lambda x: sg.hessian(f)(x), "hvp": lambda x: sg.hvp(f, x, X), "vjp": lambda x: sg.vjp(f, x),
    "jvp": lambda x: sg.jvp(f, (x,), (X,)), "linearize": lambda x: sg.linearize(f, x),
    "laplacian": lambda x: sg.laplacian(f, x), "diag_hessian": lambda x: sg.diag_hessian(f, x),
    "hessian_operator": lambda x: sg.hessian_operator(f, x), "taylor": lambda x: sg.taylor(f, x, 2),
    "ggn_vp": lambda x: sg.ggn_vp(lambda x: x * x, x, X, f), "compile": lambda x: sg.compile(f)(x),
    "grad.formula": lambda x: sg.grad(f).formula(x), "beside": lambda x: sg.grad(lambda a, b: f(b), 1)(X, x),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("kind", BAD)
def test_bad_arguments_are_refused_by_place(name, kind):
    x, words = BAD[kind]
    with pytest.raises(sg.DTypeError, match=words) as caught:
        TRANSFORMS[name](x)
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
            TRANSFORMS[name](x)


def test_whole_numbers_of_numpy_and_python_are_floats():
    assert sg.grad(f)(np.array([1, 2])).tolist() == [2.0, 4.0] and sg.grad(f)(3) == 6.0
    assert sg.grad(f)(np.int32(3)) == 6.0


@pytest.mark.parametrize("kind", ["objects", "text", "points in time", "records"])
def test_directions_batches_and_constants_of_no_numbers_are_refused(kind):
    x = BAD[kind][0]
    for call in (
        lambda: sg.jvp(f, (X,), (x,)), lambda: sg.vjp(lambda x: x * x, X)[1](x), lambda: sg.hvp(f, X, x),
        lambda: sg.vmap(lambda x: x)(x), lambda: sg.vmap(lambda a: x)(X), lambda: sg.jacobian(lambda a: x)(X),
        lambda: sg.grad(lambda a: (a * x).sum())(X), lambda: sg.grad(lambda a, b: (a * b).sum())(X, x),
    ):  # fmt: skip
        with pytest.raises(sg.DTypeError, match="tensors do not compute with arrays of"):
            call()


def test_ragged_lists_beside_a_tensor_are_refused():
    with pytest.raises(sg.ShapeError, match="different shapes"):
        sg.grad(lambda a: (a * [[1.0, 2.0], [3.0]]).sum())(X)
