"""What is worked out about operations while recording is off is right for later, when it is on."""

import subprocess
import sys

import numpy as np
import pytest

import symgrad as sg

MODES = [sg.no_grad, sg.inference_mode]
X = np.random.default_rng(0).normal(size=(7, 3))
W = np.array([0.3, -0.5, 0.8])


def softplus_loss(w):
    return sg.log1p(sg.exp(-(X @ w))).sum()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_rules_that_are_first_read_without_recording_are_right(mode):
    script = f"""
import numpy as np, symgrad as sg
g = lambda x: sg.erfinv(x).sum() + sg.atanh(x).sum() + sg.lgamma(x + 1).sum()
x = np.array([0.3, 0.2])
with sg.{mode}():
    inside = sg.hessian(g)(x), sg.formula(sg.grad(g), sg.symbol("x", "n"))
truth = sg.func.hessian(g)(sg.tensor(x)).numpy()
assert np.allclose(inside[0], truth)
after = sg.formula(sg.grad(g), sg.symbol("x", "n"))
assert str(after) == str(inside[1])
assert np.allclose(after(x=x), sg.grad(g)(x))
assert np.allclose(sg.hessian(g)(x), truth)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("mode", MODES)
def test_programs_are_made_and_used_without_recording(mode):
    def f(w):  # a structure of its own
        return sg.log1p(sg.exp(-(X @ w))).sum() + (w**3).sum() + (mode is sg.no_grad) * 3.0

    v = np.array([1.0, -1.0, 0.5])
    truth = sg.func.hessian(f)(sg.tensor(W)).numpy()
    with mode():
        matrix, product, diagonal, trace = (
            sg.hessian(f)(W), sg.hvp(f, W, v), sg.diag_hessian(f, W), sg.laplacian(f, W),
        )  # fmt: skip
        assert "a program runs" in sg.hessian(f).plan(W)
    np.testing.assert_allclose(matrix, truth, rtol=1e-12)
    np.testing.assert_allclose(product, truth @ v, rtol=1e-12)
    np.testing.assert_allclose(diagonal, np.diag(truth), rtol=1e-12)
    np.testing.assert_allclose(trace, np.trace(truth), rtol=1e-12)
    assert "a program runs" in sg.hessian(f).plan(W)
