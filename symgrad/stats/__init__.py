"""Statistics of fits: what `symgrad.minimize` returns, the delta method, Fisher information."""

from importlib.util import find_spec as _find_spec

from .._errors import MissingDependencyError as _MissingDependencyError

if _find_spec("scipy") is None:
    raise _MissingDependencyError("sg.minimize and sg.stats need SciPy", "", "python -m pip install scipy")

from ..ops import set_public_names as _settle
from ._delta import Delta, Effects, delta, fisher
from ._fit import Fit, Interval
from ._likelihood import FitError
from ._restrictions import Test
from ._summary import Summary, Table, table

__all__ = ["Delta", "Effects", "Fit", "FitError", "Interval", "Summary", "Table", "Test", "delta", "fisher", "table"]

_settle(__name__, globals(), __all__)
