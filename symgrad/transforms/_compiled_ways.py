"""The programs of a function through which Python takes more than one way: it branches on values.

The idea to hold: a program knows what Python decided when it was traced, and has no numbers where Python would decide
otherwise. Then another one is asked, or made; the tape goes every way.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from .. import _limits
from .._errors import SymgradError, refusal


class WaysThrough:
    """The programs for one structure of arguments, the one that held last first.

    Parameters
    ----------
    make : makes the program of the way that is taken at some arguments
    args, kwargs : the first of these
    """

    def __init__(self, make: Callable[[Any, Any], Any], args: Any, kwargs: Any) -> None:
        self._make = make
        began = perf_counter()
        self.programs = [make(args, kwargs)]
        self._cost = perf_counter() - began
        self._spent = 0.0  # by the tape, where no program held
        self._missed = self._in_vain = 0

    @property
    def first(self) -> Any:
        return self.programs[0]

    def found(self, run: Callable[[Any], Any], args: Any, kwargs: Any) -> Any:
        """The results by another program than the first, which comes first from now on; None if there is none.

        A new one is made when the tape has taken a quarter of the time that this needs; at once where it is short.
        """
        for k, made in enumerate(self.programs[1:], 1):
            results = None if made.program.refused else run(made)
            if results is not None:
                self.programs.insert(0, self.programs.pop(k))
                self._missed = 0
                return results
        self._missed += 1
        if self._missed > _limits.WAYS_MISSED:
            self.first.program.refused = "Python goes another way through the function at nearly every call"
            return None
        awaited = self._cost - _limits.WAY_MS / 1000
        if 4 * self._spent < awaited or len(self.programs) + self._in_vain >= _limits.WAYS:
            return None
        return self._new(run, args, kwargs)

    def _new(self, run: Callable[[Any], Any], args: Any, kwargs: Any) -> Any:
        """The results by the program of the way that Python takes here."""
        refused = refusal.get()
        try:
            made = self._make(args, kwargs)
        except SymgradError:  # this way has no program
            refusal.set(refused)
            self._in_vain += 1
            return None
        if any(made.decided == other.decided for other in self.programs):  # a tie, or a number that is not finite
            self._in_vain += 1
            return None
        self.programs.insert(0, made)
        self._spent = 0.0
        return run(made)

    def by_tape(self, run: Callable[[], Any]) -> Any:
        """What the tape computes, its time noted."""
        began = perf_counter()
        found = run()
        self._spent += perf_counter() - began
        return found


__all__ = ["WaysThrough"]
