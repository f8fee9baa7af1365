"""Checkpoints: values that a backward needs are computed again instead of kept.

The one idea: while the function runs, whatever an operation saves is replaced by a `_Slot`; the first slot that a
backward opens runs the function once more, and what is saved on that run fills all slots. The graph of the first run
stays in place, so gradients, hooks and derivatives of any order are those of the function.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from itertools import starmap
from typing import Any

import numpy as np

from .._errors import GradientError, InplaceError, SymgradError
from .._function import Function, once_differentiable
from ..core import Packed, Tensor, has_history, modes, next_seq, setting, storage, wrap
from ..sweep import backward
from ..transforms.calls import at_state, recording, rng_state
from ._graph_hooks import running, saved_tensors_hooks

_early_stop: ContextVar[bool | None] = ContextVar("symgrad_checkpoint_early_stop", default=None)


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Let the checkpoints that are made in the block stop early or not, whatever their own ``early_stop`` says.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> def said(x):
    ...     y = x.exp()
    ...     print("done")
    ...     return y
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(said, sg.tensor(0.0, requires_grad=True), use_reentrant=False)
    done
    >>> y.backward()
    done
    """
    with setting(_early_stop, bool(enable)):
        yield


class CheckpointError(SymgradError, RuntimeError):
    """A checkpointed function did not do the same when it ran again.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.utils.checkpoint import CheckpointError, checkpoint
    >>> calls = []
    >>> def fickle(x):
    ...     calls.append(1)
    ...     return x.sin().exp() if len(calls) == 1 else x * 1
    >>> y = checkpoint(fickle, sg.tensor(1.0, requires_grad=True), use_reentrant=False)
    >>> try:
    ...     y.backward()
    ... except CheckpointError as error:
    ...     print(str(error).splitlines()[0])
    symgrad.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.
    """


def no_contexts() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """The contexts of the first and the second run, unless ``context_fn`` gives others: none."""
    return nullcontext(), nullcontext()


def _should_be_given(name: str) -> bool:
    warnings.warn(
        f"{name}: the use_reentrant parameter should be passed explicitly. use_reentrant=False is recommended; the "
        "default stays True.",
        UserWarning, stacklevel=3,
    )  # fmt: skip
    return True


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Any] = no_contexts,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Run ``function(*args, **kwargs)`` without keeping what its backward needs; compute it again when it is needed.

    Parameters
    ----------
    function : what to run; it must do the same the second time
    args, kwargs : its arguments (keyword arguments with ``use_reentrant=False`` only)
    use_reentrant : False (recommended): works with `autograd.grad`, ``create_graph`` and everything else. True: runs
        the function again under a backward of its own, which only ``.backward()`` without ``inputs`` can do, and
        needs an argument that requires grad
    context_fn : returns two context managers, for the first run and the second
    determinism_check : 'default' compares shapes and dtypes of what the two runs save, 'none' does not
    debug : accepted
    early_stop : end the second run as soon as everything that was saved is there again
    preserve_rng_state : draw the same random numbers in both runs

    Raises
    ------
    CheckpointError : in backward, where the second run saved other values than the first
    GradientError : ``use_reentrant=True`` under `autograd.grad` or ``backward(inputs=…)``

    Notes
    -----
    Cost: one more run of the function per backward; memory: its arguments, and what it saves only while it is walked.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.utils.checkpoint import checkpoint
    >>> x = sg.tensor([0.0, 1.0], requires_grad=True)
    >>> y = checkpoint(lambda x: x.exp().square(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([ 2.0000, 14.7781])
    """
    if use_reentrant is None:
        use_reentrant = _should_be_given("symgrad.utils.checkpoint")
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not no_contexts or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return _Reentrant.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    if not modes.grad_enabled():
        return function(*args, **kwargs)
    first, second = context_fn()
    told = _early_stop.get()
    early_stop = early_stop if told is None else told
    frame = _Frame(function, kwargs, second, early_stop, determinism_check == "default", preserve_rng_state)
    frame.keep(args)
    with saved_tensors_hooks(_weakly(frame.pack), _Slot.open), _running(frame.of_arrays), first:
        result = function(*args, **kwargs)
    frame.complete = True
    return result


def _weakly(method: Any) -> Callable[[Tensor], Any]:
    """The method, held weakly: a hook that outlives its block must not keep the arguments alive."""
    ref = weakref.WeakMethod(method)

    def call(t: Tensor) -> Any:
        bound = ref()
        assert bound is not None  # whoever runs the function holds the frame
        return bound(t)

    return call


def _running(of_arrays: bool) -> AbstractContextManager[None]:
    """Both runs do the same: in a sweep no transform runs the function, whose arrays `symgrad.numpy` would make, and
    which of a transform's numbers are steps of a list the second run does not know."""
    now = modes.running.get() or (modes.Running(True, makers=set()) if of_arrays else None)
    return setting(modes.running, now and now._replace(on_arrays=of_arrays, recorder=None))


class _Stop(BaseException):
    """Ends a second run (no Exception: the function's own ``except`` must not catch it)."""


class _Slot:
    """Stands for a saved value; keeps the frame alive as long as the graph needs it."""

    __slots__ = ("frame", "index")

    def __init__(self, frame: _Frame, index: int) -> None:
        self.frame, self.index = frame, index

    def open(self) -> Tensor:
        """The value, computed again if it was not yet (a value is handed out once: then it may be freed)."""
        values = self.frame.values
        if self.index not in values:
            self.frame.run_again()
        return wrap(values.pop(self.index))


class _Frame:
    """One call of a checkpointed function: how to run it again, and what that run saved."""

    def __init__(
        self, function: Any, kwargs: dict[str, Any], context: Any, early_stop: bool, check: bool, preserve_rng: bool
    ) -> None:
        self.function, self.kwargs, self.context = function, kwargs, context
        self.early_stop, self.check = early_stop, check
        self.state = rng_state() if preserve_rng else None
        self.of_arrays: bool = modes.among_arrays()  # whether a transform runs it as a part of a function of arrays
        self.args: list[Any] = []
        self.saved: list[tuple[Any, Any]] = []  # shape and dtype of each value that the first run saved
        self.values: dict[int, np.ndarray] = {}
        self.born: list[int] = []  # when each of them was saved: the version check of the second run
        self.count = 0
        self.complete = False

    def keep(self, args: tuple[Any, ...]) -> None:
        """Keep the arguments; inside another checkpoint that one decides where they are."""
        hooks = modes.saved_hooks.get()
        with recording(False):
            for a in args:
                if isinstance(a, Tensor) and hooks:
                    pack, unpack = hooks[-1]
                    self.args.append((Packed(pack(wrap(a._data)), unpack), a._node is not None))
                else:
                    self.args.append((a, has_history(a)))

    def pack(self, t: Tensor) -> _Slot:
        """First run: note what would be saved, keep nothing."""
        self.saved.append((t._data.shape, t._data.dtype))
        return _Slot(self, len(self.saved) - 1)

    def run_again(self) -> None:
        """Second run: fill `values`."""
        self.values.clear()
        self.born.clear()
        self.count = 0
        args = list(starmap(self._argument, self.args))
        collecting = saved_tensors_hooks(_weakly(self._collect), lambda t: t)
        with at_state(self.state), recording(), collecting, _running(self.of_arrays), self.context:
            stopped = False
            try:
                self.function(*args, **self.kwargs)
            except _Stop:
                stopped = True
        self._check_unspoilt()
        if not stopped and self.complete and self.count != len(self.saved):
            raise CheckpointError(
                "symgrad.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.saved)}\nNumber of tensors saved "
                f"during recomputation: {self.count}.",
                "", "Make the function do the same each time it is called with the same arguments.",
            )  # fmt: skip

    def _check_unspoilt(self) -> None:
        """Raise if the function overwrote, in place, what it had saved."""
        for k, value in self.values.items():
            versions = storage.version_conflict(value, self.born[k])
            if versions is not None:
                raise InplaceError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"[{value.dtype} {list(value.shape)}], saved at position {k} of a checkpoint, is at version "
                    f"{versions[0]}; expected version {versions[1]} instead.",
                    "", "Use the out-of-place operation in the checkpointed function, or clone() before writing.",
                )  # fmt: skip

    @staticmethod
    def _argument(a: Any, requires_grad: bool) -> Any:
        if isinstance(a, Packed):
            a = wrap(a.get())
        if not isinstance(a, Tensor):
            return a
        return a.detach().requires_grad_(requires_grad)

    def _collect(self, t: Tensor) -> Tensor:
        k = self.count
        self.count += 1
        if k < len(self.saved):
            if self.check and self.saved[k] != (t._data.shape, t._data.dtype):
                shape, dtype = self.saved[k]
                raise CheckpointError(
                    "symgrad.utils.checkpoint: Recomputed values for the following tensors have different metadata "
                    f"than during the forward pass.\ntensor at position {k}:\nsaved metadata: shape {shape}, dtype "
                    f"{dtype}\nrecomputed metadata: shape {t._data.shape}, dtype {t._data.dtype}",
                    "", "Make the function do the same each time it is called with the same arguments.",
                )  # fmt: skip
            self.values[k] = t._data
            self.born.append(next_seq())
        elif self.complete:
            raise CheckpointError(
                "symgrad.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                "forward "
                "pass.", "", "Make the function do the same each time it is called with the same arguments.",
            )  # fmt: skip
        if self.early_stop and self.complete and self.count == len(self.saved):
            raise _Stop
        return t


class _Reentrant(Function):
    """The older way: an operation whose backward runs the function again, with a backward of its own."""

    @staticmethod
    def forward(ctx: Any, function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            message = "None of the inputs have requires_grad=True. Gradients will be None"
            warnings.warn(message, UserWarning, stacklevel=4)
        ctx.function = function
        ctx.state = rng_state() if preserve_rng_state else None
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*(a for a in args if isinstance(a, Tensor)))
        return function(*args)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        now = running()
        if now is not None and (now.sweep.targets is not None or not now.sweep.accumulate):
            raise GradientError(
                "When use_reentrant=True, symgrad.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        args = list(ctx.others)
        for i, t in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[i] = t.detach().requires_grad_(t.requires_grad)
        with at_state(ctx.state), recording():
            outputs = ctx.function(*args)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=False) if has_history(o)]
        if not pairs:
            raise GradientError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, Tensor) else None for a in args))


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run functions one after the other, with a checkpoint around each segment but the last.

    Parameters
    ----------
    functions : list of functions or modules, or ``nn.Sequential``; each takes what the one before returned
    segments : how many segments to cut them into
    input : what the first one takes
    use_reentrant, preserve_rng_state : as in `checkpoint`

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.utils.checkpoint import checkpoint_sequential
    >>> x = sg.tensor(0.5, requires_grad=True)
    >>> y = checkpoint_sequential([sg.sin, sg.exp, sg.cos, sg.tanh], 2, x, use_reentrant=False)
    >>> y.backward()
    >>> x.grad
    tensor(-1.4133)
    """
    if use_reentrant is None:
        use_reentrant = _should_be_given("symgrad.utils.checkpoint.checkpoint_sequential")
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(parts) // segments
    start = 0
    for _ in range(segments - 1 if size else 0):
        input = checkpoint(
            _in_a_row(parts[start : start + size]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
        start += size
    return _in_a_row(parts[start:])(input)


def _in_a_row(functions: list[Any]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for fn in functions:
            value = fn(value)
        return value

    return run
