"""The graph: tensors, nodes, edges, views; foreign arrays; memory not to be written to; knows no calculus."""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeGuard
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from .._errors import DTypeError, GraphFreedError, InplaceError
from .._limits import HELD, PRUNED
from . import modes
from .dim import Dim
from .modes import dual_level, tracing

# -------------------------------------------------------------------------------------------------------------------
# Arrays that are not what they look like: subclasses of NumPy's array whose operators mean something else

# The idea to hold: a tensor takes the numbers of an array and computes as NumPy does with arrays. The ``*`` of a matrix
# is a product of matrices, a masked array leaves elements out, a quantity has a unit: what such an object means would
# be lost without a word. A subclass that keeps the operators (a memory map, a record array) is an array like any other.


_OWN_MEANING = ("__mul__", "__array_ufunc__", "__array_function__")


@cache
def _means_otherwise(kind: type) -> bool:
    return issubclass(kind, np.ndarray) and any(getattr(kind, n) is not getattr(np.ndarray, n) for n in _OWN_MEANING)


def refuse_foreign(kinds: Iterable[type]) -> None:
    """Raise where one of these types is a subclass of NumPy's array that means something else by its operators."""
    for kind in kinds:
        if kind is not np.ndarray and _means_otherwise(kind):
            raise foreign_array_error(kind)


def foreign_array_error(kind: type) -> DTypeError:
    """The error of such a type."""
    home = "np.ma" if kind.__module__ == "numpy.ma" else "np" if kind is np.matrix else kind.__module__
    name = f"{home}.{kind.__name__}"
    if kind is np.matrix:
        return DTypeError(
            f"tensors do not compute with {name}", "Its * is a product of matrices, and it never has one dimension.",
            "Use np.asarray(K), and K @ x for the product of matrices.",
        )  # fmt: skip
    if hasattr(kind, "filled"):
        return DTypeError(
            f"tensors do not compute with {name}", "Its mask would be lost: a tensor has a number everywhere.",
            "Use K.filled(0.0) for the numbers, and np.where(K.mask, …, …) for what is masked.",
        )  # fmt: skip
    return DTypeError(
        f"tensors do not compute with {name}", "It has operators of its own, and tensors only take its numbers.",
        "Use np.asarray(K) if these are what is meant.",
    )  # fmt: skip


_WHAT = {
    "O": ("objects", "NumPy computes with them one by one, by their own operators: no derivative would flow.",
          "K.astype(float) are the numbers; np.stack puts together what is differentiated."),
    "U": ("text", "A tensor computes with numbers.", "Make numbers of it: K.astype(float)."),
    "M": ("points in time", "A tensor computes with numbers.",
          'Take what has passed since some point: (K - K[0]) / np.timedelta64(1, "s").'),
    "m": ("spans of time", "A tensor computes with numbers.", 'Divide by the unit: K / np.timedelta64(1, "s").'),
    "V": ("records", "A tensor computes with numbers.", 'Take one field, K["a"], or a matrix of them: '
          "np.lib.recfunctions.structured_to_unstructured(K)."),
}  # fmt: skip


def no_numbers(dtype: np.dtype[Any]) -> tuple[str, str, str] | None:
    """What an array of this dtype holds, why a tensor does not take it, and what to write; None for numbers."""
    kind = dtype.kind
    return None if kind in "fciub" else _WHAT.get("U" if kind in "ST" else kind, _WHAT["O"])


def refuse_no_numbers(array: Any) -> None:
    """Raise for an array (or one of its entries) that holds anything else than numbers and truth values."""
    found = no_numbers(array.dtype)
    if found is not None:
        what, why, step = found
        raise DTypeError(f"tensors do not compute with arrays of {what} (dtype {array.dtype})", why, step)


def is_table(value: Any) -> bool:
    """Whether a value is one of pandas', which is asked only where the user has imported it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, (pandas.Series, pandas.DataFrame, pandas.Index))


def array_of_table(table: Any) -> np.ndarray:
    """The array of a table. Columns of several kinds of numbers and of truth values are floats, not objects."""
    array = np.asarray(table)
    if array.dtype == object:
        dtypes = list(table.dtypes) if table.ndim == 2 else [table.dtype]
        if all(dtype.kind in "fiub" for dtype in dtypes):
            return np.asarray(table.to_numpy(float, na_value=np.nan))
    return array


def without_numbers(name: str, table: Any) -> tuple[str, str] | None:
    """Which columns of a table hold no numbers, and what to write; None where all do. Categories are names, also those
    that are written as numbers."""
    dtypes = list(table.dtypes) if table.ndim == 2 else [table.dtype]
    if array_of_table(table).dtype.kind in "fiubc" and not any(map(is_category, dtypes)):
        return None
    what = f"{name} holds other things than numbers"
    if table.ndim == 1:
        return f"{what}: it is of dtype {table.dtype}.", _as_numbers(name, table.dtype, table)
    columns = [(label, kind, table.iloc[:, k]) for k, (label, kind) in enumerate(table.dtypes.items())]
    wrong = {repr(c[0]): c for c in columns if not _has_numbers(c[1], c[2])}
    where = ", ".join([f"{label} ({kind})" for label, (_, kind, _) in wrong.items()])
    label, (_, dtype, column) = next(iter(wrong.items()))
    return f"{what}, in {where}.", _as_numbers(f"{name}[{label}]", dtype, column)


def is_category(dtype: Any) -> bool:
    """Whether a dtype is pandas' of categories."""
    return getattr(dtype, "name", "") == "category"


def _has_numbers(dtype: Any, column: Any) -> bool:
    return not is_category(dtype) and bool({dtype.kind, np.asarray(column).dtype.kind} & {*"fiubc"})


def _as_numbers(spelled: str, dtype: Any, column: Any) -> str:
    """How a column becomes numbers, as a sentence."""
    if dtype.kind in "mM":
        since = f"({spelled} - {spelled}.min())" if dtype.kind == "M" else spelled
        return f"Make numbers of it: {since} / pd.Timedelta(days=1)."
    try:
        column.astype(float)
    except (TypeError, ValueError):
        pass
    else:
        if not is_category(dtype):
            return f"Make numbers of it: {spelled}.astype(float)."
    return f"Leave it out, or code it as numbers: pd.get_dummies({spelled}, dtype=float)."


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse array, of SciPy's (asked only where the user has imported it) or of ours."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and (sparse.issparse(value) or hasattr(type(value), "_multiplies_tensors"))


def is_beside_sparse(frame: Any) -> bool:
    """Whether the frame that asks for an array is SciPy's product with a sparse one: it takes an object that is no
    array for one that knows the product itself."""
    return frame.f_code.co_name == "_matmul_dispatch" and frame.f_globals.get("__name__", "").startswith(
        "scipy.sparse."
    )


def numpys_array_of(value: Any) -> np.ndarray:
    """What NumPy makes of something that is no array."""
    made = np.empty(1, object)
    made[0] = value
    return made.reshape(())


def plain_array(value: Any) -> np.ndarray:
    """The array of anything but a tensor."""
    if isinstance(value, np.ndarray):
        refuse_foreign((type(value),))
        if value.dtype.kind not in "fciub":
            refuse_no_numbers(value)
        return np.asarray(value)
    if is_table(value):
        wrong = without_numbers("df", value)
        if wrong is not None:
            raise DTypeError("tensors compute with numbers", *wrong)
        modes.note_table(value)
        return array_of_table(value)
    array = np.asarray(value)
    if array.dtype.kind == "O" and isinstance(value, Real):  # a fraction, or a whole number of many digits
        return np.asarray(float(value))
    if array.dtype.kind == "O" and not array.ndim and value is not None and type(value) is not Dim:
        raise DTypeError(
            f"an object of type {type(value).__name__!r} is no array of numbers",
            "NumPy takes it for a single element.",
            "Convert it first: A.toarray() of a sparse matrix, np.asarray(a) of what knows how.",
        )  # fmt: skip
    return array


# --------------------------------------------------- The graph: tensors, nodes and edges; nothing here knows calculus

# The one idea: **an edge is a node**, and references run one way. A tensor holds the node that made it, a node its
# parents; a leaf holds its `AccumulateGrad`, which knows the leaf weakly. So there are no reference cycles, not even
# through ``x.grad`` when a gradient has a graph of its own, and a graph dies with its last tensor.


next_seq: Callable[[], int] = itertools.count(1).__next__
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

    # Its operations are not on the straight line of any `apply`: see core/dispatch.py.

    __slots__ = ()


FORGOTTEN = (None, (), (), 0, 1, True)
"""The origin of a constant that says only that it hangs on the values of what has a history."""


class Extra:
    """What few tensors have: a gradient, a name, a view's origin."""

    __slots__ = (
        "added",
        "grad",
        "inference",
        "is_parameter",
        "lent",
        "name",
        "origin",
        "retains",
        "sizes",
        "tangent",
        "uncounted",
        "untracked",
        "view",
        "views",
        "write_ban",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.added: int = 0  # how often sweeps have added to it
        self.name: str | None = None
        # of a constant computed from named ones: (operation, operands, parameters, time, length of the
        # chain, whether it leads to a comparison of tensors with a history)
        self.origin: tuple[Any, ...] | None = None
        self.retains: bool = False
        # (root tensor, path); a path is (op, params, (shape, dtype), path of the parent or None, grad mode, node's name
        # where the operation gave several views)
        self.view: tuple[Any, ...] | None = None
        self.views: list[Any] | None = None
        self.write_ban: Any = None  # why neither it nor a view of it may be written to
        self.lent: bool = False  # a user-defined operation's output shares its memory: every write is to be told
        self.untracked: bool = False  # made by .data: writes through it are not seen by the version check
        self.uncounted: int = 0  # writes to the memory of new `.data`, before they were this tensor's
        self.is_parameter: bool = False
        self.inference: Any = False  # whether made in inference mode; "detached" from such, which may be written to
        self.sizes: dict[int, Any] | None = None  # of a symbol: the named sizes it was computed from, by stand-in
        self.tangent: Any = None  # of a dual: see core/dual.py


def extra(t: Tensor) -> Extra:
    """The tensor's bag of rare attributes, made on first use."""
    bag = t._extra
    if bag is None:
        bag = t._extra = Extra()
    return bag


_new = object.__new__


def origin_of(t: Tensor) -> Any:
    """How a constant was computed, where it remembers that."""
    return None if t._extra is None else t._extra.origin


def found_from_values(t: Tensor) -> bool:
    """Whether a constant was computed from something with a history: at another point it is another."""
    origin = origin_of(t)
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


def tensor_around(x: Any) -> Tensor:
    """A tensor as it is; of numbers the one that holds them."""
    return x if isinstance(x, Tensor) else wrap(np.asarray(x))


def unwrap(x: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    return x._data if isinstance(x, Tensor) else x


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


def has_history(value: Any) -> bool:
    """Whether a value is a tensor through which a gradient flows."""
    return isinstance(value, Tensor) and value._node is not None


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
        # a gradient made by a sweep that kept the zeros of branches not taken: so must the next
        self.exact: bool = False
        self.sizes: dict[int, Any] | None = None  # of a symbol's node: the named sizes it was computed from
        self.tangents: dict[int, Any] | None = None  # of duals: per output the cell of its tangent
        self.packed: bool = False  # saved values went through saved_tensors_hooks
        self.where: SourceLocation | None = None  # (anomaly mode)

    @property
    def has_hooks(self) -> bool:
        """Whether there are hooks, which only a sweep runs."""
        return bool(self.tensor_hooks or self.pre_hooks or self.hooks or self.post_hooks)


FAILS, MASKS, FREED = 1, 2, 4
"""Traits of nodes: its rule is no plain arithmetic and may raise half-way; it chooses among branches (where, clamp);
its saved values are gone."""


class Node:
    """One recorded operation. Its class says which: ``SinBackward0``."""

    # parents: an edge per input, None where no gradient flows. saved: what the rules asked for, in the order of the
    # row's ``saved`` (a single value as it is), or what took its place, a `Freed`. consts: operands without gradient;
    # of a row that ``packs`` also its parameters and the operands' shapes. fit: what the gradients must be reduced to
    # (None: they fit as they are; a list: shapes alone). seq: time of birth.
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
    was declared of a symbol (see core/dim.py), None for other leaves.
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
        self.id: int = RemovableHandle._ids()
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


def hold_weakly(operand: Any) -> Any:
    """An operand without gradient as a node keeps it: a large tensor weakly, so that a graph costs no more memory than
    its rules ask for. While a function is traced for its formula nothing is forgotten, and of symbols nothing ever."""
    if not isinstance(operand, Tensor) or operand._data.size <= HELD or type(operand) is Symbol:
        return operand
    return operand if dual_level.get() or tracing.get() is not None else weakref.ref(operand)


def held_operand(operand: Any) -> Any:
    """What `hold_weakly` kept; None if it is gone."""
    return operand() if isinstance(operand, weakref.ref) else operand


class SourceLocation(NamedTuple):
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
        self.where: Any = where  # the location of the backward that used them up, as a tuple, which is quicker made

    def _refuse(self, *args: Any, **options: Any) -> Any:
        raise TypeError("the saved values of this node are gone")

    __array__ = __eq__ = __ne__ = __bool__ = _refuse

    def error(self, node: Node) -> GraphFreedError:
        """The error of a second walk: node, first use, and which fix applies."""
        return GraphFreedError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they "
            f"have already been freed): the values that {node.name()} saved are gone.",
            f"They were freed by the first backward, at {SourceLocation(*self.where)}.",
            "Specify retain_graph=True in that first call if you need both; sum the losses and call backward "
            "once if they share this part; or detach() the part that should not be walked again.",
        )


# ----------------- What anomaly mode met, and where; why it came about is said by `modes.blame`, which knows formulas


class AnomalyFound(Exception):
    """A NaN (or, if asked, an infinity) in ``values``: which were made how, and by whom.

    ``how``: 'forward' (the node's results), 'rule' (the gradients of its operands), 'sum' (of what arrived at its
    output, or at the leaf), or 'hook' (``by``, a function). ``trail`` is what had arrived at each node until then.
    """

    how: str
    by: Any
    values: Sequence[Any]
    incoming: Any

    def __init__(self, how: str, by: Any, values: Sequence[Any], incoming: Any = None) -> None:
        self.how, self.by, self.values, self.incoming = how, by, values, incoming
        self.trail: dict[Any, Any] = {}

    def first(self) -> tuple[int, np.ndarray]:
        """The number of the first of the values that holds NaN (if none does, an infinity), and where it does."""
        for infinities in (False, True):
            for k, v in enumerate(self.values):
                where = None if v is None else first_not_finite(v, infinities)
                if where is not None:
                    return k, where
        raise AssertionError("nothing was found")


def first_not_finite(values: Any, infinities: bool = False) -> np.ndarray | None:
    """Where an array holds NaN (or infinities); None if nowhere."""
    array = np.asarray(values._data if isinstance(values, Tensor) else values)
    if array.dtype.kind not in "fc":
        return None
    found = ~np.isfinite(array) if infinities else np.isnan(array)
    return found if found.any() else None


def raise_if_anomalous(how: str, by: Any, values: Any, incoming: Any = None) -> None:
    """Raise `AnomalyFound` if anomaly mode is on, and there is among arrays or tensors what it looks for."""
    asked = modes.anomaly.get()
    if asked is not None and asked.check_nan:
        values = values if isinstance(values, (list, tuple)) else (values,)
        if any(v is not None and first_not_finite(v, asked.inf) is not None for v in values):
            raise AnomalyFound(how, by, values, incoming)


# ---------------------------------- Memory that must not be written to, and what becomes of a tensor whose memory was


class WriteBan:
    """Why a tensor may not be written to, nor a view of it.

    Attributes
    ----------
    why, advice : what the error says
    always : under no_grad neither
    base : the tensor whose memory it shares without being a view that could be taken again of a new value
    """

    __slots__ = ("advice", "always", "base", "why")

    advice: str
    always: bool
    base: Tensor | None
    why: str

    def __init__(self, why: str, advice: str, always: bool = False, base: Tensor | None = None) -> None:
        self.why, self.advice, self.always, self.base = why, advice, always, base


OWN_RULE = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients."
)


class Overwritten(Node):
    """The history of a user-defined operation's output after a write to its base: there is none."""

    __slots__ = ()

    def name(self) -> str:
        """That of the operation that made the tensor."""
        node = self.parents[0]
        return str((node.parents[0] if type(node) is OutputNode else node).name())

    def pull(self, g: Any, grads: dict[Any, Any]) -> None:
        """Raise."""
        name, index = self.name().removesuffix("Backward"), getattr(self.parents[0], "index", 0)
        raise InplaceError(
            f"Output {index} of {name} is a view and its base or another view of its base has been modified inplace. "
            f"{OWN_RULE}",
            "The output has other values since, of which the operation knows nothing.",
            "You can fix this by cloning the output of the custom Function.",
        )

    pull_graph = pull


# -------------------------------------------------------------------------------------------------------------------
# Views: a view remembers the tensor at its root and the operations that lead there, and its root knows it

# So a write through any of them can be told to all (see ``writes.py``).


_ABSORBING = ("view", "reshape")


def register_view(t: Tensor, a: Tensor, op: Any, params: tuple[Any, ...], multi: str = "") -> Tensor:
    """Note that ``t = op(a, *params)`` shares memory with ``a``; returns ``t``.

    ``multi`` names the node of an operation that returned several views: those may not be written to.
    """
    data = t._data
    if data is a._data:  # the forward had nothing to do: a view all the same, and an array of its own
        data = t._data = data[...]
    if data.base is None:
        return t
    source = a._extra
    if source is not None and source.view is not None:
        root, path = source.view
        if path[0].name == op.name and op.name in _ABSORBING and not multi:
            path = path[3]  # a reshape of a reshape is a reshape: loops of them must not grow a path
    else:
        root, path = a, None
    bag = extra(t)
    bag.view = (root, (op, params, (data.shape, data.dtype), path, modes.mode.get(), multi))
    bag.inference = source is not None and source.inference
    if source is not None and source.untracked:
        bag.untracked = True
    _follow(root, t)
    return t


def _follow(root: Tensor, t: Tensor) -> None:
    """Let ``t`` hear of writes to the memory of ``root``."""
    top = extra(root)
    views = top.views
    if views is None:
        views = top.views = []
    elif len(views) > PRUNED and len(views) & (len(views) - 1) == 0:  # at powers of two: prune the dead
        views[:] = [r for r in views if r() is not None]
    views.append(weakref.ref(t))


def ban_writes(t: Tensor, base: Tensor, what: str) -> None:
    """Note that ``t``, made by a user-defined operation, shares memory with ``base``: no write can be put through."""
    bag = base._extra
    if bag is not None and bag.view is not None:
        base = bag.view[0]
    ban = None if base._extra is None else base._extra.write_ban
    if ban is not None and ban.base is not None:
        base = ban.base
    why = f"{what} is a view and is being modified inplace. {OWN_RULE}"
    extra(t).write_ban = WriteBan(why, "You can fix this by cloning the output of the custom Function.", base=base)
    _follow(base, t)
    base._extra.lent = True


def is_shared_with_user(t: Tensor) -> bool:
    """Whether an operation of the user's shares the memory of ``t``, so that a constant's writes are recorded too."""
    bag = t._extra
    return bag is not None and (bag if bag.view is None else bag.view[0]._extra).lent


def view_steps(path: Any) -> list[tuple[Any, tuple[Any, ...]]]:
    """The operations from the root to a view, in order."""
    rows = []
    while path is not None:
        op, params, _, path, *_ = path
        rows.append((op, params))
    return rows[::-1]


def alias(t: Tensor, untracked: bool) -> Tensor:
    """A tensor of the same memory without history: ``detach`` (writes are seen) and ``.data`` (they are not)."""
    new = wrap(t._data[...])
    inference = t._extra is not None and t._extra.inference and "detached"
    if untracked or inference:
        bag = new._extra = Extra()
        bag.untracked, bag.inference = untracked, inference
    return new


# ----------------------------------------------------------- Notes that a trace takes of what its graph will not tell

# The idea to hold: a graph says how a result was computed, except where code looks at values behind its back, or makes
# a leaf of what was none. Those places ask whether somebody is `listening` (one read of a context variable; as a rule
# nobody does), and say what they did.


class Notes:
    """The notes of one trace.

    Attributes
    ----------
    reasons : why the graph does not tell everything
    leaves : what was detached and made a leaf anew: per leaf's node the detached symbol
    kept : those leaves (a leaf's node knows its tensor weakly)
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.leaves: dict[Any, Symbol] = {}
        self.kept: list[Tensor] = []

    def doubt(self, reason: str) -> None:
        """The graph does not tell everything, because…"""
        self.reasons.append(reason)

    def detached(self, leaf: Tensor, before: Symbol) -> None:
        """What was detached became a leaf."""
        self.leaves[leaf._node] = before
        self.kept.append(leaf)


listening: ContextVar[Notes | None] = ContextVar("symgrad_notes", default=None)
"""The notes of the trace that runs here, None where none does."""


@contextmanager
def taking_notes() -> Iterator[Notes]:
    """Take notes inside."""
    notes = Notes()
    token = listening.set(notes)
    try:
        yield notes
    finally:
        listening.reset(token)
        outer = listening.get()
        if outer is not None:  # a trace inside a trace
            outer.reasons += notes.reasons
