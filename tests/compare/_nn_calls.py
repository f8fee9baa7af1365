"""Random calls of every function of `nn.functional`: shapes, dtypes, options, and now and then one thing that is wrong.

`call(name, seed)` is the same call in every library: its arrays are NumPy's. What draws it knows what fits: shapes that
go together, the options of the function and their ranges; `_disturbed` then gives one array in eight calls another
shape or dtype.
"""

import inspect
from typing import NamedTuple

import numpy as np

DTYPES = ("float32", "float64", "int64", "float16", "int32", "bool")


class Fixed(NamedTuple):
    """An array of floats in which nobody differentiates."""

    array: np.ndarray


class Dtype(NamedTuple):
    """A dtype by its name, which each library has for itself."""

    name: str


class Call(NamedTuple):
    name: str
    args: list
    options: dict

    def __repr__(self):
        def said(v):
            v, mark = (v.array, "fixed ") if isinstance(v, Fixed) else (v, "")
            if not isinstance(v, np.ndarray):
                return repr(v)
            return f"{mark}{v.dtype}{list(v.shape)}" + (str(v.tolist()) if v.dtype.kind == "i" and v.size < 9 else "")

        return (
            f"{self.name}({', '.join([*map(said, self.args), *(f'{k}={said(v)}' for k, v in self.options.items())])})"
        )


class Draw:
    """Random numbers, shapes and options; one dtype of the floats of a call."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.dtype = "float32" if self.maybe(0.25) else "float64"
        self.whole = self.maybe(0.1)  # floats that are whole numbers meet ties and kinks

    def maybe(self, share=0.5):
        return bool(self.rng.random() < share)

    def one(self, *options):
        return options[self.rng.integers(len(options))]

    def n(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def size(self, most=4):
        return 0 if self.maybe(0.02) else 1 if self.maybe(0.15) else self.n(2, most)

    def shape(self, least=0, most=4):
        return tuple(self.size() for _ in range(self.n(least, most)))

    def x(self, *shape, low=None, high=None):
        """Floats: normal, or between two bounds."""
        x = self.rng.normal(size=shape) * 1.5 if low is None else self.rng.uniform(low, high, shape)
        return np.asarray(np.round(x) if self.whole else x).astype(self.dtype)

    def other(self, shape):
        """A shape that broadcasts with this one."""
        if self.maybe(0.7):
            return shape
        return tuple(1 if self.maybe(0.3) else n for n in shape[self.n(0, len(shape)) :])

    def ints(self, low, high, *shape):
        return self.rng.integers(low, max(high, low + 1), shape)

    def each(self, ndim, low, high, one=0.5):
        """One number, or one per dimension."""
        return self.n(low, high) if self.maybe(one) else tuple(self.n(low, high) for _ in range(ndim))

    def options(self, **ways):
        """Each option is left out or drawn: from a list, or by a function."""
        return {k: way() if callable(way) else self.one(*way) for k, way in ways.items() if self.maybe(0.5)}

    def reduction(self):
        if self.maybe(0.06):
            with_old = {"size_average": self.one(True, False, None), "reduce": self.one(True, False, None)}
            return {k: v for k, v in with_old.items() if v is not None}
        return self.options(reduction=["mean", "sum", "none", "none", *(["batchmean"] if self.maybe(0.05) else [])])


AS_DRAWN = {"pdist", "scaled_dot_product_attention", "gumbel_softmax"}
"""Of shapes that do not fit PyTorch reads memory that it does not own, and ends the process; the last is random."""

CALLS = {}
"""By the name of a function: what draws arguments and options."""


def calls(*names):
    def keep(draw):
        for name in names:
            CALLS[name] = (lambda d, name=name: draw(d, name)) if len(inspect.signature(draw).parameters) == 2 else draw
        return draw

    return keep


def call(name, seed):
    """One random call of a function."""
    d = Draw([seed, *name.encode()])
    args, options = CALLS[name](d)
    args = [np.asarray(a) if isinstance(a, np.generic) else a for a in args]
    if d.maybe(0.12) and name not in AS_DRAWN:
        args, options = _disturbed(d, args, options)
    return Call(name, list(args), options)


def _disturbed(d, args, options):
    """Another shape or dtype of one array."""
    args, options = list(args), dict(options)
    places = [
        (at, k) for at, values in ((args, range(len(args))), (options, options)) for k in values
        if isinstance(at[k], np.ndarray | Fixed)
    ]  # fmt: skip
    if not places:
        return args, options
    at, k = d.one(*places)
    x = at[k].array if isinstance(at[k], Fixed) else at[k]
    how = d.one("dtype", "dtype", "drop", "add", "longer", "shorter", "zero")
    axis = d.n(0, x.ndim - 1) if x.ndim else None
    if how == "dtype":
        x = x.astype(d.one(*DTYPES[: 3 if d.maybe(0.8) else 6]))
    elif how == "add":
        x = x[None] if d.maybe() else x[..., None]
    elif axis is not None and how == "drop":
        x = x.sum(axis).astype(x.dtype) if x.dtype.kind == "f" else x.max(axis) if x.shape[axis] else x
    elif axis is not None and how == "longer" and x.shape[axis]:
        x = np.repeat(x, 2, axis)
    elif axis is not None:
        x = np.take(x, range(1 if how == "shorter" and x.shape[axis] else 0), axis)
    at[k] = Fixed(np.asarray(x)) if isinstance(at[k], Fixed) else np.asarray(x)
    return args, options


# Activations ---------------------------------------------------------------------------------------------------------


def _activation(names, **ways):
    @calls(*names.split())
    def draw(d, name):
        options = d.options(
            **{k: (way if isinstance(way, list) else lambda way=way: way(d)) for k, way in ways.items()}
        )
        shape = d.shape()
        x = d.x(*(2 * n for n in shape) if name == "glu" else shape)
        if d.maybe(0.06):
            x = x.astype(d.one("int64", "float16", "int32"))
        return [x * d.one(1, 1, 30) if x.dtype.kind == "f" else x], options


_inplace = [False, False, False, True]
_activation("hardsigmoid hardswish mish relu relu6 selu silu", inplace=_inplace)
_activation("logsigmoid sigmoid tanh softsign tanhshrink relu_ selu_")
_activation("celu elu", alpha=[0.5, 1.0, 2, -0.5], inplace=_inplace)
_activation("celu_ elu_", alpha=[0.5, 1.0, 2])
_activation("gelu", approximate=["none", "tanh", "tanh", "erf"])
_activation("glu", dim=[-1, 0, 1, 2, -2])
_activation("hardshrink softshrink", lambd=[0.5, 0.0, 1, -0.3, 2.0])
_activation("hardtanh", min_val=[-1.0, 0, -2, 1.5], max_val=[1.0, 2, 0.5], inplace=_inplace)
_activation("hardtanh_", min_val=[-1.0, 0, -2], max_val=[1.0, 2, 0.5])
_activation("leaky_relu", negative_slope=[0.01, 0.0, 1, -0.2, 2.0], inplace=_inplace)
_activation("leaky_relu_", negative_slope=[0.01, 0.2])
_activation("softplus", beta=[1.0, 0.5, 2, -1.0, 10], threshold=[20.0, 1, 0.0, -1.0])
_activation("softmax log_softmax softmin", dim=[-1, 0, 1, 2, -2, None],
            dtype=lambda d: Dtype(d.one("float32", "float64")))  # fmt: skip
_activation("rrelu", lower=[0.125, 0.25, 0.0], upper=[0.5, 0.25, 0.4], training=[False])
_activation("rrelu_", lower=[0.125, 0.2])


@calls("threshold", "threshold_")
def _(d, name):
    return [d.x(*d.shape()), d.one(0.0, 1, -0.5), d.one(0, 7.5, -1)], d.options(inplace=_inplace) if name[
        -1
    ] != "_" else {}


@calls("prelu")
def _(d):
    shape = d.shape()
    return [d.x(*shape), d.x(d.one(1, 1, shape[1] if len(shape) > 1 else 1, 3))], {}


@calls("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
def _(d, name):
    ndim = int(name[-2]) + d.n(1, 2) if name[-1] == "d" else d.n(0, 4)
    ndim = d.n(0, 5) if d.maybe(0.1) else ndim
    training = {"p": d.one(0.0, 0, 1, 1.0), "training": d.maybe()}
    if not training["training"]:
        training["p"] = d.one(0.0, 0.5, 1.0, -0.1, 1.1)
    return [d.x(*(d.size() for _ in range(ndim)))], {**training, **d.options(inplace=_inplace)}


# Windows -------------------------------------------------------------------------------------------------------------


@calls("conv1d", "conv2d", "conv3d")
def _(d, name):
    ndim = int(name[-2])
    groups, each, outs = d.one(1, 1, 2, 3), d.n(1, 2), d.n(1, 2)
    kernel = [d.n(1, 3) for _ in range(ndim)]
    batch = d.one((), (d.size(3),))
    lengths = [d.n(1, 6 if ndim < 3 else 4) for _ in range(ndim)]
    x, w = d.x(*batch, groups * each, *lengths), d.x(groups * outs, each, *kernel)
    options = d.options(
        stride=lambda: d.each(ndim, 1, 3), dilation=lambda: d.each(ndim, 1, 2),
        padding=lambda: d.one("same", "valid", d.each(ndim, 0, 2), d.each(ndim, 0, 2), [d.n(0, 2)] * ndim),
    )  # fmt: skip
    if d.maybe(0.03):
        options[d.one("stride", "dilation", "padding")] = d.one(0, -1, (1,), (1, 1, 1, 1))
    if groups > 1 or d.maybe(0.1):
        options["groups"] = groups if d.maybe(0.95) else d.n(0, 4)
    return [x, w, *([d.x(groups * outs)] if d.maybe() else [])], options


@calls("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def _(d, name):
    ndim = int(name[-2])
    groups, each, outs = d.one(1, 1, 2), d.n(1, 2), d.n(1, 2)
    kernel = [d.n(1, 3) for _ in range(ndim)]
    batch = d.one((), (d.size(3),))
    lengths = [d.n(1, 4 if ndim < 3 else 3) for _ in range(ndim)]
    x, w = d.x(*batch, groups * each, *lengths), d.x(groups * each, outs, *kernel)
    options = d.options(
        stride=lambda: d.each(ndim, 1, 3), dilation=lambda: d.each(ndim, 1, 2), padding=lambda: d.each(ndim, 0, 2),
        output_padding=lambda: d.each(ndim, 0, 1),
    )  # fmt: skip
    if d.maybe(0.03):
        options[d.one("stride", "dilation", "padding", "output_padding")] = d.one(0, -1, (1,), (1, 1, 1, 1))
    if groups > 1:
        options["groups"] = groups
    return [x, w, *([d.x(groups * outs)] if d.maybe() else [])], options


@calls("conv_tbc")
def _(d):
    k, i, o = d.n(1, 3), d.n(1, 3), d.n(1, 3)
    return [d.x(d.n(1, 5), d.size(3), i), d.x(k, i, o), d.x(o)], d.options(pad=[0, 1, 2])


@calls("unfold", "fold")
def _(d, name):
    kernel = d.each(2, 1, 3)
    options = d.options(
        dilation=lambda: d.each(2, 1, 2), padding=lambda: d.each(2, 0, 2), stride=lambda: d.each(2, 1, 3)
    )
    if d.maybe(0.03):
        options[d.one("stride", "dilation", "padding")] = d.one(0, -1, (1,), (1, 1, 1))
    batch, lengths, channels = d.one((), (d.size(3),)), (d.n(2, 6), d.n(2, 6)), d.n(1, 3)
    if name == "unfold":
        return [d.x(*batch, channels, *lengths), kernel], options

    def pair(value):
        return (value,) * 2 if isinstance(value, int) else value if len(value) == 2 else value * 2

    k, p, dil, s = (pair(v) for v in (kernel, *(options.get(w, v) for w, v in
                    (("padding", 0), ("dilation", 1), ("stride", 1)))))  # fmt: skip
    counts = [max((n + 2 * p[i] - dil[i] * (k[i] - 1) - 1) // (s[i] or 1) + 1, 0) for i, n in enumerate(lengths)]
    return [d.x(*batch, channels * k[0] * k[1], counts[0] * counts[1]), lengths, kernel], options


def _pooled(d, name, extra=()):
    ndim = int(name[name.index("pool") + 4])
    x = d.x(*d.one((), (d.size(3),)), d.size(2), *(d.n(2, 5 if ndim < 3 else 4) for _ in range(ndim)))
    kernel = d.each(ndim, 1, 3 if ndim < 3 else 2, one=1 if name == "lp_pool1d" else 0.5)
    ways = {
        "stride": lambda: d.each(ndim, 1, 3), "ceil_mode": [False, True],
        "padding": lambda: d.each(ndim, 0, 1) if d.maybe(0.9) else 2, "dilation": lambda: d.each(ndim, 1, 2),
        "return_indices": [False, True], "count_include_pad": [False, True], "divisor_override": [1, 3, None, -2, 0],
    }  # fmt: skip
    options = d.options(**{k: ways[k] for k in extra})
    if d.maybe(0.03):
        options["stride"] = d.one(0, -1, (1,), (1, 1, 1, 1), [], None)
    if d.maybe(0.05):
        x = d.ints(-5, 5, *x.shape)
    return x, kernel, options


@calls(*(f"max_pool{n}d{w}" for n in (1, 2, 3) for w in ("", "_with_indices")))
def _(d, name):
    extra = ["stride", "ceil_mode", "padding", "dilation"] + ["return_indices"] * (not name.endswith("indices"))
    x, kernel, options = _pooled(d, name, extra)
    return [x, kernel], options


@calls("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _(d, name):
    extra = ["stride", "ceil_mode", "padding", "count_include_pad"] + ["divisor_override"] * ("1d" not in name)
    x, kernel, options = _pooled(d, name, extra)
    return [x, kernel], options


@calls("lp_pool1d", "lp_pool2d", "lp_pool3d")
def _(d, name):
    x, kernel, options = _pooled(d, name, ["stride", "ceil_mode"])
    return [abs(x) if d.maybe() else x, d.one(1, 2, 2.0, 3.0, 1.5, float("inf")), kernel], options


@calls(*(f"adaptive_max_pool{n}d{w}" for n in (1, 2, 3) for w in ("", "_with_indices")),
       *(f"adaptive_avg_pool{n}d" for n in (1, 2, 3)))  # fmt: skip
def _(d, name):
    ndim = int(name[name.index("pool") + 4])
    x, _, _ = _pooled(d, name)
    size = d.each(ndim, 1, 4)
    if ndim > 1 and d.maybe(0.2):
        size = tuple(None if d.maybe() else d.n(1, 3) for _ in range(ndim))
    if d.maybe(0.04):
        size = d.one(0, -1, (2, 2, 2, 2), (2,))
    indices = "max" in name and not name.endswith("indices")
    return [x, size], d.options(return_indices=[False, True]) if indices else {}


@calls("fractional_max_pool2d", "fractional_max_pool3d", "fractional_max_pool2d_with_indices",
       "fractional_max_pool3d_with_indices")  # fmt: skip
def _(d, name):
    ndim = 2 if "2d" in name else 3
    batch, channels, kernel = d.one((), (d.n(1, 2),)), d.n(1, 2), d.each(ndim, 1, 2)
    x = d.x(*batch, channels, *(d.n(4, 6) for _ in range(ndim)))
    size = d.one({"output_size": d.each(ndim, 1, 3)}, {"output_ratio": (0.5, 0.7, 0.6)[:ndim]})
    samples = Fixed(d.rng.uniform(size=(*(batch or (1,)), channels, ndim)).astype(d.dtype))
    indices = {} if name.endswith("indices") else d.options(return_indices=[False, True])
    return [x, kernel], {**size, "_random_samples": samples, **indices}


@calls("max_unpool1d", "max_unpool2d", "max_unpool3d")
def _(d, name):
    ndim = int(name[-2])
    batch, channels = d.one((), (d.n(1, 2),)), d.n(1, 2)
    lengths = [d.n(2, 3) for _ in range(ndim)]
    kernel, stride, padding = d.each(ndim, 1, 3), d.each(ndim, 1, 3), 0 if d.maybe(0.7) else d.each(ndim, 0, 1)
    options = {k: v for k, v in (("stride", stride), ("padding", padding)) if d.maybe()}

    def at(value, i):
        return value if isinstance(value, int) else value[i]

    step, pad = options.get("stride", kernel), options.get("padding", 0)
    out = [max((n - 1) * at(step, i) - 2 * at(pad, i) + at(kernel, i), 1) for i, n in enumerate(lengths)]
    if d.maybe(0.4):
        out = [n + d.n(0, 1) for n in out]
        options["output_size"] = d.one(out, tuple(out), (*batch, channels, *out) if batch else out)
    total, count = int(np.prod(out)), int(np.prod(lengths))
    places = np.stack([  # places that meet are counted otherwise: see `z[[0, 0]] = v` in docs/coming-from-pytorch.md
        d.rng.permutation(max(total, count))[:count]
        for _ in range(channels * (batch[0] if batch else 1))
    ]).reshape(*batch, channels, *lengths)  # fmt: skip
    if d.maybe(0.03):
        places = places + total
    return [d.x(*batch, channels, *lengths), places, kernel], options


# Size and order ------------------------------------------------------------------------------------------------------


@calls("pad")
def _(d):
    x, mode = d.x(*d.shape(0, 5)), d.one("constant", "reflect", "replicate", "circular")
    if d.maybe(0.05):
        x = d.ints(-5, 5, *x.shape)
    pairs = d.n(1, max(1, x.ndim)) if mode == "constant" else max(1, min(3, x.ndim - d.n(1, 2)))
    widths = [d.n(-1 if d.maybe(0.3) else 0, 2) for _ in range(2 * pairs)]
    widths = widths[:-1] if d.maybe(0.03) else widths
    options = d.options(value=[0.0, 1, 2.5, None]) if mode == "constant" or d.maybe(0.05) else {}
    return [x, d.one(tuple, list)(widths)], {**({} if mode == "constant" and d.maybe() else {"mode": mode}), **options}


@calls("pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle")
def _(d, name):
    r = d.n(1, 3) if d.maybe(0.97) else d.one(0, -1)
    batch = d.shape(0, 2) if name.startswith("pixel") else (d.size(3),)
    c, h, w = d.n(1, 2), d.n(1, 3), d.n(1, 3)
    factor = abs(r) or 1
    if name == "pixel_shuffle":
        c *= factor**2
    elif name == "pixel_unshuffle":
        h, w = h * factor, w * factor
    else:
        c *= factor
    if d.maybe(0.05):
        c, h = c + 1, h + 1
    return [d.x(*batch, c, *((h, w)[: d.n(1, 2)] if "channel" in name else (h, w))), r], {}


@calls("interpolate", "upsample", "upsample_nearest", "upsample_bilinear")
def _(d, name):
    ndim = d.one(2, 2, 2, 1, 3) if name in ("interpolate", "upsample") else d.one(2, 2, 2, 2, 3, 1)
    lengths = [d.n(1, 6 if ndim < 3 else 4) for _ in range(ndim)]
    x, options = d.x(d.size(2), d.size(2), *lengths), {}
    if d.maybe():
        options["size"] = d.each(ndim, 1, 7 if ndim < 3 else 4)
    else:
        factors = (0.5, 2, 1.5, 3.0, 0.7, 1.05, 2.3, 1.0, 1.19, 0.34)
        options["scale_factor"] = d.one(*factors) if d.maybe() else tuple(d.one(*factors) for _ in range(ndim))
    if d.maybe(0.03):
        options.update(d.one({"size": 0}, {"scale_factor": 2.0}, {"size": (2, 2)}, {"scale_factor": 0.1}))
    if name in ("interpolate", "upsample"):
        own = {1: "linear", 2: "bilinear", 3: "trilinear"}[ndim]
        mode = d.one("nearest", "nearest-exact", "area", own, own, "bicubic" if ndim == 2 else own)
        mode = d.one("bicubic", "linear", "cubic") if d.maybe(0.02) else mode
        options.update({"mode": mode} if mode != "nearest" or d.maybe() else {})
        if d.maybe(0.5 if mode[-1] in "rc" else 0.05):
            options["align_corners"] = d.maybe()
        if name == "interpolate":
            options.update(d.options(recompute_scale_factor=[None, False, True]))
            if (mode in ("bilinear", "bicubic") and d.maybe(0.4)) or d.maybe(0.02):
                options["antialias"] = True
    return [x], options


@calls("affine_grid")
def _(d):
    ndim, batch = d.one(2, 3), d.size(3)
    size = (batch, d.n(1, 2), *(d.n(1, 4) for _ in range(ndim)))
    size = d.one((*size[:-1], 0), (*size[:2], 3), size[1:]) if d.maybe(0.04) else size
    return [d.x(batch, ndim, ndim + 1), size], d.options(align_corners=[False, True, None])


@calls("grid_sample")
def _(d):
    ndim, batch = d.one(2, 2, 3), d.size(2)
    image = d.x(batch, d.size(2), *(d.n(1, 4) for _ in range(ndim)))
    grid = d.x(batch, *(d.size(3) for _ in range(ndim)), ndim, low=-1.6, high=1.6)
    return [image, grid], d.options(
        mode=["bilinear", "nearest", "bicubic"] + ["area"] * d.maybe(0.03),
        padding_mode=["zeros", "border", "reflection"] + ["wrap"] * d.maybe(0.03),
        align_corners=[False, True, None],
    )  # fmt: skip


# Linear maps and lookups ---------------------------------------------------------------------------------------------


@calls("linear")
def _(d):
    i, o = d.size(), d.size()
    flat = d.maybe(0.1)
    return [
        d.x(*d.shape(0, 3), i),
        d.x(i) if flat else d.x(o, i),
        *([d.x(*(() if flat else (o,)))] if d.maybe() else []),
    ], {}


@calls("bilinear")
def _(d):
    batch, i, j, o = d.shape(0, 2), d.size(), d.size(), d.size()
    return [d.x(*batch, i), d.x(*batch, j), d.x(o, i, j), *([d.x(o)] if d.maybe() else [])], {}


@calls("one_hot")
def _(d):
    return [d.ints(-1 if d.maybe(0.1) else 0, 4, *d.shape())], d.options(num_classes=[-1, 4, 6, 0, 2])


def _table_options(d):
    return d.options(
        padding_idx=[0, 1, -1, None] + [9, -9] * d.maybe(0.05), max_norm=[1.0, 0.5, 2, None], norm_type=[2.0, 1, 3.0],
        scale_grad_by_freq=[False, True],
    )  # fmt: skip


@calls("embedding")
def _(d):
    rows, index = d.n(2, 5), d.shape(0, 3)
    numbers = d.ints(-1 if d.maybe(0.03) else 0, rows + d.maybe(0.03), *index)
    return [numbers.astype(d.one("int64", "int32")), d.x(rows, d.size())], _table_options(d)


@calls("embedding_bag")
def _(d):
    rows, options = d.n(2, 5), _table_options(d)
    mode = d.one("mean", "sum", "max")
    options.update({} if mode == "mean" and d.maybe() else {"mode": mode})
    table = d.x(rows, d.n(1, 3))
    if d.maybe(0.4):
        numbers = d.ints(0, rows + d.maybe(0.03), d.size(), d.size())
    else:
        numbers, last = d.ints(0, rows, d.n(0, 6)), d.maybe(0.3)
        starts = np.sort(d.ints(0, len(numbers) + 1, d.n(0, 3)))
        starts = np.array([*([0] if d.maybe(0.95) else [1]), *starts, *([len(numbers)] if last else [])])
        options["offsets"] = starts
        options.update({"include_last_offset": True} if last else {})
    if d.maybe(0.5 if mode == "sum" else 0.03):
        options["per_sample_weights"] = d.x(*numbers.shape)
    if mode == "max" or options.get("scale_grad_by_freq"):
        options = {k: v for k, v in options.items() if k != "scale_grad_by_freq" or d.maybe(0.2)}
    return [numbers, table], options


# Attention -----------------------------------------------------------------------------------------------------------


def _mask(d, *shape):
    if d.maybe():
        return d.rng.random(shape) < 0.6
    mask = d.x(*shape)
    return np.where(d.rng.random(shape) < 0.3, -np.inf, mask).astype(mask.dtype) if d.maybe(0.3) else mask


@calls("scaled_dot_product_attention")
def _(d):
    batch, targets, sources, length, width = d.shape(0, 2), d.n(1, 4), d.n(1, 4), d.n(1, 3), d.n(1, 3)
    options = d.options(scale=[None, 0.5, 2.0], dropout_p=[0.0])
    shared = 1
    if len(batch) and d.maybe(0.2):
        options["enable_gqa"], shared = True, d.n(1, 2)
    many = (*batch[:-1], batch[-1] * shared) if batch else ()
    q, k, v = d.x(*many, targets, length), d.x(*batch, sources, length), d.x(*batch, sources, width)
    if d.maybe(0.4):
        mask = _mask(d, *d.other((*many, targets, sources))[-d.n(2, 4) :])
        options["attn_mask"] = Fixed(mask) if mask.dtype == bool or d.maybe() else mask
    if d.maybe(0.3 if "attn_mask" not in options else 0.03):
        options["is_causal"] = True
    return [q, k, v], options


@calls("multi_head_attention_forward")
def _(d):
    heads, each, batch, targets, sources = d.n(1, 2), d.n(1, 2), d.one((), (d.n(1, 3),)), d.n(1, 3), d.n(1, 3)
    e, kdim, vdim = heads * each, d.n(1, 4), d.n(1, 4)
    apart = d.maybe(0.3)
    kdim, vdim = (kdim, vdim) if apart else (e, e)
    many = (batch[0] if batch else 1) * heads
    args = [
        d.x(targets, *batch, e), d.x(sources, *batch, kdim), d.x(sources, *batch, vdim), e, heads,
        None if apart else d.x(3 * e, e), d.x(3 * e) if d.maybe(0.7) else None,
        *((d.x(1, 1, e), d.x(1, 1, e)) if d.maybe(0.3) else (None, None)), d.maybe(0.3), 0.0, d.x(e, e),
        d.x(e) if d.maybe(0.7) else None,
    ]  # fmt: skip
    options = d.options(need_weights=[True, False], average_attn_weights=[True, False], training=[True, False])
    if apart:
        options.update(use_separate_proj_weight=True, q_proj_weight=d.x(e, e), k_proj_weight=d.x(e, kdim),
                       v_proj_weight=d.x(e, vdim))  # fmt: skip
    if d.maybe(0.4):
        options["key_padding_mask"] = Fixed(_mask(d, *batch, sources))
    if d.maybe(0.4):
        options["attn_mask"] = Fixed(_mask(d, *d.one((targets, sources), (many, targets, sources))))
        if d.maybe(0.2) and args[7] is None and not args[9]:  # a hint, which the mask must bear out
            options.update(attn_mask=Fixed(~np.tri(targets, sources, dtype=bool)), is_causal=True)
    return args, options


# Normalisations ------------------------------------------------------------------------------------------------------


@calls("layer_norm", "rms_norm")
def _(d, name):
    shape = d.shape(1, 4)
    last = shape[d.n(0, len(shape) - 1) :] if d.maybe(0.95) else (3,)
    parts = (
        {"weight": lambda: d.x(*last), "bias": lambda: d.x(*last)}
        if name == "layer_norm"
        else {"weight": lambda: d.x(*last)}
    )
    return [d.x(*shape), d.one(tuple, list)(last)], d.options(
        **parts, eps=[1e-5, 0.1, None if name == "rms_norm" else 1]
    )


@calls("group_norm")
def _(d):
    groups, each = d.n(1, 3), d.n(1, 2)
    c = groups * each
    return [d.x(d.size(), c, *d.shape(0, 3)), groups if d.maybe(0.95) else d.one(0, -1, 2, 5)], d.options(
        weight=lambda: d.x(c), bias=lambda: d.x(c), eps=[1e-5, 0.1]
    )


@calls("batch_norm", "instance_norm")
def _(d, name):
    c = d.size()
    x = d.x(d.size(), c, *d.shape(0 if name == "batch_norm" else 1, 3))
    running = [Fixed(d.x(c)), Fixed(d.x(c, low=0.5, high=2.0))] if d.maybe(0.7) else [None, None]
    if d.maybe(0.05):
        running[d.n(0, 1)] = None
    options = d.options(weight=lambda: d.x(c), bias=lambda: d.x(c), eps=[1e-5, 0.1], momentum=[0.1, 0.0, 1.0, 0.5])
    options.update(d.options(**{"training" if name == "batch_norm" else "use_input_stats": [True, False]}))
    return [x, *running], options


@calls("local_response_norm")
def _(d):
    return [d.x(*d.shape(3, 5)), d.n(1, 5)], d.options(alpha=[1e-4, 1.0, 0.5], beta=[0.75, 1, 0.5], k=[1.0, 2, 0.5])


@calls("normalize")
def _(d):
    return [d.x(*d.shape(1, 4))], d.options(p=[2.0, 1, 3, float("inf"), 0.5, 0, -1, float("-inf"), 2.5],
                                            dim=[1, 0, -1, 2], eps=[1e-12, 1.0, 0.1])  # fmt: skip


# Distances and losses ------------------------------------------------------------------------------------------------


@calls("cosine_similarity")
def _(d):
    shape = d.shape(0, 4)
    two = d.other(shape)
    one, two = (shape, two) if d.maybe() else (two, shape)
    return [d.x(*one), d.x(*two)], d.options(dim=[0, 1, -1, 2, -2], eps=[1e-8, 0.5, 10.0])


@calls("pairwise_distance")
def _(d):
    shape = d.shape(0, 3)
    one, two = (shape, d.other(shape)) if d.maybe() else (d.other(shape), shape)
    return [d.x(*one), d.x(*two)], d.options(
        p=[2.0, 1, 3.0, float("inf"), 0.5, 0, 2], eps=[1e-6, 0.0, 0.5], keepdim=[True, False]
    )


@calls("pdist")
def _(d):
    return [d.x(d.n(1, 5), d.size())], d.options(p=[2.0, 1, 3.0, float("inf"), 0.5, 0, 2, -1, 1.5])


def _signs(d, *shape):
    signs = np.where(d.rng.random(shape) < 0.5, 1, -1)
    return signs.astype(d.one(d.dtype, d.dtype, "int64"))


@calls("margin_ranking_loss")
def _(d):
    shape = d.shape(0, 3)
    target = _signs(d, *(1 if d.maybe(0.05) else n for n in shape))
    return [d.x(*shape), d.x(*d.other(shape)), target], {**d.options(margin=[0.0, 0.5, -1, 2]), **d.reduction()}


@calls("hinge_embedding_loss")
def _(d):
    shape = d.shape(0, 3)
    target = _signs(d, *d.other(shape))
    target = np.zeros_like(target) if d.maybe(0.05) else target
    return [d.x(*shape), target], {**d.options(margin=[1.0, 0.5, -1, 2]), **d.reduction()}


@calls("soft_margin_loss")
def _(d):
    shape = d.shape(0, 3)
    return [d.x(*shape) * d.one(1, 1, 10), Fixed(_signs(d, *shape))], d.reduction()


@calls("cosine_embedding_loss")
def _(d):
    batch, n = d.one((), (d.size(),)), d.n(2, 4)
    target = _signs(d, *batch)
    other = (1, n) if batch and d.maybe(0.1) else (*batch, n)
    return [d.x(*batch, n), d.x(*other), target], {**d.options(margin=[0.0, 0.5, -0.5, 1]), **d.reduction()}


@calls("triplet_margin_loss", "triplet_margin_with_distance_loss")
def _(d, name):
    shape = d.shape(1, 3)
    options = {**d.options(margin=[1.0, 0.5, 2, 0.0 if d.maybe(0.1) else 1], swap=[True, False]), **d.reduction()}
    if name == "triplet_margin_loss":
        options.update(d.options(p=[2.0, 1, 3, float("inf")], eps=[1e-6, 0.0, 0.1]))
    else:
        options = {k: v for k, v in options.items() if k not in ("size_average", "reduce")}
    return [d.x(*shape), d.x(*shape), d.x(*d.other(shape))], options


@calls("multilabel_soft_margin_loss")
def _(d):
    shape = d.shape(1, 3)
    target = d.ints(0, 2, *shape).astype(d.dtype)
    options = d.options(weight=lambda: Fixed(d.x(*shape[-1:])))
    return [d.x(*shape) * d.one(1, 100), target], {**options, **d.reduction()}


@calls("multi_margin_loss", "multilabel_margin_loss")
def _(d, name):
    batch, classes = d.one((), (d.n(1, 4),)), d.n(1, 4)
    x = d.x(*batch, classes)
    if name == "multilabel_margin_loss":
        return [x, d.ints(-1, classes + d.maybe(0.03), *batch, classes)], d.reduction()
    options = d.options(
        p=[1, 2, 1.0, 3 if d.maybe(0.1) else 2], margin=[1.0, 0.5, 2], weight=lambda: Fixed(d.x(classes))
    )
    return [x, d.ints(0, classes + d.maybe(0.03), *batch)], {**options, **d.reduction()}


@calls("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss")
def _(d, name):
    shape = d.shape()
    target = d.x(*d.other(shape))
    ways = {"weight": lambda: d.x(*d.other(shape), low=0.1, high=2.0)} if name != "smooth_l1_loss" else {}
    ways.update({"delta": [1.0, 0.5, 3, 0.0]} if name == "huber_loss" else {})
    ways.update({"beta": [1.0, 0.5, 3, 0.0, -1.0]} if name == "smooth_l1_loss" else {})
    options = {**d.options(**ways), **d.reduction()}
    if name == "huber_loss":
        options = {k: v for k, v in options.items() if k not in ("size_average", "reduce")}
    return [d.x(*shape), target.astype("int64") if d.maybe(0.08) else target], options


@calls("kl_div")
def _(d):
    shape = d.shape()
    options = {**d.options(log_target=[True, False]), **d.options(reduction=["mean", "sum", "none", "batchmean"])}
    target = d.x(*d.other(shape), low=0.0, high=1.0)
    return [d.x(*shape), target if not options.get("log_target") else -target], options


@calls("poisson_nll_loss")
def _(d):
    shape = d.shape()
    options = {**d.options(log_input=[True, False], full=[True, False], eps=[1e-8, 0.1]), **d.reduction()}
    target = d.ints(0, 5, *d.other(shape)).astype(d.one(d.dtype, d.dtype, "int64"))
    return [d.x(*shape) if options.get("log_input", True) else d.x(*shape, low=0.1, high=2.0), target], options


@calls("gaussian_nll_loss")
def _(d):
    shape = d.shape(0, 3)
    var = d.one(shape, shape, shape[:-1], (*shape[:-1], 1), shape[1:], ())
    var = d.x(*var, low=-0.1 if d.maybe(0.05) else 0.0, high=2.0)
    target = d.x(*d.other(shape))
    options = {**d.options(full=[True, False], eps=[1e-6, 0.5]), **d.options(reduction=["mean", "sum", "none"])}
    return [d.x(*shape), target, float(d.rng.random()) if d.maybe(0.1) else var], options


@calls("binary_cross_entropy", "binary_cross_entropy_with_logits")
def _(d, name):
    shape = d.shape()
    target = d.x(*shape, low=0.0, high=1.0) if d.maybe() else d.ints(0, 2, *shape).astype(d.dtype)
    ways = {"weight": lambda: Fixed(d.x(*d.other(shape), low=0.1, high=2.0))}
    if name != "binary_cross_entropy":
        ways["pos_weight"] = lambda: Fixed(d.x(*d.other(shape), low=0.1, high=2.0))
        return [d.x(*shape) * d.one(1, 1, 100), target], {**d.options(**ways), **d.reduction()}
    return [d.x(*shape, low=0.0, high=1.01 if d.maybe(0.05) else 1.0), target], {**d.options(**ways), **d.reduction()}


def _class_options(d, classes):
    return {
        **d.options(weight=lambda: Fixed(d.x(classes, low=0.1, high=2.0)), ignore_index=[-100, 0, 1, -1]),
        **d.reduction(),
    }


@calls("nll_loss", "cross_entropy")
def _(d, name):
    classes, rest = d.n(1, 4), d.one((), (), (d.size(),), (d.size(2), d.size(2)))
    batch = () if not rest and d.maybe(0.3) else (d.size(),)
    options, x = _class_options(d, classes), d.x(*batch, classes, *rest)
    target = d.ints(-1 if d.maybe(0.03) else 0, classes + d.maybe(0.03), *batch, *rest)
    if options.get("ignore_index", 1) < 0 and d.maybe():
        target = np.where(d.rng.random(target.shape) < 0.3, options.get("ignore_index", -100), target)
    if name == "cross_entropy":
        options.update(d.options(label_smoothing=[0.0, 0.1, 1.0, 1.5 if d.maybe(0.05) else 0.3]))
        if d.maybe(0.4):
            target = d.x(*x.shape, low=0.0, high=1.0)
    return [x, target], options


@calls("linear_cross_entropy")
def _(d):
    batch, i, classes = d.one((), (d.size(),)), d.n(1, 3), d.n(1, 4)
    options = {k: v for k, v in _class_options(d, classes).items() if k not in ("size_average", "reduce")}
    options.update(d.options(label_smoothing=[0.0, 0.1], linear_bias=lambda: d.x(classes)))
    return [d.x(*batch, i), d.x(classes, i), d.ints(0, classes, *batch)], options


@calls("ctc_loss")
def _(d):
    time, batch, classes = d.n(1, 5), d.n(1, 3), d.n(2, 4)
    single = d.maybe(0.2)
    batch = 1 if single else batch
    x = d.x(time, batch, classes)
    x = (x - np.log(np.exp(x).sum(-1, keepdims=True))).astype(x.dtype)
    blank = d.n(0, classes - 1)
    counts, lengths = d.ints(0, 4, batch), d.ints(1, time + 1, batch)
    lengths = lengths + d.maybe(0.03) * 9
    letters = d.ints(1, classes, batch, max(int(counts.max()), 1))
    letters = np.where(letters == blank, 0, letters)
    if d.maybe(0.3):
        letters = np.concatenate([row[:n] for row, n in zip(letters, counts, strict=True)])
    kind = d.one(list, tuple, np.asarray)
    options = d.options(zero_infinity=[True, False], reduction=["mean", "sum", "none"])
    lengths, counts = (kind(v.tolist()) for v in (lengths, counts))
    if single:
        x, letters = (
            x[:, 0],
            letters.reshape(-1)[: int(np.asarray(counts)[0])]
            if letters.ndim == 1
            else letters[0][: int(np.asarray(counts)[0])],
        )
    return [x, letters, lengths, counts], {**options, **({"blank": blank} if blank or d.maybe() else {})}


@calls("gumbel_softmax")
def _(d):
    return [d.x(*d.shape(0, 2), 1)], d.options(tau=[1.0, 0.5], hard=[True, False])  # of one class there is no noise
