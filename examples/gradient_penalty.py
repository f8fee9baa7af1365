"""A loss that contains a gradient: the penalty of a Wasserstein critic, differentiated twice, and as a formula.

The critic is paid for telling two clouds of points apart, and charged where its gradient's length is not 1 (Gulrajani
and others, 2017). What it is paid tells the distance between the clouds, which SciPy finds by pairing their points.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

import symgrad as sg
from symgrad import nn

WEIGHT = 10.0


def formulas():
    """The penalty of a linear critic and of a layer, at one point; and their gradients, for all sizes."""

    def penalty(critic, x, *weights):
        slope = sg.grad(critic)(x, *weights)
        return (np.sqrt(slope @ slope) - 1) ** 2

    x, v, w, b = (sg.symbol(name, size) for name, size in zip("xvwb", "nknk", strict=True))
    W = sg.symbol("W", ("k", "n"))
    linear = sg.formula(lambda x, w: penalty(lambda x, w: w @ x, x, w), x, w)
    print(f"critic wᵀx:           penalty  {linear}")
    print(f"{'':22}gradient {linear.grad('w')}")
    layer = sg.formula(lambda x, W, b, v: penalty(lambda x, W, b, v: v @ np.tanh(W @ x + b), x, W, b, v), x, W, b, v)
    print(f"critic vᵀtanh(Wx + b): penalty {layer}")
    print(f"{'':22}gradient in v {str(layer.grad('v')).replace(chr(10), chr(10) + 36 * ' ')}")
    assert linear.grad("w").equals(sg.parse("2*(norm(w) - 1)*w/norm(w)", w="n"))


def losses(critic, real, fake, mix):
    """What the critic is paid, and its penalty at points between the clouds."""
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    (slope,) = sg.autograd.grad(critic(between).sum(), between, create_graph=True)
    lengths = ((slope**2).sum(dim=1) + 1e-12).sqrt()
    return critic(real).mean() - critic(fake).mean(), ((lengths - 1) ** 2).mean()


def check_linear(real, fake):
    """A linear critic w maximises w·d - WEIGHT (‖w‖ - 1)², d between the means: its length is 1 + ‖d‖ / (2 WEIGHT)."""
    d = np.linalg.norm(real.numpy().mean(axis=0) - fake.numpy().mean(axis=0))
    critic = nn.Linear(2, 1, bias=False)
    optimizer = sg.optim.SGD(critic.parameters(), lr=0.09)
    for _ in range(800):
        optimizer.zero_grad()
        paid, penalty = losses(critic, real, fake, sg.full((len(real), 1), 0.5))
        (WEIGHT * penalty - paid).backward()
        optimizer.step()
    length = critic.weight.norm().item()
    print(f"\nlinear critic: its length is {length:.6f}, by hand {1 + d / (2 * WEIGHT):.6f}")
    assert abs(length - 1 - d / (2 * WEIGHT)) < 1e-6


def main():
    formulas()
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 200)
    ring = 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.1 * rng.standard_normal((200, 2))
    blob = 0.4 * rng.standard_normal((200, 2)) + [0.5, 0.0]
    real, fake = sg.tensor(ring), sg.tensor(blob)
    check_linear(real, fake)

    apart = np.linalg.norm(ring[:, None] - blob[None], axis=2)
    distance = apart[linear_sum_assignment(apart)].mean()

    sg.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)).double()
    optimizer = sg.optim.Adam(critic.parameters(), lr=3e-3, betas=(0.5, 0.9))
    print("\nstep     paid   penalty")
    for step in range(501):
        pairs, mix = rng.permutation(200), sg.tensor(rng.uniform(size=(200, 1)))
        paid, penalty = losses(critic, real, fake[pairs], mix)
        optimizer.zero_grad()
        (WEIGHT * penalty - paid).backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"{step:4} {paid.item():8.4f} {penalty.item():9.4f}")
    # a penalty is not a bound: a critic s times as steep as allowed is paid s · distance - WEIGHT (s - 1)²
    steep = 1 + distance / (2 * WEIGHT)
    print(f"distance of the clouds, by pairing their points: {distance:.4f}")
    print(f"what a critic should be paid for it: {steep * distance:.4f}")
    assert abs(paid.item() / (steep * distance) - 1) < 0.05, "the distance, by other means"


if __name__ == "__main__":
    main()
