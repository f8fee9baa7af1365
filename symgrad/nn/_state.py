"""Copying saved values into tensors by name, with one error that lists everything that does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import ops
from ..autograd import no_grad
from ..core import Tensor

__all__ = ["LoadResult", "load_into"]


class LoadResult(NamedTuple):
    """Names that were not found in the saved state, and names found there that nothing asked for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"LoadResult(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def load_into(owner: str, tensors: Mapping[str, Tensor], saved: Mapping[str, Any], strict: bool) -> LoadResult:
    """Copy ``saved[name]`` into ``tensors[name]`` for each name that both have."""
    if not isinstance(saved, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(saved)}.")
    result = LoadResult([n for n in tensors if n not in saved], [n for n in saved if n not in tensors])
    problems = []
    if strict and result.unexpected_keys:
        problems.append(f"Unexpected key(s) in state_dict: {_quoted(result.unexpected_keys)}. ")
    if strict and result.missing_keys:
        problems.insert(0, f"Missing key(s) in state_dict: {_quoted(result.missing_keys)}. ")
    with no_grad():
        for name, tensor in tensors.items():
            if name not in saved:
                continue
            value = saved[name] if isinstance(saved[name], Tensor) else ops.as_tensor(saved[name])
            if value.shape != tensor.shape:
                problems.append(
                    f"size mismatch for {name}: copying a param with shape {tuple(value.shape)} from checkpoint, "
                    f"the shape in current model is {tuple(tensor.shape)}."
                )
            else:
                tensor.copy_(value)
    if problems:
        raise RuntimeError(f"Error(s) in loading state_dict for {owner}:\n\t" + "\n\t".join(problems))
    return result


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
