"""Recurrent layers, attention and the other modules compute what their formulas say, with right gradients."""

import copy
import gc
import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.nn.utils import rnn


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def sigma(x):
    return 1 / (1 + np.exp(-x))


def arrays(module):
    return {name: p.detach().numpy() for name, p in module.named_parameters()}


# Recurrent -----------------------------------------------------------------------------------------------------------


def steps_by_hand(kind, p, x, h, c):
    """The states of one loop over time, in NumPy."""
    outputs = []
    for row in x:
        a, b = p["weight_ih_l0"] @ row + p["bias_ih_l0"], p["weight_hh_l0"] @ h + p["bias_hh_l0"]
        if kind == "RNN":
            h = np.tanh(a + b)
        elif kind == "LSTM":
            i, f, g, o = np.split(a + b, 4)
            c = sigma(f) * c + sigma(i) * np.tanh(g)
            h = sigma(o) * np.tanh(c)
        else:
            (r, z, n), (r_h, z_h, n_h) = np.split(a, 3), np.split(b, 3)
            r, z = sigma(r + r_h), sigma(z + z_h)
            h = (1 - z) * np.tanh(n + r * n_h) + z * h
        outputs.append(h)
    return np.array(outputs), c


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_recurrent_layers_by_hand(kind):
    layer, x, h, c = getattr(nn, kind)(3, 4), normal(5, 3), normal(4, seed=1), normal(4, seed=2)
    first = (sg.tensor(h[None]), sg.tensor(c[None])) if kind == "LSTM" else sg.tensor(h[None])
    output, last = layer(sg.tensor(x), first)
    wanted, memory = steps_by_hand(kind, arrays(layer), x, h, c)
    np.testing.assert_allclose(output.detach().numpy(), wanted, rtol=1e-12)
    np.testing.assert_allclose((last[0] if kind == "LSTM" else last)[0].detach().numpy(), wanted[-1], rtol=1e-12)
    if kind == "LSTM":
        np.testing.assert_allclose(last[1][0].detach().numpy(), memory, rtol=1e-12)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_a_cell_is_one_step_of_the_layer(kind):
    layer, cell, x = getattr(nn, kind)(3, 4), getattr(nn, f"{kind}Cell")(3, 4), sg.tensor(normal(5, 2, 3))
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    state, outputs = None, []
    for row in x:
        state = cell(row, state)
        outputs.append(state[0] if kind == "LSTM" else state)
    np.testing.assert_allclose(sg.stack(outputs).detach().numpy(), layer(x)[0].detach().numpy(), rtol=1e-12)


@pytest.mark.parametrize("layers", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_gradients_of_recurrent_layers(kind, layers):
    layer = getattr(nn, kind)(2, 2, num_layers=layers, bidirectional=True)
    names = [name for name, _ in layer.named_parameters()]

    def fn(x, *parameters):
        return sg.func.functional_call(layer, dict(zip(names, parameters, strict=True)), (x,))[0]

    inputs = sg.tensor(normal(3, 2, 2), requires_grad=True), *(p.detach().requires_grad_() for p in layer.parameters())
    assert sg.autograd.gradcheck(fn, inputs)


def test_a_second_direction_reads_from_the_end():
    layer, x = nn.GRU(3, 4, bidirectional=True), normal(5, 3)
    one = nn.GRU(3, 4)
    state = layer.state_dict()
    one.load_state_dict({n.removesuffix("_reverse"): v for n, v in state.items() if n.endswith("_reverse")})
    both, backwards = layer(sg.tensor(x))[0], one(sg.tensor(x[::-1].copy()))[0]
    np.testing.assert_allclose(both[:, 4:].detach().numpy(), backwards.detach().numpy()[::-1], rtol=1e-12)


@pytest.mark.parametrize("lengths", [[2, 4, 1], [4, 4, 4]], ids=str)
def test_packed_sequences_are_run_as_if_alone(lengths):
    layer = nn.LSTM(3, 4, 2, bidirectional=True)
    parts = [sg.tensor(normal(n, 3, seed=i), requires_grad=True) for i, n in enumerate(lengths)]
    output, (h, c) = layer(rnn.pack_sequence(parts, enforce_sorted=False))
    for i, (part, seen) in enumerate(zip(parts, rnn.unpack_sequence(output), strict=True)):
        alone, (h_alone, c_alone) = layer(part)
        for a, b in ((seen, alone), (h[:, i], h_alone), (c[:, i], c_alone)):
            np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-12)
    output.data.sum().backward()
    assert all(part.grad.abs().min().item() > 0 for part in parts)


def test_padding_and_packing_undo_each_other():
    parts = [sg.tensor(normal(n, 2, seed=n)) for n in (3, 1, 2)]
    back = rnn.unpad_sequence(rnn.pad_sequence(parts, batch_first=True), [3, 1, 2], batch_first=True)
    again = rnn.unpack_sequence(rnn.pack_sequence(parts, enforce_sorted=False))
    for part, one, two in zip(parts, back, again, strict=True):
        np.testing.assert_array_equal(part.numpy(), one.numpy())
        np.testing.assert_array_equal(part.numpy(), two.numpy())


# Attention -----------------------------------------------------------------------------------------------------------


def test_attention_of_several_heads_by_hand():
    layer, x, y = nn.MultiheadAttention(4, 2), normal(3, 4), normal(5, 4, seed=1)
    p = arrays(layer)
    w_q, w_k, w_v = np.split(p["in_proj_weight"], 3)
    heads, all_weights = [], []
    for head in (slice(0, 2), slice(2, 4)):
        q, k, v = x @ w_q[head].T, y @ w_k[head].T, y @ w_v[head].T
        weights = np.exp(q @ k.T / np.sqrt(2))
        all_weights.append(weights / weights.sum(1, keepdims=True))
        heads.append(all_weights[-1] @ v)
    output, weights = layer(sg.tensor(x), sg.tensor(y), sg.tensor(y))
    np.testing.assert_allclose(output.detach().numpy(), np.concatenate(heads, 1) @ p["out_proj.weight"].T, rtol=1e-12)
    np.testing.assert_allclose(weights.detach().numpy(), np.mean(all_weights, 0), rtol=1e-12)


def test_a_causal_encoder_does_not_look_ahead():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    x = sg.tensor(normal(5, 1, 4), requires_grad=True)
    layer(x, nn.Transformer.generate_square_subsequent_mask(5))[2, 0, 0].backward()
    assert x.grad[3:].abs().max().item() == 0.0
    assert x.grad[:3].abs().min().item() > 0.0


def test_gradients_of_an_encoder():
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, activation="gelu")
    assert sg.autograd.gradcheck(layer, (sg.tensor(normal(3, 2, 4), requires_grad=True),))


# Others --------------------------------------------------------------------------------------------------------------


MODULES = [
    nn.LSTM(3, 4), nn.GRUCell(3, 4), nn.MultiheadAttention(4, 2), nn.PReLU(), nn.Hardtanh(), nn.GroupNorm(2, 4),
    nn.MaxPool2d(2), nn.ConvTranspose2d(2, 3, 2), nn.ReflectionPad2d(1), nn.Upsample(scale_factor=2),
    nn.TripletMarginLoss(), nn.CrossEntropyLoss(sg.ones(3)), nn.EmbeddingBag(3, 2), nn.Dropout2d(), nn.RReLU(),
    nn.TransformerDecoderLayer(4, 2, 8), nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], 2.0),
]  # fmt: skip


@pytest.mark.parametrize("module", MODULES, ids=lambda m: type(m).__name__)
def test_modules_are_copied_and_pickled(module):
    for twin in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert repr(twin) == repr(module)
        for (name, a), (other, b) in zip(module.state_dict().items(), twin.state_dict().items(), strict=True):
            assert name == other and a is not b
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_containers_are_added_repeated_and_emptied():
    net = nn.Sequential(nn.Linear(2, 2)) + nn.Sequential(nn.Tanh())
    net += nn.Sequential(nn.Linear(2, 2))
    twice = 2 * net
    assert [type(m).__name__ for m in twice] == ["Linear", "Tanh", "Linear"] * 2
    assert twice[0] is twice[3] is net[0] and len(list(twice.parameters())) == 4
    with pytest.raises(ValueError, match="Non-positive multiplication factor 0"):
        net * 0
    table = nn.ParameterDict({"a": sg.ones(1)})
    assert table.get("b") is None and isinstance(table.setdefault("b", sg.zeros(2)), nn.Parameter)
    assert table.popitem()[0] == "b" and table.pop("a").tolist() == [1.0] and len(table) == 0
    table["c"] = sg.ones(1)
    table.clear()
    assert list(table.parameters()) == []


ARRAYS = [
    (nn.LSTM(3, 4), normal(5, 2, 3)), (nn.GRU(3, 4, batch_first=True), normal(5, 3)), (nn.RNNCell(3, 4), normal(3)),
    (nn.MultiheadAttention(4, 2), *(normal(3, 4),) * 3), (nn.TransformerEncoderLayer(4, 2, 8, 0.0), normal(3, 2, 4)),
    (nn.InstanceNorm1d(2), normal(2, 5)), (nn.BatchNorm1d(2).eval(), normal(3, 2)), (nn.Linear(3, 2), normal(4, 3)),
    (nn.Conv2d(1, 2, 3, padding=1, padding_mode="reflect"), normal(1, 1, 5, 5)), (nn.Flatten(), normal(2, 3, 4)),
    (nn.Unflatten(1, (2, 2)), normal(3, 4)), (nn.PReLU(), normal(3)), (nn.ZeroPad2d(1), normal(1, 2, 2)),
    (nn.Embedding(4, 2), np.array([1, 3])), (nn.CrossEntropyLoss(), normal(3, 4), np.array([0, 3, 1])),
    (nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], 2.0), normal(3, 8), np.array([0, 9, 4])),
    (nn.Softmax(1), normal(2, 3)), (nn.GroupNorm(2, 4), normal(2, 4, 3)), (nn.Bilinear(2, 3, 1), normal(2), normal(3)),
    (nn.MaxUnpool1d(2), normal(1, 2), np.array([[0, 3]])),
]  # fmt: skip


@pytest.mark.parametrize(("module", "inputs"), [(m, x) for m, *x in ARRAYS], ids=lambda a: type(a).__name__)
def test_modules_take_arrays(module, inputs):
    ours, theirs = module(*inputs), module(*map(sg.tensor, inputs))
    for a, b in zip(*((y if isinstance(y, tuple) else (y,)) for y in (ours, theirs)), strict=True):
        for one, two in zip(*((y if isinstance(y, tuple) else (y,)) for y in (a, b)), strict=True):
            np.testing.assert_array_equal(sg.as_tensor(one).detach().numpy(), two.detach().numpy())


def test_weights_of_losses_follow_the_dtype_of_the_module():
    loss = nn.CrossEntropyLoss(sg.ones(3)).to(sg.float32)
    assert loss.weight.dtype == sg.float32
    assert list(loss.state_dict()) == ["weight"]
    assert list(nn.CrossEntropyLoss().state_dict()) == []


def test_options_are_attributes_that_may_be_changed():
    pool = nn.MaxPool1d(2)
    pool.return_indices = True
    assert pool(sg.tensor([[1.0, 3.0]]))[1].tolist() == [[1]]
    drop = nn.Dropout1d(1.0)
    assert drop(sg.ones(1, 2, 3)).abs().max().item() == 0.0
    assert drop.eval()(sg.ones(1, 2, 3)).min().item() == 1.0


def test_a_model_of_the_new_layers_learns():
    sg.manual_seed(0)
    model = nn.Sequential(nn.Conv1d(1, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.Hardswish(), nn.AdaptiveAvgPool1d(2),
                          nn.Flatten(), nn.Linear(8, 1))  # fmt: skip
    x = sg.randn(32, 1, 9)
    y = x[:, 0, :5].mean(1, keepdim=True)
    optimizer = sg.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


def test_what_is_cached_of_a_module_that_is_gone_is_not_another_modules():
    class Twice(sg.nn.Module):
        def forward(self, x):
            return 2 * x

    parametrize = sg.nn.utils.parametrize
    with parametrize.cached():
        for k in range(50):
            layer = sg.nn.Linear(1, 1, bias=False)
            with sg.no_grad():
                layer.weight.fill_(k)
            parametrize.register_parametrization(layer, "weight", Twice())
            assert layer.weight.item() == 2 * k
            del layer
            gc.collect(1)  # the young ones: all of a long run's take a second


@pytest.mark.parametrize("name", ["weight_norm", "spectral_norm"])
def test_a_weight_is_computed_by_one_hook_which_errors_call_by_its_function(name):
    register, remove = (getattr(sg.nn.utils, prefix + name) for prefix in ("", "remove_"))
    layer = register(sg.nn.Linear(4, 3))
    with pytest.raises(RuntimeError, match=f"^Cannot register two {name} hooks on the same parameter weight$"):
        register(layer)
    remove(layer)
    with pytest.raises(ValueError, match=f"^{name} of 'weight' not found in Linear"):
        remove(layer)


def test_a_weight_that_is_released_is_as_it_was():
    layer = sg.nn.utils.spectral_norm(sg.nn.Linear(4, 3))
    layer(sg.ones(4))
    weight = layer.weight.detach().clone()
    sg.nn.utils.remove_spectral_norm(layer)
    assert isinstance(layer.weight, sg.nn.Parameter) and bool((layer.weight == weight).all())


@pytest.mark.parametrize("more", [{}, {"bias": False, "add_bias_kv": True, "add_zero_attn": True}])
@pytest.mark.parametrize("need_weights", [False, True])
def test_attention_in_an_empty_batch_is_empty(more, need_weights):
    layer, x = nn.MultiheadAttention(4, 2, **more), sg.ones(3, 0, 4)
    padding = sg.zeros(0, 3, dtype=sg.bool)
    output, weights = layer(x, x, x, key_padding_mask=padding, need_weights=need_weights)
    assert output.shape == (3, 0, 4)
    assert weights is None or weights.shape == (0, 3, 5 if more else 3)
    output.sum().backward()
    assert not layer.in_proj_weight.grad.any()


def test_transformer_layers_take_an_empty_batch():
    encoder, decoder = nn.TransformerEncoderLayer(4, 2, 3, batch_first=True), nn.TransformerDecoderLayer(4, 2, 3)
    assert encoder(sg.ones(0, 3, 4)).shape == (0, 3, 4)
    assert decoder(sg.ones(3, 0, 4), sg.ones(5, 0, 4)).shape == (3, 0, 4)
