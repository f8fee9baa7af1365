"""`HessianMatrix`: second derivatives in several parameters, as one matrix whose rows have names.

The idea to hold: there is one symmetric matrix over all numbers of all parameters, one array after the other, each row
by row. Everything else (labels, blocks, products with containers) is a way of reading it. What the matrix says of the
point is in `_report.py`.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._errors import GradientError, ShapeError
from ..core import Tensor, modes, wrap
from ..ops._public import FUNCTIONS, METHODS
from ..ops.linalg._linalg import LinAlgError, inv, solve
from ._blocks import Nested, Place, described, placed, spelled, unknown
from ._report import Report, clauses, report, short
from ._solve import SingularError, own_solution, solved
from ._spectrum import asymmetry, is_sparse
from ._tree import Spec, difference, entry_names, flatten_like, pieces, unflatten


class Eigen(NamedTuple):
    """Eigenvalues, ascending, of shape (N,), and the eigenvectors in the columns of an (N, N) matrix."""

    values: Any
    vectors: Any


class HessianMatrix(Nested):
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
    >>> from symgrad.transforms._tree import flatten
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
    def _root(self) -> Place:
        return placed(self.spec, self.names)

    _row = _column = property(lambda self: self._root)  # what `Nested` reads: all rows, all columns

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
        if isinstance(self.matrix, Tensor):
            return self.matrix
        return self.matrix.tocsr() if is_sparse(self.matrix) else self._dense

    def _block(self, a: int, b: int) -> Any:
        rows, columns = slice(*self._starts[a : a + 2]), slice(*self._starts[b : b + 2])
        shape = self.shapes[a] + self.shapes[b]
        cut = self._sliced[rows, columns]
        if isinstance(cut, Tensor):
            return METHODS["reshape"](cut, shape)
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
                f"an array of {self!r} would have no history", "Its matrix is a tensor that requires a gradient.",
                "Use H.matrix, which NumPy's functions take as it is, or H.matrix.detach(); H @ v for v @ H.",
            )  # fmt: skip
        return np.array(self._dense, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        n = self.shape[0]
        name = "HessianMatrix" if self._word == "Hessian" else f"HessianMatrix ({self._word})"
        return f"{name} {n} × {n}: {described(self.names, self.shapes) or 'no parameters'}"

    def _repr_html_(self) -> str:
        most = 12
        shown, n = self.labels[:most], self.shape[0]
        corner = self._sliced[:most, :most]
        numbers = np.asarray(corner.toarray() if is_sparse(corner) else _numbers(corner))
        more = "<th>…</th>" if n > most else ""
        lines = ["<tr><th></th>" + "".join(f"<th>{html.escape(label)}</th>" for label in shown) + more + "</tr>"]
        for label, row in zip(shown, numbers, strict=True):
            cells = "".join(f"<td>{short(v)}</td>" for v in row) + ("<td>…</td>" if more else "")
            lines.append(f"<tr><th>{html.escape(label)}</th>{cells}</tr>")
        if more:
            lines.append("<tr><th>…</th></tr>")
        return f"<p>{html.escape(repr(self))}</p><table>{''.join(lines)}</table>"

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
            flat = [METHODS["reshape"](p if isinstance(p, Tensor) else wrap(np.asarray(p)), (-1,)) for p in parts]
            return FUNCTIONS["cat"](flat, 0)
        return np.concatenate([np.reshape(p, -1) for p in parts]) if parts else np.zeros(0)

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
        >>> from symgrad.transforms._tree import flatten
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
        if not isinstance(vector, Tensor):
            vector = np.asarray(vector)
        parts = pieces(vector, self.shapes)
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
        try:
            numbers = np.asarray(flat.toarray() if is_sparse(flat) else _numbers(flat))
            found = own_solution(self.matrix, numbers) if hasattr(self.matrix, "todense") else None
            if found is None:
                found = solved(self.matrix if is_sparse(self.matrix) else self._dense, numbers)
        except SingularError:
            weak = self.report()
            self._require_finite(weak)
            raise LinAlgError(
                f"the {self._word} is singular: {self!r}",
                clauses(weak.weak_directions, weak),
                "Hold one of these parameters fixed, or add a penalty to f; np.linalg.pinv(H) @ g is the shortest x.",
            ) from None
        if isinstance(self.matrix, Tensor) or isinstance(flat, Tensor):
            matrix = self.matrix if isinstance(self.matrix, Tensor) else wrap(self._dense)
            found = solve(matrix, flat if isinstance(flat, Tensor) else wrap(numbers))
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
        if isinstance(self.matrix, Tensor):
            from ..ops.linalg._decompose import eigh

            return Eigen(*eigh(self.matrix))
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
                f"the {self._word} is not positive definite, so its inverse is no covariance: {self!r}",
                clauses(found.negative_directions + found.flat_directions or found.weak_directions, found),
                "All eigenvalues are negative: take the Hessian of minus the log-likelihood."
                if found.kind == "maximum" else
                "Is the point a minimum of f? Directions of eigenvalue 0 are not determined by the data: hold one of "
                "these parameters fixed.",
            )  # fmt: skip
        if isinstance(self.matrix, Tensor):
            inverse = inv(self.matrix)
        else:
            inverse = self.solve(np.eye(self.shape[0], dtype=self.dtype))
            inverse = 0.5 * inverse + 0.5 * inverse.T
        result = HessianMatrix(inverse, self.spec, self.shapes, self.names, self.several)
        result._word = "Hessian" if self._word == "covariance" else "covariance"
        return result

    def _require_finite(self, found: Report) -> None:
        if found.kind == "not finite":
            raise LinAlgError(f"the {self._word} is not finite: {self!r}", str(found), "")

    def report(self, gradient: Any = None, value: Any = None) -> Report:
        """Return what the matrix says of the point, in the parameters' names; see `symgrad.transforms._report.report`.

        ``gradient`` is flat or a container like the parameters.
        """
        flat = None if gradient is None else _numbers(self._flat(gradient)[0])
        return report(self.matrix, self.labels, flat, value)

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
    return value._data if isinstance(value, Tensor) else value


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(np.shape(_numbers(value)))


__all__ = ["Eigen", "HessianMatrix"]
