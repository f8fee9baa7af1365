"""Programs that took long to make, kept in files for the next process.

The idea to hold: a file is named by a hash of the structure that its program is for, and says with what it was made:
symgrad's own files, its figures, and the versions beside it; where any differs, it is made anew. It holds numbers and
the program's source, and is believed only with the right code of authentication (`_cache_folder.py`). A program that
is read is compared with the tape like one that was made.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import os
import sys
from functools import cache, cached_property
from typing import Any

import numpy as np

from .. import _limits
from .._config import default_dtype
from ..core import Op
from . import _cache_folder
from ._lower import Pattern
from ._own_rows import OWN_ROWS, in_reals, rules_are_own
from ._runnable import Runnable
from ._source_module import Module, loaded

_MAKERS = ("calculus", "core", "ops", "programs", "show", "sweep", "syntax", "terms")
"""The folders of symgrad that making a program depends on: `programs` and what it imports."""

_WORDS = frozenset([int, bool, str, float])


class _Unknown(Exception):
    """Part of a structure that has no name in another process."""


class KeptModule:
    """A function of a program that was read, with what a `Module` says of its own."""

    structured = None

    def __init__(self, form: dict[str, Any], constants: dict[str, np.ndarray], pattern: Pattern | None) -> None:
        self.arguments = [(name, (kind, tuple(k) if type(k) is list else k)) for name, kind, k in form["arguments"]]
        self.pattern = pattern
        space = {f"op_{name}": in_reals(OWN_ROWS[name].forward) for name in form["operations"]}
        self.function = loaded(form["source"], form["name"], {**space, **constants})


class KeptProgram(Runnable):
    """A program that was made in another process."""

    def __init__(self, form: dict[str, Any], arrays: list[np.ndarray], fixed: list[np.ndarray]) -> None:
        super().__init__("h", form["format"], dict(form["baked"]), [a.copy() for a in fixed], set(form["chosen"]))
        self.guards, self.zero = form["guards"], form["zero"]
        self.dtype, self.total = np.dtype(form["dtype"]), form["total"]
        pattern = Pattern.of(tuple(form["shape"]), *arrays[:3]) if self.sparse else None
        given = [{name: arrays[k] for name, k in module["constants"]} for module in form["modules"]]
        self._parts = [(*pair, pattern) for pair in zip(form["modules"], given, strict=True)]

    @cached_property
    def module(self) -> KeptModule:
        """What runs beside a tape."""
        return KeptModule(*self._parts[0])

    @cached_property
    def whole(self) -> KeptModule:
        """The program that takes nothing from the tape."""
        return KeptModule(*self._parts[1]) if len(self._parts) > 1 else self.module


# -------------------------------------------------------------------------------------------------- names of structures


def name_of(survey: Any, format: str, varying: set[int]) -> str | None:
    """The name of a structure's file; None where a part of it means something in this process alone."""
    if not rules_are_own():  # a user's may enter programs
        return None
    try:
        text = _words((survey.key, format, tuple(sorted(varying))))
    except _Unknown:
        return None
    found = hashlib.sha256(text.encode())
    for array in survey.fixed:
        if not _plain(array):
            return None
        found.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    return f"program_{found.hexdigest()[:40]}"


def _words(value: Any) -> str:
    """Part of a structure as a text that no other has."""
    kind = type(value)
    if isinstance(value, tuple):
        return f"({','.join([_words(v) for v in value])})"
    if isinstance(value, Op):
        name = value.name
        if OWN_ROWS.get(name) is not value:
            raise _Unknown  # a user's row has the user's rules
        return f"<{name}>"
    if value is None or kind in _WORDS:
        return repr(value)
    if isinstance(value, np.dtype) or value is Ellipsis:
        return f"<{value!r}>"
    raise _Unknown


@cache
def _own_files() -> str:
    """The files that make programs, as they are: versions in between have no number of their own."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    found: list[tuple[str, int, int]] = []
    places = [os.path.join(package, name) for name in _MAKERS]
    for place in places:
        for entry in sorted(os.scandir(place), key=lambda entry: entry.path):
            if entry.name.endswith(".py"):
                stat = entry.stat()
                found.append((entry.path, stat.st_size, stat.st_mtime_ns))
            elif "." not in entry.name and entry.name != "__pycache__":
                places.append(entry.path)
    return repr(found)


@cache
def _versions() -> list[str]:
    """Python's, NumPy's, and those of what is imported where a program needs it."""
    found = [sys.version, sys.byteorder, np.__version__]
    for name, file in (("scipy", "version.py"), ("opt_einsum", "_version.py")):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            found.append(f"no {name}")
            continue
        with open(os.path.join(os.path.dirname(spec.origin), file), encoding="utf-8") as text:
            found.append(text.read())
    return found


def _made_with() -> str:
    """Everything that programs depend on beside the structure, as a hash."""
    figures = {name: getattr(_limits, name) for name in _limits.TABLE}
    text = repr([_versions(), _own_files(), figures, default_dtype()])
    return hashlib.sha256(text.encode()).hexdigest()


# ----------------------------------------------------------------------------------------------------- reading, writing


def find_kept(survey: Any, format: str, varying: set[int]) -> KeptProgram | None:
    """The program of a structure from a file, if there is one."""
    name = None if _cache_folder.folder() is None else name_of(survey, format, varying)
    data = None if name is None else _cache_folder.kept(name)
    if data is None:
        return None
    import json

    end = 8 + int.from_bytes(data[:8], "little")
    form = json.loads(data[8:end])
    if form["made with"] != _made_with():
        return None
    return KeptProgram(form, _arrays(form["arrays"], data, end), survey.fixed)


def keep(program: Any, survey: Any, varying: set[int]) -> None:
    """Write a program to its file, if another process could read it."""
    import json

    if _cache_folder.folder() is None or program.format == "structured":
        return
    name = name_of(survey, program.format, varying)
    modules: list[Module] = [program.module, *([program.whole] if program.module is not program.whole else [])]
    pattern = program.module.pattern
    arrays = [] if pattern is None else [pattern.indices, pattern.gather, pattern.indptr]
    values = {id(value): value for module in modules for value in module.constants.values()}  # they share them
    number = {key: len(arrays) + k for k, key in enumerate(values)}
    arrays += values.values()
    operations = [_operations(module) for module in modules]
    if name is None or None in operations or not all(map(_plain, arrays)):
        return
    if sum([a.nbytes for a in arrays]) > _limits.CACHED_BYTES // 2:
        return
    form = {
        "made with": _made_with(), "format": program.format, "baked": list(program.baked.items()),
        "chosen": sorted(program.chosen), "guards": program.guards, "zero": program.zero,
        "dtype": program.dtype.str, "total": program.total, "shape": None if pattern is None else pattern.shape,
        "arrays": [(a.dtype.str, a.shape) for a in arrays],
        "modules": [
            {"source": module.inner, "name": module.name, "operations": rows,
             "constants": [(constant, number[id(value)]) for constant, value in module.constants.items()],
             "arguments": [(argument, kind, k) for argument, (kind, k) in module.arguments]}
            for module, rows in zip(modules, operations, strict=True)
        ],
    }  # fmt: skip
    text = json.dumps(form).encode()
    raw = [np.ascontiguousarray(a).tobytes() for a in arrays]
    _cache_folder.keep(name, b"".join([len(text).to_bytes(8, "little"), text, *raw]))


def _operations(module: Module) -> list[str] | None:
    """The rows that a module's source calls; None where it mentions what cannot be said in a file."""
    names = [name.removeprefix("op_") for name in module.source.space]
    space = module.source.space
    own = all(name in OWN_ROWS and space[f"op_{name}"] is in_reals(OWN_ROWS[name].forward) for name in names)
    return names if own else None


def _plain(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.kind in "biuf"


def _arrays(forms: list[Any], data: bytes, start: int) -> list[np.ndarray]:
    found = []
    for dtype, shape in forms:
        kind, count = np.dtype(dtype), math.prod(shape)
        found.append(np.frombuffer(data, kind, count, start).reshape(shape).copy())
        start += count * kind.itemsize
    return found


__all__ = ["KeptProgram", "find_kept", "keep", "name_of"]
