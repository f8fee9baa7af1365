"""Arrays made of pieces: lists, and NumPy's arrays of objects, in which there are numbers that are differentiated.

The idea to hold: NumPy makes of ``np.array([x[0], 1.0])`` an array of objects, and computes with them one by one. Where
such an array meets an operation, its pieces are put side by side, as one tensor.
"""

from __future__ import annotations

import ast
import dis
import linecache
import re
import sys
import weakref
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeGuard

import numpy as np

from .._errors import DTypeError, GradientError, NotDifferentiableError, ShapeError, warn_caller
from .._tensor import is_under_way
from .._trees import parsed
from ..core import Carrier, Symbol, Tensor, modes, plain_array, wrap
from ..ops import sizes
from ..ops.entries import cast
from ..ops.shape import reshape, stack


def tensor_of(value: Any) -> Any:
    """What computes as ``value`` does: the tensor that it carries, that its pieces make, or an array of numbers."""
    if isinstance(value, Carrier):
        return value._t
    if isinstance(value, np.ndarray):
        return stacked_pieces(value) if value.dtype.kind == "O" else plain_array(value)
    if isinstance(value, (list, tuple)):
        return _of_list(value)
    if isinstance(value, Tensor):
        return value
    if hasattr(type(value), "__array__") and not isinstance(value, np.generic):  # a table's column, say
        modes.note_table(value)
        return tensor_of(np.asarray(value))
    return plain_array(value)


def has_pieces(value: Any) -> bool:
    """Whether a list, or an array of objects, holds what is differentiated."""
    if isinstance(value, (Carrier, Tensor)):
        return True
    if isinstance(value, (list, tuple)):
        return any(map(has_pieces, value))
    return is_of_objects(value) and any(map(has_pieces, value.flat))


def is_of_objects(value: Any) -> TypeGuard[np.ndarray]:
    """Whether it is one of NumPy's arrays of objects."""
    return type(value) is np.ndarray and value.dtype.kind == "O"


def _of_list(value: Any) -> Any:
    if not has_pieces(value):
        try:
            array = np.array(value)
        except ValueError as error:
            raise _ragged([np.shape(v) if np.ndim(v) < 2 else () for v in value]) from error
        if array.dtype.kind == "O":
            raise no_numbers(value)
        return array
    return side_by_side(value)


def side_by_side(values: Iterable[Any]) -> Tensor:
    """What computes as ``values`` of one shape do, as one tensor, along a new dimension in front."""
    parts = [v if isinstance(v, (int, float, complex)) else tensor_of(v) for v in values]
    shapes = [() if isinstance(v, (int, float, complex)) else tuple(sizes(v)) for v in parts]
    if any(s != shapes[0] for s in shapes):
        raise _ragged(shapes)
    dtype = np.result_type(*{getattr(v._data if isinstance(v, Tensor) else v, "dtype", type(v)) for v in parts})
    tensors = [v if isinstance(v, Tensor) else wrap(np.asarray(v, dtype)) for v in parts]
    made: Tensor = stack([v if v._data.dtype == dtype else cast(v, dtype) for v in tensors], 0)
    return made


def stacked_pieces(array: np.ndarray) -> Any:
    """An array of objects, some of which are differentiated, as one tensor."""
    pieces = array.reshape(-1).tolist() if array.size else []
    for p in pieces:
        if not isinstance(p, (Carrier, Tensor)) and not is_number(p):
            raise no_numbers(p)
    if not any(isinstance(p, (Carrier, Tensor)) for p in pieces):
        return numbers_of(array) if pieces and has_made() else plain_array(array)  # which refuses objects
    return reshape(side_by_side(pieces), array.shape)


def numbers_of(array: np.ndarray) -> np.ndarray:
    """The numbers of an array of objects, in which NumPy left nothing else."""
    return np.array(array.reshape(-1).tolist()).reshape(array.shape)


def has_made() -> bool:
    """Whether the function that is running has made arrays of pieces: NumPy may have taken the numbers of them only."""
    running = modes.running.get()
    return running is not None and bool(running.variables) and bool(running.makers)


def is_number(p: Any) -> bool:
    """Whether an entry of an array of objects is a number."""
    if isinstance(p, np.ndarray):
        return p.ndim == 0 and p.dtype.kind in "biufc"
    return isinstance(p, (int, float, complex, np.generic))


def no_numbers(piece: Any) -> DTypeError:
    """The error for an array of objects that are no numbers."""
    if isinstance(piece, (list, tuple)):
        odd = [p for p in piece if not isinstance(p, (int, float, complex, np.ndarray, np.generic, list, tuple))]
        piece = odd[0] if odd else piece
    return DTypeError(
        f"an array of objects holds {type(piece).__name__!r}, which is no number",
        f"One of its entries is {str(piece)[:60]!r}.",
        "Take the numbers out first: np.array([...], dtype=float) of them.",
    )


def no_room(what: str) -> GradientError:
    """The error where what is differentiated is to be written to an array of plain numbers."""
    return GradientError(
        f"{what} would write what is being differentiated into an array of numbers",
        "Such an array has no history: what is computed from it would silently have no gradient.",
        "Make the array from one that is differentiated (np.zeros_like(x), np.empty_like(x, shape=n)), or with "
        "import symgrad.numpy as np, whose np.zeros(n) can be filled.",
    )


def _ragged(shapes: list[Any]) -> ShapeError:
    return ShapeError(
        "setting an array element with a sequence: the pieces of an array have different shapes",
        f"They are {', '.join(map(str, dict.fromkeys(shapes)))}.",
        "Give them one shape, or join them with np.concatenate.",
    )


# ------------------------------------------------------------------------------------- what NumPy's own loops decide

_NUMPY = str(np.__path__[0])
_LARGEST = frozenset(["_amax", "_amin", "_ptp", "_wrapreduction"])
_ROOTS = frozenset(["_std", "nanstd", "norm"])
_CHOOSING = frozenset(["maximum", "minimum"])
_known: dict[tuple[CodeType, int], bool] = {}
_named: dict[tuple[CodeType, int], tuple[bool, list[tuple[str, int]]]] = {}
_HAS_PARTS = bool(np.array([1j], object).imag[0])  # as of NumPy 2.5
_OURS, _WRITTEN_OUT = str(Path(__file__).parents[1]), "<symgrad"


def expect_own_choice() -> None:
    """Raise if NumPy asks which of two equal pieces is the larger: it would take one, and its slope alone."""
    frame = sys._getframe(2)
    if frame.f_code.co_filename.startswith(_NUMPY):
        by_numpy = frame.f_code.co_name in _LARGEST
    else:
        place = frame.f_code, frame.f_lasti
        if place not in _known:
            _known[place] = bool(_CHOOSING.intersection(frame.f_code.co_names)) and _calls_numpy(frame)
        by_numpy = _known[place]
    if by_numpy:
        raise _undecided("two pieces of an array are equal", "the largest or the smallest of them", "takes one")


def expect_own_root() -> None:
    """Raise if a function of NumPy's takes the root of a sum of pieces that is 0: of an array it has a slope there."""
    frame = _outside(sys._getframe(1), _OURS, _WRITTEN_OUT)
    if frame is not None and frame.f_code.co_filename.startswith(_NUMPY) and frame.f_code.co_name in _ROOTS:
        raise _undecided("the pieces of an array are all 0, or equal", "their norm or spread", "divides by it")


def _outside(frame: FrameType | None, *folders: str) -> FrameType | None:
    """The frame whose code called what is in some folders."""
    while frame is not None and frame.f_code.co_filename.startswith(folders):
        frame = frame.f_back
    return frame


def expect_no_bytes(frame: FrameType | None, numbers: np.ndarray) -> None:
    """Raise if code that is given an array of objects names what reads memory: there it would find addresses.

    NumPy gives nobody a say when the memory of such an array is read. So this looks at the words of the code that asks
    for one; strides are right for entries of the size of an address.
    """
    frame = _outside(frame, _NUMPY)
    if frame is None:
        return
    words = _words_of_bytes.get(frame.f_code)
    if words is None:
        code = frame.f_code
        keywords = [word for c in code.co_consts if isinstance(c, tuple) for word in c if word == "buffer"]
        used = {*code.co_names, *keywords}
        words = _words_of_bytes[code] = used & _READ_BYTES, used & (_READ_BYTES | _STRIDE)
    found = words[numbers.itemsize != _ADDRESS]
    if found:
        raise _no_numbers_in(min(found), numbers)


def expect_strides(pieces: np.ndarray) -> None:
    """Raise if strides between numbers do not lead from one entry of an array of objects to another."""
    numbers = tensor_of(pieces)._data
    if numbers.itemsize != _ADDRESS:
        raise _no_numbers_in("as_strided", numbers)


def _no_numbers_in(word: str, numbers: np.ndarray) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"{word!r} reads the memory of an array, and there NumPy's array of what is differentiated has addresses of "
        "objects, no numbers",
        f"The numbers are of {numbers.dtype}, the shape is {numbers.shape}.",
        "Write import symgrad.numpy as np, whose array and asarray are no arrays of objects; or move what reads memory "
        "to another function, if it reads only what is known.",
    )


_ADDRESS = np.dtype(object).itemsize
_READ_BYTES = frozenset(["__array_interface__", "buffer", "ctypes", "frombuffer", "memoryview", "tobytes", "tofile"])
_STRIDE = frozenset(["as_strided", "itemsize", "nbytes", "strides"])
_words_of_bytes: weakref.WeakKeyDictionary[CodeType, tuple[Any, Any]] = weakref.WeakKeyDictionary()


def warn_of_objects(frame: FrameType | None) -> None:
    """Warn of ``X.dot(w)`` with NumPy's own X, whose method asks nobody, and multiplies Python objects one by one; and
    of arrays that a function makes which asks for NumPy's own: it may take what it is given for a number."""
    if (frame := _outside(frame, _NUMPY)) is None:
        return
    words = {*frame.f_code.co_names}
    if {"isinstance", "ndarray"} <= words:
        warn_caller(
            f"{frame.f_code.co_name} makes an array of what is differentiated, and asks isinstance(…, ndarray), "
            "which that is not.\n"
            "Where it takes them for one number its values are others than those of plain arrays.\n"
            "Write np.atleast_1d(x) or np.ndim(x), or ask for symgrad.numpy.ndarray, too."
        )
    match _expression(frame) if "dot" in words else None:
        case ast.Call(func=ast.Attribute(value=owner, attr="dot"), args=[given]):  # and not np.dot(a, b)
            left, right = ast.unparse(owner), ast.unparse(given)
            left = left if isinstance(owner, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({left})"
            warn_caller(
                f"{left}.dot({right}) multiplies Python objects one by one: NumPy's method does not ask what it is."
                f"\nThe numbers are right, and may take a thousand times as long.\nWrite np.dot({left}, {right}), or @."
            )


def note_pieces(frame: FrameType | None) -> None:
    """Note whose code makes an array of objects: NumPy asks its pieces whether they are arrays.

    The run that it is part of knows, and what runs inside it: given other arguments the same code may make none.
    """
    frame, running = _outside(frame, _NUMPY), modes.running.get()
    if frame is not None and running is not None and running.makers is not None:
        running.makers.add(frame.f_code)


def _makers() -> set[CodeType]:
    """The code that has made arrays of objects in the function that is running, or in one around it."""
    found: set[CodeType] = set()
    running = modes.running.get()
    while running is not None:
        found |= running.makers or set()
        running = running.around
    return found


def expect_parts() -> None:
    """Raise if a piece of an array of objects becomes complex: to NumPy such an array's imaginary part is 0.

    A piece does not know where it stands. What is computed with an array of objects by name, or with what a call gives
    where such arrays are made, is taken for one.
    """
    frame = _outside(sys._getframe(2), _OURS, _WRITTEN_OUT)
    if frame is None or _HAS_PARTS or not (makers := _makers()):
        return
    place = frame.f_code, frame.f_lasti
    if place not in _named:
        _named[place] = _mentioned(_expression(frame))
    calls, names = _named[place]
    values = [(frame.f_locals.get(name, frame.f_globals.get(name)), depth) for name, depth in names]
    makes = frame.f_code in makers or any(getattr(v, "__code__", None) in makers for v, _ in values)
    if (calls and makes) or any(is_of_objects(v) and v.ndim > d for v, d in values):
        raise NotDifferentiableError(
            "pieces of an array become complex, and NumPy's arrays of objects have no imaginary part: .imag is 0",
            "np.array([…]) of numbers that are being differentiated is an array of objects.",
            _STACKED,
        )  # fmt: skip


def _step(frame: FrameType) -> dis.Instruction:
    """The instruction at which a frame stands: between it and the next one are what Python notes for it, where a frame
    may be while a quickened call runs."""
    return [s for s in dis.get_instructions(frame.f_code) if s.offset <= frame.f_lasti][-1]


def is_at_index(frame: FrameType) -> bool:
    """Whether a frame stands at square brackets."""
    step = _step(frame)
    return step.opname in ("BINARY_SUBSCR", "STORE_SUBSCR") or step.argrepr == "[]"  # as of Python 3.14


def _mentioned(found: ast.expr | None) -> tuple[bool, list[tuple[str, int]]]:
    """Whether an expression calls something, and the names in it, each with how many indices it is given."""
    if found is None:
        return True, []
    parts = list(ast.walk(found))
    depths = {}
    for n in parts:
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name):
            given = n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]
            depths[n.value] = sum(isinstance(i, (ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp)) for i in given)
    return any(isinstance(n, ast.Call) for n in parts), [
        (n.id, depths.get(n, 0)) for n in parts if isinstance(n, ast.Name)
    ]


def _calls_numpy(frame: FrameType) -> bool:
    """Whether a frame stands at a call of a function that chooses; a call is taken for one where its source is not
    known."""
    if _step(frame).opname == "COMPARE_OP":
        return False  # a comparison that the function writes
    called = _expression(frame)
    if not isinstance(called, ast.Call):
        return called is None
    names = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(called.func)}
    return bool(names & _CHOOSING)


def _expression(frame: FrameType) -> ast.expr | None:
    """The expression that a frame is computing; None where its source is not known."""
    code = frame.f_code
    line, last, start, end = [*code.co_positions()][frame.f_lasti // 2]
    if line is None or last is None or start is None or end is None:
        return None
    lines = [text.encode() for text in linecache.getlines(code.co_filename, frame.f_globals)[line - 1 : last]]
    if not lines:
        return None
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        return parsed(f"({b''.join(lines).decode()})", "eval").body
    except SyntaxError:
        return None


# --------------------------------------------------------------------------------- numbers as keys of dictionaries

# The idea to hold: numbers hash by value, so that a table is looked up as it is without derivatives. What a memo keeps
# (`functools.lru_cache`, ``memo[x] = …``) was computed of another number of that value, with its history or without
# one: there only the same number is the same key. Which of both a dictionary is, the code that looks into it says.


_hashed = False
_lookups: dict[tuple[CodeType, int], list[tuple[str, bool]]] = {}


def note_hashed() -> None:
    """Note that a number that is differentiated may have become a key."""
    global _hashed
    _hashed = True


def is_point(value: Any) -> bool:
    """Whether it is an array without dimensions: NumPy's numbers, which may be keys, ask for equality as such."""
    return type(value) is np.ndarray and not value.ndim


def is_another_key(a: Any, b: Any) -> bool:
    """Whether a number and another, or a plain one, of the same value are compared as keys, and are different ones."""
    if not _hashed:
        return False
    tensors = [v._t for v in (a, b) if isinstance(v, Carrier)]
    nodes = [t._node for t in tensors if t._node is not None]
    frame = _outside(sys._getframe(1), str(Path(__file__).parent), _WRITTEN_OUT)
    if not nodes or (len(nodes) == 2 and nodes[0] is nodes[1]) or frame is None or _step(frame).opname == "COMPARE_OP":
        return False
    return any(t._node is not None and not is_under_way(t) for t in tensors) or _keeps_results(frame)


def _keeps_results(frame: FrameType) -> bool:
    """Whether a frame looks into what keeps results: it calls a function with a cache, or writes to the dictionary."""
    place = frame.f_code, frame.f_lasti
    if place not in _lookups:
        found = _expression(frame)
        if found is None:
            raise GradientError(
                "a number that is differentiated is looked up among keys, and another of the same value is there",
                "What a table says of it is right; what a memo keeps of it has another history, or none. Which of both "
                "this is would be read from the source, which is not known here.",
                "Look a table up with x.detach(); of a function with functools.lru_cache use f.__wrapped__.",
            )  # fmt: skip
        texts = [ast.unparse(n) for n in ast.walk(found) if isinstance(n, (ast.Name, ast.Attribute))]
        lines = [line for *_, line in frame.f_code.co_lines() if line]
        source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)[min(lines) - 1 : max(lines)])
        _lookups[place] = [(text, re.search(_WRITTEN % re.escape(text), source) is not None) for text in texts]
    return any(_is_memo(frame, *said) for said in _lookups[place])


_WRITTEN = r"(?<![\w.])%s(\[.*\]\s*=(?!=)|\.setdefault\()"


def _is_memo(frame: FrameType, text: str, written: bool) -> bool:
    try:
        value = eval(text, frame.f_globals, dict(frame.f_locals))
    except Exception:  # of an expression in another scope, as a comprehension's
        return False
    return hasattr(value, "cache_info") or (written and isinstance(value, MutableMapping))


def asked_order(frame: FrameType) -> str | None:
    """The order that a call of NumPy's in a frame asks a copy to have; None where its source is not known."""
    called = _expression(frame)
    if not isinstance(called, ast.Call):
        return "K" if called is not None or "A" not in frame.f_code.co_consts else None
    given = next((k.value for k in called.keywords if k.arg == "order"), None)
    if given is None:
        return "K" if all(k.arg for k in called.keywords) else None
    return str(given.value) if isinstance(given, ast.Constant) else None


_STACKED = (
    "Put them together with np.stack([…]), of a matrix np.block([[…], […]]), or write import symgrad.numpy as np, "
    "whose np.array does."
)


def _undecided(what: str, asked: str, does: str) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"{what}, and NumPy computes {asked} one by one: it {does}, and the derivative would be another than that of "
        "an array",
        "np.array([…]) of numbers that are being differentiated is an array of objects.",
        _STACKED,
    )


def objects(t: Tensor, around: Any, made: np.ndarray) -> np.ndarray:
    """A tensor as NumPy's array of objects, ``made`` for it: its numbers, each with its history."""
    if t._data.dtype.kind == "c" and not _HAS_PARTS:
        raise NotDifferentiableError(
            "NumPy's array of objects would have no imaginary part of these complex numbers: .imag would be 0",
            f"They are differentiated, and their shape is {tuple(t.shape)}.",
            _STACKED,
        )
    if t._data.ndim == 0:
        made[()] = around(t)
    else:
        line = reshape(t, (t._data.size,))
        for k, v in enumerate(line if type(line) is not Symbol else [line[j] for j in range(t._data.size)]):
            made.flat[k] = around(v)
    return made
