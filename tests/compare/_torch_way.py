"""Random programs (`tests/properties/_seams.py`) run by PyTorch: the same text, its names with PyTorch's meaning.

PyTorch is an argument everywhere: nothing here imports it.
"""

import functools
import re
import warnings

import numpy as np

import symgrad as sg

from ..properties._ways import Stops, flat
from ._torch_rows import twin

TEXTS = (
    (re.compile(r"(?<=[= ])([vx]\d+)\[::-1\]"), r"\1.flip(0)"),
    (re.compile(r"(?<=[= ])([vx]\d+)\[\.\.\., ::-1\]"), r"\1.flip(-1)"),
    (re.compile(r"(?<=[= ])([vx]\d+)\[::-2\]"), r"\1.flip(0)[::2]"),
)
"""What NumPy writes otherwise where it is read (`_read`): PyTorch has no negative steps."""

RENAMED = {"arctan2": "atan2", "concatenate": "cat", "array": "as_tensor"}


def _tensor(torch, a, dtype=None):
    if isinstance(a, torch.Tensor):
        return a.clone() if dtype is None else a.to(dtype)
    return torch.tensor(a, dtype=dtype or (torch.float64 if isinstance(a, float) else None))


class NumPy:
    """NumPy's functions of PyTorch's tensors, as far as programs use them."""

    def __init__(self, torch):
        self.torch, self.linalg, self.float64 = torch, torch.linalg, torch.float64

    def __getattr__(self, name):
        function = getattr(self.torch, RENAMED.get(name, name))

        def call(*args, axis=None, keepdims=None, **options):
            if axis is not None:
                options["dims" if name in ("roll", "flip") else "dim"] = axis
            if keepdims is not None:
                options["keepdim"] = keepdims
            args = [_tensor(self.torch, a) if isinstance(a, int | float) and k < 2 and name not in TAKES_NUMBERS else a
                    for k, a in enumerate(args)]  # fmt: skip
            return function(*args, **options)

        return call

    def take(self, a, indices, axis):
        return self.torch.index_select(a, axis, indices)

    def flip(self, a, axis):
        return self.torch.flip(a, [axis])

    def max(self, a, axis, keepdims=False):
        return self.torch.amax(a, axis, keepdims)


TAKES_NUMBERS = ("roll", "cumsum", "sum", "mean", "flip", "take")


class Library:
    """``L``: PyTorch's functions; what they call otherwise than symgrad is here."""

    def __init__(self, torch):
        self.torch = torch

    def tensor(self, a, dtype=None):
        return _tensor(self.torch, a, dtype)

    def std(self, x, *args, **options):
        return self.torch.std(x, *args, **options)

    def __getattr__(self, name):
        return getattr(self.torch, name)


def _constant(torch, a):
    if isinstance(a, sg.Tensor):
        a = a.numpy()
    if isinstance(a, np.ndarray | np.generic):
        return torch.tensor(np.ascontiguousarray(a).reshape(np.shape(a)))
    if isinstance(a, tuple):
        return tuple(_constant(torch, b) for b in a)
    return a


def _row(torch, name):
    found = twin(torch, name)
    if found is None:
        raise Stops(f"no twin of the row {name}")
    return found


def _read(line):
    target, sign, value = line.partition(" = ")
    for pattern, new in TEXTS if sign else ():
        value = pattern.sub(new, f" {value}").removeprefix(" ")
    return target + sign + value


def function_of(torch, program):
    """The program as a function of PyTorch's tensors."""
    text = "\n".join(_read(line) for line in program.source.splitlines())
    scope = {
        "L": Library(torch), "F": torch.nn.functional, "np": NumPy(torch),
        "sg": torch.func,  # `grad` is all that programs call
        "row": functools.partial(_row, torch), **{k: _constant(torch, v) for k, v in program.constants.items()},
    }  # fmt: skip
    exec(text, scope)
    return scope["f"]


def torchs(torch, q):
    """What `_answers` says, with float64 for what comes of whole numbers, as in symgrad."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return _answers(torch, q)
    finally:
        torch.set_default_dtype(before)


def _answers(torch, q):
    """Value, gradient and second derivative times the direction, by PyTorch; raises `Stops` where it raises."""
    if q.program.tied and "kthvalue" in q.program.source:
        raise Stops("which of equal elements it takes is nobody's promise")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f = function_of(torch, q.program)
            leaves = [torch.tensor(a, requires_grad=k in q.program.wrt) for k, a in enumerate(q.point)]
            y = f(*leaves)
            wanted = [leaves[k] for k in q.program.wrt]
            value = y.detach().numpy()
            if not y.requires_grad:
                return value, np.zeros(q.size), np.zeros(q.size)
            g = torch.autograd.grad(y, wanted, create_graph=True, allow_unused=True, materialize_grads=True)
    except Stops:
        raise
    except Exception as error:
        raise Stops(f"{type(error).__name__}: {str(error).splitlines()[0]}") from None
    first = flat([a.detach().numpy() for a in g])
    live = [(a, torch.tensor(v)) for a, v in zip(g, q.direction, strict=True) if a.requires_grad]
    if not live:
        return value, first, np.zeros(q.size)
    try:
        second = torch.autograd.grad([a for a, _ in live], wanted, [v for _, v in live], materialize_grads=True)
    except Exception:
        return value, first, None  # there is no second derivative of some operations
    return value, first, flat([a.numpy() for a in second])
