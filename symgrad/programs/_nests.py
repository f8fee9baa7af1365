"""Definitions as loops over their entries, which Numba compiles.

The idea to hold: an array is a loop nest over its indices, and what stands in it is one number, read from other arrays
at those indices. A pattern is a condition on the indices, a sum over further indices is a loop more. Definitions of one
shape share a nest as long as each reads what the others define at its own place only: then that is no array at all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .. import _limits
from .._python_source import parsed
from ..expr._node import Call, Data, Ein, Expr, Map, Var
from ..show._functions import COMPARE
from ._definitions import Source, axis_of_unit, unit
from ._numba_loops import COMPARISONS, QUICK, SIGNS, SLOW
from ._source_text import atom, number, summed, times
from ._survey import Unprogrammable
from ._terms import entries, every_name, flops, identified, parameters, sizes


class NotNested(Unprogrammable):
    """What is no loop nest here: NumPy computes it."""


class Nest:
    """Loops over the indices of a shape.

    Attributes
    ----------
    shape : how often each loop runs
    lines : inside the loops, each with its own indentation
    defined : names whose entries the lines compute
    joins : whether other definitions of the shape may stand in it
    """

    def __init__(self, shape: tuple[int, ...], joins: bool = True) -> None:
        self.shape, self.joins = shape, joins
        self.before: list[str] = []  # the loops
        self.lines: list[str] = []
        self.defined: dict[str, bool] = {}  # by name, whether it is a truth value
        self.sums: set[str] = set()  # names to which each round adds: what they are is known when it has ended

    def source(self, wanted: set[str]) -> list[str]:
        """Its lines; the arrays of the wanted names are written."""
        place = ", ".join([f"i{k}" for k in range(len(self.shape))])
        kept = [name for name in self.defined if name in wanted and self.shape]
        kinds = {name: ", np.bool_" if self.defined[name] else "" for name in kept}
        lines = [*[f"{name} = np.empty({self.shape}{kinds[name]})" for name in kept], *self.before]
        for k, n in enumerate(self.shape):
            lines.append(f"{'    ' * k}for i{k} in range({n}):")
        inside = "    " * len(self.shape)
        return [*lines, *[inside + line for line in [*self.lines, *[f"{v}[{place}] = x_{v}" for v in kept]]]]


class _Elsewhere(Exception):
    """A nest's own name is read at another place."""


class Nests(Source):
    """Nests in the making.

    ``constant`` finds the name of an array that depends on the structure alone.

    Attributes
    ----------
    nests : in order
    place : by name the number of the nest that defines it
    readers : by name the numbers of the nests that read it
    work : about how many steps the nests take
    """

    def __init__(self, builder: Any, truths: set[str], known: Callable[[Any], str]) -> None:
        super().__init__(builder, truths)
        self._known = known
        self.nests: list[Nest] = []
        self.place: dict[str, int] = {}
        self.readers: dict[str, set[int]] = {}
        self.work, self._temporary = 0.0, 0
        self._into = Nest(())  # the nest that is written now
        self._at = 0

    # -------------------------------------------------------------------------------------------------- nests

    def nest(self, name: str, term: Expr) -> None:
        """Define a name by a nest; nothing is changed where it has none."""
        count, work = len(self.nests), self.work
        try:
            self._nest(name, term, sizes(term.shape))
        except NotNested:
            del self.nests[count:]
            self.work = work
            raise
        self.work += flops(term)

    def _nest(self, name: str, term: Any, shape: tuple[int, ...]) -> None:
        if isinstance(term, Ein) and any(f.kind == "lin" and max(s) >= term.rank for f, s in term.factors):
            raise NotNested("entries are moved")  # nothing is computed, and what is not finite stays where it is
        if isinstance(term, Call):
            self._along(name, term)
        elif isinstance(term, Ein) and len(term.dims) > term.rank:
            self.product_of(name, term.coef, list(term.factors), tuple(range(term.rank)), dict(enumerate(term.dims)))
        else:
            is_truth = isinstance(term, Map) and term.op.kind == "constant"
            if is_truth and term.op.name not in COMPARE:
                raise NotNested("numbers of another kind")
            self.entrywise(name, shape, lambda: self._entry_of(term), every_name(term), is_truth)
            self.truths.update([name] if is_truth else [])

    def entrywise(
        self, name: str, shape: tuple[int, ...], text: Callable[[], str], reads: tuple[str, ...], is_truth: bool = False
    ) -> None:
        """Define a name by the text of its entry."""

        def write(nest: Nest) -> None:
            nest.lines.append(f"{'x_' if shape else ''}{name} = {text()}")
            nest.defined[name] = is_truth

        self._placed(name, shape, reads, write)

    def _placed(self, name: str, shape: tuple[int, ...], reads: tuple[str, ...], write: Callable[[Nest], None]) -> None:
        """Write into the last nest of the shape if it may be there, or into a new one."""
        last = next((k for k in reversed(range(len(self.nests))) if self.nests[k].shape == shape), None)
        if last is not None and self.nests[last].joins and all(self.place.get(r, -1) <= last for r in reads):
            nest = self.nests[last]
            before, lines = list(nest.before), list(nest.lines)
            self._into, self._at = nest, last
            try:
                write(nest)
            except (_Elsewhere, NotNested) as error:
                nest.before, nest.lines = before, lines
                if isinstance(error, NotNested):
                    raise
            else:
                self.place[name] = last
                return
        write(self.begin(shape))
        self.place[name] = self._at

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
        coef = coef * entries([dims[k] for k in ones])
        shape = tuple([int(dims[k]) for k in out])
        conditions = [(k, group[k]) for k in out if group[k] != k]
        times_over, times_out = entries([dims[k] for k in over]), entries(shape)
        if not over or conditions:
            raise NotNested("a sum of a pattern")
        if not out or times_over >= times_out:
            rename = {k: n for n, k in enumerate((*over, *out))}
            target = f"{name}[{', '.join([f'i{rename[k]}' for k in out])}]" if out else name

            def write(nest: Nest) -> None:
                entry = " * ".join([self.entry(f, tuple([rename[k] for k in s])) for f, s in rest])
                nest.before.append(f"{name} = np.zeros({shape})" if out else f"{name} = 0.0")
                nest.lines.append(f"{target} += {times(coef, entry)}")
                nest.sums.add(name)

            reads = tuple([n for f, _ in rest for n in every_name(f)])
            self._placed(name, tuple([int(dims[k]) for k in (*over, *out)]), reads, write)
            return
        self.begin(shape, joins=False)
        rename = {k: n for n, k in enumerate((*out, *over))}
        place = ", ".join([f"i{rename[k]}" for k in out])
        entry = " * ".join([self.entry(f, tuple([rename[k] for k in s])) for f, s in rest])
        self._into.before.append(f"{name} = np.empty({shape})")
        loops = [f"{'    ' * n}for i{rename[k]} in range({int(dims[k])}):" for n, k in enumerate(over)]
        self._into.lines += ["total = 0.0", *loops, f"{'    ' * len(over)}total += {entry}"]
        self._into.lines.append(f"{name}[{place}] = {times(coef, 'total')}")
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
        self._into.before += [f"{name} = np.empty({shape})"] if shape else []
        self.place[name] = self._at
        self.work += 2 * _limits.FUNCTION_STEPS * entries(whole)

    # ------------------------------------------------------------------------------------------------ entries

    def _entry_of(self, term: Expr) -> str:
        """The entry of a definition at the indices of its nest, as a number."""
        if term.kind == "add":
            return self._sum(term)
        if isinstance(term, Map):
            return self._scalar(parsed(self.function(term), "eval").body)
        return self.entry(term, tuple(range(term.rank)))

    def _sum(self, term: Any) -> str:
        text = ""
        for c, t, s in term.terms:
            if isinstance(t, Ein) and not t.factors:
                text = summed(text, 1, f"({number(t.coef * c)})")
                continue
            place = unit(t)
            if place is None:
                text = summed(text, c, self.entry(t, s))
                continue
            rest = Ein(1, tuple([(f, i) for f, i in t.factors if f.kind != "lin"]), t.dims, t.rank)
            value = f"({times(t.coef, self.entry(rest, s))} if i{s[axis_of_unit(t)]} == {place} else 0.0)"
            text = summed(text, c, value)
        return text

    def operand(self, a: Expr, s: tuple[int, ...], rank: int, numeric: bool) -> str:
        """An operand, at the indices of its labels."""
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
        value = times(a.coef, " * ".join(texts)) if texts else number(a.coef)
        same = [f"i{s[i[0]]} == i{s[i[1]]}" for f, i in a.factors if f.kind == "delta"]
        return f"({value} if {' and '.join(same)} else 0.0)" if same else atom(value)

    def _read(self, name: str, s: tuple[int, ...]) -> str:
        if name in self._into.sums:
            raise _Elsewhere
        self.readers.setdefault(name, set()).add(self._at)
        if not s:
            return name
        if name in self._into.defined:
            if s != tuple(range(len(self._into.shape))):
                raise _Elsewhere
            return f"x_{name}"
        return f"{name}[{', '.join([f'i{k}' for k in s])}]"

    def _scalar(self, node: ast.expr) -> str:
        """An expression of entries in NumPy's words, in those of Python's numbers."""
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
            return f"({base} ** ({exponent}))"
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            return f"({self._scalar(node.left)} {SIGNS[type(node.op)]} {self._scalar(node.right)})"
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            return f"({self._scalar(node.left)} {COMPARISONS[type(node.ops[0])]} {self._scalar(node.comparators[0])})"
        if isinstance(node, ast.Call) and not node.keywords and isinstance(node.func, ast.Attribute):
            form = QUICK.get(node.func.attr) or SLOW.get(node.func.attr)
            if form is not None and ast.unparse(node.func.value) == "np":
                self.work += _limits.FUNCTION_STEPS * entries(self._into.shape) if node.func.attr in SLOW else 0
                return form.format(*[self._named(self._scalar(a)) for a in node.args])
        raise NotNested(f"{ast.unparse(node)} is no step on numbers")

    def _named(self, text: str) -> str:
        """A text that may stand twice."""
        if text.replace("_", "").isalnum():
            return text
        self._temporary += 1
        self._into.lines.append(f"s{self._temporary} = {text}")
        return f"s{self._temporary}"


__all__ = ["Nest", "Nests", "NotNested"]
