"""Derivatives one can read: the gradient and the Hessian of a likelihood as formulas, and as SymPy expressions."""

import numpy as np
import sympy

import symgrad as sg
from symgrad.autograd import grad


def indented(formula):
    return "    " + str(formula).replace("\n", "\n    ")


def poisson_regression():
    print("Poisson regression: the negative log-likelihood, its gradient, its Hessian times v")
    X = sg.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], name="X")
    y = sg.tensor([2.0, 3.0, 6.0, 7.0], name="y")
    w = sg.tensor([0.5, 0.5], requires_grad=True, name="w")
    v = sg.tensor([1.0, -1.0], name="v")

    eta = X @ w
    loss = (sg.exp(eta) - y * eta).sum()
    (gradient,) = grad(loss, w, create_graph=True)
    (Hv,) = grad(gradient, w, grad_outputs=v, create_graph=True)
    for tensor in (loss, gradient, Hv):
        print(" ", tensor.detach())
        print(indented(tensor.formula()))

    # a formula is a function of its symbols: here NumPy's own arithmetic gives the same
    formula, elsewhere = gradient.formula(), np.array([0.0, 1.0])
    by_hand = (np.exp(X.numpy() @ elsewhere) - y.numpy()) @ X.numpy()
    assert np.allclose(formula(w=elsewhere), by_hand)


def bell_curve():
    print("\nThe bell curve exp(-x²/2) and its derivatives, factored by SymPy: Hermite polynomials")
    x = sg.tensor(0.5, requires_grad=True, name="x")
    f = sg.exp(-(x**2) / 2)
    for order in range(5):
        print(f"  order {order}: {f.item():8.5f}   {sympy.factor(f.sympy())}")
        (f,) = grad(f, x, create_graph=True)


def conditions():
    print("\nA derivative with its conditions: Huber's loss")
    r = sg.tensor([-3.0, 0.5, 2.0], requires_grad=True, name="r")
    loss = sg.where(abs(r) <= 1, r**2 / 2, abs(r) - 0.5).sum()
    (gradient,) = grad(loss, r, create_graph=True)
    print(" ", gradient.detach())
    print(indented(gradient.formula()))


if __name__ == "__main__":
    for show in (poisson_regression, bell_curve, conditions):
        show()
