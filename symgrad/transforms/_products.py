"""Products with second derivatives, and what is read off them: ``sg.hvp``, ``sg.ggn_vp``, ``sg.laplacian``.

The idea to hold: the gradient is recorded once, as a graph (`Curvature`); every product with the Hessian is one sweep
through that graph, which keeps no graph of its own unless somebody outside could differentiate the product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import ShapeError
from .._symbol import symbol
from ..core import Tensor, next_seq, wrap
from ..ops._public import FUNCTIONS, METHODS
from ._arguments import OneArgument, symbols_among
from ._derivative import Derivative
from ._extra_arguments import of_one_argument
from ._fix import written_out
from ._formula_of import formula
from ._jacobian import basis, require_numbered
from ._product_programs import second_by_program, times_by_program
from ._push import Pushforward
from ._recurrences import rolled
from ._returned import formulas_at
from ._run import Run
from ._tracing import require_callable
from ._tree import flatten_values, unflatten
from ._variables import all_plain, as_variable, recording, zeros_for, zeros_like
from ._vjp import sweep_from


class Curvature:
    """The gradient of a function of one argument, recorded: the Hessian, ready to be multiplied.

    Attributes
    ----------
    run : the function, run at variables of its own
    gradients : per array of the argument the gradient, with a graph; None where the output does not depend on it
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        variables, output = self.run.variables, self.run.output
        self.gradients = variables.pull([rolled(output)], [None], True, True)
        self.live = [k for k, g in enumerate(self.gradients) if g is not None and g._node is not None]

    def times(self, vectors: Sequence[Tensor], graph: bool, retain: bool) -> list[Tensor]:
        """The Hessian times a vector, which is given and returned array by array."""
        found: list[Any] = [None] * len(self.gradients)
        if self.live:
            roots = [self.gradients[k] for k in self.live]
            found = sweep_from(roots, self.run.variables.tensors, [vectors[k] for k in self.live], graph, retain)
        return zeros_for(found, self.run.inputs)

    def diagonal(self, k: int, graph: bool) -> Tensor:
        """The second derivatives in each entry of the ``k``-th array, a sweep for each."""
        x = self.run.inputs[k]
        require_numbered([x])
        if k not in self.live:
            return zeros_like(x, ())
        entries: list[Any] = []
        for unit in basis(x._data):
            (row,) = sweep_from([self.gradients[k]], [self.run.variables.tensors[k]], [unit], graph, True)
            entries.append(zeros_like(x, ()) if row is None else row)
        if not graph or not entries:
            values = [r._data.reshape(-1)[j] for j, r in enumerate(entries)]
            return wrap(np.array(values, x._data.dtype).reshape(x._data.shape))
        with recording():
            chosen = [METHODS["reshape"](r, (-1,))[j] for j, r in enumerate(entries)]
            return METHODS["reshape"](FUNCTIONS["stack"](chosen, 0), x._data.shape)


@of_one_argument
def hvp(f: Callable[..., Any], x: Any, v: Any) -> Any:
    """Return the Hessian of a function at ``x``, times the vector ``v``.

    Parameters
    ----------
    f : function of one array, or of one container of arrays, that returns one number; hold further arguments with
        `fix`, or close over them
    x : where to differentiate
    v : what to multiply, of the structure and the shapes of ``x``

    Returns
    -------
    Hv, of the structure and the shapes of ``x``: arrays where ``x`` and ``v`` are arrays, tensors where there are
    tensors, formulas where there are symbols.

    Raises
    ------
    ShapeError : ``f`` returns more than one number; ``v`` is not like ``x``, the error names the entry that differs
    GradientError : ``x`` is complex, or what ``f`` returns

    Notes
    -----
    Cost: that of a gradient where there is a program (functions of up to 100 operations; made at the first call, in
    some milliseconds); else one gradient, recorded, and one sweep through it, two to three times as long. The Hessian
    is not formed. For many products at one point use `hessian_operator`. The derivative is ∇(∇f · v); NaN in the data
    gives NaN.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([  6., 120.])
    >>> x, v = sg.symbol("x", "n"), sg.symbol("v", "n")
    >>> print(sg.hvp(lambda x: (x ** 3).sum(), x, v))
    6v ⊙ x
    """
    return _product("hvp", f, x, v)


@of_one_argument
def vhp(f: Callable[..., Any], x: Any, v: Any) -> Any:
    """Return the vector ``v`` times the Hessian of a function at ``x``: `hvp` by symmetry.

    Parameters, results, errors and cost as in `hvp`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.vhp(lambda x: x[0] * x[1] ** 2, np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([0., 4.])
    >>> A, x, v = sg.symbol("A", ("n", "n")), sg.symbol("x", "n"), sg.symbol("v", "n")
    >>> print(sg.vhp(lambda x: x @ A @ x, x, v))
    Av + Aᵀv
    """
    return _product("vhp", f, x, v)


def _product(what: str, f: Any, x: Any, v: Any) -> Any:
    call = OneArgument(what, f, x)
    entries = call.like(v)
    if symbols_among(call.leaves + entries):
        return _product_formulas(what, f, x, v)
    began = next_seq()
    run = Run(what, call)
    vectors = [as_variable(t) for t in entries]
    found = times_by_program(run, vectors, began)
    if found is not None:
        return run.leave(run.form(found), all_plain(entries))
    if run.of_symbols:
        return _product_formulas(what, f, x, v)
    graph = run.variables.concerns_outside([run.output, *vectors])
    product = Curvature(run).times(vectors, graph, graph)
    return run.leave(run.form(product), all_plain(entries))


def _product_formulas(what: str, f: Any, x: Any, v: Any) -> Any:
    f = written_out(f)

    def product(x: Any, v: Any) -> Any:
        return _product(what, f, x, v)

    return formulas_at(f"sg.{what}", f, product, (x,), {"v": v})


@of_one_argument
def ggn_vp(f: Callable[..., Any], x: Any, v: Any, loss: Callable[..., Any] | None = None) -> Any:
    """Return the Gauss–Newton matrix of ``loss(f(x))`` at ``x``, times the vector ``v``.

    With J the Jacobian of ``f`` the matrix is Jᵀ ∇²loss J: the Hessian without the curvature of the model. Where the
    loss is convex it is positive semidefinite.

    Parameters
    ----------
    f : the model: function of one array, or of one container of arrays, that returns one array
    x : where to differentiate: the model's parameters
    v : what to multiply, of the structure and the shapes of ``x``
    loss : function of what the model returns that gives one number; by default ½‖·‖², whose Hessian is the identity

    Returns
    -------
    The product, of the structure and the shapes of ``x``: arrays, tensors or formulas as in `hvp`.

    Raises
    ------
    ShapeError : ``v`` is not like ``x``; ``loss`` returns more than one number

    Notes
    -----
    Cost: one run of ``f``, recorded; a sweep that is recorded; two more sweeps; and the `hvp` of the loss.

    Where the loss is a negative log-likelihood −log p(y | f(x)) of an exponential family in its natural parameter f(x)
    (squares for a normal mean, softplus and logits for Bernoulli, log-rates for Poisson, logits for softmax), its
    Hessian does not depend on y, and the product is that with the Fisher information.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> A = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]])
    >>> sg.ggn_vp(lambda x: A @ x, np.zeros(2), np.array([1.0, 0.0]))
    array([2., 2.])
    >>> sg.ggn_vp(lambda x: A @ x, np.zeros(2), np.array([1.0, 0.0]), loss=lambda z: sg.exp(z).sum())
    array([2., 2.])
    >>> A, x, v = sg.symbol("A", ("m", "n")), sg.symbol("x", "n"), sg.symbol("v", "n")
    >>> print(sg.ggn_vp(lambda x: A @ x, x, v))
    AᵀAv
    """
    call = OneArgument("ggn_vp", f, x)
    if loss is not None:
        require_callable(loss, "sg.ggn_vp, as loss,")
    entries = call.like(v)
    if symbols_among(call.leaves + entries):
        return _ggn_formulas(f, x, v, loss)
    run = Run("ggn_vp", call)
    if len(run.outputs) > 1:
        raise ShapeError(
            "sg.ggn_vp takes a model that returns one array",
            f"It returned {run.output_spec}, {len(run.outputs)} arrays.", "Join them: sg.cat([…]).",
        )  # fmt: skip
    z, variables = run.output, run.variables
    if run.of_symbols:
        return _ggn_formulas(f, x, v, loss)
    vectors = [as_variable(t) for t in entries]
    graph = run.graph(vectors)
    (tangent,) = Pushforward([z], variables.tensors, run.inputs).along(vectors, graph)
    if tangent is None:
        return run.leave(run.form(zeros_for([None] * len(vectors), run.inputs)), all_plain(entries))
    if loss is not None:
        with recording(graph):
            tangent = _product("ggn_vp(…, loss=…)", loss, z if graph else wrap(z._data), tangent)
    found = sweep_from([z], variables.tensors, [tangent], graph, graph)
    return run.leave(run.form(zeros_for(found, run.inputs)), all_plain(entries))


def _ggn_formulas(f: Any, x: Any, v: Any, loss: Any) -> Any:
    f, loss = written_out(f), written_out(loss)

    def product(x: Any, v: Any) -> Any:
        return ggn_vp(f, x, v, loss)

    return formulas_at("sg.ggn_vp", f, product, (x,), {"v": v})


@of_one_argument
def diag_hessian(f: Callable[..., Any], x: Any) -> Any:
    """Return the diagonal of the Hessian of a function at ``x``: ∂²f/∂xᵢ².

    Parameters
    ----------
    f, x : as in `hvp`

    Returns
    -------
    The second derivatives, of the structure and the shapes of ``x``: arrays, tensors or formulas as in `hvp`.

    Raises
    ------
    ShapeError : ``f`` returns more than one number

    Notes
    -----
    Cost: that of a program where there is one; else one gradient, recorded, and a sweep per entry of ``x``. The memory
    of one row.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.diag_hessian(lambda x: x[0] ** 3 * x[1], np.array([1.0, 2.0]))
    array([12.,  0.])
    >>> print(sg.diag_hessian(lambda x: sg.exp(x).sum(), sg.symbol("x", "n")))
    exp(x)
    """
    return _second("diag_hessian", f, x)


@of_one_argument
def laplacian(f: Callable[..., Any], x: Any) -> Any:
    """Return the Laplacian of a function at ``x``: Σᵢ ∂²f/∂xᵢ², the trace of its Hessian.

    Parameters
    ----------
    f, x : as in `hvp`

    Returns
    -------
    One number: an array's where ``x`` is made of arrays, a tensor or a formula as in `hvp`.

    Raises
    ------
    ShapeError : ``f`` returns more than one number

    Notes
    -----
    Cost: that of `diag_hessian`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> print(sg.laplacian(lambda x: x[0] ** 3 * x[1], np.array([1.0, 2.0])))
    12.0
    >>> A = sg.symbol("A", ("n", "n"))
    >>> print(sg.laplacian(lambda x: x @ A @ x, sg.symbol("x", "n")))
    tr(A + Aᵀ)
    """
    return _second("laplacian", f, x)


def _second(what: str, f: Any, x: Any) -> Any:
    call = OneArgument(what, f, x)
    if symbols_among(call.leaves):
        return _second_formulas(what, f, x)
    run = Run(what, call)
    found = second_by_program(run, what)
    if found is not None:
        return run.leave(run.form(found)) if what == "diag_hessian" else run.leave(found[0])
    if run.of_symbols:
        return _second_formulas(what, f, x)
    curvature = Curvature(run)
    graph = run.variables.concerns_outside([run.output])
    parts = [curvature.diagonal(k, graph) for k in range(len(run.inputs))]
    if what == "diag_hessian":
        return run.leave(run.form(parts))
    with recording():
        total = METHODS["sum"](parts[0])
        for part in parts[1:]:
            total = total + METHODS["sum"](part)
    return run.leave(total)


def _second_formulas(what: str, f: Any, x: Any) -> Any:
    """Read off the formula of the Hessian, which knows sizes by name."""
    blocks = Derivative("hessian", written_out(f), 0).formula(x)
    _, spec = flatten_values(x)
    rows = flatten_values(blocks)[0]
    count = spec.size
    diagonal = [_contracted(rows[k * count + k], what) for k in range(count)]
    if what == "diag_hessian":
        return unflatten(spec, diagonal)
    total = diagonal[0]
    for part in diagonal[1:]:
        total = _applied(lambda a, b: a + b, total, part)
    return total


def _contracted(block: Any, what: str) -> Any:
    """The diagonal of one block of a Hessian, or its trace."""
    letters = "ijklmnopq"[: len(block.shape) // 2]
    kept = letters if what == "diag_hessian" else ""
    return _applied(lambda H: FUNCTIONS["einsum"](f"{letters}{letters}->{kept}", H), block) if letters else block


def _applied(f: Any, *formulas: Any) -> Any:
    """A function of formulas, as a formula."""
    taken = {name for whole in formulas for name in {*whole.free_symbols, *whole.point}}
    names = [f"H{'_' * (k + 1 + max(map(len, taken), default=0))}" for k in range(len(formulas))]
    stand_ins = [symbol(name, whole.shape) for name, whole in zip(names, formulas, strict=True)]
    return formula(f, *stand_ins).subs(**dict(zip(names, formulas, strict=True)))


__all__ = ["Curvature", "diag_hessian", "ggn_vp", "hvp", "laplacian", "vhp"]
