"""Switching recording on and off: context managers that are decorators too, for functions and generators."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ..core import modes


class _Mode:
    """Base: sets context variables on entry, puts them back on exit."""

    def __init__(self) -> None:
        self._tokens: list[Any] = []

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # `@no_grad` without parentheses: the class is called with the function
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], (bool, type)):
            return cls()(args[0])
        return object.__new__(cls)

    def _value(self) -> int:
        raise NotImplementedError

    def __enter__(self) -> Any:
        self._tokens.append(modes.mode.get())
        modes.mode.set(self._value())
        return None

    def __exit__(self, *exc: object) -> None:
        modes.mode.set(self._tokens.pop())

    def _again(self) -> _Mode:
        return type(self)()

    def __call__(self, fn: Any) -> Any:
        if inspect.isclass(fn):
            fn.__init__ = self(fn.__init__)  # type: ignore[method-assign]
            return fn
        if inspect.isgeneratorfunction(fn):
            return self._wrap_generator(fn)

        @functools.wraps(fn)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return fn(*args, **kwargs)

        return wrapper

    def _wrap_generator(self, fn: Any) -> Any:
        """The mode holds while the generator's own code runs, not between its values."""

        @functools.wraps(fn)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            generator = fn(*args, **kwargs)
            with self._again():
                try:
                    value = next(generator)
                except StopIteration as stop:
                    return stop.value
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    with self._again():
                        generator.close()
                    raise
                except BaseException as error:
                    with self._again():
                        try:
                            value = generator.throw(error)
                        except StopIteration as stop:
                            return stop.value
                else:
                    with self._again():
                        try:
                            value = generator.send(sent)
                        except StopIteration as stop:
                            return stop.value

        return wrapper


class no_grad(_Mode):
    """Record nothing inside the block or the decorated function.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(1.0, requires_grad=True)
    >>> with sg.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def _value(self) -> int:
        return modes.OFF if modes.mode.get() != modes.INFERENCE else modes.INFERENCE


class enable_grad(_Mode):
    """Record inside the block, also within `no_grad`.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(1.0, requires_grad=True)
    >>> with sg.no_grad(), sg.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def _value(self) -> int:
        return modes.on_value() if modes.mode.get() != modes.INFERENCE else modes.INFERENCE


class set_grad_enabled(_Mode):
    """Switch recording on or off, at once; as a context manager, until the end of the block.

    Examples
    --------
    >>> import symgrad as sg
    >>> with sg.set_grad_enabled(False):
    ...     sg.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode: bool = bool(mode)
        self._before = modes.mode.get()
        modes.mode.set(self._value())

    def _value(self) -> int:
        return (enable_grad if self.mode else no_grad)._value(self)  # type: ignore[arg-type]

    def _again(self) -> _Mode:
        return set_grad_enabled(self.mode)

    def __enter__(self) -> None:
        modes.mode.set(self._value())

    def __exit__(self, *exc: object) -> None:
        modes.mode.set(self._before)

    def __call__(self, fn: Any) -> Any:
        modes.mode.set(self._before)
        return super().__call__(fn)


class inference_mode(_Mode):
    """Record nothing, for good: tensors made here cannot enter a graph later.

    Examples
    --------
    >>> import symgrad as sg
    >>> with sg.inference_mode():
    ...     y = sg.ones(2) * 3
    >>> y.is_inference()
    True
    """

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode: bool = bool(mode)

    def _value(self) -> int:
        return modes.INFERENCE if self.mode else modes.on_value()

    def _again(self) -> _Mode:
        return inference_mode(self.mode)


def is_grad_enabled() -> bool:
    """Return whether operations record.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.is_grad_enabled()
    True
    """
    return modes.grad_enabled()


def is_inference_mode_enabled() -> bool:
    """Return whether `inference_mode` is on.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.is_inference_mode_enabled()
    False
    """
    return modes.mode.get() == modes.INFERENCE


class set_detect_anomaly:
    """Switch anomaly mode on or off: every node notes where it was recorded, every gradient is checked for NaN.

    Parameters
    ----------
    mode : on or off
    check_nan : raise where a backward makes NaN
    inf : raise where it makes an infinity too
    forward : look at the values of recorded operations too, as they are computed

    Raises
    ------
    AnomalyError : later, where a backward makes NaN: it names the operation, its line, the entry, the cause and a
        rewrite. Everything is as it was before that backward

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 0.0], requires_grad=True)
    >>> with sg.autograd.set_detect_anomaly(True):
    ...     (sg.sqrt(x) * sg.tensor([1.0, 0.0])).sum().backward()
    Traceback (most recent call last):
      ...
    symgrad.AnomalyError: Function 'SqrtBackward0' returned nan values in its 0th output.
    ...
    """

    def __init__(self, mode: bool, check_nan: bool = True, inf: bool = False, forward: bool = False) -> None:
        self._before = (modes.anomaly.get(), modes.mode.get())
        modes.anomaly.set(modes.Anomaly(check_nan, inf, forward) if mode else None)
        if modes.mode.get() > 0:
            modes.mode.set(modes.on_value())

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        modes.anomaly.set(self._before[0])
        modes.mode.set(self._before[1])


class detect_anomaly:
    """Anomaly mode for a block: every node notes where it was recorded, every gradient is checked for NaN.

    Parameters as in `set_detect_anomaly`, which says what is raised, too.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(2.0, requires_grad=True)
    >>> with sg.detect_anomaly():
    ...     (x * x).backward()
    >>> x.grad
    tensor(4.)
    >>> p = sg.tensor([0.0, 1.0], requires_grad=True, name="p")
    >>> with sg.detect_anomaly():
    ...     try:
    ...         (p * sg.log(p)).sum().backward()
    ...     except sg.AnomalyError as error:
    ...         print(error.cause)
    0·∞: ∂log/∂x = 1/x = 1/0 = ∞
    """

    def __init__(self, check_nan: bool = True, inf: bool = False, forward: bool = False) -> None:
        self._options = (check_nan, inf, forward)
        self._entered: list[set_detect_anomaly] = []

    def __enter__(self) -> None:
        self._entered.append(set_detect_anomaly(True, *self._options))

    def __exit__(self, *exc: object) -> None:
        self._entered.pop().__exit__(*exc)


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.is_anomaly_enabled()
    False
    """
    return modes.anomaly.get() is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether anomaly mode is on and checks for NaN.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.is_anomaly_check_nan_enabled()
    False
    """
    state = modes.anomaly.get()
    return state is not None and state.check_nan
