"""Files that were written before modules moved are read."""

import importlib
import io
import pickle
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad._moved import MOVED

PICKLED = Path(__file__).with_name("formulas_of_an_earlier_version.pkl")
OBJECTS = Path(__file__).with_name("objects_of_an_earlier_version.pkl")


def test_formulas_of_an_earlier_version_are_read():
    loss, gradient, traced, hessian = pickle.loads(PICKLED.read_bytes())
    x, S = np.array([0.3, -0.2, 0.5]), np.array([[2.0, 0.3], [0.3, 1.0]])
    A = np.arange(9.0).reshape(3, 3) / 7
    np.testing.assert_allclose(loss(x=x), (np.exp(A @ x) ** 2).sum() + np.where(x > 0, x, 0) @ x, rtol=1e-12)
    np.testing.assert_allclose(gradient(x=x), 2 * A.T @ np.exp(2 * A @ x) + 2 * x * (x > 0), rtol=1e-12)
    np.testing.assert_allclose(loss.grad("x")(x=x), gradient(x=x), rtol=1e-12)
    assert traced(S=S) == pytest.approx(2 + np.log(np.linalg.det(S)))
    np.testing.assert_array_equal(hessian(x=x), [[2, 2, 0], [2, 2, 1], [0, 1, 0]])
    assert str(gradient) == "2Aᵀ exp(2Ax) + 2x ⊙ 1[x > 0]"


def test_objects_of_an_earlier_version_are_read():
    found = pickle.loads(OBJECTS.read_bytes())
    assert repr(found["tensor"]) == "tensor([1., 2.], name='t', requires_grad=True)"
    assert isinstance(found["parameter"], sg.nn.Parameter) and found["row"] is sg.sin and found["dtype"] is sg.float32
    assert str(found["symbol"].shape) == "symgrad.Size([m, n])"
    assert found["net"](sg.ones(2)).shape == (1,) and found["sgd"].param_groups[0]["lr"] == 0.5
    np.testing.assert_allclose(found["hess"]["m", "m"], 1.0)  # of four observations, σ = 2
    assert "2.5" in str(found["summary"])


def test_weights_of_an_earlier_version_are_read():
    t = sg.tensor([1.0, 2.0], name="t")
    earlier = pickle.dumps(t, protocol=4).replace(
        b"\x8c\x17symgrad._tensor.history", b"\x8c\x18symgrad._tensor._history"
    )
    assert b"._history" in earlier
    assert sg.load(io.BytesIO(earlier), weights_only=True).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", MOVED)
def test_a_module_that_has_moved_has_what_it_had(name):
    old, new = importlib.import_module(name), importlib.import_module(MOVED[name])
    assert all(getattr(old, n) is v for n, v in vars(new).items() if not n.startswith("__"))
