"""``save`` and ``load``: pickles of leaves and of anything around them."""

from __future__ import annotations

import codecs
import io
import math
import pickle
import re
import struct
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ._errors import LoadError
from ._tensor import _rebuild
from ._typing import Device, Size, dtype
from .core import Tensor


def save(obj: Any, f: Any) -> None:
    """Write an object (tensors, state dictionaries, …) to a path or an open binary file, as a pickle.

    What is more than tensors, arrays, numbers and containers (a formula, a whole module) is read again by
    ``sg.load(file, weights_only=False)``, which runs what the file says: of files that you trust.

    Examples
    --------
    >>> import io, symgrad as sg
    >>> file = io.BytesIO()
    >>> sg.save({"w": sg.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> sg.load(file)
    {'w': tensor([1., 1.])}
    """
    if hasattr(f, "write"):
        _Writer(f, obj).dump(obj)
    else:
        content = io.BytesIO()
        _Writer(content, obj).dump(obj)  # first: a file is not opened for what cannot be pickled
        with open(f, "wb") as file:
            file.write(content.getbuffer())


class _Writer(pickle.Pickler):
    """Writes a pickle in which tensors have the memory in common that they have: each is a part of one array of bytes.

    A tensor that has no memory in common with another of the object is written alone, however large what it views.
    """

    def __init__(self, file: Any, obj: Any) -> None:
        super().__init__(file)
        looking = _Looking()
        looking.dump(obj)
        self._parts: dict[int, Any] = {}  # how an array is made, by its identity
        together: list[np.ndarray] = []
        start = end = 0
        for low, high, a in sorted(looking.found.values(), key=lambda part: part[:2]):
            if low >= end:
                self._note(together, start, end)
                together, start = [], low
            together.append(a)
            end = max(end, high)
        self._note(together, start, end)

    def _note(self, together: list[np.ndarray], start: int, end: int) -> None:
        if len(together) < 2:
            return
        memory = np.zeros(end - start, np.uint8)
        for a in together:
            place = a.__array_interface__["data"][0] - start
            part = (a.shape, a.dtype, memory, place, a.strides)
            np.ndarray(*part)[...] = a  # what lies between is nobody's
            self._parts[id(a)] = np.ndarray, part

    def reducer_override(self, value: Any) -> Any:
        """How arrays of tensors are made that are parts; all else says itself how it is."""
        return self._parts.get(id(value), NotImplemented) if type(value) is np.ndarray else NotImplemented


class _Looking(pickle.Pickler):
    """Finds the arrays of an object's tensors, and where they begin and end in memory. Nothing is written."""

    def __init__(self) -> None:
        super().__init__(self)
        self.found: dict[int, tuple[int, int, np.ndarray]] = {}

    def write(self, data: Any) -> int:
        """Take what would be written."""
        return len(data)

    def reducer_override(self, value: Any) -> Any:
        """Note a tensor's array, of which nothing is asked but what the tensor has beside it."""
        if type(value) is Tensor:
            a = value._data
            if a.size:
                low, high = (a.__array_interface__["data"][0] + k for k in _reach(a.shape, a.strides, a.itemsize))
                self.found[id(a)] = low, high, a
            return tuple, ((vars(value),),)
        return (tuple, ()) if type(value) is np.ndarray and not value.dtype.hasobject else NotImplemented


def _reach(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> tuple[int, int]:
    """The bytes before an array's first entry at which it begins, as a number below 0, and at which it ends."""
    ways = [step * (n - 1) for n, step in zip(shape, strides, strict=True)]
    return sum([way for way in ways if way < 0]), sum([way for way in ways if way > 0]) + size


_WEIGHTS = {
    **dict.fromkeys(
        ("builtins", "__builtin__"),
        "set frozenset bytearray complex slice range list dict tuple int float str bytes bool xrange",
    ),  # in old protocols by old names
    "collections": "OrderedDict defaultdict deque Counter",
    "_codecs": "encode",  # bytes, in the oldest protocols
    "numpy": "ndarray dtype",
    **dict.fromkeys(("numpy._core.multiarray", "numpy.core.multiarray"), "_reconstruct scalar"),
    **dict.fromkeys(("numpy._core.numeric", "numpy.core.numeric"), "_frombuffer"),
    "symgrad": "dtype Size device",
    **dict.fromkeys(("symgrad._tensor.history", "symgrad._tensor._history"), "_rebuild"),
}
"""What a file of weights may name, by module: what makes tensors, arrays, numbers and containers, and no more."""


class _InPieces:
    """A file of which no more memory is taken than it has bytes, however many it says there are."""

    def __init__(self, file: Any) -> None:
        self._file, self.readline = file, file.readline

    def read(self, count: int) -> bytes:
        pieces = []
        while count > 0 and (piece := self._file.read(min(count, 2**20))):
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)


class _OfWeights(pickle._Unpickler):
    """Reads tensors, arrays, numbers and containers, and refuses all else that a file asks for.

    The idea to hold: what a file has made it can use again, and change. So it calls nothing itself: what it names is
    made here, of arguments that were looked at (`_MADE`). A state makes another dtype, and an array of a new one only;
    entries go into containers alone.
    """

    dispatch: ClassVar[dict[int, Callable[[Any], None]]] = {
        code: read for code, read in pickle._Unpickler.dispatch.items() if bytes([code]) not in (
            pickle.PERSID, pickle.BINPERSID, pickle.INST, pickle.OBJ, pickle.NEWOBJ_EX, pickle.EXT1, pickle.EXT2,
            pickle.EXT4, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER,
        )
    }  # fmt: skip
    append: Any
    stack: list[Any]
    memo: dict[int, Any]

    def __init__(self, file: Any) -> None:
        super().__init__(_InPieces(file))
        self._places: dict[int, int] = {}  # in the memo, of dtypes by identity

    def find_class(self, module: str, name: str) -> Any:
        if name in _WEIGHTS.get(module, "").split():
            return super().find_class(module, name)
        if module == "symgrad.return_types" and name.isidentifier():
            found = super().find_class(module, name)
            if isinstance(found, type) and issubclass(found, tuple):
                return found
        raise _refused(f"the file asks for {module}.{name}, which is no tensor, container or number")

    def load_call(self) -> None:
        args, called = self.stack.pop(), self.stack.pop()
        make = _MADE.get(called) if callable(called) else None
        if make is None and isinstance(called, type) and called.__module__ == "symgrad.return_types":
            make = partial(called.__new__, called)
        _require(make is not None and type(args) is tuple, f"a call of {getattr(called, '__name__', 'no name')}")
        made = make(*args)  # type: ignore[misc]
        if isinstance(made, np.dtype):
            self._places[id(made)] = len(self.memo)
        self.append(made)

    def load_build(self) -> None:
        state, made = self.stack.pop(), self.stack[-1]
        if isinstance(made, np.dtype):
            place = self._places.get(id(made))
            self.stack[-1] = _dtype_of_state(made, *state)
            if self.memo.get(place) is made:  # type: ignore[arg-type]
                self.memo[place] = self.stack[-1]  # type: ignore[index]
        elif type(made) is np.ndarray and made.dtype == _NEW:  # any other may be in use
            made.__setstate__(_state_of_an_array(*state))
        else:
            _require(type(made) is OrderedDict and type(state) is dict, f"a state for a {type(made).__name__}")
            vars(made).update(state)

    def load_bytearray8(self) -> None:
        self.append(bytearray(self.read(*struct.unpack("<Q", self.read(8)))))  # type: ignore[attr-defined]

    dispatch[pickle.REDUCE[0]] = dispatch[pickle.NEWOBJ[0]] = load_call
    dispatch[pickle.BUILD[0]], dispatch[pickle.BYTEARRAY8[0]] = load_build, load_bytearray8


def _into(kinds: tuple[type, ...], code: bytes, place: int) -> None:
    """Let entries go into some containers only; these lie on the stack, or under a mark where there is no place."""
    read = pickle._Unpickler.dispatch[code[0]]

    def put(reader: Any) -> None:
        kind = type(reader.stack[place] if place else reader.metastack[-1][-1])
        _require(kind in kinds, f"entries for a {kind.__name__}")
        read(reader)

    _OfWeights.dispatch[code[0]] = put


_DICTS, _LISTS = (dict, OrderedDict, defaultdict, Counter), (list, deque)
for _kinds, _code, _place in (
    (_LISTS, pickle.APPEND, -2), (_LISTS, pickle.APPENDS, 0), ((set,), pickle.ADDITEMS, 0),
    (_DICTS, pickle.SETITEM, -3), (_DICTS, pickle.SETITEMS, 0),
):  # fmt: skip
    _into(_kinds, _code, _place)


def _refused(what: str) -> LoadError:
    return LoadError(
        what, "A pickle can run any code, change what a program is made of, and read memory that is none of its own.",
        "If you trust whoever wrote it: sg.load(file, weights_only=False).",
    )  # fmt: skip


def _require(fact: bool, what: str) -> None:
    if not fact:
        raise _refused(f"the file has {what}")


def _of_entries(kind: type) -> Callable[..., Any]:
    """A container of what the file holds: not of a range, nor of as many bytes as a number says."""

    def made(*args: Any) -> Any:
        _require(not args or type(args[0]) in (list, tuple, dict, str, bytes), f"no entries for a {kind.__name__}")
        return kind(*args)

    return made


def _mapping_with_default(kind: Any = None) -> Any:
    _require(kind is None or isinstance(kind, type), "a function for missing entries")
    return defaultdict(kind)


def _latin(text: str, code: str) -> bytes:
    _require(type(text) is str and code in ("latin1", "latin-1"), "text in another code")
    return text.encode("latin-1")


def _dtype(code: str, *_: Any) -> np.dtype:
    _require(type(code) is str and re.fullmatch(r"[A-Za-z?]\d*", code) is not None, "no code of a dtype")
    return np.dtype(code, False, True)  # one of its own, whose identity is nobody else's


def _dtype_of_state(
    made: np.dtype, version: Any, order: Any, inner: Any, names: Any, fields: Any, size: Any, alignment: Any,
    flags: Any, more: Any = None,
) -> np.dtype:  # fmt: skip
    """A dtype made anew by NumPy, which looks at what it is told: told by a state it would believe it, and keep the
    dictionary of fields, which the file could change."""
    found: Any
    parts = [] if fields is None else [fields[name] for name in names]
    _require(not any(part[0].hasobject for part in [*parts, *([] if inner is None else [inner])]), "fields of objects")
    if inner is not None:
        _require(isinstance(inner[0], np.dtype) and _is_shape(inner[1]), "entries of no shape")
        found = np.dtype((inner[0], inner[1]))
    elif names is not None:
        _require(all(isinstance(part[0], np.dtype) for part in parts), "fields of no dtype")
        formats, offsets, titles = zip(*[(*part, None)[:3] for part in parts], strict=True) if parts else ((), (), ())
        found = np.dtype({"names": list(names), "formats": list(formats), "offsets": list(offsets),
                          "titles": list(titles), "itemsize": made.itemsize}, align=bool(flags & 128))  # fmt: skip
    else:
        if made.kind in "mM" and more is not None:
            more, (unit, count, *_) = more
            found = np.dtype(f"{made.kind}8[{count}{unit.decode()}]" if unit != b"generic" else f"{made.kind}8")
        else:
            found = made
        found = found.newbyteorder(order)
    _require(
        (found.kind, found.itemsize, size) == (made.kind, made.itemsize, made.itemsize if made.kind in "SUV" else -1),
        "a dtype of two sizes",
    )
    return np.dtype(found, metadata=dict(more)) if more else found


def _is_shape(shape: Any) -> bool:
    return type(shape) is tuple and all(type(n) is int and n >= 0 for n in shape)


def _has_entries(dtype: Any, content: Any, count: int = 1) -> bool:
    """Whether bytes, or objects, are just so many entries of a dtype."""
    if not isinstance(dtype, np.dtype) or dtype.subdtype is not None:
        return False
    kind, size = (list, 1) if dtype.hasobject else (bytes, dtype.itemsize)
    return type(content) is kind and len(content) == count * size


def _state_of_an_array(version: Any, shape: Any, dtype: Any, fortran: Any, content: Any) -> tuple[Any, ...]:
    _require(_is_shape(shape) and _has_entries(dtype, content, math.prod(shape)), "an array that is not whole")
    return version, shape, dtype, fortran, content


_NEW = np.dtype([("new", "?")])
"""Of an array that waits for its state: nothing takes it for numbers."""

_EMPTY: Any = np.zeros(0).__reduce__()[0]
_SCALAR: Any = np.float64().__reduce__()[0]
_VIEW: Any = np.zeros(1).__reduce_ex__(5)[0]


def _new_array(kind: Any, shape: Any, code: Any) -> np.ndarray:
    _require(kind is np.ndarray, "an array of another kind")
    return np.ndarray(0, _NEW)


def _number(dtype: Any, content: Any) -> Any:
    _require(_has_entries(dtype, content) and not dtype.hasobject, "a number that is not whole")
    return _SCALAR(dtype, content)


def _part(shape: Any, code: Any, memory: Any, place: Any, strides: Any) -> np.ndarray:
    _require(
        isinstance(code, np.dtype) and code.kind in tuple("biufc") and type(memory) is np.ndarray
        and memory.dtype == np.uint8 and memory.ndim == 1 and memory.flags.c_contiguous and _is_shape(shape)
        and 0 not in shape and type(strides) is tuple and {type(place), *map(type, strides)} == {int},
        "a part of what is no memory",
    )  # fmt: skip
    low, high = _reach(shape, strides, code.itemsize)  # NumPy's own numbers of bytes may overflow
    _require(place + low >= 0 and place + high <= memory.size, "a part that goes beyond its memory")
    return np.ndarray(shape, code, memory, place, strides)


def _array_of_bytes(content: Any, dtype: Any, *layout: Any) -> np.ndarray:
    _require(type(content) in (bytes, bytearray) and isinstance(dtype, np.dtype), "an array of what are no bytes")
    return _VIEW(content, dtype, *layout)


def _tensor(data: Any, requires_grad: Any, name: Any, is_parameter: Any, attributes: Any) -> Any:
    kind = data.dtype.kind if type(data) is np.ndarray else ""
    _require(kind in tuple("biufc") and (kind in "fc" or requires_grad is False), "a tensor of no numbers")
    _require(
        type(requires_grad) is type(is_parameter) is bool and type(attributes) is dict and
        isinstance(name, str | None), "no facts about a tensor",
    )  # fmt: skip
    return _rebuild(data, requires_grad, name, is_parameter, attributes)


_MADE: dict[Any, Callable[..., Any]] = {
    **{kind: _of_entries(kind) for kind in (set, frozenset, bytearray, bytes, deque, OrderedDict, Counter, Size)},
    **{kind: kind for kind in (complex, slice, range, dtype, Device)},
    defaultdict: _mapping_with_default, codecs.encode: _latin, np.dtype: _dtype, _EMPTY: _new_array, _SCALAR: _number,
    _VIEW: _array_of_bytes, _rebuild: _tensor, np.ndarray: _part,
}  # fmt: skip
"""How what a file names is made."""


_LEGACY = 0x1950A86A20F9469CFC6C
"""With which files of PyTorch's begin that are no zip files."""


def load(f: Any, map_location: Any = None, *, weights_only: bool | None = None) -> Any:
    """Read what `save` wrote: tensors, arrays, numbers, containers, state dictionaries.

    Parameters
    ----------
    f : a path, or a file that was opened to be read
    map_location : PyTorch's; everything is on the CPU, and a file is read whole
    weights_only : False reads any pickle (a whole module, say). That can run code: do so only with files that you trust

    Raises
    ------
    LoadError : the file is damaged, was not written by `save`, or asks for more than weights
    """
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return load(file, map_location, weights_only=weights_only)
    unpickler = pickle.Unpickler if weights_only is False else _OfWeights
    # where any class may be read its errors are its own
    damage = (pickle.UnpicklingError, EOFError, UnicodeDecodeError) if weights_only is False else (Exception,)
    try:
        found = unpickler(f).load()
        if type(found) is int and found == _LEGACY:  # a number of its own, and tensors in pickles after it
            raise pickle.UnpicklingError("it is in PyTorch's format before 1.6")
        return found
    except LoadError:
        raise
    except damage as error:
        raise LoadError(
            "this is no file that sg.save has written, or it is damaged", f"{type(error).__name__}: {error}",
            "Of a file of PyTorch's take the arrays there: sg.save({k: v.numpy() for k, v in state.items()}, file).",
        ) from error  # fmt: skip
