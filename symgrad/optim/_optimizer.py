"""`Optimizer`: groups of parameters with their settings, and what it remembers of each.

The idea to hold: `Optimizer.step` walks over the parameters that have a gradient; a subclass says only how one of them
changes. It writes in place, with recording off, so that the parameter stays the same leaf and version counters move.
Whoever writes `step` itself gets its hooks and its count all the same: they are put around it.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..autograd import enable_grad, no_grad
from ..core import RemovableHandle, Tensor
from ..nn._module import reset_gradients


def check_settings(**limits: tuple[Any, bool]) -> None:
    """Raise for the first setting, given as ``name=(value, is it valid)``, that is not valid."""
    for name, (value, valid) in limits.items():
        if not valid:
            raise ValueError(f"Invalid {name.replace('_', ' ')}: {value}")


def as_reals(a: np.ndarray) -> np.ndarray:
    """The numbers that an optimizer sees: a complex one is two real ones, along a last axis of their own (a view)."""
    return a[..., None].view(a.real.dtype) if np.iscomplexobj(a) else a


def from_reals(numbers: Any, like: np.ndarray) -> np.ndarray:
    """Numbers of `as_reals`, in whatever shape, as an array of the shape and kind of `like`."""
    if not np.iscomplexobj(like):
        return np.reshape(numbers, like.shape)
    parts = np.reshape(numbers, (*like.shape, 2))
    return parts[..., 0] + 1j * parts[..., 1]


def _watched(step: Callable[..., Any]) -> Callable[..., Any]:
    """Put the hooks and the count around a step, once where it calls another class's."""

    @functools.wraps(step)
    def watched(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if self._stepping:
            return step(self, *args, **kwargs)
        for hook in list(self._hooks["step_pre"].values()):
            changed = hook(self, (self, *args), kwargs)
            if changed is not None:
                (_, *args), kwargs = changed
        self.steps_taken += 1
        self._stepping = True
        try:
            result = step(self, *args, **kwargs)
        finally:
            self._stepping = False
        for hook in list(self._hooks["step_post"].values()):
            hook(self, (self, *args), kwargs)
        return result

    return watched


class Optimizer:
    """Base of all optimizers.

    Parameters
    ----------
    params : iterable of Tensor, of pairs of name and Tensor, or of dict
        Leaves to optimize. A dict is a group: ``{"params": ..., "lr": 0.01}`` overrides settings for its tensors.
        Names, as of `Module.named_parameters`, are kept in the group, under ``"param_names"``.
    defaults : dict
        Settings of groups that do not say otherwise.

    Examples
    --------
    One's own rule is one method:

    >>> import symgrad as sg
    >>> class SignDescent(sg.optim.Optimizer):
    ...     def update(self, parameter, gradient, state, group):
    ...         parameter.sub_(group["lr"] * gradient.sign())
    >>> w = sg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = SignDescent([w], {"lr": 0.5})
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _watched(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got a Tensor.\n"
                "Put it in a list: [tensor]."
            )
        self.defaults = defaults
        self.state: dict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self.steps_taken = 0  # lets a scheduler notice that it was called first
        self._stepping = False
        self._hooks: dict[str, dict[int, Any]] = defaultdict(dict)
        groups = list(params)
        if not groups:
            raise ValueError(
                "optimizer got an empty parameter list\n"
                "Give it module.parameters(); of an iterator that was used before, list(…) keeps them."
            )
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters, with settings of their own, to those that are optimized.

        Parameters
        ----------
        param_group : dict
            ``"params"`` and any settings.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the order of a set changes from "
                "run to run.\nGive a list."
            )
        parameters = [given] if isinstance(given, Tensor) else list(given)
        named = [p for p in parameters if isinstance(p, tuple)]
        others = {"param_names" in group for group in self.param_groups}
        if len(named) not in (0, len(parameters)) or not others <= {bool(named)}:
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        if named:
            names, parameters = map(list, zip(*named, strict=True))
            param_group = {**param_group, "param_names": names}
        known = {id(p) for group in self.param_groups for p in group["params"]}
        for parameter in parameters:
            if not isinstance(parameter, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}\n"
                    "Give it the parameters of the module: module.parameters()."
                )
            if not parameter.is_leaf:
                raise ValueError(
                    "can't optimize a non-leaf Tensor.\nGive the leaf it was computed from, or detach() it."
                )
            if id(parameter) in known:
                raise ValueError("some parameters appear in more than one parameter group")
        if len({id(p) for p in parameters}) < len(parameters):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters: each step changes them several times.",
                UserWarning, stacklevel=3,
            )  # fmt: skip
        self.param_groups.append({**self.defaults, **param_group, "params": parameters})

    def update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Change one parameter in place; a subclass says how.

        Parameters
        ----------
        parameter, gradient : Tensor
            The leaf, and its gradient (negated if the group says ``maximize``).
        state : dict
            What this optimizer remembers of the parameter; empty at first.
        group : dict
            The settings.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how a parameter is updated")

    @_watched
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss and its gradients anew; called once, with recording on.

        Returns
        -------
        What `closure` returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    gradient = parameter.grad
                    if gradient is None:
                        continue
                    gradient = gradient.detach()
                    self.update(
                        parameter, -gradient if group.get("maximize") else gradient, self.state[parameter], group
                    )
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters, to None or to zeros."""
        reset_gradients((parameter for group in self.param_groups for parameter in group["params"]), set_to_none)

    # Hooks -----------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each `step`; a pair that it returns replaces both.

        Examples
        --------
        >>> import symgrad as sg
        >>> optimizer = sg.optim.SGD([sg.ones(2, requires_grad=True)], lr=0.1)
        >>> with optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("about to step")):
        ...     optimizer.step()
        about to step
        """
        return RemovableHandle(self._hooks["step_pre"], hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each `step`."""
        return RemovableHandle(self._hooks["step_post"], hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before `state_dict`."""
        return RemovableHandle(self._hooks["state_pre"], hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after `state_dict`; a result replaces what is returned."""
        return RemovableHandle(self._hooks["state_post"], hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before `load_state_dict`; a result replaces what is loaded."""
        return RemovableHandle(self._hooks["load_pre"], hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after `load_state_dict`."""
        return RemovableHandle(self._hooks["load_post"], hook, prepend)

    def _run_hooks(self, kind: str, *state: Any) -> Any:
        """Call hooks one after the other; a result of one replaces the state that the next is given."""
        for hook in list(self._hooks[kind].values()):
            changed = hook(self, *state)
            state = state if changed is None else (changed,)
        return state[0] if state else None

    # State -----------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return settings and memory, with parameters replaced by their numbers.

        Examples
        --------
        >>> import symgrad as sg
        >>> optimizer = sg.optim.SGD([sg.ones(2, requires_grad=True)], lr=0.1)
        >>> optimizer.state_dict()["param_groups"][0]["params"]
        [0]
        """
        self._run_hooks("state_pre")
        numbers: dict[int, int] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
        groups = [{**group, "params": [numbers[id(p)] for p in group["params"]]} for group in self.param_groups]
        state = {numbers[id(p)]: memory for p, memory in self.state.items()}
        return self._run_hooks("state_post", {"state": state, "param_groups": groups})

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over settings and memory that `state_dict` returned, here or in PyTorch.

        Raises
        ------
        ValueError
            When the groups do not have the lengths of these.
        """
        state_dict = self._run_hooks("load_pre", state_dict.copy())
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        lengths = [(len(old["params"]), len(new["params"])) for old, new in zip(saved, self.param_groups, strict=True)]
        if any(old != new for old, new in lengths):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters: dict[int, Any] = {}
        for old, new in zip(saved, self.param_groups, strict=True):
            parameters.update(zip(old["params"], new["params"], strict=True))
            new.update(copy.deepcopy({name: value for name, value in old.items() if name != "params"}))
        self.state = defaultdict(dict)
        for number, memory in state_dict["state"].items():
            self.state[parameters[number]] = {k: _own_copy(k, v, parameters[number]) for k, v in memory.items()}
        self._run_hooks("load_post")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # what an optimizer of one's own calls from its own

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines.extend(f"    {name}: {group[name]}" for name in sorted(group) if name != "params")
        return "\n".join([*lines, ")"])


def _own_copy(name: str, value: Any, parameter: Tensor) -> Any:
    """Copy remembered values: a tensor, also one of PyTorch's, in the dtype of the parameter."""
    if name == "step":
        return int(value)
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic):
        own = ops.as_tensor(value).detach().clone()
        return own.to(parameter.dtype) if parameter.is_floating_point() else own
    return copy.deepcopy(value)
