"""Random terms, as recipes: what to build, apart from the order in which it is built.

A recipe is a tree of plain tuples. `build` makes the term with the library's builders, every operand and label in an
order of the caller's choice; `value` computes the same with NumPy alone. Labels have fixed sizes (`SIZES`), so that
transposes, traces and identities fit by accident.
"""

from fractions import Fraction

import numpy as np
import scipy.special

from symgrad.calculus.lifting import lift
from symgrad.core import TABLE
from symgrad.terms.node import Delta, One, Var
from symgrad.terms.normal_form import add, ein, map_, number, pow_

SIZES = (3, 2, 3, 2, 3, 2)
"""The sizes of labels 0, 1, …"""

SMOOTH = {
    "sin": np.sin, "cos": np.cos, "exp": np.exp, "tanh": np.tanh, "sigmoid": scipy.special.expit,
    "softplus_unit": lambda a: np.logaddexp(a, 0), "log": np.log, "log1p": np.log1p, "expm1": np.expm1,
    "sinh": np.sinh, "cosh": np.cosh,
}  # fmt: skip
KINKED = {"abs": np.abs, "sign": np.sign, "relu": lambda a: np.maximum(a, 0)}
PAIRED = {"logaddexp": np.logaddexp, "hypot": np.hypot}
COMPARED = {"gt": np.greater, "le": np.less_equal}
EXPONENTS = (2, -1, 3, -2, Fraction(1, 2), Fraction(-1, 2), 0, 1)
NUMBERS = (1, -1, 2, -3, Fraction(1, 2), Fraction(-2, 3))
PROPERTIES = {
    (3, 3): ("", "", "symmetric", "orthogonal"),
    (3,): ("", "", "sign", "positive"),
    (2, 3): ("", "onehot"),
}


def symbol(name, shape):
    """The symbol of a name: what is declared of it stands after an underscore."""
    declared = name.partition("_")[2]
    return Var(name, shape, frozenset([declared]) if declared else frozenset())


def point(names, seed=0):
    """Random values for symbols (name: shape), as they are declared; positive, so that roots and logarithms exist."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, shape in sorted(names.items()):
        a = rng.uniform(0.4, 1.6, shape)
        declared = name.partition("_")[2]
        if declared == "symmetric":
            a = a + a.T
        elif declared == "orthogonal":
            a = np.linalg.qr(a - 1)[0]
        elif declared == "sign":
            a = np.where(a > 1, 1.0, -1.0)
        elif declared == "onehot":
            a = np.eye(shape[-1])[a.argmax(-1)]
        found[name] = a
    return found


# --------------------------------------------------------------------------------------------------------- recipes


class Cook:
    """Makes recipes, every choice by ``r`` (a `random.Random`)."""

    def __init__(self, r, smooth):
        self.r, self.smooth = r, smooth
        self.names = {}

    def recipe(self, shape, depth):
        """A recipe for an array of a shape."""
        if depth == 0:
            return self.leaf(shape)
        makers = [self.product, self.product, self.sum, self.sum, self.function, self.power, self.pair]
        makers += [self.call] if shape else []
        makers += [] if self.smooth else [self.indicator, self.choice]
        return self.r.choice(makers)(shape, depth - 1)

    def leaf(self, shape):
        kind = self.r.random()
        if kind < 0.1:
            return ("number", self.r.choice(NUMBERS), shape)
        if kind < 0.2 and len(shape) == 2 and shape[0] == shape[1]:
            return ("delta", shape)
        declared = "" if self.smooth else self.r.choice(PROPERTIES.get(shape, ("",)))
        name = f"{self.r.choice('ab')}{''.join(map(str, shape))}" + (f"_{declared}" if declared else "")
        self.names[name] = shape
        return ("symbol", name, shape)

    def labels(self, shape):
        """Labels for the axes of a result, all different."""
        free = {n: self.r.sample([k for k, size in enumerate(SIZES) if size == n], SIZES.count(n)) for n in (2, 3)}
        return tuple([free[n].pop() for n in shape])

    def product(self, shape, depth):
        out = self.labels(shape)
        factors = []
        for _ in range(self.r.randrange(1, 4)):
            s = tuple(self.r.choice((*out, *range(len(SIZES)))) for _ in range(self.r.randrange(0, 3)))
            factors.append((self.recipe(tuple(SIZES[k] for k in s), self.r.randrange(depth + 1)), s))
        return ("product", self.r.choice(NUMBERS), tuple(factors), out)

    def sum(self, shape, depth):
        out = self.labels(shape)
        terms = []
        for _ in range(self.r.randrange(1, 4)):
            s = tuple(self.r.sample(out, self.r.choice((len(out), len(out), self.r.randrange(len(out) + 1)))))
            inner = self.recipe(tuple(SIZES[k] for k in s), self.r.randrange(depth + 1))
            terms.append((self.r.choice(NUMBERS), inner, s))
        return ("sum", tuple(terms), out)

    def function(self, shape, depth):
        names = [*SMOOTH] if self.smooth else [*SMOOTH, *KINKED]
        return ("map", self.r.choice(names), (self.recipe(shape, depth),))

    def pair(self, shape, depth):
        return ("map", self.r.choice([*PAIRED]), (self.recipe(shape, depth), self.leaf(shape)))

    def indicator(self, shape, depth):
        return ("map", self.r.choice([*COMPARED]), (self.recipe(shape, depth), self.leaf(shape)))

    def choice(self, shape, depth):
        return ("map", "where", (self.indicator(shape, 0), self.recipe(shape, depth), self.leaf(shape)))

    def power(self, shape, depth):
        return ("power", self.recipe(shape, depth), self.r.choice(EXPONENTS))

    def call(self, shape, depth):
        axis = self.r.randrange(len(shape))
        kinds = ["softmax", "log_softmax", "cumsum", "flip", "logsumexp"]
        if shape in ((2,), (2, 3)):
            kinds.append("getitem")
        if shape == (3, 3):
            kinds.append("inv")
        kind = self.r.choice(kinds)
        inside = {"logsumexp": (*shape[:axis], 3, *shape[axis:]), "getitem": (3, *shape[1:])}.get(kind, shape)
        if len(inside) > 3:
            return self.leaf(shape)
        return ("call", kind, axis, self.recipe(inside, depth), shape)


def write_recipe(r, rank=None, depth=3, smooth=False):
    """A random recipe and the shapes of its symbols by name."""
    cook = Cook(r, smooth)
    rank = r.choice((0, 0, 1, 2, 2, 3)) if rank is None else rank
    shape = tuple(r.choice((2, 3)) for _ in range(rank)) if rank < 3 else (3, 2, 3)
    return cook.recipe(shape, depth), cook.names


# ---------------------------------------------------------------------------------------------------- what they mean

CALLS = {
    "softmax": lambda a, axis: scipy.special.softmax(a, axis),
    "log_softmax": lambda a, axis: scipy.special.log_softmax(a, axis),
    "cumsum": lambda a, axis: np.cumsum(a, axis),
    "flip": lambda a, axis: np.flip(a, axis),
    "logsumexp": lambda a, axis: scipy.special.logsumexp(a, axis),
    "getitem": lambda a, axis: a[1:],
    "inv": lambda a, axis: np.linalg.inv(a + 9 * np.eye(3)),
}


def value(recipe, at):
    """The array that a recipe means."""
    kind, *rest = recipe
    if kind == "number":
        return np.full(rest[1], float(rest[0]))
    if kind == "delta":
        return np.eye(rest[0][0])
    if kind == "symbol":
        return at[rest[0]]
    if kind == "product":
        coef, factors, out = rest
        ones = [x for k in out for x in (np.ones(SIZES[k]), [k])]
        return float(coef) * np.einsum(*[x for f, s in factors for x in (value(f, at), list(s))], *ones, list(out))
    if kind == "sum":
        terms, out = rest
        total = np.zeros([SIZES[k] for k in out], np.result_type(*at.values(), float) if at else float)
        for c, t, s in terms:
            ones = [x for k in out if k not in s for x in (np.ones(SIZES[k]), [k])]
            total = total + float(c) * np.einsum(value(t, at), list(s), *ones, list(out))
        return total
    if kind == "power":
        base = value(rest[0], at)
        return np.asarray(base) ** (float(rest[1]) if rest[1] != Fraction(1, 2) else 0.5)
    if kind == "call":
        name, axis, inner, _ = rest
        return CALLS[name](value(inner, at), axis)
    name, args = rest
    function = {**SMOOTH, **KINKED, **PAIRED, **COMPARED, "where": np.where}[name]
    arrays = [value(a, at) for a in args]
    if name == "where":
        arrays[0] = arrays[0].astype(bool)
    return np.asarray(function(*arrays)).astype(float)


def build(recipe, r=None):
    """The term of a recipe; with ``r``, operands of products and sums shuffled and labels renamed."""
    kind, *rest = recipe
    if kind == "number":
        return filled(number(rest[0]), rest[1])
    if kind == "delta":
        return Delta(rest[0][0])
    if kind == "symbol":
        return symbol(*rest)
    if kind in ("product", "sum"):
        return _operands(kind, rest, r)
    if kind == "power":
        return pow_(build(rest[0], r), rest[1])
    if kind == "call":
        return _call(*rest, r)
    name, args = rest
    terms = [build(a, r) for a in args]
    labels = tuple(range(terms[0].rank))
    if r is not None:
        labels = tuple(r.sample(range(9), len(labels)))
    return map_(TABLE[name], [(t, labels) for t in terms], (), labels)


def filled(term, shape):
    """A scalar in every entry of an array."""
    out = tuple(range(len(shape)))
    return ein(1, [(term, ()), *[(One(n), (k,)) for k, n in enumerate(shape)]], out)


def _operands(kind, rest, r):
    *_, out = rest
    names = list(range(len(SIZES)))
    if r is not None:
        names = r.sample(range(20), len(SIZES))
    dims = {names[k]: SIZES[k] for k in out}
    if kind == "product":
        parts = [(build(f, r), tuple(names[k] for k in s)) for f, s in rest[1]]
    else:
        parts = [(c, build(t, r), tuple(names[k] for k in s)) for c, t, s in rest[0]]
    if r is not None:
        r.shuffle(parts)
    out = tuple(names[k] for k in out)
    return ein(rest[0], parts, out, dims) if kind == "product" else add(parts, out, dims)


def _call(name, axis, inner, shape, r):
    term = build(inner, r)
    if name == "inv":
        every = (0, 1)
        term = add([(1, term, every), (9, Delta(3), every)], every)
    params = {
        "softmax": ((axis,),), "log_softmax": ((axis,),), "cumsum": (axis, False), "flip": ((axis,),),
        "logsumexp": ((axis,), False), "getitem": ((slice(1, None),),), "inv": (),
    }[name]  # fmt: skip
    return lift(TABLE[name], [term], params, shape)
