"""Definitions as NumPy source: one line each, with the formula that it computes as its comment."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _limits
from .._limits import bound
from ..calculus import RULES
from ..core import TABLE, params_in_numbers
from ..show.functions import CALLS, COMPARE, FOR_ALL, SAME, elementwise
from ..terms import Call, Data, Ein, Expr, Map, Var, evaluate, is_negative, rebuilt, sources
from .dialects import NUMPY, Dialect
from .graph_terms import (
    but_kinds,
    entries_of,
    every_name,
    identified,
    label_set,
    of_kinds,
    parameters,
    relabelled,
    sizes,
)
from .linear import (
    align,
    applied,
    atom,
    bare,
    by_powers,
    number,
    permuted,
    power,
    scaled,
    spread,
    subscripts,
    summed,
)
from .survey import Unprogrammable

# -------------------------------------------------------------------------------------------------------------------
# The rows that programs call, and those and the rules that are symgrad's own: all when it has been imported

# The idea to hold: what users add later is theirs, and may be another thing under the same name in another process.


OWN_ROWS = dict(TABLE)
OWN_RULES = list(RULES)


@lru_cache(None)
def in_reals(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A row's forward as programs call it. They are of real numbers: where a row finds complex ones, as it does
    eigenvalues at other matrices than the first, there is none, and the tape is asked."""

    def run(*args: Any) -> Any:
        found = forward(*args)
        return tuple(map(_real, found)) if isinstance(found, tuple) else _real(found)

    return run


def _real(found: Any) -> Any:
    return np.full(found.shape, np.nan) if np.iscomplexobj(found) else found


def rules_are_own() -> bool:
    """Whether nobody has added a rule, or taken one away."""
    return len(RULES) == len(OWN_RULES) and all(map(_same, RULES, OWN_RULES))


def _same(a: object, b: object) -> bool:
    return a is b


# ------------------------------------------------------------------ Products of arrays over shared indices, as source

# The idea to hold: two at a time, the cheapest first; what is summed over is ``@`` or a batched ``matmul``, what is not
# is ``*``. Products come here with two arrays as a rule, ordered by `builder`; with more only where nothing is summed.


LabelledText = tuple[str, tuple[int, ...]]


def contraction(source: Any, coef: Any, arrays: list[Any], out: tuple[int, ...], dims: Any) -> str:
    """The product of a number and arrays, with the axes ``out``; what more than two need are lines of their own."""
    parts = [
        _own_axes(source, f, s, out, dims, [t for j, (_, t) in enumerate(arrays) if j != i])
        for i, (f, s) in enumerate(arrays)
    ]
    while len(parts) > 2:
        i, j, kept = _next_pair(parts, out, dims)
        name = source.fresh()
        source.lines.append(f"{name} = {_pair(1, parts[i], parts[j], kept, dims)}")
        parts = [(name, kept), *[p for k, p in enumerate(parts) if k not in (i, j)]]
    if len(parts) == 1:
        text, labels = parts[0]
        return scaled(coef, permuted(text, labels, out))
    return _pair(coef, parts[0], parts[1], out, dims, source.by_columns and _is_narrow([int(dims[k]) for k in out]))


def _is_narrow(shape: list[int]) -> bool:
    """Whether an array of a shape is many rows of few entries."""
    return len(shape) > 2 and shape[-1] <= _limits.NARROW // 2 and shape[-2] > shape[-1] * 4


def _next_pair(parts: list[LabelledText], out: tuple[int, ...], dims: Any) -> tuple[int, int, tuple[int, ...]]:
    """The pair whose product costs least, and the axes that it must keep."""
    found = []
    for i, j in itertools.combinations(range(len(parts)), 2):
        both = {*parts[i][1], *parts[j][1]}
        needed = {*out, *[k for n, (_, s) in enumerate(parts) if n not in (i, j) for k in s]}
        kept = tuple(sorted(both & needed))
        cost = entries_of([dims[k] for k in both]), entries_of([dims[k] for k in kept])
        found.append((cost, i, j, kept))
    _, i, j, kept = min(found)
    return i, j, kept


def _pair(
    coef: Any, left: LabelledText, right: LabelledText, out: tuple[int, ...], dims: Any, by_columns: bool = False
) -> str:
    """The product of two arrays and a number, which the smallest array on the way is multiplied with: but a product of
    an array with itself is to be symmetric to the last bit."""
    (a, la), (b, lb) = left, right
    small, large = sorted([left, right], key=lambda part: entries_of([dims[k] for k in part[1]]))
    if coef != 1 and a != b and entries_of([dims[k] for k in small[1]]) < entries_of([dims[k] for k in out]):
        left, right = (f"({scaled(coef, small[0])})", small[1]), large
        return _pair(1, left, right, out, dims, by_columns)
    if (set(la) & set(lb)) - set(out):
        return scaled(coef, _product(a, la, b, lb, out, dims))
    places = {k: i for i, k in enumerate(out)}
    texts = [align(t, [places[k] for k in s], len(out)) for t, s in (left, right)]
    return scaled(coef, f"_by_columns({', '.join(texts)})" if by_columns else " * ".join(texts))


def _product(a: str, la: Any, b: str, lb: Any, out: Any, dims: Any) -> str:
    """A product with summed indices as ``@``, or as a batched one where an index stays that both have."""
    summed = [k for k in la if k in lb and k not in out]
    batch = [k for k in out if k in la and k in lb]
    rows, columns = [k for k in out if k in la and k not in lb], [k for k in out if k in lb and k not in la]
    if columns and rows and out.index(columns[0]) < out.index(rows[0]):
        return _product(b, lb, a, la, out, dims)
    if batch and not rows and not columns:
        return f"np.einsum('{subscripts([la, lb], out)}', {a}, {b})"
    if not batch:
        rows, columns = [k for k in la if k in rows], [k for k in lb if k in columns]
        if entries_of([dims[k] for k in lb]) > entries_of([dims[k] for k in la]):  # the larger one stays as it is
            summed = [k for k in lb if k in summed]
        text = f"{_matrix(a, la, rows, summed, dims)} @ {_matrix(b, lb, summed, columns, dims)}"
        if len(rows) > 1 or len(columns) > 1:
            text = f"({text}).reshape({tuple([int(dims[k]) for k in (*rows, *columns)])})"
        return permuted(text, (*rows, *columns), out)
    n, m, s = (entries_of([dims[k] for k in g]) for g in (rows, columns, summed))
    left = permuted(a, la, (*batch, *rows, *summed))
    right = permuted(b, lb, (*batch, *summed, *columns))
    lead = tuple([int(dims[k]) for k in batch])
    if len(rows) != 1 or len(summed) != 1:
        left = f"{left}.reshape({(*lead, n, s)})"
    if len(columns) != 1 or len(summed) != 1:
        right = f"{right}.reshape({(*lead, s, m)})"
    text = f"np.matmul({left}, {right})"
    if len(rows) != 1 or len(columns) != 1:
        text = f"{text}.reshape({(*lead, *[int(dims[k]) for k in rows], *[int(dims[k]) for k in columns])})"
    return permuted(text, (*batch, *rows, *columns), out)


def _matrix(text: str, labels: Any, first: Any, second: Any, dims: Any) -> str:
    """An array as a matrix with these axes as its rows and columns; one with axes of only one kind as a vector."""
    if len(first) <= 1 and len(second) <= 1:
        return permuted(text, labels, (*first, *second))
    shape = tuple([entries_of([dims[k] for k in group]) for group in (first, second) if group])
    if first and second and tuple(labels) == (*second, *first):
        return f"{atom(text)}.reshape({shape[::-1]}).T"
    return f"{atom(permuted(text, labels, (*first, *second)))}.reshape({shape})"


def _sum(text: str, labels: Any, axis: int, dims: Any) -> str:
    """A sum along the first or one of the last two axes, as a product with ones: NumPy adds up row by row."""
    n = int(dims[labels[axis]])
    kept = [k for k in labels if k != labels[axis]]
    if axis == len(labels) - 2:
        return f"np.ones({n}) @ {text}"
    if axis == 0:
        summed = f"np.ones({n}) @ {_matrix(text, labels, labels[:1], kept, dims)}"
    else:
        summed = f"{_matrix(text, labels, kept, labels[-1:], dims)} @ np.ones({n})"
    return summed if len(kept) == 1 else f"({summed}).reshape({tuple([int(dims[k]) for k in kept])})"


def _own_axes(source: Any, f: Any, s: tuple[int, ...], out: Any, dims: Any, others: Any) -> LabelledText:
    """An array with its diagonals taken and what only it is summed over summed up."""
    text = source.name(f)
    if len(set(s)) < len(s):
        kept = tuple(dict.fromkeys(s))
        text = f"np.einsum('{subscripts([s], kept)}', {text})"
        s = kept
    private = [k for k in s if k not in out and all(k not in t for t in others)]
    if private:
        axes = tuple([s.index(k) for k in private])
        if len(axes) == len(s):
            text = f"np.add.reduce({text}, axis=None)"
        elif source.dialect is NUMPY and axes in ((0,), (len(s) - 2,), (len(s) - 1,)):
            text = f"({_sum(text, s, axes[0], dims)})"
        else:
            text = f"np.add.reduce({text}, axis={axes[0] if len(axes) == 1 else axes})"
        s = tuple([k for k in s if k not in private])
    return text, s


# ----------------------- Definitions as NumPy source: one line each, with the formula that it computes as its comment

# The idea to hold: every name is an array of known shape, so each definition has one expression that gives exactly that
# array: products of two are ``@``, ``*`` or a batched ``matmul``; sums broadcast; functions are read from the table
# that formulas print from.


class Source:
    """Lines of source in the making.

    Attributes
    ----------
    lines : the program's lines
    space : objects that the lines mention by name (operations of the table, constant arrays)
    truths : names of arrays of truth values (or whole numbers), which become numbers in sums and products
    dialect : whose functions the lines call, where NumPy's are not called by the same name there
    """

    builder: Any
    dialect: Dialect

    def __init__(self, builder: Any, truths: set[str], dialect: Dialect = NUMPY) -> None:
        self.builder, self.dialect = builder, dialect
        self.lines: list[str] = []
        self.notes: dict[int, Expr] = {}  # by line, what it computes
        self.check_lines: set[int] = set()  # lines that no result needs
        self.space: dict[str, Any] = {}
        self.truths: set[str] = set(truths)
        self.powers: dict[str, dict[Any, str]] = {}  # by name, the names of its powers
        self.written_in: dict[str, Expr] = {}  # products with identities that sums write onto their diagonals
        self.read_once: set[str] = set()  # names that one definition reads, and nobody else
        self.by_columns = False  # whether products of many short rows are found column by column
        self.standalone: bool = True  # whether the source runs without symgrad

    def define(self, name: str, term: Expr, shown: bool = True) -> None:
        """Append the line of one definition; one that is not ``shown`` is only there to be looked at."""
        if term.kind == "map" and term.op.kind == "constant":
            self.truths.add(name)
        before = len(self.lines)
        text = self.expression(term, name)
        if text != name:
            self.lines.append(f"{name} = {bare(text)}")
        if len(self.lines) > before:
            self.notes[len(self.lines) - 1] = self._written_out(term)
        if not shown:
            self.check_lines.update(range(before, len(self.lines)))
            return
        base, exponent = term.as_power
        if isinstance(base, Var) and exponent != 1 and isinstance(exponent, int | Fraction):
            self.powers.setdefault(base.name, {})[exponent] = name

    def _written_out(self, term: Expr) -> Expr:
        """A definition without names that have no line."""
        if term.kind != "add" or self.written_in.keys().isdisjoint(every_name(term)):
            return term
        return rebuilt(term, {id(t): self.written_in.get(getattr(t, "name", ""), t) for t in term.children})

    def fresh(self) -> str:
        """A name for the line that comes next."""
        return f"t{len(self.lines)}"

    def commented(self) -> list[str]:
        """The lines of results, with the formulas that they compute (longer to print than lines to write)."""
        found = self.lines_and_notes()
        return [
            f"{line}  # {note}" if note else line for k, (line, note) in enumerate(found) if k not in self.check_lines
        ]

    def length(self) -> int:
        """How many lines `commented` has: to count them no formula is laid out."""
        return sum(line.count("\n") + 1 for k, line in enumerate(self.lines) if k not in self.check_lines)

    def lines_and_notes(self) -> list[tuple[str, str]]:
        """All lines, each with the formula that it computes, or nothing."""
        return [(line, comment(self.notes[k]) if k in self.notes else "") for k, line in enumerate(self.lines)]

    def expression(self, term: Expr, target: str) -> str:
        """A term as an expression; statements that it needs go before it."""
        if isinstance(term, Var):
            return self.name(term)
        if isinstance(term, Data):
            return self.parameter(term.value) if term.value.size else f"np.zeros({term.value.shape})"
        if isinstance(term, Ein):
            return self.product(term, target)
        if term.kind == "add":
            return self.total(term, target)
        if isinstance(term, Map):
            return self.function(term)
        if isinstance(term, Call):
            return self.call(term)
        if term.kind == "one":
            return f"np.ones({int(term.shape[0])})"
        if term.kind == "delta":
            return f"np.eye({int(term.shape[0])})"
        if term.kind == "lin":
            return self.constant(term)
        raise Unprogrammable(f"a term of kind {term.kind} has no source")

    def name(self, term: Expr) -> str:
        """A name, as numbers."""
        if not isinstance(term, Var):  # an array that is written out in the term
            return str(self.constant(term))
        return f"({term.name} * 1.0)" if term.name in self.truths else term.name

    def constant(self, term: Expr) -> str:
        """A term that depends on the structure alone, as an array that is worked out beforehand."""
        if entries_of(term.shape) > _limits.CONSTANT_FORMED:
            raise Unprogrammable(f"a constant array of shape {sizes(term.shape)} would be formed")
        return self.parameter(evaluate(term, {}))

    # ------------------------------------------------------------------------------------------------ functions

    def operand(self, a: Expr, s: tuple[int, ...], rank: int, numeric: bool) -> str:
        """An operand with its axes where its labels say."""
        if is_number(a):
            return number(a.coef)
        if isinstance(a, Var):
            return align(self.name(a) if numeric else a.name, s, rank)
        if isinstance(a, Ein):
            text = self.product(a, "")
            return align(f"({text})", s, rank)
        return align(f"({self.expression(a, '')})", s, rank)

    def function(self, term: Map) -> str:
        """An element-wise operation."""
        op = term.op
        if op.name == "pow_scalar":
            (base, s), exponent = term.args[0], term.params[0]
            name = self.operand(base, s, term.rank, True)
            known = self.powers.get(name, {}) if isinstance(exponent, int | Fraction) else {}
            return by_powers(name, exponent, known) or power(name, exponent)
        logical = op.name.startswith(("logical", "bitwise")) or op.name in ("eq", "ne")
        args = [
            self.operand(a, s, term.rank, not logical and not (op.name == "where" and k == 0))
            for k, (a, s) in enumerate(term.args)
        ]
        if op.name.startswith("bitwise"):  # truths that were read at places are numbers by now
            args = [
                f"({text} != 0)" if isinstance(a, Var) and a.name in self.builder.terms and a.name not in self.truths
                else text for text, (a, _) in zip(args, term.args, strict=True)
            ]  # fmt: skip
        if op.name == "where" and all(is_number(a) for a, _ in term.args[1:]):  # not an array of whole ones
            args[1:] = [number(float(a.coef)) for a, _ in term.args[1:]]
        if op.name in COMPARE:
            return f"{args[0]} {COMPARE[op.name]} {args[1]}"
        if op.name in SAME:
            return f"np.{op.name}({', '.join(args)})"
        row = elementwise(op, params_in_numbers(term.params))  # programs are of real numbers
        text = self.dialect.own.get(op.name)
        if text is None:
            text = FOR_ALL.get(op.name) if row is None else row[self.dialect.library.column] or row[0]
        return self._filled(text, term, args)

    def call(self, term: Call) -> str:
        """Any other operation."""
        args = [
            self.places(a) if k in term.op.places
            else self.name(a) if isinstance(a, Var)
            else f"np.full((), {number(float(a.coef))})" if is_number(a)
            else f"({self.expression(a, '')})"
            for k, a in enumerate(term.args)
        ]  # fmt: skip
        text = self.dialect.own.get(term.operation)
        known = term.operation in CALLS and not parameters(term).get("upper") and term.operation != "solve_vector"
        if text is None and known:
            text = CALLS[term.operation][self.dialect.library.column]
        whole = self._filled(text, term, args)
        return whole if term.out is None else f"{whole}[{term.out}]"

    def places(self, term: Expr) -> str:
        """Places as whole numbers, which they are as they come and when they were found, but not when computed with."""
        if not isinstance(term, Var):
            return f"_whole({self.expression(term, '')})"
        made = self.builder.terms.get(term.name)
        whole = term.name in self.truths or (isinstance(made, Call) and made.op.kind == "constant")
        return term.name if whole else f"_whole({term.name})"

    def _filled(self, text: str | None, term: Any, args: list[str]) -> str:
        params = params_in_numbers(term.params)
        if text is None:
            if term.operation not in TABLE:
                raise Unprogrammable(f"{term.op.label} is a user-defined function")
            if self.dialect is not NUMPY:
                raise Unprogrammable(f"'{term.op.label}' has no name in {self.dialect.name}")
            self.standalone = False
            row = f"op_{term.operation}"
            self.space[row] = in_reals(TABLE[term.operation].forward)
            values = [self.parameter(p) for p in params]
            operands = [f"({', '.join(args)},)"] if term.op.variadic else args
            return f"{row}({', '.join([*operands, *values])})"
        names = {n: self.parameter(p) for n, p in term.op.named(params)}
        names["own_shape"] = repr(sizes(term.shape))
        return text.format(*args, np=f"{self.dialect.library.module}.", args=", ".join(args), **names)

    def parameter(self, value: Any) -> str:
        """A parameter as source; an array by a name."""
        if isinstance(value, np.ndarray):
            name = f"k{len(self.builder.constants)}_"
            self.builder.constants[name] = value
            return name
        if isinstance(value, tuple | list):
            return "(" + ", ".join(map(self.parameter, value)) + ("," if len(value) == 1 else "") + ")"
        if value is None or isinstance(value, bool | int | float | str):
            return number(value)
        if value is Ellipsis:
            return "..."
        if isinstance(value, slice):
            return f"slice({value.start!r}, {value.stop!r}, {value.step!r})"
        name = f"p{len(self.space)}"
        self.space[name] = value
        self.standalone = False
        return name

    # -------------------------------------------------------------------------------------------------- sums

    def total(self, term: Any, target: str) -> str:
        """A sum; identities among its terms are added to the diagonal at the end, unit vectors to their entry."""
        rank, shape = term.rank, sizes(term.shape)
        dense, patterns = [], []
        for c, summand, s in term.terms:
            t: Any = self.written_in.get(summand.name, summand) if isinstance(summand, Var) else summand
            place = unit(t)
            if place is not None or (isinstance(t, Ein) and of_kinds(t.factors, "delta")):
                patterns.append((c, t, s, place))
            else:
                dense.append((c, t, s))
        text = ""
        covered: set[int] = set()
        dense.sort(key=lambda part: entries_of([shape[k] for k in part[2]]))  # what is small is added up while it is
        first = next((part for part in dense if not _is_subtracted(part)), None)
        for c, t, s in sorted(dense, key=lambda part: part is not first):
            if isinstance(t, Ein) and not t.factors:
                text = self._more(text, c * t.coef, "")
                continue
            text = self._more(text, c, self.operand(t, s, rank, True))
            covered |= set(s)
        if not patterns:
            return text if covered == set(range(rank)) else f"np.broadcast_to({text}, {shape})"
        target = target or self.fresh()
        if text and covered == set(range(rank)):
            is_own = len(dense) == 1 and text in self.read_once and _is_new(self.builder.terms[text])
            is_new = len(dense) > 1 or text[0] in "-0123456789" or is_own
            self.lines.append(f"{target} = {text if is_new else '+' + text}")
        else:
            columns = rank == 2 and any(place is not None and s[axis_of_unit(t)] == 1 for _, t, s, place in patterns)
            narrow = columns and shape[1] <= _limits.NARROW < shape[0]
            order = ", order='F'" if narrow else ""  # a column is one piece of memory
            zeros = f"np.zeros({shape}{order})" + (f" + {text}" if text else "")
            spread_out = text and not order
            self.lines.append(f"{target} = {f'np.broadcast_to({text}, {shape}) * 1.0' if spread_out else zeros}")
        landing: dict[str, str] = {}  # what lands in one place is added up before it is written
        for c, t, s, place in patterns:
            if place is None:
                self.onto_diagonal(target, t, s, c, rank)
            else:
                axis = s[axis_of_unit(t)]
                index = ", ".join([str(place) if k == axis else ":" for k in range(rank)])
                landing[index] = self._more(landing.get(index, ""), t.coef * c, self._beside(t, s, axis, rank))
        self.lines += [f"{target}[{index}] += {value}" for index, value in landing.items()]
        return target

    def _more(self, text: str, coef: Any, piece: str) -> str:
        """A sum with one more term, which is a number where there is no piece."""
        if not piece:
            return f"{text} {'-' if is_negative(coef) else '+'} {number(abs(coef))}" if text else number(coef)
        text = summed(text, coef, piece)
        if text.count(" ") <= _limits.WORDS:
            return text
        name = self.fresh()  # Python's compiler recurses for each sign
        self.lines.append(f"{name} = {text}")
        return name

    def _beside(self, t: Ein, s: tuple[int, ...], axis: int, rank: int) -> str:
        """The arrays that a unit vector is multiplied with, along the axes that are not the vector's."""
        others = [k for k in range(rank) if k != axis]
        rest = [(f, tuple([others.index(s[k]) for k in i])) for f, i in t.factors if f.kind not in ("lin", "one")]
        return " * ".join([align(self.name(f), i, rank - 1) for f, i in rest])

    def onto_diagonal(self, target: str, t: Ein, s: tuple[int, ...], c: Any, rank: int, sign: str = "+=") -> None:
        """Add a product with identities to the diagonals that they single out."""
        group = identified(t.factors, range(t.rank))
        kept = [k for k in range(t.rank) if group[k] == k]
        rest = relabelled(but_kinds(t.factors, "delta", "one"), group)
        place = {s[k]: group[k] for k in range(t.rank)}
        order = [place.get(k, t.rank + len(t.dims) + k) for k in range(rank)]  # an axis that it lacks is its own
        position = {k: i for i, k in enumerate(dict.fromkeys(order))}
        spec = subscripts([order], list(position))
        coef = t.coef * c
        if sign == "+=" and is_negative(coef):
            sign, coef = "-=", -coef
        value = number(coef)
        if rest:
            term = Ein(1, tuple(rest), t.dims, t.rank)
            value = scaled(coef, self._aligned_product(term, kept, position))
        self.lines.append(f"np.einsum({spec!r}, {target})[...] {sign} {value}")

    def _aligned_product(self, term: Ein, kept: list[int], position: dict[int, int]) -> str:
        texts = []
        for f, s in term.factors:
            pattern = f.kind == "lin" and entries_of(f.shape) <= _limits.LINEAR_MULTIPLIED  # one entry of a diagonal
            gone = [k for k in s if k not in position]  # of a pattern: summed over
            alone = pattern and not any(k in i for k in gone for g, i in term.factors if g is not f)
            if not (isinstance(f, Var) or pattern) or (gone and not alone) or len(set(s)) < len(s):
                raise Unprogrammable("a diagonal is filled with a product that is no array of its own")
            name = str(self.constant(f)) if pattern else self.name(f)
            if gone:
                name = f"np.add.reduce({name}, axis={tuple([s.index(k) for k in gone])})"
            texts.append(align(name, tuple([position[k] for k in s if k in position]), len(position)))
        return " * ".join(texts)

    # ------------------------------------------------------------------------------------------------ products

    def product(self, term: Ein, target: str, whole: bool = True) -> str:
        """A product of at most two arrays, patterns aside; not ``whole``: what is alike along an axis is there once."""
        rank, shape = term.rank, sizes(term.shape)
        if not term.factors:
            return number(term.coef)
        deltas = [f for f, _ in term.factors if f.kind == "delta"]
        lins = of_kinds(term.factors, "lin")
        arrays = but_kinds(term.factors, "delta", "lin", "one")
        if deltas:
            target = target or self.fresh()
            self.lines.append(f"{target} = np.zeros({shape})")
            self.onto_diagonal(target, term, tuple(range(rank)), 1, rank, "=")
            return target
        if lins:
            return applied(self, term, lins, arrays)
        out = tuple(range(rank))
        covered = label_set(arrays)
        inside = tuple([k for k in out if k in covered])
        if not arrays:
            return f"np.full({shape}, {number(term.coef)}, dtype=float)" if whole else number(term.coef)
        text = contraction(self, term.coef, arrays, inside, term.dims)
        return spread(text, inside, term) if whole else align(text if inside == out else f"({text})", inside, rank)


def _is_subtracted(part: Any) -> bool:
    """Whether a term of a sum is written with a minus."""
    c, t, _ = part
    return is_negative(c * t.coef if is_number(t) else c)


def _is_new(term: Expr) -> bool:
    """Whether the array of a definition shares no memory with another, and has an entry of its own for each."""
    if isinstance(term, Ein):
        arrays = [s for f, s in term.factors if f.kind == "var"]
        return len(arrays) == len(term.factors) == 2 and {k for s in arrays for k in s} >= set(range(term.rank))
    return term.kind == "add" and any(len(s) == term.rank for _, _, s in term.terms)  # type: ignore[attr-defined]


def is_rearranged(term: Expr) -> bool:
    """Whether a term has but entries of an array that has a name, whose memory its text may share: Cᵀ, say."""
    if isinstance(term, Ein):
        is_one = term.coef == 1 and len(term.factors) == 1 and is_rearranged(term.children[0])
        return is_one or any(f.kind == "one" for f in term.children)
    return isinstance(term, Var | Data)


def is_number(a: Expr) -> bool:
    """Whether a term is a number that is written out."""
    return isinstance(a, Ein) and not a.factors


def axis_of_unit(t: Ein) -> int:
    """The axis of a term's unit vector."""
    return next(i[0] for f, i in t.factors if f.kind == "lin")


def unit(t: Any) -> int | None:
    """Where a term's only pattern, a unit vector, is one; None if that is not what it is."""
    lins = of_kinds(t.factors, "lin")
    if len(lins) != 1 or len(lins[0][1]) != 1 or of_kinds(t.factors, "delta") or t.kind != "ein":
        return None
    lin, (k,) = lins[0]
    if k >= t.rank or any(k in s for f, s in t.factors if f is not lin) or lin.out_rank:
        return None
    if any(
        f.kind != "var" or len(set(s)) < len(s) or any(j >= t.rank for j in s)
        for f, s in t.factors
        if f is not lin and f.kind != "one"
    ):
        return None
    places = sources(lin)
    return None if places is None or len(places) != 1 or places[0] < 0 else int(places[0])


COMMENT = bound(60)
"""Signs of a formula that stands beside a line of a program."""


def comment(term: Expr) -> str:
    """The formula of a definition, as it prints; nothing where it is long."""
    from ..show import in_one_piece

    try:
        text = in_one_piece(term)
    except Exception:  # a comment is not worth an error
        return ""
    return text if len(text) <= COMMENT and "\n" not in text else ""
