"""Formulas that others wrote: `parse` reads text, `from_sympy` SymPy's expressions.

The idea to hold: what is read is run on symbols (`sg.symbol`), with symgrad's own functions, and the result is asked
for its formula; so a formula that was read is like any other. Reading text takes four steps, a module each: signs
(`syntax.lexer`), tree (`syntax.parser`), shapes (`_steps`), symbols (`_build`).
"""

from ..ops import set_public_names as _settle
from ..syntax import ParseError
from ._from_sympy import from_sympy
from ._known_functions import known as _known
from ._parse import parse


def functions(dialect: str = "numpy") -> list[str]:
    """List the functions that `parse` knows.

    Parameters
    ----------
    dialect : {"numpy", "matrix"}
        What the text is written in.

    Examples
    --------
    >>> from symgrad.notation import functions
    >>> "logdet" in functions()
    True
    >>> "open" in functions()
    False
    """
    return sorted(_known(dialect == "matrix"))


__all__ = ["ParseError", "from_sympy", "functions", "parse"]

_settle("symgrad", globals(), ["ParseError", "from_sympy", "parse"])
_settle(__name__, globals(), ["functions"])
