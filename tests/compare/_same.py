"""One function of two libraries: the same values and derivatives, in float64."""

import numpy as np

import symgrad as sg

from ._answers import answer


def derivatives(lib, fn, arrays, second=True, cotangent_seed=0):
    """Return value, gradients, and (for `second`) gradients of a scalar made of them, with respect to float inputs."""
    inputs = [lib.tensor(a, requires_grad=a.dtype.kind == "f") for a in arrays]
    wanted = [t for t in inputs if t.requires_grad]
    value = fn(lib, *inputs)
    rng = np.random.default_rng(cotangent_seed)
    weights = lib.tensor(rng.normal(size=tuple(value.shape)))
    grads = lib.autograd.grad((value * weights).sum(), wanted, create_graph=second, allow_unused=True)
    results = [value, *grads]
    energy = 0.0
    for g in grads:
        if g is not None and g.requires_grad:
            energy = energy + (g * lib.tensor(rng.normal(size=tuple(g.shape)))).sum()
        elif g is not None:
            rng.normal(size=tuple(g.shape))
    if not isinstance(energy, float):
        results += lib.autograd.grad(energy, wanted, allow_unused=True)
    return [None if r is None else (r.detach() + 0).numpy() for r in results]  # torch has zeros without memory


def assert_same(fn, *arrays, rtol=1e-9, atol=1e-11, second=True):
    """Compare symgrad's value, dtype, first and (for `second`) second derivatives of `fn` with PyTorch's."""
    arrays = [np.asarray(a) for a in arrays]
    ours = derivatives(sg, fn, arrays, second)
    theirs = answer("torch", lambda torch: derivatives(torch, fn, arrays, second), bits=40)
    for i in range(max(len(ours), len(theirs))):
        # Where one finds no path (None, or no second order at all) the other may find an exact zero.
        a, b = (x[i] if i < len(x) and x[i] is not None else np.zeros(()) for x in (ours, theirs))
        a, b = np.broadcast_arrays(a, b)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=f"result {i}")
        if i == 0:
            assert ours[0].shape == theirs[0].shape and ours[0].dtype == theirs[0].dtype


def both(run):
    """Return what symgrad does and what PyTorch does."""
    return run(sg), answer("torch", run)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)
