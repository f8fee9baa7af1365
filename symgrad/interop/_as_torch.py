"""`install`: scripts that say ``import torch`` get symgrad.

The idea to hold: every module that a script names, ``torch.nn.functional``, is an alias, which looks its names up in
the object of symgrad's at the same place. Nothing of symgrad's is written to, so that all of it can be taken back.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

from .._config import set_spoken_name
from .._errors import SymgradError, compose, missing
from ._mixed_precision import BFLOAT16, GradScaler, autocast, is_autocast_enabled
from ._mixed_precision import MODULES as PRECISIONS

SPOKEN = "2.13.0"
"""The version of PyTorch whose names symgrad has."""

FILES = {
    "": "functional random serialization",
    "nn": "attention modules parameter",
    "nn.modules": "activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold "
    "instancenorm linear loss module normalization padding pixelshuffle pooling rnn sparse transformer upsampling "
    "utils",
    "nn.utils": "clip_grad convert_parameters init spectral_norm weight_norm",
    "optim": "adadelta adafactor adagrad adam adamax adamw asgd lbfgs nadam optimizer radam rmsprop rprop sgd",
    "utils.data": "dataset dataloader sampler",
    "autograd": "anomaly_mode gradcheck grad_mode variable",
    "distributions": "bernoulli beta binomial categorical dirichlet distribution exponential gamma independent laplace "
    "log_normal mixture_same_family multivariate_normal normal one_hot_categorical poisson studentT "
    "transformed_distribution uniform",
}
"""PyTorch's files, whose names symgrad has one level up: ``torch.optim.optimizer``, ``torch.nn.parameter``."""


def _same(model: Any = None, **options: Any) -> Any:
    """PyTorch's ``compile``, which changes no result; `symgrad.compile` makes something else."""
    return model if model is not None else (lambda function: function)


def _variable(*args: Any, **options: Any) -> None:
    """PyTorch's function of before tensors, which says what to write."""
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")


MODULES = {**PRECISIONS, "version": SimpleNamespace(__version__=SPOKEN, cuda=None, hip=None, debug=False)}
"""PyTorch's modules that symgrad has for scripts only, by what follows ``torch.``."""


DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}
"""What `torch.get_deterministic_debug_mode` says of the names of modes."""


def _settings() -> dict[str, Any]:
    """PyTorch's settings of how fast numbers come, and whether the same come again: they are kept, and change nothing.

    NumPy gives the same numbers at every run, whole float32 products, and the threads that its libraries have.
    """
    kept: dict[str, Any] = {}

    def pair(set_name: str, get_name: str, value: Any, known: Any) -> dict[str, Any]:
        def setting(mode: Any, *, warn_only: bool = False) -> None:
            if not known(mode):
                raise SymgradError(f"torch.{set_name} is given {mode!r}", "", f"Its default is {value!r}.")
            kept[get_name] = DEBUG_MODES.get(mode, mode)

        kept[get_name] = value
        return {set_name: setting, get_name: lambda: kept[get_name]}

    def is_count(value: Any) -> bool:
        return type(value) is int and value > 0

    def is_bool(value: Any) -> bool:
        return type(value) is bool

    return {
        **pair("set_num_threads", "get_num_threads", os.cpu_count() or 1, is_count),
        **pair("set_num_interop_threads", "get_num_interop_threads", os.cpu_count() or 1, is_count),
        **pair("set_float32_matmul_precision", "get_float32_matmul_precision", "highest",
               ("highest", "high", "medium").__contains__),
        **pair("use_deterministic_algorithms", "are_deterministic_algorithms_enabled", False, is_bool),
        **pair("set_deterministic_debug_mode", "get_deterministic_debug_mode", 0,
               (0, 1, 2, *DEBUG_MODES).__contains__),
        **pair("set_warn_always", "is_warn_always_enabled", False, is_bool),
        "set_flush_denormal": lambda mode: False,  # which says that it is not supported
    }  # fmt: skip


def _target(path: str) -> Any:
    """Return what symgrad has at ``nn.functional``; AttributeError if there is nothing that can be a module."""
    if path in MODULES:
        return MODULES[path]
    found: Any = sys.modules["symgrad"]
    above, _, last = path.rpartition(".")
    if last in FILES.get(above, "").split():
        return _target(above)
    for name in path.split(".") if path else ():
        found = getattr(found, name)
    if path and (callable(found) or isinstance(found, (int, float))):
        raise AttributeError(f"{path} is no module")
    return found


class _Alias(ModuleType):
    """A module ``torch.…`` whose names are those of an object of symgrad's."""

    def __init__(self, name: str) -> None:
        super().__init__(name, f"symgrad under the name {name}.")
        self._target = _target(name.partition(".")[2])

    def __getattr__(self, name: str) -> Any:
        path = f"{self.__name__}.{name}"
        if path.partition(".")[2] in MODULES:
            return importlib.import_module(path)
        try:
            value = getattr(self._target, name)
        except AttributeError as error:
            if name.startswith("__"):
                raise
            if name not in FILES.get(self.__name__.partition(".")[2], "").split():
                reason = "\n".join([*str(error).splitlines()[1:], *_near(self._target, name)])
                what = compose(f"{self.__name__}, which is symgrad here, has no {name!r}", reason)
                raise AttributeError(what, name=name, obj=self) from None
            return importlib.import_module(path)
        if isinstance(value, ModuleType):
            return importlib.import_module(path)
        if callable(value):
            self.__dict__[name] = value  # the next look-up does not come here
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a name, but for a module that importing would put over the function of its name: ``gradcheck``."""
        if not (isinstance(value, _Alias) and callable(getattr(self, name, None))):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._target), "__version__"})


def _near(target: Any, name: str) -> list[str]:
    from difflib import get_close_matches

    found = get_close_matches(name, [n for n in dir(target) if n[0] != "_"], 3, 0.8)
    return [f"There is {', '.join(found)}."] if found else []


class _Finder(Loader):
    """Finds ``torch`` and its modules, and says of the others why they are not there."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        first, _, rest = name.partition(".")
        if first != "torch":
            return None
        try:
            _target(rest)
        except AttributeError:
            above, _, last = name.rpartition(".")
            reason = missing("symgrad", last).args[0].partition("\n")[2] or "Neither as a name nor as a module."
            # without name=, which would make `from torch import x` look no further than for a module
            raise ModuleNotFoundError(compose(f"{above}, which is symgrad here, has no {last!r}", reason)) from None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Alias(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "torch":
            version = sys.modules["symgrad"].__version__
            vars(module).update(__version__=f"{SPOKEN}+symgrad{version}", compile=_same, autocast=autocast)
            vars(module).update(
                GradScaler=GradScaler, bfloat16=BFLOAT16, is_autocast_enabled=is_autocast_enabled, **_settings()
            )
        elif module.__name__ == "torch.autograd":
            vars(module).update(variable=_variable)


class Installation:
    """What `install` returns: a context manager, at whose end the name is free again."""

    def __init__(self, finder: _Finder | None) -> None:
        self._finder = finder

    def uninstall(self) -> None:
        """Take the name back; modules that were imported keep working."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
            set_spoken_name("symgrad")
            for name in [name for name, module in sys.modules.items() if isinstance(module, _Alias)]:
                del sys.modules[name]

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *error: object) -> None:
        self.uninstall()

    def __repr__(self) -> str:
        return "torch is symgrad"


def install(name: str) -> Installation:
    """Put symgrad under the name of another library, in this process: scripts for PyTorch run unedited.

    ``import torch``, ``from torch import nn``, ``import torch.nn.functional as F`` and so on give symgrad's modules.
    Names that symgrad has not raise where they are imported or used, and say what there is instead. In a shell,
    ``symgrad run script.py`` does the same for one script.

    Parameters
    ----------
    name : ``"torch"``

    Returns
    -------
    Installation
        Has ``uninstall()``, and is a context manager that uninstalls. A second one, inside the first, does nothing.

    Raises
    ------
    SymgradError : PyTorch itself is imported already, or the name is another

    Notes
    -----
    ``torch.__version__`` says both versions; ``torch.compile`` returns what it is given; ``torch.autocast``,
    ``torch.amp.GradScaler`` and the settings of threads, precision of products and determinism change nothing. Shapes
    and dtypes print as PyTorch's: ``torch.Size([2])``. The default dtype is symgrad's, float64:
    ``torch.set_default_dtype(torch.float32)`` gives PyTorch's.

    Examples
    --------
    >>> import symgrad as sg
    >>> with sg.install("torch"):
    ...     import torch
    ...     from torch.nn import functional as F
    ...     x = torch.tensor([0.0, 1.0], requires_grad=True)
    ...     F.softplus(x).sum().backward()
    >>> x.grad, isinstance(x, sg.Tensor), torch.__version__
    (tensor([0.5000, 0.7311]), True, '2.13.0+symgrad0.1.0')
    >>> with sg.install("torch"):
    ...     import torch
    ...     x = torch.tensor([1.0, 2.0], requires_grad=True, name="x")
    ...     (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    >>> g.formula()
    3x²
    """
    if name != "torch":
        raise SymgradError(f"symgrad has not the names of {name!r}", "", 'Write sg.install("torch").')
    there = sys.modules.get("torch")
    if isinstance(there, _Alias):
        return Installation(None)
    if there is not None:
        raise SymgradError(
            "PyTorch itself is imported in this process, so its name is taken",
            f"torch is {getattr(there, '__version__', '')} of {getattr(there, '__file__', None)}.",
            "Install before anything imports torch, or run: symgrad run script.py",
        )
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    importlib.import_module("torch")
    set_spoken_name("torch")
    return Installation(finder)
