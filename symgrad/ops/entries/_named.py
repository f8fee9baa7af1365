"""What SciPy calls each special function here: the one list that dispatch, `symgrad.special` and the printers read.

The idea to hold: `special_row` declares a row that has the name and the arguments of one of SciPy's ufuncs. A function
whose first arguments are orders or degrees has them as parameters of its row; `of_order` gives it SciPy's arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from ..._config import default_dtype
from ..._errors import NotDifferentiableError
from ...core import Tensor, elementwise, table, wrap
from .._dims import is_number, known, sizes
from .._lazy import special

SCIPY_NAMES: dict[str, Callable[..., Any]] = {}
"""By SciPy's name: the function on tensors."""


def special_row(name: str, inputs: str, *rules: Any, **facts: Any) -> Callable[..., Any]:
    """Declare the row of a ufunc of SciPy's: its ``inputs`` by name, separated by spaces, and a rule for each.

    ``forward`` computes its values where SciPy's are not right everywhere.
    """
    names = tuple(inputs.split())

    def scipys(*operands: Any) -> Any:
        return getattr(special, name)(*operands)

    slots = ", ".join(f"{{{k}}}" for k in range(len(names)))
    forward = _Forward(facts.pop("forward", scipys))
    given = {"inputs": names, "real_only": True, "scipy": f"{name}({slots})", **facts}
    row = elementwise(name, forward, *rules, **given)
    SCIPY_NAMES[name] = row
    return row


defined: Any = elementwise(
    "defined", lambda a, b: np.where(np.isnan(b), np.nan, a), lambda g, b: defined(g, b), 0, text="{0}",
    doc="a, NaN where a function's value b is: outside its domain it has no slope either",
)  # fmt: skip


class _Forward:
    """A function whose operands' names are said beside it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *operands: Any) -> Any:
        return self.function(*operands)


def parameter(a: Any, x: Any, what: str, reason: str = "There is no formula for it.") -> tuple[Any, Any]:
    """A parameter as a number or an array, and the operand with its dimensions."""
    if isinstance(a, Tensor) and a._node is not None:
        raise NotDifferentiableError(
            f"{what} has no derivative rule for a tensor that requires grad", reason,
            "detach() it: the other derivative there is.",
        )  # fmt: skip
    if is_number(x) and np.ndim(a):
        x = np.asarray(x, default_dtype())
        x = wrap(x) if isinstance(a, Tensor) else x
    a = known(a, what)
    return a, table("expand")(x, np.broadcast_shapes(sizes(x), np.shape(a))) if np.ndim(a) else x


def of_order(
    name: str, row: Callable[..., Any], *orders: str, whole: bool = False, down: bool = False, doc: str = ""
) -> Callable[..., Any]:
    """SciPy's function of a name, whose first arguments are ``orders`` and whose last are the row's operands.

    Orders that are ``whole`` lose their fractions, as in SciPy; the first is rounded ``down`` where SciPy does that.
    """

    def fn(*arguments: Any) -> Any:
        if len(arguments) < len(orders) + 1:
            raise TypeError(f"{name} takes {', '.join(orders)} and then x, got {len(arguments)} arguments")
        given, operands = list(arguments[: len(orders)]), list(arguments[len(orders) :])
        for k, order in enumerate(orders):
            given[k], operands[0] = parameter(given[k], operands[0], f"the {order} of {name}")
            if whole and not np.all(np.equal(np.mod(given[k], 1), 0)):
                given[k] = (np.floor if down and k == 0 else np.trunc)(given[k])
        return row(*operands, *given)

    fn.__name__ = fn.__qualname__ = name
    names = [o.rpartition(" ")[2] for o in orders]
    said = "\n".join(
        f"{n} : number or array\n    The {o}. It has no derivative: one that is asked for raises."
        for n, o in zip(names, orders, strict=True)
    )
    fn.__doc__ = f"{doc}\n\nParameters\n----------\n{said}\nx : tensor, array or number\n    The operand.\n"
    fn.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_ONLY) for n in (*names, "x")])  # type: ignore[attr-defined]
    SCIPY_NAMES[name] = fn
    return fn
