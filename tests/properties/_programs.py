"""Random programs: straight lines of code over public functions, the same text for symgrad and for PyTorch.

A program is a list of lines that compute ``v0, v1, …`` from leaves ``x0, x1, …`` and constants ``c0, c1, …``. It is
safe by construction (logarithms of numbers above 1, divisors that never vanish); ``smooth`` programs also have no kinks.
The generator tracks shapes by itself and asks no library.
"""

import math
import random
import re

import numpy as np

MOST = 36  # entries of any array
SHAPES = [(), (1,), (2,), (3,), (2, 3), (3, 2), (1, 3), (2, 1), (3, 3), (2, 1, 3), (2, 2, 2)]


class Program:
    """Lines of code, the arrays they start from, and the shapes of their variables."""

    def __init__(self, leaves):
        self.leaves = leaves
        self.constants = {}
        self.lines = []
        self.shapes = {f"x{i}": a.shape for i, a in enumerate(leaves)}

    def __repr__(self):
        text = [f"x{i} = L.tensor({a.tolist()}, dtype=L.float64, requires_grad=True)" for i, a in enumerate(self.leaves)]
        text += [f"{k} = L.tensor({v.tolist()})" for k, v in self.constants.items() if any(re.search(rf"\b{k}\b", n) for n in self.lines)]
        return "\n".join([*text, *self.lines])

    def run(self, lib, leaves=None, upto=None):
        """Run the lines with the functions of ``lib``; returns all variables by name."""
        if leaves is None:
            leaves = [lib.tensor(a, requires_grad=True) for a in self.leaves]
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
        w = self.pick(lambda s: _broadcast(s, self.known[v]) is not None)
        return w, _broadcast(self.known[w], self.known[v])

    def write(self, count):
        """Return a program of ``count`` operations and a loss."""
        while count:
            makers = [(_UNARY, 4), (_BINARY, 4), (_SHAPE, 4), (_REDUCE, 3), (_INDEX, 3), (_PRODUCT, 2)]
            if not self.smooth:
                makers.append((_KINKED, 4))
            if self.inplace:
                makers.append((_INPLACE, 3))
            groups, weights = zip(*makers, strict=True)
            maker = self.r.choice(self.r.choices(groups, weights)[0])
            made = maker(self)
            if made is None:
                continue
            if isinstance(made, str):
                self.p.lines.append(made)
            else:
                self.add(*made)
            count -= 1
        ends = [n for n in self.known if n.startswith("v")][-2:] or ["x0"]
        terms = [f"({n} * {self.constant(self.array(self.known[n]))}).sum()" for n in ends]
        self.p.lines.append("loss = " + " + ".join(terms))
        return self.p


def write_program(r, smooth=True, inplace=False, most=12):
    """A random program of 1 to ``most`` operations; ``r`` is a `random.Random`, perhaps Hypothesis's."""
    return Writer(r, smooth, inplace).write(r.randrange(1, most + 1))


def program_of(seed, **options):
    """The program of a number."""
    return write_program(random.Random(seed), **options)


def _broadcast(a, b):
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return None
    return shape if math.prod(shape) <= MOST else None


def _at(shape, dim, size):
    """``shape`` with ``size`` along ``dim`` (dropped if None)."""
    out = list(shape)
    if size is None:
        del out[dim]
    else:
        out[dim] = size
    return tuple(out)


# Entry by entry ------------------------------------------------------------------------------------------------------


def _unary(template):
    def make(w):
        v = w.pick()
        return template.replace("@", v), w.known[v]

    return make


_UNARY = [
    _unary(t.strip())
    for t in """
    L.sin(@)|L.cos(@)|L.tanh(@)|L.sigmoid(@)|L.atan(@)|L.erf(@)|L.exp(-@ * @)|L.exp(@.tanh())|L.log(1 + @ ** 2)|L.sqrt(1 + @ * @)
    L.log1p(@ * @)|L.expm1(L.tanh(@))|L.reciprocal(2 + L.sin(@))|L.rsqrt(1 + @ * @)|L.square(@)|@ ** 3|@ ** 2.0|-@|L.asinh(@)
    L.sinh(L.tanh(@))|L.cosh(L.sin(@))|L.lgamma(2 + L.sin(@))|L.digamma(2 + L.cos(@))|F.softplus(@)|F.silu(@)|F.gelu(@)
    1 / (2 + L.cos(@))|2 - @|0.5 * @|@ / 4|@ + 1|L.exp2(L.sin(@))|2.0 ** L.sin(@)|(1.5 + L.sin(@)) ** 1.5|L.asin(0.9 * L.sin(@))
    L.atanh(0.7 * L.sin(@))|L.acosh(1.5 + @ ** 2)|@.clone()|@.sin().cos()|L.erfinv(0.6 * L.cos(@))
    L.tan(0.7 * L.tanh(@))|@.neg().exp().log1p()|L.log2(2 + @ * @)|L.log10(2 + @ * @)|L.acos(0.8 * L.cos(@))|F.logsigmoid(@)
    L.sinc(0.3 * @ + 2)|@ ** 0|@ ** 1|F.elu(@ * @ + 0.1)|L.positive(@)|@.detach() * @|L.zeros_like(@) + @
    """.replace("\n", "|").split("|")
    if t.strip()
]


def _binary(template):
    def make(w):
        v = w.pick()
        b, shape = w.partner(v)
        first, second = (v, b) if w.r.random() < 0.5 else (b, v)
        return template.replace("@", first).replace("#", second), shape

    return make


def _lerp(w):
    v = w.pick()
    b, shape = w.partner(v)
    c = w.pick(lambda s: _broadcast(s, shape) == shape)
    return (f"L.lerp({v}, {b}, {c})", shape) if c else None


def _addcmul(w):
    v = w.pick()
    b, shape = w.partner(v)
    c = w.pick(lambda s: _broadcast(s, shape) == shape)
    name = w.r.choice(["L.addcmul({}, {}, {}, value=0.5)", "L.addcdiv({}, {}, 2 + {} ** 2)"])
    return (name.format(v, b, c), shape) if c else None


def _where_constant(w):
    v = w.pick()
    b, shape = w.partner(v)
    mask = w.constant(np.asarray(w.numbers.random(shape) < 0.5))
    return f"L.where({mask}, {v}, {b})", shape


_BINARY = [
    *map(_binary, [
        "@ + #", "@ - #", "@ * #", "@ * #", "@ / (2 + L.sin(#))", "L.atan2(@, 2 + L.sin(#))", "L.hypot(@, 1 + # * #)",
        "L.logaddexp(@, #)", "L.lerp(@, #, 0.3)", "L.add(@, #, alpha=0.5)", "L.sub(@, #, alpha=2)", "L.xlogy(1 + @ * @, 1 + # * #)",
        "(1.5 + L.sin(@)) ** L.cos(#)", "L.mul(@, #)", "L.div(@, 1.5 + L.cos(#))", "L.true_divide(@, # * # + 1)",
    ]),
    _lerp, _addcmul, _where_constant,
]  # fmt: skip

_KINKED = [
    *(_unary(t.strip()) for t in """
    L.relu(@)|L.abs(@)|L.clamp(@, -0.5, 0.5)|L.clamp(@, min=0.1)|F.leaky_relu(@)|L.sign(@)|L.floor(@)|L.round(@)
    L.frac(@)|@ % 0.7|L.fmod(@, 0.7)|L.where(@ > 0, @, -@)|L.clamp(@, max=0.3)|L.sort(@.flatten())[0].sum() + @
    @.max() * @|@.min() + @|L.where(@ > 0.5, L.sqrt(L.relu(@) + 0.1), 1.0)|F.elu(@)|L.trunc(@)|L.sgn(@)
    L.nan_to_num(@)|L.amax(@) - @|L.median(@) * @|@.abs().sqrt()|L.dist(@, 0.5 * @) + @|L.norm(@) + @
    L.linalg.vector_norm(@, 1) * @|L.linalg.norm(@) - @|@.prod() + @
    """.replace("\n", "|").split("|") if t.strip()),
    *map(_binary, [
        "L.maximum(@, #)", "L.minimum(@, #)", "L.where(@ > #, @, #)", "L.where(@ == #, @, -#)", "L.copysign(@, #)", "L.clamp(@, # - 0.2, # + 0.2)",
        "L.remainder(@, 1.1 + L.sin(#))", "L.fmax(@, #)", "L.floor(@ / (2 + L.sin(#))) * #",
    ]),
]  # fmt: skip

# Reductions ----------------------------------------------------------------------------------------------------------


def _along(template, keeps=True, kept=False):
    """A reduction over ``{d}``, or (``kept``) a function along it that keeps the shape."""

    def make(w):
        v = w.pick(lambda s: len(s) > 0)
        if v is None:
            return None
        d, shape = w.dim(v), w.known[v]
        keep = keeps and not kept and w.r.random() < 0.4
        text = template.replace("@", v).replace("{d}", str(d)).replace("{k}", str(keep))
        return text, shape if kept else _at(shape, d, 1 if keep else None)

    return make


def _whole(template):
    def make(w):
        return template.replace("@", w.pick()), ()

    return make


def _sum_dims(w):
    v = w.pick(lambda s: len(s) > 1)
    if v is None:
        return None
    shape = w.known[v]
    dims = tuple(sorted(w.r.sample(range(len(shape)), 2)))
    name = w.r.choice(["sum", "mean"])
    return f"L.{name}({v}, dim={dims})", tuple(n for k, n in enumerate(shape) if k not in dims)


_REDUCE = [
    *map(_whole, ["@.sum()", "@.mean()", "L.logsumexp(@.flatten(), 0)", "L.var(@, correction=0)", "@.numel() * @.mean()", "L.sum(@ * @)",
                  "L.norm(1.5 + L.sin(@))", "L.prod(1.5 + L.sin(@))"]),
    *map(_along, ["@.sum({d}, keepdim={k})", "@.mean({d}, keepdim={k})", "L.logsumexp(@, {d}, keepdim={k})",
                  "L.var(@, {d}, correction=0, keepdim={k})", "L.sum(@, dim={d}, keepdim={k})", "L.prod(@, {d}, keepdim={k})",
                  "L.linalg.vector_norm(1.5 + L.sin(@), dim={d}, keepdim={k})", "L.mean(@, dim=({d},), keepdim={k})"]),
    *(_along(t, kept=True) for t in ["L.cumsum(@, {d})", "L.cumprod(@, {d})", "L.softmax(@, {d})", "L.log_softmax(@, dim={d})",
                                     "F.softmax(@, dim={d})", "L.logcumsumexp(@, {d})", "L.flip(@, [{d}])", "L.roll(@, 1, {d})",
                                     "@ - @.mean({d}, keepdim=True)", "F.normalize(@ + 3, dim={d})"]),
    _sum_dims,
]  # fmt: skip

# Shapes --------------------------------------------------------------------------------------------------------------


def _reshape(w):
    v = w.pick()
    n = math.prod(w.known[v])
    shapes = [(n,), (-1, 1), (1, -1), (1, n), (-1,)] + [(k, n // k) for k in (2, 3) if n % k == 0] + ([()] if n == 1 else [])
    shape = w.r.choice(shapes)
    name = w.r.choice(["reshape", "reshape", "view"]) if w.inplace else "reshape"
    text = f"{v}.{name}({shape})" if w.r.random() < 0.5 else f"L.reshape({v}, {shape})"
    return text, tuple(n // abs(math.prod(shape)) if k == -1 else k for k in shape)


def _transpose(w):
    v = w.pick(lambda s: len(s) >= 2)
    if v is None:
        return None
    shape = list(w.known[v])
    i, j = w.r.sample(range(len(shape)), 2)
    choice = w.r.choice(["transpose", "swapaxes", "mT", "permute", "movedim"])
    if choice == "mT":
        return f"{v}.mT", (*shape[:-2], shape[-1], shape[-2])
    if choice == "permute":
        order = w.r.sample(range(len(shape)), len(shape))
        return f"{v}.permute({order})", [shape[k] for k in order]
    if choice == "movedim":
        moved = [n for k, n in enumerate(shape) if k != i]
        moved.insert(j, shape[i])
        return f"L.movedim({v}, {i}, {j})", moved
    shape[i], shape[j] = shape[j], shape[i]
    return f"L.{choice}({v}, {i}, {j})", shape


def _squeeze(w):
    v = w.pick()
    shape = w.known[v]
    if w.r.random() < 0.5 and len(shape) < 4:
        d = w.r.randrange(len(shape) + 1)
        return f"L.unsqueeze({v}, {d})", (*shape[:d], 1, *shape[d:])
    if 1 in shape and w.r.random() < 0.6:
        return f"{v}.squeeze({shape.index(1)})", _at(shape, shape.index(1), None)
    return f"{v}.squeeze()", [n for n in shape if n != 1]


def _expand(w):
    v = w.pick(lambda s: len(s) < 4)
    if v is None:
        return None
    shape = tuple(w.r.choice([2, 3]) if n == 1 else n for n in w.known[v])
    shape = shape if w.r.random() < 0.5 else (2, *shape)
    if math.prod(shape) > MOST:
        return None
    return w.r.choice([f"{v}.expand({shape})", f"L.broadcast_to({v}, {shape})"]), shape


def _join(w):
    v = w.pick()
    same = [n for n, s in w.known.items() if s == w.known[v]]
    parts = [v, *(w.r.choice(same) for _ in range(w.r.randrange(1, 3)))]
    shape = w.known[v]
    if len(parts) * math.prod(shape) > MOST:
        return None
    if shape and w.r.random() < 0.6:
        d = w.dim(v)
        return f"L.cat([{', '.join(parts)}], {d})", _at(shape, d, shape[d] * len(parts))
    if len(shape) > 3:
        return None
    d = w.r.randrange(len(shape) + 1)
    return f"L.stack([{', '.join(parts)}], {d})", (*shape[:d], len(parts), *shape[d:])


def _split(w):
    v = w.pick(lambda s: any(n > 1 for n in s))
    if v is None:
        return None
    shape = w.known[v]
    d = w.r.choice([k for k, n in enumerate(shape) if n > 1])
    k = w.r.randrange(2)
    last = shape[d] - 1
    return w.r.choice([
        (f"L.split({v}, {last}, {d})[{k}]", _at(shape, d, 1 if k else last)),
        (f"L.split({v}, [{last}, 1], {d})[{k}]", _at(shape, d, 1 if k else last)),
        (f"L.unbind({v}, {d})[{k}]", _at(shape, d, None)),
        (f"L.chunk({v}, {shape[d]}, {d})[{k}]", _at(shape, d, 1)),
        (f"L.narrow({v}, {d}, 1, {last})", _at(shape, d, last)),
        (f"L.select({v}, {d}, {k})", _at(shape, d, None)),
    ])  # fmt: skip


def _repeat(w):
    v = w.pick(lambda s: 2 * math.prod(s) <= MOST and 0 < len(s) < 4)
    if v is None:
        return None
    shape = w.known[v]
    d = w.dim(v)
    times = [2 if k == d % len(shape) else 1 for k in range(len(shape))]
    doubled = _at(shape, d, 2 * shape[d])
    return w.r.choice([
        (f"{v}.repeat({times})", doubled), (f"L.tile({v}, {tuple(times)})", doubled),
        (f"L.repeat_interleave({v}, 2, {d})", doubled), (f"{v}.repeat([2] + [1] * {len(shape)})", (2, *shape)),
    ])  # fmt: skip


def _square_parts(w):
    v = w.pick(lambda s: len(s) == 2)
    if v is None:
        return None
    n, m = w.known[v]
    return w.r.choice([
        (f"L.diagonal({v})", (min(n, m),)), (f"L.tril({v})", (n, m)), (f"L.triu({v}, 1)", (n, m)), (f"L.diag({v})", (min(n, m),)),
        (f"{v}.T", (m, n)), (f"{v}.t()", (m, n)), (f"L.rot90({v})", (m, n)), (f"L.trace({v})", ()),
        (f"F.pad({v}, (1, 0))", (n, m + 1)), (f"L.diagonal({v}, 1)", (max(0, min(n, m - 1)),)),
    ])  # fmt: skip


_SHAPE = [
    _reshape, _reshape, _transpose, _transpose, _squeeze, _expand, _join, _join, _split, _split, _repeat, _square_parts,
    lambda w: (f"{(v := w.pick())}.flatten()", (math.prod(w.known[v]),)),
    lambda w: (f"L.ravel({(v := w.pick())})", (math.prod(w.known[v]),)),
    lambda w: (f"L.atleast_2d({v})", (1, *w.known[v])) if (v := w.pick(lambda s: len(s) == 1)) else None,
    lambda w: (f"{(v := w.pick())}.contiguous()", w.known[v]),
]  # fmt: skip

# Indexing ------------------------------------------------------------------------------------------------------------


def _basic_index(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    shape = w.known[v]
    n = shape[0]
    return f"{v}[{(choice := w.r.choice(_basic(shape, n)))[0]}]", choice[1]


def _basic(shape, n):
    """Indices of a shape, as text, and the shapes that they leave."""
    found = [("0", shape[1:]), ("-1", shape[1:]), ("None", (1, *shape)), ("..., 0", shape[:-1]), ("...", shape),
             ("::2", ((n + 1) // 2, *shape[1:])), (":", shape), ("..., None", (*shape, 1)), ("..., :1", (*shape[:-1], 1))]  # fmt: skip
    if n > 1:
        found += [("1:", (n - 1, *shape[1:])), ("[0, 0, 1]", (3, *shape[1:])), ("L.tensor([1, 0])", (2, *shape[1:]))]
    if len(shape) > 1:
        found += [("[0, 0], [0, 0]", (2, *shape[2:])), (":, [0]", (n, 1, *shape[2:])), ("0, ..., None", (*shape[1:], 1)),
                  ("None, :, 0", (1, n, *shape[2:])), ("L.tensor([[0], [0]]), L.tensor([0, 0])", (2, 2, *shape[2:]))]  # fmt: skip
    return [(t, s) for t, s in found if math.prod(s) <= MOST and len(s) < 5]


def _mask_index(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    mask = w.numbers.random(w.known[v]) < 0.5
    name = w.constant(mask)
    return w.r.choice([
        (f"{v}[{name}]", (int(mask.sum()),)), (f"L.masked_select({v}, {name})", (int(mask.sum()),)),
        (f"{v}.masked_fill({name}, 0.5)", w.known[v]), (f"L.masked_fill({v}, ~{name}, -1.0)", w.known[v]),
    ])  # fmt: skip


def _indices(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    shape, d = w.known[v], w.dim(v)
    line = w.constant(w.numbers.integers(0, shape[d], 2))
    full = w.constant(w.numbers.integers(0, shape[d], shape))
    other = w.r.choice([n for n, s in w.known.items() if s == shape])
    return w.r.choice([
        (f"L.index_select({v}, {d}, {line})", _at(shape, d, 2)), (f"L.gather({v}, {d}, {full})", shape),
        (f"L.take_along_dim({v}, {full}, {d})", shape), (f"L.scatter_add({v}, {d}, {full}, {other})", shape),
        (f"L.take({v}, {line})", (2,)), (f"L.index_add({v}, {d}, {line}[:1], {other}.narrow({d}, 0, 1))", shape),
        (f"L.index_fill({v}, {d}, {line}, 0.5)", shape), (f"L.select_scatter({v}, {other}.select({d}, 0), {d}, 0)", shape),
    ])  # fmt: skip


_INDEX = [_basic_index, _basic_index, _mask_index, _indices]

# Products ------------------------------------------------------------------------------------------------------------


def _matmul(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    a = w.known[v]
    mates = [n for n, s in w.known.items() if s and s[-2 if len(s) > 1 else 0] == a[-1]]
    if not mates:
        return None
    b = w.r.choice(mates)
    try:
        shape = np.matmul(np.empty(a), np.empty(w.known[b])).shape
    except ValueError:
        return None
    if math.prod(shape) > MOST:
        return None
    return w.r.choice([f"{v} @ {b}", f"L.matmul({v}, {b})"]), shape


def _gram(w):
    v = w.pick(lambda s: len(s) >= 2)
    if v is None:
        return None
    *batch, n, m = w.known[v]
    if n * n * math.prod(batch) > MOST:
        return None
    square = (*batch, n, n)
    choices = [(f"{v} @ {v}.mT", square), (f"L.einsum('...ij,...kj->...ik', {v}, {v})", square), (f"L.einsum('...ij->...', {v})", batch)]
    if not batch:
        choices += [(f"L.einsum('ij,ij->j', {v}, {v})", (m,)), (f"L.linalg.det({v} @ {v}.mT + 2 * L.eye({n}))", ()),
                    (f"L.linalg.solve({v} @ {v}.mT + 2 * L.eye({n}), {v})", (n, m)), (f"L.mm({v}, {v}.T)", (n, n)),
                    (f"L.linalg.inv({v} @ {v}.mT + 2 * L.eye({n}))", (n, n)), (f"L.tensordot({v}, {v}, 2)", ()),
                    (f"L.addmm(L.eye({n}), {v}, {v}.T, beta=0.5, alpha=2)", (n, n))]  # fmt: skip
    return w.r.choice(choices)


def _vectors(w):
    v = w.pick(lambda s: len(s) == 1)
    if v is None:
        return None
    n = w.known[v][0]
    mates = [m for m, s in w.known.items() if len(s) == 1 and s[0] * n <= MOST]
    if not mates:
        return None
    b = w.r.choice(mates)
    size = w.known[b][0]
    return w.r.choice([
        (f"L.outer({v}, {b})", (n, size)), (f"L.dot({v}, {v})", ()), (f"L.einsum('i,j->ij', {v}, {b})", (n, size)),
        (f"L.kron({v}, {b})", (n * size,)), (f"L.inner({v}, {v})", ()),
    ])  # fmt: skip


_PRODUCT = [_matmul, _matmul, _gram, _vectors]

# In-place ------------------------------------------------------------------------------------------------------------


def _inplace(template, broadcast=False):
    """A statement that writes to a variable (rarely to a leaf, which is refused)."""

    def make(w):
        v = w.pick()
        if v.startswith("x") and w.r.random() < 0.95:
            return None
        text = template.replace("@", v)
        if broadcast:
            b = w.pick(lambda s: _broadcast(s, w.known[v]) == w.known[v])
            if b == v:  # PyTorch refuses what overlaps
                return None
            text = text.replace("#", b)
        return text

    return make


def _write_part(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None or v.startswith("x") and w.r.random() < 0.95:
        return None
    index, shape = w.r.choice(_basic(w.known[v], w.known[v][0])[:10])
    b = w.pick(lambda s: _broadcast(s, shape) == tuple(shape))
    if b is None:
        return None
    return w.r.choice([
        f"{v}[{index}] = {b}", f"{v}[{index}] += {b}", f"{v}[{index}] *= 0.5", f"{v}[{index}].add_({b})", f"{v}[{index}].mul_({b})",
        f"{v}[{index}] = 0.25", f"{v}[{index}].zero_()", f"{v}[{index}].sin_()",
    ])  # fmt: skip


_INPLACE = [
    *map(_inplace, ["@.sin_()", "@.tanh_()", "@.mul_(0.5)", "@.add_(1)", "@ *= 2", "@ += 0.5", "@.neg_()", "@.zero_()", "@.fill_(0.3)",
                    "@.exp_()", "@.sigmoid_()", "@.square_()", "@.detach().mul_(2)", "@.clamp_(-2, 2)", "@.pow_(2)", "@.cos_()",
                    "@.data.mul_(1.5)", "@.detach_()", "@.unsqueeze(0).mul_(2)"]),
    *(_inplace(t, True) for t in ["@.add_(#)", "@.mul_(#)", "@.sub_(#)", "@ += #", "@ -= #", "@ *= #", "@.copy_(#)", "@.add_(#, alpha=2)",
                                  "@.div_(2 + # ** 2)", "@.addcmul_(#, #)", "@.lerp_(#, 0.5)"]),
    _write_part, _write_part, _write_part, _write_part,
]  # fmt: skip
