"""A function of SciPy's for what is differentiated, under its name and signature; users' functions for solvers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from scipy.sparse import issparse

from .. import _limits
from .._array import ARRAYS, constant, is_known, numbers_of, to_arrays, to_tensors
from .._errors import GradientError, NotDifferentiableError, SymgradError, refusal, require_not_refused, warn_caller
from .._trees import container_like
from ..autograd import grad as _grad
from ..core import Symbol, Tensor, edge, hush, modes, tensor_around, unhush, unwrap, wrap
from ..ops import kind_of, ndarray_of, sizes
from ..ops.entries import cast
from ..transforms import jacobian as _jacobian
from ..transforms.calls import (
    DIFFERENTIATED,
    NOTHING,
    FoundValues,
    content,
    is_differentiated,
    names_read,
    numbers_kept,
    of_a_library,
    raise_cause,
    rebuilt,
    replaced,
    take_over,
)

# --------------------------------- A function of SciPy's for what is differentiated, under its own name and signature

# The idea to hold: a call is unpacked to tensors and goes to a function that is written in operations. Where nothing is
# differentiated SciPy itself computes: what it gives then is never another number than without symgrad.


MEANINGLESS = {
    "balanced", "blocksize", "check_finite", "driver", "hermitian", "irlen", "lwork", "overwrite_a", "overwrite_ab",
    "overwrite_b", "overwrite_data", "overwrite_x", "plan", "rng", "show", "workers",
}  # fmt: skip
"""SciPy's parameters that change nothing where a derivative is taken."""
OF_RESULTS = "out", "output"
"""Those that say where a result is written."""


class Remembering:
    """What holds numbers that are differentiated, and is no array: SciPy's functions cannot take it."""


def holds(value: Any, kinds: Any) -> bool:
    """Whether a value is of one of these kinds, or a list in which there is one."""
    if isinstance(value, (list, tuple)):
        return any(holds(v, kinds) for v in value)
    return isinstance(value, kinds)


def mirrored(
    original: Callable[..., Any], operands: str = "", known: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function of tensors that does what SciPy's ``original`` does.

    It is called as that, and names those of SciPy's parameters that mean something where a derivative is taken.

    Parameters
    ----------
    operands : names of the arguments that are arrays of numbers: whole numbers become floating-point ones, as in SciPy
    known : ``known(original, arguments)`` is what the function is given under this name
    """

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        parameters = _Parameters(original, fn)

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = (*args, *kwargs.values())
            seen = _seen(given)
            if not seen and all(is_known(_but_functions(v)) for v in given):
                return by_scipy(original, args, kwargs)
            of_arrays = any(holds(v, tuple(ARRAYS)) for v in (*given, *seen))
            opened = to_tensors if of_arrays else _but_functions
            args, kwargs = tuple(map(opened, args)), {k: opened(v) for k, v in kwargs.items()}
            state = hush()
            try:
                if parameters.have_names:
                    bound = parameters.bound(args, kwargs)
                    _prepare(bound, operands.split())
                    if known is not None:
                        bound["known"] = known(original, bound)
                    found = fn(**parameters.meant(bound))
                else:
                    found = fn(*args, **kwargs)
            except SymgradError as error:
                if of_arrays and original.__module__.startswith("scipy."):
                    error.name_operation(_name_in_scipy(original))
                raise
            finally:
                unhush(state)
            return to_arrays(found) if of_arrays else as_tensors(found)

        return parameters.shown_by(call)

    return decorate


def _name_in_scipy(original: Callable[..., Any]) -> str:
    """A function of SciPy's as its users write it: ``scipy.linalg.solve``, ``scipy.stats.norm.logpdf``."""
    owner = getattr(original, "__self__", None)  # a distribution
    of = [] if owner is None else [type(owner).__name__.removesuffix("_gen")]
    public = [part for part in original.__module__.split(".") if not part.startswith("_")]
    return ".".join([*public, *of, original.__name__])


def by_scipy(original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What SciPy's function gives of arguments that are nothing but numbers: for tensors tensors, for arrays arrays."""
    given = (*args, *kwargs.values())
    if not any(holds(v, DIFFERENTIATED) for v in given):
        found = original(*args, **kwargs)
        return _writable(found) if modes.among_arrays() else found
    state = hush()
    try:
        plain = [numbers_of(_but_functions(v)) for v in given]
        found = original(*plain[: len(args)], **dict(zip(kwargs, plain[len(args) :], strict=True)))
    finally:
        unhush(state)
    if isinstance(found, tuple) and type(found) is not tuple and not hasattr(found, "_make"):
        return found  # of a class that knows more than its parts: the result of a test
    return to_arrays(found) if any(holds(v, tuple(ARRAYS)) for v in given) else as_tensors(found)


def called_as(original: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that is called as SciPy's ``original`` and is given its arguments by name, as they are.

    Where it returns NotImplemented, nothing is differentiated: SciPy itself gets the call.
    """

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        parameters = _Parameters(original, fn)

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            found = fn(**parameters.meant(parameters.bound(args, kwargs)))
            if found is not NotImplemented:
                return found
            refused = refusal.get()
            try:
                return original(*args, **kwargs)
            except Exception as error:
                now: Any = refusal.get()
                if type(error).__module__ == "_minpack" and now is not refused:  # which says "not … an array of floats"
                    raise now[0](*now[1:]) from None
                raise

        return parameters.shown_by(call)

    return decorate


class _Parameters:
    """SciPy's parameters of a function, and which of them ours has."""

    def __init__(self, original: Callable[..., Any], fn: Callable[..., Any]) -> None:
        self._fn, self._own = fn, inspect.signature(fn).parameters
        self._signature = inspect.signature(original)
        kinds = [p.kind for p in (*self._signature.parameters.values(), *self._own.values())]
        self.have_names = inspect.Parameter.VAR_POSITIONAL not in kinds

    def shown_by(self, call: Any) -> Any:
        """The function, with SciPy's signature."""
        if self.have_names:
            call.__signature__ = self._signature
        return call

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by their names, with SciPy's defaults."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        found: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            found |= value if self._signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD else {name: value}
        return found

    def meant(self, bound: dict[str, Any]) -> dict[str, Any]:
        """Those that our function has; another one is refused, unless it means nothing or is left out."""
        takes_all = any(p.kind is p.VAR_KEYWORD for p in self._own.values())
        for name, p in self._signature.parameters.items():
            known = name in self._own or name in MEANINGLESS or (takes_all and name not in OF_RESULTS)
            if not known and bound.get(name, p.default) is not p.default:
                raise self._refused(name)
        return bound if takes_all else {name: value for name, value in bound.items() if name in self._own}

    def _refused(self, name: str) -> NotDifferentiableError:
        what = f"{self._fn.__module__.split('.')[2]}.{self._fn.__name__}"
        if name in OF_RESULTS:
            return refused(f"{what}({name}=…)", "A result with a derivative is a new tensor.", f"Leave {name}= out.")
        return refused(
            f"{what} with {name}=", "It is new in the installed SciPy.",
            "Leave it out, or call SciPy's own on plain arrays.",
        )  # fmt: skip


_FUNCTIONS = (FunctionType, MethodType, functools.partial)


def _seen(given: tuple[Any, ...]) -> list[Any]:
    """What the functions among the arguments are differentiated in: what they see where they are written."""
    found = FoundValues()
    for value in given:
        if isinstance(value, _FUNCTIONS):
            found.search(value)
    return found.values


def _but_functions(value: Any) -> Any:
    """An argument as the table takes it, where functions are called with tensors."""
    return value if isinstance(value, _FUNCTIONS) else to_tensors(value)


def _prepare(bound: dict[str, Any], names: list[str]) -> None:
    checks = bound.get("check_finite", False)
    for name in names:
        value = bound.get(name)
        if value is None:
            continue
        if isinstance(value, tuple):  # of a factorisation and a flag, or *arrays
            value = tuple(v if isinstance(v, (bool, int)) else floating(v) for v in value)
        else:
            value = floating(value)
        bound[name] = value
        for part in value if isinstance(value, tuple) else (value,):
            if checks and not isinstance(part, (Symbol, bool, int)) and not np.isfinite(ndarray_of(part)).all():
                raise ValueError(f"array must not contain infs or NaNs: {name} has some")


def together(value: Any) -> Any:
    """A list of tensors and numbers, as SciPy takes lists of numbers, as one tensor."""
    if isinstance(value, (list, tuple)) and holds(value, Tensor):
        return np.stack([together(v) for v in value])
    return value


def floating(value: Any) -> Any:
    """An operand as a tensor or an array of floating-point or complex numbers."""
    value = together(value)
    if not isinstance(value, Tensor):
        value = np.asarray(value)
    return value if kind_of(value) in ("f", "c") else cast(value, np.float64)


def one_by_one(fn: Callable[..., Any], *matrices: Any) -> Any:
    """A function of matrices, at each of a batch: its leading axes broadcast, as SciPy's do. None stays None."""
    leads = [sizes(m)[:-2] for m in matrices if m is not None]
    if not any(leads):
        return fn(*matrices)
    lead = np.broadcast_shapes(*leads)
    whole = [None if m is None else np.broadcast_to(m, (*lead, *sizes(m)[-2:])) for m in matrices]
    if 0 in lead:
        raise ValueError("there is no matrix in the batch")
    found = [fn(*(None if m is None else m[at] for m in whole)) for at in np.ndindex(*lead)]
    if isinstance(found[0], tuple):
        return tuple(_stacked([f[k] for f in found], lead) for k in range(len(found[0])))
    return _stacked(found, lead)


def _stacked(parts: list[Any], lead: tuple[int, ...]) -> Any:
    together = np.stack(parts)
    return together.reshape((*lead, *sizes(together)[1:]))


def as_tensors(found: Any) -> Any:
    """Results as tensors, in their containers."""
    if isinstance(found, (np.ndarray, np.generic)) and found.dtype.kind in "biufc":
        return wrap(np.asarray(found))
    if isinstance(found, (tuple, list)):
        return container_like(found, list(map(as_tensors, found)))
    return found


def _writable(found: Any) -> Any:
    """An array of SciPy's, in a function of arrays: one into which what is differentiated can be written."""
    if type(found) is np.ndarray and found.dtype.kind in "fc":
        return constant(found)
    if type(found) in (tuple, list):
        return type(found)(map(_writable, found))
    return found


def refused(what: str, evidence: str, step: str) -> NotDifferentiableError:
    """The error of an argument that SciPy's function takes and its mirror does not."""
    return NotDifferentiableError(f"symgrad.scipy.{what} has no derivative rule", evidence, step)


def of_symbol(what: str, evidence: str) -> NotDifferentiableError:
    """The error of a symbol where SciPy's function needs numbers: `sg.compile` puts symbols in the place of the numbers
    that it is called on."""
    if type(modes.tracing.get()) is modes.Decisions:
        return NotDifferentiableError(
            f"sg.compile makes no program of symgrad.scipy.{what}",
            f"{evidence} A program is made once, for all values of its arguments.",
            "Use sg.grad, sg.jacobian or sg.hessian, which run the function at every call.",
        )
    return refused(f"{what} of a symbol", evidence, "Call it on numbers.")


# ------------------------------ What a user's function reads, as it is when a solver has found what was looked for

# The idea to hold: a derivative is taken later and runs the function again. By then a loop has gone on, a list has
# grown, an array was written to. So it runs a copy, which reads copies of all that may change. What is differentiated
# stays what it is: a call puts something else in its place. Not all can be copied (a module's variable, an attribute of
# a class): each derivative begins with a look whether the function has the value that it had for the solver.


_copied: WeakValueDictionary[int, np.ndarray] = WeakValueDictionary()
"""The last copy of an array by the array's identity, and by its own."""


def _copy_of_array(a: np.ndarray) -> np.ndarray:
    """The same copy as long as nobody has written to the array: in loops there would be one for each round."""
    known = _copied.get(id(a))
    if known is a:
        return a
    if known is None or known.shape != a.shape or known.dtype != a.dtype or known.tobytes() != a.tobytes():
        known = _copied[id(a)] = a.copy("K")
        _copied[id(known)] = known
    return known


_CONSTANT = (
    int, float, complex, str, bytes, type(None), np.generic, type, ModuleType, np.ufunc
)  # fmt: skip


class _Copies:
    """Copies of what a function reads, but for what was found in it; each is made once."""

    def __init__(self, found: FoundValues) -> None:
        self._found = found
        self._made: dict[int, Any] = {}  # by identity, of cells and of modules' names too

    def of(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, _CONSTANT) or self._found.place(value) is not None:
            return value
        if id(value) in self._made or len(self._made) > _limits.CAUGHT:
            return self._made.get(id(value), value)
        if kind is np.ndarray:
            return _copy_of_array(value)
        if kind in ARRAYS:
            return to_arrays(value._t)
        if kind is Tensor and not value.requires_grad:
            return wrap(_copy_of_array(unwrap(value)))
        if isinstance(value, np.ndarray):
            self._made[id(value)] = made = value.copy()
            vars(made).update({k: self.of(v) for k, v in vars(value).items()})
            return made
        return self._function(value) if kind is FunctionType else rebuilt(value, self.of, self._made)

    def _function(self, f: FunctionType) -> Any:
        if of_a_library(f):
            return f
        read, own, cells = names_read(f.__code__), f.__globals__, f.__closure__ or ()
        names = [n for n in read.names | read.writes if n in own and self._may_change(own[n], own)]
        if names and id(own) not in self._made:
            self._made[id(own)] = dict(own)
        scope = self._made[id(own)] if names else own
        empty = [c for c in cells if id(c) not in self._made and content(c) is not NOTHING]
        self._made |= {id(c): CellType() for c in empty}
        closure = tuple(self._made.get(id(c), c) for c in cells)
        self._made[id(f)] = made = FunctionType(f.__code__, scope, f.__name__, self.of(f.__defaults__), closure)
        made.__kwdefaults__, made.__qualname__ = self.of(f.__kwdefaults__), f.__qualname__
        made.__dict__.update({k: self.of(v) for k, v in f.__dict__.items()})
        for c in empty:
            self._made[id(c)].cell_contents = self.of(content(c))
        for n in names:
            scope[n] = self.of(own[n])
        return made

    def _may_change(self, value: Any, own: dict[str, Any]) -> bool:
        """Whether what a module has under a name is the user's to change: another number, say, at each round."""
        if isinstance(value, FunctionType):
            return value.__globals__ is own and not of_a_library(value)
        return not isinstance(value, (type, ModuleType, np.ufunc))


# ---------------------------- A user's function for SciPy's solvers: what it is differentiated in becomes an argument

# The idea to hold: solvers call a function thousands of times with plain numbers; derivatives come of other integrals,
# of the function's own derivatives. Both need the tensors that it was given in ``args`` or remembers from where it was
# written, in their places: they are found, and replaced by what a call passes.


_rule: ContextVar[object] = ContextVar("symgrad_rule", default=None)
"""What tells apart the runs of rules that call functions of the user's again; None outside of them."""


def calls_again(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a rule that calls functions of the user's again: each of them is compared first with what it was."""

    @functools.wraps(rule)
    def run(*args: Any) -> Any:
        token = _rule.set(object())
        try:
            return rule(*args)
        finally:
            _rule.reset(token)

    return run


_SAME = 1e-6
"""By how much a function may differ from what it was, as part of its largest value: it may iterate itself."""


class _Known(NamedTuple):
    """A call of a function by a solver."""

    variables: tuple[Any, ...]
    leaves: tuple[Any, ...]
    value: np.ndarray


def _number(value: Any) -> Any:
    """Numbers as NumPy's functions give them."""
    return value if value.ndim else value[()]


def _itself(value: Any) -> Any:
    return value


def _other(leaf: Any, known: Any, shown: Any) -> bool:
    """Whether a leaf is not the one that was shown, or was written to where the function saw it."""
    return leaf is not known or (type(shown) in ARRAYS and to_tensors(shown) is not leaf)


def _is_settled(value: Any) -> bool:
    """Whether a value is nothing but its numbers, or a view of such."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_settled, value))
    return is_known(value) or (type(value) is Tensor and not value.requires_grad)


SOLVES = "A solver computes with numbers."


def _full(what: str) -> str:
    return what if what.startswith("sg.") else f"symgrad.scipy.{what}"


class Callback:
    """A function of the user's, of variables that a solver passes and of leaves: all it is differentiated in.

    ``leaves`` are tensors. ``of_numbers(variables, leaves)`` gives numbers; ``of_tensors`` records.
    """

    def __init__(self, what: str, function: Callable[..., Any], args: Any, others: tuple[Any, ...]) -> None:
        self._what, self._function = what, function
        self._args = args if isinstance(args, tuple) else (args,)
        self._found = FoundValues()
        self._found.search(self._function)
        self._found.search(self._args)
        known = [v for v in (*self._found.values, *others) if isinstance(v, DIFFERENTIATED)]
        self.of_arrays = any(type(v) in ARRAYS for v in known)
        self.leaves = [to_tensors(v) for v in self._found.values]
        self._for: tuple[Any, ...] = ()
        self._shown: tuple[Any, ...] = ()
        self._filling: dict[int, Any] = {}  # what stands for containers in which leaves are
        self._seen: Any = None
        self._made = self._function, self._args
        self._watched = 2 if self.leaves else 0  # calls: at 0, say, the first may leave what was there
        self._calls, self._size = 0, 0.0
        self._known: _Known | None = None
        self._compared: Any = None  # the rule in which it was found to be what it was
        self._originals: tuple[Any, Any] | None = None  # when copies are kept
        if any(isinstance(v, Symbol) for v in (*self.leaves, *map(to_tensors, others))):
            raise of_symbol(what, SOLVES)
        self.is_differentiated = bool(self.leaves) or any(map(is_differentiated, others))

    def as_asked(self, found: Any) -> Any:
        """A result as the caller's kind of array."""
        return to_arrays(found) if self.of_arrays else found

    def keep(self) -> None:
        """Be from now on the function of what it reads now: a solver has done its work, and derivatives come later."""
        self._take_over()
        copies = _Copies(self._found)
        self._originals = self._function, self._args
        try:
            self._be(copies.of(self._function), copies.of(self._args))
        except RecursionError:
            self._be(*self._originals)

    def _be(self, function: Any, args: Any) -> None:
        self._function, self._args = function, args
        self._made, self._for, self._seen = (function, args), (), None

    def _note(self, variables: tuple[Any, ...], leaves: tuple[Any, ...], found: np.ndarray) -> None:
        """Keep one of the later calls of the solver."""
        self._calls += 1
        if not self._calls & (self._calls - 1):
            self._size = max(self._size, float(np.abs(found).max(initial=0.0)))
            self._known = _Known(tuple([np.array(unwrap(v))[()] for v in variables]), leaves, found.copy())

    def _expect_same(self) -> None:
        """Raise where the function has another value than it had for the solver; be the original where the copy has."""
        known = self._known
        if known is None or self._originals is None:
            return
        forms, now, failed = ((self._function, self._args), self._originals), None, None
        for form in forms:
            self._be(*form)
            try:
                now = self.of_numbers(known.variables, known.leaves)
            except Exception as error:
                failed = failed or error
                continue
            if np.shape(now) == known.value.shape and np.allclose(
                now, known.value, _SAME, _SAME * self._size, equal_nan=True
            ):
                return
        self._compared = None
        self._be(*forms[0])
        if failed is not None:
            raise failed
        name = getattr(self._function, "__name__", "the function")
        raise GradientError(
            f"{_full(self._what)}: {name} reads something that has changed since it was solved",
            f"At the same variables it was {brief(known.value)}, and is {brief(now)} now. A derivative reads copies "
            "of lists, arrays and objects; of attributes of classes and of other modules' variables there are none.",
            "Pass in args what changes, or take the derivative before it does.",
        )  # fmt: skip

    def _filled(self, leaves: tuple[Any, ...], seen: Callable[[Any], Any]) -> tuple[Any, Any]:
        """The function and its arguments with leaves in their places; those of the last call, if they are the same."""
        if seen is _number and self._seen is seen and leaves is self._for:  # a solver's next call
            return self._made
        if self._seen is not seen or len(leaves) != len(self._for) or any(map(_other, leaves, self._for, self._shown)):
            self._take_over()
            made: dict[int, Any] = {}
            shown = tuple(map(seen, leaves))
            self._made = (
                replaced(self._function, self._found, shown, made), replaced(self._args, self._found, shown, made)
            )  # fmt: skip
            self._for, self._shown, self._seen, self._filling = leaves, shown, seen, made
        return self._made

    def _take_over(self) -> None:
        """Leave to the user what the function has written beside numbers."""
        if self._seen in (_number, wrap) and self._originals is None:
            take_over(self._found, self._shown, self._filling)

    def _call(
        self, variables: tuple[Any, ...], leaves: tuple[Any, ...], seen: Callable[[Any], Any], own: Any = frozenset()
    ) -> Any:
        """The function's result; ``own`` are the edges of what it is called at."""
        rule = _rule.get()
        if rule is not None and rule is not self._compared:
            self._compared = rule
            self._expect_same()
        # A sweep calls it too, when no transform runs any more. Single numbers that the function around this call
        # collects are not these: they would be one node with them.
        now = modes.running.get() or modes.Running(False, makers=set())
        token = modes.running.set(now._replace(on_arrays=now.on_arrays or self.of_arrays, recorder=None))
        own = own - modes.under_way
        modes.under_way.update(own)  # so that the function cannot take their numbers without a word
        refused = refusal.get()
        try:
            function, args = self._filled(leaves, seen)
            variables = tuple(map(to_arrays, variables)) if seen is to_arrays else variables
            found = to_tensors(function(*variables, *args))
            require_not_refused(refused)
            return found
        except (SymgradError, ValueError, TypeError, AttributeError, SystemError) as error:
            self._raise(error, refused)
            raise
        finally:
            modes.under_way.difference_update(own)
            modes.running.reset(token)

    def _raise(self, error: Exception, refused: Any) -> None:
        """Raise what the function's error came of, in its words: in a sweep no function runs that would say them."""
        try:
            if isinstance(error, (ValueError, TypeError, AttributeError, SystemError)):
                raise_cause(error, refused)
            raise error
        except SymgradError as cause:
            if self.of_arrays:
                cause.say_to_arrays()
            raise

    def _kept(self, variables: tuple[Any, ...], leaves: tuple[Any, ...], seen: Callable[[Any], Any]) -> list[Any]:
        """The numbers that the function holds, as it was given and as it is called, but for where it is called."""
        own = [unwrap(to_tensors(v)) for v in variables]
        return [numbers_kept(form, own) for form in (self._function, *self._filled(leaves, seen))]

    def _warn_of_kept(self) -> None:
        """Warn of a function that leaves behind what it computed: whoever reads it later takes it for a constant."""
        name = getattr(self._function, "__name__", "the function")
        warn_caller(
            f"{_full(self._what)}: {name} keeps numbers that it computed (in a list, an array, a variable of the "
            "function around it). A solver calls it with numbers: what is kept has no derivative, nor has what is "
            "computed of it later.\nCompute it of the solver's result, after the call."
        )

    def args_of_numbers(self, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with numbers in the places of what is differentiated."""
        return tuple(replaced(self._args, self._found, tuple(map(_number, leaves)), {}))

    def of_numbers(self, variables: tuple[Any, ...], leaves: tuple[Any, ...]) -> Any:
        """The function's numbers at numbers; an error where it is differentiated in something that was not found."""
        if not self.of_arrays:
            variables = tuple(wrap(np.asarray(v)) if isinstance(v, np.ndarray) else v for v in variables)
        token = modes.mode.set(modes.on_value())  # so that a tensor which was not found is seen in the result
        seen = _number if self.of_arrays else wrap
        before = self._kept(variables, leaves, seen) if self._watched else None
        try:
            found = self._call(variables, leaves, seen)
        finally:
            modes.mode.reset(token)
        if before is not None:
            self._watched -= 1
            if before != self._kept(variables, leaves, seen):
                self._watched = 0
                self._warn_of_kept()
        if not (type(found) is np.ndarray and found.dtype.kind == "f"):
            self.expect_found(found)
            if issparse(found):  # a Jacobian
                return found
            found = np.asarray(numbers_of(found))
        if self._originals is None:
            self._note(variables, leaves, found)
        return found

    def expect_found(self, value: Any) -> None:
        """Raise where what the function returns at numbers is differentiated."""
        if not _is_settled(value):
            raise GradientError(
                f"{_full(self._what)}: the function depends on a tensor that is neither among args nor a "
                "variable it sees",
                "It is in an attribute, say: no derivative in it would be found.", "Pass the tensor in args.",
            )  # fmt: skip

    def of_tensors(self, variables: tuple[Any, ...], leaves: tuple[Any, ...]) -> Any:
        """The function's tensor at tensors (numbers stay numbers)."""
        given = (to_tensors(v) for v in (*variables, *leaves))
        own = {edge(v) for v in given if isinstance(v, Tensor) and v.requires_grad}
        found = self._call(variables, leaves, to_arrays if self.of_arrays else _itself, own)
        if isinstance(found, (list, tuple)):
            found = np.stack([to_tensors(v) for v in found])
        return tensor_around(found)


def brief(value: Any) -> str:
    """Numbers as an error shows them."""
    return np.array2string(np.asarray(value), precision=6, threshold=6)


def numbers_in(leaves: Any) -> tuple[np.ndarray, ...]:
    """The leaves' numbers, which are not copied."""
    return tuple(v.detach().numpy() for v in leaves)


def tracked(leaves: Any) -> list[Any]:
    """The same tensors as nodes of their own: a derivative in one is partial, whatever else depends on the original."""
    return [v.clone() if v.requires_grad else v.detach().requires_grad_() for v in leaves]


def pulled(y: Any, g: Any, leaves: list[Any], recorded: bool = True) -> Any:
    """The gradient of ``(g * y).sum()`` in the leaves, as one vector."""
    if not y.requires_grad or not leaves:
        return wrap(np.zeros(sum(v.numel() for v in leaves)))
    return _side_by_side(_grad((y * g).sum(), leaves, create_graph=recorded, allow_unused=True), leaves)


def _side_by_side(found: Any, leaves: list[Any], *lead: int) -> Any:
    """Derivatives in leaves, or zeros for None, behind each other in one axis."""
    parts = [
        wrap(np.zeros((*lead, v.numel()))) if d is None else d.reshape((*lead, -1))
        for v, d in zip(leaves, found, strict=True)
    ]
    return np.concatenate(parts, -1) if len(parts) > 1 else parts[0]


def shaped(flat: Any, leaves: list[Any]) -> list[Any]:
    """The parts of a vector in the leaves' shapes."""
    found, at = [], 0
    for v in leaves:
        found.append(flat[at : at + v.numel()].reshape(tuple(v.shape)))
        at += v.numel()
    return found


def jacobian_at(function: Callable[[Any], Any], x: Any) -> np.ndarray:
    """The Jacobian (m, n) of a function of a tensor, at numbers: what nobody differentiates again is cheaper so."""
    numbers = np.asarray(x, np.float64)
    found = _jacobian(lambda x: to_arrays(function(to_tensors(x))))(numbers)
    return np.asarray(found).reshape((-1, numbers.size))


def rows(y: Any, leaves: list[Any]) -> Any:
    """The Jacobian (n, …) of a vector in leaves, which are laid behind each other."""
    n = int(y.shape[0])
    if not y.requires_grad:
        return wrap(np.zeros((n, sum(v.numel() for v in leaves))))
    found = _grad(y, leaves, wrap(np.eye(n)), create_graph=True, allow_unused=True, is_grads_batched=True)
    return _side_by_side(found, leaves, n)
