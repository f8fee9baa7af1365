"""The functions of `nn.functional` give PyTorch's values and derivatives, at kinks and edges too, and its errors."""

import warnings

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import assert_same, both, normal

pytestmark = pytest.mark.compare


def call(name, *args, **options):
    """The function of a library and its float inputs that calls this function; other arrays become tensors."""

    def fn(lib, *inputs):
        given = [lib.tensor(a) if isinstance(a, np.ndarray) else a for a in args]
        named = {k: lib.tensor(a) if isinstance(a, np.ndarray) else a for k, a in options.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's advice
            return getattr(lib.nn.functional, name)(*inputs, *given, **named)

    return fn


# Activations -------------------------------------------------------------------------------------------------------

ACTIVATIONS = [
    ("celu", {}), ("celu", {"alpha": 0.5}), ("celu", {"alpha": -0.5}), ("glu", {}), ("glu", {"dim": 0}),
    ("hardshrink", {}), ("hardshrink", {"lambd": 1.0}), ("hardsigmoid", {}), ("hardswish", {}), ("hardtanh", {}),
    ("mish", {}), ("relu6", {}), ("rrelu", {}), ("selu", {}), ("softmin", {"dim": 1}), ("softshrink", {}),
    ("softshrink", {"lambd": 0.0}), ("tanhshrink", {}), ("threshold", {"threshold": 0.3, "value": 7.0}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), ACTIVATIONS, ids=str)
@pytest.mark.parametrize("x", [
    normal(4, 6), 10 * normal(4, 6), np.array([[0.0, 3.0, -3.0, 6.0, 0.5, -0.5], [0.3, 1.0, -1.0, 40.0, -40.0, 700.0]]),
], ids=["near", "far", "edges"])  # fmt: skip
def test_activations(name, options, x):
    # PyTorch's slope of hardsigmoid is a float32 constant, and differentiated once only
    rtol = 1e-6 if name == "hardsigmoid" else 1e-9
    assert_same(call(name, **options), x, rtol=rtol, second=name != "hardsigmoid")


@pytest.mark.parametrize(
    "shapes", [((4,), (1,)), ((), (1,)), ((3, 4), (4,)), ((3, 4), (1,)), ((2, 3, 4), (3,))], ids=str
)
def test_prelu(shapes):
    assert_same(call("prelu"), normal(*shapes[0]), normal(*shapes[1], seed=1))
    # at 0 PyTorch's second derivatives are those of the other side than its first
    assert_same(call("prelu"), np.zeros(shapes[0]), normal(*shapes[1], seed=1), second=False)


IN_PLACE = [
    ("relu", {}), ("leaky_relu", {"negative_slope": 0.2}), ("elu", {"alpha": 0.5}), ("celu", {"alpha": 0.5}),
    ("selu", {}), ("silu", {}), ("mish", {}), ("hardtanh", {}), ("relu6", {}), ("hardsigmoid", {}), ("hardswish", {}),
    ("threshold", {"threshold": 0.1, "value": 2.0}), ("rrelu", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), IN_PLACE, ids=str)
def test_activations_in_place_write_and_are_recorded(name, options):
    def fn(lib, x):
        y = x * 2
        z = getattr(lib.nn.functional, name)(y, **options, inplace=True)
        assert z is y
        return y * 3

    assert_same(fn, normal(4, 6), rtol=1e-6 if name == "hardsigmoid" else 1e-9, second=False)


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "elu", "celu", "selu", "hardtanh", "rrelu"])
def test_underscored_activations_are_those_in_place(name):
    def fn(lib, x):
        y = x + 0
        assert getattr(lib.nn.functional, name + "_")(y) is y
        return y

    assert_same(fn, normal(5), second=False)


# Windows -----------------------------------------------------------------------------------------------------------

TRANSPOSED = [
    {}, {"stride": 2}, {"stride": 2, "padding": 1}, {"stride": 3, "padding": 1, "output_padding": 2},
    {"dilation": 2, "output_padding": 1}, {"stride": 2, "padding": 2, "output_padding": 1, "dilation": 3},
]  # fmt: skip


@pytest.mark.parametrize("options", TRANSPOSED, ids=str)
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolutions(options, ndim, groups):
    x, w = normal(2, 4, *(4, 3, 2)[:ndim]), normal(4, 3, *(3, 2, 2)[:ndim], seed=1)
    assert_same(call(f"conv_transpose{ndim}d", groups=groups, **options), x, w, normal(3 * groups, seed=2))


def test_transposed_convolution_without_a_batch():
    assert_same(call("conv_transpose2d", stride=2), normal(3, 4, 5), normal(3, 2, 2, 2, seed=1))


@pytest.mark.parametrize(
    "options", [{}, {"stride": 2, "padding": 1, "dilation": (1, 2, 1)}, {"padding": "same"}], ids=str
)
def test_conv3d(options):
    assert_same(call("conv3d", **options), normal(2, 2, 4, 5, 3), normal(2, 2, 2, 2, 2, seed=1), normal(2, seed=2))


def test_conv_tbc():
    assert_same(call("conv_tbc", pad=1), normal(6, 2, 3), normal(3, 3, 4, seed=1), normal(4, seed=2))


WINDOWS = [{}, {"padding": 1}, {"stride": 2, "dilation": 2}, {"stride": (1, 2), "padding": (1, 0), "dilation": (2, 1)}]


@pytest.mark.parametrize("options", WINDOWS, ids=str)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_unfold_and_fold(options, batch):
    x = normal(*batch, 3, 6, 7)
    assert_same(call("unfold", kernel_size=(2, 3), **options), x)
    columns = answer("torch", lambda torch: torch.nn.functional.unfold(torch.tensor(x), (2, 3), **options))
    assert_same(call("fold", (6, 7), (2, 3), **options), columns)


POOLS = [
    ({"kernel_size": 3, "stride": 2, "ceil_mode": True}),
    ({"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}),
    ({"kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": True}),
    ({"kernel_size": 2}),
]


@pytest.mark.parametrize("options", POOLS, ids=str)
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_pools_of_each_number_of_dimensions(options, ndim, batch):
    x = normal(*batch, 2, *(7, 6, 8)[:ndim])
    assert_same(call(f"max_pool{ndim}d", **options), x)
    assert_same(call(f"avg_pool{ndim}d", **options), x)
    assert_same(call(f"avg_pool{ndim}d", count_include_pad=False, **options), x)
    if ndim > 1:
        assert_same(call(f"avg_pool{ndim}d", divisor_override=5, **options), x)
    places = both(lambda lib: call(f"max_pool{ndim}d_with_indices", **options)(lib, lib.tensor(x))[1].numpy())
    np.testing.assert_array_equal(*places)


@pytest.mark.parametrize("norm", [1, 2, 3.5])
@pytest.mark.parametrize("options", [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "ceil_mode": True}], ids=str)
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_lp_pools(norm, options, ndim):
    x = np.random.default_rng(0).uniform(0.1, 2, size=(2, 2, *(5, 6, 5)[:ndim]))
    assert_same(call(f"lp_pool{ndim}d", norm, **options), x)


@pytest.mark.parametrize("size", [1, 3, 7, 10])
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_adaptive_pools(size, ndim, batch):
    x = np.random.default_rng(0).integers(0, 4, size=(*batch, 2, *(7, 6, 5)[:ndim])).astype(float)  # with ties
    assert_same(call(f"adaptive_avg_pool{ndim}d", size), x)
    assert_same(call(f"adaptive_max_pool{ndim}d", size), x)
    pool = call(f"adaptive_max_pool{ndim}d", size, return_indices=True)
    np.testing.assert_array_equal(*both(lambda lib: pool(lib, lib.tensor(x))[1].numpy()))


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("longer", [0, 1])
def test_unpooling_puts_back(ndim, longer):
    shape = (2, 2, *(6, 8, 4)[:ndim])
    shape = tuple(n + longer for n in shape) if longer else shape

    def fn(lib, x):
        F = lib.nn.functional
        pooled, places = getattr(F, f"max_pool{ndim}d")(x, 2, return_indices=True)
        return getattr(F, f"max_unpool{ndim}d")(pooled, places, 2, output_size=shape[2:])

    assert_same(fn, normal(*shape), second=False)


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize("asked", [{"output_size": 3}, {"output_ratio": (0.6, 0.5, 0.7)}], ids=str)
def test_fractional_pools_of_given_samples(ndim, asked):
    samples = np.random.default_rng(1).uniform(size=(2, 3, ndim))
    asked = {k: v[:ndim] if isinstance(v, tuple) else v for k, v in asked.items()}
    x = normal(2, 3, *(7, 8, 6)[:ndim])
    assert_same(call(f"fractional_max_pool{ndim}d", 2, _random_samples=samples, **asked), x, second=False)


# Sizes and order -----------------------------------------------------------------------------------------------------

RESIZES = [
    ("nearest", {"size": 7}), ("nearest", {"scale_factor": 2}), ("nearest", {"scale_factor": 0.6}),
    ("nearest-exact", {"size": 5}), ("nearest-exact", {"scale_factor": 1.7}), ("area", {"size": 3}),
    ("linear", {"size": 7}), ("linear", {"size": 7, "align_corners": True}), ("linear", {"scale_factor": 2.3}),
    ("linear", {"scale_factor": 2.3, "recompute_scale_factor": True}), ("linear", {"size": 1, "align_corners": True}),
    ("linear", {"size": 3}), ("bicubic", {"size": 7}), ("bicubic", {"size": 3, "align_corners": True}),
    ("bicubic", {"scale_factor": 1.5}), ("bilinear", {"size": 3, "antialias": True}),
    ("bilinear", {"size": 2, "antialias": True}), ("bicubic", {"size": 2, "antialias": True}),
    ("bicubic", {"size": 9, "antialias": True}),
]  # fmt: skip


OF_IMAGES = ("bilinear", "bicubic")


@pytest.mark.parametrize(("mode", "options", "ndim"), [
    (mode, options, ndim) for mode, options in RESIZES for ndim in ((2,) if mode in OF_IMAGES else (1, 2, 3))
], ids=str)  # fmt: skip
def test_interpolation(mode, options, ndim):
    name = {1: "linear", 2: "bilinear", 3: "trilinear"}[ndim] if mode == "linear" else mode
    x = normal(2, 2, *(5, 6, 4)[:ndim])
    assert_same(call("interpolate", mode=name, **options), x, rtol=1e-8, second=not options.get("antialias"))


def test_interpolation_to_unlike_lengths():
    assert_same(call("interpolate", size=(3, 8), mode="bilinear"), normal(1, 2, 5, 6))
    assert_same(call("interpolate", scale_factor=(2.0, 0.5), mode="bicubic"), normal(1, 2, 5, 6))
    assert_same(call("upsample", size=(3, 8)), normal(1, 2, 5, 6))
    assert_same(call("upsample_bilinear", scale_factor=2), normal(1, 2, 5, 6))
    assert_same(call("upsample_nearest", scale_factor=3), normal(1, 2, 5, 6))


def test_shuffles():
    assert_same(call("pixel_shuffle", 2), normal(2, 8, 3, 2))
    assert_same(call("pixel_unshuffle", 2), normal(3, 4, 6))
    assert_same(call("channel_shuffle", 3), normal(2, 6, 2, 3))
    x = normal(2, 6, 2)  # PyTorch has no derivative of it
    np.testing.assert_array_equal(*both(lambda lib: lib.nn.functional.native_channel_shuffle(lib.tensor(x), 2).numpy()))


@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("size", [(2, 3, 4, 5), (2, 3, 4, 1), (2, 1, 3, 4, 2)], ids=str)
def test_affine_grid(align, size):
    ndim = len(size) - 2
    assert_same(call("affine_grid", size, align_corners=align), normal(2, ndim, ndim + 1))


@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("outside", ["zeros", "border", "reflection"])
@pytest.mark.parametrize(("mode", "ndim"), [
    ("bilinear", 2), ("bilinear", 3), ("nearest", 2), ("nearest", 3), ("bicubic", 2),
])  # fmt: skip
def test_grid_sample(align, outside, mode, ndim):
    grid = np.random.default_rng(3).uniform(-1.9, 1.9, size=(2, *(3, 4, 2)[:ndim], ndim))
    options = {"mode": mode, "padding_mode": outside, "align_corners": align}
    assert_same(call("grid_sample", **options), normal(2, 2, *(5, 4, 3)[:ndim]), grid, second=False)


# Normalisation, lookup, distances ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 3), (3, 4, 2, 3)], ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_group_norm(shape, groups):
    def fn(lib, x, w, b):
        return lib.nn.functional.group_norm(x, groups, w, b)

    assert_same(fn, normal(*shape), normal(4, seed=1), normal(4, seed=2), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, 4, 2)], ids=str)
@pytest.mark.parametrize("by_input", [True, False])
def test_instance_norm(shape, by_input):
    def run(lib, x, w, b):
        mean, var = lib.tensor(np.array([0.1, 0.2, 0.3])), lib.tensor(np.array([1.0, 2.0, 0.5]))
        y = lib.nn.functional.instance_norm(x, mean, var, w, b, use_input_stats=by_input, momentum=0.3)
        return y, np.concatenate([mean.numpy(), var.numpy()])

    arrays = normal(*shape), normal(3, seed=1), normal(3, seed=2)
    assert_same(lambda lib, *inputs: run(lib, *inputs)[0], *arrays, rtol=1e-7, atol=1e-8)
    kept = both(lambda lib: run(lib, *map(lib.tensor, arrays))[1])
    np.testing.assert_allclose(*kept, rtol=1e-12)


@pytest.mark.parametrize("shape", [(5,), (3, 5)])
@pytest.mark.parametrize("eps", [None, 0.1])
def test_rms_norm(shape, eps):
    assert_same(lambda lib, x, w: lib.nn.functional.rms_norm(x, shape, w, eps), normal(2, 3, 5), normal(*shape, seed=1))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("shape", [(2, 4, 3), (2, 4, 2, 3)], ids=str)
def test_local_response_norm(size, shape):
    assert_same(call("local_response_norm", size, alpha=0.3, beta=0.6, k=1.3), normal(*shape))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 1])
@pytest.mark.parametrize("bags", [None, [0, 2, 2], [0, 2, 2, 6]], ids=str)
def test_embedding_bags(mode, padding, bags):
    index = np.array([[0, 1, 1], [3, 2, 0]])
    options = {"mode": mode, "padding_idx": padding}
    if bags is not None:
        index, options["offsets"] = index.ravel(), np.array(bags)
        options["include_last_offset"] = len(bags) == 4

    def fn(lib, w):
        named = {k: lib.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
        return lib.nn.functional.embedding_bag(lib.tensor(index), w, **named)

    assert_same(fn, normal(4, 3), second=False)


def test_embedding_bags_with_a_weight_of_each_row():
    index = np.array([[0, 1, 1], [3, 2, 0]])

    def fn(lib, w, each):
        return lib.nn.functional.embedding_bag(lib.tensor(index), w, per_sample_weights=each, mode="sum")

    assert_same(fn, normal(4, 3), normal(2, 3, seed=1), second=False)


@pytest.mark.parametrize("options", [{"max_norm": 1.0}, {"max_norm": 0.5, "norm_type": 1.0},
    {"scale_grad_by_freq": True}],
                         ids=str)  # fmt: skip
def test_settings_of_embedding(options):
    index = np.array([[0, 1, 1], [3, 0, 0]])

    def run(lib):
        table = lib.tensor(normal(4, 3), requires_grad=True)
        weight = table if "max_norm" not in options else lib.nn.Parameter(lib.tensor(normal(4, 3)))
        (lib.nn.functional.embedding(lib.tensor(index), weight, **options) ** 2).sum().backward()
        return weight.detach().numpy(), weight.grad.numpy()

    for a, b in zip(*both(run), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cosine_similarity(dim):
    x = normal(3, 4)
    assert_same(call("cosine_similarity", dim=dim), x, normal(3, 4, seed=1))
    x[1] = 0.0
    assert_same(call("cosine_similarity", dim=dim), x, normal(3, 4, seed=1), second=dim == 0)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, float("inf")])
def test_distances(p):
    assert_same(call("pairwise_distance", p=p), normal(3, 4), normal(3, 4, seed=1))
    assert_same(call("pairwise_distance", p=p, keepdim=True, eps=0.1), normal(4), normal(4, seed=1))
    assert_same(call("pdist", p=p), normal(5, 3), second=False)


# Losses --------------------------------------------------------------------------------------------------------------

SIGNS = np.where(normal(6, seed=8) > 0, 1.0, -1.0)
REDUCTIONS = ["mean", "sum", "none"]
LOSSES = {
    "margin_ranking_loss": (lambda F, o, a, b, t: F.margin_ranking_loss(a, b, t, 0.3, **o), [(6,), (6,)], SIGNS),
    "hinge_embedding_loss": (lambda F, o, a, t: F.hinge_embedding_loss(a, t, 0.7, **o), [(6,)], SIGNS),
    "soft_margin_loss": (lambda F, o, a, t: F.soft_margin_loss(a, t, **o), [(6,)], SIGNS),
    "cosine_embedding_loss": (lambda F, o, a, b, t: F.cosine_embedding_loss(a, b, t, 0.1, **o), [(6, 3), (6, 3)],
    SIGNS),
    "cosine_embedding_loss of one": (lambda F, o, a, b, t: F.cosine_embedding_loss(a, b, t, **o), [(3,), (3,)],
    SIGNS[0]),
    "multilabel_soft_margin_loss": (
        lambda F, o, a, t: F.multilabel_soft_margin_loss(a, t, **o), [(2, 3)], (SIGNS > 0).reshape(2, 3).astype(float)),
    "multi_margin_loss": (lambda F, o, a, t: F.multi_margin_loss(a, t, **o), [(3, 4)], np.array([0, 3, 1])),
    "multi_margin_loss squared": (
        lambda F, o, a, t: F.multi_margin_loss(a, t, p=2, margin=0.5, **o), [(3, 4)], np.array([0, 3, 1])),
    "multi_margin_loss of one": (lambda F, o, a, t: F.multi_margin_loss(a, t, **o), [(4,)], np.array(2)),
    "multilabel_margin_loss": (
        lambda F, o, a, t: F.multilabel_margin_loss(a, t, **o), [(2, 4)], np.array([[3, 0, -1, 1], [-1, 2, 2, 2]])),
    "multilabel_margin_loss of one": (
        lambda F, o, a, t: F.multilabel_margin_loss(a, t, **o), [(4,)], np.array([1, 2, 0, -1])),
    "triplet_margin_loss": (lambda F, o, a, b, c, t: F.triplet_margin_loss(a, b, c, **o), [(4, 3)] * 3, SIGNS),
    "triplet_margin_loss swapped": (
        lambda F, o, a, b, c, t: F.triplet_margin_loss(a, b, c, 0.5, p=3, swap=True, **o), [(4, 3)] * 3, SIGNS),
    "triplet_margin_with_distance_loss": (
        lambda F, o, a, b, c, t: F.triplet_margin_with_distance_loss(
            a, b, c, distance_function=lambda x, y: 1 - F.cosine_similarity(x, y), **o), [(4, 3)] * 3, SIGNS),
    "linear_cross_entropy": (
        lambda F, o, a, w, t: F.linear_cross_entropy(a, w, t, label_smoothing=0.1, **o), [(3, 5), (4, 5)],
        np.array([0, -100, 1])),
    "linear_cross_entropy of several": (
        lambda F, o, a, w, t: F.linear_cross_entropy(a, w, t, **o), [(3, 5), (4, 2, 5)], np.array([[0, 3], [1, 1],
        [2, 0]])),
}  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, reduction):
    fn, shapes, target = LOSSES[name]
    inputs = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
    twice = not name.startswith(("multi_margin", "multilabel_margin"))
    assert_same(
        lambda lib, *x: fn(lib.nn.functional, {"reduction": reduction}, *x, lib.tensor(target)),
        *inputs,
        second=twice,
    )


@pytest.mark.parametrize("weighted", ["multi_margin_loss", "multilabel_soft_margin_loss"])
def test_weights_of_classes(weighted):
    target = np.array([0, 3, 1]) if weighted == "multi_margin_loss" else (normal(3, 4) > 0).astype(float)
    options = {"weight": np.array([0.5, 1.0, 2.0, 3.0])}
    assert_same(call(weighted, target, **options), normal(3, 4), second=False)


CTC = {
    "padded": (np.array([[1, 2, 2, 0], [3, 1, 0, 0]]), [7, 5], [3, 2]),
    "joined": (np.array([1, 2, 2, 3, 1]), [7, 5], [3, 2]),
    "an empty target": (np.array([[1, 2, 2, 0], [3, 1, 0, 0]]), [7, 6], [3, 0]),
    "one letter": (np.array([[1], [2]]), [3, 1], [1, 1]),
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", CTC)
def test_ctc_loss(name, reduction):
    targets, lengths, counts = CTC[name]

    def fn(lib, x):
        F = lib.nn.functional
        return F.ctc_loss(
            F.log_softmax(x, -1), lib.tensor(targets), lib.tensor(lengths), lib.tensor(counts), 0, reduction
        )

    assert_same(fn, normal(7, 2, 4), second=False)


@pytest.mark.parametrize("forgiven", [True, False])
def test_ctc_loss_of_what_no_path_can_read(forgiven):
    def fn(lib, x):
        F, options = lib.nn.functional, {"zero_infinity": forgiven, "reduction": "none"}
        args = lib.tensor([[1, 1, 2], [1, 2, 3]]), lib.tensor([3, 3]), lib.tensor([3, 3])
        return F.ctc_loss(F.log_softmax(x, -1), *args, **options)

    if forgiven:
        assert_same(fn, normal(3, 2, 4), second=False)
    else:
        values = both(lambda lib: fn(lib, lib.tensor(normal(3, 2, 4))).numpy())
        np.testing.assert_allclose(*values)
        assert np.isinf(values[0][0])


# Attention -----------------------------------------------------------------------------------------------------------


def attention(**options):
    """Attention, and in PyTorch by the implementation that has second derivatives."""
    fn = call("scaled_dot_product_attention", **options)

    def chosen(lib, *inputs):
        if lib is sg:
            return fn(lib, *inputs)
        with lib.nn.attention.sdpa_kernel(lib.nn.attention.SDPBackend.MATH):
            return fn(lib, *inputs)

    return chosen


@pytest.mark.parametrize("options", [
    {}, {"is_causal": True}, {"scale": 0.3}, {"attn_mask": normal(4, 5, seed=5)}, {"attn_mask": normal(4, 5,
    seed=5) > -0.3},
    {"attn_mask": np.array([[True] * 5, [False] * 5, [True] * 5, [False, True] * 2 + [False]])},
], ids=["plain", "causal", "scale", "added", "chosen", "a row without any"])  # fmt: skip
def test_scaled_dot_product_attention(options):
    arrays = normal(2, 3, 4, 6), normal(2, 3, 5, 6, seed=1), normal(2, 3, 5, 2, seed=2)
    assert_same(attention(**options), *arrays)


def test_heads_that_share_a_key():
    arrays = normal(2, 4, 3, 6), normal(2, 2, 5, 6, seed=1), normal(2, 2, 5, 2, seed=2)
    assert_same(attention(enable_gqa=True), *arrays)


# Nothing, and what is no number ---------------------------------------------------------------------------------------

EMPTY = {
    "conv2d": lambda F, x: F.conv2d(x, x.new_ones(3, 4, 2, 2)),
    "conv_transpose2d": lambda F, x: F.conv_transpose2d(x, x.new_ones(4, 3, 2, 2)),
    "max_pool2d": lambda F, x: F.max_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda F, x: F.adaptive_avg_pool2d(x, 2),
    "adaptive_max_pool2d": lambda F, x: F.adaptive_max_pool2d(x, 3),
    "group_norm": lambda F, x: F.group_norm(x, 2),
    "instance_norm": lambda F, x: F.instance_norm(x),
    "interpolate": lambda F, x: F.interpolate(x, 3, mode="bilinear"),
    "grid_sample": lambda F, x: F.grid_sample(x, x.new_zeros(0, 2, 2, 2), align_corners=False),
    "unfold": lambda F, x: F.unfold(x, 2),
    "pixel_shuffle": lambda F, x: F.pixel_shuffle(x, 2),
    "attention": lambda F, x: F.scaled_dot_product_attention(x, x, x),
}


@pytest.mark.parametrize("name", EMPTY)
def test_batches_of_nothing(name):
    def run(lib):
        return EMPTY[name](lib.nn.functional, lib.zeros(0, 4, 5, 5, requires_grad=True))

    ours, shape = run(sg), answer("torch", lambda torch: run(torch).shape)
    assert tuple(ours.shape) == shape
    ours.sum().backward()


SPECIAL = np.array([[np.nan, np.inf, -np.inf, 0.0, -0.0, 1e4, -1e4, 1e300]])


@pytest.mark.parametrize(("name", "args"), [
    ("hardshrink", ()), ("softshrink", ()), ("threshold", (0.0, 1.0)), ("celu", ()), ("mish", ()), ("hardswish", ()),
    ("hardsigmoid", ()), ("tanhshrink", ()), ("prelu", (np.array([0.2]),)), ("max_pool1d", (2,)),
    ("adaptive_max_pool1d", (3,)), ("adaptive_avg_pool1d", (3,)), ("glu", ()),
], ids=str)  # fmt: skip
def test_values_of_what_is_no_number(name, args):
    fn = call(name, *args)
    np.testing.assert_allclose(*both(lambda lib: fn(lib, lib.tensor(SPECIAL)).numpy()), rtol=1e-12)


@pytest.mark.parametrize("name", ["cosine_similarity", "pairwise_distance", "pdist", "hinge_embedding_loss"])
def test_distances_of_what_is_equal(name):
    x, y = np.ones((3, 4)), np.array([[0.0] * 4, [1.0] * 4, [-1.0] * 4])
    if name == "hinge_embedding_loss":
        assert_same(call(name, y, reduction="none"), x)
    else:
        assert_same(call(name, **({"eps": 0.0} if name == "pairwise_distance" else {})),
                    *([x] if name == "pdist" else [x, y]), second=False)  # fmt: skip


# Errors --------------------------------------------------------------------------------------------------------------

ERRORS = {
    "one_hot": lambda lib, F: F.one_hot(lib.zeros(0).long()),
    "one_hot below": lambda lib, F: F.one_hot(lib.tensor([-1])),
    "one_hot above": lambda lib, F: F.one_hot(lib.tensor([3]), 3),
    "one_hot of fractions": lambda lib, F: F.one_hot(lib.tensor([1.5])),
    "transposed channels": lambda lib, F: F.conv_transpose2d(lib.ones(1, 3, 4, 4), lib.ones(2, 3, 2, 2)),
    "output padding": lambda lib, F: F.conv_transpose1d(lib.ones(1, 3, 4), lib.ones(3, 3, 2), output_padding=1),
    "fold channels": lambda lib, F: F.fold(lib.ones(1, 3, 4), (2, 2), 2),
    "fold places": lambda lib, F: F.fold(lib.ones(1, 4, 4), (2, 2), 2),
    "unpool place": lambda lib, F: F.max_unpool2d(lib.ones(1, 2, 2), lib.full((1, 2, 2), 99), 2),
    "pixels": lambda lib, F: F.pixel_shuffle(lib.ones(3, 2, 2), 2),
    "pixels back": lambda lib, F: F.pixel_unshuffle(lib.ones(1, 3, 3), 2),
    "channels": lambda lib, F: F.channel_shuffle(lib.ones(1, 3, 2, 2), 2),
    "no size": lambda lib, F: F.interpolate(lib.ones(1, 1, 3)),
    "two sizes": lambda lib, F: F.interpolate(lib.ones(1, 1, 3), size=3, scale_factor=2),
    "resize dims": lambda lib, F: F.interpolate(lib.ones(1, 3), size=3),
    "resize mode": lambda lib, F: F.interpolate(lib.ones(1, 1, 3), size=3, mode="bilinear"),
    "resize corners": lambda lib, F: F.interpolate(lib.ones(1, 1, 3), size=3, align_corners=True),
    "resize sizes": lambda lib, F: F.interpolate(lib.ones(1, 1, 3), size=(3, 3)),
    "groups": lambda lib, F: F.group_norm(lib.ones(2, 3), 2),
    "group of one": lambda lib, F: F.group_norm(lib.ones(1, 2), 2),
    "instance of one": lambda lib, F: F.instance_norm(lib.ones(2, 3, 1)),
    "rms shape": lambda lib, F: F.rms_norm(lib.ones(2, 3), (2,)),
    "response dims": lambda lib, F: F.local_response_norm(lib.ones(3), 2),
    "pdist dims": lambda lib, F: F.pdist(lib.ones(2)),
    "divisor": lambda lib, F: F.avg_pool2d(lib.ones(1, 2, 2), 2, divisor_override=0),
    "glu": lambda lib, F: F.glu(lib.ones(3)),
    "prelu": lambda lib, F: F.prelu(lib.ones(2, 3), lib.ones(2)),
    "softshrink": lambda lib, F: F.softshrink(lib.ones(2), -1.0),
    "hardtanh": lambda lib, F: F.hardtanh(lib.ones(2), 1.0, -1.0),
    "celu": lambda lib, F: F.celu(lib.ones(2), 0.0),
    "dropout": lambda lib, F: F.alpha_dropout(lib.ones(2), 1.5),
    "bags": lambda lib, F: F.embedding_bag(lib.tensor([0]), lib.ones(2, 2)),
    "bags twice": lambda lib, F: F.embedding_bag(lib.tensor([[0]]), lib.ones(2, 2), lib.tensor([0])),
    "mode of bags": lambda lib, F: F.embedding_bag(lib.tensor([[0]]), lib.ones(2, 2), mode="x"),
    "soft margin": lambda lib, F: F.soft_margin_loss(lib.ones(2), lib.ones(3)),
    "ranking": lambda lib, F: F.margin_ranking_loss(lib.ones(2), lib.ones(2, 1), lib.ones(2)),
    "cosines": lambda lib, F: F.cosine_embedding_loss(lib.ones(2, 2), lib.ones(2, 2), lib.ones(2, 2)),
    "triplets": lambda lib, F: F.triplet_margin_loss(lib.ones(2, 2), lib.ones(2), lib.ones(2, 2)),
    "margin": lambda lib, F: F.triplet_margin_loss(lib.ones(2), lib.ones(2), lib.ones(2), margin=-1.0),
    "power": lambda lib, F: F.multi_margin_loss(lib.ones(2, 2), lib.tensor([0, 1]), p=3),
    "two masks": lambda lib, F: F.scaled_dot_product_attention(
        lib.ones(2, 2), lib.ones(2, 2), lib.ones(2, 2), lib.ones(2, 2), is_causal=True),
    "grid mode": lambda lib, F: F.grid_sample(lib.ones(1, 1, 2, 2), lib.ones(1, 1, 1, 2), mode="x"),
    "grid outside": lambda lib, F: F.grid_sample(lib.ones(1, 1, 2, 2), lib.ones(1, 1, 1, 2), padding_mode="x"),
    "grid": lambda lib, F: F.grid_sample(lib.ones(1, 1, 2, 2), lib.ones(1, 1, 1, 3)),
    "affine": lambda lib, F: F.affine_grid(lib.ones(1, 2, 2), (1, 1, 2, 2)),
    "fraction": lambda lib, F: F.fractional_max_pool2d(lib.ones(1, 1, 4, 4), 2),
    "ctc lengths": lambda lib, F: F.ctc_loss(
        lib.ones(2, 1, 3), lib.tensor([[1]]), lib.tensor([3]), lib.tensor([1])),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_of_the_kind_torch_raises(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as theirs:
            answer("torch", lambda torch: ERRORS[name](torch, torch.nn.functional))
    with pytest.raises(theirs.type):
        ERRORS[name](sg, sg.nn.functional)
