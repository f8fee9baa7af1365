"""The same random programs under symgrad's, JAX's and PyTorch's `vmap`: values, gradients per example, nested batches.

To search at length: ``python -m tests.compare.test_vmap_against_jax_and_torch 2000`` from the project's root.
"""

import math
import random
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg

from ..properties._programs import program_of
from ._answers import answer

EXAMPLES = 5
SEEDS = range(150)
FEW = range(24)  # JAX compiles every operation anew


# --------------------------------------------------------------------------------- programs in NumPy's words, for JAX

UNARY = ["sin", "cos", "tanh", "exp", "arctan", "sinh", "square", "negative", "abs", "sign", "floor"]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "arctan2", "hypot"]
REDUCE = ["sum", "mean", "max", "min", "prod", "argmax"]


def _grown(r, xp, values):
    """One more value, computed from those there are; every choice by ``r``."""
    x = r.choice(values[-3:])
    kind = r.randrange(9)
    if kind < 2:
        return getattr(xp, r.choice(UNARY))(x * 0.5)
    if kind < 4:
        y = r.choice([v for v in values if v.shape in ((), x.shape)] or [x])
        return getattr(xp, r.choice(BINARY))(x, y)
    if kind == 4 and x.ndim:
        name, axis = r.choice(REDUCE), r.randrange(-x.ndim, x.ndim)
        return getattr(xp, name)(x * 0.5, axis=axis) * 1.0
    if kind == 5 and x.ndim:
        return r.choice([lambda: xp.flip(x, 0), lambda: xp.cumsum(x, -1), lambda: xp.transpose(x),
                         lambda: xp.concatenate([x, x * x], 0), lambda: xp.stack([x, -x], -1),
                         lambda: xp.expand_dims(x, -1), lambda: xp.sort(x, 0)])()  # fmt: skip
    if kind == 6 and x.ndim:
        index = r.choice([(0,), (-1,), (slice(None, None, 2),), (Ellipsis, None), (Ellipsis, 0), (None, 0)])
        return x[index]
    if kind == 7 and x.ndim == 2:
        return r.choice([lambda: x @ xp.transpose(x), lambda: xp.transpose(x) @ x, lambda: x @ x[0]])() * 0.1
    return xp.where(x > 0.1, x, r.choice([0.5, 2.0]) * x * x)


def program(seed, xp):
    """A function of one or two arrays, written with the functions of ``xp``."""

    def f(x, y=None):
        r = random.Random(seed)
        values = [x] if y is None else [x, y]
        for _ in range(r.randrange(2, 9)):
            new = _grown(r, xp, values)
            if math.prod(new.shape) <= 64:
                values.append(new)
        return values[-1], (values[-1] * 0.7).sum() + (values[len(values) // 2] ** 2).sum() * 0.1

    return f


def arguments(seed):
    r, rng = random.Random(seed), np.random.default_rng(seed)
    shapes = [r.choice([(), (3,), (2, 3), (3, 3), (1, 2)]) for _ in range(r.randrange(1, 3))]
    return [np.round(rng.uniform(0.2, 1.4, (EXAMPLES, *s)) * rng.choice([-1, 1], (EXAMPLES, *s)), 3) for s in shapes]


def assert_near(a, b):
    b = np.asarray(b)
    a = np.asarray(a.detach().numpy() if isinstance(a, sg.Tensor) else a)
    assert a.shape == b.shape
    scale = float(np.abs(b[np.isfinite(b)]).max(initial=1.0))
    assert_allclose(a, b, rtol=1e-8, atol=1e-9 * scale)


def in_batches(vmap, grad, hessian, xp, tensor, seed):
    """Values, gradients per example and of the sum, Hessians, nested batches of a program, by one library."""
    f = program(seed, xp)
    arrays = arguments(seed)
    r = random.Random(seed)
    in_dims = [r.choice([0, 0, 0, None]) for _ in arrays]
    in_dims = tuple(in_dims if any(d == 0 for d in in_dims) else [0] * len(arrays))
    args = [a if d == 0 else a[0] for a, d in zip(arrays, in_dims, strict=True)]
    tensors = [tensor(a) for a in args]
    loss = lambda x, y=None: f(x, y)[1]
    total = lambda x, *y: vmap(loss, in_dims)(x, *y).sum()
    found = [*vmap(f, in_dims)(*tensors), vmap(grad(loss), in_dims)(*tensors), grad(total)(*tensors)]
    if seed % 5 == 0:
        pairs = [tensor(np.stack([a, a * 0.9])) if d == 0 else t for a, t, d in zip(args, tensors, in_dims)]
        found += [vmap(hessian(loss), in_dims)(*tensors), vmap(vmap(loss, in_dims), in_dims)(*pairs)]
    return found


def by_jax(jax, seed):
    return in_batches(jax.vmap, jax.grad, jax.hessian, jax.numpy, np.asarray, seed)


def compare_with_jax(seed, expected):
    found = in_batches(sg.vmap, sg.grad, sg.func.hessian, np, sg.tensor, seed)
    for a, b in zip(found, expected, strict=True):
        assert_near(a, b)


@pytest.mark.parametrize("start", range(0, len(FEW), 6))
def test_random_programs_agree_with_jax(start):
    for seed in FEW[start : start + 6]:
        expected = answer("jax", lambda jax: by_jax(jax, seed))  # noqa: B023
        try:
            compare_with_jax(seed, expected)
        except Exception as error:
            error.add_note(f"program {seed}")
            raise


# ----------------------------------------------------------------------------------- programs in PyTorch's words


def as_function(lib, p):
    """The program as a function of its leaves."""

    def f(*leaves):
        scope = {"L": lib, "F": lib.nn.functional}
        scope.update({f"x{i}": x for i, x in enumerate(leaves)})
        scope.update({k: lib.tensor(v) for k, v in p.constants.items()})
        for line in p.lines:
            exec(line, scope)
        return scope["loss"]

    return f


def batches(p):
    """Examples near the program's own leaves, on the same side of zero."""
    rng = np.random.default_rng(len(p.lines))
    return [a * rng.uniform(0.8, 1.25, (EXAMPLES, *a.shape)) for a in p.leaves]


def for_torch(seed):
    return program_of(seed, smooth=seed % 3 > 0, inplace=False)


def by_torch(torch, seed):
    """Values and gradients per example; None where PyTorch refuses what depends on values, or they are not finite."""
    p = for_torch(seed)
    f, arrays = as_function(torch, p), batches(p)
    try:
        batched = [torch.tensor(a) for a in arrays]
        values = torch.func.vmap(f)(*batched)
        gradients = torch.func.vmap(torch.func.grad(f, argnums=tuple(range(len(arrays)))))(*batched)
    except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError, AttributeError):
        return None
    found = [t.numpy() for t in (values, *gradients)]
    return found if all(np.isfinite(a).all() for a in found) else None


def compare_with_torch(seed, expected):
    """Return whether there is something to compare with."""
    if expected is None:
        return False
    p = for_torch(seed)
    f, tensors = as_function(sg, p), [sg.tensor(a) for a in batches(p)]
    gradients = sg.vmap(sg.func.grad(f, argnums=tuple(range(len(tensors)))))(*tensors)
    for a, b in zip((sg.vmap(f)(*tensors), *gradients), expected, strict=True):
        assert_near(a, b)
    return True


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("start", range(0, len(SEEDS), 10))
def test_random_programs_agree_with_torch(start):
    compared = 0
    for seed in SEEDS[start : start + 10]:
        expected = answer("torch", lambda torch: by_torch(torch, seed))  # noqa: B023
        try:
            compared += compare_with_torch(seed, expected)
        except Exception as error:
            error.add_note(f"program {seed}:\n{for_torch(seed)}")
            raise
    assert compared >= 2


@pytest.mark.parametrize("in_dims", [0, 1, -1, (0, None), (None, 1)])
@pytest.mark.parametrize("out_dims", [0, 1, -1])
def test_dimensions_mean_what_they_mean_in_torch(in_dims, out_dims):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    f = lambda a, b: (a[..., None] * b).cumsum(-1)
    expected = answer("torch", lambda torch: torch.func.vmap(f, in_dims, out_dims)(torch.tensor(x), torch.tensor(y)))
    assert_near(sg.vmap(f, in_dims, out_dims)(sg.tensor(x), sg.tensor(y)), expected)


if __name__ == "__main__":
    import jax as _jax
    import torch as _torch

    _jax.config.update("jax_enable_x64", True)
    _torch.set_default_dtype(_torch.float64)
    count, ran = int(sys.argv[1]), 0
    for seed in range(1000, 1000 + count):
        try:
            ran += compare_with_torch(seed, by_torch(_torch, seed))
            compare_with_jax(seed, by_jax(_jax, seed))
        except AssertionError as error:
            print(seed, str(error).strip().splitlines()[:6])
    print(f"{count} programs, {ran} of them run by PyTorch")
