"""Python source that Numba compiles, and its machine code in files, so that the next process finds it compiled.

The idea to hold: a file is named by a hash of what the machine code depends on: source, signature, processor, and the
versions that made it. Numba's own files are pickles that it reads, whoever wrote them: here they are kept as programs
are (`_cache_folder.py`), and what is not this user's, or damaged, is as if it were not there.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import types
from typing import Any

import numpy as np

from .._errors import MissingDependencyError
from ._cache_folder import keep, kept


def require_numba() -> Any:
    """Numba, or an error that says how to get it."""
    try:
        import numba
    except ImportError:
        raise MissingDependencyError(
            "target='numba' compiles with Numba, which is not installed", "", 'python -m pip install "symgrad[numba]"',
        ) from None  # fmt: skip
    return numba


def loaded(source: str) -> dict[str, Any]:
    """The names of a module with this source, whose functions Numba compiles, or has compiled."""
    numba = require_numba()
    key = "\n".join([sys.version, np.__version__, numba.__version__, source])
    name = f"symgrad_program_{hashlib.sha256(key.encode()).hexdigest()[:32]}"
    module = types.ModuleType(name)
    sys.modules[name] = module  # Numba looks for it by name when it reads what it has compiled
    exec(compile(source, "<symgrad derivative program>", "exec"), module.__dict__)  # our own source
    for function in list(vars(module).values()):
        if hasattr(function, "targetoptions"):  # one that Numba compiles
            function._cache = _Kept(f"{name}.{function.__name__}")
    return module.__dict__


class _Kept:
    """Numba's cache of one function (`numba.core.caching._Cache`), in files of this user's."""

    cache_path = None

    def __init__(self, name: str) -> None:
        self.name = name

    def _file(self, signature: Any, codegen: Any) -> str:
        text = f"{self.name} {signature} {codegen.magic_tuple()}"
        return f"numba_{hashlib.sha256(text.encode()).hexdigest()[:40]}"

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled function for a signature, if it was kept."""
        target.refresh()  # what Numba must know before it takes machine code
        data = kept(self._file(signature, target.codegen()))
        if data is None:
            return None
        from numba.core.compiler import CompileResult

        return CompileResult._rebuild(target, *pickle.loads(data))

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled function, unless addresses of this process are in it."""
        from numba.core.serialize import dumps

        if not compiled.library.has_dynamic_globals and all(part.can_cache for part in compiled.lifted):
            keep(self._file(signature, compiled.codegen), dumps(compiled._reduce()))
