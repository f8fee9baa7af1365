"""Softmax and log Σ exp as they are written by hand: with a maximum taken off first, in powers.

The idea to hold: what is the same for all entries cancels in eᵘ/Σ eᵘ, and stands in front of log Σ eᵘ. It is taken off
for the numbers' sake, so that no exponent is positive; the derivative is that of what is left.
"""

from __future__ import annotations

from typing import Any

from ._add import shaped_sum
from ._ein import ein, row, shaped
from ._map import pow_
from ._node import Add, Call, Ein, Expr, Indices, Map

SHIFTED = ("softmax", "log_softmax", "logsumexp")


def shift(call: Call) -> Expr | None:
    """softmax(u − c) = softmax(u) and logsumexp(u − c) = logsumexp(u) − c, with c the same along the axes."""
    if call.op.name not in SHIFTED or any(call.params[1:]):
        return None
    u, over = call.args[0], call.params[0]
    coef, inner = (u.coef, u.factors[0][0]) if _is_multiple(u) else (1, u)  # type: ignore[attr-defined]
    if not isinstance(inner, Add):
        return None
    moving = [(coef * c, t, s) for c, t, s in inner.terms if not set(over).isdisjoint(s)]
    if not moving or len(moving) == len(inner.terms):
        return None
    left = Call(call.op, (shaped_sum(u.shape, moving),), call.params, call.shape, call.out)
    if call.op.name != "logsumexp":
        return left
    places = {k: place for place, k in enumerate([k for k in range(u.rank) if k not in over])}
    constant = [(coef * c, t, tuple([places[k] for k in s])) for c, t, s in inner.terms if set(over).isdisjoint(s)]
    return shaped_sum(call.shape, [(1, left, tuple(range(call.rank))), *constant])


def _is_multiple(u: Expr) -> bool:
    """Whether a term is a number times a sum, which stands as it is."""
    return isinstance(u, Ein) and len(u.factors) == 1 and u.factors[0][1] == tuple(range(u.rank)) == _every(u)


def _every(u: Ein) -> Indices:
    return tuple(range(len(u.dims)))


def power(term: Ein) -> Expr | None:
    """e²ᵘ/(Σ eᵘ)² is softmax(u)², and so on: as many exponentials as the sum has powers."""
    for place, (divisor, at) in enumerate(term.factors):
        total = _power_of_sum(divisor)
        if total is None:
            continue
        u, over, left = total
        rest: list[Any] = []
        found: list[Any] = []
        for f, s in (*term.factors[:place], *term.factors[place + 1 :]):
            there = len(s) == u.rank and tuple([k for i, k in enumerate(s) if i not in over]) == at
            k = _multiple(f, u, left) if there else 0
            left -= k
            (found if k else rest).append((pow_(softmax(u, over), k) if k else f, s))
        if found and not left:
            return shaped(term.shape, term.coef, [*rest, *found])
    return None


def softmax(u: Expr, over: Indices) -> Expr:
    """softmax(u) along some axes."""
    return Call(row("softmax"), (u,), (over,), u.shape)


def _power_of_sum(f: Expr) -> tuple[Expr, Indices, int] | None:
    """u of (Σ eᵘ)⁻ⁿ, the axes that are summed over, and n > 1; the others are in order."""
    if not (isinstance(f, Map) and f.op.name == "pow_scalar" and isinstance(f.params[0], int) and f.params[0] < -1):
        return None
    total, labels = f.args[0]
    if not (isinstance(total, Ein) and total.coef == 1 and len(total.factors) == 1) or labels != tuple(range(f.rank)):
        return None
    e, s = total.factors[0]
    if not (isinstance(e, Map) and e.op.name == "exp" and len(set(s)) == len(s) == len(total.dims)):
        return None
    u, inner = e.args[0]
    if inner != tuple(range(e.rank)) or [k for k in s if k < total.rank] != list(range(total.rank)):
        return None
    return u, tuple([i for i, k in enumerate(s) if k >= total.rank]), -f.params[0]


def _multiple(f: Expr, u: Expr, most: int) -> int:
    """k of eᵏᵘ, at most so many; 0 for anything else."""
    if isinstance(f, Map) and f.op.name == "exp" and f.args[0][1] == tuple(range(f.rank)) and f.shape == u.shape:
        every = tuple(range(u.rank))
        for k in range(1, most + 1):
            if ein(k, [(u, every)], every) is f.args[0][0]:
                return k
    return 0


__all__ = ["SHIFTED", "power", "shift"]
