"""User-defined operations under `vmap`: recorded on one example made of symbols, and run on all examples at once.

The idea to hold: forward runs on the values of the example that the symbols stand for, and its results are symbols
again, so that the graph goes on. What the batch then gets comes of the operation's own ``vmap``; with
``generate_vmap_rule`` of its forward, once per example.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._errors import GradientError
from .core import (
    Notes,
    Symbol,
    Tensor,
    constant_from,
    edge,
    hold,
    listening,
    merged,
    meta,
    modes,
    next_seq,
    output_node,
    sizes_of,
    symbolic,
    table,
    wrap,
)
from .ops._public import FUNCTIONS, METHODS


class VmapInfo(NamedTuple):
    """What a ``vmap`` of a user-defined operation is told: the number of examples, and what they may draw."""

    batch_size: int
    randomness: str


class VmapRuleError(GradientError):
    """A user-defined operation has no ``vmap`` that could be used."""


# ----------------------------------------------------------------------------------------------- one example


def traced(ctx: Any, forward: Callable[[Any], Any], args: tuple[Any, ...], notes: Notes) -> Any:
    """Record an operation on symbols; ``forward`` computes it on tensors and lets ``ctx`` save what it wants."""
    plain = [wrap(a._data) if type(a) is Symbol else a for a in args]
    mode = modes.mode.set(modes.OFF)
    quiet = listening.set(None)
    try:
        output = forward(plain)
    finally:
        listening.reset(quiet)
        modes.mode.reset(mode)
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    if ctx._dirty:
        notes.doubt(f"{ctx.name()} writes in place")
    if any(o is not None and not isinstance(o, Tensor) for o in outputs):
        notes.doubt(f"{ctx.name()} returns what is no tensor")
    ctx.parents = tuple([edge(a) if isinstance(a, Tensor) else None for a in args])
    ctx.consts = tuple([None if e is not None else hold(a) for a, e in zip(args, ctx.parents, strict=True)])
    ctx.describe(args, outputs)
    ctx.seq = next_seq()
    sizes = merged([sizes_of(a) for a in args if type(a) is Symbol])
    tensors = [o for o in outputs if isinstance(o, Tensor)]
    if ctx._to_save:
        ctx.saved, ctx._links = _kept(ctx, ctx._to_save, plain, args, tensors, sizes)
    if ctx._to_forward is not None:
        ctx._forward = _kept(ctx, ctx._to_forward, plain, args, tensors, sizes)
    results = tuple([o if k is None else _symbol(ctx, o, k, sizes) for o, k in zip(outputs, ctx._places, strict=True)])
    if any(isinstance(v, (Tensor, np.ndarray)) for name, v in vars(ctx).items() if not name.startswith("_")):
        ctx._hides = "keeps an array of the example as an attribute of ctx"
    ctx.settle()
    return results[0] if single else results


def _symbol(ctx: Any, o: Tensor, k: int, sizes: dict[int, Any]) -> Any:
    """An output as a symbol: with history, or a constant that says which output it is."""
    t = symbolic(wrap(o._data), dict(sizes))
    at = output_node(ctx, k)
    flows = modes.mode.get() > 0 and o._data.dtype.kind in "fc" and id(o) not in ctx._nondiff
    if not flows or all(p is None for p in ctx.parents):
        return constant_from(table("clone").op, t, (wrap(o._data, at),), ("K",))
    t._node = at
    if sizes:
        meta(at).sizes = sizes
    return t


def _kept(ctx: Any, saved: Any, plain: Any, args: Any, tensors: Any, sizes: Any) -> tuple[Any, Any]:
    """As `FunctionNode.keep`: everything that is an example's is a symbol again."""
    links: list[Any] = []
    for t in saved:
        given = next((a for a, p in zip(args, plain, strict=True) if p is t), None)
        k = next((k for k, o in enumerate(tensors) if o is t), None)
        if t is None:
            links.append((None, None))
        elif given is not None:
            at = given._node if given._node is not None else given if type(given) is Symbol else None
            links.append((at, sizes_of(given) if type(given) is Symbol else None))
        elif k is not None:
            links.append((k, dict(sizes)))
        else:
            ctx._hides = "saves what is neither input nor output"
            links.append((edge(t), None))
    return tuple([None if t is None else t._data for t in saved]), tuple(links)


# ---------------------------------------------------------------------------------------------- all examples


def batched(node: Any, args: Sequence[Any], size: Any, randomness: str) -> tuple[list[Any], bool]:
    """The outputs (those that are tensors) for arguments of which some carry the batch in front; whether that took a
    loop."""
    from .sweep.replay import Batched  # loaded by those who batch

    cls = node._function
    if not any(type(a) is Batched for a in args):
        return _tensors(cls.apply(*args)), False
    if not cls._has_vmap():
        columns = [METHODS["unbind"](a.tensor, 0) if type(a) is Batched else None for a in args]
        rows = [
            _tensors(cls.apply(*[a if c is None else c[b] for a, c in zip(args, columns, strict=True)]))
            for b in range(int(size))
        ]
        return [Batched(FUNCTIONS["stack"](list(column))) for column in zip(*rows, strict=True)], True
    in_dims = tuple([0 if type(a) is Batched else None for a in args])
    given = [a.tensor if type(a) is Batched else a for a in args]
    result = cls.vmap(VmapInfo(size, randomness), in_dims, *given)
    pairs = _pairs(node, result, size)
    return [o if d is None else Batched(METHODS["movedim"](o, d, 0) if d else o) for o, d in pairs], False


def _tensors(output: Any) -> list[Any]:
    return [o for o in (output if isinstance(output, tuple) else (output,)) if isinstance(o, Tensor)]


def _pairs(node: Any, result: Any, size: Any) -> list[tuple[Tensor, int | None]]:
    """What an operation's ``vmap`` returned, checked: each tensor with the dimension that counts the examples."""
    name, count = node._function.__name__, len(node.fit)
    if not isinstance(result, tuple) or len(result) != 2:
        raise VmapRuleError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got a {type(result)} instead",
            f"{name}.vmap returned it.",
            "Return (output, out_dims).",
        )
    output, dims = result
    outputs = output if isinstance(output, tuple) else (output,)
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,) * len(outputs)
    tensors = [(o, d) for o, d in zip(outputs, dims, strict=False) if isinstance(o, Tensor)]
    if len(dims) != len(outputs) or len(tensors) != count:
        raise VmapRuleError(
            f"{name}.vmap returned {len(outputs)} outputs and {len(dims)} out_dims, its forward {count} tensors",
            "out_dims has one entry per output: the dimension that counts the examples, or None.",
            "Return (output, out_dims) of one structure.",
        )
    for o, d in tensors:
        if d is not None and (not -o._data.ndim <= d < o._data.ndim or o._data.shape[d] != int(size)):
            raise VmapRuleError(
                f"{name}.vmap returned an output of shape {tuple(o._data.shape)} and out_dim {d} for {size} examples",
                "That dimension counts the examples.",
                "Return where it is.",
            )
    return tensors


def hidden(ctx: Any) -> None:
    """Tell whoever traces that a rule of this node is to run that may see values of one example."""
    notes = listening.get() if ctx._hides else None
    if notes is not None:
        notes.doubt(f"{ctx.name()} {ctx._hides}")


__all__ = ["VmapInfo", "VmapRuleError", "batched", "hidden", "traced"]
