"""A derivative program: made once for a structure, run for every point.

The idea to hold: the program's source is all there is to it; what it needs beside the arguments, arrays that depend on
the structure alone and functions of the table, are names of its module.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from .. import _limits
from .._postorder import postorder
from ..calculus import lost, product
from ..terms import Call, Expr, Var, add, ein, inverse, is_real, number, pow_
from ._assemble import Assembly
from ._builder import Builder, too_long
from ._diagonal_and_trace import diagonal
from ._dialects import Dialect
from ._packed import Part, parts_of
from ._runnable import Runnable
from ._selections import FINITE
from ._source_module import Module
from ._stable import StableForms
from ._sweeps import Tangents, gradients, gradients_behind, reaching
from ._terms import entries, named, sizes

_LOST = 2**8
"""A determinant is differentiated by the inverse where its matrix has a squared condition of 1/(256 eps) at most."""


class Program(Runnable):
    """Value, gradient and second derivatives of one structure, as compiled source.

    Parameters
    ----------
    lifted : where the function's term comes from: ``variables``, ``point``, ``inputs``, ``baked``
    term : the function's term
    outputs : what to compute: any of 'f', 'g', 'h'; or 'f', 'j' of a function that returns an array
    format : 'dense', 'csr' for a sparse matrix, 'structured', 'diagonal' or 'trace' for these only, 'product' for the
        matrix times a vector, which is given at every run
    most : the steps that making it may take (`Builder.require_worth`)

    Attributes
    ----------
    variables : the names of what it differentiates with respect to

    and those of a `Runnable`
    """

    def __init__(
        self, lifted: Any, term: Expr, outputs: str = "h", format: str = "dense", most: float = math.inf
    ) -> None:
        super().__init__(outputs, format, lifted.baked, lifted.fixed, lifted.chosen)
        builder = Builder(lifted.point, most)
        stable = StableForms()
        for name, long in lifted.cuts:
            builder.stand_for(name, builder.atom(stable.of(long)))
        short = stable.of(term)
        root = builder.atom(short)
        xs = lifted.variables
        self.variables = [x.name for x in xs]
        self.dtype = np.result_type(*[np.asarray(lifted.point[x.name]).dtype for x in xs])
        self.guards = _guards(builder, short, lifted, stable, self.dtype)
        self.shapes = [sizes(x.shape) for x in xs]
        self.total = sum(map(entries, self.shapes))
        self.steps = [len(builder.names)]
        split = "h" in outputs and format == "dense"
        parts = parts_of(builder, root, xs) if split else [Part(x, k, 0) for k, x in enumerate(xs)]
        found = gradients(builder, root, [p.var for p in parts]) if set(outputs) - set("fj") else []
        self.gradients = found
        if "g" in outputs and len(parts) > len(xs):
            self.gradients = gradients_behind(builder, [p.var for p in parts], found, xs)
        self.steps.append(len(builder.names))
        self.rows = sizes(root.shape)
        self.assembly = Assembly(builder, self.shapes, self.sparse, self.rows if "j" in outputs else None)
        self.assembly.rows_apart = format == "dense"
        self.terms: list[tuple[int, int, Any]] = []
        self.parts: list[Expr] = []
        self.vectors: dict[str, tuple[str, int]] = {}
        if format == "product":
            self.parts = self._product(builder, found, xs)
        elif format in ("diagonal", "trace"):
            for k, x in enumerate(xs):
                terms = Tangents(builder, x, max(self.total**2, _limits.MULTIPLIED_OUT)).of(found[k])
                self.parts.append(diagonal(builder, terms, self.shapes[k], format == "trace"))
        elif "j" in outputs:
            most = max(entries(self.rows) * self.total, _limits.MULTIPLIED_OUT) if not self.sparse else 0
            for k, x in enumerate(xs):
                self.assembly.block(0, k + 1, Tangents(builder, x, most).of(root))
        elif "h" in outputs:
            self._blocks(builder, parts, found)
        self.builder = builder
        self.zero = _why_zero(builder) if "h" in outputs and self.terms and not any(t for *_, t in self.terms) else ""
        self.root = root
        self.inputs = {**lifted.inputs, **self.vectors}
        self.truths = {name for name, value in lifted.point.items() if np.asarray(value).dtype.kind in "biu"}
        self._whole: Module | None = None
        given = _given(builder, lifted, stable.found)
        self.quick = Module(self, given) if given else None
        self.live = self.module.live
        builder.values.clear()  # the data belong to the caller

    def _blocks(self, builder: Builder, parts: list[Part], found: list[Expr]) -> None:
        """Plan the matrix, a block for each two parts of variables."""
        if (
            sum([len(reaching(builder, [p.var])) for p in parts]) > _limits.NAMES
        ):  # each name that depends on x has a rate
            raise too_long()
        most = 0 if self.sparse else max(self.total**2, _limits.MULTIPLIED_OUT)
        rows = [self.assembly.part(p.variable, p.start, sizes(p.var.shape)) for p in parts]
        order = sorted(range(len(parts)), key=rows.__getitem__)
        for count, b in enumerate(order, 1):
            tangents = Tangents(builder, parts[b].var, most, parts[b].others)
            for a in order[:count]:
                terms = tangents.of(found[a])
                self.terms.append((rows[a], rows[b], terms))
                self.assembly.block(rows[a], rows[b], terms)
            _give_up_early(len(builder.names), self.steps[1], count / len(parts))

    def _product(self, builder: Builder, found: list[Expr], xs: list[Var]) -> list[Expr]:
        """The gradient of the gradient's slope along a vector, which is the matrix times it."""
        terms = []
        for k, (g, shape) in enumerate(zip(found, self.shapes, strict=True)):
            v = Var(f"p{k}", shape)
            self.vectors[v.name] = ("vector", k)
            builder.values[v.name] = np.ones(shape, self.dtype)
            every = tuple(range(len(shape)))
            terms.append((1, ein(1, [(g, every), (v, every)], ()), ()))
        return gradients(builder, builder.atom(add(terms, ())), xs)

    @property
    def source(self) -> str:
        """The text of a module with one function, which computes everything from its arguments."""
        return self.text()

    def text(self, names: dict[str, str] | None = None, compiled: Any = None) -> str:
        """The same, with other names for arguments; or that of which Numba compiles a part."""
        return self.whole.text(names, compiled)

    @property
    def module(self) -> Module:
        """What runs beside a tape: it takes what the tape has saved, if there is anything."""
        return self.quick or self.whole

    def shown(self) -> Module:
        """What shows it: the module that takes nothing from a tape."""
        return self.whole

    def translated(self, dialect: Dialect, given: Iterable[str]) -> Module:
        """It in a dialect; ``given`` are names of what comes with every call."""
        from ._translated_module import TranslatedModule

        return TranslatedModule(self, dialect, given)

    @property
    def whole(self) -> Module:
        """The program that takes nothing from the tape."""
        if self._whole is None:
            self._whole = Module(self, {})
        return self._whole


BENT = {
    "relu": "relu", "abs": "abs", "maximum": "maximum", "minimum": "minimum", "where": "where", "sign": "sign",
    "leaky_relu_slope": "leaky_relu", "max_dim": "max", "min_dim": "min", "amax": "amax", "amin": "amin",
    "floor": "floor", "ceil": "ceil", "hardtanh_bounds": "hardtanh",
}  # fmt: skip
"""Functions that are straight on either side of a kink, by row."""


def _given(builder: Builder, lifted: Any, stable: dict[int, Expr]) -> dict[str, tuple[int, int]]:
    """Names whose values the tape has saved: by name the operation's number and the place among what it saved."""
    found: dict[str, tuple[int, int]] = {}
    for term, place, shape in lifted.saved:
        atom = builder.known(stable.get(id(term), term))
        if isinstance(atom, Var) and atom.name in builder.terms and atom.shape == shape:
            found.setdefault(atom.name, place)
    return found


def _guards(builder: Builder, term: Expr, lifted: Any, stable: StableForms, dtype: Any) -> list[str]:
    """Names of what is not finite where the tape has an edge that the term has no more."""
    moving = {x.name for x in (*lifted.variables, *[name for name, _ in lifted.cuts])}
    asked = [(stable.of(base), kind) for base, kind in lifted.edges]
    found = lost(term, asked, lambda base: any(isinstance(t, Var) and t.name in moving for t in postorder(base)))
    found += [ein(1, [(base, tuple(range(base.rank)))], ()) for base, kind in dict.fromkeys(asked) if kind == FINITE]
    most = int(1 / (_LOST * np.finfo(np.result_type(dtype, np.float32)).eps))
    roots = [term, *[stable.of(long) for _, long in lifted.cuts]]
    found += [_digits_left(a, most) for a in _in_determinants(roots, moving)]
    return [name for g in found for name in named(builder.whole(stable.of(g))) if name in builder.terms]


def _in_determinants(roots: Iterable[Expr], moving: set[str]) -> Iterable[Expr]:
    """The matrices whose determinants move."""
    calls = [t for root in roots for t in postorder(root) if isinstance(t, Call) and t.op.name == "det"]
    for a in dict.fromkeys(t.args[0] for t in calls):
        if a.rank == 2 and is_real(a) and any(isinstance(t, Var) and t.name in moving for t in postorder(a)):
            yield a


def _digits_left(a: Expr, most: int) -> Expr:
    """No number where a matrix is near singular: det(A) A⁻¹ is all rounding there, and the tape's cofactors are not."""
    squared = product("ij,ij,kl,kl->", [a, a, inverse(a), inverse(a)], ())
    return pow_(add([(most, number(1), ()), (-1, squared, ())], ()), Fraction(1, 2))


def _give_up_early(lines: int, before: int, done: float) -> None:
    """Raise if a program will be much too long, seen from what a part of it takes."""
    if before + (lines - before) / done > 1.5 * _limits.NAMES:
        raise too_long()


def _why_zero(builder: Builder) -> str:
    """Why there are no second derivatives."""
    bent = [BENT[t.op.name] for t in builder.terms.values() if hasattr(t, "op") and t.op.name in BENT]
    if not bent:
        return "it is linear"
    words = " and ".join(dict.fromkeys(bent))
    return f"{words} {'has' if len(set(bent)) == 1 else 'have'} no second derivative, only kinks"
