"""Batches, made of single calls: arguments of several calls on top of each other, and what SciPy makes of them.

The idea to hold: whether a function takes batches is found out by asking SciPy, whose batch is the loop over its single
calls or is none. Where it is, the mirror's derivatives are held against those of the mirror's own loop, which are
exact: a batch whose entries touch each other is seen, and so is one that is summed wrongly.
"""

import functools
import warnings
from dataclasses import dataclass, replace

import numpy as np

import symgrad as sg

from ._oracle import MIRROR, leaves


@dataclass
class Batch:
    """One of the ways to stack the leaves of a call, as SciPy takes it.

    copies : the same call of other numbers, three times
    groups : of each leaf the axis of the batch along which it is stacked, or None
    lead : the sizes of the axes of the batch
    last : whether the batch comes after the argument's own axes, or before them
    places : of each result the axis that is the first of the batch; None where it is one for all calls
    """

    copies: list
    groups: tuple
    lead: tuple
    last: bool
    places: tuple = ()

    def entries(self):
        return np.ndindex(*self.lead)

    def chosen(self, at, parts):
        """The numbers of one single call."""
        return [parts[0 if g is None else at[g]][k] for k, g in enumerate(self.groups)]

    def stacked(self, parts):
        """The numbers of the batch: copies along the group's axis, and size 1 along the others'."""
        found = []
        for k, group in enumerate(self.groups):
            if group is None:
                found.append(parts[0][k])
                continue
            whole = np.stack([parts[j][k] for j in range(self.lead[group])], -1 if self.last else 0)
            after = len(self.lead) - 1 - group
            shape = whole.shape
            found.append(whole.reshape(shape[:1] + (1,) * after + shape[1:]) if after else whole)
        return found


def results(call, home, values):
    """All arrays that a call gives."""
    values = [v[()] if isinstance(v, np.ndarray) and v.ndim == 0 else v for v in values]
    found = call.made(home, iter(values))
    found = tuple(found) if not hasattr(found, "dtype") and hasattr(found, "__getitem__") else found
    kept = [np.asarray(p) if type(p) is float else p for p in leaves(found)]
    return [p for p in kept if isinstance(p, (np.ndarray, np.generic, sg.Tensor)) and p.dtype.kind in "fc"]


def numbers(copy):
    return [leaf.value for leaf in copy.leaves()]


def as_scipy_takes_it(batch):
    """The batch with the places of its results, or None where SciPy's batch is not the loop over its calls."""
    parts = [numbers(c) for c in batch.copies]
    call = batch.copies[0]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            whole = results(call, "scipy", batch.stacked(parts))
            single = [results(call, "scipy", batch.chosen(at, parts)) for at in batch.entries()]
        except Exception:
            return None
    if not whole or {len(s) for s in single} != {len(whole)}:
        return None
    places = tuple(_place(w, [s[k] for s in single], batch.lead) for k, w in enumerate(whole))
    if "nowhere" in places or set(places) == {None}:
        return None
    return replace(batch, places=places)


def _place(whole, single, lead):
    """Where in a result the batch stands, if it is the single results; None where all of them are this one."""
    if len({s.shape for s in single}) > 1:
        return "nowhere"
    if whole.shape == single[0].shape and all((s == whole).all() for s in single):
        return None
    for place in (0, *range(single[0].ndim, 0, -1)) if whole.ndim == single[0].ndim + len(lead) else ():
        expected = _together(single, lead, place)
        if expected.shape == whole.shape and np.allclose(whole, expected, rtol=1e-8, atol=1e-11, equal_nan=True):
            return place
    return "nowhere"


def _together(single, lead, place):
    if place is None:
        return single[0]
    stack = np.stack(single)
    stack = stack.reshape((*lead, *stack.shape[1:]))
    return np.moveaxis(stack, range(len(lead)), range(place, place + len(lead)))


def batches(copies):
    """The ways to stack a call: of each the argument that it is about (or none), and ways to do it, of which one is
    enough."""
    given = copies[0].leaves()
    moved = [leaf.differentiated for leaf in given]
    first, last = (functools.partial(Batch, copies, lead=(2,), last=last) for last in (False, True))
    if not any(moved):
        return
    everything, floating = (0,) * len(moved), tuple(0 if m else None for m in moved)
    together = [first(groups=floating), last(groups=floating), first(groups=everything), last(groups=everything)]
    if copies[0].axes:
        own = tuple(range(-given[0].value.ndim, 0))
        named = [replace(c, kwargs=c.kwargs | {"axes": own}) for c in copies]
        together.append(Batch(named, floating, (2,), False))
    if sum(moved) == 1 or any(leaf.value.ndim for leaf in given):
        yield "", together
    if sum(moved) > 1 and not any(leaf.value.ndim for leaf in given):  # of numbers: one half across the other
        turns = np.cumsum(moved) % 2
        yield "halves", [Batch(copies, tuple(int(k) if m else None for k, m in zip(turns, moved)), (2, 2), False)]
    elif len(given) > 1:
        for k in np.flatnonzero(moved):
            alone = tuple(0 if j == k else None for j in range(len(moved)))
            rest = tuple(0 if j == k else 1 if m else None for j, m in enumerate(moved))
            ways = [first(groups=alone), last(groups=alone)]
            yield given[k].parameter, [Batch(copies, rest, (2, 2), False), *ways] if sum(moved) > 1 else ways


def batches_of(calls):
    """Of each way to stack the first that SciPy takes, in these calls of one function."""
    found = {}
    for copies in calls:
        for about, ways in batches(copies):
            taken = filter(None, map(as_scipy_takes_it, ways if about not in found else ()))
            if batch := next(taken, None):
                found[about] = batch
    return found


# ------------------------------------------------------------------------------------------------------ derivatives


def _weighed(found):
    """A number made of results, each entry with a weight of its own; curved in them, and blind to complex phases."""
    value = 0.0
    for k, y in enumerate(found):
        weight = np.cos(1.0 + k + np.arange(np.size(y))).reshape(np.shape(y))
        curved = y.real**2 + y.imag**2 if y.dtype.kind == "c" else y + 0.3 * y * y
        value = value + (weight * curved).sum()
    return value


def derivatives(batch):
    """The gradient and a product of the second derivatives: of the batch at once, and of the loop over its calls."""
    call = batch.copies[0]
    given = [c.leaves() for c in batch.copies]
    used = [
        (j, k)
        for k, g in enumerate(batch.groups)
        for j in range(1 if g is None else batch.lead[g])
        if given[0][k].differentiated
    ]
    point = np.concatenate([_real(given[j][k].value) for j, k in used])

    def parts(v):
        found, start = [[leaf.value for leaf in g] for g in given], 0
        for j, k in used:
            of = given[j][k].value
            size = _real(of).size
            found[j][k] = _shaped(v[start : start + size], of)
            start += size
        return found

    def at_once(v):
        return _weighed(results(call, MIRROR, batch.stacked(parts(v))))

    def one_by_one(v):
        own = parts(v)
        single = [results(call, MIRROR, batch.chosen(at, own)) for at in batch.entries()]
        places = enumerate(batch.places)
        return _weighed([_together([s[k] for s in single], batch.lead, place) for k, place in places])

    along = np.cos(2.0 + 1.7 * np.arange(point.size))
    return [_derivatives(f, point, along) for f in (at_once, one_by_one)]


def _derivatives(f, point, along):
    z = sg.tensor(point, requires_grad=True)
    first = sg.autograd.grad(f(z), z, create_graph=True)[0]
    if not first.requires_grad:
        return first.detach().numpy(), np.zeros_like(point)
    second = sg.autograd.grad((first * along).sum(), z, allow_unused=True)[0]
    return first.detach().numpy(), np.zeros_like(point) if second is None else second.numpy()


def _real(value):
    parts = (value.real, value.imag) if value.dtype.kind == "c" else (value,)
    return np.concatenate([np.reshape(p, -1) for p in parts])


def _shaped(v, of):
    if of.dtype.kind == "c":
        return (v[: of.size] + 1j * v[of.size :]).reshape(of.shape)
    return v.reshape(of.shape)
