"""What memory there is, and whether dense derivatives fit into it; how large numbers are said."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _limits
from .._errors import TooLargeError
from ..core import Tensor


def require_memory(n: int, dtype: Any) -> None:
    """Raise if a dense matrix of ``n`` rows does not fit into what memory there is."""
    need = n * n * np.dtype(dtype).itemsize
    free = available()
    if need > free:
        raise TooLargeError(
            f"a dense Hessian in {n:,} variables takes {in_bytes(need)}, and {in_bytes(free)} are free",
            f"It has {n:,} × {n:,} entries of {np.dtype(dtype)}.",
            'Ask for what the structure leaves (format="csr", "structured"), for products (sg.hessian_operator), '
            "or for the diagonal (sg.diag_hessian).",
        )


def require_room(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """Raise if the dense Jacobian does not fit into what memory there is."""
    m, n = sum(o._data.size for o in outputs), sum(x._data.size for x in inputs)
    if m * n > _limits.JACOBIAN_DENSE:
        require_entries(m, n, *{x._data.dtype for x in inputs})


def require_entries(m: int, n: int, *dtypes: Any) -> None:
    """Raise if a dense Jacobian of ``m`` rows and ``n`` columns does not fit into what memory there is."""
    need, free = m * n * max([np.dtype(d).itemsize for d in dtypes]), available()
    if need > free:
        names = ", ".join(sorted([str(d) for d in dtypes]))
        raise TooLargeError(
            f"a dense Jacobian of {m:,} outputs in {n:,} variables takes {in_bytes(need)}, and "
            f"{in_bytes(free)} are free",
            f"It has {m:,} × {n:,} entries of {names}.",
            'Ask for a sparse matrix if most of it is zero (format="csr"), for products (sg.vjp for Jᵀg, sg.jvp or '
            "sg.linearize for Jv), or for some rows at a time: sg.jacobian(lambda x: f(x)[:100]).",
        )


def available() -> int:
    """Bytes of memory that are free, as far as the system says."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 62


def in_bytes(n: float) -> str:
    """A number of bytes as people say it."""
    return _in_units(n, ("bytes", "kB", "MB", "GB", "TB"))


def in_flops(n: float) -> str:
    """A number of operations as people say it."""
    return _in_units(n, ("flop", "kflop", "Mflop", "Gflop"))


def _in_units(n: float, units: tuple[str, ...]) -> str:
    for unit in units[:-1]:
        if n < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} {units[-1]}"


__all__ = ["available", "in_bytes", "in_flops", "require_entries", "require_memory", "require_room"]
