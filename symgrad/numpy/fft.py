"""NumPy's ``numpy.fft``, whose functions also take lists of what is differentiated."""

from typing import TYPE_CHECKING

import numpy as _np

from ._namespace import filled as _filled

if TYPE_CHECKING:
    from numpy.fft import *  # noqa: F403
else:
    globals().update(_filled(_np.fft, "fft."))

__all__ = sorted(name for name in globals() if not name.startswith("_") and name != "TYPE_CHECKING")


def __dir__() -> list[str]:
    return __all__
