"""Formulas that others wrote: `parse` reads text, `from_sympy` SymPy's expressions.

_parse            `parse`: a formula from text: its clauses, declarations, pairs of axes
_clauses          what stands before and behind a formula: ``L(w) =``, declarations, definitions, own functions
_words            words of a text: its dialect, what an undeclared name means, products like ``Ax``
_letters          functions by their letters, ``Γ(x)``; which letters before a bracket are none
_readings         which of several readings is meant: ranks of undeclared letters, which product ``*`` is, bars
_build            from a tree to a formula: shapes and steps first, then the steps are run; index notation
_shapes           the shapes of a text's parts, sizes that are not known yet
_operators        the operators: which shapes they ask for, and which function of symgrad they are
_known_functions  the functions of arrays that texts may call, and what each makes of the shapes of its arguments
_text_calls       a call in a text: what its function takes, entry by entry and along axes; bars; entries
_from_sympy       `from_sympy`: a formula from SymPy's expressions, class by class

The idea to hold: what is read is run on symbols (`sg.symbol`), with symgrad's own functions, and the result is asked
for its formula; so a formula that was read is like any other. Reading text takes four steps: signs (`syntax.lexer`),
tree (`syntax.parser`), shapes (`_shapes`), symbols (`_build`).
"""

from ..ops import set_public_names as _settle
from ..syntax import ParseError
from ._clauses import PROPERTIES as PROPERTIES
from ._clauses import all_declared as all_declared
from ._clauses import sides_of as sides_of
from ._from_sympy import from_sympy
from ._known_functions import known as _known
from ._known_functions import run_together as run_together
from ._parse import DIALECTS as DIALECTS
from ._parse import parse
from ._parse import read as read
from ._parse import require_dialect as _require_dialect
from ._readings import CONSTANT_LETTERS as CONSTANT_LETTERS
from ._shapes import CONSTANTS as CONSTANTS
from ._words import COUNTS as COUNTS


def functions(dialect: str = "numpy") -> list[str]:
    """List the functions that `parse` knows.

    Parameters
    ----------
    dialect : {"numpy", "matrix", "latex"}
        What the text is written in.

    Examples
    --------
    >>> from symgrad.notation import functions
    >>> "logdet" in functions()
    True
    >>> "open" in functions()
    False
    """
    _require_dialect(dialect)
    return sorted(_known(dialect != "numpy"))


__all__ = ["ParseError", "from_sympy", "functions", "parse"]

_settle("symgrad", globals(), ["ParseError", "from_sympy", "parse"])
_settle(__name__, globals(), ["functions"])
