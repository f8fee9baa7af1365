"""Python source that Numba compiles, kept in files, so that the next process finds it compiled.

The idea to hold: a file is named by a hash of what is in it and of the versions that read it. So it is written once and
never changed. Numba keeps its machine code beside it, and runs what it finds there: the folder must be this user's own
(`_cache_folder.py`).
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from typing import Any

import numpy as np

from .._errors import MissingDependencyError
from ._cache_folder import own_folder, read, write


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
    place = own_folder()
    path = place and os.path.join(place, f"{name}.py")
    data = source.encode()
    if place is None or path is None or (read(path) != data and not write(path, data)):
        space: dict[str, Any] = {}  # nowhere to write: compiled in this process alone
        exec(
            compile(source.replace("cache=True, ", ""), "<symgrad derivative program>", "exec"), space
        )  # our own source
        return space
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Numba looks for it by name when it reads what it has compiled
    exec(compile(source, path, "exec"), module.__dict__)  # what is in the file, which was compared
    return module.__dict__
