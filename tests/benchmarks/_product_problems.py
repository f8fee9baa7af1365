"""What `hessians.py --products` times: gradients, products with vectors, Laplacians, series, batches.

The idea to hold: a race is a title and {column: call}, made from the peers that are there; each call takes nothing and
returns what the others return; whatever is made on the first call is kept. The column "other way" is symgrad itself, or
a person, without the function under test.
"""

from functools import cache
from math import factorial

import numpy as np
from _dense_problems import PROBLEMS

SAMPLES = 256
ORDERS = (1, 2, 4, 8, 12, 16, 20)


def fixed(peer, f, data):
    """`f` as a function of x alone, with the peer's constants."""
    constants = [peer.constant(array) for array in data]
    return lambda x: f(peer.xp, x, *constants)


def jitted(peer, function, data):
    """A function of (jax's x, v, …, *data) compiled; the data are arguments, so that they are not folded in."""
    constants = [peer.constant(array) for array in data]
    compiled = peer.jax.jit(function)
    return lambda *arrays: compiled(constants, *arrays).block_until_ready()


def gradients(key, tiny):
    """∇f of a dense problem."""
    f, x, data = PROBLEMS[key].make(tiny)

    def make(peers):
        if sg := peers.get("symgrad"):
            g = sg.xp.grad(fixed(sg, f, data))
            yield "symgrad", lambda: g(x)
        if jax := peers.get("jax"):
            compiled = jitted(jax, lambda d, x: jax.jax.grad(lambda x: f(jax.xp, x, *d))(x), data)
            yield "jax", lambda: compiled(x)
        if torch := peers.get("torch"):
            yield from torch_gradients(torch, fixed(torch, f, data), torch.point(x))

    return f"∇f: {PROBLEMS[key].title(tiny)}", make


def torch_gradients(peer, f, x):
    functional = peer.func.grad(f)
    yield "torch", lambda: functional(x)
    leaf = x.clone().requires_grad_()
    yield "torch tape", lambda: peer.xp.autograd.grad(f(leaf), leaf)[0]


def products(key, tiny):
    """∇²f · v of a dense problem."""
    f, x, data = PROBLEMS[key].make(tiny)
    v = np.random.default_rng(1).standard_normal(x.shape)

    def make(peers):
        if sg := peers.get("symgrad"):
            ours = fixed(sg, f, data)
            yield "symgrad", lambda: sg.xp.hvp(ours, x, v)
        if jax := peers.get("jax"):

            def product(d, x, v):
                return jax.jax.jvp(jax.jax.grad(lambda x: f(jax.xp, x, *d)), (x,), (v,))[1]

            compiled = jitted(jax, product, data)
            yield "jax", lambda: compiled(x, v)
        if torch := peers.get("torch"):
            yield from torch_products(torch, fixed(torch, f, data), torch.point(x), torch.point(v))

    return f"∇²f · v: {PROBLEMS[key].title(tiny)}", make


def torch_products(peer, f, x, v):
    grad, autograd = peer.func.grad(f), peer.xp.autograd
    yield "torch", lambda: peer.func.jvp(grad, (x,), (v,))[1]
    leaf = x.clone().requires_grad_()

    def double_backward():
        (g,) = autograd.grad(f(leaf), leaf, create_graph=True)
        return autograd.grad(g, leaf, v)[0]

    yield "torch tape", double_backward


def repeated_products(key, tiny):
    """∇²f · v for vector after vector at one point."""
    f, x, data = PROBLEMS[key].make(tiny)
    v = np.random.default_rng(1).standard_normal(x.size)

    def make(peers):
        if sg := peers.get("symgrad"):
            ours = fixed(sg, f, data)
            operator = cache(lambda: sg.xp.hessian_operator(ours, x))
            yield "symgrad", lambda: operator() @ v
            yield "other way", lambda: sg.xp.hvp(ours, x, v.reshape(x.shape)).ravel()

    return f"hessian_operator(f, x) @ v, hvp: {PROBLEMS[key].title(tiny)}", make


def laplacians(key, tiny):
    """The Laplacian, the other way by the whole Hessian."""
    f, x, data = PROBLEMS[key].make(tiny)

    def make(peers):
        if sg := peers.get("symgrad"):
            ours = fixed(sg, f, data)
            hessian = sg.xp.hessian(ours)
            yield "symgrad", lambda: sg.xp.laplacian(ours, x)
            yield "other way", lambda: np.trace(hessian(x).reshape(x.size, x.size))
        if jax := peers.get("jax"):

            def trace(d, x):
                return jax.jax.numpy.trace(jax.jax.hessian(lambda x: f(jax.xp, x, *d))(x).reshape(x.size, x.size))

            compiled = jitted(jax, trace, data)
            yield "jax", lambda: compiled(x)
        if torch := peers.get("torch"):
            theirs, point = torch.func.hessian(fixed(torch, f, data)), torch.point(x)
            yield "torch", lambda: theirs(point).reshape(x.size, x.size).trace()

    return f"laplacian, trace of hessian: {PROBLEMS[key].title(tiny)}", make


def wave(xp, x):
    return xp.sin(xp.exp(x)) * xp.tanh(x)


def true_series(x, order):
    """Taylor coefficients to 50 digits, rounded."""
    import mpmath

    with mpmath.workdps(50):
        return np.array([float(c) for c in mpmath.taylor(lambda t: wave(mpmath, t), x, order)])


def nested_grad(grad, f, x, order):
    """f⁽ᵏ⁾(x) / k! for k = 0 … order, one `grad` inside the other, as a person without series does it."""
    derivatives = [f]
    for _ in range(order):
        derivatives.append(grad(derivatives[-1]))
    return np.array([float(d(x)) / factorial(k) for k, d in enumerate(derivatives)])


def jet_series(jax, x, order):
    """jax.experimental.jet, compiled; it counts f⁽ᵏ⁾ and not f⁽ᵏ⁾ / k!."""
    from jax.experimental.jet import jet

    seeds = [[1.0, *[0.0] * (order - 1)]]
    scale = np.array([1.0 / factorial(k) for k in range(order + 1)])

    def series(x):
        value, rest = jet(lambda x: wave(jax.xp, x), (x,), seeds)
        return jax.jax.numpy.stack([value, *rest]) * scale

    compiled = jax.jax.jit(series)
    return lambda: compiled(x).block_until_ready()


def taylors(order):
    """The series of sin(exp(x)) tanh(x) at 0.3, the true one being mpmath's."""
    x = np.array(0.3)

    def make(peers):
        if sg := peers.get("symgrad"):
            yield "symgrad", lambda: sg.xp.taylor(lambda x: wave(sg.xp, x), x, order)
            if order == 8:
                yield "other way", lambda: nested_grad(sg.xp.grad, lambda x: wave(sg.xp, x), x, order)
        if jax := peers.get("jax"):
            yield "jax", jet_series(jax, x, order)

    return f"taylor of sin(exp(x)) tanh(x), order {order}; jet; nested grad", make


def batches(tiny):
    """∇f at many samples: f is a network of one hidden layer from R²⁰, or R³."""
    rng = np.random.default_rng(0)
    count, n, h = (5, 3, 4) if tiny else (SAMPLES, 20, 32)
    X, W, a = rng.standard_normal((count, n)), rng.standard_normal((n, h)) / n**0.5, rng.standard_normal(h)

    def f(xp, x, W, a):
        return (xp.tanh(x @ W) * a).sum() + 0.5 * (x * x).sum()

    def make(peers):
        if sg := peers.get("symgrad"):
            one = sg.xp.grad(fixed(sg, f, (W, a)))
            many = cache(lambda: sg.xp.vmap(one))
            yield "symgrad", lambda: many()(X)
            yield "other way", lambda: np.stack([one(x) for x in X])
        if jax := peers.get("jax"):

            def gradients_of(d, X):
                return jax.jax.vmap(jax.jax.grad(lambda x: f(jax.xp, x, *d)))(X)

            compiled = jitted(jax, gradients_of, (W, a))
            yield "jax", lambda: compiled(X)
        if torch := peers.get("torch"):
            theirs, points = torch.func.vmap(torch.func.grad(fixed(torch, f, (W, a)))), torch.point(X)
            yield "torch", lambda: theirs(points)

    return f"vmap(grad(f)) at {count} samples; a loop", make


def races(tiny):
    """Yield (key, title, make, truth): `make(peers)` yields (column, call); truth is None or the right result."""
    for key in ("logistic", "mlp50"):
        yield f"grad-{key}", *gradients(key, tiny), None
    for key in ("logistic", "mlp50"):
        yield f"hvp-{key}", *products(key, tiny), None
    for key in ("logistic", "mlp50"):
        yield f"operator-{key}", *repeated_products(key, tiny), None
    for key in ("log-sum-exp", "chain", "lennard-jones", "mlp30"):
        yield f"laplacian-{key}", *laplacians(key, tiny), None
    for order in ORDERS:
        yield f"taylor-{order}", *taylors(order), true_series(0.3, order)
    yield "vmap", *batches(tiny), None
