"""Random programs across the seams: rows of the table and public functions, mixed with what lies between them.

What lies between: `_seam_operations.py`, constants of all kinds, inputs that want no gradient, arrays of size 1 and 0.

The idea to hold: a seed is a program, a program is the text of a function ``f(x0, …)`` with its constants and a point,
and prints as a script. `_ways.py` computes its derivatives in several ways and compares them.
"""

import random
import re

import numpy as np

import symgrad as sg
from symgrad.core import TABLE

from ..helpers.rows import SAMPLED, STRUCTURED, domains, is_draw, sample, wanted
from . import _hessian_functions as h
from ._hessian_functions import Function, HessianWriter, written
from ._operations import BINARY, INPLACE, KINKED, MOST, PRODUCT, REDUCE, UNARY
from ._seam_operations import SEAMS, WRITES
from ._shape_operations import INDEX, SHAPE

SHAPES = [(), (1,), (2,), (3,), (4,), (2, 2), (3, 3), (2, 3), (3, 2), (1, 3), (3, 1), (2, 1, 3), (2, 2, 2), (1, 1)]


class Program(Function):
    """A function's text, its constants, a point; ``wrt`` are the arguments that it is differentiated in."""

    tied = False
    """Whether the point and the constants are small multiples of 1/2, so that equal numbers meet."""

    @property
    def wrt(self):
        return tuple(i for i in range(len(self.leaves)) if i not in self.frozen)

    def __init__(self, leaves, frozen=()):
        super().__init__(leaves)
        self.frozen = frozenset(frozen)

    def used(self):
        """The constants that the text mentions."""
        return {k: v for k, v in self.constants.items() if re.search(rf"\b{k}\b", self.source)}

    @property
    def single(self):
        """Whether some numbers on the way have single precision."""
        return any(getattr(v, "dtype", None) == np.float32 for v in self.used().values())

    def __repr__(self):
        names = [f"x{i}" for i in range(len(self.leaves))]
        wanted_ = [names[i] for i in self.wrt]
        text = ["import numpy as np", "", "import symgrad as sg"]
        if "row(" in self.source:
            text += ["from symgrad.core import TABLE"]
        text += ["", "L, F = sg, sg.nn.functional"]
        if "row(" in self.source:
            text += ["row = lambda name: TABLE[name].apply"]
        text += [f"{k} = {written(v)}" for k, v in self.used().items()]
        text += ["", "", self.source, ""]
        text += [f"x{i} = {written(a)}" for i, a in enumerate(self.leaves)]
        text += [
            f"t = [sg.tensor(a, requires_grad=k in {self.wrt}, name=f'x{{k}}') for k, a in"
            f" enumerate([{', '.join(names)}])]",
            f"x = [t[k] for k in {self.wrt}]",
            "y = f(*t)",
            "g = sg.autograd.grad(y, x, create_graph=True, materialize_grads=True)",
            "print('value   ', y)",
            "print('gradient', *g)",
            f"print('Hessian ', sg.hessian(f, {self.wrt})({', '.join(names)}))",
        ]
        return "\n".join(text) if wanted_ else "\n".join(text[:-5])


# Rows of the table ---------------------------------------------------------------------------------------------------
ROWS = [op for op in SAMPLED if op.kind != "constant" and not is_draw(op) and wanted(op, sample(op)[0])]
ROWS = [op for op in ROWS if not (op.places or op.name.endswith("_") or op.name == "remember")]


def _takes_all(op, i):
    """Whether operand ``i`` of a row may be any real number."""
    if np.iscomplexobj(sample(op)[0][i]) or op.name == "damped":  # it stands beside a factor that is 0 where it is
        return False
    if op.kind == "elementwise":
        return domains(op)[i] in ("real", "nonzero")
    return not (op.name in STRUCTURED or op.fails)


def _row(w):
    """A row at its own sample, moved a little by variables: within its domain, whatever that is; or anywhere."""
    op = w.r.choice(ROWS)
    rng = np.random.default_rng(w.r.randrange(2**16))
    operands, params = sample(op, rng=rng)
    live = [i for i in wanted(op, operands) if operands[i].size <= MOST]
    if not live:
        return None
    live = [i for i in live if w.r.random() < 0.8] or live[:1]
    place, structure = STRUCTURED.get(op.name, (None, None))
    anywhere = {i for i in live if _takes_all(op, i) and w.r.random() < 0.5}
    texts = [
        w.fit(w.pick(), operands[i].shape) if i in anywhere
        else w.moved(np.asarray(a), i == place and structure) if i in live
        else w.fixed(a) if isinstance(a, np.ndarray) else repr(a)
        for i, a in enumerate(operands)
    ]  # fmt: skip
    extra = [_parameter(p) for p in params]
    first = f"[{', '.join(texts)}]" if op.variadic else ", ".join(texts)
    text = f"row({op.name!r})({', '.join([first, *extra])})"
    out = op.apply(list(operands), *params) if op.variadic else op.apply(*operands, *params)
    if op.outputs:
        k = w.r.choice([k for k, o in enumerate(out) if np.asarray(o).dtype.kind in "fc"])
        if op.name in ("eigh", "svd", "qr"):
            k = {"eigh": 0, "svd": 1, "qr": 1}[op.name]  # vectors have no definite sign
        out, text = out[k], f"{text}[{k}]"
    out = np.asarray(out)
    if out.dtype.kind == "c":
        text = f"L.{w.r.choice(['real', 'imag', 'abs'])}({text})"
    elif out.dtype.kind != "f":
        return None
    return (text, out.shape) if 0 < out.size <= MOST else None


def _parameter(p):
    """A parameter of a row as text."""
    if isinstance(p, tuple):
        return f"({''.join(f'{_parameter(q)}, ' for q in p)})"
    return f"np.dtype({p.name!r})" if isinstance(p, np.dtype) else written(p)


# Programs -------------------------------------------------------------------------------------------------------------


class SeamWriter(HessianWriter):
    """Writes one program."""

    def __init__(self, r, tied=False, inplace=True):
        self.r, self.kinks, self.inplace, self.smooth, self.tied = r, True, inplace, False, tied
        self.numbers = np.random.default_rng(r.randrange(2**16))
        leaves = [self.array(r.choice(SHAPES)) for _ in range(r.choice([1, 1, 1, 2, 2, 3]))]
        frozen = [i for i in range(1, len(leaves)) if r.random() < 0.25]
        self.p = Program(leaves, frozen)
        self.p.lines = [f"x{i} = L.as_tensor(x{i})" for i in frozen]  # `sg.hessian` hands them on as they are
        self.p.tied = tied
        self.known = self.p.shapes

    def array(self, shape):
        if not self.tied:
            return super().array(shape)
        return np.asarray(self.numbers.choice([-1.0, -0.5, 0.5, 1.0, 0.0], shape, p=[0.2, 0.25, 0.25, 0.2, 0.1]))

    def held(self, value):
        name = f"c{len(self.p.constants)}"
        self.p.constants[name] = value
        return name

    plain = held
    fixed = held

    def name(self, text, shape):
        self.add(text, shape)
        return f"v{len(self.p.lines) - 1}"

    def fit(self, v, shape):
        """Text of an array of ``shape`` made of a variable's entries."""
        have, want = int(np.prod(self.known[v])), int(np.prod(shape))
        if self.known[v] == tuple(shape):
            return v
        text = f"{v}.reshape(-1)"
        if have < want:
            text = f"L.tile({text}, ({-(-want // have)},))"
        if have * -(-want // have) != want:
            text += f"[:{want}]"
        return f"{text}.reshape({tuple(shape)})"

    def moved(self, a, structure):
        """Text of a constant plus a small function of a variable."""
        v = self.fit(self.pick(), a.shape)
        text = f"0.05 * L.{self.r.choice(['sin', 'tanh', 'cos'])}({v})"
        if a.dtype.kind == "c":
            text = f"({text}) * (1 + 0.5j)"
        if structure:
            text = f"L.tril({text})" if structure is np.tril else f"0.5 * ({text} + ({text}).mT)"
        return f"(L.as_tensor({self.plain(a)}) + {text})"

    def partner(self, v):
        if self.r.random() > 0.12:
            return super().partner(v)
        shape = self.known[v]
        shape = self.r.choice([(), shape, tuple(1 if self.r.random() < 0.5 else n for n in shape), shape[1:]])
        a = self.array(shape) + 0.0
        kind = self.r.choice(["number", "int", "float32", "int64", "0-d", "reversed", "F"])
        whole = np.where(a > 0, 2, -1)
        value = {
            "number": float(a.flat[0]) if a.size else 0.5, "int": self.r.choice([2, -1, 3]), "int64": whole,
            "float32": np.asarray(np.round(a * 8 + 0.5) / 8, np.float32), "0-d": np.asarray(0.75),
            "reversed": a[::-1] if a.ndim else a, "F": np.asfortranarray(a),
        }[kind]  # fmt: skip
        name = self.held(value)
        if isinstance(value, np.ndarray) and self.r.random() < 0.7:
            return f"L.as_tensor({name})", self.known[v]
        return name, self.known[v]

    def write(self, count):
        groups = [
            (UNARY, 2), (BINARY, 2), (SHAPE, 3), (REDUCE, 1), (INDEX, 2), (PRODUCT, 2), (KINKED, 2), ([_row], 7),
            (h.WRITTEN, 2), (h.MORE_BINARY, 2), (h.AXES, 2), (h.LOSSES, 1), (h.NUMBERED, 1), ([h._sliced], 2),
            ([h._gathered], 1), ([h._model], 1), ([h._square], 1), ([h._assigned], 1),
            *SEAMS, (WRITES, 3 * self.inplace), (INPLACE, 1 * self.inplace),
        ]  # fmt: skip
        makers, weights = zip(*groups, strict=True)
        while count:
            kept = len(self.p.lines), dict(self.known)
            try:
                made = self.r.choice(self.r.choices(makers, weights)[0])(self)
            except (KeyError, TypeError, IndexError):  # no operand fits
                made = None
            shapeless = made is None or made[1] is None
            if shapeless or (isinstance(made, str) and (made.startswith("x") or ".detach" in made)):
                del self.p.lines[kept[0] :]
                self.p.shapes = self.known = kept[1]
                continue
            self.accept(made)
            count -= 1
        ends = self.ends()[: self.r.choice([1, 2, 2])]
        self.p.lines.append("loss = " + " + ".join([self._reduced(n) for n in ends]))
        return self.p


def program_of(seed, most=7, tied=None, **options):
    """The program of a number; every fifth one has ties."""
    r = random.Random(seed)
    return SeamWriter(r, seed % 5 == 4 if tied is None else tied, **options).write(r.randrange(1, most + 1))


def row(name):
    """A row of the table, as programs call it."""
    return TABLE[name].apply


def compiled(program):
    """The program as a function of symgrad's; its constants are names of its module."""
    constants = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in program.constants.items()}
    scope = {"L": sg, "F": sg.nn.functional, "np": np, "sg": sg, "row": row, **constants}
    exec(program.source, scope)
    return scope["f"]


__all__ = ["ROWS", "Program", "SeamWriter", "compiled", "program_of", "row", "written"]
