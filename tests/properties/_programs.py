"""Random programs: straight lines of code over public functions, the same text for symgrad and for PyTorch.

A program is a list of lines that compute ``v0, v1, …`` from leaves ``x0, x1, …`` and constants ``c0, c1, …``. It is
safe by construction (logarithms of numbers above 1, divisors that never vanish); ``smooth`` programs have no kinks
either. The generator tracks shapes by itself and asks no library.
"""

import math
import random
import re

import numpy as np

import symgrad as sg

from ._operations import BINARY, INPLACE, KINKED, MOST, PRODUCT, REDUCE, UNARY, broadcast
from ._shape_operations import INDEX, SHAPE

SHAPES = [(), (1,), (2,), (3,), (2, 3), (3, 2), (1, 3), (2, 1), (3, 3), (2, 1, 3), (2, 2, 2)]


class Program:
    """Lines of code, the arrays they start from, and the shapes of their variables."""

    def __init__(self, leaves):
        self.leaves = leaves
        self.constants = {}
        self.lines = []
        self.shapes = {f"x{i}": a.shape for i, a in enumerate(leaves)}

    def __repr__(self):
        text = [
            f"x{i} = L.tensor({a.tolist()}, dtype=L.float64, requires_grad=True)" for i, a in enumerate(self.leaves)
        ]
        text += [
            f"{k} = L.tensor({v.tolist()})"
            for k, v in self.constants.items()
            if any(re.search(rf"\b{k}\b", n) for n in self.lines)
        ]
        return "\n".join([*text, *self.lines])

    def run(self, lib, leaves=None, upto=None):
        """Run the lines with the functions of ``lib``; returns all variables by name."""
        if leaves is None:
            leaves = [lib.tensor(a, requires_grad=True) for a in self.leaves]
        leaves = [lib.as_tensor(a) for a in leaves]  # the lines are PyTorch's, whatever they are run at
        scope = {"L": lib, "F": lib.nn.functional}
        scope.update({f"x{i}": x for i, x in enumerate(leaves)})
        scope.update({k: lib.tensor(v) for k, v in self.constants.items()})
        for line in self.lines[:upto]:
            exec(line, scope)
        return scope

    def loss(self, lib, leaves=None):
        """The program's last line gives ``loss``, a scalar."""
        return self.run(lib, leaves)["loss"]


class Writer:
    """Writes one program, every choice by ``r`` (a `random.Random`)."""

    most = MOST
    """Entries of any array."""

    def __init__(self, r, smooth, inplace):
        self.r, self.smooth, self.inplace = r, smooth, inplace
        self.numbers = np.random.default_rng(r.randrange(2**16))
        leaves = [self.array(r.choice(SHAPES)) for _ in range(r.randrange(1, 4))]
        self.p = Program(leaves)
        self.known = self.p.shapes

    def array(self, shape):
        """Random numbers with few digits, away from 0 and from each other."""
        return np.asarray(np.round(self.numbers.uniform(0.2, 1.4, shape) * self.numbers.choice([-1, 1], shape), 3))

    def constant(self, array):
        name = f"c{len(self.p.constants)}"
        self.p.constants[name] = array
        return name

    def add(self, expression, shape):
        name = f"v{len(self.p.lines)}"
        self.p.lines.append(f"{name} = {expression}")
        self.known[name] = tuple(shape)

    def pick(self, accept=lambda s: True):
        """A variable that is not empty and whose shape fits, the newer the likelier; None if there is none."""
        names = [n for n, s in self.known.items() if math.prod(s) and accept(s)]
        if not names:
            return None
        return self.r.choice(names[-3:] if self.r.random() < 0.7 else names)

    def dim(self, v):
        n = len(self.known[v])
        return self.r.randrange(-n, n)

    def partner(self, v):
        """A variable or constant that broadcasts with ``v``, and the shape of both together."""
        if self.r.random() < 0.15:
            shape = self.known[v]
            shape = self.r.choice([(), shape, tuple(1 if self.r.random() < 0.5 else n for n in shape), shape[1:]])
            return self.constant(self.array(shape)), self.known[v]
        w = self.pick(lambda s: broadcast(s, self.known[v], self.most) is not None)
        return w, broadcast(self.known[w], self.known[v], self.most)

    def accept(self, made):
        """A line, or what a new variable is, with its shape."""
        if isinstance(made, str):
            self.p.lines.append(made)
        else:
            self.add(*made)

    def ends(self):
        """The last two variables, of which a loss is made."""
        return [n for n in self.known if n.startswith("v")][-2:] or ["x0"]

    def write(self, count):
        """Return a program of ``count`` operations and a loss."""
        while count:
            makers = [(UNARY, 4), (BINARY, 4), (SHAPE, 4), (REDUCE, 3), (INDEX, 3), (PRODUCT, 2)]
            if not self.smooth:
                makers.append((KINKED, 4))
            if self.inplace:
                makers.append((INPLACE, 3))
            groups, weights = zip(*makers, strict=True)
            maker = self.r.choice(self.r.choices(groups, weights)[0])
            made = maker(self)
            if made is None:
                continue
            self.accept(made)
            count -= 1
        terms = [f"({n} * {self.constant(self.array(self.known[n]))}).sum()" for n in self.ends()]
        self.p.lines.append("loss = " + " + ".join(terms))
        return self.p


def program_of(seed, smooth=True, inplace=False, most=12):
    """The program of a number, of 1 to ``most`` operations."""
    r = random.Random(seed)
    return Writer(r, smooth, inplace).write(r.randrange(1, most + 1))


def differentiated(program, leaves, create_graph=False):
    """The loss of a program and its gradients; None where PyTorch refuses that too.

    It does where what was saved was overwritten, for a view of what is not contiguous, where an operation has no
    derivative, and where ``detach_()`` cut the loss from all leaves, or made one of them a constant.
    """
    try:
        loss = program.loss(sg, leaves)
        if not (loss.requires_grad and all(x.requires_grad for x in leaves)):
            return None
        return loss, sg.autograd.grad(loss, leaves, create_graph=create_graph, materialize_grads=True)
    except (sg.InplaceError, sg.NotDifferentiableError):
        return None
    except sg.ShapeError as error:
        if "view size is not compatible" not in str(error):
            raise
        return None
