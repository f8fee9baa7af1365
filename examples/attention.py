"""The gradients of attention in queries, keys and values: read as formulas, run as NumPy, compared with sweeps."""

import numpy as np

import symgrad as sg


def attention(Q, K, V):
    """Each row of Q asks, K answers how much, V says what; without the scale 1/√d, which belongs to Q."""
    return sg.softmax(Q @ K.T, dim=1) @ V


def main():
    shapes = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "p"), "G": ("n", "p")}
    symbols = {name: sg.symbol(name, shape) for name, shape in shapes.items()}

    def seen(Q, K, V, G):  # G is the gradient that arrives at the output
        return (G * attention(Q, K, V)).sum()

    f = sg.formula(seen, **symbols)
    print("output    ", sg.formula(attention, *(symbols[k] for k in "QKV")))
    rng = np.random.default_rng(0)
    sizes = {"n": 5, "m": 7, "d": 3, "p": 2}
    point = {name: rng.normal(size=[sizes[s] for s in shape]) for name, shape in shapes.items()}
    for name in "QKV":
        g = f.grad(name)
        print(f"in {name}       " + str(g).replace("\n", "\n" + 11 * " "))
        assert g.checked is True
        # the formula at other sizes, against a sweep over the recorded graph there
        assert np.allclose(g(**point), sg.grad(seen, argnums=name)(**point))


if __name__ == "__main__":
    main()
