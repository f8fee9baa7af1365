"""The graph: tensors, nodes and edges; nothing here knows calculus.

The one idea: **an edge is a node**, and references run one way. A tensor holds the node that made it, a node its
parents; a leaf holds its `AccumulateGrad`, which knows the leaf weakly. So there are no reference cycles, not even
through ``x.grad`` when a gradient has a graph of its own, and a graph dies with its last tensor.
"""

from __future__ import annotations

import itertools
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeGuard
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from .._errors import GraphFreedError
from .._limits import HELD
from ._foreign import plain_array
from .modes import dual_level, tracing

next_seq = itertools.count(1).__next__
"""The clock: numbers nodes and in-place writes alike, so 'written after it was saved' is a comparison of integers."""


LEAF: Any = object()
"""Pass it to `wrap` as the node of a new leaf that requires grad."""


if TYPE_CHECKING:
    from ._members import Members  # what the table and symgrad/_tensor/ add: a stub, written by docs/_stubs.py
else:
    Members = object


class Tensor(Members):
    """An array with, in ``grad_fn``, the step that made it: so it can be differentiated, and asked for its formula.

    Functions of tensors are methods too. `symgrad.tensor` makes one of data; this constructor follows
    ``torch.Tensor``: a sequence (cast to the default dtype) or sizes.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.Tensor([1, 2])
    tensor([1., 2.])
    """

    # Methods and properties come from the table and from symgrad/_tensor/.
    # _data: ndarray (also for 0-d). _node: None (no grad) or a Node, for a leaf its AccumulateGrad.
    # _extra: None, or the bag of what few tensors have.
    # __dict__: for attributes of the user's own (5 ns a tensor while there are none).
    # _swept: set (to True) for a gradient of which no graph was recorded, and for nothing else.
    __slots__ = ("__dict__", "__weakref__", "_data", "_extra", "_node", "_swept")

    _data: np.ndarray
    _node: Any
    _extra: Any
    _swept: bool


class Symbol(Tensor):
    """A tensor whose values only stand in for unknown ones: what is computed from it is a formula.

    Its operations run and record as any tensor's do; its values cannot be seen. `symgrad.symbol` makes them.
    """

    # Its operations are not on the straight line of any `apply`: see core/_on_symbols.py.

    __slots__ = ()


FORGOTTEN = (None, (), (), 0, 1, True)
"""The origin of a constant that says only that it hangs on the values of what has a history."""


class Extra:
    """What few tensors have: a gradient, a name, a view's origin."""

    __slots__ = (
        "grad", "guard", "inference", "is_parameter", "lent", "name", "origin", "retains", "sizes", "tangent",
        "uncounted", "untracked", "view", "views",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.name: str | None = None
        # of a constant computed from named ones: (operation, operands, parameters, time, length of the
        # chain, whether it leads to a comparison of tensors with a history)
        self.origin: tuple[Any, ...] | None = None
        self.retains = False
        # (root tensor, op, params, view of the parent or None); see core/_views.py
        self.view: tuple[Any, ...] | None = None
        self.views: list[Any] | None = None
        self.guard: Any = None  # why neither it nor a view of it may be written to; see core/_views.py
        self.lent = False  # a user-defined operation's output shares its memory: every write is to be told
        self.untracked = False  # made by .data: writes through it are not seen by the version check
        self.uncounted = 0  # writes to the memory of new `.data`, before they were this tensor's
        self.is_parameter = False
        self.inference: Any = False  # whether made in inference mode; "detached" from such, which may be written to
        self.sizes: dict[int, Any] | None = None  # of a symbol: the named sizes it was computed from, by stand-in
        self.tangent: Any = None  # of a dual: see core/_duals.py


def extra(t: Tensor) -> Extra:
    """The tensor's bag of rare attributes, made on first use."""
    bag = t._extra
    if bag is None:
        bag = t._extra = Extra()
    return bag


_new = object.__new__


def found_from_values(t: Tensor) -> bool:
    """Whether a constant was computed from something with a history: at another point it is another."""
    origin = None if t._extra is None else t._extra.origin
    return origin is not None and origin[5]


def wrap(data: np.ndarray, node: Any = None) -> Tensor:
    """A tensor around an array, without copying; ``node`` as in ``Tensor._node``."""
    t = _new(Tensor)
    t._data = data if type(data) is np.ndarray else plain_array(data)
    t._extra = None
    if node is LEAF:
        make_leaf(t)
    else:
        t._node = node
    return t


def make_leaf(t: Tensor) -> Tensor:
    """Let gradients flow to ``t`` as to a leaf; returns it."""
    node = new_node(AccumulateGrad, ())
    node.seq = 0  # older than any operation
    node.ref = weakref.ref(t)
    node.data = t._data
    node.label = None if t._extra is None else t._extra.name
    node.facts = None
    t._node = node
    return t


def is_leaf_node(node: Any) -> TypeGuard[AccumulateGrad]:
    """Whether ``node`` stands for a leaf."""
    return type(node) is AccumulateGrad


def edge(t: Tensor) -> Any:
    """Where the gradient of ``t`` flows: None or a node."""
    return t._node


class Meta:
    """What few nodes have: hooks, a retained gradient, packed values, the place they were made."""

    __slots__ = (
        "exact", "hooks", "metadata", "packed", "post_hooks", "pre_hooks", "retained", "sizes", "tangents",
        "tensor_hooks", "where",
    )  # fmt: skip

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, Any] | None = None  # hooks of the tensor, run first
        self.pre_hooks: dict[int, Any] | None = None  # hooks of the node, before its rule
        self.hooks: dict[int, Any] | None = None  # hooks of the node, after its rule
        self.post_hooks: dict[int, Any] | None = None  # of a leaf, after accumulation
        self.metadata: dict[Any, Any] | None = None
        self.retained: Any = None  # weak reference to the tensor that asked for retain_grad
        self.exact = False  # a gradient made by a sweep that kept the zeros of branches not taken: so must the next
        self.sizes: dict[int, Any] | None = None  # of a symbol's node: the named sizes it was computed from
        self.tangents: dict[int, Any] | None = None  # of duals: per output the cell of its tangent
        self.packed = False  # saved values went through saved_tensors_hooks
        self.where: Place | None = None  # (anomaly mode)


FAILS, MASKS, FREED = 1, 2, 4
"""Traits of nodes: its rule is no plain arithmetic and may raise half-way; it chooses among branches (where, clamp);
its saved values are gone."""


class Node:
    """One recorded operation. Its class says which: ``SinBackward0``."""

    # parents: an edge per input, None where no gradient flows. saved: what the rules asked for, by name, or
    # FREED. consts: operands without gradient and parameters, for replay. fit: what the gradients must be
    # reduced to (None: they fit as they are). seq: time of birth.
    __slots__ = ("__weakref__", "consts", "fit", "meta", "parents", "saved", "seq")

    op: ClassVar[Any] = None
    own_name: ClassVar[Any] = None  # of a row with several names: gives a node that of its call
    traits: ClassVar[int] = 1  # what a sweep must know about its nodes: FAILS, MASKS

    parents: tuple[Any, ...]
    saved: Any
    consts: Any
    fit: Any
    seq: int
    meta: Meta | None

    def name(self) -> str:
        """The class's name, as PyTorch prints it."""
        return type(shown(self)).__name__

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The functions that receive this node's input gradients, with the output number each stands for."""
        return tuple(_public_edge(p) for p in self._of_tensors(self.parents))

    def _of_tensors(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Of one value per operand those that others see: no indices and conditions, which have no derivative."""
        moving = None if self.op is None else self.op.moving
        return tuple([values[k] for k in moving]) if moving and len(values) > max(moving) else values

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary of the caller's own (symgrad never reads it)."""
        bag = meta(self)
        if bag.metadata is None:
            bag.metadata = {}
        return bag.metadata

    def register_hook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after this node's rule ran; a result replaces ``grad_inputs``."""
        bag = meta(self)
        bag.hooks = bag.hooks if bag.hooks is not None else {}
        return RemovableHandle(bag.hooks, fn)

    def register_prehook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this node's rule runs; a result replaces them."""
        bag = meta(self)
        bag.pre_hooks = bag.pre_hooks if bag.pre_hooks is not None else {}
        return RemovableHandle(bag.pre_hooks, fn)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


def meta(node: Node) -> Meta:
    """The node's bag of rare attributes, made on first use."""
    bag = node.meta
    if bag is None:
        bag = node.meta = Meta()
    return bag


def new_node(cls: Any, parents: tuple[Any, ...], saved: Any = None, consts: Any = None, fit: Any = None) -> Any:
    """A node of a class, born now; see `Node` for its parts."""
    node = _new(cls)
    node.parents, node.saved, node.consts, node.fit, node.meta, node.seq = parents, saved, consts, fit, None, next_seq()
    return node


FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
"""The dtypes that gradients have unless a node's ``fit`` says otherwise."""


class OutputNode(Node):
    """One output of an operation with several: passes its gradient on into the operation's node."""

    __slots__ = ("index",)
    index: int
    traits = 0

    def pull(self, g: Any, grads: dict[Any, Any]) -> None:
        """Put ``g`` in its place among the gradients of the operation's outputs."""
        origin = self.parents[0]
        row = grads.get(origin)
        if row is None:
            row = grads[origin] = [None] * len(origin.fit)
        old = row[self.index]  # a rule that asked for the output made an edge of its own to it
        row[self.index] = g if old is None else old + g

    pull_graph = pull


_edges: WeakValueDictionary[tuple[int, int], OutputNode] = WeakValueDictionary()
"""Per node (by identity: an edge holds its node) and output the edge to it, as long as there is one."""


def output_node(origin: Node, index: int) -> OutputNode:
    """The edge to one output of a node with several: one edge for all its uses, so that a gradient asked for there is
    the whole one."""
    key = (id(origin), index)
    node = _edges.get(key)
    if node is None:
        node = new_node(OutputNode, (origin,))
        node.index = index
        _edges[key] = node
    return node


NAMED: WeakKeyDictionary[Node, str] = WeakKeyDictionary()
"""The names that users gave to what nodes made, for pictures: a node does not know its tensor, which may be gone."""


class AccumulateGrad(Node):
    """The node of a leaf: what arrives here is added to the leaf's ``.grad``.

    It knows the leaf weakly; ``data`` and ``label`` (the name) let it stand for a leaf that is gone. ``facts`` is what
    was declared of a symbol (see core/_dim.py), None for other leaves.
    """

    __slots__ = ("data", "facts", "label", "ref")
    traits = 0
    data: np.ndarray
    facts: Any
    label: str | None
    ref: Any

    @property
    def variable(self) -> Tensor:
        """The leaf (made anew around its memory if the original object is gone)."""
        t = self.ref()
        if t is None:
            t = wrap(self.data, self)
            if self.label is not None:
                extra(t).name = self.label
            if self.facts is not None:
                t.__class__ = Symbol
            self.ref = weakref.ref(t)
        return t


def _public_edge(p: Any) -> tuple[Any, int]:
    return (shown(p.parents[0]), p.index) if type(p) is OutputNode else (shown(p), 0)


def shown(node: Any) -> Any:
    """The node as users see it: where PyTorch has several names for what it records, under that of its call."""
    if node is not None and node.own_name is not None:
        node.own_name()
    return node


def public_node(t: Tensor) -> Any:
    """``t.grad_fn``: the node that made the tensor, None for a leaf."""
    node = t._node
    if node is None or type(node) is AccumulateGrad:
        return None
    return _public_edge(node)[0]


class RemovableHandle:
    """A hook's place in its dictionary; ``remove()`` takes it out, also at the end of a ``with``."""

    __slots__ = ("_hooks", "id")
    _ids = itertools.count().__next__

    def __init__(self, hooks: dict[int, Any], fn: Any, first: bool = False) -> None:
        self._hooks = hooks
        self.id = RemovableHandle._ids()
        others = list(hooks) if first else []
        hooks[self.id] = fn
        for key in others:
            hooks[key] = hooks.pop(key)

    def remove(self) -> None:
        """Remove the hook; doing so twice is harmless."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def hold(operand: Any) -> Any:
    """An operand without gradient as a node keeps it: a large tensor weakly, so that a graph costs no more memory than
    its rules ask for. While a function is traced for its formula nothing is forgotten."""
    if not isinstance(operand, Tensor) or operand._data.size <= HELD or dual_level.get() or tracing.get() is not None:
        return operand
    return weakref.ref(operand)


def held(operand: Any) -> Any:
    """What `hold` kept; None if it is gone."""
    return operand() if isinstance(operand, weakref.ref) else operand


class Place(NamedTuple):
    """Where a frame stands; as text 'file:line, in function'."""

    code: Any
    line: int
    instruction: int

    def __str__(self) -> str:
        return f"{self.code.co_filename}:{self.line}, in {self.code.co_name}"


class Freed:
    """Takes the place of a node's saved values once a backward has used them up.

    It is no value: NumPy cannot take it for one, so that a rule that meets it, in another thread's sweep, raises.
    """

    __slots__ = ("where",)
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, where: Any) -> None:
        self.where = where  # the `Place` of the backward that used them up, as a tuple, which is quicker made

    def _refuse(self, *args: Any, **options: Any) -> Any:
        raise TypeError("the saved values of this node are gone")

    __array__ = __eq__ = __ne__ = __bool__ = _refuse

    def error(self, node: Node) -> GraphFreedError:
        """The error of a second walk: node, first use, and which fix applies."""
        return GraphFreedError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they "
            f"have already been freed): the values that {node.name()} saved are gone.",
            f"They were freed by the first backward, at {Place(*self.where)}.",
            "Specify retain_graph=True in that first call if you need both; sum the losses and call backward "
            "once if they share this part; or detach() the part that should not be walked again.",
        )
