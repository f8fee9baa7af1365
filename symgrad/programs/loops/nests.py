"""Definitions, and the filling of a matrix, as loops over entries, which Numba compiles."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ... import _limits
from ..._limits import bound
from ..._trees import parsed
from ...show.functions import COMPARE
from ...terms import Call, Data, Ein, Expr, Map, Var, is_negative
from ..assemble import DenseProduct, Diagonals, GramProduct, Pairs, SingleRow
from ..definitions import Source, axis_of_unit, unit
from ..fill import Filling
from ..graph_terms import entries_of, every_name, flops, identified, parameters, sizes
from ..helpers import WORD
from ..linear import atom, number, scaled, summed
from ..survey import Unprogrammable
from .scalars import COMPARISONS, FUNCTIONS

# ------------------------------------------------------ Definitions as loops over their entries, which Numba compiles

# The idea to hold: an array is a loop nest over its indices, and what stands in it is one number, read from other
# arrays at those indices. A pattern is a condition on the indices, a sum over further indices is a loop more.
# Definitions of one shape share a nest as long as each reads what the others define at its own place only: then that is
# no array at all.


SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
QUICK = {"square": "({0} * {0})"} | {
    name: FUNCTIONS[name][0] for name in ("sqrt", "abs", "where", "maximum", "minimum")
}  # fmt: skip
"""Functions that a loop computes as fast as NumPy."""

SLOW = {name: FUNCTIONS[name][0] for name in (
    "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh",
)}  # fmt: skip
"""Functions that NumPy computes faster in long arrays, several at a time, and that keep a loop from doing so."""


class NotNested(Unprogrammable):
    """What is no loop nest here: NumPy computes it."""


def steps(lines: list[str]) -> int:
    """How many steps there are in lines."""
    return sum([len(_STEP.findall(line)) for line in lines])


def apart(node: ast.expr, is_long: bool) -> list[ast.expr]:
    """The outermost steps in a line of NumPy's that no loop takes or, where it ``is_long``, not as fast as NumPy."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        if name.split(".")[0] not in ("np", "scipy") and not name.startswith("op_"):
            return []  # a view of an operand
        known = name.removeprefix("np.") in (QUICK if is_long else QUICK | SLOW)
        return [part for a in node.args for part in apart(a, is_long)] if known and not node.keywords else [node]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        is_root = not ast.unparse(node.right).strip("-()").isdigit()
        return [node] if is_long and is_root else [*apart(node.left, is_long), *apart(node.right, is_long)]
    if isinstance(node, ast.BinOp) and type(node.op) not in SIGNS:
        return [node]
    inside = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    is_step = isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare)
    return [part for one in inside for part in apart(one, is_long)] if is_step else []


class Nest:
    """Loops over the indices of a shape.

    Attributes
    ----------
    shape : how often each loop runs
    made : by name how an array that the loops write begins, or a number to which they add
    lines : inside the loops, each with its own indentation
    defined : names whose entries the lines compute
    joins : whether other definitions of the shape may stand in it
    """

    shape: tuple[int, ...]
    joins: bool

    def __init__(self, shape: tuple[int, ...], joins: bool = True) -> None:
        self.shape, self.joins = shape, joins
        self.made: dict[str, str] = {}
        self.lines: list[str] = []
        self.defined: dict[str, bool] = {}  # by name, whether it is a truth value
        self.again: dict[str, bool] = {}  # the same of names of earlier functions that the lines compute once more
        self.sums: set[str] = set()  # names to which each round adds: what they are is known when it has ended

    def source(self, wanted: set[str]) -> tuple[dict[str, str], list[str]]:
        """Its loops, in which the arrays of the wanted names are written, and by name how all begins that is there
        before them. Lines that nothing wanted needs are left out."""
        every = {**self.defined, **self.again}
        kept = {n: ", np.bool_" if is_truth else "" for n, is_truth in every.items() if n in wanted}
        place = ", ".join([f"i{k}" for k in range(len(self.shape))])
        inside = [f"{n}[{place}] = x_{n}" for n in kept] if self.shape else []
        words = {word for line in inside for word in WORD.findall(line)}
        for line in reversed(self.lines):
            target = _LOCAL.match(line)
            if target is None or target[1] in words:
                inside.insert(0, line)
                words.update(WORD.findall(line))
        loops = [f"{'    ' * k}for i{k} in range({n}):" for k, n in enumerate(self.shape)]
        begins = {n: f"np.empty({self.shape}{kind})" for n, kind in kept.items()} if self.shape else {}
        inner = "    " * len(self.shape)
        return begins | self.made, [*loops, *[inner + line for line in inside]] if inside else []


_LOCAL = re.compile(r"(x_\w+|s\d+) = ")
_STEP = re.compile(r" [-+*/]=? | \*\* | [<>] | [<>=!]= | if |math\.|\(-")


class _Elsewhere(Exception):
    """A nest's own name is read at another place."""


FUNCTION_STEPS = bound(10)
"""Steps of a loop that a function like exp takes as long as."""


class Nests(Source):
    """Nests in the making, beside lines of NumPy of which they know the truth values, the powers and the identities.

    ``known`` finds the name of an array that depends on the structure alone; what takes loops more than ``most`` steps,
    and NumPy fewer, is no nest.

    Attributes
    ----------
    nests : in order
    place : by name the number of the nest that defines it
    again : by name the definitions that take little, what is apart in them, and how many steps they take
    work : about how many steps the nests take
    """

    most: float
    again: dict[str, tuple[Expr, list[str], int]]
    truths: set[str]
    powers: dict[str, dict[Any, str]]
    written_in: dict[str, Expr]
    work: float

    def __init__(
        self, plain: Source, known: Callable[[Any], str], most: float, again: dict[str, tuple[Expr, list[str], int]]
    ) -> None:
        super().__init__(plain.builder, set())
        self.most, self.again = most, again
        self.truths, self.powers, self.written_in = plain.truths, plain.powers, plain.written_in
        self._known = known
        self._as_they_are: set[str] = set()  # names whose entries at the nest's own place stand in texts
        self.nests: list[Nest] = []
        self.place: dict[str, int] = {}
        self.work, self._temporary = 0.0, 0
        self._given: dict[int, str] = {}
        self._into = Nest(())  # the nest that is written now
        self._at = 0

    # -------------------------------------------------------------------------------------------------- nests

    def nest(self, name: str, term: Expr, reads: Iterable[str], given: list[str]) -> None:
        """Define a name by a nest; nothing is changed where it has none.

        ``reads`` are the names in it, ``given`` those of what is `apart` in it.
        """
        count, work = len(self.nests), self.work
        try:
            self._nest(name, term, sizes(term.shape), tuple(reads), given)
        except NotNested:
            del self.nests[count:]
            self.work = work
            raise
        self.work += flops(term)

    def _nest(self, name: str, term: Any, shape: tuple[int, ...], reads: tuple[str, ...], given: list[str]) -> None:
        if isinstance(term, Ein) and any(f.kind == "lin" and max(s) >= term.rank for f, s in term.factors):
            raise NotNested("entries are moved")  # nothing is computed, and what is not finite stays where it is
        is_sum = isinstance(term, Ein) and len(term.dims) > term.rank
        if (is_sum or isinstance(term, Call)) and flops(term) > self.most:
            raise NotNested("much work")
        if isinstance(term, Call):
            self._along(name, term)
        elif is_sum:
            self.product_of(name, term.coef, list(term.factors), tuple(range(term.rank)), dict(enumerate(term.dims)))
        else:
            is_truth = isinstance(term, Map) and term.op.kind == "constant"
            if is_truth and term.op.name not in COMPARE:
                raise NotNested("numbers of another kind")
            text = self.entrywise(name, shape, lambda: self._entry_of(term, given), reads, is_truth)
            took = steps([text]) + sum([self.again[n][2] for n in set(reads) & self.again.keys()])
            if shape and took <= _limits.NESTED_AGAIN and "math." not in text.replace("math.sqrt", ""):
                self.again[name] = term, given, took
            self.truths.update([name] if is_truth else [])

    @property
    def lines_inside(self) -> list[str]:
        """The lines in all the loops."""
        return [line for nest in self.nests for line in nest.lines]

    def is_long(self, shape: Iterable[Any]) -> bool:
        """Whether loops over a shape take too many steps with a function like ``exp`` in them."""
        return FUNCTION_STEPS * entries_of(shape) > self.most

    def entrywise(
        self, name: str, shape: tuple[int, ...], text: Callable[[], str], reads: tuple[str, ...], is_truth: bool = False
    ) -> str:
        """Define a name by the text of its entry, which is returned."""

        def write(nest: Nest) -> None:
            nest.lines.append(f"{'x_' if shape else ''}{name} = {text()}")
            nest.defined[name] = is_truth

        return self._placed(name, shape, reads, write).lines[-1]

    def _placed(self, name: str, shape: tuple[int, ...], reads: tuple[str, ...], write: Callable[[Nest], None]) -> Nest:
        """Write into the first nest of the shape in which it may be, or into a new one; returns the nest."""
        first = max([self.place.get(r, 0) for r in reads], default=0)
        for k, nest in enumerate(self.nests[first:], first):
            if nest.shape != shape or not nest.joins:
                continue
            made, lines, again = dict(nest.made), list(nest.lines), dict(nest.again)
            self._into, self._at = nest, k
            try:
                write(nest)
            except (_Elsewhere, NotNested) as error:
                nest.made, nest.lines, nest.again = made, lines, again
                if isinstance(error, NotNested):
                    raise
            else:
                self.place[name] = k
                return nest
        write(self.begin(shape))
        self.place[name] = self._at
        return self._into

    def begin(self, shape: tuple[int, ...], joins: bool = True) -> Nest:
        """A new nest, which is written from now on."""
        self._into, self._at = Nest(shape, joins), len(self.nests)
        self.nests.append(self._into)
        return self._into

    def product_of(self, name: str, coef: Any, factors: list[Any], out: tuple[int, ...], dims: dict[int, Any]) -> None:
        """Define a name by a sum of products: the outer loops are those that run more often."""
        labels = {k for _, s in factors for k in s} | set(out)
        group = identified(factors, sorted(labels, key=lambda k: (k not in out, k)))
        rest = [(f, tuple([group[k] for k in s])) for f, s in factors if f.kind not in ("delta", "one")]
        over = [k for k in dict.fromkeys(group[k] for k in sorted(labels)) if k not in {group[j] for j in out}]
        ones = [k for k in over if all(k not in s for _, s in rest)]
        over = [k for k in over if k not in ones]
        coef = coef * entries_of([dims[k] for k in ones])
        shape = tuple([int(dims[k]) for k in out])
        conditions = [(k, group[k]) for k in out if group[k] != k]
        times_over, times_out = entries_of([dims[k] for k in over]), entries_of(shape)
        if not over or conditions:
            raise NotNested("a sum of a pattern")
        if not out or times_over >= times_out:
            rename = {k: n for n, k in enumerate((*over, *out))}
            target = f"{name}[{', '.join([f'i{rename[k]}' for k in out])}]" if out else name

            def write(nest: Nest) -> None:
                entry = " * ".join([self.entry(f, tuple([rename[k] for k in s])) for f, s in rest])
                nest.made[name] = f"np.zeros({shape})" if out else "0.0"
                nest.lines.append(f"{target} += {scaled(coef, entry)}")
                nest.sums.add(name)

            reads = tuple([n for f, _ in rest for n in every_name(f)])
            self._placed(name, tuple([int(dims[k]) for k in (*over, *out)]), reads, write)
            return
        self.begin(shape, joins=False)
        rename = {k: n for n, k in enumerate((*out, *over))}
        place = ", ".join([f"i{rename[k]}" for k in out])
        entry = " * ".join([self.entry(f, tuple([rename[k] for k in s])) for f, s in rest])
        self._into.made[name] = f"np.empty({shape})"
        loops = [f"{'    ' * n}for i{rename[k]} in range({int(dims[k])}):" for n, k in enumerate(over)]
        self._into.lines += ["total = 0.0", *loops, f"{'    ' * len(over)}total += {entry}"]
        self._into.lines.append(f"{name}[{place}] = {scaled(coef, 'total')}")
        self.place[name] = self._at

    def _along(self, name: str, term: Call) -> None:
        """A function of the numbers along axes: its loops are inside."""
        if term.op.name not in ("softmax", "log_softmax", "logsumexp") or term.out is not None:
            raise NotNested(f"'{term.op.label}' has no loops")
        (x,), given = term.args, parameters(term)
        axes = given["dim"] if isinstance(given["dim"], tuple) else (given["dim"],)
        axes = tuple(sorted([k % x.rank for k in axes]))
        if given.get("dtype") is not None or not isinstance(x, Var | Ein):
            raise NotNested(f"'{term.op.label}' of a term")
        whole, kept = sizes(x.shape), [k for k in range(x.rank) if k not in axes]
        rename = {k: n for n, k in enumerate((*kept, *axes))}
        self.begin(tuple([whole[k] for k in kept]), joins=False)
        entry = self.entry(x, tuple([rename[k] for k in range(x.rank)]))
        loops = [f"{'    ' * n}for i{rename[k]} in range({whole[k]}):" for n, k in enumerate(axes)]
        deep = "    " * len(axes)
        self._into.lines += [
            "top = -np.inf", *loops, f"{deep}here = {entry}",
            f"{deep}top = here if here > top or here != here else top",
            *(["top = top if math.isfinite(top) else 0.0"] if term.op.name == "logsumexp" else []),
            "total = 0.0", *loops, f"{deep}total += math.exp({entry} - top)",
        ]  # fmt: skip
        if term.op.name == "logsumexp":
            shape = sizes(term.shape)
            there = range(x.rank) if len(shape) == x.rank else kept
            place = ", ".join([f"i{rename[k]}" if k in kept else "0" for k in there])
            self._into.lines.append(f"{name}{f'[{place}]' if shape else ''} = math.log(total) + top")
        else:
            shape, place = whole, ", ".join([f"i{rename[k]}" for k in range(x.rank)])
            value = f"math.exp({entry} - top) / total" if term.op.name == "softmax" else f"{entry} - top - total"
            logarithm = ["total = math.log(total)"] if term.op.name == "log_softmax" else []
            self._into.lines += [*logarithm, *loops, f"{deep}{name}[{place}] = {value}"]
        self._into.made |= {name: f"np.empty({shape})"} if shape else {}
        self.place[name] = self._at
        self.work += 2 * FUNCTION_STEPS * entries_of(whole)

    # ------------------------------------------------------------------------------------------------ entries

    def _entry_of(self, term: Expr, given: list[str]) -> str:
        """The entry of a definition at the indices of its nest, as a number."""
        if term.kind == "add":
            return self._sum(term)
        if isinstance(term, Map):
            tree = parsed(self.function(term), "eval").body
            places = apart(tree, self.is_long(term.shape))
            if len(places) != len(given):
                raise NotNested("operands that are no entries")
            outer, self._given = self._given, dict(zip(map(id, places), given, strict=True))
            text = self._scalar(tree)
            self._given = outer
            return text
        return self.entry(term, tuple(range(term.rank)))

    def _sum(self, term: Any) -> str:
        text = ""
        for c, summand, s in term.terms:
            t: Any = self.written_in.get(summand.name, summand) if isinstance(summand, Var) else summand
            if isinstance(t, Ein) and not t.factors:
                text = summed(text, 1, f"({number(t.coef * c)})")
                continue
            place = unit(t)
            if place is None:
                text = summed(text, c, self.entry(t, s))
                continue
            rest = Ein(1, tuple([(f, i) for f, i in t.factors if f.kind != "lin"]), t.dims, t.rank)
            value = f"({scaled(t.coef, self.entry(rest, s))} if i{s[axis_of_unit(t)]} == {place} else 0.0)"
            text = summed(text, c, value)
        return text

    def operand(self, a: Expr, s: tuple[int, ...], rank: int, numeric: bool) -> str:
        """An operand, at the indices of its labels; an array of the nest's shape by its name."""
        if isinstance(a, Var) and rank and s == tuple(range(rank)) and not (numeric and a.name in self.truths):
            self._as_they_are |= {a.name, *self.powers.get(a.name, {}).values()}
            return a.name
        return f"({self.entry(a, s, numeric)})"

    def entry(self, a: Expr, s: tuple[int, ...], numeric: bool = True) -> str:
        """The entry of an atom (a name, or a number and patterns times some) where its axes have these labels."""
        if isinstance(a, Var):
            text = self._read(a.name, s)
            return f"({text} * 1.0)" if numeric and a.name in self.truths else text
        if isinstance(a, Data) or a.kind == "lin":
            name = self._known(a)
            return f"{name}[{', '.join([f'i{k}' for k in s])}]" if s else f"{name}[()]"
        if a.kind == "one":
            return "1.0"
        if a.kind == "delta":
            return f"(1.0 if i{s[0]} == i{s[1]} else 0.0)"
        if not isinstance(a, Ein) or len(a.dims) > a.rank:
            raise NotNested(f"a term of kind {a.kind} inside another")
        texts = [self.entry(f, tuple([s[k] for k in i])) for f, i in a.factors if f.kind not in ("one", "delta")]
        value = scaled(a.coef, " * ".join(texts)) if texts else number(a.coef)
        same = [f"i{s[i[0]]} == i{s[i[1]]}" for f, i in a.factors if f.kind == "delta"]
        return f"({value} if {' and '.join(same)} else 0.0)" if same else atom(value)

    def _read(self, name: str, s: tuple[int, ...]) -> str:
        if name in self._into.sums:
            raise _Elsewhere
        if not s:
            return name
        is_here = s == tuple(range(len(self._into.shape)))
        if name in self._into.defined and not is_here:
            raise _Elsewhere
        if is_here and name in self.again and name not in self.place and name not in self._into.again:
            term, given, _ = self.again[name]
            self._into.lines.append(f"x_{name} = {self._entry_of(term, given)}")
            self._into.again[name] = name in self.truths
        if name in self._into.defined or (is_here and name in self._into.again):
            return f"x_{name}"
        return f"{name}[{', '.join([f'i{k}' for k in s])}]"

    def _scalar(self, node: ast.expr) -> str:
        """An expression of entries in NumPy's words, in those of Python's numbers."""
        if id(node) in self._given:
            return self._read(self._given[id(node)], tuple(range(len(self._into.shape))))
        if isinstance(node, ast.Name) and node.id in self._as_they_are:
            return self._read(node.id, tuple(range(len(self._into.shape))))
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return f"{float(node.value)!r}" if type(node.value) is not bool else repr(node.value)
        if isinstance(node, ast.Name | ast.Subscript | ast.IfExp):
            return ast.unparse(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            return f"({'-' if isinstance(node.op, ast.USub) else '+'}{self._scalar(node.operand)})"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base, exponent = self._scalar(node.left), ast.unparse(node.right)
            if exponent.lstrip("-").isdigit() and exponent.startswith("-"):  # of 0, Numba raises such a power
                return f"(1.0 / ({base} ** {exponent[1:]}))"
            return f"({base} ** ({self._scalar(node.right)}))"
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            return f"({self._scalar(node.left)} {SIGNS[type(node.op)]} {self._scalar(node.right)})"
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            return f"({self._scalar(node.left)} {COMPARISONS[type(node.ops[0])]} {self._scalar(node.comparators[0])})"
        if isinstance(node, ast.Call) and not node.keywords and isinstance(node.func, ast.Attribute):
            form = QUICK.get(node.func.attr) or SLOW.get(node.func.attr)
            if form is not None and ast.unparse(node.func.value) == "np":
                self.work += FUNCTION_STEPS * entries_of(self._into.shape) if node.func.attr in SLOW else 0
                return form.format(*[self._named(self._scalar(a)) for a in node.args])
        raise NotNested(f"{ast.unparse(node)} is no step on numbers")

    def _named(self, text: str) -> str:
        """A text that may stand twice."""
        if text.replace("_", "").isalnum() or text.endswith("]"):
            return text
        self._temporary += 1
        self._into.lines.append(f"s{self._temporary} = {text}")
        return f"s{self._temporary}"


# -------------------------------------------------- The nests that fill a matrix, from the plan of what it is made of

# The idea to hold: what a part of the matrix is worth is an array or an entry's text, and each part is one nest that
# adds it where it goes: on both sides of the diagonal at once, so that the two are the same to the last bit.


class _FillingWithNests(Filling):
    """What fills the matrix of a program that has nests; ``count`` of its names are given."""

    def __init__(self, assembly: Any, nested: Any) -> None:
        super().__init__(assembly, nested.plain)
        self.nested = nested
        self.count: int = 0


class NestedFilling(_FillingWithNests):
    """The nests that fill the matrix."""

    @property
    def nests(self) -> Any:
        """Those that may read all that the matrix is made of so far."""
        return self.nested.nests

    def _begin(self) -> None:
        if not self.started:
            self.nested.begin(self.H, f"np.zeros(({self.assembly.height}, {self.assembly.width}))")
        self.started = True

    def _value(self, atom: Expr) -> Expr:
        """An array that a part is made of: as it is, or a name for the sum that it is."""
        if isinstance(atom, Var) or (isinstance(atom, Ein) and len(atom.dims) == atom.rank and _is_plain(atom)):
            return atom
        self.count += 1
        name = f"T{self.count}"
        self.nested.define(name, atom)
        return Var(name, sizes(atom.shape))

    def _place(self, a: int, b: int, rows: list[str], columns: list[str]) -> str:
        """An entry of a block, at indices along its variables' axes."""
        start, left = self.assembly.starts[a], self.assembly.starts[b] - self.assembly.left
        row, column = _flat(rows, self.assembly.shapes[a]), _flat(columns, self.assembly.shapes[b])
        return f"{self.H}[{start} + {row}, {left} + {column}]"

    def _products(self, a: int, b: int, parts: list[DenseProduct]) -> None:
        values = [(p.coef, self._value(p.value)) for p in parts]
        values.sort(key=lambda part: is_negative(part[0]))
        self._begin()
        q, mirrored = len(self.assembly.shapes[a]), parts[0].mirrored
        shape = (*self.assembly.shapes[a], *self.assembly.shapes[b])
        nest = self.nests.begin(sizes(shape), joins=False)
        self.nested.further += len(values) * entries_of(shape)
        index = [f"i{k}" for k in range(len(shape))]
        every = tuple(range(len(shape)))
        text = ""
        for coef, value in values:
            entry = self.nests.entry(value, every)
            if mirrored:
                entry = f"({entry} + {self.nests.entry(value, (*every[q:], *every[:q]))})"
            text = summed(text, coef, entry)
        nest.lines.append(f"{self._place(a, b, index[:q], index[q:])} += {text}")
        if a != b and self.assembly.symmetric:
            nest.lines.append(f"{self._place(b, a, index[q:], index[:q])} += {text}")

    def _rows(self, a: int, b: int, parts: list[SingleRow]) -> None:
        values = [self._value(p.value) for p in parts]
        self._begin()
        nest = self.nests.begin(sizes(values[0].shape), joins=False)
        every = tuple(range(values[0].rank))
        index = iter([f"i{k}" for k in every])
        at = [str(parts[0].places[k]) if k in parts[0].places else next(index) for k in (0, 1)]
        text = " + ".join([self.nests.entry(v, every) for v in values])
        nest.lines.append(f"{self._place(a, b, at[:1], at[1:])} += {text}")

    def _diagonals(self, a: int, b: int, part: Diagonals) -> None:
        value, kept, q = self._value(part.value), part.kept, len(self.assembly.shapes[a])
        self._begin()
        nest = self.nests.begin(sizes(value.shape), joins=False)
        every = tuple(range(value.rank))
        text = self.nests.entry(value, every)
        index = [f"i{kept.index(k)}" for k in part.labels]
        if a != b:
            nest.lines.append(f"{self._place(a, b, index[:q], index[q:])} += {text}")
            if self.assembly.symmetric:
                nest.lines.append(f"{self._place(b, a, index[q:], index[:q])} += {text}")
            return
        if not part.same:
            turned = [kept.index(part.swapped[k]) for k in kept]
            other = tuple([turned.index(k) for k in every])
            text = f"0.5 * ({text} + {self.nests.entry(value, other)})"
        nest.lines.append(f"{self._place(a, a, index[:q], index[q:])} += {text}")

    def _gram(self, a: int, b: int, part: GramProduct) -> None:
        over, inner = len(part.over), part.A.rank - len(part.over)
        s = tuple(range(2 * inner, 2 * inner + over))
        i, k = tuple(range(inner)), tuple(range(inner, 2 * inner))
        factors: list[Any] = [(part.A, (*s, *i)), (part.A, (*s, *k))]
        if part.N is not None:
            factors.append((part.N, tuple([s[part.over.index(j)] for j in part.shared])))
        sizes_of = sizes(part.A.shape)
        dims = dict(zip((*s, *i), sizes_of, strict=True)) | dict(zip(k, sizes_of[over:], strict=True))
        self.count += 1
        name = f"T{self.count}"
        self.nested.product(name, part.coef, factors, (*i, *k), dims)
        self._begin()
        nest = self.nests.begin(tuple([dims[j] for j in (*i, *k)]), joins=False)
        index = [f"i{j}" for j in (*i, *k)]
        entry = self.nests.entry(Var(name, nest.shape), (*i, *k))
        nest.lines.append(f"{self._place(a, b, index[:inner], index[inner:])} += {entry}")

    def _pairs(self, a: int, part: Pairs) -> None:
        m, p, q = len(part.over), len(part.inner), len(part.outer)
        s = tuple(range(m))
        j, j2 = tuple(range(m, m + q)), tuple(range(m + q, m + 2 * q))
        self.count += 1
        even, name = f"N{self.count}", f"T{self.count}"  # as the matrix is symmetric, so is its middle
        self.nested.entrywise(
            even, sizes(part.N.shape),
            lambda nests: f"0.5 * ({nests.entry(part.N, (*s, *j, *j2))} + {nests.entry(part.N, (*s, *j2, *j))})",
            every_name(part.N),
        )  # fmt: skip
        i, k = tuple(range(m + 2 * q, m + 2 * q + p)), tuple(range(m + 2 * q + p, m + 2 * q + 2 * p))
        inner = sizes(part.A.shape[m:])
        dims = dict(enumerate(sizes(part.N.shape))) | dict(zip((*i, *k), (*inner, *inner), strict=True))
        factors = [(part.A, (*s, *i)), (part.A, (*s, *k)), (Var(even, sizes(part.N.shape)), (*s, *j, *j2))]
        self.nested.product(name, 1, factors, (*i, *j, *k, *j2), dims)
        self._begin()
        nest = self.nests.begin(tuple([dims[x] for x in (*i, *j, *k, *j2)]), joins=False)
        rows = {axis: f"i{n}" for n, axis in enumerate((*part.inner, *part.outer))}
        columns = {axis: f"i{p + q + n}" for n, axis in enumerate((*part.inner, *part.outer))}
        axes = range(p + q)
        entry = self.nests.entry(Var(name, nest.shape), tuple(range(2 * (p + q))))
        nest.lines.append(f"{self._place(a, a, [rows[x] for x in axes], [columns[x] for x in axes])} += {entry}")

    def _average(self) -> None:
        self._even(0, self.assembly.height)

    def _even(self, start: int, end: int) -> None:
        self.nests.begin((), joins=False).lines += [
            f"for i0 in range({start}, {end}):",
            f"    for i1 in range({start}, i0):",
            f"        {self.H}[i0, i1] = {self.H}[i1, i0] = 0.5 * ({self.H}[i0, i1] + {self.H}[i1, i0])",
        ]

    def _scatter(self) -> None:
        """Add single entries, on and below the diagonal, where they go, and above it what is below."""
        lower, width = self.assembly.lower, self.assembly.width
        for (grid, *_), landing in zip(self.assembly.entries, lower.landings, strict=True):
            if not len(landing.slots):
                continue
            value = self._value(grid.values)
            nest = self.nests.begin((len(landing.slots),), joins=False)
            chosen = self._at(np.flatnonzero(landing.valid), "i0") if value.rank and not landing.valid.all() else "i0"
            nest.lines.append(f"m = {chosen}")
            for axis in range(value.rank):
                after = entries_of(value.shape[axis + 1 :])
                nest.lines.append(f"i{axis + 1} = m // {after} % {int(value.shape[axis])}")
            entry = self.nests.entry(value, tuple(range(1, value.rank + 1)))
            nest.lines += [
                f"p = {self._at(lower.slots, self._at(landing.slots, 'i0'))}",
                f"r, c = p // {width}, p % {width}",
                f"v = {scaled(grid.coef * landing.weight, entry)}",
            ]
            if not self.assembly.symmetric:
                if not landing.off.all():
                    raise NotNested("a diagonal that counts twice")
                nest.lines.append(f"{self.H}[r, c] += v")
                continue
            nest.lines += [
                f"{self.H}[r, c] += v if r != c else 2.0 * v", "if r != c:", f"    {self.H}[c, r] += v",
            ]  # fmt: skip

    def _at(self, places: np.ndarray, n: str) -> str:
        """A place among those there are, by its number: counted where they are evenly spaced, else from an array."""
        text = self._index(places)
        if ":" not in text:
            return f"{text}[{n}]"
        start, _, *step = text.split(":")
        scaled = f"{step[0]} * ({n})" if step else n
        return scaled if start == "0" else f"{start} + {scaled}"


class LinesBesideNests(_FillingWithNests):
    """Lines of NumPy that fill the matrix, but that nests compute its entries with their numbers."""

    def _scaled(self, coef: Any, value: Expr) -> tuple[Any, str]:
        self.count += 1
        name, every = f"E{self.count}", tuple(range(value.rank))
        is_turned = isinstance(value, Ein) and any(s != every for f, s in value.factors if f.kind != "one")
        shape, names = sizes(value.shape), every_name(value)
        is_new = shape and not is_turned and not (coef == 1 and isinstance(value, Var))
        if not is_new or not self.nested.by_nests(names) or name in self.nested.by_numpy:
            return super()._scaled(coef, value)
        try:
            self.nested.entrywise(name, shape, lambda nests: scaled(coef, nests.entry(value, every)), names)
        except NotNested:
            return super()._scaled(coef, value)
        return 1, name


def _is_plain(atom: Ein) -> bool:
    return all(f.kind in ("var", "one") for f, _ in atom.factors)


def _flat(index: list[str], shape: tuple[int, ...]) -> str:
    """The place of an entry among all of an array."""
    text = index[0] if index else "0"
    for name, n in zip(index[1:], shape[1:], strict=True):
        text = f"({text}) * {int(n)} + {name}"
    return text
