"""The libraries that code is written for, where they differ from NumPy, and the small functions their code may need."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from .._errors import FormulaError
from ._code import CodeWriter
from ._expressions import Text
from ._functions import COMPARE
from ._layout import Note, entries_of
from ._parameters import is_mask
from ._signs import ATOM

_PLACED = '''def _placed(x, shape, index):
    """Zeros, with an array added at an index."""
    x = np.asarray(x)*1  # truth values as numbers
    out = np.zeros(shape, x.dtype)
    np.add.at(out, index, x)
    return out'''
_PLACED_TORCH = '''def _placed(x, shape, index):
    """Zeros, with an array added at an index."""
    x = torch.as_tensor(x)*1  # truth values as numbers
    places = torch.arange(math.prod(shape)).reshape(shape)[index]
    out = torch.zeros(math.prod(shape), dtype=x.dtype)
    return out.index_add(0, places.reshape(-1), x.reshape(-1)).reshape(shape)'''
_PLACED_JAX = '''def _placed(x, shape, index):
    """Zeros, with an array added at an index."""
    x = jnp.asarray(x)*1  # truth values as numbers
    return jnp.zeros(shape, x.dtype).at[index].add(x)'''
_ARRAY_OF = '''def _array_of(operation, shape):
    """The array of a linear operation on arrays of a shape: the output's axes, then the operand's."""
    units = np.eye(math.prod(shape)).reshape(-1, *shape)
    columns = np.stack([operation(unit) for unit in units], axis=-1)
    return columns.reshape(*columns.shape[:-1], *shape)'''
_ARRAY_OF_TORCH = '''def _array_of(operation, shape, dtype):
    """The array of a linear operation on arrays of a shape: the output's axes, then the operand's."""
    units = torch.eye(math.prod(shape), dtype=dtype).reshape(-1, *shape)
    columns = torch.stack([operation(unit) for unit in units], dim=-1)
    return columns.reshape(*columns.shape[:-1], *shape)'''
_TRANSPOSED = '''def _transposed(name, params, x, shape):
    """The transpose of one of symgrad's linear operations on arrays of a shape."""
    _, pull = sg.func.vjp(lambda a: TABLE[name].apply(a, *params), sg.zeros(shape))
    return np.asarray(pull(sg.tensor(x*1.0))[0])'''


_JACOBIAN = '''def _jacobian(name, params, out, wrt, *operands):
    """The derivative of one of symgrad's operations in operand number wrt: its output's axes, then the operand's."""
    operands = [sg.tensor(a) for a in operands]

    def run(x):
        found = TABLE[name].apply(*operands[:wrt], x, *operands[wrt + 1 :], *params)
        return found if out is None else found[out]

    return np.asarray(sg.autograd.functional.jacobian(run, operands[wrt]))'''


class NumpyWriter(CodeWriter):
    """Writes notes as NumPy expressions."""

    helper_sources: ClassVar[dict[str, str]] = {
        "_placed": _PLACED, "_array_of": _ARRAY_OF, "_transposed": _TRANSPOSED, "_jacobian": _JACOBIAN,
    }  # fmt: skip

    def _jac(self, note: Note) -> Text:
        (call,) = note.parts
        op, params, out = call.info
        if op.variadic:
            raise FormulaError(
                f"the derivative of {op.label} has no formula",
                "It stands in this formula as an unknown.",
                "Evaluate the formula with sg.grad or sg.jacobian.",
            )
        self.helpers.add("_jacobian")
        about = [repr(op.name), self.parameter(params), repr(out), repr(note.info)]
        return f"_jacobian({', '.join(about + [self.text(p) for p in call.parts])})", ATOM


class JaxWriter(CodeWriter):
    """Writes notes as JAX expressions."""

    np = "jnp."
    column = 2
    helper_sources: ClassVar[dict[str, str]] = {"_placed": _PLACED_JAX, "_array_of": _ARRAY_OF.replace("np.", "jnp.")}

    def unknown(self, op: Any, args: list[str], params: Any) -> Text:
        raise _missing(op, "JAX")

    def adjoint(self, term: Any, inner: str) -> Text:
        raise _missing(term.op, "JAX")

    def derivative(self, text: str, variable: str, at: str) -> str:
        return f"jax.jacobian(lambda {variable}: {text})({at})"


_OPERATORS = frozenset({"pow_tensor", "floor_divide", "div_floor", "tied"})
"""Operations that are Python's operators in code, which take numbers."""
_OF_TENSORS = frozenset({"atan2", "logaddexp", "logaddexp2", "hypot", "fmax", "fmin", "heaviside"})
"""Functions of two operands that take tensors only."""
_VALUES = {
    "where": (1, 2), "keep": (0,), "gate": (0,), "slant": (0,), "between": (0,), "div_or_zero": (0, 1),
    "masked_fill": (0, 2),
}  # fmt: skip
"""Functions that are ``where`` in code: which operands are values, of which one must be a tensor."""


_PRODUCTS = frozenset({"chain", "dot", "einsum", "kron", "kronswap", "vecvec"})


class TorchWriter(CodeWriter):
    """Writes notes as PyTorch expressions."""

    np = "torch."
    column = 1
    helper_sources: ClassVar[dict[str, str]] = {
        "_placed": _PLACED_TORCH,
        "_array_of": _ARRAY_OF_TORCH,
    }

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """The argument that gives new arrays their dtype."""
        return f", dtype={self.like or 'torch.float64'}"

    def new(self, function: str, args: str) -> str:
        return f"torch.{'tensor' if function == 'array' else function}({args}{self.dtype})"

    def _data(self, note: Note) -> Text:
        if note.info.value.dtype == bool:
            return f"torch.tensor({note.info.value.tolist()!r})", ATOM
        return super()._data(note)

    def _table(self, note: Note) -> Text:
        """Of numbers it is made as it stands; else stacked, through which gradients flow."""
        if all(self._is_number(p) for p in entries_of(note)):
            return super()._table(note)
        numbers = [k for k, p in enumerate(note.parts) if not p.shape and self._is_number(p)]
        return f"torch.stack([{', '.join(map(self.text, self._with_tensors(note, numbers).parts))}])", ATOM

    def whole(self, note: Note) -> str:
        """An array of places."""
        if note.kind == "data":
            return f"torch.tensor({note.info.value.tolist()!r})"
        text = super().whole(note)
        return f"torch.as_tensor({self.text(note)}).long()" if text.endswith(".astype(int)") else text

    def _map(self, note: Note) -> Text:
        """A function of tensors: PyTorch's take numbers in few places, and make float32 of them where all are."""
        op = note.info[0].name
        if op in COMPARE or op in _OPERATORS:
            return super()._map(note)
        values = _VALUES.get(op, range(len(note.parts)))
        numbers = [k for k in values if self._is_number(note.parts[k])]
        if op not in _OF_TENSORS and len(numbers) < len(values):
            numbers = [k for k in numbers if not k and op not in _VALUES]
        elif op in _VALUES:
            numbers = numbers[:1]
        return super()._map(self._with_tensors(note, numbers))

    def _pow(self, note: Note) -> Text:
        if note.info == Fraction(1, 2) and self._is_number(note.parts[0]):
            return f"math.sqrt({self.text(note.parts[0])})", ATOM
        return super()._pow(note)

    def _with_tensors(self, note: Note, places: list[int]) -> Note:
        parts = [Note("constant", (p,), None, ()) if k in places else p for k, p in enumerate(note.parts)]
        return note._replace(parts=tuple(parts))

    def _constant(self, note: Note) -> Text:
        return self.new("array", self.text(note.parts[0])), ATOM

    def written(self, note: Note) -> Text:
        if note.kind == "full" and self._is_number(note.parts[0]):
            return self.new("full", f"{self.shape(note.shape)}, {self.text(note.parts[0])}"), ATOM
        return super().written(self._of_numbers(note) if note.kind in _PRODUCTS else note)

    def _is_number(self, note: Note) -> bool:
        """Whether it is a number in Python: digits, sizes and what is computed of these."""
        if note.kind in ("product", "add", "had", "pow"):
            return not note.shape and all(self._is_number(p) for p in note.parts)
        return note.kind == "number" or (note.kind == "name" and note.info[0] in self.known.sizes)

    def _of_numbers(self, note: Note) -> Note:
        """Factors of one dtype, which products take: a truth as a number."""
        if note.kind == "name" and note.info[0] in self.known.truths:
            return Note("iverson", (note,), None, note.shape)
        if note.kind not in (*_PRODUCTS, "T", "had", "diag", "outer"):
            return note
        return note._replace(parts=tuple(map(self._of_numbers, note.parts)))

    def read(self, array: str, index: Any) -> str:
        turned, rest = _forwards(index)
        array = f"torch.flip({array}, {turned})" if turned else array
        return array if turned and _is_all(rest) else super().read(array, rest)

    def at(self, inner: str, shape: Any, index: Any) -> str:
        turned, rest = _forwards(index)
        placed = inner if turned and _is_all(rest) else super().at(inner, shape, rest)
        return f"torch.flip({placed}, {turned})" if turned else placed

    def derivative(self, text: str, variable: str, at: str) -> str:
        return f"torch.autograd.functional.jacobian(lambda {variable}: {text}, {at})"

    def permuted(self, text: str, axes: tuple[int, ...]) -> str:
        return f"torch.permute({text}, {axes})"

    def indicator(self, truth: str) -> str:
        return f"{truth if truth.isidentifier() else f'({truth})'}.to({self.like or 'torch.float64'})"

    def unknown(self, op: Any, args: list[str], params: Any) -> Text:
        raise _missing(op, "PyTorch")

    def adjoint(self, term: Any, inner: str) -> Text:
        raise _missing(term.op, "PyTorch")


def _forwards(index: Any) -> tuple[tuple[int, ...], Any]:
    """The axes that are turned round, and what an index takes then: PyTorch has no slices with negative steps.

    Entry i from the front is entry −1 − i of what is turned round, in Python's count and beyond the ends, too.
    """
    parts = list(index) if isinstance(index, tuple) else [index]
    axes = [0 if p is None or p is Ellipsis else p.ndim if is_mask(p) else 1 for p in parts]
    turned = []
    for k, part in enumerate(parts):
        if isinstance(part, slice) and part.step is not None and part.step < 0:
            from_the_end = any(p is Ellipsis for p in parts[:k])
            turned.append(-sum(axes[k:]) if from_the_end else sum(axes[:k]))
            start, stop = [None if end is None else -1 - end for end in (part.start, part.stop)]
            parts[k] = slice(start, stop, None if part.step == -1 else -part.step)
    return (tuple(turned), tuple(parts)) if turned else ((), index)


def _is_all(index: tuple[Any, ...]) -> bool:
    return all(p is Ellipsis or (isinstance(p, slice) and p == slice(None)) for p in index)


def _missing(op: Any, library: str) -> FormulaError:
    return FormulaError(
        f"{library} has no counterpart of {op.label!r} here",
        "",
        "Ask for NumPy code, which falls back on symgrad itself.",
    )


WRITERS: dict[str, type[CodeWriter]] = {"numpy": NumpyWriter, "torch": TorchWriter, "jax": JaxWriter}
