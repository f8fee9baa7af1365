"""Which of Dask's tasks are of one chunk alone: these run with it, as one task; the others stay Dask's own.

The idea to hold: a task belongs to a chunk if all that needs it belongs to that chunk. What two chunks need is computed
once, and handed to both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _limits
from ._chunked_data import Parts


class Value:
    """Something that Dask is not to look into."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Made(NamedTuple):
    """A part of a chunk that is the value of a key."""

    key: Any


class Call(NamedTuple):
    """A chunk, as a worker gets it.

    Attributes
    ----------
    word : what it is called
    parts : of each argument that is cut a source, or `Made`
    tasks : Dask's tasks that are its own, in order: the key, the task, and the keys that nothing needs after it
    """

    word: str
    parts: tuple[Any, ...]
    tasks: tuple[tuple[Any, Any, tuple[Any, ...]], ...] = ()

    def values(self, given: dict[Any, Any]) -> list[Any]:
        """Run its own tasks, of values that others computed: the parts, to be read."""
        known = dict(given)
        for key, task, spent in self.tasks:
            known[key] = task(known)
            for old in spent:
                del known[old]
        return [known[part.key] if isinstance(part, Made) else part for part in self.parts]


class Calls(NamedTuple):
    """Chunks with what they need.

    Attributes
    ----------
    calls : the chunks
    shared : of each the keys of values that are not its own
    graph : the tasks of these
    """

    calls: list[Call]
    shared: list[tuple[Any, ...]]
    graph: dict[Any, Any]


def calls_of(data: list[Parts], chosen: Any = None, own: bool = True) -> Calls:
    """Some chunks, or all, with the tasks that are their own; with none where ``own`` is false."""
    chosen = range(len(data[0].parts)) if chosen is None else chosen
    graph: dict[Any, Any] = {}
    for parts in data:
        graph.update(parts.graph)
    roots = [[p.parts[k] for p in data if p.keyed] for k in chosen]
    order = _in_order(graph, roots)
    owners = _owners(graph, order, roots) if own else {}
    mine: list[list[Any]] = [[] for _ in roots]
    for key in order:
        if owners.get(key, SHARED) != SHARED:
            mine[owners[key]].append(key)
    mine = [keys if len(keys) <= _limits.DISTRIBUTED_OWN_TASKS else [] for keys in mine]
    calls, shared = [], []
    for k, keys, ends in zip(chosen, mine, roots, strict=True):
        tasks, others = _listed(graph, order, keys, ends)
        given = tuple([Made(p.parts[k]) if p.keyed else p.parts[k] for p in data])
        calls.append(Call(data[0].words[k], given, tasks))
        shared.append(others)
    taken = {key for keys in mine for key in keys}
    return Calls(calls, shared, {key: graph[key] for key in order if key not in taken and key in graph})


SHARED = -1


def _in_order(graph: dict[Any, Any], roots: list[list[Any]]) -> dict[Any, tuple[Any, ...]]:
    """All keys that some are made of, each after those that it needs, depth first; with what it needs."""
    from dask.core import get_dependencies

    found: dict[Any, tuple[Any, ...]] = {}
    for ends in roots:
        stack: list[tuple[Any, Any]] = [(key, None) for key in reversed(ends)]
        while stack:
            key, needs = stack.pop()
            if key in found:
                continue
            if needs is None:
                task = graph.get(key)
                needs = getattr(task, "dependencies", None) if callable(task) else None  # those on workers too
                needs = tuple((get_dependencies(graph, key) if key in graph else ()) if needs is None else needs)
                stack.append((key, needs))
                stack.extend([(k, None) for k in needs if k not in found and k != key])
            else:
                found[key] = needs
    return found


def _owners(graph: dict[Any, Any], order: dict[Any, tuple[Any, ...]], roots: list[list[Any]]) -> dict[Any, int]:
    """By key the number of the chunk that alone needs it."""
    owners: dict[Any, int] = {}

    def claimed(key: Any, owner: int) -> None:
        owners[key] = owner if owners.get(key, owner) == owner else SHARED

    for k, ends in enumerate(roots):
        for key in ends:
            claimed(key, k)
    for key, needs in reversed(order.items()):
        if not _movable(graph, key, needs):
            owners[key] = SHARED
        for needed in needs:
            claimed(needed, owners[key])
    return owners


def _movable(graph: dict[Any, Any], key: Any, needs: tuple[Any, ...]) -> bool:
    """Whether a task may run within another: a result that lies on a worker already is none, and some of Dask's must
    run as they are (exchanges between workers, coroutines)."""
    task = graph.get(key)
    if not callable(task) or not hasattr(task, "dependencies"):
        return False
    if getattr(task, "is_coro", False) or any(getattr(graph.get(k), "block_fusion", False) for k in (key, *needs)):
        return False
    return all(needed in graph and needed != key for needed in needs)  # else it is on a worker


def _listed(graph: dict[Any, Any], order: Any, keys: list[Any], ends: list[Any]) -> tuple[Any, tuple[Any, ...]]:
    """The tasks of a chunk with what is spent after each, and the keys of others that it needs."""
    mine, seen, tasks = set(keys), dict.fromkeys(ends), []
    for key in reversed(keys):
        fresh = [k for k in order[key] if k not in seen]
        seen.update(dict.fromkeys(fresh))
        tasks.append((key, graph[key], tuple([k for k in fresh if k in mine])))
    return tuple(reversed(tasks)), tuple([k for k in seen if k not in mine])


__all__ = ["Call", "Calls", "Made", "Value", "calls_of"]
