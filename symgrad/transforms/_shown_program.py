"""What every compiled function has: its source, and a file of it.

The idea to hold: a program belongs to shapes, so that both are asked for with arguments that show them.
"""

from __future__ import annotations

from typing import Any

from .._errors import GradientError
from ..programs._survey import Unprogrammable


class ShownProgram:
    """A compiled function that shows its program: `_text` and `_write` are of its target."""

    __name__: str

    def code(self, *args: Any, **kwargs: Any) -> str:
        """Return the program's source at arguments of these shapes."""
        return self._text(args, kwargs)

    def save(self, path: Any, *args: Any, **kwargs: Any) -> None:
        """Write a Python file that computes the same without symgrad, and tests itself when it is run.

        Second derivatives are a matrix there, whose rows and columns are the entries of all variables in their order.

        Parameters
        ----------
        path : the file to write; large arrays that the function catches go beside it, into a ``.npz`` of the same name
        args, kwargs : arguments that show the shapes; the file's test is at this point

        Raises
        ------
        GradientError : the program needs an operation that only symgrad has, the arguments have no numbers (while JAX
            or PyTorch is tracing), or the results are not finite there
        """
        try:
            self._write(path, args, kwargs)
        except Unprogrammable as error:
            raise GradientError(
                f"{self.__name__} cannot be written to a file of its own", f"{error}.", "Keep it as it is.",
            ) from None  # fmt: skip

    def _text(self, args: Any, kwargs: Any) -> str:
        raise NotImplementedError

    def _write(self, path: Any, args: Any, kwargs: Any) -> None:
        raise NotImplementedError


__all__ = ["ShownProgram"]
