"""Nested containers of values: taken apart into a flat list, put together again.

The one idea: a container is a `Spec` (its structure) and the list of its leaves. Tuples, named tuples, lists,
dictionaries and deques are containers; everything else, None too, is a leaf.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple


class Spec(NamedTuple):
    """The structure of a container: its type (None: a leaf), what names its entries, and theirs in turn."""

    kind: Any = None
    names: Any = ()
    parts: tuple[Any, ...] = ()

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(part.size for part in self.parts)

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        if issubclass(self.kind, dict):
            return "{" + ", ".join(f"{n!r}: {p}" for n, p in zip(_keys(self), self.parts, strict=True)) + "}"
        inside = ", ".join(map(str, self.parts))
        if self.kind is list:
            return f"[{inside}]"
        if self.kind is tuple:
            return f"({inside},)" if len(self.parts) == 1 else f"({inside})"
        return f"{self.kind.__name__}({inside})"


LEAF = Spec()


def _keys(spec: Spec) -> tuple[Any, ...]:
    return spec.names[1] if spec.kind is defaultdict else spec.names


def _entries(tree: Any) -> tuple[Any, Any, Any] | None:
    """(type, names, entries) of a container, None for a leaf."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind, (), tree
    if kind is dict or kind is OrderedDict:
        return kind, tuple(tree), tree.values()
    if kind is defaultdict:
        return kind, (tree.default_factory, tuple(tree)), tree.values()
    if kind is deque:
        return kind, tree.maxlen, tree
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return kind, (), tree
    return None


def flatten(tree: Any) -> tuple[list[Any], Spec]:
    """Take a container apart: its leaves, in order, and its structure."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree: Any, leaves: list[Any]) -> Spec:
    found = _entries(tree)
    if found is None:
        leaves.append(tree)
        return LEAF
    kind, names, entries = found
    return Spec(kind, names, tuple(_flatten(entry, leaves) for entry in entries))


def unflatten(spec: Spec, leaves: Any) -> Any:
    """Put a container together from its structure and its leaves."""
    return _unflatten(spec, iter(leaves))


def _unflatten(spec: Spec, leaves: Any) -> Any:
    if spec.kind is None:
        return next(leaves)
    entries = [_unflatten(part, leaves) for part in spec.parts]
    kind = spec.kind
    if kind is list:
        return entries
    if kind is tuple:
        return tuple(entries)
    if kind is deque:
        return deque(entries, spec.names)
    if kind is defaultdict:
        return defaultdict(spec.names[0], zip(spec.names[1], entries, strict=True))
    if issubclass(kind, dict):
        return kind(zip(spec.names, entries, strict=True))
    return kind(*entries)


def leaves_of(tree: Any) -> list[Any]:
    """The leaves of a container."""
    return flatten(tree)[0]


def tree_map(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The same container with ``fn`` applied to each leaf."""
    leaves, spec = flatten(tree)
    return unflatten(spec, [fn(leaf) for leaf in leaves])


def flatten_like(spec: Spec, tree: Any) -> list[Any] | None:
    """The leaves of ``tree`` in the order of ``spec``; None where the two differ in structure.

    Dictionaries agree whatever the order of their keys.
    """
    return _align(spec, tree, prefix=False)


def broadcast_prefix(tree: Any, spec: Spec) -> list[Any] | None:
    """The leaves of ``tree``, each repeated for all that stands in its place in ``spec``; None if they do not fit.

    ``0`` fits every structure, ``(0, None)`` every pair.
    """
    return _align(spec, tree, prefix=True)


def _align(spec: Spec, tree: Any, prefix: bool) -> list[Any] | None:
    found = _entries(tree)
    if found is None:
        return [tree] * spec.size if prefix or spec.kind is None else None
    kind, names, entries = found
    if spec.kind is not kind or len(entries) != len(spec.parts):
        return None
    if issubclass(kind, dict):
        keys = _keys(spec)
        if set(keys) != set(tree):
            return None
        entries = [tree[k] for k in keys]
    elif names != spec.names:
        return None
    result: list[Any] = []
    for part, entry in zip(spec.parts, entries, strict=True):
        below = _align(part, entry, prefix)
        if below is None:
            return None
        result += below
    return result
