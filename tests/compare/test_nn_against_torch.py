"""Layers and losses give PyTorch's values, first and second derivatives, in float64."""

import warnings

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import assert_same, both, normal

pytestmark = [
    pytest.mark.compare,
    pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths"),  # how torch does it
]


# Activations ---------------------------------------------------------------------------------------------------

ACTIVATIONS = {
    "relu": lambda F, x: F.relu(x),
    "leaky_relu": lambda F, x: F.leaky_relu(x),
    "leaky_relu 0.2": lambda F, x: F.leaky_relu(x, 0.2),
    "elu": lambda F, x: F.elu(x),
    "elu 2": lambda F, x: F.elu(x, alpha=2.0),
    "gelu": lambda F, x: F.gelu(x),
    "gelu tanh": lambda F, x: F.gelu(x, approximate="tanh"),
    "silu": lambda F, x: F.silu(x),
    "sigmoid": lambda F, x: F.sigmoid(x),
    "tanh": lambda F, x: F.tanh(x),
    "softplus": lambda F, x: F.softplus(x),
    "softplus beta": lambda F, x: F.softplus(x, beta=3.0, threshold=5.0),
    "logsigmoid": lambda F, x: F.logsigmoid(x),
    "softsign": lambda F, x: F.softsign(x),
    "softmax": lambda F, x: F.softmax(x, dim=-1),
    "softmax 0": lambda F, x: F.softmax(x, dim=0),
    "log_softmax": lambda F, x: F.log_softmax(x, dim=1),
    "normalize": lambda F, x: F.normalize(x),
    "normalize 3": lambda F, x: F.normalize(x, p=3.0, dim=0),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_activations(name, scale):
    assert_same(lambda lib, x: ACTIVATIONS[name](lib.nn.functional, x), scale * normal(4, 5))


@pytest.mark.parametrize("name", [n for n in ACTIVATIONS if not n.startswith("normalize")])
def test_activations_at_kinks_and_far_out(name):
    edges = np.array([[0.0, -0.0, 40.0, -40.0, 700.0, -700.0, 1e-8]])
    assert_same(lambda lib, x: ACTIVATIONS[name](lib.nn.functional, x), edges)


# Linear maps, convolution, pooling -----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 4, 3), (0, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear(shape, bias):
    def fn(lib, x, w, b):
        return lib.nn.functional.linear(x, w, b if bias else None)

    assert_same(fn, normal(*shape), normal(2, 3, seed=1), normal(2, seed=2))


@pytest.mark.parametrize("shape", [(), (4,), (2, 4)])
def test_bilinear(shape):
    def fn(lib, x, y, w, b):
        return lib.nn.functional.bilinear(x, y, w, b)

    assert_same(fn, normal(*shape, 3), normal(*shape, 2, seed=1), normal(5, 3, 2, seed=2), normal(5, seed=3))


CONV2D = [
    {},
    {"stride": 2},
    {"padding": 1},
    {"stride": (2, 1), "padding": (0, 2)},
    {"dilation": 2, "padding": 2},
    {"dilation": (1, 2), "stride": (3, 2), "padding": (1, 1)},
    {"padding": "same"},
    {"padding": "same", "dilation": 2},
    {"padding": "valid"},
]


@pytest.mark.parametrize("options", CONV2D, ids=str)
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("kernel", [(3, 3), (1, 2)])
def test_conv2d(options, groups, kernel):
    def fn(lib, x, w, b):
        return lib.nn.functional.conv2d(x, w, b, groups=groups, **options)

    assert_same(fn, normal(2, 4, 7, 6), normal(6, 4 // groups, *kernel, seed=1), normal(6, seed=2))


@pytest.mark.parametrize("options", [{}, {"stride": 3, "padding": 2, "dilation": 2}, {"padding": "same"}], ids=str)
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_conv1d(options, groups, batch):
    def fn(lib, x, w):
        return lib.nn.functional.conv1d(x, w, groups=groups, **options)

    assert_same(fn, normal(*batch, 2, 11), normal(4, 2 // groups, 4, seed=1))


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("padding", [1, (2, 1), "same"])
def test_padding_modes_of_convolutions(mode, padding):
    def run(lib):
        layer = lib.nn.Conv2d(2, 3, (2, 3), padding=padding, padding_mode=mode)
        with lib.no_grad():
            layer.weight.copy_(lib.tensor(normal(3, 2, 2, 3)))
            layer.bias.copy_(lib.tensor(normal(3)))
        x = lib.tensor(normal(2, 2, 5, 4, seed=1), requires_grad=True)
        y = layer(x)
        (y * y).sum().backward()
        return [y.detach().numpy(), x.grad.numpy(), layer.weight.grad.numpy()]

    for a, b in zip(*both(run), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_conv2d_without_a_batch():
    assert_same(lambda lib, x, w: lib.nn.functional.conv2d(x, w, stride=2), normal(3, 5, 5), normal(2, 3, 2, 2, seed=1))


POOLS = [
    ("max_pool2d", {"kernel_size": 2}),
    ("max_pool2d", {"kernel_size": (3, 2), "stride": 1, "padding": 1}),
    ("max_pool2d", {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2}),
    ("avg_pool2d", {"kernel_size": 2}),
    ("avg_pool2d", {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 0)}),
    ("avg_pool2d", {"kernel_size": 3, "padding": 1, "count_include_pad": False}),
    ("avg_pool2d", {"kernel_size": 2, "divisor_override": 3}),
]


@pytest.mark.parametrize(("name", "options"), POOLS, ids=str)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_pooling(name, options, batch):
    assert_same(lambda lib, x: getattr(lib.nn.functional, name)(x, **options), normal(*batch, 3, 7, 8))


@pytest.mark.parametrize("options", [{"kernel_size": 2}, {"kernel_size": 3, "stride": 1, "padding": 1}], ids=str)
def test_the_first_of_equal_maxima_receives_the_gradient(options):
    ties = np.random.default_rng(0).integers(0, 2, size=(2, 3, 8, 8)).astype(float)
    assert_same(lambda lib, x: lib.nn.functional.max_pool2d(x, **options), ties)
    assert_same(lambda lib, x: lib.nn.functional.max_pool1d(x, **options), ties[0, 0])


@pytest.mark.parametrize("widths", [(1, 2), (0, 0, 3, 1), (-1, 2, 1, -2), (1, 1, 1, 1, 2, 0)])
def test_pad(widths):
    assert_same(lambda lib, x: lib.nn.functional.pad(x, widths, value=1.5), normal(3, 4, 5))


def _refuses(lib, *args):
    try:
        lib.nn.functional.pad(*args)
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("shape", [(2, 5), (2, 3, 4), (1, 2, 4, 3), (1, 1, 3, 2, 4)], ids=str)
@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_pad_by_sides_of_any_sign_in_every_mode(mode, shape):
    dims, rng, compared = min(len(shape) - 1, 3) - (len(shape) in (3, 4)), np.random.default_rng(0), 0
    for widths in rng.integers(-3, 3, (60, 2 * dims)).tolist():
        sides = list(zip(shape[::-1], widths[::2], widths[1::2]))
        rest = min(n + min(a, 0) + min(b, 0) - max(a, b) for n, a, b in sides)
        unwritten = mode == "circular" and rest < 0  # there PyTorch copies what it has not written yet
        refuses = lambda lib: _refuses(lib, lib.ones(*shape), widths, mode)  # noqa: B023
        if unwritten or answer("torch", refuses):
            assert refuses(sg), widths
        elif all(n + a + b for n, a, b in sides):  # of nothing PyTorch's gradient of reflect is memory as it was
            assert_same(lambda lib, x: lib.nn.functional.pad(x, widths, mode=mode), normal(*shape))  # noqa: B023
            compared += 1
    assert compared > 5


def test_circular_padding_crops_first_and_wraps_what_is_left():
    x = sg.arange(5.0)
    assert sg.nn.functional.pad(x[None], (-2, 2), mode="circular").tolist() == [[2.0, 3.0, 4.0, 2.0, 3.0]]
    with pytest.raises(sg.ShapeError, match="3 are left after cropping"):
        sg.nn.functional.pad(x[None], (-2, 4), mode="circular")


# Normalisation and lookup --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5), (2, 3, 4, 2)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(shape, training):
    def run(lib, x, w, b):
        mean, var = lib.tensor(np.array([0.1, 0.2, 0.3])), lib.tensor(np.array([1.0, 2.0, 0.5]))
        y = lib.nn.functional.batch_norm(x, mean, var, w, b, training=training, momentum=0.3)
        return y, np.concatenate([mean.numpy(), var.numpy()])

    arrays = normal(*shape), normal(3, seed=1), normal(3, seed=2)
    assert_same(lambda lib, *inputs: run(lib, *inputs)[0], *arrays, rtol=1e-8, atol=1e-9)
    kept = both(lambda lib: run(lib, *map(lib.tensor, arrays))[1])
    np.testing.assert_allclose(*kept, rtol=1e-12)


@pytest.mark.parametrize("momentum", [0.1, None])
@pytest.mark.parametrize("track", [True, False])
def test_batch_norm_modules_follow_the_batches(momentum, track):
    def run(lib):
        layer = lib.nn.BatchNorm1d(3, momentum=momentum, track_running_stats=track)
        seen = [layer(lib.tensor(normal(5, 3, seed=i))).detach().numpy() for i in range(3)]
        layer.eval()
        seen.append(layer(lib.tensor(normal(5, 3, seed=9))).detach().numpy())
        state = layer.state_dict()
        seen += [state[name].numpy() for name in state]
        return list(state), seen

    (names, ours), (their_names, theirs) = both(run)
    assert names == their_names
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-11)


@pytest.mark.parametrize("shape", [(5,), (3, 5)])
def test_layer_norm(shape):
    def fn(lib, x, w, b):
        return lib.nn.functional.layer_norm(x, shape, w, b)

    assert_same(fn, normal(2, 3, 5), normal(*shape, seed=1), normal(*shape, seed=2), rtol=1e-8)


@pytest.mark.parametrize("padding_idx", [None, 1, -1])
def test_embedding(padding_idx):
    index = np.array([[0, 1, 1], [3, 2, 0]])

    def fn(lib, w):
        return lib.nn.functional.embedding(lib.tensor(index), w, padding_idx=padding_idx) ** 2

    assert_same(fn, normal(4, 3))


# Losses --------------------------------------------------------------------------------------------------------

REDUCTIONS = ["mean", "sum", "none"]
PROBABILITIES = np.random.default_rng(3).uniform(0.01, 0.99, size=(4, 5))
SIMPLEX = np.exp(normal(4, 5, seed=5)) / np.exp(normal(4, 5, seed=5)).sum(1, keepdims=True)

PAIR_LOSSES = {
    "mse_loss": [{}],
    "l1_loss": [{}],
    "smooth_l1_loss": [{}, {"beta": 0.3}, {"beta": 0.0}],
    "huber_loss": [{}, {"delta": 0.4}],
    "poisson_nll_loss": [{}, {"log_input": False}, {"full": True}],
    "kl_div": [{}, {"log_target": True}],
    "binary_cross_entropy": [{}],
    "binary_cross_entropy_with_logits": [{}],
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("name", "options"), [(n, o) for n, all_ in PAIR_LOSSES.items() for o in all_], ids=str)
def test_losses_of_pairs(name, options, reduction):
    if name == "binary_cross_entropy" or options.get("log_input") is False:
        x, y = PROBABILITIES, np.random.default_rng(4).uniform(size=(4, 5))
    elif name == "kl_div":
        x, y = np.log(SIMPLEX), PROBABILITIES
    elif name == "poisson_nll_loss":
        x, y = normal(4, 5), np.arange(20.0).reshape(4, 5) / 4
    else:
        x, y = normal(4, 5), 2 * normal(4, 5, seed=1)

    def fn(lib, x, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's advice about kl_div's mean
            return getattr(lib.nn.functional, name)(x, y, reduction=reduction, **options)

    if name in ("binary_cross_entropy", "binary_cross_entropy_with_logits", "poisson_nll_loss"):
        assert_same(lambda lib, x: fn(lib, x, lib.tensor(y)), x)  # torch lacks derivatives for some targets
    else:
        assert_same(fn, x, y)


def test_losses_at_their_kinks():
    x = np.array([0.0, 1.0, -1.0, 2.0, 0.5])
    y = np.zeros(5)
    for name in ("l1_loss", "smooth_l1_loss", "huber_loss", "mse_loss"):
        assert_same(lambda lib, x, y, name=name: getattr(lib.nn.functional, name)(x, y, reduction="none"), x, y)


def test_kl_div_of_rows():
    assert_same(
        lambda lib, x, y: lib.nn.functional.kl_div(x, y, reduction="batchmean"), np.log(SIMPLEX), SIMPLEX[::-1].copy()
    )


def test_certain_probabilities_have_bounded_logarithms_and_gradients():
    p = np.array([0.0, 0.0, 1.0, 1.0, 1e-30, 1e-13, 1 - 1e-13, 0.5])
    y = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.3, 0.3, 1.0])

    def run(lib):
        x = lib.tensor(p, requires_grad=True)
        loss = lib.nn.functional.binary_cross_entropy(x, lib.tensor(y), reduction="none")
        loss.sum().backward()
        return loss.detach().numpy(), x.grad.numpy()

    ours, theirs = both(run)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-3)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_weights_of_yes_no_losses(reduction):
    y, w = (np.random.default_rng(7).uniform(size=(4, 5)) for _ in range(2))

    def logits(lib, x):
        weights = {"weight": lib.tensor(w), "pos_weight": lib.tensor(1 + w[0])}
        F = lib.nn.functional
        return F.binary_cross_entropy_with_logits(x, lib.tensor(y), reduction=reduction, **weights)

    def probabilities(lib, x):
        return lib.nn.functional.binary_cross_entropy(x, lib.tensor(y), lib.tensor(w), reduction=reduction)

    assert_same(logits, 5 * normal(4, 5))
    assert_same(logits, np.array([[0.0, 800.0, -800.0, 40.0, -40.0]] * 4))
    assert_same(probabilities, PROBABILITIES)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "huber_loss"])
def test_weights_of_regression_losses(name, reduction):
    w = np.random.default_rng(7).uniform(size=(4, 5))

    def fn(lib, x, y):
        return getattr(lib.nn.functional, name)(x, y, reduction=reduction, weight=lib.tensor(w))

    assert_same(fn, normal(4, 5), normal(4, 5, seed=1))


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("var_shape", [(4, 5), (4,), (4, 1)])
def test_gaussian_nll_loss(reduction, full, var_shape):
    var = np.random.default_rng(1).uniform(0.0, 1.0, size=var_shape)
    var.flat[0] = 1e-9

    def fn(lib, x, y, v):
        return lib.nn.functional.gaussian_nll_loss(x, y, v, full=full, reduction=reduction)

    assert_same(fn, normal(4, 5), normal(4, 5, seed=1), var, rtol=1e-8)


CLASS_SHAPES = [((5,), ()), ((4, 5), (4,)), ((2, 5, 3), (2, 3)), ((2, 5, 3, 2), (2, 3, 2))]


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shapes", CLASS_SHAPES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ignore", [-100, 2])
def test_class_losses(reduction, shapes, weighted, ignore):
    logits = normal(*shapes[0])
    target = np.random.default_rng(2).integers(0, 5, size=shapes[1])
    if target.ndim == 0:
        target = np.array(3)
    weight = np.random.default_rng(3).uniform(size=5)

    def options(lib):
        return {
            "weight": lib.tensor(weight) if weighted else None,
            "ignore_index": ignore,
            "reduction": reduction,
        }

    def nll(lib, x):
        return lib.nn.functional.nll_loss(x, lib.tensor(target), **options(lib))

    def entropy(lib, x, smoothing=0.0):
        return lib.nn.functional.cross_entropy(x, lib.tensor(target), label_smoothing=smoothing, **options(lib))

    assert_same(nll, logits)
    assert_same(entropy, logits)
    assert_same(lambda lib, x: entropy(lib, x, 0.2), logits)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(5,), (4, 5), (2, 5, 3)])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy_of_class_probabilities(reduction, shape, smoothing, weighted):
    def fn(lib, x, y):
        weight = lib.tensor(np.array([0.1, 1.0, 2.0, 0.5, 0.7])) if weighted else None
        return lib.nn.functional.cross_entropy(x, y, weight, reduction=reduction, label_smoothing=smoothing)

    assert_same(fn, normal(*shape), np.random.default_rng(1).uniform(size=shape))


# Modules -------------------------------------------------------------------------------------------------------

BUILDERS = {
    "mlp": lambda nn: nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.LayerNorm(6), nn.Linear(6, 3), nn.LogSoftmax(dim=1)),
    "conv": lambda nn: nn.Sequential(
        nn.Unflatten(1, (1, 2, 2)),
        nn.Conv2d(1, 3, 2, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(3, 3),
    ),
    "norm": lambda nn: nn.Sequential(nn.Linear(4, 5, bias=False), nn.BatchNorm1d(5), nn.GELU(), nn.Linear(5, 3)),
}


def losses(lib, net):
    optimizer = lib.optim.Adam(net.parameters(), lr=0.05)
    x, y = lib.tensor(normal(8, 4)), lib.tensor(np.arange(8) % 3)
    seen = []
    for _ in range(15):
        optimizer.zero_grad()
        loss = lib.nn.CrossEntropyLoss()(net(x), y)
        loss.backward()
        lib.nn.utils.clip_grad_norm_(net.parameters(), 0.7)
        optimizer.step()
        seen.append(loss.item())
    return seen


@pytest.mark.parametrize("name", BUILDERS)
def test_networks_with_the_same_weights_train_alike(name):
    def theirs(torch):
        net = BUILDERS[name](torch.nn)
        state = {k: v.numpy().copy() for k, v in net.state_dict().items()}
        return repr(net), [n for n, _ in net.named_parameters()], state, losses(torch, net)

    printed, names, state, expected = answer("torch", theirs)
    ours = BUILDERS[name](sg.nn)
    assert repr(ours) == printed
    assert [n for n, _ in ours.named_parameters()] == names
    ours.load_state_dict(state)
    np.testing.assert_allclose(losses(sg, ours), expected, rtol=1e-8)


def backward_hook_log(lib):
    """Return what two backward hooks on a module of several inputs and outputs see, and what they lead to."""

    class Swap(lib.nn.Module):
        def forward(self, a, number, b, c):
            return a * b * number + c, b - a

    module, log = Swap(), []

    def hook(module, grad_input, grad_output):
        log.append([None if g is None else g.tolist() for g in (*grad_input, *grad_output)])
        return tuple(None if g is None else 2 * g for g in grad_input)

    module.register_full_backward_hook(hook)
    module.register_full_backward_hook(hook)
    a, b = (lib.tensor(np.array(v), requires_grad=True) for v in ([1.0, 2.0], [3.0, 4.0]))
    c = lib.tensor(np.array([0.5, 0.5]))
    for of_both in (True, False):
        y, z = module(a, 3.0, b, c)
        (y * y + (z if of_both else 0)).sum().backward()
    y, z = module(a.detach(), 3.0, b.detach(), c)
    assert not y.requires_grad
    return [log, a.grad.tolist(), b.grad.tolist()]


def test_backward_hooks_see_what_they_see_in_torch():
    ours, theirs = both(backward_hook_log)
    assert ours == theirs


def test_functional_call_agrees():
    def run(lib):
        shared = lib.nn.Linear(2, 2)
        net = lib.nn.Sequential(shared, lib.nn.Tanh(), shared)
        with lib.no_grad():
            shared.bias.fill_(0.25)
        w = lib.tensor(np.array([[0.3, -1.0], [0.5, 2.0]]), requires_grad=True)
        y = lib.func.functional_call(net, ({"0.weight": w}, {"unknown": w}), lib.tensor(np.array([1.0, -1.0])))
        y.sum().backward()
        return y.tolist(), w.grad.tolist()

    ours, theirs = both(run)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, float("inf")])
def test_clipping(order):
    def run(lib):
        tensors = [lib.tensor(normal(3, 2), requires_grad=True), lib.tensor(normal(4, seed=1), requires_grad=True)]
        sum((t**3).sum() for t in tensors).backward()
        norm = lib.nn.utils.clip_grad_norm_(tensors, 2.0, norm_type=order)
        clipped = [t.grad.numpy().copy() for t in tensors]
        lib.nn.utils.clip_grad_value_(tensors, 0.1)
        return [norm.item(), *clipped, *(t.grad.numpy() for t in tensors)]

    for a, b in zip(*both(run), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


LAYERS = {
    "linear": (lambda nn: nn.Linear(400, 300), 1 / 20),
    "bilinear": (lambda nn: nn.Bilinear(100, 30, 20), 1 / 10),
    "conv2d": (lambda nn: nn.Conv2d(16, 64, 5), 1 / 20),
    "conv1d": (lambda nn: nn.Conv1d(100, 64, 4, groups=2), 1 / np.sqrt(200)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_initial_weights_have_the_same_distribution(name):
    make, bound = LAYERS[name]

    def run(lib):
        weights = [p.detach().numpy() for _, p in make(lib.nn).named_parameters()]
        return [(w.shape, w.std(), np.abs(w).max()) for w in weights]

    for (shape, std, largest), (their_shape, their_std, their_largest) in zip(*both(run), strict=True):
        assert shape == their_shape
        assert largest <= bound
        if np.prod(shape) > 1000:
            np.testing.assert_allclose(std, their_std, rtol=0.05)
            np.testing.assert_allclose(largest, their_largest, rtol=0.05)


INITS = {
    "uniform_": (-1.0, 3.0),
    "normal_": (1.0, 2.0),
    "trunc_normal_": (0.0, 1.0, -0.5, 2.0),
    "xavier_uniform_": (2.0,),
    "xavier_normal_": (),
    "kaiming_uniform_": (0.3, "fan_out"),
    "kaiming_normal_": (0, "fan_in", "relu"),
    "orthogonal_": (1.5,),
    "eye_": (),
    "constant_": (0.3,),
    "ones_": (),
    "zeros_": (),
}


@pytest.mark.parametrize("name", INITS)
def test_initialisers_have_the_same_distribution(name):
    def weights(lib):
        lib.manual_seed(1)
        return getattr(lib.nn.init, name)(lib.empty(200, 120), *INITS[name]).detach().numpy()

    def run(lib):
        a = weights(lib)
        return np.quantile(a, np.linspace(0.05, 0.95, 19)), a.std(), np.abs(a).max()

    (quantiles, std, _), (their_quantiles, their_std, their_largest) = both(run)
    np.testing.assert_allclose(quantiles, their_quantiles, atol=0.02 * max(1.0, their_largest))
    np.testing.assert_allclose(std, their_std, rtol=0.03)
    if name == "orthogonal_":
        a = weights(sg)
        np.testing.assert_allclose(a.T @ a, 2.25 * np.eye(120), atol=1e-10)


@pytest.mark.parametrize("nonlinearity", ["linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"])
def test_gains(nonlinearity):
    ours, theirs = both(lambda lib: lib.nn.init.calculate_gain(nonlinearity))
    assert ours == pytest.approx(theirs)


PRINTED = [
    "Linear(2, 3, bias=False)",
    "Bilinear(1, 2, 3)",
    "Conv1d(2, 2, 3, stride=2, dilation=2)",
    "Conv2d(4, 6, (3, 2), padding=1, groups=2, bias=False)",
    "Conv2d(4, 6, 3, padding='same')",
    "Conv2d(4, 6, 3, padding='same', padding_mode='reflect')",
    "Conv1d(4, 6, 3, padding=1, padding_mode='circular')",
    "MaxPool2d(2)",
    "MaxPool2d((2, 3), stride=1, padding=1)",
    "MaxPool1d(2)",
    "AvgPool2d(3)",
    "AvgPool1d(3)",
    "Flatten()",
    "Unflatten(1, (2, 3))",
    "Identity()",
    "Dropout(0.2)",
    "BatchNorm1d(3)",
    "BatchNorm2d(3, affine=False, momentum=None)",
    "LayerNorm((3, 2), bias=False)",
    "LayerNorm(3)",
    "Embedding(3, 4, padding_idx=0)",
    "ReLU()",
    "ReLU(inplace=True)",
    "LeakyReLU()",
    "ELU()",
    "GELU('tanh')",
    "SiLU()",
    "Sigmoid()",
    "LogSigmoid()",
    "Tanh()",
    "Softplus()",
    "Softmax(dim=1)",
    "LogSoftmax(1)",
    "MSELoss()",
    "CrossEntropyLoss(label_smoothing=0.1)",
    "Sequential()",
    "ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()])",
    "ModuleDict({'a': nn.Sequential(nn.Linear(2, 3)), 'b': nn.ModuleList([nn.ModuleList([nn.ReLU()])])})",
]


@pytest.mark.parametrize("text", PRINTED)
def test_modules_print_as_in_torch(text):
    ours, theirs = both(lambda lib: repr(eval("nn." + text, {"nn": lib.nn})))
    assert ours == theirs


ERRORS = {
    "channels": lambda lib: lib.nn.Conv2d(3, 6, 5)(lib.ones(1, 4, 32, 32)),
    "kernel": lambda lib: lib.nn.Conv2d(3, 6, 5)(lib.ones(1, 3, 3, 3)),
    "same": lambda lib: lib.nn.Conv2d(1, 1, 3, padding="same", stride=2),
    "padding name": lambda lib: lib.nn.Conv2d(1, 1, 3, padding="sam"),
    "padding mode": lambda lib: lib.nn.Conv2d(1, 1, 3, padding_mode="sam"),
    "dims": lambda lib: lib.nn.Conv2d(3, 6, 5)(lib.ones(5)),
    "batch norm of one": lambda lib: lib.nn.BatchNorm1d(3)(lib.ones(1, 3)),
    "batch norm dims": lambda lib: lib.nn.BatchNorm1d(3)(lib.ones(3)),
    "embedding": lambda lib: lib.nn.Embedding(3, 2)(lib.tensor([3])),
    "dropout": lambda lib: lib.nn.Dropout(1.5),
    "padding": lambda lib: lib.nn.functional.max_pool2d(lib.ones(1, 1, 4, 4), 2, padding=2),
    "reduction": lambda lib: lib.nn.functional.mse_loss(lib.ones(2), lib.ones(2), reduction="x"),
    "class": lambda lib: lib.nn.functional.cross_entropy(lib.ones(3, 4), lib.tensor([1, 2, 4])),
    "batch": lambda lib: lib.nn.functional.cross_entropy(lib.ones(3, 4), lib.tensor([1, 2])),
    "float classes": lambda lib: lib.nn.functional.cross_entropy(lib.ones(3, 4), lib.tensor([1.0, 2.0, 1.0])),
    "bce": lambda lib: lib.nn.functional.binary_cross_entropy(lib.ones(3, 1), lib.ones(3)),
    "logits": lambda lib: lib.nn.functional.binary_cross_entropy_with_logits(lib.ones(3, 1), lib.ones(3)),
    "variance": lambda lib: lib.nn.functional.gaussian_nll_loss(lib.ones(3), lib.ones(3), -lib.ones(3)),
    "layer norm": lambda lib: lib.nn.LayerNorm(3)(lib.ones(2, 4)),
    "lr": lambda lib: lib.optim.SGD([lib.ones(1)], lr=-1.0),
    "betas": lambda lib: lib.optim.Adam([lib.ones(1)], betas=(1.0, 0.9)),
    "nesterov": lambda lib: lib.optim.SGD([lib.ones(1)], nesterov=True),
    "no parameters": lambda lib: lib.optim.SGD([], lr=0.1),
    "parameter": lambda lib: setattr(lib.nn.Linear(1, 1), "weight", lib.ones(1)),
    "missing": lambda lib: lib.nn.Linear(1, 1).nothing,
    "state": lambda lib: lib.nn.Linear(2, 1).load_state_dict({"weight": lib.ones(3, 2), "extra": lib.ones(1)}),
    "init": lambda lib: lib.nn.init.xavier_uniform_(lib.ones(3)),
    "forward": lambda lib: lib.nn.Module()(1),
    "divisible": lambda lib: lib.nn.Conv2d(3, 4, 2, groups=2),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_of_the_kind_torch_raises(name):
    with pytest.raises(Exception) as theirs:
        answer("torch", ERRORS[name])
    with pytest.raises(theirs.type) as ours:
        ERRORS[name](sg)
    # The first words agree: people search for them.
    common = str(theirs.value).replace("torch.Size([", "").replace("torch.nn.", "nn.")[:18]
    assert str(ours.value).replace("torch.", "").startswith(common[:12]) or name in LOOSE_WORDS


LOOSE_WORDS = {"divisible"}
