"""``sg.hessian``: the matrix of second derivatives, as a function.

The idea to hold: the function is run, and recorded, at every call. If its structure has a derivative program (or one can
be made), the program computes the matrix; if not, the tape does, row by row. Both ways give the same numbers, and
`Hessian.plan` says which was taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import LEAF, Symbol, Tensor, _modes, edge, wrap
from ..programs import find
from ..programs._survey import Survey, Unprogrammable
from ._derivative import Argnums, Derivative, _Arguments, _Numbers
from ._traced import tracing
from ._tree import flatten
from ._variables import pull, to_plain


class Hessian(Derivative):
    """A function's matrix of second derivatives, as a function of the same arguments."""

    def __init__(self, f: Callable[..., Any], argnums: Argnums = 0) -> None:
        super().__init__("hessian", f, argnums)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the matrix at arrays (as arrays), at tensors (as tensors) or of symbols (as a formula)."""
        if not kwargs:
            quick = self._quick(args)
            if quick is not None:
                return quick
        call = _Arguments(self.function, args, kwargs, self.argnums)
        if not tracing() and any(type(leaf) is Symbol for leaf in flatten((args, kwargs))[0]):
            return self._formulas(call)
        numbers = _Numbers("hessian", call)
        if type(numbers.output) is Symbol and not tracing():
            return self._formulas(call)
        if numbers.output._node is None or numbers.variables.concerns_outside([numbers.output]):
            return numbers.result()
        matrix, _ = _matrix(numbers.output, numbers.variables.tensors)
        if matrix is None:
            return numbers.result()
        return _shaped(numbers, matrix)

    def _quick(self, args: tuple[Any, ...]) -> Any:
        """The matrix where the arguments are plain arrays and numbers, one array is asked for and there is a program."""
        k = self.argnums
        if type(k) is not int or not 0 <= k < len(args):
            return None
        x = args[k]
        if type(x) is not np.ndarray or x.dtype.kind != "f" or not x.ndim or _modes.tracing.get() is not None:
            return None
        for a in args:
            if type(a) not in _PLAIN:
                return None
        leaf = wrap(x, LEAF)
        token = _modes.mode.set(_modes.on_value())
        try:
            output = self.function(*args[:k], leaf, *args[k + 1 :])
        finally:
            _modes.mode.reset(token)
        if type(output) is not Tensor or output._node is None or output._data.ndim:
            return None
        matrix, _ = _matrix(output, [leaf], alone=True)
        return None if matrix is None else matrix.reshape(x.shape + x.shape)


_PLAIN = frozenset([np.ndarray, float, int, bool, str, type(None), np.float64])


def _matrix(output: Tensor, tensors: list[Tensor], alone: bool = False) -> tuple[Any, str]:
    """The whole matrix by a program; or None and why not.

    ``alone``: only if nobody else's tensor is in the graph.
    """
    dtype = output._data.dtype
    if dtype.kind != "f" or any(t._data.dtype is not dtype for t in tensors):
        return None, f"its numbers are {dtype}"
    root = edge(output)
    variables = [edge(t) for t in tensors]
    try:
        survey = Survey(root, variables)
    except Unprogrammable as error:
        return None, str(error)
    if alone and survey.foreign:
        return None, "there are tensors of somebody else's"
    program, reason = find(survey, root, variables)
    if program is None:
        return None, reason
    if program.refused:
        return None, program.refused
    matrix = program.run(survey)
    if matrix is None:
        return None, "a number on the way is not finite"
    if not program.checked:
        _check(program, matrix, output, tensors)
        if program.refused:
            return None, program.refused
    return matrix if matrix.dtype is dtype else matrix.astype(dtype), ""


def _check(program: Any, matrix: np.ndarray, output: Tensor, tensors: list[Tensor]) -> None:
    """Compare a new program with the tape: the matrix times a vector, once."""
    first = pull([output], tensors, [None], True, True)
    rng = np.random.default_rng(matrix.shape[0])
    v = rng.standard_normal(matrix.shape[0])
    live = [g for g in first if g is not None and g._node is not None]
    parts, start = [], 0
    seeds = []
    for g, t in zip(first, tensors, strict=True):
        n = t._data.size
        if g is not None and g._node is not None:
            seeds.append(wrap(v[start : start + n].reshape(t._data.shape).astype(t._data.dtype)))
        start += n
    found = pull(live, tensors, seeds, False, True) if live else [None] * len(tensors)
    for t, part in zip(tensors, found, strict=True):
        parts.append(np.zeros(t._data.size) if part is None else part._data.reshape(-1))
    truth = np.concatenate(parts)
    w = v.copy()
    start = 0
    for g, t in zip(first, tensors, strict=True):
        if g is None or g._node is None:
            w[start : start + t._data.size] = 0
        start += t._data.size
    mine = matrix @ w
    finite = np.isfinite(truth)
    if not finite.any() and len(truth):
        return  # nothing to compare with: next time
    scale = np.abs(matrix) @ np.abs(w) + np.abs(truth).max(initial=0, where=finite)
    eps = np.finfo(output._data.dtype).eps
    tolerance = 1e3 * eps**0.5 * 1e-2 if output._data.dtype == np.float32 else 1e-7
    worst = np.abs(mine - truth)[finite] > tolerance * scale[finite] + 1e-300
    if worst.any():
        program.refused = "the program and the tape disagree at the first point"
    program.checked = bool(finite.all())


def _shaped(numbers: _Numbers, matrix: np.ndarray) -> Any:
    """The matrix in the form of the arguments."""
    tensors = numbers.variables.tensors
    shapes = [t._data.shape for t in tensors]
    if len(tensors) == 1:
        entries = [[matrix.reshape(shapes[0] + shapes[0])]]
    else:
        starts = np.cumsum([0, *[t._data.size for t in tensors]])
        entries = [
            [
                matrix[starts[a] : starts[a + 1], starts[b] : starts[b + 1]].reshape(shapes[a] + shapes[b])
                for b in range(len(tensors))
            ]
            for a in range(len(tensors))
        ]
    blocks = [[wrap(e) for e in row] for row in entries]
    result = numbers._form([numbers._form(row) for row in blocks])
    return to_plain(result) if numbers.plain else result


def hessian(f: Callable[..., Any], argnums: Argnums = 0) -> Hessian:
    """Return the matrix of second derivatives of a function that returns one number.

    Parameters
    ----------
    f : function of arrays that returns one number
    argnums : as in `grad`

    Returns
    -------
    A function of the same arguments: for an argument of shape (n,) the result has shape (n, n), for one of shape (m, n)
    it has shape (m, n, m, n). A tuple of arguments gives a tuple of tuples of blocks, a dictionary a dictionary of
    dictionaries. Arrays, tensors and symbols as in `grad`.

    Raises
    ------
    ShapeError : ``f`` returns more than one number

    Notes
    -----
    Cost: one run of ``f``, recorded, and one run of its derivative program, which is made at the first call. Where there
    can be no program, one gradient, recorded, and one sweep per element of the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.hessian(lambda x: x.prod() ** 2)(np.array([1.0, 2.0]))
    array([[8., 8.],
           [8., 2.]])
    >>> x = sg.symbol("x", "n")
    >>> print(sg.hessian(lambda x: (x ** 3).sum() / 6)(x))
    diag(x)
    """
    return Hessian(f, argnums)


__all__ = ["Hessian", "hessian"]
