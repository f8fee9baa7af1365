"""`functional_call`: a module as a function of its parameters; and the states of several modules as one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .._errors import GradientError
from ..ops import FUNCTIONS


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers in the places of its own.

    Parameters
    ----------
    module : the module; afterwards it is as before
    parameter_and_buffer_dicts : dictionary from dotted names to tensors, or several dictionaries without a common name;
        what is not in it stays the module's own
    args : tuple of positional arguments, or the only one
    kwargs : keyword arguments
    tie_weights : a parameter that the module has under two names is replaced under both
    strict : raise unless the names are exactly the module's

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.func import functional_call, grad
    >>> linear = sg.nn.Linear(2, 1, bias=False)
    >>> functional_call(linear, {"weight": sg.tensor([[1.0, 10.0]])}, (sg.tensor([2.0, 3.0]),))
    tensor([32.])

    With `grad` it gives gradients with respect to parameters that are no leaves of the module:

    >>> loss = lambda p: functional_call(linear, p, (sg.tensor([2.0, 3.0]),)).sum()
    >>> grad(loss)({"weight": sg.zeros(1, 2)})
    {'weight': tensor([[2., 3.]])}
    """
    given = _merged(parameter_and_buffer_dicts)
    values = _tied(module, given) if tie_weights else dict(given)
    if strict:
        _check_names(module, values)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, values, given):
        return module(*args, **(kwargs or {}))


def _merged(dictionaries: Any) -> dict[str, Any]:
    if isinstance(dictionaries, dict):
        return dictionaries
    if not isinstance(dictionaries, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dictionaries)}"
        )
    if not all(isinstance(d, dict) for d in dictionaries):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for d in dictionaries for name in d]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: value for d in dictionaries for name, value in d.items()}


def _every_name(module: Any) -> dict[str, Any]:
    """All tensors of the module by name, a shared one under each of its names."""
    named = dict(module.named_parameters(remove_duplicate=False))
    if hasattr(module, "named_buffers"):
        named.update(module.named_buffers(remove_duplicate=False))
    return named


def _tied(module: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values also under the other names of the tensors they replace."""
    own = _every_name(module)
    groups: dict[int, list[str]] = {}
    for name, tensor in own.items():
        groups.setdefault(id(tensor), []).append(name)
    values = dict(given)
    for names in groups.values():
        named = [name for name in names if name in given]
        if len({id(given[name]) for name in named}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                "tie_weights=False"
            )
        if named:
            values.update(dict.fromkeys(names, given[named[0]]))
    return values


def _check_names(module: Any, values: Mapping[str, Any]) -> None:
    own = _every_name(module)
    unexpected = [repr(name) for name in values if name not in own]
    missing = [repr(name) for name in own if name not in values]
    lines = ([f"Unexpected key(s): {', '.join(unexpected)}."] if unexpected else []) + (
        [f"Missing key(s): {', '.join(missing)}."] if missing else []
    )
    if lines:
        raise GradientError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(lines))


@contextmanager
def _replaced(module: Any, values: Mapping[str, Any], given: dict[str, Any]) -> Iterator[None]:
    """The module with ``values`` in place of its own tensors, inside the block."""
    places = []
    for name in values:
        path, _, last = name.rpartition(".")
        owner = module
        for part in path.split(".") if path else ():
            owner = getattr(owner, part)
        places.append((name, _registry(owner, last), last))
    before = [registry.get(last, _MISSING) for _, registry, last in places]
    try:
        for name, registry, last in places:
            registry[last] = values[name]
        yield
    finally:
        for (name, registry, last), old in zip(places, before, strict=True):
            now = registry.get(last)
            if name in given and now is not values[name]:
                given[name] = now  # the call replaced a buffer: its caller sees it
            if old is _MISSING:
                registry.pop(last, None)
            else:
                registry[last] = old


_MISSING: Any = object()


def _registry(owner: Any, name: str) -> Any:
    """The dictionary in which a module keeps the attribute (assigning it would check for a Parameter)."""
    for kind in ("_parameters", "_buffers"):
        registry = owner.__dict__.get(kind)
        if registry is not None and name in registry:
            return registry
    return owner.__dict__


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the buffers of modules of one class, each stacked along a new first dimension.

    Together with `functional_call` and `vmap` they make an ensemble of one module.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.func import functional_call, stack_module_state, vmap
    >>> models = [sg.nn.Linear(2, 1) for _ in range(3)]
    >>> params, buffers = stack_module_state(models)
    >>> tuple(params["weight"].shape)
    (3, 1, 2)
    >>> outputs = vmap(lambda p, x: functional_call(models[0], p, (x,)), in_dims=(0, None))(params, sg.ones(2))
    >>> tuple(outputs.shape)
    (3, 1)
    """
    if not len(models):
        raise GradientError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise GradientError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise GradientError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(states: list[dict[str, Any]]) -> dict[str, Any]:
    result = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        requires = {t.requires_grad for t in tensors}
        if len(requires) > 1:
            raise GradientError(f"Expected {name} from each model to have the same .requires_grad")
        stacked = FUNCTIONS["stack"](tensors, 0)
        result[name] = stacked.detach().requires_grad_() if requires.pop() else stacked
    return result


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return ``func``: its writes in place are recorded as new values already, and every transform follows them.

    Parameters
    ----------
    func : function of tensors
    remove : ``"mutations"`` or ``"mutations_and_views"``, as PyTorch has them
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for remove=. Valid options are:\n"
            f"     remove='mutations': all inplace and out= operators will be removed from the program f, and replaced "
            f"with their out-of-place equivalents.\n"
            f"     remove='mutations_and_views': In addition to the above, all aliasing operators are replaced too.\n"
            f"Received remove={remove}."
        )

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return wrapper


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let every batch norm in ``root`` (itself, too) forget its running statistics, and return ``root``.

    So that under `vmap` no module writes to a buffer that all examples share.

    Examples
    --------
    >>> import symgrad as sg
    >>> net = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.BatchNorm1d(3))
    >>> sg.func.replace_all_batch_norm_modules_(net)[1].running_mean is None
    True
    """
    for module in root.modules():
        getattr(module, "_drop_running_stats", lambda: None)()
    return root
