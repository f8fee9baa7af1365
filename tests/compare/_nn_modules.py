"""Random modules with random inputs: what `call` (`_nn_calls.py`) is to functions, `module` is to classes of `nn`."""

from typing import NamedTuple

import numpy as np

from ._nn_calls import Draw, Fixed, _mask

MODULES = {}


class Module(NamedTuple):
    """How a module is made, and the calls that follow one another."""

    name: str
    args: list
    options: dict
    calls: list
    training: bool = True

    def __repr__(self):
        def said(v):
            v = v.array if isinstance(v, Fixed) else v
            return f"{v.dtype}{list(v.shape)}" if isinstance(v, np.ndarray) else repr(v)

        called = "; ".join(
            ", ".join([*(said(a) if not isinstance(a, tuple) else f"({', '.join(map(said, a))})" for a in args),
                       *(f"{k}={said(v)}" for k, v in named.items())]) for args, named in self.calls
        )  # fmt: skip
        made = ", ".join([*map(repr, self.args), *(f"{k}={v!r}" for k, v in self.options.items())])
        return f"{self.name}({made}){'' if self.training else '.eval()'}: {called}"


class Packed(NamedTuple):
    """A padded batch, of which each library makes a packed sequence."""

    array: np.ndarray
    lengths: list
    batch_first: bool


def modules(*names):
    def keep(draw):
        MODULES.update({name: lambda d, name=name: draw(d, name) for name in names})
        return draw

    return keep


def module(name, seed):
    """One random module of a class, and calls of it."""
    d = Draw([seed, *name.encode()])
    d.dtype, d.whole = "float64", False
    return Module(name, *MODULES[name](d))


@modules("RNN", "LSTM", "GRU")
def _(d, name):
    inputs, hidden = d.n(1, 3), d.n(1, 3)
    options = d.options(num_layers=[1, 2], bias=[True, False], batch_first=[True, False], bidirectional=[True, False])
    if name == "RNN":
        options.update(d.options(nonlinearity=["tanh", "relu"]))
    if name == "LSTM" and hidden > 1:
        options.update(d.options(proj_size=[0, 1]))
    ways = options.get("num_layers", 1) * (1 + options.get("bidirectional", False))
    training = d.maybe()
    if options.get("num_layers") == 2 and not training:
        options["dropout"] = 0.5
    time, batch = d.n(1, 4), d.one((), (d.n(1, 3),))
    first = options.get("batch_first", False) and batch
    x = d.x(*((*batch, time) if first else (time, *batch)), inputs)
    if batch and d.maybe(0.3):
        lengths = sorted((d.n(1, time) for _ in range(batch[0])), reverse=True)
        x = Packed(x, lengths, bool(first))
    args = [x]
    if d.maybe(0.4):
        h = d.x(ways, *batch, options.get("proj_size", 0) or hidden)
        args.append((h, d.x(ways, *batch, hidden)) if name == "LSTM" else h)
    return [inputs, hidden], options, [(args, {})], training


@modules("RNNCell", "LSTMCell", "GRUCell")
def _(d, name):
    inputs, hidden, batch = d.n(1, 3), d.n(1, 3), d.one((), (d.n(0, 3),))
    options = d.options(bias=[True, False], **({"nonlinearity": ["tanh", "relu"]} if name == "RNNCell" else {}))
    args = [d.x(*batch, inputs)]
    if d.maybe(0.6):
        h = d.x(*batch, hidden)
        args.append((h, d.x(*batch, hidden)) if name == "LSTMCell" else h)
    return [inputs, hidden], options, [(args, {})]


@modules("MultiheadAttention")
def _(d, name):
    heads = d.n(1, 2)
    e, batch, targets, sources = heads * d.n(1, 2), d.one((), (d.n(1, 3),)), d.n(1, 3), d.n(1, 3)
    options = d.options(bias=[True, False], add_bias_kv=[True, False], add_zero_attn=[True, False],
                        kdim=[e, 3], vdim=[e, 1], batch_first=[True, False])  # fmt: skip
    first = options.get("batch_first") and batch

    def x(time, width):
        return d.x(*((*batch, time) if first else (time, *batch)), width)

    named = d.options(need_weights=[True, False], average_attn_weights=[True, False])
    many = heads * (batch[0] if batch else 1)
    if d.maybe(0.4):
        named["key_padding_mask"] = Fixed(_mask(d, *batch, sources))
    if d.maybe(0.4):
        named["attn_mask"] = Fixed(_mask(d, *d.one((targets, sources), (many, targets, sources))))
    return [e, heads], options, [([x(targets, e), x(sources, options.get("kdim", e)),
                                   x(sources, options.get("vdim", e))], named)], d.maybe()  # fmt: skip


@modules("TransformerEncoderLayer", "TransformerDecoderLayer")
def _(d, name):
    heads = d.n(1, 2)
    e, batch, targets, sources = heads * d.n(1, 2), d.one((), (d.n(1, 3),)), d.n(1, 3), d.n(1, 3)
    options = {"dropout": 0.0, "dim_feedforward": d.n(1, 3), **d.options(
        activation=["relu", "gelu"], norm_first=[True, False], batch_first=[True, False], bias=[True, False],
        layer_norm_eps=[1e-5, 0.1])}  # fmt: skip
    first = options.get("batch_first") and batch

    def x(time):
        return d.x(*((*batch, time) if first else (time, *batch)), e)

    args, named = [x(targets)], {}
    mask, padding = ("src_mask", "src_key_padding_mask") if "Enc" in name else ("tgt_mask", "tgt_key_padding_mask")
    if "Dec" in name:
        args.append(x(sources))
        if d.maybe(0.3):
            named["memory_mask"] = Fixed(d.x(targets, sources))
    if d.maybe(0.3):
        named[mask] = Fixed(d.x(targets, targets))
    if d.maybe(0.3):
        seen = np.zeros((*batch, targets))
        seen[..., 1:] = -d.rng.random(seen[..., 1:].shape)
        named[padding] = Fixed(seen)
    return [e, heads], options, [(args, named)]


@modules("Conv1d", "Conv2d", "Conv3d")
def _(d, name):
    ndim, groups = int(name[-2]), d.one(1, 1, 2)
    i, o = groups * d.n(1, 2), groups * d.n(1, 2)
    options = d.options(
        stride=lambda: d.each(ndim, 1, 2), dilation=lambda: d.each(ndim, 1, 2), bias=[True, False],
        padding=lambda: d.one("same", "valid", d.each(ndim, 0, 2), d.each(ndim, 0, 2)),
        padding_mode=["zeros", "reflect", "replicate", "circular"],
    )  # fmt: skip
    if groups > 1:
        options["groups"] = groups
    x = d.x(*d.one((), (d.n(1, 2),)), i, *(d.n(3, 5 if ndim < 3 else 4) for _ in range(ndim)))
    return [i, o, d.each(ndim, 1, 2)], options, [([x], {})]


@modules("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
def _(d, name):
    ndim, groups = int(name[-2]), d.one(1, 1, 2)
    i, o, stride = groups * d.n(1, 2), groups * d.n(1, 2), d.n(1, 3)
    options = d.options(dilation=lambda: d.each(ndim, 1, 2), bias=[True, False], padding=[0, 1], output_padding=[0, 1])
    options.update({"groups": groups} if groups > 1 else {}, stride=stride)
    lengths = [d.n(2, 4) for _ in range(ndim)]
    x = d.x(*d.one((), (d.n(1, 2),)), i, *lengths)
    named = {"output_size": [(n - 1) * stride + d.n(1, 3) for n in lengths]} if d.maybe(0.3) else {}
    return [i, o, d.each(ndim, 1, 3)], options, [([x], named)]


@modules(*(f"{kind}Norm{n}d" for kind in ("Batch", "Instance") for n in (1, 2, 3)))
def _(d, name):
    ndim, c = int(name[-2]), d.n(1, 3)
    options = d.options(
        affine=[True, False], track_running_stats=[True, False], momentum=[0.1, 0.5, None], eps=[1e-5, 0.1]
    )
    if name.startswith("Instance"):
        options.update({"momentum": 0.3} if options.get("momentum", 0) is None else {})
    lengths = [d.n(1, 3) for _ in range(ndim)]
    lengths = [] if name == "BatchNorm1d" and d.maybe(0.4) else lengths
    batch = () if name.startswith("Instance") and d.maybe(0.3) else (d.n(1, 4),)
    return [c], options, [([d.x(*batch, c, *lengths)], {}) for _ in range(d.n(1, 2))], d.maybe(0.7)


@modules("LayerNorm", "RMSNorm", "GroupNorm", "LocalResponseNorm")
def _(d, name):
    shape = d.shape(3, 4)
    x = [([d.x(*shape)], {})]
    if name == "GroupNorm":
        groups = d.n(1, 2)
        return [groups, shape[1] * groups], d.options(eps=[1e-5, 0.1], affine=[True, False]), [
            ([d.x(shape[0], shape[1] * groups, *shape[2:])], {})]  # fmt: skip
    if name == "LocalResponseNorm":
        return [d.n(1, 4)], d.options(alpha=[1e-4, 1.0], beta=[0.75, 0.5], k=[1.0, 2.0]), x
    last = shape[d.n(0, len(shape) - 1) :]
    options = d.options(eps=[1e-5, 0.1], elementwise_affine=[True, False])
    options.update(d.options(bias=[True, False]) if name == "LayerNorm" else {})
    return [d.one(last, list(last))], options, x


@modules("Embedding", "EmbeddingBag")
def _(d, name):
    rows, width = d.n(2, 5), d.n(1, 3)
    options = d.options(padding_idx=[None, 0, -1], max_norm=[None, 1.0], norm_type=[2.0, 1.0])
    if name == "EmbeddingBag":
        options.update(d.options(mode=["sum", "mean", "max"], include_last_offset=[False]))
        if d.maybe():
            return [rows, width], options, [([d.ints(0, rows, 5), np.array([0, d.n(0, 2), d.n(3, 5)])], {})]
    else:
        options.update(d.options(scale_grad_by_freq=[True, False]))
    return [rows, width], options, [([d.ints(0, rows, d.n(1, 3), d.n(1, 3))], {})]


@modules("Linear", "Bilinear")
def _(d, name):
    batch, i, j, o = d.shape(0, 2), d.n(1, 3), d.n(1, 3), d.n(1, 3)
    if name == "Linear":
        return [i, o], d.options(bias=[True, False]), [([d.x(*batch, i)], {})]
    return [i, j, o], d.options(bias=[True, False]), [([d.x(*batch, i), d.x(*batch, j)], {})]


@modules(
    *(f"{kind}Pad{n}d" for kind in ("Reflection", "Replication", "Circular", "Zero", "Constant") for n in (1, 2, 3))
)
def _(d, name):
    ndim = int(name[-2])
    width = d.n(0, 2) if d.maybe() else tuple(d.n(0, 2) for _ in range(2 * ndim))
    x = d.x(*d.one((), (d.n(1, 2),)), d.n(1, 2), *(d.n(3, 4) for _ in range(ndim)))
    return [width, *([d.one(0.0, 2.5)] if name.startswith("Const") else [])], {}, [([x], {})]


@modules("PReLU", "AdaptiveLogSoftmaxWithLoss", "Upsample", "CosineSimilarity", "PairwiseDistance", "GLU", "Softmax2d",
         "Flatten", "Unflatten", "ChannelShuffle", "Fold", "Unfold")  # fmt: skip
def _(d, name):
    if name == "PReLU":
        c = d.one(1, 3)
        return [], {"num_parameters": c, "init": 0.3}, [([d.x(2, c, *d.shape(0, 2))], {})]
    if name == "AdaptiveLogSoftmaxWithLoss":
        batch = d.one((), (d.n(1, 4),))
        options = d.options(div_value=[2.0, 4.0], head_bias=[True, False])
        return [d.n(4, 5), 6, [2, 4]], options, [([d.x(*batch, 4), d.ints(0, 6, *batch)], {})]
    if name == "Upsample":
        return (
            [],
            {"scale_factor": d.one(2, 1.5, (2.0, 1.5)), "mode": d.one("nearest", "bilinear")},
            [([d.x(1, 2, 3, 4)], {})],
        )
    if name in ("CosineSimilarity", "PairwiseDistance"):
        shape = d.shape(2, 3)
        options = d.options(dim=[0, 1]) if name[0] == "C" else d.options(p=[1.0, 2.0, 3.0], keepdim=[True, False])
        return [], options, [([d.x(*shape), d.x(*shape)], {})]
    if name in ("Softmax2d", "GLU"):
        return [], {}, [([d.x(*d.one((), (2,)), 2, 3, 4)], {})]
    if name == "Flatten":
        return [], d.options(start_dim=[0, 1, -2], end_dim=[-1, 2]), [([d.x(2, 3, 2, 2)], {})]
    if name == "Unflatten":
        return [d.one(1, -1), d.one((2, 3), [3, 2], (-1, 2))], {}, [([d.x(2, 6)], {})]
    if name == "ChannelShuffle":
        return [2], {}, [([d.x(1, 4, 2, 2)], {})]
    if name == "Unfold":
        return [d.each(2, 1, 2)], d.options(stride=[1, 2], padding=[0, 1], dilation=[1, 2]), [([d.x(2, 2, 4, 3)], {})]
    return [(3, 4), 2], d.options(), [([d.x(2, 8, 6)], {})]
