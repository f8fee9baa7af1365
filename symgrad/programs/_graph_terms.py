"""A surveyed graph as one term: variables and inputs are symbols, the operations are what formulas make of them.

The idea to hold: the operations are run once more on their way to terms, so that every node has its value beside its
term. Where a program is better off with another term than a formula, the term is changed as soon as it is there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from ..calculus import edges_of, lift, run_forward, scalar
from ..core import OutputNode, params_of, saved_values
from ..terms import Call, Data, Expr, Var, inner_sum, transposed
from ._picked import simpler
from ._placed import READS, WRITES, Placed, placed
from ._survey import Survey, Unprogrammable
from ._taken_apart import taken_apart

CHOSEN_BY_VALUE = frozenset(["max_dim", "min_dim"])
"""Rows whose term is another where several entries are equal: here they are always the operation itself."""


class Lifted:
    """The term of a surveyed graph, and the names of what it is made of.

    Attributes
    ----------
    variables : the symbols to differentiate with respect to, named x0, x1…
    point : the values of all symbols
    inputs : per symbol ('array', k) or ('scalar', k): which of the survey's it stands for
    baked : scalars that are part of the term, by number
    cuts : names of long sums, and what they are
    edges : what the operations ask of their operands
    chosen : numbers of scalars that a choice may take, or leave: they need not be finite
    fixed : the arrays among the parameters
    saved : what the tape has kept: a term, the number of the operation and the place among what it saved, the shape
    """

    def __init__(self, survey: Survey, variables: list[Any], free_scalars: frozenset[int]) -> None:
        self.survey, self.free = survey, free_scalars
        self.point: dict[str, np.ndarray] = {}
        self.inputs: dict[str, tuple[str, int]] = {}
        self.baked: dict[int, Any] = {}
        self.chosen: set[int] = set()
        self.cuts: list[tuple[Var, Expr]] = []
        self.edges: list[Any] = []
        self.fixed = [a.copy() for a in survey.fixed]
        self.places = survey.describe()
        self.terms: dict[Any, Any] = {}
        self.placed: dict[Any, Placed] = {}
        self.numbers: dict[Any, Any] = {}
        self.saved: list[tuple[Expr, tuple[int, int], Any]] = []
        self.variables = [self._variable(k, v) for k, v in enumerate(variables)]

    def _variable(self, k: int, node: Any) -> Var:
        var = self._symbol(f"x{k}", node.data, ("array", k))
        self.terms[node], self.numbers[node] = var, node.data
        return var

    def _symbol(self, name: str, value: np.ndarray, place: tuple[str, int]) -> Var:
        self.point[name], self.inputs[name] = value, place
        return Var(name, value.shape)

    def root(self, edge: Any) -> Expr:
        """The term of the whole graph."""
        for k, node in enumerate(self.survey.nodes):
            if type(node) is OutputNode:
                origin = node.parents[0]
                self.terms[node] = self.terms[origin][node.index]
                self.numbers[node] = self.numbers[origin][node.index]
            else:
                self._run(node)
                self._note_saved(k, node)
        return self._term(edge)

    def _term(self, node: Any) -> Expr:
        if node not in self.terms:
            self.terms[node] = self.placed[node].term()
        term: Expr = self.terms[node]
        return term

    def _run(self, node: Any) -> None:
        args, values = [], []
        moves = node.op.reshapes or node.op.name in WRITES or node.op.name in READS
        for i, p in enumerate(node.parents):
            term: Any
            if i in node.op.places:
                value = np.asarray(self.survey.place(node, i))
                term = Data(value)
            elif p is None:
                term, value = self._constant(node, i)
            elif p in self.numbers:
                term = self.placed[p] if moves and p in self.placed else self._term(p)
                value = self.numbers[p]
            else:  # a leaf of somebody else's: a constant here
                term, value = self._leaf(p)
            args.append(term)
            values.append(value)
        op = node.op
        params: Any = params_of(node)
        if op.variadic:  # its parts are arrays
            values = [v if isinstance(v, np.ndarray) else self.survey.arrays[0].dtype.type(v) for v in values]
        result = run_forward(op, values, params)
        if op.outputs:
            results = tuple([np.asarray(r) for r in result])
            self.numbers[node] = results
            self.terms[node] = [lift(op, args, params, r.shape, k) for k, r in enumerate(results)]
            return
        result = np.asarray(result)
        if result.dtype.kind not in "fb":
            raise Unprogrammable(f"{node.name()} works on {result.dtype}")
        kind = self.survey.arrays[0].dtype
        if result.dtype != kind:
            raise Unprogrammable(f"{node.name()} rounds to {result.dtype} among {kind}")
        self.numbers[node] = result
        if moves and (op.name in WRITES or type(args[0]) is Placed):
            found = placed(op, args, values, params)
            if type(found) is Placed:
                self.placed[node] = found
                return
            if found is not None:
                self.terms[node] = found
                return
            args = [a.term() if type(a) is Placed else a for a in args]
        if op.name in CHOSEN_BY_VALUE:
            self.terms[node] = Call(op, tuple(args), params, result.shape) if args[0].rank else args[0]
        else:
            lifted = lift(op, args, params, result.shape)
            total = taken_apart(lifted)
            whole = simpler(lifted, result.dtype) if total is None else total
            self.edges += edges_of(op, args, params, whole)
            self.terms[node] = self._cut(whole)

    def _cut(self, term: Expr) -> Expr:
        """The term, or a name for it if it is a long sum: a loop that adds to its state has sums of sums of sums, and
        one that is shared would be added up anew at each step."""
        inner = inner_sum(term)[0]
        if inner is None or len(inner.terms) < _limits.LOOP_TERMS:
            return term
        name = Var(f"sum {len(self.cuts)}", term.shape)  # no name of a user's has a blank
        self.cuts.append((name, term))
        return name

    def _note_saved(self, k: int, node: Any) -> None:
        op = node.op
        if op.variadic or op.outputs or node.saved is None:
            return
        values = saved_values(node)
        for place, name in enumerate(op.saved):
            value = values[place]
            if type(value) is not np.ndarray or value.dtype != self.survey.arrays[0].dtype:
                continue
            source = node if name == "y" else node.parents[op.inputs.index(name)] if name in op.inputs else None
            term = self.terms.get(source)
            if isinstance(term, Expr):
                self.saved.append((term, (k, place), value.shape))

    def _leaf(self, node: Any) -> tuple[Expr, Any]:
        k = next(i for i, a in enumerate(self.survey.arrays) if a is node.data)
        self.terms[node], self.numbers[node] = self._array(k), node.data
        return self.terms[node], node.data

    def _array(self, k: int) -> Expr:
        name = f"c{k}"
        return Var(name, self.point[name].shape) if name in self.point else self._symbol(
            name, self.survey.arrays[k], ("array", k)
        )  # fmt: skip

    def _constant(self, node: Any, i: int) -> tuple[Expr, Any]:
        kind, k = self.places[node, i]
        if kind == "array":
            return self._array(k), self.survey.arrays[k]
        if kind == "turned":
            return transposed(self._array(k), (1, 0)), self.survey.arrays[k].T
        value = self.survey.scalars[k]
        if node.op.name == "where" and i:
            self.chosen.add(k)
        divisor = value == 0 and i == 1 and "div" in node.op.name
        if k not in self.free and value == value and abs(value) != float("inf") and not divisor:
            term = scalar(value)
            if term is not None:
                self.baked[k] = value
                return term, value
        return self._symbol(f"s{k}", np.asarray(float(value)), ("scalar", k)), value
