"""Products of vectors, matrices and batches of them, and products by index notation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError
from ..._limits import EINSUM_LOOP, EINSUM_PATHS, EINSUM_PLANS
from ...core import (
    LETTERS,
    NUMPY,
    Carrier,
    Tensor,
    describe,
    general,
    is_sparse,
    is_table,
    kept_copy,
    linear,
    mismatch,
    modes,
    multilinear,
    noting_operands,
    plain_array,
    recorded_as,
    row_function,
    shortcut_if,
    sum_to,
    taking_carriers,
    wrap,
)
from ..arguments import alike, listed, of_lines, rank, sizes
from ..public import public, publish
from ..samples import sampled

# ------------------------------------------------------------------ Products of vectors, matrices and batches of them

# The idea to hold: a product is linear in each operand, so the gradient of one operand is a product of the incoming
# gradient with the other, and nothing else is saved. Rows are told apart by the number of dimensions, as PyTorch
# tells its nodes apart; `matmul` and ``@`` only choose the row. Products that are no matrix product
# come after these.


def fit(d: Any, shape: tuple[int, ...]) -> Any:
    """Sum a gradient (or broadcast it) to the shape of the operand it belongs to."""
    if d.shape == shape:
        return d
    return sum_to(d, shape) if isinstance(d, np.ndarray) else row_function("sum_to")(d, shape)


def _outer(a: Any, b: Any) -> Any:
    # the row on arrays would cost a microsecond more
    return a[:, None] * b if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else outer_row(a, b)


def _rows(x: Any) -> Any:
    """A batch of matrices as one matrix: its rows below each other."""
    return x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


def _folded(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    # one product of two matrices instead of one per matrix of the batch
    return (_rows(a) @ b).reshape(a.shape[:-1] + b.shape[-1:])


# ------------------------------------------------------------------------------------------------- rows

# the method is the quickest way into the same BLAS call: np.matmul takes a microsecond more
mm_row: Any = multilinear(
    "mm", np.ndarray.dot, lambda g, b: mm_row(g, b.T), lambda g, a: mm_row(a.T, g),
    symbol="@", sample=sampled(of=[(2, 3), (3, 4)]), refusal=lambda a, b: _refusal(a, b),
    equation="ij,jk->ik", new=(0, 1), doc="the product of two matrices",
)  # fmt: skip
mv_row = multilinear(
    "mv", np.ndarray.dot, lambda g, b: _outer(g, b), lambda g, a: g @ a,
    symbol="@", sample=sampled(of=[(2, 3), (3,)]),
    equation="ij,j->i", new=(0, 1), doc="a matrix times a vector",
)  # fmt: skip
vm_row = multilinear(
    "vm", np.ndarray.dot, lambda g, b: b @ g, lambda g, a: _outer(a, g),
    symbol="@", sample=sampled(of=[(3,), (3, 4)]),
    equation="i,ij->j", new=(0, 1), doc="a vector times a matrix",
)  # fmt: skip
dot_row = multilinear(
    "dot", np.ndarray.dot, lambda g, b: g * b, lambda g, a: g * a,
    symbol="@", sample=sampled(of=[(3,), (3,)]),
    equation="i,i->", new=(0, 1), doc="the sum of products of two vectors",
)  # fmt: skip
vdot_row = multilinear(
    "vdot", np.vdot, lambda g, b: np.conj(g) * b, lambda g, a: g * a,
    holomorphic=False, sample=sampled(of=[(3,), (3,)]), doc="the sum of products, the first vector conjugated",
)  # fmt: skip
outer_row = multilinear(
    "outer", np.multiply.outer, lambda g, b: g @ b, lambda g, a: a @ g,
    sample=sampled(of=[(3,), (4,)]),
    equation="i,j->ij", new=(0, 1), doc="every product of an entry of a and one of b",
)  # fmt: skip
bmm_row: Any = multilinear(
    "bmm", np.matmul, lambda g, b: bmm_row(g, b.mT), lambda g, a: bmm_row(a.mT, g),
    symbol="@", sample=sampled(of=[(2, 2, 3), (2, 3, 4)]),
    equation="zij,zjk->zik", new=(0, 1), doc="the products of two batches of matrices",
)  # fmt: skip
# What `@` does with more dimensions. PyTorch's nodes are the last steps of how it does it, hence their names.
folded_row: Any = multilinear(
    "matmul_folded", _folded, lambda g, b: folded_row(g, b.T), lambda g, a: _rows(a).T @ _rows(g),
    symbol="@", sample=sampled(of=[(2, 2, 3), (3, 4)]),
    equation="...ij,jk->...ik", new=(0, 1), doc="a batch of matrices times one matrix",
)  # fmt: skip
batched_row = multilinear(
    "matmul_batched", np.matmul,
    lambda g, b, shape: fit(g @ b.mT, shape), lambda g, a, shape: fit(a.mT @ g, shape),
    symbol="@", sample=sampled(of=[(2, 1, 2, 3), (4, 3, 2)]),
    equation="...ij,...jk->...ik", new=(0, 1), doc="the products of two batches of matrices, the batches broadcast",
)  # fmt: skip
batched_mv_row = multilinear(
    "matmul_batched_vector", np.matmul,
    lambda g, b: row_function("outer_batched")(g, b), lambda g, a: _flat(g) @ _rows(a),
    symbol="@", sample=sampled(of=[(2, 2, 3), (3,)]),
    equation="...ij,j->...i", new=(0, 1), doc="a batch of matrices times one vector",
)  # fmt: skip
outer_batched_row = multilinear(
    "outer_batched", lambda a, b: a[..., None] * b, lambda g, b: batched_mv_row(g, b), lambda g, a: _flat(a) @ _rows(g),
    sample=sampled(of=[(2, 3), (4,)]), label="outer",
    equation="...i,j->...ij", new=(0, 1), doc="the products of every entry of a with b",
)  # fmt: skip


def _flat(x: Any) -> Any:
    return x.reshape((math.prod(x.shape),))


# ------------------------------------------------------------------------------------------------- matmul

_BY_DIMENSIONS = {(2, 2): mm_row, (2, 1): mv_row, (1, 2): vm_row, (1, 1): dot_row}


def matmul(input: Any, other: Any) -> Any:
    """Return the matrix product: of vectors their dot product, of higher dimensions batches of matrix products.

    Raises
    ------
    ShapeError : the inner sizes differ, or an operand has no dimensions

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = A @ sg.tensor([1.0, -1.0])
    >>> y
    tensor([-1., -1.], grad_fn=<MvBackward0>)
    >>> y.sum().backward()
    >>> A.grad
    tensor([[ 1., -1.],
            [ 1., -1.]])
    """
    try:
        na, nb = input._data.ndim, other._data.ndim
        row = mm_row if na == nb == 2 else _BY_DIMENSIONS.get((na, nb))
    except AttributeError:
        if isinstance(input, Carrier) or isinstance(other, Carrier):
            return taking_carriers(matmul)(input, other)
        if type(input) is np.ndarray and isinstance(other, Tensor):  # data: as a tensor it takes the short way
            return noting_operands(matmul(wrap(kept_copy(plain_array(input))), other), (input,))
        if type(other) is np.ndarray and isinstance(input, Tensor):
            return noting_operands(matmul(input, wrap(kept_copy(plain_array(other)))), (other,))
        if is_sparse(input) or is_sparse(other):
            return modes.sparse("@", input, other)
        if is_table(input) or is_table(other):
            return matmul(*[plain_array(a) if is_table(a) else a for a in (input, other)])
        # arrays alone, or something that only `row` knows to refuse
        both = hasattr(input, "shape") and hasattr(other, "shape")
        if isinstance(input, (int, float, complex)) or isinstance(other, (int, float, complex)):
            raise DTypeError(
                f"unsupported operand type(s) for @: {type(input).__name__!r} and {type(other).__name__!r}",
                "A matrix product needs vectors or matrices.", "Use * to multiply by a number.",
            ) from None  # fmt: skip
        row = _BY_DIMENSIONS.get((rank(input), rank(other))) if both else mm_row
    if row is None:
        return _matmul_batched(input, other)
    try:
        return row(input, other)
    except ShapeError:
        raise _refusal(input, other) from None


def _matmul_batched(a: Any, b: Any) -> Any:
    shape_a, shape_b = sizes(a), sizes(b)
    na, nb = len(shape_a), len(shape_b)
    if na == 0 or nb == 0:
        raise ShapeError(
            f"both arguments to matmul need to be at least 1D, but they are {na}D and {nb}D",
            "",
            "Use * to multiply by a number.",
        )
    try:
        if nb == 2:
            return folded_row(a, b)
        if nb == 1:
            return batched_mv_row(a, b)
        if na == 1:
            return batched_mv_row(b.mT, a)
        return batched_row(a, b)
    except ShapeError:
        raise _refusal(a, b) from None


def _refusal(first: Any, second: Any) -> ShapeError:
    """PyTorch's words for a product whose sizes do not fit (it flattens batches first, and says those sizes)."""
    a, b = sizes(first), sizes(second)
    na, nb = len(a), len(b)
    if na == nb == 1:
        what = (
            f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of elements, "
            f"but got {a[0]} and {b[0]} elements respectively"
        )
    elif nb == 1 or (na == 1 and nb > 2):
        matrix, vector = (a, b) if nb == 1 else (b[:-2] + (b[-1], b[-2]), a)
        rows = math.prod(matrix[:-1])
        what = f"size mismatch, got input ({rows}), mat ({rows}x{matrix[-1]}), vec ({vector[0]})"
    elif nb == 2:
        what = f"mat1 and mat2 shapes cannot be multiplied ({math.prod(a[:-1])}x{a[-1]} and {b[0]}x{b[1]})"
    elif na == 2:
        what = f"mat1 and mat2 shapes cannot be multiplied ({math.prod(b[:-2]) * b[-1]}x{b[-2]} and {a[1]}x{a[0]})"
    else:
        what = _batch_refusal(a, b)
    return ShapeError(
        what,
        f"matmul got {describe((first, second))}: the last size of the first must be the "
        f"{'first' if nb <= 2 else 'last but one'} of the other.",
        "Transpose (.mT) or reshape one of them.",
    )  # fmt: skip


def _batch_refusal(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    words = mismatch(a[:-2], b[:-2])
    if words:
        return words
    count = math.prod(np.broadcast_shapes(a[:-2], b[:-2]))
    return (
        f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {a[-1]}] "
        f"but got: [{count}, {b[-2]}]."
    )


publish(matmul, "matmul")
NUMPY[np.matmul] = matmul
Tensor.__matmul__ = shortcut_if(mm_row, "_x0.ndim == 2 and _x1.ndim == 2", matmul)  # type: ignore[method-assign]
Tensor.__rmatmul__ = lambda self, other: matmul(other, self)  # type: ignore[method-assign]

# ------------------------------------------------------------------------ one function per kind of product


@public()
def mm(input: Any, mat2: Any) -> Any:
    """Return the product of two matrices."""
    _expect(rank(input) == 2, "self must be a matrix", input, mat2)
    _expect(rank(mat2) == 2, "mat2 must be a matrix", input, mat2)
    return matmul(input, mat2)


@public()
def mv(input: Any, vec: Any) -> Any:
    """Return the product of a matrix and a vector."""
    na, nb = rank(input), rank(vec)
    _expect(na == 2 and nb == 1, f"vector + matrix @ vector expected, got 1, {na}, {nb}", input, vec)
    return matmul(input, vec)


@public()
def bmm(input: Any, mat2: Any) -> Any:
    """Return the products of two batches of matrices, (b, n, m) and (b, m, p); no broadcasting."""
    a, b = sizes(input), sizes(mat2)
    _expect(len(a) == 3, "batch1 must be a 3D tensor", input, mat2)
    _expect(len(b) == 3, "batch2 must be a 3D tensor", input, mat2)
    _expect(
        a[0] == b[0] and a[2] == b[1],
        f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: [{b[0]}, {b[1]}].",
        input, mat2,
    )  # fmt: skip
    return bmm_row(input, mat2)


@public()
def dot(input: Any, tensor: Any) -> Any:
    """Return the sum of products of two vectors (of one length; nothing is conjugated)."""
    _expect_vectors(input, tensor)
    return matmul(input, tensor)


@public()
def vdot(input: Any, other: Any) -> Any:
    """Return the sum of products of two vectors, the first conjugated."""
    _expect_vectors(input, other)
    if sizes(input) != sizes(other):
        raise _refusal(input, other)
    return vdot_row(input, other)


@public("ger")
def outer(input: Any, vec2: Any) -> Any:
    """Return the matrix of all products of an entry of ``input`` and one of ``vec2`` (vectors)."""
    for name, v in (("self", input), ("vec2", vec2)):
        n = rank(v)
        _expect(n == 1, f"outer: Expected 1-D argument {name}, but got {n}-D", input, vec2)
    return outer_row(input, vec2)


NUMPY.update({np.vdot: of_lines(vdot), np.outer: of_lines(outer)})


def _expect(holds: bool, what: str, *operands: Any) -> None:
    if not holds:
        shapes = " and ".join(str(sizes(t)) for t in operands)
        raise ShapeError(
            what,
            f"The operands have shapes {shapes}.",
            "Write A @ B: the operator @ (matmul) takes any number of dimensions.",
        )


def _expect_vectors(a: Any, b: Any) -> None:
    na, nb = rank(a), rank(b)
    _expect(na == nb == 1, f"1D tensors expected, but got {na}D and {nb}D tensors", a, b)


# ------------------------------------------------ Products by index notation: `einsum`, and what is said best with it

# The idea to hold: with the letters of each operand known, the gradient of one operand is the same kind of sum again,
# of the incoming gradient with the other operands. Letters that only this operand had are *spread*: repeated where
# they were summed, put on the diagonal where they occurred twice. So three forms are closed under differentiation:
# sums of one operand and their spreads, products of two, products of many.


# --------------------------------------------------------------------------------------------- on arrays


def contract_pair(a: np.ndarray, b: np.ndarray, equation: str) -> np.ndarray:
    """``einsum`` of two operands, as one (batched) matrix product where that is faster."""
    if a.size + b.size <= EINSUM_LOOP:
        return np.einsum(equation, a, b)
    plan = _pair_plan(equation)
    if plan is None:
        return np.einsum(equation, a, b)
    alone_a, alone_b, order_a, order_b, (batch, left, inner), order = plan
    if alone_a:
        a = a.sum(alone_a)
    if alone_b:
        b = b.sum(alone_b)
    a, b = a.transpose(order_a), b.transpose(order_b)
    n, m, k = batch, batch + left, batch + inner
    shape = a.shape[:m] + b.shape[k:]
    p, q, r, s = (math.prod(part) for part in (a.shape[:n], a.shape[n:m], a.shape[m:], b.shape[k:]))
    product = np.matmul(a.reshape(p, q, r), b.reshape(p, r, s))
    return product.reshape(shape).transpose(order)


@lru_cache(maxsize=EINSUM_PLANS)
def _pair_plan(equation: str) -> Any:
    """How to arrange two operands for a matrix product; None where there is nothing to sum over both."""
    inputs, out = equation.split("->")
    first, second = inputs.split(",")
    if len(set(first)) < len(first) or len(set(second)) < len(second):
        return None
    alone_a = tuple(i for i, c in enumerate(first) if c not in second and c not in out)
    alone_b = tuple(i for i, c in enumerate(second) if c not in first and c not in out)
    first = "".join(c for i, c in enumerate(first) if i not in alone_a)
    second = "".join(c for i, c in enumerate(second) if i not in alone_b)
    batch = [c for c in first if c in second and c in out]
    inner = [c for c in first if c in second and c not in out]
    left, right = [c for c in first if c not in second], [c for c in second if c not in first]
    if not inner:
        return None
    order_a = tuple(first.index(c) for c in batch + left + inner)
    order_b = tuple(second.index(c) for c in batch + inner + right)
    made = batch + left + right
    counts = (len(batch), len(left), len(inner))
    return alone_a, alone_b, order_a, order_b, counts, tuple(made.index(c) for c in out)


def contract_many(tensors: Sequence[np.ndarray], equation: str) -> np.ndarray:
    """``einsum`` of any number of operands, two at a time in the order that opt_einsum finds."""
    if len(tensors) == 1:
        return np.einsum(equation, tensors[0]).copy()
    if len(tensors) == 2:
        return contract_pair(tensors[0], tensors[1], equation)
    operands = list(tensors)
    for positions, step in _path(equation, tuple(a.shape for a in operands)):
        taken = [operands.pop(p) for p in positions]
        operands.append(contract_many(taken, step) if len(taken) < 3 else np.einsum(step, *taken))
    return operands[0]


@lru_cache(maxsize=EINSUM_PATHS)
def _path(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[Any, ...]:
    import opt_einsum

    _, info = opt_einsum.contract_path(equation, *shapes, shapes=True)
    return tuple((positions, step) for positions, _, step, *_ in info.contraction_list)


def in_letters(
    terms: Sequence[Sequence[Any]], result: Sequence[Any], shapes: Sequence[Sequence[Any]]
) -> tuple[list[str], str] | None:
    """Labels of axes as letters, but for z: the operands' and the result's. None where sizes differ: they broadcast."""
    sizes = [axis for term, shape in zip(terms, shapes, strict=True) for axis in zip(term, shape, strict=True)]
    named = dict(zip(dict(sizes), LETTERS.replace("z", ""), strict=False))
    if len(named) != len(set(sizes)):  # or there are too many
        return None
    return ["".join([named[k] for k in term]) for term in terms], "".join([named[k] for k in result])


def _spread(x: np.ndarray, equation: str, size: tuple[int, ...]) -> np.ndarray:
    """The transpose of summing one operand: ``equation`` is that sum's, ``size`` the operand's."""
    letters, kept = equation.split("->")
    sizes = dict(zip(letters, size, strict=True))
    once = sorted(set(letters), key=letters.index)
    # missing letters first, then NumPy's broadcasting stretches them
    x = x.transpose([kept.index(c) for c in once if c in kept])
    x = x.reshape([sizes[c] if c in kept else 1 for c in once])
    if len(once) == len(letters):
        return np.array(np.broadcast_to(x, size))
    out = np.zeros(size, x.dtype)
    np.einsum(f"{letters}->{''.join(once)}", out)[...] = x  # a view: the diagonal
    return out


# -------------------------------------------------------------------------------------------------- rows

spread_row = linear(
    "einsum_spread", _spread, lambda g, equation: sum_row(g, equation),
    means="equation size", sample=sampled("iij->i", (2, 2, 3), of=[(2,)]),
    doc="the transpose of a sum over letters: repeats along the summed ones, fills the diagonal of repeated ones",
)  # fmt: skip


def _sum_rule(g: Any, equation: str, shape: Any) -> Any:
    return spread_row(g, equation, tuple(shape))


sum_row: Any = linear(
    "einsum_sum", lambda x, equation: np.einsum(equation, x).copy(), _sum_rule,
    means="equation", sample=sampled("iij->i", of=[(2, 2, 3)]), text="einsum({1}, {0})",
    doc="one operand summed over letters",
)  # fmt: skip
diagonal_row = linear(
    "einsum_permute", lambda x, equation: np.einsum(equation, x), _sum_rule, view=True,
    means="equation", sample=sampled("iij->ji", of=[(2, 2, 3)]), text="einsum({1}, {0})",
    doc="one operand permuted, or a diagonal of it",
)  # fmt: skip


def _pair_rule(g: Any, other: Any, equation: str, i: int, shape: tuple[int, ...]) -> Any:
    inputs, out = equation.split("->")
    terms = inputs.split(",")
    return _gradient(g, (other,), terms[i], out, (terms[1 - i],), tuple(shape))


def _gradient(g: Any, others: Sequence[Any], own: str, out: str, terms: Sequence[str], shape: tuple[int, ...]) -> Any:
    """The gradient of the operand with letters ``own``: a product with the others, then spread."""
    known = set(out).union(*terms)
    kept = "".join(sorted((c for c in set(own) if c in known), key=own.index))
    d = product((g, *others), f"{','.join((out, *terms))}->{kept}")
    return d if kept == own else spread_row(d, f"{own}->{kept}", shape)


pair_row = multilinear(
    "einsum_pair", contract_pair,
    lambda g, b, equation, shape: _pair_rule(g, b, equation, 0, shape),
    lambda g, a, equation, shape: _pair_rule(g, a, equation, 1, shape),
    text="einsum({2}, {0}, {1})",
    doc="the sum of products of two operands over the letters not in the result",
    means="equation", sample=sampled("ij,jk->ki", of=[(2, 3), (3, 4)]),
)  # fmt: skip


def _many_rule(g: Any, tensors: Any, i: int, shapes: Any, equation: str) -> Any:
    inputs, out = equation.split("->")
    terms = inputs.split(",")
    others = (*tensors[:i], *tensors[i + 1 :])
    return _gradient(g, others, terms[i], out, (*terms[:i], *terms[i + 1 :]), tuple(shapes[i]))


einsum_row = general(
    "einsum", contract_many, _many_rule, variadic=True,
    means="equation", sample=sampled("ij,jk,k->i", of=[(2, 3), (3, 4), (4,)]),
    doc="the sum of products of any number of operands over the letters not in the result",
)  # fmt: skip


def _outer_many(operands: Sequence[Any], inputs: str, out: str) -> Any:
    """Nothing to sum: one product after the other."""
    terms = inputs.split(",")
    y, letters = operands[0], terms[0]
    for k in range(1, len(operands)):
        made = out if k == len(operands) - 1 else "".join(dict.fromkeys(letters + terms[k]))
        y, letters = product((y, operands[k]), f"{letters},{terms[k]}->{made}"), made
    return y


def product(operands: Sequence[Any], equation: str) -> Any:
    """Choose the row for an equation in plain letters (no ellipsis, sizes equal)."""
    letters, out = equation.split("->")
    summed = set(letters) - {",", *out}
    if len(operands) == 2:
        y = pair_row(*operands, equation)
        return y if summed else recorded_as(y, "einsum_times")
    if len(operands) > 2:
        return einsum_row(list(operands), equation) if summed else _outer_many(operands, letters, out)
    return (diagonal_row if set(letters) == set(out) else sum_row)(operands[0], equation)


# ------------------------------------------------------------------------------------------------ the notation


def _fail(what: str) -> ShapeError:
    return ShapeError(f"einsum(): {what}", "", "Write one letter per dimension: 'ij,jk->ik'.")


def _check_letters(equation: str) -> None:
    text = equation.replace("->", "  ", 1)
    for i, c in enumerate(text):
        if c not in LETTERS and c not in " ,.":
            raise _fail(f"invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]")


def _terms(equation: str) -> tuple[list[str], str | None]:
    """The letters of each operand and of the result; an ellipsis is one ``.``."""
    _check_letters(equation)
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    for k, term in enumerate([*terms, right]):
        rest = term.replace("...", "", 1)
        where = f"operand {k}" if k < len(terms) else "output"
        if "." in rest:
            seen = "..." in term
            raise _fail(
                f"found '.' for {where} for which an ellipsis was already found" if seen
                else f"found '.' for {where} that is not part of any ellipsis"
            )  # fmt: skip
    return [t.replace("...", ".") for t in terms], right.replace("...", ".") if arrow else None


@lru_cache(maxsize=EINSUM_PLANS)
def _resolve(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[str, tuple[Any, ...]]:
    """The equation in plain letters, and per operand the shape it must be given first (None: as it is)."""
    terms, out = _terms(equation)
    if len(terms) > len(shapes):
        raise _fail("fewer operands were provided than specified in the equation")
    if len(terms) < len(shapes):
        raise _fail("more operands were provided than specified in the equation")
    free = [c for c in LETTERS if c not in equation]
    widest = 0
    for k, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        extra = len(shape) - len(term.replace(".", ""))
        if extra < 0 or (extra and "." not in term):
            raise _wrong_count(k, term, len(shape))
        widest = max(widest, extra)
    if widest > len(free):
        raise _fail("too many dimensions for the letters of the alphabet")
    batch = "".join(free[:widest])
    terms = [
        t.replace(".", batch[widest - (len(s) - len(t) + 1) :] if len(s) >= len(t) else "")
        for t, s in zip(terms, shapes, strict=True)
    ]
    out = _output(terms, out, batch)
    return _squeeze_ones(terms, out, shapes, batch)


def _wrong_count(k: int, term: str, ndim: int) -> ShapeError:
    count = f"the number of subscripts in the equation ({len(term.replace('.', ''))})"
    if "." in term:
        return _fail(f"{count} is more than the number of dimensions ({ndim}) for operand {k}")
    return _fail(f"{count} does not match the number of dimensions ({ndim}) for operand {k} and no ellipsis was given")


def _output(terms: list[str], out: str | None, batch: str) -> str:
    every = "".join(terms)
    if out is None:  # the letters that occur once, in alphabetical order (capitals first)
        return batch + "".join(sorted(c for c in set(every) if every.count(c) == 1 and c not in batch))
    out = out.replace(".", batch)
    for c in out:
        if out.count(c) > 1:
            raise _fail(f"output subscript {c} appears more than once in the output")
        if c not in every:
            raise _fail(f"output subscript {c} does not appear in the equation for any input operand")
    return out


def _squeeze_ones(terms: list[str], out: str, shapes: Any, batch: str) -> tuple[str, tuple[Any, ...]]:
    """Sizes must agree; a size of 1 against another is a dimension that the operand does not have."""
    sizes: dict[str, int] = {}
    for k, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        own: dict[str, int] = {}
        for c, n in zip(term, shape, strict=True):
            if own.setdefault(c, n) != n:
                raise _fail(f"subscript {c} is repeated for operand {k} but the sizes don't match, {n} != {own[c]}")
            if n != 1 and sizes.setdefault(c, n) != n:
                what = f"dimension {batch.index(c)} covered by ellipsis" if c in batch else f"subscript {c}"
                raise _fail(
                    f"{what} has size {n} for operand {k} which does not broadcast with previously seen size {sizes[c]}"
                )
    new_shapes = []
    for k, shape in enumerate(shapes):
        keep = [n != 1 or sizes.get(c, 1) == 1 for c, n in zip(terms[k], shape, strict=True)]
        new_shapes.append(None if all(keep) else tuple(n for n, kept in zip(shape, keep, strict=True) if kept))
        terms[k] = "".join(c for c, kept in zip(terms[k], keep, strict=True) if kept)
    return f"{','.join(terms)}->{out}", tuple(new_shapes)


def _from_lists(args: Sequence[Any]) -> tuple[str, list[Any]]:
    """``einsum(op1, [0, 1], op2, [1, 2], [0, 2])`` in letters."""

    def letters(subscripts: Iterable[Any]) -> str:
        text = ""
        for s in subscripts:
            if s is not Ellipsis and not 0 <= s < 52:
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
            text += "..." if s is Ellipsis else _ALPHABET[s]
        return text

    pairs = list(zip(args[::2], args[1::2], strict=False))
    equation = ",".join(letters(s) for _, s in pairs)
    return equation + (f"->{letters(args[-1])}" if len(args) % 2 else ""), [t for t, _ in pairs]


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # capitals sort first


@public(method=False)
def einsum(*args: Any) -> Any:
    """Return sums of products of entries, by index notation: ``einsum("ij,jk->ik", A, B)``.

    Letters missing on the right of ``->`` are summed over; a letter twice in one operand takes its diagonal; ``...``
    stands for any further dimensions; without ``->`` the result has the letters that occur once, in alphabetical
    order. Also ``einsum(A, [0, 1], B, [1, 2], [0, 2])``. Products of more than two operands are done two at a time,
    in an order found by opt_einsum.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> trace = sg.einsum("ii", A)
    >>> trace.backward()
    >>> trace, A.grad
    (tensor(5., grad_fn=<SumBackward1>), tensor([[1., 0.],
            [0., 1.]]))
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    equation, operands = (args[0], args[1:]) if isinstance(args[0], str) else _from_lists(args)
    operands = listed(operands)
    plain, shapes = _resolve(equation, tuple(tuple(sizes(t)) for t in operands))
    if shapes.count(None) < len(shapes):
        operands = [t if s is None else t.reshape(s) for t, s in zip(operands, shapes, strict=True)]
    return product(operands, plain)


def _numpy_einsum(*args: Any, optimize: Any = False, **_: Any) -> Any:
    return einsum(*([args[0], *alike(*args[1:])] if isinstance(args[0], str) else args))


NUMPY[np.einsum] = _numpy_einsum
