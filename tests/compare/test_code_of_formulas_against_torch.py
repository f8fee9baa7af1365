"""The PyTorch code of formulas, run by PyTorch: slices that go backwards, which PyTorch does not have."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.numeric import assert_close

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.compare

rng = np.random.default_rng(0)
x, X, T = rng.normal(size=6), rng.normal(size=(4, 4)), rng.normal(size=(3, 4, 5))

BACKWARDS = {
    "[::-1]": (lambda x: (x[::-1] ** 2 * x).sum(), x),
    "[::-2]": (lambda x: (x[::-2] ** 2 * x[:3]).sum(), x),
    "[4:1:-2]": (lambda x: (x[4:1:-2] ** 3 * x[:2]).sum(), x),
    "[-2:-5:-1]": (lambda x: (x[-2:-5:-1] ** 2 * x[1:4]).sum(), x),
    "[99:-99:-2], beyond both ends": (lambda x: (x[99:-99:-2] ** 2 * x[:3]).sum(), x),
    "[2::-1]": (lambda x: (x[2::-1] ** 2 * x[:3]).sum(), x),
    "[:2:-1]": (lambda x: (x[:2:-1] ** 2 * x[:3]).sum(), x),
    "[1:4:-1], which is empty": (lambda x: (x[1:4:-1] ** 2).sum() + x.sum() ** 3, x),
    "[None, ::-1]": (lambda x: (x[None, ::-1] ** 2 * x[:, None] ** 2).sum(), x),
    "rows": (lambda x: (x[::-1] * x).sum() ** 2, X),
    "rows and columns": (lambda x: (x[::-1, 1:3] ** 2).sum(0) @ x[0, 2:], X),
    "rows of a product": (lambda x: (x @ x[::-1] @ x.T[:, ::-1]).sum(), X),
    "entries of a product": (lambda x: ((x @ x)[::-1] @ np.arange(4.0))[::-2].sum(), X),
    "[..., ::-1]": (lambda x: (x[..., ::-1] ** 3 * x).sum(), T),
    "[1, ::-1, ::2]": (lambda x: (x[1, ::-1, ::2] ** 3 * x[0, :, ::2]).sum(), T),
    "[::-1, ..., ::-2]": (lambda x: (x[::-1, ..., ::-2] ** 3 * x[..., :3]).sum(), T),
    "[[2, 0], ::-1]": (lambda x: (x[[2, 0], ::-1] ** 3 * x[:2]).sum(), X),
}


def run(formula, point):
    scope = {}
    exec(formula.code("torch", name="code"), scope)
    return scope["code"](*[torch.as_tensor(point)] * len(formula.free_symbols))


@pytest.mark.parametrize("index", BACKWARDS)
def test_slices_backwards_run_in_torch(index):
    f, point = BACKWARDS[index]
    formula = sg.formula(f, x=point)
    for wanted in (formula, formula.grad("x"), formula.hessian("x")):
        assert "::-" not in wanted.code("torch")
        assert_close(run(wanted, point), wanted(), what=wanted.code("torch"))
    leaf = torch.tensor(point, requires_grad=True)
    scope = {}
    exec(formula.code("torch", name="code"), scope)
    (slope,) = torch.autograd.grad(scope["code"](leaf), [leaf])  # through the code, by PyTorch
    assert_close(slope, formula.grad("x")())


def test_an_array_turned_round_is_flipped():
    formula = sg.formula(lambda x: (x[::-1] ** 2 * x).sum(), x)
    assert "torch.flip(x, (0,))" in formula.code("torch")
    assert "x[::-1]" in formula.code()


@pytest.mark.parametrize("index", ["[::-1]", "[::-2]", "[4:1:-2]", "rows", "[..., ::-1]"])
def test_compiled_slices_backwards_run_in_torch(index):
    f, point = BACKWARDS[index]
    found = sg.compile(f, "fgh", target="torch")(point)
    formula = sg.formula(f, x=point)
    for got, wanted in zip(found, (formula, formula.grad("x"), formula.hessian("x"))):
        assert_close(got, wanted())


OF_SEVERAL_TERMS = {
    "betaln": lambda x: sg.special.betaln(x, 3.0), "betaln of a number first": lambda x: sg.special.betaln(3.0, x),
    "beta": lambda x: sg.special.beta(2.0, x), "gamma": sg.special.gamma, "kl_div": lambda x: sg.special.kl_div(x, 2.0),
    "rel_entr": lambda x: sg.special.rel_entr(2.0, x), "cbrt": np.cbrt, "heaviside": lambda x: np.heaviside(x, 0.5) + x,
    "density": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi), "floor": lambda x: (7 * x) // 2.0,
}  # fmt: skip
AROUND = {
    "alone": lambda y, x: y, "subtracted": lambda y, x: x - y, "negative": lambda y, x: -y,
    "a factor": lambda y, x: x * y, "divided by": lambda y, x: x / y,
    "divided": lambda y, x: y / x, "a square": lambda y, x: y**2,
    "an exponent": lambda y, x: x**y, "a base": lambda y, x: y**x,
}  # fmt: skip


@pytest.mark.parametrize("name", OF_SEVERAL_TERMS)
@pytest.mark.parametrize("where", AROUND)
def test_what_takes_several_terms_in_torch_holds_together_wherever_it_stands(name, where):
    formula = sg.formula(lambda x: AROUND[where](OF_SEVERAL_TERMS[name](x), x), x=np.array(1.5))
    for wanted in (formula, formula.grad("x")):
        assert_close(run(wanted, np.array(1.5)), wanted(), what=wanted.code("torch"))
