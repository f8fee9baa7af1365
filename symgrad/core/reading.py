"""Reading a recorded graph: what a node is made of, what PyTorch calls it, arrays that rules will read again."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache
from operator import attrgetter
from threading import RLock, get_ident
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .._errors import InplaceError
from .._limits import COPIES, WRAPPED, bound
from . import storage
from .graph import FAILS, FREED, MASKS, AccumulateGrad, Freed, Node, OutputNode, Tensor, held_operand

# ---------------------------------------- Reading a recorded graph: what a node is made of, and which nodes there are

# The idea to hold: a node keeps its parts in the tersest form (see `Node`), which only the code that makes nodes and
# this module know. Walks go through the graph without recursion, and give nodes in the order of birth: a node is
# younger than its parents.


_new = object.__new__
_by_seq = attrgetter("seq")


# ---------------------------------------------------------------------------------------------------- one node


def params_of(node: Node) -> tuple[Any, ...]:
    """The parameters of the operation that a node recorded: what it got beside its operands."""
    op = node.op
    return node.consts[1] if op is not None and op.packs else ()


def shapes_of(node: Node) -> tuple[Any, ...]:
    """The shapes of the operands, in named sizes where they had them; () where no rule asks for them."""
    op = node.op
    return node.consts[2] if op is not None and op.packs else ()


def constants_of(node: Node) -> tuple[Any, ...]:
    """Per operand what the node keeps of it (see `held_operand`), None where gradients flow."""
    op = node.op
    kept = node.consts[0] if op is not None and op.packs else node.consts
    return (None,) * len(node.parents) if kept is None else kept


def operands_of(node: Node) -> list[Any]:
    """Per operand its edge, or the constant that it was; None for a constant that is gone."""
    return [p if p is not None else held_operand(c) for p, c in zip(node.parents, constants_of(node), strict=True)]


def saved_values(node: Node) -> tuple[Any, ...]:
    """What a node saved, in the order of its operation's ``saved``, however it is kept."""
    saved = node.saved
    if saved is None or type(saved) is Freed:
        return ()
    return (saved,) if node.op is not None and node.op.bare else saved


def saved_value(node: Any, name: str) -> Any:
    """What a node saved under a name of its operation's; None if nothing."""
    saved, op = node.saved, node.op
    return saved if op.bare or saved is None else saved[op.saved.index(name)]


def saved_arrays(values: Iterable[Any]) -> Iterable[np.ndarray]:
    """The arrays among saved values, also of an operand that is several."""
    for v in values:
        if type(v) is tuple:
            yield from saved_arrays(v)
        elif isinstance(v, np.ndarray):
            yield v


def keep_saved(node: Node, values: tuple[Any, ...]) -> None:
    """Let a node have saved other values than it had."""
    node.saved = values[0] if node.op is not None and node.op.bare else values


def saved_operand(node: Any, i: int) -> Any:
    """An array that the node held weakly and that is gone, from what its rules saved; None if they did not, or if it
    was written since."""
    op = node.op
    if op.variadic or op.inputs[i] not in op.saved or type(node.saved) is Freed or (node.meta and node.meta.packed):
        return None
    value = saved_value(node, op.inputs[i])
    return value if isinstance(value, np.ndarray) and storage.version_conflict(value, node.seq) is None else None


def copy_of(node: Node, parents: tuple[Any, ...], saved: Any) -> Any:
    """The same operation with other parents and saved values, unwatched: for rules to run on."""
    copy = _new(type(node))
    copy.parents, copy.saved, copy.meta = parents, saved, None
    copy.consts, copy.fit, copy.seq = node.consts, node.fit, node.seq
    return copy


# -------------------------------------------------------------------------------------------------------- walks


def reachable(roots: list[Any]) -> tuple[list[Node], list[AccumulateGrad], int, set[Any]]:
    """Collect what a sweep from ``roots`` (edges) visits.

    Returns
    -------
    nodes, newest first; the leaves' nodes; the nodes' traits together (FAILS if there are hooks); all edges found.
    """
    seen: set[Any] = {None}
    nodes: list[Any] = []
    stack: list[Any] = []
    traits = 0
    for root in roots:
        if root not in seen:
            seen.add(root)
            stack.append(root)
    pop, push, add, keep = stack.pop, stack.append, seen.add, nodes.append
    while stack:
        node = pop()
        keep(node)
        if node.traits:
            traits |= node.traits
        if node.meta is not None:
            traits |= FAILS | MASKS if node.meta.exact else FAILS
        if type(node.saved) is Freed:
            traits |= FREED
        for p in node.parents:
            if p not in seen:
                add(p)
                push(p)
    nodes.sort(key=_by_seq, reverse=True)
    leaves: list[AccumulateGrad] = []
    while nodes and nodes[-1].seq == 0:  # leaves were never born: they come last
        leaves.append(nodes.pop())
    return nodes, leaves, traits, seen


def recorded_since(roots: Iterable[Any], mark: int, known: Any = ()) -> list[Node]:
    """The nodes younger than ``mark`` that ``roots`` (edges) rest on, oldest first; those ``known`` are not entered."""
    seen = {None}
    stack, nodes = list(roots), []
    while stack:
        node = stack.pop()
        if node in seen or node in known or node.seq <= mark:
            continue
        seen.add(node)
        nodes.append(node)
        stack.extend(node.parents)
    nodes.sort(key=_by_seq)
    return nodes


def depending_on(edges: Iterable[Any], nodes: list[Node]) -> list[Node]:
    """Those of ``nodes`` (newest first) that were computed from one of ``edges``, oldest first."""
    moved = {edge for edge in edges if edge is not None}
    given = frozenset(moved)
    found = []
    for node in reversed(nodes):
        if node not in given and any(p in moved for p in node.parents):
            moved.add(node)
            found.append(node)
    return found


# -------------------------------------------- What PyTorch calls the nodes: every name of a ``grad_fn`` is found here

# The idea to hold: a name is that of the public function (``sin`` → ``SinBackward0``) and the number of its overload.
# Where PyTorch records a function as another one (``square`` as a power), `_NAMES` says so. Where the overload depends
# on the call, a node is recorded under its row's first name and gets its own when somebody looks at it (``t.grad_fn``,
# ``node.name()``): recording need not choose.


_TEXT = """
rdiv=Mul rsub=Rsub.0.0.1 rsub_alpha=Rsub.0.0.1 pow_scalar=Pow pow_tensor=Pow.1.2.1 square=Pow abs_power=Pow
signed_power=Pow div_or_zero=Div div_floor=Div.2 div_trunc=Div.2 remainder=Remainder.1.1.0 fmod=Fmod.1.1.0
clamp=Clamp.0.0.1 clamp_min_tensor=ClampMin.1.1.0 clamp_max_tensor=ClampMax.1.1.0 lerp=Lerp.1 xlogy=Xlogy.0.1.2
log1p=Log1P logsigmoid=LogSigmoid polygamma_order=Polygamma keep=Where gate=Threshold slant=LeakyReluBackward
between=HardtanhBackward tied=Alias remember=Alias masked_fill=MaskedFill.1.1.0 ndtr=SpecialNdtr ndtri=SpecialNdtri
log_ndtr=SpecialLogNdtr entr=SpecialEntr xlog1py=SpecialXlog1Py

sum_to=Sum.1 sum_dim=Sum.1 mean_dim=Mean.1 prod_dim=Prod.1 cumprod_before=Cumprod diff=Sub undiff=Sub max=Max.1
min=Min.1 max_dim=Max min_dim=Min cummax_dim=Cummax cummin_dim=Cummin median_dim=Median.1 nanmedian_dim=Nanmedian.1
mode_dim=Mode kthvalue_dim=Kthvalue sort_dim=Sort stable_sort=Sort.1 topk_dim=Topk

view=View reshape_copy=UnsafeView reshape_alias=ReshapeAlias repeat=Repeat repeat_interleave=View overlay=UnfoldBackward
diagonal_put=DiagonalBackward squeeze_dim=Squeeze.1 squeeze_dims=Squeeze.2 squeeze_=Squeeze.3 squeeze_dim_=Squeeze.4
squeeze_dims_=Squeeze.5 unsqueeze_=Unsqueeze.1 transpose_=Transpose.1 t_=T.1 constant_pad=ConstantPadNd
border_pad=IndexSelect reflect_pad1=ReflectionPad1D reflect_pad2=ReflectionPad2D reflect_pad3=ReflectionPad3D
replicate_pad1=ReplicationPad1D replicate_pad2=ReplicationPad2D replicate_pad3=ReplicationPad3D

getitem=Select embed=SelectBackward pick=Gather unpick=ScatterAdd add_flat=Put index_accumulate=IndexPut clear=IndexPut
index_fill_tensor=IndexFill.1 scatter_value=Scatter.1 scatter_sum=ScatterReduce scatter_extreme=ScatterReduce
cast=ToCopy fill=Fill.2 fill_tensor=Fill.3 normal=Normal.3 bernoulli_=Bernoulli.2 random_=Random.2

vm=Squeeze.4 outer=Mul outer_batched=Mul matmul_folded=UnsafeView matmul_batched=UnsafeView kron=UnsafeView
matmul_batched_vector=UnsafeView bilinear=View einsum=View einsum_pair=View einsum_times=Mul einsum_sum=Sum.1
linalg_cross=LinalgCross det=LinalgDet slogdet=LinalgSlogdet inv=LinalgInvEx solve=LinalgSolveEx einsum_permute=Permute
solve_vector=LinalgSolveEx solve_triangular=LinalgSolveTriangular linalg_cholesky=LinalgCholeskyEx lstsq=LinalgLstsq
pinv=LinalgPinv eigh=LinalgEigh eig=LinalgEig lu=LinalgLu svd=LinalgSvd qr=LinalgQr matrix_exp=LinalgMatrixExp
vector_norm=LinalgVectorNorm
"""
_NAMES = dict(word.split("=") for word in _TEXT.split())
"""By row or public function PyTorch's name less "Backward", and the overload's number where it is not 0.

Three numbers: of a call with tensors alone, with a number for the first operand, with a number for a later one.
"""

_WHOLE = {
    "copy_from": "CopyBackwards", "copy_slices": "CopySlices", "circular_pad": "CopySlices",
    "diagonal_copy": "DiagonalBackward0_copy",
}  # fmt: skip


def _last_step(node: Node) -> str:
    (index,) = params_of(node)
    kinds = [type(k) for k in index if k is not ... and (k != slice(None) or len(index) == 1)]
    return {slice: "Slice", type(None): "Unsqueeze"}.get(kinds[-1], "Select") if kinds else "Alias"


def _folded(a: Any, b: Any) -> str:
    return "Clone" if len(a) == 2 or (len(a) == len(b) == 3 and a[0] == 1 != b[0]) else "UnsafeView"


_BY_CALL: dict[str, Callable[[Node], str]] = {
    "getitem": _last_step,
    "matmul_batched": lambda node: _folded(*shapes_of(node)),
}


def has_overloads(row: str) -> bool:
    """Whether the name of a row's node depends on the call that it records."""
    return row in _BY_CALL or _NAMES.get(row, "").count(".") == 3


def node_name(row: str, function: str, node: Node | None = None) -> str:
    """The name of a row's nodes, or of one node; ``function`` is the public function that the row is."""
    if row in _WHOLE:
        return _WHOLE[row]
    word = _NAMES.get(row) or "".join(part[:1].upper() + part[1:] for part in function.split("_"))
    if node is not None and row in _BY_CALL:
        word = _BY_CALL[row](node)
    base, *numbers = word.split(".")
    return f"{base}Backward{numbers[_place_of_a_number(node) if len(numbers) == 3 and node else 0] if numbers else 0}"


def _place_of_a_number(node: Node) -> int:
    """0 where all operands were tensors, 1 where the first was a number, 2 where a later one was."""
    numbers = [k for k, c in enumerate(constants_of(node)) if isinstance(c, (int, float, complex, np.generic))]
    return 1 + (numbers[-1] > 0) if numbers else 0


def rename(node: Node, row: str, function: str) -> None:
    """Let a node be of a class of its operation's that bears the name of its call."""
    node.__class__ = _subclass(node.op.node, node_name(row, function, node))


def recorded_as(result: Any, function: str) -> Any:
    """The result of a row, its node called as that of another public function, which PyTorch has; returns it."""
    t = result[0] if isinstance(result, tuple) else result
    node = t._node if isinstance(t, Tensor) else None
    if node is not None:
        node = node.parents[0] if type(node) is OutputNode else node
        node.__class__ = _called(node.op.node, function)
    return result


@cache
def _called(cls: Any, function: str) -> type[Node]:
    return _subclass(cls, node_name(function, function), function)


@cache
def _subclass(cls: type[Node], name: str, function: str = "") -> type[Node]:
    own_name = (lambda node: rename(node, function, function)) if has_overloads(function) else None
    body = {"__slots__": (), "own_name": own_name, "__doc__": cls.__doc__, "__module__": cls.__module__}
    return type(name, (cls,), body)


# ------------------------- Large NumPy arrays that rules will read again, and whether they were written to in between

# The idea to hold: small ones are copied (`kept_copy`), large ones are borrowed. NumPy tells nobody of a write,
# so the node that saved one keeps a sample of the entries, which is compared when a sweep comes to it, or when the
# function that a transform runs has returned: a buffer filled anew does not go unnoticed, a write to few entries may.


_lent: WeakKeyDictionary[Node, tuple[int, dict[int, bytes]]] = WeakKeyDictionary()
"""By node: the thread that made it, and a sample of each array that is somebody else's, by identity."""

_lending = RLock()


SAMPLED = bound(4096)
"""Entries, evenly spread, by which it is seen whether a borrowed array was written."""


def _sample(array: np.ndarray) -> bytes:
    """Some entries, evenly spread."""
    step = 1 + array.size // SAMPLED
    if array.flags.forc:
        return array.ravel("K")[::step].tobytes()
    return np.asarray(array.flat[::step]).tobytes()


def note_saved_memory(node: Node, arrays: Sequence[np.ndarray]) -> None:
    """Note arrays that a node saved and that others may write to."""
    with _lending:
        _lent[node] = get_ident(), {id(a): _sample(a) for a in arrays}


def require_unwritten(nodes: Iterable[Any], but: Container[Any] = ()) -> dict[int, np.ndarray]:
    """Raise if an array that one of these nodes borrowed has other values now; returns these arrays, by identity.

    ``but``: nodes whose rules are not run.
    """
    found: dict[int, np.ndarray] = {}
    if not _lent:
        return found
    for node in nodes:
        entry = _lent.get(node)
        if entry is None or node in but:
            continue
        for value in saved_arrays(saved_values(node)):
            before = entry[1].get(id(value))
            if before is None:
                continue
            found[id(value)] = value
            if _sample(value) != before:
                raise InplaceError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation, "
                    f"unseen: a NumPy array of shape {value.shape} and dtype {value.dtype}, which {node.name()} saved.",
                    "It was written to after it was used; of large arrays no copy is made."
                    + (f" Recorded at {node.meta.where}." if node.meta and node.meta.where else ""),
                    "Write a = a * 2 in place of a *= 2, make the buffer inside the loop, or compute with a.copy().",
                )
    return found


def note_saved_again(nodes: Iterable[Node], arrays: dict[int, np.ndarray]) -> None:
    """Note which of ``arrays`` the nodes of a derivative have saved in turn."""
    for node in nodes:
        kept = [v for v in saved_arrays(saved_values(node)) if id(v) in arrays]
        if kept:
            note_saved_memory(node, kept)


def require_unwritten_since(mark: int) -> None:
    """As `require_unwritten`, of the nodes that this thread made after time ``mark`` and that are still there."""
    if _lent:
        mine = get_ident()
        with _lending:
            nodes = [node for node, (thread, _) in _lent.items() if thread == mine and node.seq > mark]
        require_unwritten(nodes)


def kept_copy(operand: Any) -> Any:
    """A small array as a graph may keep it: a copy, since whoever passed it may go on writing to it (a loop's buffer).

    As long as nobody does, it is one copy: programs know a constant by its identity. A large one would cost memory that
    a graph is not known to cost: it is `noting_operands`.
    """
    if not isinstance(operand, np.ndarray) or operand.size > WRAPPED:
        return operand
    numbers, known = operand.tobytes(), _copies.get(id(operand))
    kind = operand.shape, operand.dtype, storage.layout(operand)
    if known is not None and known[0] == numbers and known[1] == kind:
        return known[2]
    if len(_copies) >= COPIES:
        _copies.clear()
    copy = operand.copy("K")
    _copies[id(operand)] = numbers, kind, copy
    return copy


_copies: dict[int, tuple[bytes, Any, np.ndarray]] = {}


def noting_operands(t: Any, operands: tuple[Any, ...]) -> Any:
    """A result (or a node) whose node may have saved large arrays among the operands, which are noted; returns it."""
    node = t._node if isinstance(t, Tensor) else t
    if isinstance(node, Node) and node.saved is not None:
        large = [a for a in operands if isinstance(a, np.ndarray) and a.size > WRAPPED]
        if large:
            note_saved_memory(node, large)
    return t
