"""``sg.cost``: how much work and memory a function, its gradient and its second derivatives take, before they are run.

The idea to hold: a program is a list of array operations of known shapes, so its work is counted, not measured. Where
there is no program the work is that of the tape: a gradient's for every row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..core import edge, reachable, saved_arrays, saved_values
from ..programs import Survey, Unprogrammable, work_of
from .calls.call_arguments import Argnums, Arguments
from .calls.run import UNTOLD, Run, available, chunks, in_bytes, in_flops
from .calls.symbolic_run import require_callable
from .loops.recurrences import rolled
from .routes import Route, require_known, route_of, route_of_run
from .sparse_hessian import is_found_dense


class Cost(NamedTuple):
    """What a function and its derivatives cost at a point.

    Attributes
    ----------
    value, gradient, hessian : floating-point operations of each, counted
    result_bytes : memory of the matrix of second derivatives
    peak_bytes : the most memory at a time that computing it takes, about, beyond the function's own graph
    size : number of variables
    route : what computes the matrix, and why
    """

    value: float
    gradient: float
    hessian: float
    result_bytes: float
    peak_bytes: float
    size: int
    route: str

    def __str__(self) -> str:
        return "\n".join([
            f"f        {in_flops(self.value)}",
            f"∇f       {in_flops(self.gradient)}",
            f"Hessian  {in_flops(self.hessian)}, {self.size:,} × {self.size:,}, {in_bytes(self.result_bytes)}"
            f" ({in_bytes(self.peak_bytes)} at the most on the way)",
            f"by       {self.route}",
        ])  # fmt: skip


def counted(run: Run, route: Route, format: str) -> Cost:
    """The cost of the derivatives of a recorded run."""
    total = sum(t._data.size for t in run.inputs)
    item = run.output._data.dtype.itemsize
    if route.program is not None:
        w = work_of(route.program)
        result = w.result / 8 * item
        peak = result + 2 * w.largest / 8 * item
        return Cost(w.value, w.value + w.gradient, w.value + w.gradient + w.hessian, result, peak, total, "a program")
    value = _recorded(run)
    result = float(total * total * item)
    kept, at_once = _kept(run)
    return Cost(
        value, 3 * value, 3 * value + 4 * value * total, result, result + (1 + at_once) * kept,
        total, f"the tape, with a tangent for each of {total:,} columns: {route.reason}",
    )  # fmt: skip


def _kept(run: Run) -> tuple[float, int]:
    """The bytes that a recorded run keeps for its derivatives, and how many columns the tape works out at a time.

    Its gradient keeps about as much again, and the tangents of one column that wait for their last use do.
    """
    nodes = [] if run.output._node is None else reachable([edge(run.output)])[0]
    arrays = {id(a): a for node in nodes for a in saved_arrays(saved_values(node))}
    data = [t._data for t in run.variables.tensors]
    largest = max([v.size for v in (*arrays.values(), *data)], default=1)
    at_once = max([len(chosen) for x in data for chosen in chunks(x, largest)], default=1)
    return float(sum([v.nbytes for v in arrays.values()])), at_once


def _recorded(run: Run) -> float:
    """The operations of a recorded run, about: an entry of a result is one."""
    if run.output._node is None:
        return 1.0
    tensors = run.variables.tensors
    if run.variables.concerns_outside([run.output]):  # the variables are results themselves
        return float(len(reachable([run.output._node])[0]) * max([t._data.size for t in tensors] or [1]))
    try:
        survey = Survey(edge(run.output), [edge(t) for t in tensors])
    except Unprogrammable:
        return float(sum(t._data.size for t in tensors))
    return float(len(survey.nodes) * max([a.size for a in survey.arrays] or [1]))


def plan_text(hessian: Any, run: Run, route: Route) -> str:
    """What will run, and why."""
    total = sum(t._data.size for t in run.inputs)
    lines = [f"{hessian.__name__}: {total:,} variables, {hessian.format}"]
    history = hessian.holomorphic or run.variables.concerns_outside([run.output])
    each = "a recorded sweep for each row" if history else "a tangent for each column"
    if route.program is None and hessian.format != "dense" and not history and run.output._node is not None:
        each = "a product for each colour of the matrix's pattern"
        if is_found_dense(run.output, run.variables.tensors, route.reason):
            lines.append(f"the dense matrix is computed: {route.reason or 'much of it is not zero'}")
            route, each = route_of(run.output, run.variables.tensors, "dense", 0, True), "a tangent for each column"
    cost = counted(run, route, hessian.format)
    if route.program is None:
        lines.append(f"the tape runs, with {each}: {route.reason}")
        lines += [] if history else _loops(run.output)
    else:
        program = route.program
        lines.append(f"a program runs: {program.whole.length()} lines, {in_flops(cost.hessian)}")
        lines.append(f"structure: {program.assembly.describe()}")
        state = "compared with the tape" if program.checked else "to be compared with the tape at its first use"
        lines.append(f"{state}; where a number on the way is not finite, the tape runs instead")
    way = f" and about {in_bytes(cost.peak_bytes)} on the way"
    free = available()
    told = f", {in_bytes(free)} are free" if free < UNTOLD else ""
    lines.append(f"memory: {in_bytes(cost.result_bytes)} for the result{way}{told}")
    return "\n".join(lines)


def _loops(output: Any) -> list[str]:
    """What is said of loops that are found in what was recorded."""
    counts = [0 if t._node is None else len(reachable([edge(t)])[0]) for t in (output, rolled(output))]
    if counts[1] >= counts[0]:
        return []
    return [
        f"rounds of a loop are one operation: {counts[0]:,} that were recorded become {counts[1]:,}; "
        "asked for a few times, or by sg.compile, it has a program of one round"
    ]  # fmt: skip


def cost(f: Callable[..., Any], *args: Any, argnums: Argnums = 0, format: str = "dense") -> Cost:
    """Return what ``f``, its gradient and its Hessian cost at these arguments: operations and bytes.

    Parameters
    ----------
    f : function of arrays that returns one number
    args : where; ``f`` is run once, no derivative is
    argnums, format : as in `hessian`

    Returns
    -------
    Cost, which prints as a table. Operations are counted from the program's shapes: an element-wise function is one per
    entry, a product with a sum two per multiplication.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> X = np.ones((1000, 50))
    >>> c = sg.cost(lambda w: sg.log1p(sg.exp(X @ w)).sum(), np.zeros(50))
    >>> c.result_bytes
    20000.0
    >>> c.value < c.gradient < c.hessian
    True
    """
    require_known(format)
    run = Run("hessian", Arguments(require_callable(f, "sg.cost"), args, {}, argnums))
    return counted(run, route_of_run(run, format), format)
