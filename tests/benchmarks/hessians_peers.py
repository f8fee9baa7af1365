"""How each peer computes a Hessian: what a user of it would write, once per peer.

The idea to hold: the functions under test call torch's names; symgrad and torch are used as they are, and `JaxNames`
puts these names on jax.numpy. Whatever can be prepared (tracing, compiling, moving data) is done before the first timed
call, except that a call gets its point as the array a user has: NumPy's, and for torch a tensor.
"""

import importlib
import sys
from types import SimpleNamespace

import numpy as np

INSTALL = {
    "symgrad": "python -m pip install -e .",
    "compiled": "python -m pip install -e .",
    "numba": 'python -m pip install -e ".[numba]"',
    "torch": 'python -m pip install -e ".[compare]"',
    "jax": 'python -m pip install -e ".[compare]"',
    "casadi": "python -m pip install casadi",
}


class Symgrad:
    """`sg.hessian(f)`, NumPy arrays in and out."""

    name = "symgrad"

    def __init__(self):
        self.xp = importlib.import_module("symgrad")

    def constant(self, array):
        return array

    point = constant

    def hessian(self, f, data):
        xp = self.xp  # a closure over an object would not be known through and through
        return xp.hessian(lambda x: f(xp, x, *data))


class Compiled(Symgrad):
    """`sg.compile(f, "h")`: the same program, without the tracing of every call."""

    name = "compiled"

    def hessian(self, f, data):
        return self.xp.compile(lambda x: f(self.xp, x, *data), "h")


class Numba(Symgrad):
    """`sg.compile(f, "h", target="numba")`."""

    name = "numba"

    def __init__(self):
        super().__init__()
        importlib.import_module("numba")

    def hessian(self, f, data):
        return self.xp.compile(lambda x: f(self.xp, x, *data), "h", target="numba")


class Jax:
    """`jax.jit(jax.hessian(f))` in float64; the data are on the device, the point is a NumPy array."""

    name = "jax"

    def __init__(self):
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_enable_x64", True)
        self.xp = jax_names(self.jax)

    def constant(self, array):
        return self.jax.device_put(array)

    def point(self, array):
        return array

    def hessian(self, f, data):
        compiled = self.jax.jit(self.jax.hessian(lambda x, *data: f(self.xp, x, *data)))
        return lambda x: compiled(x, *data).block_until_ready()


def jax_names(jax):
    """jax.numpy with torch's names and signatures for what the problems call."""
    jnp, special = jax.numpy, importlib.import_module("jax.scipy.special")
    names = {name: getattr(jnp, name) for name in (
        "exp", "log", "log1p", "sqrt", "sin", "cos", "tanh", "where", "diag", "tril", "trace", "cumsum", "linalg",
    )}  # fmt: skip
    return SimpleNamespace(
        **names,
        lgamma=special.gammaln,
        logsumexp=lambda x, dim: special.logsumexp(x, axis=dim),
        softmax=lambda x, dim: jax.nn.softmax(x, axis=dim),
    )


class Torch:
    """`torch.func.hessian(f)`, tensors in and out."""

    name = "torch"

    def __init__(self):
        self.xp = importlib.import_module("torch")
        self.func = importlib.import_module("torch.func")

    def constant(self, array):
        return self.xp.tensor(array)

    point = constant

    def hessian(self, f, data):
        return self.func.hessian(lambda x: f(self.xp, x, *data))


class ByHand:
    """NumPy and calculus: a function of `hessians_by_hand.py`."""

    name = "numpy"

    def constant(self, array):
        return array

    point = constant


def load_peers(names=("symgrad", "compiled", "numba", "jax", "torch", "numpy")):
    """The peers that are installed; the others are named with the line that installs them."""
    kinds = {kind.name: kind for kind in (Symgrad, Compiled, Numba, Jax, Torch, ByHand)}
    peers = []
    for name in names:
        try:
            peers.append(kinds[name]())
        except ImportError:
            print(f"# {name} is missing: {INSTALL[name]}", file=sys.stderr)
    return peers


def error_between(theirs, ours):
    """The largest difference, relative to the largest entry; infinite where shapes or finiteness differ."""
    theirs, ours = np.asarray(theirs), np.asarray(ours)
    if theirs.shape != ours.shape or not (np.isfinite(theirs).all() and np.isfinite(ours).all()):
        return float("inf")
    return float(np.max(np.abs(theirs - ours), initial=0.0) / max(np.max(np.abs(ours), initial=0.0), 1e-300))


TOLERANCE = 1e-8


def disagreements(results):
    """{peer: a sentence} for the peers farther than the tolerance from most of the others.

    `results` is {peer: list of arrays}. Of two peers that differ, both are wrong until somebody looks.
    """
    sentences = {}
    for name, ours in results.items():
        errors = {other: max(map(error_between, theirs, ours)) for other, theirs in results.items() if other != name}
        wrong = {other: error for other, error in errors.items() if not error <= TOLERANCE}
        if len(wrong) > len(errors) / 2 or (wrong and len(errors) == 1):
            far = ", ".join(f"{other} (by {error:.1e})" for other, error in wrong.items())
            sentences[name] = f"{name} disagrees with {far}"
    return sentences


def attempt(name, call, failed):
    """The result of `call()`, or None after telling `failed` in one line what was raised."""
    try:
        return call()
    except Exception as error:  # whatever a peer raises, the others are timed
        text = str(error).strip().splitlines() or [""]
        failed(f"{name} raises {type(error).__name__}: {text[0]}")
        return None
