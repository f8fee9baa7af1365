"""The term of a function that `sg.compile` has run on symbols.

The idea to hold: a program is made once, for all values. So what holds at the point only is refused, and what a
function finds from values by an operation (the order of a sort, the place of a maximum) is found again at every run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._errors import SymbolicBranchError
from .._postorder import postorder
from ..calculus import Trace, edges_of, run_forward
from ..core import Tensor
from ..programs._selections import FINITE, reads_at_run_time
from ..terms import Call, Data, Expr, Var


class Tracing(Trace):
    """A trace that refuses what holds at the point only; ``edges`` are those of the operations.

    ``arguments`` are the names of the symbols in their places: these are given anew at every run.
    """

    def __init__(self, arguments: Iterable[str]) -> None:
        super().__init__()
        self.arguments = frozenset(arguments)
        self.edges: list[Any] = []

    def _store(self, node: Any, op: Any, args: list[Expr], values: list[Any], params: Any) -> None:
        for k in op.places:
            if not any(isinstance(v, Var) and self._is_given(v.name) for v in postorder(args[k])):
                args[k] = Data(values[k])  # constants are part of the program
            elif reads_at_run_time(op, args, values, params):
                result = self.values[node] = np.asarray(run_forward(op, values, params))
                self.dtypes.add(result.dtype)
                self.terms[node] = Call(op, tuple(args), params, result.shape)
                self.edges.append((args[0], FINITE))
                return
            else:
                raise SymbolicBranchError(
                    f"which elements an index picks (of '{op.label}') depends on the values", "", ""
                )
        super()._store(node, op, args, values, params)
        if not op.outputs:
            self.edges += edges_of(op, args, params, self.terms[node])

    def _computed(self, t: Tensor, op: Any, *rest: Any) -> Expr | None:
        """The term of what is not differentiated. Arithmetic of short whole numbers that are arguments is refused: a
        program has no 250 + 10 = 4."""
        term, dtype = super()._computed(t, op, *rest), t._data.dtype
        if op is None or term is None or dtype.kind not in "iub" or dtype == np.int64:
            return term
        computes = op.name == "diff" or op.kind not in ("linear", "constant")  # others move entries, sums are of int64
        if computes and any(isinstance(v, Var) and self._is_given(v.name) for v in postorder(term)):
            raise SymbolicBranchError(
                f"'{op.label}' of whole numbers of dtype {dtype} that are arguments: they wrap around where they are "
                "too large for it, which hangs on their values (astype(np.int64) does not)", "", "",
            )  # fmt: skip
        return term

    def _is_given(self, name: str) -> bool:
        """Whether a symbol stands for an argument: one of which the function takes pieces is no leaf."""
        return name in self.arguments or name in self.leaves

    def _array(self, data: np.ndarray) -> Expr:
        """The term of an array; -0.0 is another number than 0."""
        signed = data.dtype.kind == "f" and bool((np.signbit(data) & (data == 0)).any())
        return self._symbol(self._count("c"), data) if signed else super()._array(data)

    def literal(self, value: Any) -> Expr:
        """The term of an operand that is no tensor; -0.0 is another number than 0."""
        return Data(value) if isinstance(value, float) and str(value) == "-0.0" else super().literal(value)

    def of(self, output: Tensor) -> Expr:
        """The term of a result.

        Raises
        ------
        SymbolicBranchError : it is a formula only where it was computed
        """
        term = self.tensor(output)
        if self.choices:
            raise SymbolicBranchError(self.choices[0], "", "")
        if self.detached:
            names = ", ".join(sorted(self.detached))
            raise SymbolicBranchError(f"no gradient flows through part of what depends on {names}", "", "")
        return term
