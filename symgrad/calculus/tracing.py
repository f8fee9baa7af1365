"""From recorded graphs to terms: the tape's nodes run again, on terms beside their numbers.

The numbers give the shapes, and what a formula is checked against. A constant appears by its name, as a number, as
written out if it is small, by how it was computed from named ones, or as c0, c1…

Operands that a graph no longer has are refused: overwritten, handed to somebody else, or let go for their size. The
rule of a user-defined operation is run for its formula, which it has unless it looks up values of its operands.

The idea to hold: a formula holds for all values. While backward runs, its operands are symbols, which hide theirs; and
what forward left on ``ctx`` is compared with what it leaves at other operands.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np

from .. import _limits
from .._errors import FormulaError
from ..core import (
    AccumulateGrad,
    Dim,
    Found,
    FoundFloat,
    Node,
    OutputNode,
    RowFacts,
    Tensor,
    computed,
    constants_of,
    edge,
    found_from_values,
    held_operand,
    is_leaf_node,
    make_symbolic,
    operands_of,
    params_of,
    reachable,
    saved_operand,
    storage,
    wrap,
)
from ..terms import COMPLEX_BY_VALUES, Call, Data, Expr, Var, sizes_in, symbols_in
from .conditions import REAL, domain_of
from .lifting import LiftedOutputs, lift, scalar
from .lifting import constant as constant_term
from .rewriting import choices_of, only_where


def refuse_written(node: Node, value: Any) -> None:
    """A formula would hold what a constant became, not what it was when it was used."""
    if node.op.name == "copy_from":  # nothing is read of what goes
        return
    if storage.version_conflict(value, node.seq) is not None:
        raise FormulaError(
            f"an operand of {node.name()} was written after it was used, so what it was is gone",
            f"It has shape {np.shape(value)}.",
            "Begin with what is computed (z = x * x in place of z = sg.zeros(3); z += x * x), or write to a clone().",
        )


def refuse_missing(node: Node, gone: bool) -> None:
    """An operand is not there: it was handed to somebody else, or (``gone``) was large and nobody held it."""
    if node.meta is not None and node.meta.packed:
        raise FormulaError(
            f"the operands of {node.name()} were handed to saved_tensors_hooks (a checkpoint, perhaps)",
            "What those keep cannot be shown.", "Ask for the formula of a graph made without them.",
        )  # fmt: skip
    if gone:
        raise FormulaError(
            f"a large constant operand of {node.name()} is gone",
            f"A graph keeps constants of more than {_limits.HELD} elements only while somebody else does.",
            "Ask for the formula of the function, sg.formula(f, …), which keeps all that is computed inside; or keep a "
            "reference to the constant until the formula of the result has been asked for.",
        )


# ---------------------------------------------------------------------------------------------------- user operation


_OPERAND = object()
"""Where an operand stands among the arguments of a user's operation; None is an argument like any other."""


class UserOperation(RowFacts):
    """A user-defined Function as an operation of formulas: known by name and by what it computes."""

    kind = "general"
    params: tuple[str, ...] = ()
    defaults: ClassVar[dict[str, Any]] = {}
    packs = True
    affine = False
    along = False
    places: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    meanings = None

    function: Any
    arguments: tuple[Any, ...]

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        operands = tuple([f"x{i}" for i, a in enumerate(arguments) if a is _OPERAND])
        vars(self).update(inputs=operands, outputs=True, label=function.__name__)
        self.function, self.arguments = function, arguments
        others = [None if a is _OPERAND else a for a in arguments]
        self.known_as: str = f"{self.label} {others!r}"  # in every process
        self.name: str = f"{self.known_as} {[_told(a) for a in (function, *others)]}"  # two of one text are two

    @staticmethod
    def named(params: Any) -> list[tuple[str, Any]]:
        """Its parameters with their names: it has none."""
        return []

    @staticmethod
    def of(node: Any) -> UserOperation:
        """The operation that the node of a Function recorded."""
        arguments = [_OPERAND if isinstance(a, (Node, Tensor)) else a for a in operands_of(node)]
        return UserOperation(node._function, tuple(arguments))

    def apply(self, *operands: Any) -> Any:
        """Run it on tensors, recording; what it returns beside tensors is left out."""
        rest = iter(operands)
        out = self.function.apply(*[next(rest) if a is _OPERAND else a for a in self.arguments])
        return tuple([o for o in out if isinstance(o, Tensor)]) if isinstance(out, tuple) else out

    def forward(self, *values: Any) -> Any:
        """Run it on arrays."""
        out = self.apply(*[wrap(np.asarray(v)) for v in values])
        return tuple([o._data for o in out]) if isinstance(out, tuple) else out._data


def _told(value: Any) -> Any:
    """What tells a value from all others, where its text does not: what is in it, or which object it is."""
    try:
        return id(value) if callable(value) else sha256(pickle.dumps(value)).hexdigest()
    except Exception:  # an object of the user's that cannot be pickled
        return id(value)


# ------------------------------------------------------------------------------------------------------------- trace


def run_forward(op: Any, args: list[Any], params: tuple[Any, ...]) -> Any:
    """An operation's forward on plain values."""
    with np.errstate(all="ignore"):
        out = computed(op, args, params)
        if getattr(out, "dtype", None) == np.float16 and not op.own_dtype:
            arrays = [a for a in args if isinstance(a, np.ndarray)]
            short = [a for a in arrays if a.dtype == np.float16] or arrays  # or NumPy's functions of truth values
            wide = {id(a): a.astype(np.float64) for a in short}
            out = computed(op, [wide.get(id(a), a) for a in args], params)
        return out


def _brief(data: np.ndarray) -> str:
    return f"the number {data.item():.6g}" if data.size == 1 else f"an array of shape {data.shape}"


SPECIAL = frozenset(["symmetric", "psd", "pd", "diagonal", "orthogonal", "sign", "onehot"])
"""Properties that hold on a thin set only: derivatives are taken without them, and simplified with them afterwards."""


class Names:
    """Symbols for leaves and constants: given names, made unique, else x0, x1… and c0, c1…

    Attributes
    ----------
    point : the value of each symbol, by name
    dtypes : the dtypes that occur, for the tolerance of checks
    to_run : whether the terms are to be run, not read
    """

    to_run: ClassVar[bool] = False

    def __init__(self) -> None:
        self.symbols: dict[int, Expr] = {}
        self.point: dict[str, np.ndarray] = {}
        self.keep: list[Any] = []  # what the ids in `symbols` belong to
        self.counts: dict[str, int] = {"x": 0, "c": 0}
        self.given: set[str] = set()  # names that the user gave, which a number must not take
        self.dtypes: set[Any] = set()
        self.declared: dict[str, Any] = {}
        self.sizes: dict[int, Any] = {}  # named sizes by the lengths that stand in for them
        self.special: dict[str, frozenset[str]] = {}  # what simplification may use beside the symbols' own properties
        self.detached: set[str] = set()  # symbols that also occur where no gradient flows
        self.choices: list[str] = []  # what holds at the point only
        self.leaves: dict[str, Any] = {}  # the leaf node of each symbol that is one

    def leaf(self, node: AccumulateGrad) -> Expr:
        """The term of a leaf."""
        term = self.symbols.get(id(node))
        if term is None:
            self.keep.append(node)
            facts = node.facts
            term = self._symbol(node.label or self._count("x"), node.data, facts)
            self.leaves[term.name] = node
            self.symbols[id(node)] = term
        return term

    def constant(self, t: Tensor) -> Expr:
        """The term of a tensor without gradient."""
        term = self.symbols.get(id(t))
        if term is None:
            self.keep.append(t)
            bag = t._extra
            if bag is not None and bag.name is None and bag.origin is not None:
                term = self._computed(t, *bag.origin)
            self.symbols[id(t)] = term = term or self._constant(t)
        return term

    def _computed(
        self, t: Tensor, op: Any, operands: Any, params: Any, time: int, length: int, compared: bool
    ) -> Expr | None:
        # written since: it is something else now, or what it was computed from is
        written = any(
            isinstance(a, Tensor) and storage.version_conflict(a._data, time) is not None for a in (t, *operands)
        )
        if op is None or written:
            if compared:
                self.choices.append(f"{_brief(t._data)} is what was found at the point")
            return None
        args = [
            self.constant(a) if isinstance(a, Tensor)
            else self.term(a) if isinstance(a, Node)
            else self.literal(a)
            for a in operands
        ]  # fmt: skip
        self._note_params(op, params)
        self.dtypes.add(t._data.dtype)
        if t._data.dtype.kind in "fc":  # what a comparison gave has no derivative anyway
            self.detached.update(
                v.name for a, term in zip(operands, args, strict=True) if isinstance(a, Node)
                for v in symbols_in(term)
            )  # fmt: skip
        shape, truth = self.named(t._data.shape), t._data.dtype.kind == "b"
        if op.truth and not truth:  # the bits of whole numbers
            return Call(op, tuple(args), params, shape)
        return lift(op, args, params, shape, truth=truth, to_run=self.to_run)

    def _note_params(self, op: Any, params: Any) -> None:
        """Named sizes that stand among parameters only (the shape of what was spread, say), and what of them was found
        at the point."""
        for d in sizes_in(params):
            for label, standin in d.atoms.items():
                self.sizes.setdefault(standin, Dim(label, standin))
                self.point.setdefault("#" + label, np.asarray(float(standin)))
        if any(type(p) is FoundFloat for p in params):
            self.choices.append(f"'{op.label}' has a number that was found at the point")
        elif _found_in(params):
            self._choose(op)

    def _choose(self, op: Any) -> None:
        self.choices.append(f"'{op.label}' takes the entries whose places were found at the point")

    def named(self, shape: Any) -> tuple[Any, ...]:
        """A shape with the named sizes in the place of the lengths that stand in for them."""
        return tuple([self.sizes.get(n, n) for n in shape]) if self.sizes else shape

    def _constant(self, t: Tensor) -> Expr:
        name = t.name
        if name is None:
            return self._array(t._data)
        return self._symbol(name, t._data)

    def literal(self, value: Any) -> Expr:
        """The term of an operand that is no tensor."""
        if isinstance(value, np.ndarray):
            known = self.symbols.get(id(value))
            if known is None:
                self.keep.append(value)
                known = self.symbols[id(value)] = self._array(value)
            return known
        term = scalar(value)
        return term if term is not None else Data(value)

    def _array(self, data: np.ndarray) -> Expr:
        term = constant_term(data)
        return term if term is not None else self._symbol(self._count("c"), data)

    def _symbol(self, name: str, data: np.ndarray, facts: Any = None, shape: Any = None) -> Var:
        base, i = name, 1
        while name in self.point and not self._is_same(name, data, facts):
            name, i = f"{base}_{i}", i + 1
        self.point[name] = data
        self.dtypes.add(data.dtype)
        properties: frozenset[str] = frozenset()
        if facts is not None:
            self.special.update({name: facts.properties} if facts.properties & SPECIAL else {})
            self.point.update({"#" + name: data} if "size" in facts.properties else {})
            self.declared[name] = facts
            properties, shape = facts.properties - SPECIAL, facts.shape
            for n in shape:
                for label, standin in n.atoms.items() if type(n) is Dim else ():
                    self.sizes[standin] = Dim(label, standin)
                    self.point["#" + label] = np.asarray(float(standin))  # a symbol may have the same name
        if data.dtype.kind == "c":
            properties = properties | {"complex"}
        return Var(name, tuple(data.shape if shape is None else shape), properties)

    def _is_same(self, name: str, data: np.ndarray, facts: Any) -> bool:
        """Whether the name is taken by the very symbol, declared twice."""
        return facts is not None and self.declared.get(name) == facts and np.array_equal(self.point[name], data)

    def _count(self, letter: str) -> str:
        while True:
            name = f"{letter}{self.counts[letter]}"
            self.counts[letter] += 1
            if name not in self.given:
                return name

    def term(self, root: Any) -> Expr:
        """The term of an edge (the trace's business)."""
        raise NotImplementedError


class Trace(Names):
    """Lifts recorded nodes one by one; ``known`` gives terms for some edges (they are not looked into)."""

    def __init__(self, known: dict[Any, Expr] | None = None) -> None:
        super().__init__()
        self.terms: dict[Any, Any] = dict(known or {})
        self.values: dict[Any, Any] = {}
        self.oldest: int = 1 << 62  # when the first of the nodes was recorded
        self.asked: dict[Any, list[Any]] = {}  # what the operations ask of their operands, by node
        self.chosen: dict[Any, Expr] = {}  # the conditions of the nodes that choose
        self.root: Any = None  # the edge of the tensor that is traced
        self.flowing: set[Any] = set()  # the nodes through which the value flows, not only comparisons
        self.inside = False  # a rule, whose sizes are those of its operands

    def stop(self, at: Any, root: Tensor) -> list[tuple[str, Expr]]:
        """Let named tensors be symbols from here on; returns their names and terms."""
        found = []
        for t in at:
            name = t.name if isinstance(t, Tensor) else None
            if name is None:
                raise FormulaError(
                    "a formula stops at named tensors", f"It was asked to stop at {type(t).__name__}.",
                    'Name the tensor (r.name = "r") and pass it: stop_at=[r].',
                )  # fmt: skip
            node = edge(t)
            if node is None or is_leaf_node(node) or t is root:
                continue
            term = self.term(node)
            found.append((name, term))
            self.terms[node] = self._symbol(name, t._data, shape=term.shape)
            self.values[node] = t._data
        return found

    def tensor(self, t: Tensor) -> Expr:
        """The term of a tensor."""
        root = edge(t)
        if root is None:
            return self.constant(t)
        self.root = root
        self.flowing.update(reachable([root])[0])
        return self.term(root)

    def domains(self, flowing: bool) -> tuple[Any, ...]:
        """What the operations ask of their operands: those that the value flows through, or the others."""
        there = [(node, d) for node, asked in self.asked.items() if (node in self.flowing) is flowing for d in asked]
        if not (flowing and self.chosen and self.root is not None):
            return tuple([d for _, d in there])
        choices = choices_of(self.root, self.chosen, self._shape_of)
        found = [(only_where(choices.get(node, frozenset()), base, kind), kind) for node, (base, kind) in there]
        return tuple([(base, kind) for base, kind in found if base is not None])

    def _shape_of(self, at: Any) -> tuple[int, ...]:
        return np.shape(self.values[at] if at in self.values else getattr(at, "data", ()))

    def term(self, root: Any) -> Expr:
        """The term of an edge, with all that it rests on."""
        if root in self.terms:
            return self.terms[root]
        if is_leaf_node(root):
            return self.leaf(root)
        nodes, leaves, _, _ = reachable([root])
        self.given.update([leaf.label for leaf in leaves if leaf.label], _names_of_constants(nodes))
        self.oldest = min(self.oldest, nodes[-1].seq)
        for node in reversed(nodes):
            if node not in self.terms:
                self._run(node)
        return self.terms[root]

    def _run(self, node: Node) -> None:
        """The term (terms, for several outputs) of one node."""
        if type(node) is OutputNode:
            origin = node.parents[0]
            self.terms[node] = self.terms[origin][node.index]
            self.values[node] = self.values[origin][node.index]
            return
        op = node.op
        if op is None:
            self._opaque(node)
            return
        args, values = [], []
        for i, operand in enumerate(operands_of(node)):
            if operand is None:
                operand = saved_operand(node, i)
            if operand is None:
                refuse_missing(node, constants_of(node)[i] is not None)
            if isinstance(operand, Node) and operand in self.terms:
                args.append(self.terms[operand])
                known = operand in self.values
                values.append(self.values[operand] if known else operand.data)  # type: ignore[attr-defined]
            elif is_leaf_node(operand):
                args.append(self.leaf(operand))
                values.append(operand.data)
            else:
                value = operand._data if isinstance(operand, Tensor) else operand
                refuse_written(node, value)
                args.append(
                    self._places(op, operand) if i in op.places
                    else self.constant(operand) if isinstance(operand, Tensor)
                    else self.literal(operand)
                )  # fmt: skip
                values.append(value)
        self._store(node, op, args, values, params_of(node))

    def _places(self, op: Any, operand: Any) -> Expr:
        """The term of places: how they were computed, where they say so."""
        bag = operand._extra if isinstance(operand, Tensor) else None
        origin = None if bag is None else bag.origin
        value = operand._data if isinstance(operand, Tensor) else operand
        mask = value.dtype == bool  # how many it picks hangs on its values
        if id(operand) in self.symbols or (bag is not None and bag.name is not None and not mask):
            return self.constant(operand)
        if origin is None or mask or _forgets(operand):
            if origin is not None and origin[5]:
                self._choose(op)
            return Data(value)
        return self.constant(operand)

    def _opaque(self, node: Any) -> None:
        """The term of a user-defined Function: its name, applied to its operands."""
        if not hasattr(node, "_function"):  # it stands for a derivative that does not exist, and says so
            node.pull(None, {})
        args, values = [], []
        for operand in operands_of(node):
            if isinstance(operand, Tensor):
                args.append(self.constant(operand))
                values.append(operand._data)
            elif isinstance(operand, Node):
                args.append(self.term(operand))
                values.append(operand.data if isinstance(operand, AccumulateGrad) else self.values[operand])
        op = UserOperation.of(node)
        result = op.forward(*values)
        if op.function._found:
            self.choices.append(f"'{op.label}' has what a solver found at the point")
        several = isinstance(result, tuple)
        results = result if several else (result,)
        self.values[node] = results
        self.terms[node] = [
            Call(op, tuple(args), (), np.shape(r), k if several else None) for k, r in enumerate(results)
        ]

    def _store(self, node: Node, op: Any, args: list[Expr], values: list[Any], params: tuple[Any, ...]) -> None:
        result = run_forward(op, values, params)
        self.asked[node] = domain_of(op, args, params)
        if op.name == "where":
            self.chosen[node] = args[0]
        self._note_params(op, params)
        if self.inside and op.meanings:
            sizes = [m == "size" and type(p) is tuple for p, m in zip(params, op.meanings, strict=True)]
            params = tuple([self.named(p) if size else p for p, size in zip(params, sizes, strict=True)])
        if not op.outputs:
            result = self.values[node] = np.asarray(result)
            shape = self.named(result.shape)
            self.dtypes.add(result.dtype)
            if _chose(op, values, params, result):  # the tape chose one of several: so does the formula
                self.terms[node] = Call(op, tuple(args), params, shape)
            else:
                self.terms[node] = lift(op, args, params, shape, to_run=self.to_run)
            self._note_real(node, op, result, self.terms[node])
            return
        self.values[node] = tuple(np.asarray(r) for r in result)
        self.terms[node] = LiftedOutputs(op, args, params, [self.named(r.shape) for r in self.values[node]])
        self._note_real(node, op, self.values[node][0], self.terms[node][0])

    def _note_real(self, node: Node, op: Any, result: np.ndarray, term: Expr) -> None:
        """What is real at the point must be so elsewhere: the tape has conjugated nothing."""
        if op.name in COMPLEX_BY_VALUES and not np.iscomplexobj(result):
            self.asked[node] = [*self.asked[node], (term, REAL)]


def _found_in(value: Any) -> bool:
    """Whether there is a number among parameters that was read off values."""
    if type(value) is tuple or type(value) is list:
        return any(map(_found_in, value))
    if isinstance(value, Tensor):
        return edge(value) is not None or found_from_values(value)
    return type(value) is Found or (type(value) is slice and _found_in((value.start, value.stop, value.step)))


def _forgets(t: Any) -> bool:
    """Whether a constant, or something that it was computed from, no longer says how it was computed."""
    bag = t._extra if isinstance(t, Tensor) else None
    if bag is None or bag.name is not None or bag.origin is None:
        return False
    if bag.origin[0] is None or storage.version_conflict(t._data, bag.origin[3]) is not None:
        return True
    return any(map(_forgets, bag.origin[1]))


def _names_of_constants(nodes: Any) -> set[str]:
    """The names that the user gave to constant operands, and to what those were computed from."""
    todo = [held_operand(c) for node in nodes for c in constants_of(node)]
    found: set[str] = set()
    seen: set[int] = set()
    while todo:
        t = todo.pop()
        bag = t._extra if isinstance(t, Tensor) and id(t) not in seen else None
        if bag is not None:
            seen.add(id(t))
            found.update([bag.name] if bag.name else [])
            todo.extend(bag.origin[1] if bag.origin is not None and not bag.name else ())
    return found


def _chose(op: Any, values: list[Any], params: Any, result: np.ndarray) -> bool:
    """Whether a row took an entry that is not plainly the largest (smallest): one of several, or another."""
    extreme = {"max_dim": np.max, "min_dim": np.min}.get(op.name)
    if extreme is None:
        return False
    x, dim = np.asarray(values[0]), params[0]
    if not x.ndim:
        return False
    best = extreme(x, axis=dim, keepdims=True)
    return bool((np.sum(x == best, axis=dim) > 1).any()) or not np.array_equal(result.reshape(best.shape), best)


# -------------------------------------------------------------------------------------------------------------- user


_OTHERS = 1.1875, 0.0625  # other operands are these times the operands and these more


def is_users(op: Any) -> bool:
    """Whether an operation of a formula is a user-defined Function."""
    return hasattr(op, "function")


def hide(ctx: Any, leaves: Sequence[Any]) -> None:
    """Let backward find symbols for the operands and results that ``ctx`` saved."""
    for leaf in leaves:
        if isinstance(leaf, Tensor) and leaf._node is not None:
            make_symbolic(leaf)
    ctx._links = tuple([(link, {} if sizes is None and link is not None else sizes) for link, sizes in ctx._links])


def looks(op: Any, ctx: Any, leaves: Sequence[Any]) -> bool:
    """Whether forward left on ``ctx`` what it leaves otherwise at other operands."""
    found = _left(ctx)
    if not found:
        return False
    factor, shift = _OTHERS
    moved = [
        wrap(a._data * factor + shift, a._node) if isinstance(a, Tensor) and a._data.dtype.kind in "fc" else a
        for a in leaves
    ]
    try:
        out = op.apply(*moved)
    except Exception:  # it is the user's code, at a point that he did not choose
        return True
    node = (out[0] if isinstance(out, tuple) else out)._node
    other = _left(node.parents[0] if type(node) is OutputNode else node)
    return other.keys() != found.keys() or not all(_same(v, other[k]) for k, v in found.items())


def _left(ctx: Any) -> dict[str, Any]:
    return {
        k: v
        for k, v in vars(ctx).items()
        if not k.startswith("_") and k != "needs_input_grad" and not (isinstance(v, Tensor) and v._node is not None)
    }


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        a, b = (v._data if isinstance(v, Tensor) else v for v in (a, b))
    try:
        return type(a) is type(b) and bool(np.all(a == b))
    except Exception:  # objects that cannot be compared are what they are
        return True
