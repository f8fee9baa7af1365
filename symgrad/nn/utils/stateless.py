"""Calling a module with other parameters than its own: ``symgrad.nn.utils.stateless``.

That makes a module a function of its parameters, which the transforms (`symgrad.func`) can differentiate.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._module import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with some parameters and buffers replaced for this one call.

    Parameters
    ----------
    module : Module
        What is called. It is left as it was.
    parameter_and_buffer_dicts : mapping of str to Tensor, or a sequence of these
        Replacements by dotted name.
    args : tuple or a single argument
        What the module is called with.
    kwargs : mapping, optional
        Keyword arguments.
    tie_weights : bool
        Whether a tensor that the module has under several names is replaced under all of them.
    strict : bool
        Whether a name that the module has not, or one that is not replaced, is an error.

    Returns
    -------
    What the module returns.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.Linear(2, 1, bias=False)
    >>> w = sg.tensor([[1.0, 10.0]], requires_grad=True)
    >>> sg.nn.utils.stateless.functional_call(layer, {"weight": w}, sg.tensor([2.0, 3.0])).backward()
    >>> w.grad
    tensor([[2., 3.]])
    """
    dicts = parameter_and_buffer_dicts
    replacements: dict[str, Any] = {}
    for one in [dicts] if isinstance(dicts, Mapping) else dicts:
        replacements.update(one)
    with _replaced(module, replacements, tie_weights, strict):
        return module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))


@contextlib.contextmanager
def _replaced(module: Module, replacements: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    places = {  # dotted name -> the dictionary that holds the tensor, and its key there
        f"{prefix}.{key}" if prefix else key: (registry, key)
        for prefix, owner in module.named_modules(remove_duplicate=False)
        for registry in (owner._parameters, owner._buffers)
        for key, tensor in registry.items()
        if tensor is not None
    }
    if strict:
        _check_names(type(module).__name__, set(replacements), set(places))
    before = {name: registry[key] for name, (registry, key) in places.items()}
    chosen = {name: value for name, value in replacements.items() if name in places}
    if tie_weights:
        by_tensor = {id(before[name]): value for name, value in chosen.items()}
        tied = {name: by_tensor[id(tensor)] for name, tensor in before.items() if id(tensor) in by_tensor}
        chosen = {**tied, **chosen}
    try:
        for name, value in chosen.items():
            registry, key = places[name]
            registry[key] = value
        yield
    finally:
        for name in chosen:
            registry, key = places[name]
            registry[key] = before[name]


def _check_names(owner: str, given: set[str], known: set[str]) -> None:
    problems = []
    for what, names in (("Unexpected", given - known), ("Missing", known - given)):
        if names:
            problems.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
    if problems:
        raise RuntimeError(f"Error(s) in reparametrizing for {owner}:\n\t" + "\n\t".join(problems))
