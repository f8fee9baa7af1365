"""Sample points for every row of the table, and how to call a row on any carrier."""

import functools
import zlib

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE, Tensor

from .numeric import is_smooth

ROWS = tuple(TABLE.values())

_MAGNITUDE = {
    "real": (0.1, 2.9),
    "nonzero": (0.3, 2.5),
    "positive": (0.3, 2.5),
    "negative": (0.3, 2.5),
    "unit": (0.1, 0.8),
    "probability": (0.1, 0.9),
    "above_one": (1.2, 3.0),
    "complex": (0.3, 1.5),
}
DOMAINS = (*_MAGNITUDE, "bool")
_SIGN = {"positive": 1, "above_one": 1, "negative": -1, "probability": 1}


INTO_FIRST = {"fill_tensor", "copy_from"}
"""Rows that write their second operand into something of the first's shape: that one does not broadcast."""


ONCE = {"igamma_by_a", "betainc_by_a", "betainc_by_b", "stdtr_by_n", "hyp1f1", "hyp2f1"}
"""Rows whose slope by a parameter is a row that has none: there is no stable way to it."""


TWICE = {
    "igamma", "igammac", "gammaincinv", "gammainccinv", "betainc", "betaincc", "betaincinv", "betainccinv", "stdtr",
    "stdtrit", "chdtr", "chdtrc", "chdtri", "gdtr", "gdtrc", "gdtrix", "fdtr", "fdtrc", "fdtri",
}  # fmt: skip
"""Rows whose second derivative by a parameter is such a row: they have two derivatives."""


def _hermitian(a):
    return (a + np.conj(np.swapaxes(a, -1, -2))) / 2


STRUCTURED = {
    "linalg_cholesky": (0, _hermitian),
    "from_triangle": (0, _hermitian),
    "eigh": (0, _hermitian),
    "cholesky_solve": (1, np.tril),
    "cholesky_inverse": (0, np.tril),
}
"""Rows that take an operand to be Hermitian or triangular, and mean their gradients so: see `restrict`."""


def restrict(op, i, a):
    """Operand ``i`` (or its gradient) with the structure that the row takes for granted."""
    place, project = STRUCTURED.get(op.name, (None, None))
    return project(a) if i == place else a


def is_draw(op):
    """Whether the row puts random numbers in; PyTorch declares its derivative to be zero."""
    return op.params[:1] in (("noise",), ("values",))


class Missing(Exception):
    """A row does not say how to sample it."""


def points(domain, rng, shape=(2, 3)):
    """Return an array of ``shape`` inside a domain, away from its edges."""
    if domain == "bool":
        return rng.random(shape) < 0.5
    if domain == "complex":
        return np.asarray(points("nonzero", rng, shape) + 1j * points("nonzero", rng, shape))
    low, high = _MAGNITUDE[domain]
    size = rng.uniform(low, high, shape)
    return np.asarray(size * _SIGN.get(domain, rng.choice([-1.0, 1.0], shape)))


def domains(op):
    """The domain of each input."""
    return op.domain if isinstance(op.domain, (tuple, list)) else (op.domain,) * len(op.inputs)


def sample(op, shapes=None, rng=None, away_from_kinks=True):
    """Return ``(operands, params)`` for a row: arrays, and its other parameters.

    ``shapes`` (entry-by-entry rows only) are the operands' shapes.
    """
    if shapes is None and rng is None and away_from_kinks:
        operands, params = _own_sample(op)
        return [*map(_new, operands)], (*map(_new, params),)
    return _sample(op, shapes, rng, away_from_kinks)


def _new(a):
    return a.copy(order="K") if isinstance(a, np.ndarray) else a


@functools.cache  # some take long to be away from kinks, and all are asked for by dozens of tests
def _own_sample(op):
    return _sample(op, None, None, True)


def _sample(op, shapes, rng, away_from_kinks):
    rng = rng or np.random.default_rng(zlib.crc32(op.name.encode()))
    if callable(op.sample):
        operands, params = op.sample(rng)
        return [np.asarray(a) if isinstance(a, np.generic) else a for a in operands], tuple(params)
    if op.kind not in ("elementwise", "constant") and op.sample is None:
        raise Missing(f"{op.kind} row {op.name!r} needs sample=lambda rng: (operands, params)")
    unknown = set(domains(op)) - set(DOMAINS)
    if unknown:
        raise Missing(f"row {op.name!r}: domain {unknown} is none of {DOMAINS}")
    params = tuple(op.sample or ())
    if len(params) + len(op.defaults) < len(op.params):
        raise Missing(f"row {op.name!r} needs sample=(a value for each of {op.params})")
    shapes = shapes or ((2, 3),) * len(op.inputs)
    for _ in range(50):
        operands = [points(d, rng, s) for d, s in zip(domains(op), shapes, strict=True)]
        if not (op.kink and away_from_kinks) or _is_away_from_kinks(op, operands, params):
            break
    return operands, params


def _is_away_from_kinks(op, operands, params):
    broadcast = np.broadcast_arrays(*operands)
    for i, x in enumerate(operands):
        if x.dtype.kind != "f":
            continue
        for place in np.ndindex(*broadcast[0].shape):
            entry = [b[place] for b in broadcast]

            def along(t, i=i, entry=entry):
                return np.real(op.forward(*entry[:i], entry[i] + t, *entry[i + 1 :], *params))

            if not is_smooth(along):
                return False
    return True


def can_sample(op):
    """Whether `sample` and the row's forward work (else `test_every_row_says_how_to_sample_it` fails for it)."""
    try:
        operands, params = sample(op)
        call(op, operands, params)
    except Exception:
        return False
    return True


def call(op, operands, params):
    """Return the row's outputs as a tuple, for operands of any kind."""
    out = op.apply(list(operands), *params) if op.variadic else op.apply(*operands, *params)
    return tuple(out) if op.outputs else (out,)


def is_float(a):
    """Whether ``a`` is an array that may require grad."""
    return isinstance(a, np.ndarray) and a.dtype.kind in "fc"


def wanted(op, operands):
    """The indices of the operands with respect to which the row can be differentiated."""
    rules = op.rules * len(operands) if op.variadic else op.rules
    return [i for i, a in enumerate(operands) if is_float(a) and rules[i] is not None]


def tensors(operands, leaves):
    """Return copies of the operands as tensors, those at ``leaves`` requiring grad."""
    return [
        sg.tensor(a, requires_grad=i in leaves, name=f"t{i}") if isinstance(a, np.ndarray) else a
        for i, a in enumerate(operands)
    ]


def weights(outputs, seed=1):
    """Random numbers like each output: a cotangent."""
    rng = np.random.default_rng(seed)

    def like(o):
        a = rng.normal(size=o.shape)
        return (a + 1j * rng.normal(size=o.shape) if o.dtype.kind == "c" else a).astype(o.dtype)

    return [like(np.asarray(o)) for o in outputs]


def project(arrays, weights):
    """Return the real number sum Re(conj(w)·a), which is sum w·a for real arrays (and stays analytic there)."""
    total = 0.0
    for a, w in zip(arrays, weights, strict=True):
        total = total + (np.sum(np.real(np.conj(w) * a)) if w.dtype.kind == "c" else np.sum(w * a))
    return total


def arrays_of(tensors):
    """The tensors' arrays."""
    return [t.detach().numpy() for t in tensors]


SAMPLED = [op for op in ROWS if can_sample(op)]
RECORDED = [op for op in SAMPLED if op.kind != "constant" and wanted(op, sample(op)[0])]
ENTRYWISE = [op for op in RECORDED if op.kind == "elementwise" and not is_draw(op)]
PAIRS = [op for op in ENTRYWISE if len(op.inputs) > 1 and op.name not in INTO_FIRST]


DEAR = {
    "betainc", "betainc_by_a", "betainc_by_aa", "betainc_by_ab", "betainc_by_b", "betainc_by_bb", "betaincc",
    "betainccinv", "betaincinv", "fdtr", "fdtrc", "fdtri", "hyp1f1", "hyp2f1", "hyp2f1_by_a", "hyp2f1_by_c",
    "matrix_exp", "matrix_exp_rate", "matrix_log", "matrix_log_rate", "solve_continuous_are", "solve_discrete_are",
    "solve_toeplitz", "stdtr", "stdtr_by_n", "stdtr_by_nn", "stdtrit",
}  # fmt: skip
"""Rows of long series and of equations of matrices: where derivatives of theirs are taken, most of a test's time."""


def rows(ops, slow=frozenset()):
    """Parametrize a test by rows; those named in ``slow`` are for the whole check."""
    cases = [pytest.param(op, marks=pytest.mark.slow) if op.name in slow else op for op in ops]
    return pytest.mark.parametrize("op", cases, ids=lambda op: op.name)


def run(op, operands, params, leaves=None):
    """Run a row on tensors; returns the tensors and the outputs that a gradient flows through."""
    ts = tensors(operands, wanted(op, operands) if leaves is None else leaves)
    return ts, [o for o in call(op, ts, params) if o.requires_grad]


def leaves_of(ts):
    return [t for t in ts if isinstance(t, Tensor) and t.requires_grad]


def gradients(op, operands, params, leaves=None, **options):
    """The gradients of a random projection of the row's outputs."""
    ts, outs = run(op, operands, params, leaves)
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    return sg.autograd.grad(outs, leaves_of(ts), grad_outputs=ws, **options)


EDGES = (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e300, 5e-324)


def at_edges(op, edges=EDGES):
    """A row's operands and parameters with the differentiable operands at edges: all entries, the first, a mixture."""
    operands, params = sample(op)
    live = wanted(op, operands)
    rng = np.random.default_rng(0)

    def put(change):
        return [change(a).astype(a.dtype) if i in live else a for i, a in enumerate(operands)], params

    for e in edges:
        yield put(lambda a, e=e: np.full(a.shape, e))
        yield put(lambda a, e=e: np.where(np.arange(a.size).reshape(a.shape) == 0, e, a))
    yield put(lambda a: rng.choice(edges, a.shape))
