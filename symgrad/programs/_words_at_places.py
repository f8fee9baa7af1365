"""How programs find places in arrays, read and add up there, and what else takes a helper, in each library's words.

The idea to hold: the call is the same in every dialect, the helper that it calls is written for each. Which place is
named where entries tie, and where NaN goes, is as the tape has it: orders are stable, NaN is the largest of all.
"""

from __future__ import annotations

_ALONG = dict.fromkeys(
    ["pick", *[f"{name}_dim" for name in (
        "max", "min", "median", "nanmedian", "mode", "kthvalue", "topk", "sort", "cummax", "cummin",
    )]],
    "_read_along({0}, {1}, {dim}, {keepdim})",
)  # fmt: skip

CALLS = {
    **_ALONG,
    "gather": "_read_along({0}, {1}, {dim}, True)",
    "index": "_read_rows({0}, {1}, {dim})",
    "index_select": "_read_rows({0}, {1}, {dim})",
    "take": "_read_rows(({0}).reshape(-1), {1}, 0)",
    "unpick": "_added_along({0}, {1}, {dim}, {keepdim}, {to})",
    "index_accumulate": "_added_rows({0}, {1}, {dim}, {size})",
    "add_flat": "_added_flat({0}, {1}, {size})",
    "scatter_add": "{0} + _added_along({1}, {2}, {dim}, True, {own_shape})",
    "index_add": "{0} + {alpha} * _added_rows({1}, {2}, {dim}, {own_shape})",
    "argsort": "_order({0}, {dim}, {descending}, 0, None)",
    "argkth": "_order({0}, {dim}, False, {k} - 1, {k})",
    "argtop": "_order({0}, {dim}, {largest}, 0, {k})",
    "argmedian": "_middle({0}, {dim}, {skip_nan})",
    "median": "_read_along(({0}).reshape(-1), _middle(({0}).reshape(-1), 0, False), 0, False)",
    "nanmedian": "_read_along(({0}).reshape(-1), _middle(({0}).reshape(-1), 0, True), 0, False)",
    "scatter_extreme": "_extreme_along({0}, {1}, {2}, {dim}, {largest}, {include_self})",
    "scatter_share": "_shares({0}, {1}, {2}, {dim}, {largest}, {whole})[0]",
    "scatter_share_src": "_shares({0}, {1}, {2}, {dim}, {largest}, {whole})[1]",
    "argcummax": "_latest({0}, {dim}, True)",
    "argcummin": "_latest({0}, {dim}, False)",
}
"""By row, the call."""

NUMPY = {
    "_whole": '''def _whole(places):
    """Places that were computed with, as whole numbers."""
    return np.asarray(places).astype(np.int64)''',
    "_read_along": '''def _read_along(x, places, dim, kept):
    """The entries of x at places along an axis."""
    y = np.take_along_axis(x, places, dim)
    return y if kept else y.squeeze(dim)''',
    "_read_rows": '''def _read_rows(x, places, dim):
    """The slices of x at places of an axis."""
    return np.take(x, places, dim)''',
    "_added_along": '''def _added_along(y, places, dim, kept, shape):
    """Zeros with the entries of y added up at places along an axis."""
    at = list(np.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    x = np.zeros(shape, y.dtype)
    np.add.at(x, tuple(at), y if kept else np.expand_dims(y, dim))
    return x''',
    "_added_rows": '''def _added_rows(y, places, dim, shape):
    """Zeros with the slices of y added up at places of an axis."""
    x = np.zeros(shape, y.dtype)
    np.add.at(x, (slice(None),) * dim + (places,), y)
    return x''',
    "_added_flat": '''def _added_flat(y, places, shape):
    """Zeros with the entries of y added up at places of the flat array."""
    return _added_rows(y.reshape(-1), places.reshape(-1), 0, (int(np.prod(shape)),)).reshape(shape)''',
    "_order": '''def _order(x, dim, descending, first, stop):
    """The places that sort x along an axis, of those the ones from first to stop; what ties keeps its order."""
    if descending:
        found = x.shape[dim] - 1 - np.flip(np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)
    else:
        found = np.argsort(x, axis=dim, kind="stable")
    return found[(slice(None),) * dim + (slice(first, stop),)]''',
    "_middle": '''def _middle(x, dim, skip):
    """The place of the lower median along an axis: of the first NaN where there is one, or without them (skip)."""
    n, missing = x.shape[dim], np.isnan(x).sum(dim, keepdims=True)
    k = np.maximum(n - missing - 1, 0) // 2 if skip else np.where(missing > 0, n - missing, (n - 1) // 2)
    return np.take_along_axis(_order(x, dim, False, 0, None), k, dim)''',
    "_latest": '''def _latest(x, dim, largest):
    """The place of the largest (or smallest) entry up to each along an axis, the latest of several."""
    best = (np.maximum if largest else np.minimum).accumulate(x, axis=dim)
    places = np.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    return np.maximum.accumulate(np.where((x == best) | np.isnan(x), places, 0), axis=dim)''',
    "_extreme_along": '''def _extreme_along(x, y, places, dim, largest, own):
    """The largest (or smallest) of what y has for each place along an axis, and of x where it counts (own)."""
    at = list(np.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = np.array(x)
    if not own:
        z[tuple(at)] = y
    (np.maximum if largest else np.minimum).at(z, tuple(at), y)
    return z''',
    "_shares": '''def _shares(x, y, places, dim, largest, own):
    """What each entry of x and of y has of the largest (or smallest) that it meets: shared among those that tie."""
    at = list(np.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = _extreme_along(x, y, places, dim, largest, own)
    mine, sent = (x == z) * 1.0, (y == z[tuple(at)]) * 1.0
    if not own:
        mine[tuple(at)] = 0.0
    ties = np.array(mine)
    np.add.at(ties, tuple(at), sent)
    share = 1 / np.maximum(ties, 1)
    return mine * share, sent * share[tuple(at)]''',
}  # fmt: skip

_FOR_JAX = {
    "_added_along": '''def _added_along(y, places, dim, kept, shape):
    """Zeros with the entries of y added up at places along an axis."""
    at = list(jnp.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    return jnp.zeros(shape, y.dtype).at[tuple(at)].add(y if kept else jnp.expand_dims(y, dim))''',
    "_added_rows": '''def _added_rows(y, places, dim, shape):
    """Zeros with the slices of y added up at places of an axis."""
    return jnp.zeros(shape, y.dtype).at[(slice(None),) * dim + (places,)].add(y)''',
    "_latest": '''def _latest(x, dim, largest):
    """The place of the largest (or smallest) entry up to each along an axis, the latest of several."""
    best = jax.lax.cummax(x, dim) if largest else jax.lax.cummin(x, dim)
    places = jnp.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    return jax.lax.cummax(jnp.where((x == best) | jnp.isnan(x), places, 0), dim)''',
    "_extreme_along": '''def _extreme_along(x, y, places, dim, largest, own):
    """The largest (or smallest) of what y has for each place along an axis, and of x where it counts (own)."""
    at = list(jnp.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = (x if own else x.at[tuple(at)].set(y)).at[tuple(at)]
    return z.max(y) if largest else z.min(y)''',
    "_shares": '''def _shares(x, y, places, dim, largest, own):
    """What each entry of x and of y has of the largest (or smallest) that it meets: shared among those that tie."""
    at = list(jnp.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = _extreme_along(x, y, places, dim, largest, own)
    mine, sent = (x == z) * 1.0, (y == z[tuple(at)]) * 1.0
    mine = mine if own else mine.at[tuple(at)].set(0.0)
    share = 1 / jnp.maximum(mine.at[tuple(at)].add(sent), 1)
    return mine * share, sent * share[tuple(at)]''',
    "_hazard_excess": '''def _hazard_excess(x):
    """x plus the normal density over the normal distribution function: far to the left a continued fraction."""
    near = x + jnp.exp(jax.scipy.stats.norm.logpdf(x) - jax.scipy.special.log_ndtr(x))
    far = jnp.where(x < -6, x, -6.0)
    tail = 0.0 * far
    for k in range(70, 0, -1):
        tail = k / (tail - far)
    return jnp.where(x < -6, tail, near)''',
}

JAX = {
    **{name: text.replace("np.", "jnp.").replace('kind="stable"', "stable=True").replace("int(jnp.prod", "int(np.prod")
       for name, text in NUMPY.items()},
    **_FOR_JAX,
}  # fmt: skip

TORCH = {
    "_whole": '''def _whole(places):
    """Places that were computed with, as whole numbers."""
    return places.long()''',
    "_read_along": '''def _read_along(x, places, dim, kept):
    """The entries of x at places along an axis."""
    y = torch.take_along_dim(x, places.long(), dim)
    return y if kept else y.squeeze(dim)''',
    "_read_rows": '''def _read_rows(x, places, dim):
    """The slices of x at places of an axis."""
    return x[(slice(None),) * dim + (places.long(),)]''',
    "_added_along": '''def _added_along(y, places, dim, kept, shape):
    """Zeros with the entries of y added up at places along an axis."""
    return y.new_zeros(shape).scatter_add(dim, places.long(), y if kept else y.unsqueeze(dim))''',
    "_added_rows": '''def _added_rows(y, places, dim, shape):
    """Zeros with the slices of y added up at places of an axis."""
    rows = y.reshape((*shape[:dim], -1, *shape[dim + 1 :]))
    return y.new_zeros(shape).index_add(dim, places.reshape(-1).long() % shape[dim], rows)''',
    "_added_flat": '''def _added_flat(y, places, shape):
    """Zeros with the entries of y added up at places of the flat array."""
    return _added_rows(y.reshape(-1), places.reshape(-1), 0, (int(np.prod(shape)),)).reshape(shape)''',
    "_order": '''def _order(x, dim, descending, first, stop):
    """The places that sort x along an axis, of those the ones from first to stop; what ties keeps its order."""
    found = torch.argsort(x, dim=dim, descending=descending, stable=True)
    return found[(slice(None),) * dim + (slice(first, stop),)]''',
    "_middle": '''def _middle(x, dim, skip):
    """The place of the lower median along an axis: of the first NaN where there is one, or without them (skip)."""
    n, missing = x.shape[dim], torch.isnan(x).sum(dim, keepdim=True)
    k = (n - missing - 1).clamp(min=0) // 2 if skip else torch.where(missing > 0, n - missing, (n - 1) // 2)
    return torch.take_along_dim(_order(x, dim, False, 0, None), k, dim)''',
    "_latest": '''def _latest(x, dim, largest):
    """The place of the largest (or smallest) entry up to each along an axis, the latest of several."""
    best = (torch.cummax if largest else torch.cummin)(x, dim).values
    places = torch.arange(x.shape[dim], device=x.device).reshape((-1,) + (1,) * (x.dim() - 1 - dim))
    return torch.cummax(torch.where((x == best) | torch.isnan(x), places, 0), dim).values''',
    "_extreme_along": '''def _extreme_along(x, y, places, dim, largest, own):
    """The largest (or smallest) of what y has for each place along an axis, and of x where it counts (own)."""
    return x.scatter_reduce(dim, places, y, "amax" if largest else "amin", include_self=own)''',
    "_shares": '''def _shares(x, y, places, dim, largest, own):
    """What each entry of x and of y has of the largest (or smallest) that it meets: shared among those that tie."""
    z = _extreme_along(x, y, places, dim, largest, own)
    mine, sent = (x == z).to(x.dtype), (y == z.gather(dim, places)).to(x.dtype)
    mine = mine if own else mine.scatter(dim, places, 0.0)
    share = 1 / mine.scatter_add(dim, places, sent).clamp(min=1)
    return mine * share, sent * share.gather(dim, places)''',
    "_hazard_excess": '''def _hazard_excess(x):
    """x plus the normal density over the normal distribution function: far to the left a continued fraction."""
    near = x + (2 / math.pi) ** 0.5 / torch.special.erfcx(-(0.5**0.5) * x)
    far = torch.where(x < -6, x, -6.0)
    tail = 0.0 * far
    for k in range(70, 0, -1):
        tail = k / (tail - far)
    return torch.where(x < -6, tail, near)''',
}  # fmt: skip
"""By dialect the helpers' texts; one that calls another comes after it."""
