"""Files between processes: the folder of programs, and the machine code that Numba made of source."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import pickle
import stat
import sys
import types
import warnings
from typing import Any

import numpy as np

from .. import _limits
from .._errors import MissingDependencyError
from .._limits import bound

# -------------------------------------------------------------------------------------------------------------------
# The folder in which programs are kept between processes: whose it must be, and how files in it are read and written

# The idea to hold: what is read from here is run, so it must be this user's own. As ssh does with its keys, a folder or
# file that somebody else owns, or could write to, is not used; and what was written by other means, or is damaged, is
# told by a code of authentication, whose key only this user can read. Files are written whole or not at all: any number
# of processes may share the folder.


OFF = "off"
_KEY = "key"
_MAGIC = b"symgrad program\n"
_CODE = hashlib.sha256().digest_size
"""Bytes of a code of authentication, and of the key."""
_warned: set[str] = set()


def folder() -> str | None:
    """Where programs are kept: ``SYMGRAD_CACHE``, or a folder of the user's; None where that is 'off'."""
    chosen = os.environ.get("SYMGRAD_CACHE")
    if chosen:
        return None if chosen == OFF else chosen
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        home = os.path.join(home, "Library", "Caches")
    else:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(home, "symgrad")


def own_folder() -> str | None:
    """The same, made if it is not there; None, and a warning once, where others could write to it, or nobody can."""
    place = folder()
    if place is None:
        return None
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        place = os.path.realpath(place)
        reason = _why_not_own(place)
        if not reason and not os.access(place, os.W_OK | os.X_OK):
            reason = "it cannot be written to"
    except OSError as error:
        reason = error.strerror or str(error)
    if reason:
        tell(place, reason)
        return None
    return place


def tell(place: str, reason: str) -> None:
    """Warn, once for each reason, that nothing is kept."""
    text = f"{place}: {reason}"
    if text not in _warned:
        _warned.add(text)
        warnings.warn(
            f"symgrad keeps no programs between processes ({text}). Set SYMGRAD_CACHE to a folder of your own that "
            f"only you can write to (chmod 700), or to '{OFF}'",
            RuntimeWarning, stacklevel=2,
        )  # fmt: skip


def _why_not_own(place: str) -> str:
    """Why others could put files into a folder, or another folder in its place; nothing where they cannot."""
    if not hasattr(os, "getuid"):  # Windows: who may write is not said by modes
        return ""
    parent, below = place, ""
    while parent != below:
        found = os.stat(parent)
        name = "it" if parent == place else f"its parent {parent}"
        if found.st_uid != os.getuid() and (parent == place or found.st_uid != 0):
            return f"{name} belongs to another user"
        sticky = parent != place and found.st_mode & stat.S_ISVTX  # as /tmp: others cannot rename what is in it
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not sticky:
            return f"others may write to {name}"
        parent, below = os.path.dirname(parent), parent
    return ""


def load(name: str) -> bytes | None:
    """What was kept under a name; None if nothing was, or not by this user, or it is damaged."""
    place = folder()
    if place is None or not os.path.lexists(os.path.join(place, name)):
        return None
    place = own_folder()
    secret = None if place is None else key(place)
    if place is None or secret is None:
        return None
    path = os.path.join(place, name)
    data = read(path)
    start = len(_MAGIC) + _CODE
    if data is None or not data.startswith(_MAGIC):
        return None
    if not hmac.compare_digest(data[len(_MAGIC) : start], authentication(secret, name, data[start:])):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # of too many, those go that were not used for longest
    return data[start:]


def store(name: str, body: bytes) -> None:
    """Keep something under a name, where there is a folder for it."""
    if folder() is None or len(_MAGIC) + _CODE + len(body) > _limits.CACHED_BYTES:
        return
    place = own_folder()
    secret = None if place is None else key(place)
    if place is None or secret is None:
        return
    if write(os.path.join(place, name), _MAGIC + authentication(secret, name, body) + body):
        tidy(place)


def authentication(secret: bytes, name: str, body: bytes) -> bytes:
    """The code of authentication: of the contents, and of the name, so that no file stands for another."""
    return hmac.new(secret, name.encode() + body, "sha256").digest()


def read(path: str, private: bool = False) -> bytes | None:
    """What a file holds; None if it is not there, no plain file, too long, or not this user's alone.

    ``private`` : others may not even read it
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _limits.CACHED_BYTES:
            return None
        others = 0o077 if private else stat.S_IWGRP | stat.S_IWOTH
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & others):
            return None
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(handle)


def write(path: str, data: bytes, anew: bool = True) -> bool:
    """Write a file that only this user can read or change; whether it is there now as it was given.

    ``anew`` : write over what is there
    """
    import tempfile

    try:
        handle, new = tempfile.mkstemp(suffix=".tmp", dir=os.path.dirname(path))  # of mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            if anew:
                os.replace(new, path)
                return True
            os.link(new, path)  # fails where there is one
        finally:
            if not anew or os.path.exists(new):
                os.unlink(new)
    except OSError:
        return False
    return True


def key(place: str) -> bytes | None:
    """The key of a folder, made if it has none; None, and a warning once, where it is not this user's secret."""
    path = os.path.join(place, _KEY)
    if not os.path.lexists(path):
        write(path, os.urandom(_CODE), anew=False)  # of two processes the first
    found = read(path, private=True)
    if found is None or len(found) != _CODE:
        tell(place, f"the file '{_KEY}' in it is not yours alone; remove it")
        return None
    return found


CACHED_FILES = bound(1000)
"""Such files that a folder holds; those go first that were not used for longest."""
CACHED_TOTAL = bound(1 << 27)
"""Bytes of all of them."""


def tidy(place: str) -> None:
    """Remove what was not used for longest, where there is more than a folder is to hold."""
    files: list[tuple[float, int, str]] = []
    try:
        entries = list(os.scandir(place))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(("program_", "numba_", "tmp")):
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                files.append((found.st_mtime, found.st_size, entry.path))
    count, size = len(files), sum([bytes for _, bytes, _ in files])
    for _, bytes, path in sorted(files):
        if count <= CACHED_FILES and size <= CACHED_TOTAL:
            break
        count, size = count - 1, size - bytes
        with contextlib.suppress(OSError):
            os.unlink(path)


# -------------------------------------------------------------------------------------------------------------------
# Python source that Numba compiles, and its machine code in files, so that the next process finds it compiled

# The idea to hold: a file is named by a hash of what the machine code depends on: source, signature, processor, and the
# versions that made it. Numba's own files are pickles that it reads, whoever wrote them: here they are kept as programs
# are (above), and what is not this user's, or damaged, is as if it were not there.


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
            function._cache = _NumbaCache(f"{name}.{function.__name__}")
    return module.__dict__


class _NumbaCache:
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
        data = load(self._file(signature, target.codegen()))
        if data is None:
            return None
        from numba.core.compiler import CompileResult

        return CompileResult._rebuild(target, *pickle.loads(data))

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled function, unless addresses of this process are in it."""
        from numba.core.serialize import dumps

        if not compiled.library.has_dynamic_globals and all(part.can_cache for part in compiled.lifted):
            store(self._file(signature, compiled.codegen), dumps(compiled._reduce()))
