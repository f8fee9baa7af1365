"""The functions of arrays that texts may call, and what each makes of the shapes of its arguments.

The idea to hold: where sizes alone say which arguments fit and what comes out, a function is a line of `_FITTED`; the
others are rules, by their kind: products, what rearranges, joins, or makes arrays; `_text_calls` has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache
from math import prod
from typing import Any

from .. import linalg
from .._limits import bound
from ..ops import FUNCTIONS
from ..syntax import Node
from ._operators import broadcast_list, condition, kron, matmul, transposed
from ._shapes import (
    Evaluate,
    NodeStep,
    Shape,
    UnknownSize,
    WorkedOut,
    as_numbers,
    as_tensor,
    as_truth,
    broadcast,
    identity,
    is_no_number,
    lift,
    ones,
)
from ._text_calls import ARRAY_FUNCTIONS, AXES, TextCall, entrywise, function, is_of_operands, rows

Dims = tuple[int | UnknownSize, ...]

ONLY_MATRIX = frozenset({"vector", "matrix"})
"""Names that NumPy does not have."""


@cache
def known(matrix: bool) -> frozenset[str]:
    """The names of all functions that a text may call."""
    names = {*entrywise(), *ARRAY_FUNCTIONS, *rows()}.difference(() if matrix else ONLY_MATRIX)
    return frozenset(filter(str.isidentifier, names))


def run_together(name: str, arguments: Container[str]) -> str:
    """The call that a name may have been meant for: cos(x), of cosx; else nothing."""
    calls = ((name[:k], name[k:]) for k in range(2, len(name)))
    return next((f"{f}({x})" for f, x in calls if x in arguments and f in known(True)), "")


def acts_on_entries(call: Node) -> bool:
    """Whether a part of a text is a call of a function of each entry."""
    if call.kind != "call":
        return False
    name = call.value[0]
    if name in ("max", "min"):
        return is_of_operands(call)
    return (name in entrywise() or name in rows()) and name not in ARRAY_FUNCTIONS


# ---------------------------------------------------------------------- shapes alone

_FITTED: dict[str, tuple[str, Callable[..., Any]]] = {
    "inv inverse": ("ii -> ii", linalg.inv),
    "cholesky": ("ii -> ii", linalg.cholesky),
    "matrix_exp expm": ("ii -> ii", linalg.matrix_exp),
    "det": ("ii -> ", linalg.det),
    "logdet": ("ii -> ", FUNCTIONS["logdet"]),
    "trace tr": ("ii -> ", FUNCTIONS["trace"]),
    "eigvalsh": ("ii -> i", linalg.eigvalsh),
    "pinv": ("ij -> ji", linalg.pinv),
    "outer ger": ("i,j -> ij", FUNCTIONS["outer"]),
    "cross": ("3,3 -> 3", FUNCTIONS["cross"]),
    "sort": ("i -> i", lambda x: FUNCTIONS["sort"](x)[0]),
}


def _fitted(spec: str, fn: Callable[..., Any]) -> Callable[[TextCall], WorkedOut]:
    return lambda call: (call.fit(spec), fn)


for _names, (_spec, _fn) in _FITTED.items():
    function(_names, "x " * (_spec.split()[0].count(",") + 1))(_fitted(_spec, _fn))


@function("chol", "x")
def _chol(call: TextCall) -> WorkedOut:
    call.reading.taken.add("chol as MATLAB's and R's, the upper factor")
    return call.fit("ii -> ii"), lambda x: linalg.cholesky(x).T


@function("solve", "a ? b")
def _solve(call: TextCall) -> WorkedOut:
    """``solve(A, b)``; ``solve(A)`` is R's inverse."""
    if "b" in call.options:
        return call.reading.fit(call.node, "ii,i -> i | ii,ij -> ij", call.arguments), linalg.solve
    return call.fit("ii -> ii"), linalg.inv


@function("crossprod", "x ? y")
def _crossprod(call: TextCall) -> WorkedOut:
    """R's ``crossprod(X, y)``, which is Xᵀy, and ``crossprod(X)``; of vectors a number."""
    arrays = [*call.arguments, *call.arguments][:2]
    shape = call.reading.fit(call.node, "ki,kj -> ij | ki,k -> i | k,k -> ", arrays)
    return shape, lambda x, y=None: x.T @ (x if y is None else y) if x.ndim > 1 else x @ (x if y is None else y)


@function("adj adjugate", "x")
def _adjugate(call: TextCall) -> WorkedOut:
    call.reading.taken.add(f"{call.name} as the adjugate, det(A)·A⁻¹")
    return call.fit("ii -> ii"), lambda x: linalg.det(x) * linalg.inv(x)


@function("slogdet", "x")
def _slogdet(call: TextCall) -> WorkedOut:
    call.fit("ii -> ")
    return Shape(parts=(Shape(), Shape())), lambda x: tuple(linalg.slogdet(x))


@function("svd[]", "x")
def _svd(call: TextCall) -> WorkedOut:
    """What U, s and Vᵀ of ``X = U diag(s) Vᵀ`` are."""
    _, a = call.array()
    call.fit("ij -> ij")
    rows, columns = a.dims
    least = rows if call.reading.sizes.agree(rows, columns) else call.reading.sizes.opaque()
    parts = (Shape((rows, least)), Shape((least,)), Shape((least, columns)))
    call.reading.taken.add("the three factors as the singular value decomposition")
    return Shape(parts=parts), lambda x: linalg.svd(x, full_matrices=False)


@function("eigh[]", "x")
def _eigh(call: TextCall) -> WorkedOut:
    """What λ and U of ``A = U diag(λ) Uᵀ`` are."""
    call.fit("ii -> ii")
    (n, _) = call.array()[1].dims
    call.reading.taken.add("the factors as eigenvectors and eigenvalues of a symmetric matrix")
    return Shape(parts=(Shape((n,)), Shape((n, n)))), linalg.eigh


TEXT_MATRIX_POWER = bound(100)
"""Powers of matrices."""


@function("matrix_power", "x ? n")
def _matrix_power(call: TextCall) -> WorkedOut:
    n = call.option("n")
    if isinstance(n, bool) or not isinstance(n, int) or abs(n) > TEXT_MATRIX_POWER:
        raise call.problem(f"the power is an integer from -{TEXT_MATRIX_POWER} to {TEXT_MATRIX_POWER}")
    return call.fit("ii -> ii"), lambda x, *_: linalg.matrix_power(x, n)


@function("triu tril", "x ? k|diagonal")
def _triangle(call: TextCall) -> WorkedOut:
    k, fn = call.option("k", 0), FUNCTIONS[call.name]
    if type(k) is not int:
        raise call.problem("the diagonal is an integer")
    return call.fit("ij -> ij"), lambda x, *_: fn(x, k)


@function("diff", "x")
def _diff(call: TextCall) -> WorkedOut:
    a = call.fit("i -> i")
    return Shape((call.reading.sizes.plus(a.dims[0], -1),)), FUNCTIONS["diff"]


@function("einsum", "spec x ? . . . . . . .")
def _einsum(call: TextCall) -> WorkedOut:
    spec = call.positional[0][1].number
    spec = "".join(spec.split()) if isinstance(spec, str) else ""
    inputs, arrow, output = spec.partition("->")
    letters = set(inputs) - {","}
    arrays = [call.array(i) for i in range(1, len(call.positional))]
    fits = arrow and inputs.count(",") + 1 == len(arrays) and all(map(str.isalpha, letters))
    if not fits or set(output) - letters:
        raise call.problem("the first argument says what is summed, as in einsum('ij,j->i', A, x)")
    if len(set(output)) < len(output):
        raise call.problem("a letter occurs twice after the arrow")
    shape = call.reading.fit(call.node, f"{inputs} -> {output}", arrays)

    def run(_: str, *values: Any) -> Any:
        call.reading.refuse_large(call.node, [call.reading.length(call.node, dim) for dim in shape.dims])
        return FUNCTIONS["einsum"](spec, *map(as_tensor, values))

    return shape, run


# ---------------------------------------------------------------------- products


@function("dot inner vdot ⟨⟩", "x y")
def _dot(call: TextCall) -> WorkedOut:
    (_, a), (_, b) = call.arrays()
    if a.rank == b.rank == 2 and (call.reading.marks.matlab or call.reading.marks.julia) and not call.node.owner:
        raise call.problem("of matrices is another number, or several, in each language", "Write tr(A'*B), or A*B.")
    if not a.dims or not b.dims:
        return broadcast(call.reading, call.node, call.arguments), lambda u, v: lift(u) * lift(v)
    if a.rank == b.rank == 1:
        return call.fit("i,i -> "), lambda u, v: u @ v
    if call.name in ("⟨⟩", "vdot"):
        broadcast(call.reading, call.node, call.arguments)
        return Shape(), lambda u, v: (u * v).sum()
    if call.name == "inner":
        raise call.problem("takes two vectors", "Write vdot(A, B) or A @ B.T.")
    return matmul(call.reading, call.node, a, b)


@function("matmul mm mv bmm kron", "x y")
def _product(call: TextCall) -> WorkedOut:
    (_, a), (_, b) = call.arrays()
    return (kron if call.name == "kron" else matmul)(call.reading, call.node, a, b)


# ---------------------------------------------------------------------- what rearranges and joins


@function("swapaxes", "x axis1 axis2")
def _swapaxes(call: TextCall) -> WorkedOut:
    _, a = call.array()
    one, two = (call.written(*pair) for pair in call.positional[1:])
    if not all(type(i) is int and -a.rank <= i < a.rank for i in (one, two)):
        raise call.problem(f"there are no such axes: {call.reading.described(a)}")
    dims = list(a.dims)
    dims[one], dims[two] = dims[two], dims[one]
    return Shape(tuple(dims)), lambda x, *_: FUNCTIONS["swapaxes"](x, one, two)


@function("transpose t adjoint", "x ? axes .")
def _transpose(call: TextCall) -> WorkedOut:
    """``transpose(X)``; with axes as NumPy's, of arrays of any rank; with two as PyTorch's."""
    _, a = call.array()
    if len(call.positional) == 3:
        return _swapaxes(call)
    axes = call.option("axes")
    if axes is not None:
        if type(axes) is not tuple or sorted(axes) != list(range(a.rank)):
            raise call.problem(f"the axes are 0, …, {a.rank - 1} in some order", "Write transpose(X, (1, 0)).")
        return Shape(tuple(a.dims[k] for k in axes)), lambda x, *_: FUNCTIONS["permute"](x, axes)
    if a.rank > 2:
        raise call.problem("takes a matrix", "Write swapaxes(X, 0, 1).")
    return transposed(call.reading, a)


@function("float", "value")
def _float(call: TextCall) -> WorkedOut:
    """``float('nan')`` and ``float('inf')``, the numbers of Python that have no digits."""
    said = call.positional[0][1].number
    if said not in ("nan", "inf"):
        raise call.problem("takes 'nan' or 'inf'", "Write other numbers in digits, 0.5.")
    value = float(said)
    return Shape(number=value), lambda _: value


@function("diag diagonal", "x")
def _diag(call: TextCall) -> WorkedOut:
    node, a = call.array()
    if call.reading.rank == 4 and node.is_call("vec"):
        return _diag_of_pairs(call, node)
    rows, columns = map(call.reading.sizes.root, a.dims) if a.rank == 2 else (None, None)
    if isinstance(rows, int) and isinstance(columns, int):
        return Shape((min(rows, columns),)), FUNCTIONS["diagonal"]
    spec = "ii -> i" if a.rank == 2 else "ij -> i" if call.name == "diagonal" else "i -> ii | ij -> i"
    return call.fit(spec), FUNCTIONS["diagonal" if a.rank == 2 else "diag"]


def _diag_of_pairs(call: TextCall, vec: Node) -> WorkedOut:
    """``diag(vec(X))`` in an array of four axes, as it is printed: each pair of axes is one, read row by row."""
    reading, (inner,) = call.reading, vec.children
    dims = reading.fit(call.node, "ij -> ij", [(inner, reading.shapes[id(inner)])]).dims

    def run(x: Any) -> Any:
        rows, columns = (identity(reading.length(call.node, dim)) for dim in dims)
        return FUNCTIONS["einsum"]("ij,ik,jl->ijkl", x, rows, columns)

    reading.steps.pop(id(vec))
    reading.steps[id(call.node)] = NodeStep(call.node, run, (inner,))
    return Shape(dims * 2), run


@function("vec ravel flatten", "x")
def _vec(call: TextCall) -> WorkedOut:
    _, a = call.array()
    if a.rank == 1:
        return Shape(a.dims), lambda x: x
    return Shape((call.reading.sizes.times(*a.dims),)), lambda x: FUNCTIONS["reshape"](as_tensor(x), (-1,))


@function("reshape", "x ? … * size|shape|newshape")
def _reshape(call: TextCall) -> WorkedOut:
    node, a = call.array()
    sizes = [*call.positional[1:], *call.options.values()]
    parts = [part for size, _ in sizes for part in (size, *size.children)]
    if any(part.kind == "name" and part.value in call.reading.counts for part in parts):  # it fits, or cannot be run
        dims = _lengths(call, sizes)
        return Shape(dims), lambda x, *_: FUNCTIONS["reshape"](
            as_tensor(x), tuple(call.reading.length(call.node, d) for d in dims)
        )
    wanted = [call.written(*pair) for pair in sizes]
    if len(wanted) == 1 and isinstance(wanted[0], tuple):
        wanted = list(wanted[0])
    known = [call.reading.sizes.root(d) for d in a.dims]
    if not wanted:
        raise call.problem("to which shape?", "Write reshape(x, (2, 3)).")
    if not all(isinstance(d, int) for d in known) or not all(type(w) is int and w >= -1 for w in wanted):
        raise call.reading.conflict(call.node, "a reshape needs numbers of entries", node)
    total, rest = prod(d for d in known if isinstance(d, int)), prod(w for w in wanted if w != -1)
    if wanted.count(-1) > 1 or rest == 0 or total % rest or (-1 not in wanted and rest != total):
        raise call.problem(f"{total} entries do not fill {' × '.join(map(str, wanted))}")
    shape = tuple(total // rest if w == -1 else w for w in wanted)
    return Shape(shape), lambda x, *_: FUNCTIONS["reshape"](as_tensor(x), shape)


@function("roll", f"x ? shift|shifts {AXES}")
def _roll(call: TextCall) -> WorkedOut:
    _, a = call.array()
    shift = call.option("shift")
    shifts = shift if isinstance(shift, tuple) else (shift,)
    if not shifts or any(type(s) is not int for s in shifts):
        raise call.problem("the shift is an integer", "Write roll(x, 1).")
    axes = call.axes(a.rank, 0 if a.rank == 1 and len(shifts) == 1 else None)
    if axes is None and a.rank == len(shifts) == 1:  # None says all entries, which are those of a vector
        axes = (0,)
    if axes is None or len(axes) != len(shifts):
        raise call.problem(f"it is {call.reading.described(a)}: along which axis?", "Say it: roll(X, 1, axis=0).")
    return Shape(a.dims), lambda x, *_: FUNCTIONS["roll"](x, shifts, axes)


@function("flip", f"x ? {AXES}")
def _flip(call: TextCall) -> WorkedOut:
    _, a = call.array()
    axes = call.axes(a.rank, tuple(range(a.rank)))
    return Shape(a.dims, a.row), lambda x, *_: FUNCTIONS["flip"](as_numbers(x), axes)


@function("stack concatenate cat hstack", f"items ? {AXES}")
def _joined(call: TextCall) -> WorkedOut:
    r, node = call.reading, call.positional[0][0]
    if node.kind != "items" or not node.children:
        raise call.problem("takes a list", f"Write {call.name}([x, y]).")
    items = [r.shapes[id(child)] for child in node.children]
    for child, item in zip(node.children, items, strict=True):
        if is_no_number(child, item) or item.parts:
            raise call.problem(f"{r.source(child)} is no array", at=child)
    first = items[0]
    if call.name == "stack":
        broadcast_list(r, node, tuple(items))
        (axis,) = call.axes(first.rank + 1, 0)
        dims: Dims = (*first.dims[:axis], len(items), *first.dims[axis:])
        return Shape(dims), lambda parts, *_: FUNCTIONS["stack"](list(map(as_numbers, parts)), axis)
    if not first.rank or any(item.rank != first.rank for item in items):
        raise call.problem("takes a list of vectors, or of matrices", f"Write {call.name}([x, y]).")
    (axis,) = call.axes(first.rank, 1 if call.name == "hstack" and first.rank > 1 else 0)
    for item in items:
        rest = [(d, e) for k, (d, e) in enumerate(zip(first.dims, item.dims, strict=True)) if k != axis]
        if not all(r.sizes.same(d, e) for d, e in rest):
            raise r.conflict(call.node, f"{r.described(first)} and {r.described(item)}")
    lengths = [r.sizes.root(item.dims[axis]) for item in items]
    total = sum(lengths) if all(isinstance(n, int) for n in lengths) else r.sizes.opaque()  # type: ignore[arg-type]
    dims = (*first.dims[:axis], total, *first.dims[axis + 1 :])
    return Shape(dims), lambda parts, *_: FUNCTIONS["cat"](list(map(as_numbers, parts)), axis)


# ---------------------------------------------------------------------- what makes arrays


TEXT_SIZE = bound(10**6)
"""Rows of an identity, of zeros or ones that a text asks for by number."""


def _size(reading: Any, node: Node) -> int | UnknownSize | None:
    """A size by its name, and perhaps a number more or less: ``n``, ``T + 1``; else None."""
    name, more = node, 0
    if node.is_binary("+", "-"):
        name, number = node.children[0], reading.shapes[id(node.children[1])].number
        if type(number) is not int:
            return None
        more = number if node.value == "+" else -number
    if name.kind != "name" or name.value not in reading.counts:
        return None
    found: int | UnknownSize = reading.sizes.plus(reading.counts[name.value], more)
    return found


def _lengths(call: TextCall, items: list[tuple[Node, Shape]]) -> Dims:
    """Sizes written as arguments: numbers, or names of sizes."""
    dims: list[int | UnknownSize] = []
    for node, shape in items:
        if shape.parts and node.kind == "tuple":
            dims += _lengths(call, [(n, call.reading.shapes[id(n)]) for n in node.children])
        elif type(shape.number) is int and 0 < shape.number <= TEXT_SIZE:
            dims.append(shape.number)
        elif (size := _size(call.reading, node)) is not None:
            dims.append(size)
        else:
            what = f"{call.reading.source(node)} is no size"
            raise call.problem(what, "Write a number, or the name of a size.", node)
    return tuple(dims)


@function("eye identity", "n ? .")
@function("ones zeros", "n ? …")
def _filled(call: TextCall) -> WorkedOut:
    dims = _lengths(call, call.positional)
    one = len(call.positional) == 1 and call.positional[0][0].kind != "tuple"
    if one and call.name in ("ones", "zeros") and call.reading.marks.matlab:
        step = f"Write {call.name}((n,)) for a vector, {call.name}(n, n) for a matrix."
        raise call.problem("of one size is a matrix in MATLAB, a vector elsewhere", step)
    if call.name in ("eye", "identity"):
        dims = dims * 2 if len(dims) == 1 else dims
        return Shape(dims), _made(call, "eye", dims)
    return Shape(dims), _made(call, call.name, dims)


@function("ones_like zeros_like", "x")
def _like(call: TextCall) -> WorkedOut:
    _, a = call.array()
    return Shape(a.dims, a.row), _made(call, call.name.removesuffix("_like"), a.dims)


def _made(call: TextCall, name: str, dims: Dims) -> Evaluate:
    def run(*_: Any) -> Any:
        sizes = [call.reading.length(call.node, d) for d in dims]
        call.reading.refuse_large(call.node, sizes)
        if name == "eye":
            return identity(sizes[0]) if sizes[0] == sizes[1] else FUNCTIONS["eye"](*sizes)
        return ones(*sizes) if name == "ones" else ones(*sizes) * 0

    return run


@function("δ[]", "")
def _delta(call: TextCall) -> WorkedOut:
    """What ``δ[i,j]`` and ``eye[i,j]`` are entries of."""
    dim = call.reading.sizes.fresh()
    return Shape((dim, dim)), _made(call, "eye", (dim, dim))


@function("vector matrix", "value")
def _constant_array(call: TextCall) -> WorkedOut:
    """``vector(1)``, ``matrix(0)``: an array of one number, as large as it must be."""
    value = call.written(*call.positional[0])
    if isinstance(value, (str, bool, tuple)) or value is None:
        raise call.problem("takes a number")
    dims = tuple(call.reading.sizes.fresh() for _ in range(2 if call.name == "matrix" else 1))
    make = _made(call, "ones", dims)
    return Shape(dims), lambda _: make() if value == 1 else make() * lift(value)


@function("broadcast_to", "x size")
def _broadcast_to(call: TextCall) -> WorkedOut:
    (x, a), size = call.array(), call.positional[1]
    wanted = Shape(_lengths(call, [size]))
    dims = broadcast(call.reading, call.node, [(x, a), (size[0], wanted)]).dims
    if len(dims) > wanted.rank or not all(map(call.reading.sizes.same, dims, wanted.dims)):
        raise call.problem(f"{call.reading.said(x, a)} and does not fill that")
    make = _made(call, "ones", wanted.dims)
    return wanted, lambda x, _: lift(x) * make()


# ---------------------------------------------------------------------- others


@function("array asarray", "x")
def _array(call: TextCall) -> WorkedOut:
    """``array([1, 2])``: the list itself."""
    return call.array()[1], lambda x: x


@function("len length", "x")
def _len(call: TextCall) -> WorkedOut:
    node, a = call.array()
    if not a.rank:
        raise call.reading.wanted(call.node, node, a, "an array")
    if call.name == "length" and a.rank > 1:
        raise call.problem("of a matrix is another number in each language", "Write A.shape[0].")
    root = call.reading.sizes.root(a.dims[0])
    return Shape(number=root if isinstance(root, int) else None), lambda x: call.reading.count(call.node, a.dims[0])


@function("1[]", "x")
def _indicator(call: TextCall) -> WorkedOut:
    node, a = call.array()
    return Shape(a.dims, a.row), lambda x: condition(call.reading, node, x) * 1.0


@function("masked_fill", "x mask value")
def _masked_fill(call: TextCall) -> WorkedOut:
    call.arrays()
    shape = broadcast(call.reading, call.node, call.arguments)
    return shape, lambda x, m, value: FUNCTIONS["where"](as_truth(m), lift(value), as_numbers(x))
