"""Python source that Numba compiles, kept in files, so that the next process finds it compiled.

The idea to hold: a file is named by a hash of what is in it and of the versions that read it. So it is written once,
whole or not at all, and never changed: any number of processes may share the folder. Numba keeps its machine code
beside it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import MissingDependencyError


def require_numba() -> Any:
    """Numba, or an error that says how to get it."""
    try:
        import numba
    except ImportError:
        raise MissingDependencyError(
            "target='numba' compiles with Numba, which is not installed", "", 'python -m pip install "symgrad[numba]"',
        ) from None  # fmt: skip
    return numba


def folder() -> Path:
    """Where compiled programs are kept: ``SYMGRAD_CACHE``, or a folder of the user's."""
    chosen = os.environ.get("SYMGRAD_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "symgrad"


def loaded(source: str) -> dict[str, Any]:
    """The names of a module with this source, whose functions Numba compiles, or has compiled."""
    numba = require_numba()
    key = "\n".join([sys.version, np.__version__, numba.__version__, source])
    name = f"symgrad_program_{hashlib.sha256(key.encode()).hexdigest()[:32]}"
    try:
        path = _written(folder() / f"{name}.py", source)
    except OSError:  # nowhere to write: compiled in this process alone
        space: dict[str, Any] = {}
        exec(
            compile(source.replace("cache=True, ", ""), "<symgrad derivative program>", "exec"), space
        )  # our own source
        return space
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Numba looks for it by name when it reads what it has compiled
    exec(compile(source, str(path), "exec"), module.__dict__)  # what is in the file, which was compared
    return module.__dict__


def _written(path: Path, source: str) -> Path:
    """The file, written if it is not there or has been changed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        if path.read_text(encoding="utf-8") == source:
            return path
    except (OSError, UnicodeDecodeError):
        pass
    handle, new = tempfile.mkstemp(suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        os.replace(new, path)
    except OSError:
        os.unlink(new)
        raise
    return path
