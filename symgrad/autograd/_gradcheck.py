"""`gradcheck`: derivatives by rule against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import GradientError, SymgradError
from .._progress import Task
from ..core import LEAF, Tensor, has_history, row_function, wrap
from ..sweep import grad
from ..transforms.calls import Pushforward, unit_vectors

# ---------------- Central differences of functions of tensors; the inputs are varied in their own memory and put back


Values = list[np.ndarray]


def _values(result: Any) -> Values:
    return [t._data.copy() for t in (result if isinstance(result, (tuple, list)) else (result,))]


def _difference(low: Values, high: Values, eps: float) -> Values:
    for a, b in zip(low, high, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            raise AssertionError(
                f"Expected `func` to return outputs with the same shape and dtype when inputs are perturbed by {eps}, "
                f"but got: shapes {a.shape} and {b.shape}, dtypes {a.dtype} and {b.dtype}."
            )
    return [(b - a) / (2 * eps) for a, b in zip(low, high, strict=True)]


def along(func: Callable[..., Any], inputs: tuple[Any, ...], x: Tensor, step: Any, eps: float) -> Values:
    """Per output its derivative as ``x`` moves by ``eps * step``; ``x`` is written directly: no version changes."""
    data, before = x._data, x._data.copy()
    try:
        data[...] = before - eps * step
        low = _values(func(*inputs))
        data[...] = before + eps * step
        high = _values(func(*inputs))
    finally:
        data[...] = before
    return _difference(low, high, eps)


def by_element(func: Callable[..., Any], inputs: tuple[Any, ...], x: Tensor, eps: float) -> Values:
    """Per output the matrix of its derivatives, elements of ``x`` by elements of the output.

    For a complex ``x`` an entry is d/dRe + i d/dIm: PyTorch's convention for the gradient of real outputs.
    """
    rows: list[Values] = []
    shape = x._data.shape
    with Task("finite differences", None, x._data.size, "entries") as task:
        for k in task.each(range(x._data.size)):
            step = np.zeros(shape, x._data.dtype)
            step.reshape(-1)[k] = 1
            row = along(func, inputs, x, step, eps)
            if x._data.dtype.kind == "c":
                row = [a + 1j * b for a, b in zip(row, along(func, inputs, x, 1j * step, eps), strict=True)]
            rows.append([v.reshape(-1) for v in row])
    if not rows:
        outputs = _values(func(*inputs))
        return [np.zeros((0, o.size), x._data.dtype) for o in outputs]
    return [np.stack(column) for column in zip(*rows, strict=True)]


# -------------------------------------------------------- `gradcheck`: derivatives by rule against finite differences

# The one idea: per pair of input and output both Jacobians are written as matrices (elements of the input by elements
# of the output) and compared entry by entry, or, in fast mode, between two random vectors.


class GradcheckError(SymgradError, RuntimeError):
    """A derivative disagrees with finite differences, or a backward breaks a rule that all keep.

    Examples
    --------
    >>> import symgrad as sg
    >>> class Wrong(sg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return 3 * g
    >>> sg.autograd.gradcheck(Wrong.apply, sg.tensor(1.0, requires_grad=True))
    Traceback (most recent call last):
      ...
    symgrad.autograd.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,
    numerical:tensor([[2.0000]])
    analytical:tensor([[3.]])
    ...
    """


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _complex(t: Tensor) -> bool:
    return t._data.dtype.kind == "c"


def _differentiable(value: Any) -> tuple[Tensor, ...]:
    return tuple(t for t in _tuple(value) if t._node is not None)


class _Check:
    """One run of gradcheck: the function, its inputs and the tolerances."""

    def __init__(
        self, func: Any, inputs: tuple[Any, ...], eps: float, atol: float, rtol: float, **options: Any
    ) -> None:
        self.func, self.inputs = func, inputs
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.options = options
        self.wanted = list(filter(has_history, inputs))

    def run(self) -> None:
        """Raise `GradcheckError` at the first thing that is wrong."""
        _check_inputs(self.inputs)
        outputs = _tuple(self.func(*self.inputs))
        for o in outputs:
            if not isinstance(o, Tensor):
                raise ValueError(f"gradcheck expects the function to return tensors, but it returned {type(o)}.")
        if self.options["check_backward_ad"]:
            self._compare(outputs, forward=False)
        if self.options["check_forward_ad"]:
            self._compare(outputs, forward=True)
        if not self.options["check_backward_ad"]:
            return
        live = _differentiable(outputs)
        self._check_zero(live, "backward not multiplied by grad_output")
        if self.options["check_undefined_grad"]:
            self._check_undefined(live)

    def _compare(self, outputs: tuple[Tensor, ...], forward: bool) -> None:
        """Real outputs as they are, complex ones as two real functions."""
        if not any(_complex(o) for o in outputs):
            self._parts(self.func, outputs, "", forward)
            return
        for part, name in (("imag", "imaginary"), ("real", "real")):
            take = row_function(part)

            def func(*inputs: Any, take: Any = take) -> tuple[Any, ...]:
                return tuple(take(o) if _complex(o) else o for o in _tuple(self.func(*inputs)))

            self._parts(func, func(*self.inputs), name, forward, [_complex(o) for o in outputs])

    def _parts(self, func: Any, outputs: tuple[Tensor, ...], part: str, forward: bool, split: Any = ()) -> None:
        live = [k for k, o in enumerate(outputs) if o._node is not None]
        if not live:
            for x in self.wanted:
                if any(np.any(j) for j in by_element(func, self.inputs, x, self.eps)):
                    raise GradcheckError("Numerical gradient for function expected to be zero")
            return
        fast = self.options["fast_mode"] and not any(_complex(t) for t in (*self.wanted, *outputs))
        numerical = [(self._along if fast else by_element)(func, self.inputs, x, self.eps) for x in self.wanted]
        for i, k in enumerate(live):
            analytical = self._analytical(outputs[k], forward)
            for j, (a, found) in enumerate(zip(analytical, numerical, strict=True)):
                prefix = f"While considering the {part} part of complex outputs only, " if part and split[k] else ""
                way = "computed with forward mode " if forward else ""
                head = f"{prefix}Jacobian {way}mismatch for output {i} with respect to input {j},"
                if fast:
                    self._agree_along(a, found[k], self.wanted[j], head, func, k)
                else:
                    self._agree(a, found[k], head, "jvp" if forward else "backward")

    def _agree(self, analytical: np.ndarray, numerical: np.ndarray, head: str, rule: str) -> None:
        if np.allclose(analytical, numerical, self.rtol, self.atol):
            return
        gap = np.abs(analytical - numerical)
        at = np.unravel_index(np.argmax(gap), gap.shape)  # a NaN counts as the largest
        raise GradcheckError(
            f"{head}\nnumerical:{wrap(numerical)!r}\nanalytical:{wrap(analytical)!r}",
            f"They differ most for element {at[0]} of the input and {at[1]} of the output, by {gap[at]:.3g}.",
            f"Check the {rule} of the function there; at a kink finite differences are wrong.",
        )

    def _vectors(self, x: Tensor) -> tuple[np.ndarray, Any]:
        """Random directions (not negative, of length 1) for an input and for an output."""
        rng = np.random.default_rng([0, x._data.size])
        u = rng.random(x._data.shape)

        def v(shape: tuple[int, ...]) -> np.ndarray:
            w = rng.random(shape)
            return w / (np.linalg.norm(w) or 1.0)

        return u / (np.linalg.norm(u) or 1.0), v

    def _along(self, func: Any, inputs: Any, x: Tensor, eps: float) -> list[Any]:
        return along(func, inputs, x, self._vectors(x)[0], eps)

    def _agree_along(self, a: np.ndarray, directional: np.ndarray, x: Tensor, head: str, func: Any, out: int) -> None:
        u, vector = self._vectors(x)
        v = vector(directional.shape)
        n = float(np.sum(directional * v))
        by_rule = float(u.reshape(-1) @ a @ v.reshape(-1))
        if not np.allclose(by_rule, n, self.rtol, self.atol * float(u.sum()) * float(v.sum())):
            slow = by_element(func, self.inputs, x, self.eps)[out]
            raise GradcheckError(
                f"{head}\nnumerical:{n}\nanalytical:{by_rule}\n",
                f"These are products with random vectors (fast mode). The matrices are:\nnumerical:{wrap(slow)!r}\n"
                f"analytical:{wrap(a)!r}",
                "Check the backward of the function where they differ.",
            )

    def _analytical(self, output: Tensor, forward: bool) -> list[np.ndarray]:
        """Per input the Jacobian by rule; computed twice, since a backward should not depend on chance."""
        if forward:
            push = Pushforward([output], self.wanted)
            return [self._pushed(push, k, x._data) for k, x in enumerate(self.wanted)]
        first, second = self._rows(output), self._rows(output)
        for a, b in zip(first, second, strict=True):
            if a.size and np.max(np.abs(a - b)) > self.options["nondet_tol"]:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient. The tolerance "
                    f"for nondeterminism was {self.options['nondet_tol']}.",
                    "", "Pass nondet_tol= if the backward is random on purpose.",
                )  # fmt: skip
        return first

    def _pushed(self, push: Any, k: int, x: np.ndarray) -> np.ndarray:
        """The Jacobian with respect to input number ``k``; with respect to a complex one d/dRe + i d/dIm."""
        every = unit_vectors(x, range(x.size))
        (found,) = push.many(k, every)
        if found is None:
            return np.zeros((x.size, push.outputs[0]._data.size), x.dtype)
        if x.dtype.kind == "c":
            found = found + 1j * push.many(k, 1j * every)[0]
        return np.asarray(found.reshape(x.size, -1))

    def _rows(self, output: Tensor) -> list[np.ndarray]:
        blocks = [np.zeros((x._data.size, output._data.size), x._data.dtype) for x in self.wanted]
        for j in range(output._data.size):
            unit = np.zeros(output._data.shape, output._data.dtype)
            unit.reshape(-1)[j] = 1
            grads = grad(output, self.wanted, wrap(unit), retain_graph=True, allow_unused=True)
            for block, g, x in zip(blocks, grads, self.wanted, strict=True):
                if g is None:
                    continue
                if g._data.shape != x._data.shape:
                    raise GradcheckError("Analytical gradient has incorrect size")
                if g._data.dtype != x._data.dtype and self.options["check_grad_dtypes"]:
                    raise GradcheckError("Gradient has dtype mismatch")
                block[:, j] = g._data.reshape(-1)
        return blocks

    def _check_zero(self, outputs: Sequence[Tensor], message: str) -> None:
        """A gradient of zeros must give zeros."""
        if not outputs:
            return
        zeros = [wrap(np.zeros_like(o._data)) for o in outputs]
        for g in grad(outputs, self.wanted, zeros, retain_graph=True, allow_unused=True):
            if g is not None and np.any(g._data != 0):
                raise GradcheckError(message)

    def _check_undefined(self, outputs: Sequence[Tensor]) -> None:
        """With several outputs, each may be left without gradient."""
        for k in range(len(outputs) if len(outputs) > 1 else 0):
            try:
                self._check_zero(
                    [o for i, o in enumerate(outputs) if i != k],
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero.",
                )
            except (RuntimeError, TypeError, AttributeError) as error:
                if isinstance(error, GradcheckError):
                    raise
                raise GradcheckError(
                    "Expected backward function to handle undefined output grads.",
                    f"With no gradient for output {k} it raised {type(error).__name__}: {error}",
                    "Treat None as zero in backward, or leave set_materialize_grads(True).",
                ) from error


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    found = False
    for i, x in enumerate(inputs):
        if not has_history(x):
            continue
        found = True
        data = x._data
        if data.dtype not in (np.dtype(np.float64), np.dtype(np.complex128)):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex.",
                UserWarning, stacklevel=4,
            )  # fmt: skip
        if any(s == 0 and n > 1 for s, n in zip(data.strides, data.shape, strict=True)):
            raise GradientError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not found:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Return whether the derivatives of a function agree with central differences.

    Parameters
    ----------
    func : function of tensors that returns a tensor or a tuple of tensors
    inputs : tensor or tuple; those that require grad are varied, in float64 or complex128
    eps : step of the differences
    atol, rtol : they agree where ``|analytical - numerical| <= atol + rtol * |numerical|``
    raise_exception : raise where they do not (default), or return False
    nondet_tol : how far two backwards may differ
    check_undefined_grad : check that outputs may be left without gradient
    check_grad_dtypes : check that gradients have the inputs' dtypes
    check_forward_ad : compare the Jacobian computed by forward mode too (by the ``jvp`` of a function of your own)
    fast_mode : compare products with random vectors only (complex functions are always compared entry by entry)
    check_batched_grad, check_batched_forward_grad, masked : accepted

    Raises
    ------
    GradcheckError : names output and input, and shows both matrices (elements of the input by elements of the output)

    Notes
    -----
    Complex functions are checked as two real ones; for complex inputs the conjugate Wirtinger derivative is compared.
    Cost: two calls of the function per element of the inputs, two sweeps per element of the outputs.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 1.5], requires_grad=True)
    >>> sg.autograd.gradcheck(lambda x: sg.sin(x) * x.sum(), x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    check = _Check(
        func, _tuple(inputs), eps, atol, rtol, nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes, check_forward_ad=check_forward_ad, check_backward_ad=check_backward_ad,
        fast_mode=fast_mode,
    )  # fmt: skip
    try:
        check.run()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _random_like(outputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    rng = np.random.default_rng(0)  # a check should not pass by chance today and fail tomorrow
    made = []
    for o in outputs:
        values = rng.uniform(-1, 1, o._data.shape)
        if _complex(o):
            values = values + 1j * rng.uniform(-1, 1, o._data.shape)
        made.append(wrap(np.asarray(values, dtype=o._data.dtype), LEAF))
    return tuple(made)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Return whether the second derivatives of a function agree with central differences of the first.

    Parameters as in `gradcheck`. ``grad_outputs`` are the gradients that the first derivative is computed with (random
    numbers if left out); the second derivative is checked with respect to the inputs and to them.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 1.5], requires_grad=True)
    >>> sg.autograd.gradgradcheck(lambda x: sg.sin(x) * x.sum(), x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    inputs = _tuple(inputs)
    seeds = _random_like(_differentiable(func(*inputs))) if grad_outputs is None else _tuple(grad_outputs)
    count = len(seeds)
    wanted = [i for i, x in enumerate(inputs) if has_history(x)]

    def first_derivative(*args: Any) -> tuple[Tensor, ...]:
        given, weights = args[: len(args) - count], args[len(args) - count :]
        outputs = _differentiable(func(*given))
        grads = grad(outputs, [given[i] for i in wanted], weights, create_graph=True, allow_unused=True)
        return tuple(g for g in grads if g is not None)

    return gradcheck(
        first_derivative, inputs + seeds, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked,
    )  # fmt: skip
