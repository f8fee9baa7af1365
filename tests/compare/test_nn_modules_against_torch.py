"""Modules have PyTorch's parameters by name, and with the same ones give its values and gradients."""

import inspect
import operator
import types

import numpy as np
import pytest

import symgrad as sg
from symgrad._errors import LAYERS

from ._answers import answer
from ._same import both, normal

pytestmark = [
    pytest.mark.compare,
    pytest.mark.filterwarnings("ignore:.*:UserWarning:torch"),
]

SMALL = np.random.default_rng(9)


def flat(value):
    """All tensors in a result, in order."""
    if value is None:
        return []
    if isinstance(value, tuple | list):
        return [t for part in value for t in flat(part)]
    return [value]


def with_the_same_values(lib, text):
    """The module that a text makes, with parameters that are the same in every library, and what its state is like."""
    module = eval(text, {"nn": lib.nn})
    parameters = [name for name, _ in module.named_parameters()]
    state = {name: value.numpy().copy() for name, value in module.state_dict().items()}
    kinds = [(name, value.shape, value.dtype.name) for name, value in state.items()]
    buffers = [value for name, value in state.items() if name not in parameters]
    values = [0.4 * normal(*v.shape, seed=i) if n in parameters else v for i, (n, v) in enumerate(state.items())]
    module.load_state_dict({name: lib.tensor(value) for name, value in zip(state, values)})
    return module, (kinds, parameters), buffers


def assert_module(text, call, *arrays, rtol=1e-8, atol=1e-10):
    """Compare the names of a module, its buffers, its results, and the gradients of its inputs and parameters."""

    def run(lib):
        module, names, buffers = with_the_same_values(lib, text)
        inputs = [lib.tensor(a, requires_grad=a.dtype.kind == "f") for a in arrays]
        results = flat(call(lib, module, *inputs))
        wanted = [t for t in (*inputs, *module.parameters()) if t.requires_grad]
        rng = np.random.default_rng(0)
        total = sum((r * lib.tensor(rng.normal(size=tuple(r.shape)))).sum() for r in results if r.requires_grad)
        grads = lib.autograd.grad(total, wanted, allow_unused=True)
        seen = [r.detach().numpy() for r in results] + [np.zeros(()) if g is None else g.numpy() for g in grads]
        return names, [*buffers, *seen]

    (names, ours), (their_names, theirs) = run(sg), answer("torch", run, bits=40)
    assert names == their_names
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        a, b = np.broadcast_arrays(a, b) if 0 in (a.ndim, b.ndim) else (a, b)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=f"result {i}")


def plainly(lib, module, *inputs):
    return module(*inputs)


# Recurrent -----------------------------------------------------------------------------------------------------------

RECURRENT = [
    "nn.RNN(3, 4)", "nn.RNN(3, 4, 2, 'relu')", "nn.GRU(3, 4)", "nn.LSTM(3, 4)", "nn.LSTM(3, 4, num_layers=3)",
    "nn.LSTM(3, 4, 2, bidirectional=True)", "nn.GRU(3, 4, 2, bidirectional=True, bias=False)",
    "nn.LSTM(3, 4, batch_first=True)", "nn.RNN(3, 4, bidirectional=True, batch_first=True)",
    "nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)", "nn.GRU(3, 4, 2, dropout=0.5).eval()",
]  # fmt: skip


def first_states(module, lib, batch):
    """States for a module: of unlike values everywhere."""
    loops = module.num_layers * (2 if module.bidirectional else 1)
    h = lib.tensor(normal(loops, *batch, module.proj_size or module.hidden_size, seed=7), requires_grad=True)
    c = lib.tensor(normal(loops, *batch, module.hidden_size, seed=8), requires_grad=True)
    return (h, c) if module.mode == "LSTM" else h


@pytest.mark.parametrize("text", RECURRENT)
@pytest.mark.parametrize("given", [False, True], ids=["zeros", "given"])
def test_recurrent_layers(text, given):
    def call(lib, module, x):
        batch = () if x.ndim == 2 else (x.shape[0 if module.batch_first else 1],)
        return module(x, first_states(module, lib, batch) if given else None)

    assert_module(text, call, normal(5, 2, 3))
    assert_module(text, call, normal(5, 3))


@pytest.mark.parametrize("text", [t for t in RECURRENT if "batch_first" not in t])
@pytest.mark.parametrize("given", [False, True], ids=["zeros", "given"])
@pytest.mark.parametrize("lengths", [[5, 3, 1], [2, 5, 4]], ids=str)
def test_recurrent_layers_of_packed_sequences(text, given, lengths):
    def call(lib, module, x):
        rnn = lib.nn.utils.rnn
        packed = rnn.pack_padded_sequence(x, lengths, enforce_sorted=lengths[0] == 5)
        output, state = module(packed, first_states(module, lib, (3,)) if given else None)
        return rnn.pad_packed_sequence(output)[0], state

    assert_module(text, call, normal(5, 3, 3))


@pytest.mark.parametrize("text", ["nn.RNNCell(3, 4)", "nn.RNNCell(3, 4, False, 'relu')", "nn.LSTMCell(3, 4)",
                                  "nn.GRUCell(3, 4)"])  # fmt: skip
@pytest.mark.parametrize("batch", [(), (5,)])
def test_cells(text, batch):
    assert_module(text, plainly, normal(*batch, 3))
    h, c = normal(*batch, 4, seed=1), normal(*batch, 4, seed=2)
    assert_module(text, lambda lib, m, x, h, c: m(x, (h, c) if "LSTM" in text else h), normal(*batch, 3), h, c)


def test_second_derivatives_of_an_lstm():
    def run(lib):
        module, *_ = with_the_same_values(lib, "nn.LSTM(2, 3, bidirectional=True)")
        x = lib.tensor(normal(4, 1, 2), requires_grad=True)
        y, _ = module(x)
        (g,) = lib.autograd.grad((y**2).sum(), x, create_graph=True)
        return [h.numpy() for h in lib.autograd.grad((g**2).sum(), [x, *module.parameters()])]

    for a, b in zip(*both(run), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-12)


def test_packing_gives_the_same_arrays():
    def run(lib):
        rnn, parts = lib.nn.utils.rnn, [lib.tensor(normal(n, 2, seed=n)) for n in (2, 4, 1)]
        packed = rnn.pack_sequence(parts, enforce_sorted=False)
        seen = [
            *packed,
            *rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1.0, total_length=5),
            rnn.pad_sequence(parts),
            rnn.pad_sequence(parts, True, 9.0, "left"),
            *rnn.unpack_sequence(packed),
            *rnn.unpad_sequence(rnn.pad_sequence(parts), lib.tensor([2, 4, 1])),
        ]
        return [t.numpy() for t in seen]

    for a, b in zip(*both(run), strict=True):
        np.testing.assert_array_equal(a, b)


STARTS = ["nn.LSTM(100, 400)", "nn.GRU(100, 400, 2)", "nn.RNNCell(100, 400)", "nn.MultiheadAttention(60, 2, kdim=40)",
          "nn.MultiheadAttention(60, 2, add_bias_kv=True)", "nn.ConvTranspose2d(16, 64, 5)", "nn.EmbeddingBag(200, 50)",
          "nn.Transformer(16, 2, 1, 1, 32)"]  # fmt: skip


@pytest.mark.parametrize("text", STARTS)
def test_initial_weights_have_the_same_distribution(text):
    def run(lib):
        lib.manual_seed(0)
        weights = {n: w.numpy() for n, w in eval(text, {"nn": lib.nn}).state_dict().items()}
        return [(n, w.shape, w.min(), w.max(), w.std(), np.abs(w).max()) for n, w in weights.items()]

    for (*ours, std, largest), (*theirs, their_std, their_largest) in zip(*both(run), strict=True):
        (name, shape, *_), (their_name, their_shape, low, high) = ours, theirs
        assert (name, shape) == (their_name, their_shape)
        if np.prod(shape) > 1000:
            np.testing.assert_allclose(std, their_std, rtol=0.1)
            np.testing.assert_allclose(largest, their_largest, rtol=0.2)
        elif low == high:
            assert ours == theirs


# Attention -----------------------------------------------------------------------------------------------------------

CHOSEN = np.array([[False, True, False, False, False]] * 2 + [[False] * 5] + [[True, False] * 2 + [False]])
PADDING = np.array([[False] * 4 + [True], [False] * 3 + [True] * 2])
HEADS = [
    ("nn.MultiheadAttention(6, 2)", {}),
    ("nn.MultiheadAttention(6, 3, bias=False)", {"average_attn_weights": False}),
    ("nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True)", {"attn_mask": CHOSEN}),
    ("nn.MultiheadAttention(6, 2)", {"key_padding_mask": PADDING}),
    ("nn.MultiheadAttention(6, 2)", {"key_padding_mask": PADDING, "attn_mask": CHOSEN, "need_weights": False}),
    ("nn.MultiheadAttention(6, 2)", {"attn_mask": normal(4, 4, 5)}),
    ("nn.MultiheadAttention(6, 2, add_zero_attn=True)", {"key_padding_mask": PADDING}),
]


@pytest.mark.parametrize(("text", "options"), HEADS, ids=str)
def test_attention_of_several_heads(text, options):
    def call(lib, module, q, k, v):
        return module(q, k, v, **{n: lib.tensor(o) if isinstance(o, np.ndarray) else o for n, o in options.items()})

    assert_module(text, call, normal(4, 2, 6), normal(5, 2, 6, seed=1), normal(5, 2, 6, seed=2))


def test_attention_of_unlike_widths_without_a_batch_and_with_it_first():
    text = "nn.MultiheadAttention(6, 2, kdim=3, vdim=5)"
    assert_module(text, plainly, normal(4, 6), normal(5, 3, seed=1), normal(5, 5, seed=2))
    text = "nn.MultiheadAttention(6, 2, batch_first=True)"
    assert_module(text, plainly, normal(2, 4, 6), normal(2, 5, 6, seed=1), normal(2, 5, 6, seed=2))


LAYER = "(6, 2, 8, dropout=0.0"
STACKS = [
    f"nn.TransformerEncoderLayer{LAYER})", f"nn.TransformerEncoderLayer{LAYER}, activation='gelu', norm_first=True)",
    f"nn.TransformerEncoderLayer{LAYER}, bias=False, batch_first=True)",
    f"nn.TransformerEncoder(nn.TransformerEncoderLayer{LAYER}), 2, nn.LayerNorm(6), False)",
]  # fmt: skip


@pytest.mark.parametrize("text", STACKS)
@pytest.mark.parametrize("masked", [False, True])
def test_encoders(text, masked):
    def call(lib, module, x):
        n = x.shape[1 if "batch_first" in text else 0]
        return module(x, lib.nn.Transformer.generate_square_subsequent_mask(n) if masked else None)

    assert_module(text, call, normal(4, 3, 6), rtol=1e-6, atol=1e-8)


def test_decoders_and_transformers():
    x, y = normal(4, 3, 6), normal(5, 3, 6, seed=1)
    assert_module(f"nn.TransformerDecoderLayer{LAYER})", plainly, x, y, rtol=1e-6, atol=1e-8)
    assert_module(f"nn.TransformerDecoder(nn.TransformerDecoderLayer{LAYER}, norm_first=True), 2)", plainly, x, y,
                  rtol=1e-6, atol=1e-8)  # fmt: skip
    assert_module("nn.Transformer(6, 2, 1, 2, 8, dropout=0.0)", lambda lib, m, x, y: m(
        x, y, tgt_mask=m.generate_square_subsequent_mask(5)), x, y, rtol=1e-6, atol=1e-8)  # fmt: skip


# Others --------------------------------------------------------------------------------------------------------------

IMAGES = normal(2, 4, 6, 7)
MODULES = [
    ("nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, groups=2)", (2, 4, 5)),
    ("nn.ConvTranspose2d(4, 2, (2, 3), stride=2, output_padding=1, bias=False)", (2, 4, 3, 3)),
    ("nn.ConvTranspose3d(2, 2, 2, dilation=2)", (2, 2, 3, 3, 2)), ("nn.Conv3d(2, 4, 2, padding=1)", (2, 2, 3, 3, 2)),
    ("nn.Conv3d(2, 4, 2, padding=1, padding_mode='circular')", (2, 2, 3, 3, 2)),
    ("nn.PReLU()", (2, 4)), ("nn.PReLU(4)", (2, 4, 3)), ("nn.Softmin(1)", (2, 4)), ("nn.Softmax2d()", (2, 4, 2, 2)),
    ("nn.GroupNorm(2, 4)", (2, 4, 3)), ("nn.GroupNorm(2, 4, affine=False)", (2, 4)), ("nn.RMSNorm((3, 2))", (2, 3, 2)),
    ("nn.InstanceNorm1d(4)", (2, 4, 3)), ("nn.InstanceNorm1d(4)", (4, 3)), ("nn.BatchNorm3d(2)", (2, 2, 3, 2, 2)),
    ("nn.InstanceNorm2d(4, affine=True, track_running_stats=True)", (2, 4, 3, 2)),
    ("nn.InstanceNorm3d(2, affine=True, track_running_stats=True).eval()", (2, 2, 3, 2, 2)),
    ("nn.LocalResponseNorm(3, alpha=0.2)", (2, 4, 3)),
    ("nn.AdaptiveAvgPool2d((3, None))", (2, 4, 5, 6)), ("nn.AdaptiveMaxPool1d(2)", (2, 4, 5)),
    ("nn.MaxPool3d(2, ceil_mode=True)", (2, 2, 3, 3, 3)), ("nn.AvgPool3d(2)", (2, 2, 4, 4, 4)),
    ("nn.LPPool2d(2, 2)", (2, 2, 4, 4)), ("nn.Unfold(2, padding=1)", (2, 2, 4, 3)), ("nn.Fold(3, 2)", (2, 8, 4)),
    ("nn.ZeroPad1d((1, 2))", (2, 3)), ("nn.ConstantPad2d(1, 3.5)", (1, 2, 3)), ("nn.ReflectionPad2d((1, 2, 1, 0))",
    (1, 3, 4)),
    ("nn.ReplicationPad3d(1)", (1, 2, 2, 2)), ("nn.CircularPad2d(1)", (1, 2, 2, 2)), ("nn.PixelShuffle(2)", (1, 8, 2,
    3)),
    ("nn.PixelUnshuffle(2)", (1, 2, 4, 6)), ("nn.Upsample(scale_factor=2, mode='bilinear')", (1, 2, 3, 3)),
    ("nn.UpsamplingBilinear2d(5)", (1, 2, 3, 3)), ("nn.UpsamplingNearest2d(scale_factor=2)", (1, 2, 3, 3)),
    ("nn.Hardtanh(-0.5, 0.7)", (9,)), ("nn.Softshrink(0.2)", (9,)), ("nn.Threshold(0.1, 3.0)", (9,)), ("nn.GLU(0)",
    (4, 3)),
    ("nn.RReLU().eval()", (9,)), ("nn.Dropout2d().eval()", (2, 3, 4, 4)), ("nn.Unflatten(1, (2, 2))", (3, 4)),
    ("nn.Flatten()", (2, 3, 4)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shape"), MODULES, ids=str)
def test_modules_of_one_input(text, shape):
    assert_module(text, plainly, normal(*shape), rtol=1e-7, atol=1e-9)


def test_modules_of_two_inputs():
    x, y, t = normal(4, 3), normal(4, 3, seed=1), np.array([1, -1, 1, -1])
    assert_module("nn.CosineSimilarity(dim=0)", plainly, x, y)
    assert_module("nn.PairwiseDistance(p=3, keepdim=True)", plainly, x, y)
    assert_module("nn.CosineEmbeddingLoss(0.2)", plainly, x, y, t)
    assert_module("nn.MarginRankingLoss(0.2)", plainly, x[:, 0], y[:, 0], t)
    assert_module("nn.HingeEmbeddingLoss(0.5)", plainly, x[:, 0], t)
    assert_module("nn.TripletMarginLoss(swap=True)", plainly, x, y, normal(4, 3, seed=2))
    assert_module("nn.TripletMarginWithDistanceLoss(margin=0.5)", plainly, x, y, normal(4, 3, seed=2))
    assert_module("nn.MultiMarginLoss(weight=None)", plainly, x, np.array([0, 2, 1, 1]))
    assert_module("nn.MultiLabelMarginLoss()", plainly, x, np.array([[0, -1, 1]] * 4))
    assert_module("nn.LinearCrossEntropyLoss(3, 4, bias=True)", plainly, x, np.array([0, 2, 3, 1]))
    assert_module("nn.EmbeddingBag(5, 3)", plainly, np.array([[0, 2], [1, 4]]))
    assert_module("nn.Embedding(5, 3, max_norm=0.5)", plainly, np.array([[0, 2], [1, 4]]))
    assert_module("nn.ConvTranspose1d(3, 2, 2, stride=3)", lambda lib, m, x: m(x, output_size=[12]), normal(1, 3, 4))
    assert_module(
        "nn.MaxUnpool1d(2)", lambda lib, m, x: m(*lib.nn.MaxPool1d(2, return_indices=True)(x)), normal(1, 2, 6)
    )
    lengths = np.array([4, 3]), np.array([2, 2])
    assert_module("nn.CTCLoss()", lambda lib, m, x, *a: m(x.log_softmax(-1), *a), normal(4, 2, 3),
                  np.array([[1, 2], [2, 2]]), *lengths)  # fmt: skip


def test_the_adaptive_softmax():
    text, x = "nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 6, 7], 2.0, head_bias=True)", normal(6, 8)
    assert_module(text, plainly, x, np.array([0, 11, 5, 6, 2, 4]))
    assert_module(text, plainly, x[0], np.array(4))
    assert_module(text, lambda lib, m, x: (m.log_prob(x), m.predict(x)), x)


PRINTED = [
    "ReLU6()", "Hardtanh()", "CELU()", "CELU(inplace=True)", "Threshold(1, 2)", "GLU()", "Softshrink()", "RReLU()",
    "PReLU(3)", "Softmin(1)", "Softmax2d()", "Mish(inplace=True)", "AdaptiveAvgPool2d((1, None))",
    "AdaptiveMaxPool1d(3)",
    "LPPool2d(2, 3)", "FractionalMaxPool2d(2, output_size=3)", "MaxUnpool2d(2)", "MaxUnpool1d(2)", "Unfold(2)",
    "Fold(3, 2)", "ZeroPad2d(1)", "ConstantPad1d(1, 2.)", "ReflectionPad2d((1, 2, 3, 4))", "CircularPad3d(1)",
    "PixelShuffle(2)", "PixelUnshuffle(2)", "ChannelShuffle(2)", "Upsample(scale_factor=2)",
    "UpsamplingBilinear2d(size=3)",
    "ConvTranspose2d(2, 3, 2, output_padding=1, stride=2)", "GroupNorm(2, 4)", "InstanceNorm1d(3)", "RMSNorm(3)",
    "LocalResponseNorm(2)", "Dropout1d()", "AlphaDropout()", "CosineSimilarity()", "PairwiseDistance()",
    "TripletMarginLoss()", "LSTM(2, 3, 2, bidirectional=True)", "GRU(2, 3, batch_first=True)",
    "LSTM(2, 3, 2, dropout=0.5, proj_size=1, bias=False)", "RNN(2, 3, nonlinearity='relu')", "LSTMCell(2, 3)",
    "RNNCell(2, 3, nonlinearity='relu')", "GRUCell(2, 3, bias=False)", "EmbeddingBag(3, 2, padding_idx=1)",
    "Embedding(3, 2, padding_idx=1, max_norm=2.0, sparse=True)", "CTCLoss()", "BatchNorm3d(2)", "AvgPool3d(2)",
    "MaxPool2d(2, ceil_mode=True)", "Conv3d(2, 3, 2)",
]  # fmt: skip


@pytest.mark.parametrize("text", PRINTED)
def test_modules_print_as_in_torch(text):
    ours, theirs = both(lambda lib: repr(eval("nn." + text, {"nn": lib.nn})))
    assert ours == theirs


ERRORS = {
    "features": lambda lib: lib.nn.LSTM(3, 4)(lib.ones(5, 2, 2)),
    "dims": lambda lib: lib.nn.GRU(3, 4)(lib.ones(5, 2, 2, 3)),
    "no time": lambda lib: lib.nn.GRU(3, 4)(lib.ones(0, 2, 3)),
    "state": lambda lib: lib.nn.RNN(3, 4)(lib.ones(5, 2, 3), lib.ones(2, 2, 4)),
    "state dims": lambda lib: lib.nn.RNN(3, 4)(lib.ones(5, 2, 3), lib.ones(1, 4)),
    "nonlinearity": lambda lib: lib.nn.RNN(3, 4, nonlinearity="sin"),
    "hidden size": lambda lib: lib.nn.LSTM(3, 0),
    "projection": lambda lib: lib.nn.LSTM(3, 4, proj_size=4),
    "dropout": lambda lib: lib.nn.LSTM(3, 4, dropout=2.0),
    "cell features": lambda lib: lib.nn.LSTMCell(3, 4)(lib.ones(2)),
    "cell dims": lambda lib: lib.nn.LSTMCell(3, 4)(lib.ones(2, 2, 3)),
    "groups": lambda lib: lib.nn.GroupNorm(3, 4),
    "heads": lambda lib: lib.nn.MultiheadAttention(5, 2),
    "unsorted": lambda lib: lib.nn.utils.rnn.pack_padded_sequence(lib.ones(3, 2), lib.tensor([1, 3])),
    "no length": lambda lib: lib.nn.utils.rnn.pack_padded_sequence(lib.ones(3, 2), lib.tensor([3, 0])),
    "padding mode": lambda lib: lib.nn.ConvTranspose2d(1, 1, 2, padding_mode="reflect"),
    "output size": lambda lib: lib.nn.ConvTranspose1d(1, 1, 2, stride=2)(lib.ones(1, 3), output_size=[9]),
    "instance dims": lambda lib: lib.nn.InstanceNorm2d(3)(lib.ones(2, 3)),
    "softmax dims": lambda lib: lib.nn.Softmax2d()(lib.ones(2, 3)),
    "table": lambda lib: lib.nn.Embedding(3, 2, _weight=lib.ones(2, 2)),
    "activation": lambda lib: lib.nn.TransformerEncoderLayer(4, 2, activation="sin"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_of_the_kind_torch_raises(name):
    with pytest.raises(Exception) as theirs:
        answer("torch", ERRORS[name])
    with pytest.raises(theirs.type):
        ERRORS[name](sg)


# Weights -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["weight_norm", "spectral_norm"])
@pytest.mark.parametrize(("text", "shape"), [
    ("nn.Linear(3, 4)", (5, 3)), ("nn.Conv1d(3, 4, 2)", (2, 3, 6)), ("nn.ConvTranspose1d(3, 4, 2)", (2, 3, 6)),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*weight_norm.*is deprecated")
def test_normed_weights(name, text, shape):
    def run(lib, state=None):
        module = getattr(lib.nn.utils, name)(eval(text, {"nn": lib.nn}))
        if state is not None:
            assert set(module.state_dict()) == set(state)
            module.load_state_dict(state)
        start = {n: v.numpy().copy() for n, v in module.state_dict().items()}
        x = lib.tensor(normal(*shape), requires_grad=True)
        (module(x) ** 2).sum().backward()
        module.eval()
        seen = [module(x).detach().numpy(), x.grad.numpy(), module.weight.detach().numpy()]
        seen += [p.grad.numpy() for _, p in sorted(module.named_parameters())]
        getattr(lib.nn.utils, f"remove_{name}")(module)
        return start, [*seen, module(x).detach().numpy()], sorted(n for n, _ in module.named_parameters())

    start, theirs, their_names = answer("torch", run)
    _, ours, names = run(sg, start)
    assert names == their_names == ["bias", "weight"]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 3, 3), (2, 4, 2, 3), (6, 2, 3, 3, 3)], ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_dirac(shape, groups):
    np.testing.assert_array_equal(*both(lambda lib: lib.nn.init.dirac_(lib.empty(*shape), groups).numpy()))


def test_sparse():
    def run(lib):
        return lib.nn.init.sparse_(lib.empty(30, 20), 0.32, 0.5).numpy()

    ours = run(sg)
    np.testing.assert_array_equal((ours == 0).sum(0), answer("torch", lambda torch: (run(torch) == 0).sum(0)))
    np.testing.assert_allclose(ours[ours != 0].std(), 0.5, rtol=0.15)


def test_gains_and_generators():
    for kind in ("conv3d", "conv_transpose2d"):
        ours, theirs = both(lambda lib: lib.nn.init.calculate_gain(kind))  # noqa: B023
        assert ours == theirs
    for name in ("uniform_", "normal_", "trunc_normal_", "xavier_normal_", "kaiming_uniform_", "orthogonal_"):
        fill = getattr(sg.nn.init, name)
        one, two = (fill(sg.empty(3, 4), generator=sg.Generator().manual_seed(1)).tolist() for _ in range(2))
        assert one == two


# What is left out ----------------------------------------------------------------------------------------------------

HOMES = {home: operator.attrgetter(home) for home in ("nn", "nn.functional")}


def public(module):
    """The names of a module of PyTorch's that are its own, not what it imports for itself."""
    for name, value in vars(module).items():
        home = getattr(value, "__module__", None) or ""
        own = home.startswith("torch.nn") or isinstance(value, types.BuiltinFunctionType)
        if own and not name.startswith(("_", "has_torch_function")):
            yield name


def public_arguments(torch):
    """The arguments of what is public in each home, by name."""
    return {home: {n: arguments(getattr(of(torch), n)) for n in public(of(torch))} for home, of in HOMES.items()}


def test_what_is_left_out_of_nn_has_a_reason():
    theirs = answer("torch", public_arguments, name="public")
    assert len({name for names in theirs.values() for name in names}) > 250
    missing = {name for home, names in theirs.items() for name in names if not hasattr(HOMES[home](sg), name)}
    assert missing == {name for _, _, names in LAYERS for name in names.split()}


OF_OLD = ("_freeze", "min_value", "max_value")
"""Arguments that PyTorch itself has given up, or keeps to itself."""


def arguments(call):
    """The names of the arguments that a function says it takes; none where it does not say."""
    try:
        return [name for name in inspect.signature(call).parameters if name not in OF_OLD]
    except ValueError:
        return []


@pytest.mark.parametrize("home", HOMES)
def test_arguments_have_the_names_and_the_order_of_torch(home):
    ours, theirs = HOMES[home](sg), answer("torch", public_arguments, name="public")[home]
    wrong, compared = {}, 0
    for name, wanted in theirs.items():
        if hasattr(ours, name) and name not in ("RNNBase", "RNNCellBase"):
            mine = arguments(getattr(ours, name))
            if {"args", "kwargs"} & {*mine, *wanted}:
                continue
            compared += 1
            here = [n for n in mine if n in wanted]
            if wanted != here:
                wrong[name] = (wanted, mine)
    assert compared > 70
    assert not wrong
