"""The operations of random programs that move entries about: shapes and indices. Makers as in `_operations`."""

import math

from ._operations import at, basic_indices

# Shapes --------------------------------------------------------------------------------------------------------------


def _reshape(w):
    v = w.pick()
    n = math.prod(w.known[v])
    shapes = (
        [(n,), (-1, 1), (1, -1), (1, n), (-1,)] + [(k, n // k) for k in (2, 3) if n % k == 0] + ([()] if n == 1 else [])
    )
    shape = w.r.choice(shapes)
    name = w.r.choice(["reshape", "reshape", "view"]) if w.inplace else "reshape"
    text = f"{v}.{name}({shape})" if w.r.random() < 0.5 else f"L.reshape({v}, {shape})"
    return text, tuple(n // abs(math.prod(shape)) if k == -1 else k for k in shape)


def _transpose(w):
    v = w.pick(lambda s: len(s) >= 2)
    if v is None:
        return None
    shape = list(w.known[v])
    i, j = w.r.sample(range(len(shape)), 2)
    choice = w.r.choice(["transpose", "swapaxes", "mT", "permute", "movedim"])
    if choice == "mT":
        return f"{v}.mT", (*shape[:-2], shape[-1], shape[-2])
    if choice == "permute":
        order = w.r.sample(range(len(shape)), len(shape))
        return f"{v}.permute({order})", [shape[k] for k in order]
    if choice == "movedim":
        moved = [n for k, n in enumerate(shape) if k != i]
        moved.insert(j, shape[i])
        return f"L.movedim({v}, {i}, {j})", moved
    shape[i], shape[j] = shape[j], shape[i]
    return f"L.{choice}({v}, {i}, {j})", shape


def _squeeze(w):
    v = w.pick()
    shape = w.known[v]
    if w.r.random() < 0.5 and len(shape) < 4:
        d = w.r.randrange(len(shape) + 1)
        return f"L.unsqueeze({v}, {d})", (*shape[:d], 1, *shape[d:])
    if 1 in shape and w.r.random() < 0.6:
        return f"{v}.squeeze({shape.index(1)})", at(shape, shape.index(1), None)
    return f"{v}.squeeze()", [n for n in shape if n != 1]


def _expand(w):
    v = w.pick(lambda s: len(s) < 4)
    if v is None:
        return None
    shape = tuple(w.r.choice([2, 3]) if n == 1 else n for n in w.known[v])
    shape = shape if w.r.random() < 0.5 else (2, *shape)
    if math.prod(shape) > w.most:
        return None
    return w.r.choice([f"{v}.expand({shape})", f"L.broadcast_to({v}, {shape})"]), shape


def _join(w):
    v = w.pick()
    same = [n for n, s in w.known.items() if s == w.known[v]]
    parts = [v, *(w.r.choice(same) for _ in range(w.r.randrange(1, 3)))]
    shape = w.known[v]
    if len(parts) * math.prod(shape) > w.most:
        return None
    if shape and w.r.random() < 0.6:
        d = w.dim(v)
        return f"L.cat([{', '.join(parts)}], {d})", at(shape, d, shape[d] * len(parts))
    if len(shape) > 3:
        return None
    d = w.r.randrange(len(shape) + 1)
    return f"L.stack([{', '.join(parts)}], {d})", (*shape[:d], len(parts), *shape[d:])


def _split(w):
    v = w.pick(lambda s: any(n > 1 for n in s))
    if v is None:
        return None
    shape = w.known[v]
    d = w.r.choice([k for k, n in enumerate(shape) if n > 1])
    k = w.r.randrange(2)
    last = shape[d] - 1
    return w.r.choice(
        [
            (f"L.split({v}, {last}, {d})[{k}]", at(shape, d, 1 if k else last)),
            (f"L.split({v}, [{last}, 1], {d})[{k}]", at(shape, d, 1 if k else last)),
            (f"L.unbind({v}, {d})[{k}]", at(shape, d, None)),
            (f"L.chunk({v}, {shape[d]}, {d})[{k}]", at(shape, d, 1)),
            (f"L.narrow({v}, {d}, 1, {last})", at(shape, d, last)),
            (f"L.select({v}, {d}, {k})", at(shape, d, None)),
        ]
    )


def _repeat(w):
    v = w.pick(lambda s: 2 * math.prod(s) <= w.most and 0 < len(s) < 4)
    if v is None:
        return None
    shape = w.known[v]
    d = w.dim(v)
    times = [2 if k == d % len(shape) else 1 for k in range(len(shape))]
    doubled = at(shape, d, 2 * shape[d])
    return w.r.choice(
        [
            (f"{v}.repeat({times})", doubled),
            (f"L.tile({v}, {tuple(times)})", doubled),
            (f"L.repeat_interleave({v}, 2, {d})", doubled),
            (f"{v}.repeat([2] + [1] * {len(shape)})", (2, *shape)),
        ]
    )


def _square_parts(w):
    v = w.pick(lambda s: len(s) == 2)
    if v is None:
        return None
    n, m = w.known[v]
    return w.r.choice(
        [
            (f"L.diagonal({v})", (min(n, m),)),
            (f"L.tril({v})", (n, m)),
            (f"L.triu({v}, 1)", (n, m)),
            (f"L.diag({v})", (min(n, m),)),
            (f"{v}.T", (m, n)),
            (f"{v}.t()", (m, n)),
            (f"L.rot90({v})", (m, n)),
            (f"L.trace({v})", ()),
            (f"F.pad({v}, (1, 0))", (n, m + 1)),
            (f"L.diagonal({v}, 1)", (max(0, min(n, m - 1)),)),
        ]
    )


SHAPE = [
    _reshape,
    _reshape,
    _transpose,
    _transpose,
    _squeeze,
    _expand,
    _join,
    _join,
    _split,
    _split,
    _repeat,
    _square_parts,
    lambda w: (f"{(v := w.pick())}.flatten()", (math.prod(w.known[v]),)),
    lambda w: (f"L.ravel({(v := w.pick())})", (math.prod(w.known[v]),)),
    lambda w: (f"L.atleast_2d({v})", (1, *w.known[v])) if (v := w.pick(lambda s: len(s) == 1)) else None,
    lambda w: (f"{(v := w.pick())}.contiguous()", w.known[v]),
]

# Indexing ------------------------------------------------------------------------------------------------------------


def _basic_index(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    shape = w.known[v]
    n = shape[0]
    return f"{v}[{(choice := w.r.choice(basic_indices(shape, n)))[0]}]", choice[1]


def _mask_index(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    mask = w.numbers.random(w.known[v]) < 0.5
    name = w.constant(mask)
    return w.r.choice(
        [
            (f"{v}[{name}]", (int(mask.sum()),)),
            (f"L.masked_select({v}, {name})", (int(mask.sum()),)),
            (f"{v}.masked_fill({name}, 0.5)", w.known[v]),
            (f"L.masked_fill({v}, ~{name}, -1.0)", w.known[v]),
        ]
    )


def _indices(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    shape, d = w.known[v], w.dim(v)
    line = w.constant(w.numbers.integers(0, shape[d], 2))
    full = w.constant(w.numbers.integers(0, shape[d], shape))
    other = w.r.choice([n for n, s in w.known.items() if s == shape])
    return w.r.choice(
        [
            (f"L.index_select({v}, {d}, {line})", at(shape, d, 2)),
            (f"L.gather({v}, {d}, {full})", shape),
            (f"L.take_along_dim({v}, {full}, {d})", shape),
            (f"L.scatter_add({v}, {d}, {full}, {other})", shape),
            (f"L.take({v}, {line})", (2,)),
            (f"L.index_add({v}, {d}, {line}[:1], {other}.narrow({d}, 0, 1))", shape),
            (f"L.index_fill({v}, {d}, {line}, 0.5)", shape),
        ]
    )


INDEX = [_basic_index, _basic_index, _mask_index, _indices]
