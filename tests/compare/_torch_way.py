"""Random programs (`tests/properties/_seams.py`) run by PyTorch: the same text, its names with PyTorch's meaning."""

import re
import warnings

import numpy as np
import torch

import symgrad as sg

from ..properties._ways import Stops, flat

TEXTS = (
    (re.compile(r"(?<=[= ])([vx]\d+)\[::-1\]"), r"\1.flip(0)"),
    (re.compile(r"(?<=[= ])([vx]\d+)\[\.\.\., ::-1\]"), r"\1.flip(-1)"),
    (re.compile(r"(?<=[= ])([vx]\d+)\[::-2\]"), r"\1.flip(0)[::2]"),
)
"""What NumPy writes otherwise where it is read (`_read`): PyTorch has no negative steps."""

RENAMED = {"arctan2": "atan2", "concatenate": "cat", "array": "as_tensor"}


def _tensor(a, dtype=None):
    if isinstance(a, torch.Tensor):
        return a.clone() if dtype is None else a.to(dtype)
    return torch.tensor(a, dtype=dtype or (torch.float64 if isinstance(a, float) else None))


class NumPy:
    """NumPy's functions of PyTorch's tensors, as far as programs use them."""

    linalg = torch.linalg
    float64 = torch.float64

    def __getattr__(self, name):
        function = getattr(torch, RENAMED.get(name, name))

        def call(*args, axis=None, keepdims=None, **options):
            if axis is not None:
                options["dims" if name in ("roll", "flip") else "dim"] = axis
            if keepdims is not None:
                options["keepdim"] = keepdims
            args = [_tensor(a) if isinstance(a, int | float) and k < 2 and name not in TAKES_NUMBERS else a
                    for k, a in enumerate(args)]  # fmt: skip
            return function(*args, **options)

        return call

    @staticmethod
    def take(a, indices, axis):
        return torch.index_select(a, axis, indices)

    @staticmethod
    def flip(a, axis):
        return torch.flip(a, [axis])

    @staticmethod
    def max(a, axis, keepdims=False):
        return torch.amax(a, axis, keepdims)


TAKES_NUMBERS = ("roll", "cumsum", "sum", "mean", "flip", "take")


class Library:
    """``L``: PyTorch's functions; what they call otherwise than symgrad is here."""

    tensor = staticmethod(_tensor)

    @staticmethod
    def std(x, *args, **options):
        return torch.std(x, *args, **options)

    def __getattr__(self, name):
        return getattr(torch, name)


class Symgrad:
    """``sg`` as programs use it."""

    @staticmethod
    def grad(f):
        return torch.func.grad(f)


def _constant(a):
    if isinstance(a, sg.Tensor):
        a = a.numpy()
    if isinstance(a, np.ndarray | np.generic):
        return torch.tensor(np.ascontiguousarray(a).reshape(np.shape(a)))
    if isinstance(a, tuple):
        return tuple(_constant(b) for b in a)
    return a


def _row(name):
    from ._torch_rows import twin

    found = twin(name)
    if found is None:
        raise Stops(f"no twin of the row {name}")
    return found


def _read(line):
    target, sign, value = line.partition(" = ")
    for pattern, new in TEXTS if sign else ():
        value = pattern.sub(new, f" {value}").removeprefix(" ")
    return target + sign + value


def function_of(program):
    """The program as a function of PyTorch's tensors."""
    text = "\n".join(_read(line) for line in program.source.splitlines())
    constants = {k: _constant(v) for k, v in program.constants.items()}
    scope = {"L": Library(), "F": torch.nn.functional, "np": NumPy(), "sg": Symgrad(), "row": _row, **constants}
    exec(text, scope)
    return scope["f"]


def torchs(q):
    """What `_answers` says, with float64 for what comes of whole numbers, as in symgrad."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return _answers(q)
    finally:
        torch.set_default_dtype(before)


def _answers(q):
    """Value, gradient and second derivative times the direction, by PyTorch; raises `Stops` where it raises."""
    if q.program.tied and "kthvalue" in q.program.source:
        raise Stops("which of equal elements it takes is nobody's promise")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f = function_of(q.program)
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
