"""Derivatives of derivatives: Taylor coefficients, a Hessian-vector product, a gradient penalty."""

import math

import symgrad as sg
from symgrad.autograd import grad


def taylor_coefficients(f, at, order):
    """f(at), f'(at), f''(at)/2!, ... by differentiating again and again."""
    x = sg.tensor(at, requires_grad=True)
    derivative, coefficients = f(x), []
    for k in range(order + 1):
        coefficients.append(derivative.item() / math.factorial(k))
        if k < order:
            (derivative,) = grad(derivative, x, create_graph=True)
    return coefficients


def hessian_vector_product(f, x, v):
    """The Hessian of f at x times v, at the cost of about two gradients and no matrix."""
    (gradient,) = grad(f(x), x, create_graph=True)
    return grad(gradient, x, grad_outputs=v)[0]


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def gradient_penalty(w, x):
    """A loss that contains a gradient: the size of the model's slope in its input."""
    (slope,) = grad(sg.tanh(x * w).sum(), x, create_graph=True)
    return (slope**2).sum()


def main():
    coefficients = taylor_coefficients(lambda x: sg.exp(sg.sin(x)), 0.0, 6)
    print("exp(sin x) at 0:", " ".join(f"{c:.6f}" for c in coefficients))
    expected = [1, 1, 1 / 2, 0, -1 / 8, -1 / 15, -1 / 240]
    assert all(math.isclose(a, b, abs_tol=1e-12) for a, b in zip(coefficients, expected, strict=True))

    x = sg.tensor([-1.0, 1.0, 2.0], requires_grad=True)
    v = sg.tensor([1.0, 0.0, 0.0])
    print("Rosenbrock, first column of the Hessian:", hessian_vector_product(rosenbrock, x, v).tolist())

    w = sg.tensor(0.5, requires_grad=True)
    penalty = gradient_penalty(w, x)
    penalty.backward(inputs=[w])
    print(f"gradient penalty {penalty.item():.6f}, its derivative in w {w.grad.item():.6f}")


if __name__ == "__main__":
    main()
