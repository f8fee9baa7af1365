"""The record of the corpus, its random points, and the derivatives of its function by numbers.

The idea to hold: shapes are written with named sizes that all differ (`SIZES`), so a transposed or misshapen derivative
cannot pass. The convention is symgrad's: ∂f/∂X[i, j] stands at [i, j], a vector-valued f has its Jacobian of shape
f.shape + x.shape, a Hessian has x.shape + x.shape, and one of rank four is written as a matrix with pairs of axes read
row by row. A symmetric variable is differentiated as if its entries were independent.
"""

import functools
import inspect
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import symgrad as sg

from ...helpers.numeric import slope
from ._reader import read

SIZES = {"m": 5, "n": 4, "k": 3, "p": 2}
"""The named sizes of the corpus: m > n > k > p, so a "tall" m×n matrix has full column rank."""

DECLARED = frozenset({"symmetric", "diagonal", "positive", "psd", "pd", "orthogonal", "sign", "onehot", "integer"})
"""What symgrad is told about a symbol; the other words below only guide the choice of points."""

APPROVED_FILE = Path(__file__).with_name("approved.json")
APPROVED: dict[str, dict[str, dict[str, object]]] = (
    json.loads(APPROVED_FILE.read_text(encoding="utf-8")) if APPROVED_FILE.exists() else {}
)
"""By name and by derivative ("gradient", "hessian"): what symgrad prints, as a reader approved it, and its length."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A function and its derivatives as a book prints them.

    Attributes
    ----------
    name : a short title
    source : book and section or equation
    f : the function; its parameters are the symbols
    variables : by name, sizes and properties in words: ``"m n"``, ``"n n symmetric"``, ``"m sign"``, ``""`` (a number)
    wrt : the variable of the derivatives
    gradient : the book's gradient (the Jacobian of an array), in the notation that symgrad prints, if it is counted
    hessian : likewise, where the book's form is a matrix, a Kronecker product or a number
    """

    name: str
    source: str
    f: Callable[..., object]
    variables: Mapping[str, str]
    wrt: str
    gradient: str | None
    hessian: str | None = None

    def textbook(self) -> Iterator[tuple[str, str]]:
        """Yield "gradient" and "hessian" with the book's text, as far as there is one."""
        if self.gradient is not None:
            yield "gradient", self.gradient
        if self.hessian is not None:
            yield "hessian", self.hessian

    @property
    def approved_gradient(self) -> str:
        """What symgrad prints for the gradient, as approved (empty before the first approval)."""
        return approved_text(self, "gradient")

    @property
    def approved_hessian(self) -> str:
        """What symgrad prints for the Hessian, as approved (empty before the first approval)."""
        return approved_text(self, "hessian")

    @property
    def long_names(self) -> frozenset[str]:
        """The variables that a formula may not split into letters."""
        return frozenset(name for name in self.variables if len(name) > 1)

    def words(self, name: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """Return the sizes of a variable, by name, and its properties."""
        words = self.variables[name].split()
        sizes = tuple(word for word in words if word in SIZES)
        return sizes, frozenset(words) - set(sizes)

    def symbols(self) -> list[object]:
        """Return symgrad's symbols, in the order of the function's parameters."""
        made = []
        for name in inspect.signature(self.f).parameters:
            sizes, properties = self.words(name)
            made.append(sg.symbol(name, sizes, **dict.fromkeys(properties & DECLARED, True)))
        return made

    @functools.cached_property
    def function(self) -> sg.Formula:
        """symgrad's formula of the function itself."""
        return sg.formula(self.f, *self.symbols())

    def formula(self, what: str) -> object:
        """Return symgrad's formula of the "gradient" or the "hessian"."""
        f = self.function
        if what == "hessian":
            return f.hessian(self.wrt)
        return f.jacobian(self.wrt) if f.shape else f.grad(self.wrt)

    def sample(self, rng: np.random.Generator | None = None) -> dict[str, np.ndarray]:
        """Return a random point, the same one each time unless ``rng`` is given."""
        rng = rng or np.random.default_rng(zlib.crc32(self.name.encode()))
        return {
            name: _array(tuple(SIZES[size] for size in sizes), properties, rng)
            for name, (sizes, properties) in ((name, self.words(name)) for name in self.variables)
        }

    def read(self, text: str, point: Mapping[str, np.ndarray], size: int, each: bool = False) -> np.ndarray:
        """Return what a text says at a point, as an array of ``size`` entries; ``each`` as in `_reader.read`."""
        sizes = {size for name in self.variables for size in self.words(name)[0]}
        return read(text, point, size, {name: SIZES[name] for name in sorted(sizes)}, each)

    def numbers(self, what: str, point: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the derivative by differences: of f's values, or of the gradient that `backward` gives."""
        f = self._gradient if what == "hessian" else self._value
        x = point[self.wrt]
        slopes = [slope(lambda t, unit=unit: f({**point, self.wrt: x + t * unit})) for unit in _units(x.shape)]
        shape = np.shape(slopes[0]) + x.shape
        return np.stack(slopes, axis=-1).reshape(shape)

    def comparable(self, what: str, derivative: np.ndarray) -> np.ndarray:
        """Return what of a derivative is not a matter of convention.

        The Hessian in a symmetric matrix acts on symmetric matrices: X⁻¹ ⊗ X⁻¹ and its permutation are one map there.
        """
        if what == "gradient" or "symmetric" not in self.words(self.wrt)[1]:
            return derivative
        half = derivative + derivative.swapaxes(-1, -2)
        return (half + half.swapaxes(-3, -4)) / 4

    def _value(self, point: Mapping[str, np.ndarray]) -> np.ndarray:
        return self.f(**{name: sg.tensor(value) for name, value in point.items()}).numpy()

    def _gradient(self, point: Mapping[str, np.ndarray]) -> np.ndarray:
        tensors = {name: sg.tensor(value, requires_grad=name == self.wrt) for name, value in point.items()}
        (gradient,) = sg.autograd.grad(self.f(**tensors), tensors[self.wrt])
        return gradient.numpy()


def approved_text(entry: Entry, what: str) -> str:
    """Return the approved text of an entry's derivative, or an empty string."""
    return str(APPROVED.get(entry.name, {}).get(what, {}).get("text", ""))


def _units(shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    for place in np.ndindex(*shape):
        unit = np.zeros(shape)
        unit[place] = 1.0
        yield unit


def _array(shape: tuple[int, ...], properties: frozenset[str], rng: np.random.Generator) -> np.ndarray:
    """Draw an array with the properties asked for, away from the edges of the functions that books use."""
    normal = rng.uniform(-1.2, 1.2, shape)
    makers = {
        "positive": lambda: rng.uniform(0.6, 1.8, shape),
        "fraction": lambda: rng.uniform(0.15, 0.85, shape),
        "sign": lambda: rng.choice([-1.0, 1.0], shape),
        "binary": lambda: rng.integers(0, 2, shape).astype(float),
        "integer": lambda: rng.integers(1, 6, shape).astype(float),
        "wide": lambda: rng.uniform(4.0, 6.0, shape),
        "onehot": lambda: np.eye(shape[-1])[rng.integers(0, shape[-1], shape[:-1])],
        "pd": lambda: normal @ normal.T / shape[0] + np.eye(shape[0]),
        "symmetric": lambda: (normal + normal.T) / 2,
        "invertible": lambda: 2 * np.eye(shape[0]) + 0.5 * normal,
        "diagonal": lambda: np.diag(np.diag(normal)),
        "squared_distances": lambda: (normal[:, :1] - normal[:, :1].T) ** 2,
        "orthogonal": lambda: np.linalg.qr(normal)[0],
    }
    for name, make in makers.items():
        if name in properties:
            return np.asarray(make())
    if properties:
        raise ValueError(f"no point is known with the properties {sorted(properties)}")
    return np.asarray(normal)
