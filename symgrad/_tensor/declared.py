"""Declaring symbols: `symbol("A", ("m", "n"), ...)`.

The idea to hold: a symbol is a tensor whose values are random stand-ins, drawn from the name alone, of a length that
stands in for each named size. All of symgrad works on it unchanged; formulas are read from the graph and checked at the
stand-in values, so these must lie where functions are defined, and must be as special as was declared, no more.
"""

from __future__ import annotations

import keyword
import math
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import _config
from .._errors import ShapeError
from .._limits import bound
from ..core import DRAW, IMPLIED, Dim, Facts, Symbol, at_sizes, make_symbol, resized

_standins: dict[str, int] = {"n": 11, "m": 17, "N": 23}
"""The length that stands in for each size. Of m×n and n×p data the first axis is the long one, as a rule: XᵀX has an
inverse only then."""
_KEPT = {"k": 7, "p": 29}  # for these names, whoever comes first: k counts what is few
_taken: set[int] = {*_standins.values()}  # lengths that stand for themselves or for another name
_lock = threading.Lock()


def _primes() -> Iterator[int]:
    """Lengths to stand in for named sizes: primes with room between them, so that n + 1 does not look like m - 1."""
    n = 35
    while True:
        if all(n % k for k in range(2, n)):
            yield n
        n += 1


def dim(name: str) -> Dim:
    """The size named ``name``: always of the same stand-in length."""
    _check_name(name, "size")
    with _lock:
        length = _standins.get(name)
        if length is None:
            length = _KEPT.get(name, 0)
            if not length or length in _taken:
                length = next(p for p in _primes() if p not in _taken)
            _standins[name] = length
            _taken.add(length)
    return Dim(name, length)


def _check_name(name: Any, what: str) -> None:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"a {what}'s name must be an identifier, got {name!r}")


def _shape(shape: Any) -> tuple[Any, ...]:
    parts = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    sizes: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            sizes.append(dim(part))
        elif isinstance(part, int) and not isinstance(part, bool) and part >= 0:
            sizes.append(part if type(part) is Dim else int(part))
            if type(part) is not Dim:
                with _lock:
                    _taken.add(int(part))
        else:
            raise ShapeError(
                f"a size of a symbol is a name or a number, got {part!r}", f"The shape given is {shape!r}.",
                'Write sg.symbol("A", ("m", "n")) or sg.symbol("A", (3, "n")).',
            )  # fmt: skip
    return tuple(sizes)


# ------------------------------------------------------------------------------------------------ stand-in values


def _symmetric(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (a + a.swapaxes(-1, -2)) / 2


def _definite(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return a @ a.swapaxes(-1, -2) / a.shape[-1] + np.eye(a.shape[-1]) / 2


def _diagonal(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return a * np.eye(a.shape[-1])


def _orthogonal(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.linalg.qr(a - 0.5)[0]


def _sign(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(a > 0.5, 1.0, -1.0)


def _onehot(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.eye(a.shape[-1])[a.argmax(-1)]


def _integer(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.floor(1 + 5 * a)


Values = Callable[[np.ndarray, Any], np.ndarray]  # of an array and a generator
_VALUES: dict[str, tuple[bool, Values | None]] = {
    "positive": (False, None), "sign": (False, _sign), "onehot": (False, _onehot), "integer": (False, _integer),
    "symmetric": (True, _symmetric), "psd": (True, _definite), "pd": (True, _definite), "diagonal": (True, _diagonal),
    "orthogonal": (True, _orthogonal),
}  # fmt: skip
"""Per property whether it is one of square matrices, and what makes values have it, in the order of application."""


def _is_whole(values: np.ndarray) -> bool:
    return bool((values == np.floor(values)).all())


SYMBOL_ENTRIES = bound(10**8)
"""Entries of the array that stands in for a symbol."""


def _draw(name: str, facts: Facts) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    shape = tuple(map(int, facts.shape))
    if math.prod(shape) > SYMBOL_ENTRIES:
        raise ShapeError(
            f"the symbol {name!r} has too many axes", f"A small array of {facts.shape} would have the sizes {shape}.",
            "Use fewer axes, or numbers for some of the sizes.",
        )  # fmt: skip
    values = np.asarray(rng.uniform(0.1, 0.9, shape))
    if len(shape) > 1 and shape[-1] == shape[-2]:  # regular, of a positive determinant, so that its logarithm exists
        values = values / shape[-1] + np.eye(shape[-1]) / 2
    for prop, (_, change) in _VALUES.items():
        if prop in facts.properties and change is not None and not (prop == "integer" and _is_whole(values)):
            values = change(values, rng)
    return values.astype(_config.default_dtype())


# --------------------------------------------------------------------------------------------------- the interface


def symbol(
    name: str, shape: Any = (), *, symmetric: bool = False, positive: bool = False, psd: bool = False,
    pd: bool = False, diagonal: bool = False, orthogonal: bool = False, sign: bool = False, onehot: bool = False,
    integer: bool = False,
) -> Symbol:  # fmt: skip
    """Return a symbol: a tensor without values, of which every result is a formula.

    Parameters
    ----------
    name : how formulas print it
    shape : one size or several, each a name (``"n"``) or a number; none for a scalar
    symmetric, psd, pd, diagonal, orthogonal : what a square matrix (the last two dimensions) is; the positive
        semidefinite and definite ones are symmetric too
    positive : all entries are positive
    sign : all entries are 1 or -1
    onehot : each row (the last dimension) has one entry 1 and else 0
    integer : all entries are whole numbers

    Returns
    -------
    A Symbol, a Tensor that requires grad: every operation, sweep and transform takes it. What would need its value (a
    branch, ``item()``, a NumPy function without a rule) raises SymbolicBranchError. Its ``shape`` has named sizes, to
    be computed with: ``x.sum() / x.shape[0]``.

    Raises
    ------
    ShapeError : a property of square matrices was declared of something else

    Notes
    -----
    Symbols are real; entries are independent unless declared otherwise. Behind a symbol are random numbers between 0.1
    and 0.9, drawn from its name, at small sizes; formulas are checked at them.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.symbol("A", ("m", "n"))
    symbol(A: m×n)
    >>> x = sg.symbol("x", "n")
    >>> x.shape
    symgrad.Size([n])
    >>> x.shape[0] - 1
    n - 1
    """
    _check_name(name, "symbol")
    flags = dict(
        symmetric=symmetric, positive=positive, psd=psd, pd=pd, diagonal=diagonal, orthogonal=orthogonal, sign=sign,
        onehot=onehot, integer=integer,
    )  # fmt: skip
    sizes = _shape(shape)
    properties = {prop for prop, on in flags.items() if on}
    _check_shape(name, sizes, properties)
    for prop in tuple(properties):
        properties.update(IMPLIED.get(prop, ()))
    facts = Facts(sizes, frozenset(properties))
    return make_symbol(name, _draw(name, facts), facts)


def _check_shape(name: str, shape: tuple[Any, ...], properties: set[str]) -> None:
    for prop in _VALUES:
        if prop in properties and _VALUES[prop][0] and (len(shape) < 2 or shape[-1] != shape[-2]):
            raise ShapeError(
                f"{name} cannot be {prop}: it is no square matrix",
                f"Its shape is {'×'.join(map(str, shape)) or 'that of a number'}.",
                f'Declare it square: sg.symbol("{name}", ("n", "n"), {prop}=True).',
            )
    if "onehot" in properties and not shape:
        raise ShapeError(f"{name} cannot be onehot: it is a number", "", 'Give it a size: sg.symbol("y", "k").')


def symbols(names: str, shape: Any = (), **properties: bool) -> tuple[Symbol, ...]:
    """Return several symbols of one shape, named in one text with spaces or commas between.

    Parameters
    ----------
    names : the names
    shape, properties : as in `symbol`

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.symbols("x y", "n")
    (symbol(x: n), symbol(y: n))
    """
    return tuple(symbol(name, shape, **properties) for name in names.replace(",", " ").split())


def with_sizes(t: Any, lengths: dict[str, int], shape: tuple[Any, ...] | None = None) -> Symbol:
    """The same symbol with ``lengths`` standing in for its named sizes (or a tensor as a symbol of ``shape``)."""
    facts = t._node.facts or Facts(shape or t._data.shape)
    sizes = tuple(resized(size, lengths) for size in facts.shape)
    if tuple(map(int, sizes)) != t._data.shape:
        return at_sizes(t._node.label, facts, lengths)
    return make_symbol(t._node.label, t._data, facts._replace(shape=sizes))


DRAW.append(_draw)
