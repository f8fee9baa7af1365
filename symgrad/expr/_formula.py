"""The formula of a tensor: its graph replayed on symbols, checked against its numbers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._errors import FormulaError
from ..core import AccumulateGrad, Node, OutputNode, Tensor, _storage, edge, held, is_leaf_node, reachable
from ..show._formula import postorder, to_text
from ._expr import Expr, build, constant, evaluate, run_forward, symbol


class Formula:
    """A formula: readable, evaluable, and checked against the number it stands for.

    Attributes
    ----------
    term : the root term
    checked : True if it was evaluated and agreed with the tensor's numbers; else why it could not be

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    >>> f = sg.exp(2 * x).formula()
    >>> print(f)
    exp(2*x)
    >>> f(x=[0.0, 0.0])
    array([1., 1.])
    """

    def __init__(self, term: Expr, checked: Any) -> None:
        self.term = term
        self.checked = checked

    @property
    def free_symbols(self) -> set[str]:
        """The names of the symbols that occur."""
        return {t.name for t in postorder([self.term]) if t.name}

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return self.term.shape

    def __call__(self, **values: Any) -> Any:
        """Return the value, with the symbols named in ``values`` replaced."""
        unknown = set(values) - self.free_symbols
        if unknown:
            raise FormulaError(
                f"the formula has no symbol {sorted(unknown)[0]!r}",
                f"Its symbols are {sorted(self.free_symbols)}.",
                "Use one of these.",
            )
        symbols = {t.name: t for t in postorder([self.term]) if t.name}
        arrays = {k: _cast(v._data if isinstance(v, Tensor) else v, symbols[k].dtype) for k, v in values.items()}
        for t in postorder([self.term]) if arrays else ():
            if t.op is not None and t.op.frozen:
                raise FormulaError(
                    f"this formula cannot be evaluated at another point: '{t.op.label}' chose elements at its own",
                    "Which element is the largest (the median, …) was found when the numbers were computed.",
                    "Compute the tensor at the new point and ask it.",
                )
        return evaluate(self.term, arrays)

    def sympy(self) -> Any:
        """Return the SymPy expression (of small scalar or array formulas whose operations have a SymPy twin)."""
        from ._sympy import to_sympy

        return to_sympy(self.term)

    def __str__(self) -> str:
        return to_text(self.term)

    __repr__ = __str__


def _cast(value: Any, dtype: Any) -> np.ndarray:
    """A value in the dtype of its symbol (whole numbers given for floats are floats)."""
    array = np.asarray(value)
    return array.astype(np.result_type(array.dtype, dtype)) if array.dtype != dtype else array


def tensor_formula(t: Tensor) -> Formula:
    """The formula of ``t`` in the names of its leaves: ``name=``, else x0, x1… in order of use.

    Raises
    ------
    FormulaError : a user-defined Function without a formula stands in the graph, or the check failed
    """
    root = edge(t)
    replay = _Replay()
    term = replay.constant(t) if root is None else replay.term(root)
    return Formula(term, _check(term, t, replay))


_SMALL = 6  # arrays of at most this many entries are written out


class _Names:
    """Names for leaves and constants: given ones, made unique, else x0, x1… and c0, c1…"""

    def __init__(self) -> None:
        self.symbols: dict[int, Expr] = {}
        self.used: set[str] = set()
        self.keep: list[Any] = []  # what the ids in `terms` belong to
        self.counts = {"x": 0, "c": 0}
        self.given: set[str] = set()  # names that the user gave, which a number must not take

    def leaf(self, node: AccumulateGrad) -> Expr:
        """The term of a leaf."""
        term = self.symbols.get(id(node))
        if term is None:
            self.keep.append(node)
            term = self.symbols[id(node)] = self._symbol(node.label or self._count("x"), node.data)
        return term

    def constant(self, t: Tensor) -> Expr:
        """The term of a tensor without gradient.

        Its name; or how it was computed from named ones; or its number if all entries are one; or c0, c1…
        """
        term = self.symbols.get(id(t))
        if term is None:
            self.keep.append(t)
            bag = t._extra
            if bag is not None and bag.name is None and bag.origin is not None:
                term = self._computed(t, *bag.origin)
            self.symbols[id(t)] = term = term or self._constant(t)
        return term

    def _computed(self, t: Tensor, op: Any, operands: Any, params: Any, time: int, *_: Any) -> Expr | None:
        for a in operands:  # written since: what it was computed from is no longer there
            if isinstance(a, Tensor) and _storage.spoilt(a._data, time) is not None:
                return None
        args = tuple(
            self.constant(a) if isinstance(a, Tensor)
            else self.term(a) if isinstance(a, Node)
            else self._array(a) if isinstance(a, np.ndarray) else constant(a)
            for a in operands
        )  # fmt: skip
        return build(op, args, params, t._data.shape, t._data.dtype)

    def _constant(self, t: Tensor) -> Expr:
        name = t._extra.name if t._extra is not None else None
        return self._symbol(name, t._data) if name is not None else self._array(t._data)

    def _array(self, data: np.ndarray) -> Expr:
        if data.size and data.dtype.kind in "biufc":
            first = data.reshape(-1)[0]
            if bool((data == first).all()):
                return constant(first.item(), data.shape, data.dtype)
        if 0 < data.size <= _SMALL:
            return constant(data, data.shape, data.dtype)
        return self._symbol(self._count("c"), data)

    def _symbol(self, name: str, data: np.ndarray) -> Expr:
        base, i = name, 1
        while name in self.used:
            name, i = f"{base}_{i}", i + 1
        self.used.add(name)
        return symbol(name, data)

    def _count(self, letter: str) -> str:
        while True:
            name = f"{letter}{self.counts[letter]}"
            self.counts[letter] += 1
            if name not in self.given:
                return name

    def term(self, root: Any) -> Expr:
        """The term of an edge (the replay's business)."""
        raise NotImplementedError


class _Replay(_Names):
    """Runs recorded nodes on terms, beside their numbers (which give the shapes)."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: dict[Any, Any] = {}
        self.values: dict[Any, Any] = {}
        self.oldest = 1 << 62  # when the first of the nodes was recorded

    def term(self, root: Any) -> Expr:
        """The term of an edge, with all that it rests on."""
        if is_leaf_node(root):
            return self.leaf(root)
        if root not in self.terms:
            nodes, leaves, _, _ = reachable([root])
            self.given.update(leaf.label for leaf in leaves if leaf.label)
            self.oldest = min(self.oldest, nodes[-1].seq)
            for node in reversed(nodes):
                if node not in self.terms:
                    self.run(node)
        return self.terms[root]

    def run(self, node: Node) -> None:
        """The term (terms, for several outputs) of one node."""
        if type(node) is OutputNode:
            origin = node.parents[0]
            self.terms[node] = self.terms[origin][node.index]
            self.values[node] = self.values[origin][node.index]
            return
        op = node.op
        if op is None:
            raise FormulaError(
                f"{node.name()} has no formula", "It is a user-defined Function, known only as code.",
                "Write it with symgrad's operations to see it as a formula.",
            )  # fmt: skip
        constants = node.consts[0] if op.packs else node.consts
        params = node.consts[1] if op.packs else ()
        args, values = [], []
        for i, p in enumerate(node.parents):
            operand: Any = p if p is not None else None if constants is None else held(constants[i])
            if operand is None and node.meta is not None and node.meta.packed:
                raise FormulaError(
                    f"the operands of {node.name()} were handed to saved_tensors_hooks (a checkpoint, perhaps)",
                    "What those keep cannot be shown.", "Ask for the formula of a graph made without them.",
                )  # fmt: skip
            if operand is None and constants is not None and constants[i] is not None:
                raise FormulaError(
                    f"a large constant operand of {node.name()} is gone",
                    "A graph keeps constants of more than 8192 elements only while somebody else does.",
                    "Keep a reference to it (and give it a name) until the formula has been asked for.",
                )
            if is_leaf_node(operand):
                args.append(self.leaf(operand))
                values.append(operand.data)
            elif isinstance(operand, Node):
                args.append(self.terms[operand])
                values.append(self.values[operand])
            elif isinstance(operand, Tensor):
                args.append(self.constant(operand))
                values.append(operand._data)
            else:
                args.append(self._literal(operand))
                values.append(operand)
        self._store(node, op, tuple(args), values, params)

    def _literal(self, value: Any) -> Expr:
        return self._array(value) if isinstance(value, np.ndarray) else constant(value)

    def _store(self, node: Node, op: Any, args: tuple[Expr, ...], values: list[Any], params: tuple[Any, ...]) -> None:
        result = run_forward(op, values, params)
        if not op.outputs:
            result = np.asarray(result)
            self.values[node] = result
            self.terms[node] = build(op, args, params, result.shape, result.dtype)
            return
        self.values[node] = tuple(np.asarray(r) for r in result)
        whole = Expr(op, args, params, (), None)
        self.terms[node] = [Expr(PICK, (whole,), (k,), r.shape, r.dtype) for k, r in enumerate(self.values[node])]


class _Pick:
    """The operation that takes one of several outputs, in formulas only."""

    frozen = own_dtype = False
    label = "pick"

    name = "pick"
    kind = "linear"
    symbol = None
    text = "{0}[{1}]"
    defaults: ClassVar[dict[str, Any]] = {}
    variadic = outputs = False
    packs = True
    sympy = None
    inputs, params = ("x",), ("k",)

    @staticmethod
    def forward(x: Any, k: int) -> Any:
        """Output ``k``."""
        return x[k]


PICK: Any = _Pick()


def _check(term: Expr, t: Tensor, replay: _Replay) -> Any:
    """Evaluate the formula against the tensor's numbers; a disagreement raises."""
    for leaf in replay.keep:
        if _storage.spoilt(leaf._data if isinstance(leaf, Tensor) else leaf.data, replay.oldest) is not None:
            return "not checked: a leaf or constant was written in place since"
    value = np.asarray(evaluate(term, {}))
    tolerance = max(_tolerance(s.dtype) for s in (*postorder([term]), t._data) if s.dtype is not None)
    with np.errstate(all="ignore"):
        agrees = value.shape == t._data.shape and bool(
            np.allclose(value, t._data, rtol=tolerance, atol=tolerance, equal_nan=True)
        )
    if not agrees and _storage.anything_written_since(replay.oldest):
        raise FormulaError(
            "no formula describes these numbers",
            "A tensor of this graph was written in place without the graph's knowledge (through .detach(), .data, "
            "a NumPy array or under no_grad) after it was computed.",
            "Use operations that are recorded, or ask for the formula before the write.",
        )
    if not agrees:
        raise FormulaError(
            "the formula and the number disagree: please report this as a bug of symgrad",
            f"Formula: {to_text(term)[:500]}\nshape {value.shape} against {t._data.shape}",
            "Until it is mended, trust the number.",
        )
    return True


def _tolerance(dtype: Any) -> float:
    if dtype.kind not in "fc":
        return 1e-9
    return 1e-3 if dtype.itemsize <= 4 or (dtype.kind == "c" and dtype.itemsize == 8) else 1e-9
