"""Time derivatives of loops that carry a state: `sg.scan`, the same loop in Python, and `jax.lax.scan`, in turns.

    python tests/benchmarks/loops.py [--repeat 20] [--no-loop]

Per problem the gradient and the Hessian at one point, in milliseconds, minima of the runs: by `sg.grad` and
`sg.hessian`, by `sg.compile`, and by that with Numba. JAX's are jitted and its first calls, which compile, are not in
the minima. Results are compared before they are timed.
"""

import argparse
import importlib.util
from functools import partial
from time import perf_counter

import numpy as np

import symgrad as sg

RNG = np.random.default_rng(0)
RETURNS = RNG.normal(size=1000) * 0.01
SERIES = np.cumsum(RNG.normal(size=1000))
INPUTS = RNG.normal(size=(200, 3))


def garch(np, scan, p):
    def step(s, e):
        s = p[0] + p[1] * e * e + p[2] * s
        return s, np.log(s) + e * e / s

    return scan(step, 1e-4, RETURNS)[1].sum()


def kalman(np, scan, p, n=50):
    def step(state, y):
        a, P = state
        P = P + np.exp(p[0])
        F = P + np.exp(p[1])
        K = P / F
        return (a + K * (y - a), P * (1 - K)), np.log(F) + (y - a) ** 2 / F

    return scan(step, (0.0, 1.0), SERIES[:n])[1].sum()


def autoregression(np, scan, p):
    def step(lags, y):
        e = y - p[0] - p[1] * lags[0] - p[2] * lags[1]
        return (y * 1.0 + 0 * e, lags[0] + 0 * e), e * e

    return scan(step, (0.0, 0.0), SERIES)[1].sum()


def logistic_map(np, scan, p):
    return scan(lambda x, _: (p[0] * x * (1 - x), x), p[1], np.zeros(1000))[1].mean()


def network(np, scan, p):
    W, U = p[:9].reshape(3, 3), p[9:18].reshape(3, 3)

    def step(h, x):
        h = np.tanh(W @ h + U @ x)
        return h, (h * h).sum()

    return scan(step, np.zeros(3), INPUTS)[1].sum()


PROBLEMS = {
    "GARCH(1, 1), 1,000 steps": (garch, [1e-5, 0.05, 0.9]),
    "Kalman filter, 50 steps": (kalman, [0.1, -0.2]),
    "Kalman filter, 1,000 steps": (lambda np, scan, p: kalman(np, scan, p, 1000), [0.1, -0.2]),
    "AR(2), 1,000 steps": (autoregression, [0.1, 0.5, 0.2]),
    "logistic map, 1,000 steps": (logistic_map, [2.9, 0.3]),
    "recurrent network of 3, 200 steps": (network, RNG.normal(size=18) * 0.3),
}


def by_loop(step, carry, xs):
    ys = []
    for x in xs:
        carry, y = step(carry, x)
        ys.append(y)
    return carry, np.stack(ys)


def best(f, repeat):
    times = []
    for _ in range(repeat):
        start = perf_counter()
        f()
        times.append(perf_counter() - start)
    return 1e3 * min(times)


def jax_derivatives(f, x):
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    g = jax.jit(jax.grad(lambda p: f(jnp, jax.lax.scan, p)))
    H = jax.jit(jax.hessian(lambda p: f(jnp, jax.lax.scan, p)))
    x = jnp.asarray(x)
    return lambda: np.asarray(g(x)), lambda: np.asarray(H(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--no-loop", action="store_true", help="leave out the loop in Python, which takes long")
    args = parser.parse_args()
    heads = ["problem", "", "`sg.scan`, first", "`sg.scan`", "compiled", "… by Numba", "the loop in Python", "JAX"]
    print(f"| {' | '.join(heads)} | JAX / compiled |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (f, x) in PROBLEMS.items():
        measure(name, f, np.asarray(x, float), args)


def measure(name, f, x, args):
    """Print the lines of one problem."""
    ours = [D(lambda p: f(np, sg.scan, p)) for D in (sg.grad, sg.hessian)]
    loop = [D(lambda p: f(np, by_loop, p)) for D in (sg.grad, sg.hessian)]
    try:
        theirs = jax_derivatives(f, x)
    except ImportError:
        theirs = None, None
    for what, mine, python, peer in zip(("∇f", "∇²f"), ours, loop, theirs, strict=True):
        start = perf_counter()
        value = mine(x)
        first = 1e3 * (perf_counter() - start)
        if peer is not None:
            np.testing.assert_allclose(value, peer(), rtol=1e-6, atol=1e-8 * np.abs(value).max())
        ways = [partial(mine, x), *compiled(f, x, what, value)]
        ways.append(peer or (lambda: None))
        times = [[np.inf] for _ in ways]
        for _ in range(3):  # in turns
            for k, way in enumerate(ways):
                times[k].append(best(way, args.repeat))
        p = "–" if args.no_loop else f"{best(partial(python, x), 1):.3g}"
        found = [min(t) for t in times]
        j = found.pop() if peer is not None else np.nan
        cells = " | ".join(f"{t:.3g}" for t in found)
        ratios = ", ".join(f"{j / t:.2g}" for t in found[1:])
        print(f"| {name} | {what} | {first:.3g} | {cells} | {p} | {j:.3g} | {ratios} |")


def compiled(f, x, what, value):
    """The compiled function, and the same by Numba where it is installed."""
    found = []
    for target in ("numpy", "numba") if importlib.util.find_spec("numba") else ("numpy",):
        way = partial(sg.compile(lambda p: f(np, sg.scan, p), "g" if what == "∇f" else "h", target=target), x)
        np.testing.assert_allclose(way(), value, rtol=1e-6, atol=1e-8 * np.abs(value).max())
        found.append(way)
    return found


if __name__ == "__main__":
    main()
