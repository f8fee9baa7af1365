"""The hyperbolic tangent and six derivatives, by differentiating a NumPy function again and again.

A row of blocks is a picture of one derivative between -4 and 4; the known polynomials in tanh x are the check.
"""

import numpy as np
from numpy.polynomial import Polynomial

import symgrad as sg

BLOCKS = "▁▂▃▄▅▆▇█"


def tanh(x):
    """By exponentials, as it is defined."""
    up, down = np.exp(x), np.exp(-x)
    return (up - down) / (up + down)


def elementwise(f):
    """The derivative of a function that acts on every entry by itself: the gradient of the sum."""
    return sg.grad(lambda x: f(x).sum())


def picture(values):
    low, high = values.min(), values.max()
    return "".join(BLOCKS[round(7 * (v - low) / (high - low))] for v in values)


def main():
    x = np.linspace(-4, 4, 60)
    f, known = tanh, Polynomial([0, 1])
    for order in range(7):
        values = f(x)
        print(f"order {order}  {picture(values)}  from {values.min():8.3f} to {values.max():8.3f}")
        assert np.allclose(values, known(np.tanh(x)), rtol=1e-9, atol=1e-9 * np.abs(values).max())
        f, known = elementwise(f), known.deriv() * Polynomial([1, 0, -1])  # the chain rule: tanh' is 1 - tanh²

    slope = sg.grad(tanh)  # of one number, no sum is needed; and of a symbol, it is a formula
    print(f"\nslope at 0.5: {slope(0.5):.6f}, for every x: {slope(sg.symbol('x'))}")


if __name__ == "__main__":
    main()
