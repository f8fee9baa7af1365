"""Random calls of `nn`: what raises, values, dtypes, what is written to, first and second derivatives.

The idea to hold: a call of a function (`_nn_calls.py`) or of a module (`_nn_modules.py`) has an outcome in each
library, and `differences` says in what two of them differ, but for what is known and documented (`TAKES_MORE`,
`KNOWN`). Of PyTorch's outcomes what is stored is a digest: two weighted sums of the numbers of each array. With PyTorch
itself every number is compared.

To search at length: ``python -m tests.compare.test_random_calls_against_torch 0 1000 [functions]``.
"""

import re
import sys
import warnings

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._nn_calls import CALLS, Dtype, Fixed, call
from ._nn_modules import MODULES, Module, Packed, module

STORED, LIVE = 12, 60
"""How many calls of each function are compared with what is stored, and with PyTorch where it is."""

TAKES_MORE = re.compile(
    # unlike dtypes are promoted, and kernels are not written for some dtypes only
    r"dtype|scalar type|not implemented for '|data type|same type|should be the same|Expected tensor for argument"
    r"|type promoting|expected .* (Long|Int|Bool|Float|Double|Half)\b|Bool(ean)? inputs not supported|result type"
    r"|floating[- ]point|Integral inputs|LongTensor"
    # empty tensors, which have an empty result
    r"|non-empty|possibly 0 batch|0[- ]dim batch|positive length|non-zero size|0 elements into shape"
    r"|step must be nonzero|out of range for tensor of size \[0|Only zero batch or zero channel"
    # one number in a tuple for all dimensions; windows that fit exactly
    r"|It is expected \w+ equals to|too large relative to input|smaller than kernel size"
    # operands that broadcast, and a matrix of one row that is a vector
    r"|mat2 must be a matrix|input dimensions do not match|match the broadcast shape",
    re.IGNORECASE,
)
"""What PyTorch says where symgrad computes what is asked for."""

PLAIN = re.compile(r"zip\(|unpack|tuple index|broadcast input|reshape array|by zero|no attribute|for axis|for array")
"""What Python and NumPy say of arguments that nobody looked at."""

KNOWN = [
    ("values", lambda c: "antialias" in c.options, "PyTorch leaves the second pass out where the width is 1"),
    ("values shape or dtype", lambda c: c.name == "pixel_unshuffle", "PyTorch returns what is empty as it is"),
    ("first", lambda c: "scale_factor" in c.options, "PyTorch rounds the nearest place otherwise on the way back"),
    ("first", lambda c: c.options.get("scale_grad_by_freq"), "PyTorch divides by the counts of other rows"),
    ("first|second", lambda c: c.name == "cosine_similarity" and c.options.get("eps", 0) > 0.1,
     "PyTorch's gradient is that of a norm without its bound"),
    ("first", lambda c: c.name == "pdist" and np.isinf(c.options.get("p", 2)), "ties share the gradient"),
    ("first", lambda c: c.name == "binary_cross_entropy", "PyTorch's slope in the target has no bound"),
    ("refuses", lambda c: c.name.startswith(("conv_t", "max_unpool", "fractional")), "nothing comes out"),
    ("refuses", lambda c: re.search("norm$|avg_pool|^pad|soft", c.name) and c.args[0].size == 0, "what nothing has"),
    ("refuses", lambda c: c.name.startswith("adaptive_avg") and c.args[0].ndim < 3, "no channels"),
    ("refuses", lambda c: c.options.get("mode") == "circular", "what is cut on one side does not come in at the other"),
    ("written", lambda c: c.name == "instance_norm" and c.args[0].size == 0, "statistics of nothing"),
    ("refuses", lambda c: c.name == "conv_tbc", "a kernel that is longer than the input by one"),
    ("refuses", lambda c: c.name == "batch_norm", "weights with dimensions of length 1"),
    ("refuses", lambda c: c.name == "ctc_loss", "letters that are no class, which PyTorch reads from elsewhere"),
    ("refuses", lambda c: c.name in ("nll_loss", "multilabel_margin_loss", "linear_cross_entropy"),
     "the target of one example in a list"),
    ("refuses", lambda c: str(getattr(c.args[0], "dtype", None)) == "bool", "differences of bools"),
    ("values shape or dtype", lambda c: c.name == "hinge_embedding_loss" and c.args[0].dtype.kind == "i",
     "a margin is a float"),
    ("accepts", lambda c: c.name == "scaled_dot_product_attention", "masks of fewer dimensions broadcast"),
    ("values.*", lambda c: c.name == "local_response_norm" and c.args[0].dtype.kind == "i", "means are not cut"),
    ("second", lambda c: c.name.lower() in ("prelu", "softplus", "pairwise_distance") or "lp_pool" in c.name,
     "the side of a kink"),
]  # fmt: skip
"""(what differs, of which calls, why); docs/coming-from-pytorch.md has those that a script may meet."""


# Outcomes ------------------------------------------------------------------------------------------------------------


def _given(lib, value, leaves):
    """An argument as a library has it; what is differentiated in goes to `leaves`."""
    if isinstance(value, Dtype):
        return getattr(lib, value.name)
    if isinstance(value, Fixed):
        return lib.tensor(np.array(value.array))
    if isinstance(value, tuple) and any(isinstance(v, np.ndarray) for v in value):
        if isinstance(value, Packed):
            padded = _given(lib, value.array, leaves)
            return lib.nn.utils.rnn.pack_padded_sequence(padded, lib.tensor(value.lengths), value.batch_first)
        return tuple(_given(lib, v, leaves) for v in value)
    if not isinstance(value, np.ndarray):
        return value
    t = lib.tensor(np.array(value))
    if value.dtype.kind == "f":
        leaves.append(t.requires_grad_())
    return t


def _listed(made):
    return [v for m in made for v in _listed(m)] if isinstance(made, tuple | list) else [made]


def _array(t):
    return t if t is None else (t.detach() + 0 if t.dtype.is_floating_point else t.detach()).numpy().copy()


def _weighted(lib, rng, parts):
    """The sum of what is recorded, each number with a weight of its own, whatever else is recorded; None of nothing."""
    total = None
    for p in parts:
        if p is not None and p.dtype.is_floating_point:
            weights = lib.tensor(rng.normal(size=tuple(p.shape))).to(p.dtype)
            if p.requires_grad:
                total = (p * weights).sum() if total is None else total + (p * weights).sum()
    return total


def outcome(lib, call):
    """Values, what the arguments hold then, and derivatives, each a list of arrays; or the error."""
    leaves, found, rng = [], {}, np.random.default_rng(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made, found["written"] = (_of_a_module if isinstance(call, Module) else _of_a_function)(lib, call, leaves)
            found["values"] = [_array(m) for m in made]
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            return {"error": said, "plain": bool(PLAIN.search(said)), "spared": bool(TAKES_MORE.search(said))}
        try:
            energy = _weighted(lib, rng, made)
            if energy is not None:
                grads = lib.autograd.grad(energy, leaves, create_graph=True, allow_unused=True)
                found["first"] = [_array(g) for g in grads]
                energy = _weighted(lib, rng, grads)
            if energy is not None:
                found["second"] = [_array(h) for h in lib.autograd.grad(energy, leaves, allow_unused=True)]
        except Exception as error:  # some of PyTorch's functions have no such derivatives
            found["not differentiated"] = str(error)
    return found


def _of_a_function(lib, call, leaves):
    """What a function makes, as a list, and what the tensors hold that it may have written to."""
    args = [_given(lib, a, leaves) for a in call.args]
    options = {k: _given(lib, a, leaves) for k, a in call.options.items()}
    inplace = call.name.endswith("_") or call.options.get("inplace")
    args = [a + 0 if inplace and any(a is x for x in leaves) else a for a in args]  # what is written to
    if call.name == "ctc_loss":  # PyTorch's gradient is right for what comes from log_softmax only
        args[0] = lib.log_softmax(args[0], -1)
    made = _listed(getattr(lib.nn.functional, call.name)(*args, **options))
    writes = inplace or call.name.startswith("embedding") or "norm" in call.name
    return made, [_array(a) for a in (*args, *options.values()) if writes and hasattr(a, "detach")]


def _of_a_module(lib, call, leaves):
    """What the calls of a module make, and its state then; its parameters are leaves too."""
    module = getattr(lib.nn, call.name)(*call.args, **call.options).train(call.training)
    rng = np.random.default_rng(5)
    with lib.no_grad():
        for p in module.parameters():
            p.copy_(lib.tensor(rng.normal(size=tuple(p.shape))))
    leaves += module.parameters()
    made = []
    for args, options in call.calls:
        args = [_given(lib, a, leaves) for a in args]
        made += _listed(module(*args, **{k: _given(lib, a, leaves) for k, a in options.items()}))
    state = module.state_dict()
    return made, [_array(lib.tensor([len(k) for k in state])), *map(_array, state.values())]


def digest(found):
    """An outcome that has of each array its dtype and shape, two weighted sums, and how many are NaN or infinite."""
    if "error" in found:
        return {"error": "" if found["spared"] else found["error"], "spared": found["spared"]}
    arrays = {k: parts for k, parts in found.items() if type(parts) is list}
    return {k: [None if a is None else _digested(a) for a in parts] for k, parts in arrays.items()}


def _digested(a):
    finite = np.where(np.isfinite(a), a, 0).astype(np.float64).ravel()
    weights = np.random.default_rng(3).uniform(0.5, 1.5, (2, finite.size)) * np.resize([1, -1], finite.size)
    odd = int(np.isnan(a).sum()), int(np.isinf(a).sum())
    with np.errstate(over="ignore"):
        sums = (weights @ finite).astype(np.float32)
    return f"{a.dtype}{list(a.shape)}", sums, *odd, float(f"{abs(finite).sum():.1g}")


# What differs --------------------------------------------------------------------------------------------------------


def differences(call, ours, theirs, same):
    """Yield (kind, what) for all in which two outcomes differ, but for what is known."""
    for kind, what in _differences(call, ours, theirs, same):
        if not any(re.fullmatch(known, kind) and of(call) for known, of, _ in KNOWN):
            yield kind, what


def _differences(call, ours, theirs, same):
    if "error" in theirs:
        if "error" in ours and ours["plain"]:
            yield "is not looked at", ours["error"]
        elif "error" not in ours and not theirs["spared"]:
            yield "accepts", theirs["error"]
        return
    if "error" in ours:
        yield "refuses", ours["error"]
        return
    said = repr(call)
    kinds = {*re.findall(r"(?:float|int|bool)\d*(?=\[)", said), *re.findall(r"Dtype\(name='(\w+)'", said)}
    for key in ("values", "written", "first", "second"):
        if key not in theirs or (key == "second" and "float16" in kinds):
            continue
        if key not in ours and any(t is not None for t in theirs[key]):
            ours = {**ours, key: [None] * len(theirs[key])}
        for i, (a, b) in enumerate(zip(ours.get(key, ()), theirs[key], strict=key in ours)):
            kind = same(a, b, kinds, key != "values" and key != "written")
            if kind:
                yield f"{key}{kind}".rstrip(), f"{i}: {_short(a)} against {_short(b)}"
                return


def _short(a):
    return f"{a.dtype}{a.shape} {a.ravel()[:8].tolist()}" if isinstance(a, np.ndarray) else repr(a)


def _tolerance(kinds, exact):
    return 3e-2 if "float16" in kinds else 3e-4 if "float32" in kinds else exact


def same_arrays(a, b, kinds, derivative):
    """In what two arrays differ, or nothing; of unlike dtypes the result's is NumPy's, and where one library finds no
    path the other may find an exact zero, or a NaN: 0·∞ of a branch that is not taken."""
    if a is None or b is None:
        return "" if not any(np.any(np.nan_to_num(x, nan=0.0)) for x in (a, b) if x is not None) else " is None"
    if a.shape != b.shape or (a.dtype != b.dtype and len(kinds) == 1):
        return " shape or dtype"
    tol = _tolerance({*kinds, str(b.dtype)}, 1e-8) * (1 + 9 * derivative)  # of two numbers a norm leaves little
    with np.errstate(all="ignore"):
        scale = max(1.0, float(np.max(np.abs(b), where=np.isfinite(b), initial=0)))
        near = np.isclose(a, b, rtol=tol, atol=tol * scale, equal_nan=True) | (derivative & np.isnan(b))
    return "" if np.all(near) else " "


def same_digests(a, b, kinds, derivative):
    """As `same_arrays`, of digests."""
    if a is None or b is None:
        x = a or b
        return "" if x is None or not np.any(x[1]) else " is None"
    (what, sums, *odd, _), (wanted, right, *odds, size) = a, b
    if what.partition("[")[2] != wanted.partition("[")[2] or (what != wanted and len(kinds) == 1):
        return " shape or dtype"
    if derivative and odds[0]:
        return ""
    tol = _tolerance({*kinds, wanted.partition("[")[0]}, 1e-5)
    return (
        ""
        if odd == odds and np.allclose(np.float64(sums), np.float64(right), rtol=tol, atol=tol * (1e-2 + size))
        else " "
    )


# The tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.compare
@pytest.mark.parametrize("name", [*CALLS, *MODULES])
def test_random_calls(name):
    calls = [(call if name in CALLS else module)(name, seed) for seed in range(STORED)]
    theirs = answer("torch", lambda torch: [digest(outcome(torch, c)) for c in calls], near=1e-2)
    for c, right in zip(calls, theirs, strict=True):
        found = outcome(sg, c)
        ours = found if "error" in found else digest(found)
        assert not list(differences(c, ours, right, same_digests)), c


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CALLS, *MODULES])
def test_more_random_calls(name, torch):
    for seed in range(STORED, STORED + LIVE):
        c = (call if name in CALLS else module)(name, seed)
        assert not list(differences(c, outcome(sg, c), outcome(torch, c), same_arrays)), c


def test_every_function_is_called():
    assert set(CALLS) == set(sg.nn.functional.__all__)


def _search(torch, start, count, names):
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    refused = found = 0
    for name in names or [*CALLS, *MODULES]:
        for seed in range(start, start + count):
            c = (call if name in CALLS else module)(name, seed)
            theirs = outcome(torch, c)
            refused += "error" in theirs
            for kind, what in differences(c, outcome(sg, c), theirs, same_arrays):
                found += 1
                print(f"--- {name} {seed}: {kind}: {what[:400]}\n{c}", flush=True)
    print(found, "differences in", count * len(names or [*CALLS, *MODULES]), "calls, of which PyTorch refuses", refused)


if __name__ == "__main__":
    import torch as _torch

    _search(_torch, int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
