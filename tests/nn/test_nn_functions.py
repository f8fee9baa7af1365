"""Every function of `nn.functional` takes NumPy arrays, has right derivatives, and draws what it says."""

import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad.nn import functional as F

from ..helpers.cases import one_in


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def uniform(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.05, 0.95, size=shape)


LINE, IMAGE, VOLUME = normal(1, 2, 7), normal(1, 2, 6, 5), normal(1, 2, 4, 3, 5)
SIGNS = np.array([1.0, -1.0, 1.0])
ROW, ROWS, CLASSES = normal(3), normal(3, 4), np.array([0, 3, 1])
ROWWISE = ((normal(3), normal(3, seed=1)), {})

SAMPLES = {
    "prelu": ((ROWS, uniform(4)), {}), "threshold": ((ROW, 0.1, 2.0), {}), "glu": ((normal(4),), {}),
    "softmax": ((ROWS, 1), {}), "softmin": ((ROWS, 1), {}), "log_softmax": ((ROWS, 1), {}),
    "linear": ((ROWS, normal(2, 4), normal(2)), {}), "bilinear": ((ROWS, ROWS, normal(2, 4, 4), normal(2)), {}),
    "embedding": ((CLASSES, normal(4, 2)), {}), "embedding_bag": ((CLASSES, normal(4, 2), np.array([0, 1])), {}),
    "one_hot": ((CLASSES,), {}), "conv_tbc": ((normal(5, 1, 2), normal(2, 2, 3), normal(3)), {}),
    "fold": ((normal(1, 8, 4), 3, 2), {}), "unfold": ((IMAGE, 2), {}), "pad": ((ROWS, (1, 2)), {}),
    "conv1d": ((LINE, normal(3, 2, 2), normal(3)), {}), "conv2d": ((IMAGE, normal(3, 2, 2, 2), normal(3)), {}),
    "conv3d": ((VOLUME, normal(3, 2, 2, 2, 2), normal(3)), {}),
    "conv_transpose1d": ((LINE, normal(2, 3, 2), normal(3)), {"stride": 2}),
    "conv_transpose2d": ((IMAGE, normal(2, 3, 2, 2), normal(3)), {"stride": 2}),
    "conv_transpose3d": ((VOLUME, normal(2, 3, 2, 2, 2), normal(3)), {"stride": 2}),
    "pixel_shuffle": ((normal(1, 4, 2, 2), 2), {}), "pixel_unshuffle": ((normal(1, 1, 2, 4), 2), {}),
    "channel_shuffle": ((IMAGE, 2), {}), "native_channel_shuffle": ((IMAGE, 2), {}),
    "interpolate": ((LINE, 9), {"mode": "linear"}), "upsample": ((LINE, 9), {}), "upsample_nearest": ((IMAGE, 9), {}),
    "upsample_bilinear": ((IMAGE, 9), {}), "affine_grid": ((normal(1, 2, 3), (1, 1, 3, 4)), {}),
    "grid_sample": ((IMAGE, normal(1, 3, 3, 2)), {}), "normalize": ((ROWS,), {}),
    "batch_norm": ((ROWS, normal(4), uniform(4), normal(4), normal(4)), {}),
    "group_norm": ((IMAGE, 2, ROW[:2], ROW[:2]), {}),
    "instance_norm": ((IMAGE, None, None, ROW[:2], ROW[:2]), {}), "layer_norm": ((ROWS, 4, normal(4), normal(4)), {}),
    "rms_norm": ((ROWS, 4, normal(4)), {}), "local_response_norm": ((LINE, 2), {}),
    "binary_cross_entropy": ((uniform(3), uniform(3, seed=1), uniform(3)), {}),
    "binary_cross_entropy_with_logits": ((ROW, uniform(3), uniform(3)), {"pos_weight": uniform(3)}),
    "gaussian_nll_loss": ((ROW, normal(3, seed=1), uniform(3)), {}),
    "poisson_nll_loss": ((ROW, uniform(3)), {"full": True}),
    "kl_div": ((ROW, uniform(3)), {}), "mse_loss": ROWWISE, "l1_loss": ROWWISE, "huber_loss": ROWWISE,
    "smooth_l1_loss": ROWWISE, "pairwise_distance": ROWWISE, "cosine_similarity": (ROWWISE[0], {"dim": 0}),
    "pdist": ((ROWS,), {}), "nll_loss": ((ROWS, CLASSES, uniform(4)), {}),
    "cross_entropy": ((ROWS, CLASSES, uniform(4)), {}),
    "linear_cross_entropy": ((ROWS, normal(5, 4), CLASSES), {}),
    "ctc_loss": ((normal(4, 1, 3), np.array([[1, 2]]), np.array([4]), np.array([2])), {}),
    "margin_ranking_loss": ((ROW, normal(3, seed=1), SIGNS), {}), "hinge_embedding_loss": ((ROW, SIGNS), {}),
    "soft_margin_loss": ((ROW, SIGNS), {}), "cosine_embedding_loss": ((ROWS, normal(3, 4, seed=1), SIGNS), {}),
    "multi_margin_loss": ((ROWS, CLASSES), {"weight": uniform(4)}),
    "multilabel_margin_loss": ((ROW, np.array([1, -1, 0])), {}),
    "multilabel_soft_margin_loss": ((ROW, (SIGNS + 1) / 2, uniform(3)), {}),
    "triplet_margin_loss": ((ROW, normal(3, seed=1), normal(3, seed=2)), {}),
    "triplet_margin_with_distance_loss": ((ROW, normal(3, seed=1), normal(3, seed=2)), {}),
    "scaled_dot_product_attention": ((ROWS, normal(5, 4), normal(5, 2)), {"attn_mask": normal(3, 5) > -1}),
    "multi_head_attention_forward": (
        (normal(3, 2, 4), normal(5, 2, 4), normal(5, 2, 4), 4, 2, normal(12, 4), normal(12), normal(1, 1, 4),
    normal(1, 1, 4),
         True, 0.0, normal(4, 4), normal(4)), {"key_padding_mask": normal(2, 5) > 0.5}),
}  # fmt: skip
for n, x in ((1, LINE), (2, IMAGE), (3, VOLUME)):
    SAMPLES |= {f"{kind}_pool{n}d": ((x, 2), {}) for kind in ("max", "avg", "adaptive_avg", "adaptive_max")}
    SAMPLES |= {f"lp_pool{n}d": ((abs(x), 2, 2), {}), f"max_pool{n}d_with_indices": ((x, 2), {})}
    SAMPLES[f"adaptive_max_pool{n}d_with_indices"] = ((x, 2), {})
    SAMPLES[f"max_unpool{n}d"] = ((np.ones((1,) * (n + 1)), np.zeros((1,) * (n + 1), np.int64), 2), {})
    if n > 1:
        samples = {"_random_samples": uniform(1, 2, n)}
        SAMPLES |= {f"fractional_max_pool{n}d{end}": ((x, 2, 2), samples) for end in ("", "_with_indices")}
ALONE = (
    "relu", "leaky_relu", "elu", "celu", "selu", "gelu", "silu", "mish", "hardtanh", "relu6", "hardsigmoid",
    "hardswish", "hardshrink", "softshrink", "tanhshrink", "sigmoid", "tanh", "softplus", "softsign", "logsigmoid",
    "rrelu", "alpha_dropout", "feature_alpha_dropout",
)  # fmt: skip
SAMPLES |= {name: ((ROWS,), {}) for name in ALONE}
AT_RANDOM = ("dropout", "dropout1d", "dropout2d", "dropout3d", "gumbel_softmax")
SAMPLES |= {name: ((VOLUME[0, 0] if name == "dropout1d" else VOLUME[0],), {}) for name in AT_RANDOM}
IN_PLACE = ("celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "rrelu_", "selu_", "threshold_")


def as_tensors(values):
    return [sg.tensor(v) if isinstance(v, np.ndarray) else v for v in values]


def flat(made):
    return [m for part in made for m in flat(part)] if isinstance(made, tuple) else [] if made is None else [made]


def called(name, args, options):
    sg.manual_seed(0)
    return flat(getattr(F, name)(*args, **options))


def test_every_function_has_a_sample():
    assert set(F.__all__) == {*SAMPLES, *IN_PLACE}


@pytest.mark.parametrize("name", SAMPLES)
def test_arrays_serve_as_tensors(name):
    args, options = SAMPLES[name]
    named = dict(zip(options, as_tensors(options.values()), strict=True))
    wanted = called(name, as_tensors(args), named)
    assert all(type(t) is sg.Tensor for t in wanted)
    arrays = called(name, args, options)
    assert not any(isinstance(a, sg.Tensor) for a in arrays)
    mixed = called(name, [*as_tensors(args[:1]), *args[1:]], options)
    assert all(type(t) is sg.Tensor for t in mixed)
    for a, b, c in zip(wanted, arrays, mixed, strict=True):
        np.testing.assert_array_equal(a.numpy(), b)
        np.testing.assert_array_equal(a.numpy(), c.numpy())
        assert a.dtype == b.dtype


@pytest.mark.parametrize("name", SAMPLES)
def test_numbers_of_32_bits_stay_so(name):
    def narrow(a):
        return a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == np.float64 else a

    args, options = SAMPLES[name]
    made = called(name, [narrow(a) for a in args], {k: narrow(a) for k, a in options.items()})
    assert all(a.dtype in (np.float32, np.int64) for a in made)


@pytest.mark.parametrize("name", IN_PLACE)
def test_arrays_are_written_to_in_place(name):
    x, args = normal(5), (0.1, 2.0) if name == "threshold_" else ()
    wanted = getattr(F, name[:-1])(x.copy(), *args)
    y = getattr(F, name)(x, *args)
    np.testing.assert_array_equal(x, wanted)
    assert y is x or np.shares_memory(y, x)


@pytest.mark.parametrize("name", SAMPLES)
def test_functions_survive_pickling(name):
    assert pickle.loads(pickle.dumps(getattr(F, name))) is getattr(F, name)


@one_in(6)
@pytest.mark.parametrize("name", [n for n in SAMPLES if n not in (*AT_RANDOM, "one_hot") and "unpool" not in n])
def test_derivatives_of_first_and_second_order_agree_with_differences(name):
    args, options = SAMPLES[name]
    named = dict(zip(options, as_tensors(options.values()), strict=True))
    places = [i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind == "f" and a is not SIGNS]
    if name == "batch_norm":
        places = [0, 3, 4]  # not the running values, which are written to

    def fn(*wanted):
        given = as_tensors(args)
        for i, w in zip(places, wanted, strict=True):
            given[i] = w
        made = [m for m in flat(getattr(F, name)(*given, **named)) if m.is_floating_point()]
        return made[0]

    inputs = tuple(sg.tensor(args[i], requires_grad=True) for i in places)
    assert sg.autograd.gradcheck(fn, inputs)
    if sum(a.numel() for a in inputs) < 40:
        assert sg.autograd.gradgradcheck(fn, inputs)


# By hand -------------------------------------------------------------------------------------------------------------


def test_one_hot_of_nothing_needs_the_number_of_classes():
    nothing = sg.zeros(0).long()
    assert F.one_hot(nothing, 3).shape == (0, 3)
    with pytest.raises(RuntimeError, match="Can not infer total number of classes from empty tensor"):
        F.one_hot(nothing)


def test_windows_by_hand():
    x = sg.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]])
    assert F.avg_pool1d(x, 2, 2, ceil_mode=True).tolist() == [[1.5, 3.5, 5.0]]
    assert F.max_pool1d(x, 2, 2, ceil_mode=True).tolist() == [[2.0, 4.0, 5.0]]
    assert F.adaptive_avg_pool1d(x, 3).tolist() == [[1.5, 3.0, 4.5]]
    assert F.lp_pool1d(sg.tensor([[3.0, 4.0]]), 2, 2).tolist() == [[5.0]]
    values, places = F.max_pool1d(x, 2, return_indices=True)
    assert F.max_unpool1d(values, places, 2, output_size=(5,)).tolist() == [[0.0, 2.0, 0.0, 4.0, 0.0]]
    ones = sg.ones(1, 1, 2, 3)
    np.testing.assert_allclose(F.fold(F.unfold(ones, 2), (2, 3), 2).numpy()[0, 0], [[1, 2, 1], [1, 2, 1]])


def test_a_transposed_convolution_is_the_transpose():
    x, w, y = sg.tensor(normal(1, 2, 7, 6)), sg.tensor(normal(3, 2, 3, 2)), sg.tensor(normal(1, 3, 4, 5))
    there = (F.conv2d(x, w, stride=(2, 1), padding=(1, 0)) * y).sum()
    back = (F.conv_transpose2d(y, w, stride=(2, 1), padding=(1, 0)) * x).sum()
    np.testing.assert_allclose(there.item(), back.item(), rtol=1e-12)


def test_ctc_is_the_sum_over_all_paths():
    log_p = sg.tensor(normal(4, 1, 3)).log_softmax(-1)
    p = log_p.exp().numpy()[:, 0]
    total = 0.0
    for path in np.ndindex(3, 3, 3, 3):
        letters = [a for i, a in enumerate(path) if a and (i == 0 or path[i - 1] != a)]
        total += np.prod(p[range(4), path]) if letters == [2, 2] else 0.0
    loss = F.ctc_loss(log_p, sg.tensor([[2, 2]]), [4], [2], reduction="sum")
    np.testing.assert_allclose(loss.item(), -np.log(total), rtol=1e-12)


def test_ctc_of_no_time_reads_nothing_but_nothing():
    log_p = sg.tensor(normal(2, 2, 3)).log_softmax(-1).requires_grad_()
    losses = F.ctc_loss(log_p, sg.tensor([[1], [1]]), [0, 0], [0, 1], reduction="none")
    assert losses.tolist() == [0.0, np.inf]
    losses[0].backward()
    assert not log_p.grad.any()


def test_the_largest_of_a_window_is_never_in_the_border():
    nothing = sg.full((1, 1, 2, 3), -np.inf)
    values, places = F.max_pool2d(nothing, 2, padding=1, return_indices=True)
    assert values.isneginf().all() and places.tolist() == [[[[0, 1], [3, 4]]]]


def test_sizes_may_be_numpys_numbers():
    image, two = sg.tensor(IMAGE), np.int64(2)
    for by_numpy, by_python in (
        (F.avg_pool2d(image, two), F.avg_pool2d(image, 2)),
        (F.conv2d(image, sg.ones(1, 2, 2, 2), stride=two), F.conv2d(image, sg.ones(1, 2, 2, 2), stride=2)),
        (F.adaptive_max_pool2d(image, two), F.adaptive_max_pool2d(image, 2)),
        (F.layer_norm(image, np.int64(5)), F.layer_norm(image, 5)),
    ):
        sg.testing.assert_close(by_numpy, by_python)


# At random -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dropout1d", "dropout2d", "dropout3d"])
def test_whole_channels_are_dropped(name):
    sg.manual_seed(0)
    x = sg.ones(30, 40, *(2, 3, 2)[: int(name[-2])])
    y = getattr(F, name)(x, 0.25).numpy().reshape(1200, -1)
    assert ((y == 0).all(1) | np.isclose(y, 4 / 3).all(1)).all()
    assert abs(y.mean() - 1) < 0.05
    assert getattr(F, name)(x, 0.25, training=False) is x


@pytest.mark.parametrize("name", ["alpha_dropout", "feature_alpha_dropout"])
def test_alpha_dropout_keeps_mean_and_variance(name):
    sg.manual_seed(0)
    x = sg.randn(200, 100, 3)
    y = getattr(F, name)(x, 0.3, training=True)
    assert abs(y.mean().item()) < 0.05 and abs(y.var().item() - 1) < 0.05
    assert getattr(F, name)(x, 0.3) is x
    assert getattr(F, name)(x, 1.0, training=True).abs().max().item() == 0.0


def test_slopes_of_rrelu_are_drawn_between_the_bounds():
    sg.manual_seed(0)
    x = sg.full((1000,), -1.0, requires_grad=True)
    y = F.rrelu(x, 0.1, 0.3, training=True)
    assert -0.3 <= y.min().item() < -0.29 and -0.11 < y.max().item() <= -0.1
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), -y.detach().numpy())


@pytest.mark.parametrize("hard", [False, True])
def test_gumbel_softmax_draws_classes(hard):
    sg.manual_seed(0)
    p = np.array([0.1, 0.6, 0.3])
    logits = sg.tensor(np.tile(np.log(p), (20000, 1)), requires_grad=True)
    y = F.gumbel_softmax(logits, tau=0.5, hard=hard)
    np.testing.assert_allclose(y.detach().sum(1).numpy(), 1.0)
    shares = np.bincount(y.detach().argmax(1).numpy()) / 20000
    np.testing.assert_allclose(shares, p, atol=0.02)
    assert not hard or set(np.unique(y.detach().numpy().round(12))) == {0.0, 1.0}
    (y * sg.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert logits.grad.abs().max().item() > 0


def test_dropout_between_recurrent_layers_in_training_only():
    sg.manual_seed(0)
    layer, x = sg.nn.LSTM(3, 4, 2, dropout=0.5), sg.ones(5, 2, 3)
    assert not np.array_equal(layer(x)[0].detach().numpy(), layer(x)[0].detach().numpy())
    layer.eval()
    np.testing.assert_array_equal(layer(x)[0].detach().numpy(), layer(x)[0].detach().numpy())
    with pytest.warns(UserWarning, match="num_layers greater than 1"):
        sg.nn.GRU(3, 4, dropout=0.5)


def test_formulas_read_through_activations():
    x = sg.tensor(0.3, requires_grad=True, name="x")
    assert str(F.tanhshrink(x).formula()) == "x − tanh(x)"
    f = F.mish(x).formula()
    np.testing.assert_allclose(f(), F.mish(x).item())


def test_attention_has_a_formula_for_all_sizes():
    Q, K, V = sg.symbol("Q", ("m", "d")), sg.symbol("K", ("n", "d")), sg.symbol("V", ("n", "k"))
    assert str(F.scaled_dot_product_attention(Q, K, V).formula()) == "softmax(QKᵀ/√d) V"


REAL = [n for n, (args, _) in SAMPLES.items() if n not in (*AT_RANDOM, "batch_norm") and args[0].dtype.kind == "f"]


@pytest.mark.parametrize("name", REAL)
def test_vmap_equals_a_loop_and_forward_mode_equals_backward(name):
    args, options = SAMPLES[name]
    rest, named = as_tensors(args[1:]), dict(zip(options, as_tensors(options.values()), strict=True))

    def fn(x):
        return flat(getattr(F, name)(x, *rest, **named))[0]

    batch = sg.tensor(np.stack([args[0] * 0.9, args[0] * 0.7 + 0.01]))
    one_by_one = sg.stack([fn(x) for x in batch])
    np.testing.assert_allclose(sg.vmap(fn)(batch).numpy(), one_by_one.numpy(), rtol=1e-12, atol=1e-14)
    forward, backward = sg.func.jacfwd(fn)(batch[0]), sg.func.jacrev(fn)(batch[0])
    np.testing.assert_allclose(forward.numpy(), backward.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", REAL)
def test_functions_of_arrays_have_the_gradients_of_functions_of_tensors(name):
    args, options = SAMPLES[name]
    named = dict(zip(options, as_tensors(options.values()), strict=True))
    rest, fn = as_tensors(args[1:]), getattr(F, name)
    wanted = sg.func.grad(lambda x: flat(fn(x, *rest, **named))[0].sum())(sg.tensor(args[0]))
    made = sg.grad(lambda x: flat(fn(x, *args[1:], **options))[0].sum())(args[0])
    assert isinstance(made, np.ndarray)
    np.testing.assert_allclose(made, wanted.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("size", [2, 9000])
def test_arrays_given_to_functions_may_be_written_afterwards(size):
    places = np.zeros(size, np.int64)
    table = sg.tensor(np.arange(6.0).reshape(3, 2), requires_grad=True)
    y = sg.nn.functional.embedding(places, table)
    places[:] = 2
    y.sum().backward()
    assert table.grad.tolist() == [[size, size], [0, 0], [0, 0]]
    rows, weight = np.ones((size, 2)), sg.tensor([[1.0, 2.0]], requires_grad=True)
    y = sg.nn.functional.linear(rows, weight)
    rows[:] = 7.0
    y.sum().backward()
    assert weight.grad.tolist() == [[size, size]]


@pytest.mark.parametrize("dtype", [bool, np.uint8, float])
def test_embedding_takes_whole_numbers_only(dtype):
    with pytest.raises(sg.DTypeError, match="Long, Int"):
        sg.nn.functional.embedding(sg.tensor([1, 0]).to(dtype), sg.ones(3, 2))


def test_the_nearest_pixel_has_the_slope_zero_in_its_place():
    image, grid = sg.ones(1, 1, 2, 2), sg.zeros(1, 1, 1, 2, requires_grad=True)
    F.grid_sample(image, grid, mode="nearest", align_corners=False).sum().backward()
    assert grid.grad.tolist() == [[[[0.0, 0.0]]]]


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("outside", ["zeros", "border", "reflection"])
@pytest.mark.filterwarnings("error")
def test_a_place_that_is_no_number_is_sampled_without_a_warning(mode, outside):
    grid = sg.tensor([[[[float("nan"), 0.0], [1.0, -1.0]]]])
    found = F.grid_sample(sg.ones(1, 1, 2, 2), grid, mode, outside, align_corners=True)
    assert found[0, 0, 0, 1].item() == pytest.approx(1)
