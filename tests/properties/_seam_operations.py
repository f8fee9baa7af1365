"""The operations of random programs that lie across seams: makers as in `_operations`, for `_seams.py`.

Cut graphs, branches whose other side is not finite, complex numbers on the way, ties, casts, several outputs of one
operation, empty parts, views and writes to them, places that meet.
"""

import numpy as np

from ._operations import _along, _binary, _each, _kept, _unary, broadcast

SEAM = _each(
    _unary,
    """
    @ * @.detach() | @ + 2 * @.detach() ** 2 | L.where(@ > 0, L.log(@), 0.3 * @) | L.where(@ > 0, L.sqrt(@), @ ** 2) |
    L.where(@ > 0, @.log(), -@.neg().log()) | L.where(L.isnan(L.log(@)), @, L.log(@)) | @ * (@ > 0) | @ * True |
    (@ > 0.1) + @ | (@ > 0) * 2 - @ | L.where(@ > 0, 1, @) | L.where(@ > 0, @, 0) | @ - @ | @ / @ | @ * 0 + @ |
    L.real(L.exp(1j * @)) | L.imag(L.exp((1 + 1j) * @)) | L.abs(L.complex(@, 1 + @)) |
    L.angle(L.complex(2 + @ * @, @)) | L.real(L.complex(@, @) ** 2) | L.imag(L.sqrt(L.complex(2 + @ * @, @))) |
    L.real(L.tanh(0.5j * @ + @)) | L.real(1 / (L.complex(@, 2 + @ * @))) | L.abs(1j * @ + 2) ** 2 |
    L.polar(1.5 + L.sin(@), @).imag | L.real(L.log(L.complex(1.5 + L.sin(@), @)).conj() * (1 + 2j)) |
    L.view_as_real(L.complex(@, L.sin(@)))[..., 1] | L.real(L.sin(L.complex(@, @))) |
    (L.complex(@, @ + 1) * L.complex(@, @).conj()).real | (2j * @).imag | L.real(L.complex(@, 0.5 * @) * (0.5 - 1j)) |
    L.real(L.sgn(L.complex(@, 2 + @ * @))) | @[None].squeeze(0) | @.reshape(-1).reshape(@.shape) | @[...] |
    L.relu(@) + L.relu(-@) | @.clone().detach() * @ | @.expand(2, *@.shape)[1] |
    @.unsqueeze(-1).expand(*@.shape, 2).sum(-1) | @.expand(2, *@.shape).prod(0) |
    L.stack(L.unbind(L.stack([@, 2 * @]))[::-1])[0] | sum(L.unbind(L.stack([@, @ ** 2]))) |
    L.cat([@.flatten()[:0], @.flatten()]).reshape(@.shape) | @ + @.flatten()[:0].sum() |
    L.where(L.zeros_like(@) == 0, @, L.full_like(@, float('nan'))) | L.masked_fill(1 / @, @ < 0.1, 0.0) |
    L.nan_to_num(L.log(@), nan=0.5) | @.prod() * @ | L.xlogy(@ * 0, @ * @ + 1) + @ | @ ** 2 / @ | L.sinc(@) |
    (@ + 1e3) - 1e3 | 1e-3 * L.exp(@) | L.exp(@).log() | (@ * @).sqrt() | L.logaddexp(@, -@) | L.atan2(@, @ * @) |
    L.heaviside(@, L.tensor(0.5, dtype=L.float64)) * @ | @.abs() * @.sign() | L.max(@) - L.min(@) + @ |
    L.clamp(@, @.mean(), @.max()) | L.softmax(@.flatten(), 0).reshape(@.shape) | @.T.T if @.ndim == 2 else @ * 1 |
    F.mse_loss(@, 0.5 * @ ** 2) + @ | F.smooth_l1_loss(@, @ ** 2, reduction='none') | F.selu(@) | F.relu6(3 * @) |
    F.hardtanh(@, -0.7, 0.6) | F.binary_cross_entropy_with_logits(@, L.sigmoid(0.5 * @), reduction='none') |
    F.binary_cross_entropy(L.sigmoid(@), 0.5 + 0.3 * L.sin(@)) * @ | F.kl_div(@, L.exp(@), reduction='none') |
    F.poisson_nll_loss(@, 1 + @ * @, reduction='none') | F.softplus(@, beta=3, threshold=2) |
    F.gaussian_nll_loss(@, 2 * @, 1 + @ * @, reduction='none') | F.l1_loss(@, @ ** 3, reduction='none') |
    L.special.entr(1.5 + L.sin(@)) | L.special.log_ndtr(@) | L.special.ndtri(0.5 + 0.3 * L.sin(@)) |
    L.special.xlog1py(@, @ * @) | L.special.logit(0.5 + 0.3 * L.cos(@)) | L.pow(1.5 + L.sin(@), @) |
    L.special.expit(@) * @ | L.nansum(@) * @ | L.frac(@) * @ | @ ** -2 | L.cumsum(@.flatten(), 0).reshape(@.shape) |
    L.logaddexp2(@, 2 * @) | L.addcmul(@, @.detach(), @, value=2) | @.to(L.complex128).real * 2 | +@ | abs(@) ** 3 |
    @ % 0.7 | @ // 0.3 + @ | L.rsub(@, 2) | 3 - @ * 2 | L.vander(@.flatten(), 3).sum(1).reshape(@.shape)
    """,
)

SEAM_PAIRS = _each(
    _binary,
    """
    L.real(L.complex(@ + 0 * #, # + 0 * @) * 1j) | @ * # + @ * # | (@ - #) * (@ + #) | @ * # - # * @ | @ * (# > 0) |
    L.where(# > 0, @ * #, @ / (# - 5)) | L.where(# > 0, L.log(#), @) | (@ * #).detach() * @ * # |
    @ * # + (@ - #).detach() * # | L.abs(L.complex(@ + 0 * #, # * 2 + 0 * @) + 3) |
    L.complex(@ + 0 * #, # + 0 * @).exp().imag | L.atan2(@, #) | L.maximum(@, #) * L.minimum(@, #) | L.add(@, #) |
    L.fmin(@, #) | F.huber_loss(@ + 0 * #, # + 0 * @, reduction='none', delta=0.4) |
    L.where(@ < #, L.sqrt(# - @), @ * #) | L.clamp_min(@ + 0 * #, # + 0 * @) | @ - 1j.real * # | @ ** 2 * # ** 2 |
    L.dist(@, #) * @ + # | L.squeeze(L.unsqueeze(@ + 0 * #, -1) * L.unsqueeze(# + 0 * @, -1), -1) | L.hypot(@, #) |
    L.remainder(@, # + 3) | L.logaddexp(@, # - 1) | L.div(@, # * # + 0.5, rounding_mode=None) |
    L.lerp(@ + 0 * #, # + 0 * @, 0.7) | sum(L.broadcast_tensors(@ + 0, # + 0 * @)) | L.pow(L.abs(@) + 0.3, #)
    """,
)

SEAM_AXES = [
    *_each(
        _along,
        """
    L.max(@, {d}, keepdim={k}).values | L.min(@, {d}, keepdim={k})[0] | L.median(@, {d}, keepdim={k})[0] |
    L.kthvalue(@, 1, {d}, keepdim={k})[0] | L.var_mean(@, {d}, correction=0, keepdim={k})[0] | L.amax(@, {d}, {k}) |
    sum(L.var_mean(@, {d}, correction=0, keepdim={k})) | sum(L.aminmax(@, dim={d}, keepdim={k})) |
    L.nansum(L.log(@), {d}, keepdim={k}) | L.norm(@, 1, {d}, {k}) | L.norm(@, 3, {d}, keepdim={k}) |
    L.linalg.vector_norm(@, float('inf'), {d}, {k}) | L.nanmean(L.sqrt(@), {d}, keepdim={k}) |
    L.prod(@ * (@ > 0.3), {d}, keepdim={k}) | L.std_mean(2 * @, {d}, correction=0, keepdim={k})[1]
        """,
    ),
    *_each(
        _kept,
        """
    L.sort(@, {d})[0] | L.sort(@, {d}, descending=True)[0] * @ | @.gather({d}, L.argsort(@, {d})) * 2 |
    L.cummin(@, {d})[0] | L.cumprod(@ * (@ > 0), {d}) | L.topk(@, 1, {d})[0] * @ | L.flip(@, [{d}]) * @ |
    L.sub(@, L.amax(@, {d}, True)).exp() | L.cat(L.split(@, 1, {d}), {d}) | L.stack(L.unbind(@, {d}), {d}) |
    L.stack(L.unbind(@, {d})[::-1], {d}) | L.cat(L.chunk(@, 2, {d})[::-1], {d}) | L.roll(@, (1,), ({d},)) * @ |
    L.sort(L.round(@), {d}, stable=True)[0] + @ | L.softmax(@ * 3, {d}) * @ | L.logcumsumexp(@, {d}) |
    L.cumsum(@, {d}).flip({d})
        """,
    ),
]


def _negative_steps(w):
    v = w.pick(lambda s: s and s[0] > 1 and s[-1] > 1)
    if v is None:
        return None
    n, *rest = w.known[v]
    return w.r.choice([
        (f"{v}[::-1] + 0", (n, *rest)), (f"{v}[..., ::-1] * 2", (n, *rest)), (f"{v}[::-2] * 1", ((n + 1) // 2, *rest)),
        (f"{v}[::-1][1:] * {v}[1:]", (n - 1, *rest)), (f"{v}[::-1] * {v}", (n, *rest)),
        (f"{v}[..., ::-1].reshape(-1)", (n * int(np.prod(rest)),)),
    ])  # fmt: skip


def _non_contiguous(w):
    """Reshapes of what does not lie in order."""
    v = w.pick(lambda s: len(s) >= 2)
    if v is None:
        return None
    shape = w.known[v]
    size, turned = int(np.prod(shape)), (*shape[:-2], shape[-1], shape[-2])
    return w.r.choice([
        (f"{v}.mT.reshape(-1)", (size,)), (f"{v}.mT.flatten()", (size,)), (f"{v}.mT.contiguous() * 2", turned),
        (f"{v}.mT[..., ::2, :]", (*turned[:-2], (turned[-2] + 1) // 2, turned[-1])),
        (f"{v}.mT.reshape({shape})", shape),
        (f"{v}.expand(2, *{shape}).reshape(-1, {shape[-1]})", (2 * size // shape[-1], shape[-1])),
        (f"{v}.mT @ {v}", (*shape[:-2], shape[-1], shape[-1])), (f"{v}.mT.sum(0)", turned[1:]),
        (f"L.ravel({v}.mT)[::2]", ((size + 1) // 2,)), (f"{v}.unfold(-1, 1, 1).squeeze(-1)", shape),
        (f"{v}.movedim(0, -1).reshape({shape})", shape), (f"{v}[:, :1].expand(*{shape})", shape),
    ])  # fmt: skip


def _decomposed(w):
    """Eigenvectors and singular vectors where the spectrum is well separated, in forms that do not see their signs."""
    v = w.pick(lambda s: s)
    if v is None:
        return None
    n = w.r.choice([2, 3])
    K = f"(L.as_tensor({w.plain(np.diag([1.0, 2.5, 4.5][:n]))}) + 0.2 * L.sin({w.fit(v, (n, n))}))"
    S = f"({K} + {K}.mT)"
    return w.r.choice([
        (f"(lambda w, V: (V * L.exp(0.3 * w)) @ V.mT)(*L.linalg.eigh({S}))", (n, n)), (f"L.linalg.eigh({S})[0]", (n,)),
        (f"(lambda w, V: V[:, :1] @ V[:, :1].mT)(*L.linalg.eigh({S}))", (n, n)),
        (f"(lambda w, V: V ** 2 * w)(*L.linalg.eigh({S}))", (n, n)), (f"L.linalg.eigvalsh({S})", (n,)),
        (f"(lambda U, S, V: U @ V)(*L.linalg.svd({K}))", (n, n)), (f"L.linalg.svdvals({K})", (n,)),
        (f"(lambda U, S, V: (U * S.log()) @ U.mT)(*L.linalg.svd({K}, full_matrices=False))", (n, n)),
        (f"(lambda Q, R: Q @ L.tanh(R))(*L.linalg.qr({K}))", (n, n)), (f"L.linalg.slogdet({K})[1]", ()),
        (f"sum(L.linalg.slogdet({K}))", ()), (f"L.linalg.pinv({K})", (n, n)), (f"L.linalg.cholesky({S})", (n, n)),
        (f"L.linalg.pinv({K}[:, :1])", (1, n)), (f"L.linalg.norm({K}, 'nuc')", ()), (f"L.linalg.norm({K}, 2)", ()),
        (f"L.linalg.matrix_norm({K}, 1)", ()), (f"L.linalg.lstsq({K}[:, :1], {K})[0]", (1, n)),
        (f"L.linalg.solve_triangular(L.triu({K}), {K}, upper=True)", (n, n)), (f"L.linalg.cond({K})", ()),
        (f"L.cholesky_solve({K}, L.linalg.cholesky({S}))", (n, n)), (f"L.linalg.matrix_power({K}, 3)", (n, n)),
        (f"L.linalg.multi_dot([{K}, {K}.mT, {K}])", (n, n)), (f"L.linalg.solve({K}, {K}.mT, left=False)", (n, n)),
    ])  # fmt: skip


def _written_views(w):
    """Writes to views of a copy, after uses that save and that do not."""
    v = w.pick(lambda s: s and s[0] > 1)
    if v is None:
        return None
    shape = w.known[v]
    copies = [f"{v} * 1", f"{v} + 0", f"{v} - 0.5", f"{v}.clone()"]
    copies += [f"{v}.mT.clone().mT", f"{v}.mT.contiguous().mT"] * (len(shape) > 1)  # columns lie in order there
    base = w.name(w.r.choice(copies), shape)
    if w.r.random() < 0.3:  # into a constant
        w.p.lines.append(f"{base} = L.as_tensor({w.plain(w.array(shape))}) * 1")
        w.p.lines.append(f"{base}[{w.r.choice(['0', '-1', '1:', '...', '::2'])}] {w.r.choice(['=', '+=', '*='])} "
                         f"{v}.mean(0)")  # fmt: skip
    before = w.r.choice([None, f"{base} + 1", f"{base} - {v}", f"{base}.sum(0)", f"2 * {base}"])
    before = before and w.name(before, shape[1:] if "sum" in before else shape)
    k = w.r.randrange(1, 4)
    rows = w.plain(w.numbers.permutation(shape[0])[:k])  # what equal indices write is not differentiated
    mask = w.plain(w.numbers.random(shape) < 0.5)
    other = w.name(f"L.sin({v}[0])", shape[1:])
    w.p.lines.append(w.r.choice([
        f"{base}.unsqueeze(0).mul_({other})", f"{base}[{rows}] = {other}", f"{base}[{mask}] = 0.25",
        f"{base}[{rows}] += {other}", f"{base}[{mask}] *= 2", f"{base}.reshape(-1)[::2] = 0.5 * {other}.sum()",
        f"{base}[0].copy_({other})", f"{base}[1:][:1].add_({other})", f"{base}.mT.mul_(2)" if len(shape) > 1 else
        f"{base}.view(1, -1).mul_(2)", f"{base}.select(0, 1).sin_()", f"{base}.narrow(0, 1, 1).exp_()",
        f"{base}.masked_fill_({mask}, 0.5)", f"{base}[[0, -1]] = {base}[[-1, 0]] * 1",
        f"{base}.index_fill_(0, {rows}, 2.0)",
        f"{base}[..., 0] = {base}[..., -1] * 2", f"{base}.unbind(0)[0].sum()", f"{base}.clamp_(min=-0.5)",
        f"{base}[0].zero_()", f"{base}[::-2] = 0.5", f"{base}[::-1][0] = {other}", f"{base}[..., ::-1] += {base}[0]",
        f"{base}.transpose(0, -1).add_({v}.mean())", f"{base} += {base}[0]",
        f"{base}.diagonal().mul_(3)" if len(shape) == 2 else f"{base}[1:] = {base}[:-1] * {v}[1:]",
        f"{base}.retain_grad() if {base}.requires_grad and not {base}.is_leaf else None",
    ]))  # fmt: skip
    return f"{base} * {v if before is None else before}", broadcast(shape, w.known[before or v])


def _written_parts(w):
    """Writes to the parts of complex numbers, which are views of another type."""
    v = w.pick(lambda s: s and s[0] > 1)
    if v is None:
        return None
    shape = w.known[v]
    base = w.name(
        w.r.choice([f"L.complex({v}, L.sin({v})) * 1", f"L.complex({v} + 0, 1 + {v})", f"{v} * (1 - 2j)"]), shape
    )
    del w.known[base]  # nothing else is made for complex numbers
    other = w.name(f"L.cos({v}[0])", shape[1:])
    w.p.lines.append(w.r.choice([
        f"{base}.imag.mul_({other})", f"{base}.real[0] = {other}", f"{base}[-1].imag.add_({other})",
        f"{base}.imag[1:].exp_()", f"L.view_as_real({base})[..., 1].mul_(3)",
        f"L.view_as_real({base})[0] *= {v}.mean()", f"{base}.real[...] = {base}.imag + {v}",
        f"{base}[0] = {other} * (1 + 1j)", f"{base}[1] = {other}",
        f"{base} *= 1 - 0.5j", f"{base}[:1].mul_({base}[1:2])", f"{base}.imag.zero_()", f"{base}.mul_({v})",
        f"L.view_as_real({base}).reshape(-1)[::3] = 0.5", f"{base}.real.sin_()", f"{base}.imag.T.add_({v}.T)",
    ]))  # fmt: skip
    return w.r.choice([
        f"({base} * (1 + 2j)).real", f"({base} * {base}).imag", f"L.real(L.sin({base}))", f"{base}.imag * {v}",
        f"L.view_as_real({base}).sum(-1)", f"L.real({base} * {base}.conj())",
    ]), shape  # fmt: skip


def _cut(w):
    """Parts without a graph, and gradients kept on the way."""
    v = w.pick()
    name = f"v{len(w.p.lines)}"
    text = w.r.choice(["L.sin(@)", "@ * 2", "@.exp()", "@ > 0", "@.round()"]).replace("@", v)
    w.p.lines.append(f"with L.no_grad(): {name} = {text}")
    if w.r.random() < 0.4:
        w.p.lines.append(f"{v}.retain_grad() if {v}.requires_grad else None")
    return f"{name} * {v}", w.known[v]


def _indexed(w):
    """Scatter, put and their like, with indices that meet."""
    v = w.pick(lambda s: s)
    if v is None:
        return None
    shape, d = w.known[v], w.dim(v)
    other = w.r.choice([n for n, s in w.known.items() if s == shape])
    full = w.plain(w.numbers.integers(0, shape[d], shape))
    line = w.plain(w.numbers.permutation(shape[d]))
    mask = w.plain(w.numbers.random(shape) < 0.5)
    rows = w.plain(w.numbers.integers(0, shape[0], 3))
    flat = w.plain(w.numbers.integers(0, int(np.prod(shape)), 3))
    return w.r.choice([
        (f"L.index_copy({v}, {d}, {line}, {other})", shape), (f"L.scatter({v}, {d}, {full}, 0.5)", shape),
        (f"{v}.scatter_reduce({d}, {full}, {other}, 'sum')", shape),
        (f"{v}.put({flat}[:1], {other}.flatten()[:1])", shape),
        (f"{v}.scatter_reduce({d}, {full}, {other}, 'amax')", shape), (f"{v}.masked_scatter({mask}, {other})", shape),
        (f"{v}.scatter_reduce({d}, {full}, {other}, 'mean', include_self=False)", shape),
        (f"{v}.scatter_reduce({d}, {full}, {other}, 'prod')", shape), (f"{v}.take({flat})", (3,)),
        (f"{v}.index_put(({rows},), {other}[0], accumulate=True)", shape), (f"{v}[{rows}][::2]", (2, *shape[1:])),
        (f"L.select_scatter({v}, {other}.select({d}, 0), {d}, -1)", shape), (f"{v}[{rows}, ...] * 2", (3, *shape[1:])),
        (f"L.where({mask}, {v}, {other})", shape), (f"L.index_add({v}, {d}, {line}, {other}, alpha=-2)", shape),
        (f"{v}[{mask}].prod() + {v}", shape), (f"L.masked_select({v}, {v} > 0).sum() * {v}", shape),
        (f"{v}[{rows}[:0]].sum() + {v}", shape), (f"{v}[None, {rows}]", (1, 3, *shape[1:])),
        (f"L.gather({v}, {d}, {full}) * {v}", shape),
        (f"L.put({v}, {flat}, L.sin({other}.flatten()[0]).expand(3), True)", shape),
    ])  # fmt: skip


def _layer(w):
    """Layers and losses, at shapes of their own."""
    v, u = w.pick(), w.pick()
    images, kernel = w.fit(v, (1, 2, 3, 3)), w.fit(u, (2, 2, 2, 2))
    line, table, rows = w.fit(v, (2, 2, 4)), w.fit(v, (3, 4)), w.fit(u, (4,))
    classes, weights = w.plain(w.numbers.integers(0, 4, 3)), w.plain(np.array([1.0, 2.0, 0.5, 0.7]))
    return w.r.choice([
        (f"F.conv2d({images}, {kernel})", (1, 2, 2, 2)),
        (f"F.conv2d({images}, {kernel}, padding=1, stride=2)", (1, 2, 2, 2)),
        (f"F.conv1d({line}, {w.fit(u, (3, 2, 2))}, {w.fit(u, (3,))}, dilation=2)", (2, 3, 2)),
        (f"F.conv1d({line}, {w.fit(u, (2, 1, 3))}, groups=2, padding=1)", (2, 2, 4)),
        (f"F.max_pool1d({line}, 2)", (2, 2, 2)), (f"F.max_pool2d({images}, 2, stride=1)", (1, 2, 2, 2)),
        (f"F.avg_pool1d({line}, 3, stride=1, padding=1)", (2, 2, 4)),
        (f"F.avg_pool2d({images}, 2, stride=1)", (1, 2, 2, 2)),
        (f"F.layer_norm({table}, (4,), {rows}, {w.fit(v, (4,))})", (3, 4)),
        (f"F.linear({table}, {w.fit(u, (2, 4))})", (3, 2)),
        (f"F.batch_norm({table}, None, None, {rows}, training=True)", (3, 4)), (f"F.normalize({table}, dim=1)", (3, 4)),
        (f"F.cross_entropy({table}, L.as_tensor({classes}))", ()),
        (f"F.bilinear({table}, {table}, {w.fit(u, (1, 4, 4))})", (3, 1)),
        (f"F.cross_entropy({table}, L.softmax({w.fit(u, (3, 4))}, 1), reduction='none')", (3,)),
        (f"F.cross_entropy({table}, L.as_tensor({classes}), L.as_tensor({weights}), label_smoothing=0.1)", ()),
        (f"F.nll_loss(L.log_softmax({table}, 1), L.as_tensor({classes}), reduction='sum')", ()),
        (f"F.embedding(L.as_tensor({classes}), {w.fit(v, (4, 2))})", (3, 2)),
        (f"F.pad({images}, (1, 1, 1, 0), mode='reflect')", (1, 2, 4, 5)),
        (f"F.pad({line}, (2, 1), mode='replicate')", (2, 2, 7)), (f"F.pad({line}, (1, 2), mode='circular')", (2, 2, 7)),
    ])  # fmt: skip


def _product(w):
    """Products of named indices and other meetings of two arrays."""
    v, u = w.pick(), w.pick()
    a, b, c = w.fit(v, (2, 3)), w.fit(u, (3, 2)), w.fit(v, (2, 2, 3))
    return w.r.choice([
        (f"L.einsum('ij,jk->ki', {a}, {b})", (2, 2)), (f"L.einsum('ij,ji', {a}, {b})", ()),
        (f"L.einsum('ij,kj,j->ik', {a}, {a}, {b}[:, 0])", (2, 2)), (f"L.einsum('iij->ij', {c})", (2, 3)),
        (f"L.einsum('iij,jk->k', {c}, {b})", (2,)), (f"L.einsum('bij,bkj->bik', {c}, {c})", (2, 2, 2)),
        (f"L.einsum('ij->', {a})", ()), (f"L.einsum('...j,j...->...', {a}, {b})", (2,)),
        (f"L.tensordot({c}, {b}, ([2], [0]))", (2, 2, 2)), (f"L.cdist({a}, {b}.mT + 5)", (2, 2)),
        (f"L.cross({a}, {b}.mT, dim=1)", (2, 3)), (f"L.bmm({c}, {c}.mT)", (2, 2, 2)),
        (f"L.chain_matmul({a}, {b}, {a})", (2, 3)), (f"L.baddbmm({c}, {c} @ {c}.mT, {c}, beta=0.5)", (2, 2, 3)),
        (f"L.cartesian_prod({a}[0], {b}[0])", (6, 2)), (f"L.meshgrid({a}[0], {b}[0], indexing='ij')[1]", (3, 2)),
        (f"L.hstack([{a}, {b}.mT])", (2, 6)), (f"L.vstack([{a}, {b}.mT])", (4, 3)),
        (f"L.dstack([{a}, {b}.mT])", (2, 3, 2)), (f"L.column_stack([{a}, {b}[0]])", (2, 4)),
        (f"L.block_diag({a}, {b})", (5, 5)), (f"L.diff({c}, n=2)", (2, 2, 1)), (f"L.diag_embed({a}, 1)", (2, 4, 4)),
        (f"L.diagonal({c}, 0, 0, 2)", (2, 2)), (f"L.diagonal_scatter({a}, {b}[0], 1)", (2, 3)),
        (f"L.tril({c}, 1)", (2, 2, 3)), (f"L.rot90({a}, 3)", (3, 2)),
        (f"L.repeat_interleave({a}, L.as_tensor({w.plain(np.array([2, 0, 1]))}), 1)", (2, 3)),
        (f"L.addmv({b}[0], {a}, {b}[:, 1])", (2,)), (f"{c}[:, [1, 0], None, :2]", (2, 2, 1, 2)),
        (f"{c}[[1, 0], :, [0, 2]]", (2, 2)), (f"{c}[..., [[0, 2]]]", (2, 2, 1, 2)), (f"L.vdot({a}[0], {b}[:, 0])", ()),
        (f"L.mv({a}, {b}[:, 0])", (2,)), (f"L.dist({a}, {b}.mT, 3)", ()),
    ])  # fmt: skip


SEAMS = [
    (SEAM, 5), (SEAM_PAIRS, 3), (SEAM_AXES, 3), ([_negative_steps], 2), ([_non_contiguous], 2), ([_decomposed], 1),
    ([_cut], 1), ([_indexed], 3), ([_layer], 2), ([_product], 3),
]  # fmt: skip
"""Makers, and how often they are asked."""

WRITES = [_written_views, _written_views, _written_parts]
