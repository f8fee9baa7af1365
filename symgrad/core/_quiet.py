"""NumPy's notices (divide by zero, invalid value, overflow) held back while symgrad computes, whatever filters of
warnings and settings of ``np.seterr`` are in force: log(0) is -inf and that is that, as in PyTorch.

``np.errstate`` does this too; it takes as long as an operation on a small array.
"""

from __future__ import annotations

from contextvars import Context
from functools import partial

import numpy as np

_QUIET = Context()
_QUIET.run(np.seterr, all="ignore")  # its setting is a context variable, the only one here

alone = _QUIET.run
"""Calls a function of NumPy's (that asks for no other context variable) quietly, and soonest; a RuntimeError says that
another thread is just doing so."""

((_variable, _value),) = _QUIET.items()
hush = partial(_variable.set, _value)
"""Holds notices back from here on, and returns what `unhush` takes."""

unhush = _variable.reset
