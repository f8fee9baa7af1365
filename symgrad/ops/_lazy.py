"""SciPy's special functions, loaded when one is first called (importing symgrad must stay quick)."""

from __future__ import annotations

from typing import Any


class _Special:
    """``scipy.special``, imported on the first attribute access."""

    def __getattr__(self, name: str) -> Any:
        import scipy.special

        fn = getattr(scipy.special, name)
        setattr(self, name, fn)
        return fn


special = _Special()
