"""A loss whose gradient is NaN: who is to blame, what to write instead, and the way that the gradient took."""

import numpy as np

import symgrad as sg

points = [[0.0, 1.0], [2.0, 3.0], [0.0, 1.0]]


def by_hand(p):
    apart = p[:, None] - p[None]
    distance = sg.sqrt((apart**2).sum(-1))
    return sg.exp(-distance).sum()


def safe(p):
    return sg.exp(-sg.cdist(p, p)).sum()


def in_numpy(p):
    """The gradient by its formula, Σ 2 exp(-d) (q - p)/d over the points q that are elsewhere."""
    apart = p[None] - p[:, None]
    d = np.sqrt((apart**2).sum(-1))
    pull = 2 * np.exp(-d) / np.where(d > 0, d, np.inf)
    return (pull[..., None] * apart).sum(axis=1)


def main():
    p = sg.tensor(points, requires_grad=True, name="p")
    by_hand(p).backward()
    print(f"The gradient: {p.grad.tolist()}\n")

    p.grad = None
    try:
        with sg.detect_anomaly():
            by_hand(p).backward()
    except sg.AnomalyError as error:
        print(error)
        print(f"\nIts parts are attributes: {error.operation} at {error.element}, {error.operands}; {error.slope}\n")

    with sg.detect_anomaly():
        safe(p).backward()
    assert np.allclose(p.grad.numpy(), in_numpy(np.array(points)), rtol=1e-12)
    print(f"Written with cdist: {p.grad.round(decimals=3).tolist()}\n")

    print("The way of a gradient, in formulas and numbers:")
    print(safe(p).explain())


if __name__ == "__main__":
    main()
