"""Time functions of SciPy's with their gradients: beside `jax.scipy`, formulas by hand, loops of differences.

    python tests/benchmarks/scipy_functions.py [--points 10000] [--repeat 20]

Special functions: the sum over all points, with its gradient in the argument named. Equations: a gradient in all of the
start and the parameters. Every gradient is compared before it is timed. Where JAX is not installed, or has no such
derivative, its column says nan.
"""

import argparse
import functools
from time import perf_counter

import numpy as np
import scipy.integrate
import scipy.special as sc

import symgrad as sg
import symgrad.scipy as sp

RNG = np.random.default_rng(0)

# name: ours, JAX's, by hand (of NumPy and scipy.special alone: value and slope), the points
SPECIAL = {
    "gammaln(x)": (lambda x: sc.gammaln(x).sum(), lambda j, x: j.scipy.special.gammaln(x).sum(),
                   lambda x: (sc.gammaln(x).sum(), sc.digamma(x)), (0.1, 20)),
    "digamma(x)": (lambda x: sc.digamma(x).sum(), lambda j, x: j.scipy.special.digamma(x).sum(),
                   lambda x: (sc.digamma(x).sum(), sc.polygamma(1, x)), (0.1, 20)),
    "erf(x)": (lambda x: sc.erf(x).sum(), lambda j, x: j.scipy.special.erf(x).sum(),
               lambda x: (sc.erf(x).sum(), 2 / np.sqrt(np.pi) * np.exp(-x * x)), (-3, 3)),
    "log_ndtr(x)": (lambda x: sc.log_ndtr(x).sum(), lambda j, x: j.scipy.special.log_ndtr(x).sum(),
                    lambda x: (sc.log_ndtr(x).sum(), np.sqrt(2 / np.pi) / sc.erfcx(-x / np.sqrt(2))), (-10, 3)),
    "i0e(x)": (lambda x: sc.i0e(x).sum(), lambda j, x: j.scipy.special.i0e(x).sum(),
               lambda x: (sc.i0e(x).sum(), sc.i1e(x) - np.sign(x) * sc.i0e(x)), (0.1, 20)),
    "gammainc(3.5, x)": (lambda x: sc.gammainc(3.5, x).sum(), lambda j, x: j.scipy.special.gammainc(3.5, x).sum(),
                         lambda x: (sc.gammainc(3.5, x).sum(), np.exp(2.5 * np.log(x) - x - sc.gammaln(3.5))),
                         (0.1, 20)),
    "gammainc(a, 3.5)": (lambda a: sc.gammainc(a, 3.5).sum(), lambda j, a: j.scipy.special.gammainc(a, 3.5).sum(), None,
                         (0.1, 20)),
    "betainc(2, 3.5, x)": (lambda x: sc.betainc(2.0, 3.5, x).sum(),
                           lambda j, x: j.scipy.special.betainc(2.0, 3.5, x).sum(),
                           lambda x: (sc.betainc(2.0, 3.5, x).sum(), x * (1 - x) ** 2.5 / sc.beta(2.0, 3.5)),
                           (0.01, 0.99)),
    "betainc(a, 3.5, 0.4)": (lambda a: sc.betainc(a, 3.5, 0.4).sum(),
                             lambda j, a: j.scipy.special.betainc(a, 3.5, 0.4).sum(), None, (0.1, 20)),
    "norm.logpdf(x, 1, 2)": (lambda x: sp.stats.norm.logpdf(x, 1.0, 2.0).sum(),
                             lambda j, x: j.scipy.stats.norm.logpdf(x, 1.0, 2.0).sum(),
                             lambda x: ((-((x - 1) ** 2) / 8 - np.log(2) - np.log(2 * np.pi) / 2).sum(), -(x - 1) / 4),
                             (-5, 5)),
    "t.logpdf(x, 4.5)": (lambda x: sp.stats.t.logpdf(x, 4.5).sum(), lambda j, x: j.scipy.stats.t.logpdf(x, 4.5).sum(),
                         lambda x: ((sc.gammaln(2.75) - sc.gammaln(2.25) - np.log(4.5 * np.pi) / 2
                                     - 2.75 * np.log1p(x * x / 4.5)).sum(), -5.5 * x / (4.5 + x * x)), (-5, 5)),
}  # fmt: skip


def best(f, repeat):
    times = []
    for _ in range(repeat):
        start = perf_counter()
        f()
        times.append(perf_counter() - start)
    return 1e3 * min(times)


def compiled(f):
    """JAX's value and gradient, or None."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    run = jax.jit(jax.value_and_grad(lambda x: f(jax, x)))
    try:
        run(np.full(2, 0.5))
    except ValueError:  # it has no derivative there
        return None
    return lambda x: [np.asarray(v) for v in run(x)]


def special(points, repeat):
    print(f"{'value and gradient, ms':24}{'symgrad':>9}{'JAX':>9}{'by hand':>9}{'JAX / ours':>12}{'hand / ours':>12}")
    for name, (ours, theirs, hand, (low, high)) in SPECIAL.items():
        x = RNG.uniform(low, high, points)
        run, peer = sg.value_and_grad(ours), compiled(theirs)
        found = run(x)
        for other in (peer, hand):
            if other is not None:
                np.testing.assert_allclose(found[1], other(x)[1], rtol=1e-6, atol=1e-9)
        times = [np.nan if f is None else best(functools.partial(f, x), repeat) for f in (run, peer, hand)]
        print(
            f"{name:24}"
            + "".join(f"{t:9.2f}" for t in times)
            + f"{times[1] / times[0]:12.2f}{times[2] / times[0]:12.2f}"
        )


def chain(t, y, k, d, c):
    """Neighbours in a ring that exchange and grow."""
    return d * (np.roll(y, 1) - 2 * y + np.roll(y, -1)) + k * y * (1 - y) - c * np.sin(t)


def equations(repeat, n=50):
    weights, z = RNG.normal(size=n), np.concatenate([RNG.uniform(0.5, 1.5, n), [1.0, 0.5, 0.3]])
    options = {"rtol": 1e-6, "atol": 1e-8}

    def loss(z, home=sp.integrate):
        return weights @ home.solve_ivp(chain, (0, 2), z[:n], args=(z[n], z[n + 1], z[n + 2]), **options).y[:, -1]

    def differences(z):
        steps = 1e-5 * np.eye(len(z))
        return np.array([loss(z + h, scipy.integrate) - loss(z - h, scipy.integrate) for h in steps]) / 2e-5

    slopes = sg.grad(loss)
    np.testing.assert_allclose(slopes(z), differences(z), atol=1e-4)
    solve, ours, theirs = (
        best(lambda f=f: f(z), repeat) for f in (lambda z: loss(z, scipy.integrate), slopes, differences)
    )
    print(
        f"\na ring of {n} states and 3 parameters, ms: solved {solve:.1f}, its gradient {ours:.1f}, "
        f"differences {theirs:.0f}: {theirs / ours:.1f} ×"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=10000)
    parser.add_argument("--repeat", type=int, default=20)
    asked = parser.parse_args()
    special(asked.points, asked.repeat)
    equations(max(asked.repeat // 4, 3))
