"""``sg.grad``, ``sg.jacobian``: the derivative of a function, as a function of the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _config
from .._array import as_here
from .._errors import GradientError
from ..core import LEAF, Tensor, edge, modes, reachable, with_tangent_of, wrap
from ..sweep import Sweep
from .calls.call_arguments import Argnums, Arguments, any_symbol, signature
from .calls.run import OF_ARRAYS, HolomorphicRun, Run, require_no_hooks, require_number, require_traced
from .calls.symbolic_run import Traced, require_callable
from .calls.tree import require_numbers, tables_again, unflatten
from .calls.variables import are_nobodys, grad_or_none, run_on_variables, zeros_like
from .fix import Returned
from .repeated import Afterwards, repeated_of

# -------------------------------------------------------------------------------------------------------------------
# The common call of a derivative, without the bookkeeping of containers: of arrays or tensors, one differentiated
#
# The idea to hold: nothing here is another way to compute. What a call needs beyond that (containers, symbols,
# histories, several arguments, errors) is the business of `transforms/calls/run.py`, to which these functions leave it
# by returning None.


_PLAIN = frozenset([np.ndarray, float, int, bool, str, type(None), np.float64])


class OneArgumentRun(NamedTuple):
    """A recorded run of a function of one variable that returned a real number.

    Attributes
    ----------
    output, leaf : the number, and what stood for the argument
    plain : whether the arguments are arrays and numbers, no tensors
    """

    output: Tensor
    leaf: Tensor
    plain: bool

    def concerns_others(self) -> bool:
        """Whether somebody else could want to differentiate what was computed."""
        return not are_nobodys(reachable([edge(self.output)])[1])

    def gradient(self) -> tuple[Any, bool]:
        """The gradient, an array (a tensor if it is recorded), and whether it is; None where it is 0."""
        root = self.output._node
        if root is None:
            return None, False
        reached = reachable([root])
        if modes.grad_enabled() and not are_nobodys(reached[1]):
            return grad_or_none([self.output], [self.leaf], [None], True, True)[0], True
        target = edge(self.leaf)
        ones = np.ones((), self.output._data.dtype)
        g = Sweep(False, False, [target], False, records=False).run([root], [ones], reached).result(target)
        return g, False

    def leave(self, t: Tensor, others: bool) -> Any:
        """A result as the caller gets it: with a history only if others could want to differentiate it."""
        if self.plain:
            return as_here(t) if others and t._node is not None else t._data[()]
        return t if others or t._node is None else with_tangent_of(wrap(t._data), t)


def run_in_one_argument(
    f: Callable[..., Any], k: Any, args: tuple[Any, ...], listed: bool = False
) -> OneArgumentRun | None:
    """A run of ``f`` at a variable in place of argument ``k`` ; None if a call is another one.

    ``listed`` is as in `run_on_variables`.
    """
    if type(k) is not int or not 0 <= k < len(args) or modes.tracing.get() is not None or modes.dual_level.get():
        return None
    plain = True
    for a in args:
        if type(a) not in _PLAIN:
            if type(a) is not Tensor or a._node is not None or a._extra is not None:
                return None
            plain = False
    x = args[k]
    if type(x) is float:
        x = np.asarray(x, _config.default_dtype())
    elif type(x) is Tensor:
        x = x._data
    elif type(x) is not np.ndarray:
        return None
    if x.dtype.kind != "f":
        return None
    leaf = wrap(x, LEAF)
    if tables_again(args, args) is not None:
        return None
    before, after = args[:k], args[k + 1 :]
    output = run_on_variables(f if len(args) == 1 else lambda x: f(*before, x, *after), (leaf,), plain, listed)
    if type(output) is not Tensor or output._data.ndim or output._data.dtype.kind != "f":
        return None
    return OneArgumentRun(output, leaf, plain)


def gradient_in_one_argument(f: Callable[..., Any], k: Any, args: tuple[Any, ...], value: bool) -> Any:
    """The gradient of ``f`` in argument ``k`` (after its value, if asked for); None if a call is another one."""
    run = run_in_one_argument(f, k, args, True)
    if run is None:
        return None
    g, graph = run.gradient()
    gradient = run.leave(zeros_like(run.leaf, ()) if g is None else g, graph)
    return (run.leave(run.output, graph), gradient) if value else gradient


# -------------------- ``sg.grad``, ``sg.jacobian``: the derivative of a function, as a function of the same arguments

# The idea to hold: what goes in says what comes out. Arrays give arrays, tensors give tensors (which can be
# differentiated again), symbols give formulas. Numbers come from reverse sweeps; formulas come from the formula of the
# function itself, which is differentiated as a formula.


class Derivative:
    """A function's gradient, Jacobian or Hessian, as a function of the same arguments.

    Attributes
    ----------
    kind : 'grad', 'value_and_grad', 'jacobian', 'jacrev', 'jacfwd' or 'hessian'
    function : what is differentiated
    argnums : with respect to which arguments, by position or name
    has_aux : whether the function returns ``(output, aux)``, of which only ``output`` is differentiated
    holomorphic : whether it is a function of complex numbers, of which the complex derivative is asked
    format : 'dense', or of Jacobians 'csr'
    """

    made_of: tuple[str, ...] = ("kind", "function", "argnums", "has_aux", "holomorphic", "format")
    """The attributes that say what it is: two that have the same are the same function."""

    kind: str
    function: Callable[..., Any]
    argnums: Argnums
    has_aux: bool
    holomorphic: bool
    format: str

    def __init__(
        self, kind: str, f: Callable[..., Any], argnums: Argnums, has_aux: bool = False, holomorphic: bool = False,
        format: str = "dense",
    ) -> None:  # fmt: skip
        self.kind, self.function, self.argnums = kind, require_callable(f, f"sg.{kind}"), argnums
        self.has_aux, self.holomorphic, self.format = has_aux, holomorphic, format
        if format != "dense" and kind in _JACOBIANS:
            require_format(kind, format, holomorphic)
        of_rows = kind in _JACOBIANS and format != "dense"  # whose pattern has a route of its own
        outputs = _PROGRAMS.get(kind) if not (has_aux or holomorphic or of_rows) else None
        self._repeated = None if outputs is None else repeated_of(f, outputs, argnums, format)
        self._known: Any = None  # how the columns of a sparse Jacobian were grouped at the last call
        self.__name__: str = f"{kind}({getattr(f, '__name__', type(f).__name__)})"
        self.__doc__ = f"{_WORDS[kind]} of {getattr(f, '__name__', 'a function')}."

    def __getattr__(self, name: str) -> Any:
        known = signature(vars(self).get("function")) if name == "__signature__" else None  # its defaults may change
        if known is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return known

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": None}  # it names operations by identity

    def __repr__(self) -> str:
        return f"{self.__name__[:-1]}, argnums={self.argnums!r})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative at arrays (as arrays), at tensors (as tensors) or of symbols (as a formula)."""
        repeated = None if kwargs else self._repeated
        if repeated is None:
            return self.by_recording(args, kwargs)
        found = repeated(self, args)
        if found is None or type(found) is Afterwards:
            after, found = found, self.by_recording(args, kwargs)
            repeated.ran(after)
        return found

    def by_recording(self, args: Any, kwargs: Any) -> Any:
        """The same by running the function, whether or not there is a program of it."""
        if not (kwargs or self.has_aux or self.holomorphic) and self.kind in ("grad", "value_and_grad"):
            quick = gradient_in_one_argument(self.function, self.argnums, args, self.kind == "value_and_grad")
            if quick is not None:
                return quick
        call = Arguments(self.function, args, kwargs, self.argnums)
        if any_symbol((args, kwargs)):
            return self._formulas(call)
        run = self._run(call)
        if run.of_symbols:
            return self._formulas(call)
        if self.format == "csr" and self.kind in _JACOBIANS:
            return self._sparse(run)
        return self._labelled(call, run)

    def _sparse(self, run: Run) -> Any:
        """A Jacobian in CSR; columns are grouped anew only where the pattern is another one than last."""
        from .sparse_jacobian import sparse_jacobian

        found, self._known = sparse_jacobian(run, self._known)
        return (found, run.leave(run.aux, returned=True)) if self.has_aux else found

    def _labelled(self, call: Arguments, run: Run) -> Any:
        """The result, with labels where the argument was one of pandas' tables."""
        found, *aux = run.result() if self.has_aux else (run.result(),)
        if self.kind == "value_and_grad":
            found = (found[0], call.labelled(found[1]))
        elif run.output_spec.kind is None:
            found = call.labelled(found)
        return (found, *aux) if self.has_aux else found

    def _run(self, call: Arguments) -> Run:
        if self.holomorphic:
            return HolomorphicRun(self.kind, call, self.has_aux)
        return Run(self.kind, call, self.has_aux, self.kind in ("grad", "value_and_grad"))

    def formula(self, *args: Any, **kwargs: Any) -> Any:
        """Return the formula of the derivative; arguments as for `symgrad.formula`."""
        return self._formulas(Arguments(self.function, args, kwargs, self.argnums))

    def _formulas(self, call: Arguments) -> Any:
        arrays = self.kind in OF_ARRAYS
        require_numbers(f"sg.{self.kind}", call, call.flat()[0])
        seen = Returned(f"sg.{self.kind}", self.has_aux)
        first = Traced(seen.entry(call.f, 0) if arrays or self.has_aux else call.f, call.bound, call.names)
        if not arrays:
            require_number(self.kind, first.output, self.holomorphic)
        several = [self._of_one(call, first)]
        for k in range(1, seen.count if arrays else 1):
            several.append(self._of_one(call, Traced(seen.entry(call.f, k), call.bound, call.names)))
        result = unflatten(seen.spec, several) if arrays else several[0]
        return (result, seen.aux_formulas(call.f, call.bound, call.names)) if self.has_aux else result

    def _of_one(self, call: Arguments, traced: Traced) -> Any:
        """The derivatives of one output."""
        require_traced(self.kind, traced.output)
        require_no_hooks(
            f"sg.{self.kind} has no formula of this function", traced.output,
            "Ask for numbers, at arrays; sg.formula(f, …) and its derivatives are those of the function without hooks.",
        )  # fmt: skip
        whole = traced.formula()
        entries = [(spec, names) for spec, names in (traced.names[p] for p in call.names)]
        result = []
        for spec, names in entries:
            if self.kind != "hessian":
                parts = [self._part(traced, whole, (name,)) for name in names]
            else:
                parts = [call.pack([unflatten(s, [self._part(traced, whole, (name, other)) for other in others])
                                    for s, others in entries]) for name in names]  # fmt: skip
            result.append(unflatten(spec, parts))
        packed = call.pack(result)
        return (whole, packed) if self.kind == "value_and_grad" else packed

    def _part(self, traced: Traced, whole: Any, names: tuple[str, ...]) -> Any:
        """The formula of one block: with respect to one variable, or for Hessians to two."""
        wrt = [name if name in whole.free_symbols else traced.absent(name) for name in names]
        if self.kind == "hessian":
            found = whole.hessian(wrt[0]) if names[0] == names[1] else whole.grad(wrt[0]).jacobian(wrt[1])
        else:
            found = whole.jacobian(wrt[0]) if self.kind in OF_ARRAYS else whole.grad(wrt[0])
        there = {k: v.formula() for k, v in traced.values.items() if k in found.free_symbols}
        return found.subs(**there) if there else found


_JACOBIANS = ("jacobian", "jacrev", "jacfwd")
_PROGRAMS = {"grad": "g", "value_and_grad": "fg", "hessian": "h", **dict.fromkeys(_JACOBIANS, "j")}
"""What `sg.compile` calls them."""


def require_format(kind: str, format: str, holomorphic: bool) -> None:
    """Raise unless a Jacobian can have this format."""
    if format not in ("dense", "csr"):
        raise GradientError(f"sg.{kind} has no format {format!r}", "", "Choose one of 'dense', 'csr'.")
    if holomorphic and format != "dense":
        raise GradientError(
            f"sg.{kind} with holomorphic=True has no format {format!r}", "Sparse Jacobians are of real arguments.",
            "Leave the format out, or differentiate in real and imaginary part.",
        )  # fmt: skip


_WORDS = {
    "grad": "The gradient", "value_and_grad": "The value and the gradient", "jacobian": "The Jacobian",
    "jacrev": "The Jacobian", "jacfwd": "The Jacobian", "hessian": "The matrix of second derivatives",
}  # fmt: skip


def grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False) -> Derivative:
    """Return the gradient of a function that returns one number.

    Parameters
    ----------
    f : function of arrays, written with NumPy, with operators or with symgrad's functions
    argnums : with respect to which argument: its position or name, or a tuple of these; those of ``*args`` count, those
        of ``**kwargs`` have names. It may be a container (a dictionary or a dataclass of arrays, say; None in it stays
        None)
    has_aux : ``f`` returns ``(output, aux)``, and the gradient function ``(gradient, aux)``
    holomorphic : ``f`` is a holomorphic function that returns one complex number; the result is its derivative f′(z)

    Returns
    -------
    A function of the same arguments. Arrays give arrays and tensors give tensors, of the argument's structure and
    shapes, with zeros for what ``f`` does not depend on. Symbols give a Formula. ``.formula(*args)`` gives the formula
    at arrays too, in the names of the parameters. A tuple as argnums gives a tuple.

    Raises
    ------
    ShapeError : ``f`` returns more than one number
    DTypeError : a tensor of whole numbers (NumPy's arrays of whole numbers are taken as floats)
    GradientError : a complex number returned, but with ``holomorphic``; with it, a function that is not holomorphic

    Notes
    -----
    Cost: one run of ``f``, recorded, and one sweep: about three times that of ``f``. NaN in the data is no error: it
    gives NaN where it takes part. In a complex argument z = x + iy the gradient of a real function is
    ∂f/∂x + i ∂f/∂y, PyTorch's convention: the direction of steepest ascent.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> f = lambda x: sg.exp(x).sum()
    >>> sg.grad(f)(np.zeros(2))
    array([1., 1.])
    >>> print(sg.grad(f)(sg.symbol("x", "n")))
    exp(x)
    """
    return Derivative("grad", f, argnums, has_aux, holomorphic)


def jacobian(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    format: str = "dense",
) -> Derivative:  # fmt: skip
    """Return the Jacobian of a function: all derivatives of all outputs.

    Parameters
    ----------
    f : function of arrays that returns a tensor, array or number, or a container of these
    argnums, has_aux, holomorphic : as in `grad`
    format : 'dense' for arrays; 'csr' for SciPy sparse matrices (``scipy.sparse.csr_array``), whose pattern is found
        from what ``f`` does, as `sparsity` gives it

    Returns
    -------
    A function of the same arguments: for an output of shape (m,) and an argument of shape (n,) the result has shape
    (m, n), in general the output's shape followed by the argument's. Containers as outputs give containers, of such
    results. Arrays, tensors and symbols as in `grad`.

    With ``format="csr"`` output and argument are flattened: one matrix of M×N for M and N entries, whatever their
    shapes. Several arguments, and containers, give containers of such matrices, as those of the dense Jacobian. What
    is stored may happen to be zero.

    Raises
    ------
    TooLargeError : the Jacobian does not fit into memory
    DTypeError : complex outputs of complex arguments, but with ``holomorphic``; complex arguments with 'csr'
    GradientError : with 'csr', a pattern that cannot be known (of a user-defined function, say) where the dense
        Jacobian is large; or a result that is to be differentiated again

    Notes
    -----
    Cost: one sweep per element of the output, or one walk forwards per element of the arguments if these are fewer.
    With 'csr' a walk of the recorded graph for the pattern, and a sweep for each colour of its columns or rows,
    whichever have fewer: 3 for a tridiagonal Jacobian of any size. Columns have one colour if no two of them meet in a
    row. Where a number is not finite, sweeps by rows decide: they spread it least.

    Complex outputs of real arguments have complex derivatives. In complex arguments a row is the gradient of a real
    output, as `grad` gives it.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    >>> A, x = sg.symbol("A", ("m", "n")), sg.symbol("x", "n")
    >>> print(sg.jacobian(lambda x: A @ x)(x))
    A
    >>> steps = sg.jacobian(lambda x: x[1:] * x[:-1], format="csr")
    >>> J = steps(np.arange(100_000.0))
    >>> J.shape, J.nnz
    ((99999, 100000), 199998)
    """
    return Derivative("jacobian", f, argnums, has_aux, holomorphic, format)
