"""`Parameter`, a leaf tensor that a `Module` collects, and the state of a module by dotted names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from .. import ops
from ..autograd import no_grad
from ..core import Tensor, extra, has_history

# ---------------------------------- `Parameter`: a leaf tensor that a `Module` collects, because it was marked as one

# The idea to hold: there is one tensor class, so a parameter is an ordinary `Tensor` that carries a mark.
# ``Parameter(t)`` makes and marks it, ``isinstance(t, Parameter)`` looks for the mark.


if TYPE_CHECKING:
    _Base = Tensor
else:
    _Base = object


class _Marked(type):
    def __instancecheck__(cls, obj: object) -> bool:
        return isinstance(obj, Tensor) and obj._extra is not None and obj._extra.is_parameter


class Parameter(_Base, metaclass=_Marked):
    """Make a tensor that a module registers as its own when it is assigned as an attribute.

    Parameters
    ----------
    data : Tensor or array_like, optional
        Values; memory is shared with a tensor, copied from anything else.
    requires_grad : bool
        Whether gradients are accumulated for it.

    Returns
    -------
    Tensor
        A leaf. ``isinstance(result, Parameter)`` is true; ``type(result)`` is `Tensor`.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.nn.Parameter(sg.tensor([1.0, 2.0]))
    >>> w
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    >>> isinstance(w, sg.nn.Parameter), isinstance(sg.ones(2), sg.nn.Parameter)
    (True, False)
    >>> w.is_leaf
    True
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = ops.zeros(0)
        if has_history(data):
            data._refuse_lost("Parameter")  # a leaf of what a transform differentiates
        tensor = data.detach() if isinstance(data, Tensor) else ops.tensor(data)
        tensor.requires_grad_(requires_grad)
        extra(tensor).is_parameter = True
        return tensor  # type: ignore[return-value]  # of the marked, not of the class


class _MarkedBuffer(type):
    def __instancecheck__(cls, obj: object) -> bool:
        return isinstance(obj, Tensor) and getattr(obj, "_is_buffer", False)


class Buffer(_Base, metaclass=_MarkedBuffer):
    """Make a tensor that a module registers as a buffer when it is assigned as an attribute.

    Parameters
    ----------
    data : Tensor, optional
        Values; memory is shared.
    persistent : bool
        Whether it belongs to the module's `state_dict`.

    Examples
    --------
    >>> import symgrad as sg
    >>> net = sg.nn.Module()
    >>> net.mean = sg.nn.Buffer(sg.zeros(2))
    >>> [name for name, _ in net.named_buffers()]
    ['mean']
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Self:
        data = ops.zeros(0) if data is None else data
        tensor = data.detach().requires_grad_(data.requires_grad)
        tensor.persistent, tensor._is_buffer = persistent, True
        return tensor


# --------------------------------------- The state of a module: its tensors by dotted name, collected and copied back

# The idea to hold: each module answers for its own names, in `_save_to_state_dict` and `_load_from_state_dict`, which a
# subclass may replace; what does not fit is listed, and raised as one error that has it all.


_EXTRA, _EXTRA_METHODS = "_extra_state", ("get_extra_state", "set_extra_state")


class LoadResult(NamedTuple):
    """Names that were not found in the saved state, and names found there that nothing asked for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"LoadResult(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class ModuleState:
    """The part of `Module` that saves and loads."""

    _version = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _transient: set[str]
    _state_dict_pre_hooks: dict[int, Any]
    _state_dict_hooks: dict[int, Any]
    _load_state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_post_hooks: dict[int, Any]

    def state_dict(
        self, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Collect parameters and persistent buffers by dotted name.

        Parameters
        ----------
        destination : dict, optional
            Where to put them; a new ordered dictionary if left out.
        prefix : str
            Put before each name.
        keep_vars : bool
            Give the tensors themselves instead of detached ones that share their memory.
        """
        state: Any = OrderedDict() if destination is None else destination
        if destination is None:
            state._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(state, "_metadata"):
            state._metadata[prefix[:-1]] = metadata
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(state, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=state, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in list(self._state_dict_hooks.values()):
            hook(self, state, prefix, metadata)
        return state

    def _saved(self) -> dict[str, Tensor]:
        """The module's own tensors that belong to its state."""
        own = {**self._parameters, **self._buffers}
        return {name: tensor for name, tensor in own.items() if tensor is not None and name not in self._transient}

    def _has_extra_state(self) -> bool:
        return any(getattr(type(self), name) is not getattr(ModuleState, name) for name in _EXTRA_METHODS)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._saved().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._has_extra_state():
            destination[prefix + _EXTRA] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """Return what else belongs to the state; a subclass may, and then has `set_extra_state` too."""
        raise RuntimeError(f"{type(self).__name__} has set_extra_state but not get_extra_state: define both or neither")

    def set_extra_state(self, state: Any) -> None:
        """Take over what `get_extra_state` returned."""
        raise RuntimeError(f"{type(self).__name__} has get_extra_state but not set_extra_state: define both or neither")

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> LoadResult:
        """Copy values by name into the parameters and buffers.

        Parameters
        ----------
        state_dict : mapping of str to Tensor or array
            What `state_dict` returned.
        strict : bool
            Whether missing and unexpected names are errors.
        assign : bool
            Put the tensors themselves in place of those that are there, with their dtypes.

        Returns
        -------
        A pair ``(missing_keys, unexpected_keys)``.

        Raises
        ------
        RuntimeError
            When names or shapes do not fit; it lists every one that does not.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        result = LoadResult([], [])
        problems: list[str] = []
        self._load_all(OrderedDict(state_dict), "", getattr(state_dict, "_metadata", {}), assign, result, problems)
        if strict and result.unexpected_keys:
            problems.insert(0, f"Unexpected key(s) in state_dict: {_quoted(result.unexpected_keys)}. ")
        if strict and result.missing_keys:
            problems.insert(0, f"Missing key(s) in state_dict: {_quoted(result.missing_keys)}. ")
        if problems:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(problems))
        return result

    def _load_all(
        self, state: dict[str, Any], prefix: str, metadata: Any, assign: bool, result: LoadResult, problems: list[str]
    ) -> None:
        """Load this module and those below it."""
        local = {**metadata.get(prefix[:-1], {}), "assign_to_params_buffers": assign}
        self._load_from_state_dict(state, prefix, local, True, *result, problems)
        for name, child in self._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                part = {key: value for key, value in state.items() if key.startswith(below)}
                child._load_all(part, below, metadata, assign, result, problems)
        for hook in list(self._load_state_dict_post_hooks.values()):
            hook(self, result)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Copy the module's own tensors, and say in the lists what does not fit."""
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own, extra = self._saved(), self._has_extra_state()
        if strict:
            missing_keys += [prefix + name for name in [*own, *[_EXTRA] * extra] if prefix + name not in state_dict]
            known = {*own, *self._modules, *[_EXTRA] * extra}
            inside = (key for key in state_dict if key.startswith(prefix))
            unexpected_keys += [key for key in inside if not _belongs(key.removeprefix(prefix), known, self._modules)]
        for name, tensor in own.items():
            if prefix + name in state_dict:
                value = state_dict[prefix + name]
                value = value if isinstance(value, Tensor) else ops.as_tensor(value)
                if value.shape != tensor.shape:
                    error_msgs.append(
                        f"size mismatch for {prefix}{name}: copying a param with shape {tuple(value.shape)} from "
                        f"checkpoint, the shape in current model is {tuple(tensor.shape)}."
                    )
                elif not local_metadata.get("assign_to_params_buffers"):
                    with no_grad():
                        tensor.copy_(value)
                elif isinstance(tensor, Parameter) and not isinstance(value, Parameter):
                    setattr(self, name, Parameter(value, requires_grad=tensor.requires_grad))
                else:
                    setattr(self, name, value.requires_grad_(tensor.requires_grad))
        if extra and prefix + _EXTRA in state_dict:
            self.set_extra_state(state_dict[prefix + _EXTRA])


def _belongs(name: str, known: set[str], modules: dict[str, Any]) -> bool:
    """Whether a name is that of a tensor here, or of something in a module below."""
    first, dot, _ = name.partition(".")
    return first in modules if dot else first in known and first not in modules


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
