"""How each operation of the table runs on a batch: the rules that `replay` replays a recorded graph with.

The idea to hold: a batched value carries the batch in front, so a rule only says where the example's own dimensions
went: one behind. An operation without a rule runs once per example. Rules are written in the table's operations, so
what they compute can be differentiated, batched again and shown as a formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..core import (
    TABLE,
    CannotTravel,
    Dim,
    Tensor,
    applied,
    batched_axes,
    batched_params,
    rank_needed,
    shape_of,
    tensor_around,
    with_letter,
)
from ..ops import FUNCTIONS
from ..ops.linalg import in_letters

FULL = slice(None)
Rule = Callable[[Any, list[Any], tuple[Any, ...]], Any]  # (run, operands, parameters) -> tensor or tensors
BATCH: dict[str, Rule] = {}
"""The rule of each row that has one; rows of kind 'elementwise' need none."""


class Unbatchable(Exception):
    """A graph that cannot be run on a batch; the message says why, in words that follow 'loop: '."""


class Batched:
    """A value per example: a tensor with the batch in front. It never leaves the replay."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor: Tensor = tensor

    @property
    def rank(self) -> int:
        """The number of dimensions of one example."""
        return self.tensor._data.ndim - 1

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of one example, in named sizes where it has them."""
        return tuple(shape_of(self.tensor))[1:]


def row(name: str, *args: Any) -> Any:
    """A row of the table, run on tensors."""
    return TABLE[name].apply(*args)


_Any = TypeVar("_Any", bound=Rule)


def batch_rule(*names: str) -> Callable[[_Any], _Any]:
    """Decorate the rule of rows."""

    def register(fn: _Any) -> _Any:
        BATCH.update(dict.fromkeys(names, fn))
        return fn

    return register


# ------------------------------------------------------------------------------------------------------- operands


def rank_of(value: Any) -> int:
    """The number of dimensions of one example of any operand."""
    return value.rank if type(value) is Batched else np.ndim(value._data if isinstance(value, Tensor) else value)


def example_shape(value: Any) -> tuple[Any, ...]:
    """The shape of one example of any operand."""
    return value.shape if type(value) is Batched else tuple(shape_of(value))


def with_batch_in_front(value: Any, rank: int) -> Any:
    """A batched value's tensor with new dimensions behind the batch, so that examples have ``rank`` of them.

    What is not batched broadcasts as it is.
    """
    if type(value) is not Batched:
        return value
    missing = rank - value.rank
    return value.tensor if missing <= 0 else row("getitem", value.tensor, (FULL, *(None,) * missing, ...))


def as_tensor(value: Any) -> Any:
    """Any operand as a tensor: of a batched value that of all examples."""
    return value.tensor if type(value) is Batched else tensor_around(value)


def expanded_to_batch(value: Any, size: Any, rank: int | None = None) -> Any:
    """Any operand with the batch in front, repeated if it is the same for all; ``rank`` as in `with_batch_in_front`."""
    rank = rank_of(value) if rank is None else rank
    if type(value) is Batched:
        return with_batch_in_front(value, rank)
    t = as_tensor(value)
    shape = tuple(shape_of(t))
    return row("expand", t, (size, *(1,) * (rank - len(shape)), *shape))


def resized(t: Any, *size: Any) -> Any:
    """A tensor under another shape."""
    return row("view" if t._data.flags.c_contiguous else "reshape_copy", t, tuple(size))


def flat(value: Batched, size: Any) -> Any:
    """Each example as one row of numbers."""
    return resized(value.tensor, size, math.prod(value.shape))


# ------------------------------------------------------------------------------------------- the general rules


def entrywise(run: Any, args: list[Any], params: tuple[Any, ...], op: Any) -> Any:
    """Operations that act entry by entry: examples of fewer dimensions get new ones behind the batch."""
    rank = max(map(rank_of, args))
    return op.apply(*[with_batch_in_front(a, rank) for a in args], *params)


def by_meaning(run: Any, args: list[Any], params: tuple[Any, ...], op: Any) -> Any:
    """Operations that say how their axes travel: the same on the batch, its parameters one axis behind."""
    if any(type(args[k]) is Batched for k in op.shared):
        return NotImplemented
    ranks = list(map(rank_of, args))
    rank = ranks[0] if op.last is None else max(ranks)
    try:
        params = batched_params(op, params, rank, run.size)
    except CannotTravel:
        return NotImplemented
    if len(args) == 1:
        return applied(op, [with_batch_in_front(args[0], rank_needed(op, params, rank + 1) - 1)], params)
    spare = None if op.last is None else rank
    args = [as_tensor(a) if k in op.shared else expanded_to_batch(a, run.size, spare) for k, a in enumerate(args)]
    return applied(op, args, params)


def one_by_one(run: Any, args: list[Any], params: tuple[Any, ...], op: Any) -> Any:
    """Any operation: run per example, and stack."""
    if isinstance(run.size, Dim):
        raise Unbatchable(f"{op.label} has no rule for batches, and the batch's size {run.size} is no number")
    run.looped[op.label] = run.looped.get(op.label, 0) + 1
    columns = [row("unbind", a.tensor, 0) if type(a) is Batched else [a] * run.size for a in args]
    examples = list(zip(*columns, strict=True))
    results = [applied(op, e, params) for e in examples]
    if op.outputs:
        return tuple(row("stack", list(column), 0) for column in zip(*results, strict=True))
    return row("stack", results, 0)


@batch_rule("fill_tensor", "copy_from")
def _into_first(run: Any, args: list[Any], params: Any) -> Any:
    x, value = args
    rank = rank_of(x)
    if rank_of(value) > rank:
        return NotImplemented
    return row(run.name, expanded_to_batch(x, run.size), with_batch_in_front(value, rank))


@batch_rule("floor_divide", "remainder", "fmod", "div_floor", "div_trunc")
def _divided(run: Any, args: list[Any], params: Any) -> Any:
    b = as_tensor(args[1])._data
    if b.dtype.kind in "biu" and not b.all():
        raise Unbatchable("whole numbers are divided by zero in an example")
    return entrywise(run, args, params, TABLE[run.name])


# ------------------------------------------------------------------------------------------------ reductions


@batch_rule("sum", "mean")
def _reduced(run: Any, args: list[Any], params: Any) -> Any:
    return row(f"{run.name}_dim", args[0].tensor, batched_axes(None, args[0].rank), False)


@batch_rule("prod")
def _multiplied(run: Any, args: list[Any], params: Any) -> Any:
    return row("prod_dim", flat(args[0], run.size), (1,), False)


@batch_rule("max", "min")
def _extreme(run: Any, args: list[Any], params: Any) -> Any:
    x = args[0].tensor
    if x._data.dtype.kind in "fc" and np.isnan(x._data).any():  # the gradient goes to the NaN: only the row knows how
        return NotImplemented
    return row(f"a{run.name}", x, batched_axes(None, args[0].rank), False)


@batch_rule("argmax", "argmin")
def _place(run: Any, args: list[Any], params: Any) -> Any:
    (x,), (dim, keepdim) = args, params
    if dim is not None:
        return NotImplemented
    place = row(run.name, flat(x, run.size), 1, False)
    return resized(place, run.size, *(1,) * x.rank) if keepdim else place


@batch_rule("cumsum", "cumprod", "cumprod_before", "shift", "recurrence", "logcumsumexp", "roll")
def _scanned(run: Any, args: list[Any], params: Any) -> Any:
    """Rows along one dimension, or (None, or a number's) along all elements in order."""
    k, first = TABLE[run.name].meanings.index("axis"), args[0]
    if params[k] is not None and rank_of(first):
        return NotImplemented
    lines = [resized(expanded_to_batch(a, run.size), run.size, math.prod(example_shape(a))) for a in args]
    return resized(row(run.name, *lines, *params[:k], 1, *params[k + 1 :]), run.size, *example_shape(first))


# --------------------------------------- Products and matrices of a batch: matmul and its kin, einsum, linear algebra
#
# The idea to hold: a product of examples is one product with a batch in front, and where only one operand has the batch
# it is the batch of an ordinary matrix product: no data are repeated.


def _matmul(a: Any, b: Any) -> Any:
    return FUNCTIONS["matmul"](a, b)


def _at_end(t: Any) -> Any:
    return row("getitem", t, (..., None))


def _before_last(t: Any) -> Any:
    return row("getitem", t, (..., None, FULL))


@batch_rule(
    "mm", "mv", "vm", "dot", "bmm", "matmul_folded", "matmul_batched", "matmul_batched_vector"
)  # fmt: skip
def product(run: Any, args: list[Any], params: Any = ()) -> Any:
    """The matrix product of examples of any number of dimensions."""
    a, b = args
    na, nb = rank_of(a), rank_of(b)
    first, second = type(a) is Batched, type(b) is Batched
    if first and second:
        if na == nb == 1:
            return row("einsum_pair", a.tensor, b.tensor, "zi,zi->z")
    elif first and nb <= 2:
        return _matmul(a.tensor, as_tensor(b))
    elif second and na <= 2 and nb == 1:
        return _matmul(b.tensor, as_tensor(a).t() if na == 2 else as_tensor(a))
    elif second and na == 1 and nb == 2:
        return _matmul(as_tensor(a), b.tensor)
    rank = max(na, nb, 2)
    left = _before_last(as_tensor(a)) if na == 1 else as_tensor(a)
    right = _at_end(as_tensor(b)) if nb == 1 else as_tensor(b)
    left = with_batch_in_front(Batched(left), rank) if first else left
    right = with_batch_in_front(Batched(right), rank) if second else right
    out = _matmul(left, right)
    if na == 1:
        out = row("getitem", out, (..., 0, FULL))
    return row("getitem", out, (..., 0)) if nb == 1 else out


@batch_rule("vdot")
def _conjugated(run: Any, args: list[Any], params: Any) -> Any:
    a, b = args
    turned = row("conj", as_tensor(a))
    return product(run, [Batched(turned) if type(a) is Batched else turned, b])


@batch_rule("addmm", "addmv", "baddbmm")
def _added(run: Any, args: list[Any], params: Any) -> Any:
    (c, a, b), (beta, alpha) = args, params
    batched = type(a) is Batched or type(b) is Batched
    y = product(run, [a, b]) if batched else _matmul(as_tensor(a), as_tensor(b))
    y = y if type(alpha) is int and alpha == 1 else row("mul", y, alpha)
    if type(beta) is int and beta == 0:
        return y if batched else expanded_to_batch(y, run.size)
    more = with_batch_in_front(c, y._data.ndim - batched)
    return row("add", y, more if type(beta) is int and beta == 1 else row("mul", more, beta))


# ------------------------------------------------------------------------------------------------------- einsum


def _with_letter(equation: str, args: list[Any]) -> str:
    try:
        return with_letter(equation, [type(a) is Batched for a in args])
    except CannotTravel as error:
        raise Unbatchable(str(error)) from None


@batch_rule("einsum_pair", "einsum_sum", "einsum_permute", "einsum_spread", "einsum")
def _einsum(run: Any, args: list[Any], params: Any) -> Any:
    equation = _with_letter(params[0], args)
    operands = list(map(as_tensor, args))
    if run.name == "einsum":
        return row("einsum", operands, equation)
    sizes = [(run.size, *size) for size in params[1:]]
    return row(run.name, *operands, equation, *sizes)


def product_by_letters(run: Any, args: list[Any], op: Any) -> Any:
    """A product of the table, as its equation says: its own row where ``...`` can hold the batch, else `einsum`."""
    terms, result = op.labels([rank_of(a) for a in args])
    open_ = ["..." in term for term in op.equation.partition("->")[0].split(",")]
    if all(o for a, o in zip(args, open_, strict=True) if type(a) is Batched):
        before = sum([type(label) is int for label in result])
        ranks = [before + sum([type(label) is str for label in term]) for term in terms]
        args = [
            expanded_to_batch(a, run.size, rank) if o and not any(name.startswith("shape") for name in asked) else a
            for a, o, rank, asked in zip(args, open_, ranks, op.rule_args, strict=True)
        ]  # a rule that does not ask for its operand's shape gives the gradient of an operand with the batch
        return op.apply(*map(with_batch_in_front, args, ranks))
    found = in_letters(terms, result, list(map(example_shape, args)))
    if found is None:
        return NotImplemented
    equation = _with_letter(f"{','.join(found[0])}->{found[1]}", args)
    return FUNCTIONS["einsum"](equation, *map(as_tensor, args))


# ------------------------------------------------------------------------------------------------ linear algebra


@batch_rule("solve_vector")
def _of_vector(run: Any, args: list[Any], params: Any) -> Any:
    a, b = args
    rank = max(rank_of(a), rank_of(b) + 1)
    column = _at_end(expanded_to_batch(b, run.size))
    system = expanded_to_batch(a, run.size, rank)
    return row("getitem", row("solve", system, with_batch_in_front(Batched(column), rank)), (..., 0))


@batch_rule("pinv")
def _pinv(run: Any, args: list[Any], params: Any) -> Any:
    number = isinstance(params[0], (int, float)) or params[0] is None
    return NotImplemented if number else one_by_one(run, args, params, TABLE["pinv"])


# -------------------------------------- Indices of a batch: places of an example are the same places behind the batch
#
# The idea to hold: an index that is the same for all examples stays as it is, one axis behind (the rows say so). One
# that is each example's own counts the examples too: it picks of the batch's axis and of its own together.


def _fronted(t: Any, axes: range, back: bool = False) -> Any:
    """The batch and some axes in front of the others; ``back`` undoes it."""
    order = (0, *axes, *[d for d in range(1, t._data.ndim) if d not in axes])
    if order == tuple(range(t._data.ndim)):
        return t
    return row("permute", t, tuple(np.argsort(order).tolist()) if back else order)


def _counted(run: Any, places: Any, count: int) -> Any:
    """Places of each example as places of the batch's axis and ``count`` more: one more row of them in front."""
    if type(run.size) is not int:
        raise Unbatchable(f"{run.name} picks by an array, and the batch's size {run.size} is no number")
    t = places.tensor
    rows = [t] if count == 1 else row("unbind", t, 1)
    shape = rows[0]._data.shape
    examples = np.broadcast_to(np.arange(run.size).reshape(-1, *(1,) * (len(shape) - 1)), shape)
    return row("stack", [as_tensor(examples), *rows], 0)


def _own(places: Any) -> bool:
    return type(places) is Batched and places.tensor._data.dtype != bool


@batch_rule("index")
def _taken(run: Any, args: list[Any], params: Any) -> Any:
    (x, places), (dim, count) = args, params
    if not _own(places):
        return NotImplemented
    if type(x) is not Batched:
        found = row("index", as_tensor(x), _together(places, count), dim, count)
        return row("permute", found, (dim, *[d for d in range(found._data.ndim) if d != dim])) if dim else found
    front = _fronted(x.tensor, range(1 + dim, 1 + dim + count))
    found = row("index", front, _counted(run, places, count), 0, count + 1)
    return _fronted(found, range(1 + dim, 1 + dim + places.rank - (count > 1)), True) if dim else found


def _together(places: Any, count: int) -> Any:
    """Each example's places as places of one array."""
    t = places.tensor
    return t if count == 1 else row("permute", t, (1, 0, *range(2, t._data.ndim)))


@batch_rule("index_accumulate")
def _accumulated(run: Any, args: list[Any], params: Any) -> Any:
    (g, places), (dim, count, size) = args, params
    if not _own(places):
        return NotImplemented
    rank = places.rank - (count > 1)
    front = _fronted(expanded_to_batch(g, run.size), range(1 + dim, 1 + dim + rank))
    picked, others = size[dim : dim + count], (*size[:dim], *size[dim + count :])
    found = row("index_accumulate", front, _counted(run, places, count), 0, count + 1, (run.size, *picked, *others))
    return _fronted(found, range(1 + dim, 1 + dim + count), True)


@batch_rule("index_select")
def _selected(run: Any, args: list[Any], params: Any) -> Any:
    (x, places), (dim,) = args, params
    if not _own(places):
        return NotImplemented
    shape = example_shape(x)
    return _taken(run, [x, Batched(row("within", places.tensor, shape[dim]))], (dim, 1))


@batch_rule("masked_select")
def _masked(run: Any, args: list[Any], params: Any) -> Any:
    x, mask = args
    if type(mask) is Batched:
        raise Unbatchable("a mask picks as many elements as each example has")
    return row("index", x.tensor, as_tensor(mask), 1, x.rank)


@batch_rule("take")
def _taken_flat(run: Any, args: list[Any], params: Any) -> Any:
    x, places = args
    lines = Batched(flat(x, run.size)) if type(x) is Batched else row("view", as_tensor(x), (-1,))
    if type(places) is Batched:
        return _taken(run, [lines, places], (0, 1))
    count = math.prod(x.shape)
    return row("index", lines.tensor, as_tensor(places) % count if count else as_tensor(places), 1, 1)


@batch_rule("index_put")
def _put(run: Any, args: list[Any], params: Any) -> Any:
    (x, values, places), (dim, count, accumulate) = args, params
    if type(places) is Batched:
        return NotImplemented
    t = as_tensor(places)
    rank = 1 if t._data.dtype == bool else t._data.ndim - (count > 1)
    rank = rank_of(x) - count + rank
    return row(
        "index_put", expanded_to_batch(x, run.size), with_batch_in_front(values, rank), t, dim + 1, count, accumulate
    )


# ------------------------------------- Changes of shape of a batch: the same change of each example, behind the batch
#
# The idea to hold: a size or a dimension of the example keeps its meaning; the batch stands before it.


# --------------------------------------------------------------------------------------------------- broadcasting


@batch_rule("sum_to")
def _summed(run: Any, args: list[Any], params: Any) -> Any:
    x, shape = args[0], params[0]
    t, lead = with_batch_in_front(x, len(shape)), x.rank - len(shape)
    if lead > 0:
        t = row("sum_dim", t, tuple(range(1, lead + 1)), False)
    return row("sum_to", t, (run.size, *shape))


# ---------------------------------------------------------------------------------------------------------- shapes


@batch_rule("view", "reshape_alias", "reshape_copy")
def _reshaped(run: Any, args: list[Any], params: Any) -> Any:
    return resized(args[0].tensor, run.size, *params[0])  # a view where the batch allows it


@batch_rule("squeeze")
def _squeezed(run: Any, args: list[Any], params: Any) -> Any:
    x = args[0]
    return resized(x.tensor, run.size, *[n for n, k in zip(x.shape, x.tensor._data.shape[1:], strict=True) if k != 1])


@batch_rule("t", "t_")
def _turned(run: Any, args: list[Any], params: Any) -> Any:
    return row("transpose", args[0].tensor, 1, 2) if args[0].rank == 2 else args[0]


@batch_rule("trace")
def _traced(run: Any, args: list[Any], params: Any) -> Any:
    return row("sum_dim", row("diagonal", args[0].tensor, 0, 1, 2), (1,), False)


# ------------------------------------------------------------------------------------------- joining and taking apart


@batch_rule("cat")
def _joined(run: Any, args: list[Any], params: Any) -> Any:
    rank = max(map(rank_of, args))
    parts = [a for a in args if rank_of(a) == rank]  # an empty vector joins anything
    return row("cat", [expanded_to_batch(a, run.size) for a in parts], batched_axes(params[0], rank))


@batch_rule("as_strided", "as_strided_")
def _strided(run: Any, args: list[Any], params: Any) -> Any:
    (x,), (size, stride, start, layout) = args, params
    n = math.prod(x.shape)
    last = start + sum((k - 1) * s for k, s in zip(size, stride, strict=True))
    if 0 in size or last >= n or layout != tuple(math.prod(x.shape[k + 1 :]) for k in range(x.rank)):
        return NotImplemented  # the examples lie otherwise in the batch
    together = resized(x.tensor, run.size, *x.shape)
    return row("as_strided", together, (run.size, *size), (n, *stride), start, (n, *layout))
