"""`HessianMatrix`: second derivatives in several parameters as one matrix whose rows, and blocks, have names."""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._errors import GradientError, ShapeError, SymbolicBranchError, SymgradError
from .._limits import bound
from ..core import Carrier, Symbol, Tensor, content, modes, tensor_around, wrap
from ..ops import FUNCTIONS, METHODS
from ..ops.linalg import LinAlgError, inv, solve
from .calls.tree import Spec, _is_dataclass, _keys, cut_to_shapes, difference, entry_names, flatten_like, unflatten
from .report import (
    Report,
    SingularError,
    aligned,
    asymmetry,
    clauses,
    html_row,
    is_sparse,
    own_solution,
    report,
    short,
    solved,
)

# ------------------------------ Blocks of a matrix found by names: nested reading, as of containers within containers

# The idea to hold: a `TreeNode` is a node in the structure of the parameters, a leaf or a container of further nodes. A
# block is found by a node for its rows and one for its columns; as long as one of them is a container, what has been
# found is a `NestedBlocks`, which is read on.


SHOWN = bound(12)
"""Rows and columns of a matrix that are shown."""


class UnknownParameterError(SymgradError, KeyError, IndexError):
    """A matrix was asked for a parameter that it has not."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError shows its message quoted, on one line


class TreeNode:
    """A node in the structure of the parameters.

    Attributes
    ----------
    path : the keys that lead here
    spec : the structure below
    start, stop : which arrays lie below, counted in the order of the structure
    entries : the nodes below by key, None for an array
    """

    __slots__ = ("entries", "path", "spec", "start", "stop")

    entries: Any
    path: tuple[Any, ...]
    spec: Spec
    start: int
    stop: int

    def __init__(self, path: tuple[Any, ...], spec: Spec, start: int, stop: int, entries: Any) -> None:
        self.path, self.spec, self.start, self.stop, self.entries = path, spec, start, stop, entries

    @property
    def nothing(self) -> bool:
        """Whether None stands here."""
        return self.spec.kind is type(None)

    @property
    def keyed(self) -> bool:
        """Whether this is a dictionary, read by keys only."""
        return self.spec.kind is not None and issubclass(self.spec.kind, dict)

    def entry(self, key: Any) -> TreeNode | None:
        """The place below of this key, position (not in dictionaries) or path with dots; None if there is none."""
        if self.entries is None:
            return None
        try:
            found: TreeNode | None = self.entries.get(key)
        except TypeError:  # a slice, a list
            return None
        if found is not None:
            return found
        if isinstance(key, (int, np.integer)) and not self.keyed and -len(self.entries) <= key < len(self.entries):
            return list(self.entries.values())[key]
        return self._dotted(key) if isinstance(key, str) else None

    def _dotted(self, text: str) -> TreeNode | None:
        if self.entries is None:
            return None
        for key, below in self.entries.items():
            name = str(key)
            if text == name:
                return below
            if text.startswith(name + "."):
                found = below._dotted(text[len(name) + 1 :])
                if found is not None:
                    return found
        return None

    def reach(self, selector: Any) -> TreeNode | None:
        """The place that a key, a position, a dotted text or a tuple of keys leads to."""
        found = self.entry(selector)
        if found is not None or not isinstance(selector, tuple):
            return found
        place: TreeNode | None = self
        for key in selector:
            place = None if place is None else place.entry(key)
        return place


def placed(spec: Spec, names: Sequence[tuple[Any, ...]]) -> TreeNode:
    """The places of a structure whose arrays have these paths."""
    return _placed(spec, names, (), 0)


def _placed(spec: Spec, names: Sequence[tuple[Any, ...]], path: tuple[Any, ...], start: int) -> TreeNode:
    if spec.kind is None:
        return TreeNode(names[start], spec, start, start + 1, None)
    entries: dict[Any, TreeNode] = {}
    stop = start
    known = list(_entry_names(spec))
    for k, part in enumerate(spec.parts):
        # the paths know best: arguments are a tuple in the structure, and have names
        key = names[stop][len(path)] if part.size and len(names[stop]) > len(path) else known[k]
        entries[key] = below = _placed(part, names, (*path, key), stop)
        stop = below.stop
    return TreeNode(path, spec, start, stop, entries)


def _entry_names(spec: Spec) -> Sequence[Any]:
    if issubclass(spec.kind, dict):
        return _keys(spec)
    if issubclass(spec.kind, tuple) and hasattr(spec.kind, "_fields"):
        return spec.kind._fields
    return spec.names[0] if _is_dataclass(spec.kind) else range(len(spec.parts))


class NestedBlocks:
    """Blocks of a matrix, read like nested containers: first to the array of the rows, then to that of the columns.

    Over dictionaries it iterates as a dictionary (over the keys), over all other containers as a tuple (over what is in
    it), so that ``row_a, row_b = H`` unpacks.
    """

    _whole: Any
    _row: Any
    _column: Any

    @property
    def _open(self) -> TreeNode:
        """The place that is read next."""
        return self._row if self._row.entries is not None else self._column

    def _select(self, row: TreeNode, column: TreeNode) -> Any:
        if row.nothing or (row.entries is None and column.nothing):
            return None
        if row.entries is None and column.entries is None:
            return self._whole._block(row.start, column.start)
        return _ChosenBlock(self._whole, row, column)

    def _down(self, place: TreeNode) -> Any:
        return self._select(place, self._column) if self._open is self._row else self._select(self._row, place)

    def __getitem__(self, key: Any) -> Any:
        found = self._open.reach(key)
        if found is None:
            raise unknown(self, (key,), None, None)
        return self._down(found)

    def __len__(self) -> int:
        """The number of parameters at this level, as of the container that holds them."""
        return len(self._entries() if self._open.entries is not None else self._whole._block(0, 0))

    def __contains__(self, key: Any) -> bool:
        return key in self._entries()

    def __iter__(self) -> Iterator[Any]:
        if self._open.entries is None:
            return iter(self._whole._block(0, 0))
        return iter(self.keys() if self._open.keyed else self.values())

    def _entries(self) -> dict[Any, TreeNode]:
        if self._open.entries is None:
            raise TypeError("the parameter is one array: it has no keys, its name is in H.names")
        return self._open.entries

    def keys(self) -> list[Any]:
        """Return the keys of this level: of a dictionary, fields, positions, or names of arguments."""
        return list(self._entries())

    def values(self) -> list[Any]:
        """Return what `keys` lead to: blocks, or what is read on."""
        return [self._down(place) for place in self._entries().values()]

    def items(self) -> list[tuple[Any, Any]]:
        """Return pairs of keys and what they lead to."""
        return list(zip(self.keys(), self.values(), strict=True))

    def blocks(self) -> Any:
        """Return the blocks as nested containers like the parameters: dictionaries of dictionaries, say."""
        return self._built(self._row, self._column)

    def _built(self, row: TreeNode, column: TreeNode) -> Any:
        if row.entries is not None:
            rows = [self._built(_leaf_at(k), column) for k in range(row.start, row.stop)]
            return unflatten(row.spec, rows)
        block = self._whole._block
        return unflatten(column.spec, [block(row.start, k) for k in range(column.start, column.stop)])

    def __repr__(self) -> str:
        whole = self._whole
        rows = described(*_below(whole, self._row)) or "nothing"
        columns = described(*_below(whole, self._column)) or "nothing"
        return f"<blocks of a {whole._word}: {rows} by {columns}>"


class _ChosenBlock(NestedBlocks):
    """What rows and columns have been chosen so far."""

    def __init__(self, whole: Any, row: TreeNode, column: TreeNode) -> None:
        self._whole, self._row, self._column = whole, row, column


def _leaf_at(k: int) -> TreeNode:
    return TreeNode((), Spec(), k, k + 1, None)


def _below(whole: Any, place: TreeNode) -> tuple[Any, Any]:
    return whole.names[place.start : place.stop], whole.shapes[place.start : place.stop]


# ----------------------------------------------------------------------------------------------- how names are written


def spelled(path: tuple[Any, ...]) -> str:
    """A path as it is read: ``layers.0.W``; what has no name of its own is ``x``: ``x[0].W``."""
    if path and isinstance(path[0], str):
        return ".".join(map(str, path))
    return ".".join(["x" + (f"[{path[0]!r}]" if path else ""), *map(str, path[1:])])


def described(names: Sequence[tuple[Any, ...]], shapes: Sequence[tuple[int, ...]], most: int = 8) -> str:
    """Names with sizes: ``a (number), W (2 × 3)``, the first few."""
    parts = [
        f"{spelled(name)} ({' × '.join(map(str, shape)) or 'number'})" for name, shape in zip(names[:most], shapes)
    ]
    return ", ".join(parts + ([f"… {len(names) - most} more"] if len(names) > most else []))


LISTED = bound(12)
"""Names of parameters that an error lists."""


def unknown(part: NestedBlocks, key: tuple[Any, ...], row: Any, column: Any) -> UnknownParameterError:
    """The error for a key that leads nowhere, with the names there are and the nearest."""
    whole, root = part._whole, part._whole._root
    at = part._open
    wrong = next((k for k, found in zip(key, (row, column)) if found is None), key)
    names = [str(k) for k in at.entries or ()]
    texts = list(dict.fromkeys([*names, *(spelled(name) for name in whole.names)]))
    where = "" if at.path == () or at is root or at.entries is None else f" in {spelled(at.path)}"
    shown = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
    if at.entries is None:
        evidence = f"It has one array, {spelled(whole.names[0])}."
    else:
        evidence = f"The names{where or ' here'}: {shown}." if names else "There are none here."
    return UnknownParameterError(
        f"the {whole._word} has no parameter {wrong!r}{where}", evidence, _advice(root, key, wrong, texts)
    )


def _advice(root: TreeNode, key: tuple[Any, ...], wrong: Any, texts: list[str]) -> str:
    if len(key) > 1 and root.reach(key) is not None:
        text = ", ".join(map(repr, key))
        return f"A path is one key: H[({text}), …], or with dots H[{'.'.join(map(str, key))!r}, …]."
    if len(key) > 2:
        return "H takes one key for the rows and one for the columns: H[row, column]."
    plain = ".".join(map(str, wrong)) if isinstance(wrong, tuple) else str(wrong)
    if isinstance(wrong, slice):
        return "Rows and columns by number are in H.matrix."
    lower = {text.lower(): text for text in texts}
    near = difflib.get_close_matches(plain.lower(), lower, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {lower[near[0]]!r}?"
    return "H.names lists the paths of all parameters; entries by number are in H.matrix."


# --------------------- `HessianMatrix`: second derivatives in several parameters, as one matrix whose rows have names

# The idea to hold: there is one symmetric matrix over all numbers of all parameters, one array after the other, each
# row by row. Everything else (labels, blocks, products with containers) is a way of reading it. What the matrix says of
# the point is in `report.py`.


class Eigen(NamedTuple):
    """Eigenvalues, ascending, of shape (N,), and the eigenvectors in the columns of an (N, N) matrix."""

    values: Any
    vectors: Any


class HessianMatrix(NestedBlocks):
    """The symmetric matrix of second derivatives in several parameters, read by their names.

    Parameters
    ----------
    matrix : the whole matrix, of shape (N, N): a NumPy array, a tensor, a SciPy sparse matrix, or anything with
        ``shape`` and ``todense()``
    spec : the structure of the parameters, without what stands for None
    shapes : the shapes of their arrays, in the order of the structure; N numbers in all
    names : the way to each array: ``("a",)``, ``("layers", 0, "W")``
    several : whether the parameters are several arguments of a function

    Attributes
    ----------
    matrix : as given
    names : as given
    labels : a name for each of the N rows: ``a``, ``b[3]``, ``layers.0.W[1, 0]``
    shape, dtype, ndim : of the matrix
    symmetry_error : the largest ``|H - H.T|`` of an entry, relative to the largest entry

    Raises
    ------
    ShapeError : the shapes do not add up to the matrix

    Notes
    -----
    ``H["a", "W"]`` is the block of shape ``a.shape + W.shape``. ``H["a"]["W"]`` is the same; for a tuple, a list,
    a named tuple or several arguments there is ``H[0, 1]``. Deeper down, a path is a tuple or is written
    with dots: ``H[("layers", 0, "W"), "b"]``, ``H["layers.0.W", "b"]``. `blocks` gives nested containers. A block is a
    view of the matrix where NumPy can make one; blocks of tensors keep their history. ``np.asarray(H)`` is the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from symgrad.transforms.calls.tree import flatten
    >>> params = {"a": 1.0, "W": np.ones((1, 2))}
    >>> matrix = np.array([[4.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 4.0]])
    >>> H = HessianMatrix(matrix, flatten(params)[1], [(), (1, 2)], [("a",), ("W",)], False)
    >>> H
    HessianMatrix 3 × 3: a (number), W (1 × 2)
    >>> H.labels
    ['a', 'W[0, 0]', 'W[0, 1]']
    >>> H["a", "W"]
    array([[2., 0.]])
    >>> H.solve({"a": 6.0, "W": np.array([[7.0, 4.0]])})
    {'a': np.float64(1.0), 'W': array([[1., 1.]])}
    """

    _word = "Hessian"

    matrix: Any
    spec: Spec
    several: bool
    shapes: list[tuple[int, ...]]
    names: list[tuple[Any, ...]]

    def __init__(
        self, matrix: Any, spec: Spec, shapes: Sequence[tuple[int, ...]], names: Sequence[tuple[Any, ...]],
        several: bool,
    ) -> None:  # fmt: skip
        self.matrix, self.spec, self.several = matrix, spec, several
        self.shapes, self.names = [tuple(s) for s in shapes], [tuple(n) for n in names]
        sizes = [int(np.prod(s, dtype=int)) for s in self.shapes]
        self._starts = [0, *np.cumsum(sizes, dtype=int).tolist()]
        total = self._starts[-1]
        if not spec.size == len(self.shapes) == len(self.names) or tuple(matrix.shape) != (total, total):
            raise ShapeError(
                f"a HessianMatrix takes one shape and one name per array, and a matrix of {total} × {total}",
                f"It got {spec.size} arrays with {len(self.shapes)} shapes and {len(self.names)} names, and a matrix "
                f"of shape {tuple(matrix.shape)}.",
                "Places that hold None count nowhere: not in the structure, the shapes or the names.",
            )

    # ------------------------------------------------------------------------------------------------- reading

    @property
    def _whole(self) -> HessianMatrix:
        return self

    @cached_property
    def _root(self) -> TreeNode:
        return placed(self.spec, self.names)

    _row = _column = property(lambda self: self._root)  # what `NestedBlocks` reads: all rows, all columns

    @property
    def shape(self) -> tuple[int, int]:
        """(N, N)."""
        return self._starts[-1], self._starts[-1]

    @property
    def ndim(self) -> int:
        """2: it is a matrix, whatever the shapes of the parameters."""
        return 2

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return np.dtype(getattr(_numbers(self.matrix), "dtype", np.float64))

    @cached_property
    def labels(self) -> list[str]:
        """A name for each row: the parameter's, with the place in it."""
        pairs = zip(self.names, self.shapes, strict=True)
        return [label for name, shape in pairs for label in entry_names(spelled(name), shape)]

    @cached_property
    def _dense(self) -> np.ndarray:
        numbers = _numbers(self.matrix)
        return numbers if isinstance(numbers, np.ndarray) else np.asarray(numbers.todense())

    @cached_property
    def _sliced(self) -> Any:
        """What blocks are cut from."""
        if isinstance(content(self.matrix), Tensor):
            return self.matrix
        return self.matrix.tocsr() if is_sparse(self.matrix) else self._dense

    def _block(self, a: int, b: int) -> Any:
        rows, columns = slice(*self._starts[a : a + 2]), slice(*self._starts[b : b + 2])
        shape = self.shapes[a] + self.shapes[b]
        cut = self._sliced[rows, columns]
        if isinstance(content(cut), Tensor):
            return _carried(METHODS["reshape"](content(cut), shape), cut)
        return np.asarray(cut.toarray() if is_sparse(cut) else cut).reshape(shape)[()]

    def __getitem__(self, key: Any) -> Any:
        if self._root.entries is None:
            return self._of_one_array(key)
        if not isinstance(key, tuple) or self._root.entry(key) is not None or not key:
            return super().__getitem__(key)
        if len(key) == 1:
            return super().__getitem__(key[0])
        row, column = self._root.reach(key[0]), self._root.reach(key[1])
        if row is None or column is None or len(key) > 2:
            raise unknown(self, key, row, column)
        return self._select(row, column)

    def _of_one_array(self, key: Any) -> Any:
        """The block itself by the array's name, parts of it by anything else."""
        given = key if isinstance(key, tuple) else (key,)
        if not any(isinstance(k, str) for k in given):
            return self._block(0, 0)[key]
        if len(given) > 2 or any(k not in (spelled(self.names[0]), self.names[0]) for k in given):
            raise unknown(self, key, None, None)
        return self._block(0, 0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if isinstance(self.matrix, Tensor) and self.matrix.requires_grad:
            raise GradientError(
                f"an array of {self._title} would have no history", "Its matrix is a tensor that requires a gradient.",
                "Use H.matrix, which NumPy's functions take as it is, or H.matrix.detach(); H @ v for v @ H.",
            )  # fmt: skip
        if isinstance(self.matrix, Carrier):
            return np.array(self.matrix, dtype=dtype, copy=copy)
        return np.array(self._dense, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        """One line of a Hessian, which is asked for products; of covariances and such the numbers too."""
        return self._title if self._word == "Hessian" else self._table()

    def __str__(self) -> str:
        """The same, with the numbers of a Hessian that is small."""
        return self._table() if self.shape[0] <= SHOWN else repr(self)

    def _table(self) -> str:
        if not self.shape[0]:
            return self._title
        labels, rows = self._shown()
        more = ["…"] * (self.shape[0] > len(labels))
        cells = [["", *labels, *more], *[[label, *row, *more] for label, row in zip(labels, rows, strict=True)]]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join([self._title, *aligned(cells, widths), *more])

    @property
    def _title(self) -> str:
        n = self.shape[0]
        name = "HessianMatrix" if self._word == "Hessian" else f"HessianMatrix ({self._word})"
        return f"{name} {n} × {n}: {described(self.names, self.shapes) or 'no parameters'}"

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        """The labels of the first rows, and their numbers as texts."""
        corner = self._sliced[:SHOWN, :SHOWN]
        numbers = np.asarray(corner.toarray() if is_sparse(corner) else _numbers(corner))
        return list(self.labels[:SHOWN]), [[short(v) for v in row] for row in numbers]

    def _repr_html_(self) -> str:
        shown, rows = self._shown()
        more = "<th>…</th>" if self.shape[0] > len(shown) else ""
        lines = ["<tr><th></th>" + "".join(f"<th>{html.escape(label)}</th>" for label in shown) + more + "</tr>"]
        lines += [html_row(label, [*row, *["…"] * bool(more)]) for label, row in zip(shown, rows, strict=True)]
        if more:
            lines.append("<tr><th>…</th></tr>")
        return f"<p>{html.escape(self._title)}</p><table>{''.join(lines)}</table>"

    # ------------------------------------------------------------------------------------------------- products

    def flatten(self, values: Any) -> Any:
        """Return a container like the parameters as a flat vector of shape (N,)."""
        if self.several and isinstance(values, list):
            values = tuple(values)
        parts = flatten_like(self.spec, values)
        fits = parts is not None and all(_shape(p) == s for p, s in zip(parts, self.shapes, strict=True))
        if parts is None or not fits:
            raise ShapeError(
                f"the {self._word} of {described(self.names, self.shapes)} does not fit what it is given",
                self._misfit(values),
                f"Give a container like the parameters, or a flat vector of {self.shape[0]} numbers.",
            )
        if any(isinstance(p, Tensor) for p in parts):
            flat = [METHODS["reshape"](tensor_around(p), (-1,)) for p in parts]
            return FUNCTIONS["cat"](flat, 0)
        return np.concatenate(parts, None) if parts else np.zeros(0)

    def _misfit(self, values: Any) -> str:
        try:
            like = unflatten(self.spec, [np.broadcast_to(0.0, s) for s in self.shapes])
        except Exception:  # a dataclass of the user's may refuse zeros
            return f"It got a {type(values).__name__}."
        return difference(like, values, "parameters", "given") or ""

    def unflatten(self, vector: Any) -> Any:
        """Return a flat vector of shape (N,), an eigenvector say, as a container like the parameters.

        Examples
        --------
        >>> import numpy as np
        >>> from symgrad.transforms.calls.tree import flatten
        >>> p = {"a": 1.0, "b": np.ones(2)}
        >>> H = HessianMatrix(np.diag([4.0, 1.0, 0.25]), flatten(p)[1], [(), (2,)], [("a",), ("b",)], False)
        >>> H.unflatten(np.sqrt(H.covariance().diagonal()))
        {'a': np.float64(0.5), 'b': array([1., 2.])}
        """
        if _shape(vector) != (self.shape[0],):
            raise ShapeError(
                f"unflatten takes a vector of {self.shape[0]} numbers", f"It got the shape {_shape(vector)}.",
                "Columns of a matrix are given one by one: V[:, 0].",
            )  # fmt: skip
        if not isinstance(vector, Tensor | Carrier):
            vector = np.asarray(vector)
        parts = cut_to_shapes(vector, self.shapes)
        return unflatten(self.spec, [part if isinstance(part, Tensor) else part[()] for part in parts])

    def _flat(self, v: Any) -> tuple[Any, bool]:
        """The operand as an array of N rows, and whether it was a container."""
        if isinstance(v, HessianMatrix):
            return v.matrix, False
        n = self.shape[0]
        if hasattr(v, "shape") and hasattr(v, "dtype"):
            if self.spec.kind is None and _shape(v) == self.shapes[0] and _shape(v) != (n,):
                return self.flatten(v), True
            if len(_shape(v)) in (1, 2) and _shape(v)[0] == n:
                return v, False
        listed = isinstance(v, (list, tuple)) and len(v) == n and all(isinstance(k, (int, float)) for k in v)
        if listed and flatten_like(self.spec, v) is None:  # a list of numbers may also be the container
            return np.asarray(v, dtype=float), False
        return self.flatten(v), True

    def __matmul__(self, v: Any) -> Any:
        """Return the product with a flat vector (N,), with columns (N, k), or with a container like the parameters."""
        flat, container = self._flat(v)
        matrix = self.matrix if hasattr(type(self.matrix), "__matmul__") else self._dense
        if isinstance(flat, Tensor) and not isinstance(matrix, Tensor):
            matrix = wrap(self._dense)
        result = matrix @ flat
        return self.unflatten(result) if container else result

    def solve(self, g: Any) -> Any:
        """Solve ``H x = g`` for a flat vector (N,), columns (N, k), or a container like the parameters.

        Returns
        -------
        In the form of ``g``.

        Raises
        ------
        LinAlgError : the matrix is singular (the message names the flat directions), or not finite

        Notes
        -----
        Every parameter is first measured in its own scale, so that units do not make a matrix singular. Then Cholesky's
        method where the matrix is positive definite, otherwise a symmetric factorisation. Cost: N³/3 operations; from
        2000 rows on, sparse matrices are factorised as such, and structured ones solve in their own way.
        """
        flat, container = self._flat(g)
        matrix, given = content(self.matrix), content(flat)
        numbers = np.asarray(given.toarray() if is_sparse(given) else _numbers(given))
        try:
            found = own_solution(matrix, numbers) if hasattr(matrix, "todense") else None
            if found is None and type(matrix) is not Symbol:
                found = solved(matrix if is_sparse(matrix) else self._dense, numbers)
        except SingularError:
            weak = self.report()
            self._require_finite(weak)
            raise LinAlgError(
                f"the {self._word} is singular: {self._title}",
                clauses(weak.weak_directions, weak),
                "Hold one of these parameters fixed, or add a penalty to f; np.linalg.pinv(H) @ g is the shortest x.",
            ) from None
        if isinstance(matrix, Tensor) or isinstance(given, Tensor):
            matrix = matrix if isinstance(matrix, Tensor) else wrap(self._dense)
            found = solve(matrix, given if isinstance(given, Tensor) else wrap(numbers))
            found = _carried(found, self.matrix, flat)
        return self.unflatten(found) if container else found

    # ------------------------------------------------------------------------------------------------- what it says

    def diagonal(self) -> Any:
        """Return the diagonal, of shape (N,); `unflatten` gives it the parameters' structure."""
        return (self.matrix if hasattr(self.matrix, "diagonal") else self._dense).diagonal()

    @property
    def symmetry_error(self) -> float:
        """The largest difference of two entries that should be equal, relative to the largest entry."""
        return asymmetry(_numbers(self.matrix) if is_sparse(self.matrix) else self._dense)

    def eigh(self) -> Eigen:
        """Return all eigenvalues, ascending, and the eigenvectors in columns. Cost: about 10 N³ operations."""
        if isinstance(content(self.matrix), Tensor):
            from ..ops.linalg import eigh

            return Eigen(*[_carried(part, self.matrix) for part in eigh(content(self.matrix))])
        return Eigen(*np.linalg.eigh(self._dense))

    def covariance(self) -> HessianMatrix:
        """Return the inverse, read by the same names: the parameters' covariance, if ``f`` is minus a log-likelihood.

        Raises
        ------
        LinAlgError : the matrix is not positive definite; the message shows eigenvalues and what they belong to
        """
        found = self.report()
        self._require_finite(found)
        if found.kind != "minimum":
            raise LinAlgError(
                f"the {self._word} is not positive definite, so its inverse is no covariance: {self._title}",
                clauses(found.negative_directions + found.flat_directions or found.weak_directions, found),
                "All eigenvalues are negative: take the Hessian of minus the log-likelihood."
                if found.kind == "maximum" else
                "Is the point a minimum of f? Directions of eigenvalue 0 are not determined by the data: hold one of "
                "these parameters fixed.",
            )  # fmt: skip
        if isinstance(content(self.matrix), Tensor):
            inverse = _carried(inv(content(self.matrix)), self.matrix)
        else:
            inverse = self.solve(np.eye(self.shape[0], dtype=self.dtype))
            inverse = 0.5 * inverse + 0.5 * inverse.T
        result = HessianMatrix(inverse, self.spec, self.shapes, self.names, self.several)
        result._word = "Hessian" if self._word == "covariance" else "covariance"
        return result

    def _require_finite(self, found: Report) -> None:
        if found.kind == "not finite":
            raise LinAlgError(f"the {self._word} is not finite: {self._title}", str(found), "")

    def report(self, gradient: Any = None, value: Any = None) -> Report:
        """Return what the matrix says of the point, in the parameters' names; see `symgrad.transforms.report.report`.

        ``gradient`` is flat or a container like the parameters.
        """
        flat = None if gradient is None else _numbers(self._flat(gradient)[0])
        if type(content(self.matrix)) is Symbol:
            raise SymbolicBranchError(
                "what a Hessian says of the point hangs on its numbers, which are not known", "It holds symbols.",
                "Ask at arrays.",
            )  # fmt: skip
        return report(content(self.matrix), self.labels, flat, value)

    def plot(self, ax: Any = None) -> Any:
        """Draw a map of the entries, with lines between the parameters, and beside it the eigenvalues.

        Parameters
        ----------
        ax : two of matplotlib's Axes; default: a new figure

        Returns
        -------
        ``(map, spectrum)``, the two Axes

        Raises
        ------
        MissingDependencyError : matplotlib is not installed (``pip install "symgrad[plot]"``)
        ShapeError : there are no rows; TooLargeError : a matrix that is not sparse does not fit into memory

        Notes
        -----
        ``sg.plot(H)`` is the same for Hessians that are arrays. Cost: as of `report`.
        """
        return modes.draw(self, ax)


def _numbers(value: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    value = content(value)
    return value._data if isinstance(value, Tensor) else value


def _carried(t: Any, *of: Any) -> Any:
    """A tensor, as what it was computed of: an array, if something there is one of a function's arrays."""
    return Carrier.around(t) if any(isinstance(v, Carrier) for v in of) else t


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(np.shape(_numbers(value)))
