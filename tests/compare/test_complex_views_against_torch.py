"""Views between complex numbers and their parts, chained and written to, beside PyTorch: values and two derivatives.

The idea to hold: a program is drawn from a seed, step by step from what the tensors of both libraries are alike in.
"""

import random

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer

VIEWS = {
    "view_as_complex": lambda lib, t: lib.view_as_complex(t),
    "view_as_real": lambda lib, t: lib.view_as_real(t),
    "real": lambda lib, t: t.real,
    "imag": lambda lib, t: t.imag,
    "first": lambda lib, t: t[0],
    "rest": lambda lib, t: t[1:],
    "step": lambda lib, t: t[::2],
    "last": lambda lib, t: t[..., 0],
    "unsqueeze": lambda lib, t: t.unsqueeze(-1),
    "transpose": lambda lib, t: t.transpose(0, -1),
    "permute": lambda lib, t: t.permute(*range(1, t.ndim), 0),
    "pairs": lambda lib, t: t.view(-1, 2),
}
COMPLEX = ("view_as_real", "real", "imag")
WRITES = {
    "mul": lambda t: t.mul_(1.5),
    "fill": lambda t: t.fill_(0.3),
    "square": lambda t: t.copy_(t.clone() * t.clone()),
    "setitem": lambda t: t.__setitem__(..., t.clone() * t.clone() * 0.5),
}


def fits(name, t):
    if name == "view_as_complex":
        return not t.is_complex() and t.ndim > 0 and t.shape[-1] == 2
    if name in COMPLEX:
        return t.is_complex()
    if name == "pairs":
        return int(np.prod(t.shape)) % 2 == 0
    return name == "unsqueeze" or (t.ndim > (name in ("transpose", "permute")) and t.shape[0] > 1)


def program(lib, seed):
    """Values of all tensors, the gradient of a number made of them, and the gradient of its square."""
    rng, values = random.Random(seed), np.random.default_rng(seed).normal(size=(3, 4, 2))
    whole = values if rng.random() < 0.6 else values[..., 0] + 1j * values[..., 1]
    x = lib.tensor(whole, requires_grad=True)
    pool = [(x if rng.random() < 0.5 else x.transpose(0, -1)) * 2.0]
    for _ in range(rng.randint(2, 7)):
        t = rng.choice(pool)
        if rng.random() < 0.3:
            WRITES[rng.choice(sorted(WRITES))](t)
        else:
            pool.append(VIEWS[rng.choice([name for name in VIEWS if fits(name, t)])](lib, t))
    loss = 0.0
    for k, t in enumerate(pool):
        z = (k + 1) * (t + 0.1 * t * t)
        loss = loss + ((z.real * z.imag).sum() + z.real.sum() if t.is_complex() else (z * z).sum())
    (g,) = lib.autograd.grad(loss, x, create_graph=True)
    (h,) = lib.autograd.grad((g.abs() ** 2).sum(), x)
    return [t.detach().numpy() for t in (*pool, g, h)]


def outcome(lib, seed):
    """What a program gives, or the words of its refusal."""
    try:
        return program(lib, seed)
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_random_chains_of_complex_views_and_writes_agree(start):
    compared = 0
    for seed in range(start, start + 100):
        ours, theirs = outcome(sg, seed), answer("torch", lambda torch: outcome(torch, seed), bits=40)  # noqa: B023
        if isinstance(theirs, str):
            assert isinstance(ours, str), seed
            continue
        assert not isinstance(ours, str), (seed, ours)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8 * np.abs(b).max(initial=1), err_msg=str(seed))
        compared += 1
    assert compared > 30
