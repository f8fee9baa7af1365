"""A recorded graph as a derivation: each operation, then each gradient back to the leaves, as formula and as number.

The idea to hold: a tape is a function that is cut after every operation. So the lines are those of a formula's
derivation, with the value of each behind it; and a formula is shown only if it gives that value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from .._errors import FormulaError, GradientError, SymgradError
from .._limits import bound
from ..calculus import Trace, UserOperation, gradient, plus, simplify
from ..core import (
    FREED,
    MASKS,
    Freed,
    OutputNode,
    Symbol,
    Tensor,
    edge,
    input_gradient,
    is_leaf_node,
    no_cotangents,
    reachable,
)
from ..formulas import UNDEFINED, Derivation, Line, Marks, Part, disagreement, in_names, tolerance, verdict
from ..sweep import make_seed
from ..terms import Expr, TooLarge, Var, dotted, evaluate
from .recorded_values import RecordedValues, consumers_of, readable, row_name, signed, unwatched


def explain(t: Tensor, wrt: Any = None) -> Derivation:
    """The derivation of a tensor's gradients; see `Tensor.explain`."""
    if type(t) is Symbol:
        raise FormulaError(
            "a symbol has no values, and a tape is explained with them", "", "x.formula().grad('x').explain() has none."
        )
    if edge(t) is None or is_leaf_node(edge(t)):
        raise GradientError(
            "there is no recorded operation to explain: the tensor was not computed from anything that requires grad",
            "",
            "Create its inputs with requires_grad=True, and ask the result.",
        )
    wanted = None if wrt is None else list(wrt) if isinstance(wrt, (list, tuple)) else [wrt]
    if wanted is not None and not all(isinstance(w, Tensor) and edge(w) is not None for w in wanted):
        raise GradientError("wrt takes tensors that require grad", "", "Pass the leaves themselves: wrt=[x, w].")
    with unwatched():
        return _Tape(t, wanted).derivation()


_CONVENTION = " (a convention: the formula is not defined there)"


TAPE_SHOWN = bound(60)
"""Operations of a recorded graph that its derivation shows, and gradients: the first and the last."""


class _Tape(Marks):
    """The nodes of a graph by their names, the value of each and the gradient in it."""

    def __init__(self, t: Tensor, wanted: list[Tensor] | None) -> None:
        super().__init__()
        self.root, self.recorded, self.trace = edge(t), RecordedValues(), Trace()
        self.nodes, self.leaves, traits, found = reachable([self.root])
        if traits & FREED:
            freed = next(n for n in self.nodes if type(n.saved) is Freed)
            raise freed.saved.error(freed)
        self.exact = bool(traits & MASKS)
        self.ends = set(self.leaves) if wanted is None else {edge(w) for w in wanted}
        if not self.ends <= found:
            raise GradientError(
                "a tensor of wrt is not in the graph of this one", "", "Pass what it was computed from."
            )
        self.grads = self._gradients(make_seed(t, None, False))
        self.tol = max(1e-6, 10 * tolerance([t._data.dtype, *(leaf.data.dtype for leaf in self.leaves)]))
        self.lines: list[Line] = []
        self.names: dict[Any, Var] = {}
        self.definitions: dict[Any, Expr | None] = {}
        self._name(t)

    # ------------------------------------------------------------------------------------------------------- numbers

    def _gradients(self, seed: Any) -> dict[Any, Any]:
        """The gradient at every edge, without hooks."""
        grads: dict[Any, Any] = {self.root: seed}
        for node in self.nodes:
            g = grads.get(node)
            if g is None:
                continue
            if type(node) is OutputNode or node.op is None:
                local = no_cotangents()
                readable(node).pull(g, local)
                given = [(p, local.get(p)) for p in dict.fromkeys(node.parents)]
            else:
                if node.op.outputs:
                    g = [np.zeros(*fit) if gi is None else gi for gi, fit in zip(g, node.fit, strict=True)]
                given = [(p, self._contribution(node, i, g)) for i, p in enumerate(node.parents)]
            for p, d in given:
                if p is not None and d is not None:
                    grads[p] = d if p not in grads else _sum(grads[p], d)
        return grads

    def _contribution(self, node: Any, i: int, g: Any) -> Any:
        return None if node.parents[i] is None else input_gradient(
            readable(node), i, g, False, self.exact and node.op.steep
        )  # fmt: skip

    def _value(self, node: Any) -> Any:
        value = self.recorded.value(node)
        if value is None and type(node) is not OutputNode and node.op is None:
            operands = [v for v in self.recorded.operands(node) if v is not None]
            result = UserOperation.of(node).forward(*operands)
            value = result if isinstance(result, tuple) else (result,)
            self.recorded.put(node, value)
        return value

    # --------------------------------------------------------------------------------------------------------- names

    def _name(self, t: Tensor) -> None:
        """Names for all nodes: v1, v2… in order, f for the result; leaves and named constants have their own."""
        trace = self.trace
        trace.given.update(leaf.label for leaf in self.leaves if leaf.label)
        for leaf in self.leaves:
            term = trace.term(leaf)
            if not isinstance(term, Var):
                raise FormulaError("a leaf of this graph is no symbol", "", "Give it a name.")
            self.names[leaf] = term
        taken = trace.given | set(trace.point)
        letter = next(x for x in _letters("vuwzh") if not any(n.startswith(x) for n in taken))
        root = t._extra.name if t._extra is not None and t._extra.name else next(
            n for n in _letters("fghk") if n not in taken
        )  # fmt: skip
        trace.given.add(root)
        number = 0
        for node in reversed(self.nodes):
            value = self._value(node)
            if isinstance(value, tuple) or _has_outputs(node):
                continue
            number += node is not self.root
            name = root if node is self.root else f"{letter}{number}"
            self.names[node] = trace.terms[node] = Var(name, np.shape(value))
            trace.values[node] = trace.point[name] = value

    # --------------------------------------------------------------------------------------------------------- lines

    def derivation(self) -> Derivation:
        """The lines: what was computed, oldest first; then the gradients, from the result to the leaves."""
        order = [n for n in reversed(self.nodes) if n in self.names]
        for node in self._some(order, "operations"):
            self._operation(node)
        above = self.ends | _leading_to(self.ends, self.nodes)
        passed = [n for n in (*self.nodes, *self.leaves) if n in above and n in self.grads and n in self.names]
        passed = [n for n in passed if n is not self.root]
        ends = ", ".join(self.names[e].name for e in passed if e in self.ends)
        self.lines.append(self.turn(self.names[self.root], ends, self.names[passed[0]]))
        consumers = consumers_of(self.nodes)
        for node in self._some(passed, "gradients"):
            self._gradient(node, self._through(dict.fromkeys([user for user, _ in consumers.get(node, ())])))
        return Derivation(self.lines, [], self.written)

    def _some(self, nodes: list[Any], what: str) -> Iterable[Any]:
        """The first and the last of many, and a line that says how many are left out."""
        most = TAPE_SHOWN // 2
        for k, node in enumerate(nodes):
            if len(nodes) <= 2 * most or not most <= k < len(nodes) - most:
                yield node
            elif k == most:
                self.lines.append(Line("", (), f"({len(nodes) - 2 * most} {what} are left out)"))

    def _operation(self, node: Any) -> None:
        name, value = self.names[node], self.trace.values[node]
        term = self._definition(node)
        if term is None:
            words = f"{name.name} is {row_name(node)}(…) = {summary(value)}: it has no formula"
            self.lines.append(Line("", (), words))
        else:
            self.lines.append(Line("function" if node is self.root else "let", (name, term), summary(value)))

    def _definition(self, node: Any) -> Expr | None:
        """What a node computed, in the names of its operands; None if that has no formula, or another value."""
        if node not in self.definitions:
            name = self.trace.terms.pop(node)
            value = self.trace.values[node]
            try:
                term: Expr | None = simplify(self.trace.term(node))
            except SymgradError:
                term = None
            self.trace.terms[node], self.trace.values[node] = name, value
            if term is not None and self._note(term, value) is None:
                if not getattr(node.op, "masks", False):
                    raise disagreement(term, evaluate(term, self.trace.point), value)
                term = None  # a row that keeps a singular point apart, at that point
            self.definitions[node] = term
        return self.definitions[node]

    def _note(self, term: Any, value: Any) -> str | None:
        """What is to say of a term that should have this value; None if it has another."""
        try:
            found = verdict(partial(evaluate, term), self.trace.point, value, self.tol)
        except TooLarge:
            return " (not compared: too large)"
        except np.linalg.LinAlgError:
            found = UNDEFINED
        return None if found is None else _CONVENTION if found == UNDEFINED else ""

    def _through(self, nodes: Iterable[Any]) -> list[Any]:
        """Consumers, those with several results by the results that were used."""
        return [
            user for node in nodes
            for user in ([n for n in self.names if type(n) is OutputNode and n.parents[0] is node]
                         if node not in self.names else [node])
        ]  # fmt: skip

    def _gradient(self, node: Any, users: list[Any]) -> None:
        """The gradient in an edge: what each operation that used it passed on, together."""
        x, g = self.names[node], self.grads[node]
        found, failed = [], False
        for user in users:
            term = self._passed_on(user, x) if user in self.grads else None
            failed = failed or (term is None and user in self.grads)
            found += [(1, term)] if term is not None else []
        bar = self.bar(x)
        self.trace.point[bar.name] = g
        if failed or not found:
            self.lines.append(Line("", (), f"{bar.name} = {summary(g)}    (it has no formula)"))
            return
        whole = plus(x.shape, *found)
        note = self._note(whole, g)
        if note is None:
            raise disagreement(whole, evaluate(whole, self.trace.point), g)
        terms = (bar, self.rate(self.names[self.root], x, x.shape), whole) if node in self.ends else (bar, whole)
        self.lines.append(Line("gradient", terms, summary(g) + note))

    def _passed_on(self, user: Any, x: Var) -> Expr | None:
        """What an operation passes on to one of its operands, in names; None if it has no formula."""
        term, name = self._definition(user), self.names[user]
        if term is None or any(d.kind == "c" for d in self.trace.dtypes):
            return None  # the convention of complex gradients is the tape's business
        if user is self.root:
            seed = term
        else:
            bar = self.bar(name)
            self.trace.point.setdefault(bar.name, self.grads[user])
            seed = dotted(bar, term)
        try:
            return in_names(simplify(gradient(seed, x, self.trace.point)), [Part(name, term, term)])
        except SymgradError:
            return None


def _letters(some: str) -> Iterator[str]:
    """Names without end: letters, then each twice, and so on."""
    return (letter * k for k in count(1) for letter in some)


def _leading_to(targets: set[Any], nodes: list[Any]) -> set[Any]:
    """The nodes above some edges: those that gradients pass on their way there."""
    found: set[Any] = set()
    for node in reversed(nodes):
        if any(p in targets or p in found for p in node.parents):
            found.add(node)
    return found


def _has_outputs(node: Any) -> bool:
    return type(node) is not OutputNode and (node.op is None or node.op.outputs)


def _sum(old: Any, d: Any) -> Any:
    if not isinstance(old, list):
        return old + d
    return [b if a is None else a if b is None else a + b for a, b in zip(old, d, strict=True)]


VALUES_SHOWN = bound(6)
"""Entries up to which it shows an array in full."""


def summary(value: Any) -> str:
    """An array in few words: its entries if there are few, else its shape, its range and its norm."""
    value = np.asarray(value)
    if not value.ndim:
        return signed(value, 5)
    if value.size <= VALUES_SHOWN:
        return "[" + ", ".join(map(summary, value)) + "]"
    shape = "×".join(map(str, value.shape))
    if value.dtype.kind == "c":
        return f"{shape} entries, norm {np.linalg.norm(value):.4g}"
    if value.dtype.kind != "f":
        return f"{shape} entries"
    strange = int((~np.isfinite(value)).sum())
    if strange:
        return f"{shape} entries, {strange} of them not finite"
    low, high, norm = (signed(f(value), 5) for f in (np.min, np.max, np.linalg.norm))
    return f"{shape} entries from {low} to {high}, norm {norm}"
