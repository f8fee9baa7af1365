"""Modules keep their parts by name, layers and losses compute what they say, with right gradients."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.nn import functional as F

from ..helpers.numeric import gradient


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 4)
        self.out = nn.Linear(4, 2)
        self.scale = nn.Parameter(sg.tensor([2.0]))
        self.register_buffer("seen", sg.tensor(0))

    def forward(self, x):
        return self.scale * self.out(self.hidden(x).tanh())


def numpy(tensor):
    return tensor.detach().numpy()


def finite_difference(fn, arrays, i, step=1e-5):
    """Differentiate a number with respect to ``arrays[i]`` by central differences."""
    gradient = np.zeros_like(arrays[i])
    for place in np.ndindex(arrays[i].shape):
        values = []
        for sign in (1, -1):
            moved = [a.copy() for a in arrays]
            moved[i][place] += sign * step
            values.append(fn(*(sg.tensor(a) for a in moved)).item())
        gradient[place] = (values[0] - values[1]) / (2 * step)
    return gradient


def assert_gradients(fn, *shapes, low=None):
    """Compare the gradients of ``fn``, weighted and summed, with finite differences."""
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s) if low is None else rng.uniform(low, 1 - low, size=s) for s in shapes]

    def total(*tensors):
        y = fn(*tensors)
        return (y * sg.tensor(np.random.default_rng(1).normal(size=tuple(y.shape)))).sum()

    leaves = [sg.tensor(a, requires_grad=True) for a in arrays]
    total(*leaves).backward()
    for i, leaf in enumerate(leaves):
        np.testing.assert_allclose(numpy(leaf.grad), finite_difference(total, arrays, i), rtol=1e-6, atol=1e-8)


# Parameter -----------------------------------------------------------------------------------------------------


def test_a_parameter_is_a_marked_leaf():
    t = sg.tensor([1.0, 2.0])
    p = nn.Parameter(t)
    assert isinstance(p, nn.Parameter)
    assert isinstance(p, sg.Tensor)
    assert not isinstance(t, nn.Parameter)
    assert p.requires_grad
    assert p.is_leaf
    assert not t.requires_grad
    assert not isinstance(p * 2, nn.Parameter)
    assert not isinstance(p.detach(), nn.Parameter)


def test_a_parameter_shares_memory_with_its_tensor_and_cuts_its_graph():
    t = sg.tensor([1.0], requires_grad=True)
    p = nn.Parameter(t * 2)
    assert p.grad_fn is None
    base = sg.zeros(2)
    q = nn.Parameter(base)
    with sg.no_grad():
        q.add_(1.0)
    assert base.tolist() == [1.0, 1.0]


def test_a_frozen_parameter_is_still_a_parameter():
    p = nn.Parameter(sg.ones(2), requires_grad=False)
    assert isinstance(p, nn.Parameter)
    assert not p.requires_grad


def test_copies_and_pickles_of_parameters_are_parameters():
    p = nn.Parameter(sg.tensor([1.0, 2.0]))
    for q in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert isinstance(q, nn.Parameter)
        assert q.tolist() == [1.0, 2.0]
        assert q.requires_grad


# Module --------------------------------------------------------------------------------------------------------


def test_parts_are_found_by_name_in_the_order_of_assignment():
    net = Net()
    names = ["scale", "hidden.weight", "hidden.bias", "out.weight", "out.bias"]
    assert [n for n, _ in net.named_parameters()] == names
    assert [n for n, _ in net.named_parameters(recurse=False)] == ["scale"]
    assert next(n for n, _ in net.named_parameters(prefix="net")) == "net.scale"
    assert [n for n, _ in net.named_buffers()] == ["seen"]
    assert [n for n, _ in net.named_modules()] == ["", "hidden", "out"]
    assert list(net.children()) == [net.hidden, net.out]
    assert list(net.state_dict()) == ["scale", "seen", *names[1:]]
    assert net.get_parameter("out.bias") is net.out.bias
    assert net.get_submodule("hidden") is net.hidden
    assert net.get_buffer("seen") is net.seen


def test_a_shared_parameter_appears_once():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert len(list(net.parameters())) == 3
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4


def test_assignment_before_init_is_an_error():
    class Hasty(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"before Module.__init__\(\)"):
        Hasty()


def test_a_tensor_cannot_replace_a_parameter_but_none_can():
    layer = nn.Linear(2, 1)
    with pytest.raises(TypeError, match=r"nn\.Parameter or None"):
        layer.weight = sg.ones(1, 2)
    layer.bias = None
    assert layer.bias is None
    assert layer(sg.ones(2)).shape == (1,)


def test_an_attribute_changes_its_kind_by_assignment():
    module = nn.Module()
    module.part = 3
    module.part = nn.Parameter(sg.ones(1))
    assert len(list(module.parameters())) == 1
    module.part = nn.ReLU()
    assert len(list(module.parameters())) == 0
    del module.part
    with pytest.raises(AttributeError, match="no attribute 'part'"):
        _ = module.part


def test_state_dict_round_trip():
    first, second = Net(), Net()
    result = second.load_state_dict(first.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    x = sg.ones(5, 3)
    np.testing.assert_array_equal(numpy(first(x)), numpy(second(x)))
    assert not any(t.requires_grad for t in first.state_dict().values())


def test_loading_what_does_not_fit_lists_everything():
    net = nn.Linear(2, 1)
    with pytest.raises(RuntimeError) as error:
        net.load_state_dict({"weight": sg.ones(3, 3), "extra": sg.ones(1)})
    text = str(error.value)
    assert "Error(s) in loading state_dict for Linear:" in text
    assert 'Missing key(s) in state_dict: "bias"' in text
    assert 'Unexpected key(s) in state_dict: "extra"' in text
    assert "size mismatch for weight" in text
    assert net.load_state_dict({"weight": np.ones((1, 2))}, strict=False).missing_keys == ["bias"]
    assert net.weight.tolist() == [[1.0, 1.0]]


def test_loading_keeps_the_parameters_that_an_optimizer_holds():
    net = Net()
    before = [id(p) for p in net.parameters()]
    net.load_state_dict(Net().state_dict())
    assert [id(p) for p in net.parameters()] == before


def test_transient_buffers_are_not_saved():
    module = nn.Module()
    module.register_buffer("kept", sg.ones(1))
    module.register_buffer("dropped", sg.ones(1), persistent=False)
    assert list(module.state_dict()) == ["kept"]
    assert len(list(module.buffers())) == 2


class Counter(nn.Module):
    """A module whose state is more than tensors."""

    def __init__(self, count=0):
        super().__init__()
        self.count = count

    def get_extra_state(self):
        return {"count": self.count}

    def set_extra_state(self, state):
        self.count = state["count"]


def test_more_state_than_tensors_is_kept_by_the_module_it_belongs_to(tmp_path):
    saved = nn.Sequential(nn.Linear(1, 1), Counter(5)).state_dict()
    assert list(saved) == ["0.weight", "0.bias", "1._extra_state"]
    sg.save(saved, tmp_path / "state")
    other = nn.Sequential(nn.Linear(1, 1), Counter())
    assert other.load_state_dict(sg.load(tmp_path / "state")) == ([], [])
    assert other[1].count == 5

    class Half(nn.Module):
        get_extra_state = Counter.get_extra_state

    with pytest.raises(RuntimeError, match="Half has get_extra_state but not set_extra_state"):
        Half().load_state_dict({"_extra_state": {"count": 1}})


def test_assigned_tensors_are_the_parameters_themselves():
    net, weight = nn.Linear(2, 1, bias=False), sg.tensor([[1.0, 2.0]], dtype=sg.float32)
    net.load_state_dict({"weight": weight}, assign=True)
    weight.add_(1.0)
    assert (net.weight.tolist(), net.weight.dtype, net.weight.requires_grad) == ([[2.0, 3.0]], sg.float32, True)


def test_what_a_module_cannot_become_is_refused_by_name():
    net = nn.Linear(2, 1)
    with pytest.raises(sg.DTypeError, match="no bfloat16"):
        net.bfloat16()
    for name in ("cuda", "xpu", "ipu", "mtia"):
        with pytest.raises(sg.DeviceError, match="runs on the CPU"):
            getattr(net, name)()
    with pytest.raises(sg.DeviceError, match="'meta'"):
        net.to_empty(device="meta")
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        net.to(sg.int64)
    with pytest.raises(sg.DeviceError):
        nn.utils.rnn.pack_sequence([sg.ones(2)]).cuda()
    assert net.compile() is None
    assert net.share_memory() is net
    assert net.type(sg.float32).weight.dtype == sg.float32


def test_a_hook_that_is_always_called_sees_that_forward_failed():
    net, seen = nn.Linear(2, 1), []
    net.register_forward_hook(lambda module, args, output: seen.append(output), always_call=True)
    net.register_forward_hook(lambda module, args, output: seen.append("only then"))
    with pytest.raises(RuntimeError):
        net(sg.ones(3))
    assert seen == [None]


def test_train_and_eval_reach_all_modules():
    net = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout()))
    assert all(not m.training for m in net.eval().modules())
    assert all(m.training for m in net.train().modules())


def test_zero_grad_forgets_or_zeroes():
    net = nn.Linear(2, 1)
    net(sg.ones(2)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net.weight.grad.tolist() == [[0.0, 0.0]]
    net.zero_grad()
    assert net.weight.grad is None


def test_conversion_keeps_identity_and_integer_buffers():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    weight = net[0].weight
    (net(sg.ones(3, 2)) ** 2).sum().backward()
    for convert in (lambda: net.float(), lambda: net.to(sg.float32), lambda: net.to("cpu", sg.float32)):
        net.double()
        assert weight.dtype == sg.float64
        convert()
        assert net[0].weight is weight
        assert isinstance(weight, nn.Parameter)
        assert weight.dtype == sg.float32
        assert weight.grad.dtype == sg.float32
        assert net[1].running_mean.dtype == sg.float32
        assert net[1].num_batches_tracked.dtype == sg.int64
    assert net.to("cpu")[0].weight.dtype == sg.float32
    assert net(sg.ones(3, 2, dtype=sg.float32)).dtype == sg.float32
    with pytest.raises(RuntimeError):
        net.cuda()


def test_apply_visits_children_first():
    seen = []
    net = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    assert net.apply(lambda m: seen.append(type(m).__name__)) is net
    assert seen == ["Linear", "ReLU", "Sequential"]


def test_freezing_stops_gradients():
    net = nn.Linear(2, 1).requires_grad_(False)
    assert not net(sg.ones(2)).requires_grad


def test_deep_copies_are_independent():
    net = Net()
    twin = copy.deepcopy(net)
    with sg.no_grad():
        twin.scale.zero_()
    assert net.scale.item() == 2.0
    assert [n for n, _ in twin.named_parameters()] == [n for n, _ in net.named_parameters()]


def test_forward_hooks_see_and_replace():
    layer, seen = nn.Linear(2, 1), []
    first = layer.register_forward_pre_hook(lambda module, args: (args[0] * 0,))
    second = layer.register_forward_hook(lambda module, args, output: seen.append((args[0].tolist(), output.tolist())))
    third = layer.register_forward_hook(lambda module, args, output: output + 10)
    assert layer(sg.ones(2)).item() == layer.bias.item() + 10
    assert seen == [([0.0, 0.0], [layer.bias.item()])]
    for handle in (first, second, third):
        handle.remove()
    expected = layer.weight.sum() + layer.bias.sum()
    assert layer(sg.ones(2)).item() == pytest.approx(expected.item(), rel=1e-14)


def test_hooks_may_see_keyword_arguments():
    class Power(nn.Module):
        def forward(self, x, *, n):
            return x**n

    module = Power()
    module.register_forward_pre_hook(lambda m, args, kwargs: (args, {"n": kwargs["n"] + 1}), with_kwargs=True)
    module.register_forward_hook(lambda m, args, kwargs, output: output + kwargs["n"], with_kwargs=True)
    assert module(sg.tensor(2.0), n=2).item() == 11.0


def test_backward_hooks_see_and_replace_gradients():
    layer, seen = nn.Linear(2, 1, bias=False), []
    with sg.no_grad():
        layer.weight.copy_(sg.tensor([[3.0, 5.0]]))

    def hook(module, grad_input, grad_output):
        seen.append((grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 10,)

    handle = layer.register_full_backward_hook(hook)
    x = sg.tensor([1.0, 1.0], requires_grad=True)
    (2 * layer(x)).sum().backward()
    assert seen == [([6.0, 10.0], [2.0])]
    assert x.grad.tolist() == [60.0, 100.0]
    assert layer.weight.grad.tolist() == [[2.0, 2.0]]
    handle.remove()
    x.grad = None
    layer(x).sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]


def test_backward_hooks_run_where_no_input_requires_grad():
    layer, seen = nn.Linear(2, 1), []
    layer.register_full_backward_hook(
        lambda m, grad_input, grad_output: seen.append((grad_input, grad_output[0].tolist()))
    )
    layer(sg.ones(2)).sum().backward()
    assert seen == [((None,), [1.0])]


def test_a_missing_forward_names_the_module():
    with pytest.raises(NotImplementedError, match=r"Module \[Unfinished\]"):
        type("Unfinished", (nn.Module,), {})()(1)


def test_modules_print_their_tree():
    net = nn.Sequential(nn.Linear(2, 3), nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]))
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (1): ModuleList(\n"
        "    (0-1): 2 x ReLU()\n"
        "    (2): Tanh()\n"
        "  )\n"
        ")"
    )


def test_a_functional_call_leaves_the_module_as_it_was():
    layer = nn.Linear(2, 1)
    weight = layer.weight
    w = sg.tensor([[1.0, 2.0]], requires_grad=True)
    y = sg.func.functional_call(layer, {"weight": w, "bias": sg.tensor([0.5])}, (sg.tensor([1.0, 1.0]),))
    assert y.tolist() == [3.5]
    y.sum().backward()
    assert w.grad.tolist() == [[1.0, 1.0]]
    assert layer.weight is weight
    assert weight.grad is None
    with pytest.raises(RuntimeError, match=r"Unexpected key.*'nothing'"):
        sg.func.functional_call(layer, {"nothing": w}, (sg.ones(2),), strict=True)


# Containers ----------------------------------------------------------------------------------------------------


def test_sequential_is_a_sequence():
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1))
    assert len(net) == 3
    assert isinstance(net[-1], nn.Linear)
    assert [type(m).__name__ for m in net[:2]] == ["Linear", "ReLU"]
    net[1] = nn.Tanh()
    net.append(nn.Sigmoid())
    del net[0]
    assert [type(m).__name__ for m in net] == ["Tanh", "Linear", "Sigmoid"]
    named = nn.Sequential({"first": nn.ReLU()})
    assert named.first is named[0]
    with pytest.raises(IndexError):
        _ = net[3]


def test_module_lists_and_dicts_register_their_modules():
    layers = nn.ModuleList([nn.Linear(1, 1)])
    layers.extend([nn.ReLU(), nn.Tanh()])
    layers.insert(1, nn.Linear(1, 1))
    layers += [nn.Sigmoid()]
    assert [type(m).__name__ for m in layers] == ["Linear", "Linear", "ReLU", "Tanh", "Sigmoid"]
    assert len(list(layers.parameters())) == 4
    assert isinstance(layers.pop(), nn.Sigmoid)
    parts = nn.ModuleDict({"a": nn.Linear(1, 1)})
    parts["b"] = nn.ReLU()
    assert list(parts) == ["a", "b"]
    assert "b" in parts
    assert isinstance(parts.pop("b"), nn.ReLU)
    assert [n for n, _ in parts.named_parameters()] == ["a.weight", "a.bias"]


def test_parameter_lists_and_dicts_make_parameters():
    row = nn.ParameterList([sg.ones(2), nn.Parameter(sg.zeros(1))])
    row.append(sg.ones(3))
    assert len(row) == 3
    assert all(isinstance(p, nn.Parameter) for p in row)
    assert [n for n, _ in row.named_parameters()] == ["0", "1", "2"]
    table = nn.ParameterDict({"w": sg.ones(2)})
    assert isinstance(table["w"], nn.Parameter)
    assert list(table.keys()) == ["w"]


# Layers --------------------------------------------------------------------------------------------------------


def test_linear_by_hand():
    layer = nn.Linear(2, 2)
    with sg.no_grad():
        layer.weight.copy_(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
        layer.bias.copy_(sg.tensor([0.5, -0.5]))
    assert layer(sg.tensor([1.0, 1.0])).tolist() == [3.5, 6.5]


def test_conv2d_by_hand():
    image = sg.arange(9.0).reshape(1, 1, 3, 3)
    kernel = sg.tensor([[[[1.0, 0.0], [0.0, -1.0]]]])
    assert F.conv2d(image, kernel).tolist() == [[[[-4.0, -4.0], [-4.0, -4.0]]]]
    assert F.conv2d(image, kernel, sg.tensor([1.0]), stride=2, padding=1).tolist() == [[[[1.0, -1.0], [-5.0, -3.0]]]]


@pytest.mark.parametrize(
    ("fn", "shapes"),
    [
        (F.linear, [(3, 2), (4, 2), (4,)]),
        (F.bilinear, [(3, 2), (3, 4), (5, 2, 4), (5,)]),
        (
            lambda x, w, b: F.conv2d(x, w, b, stride=(2, 1), padding=1, dilation=(1, 2), groups=2),
            [(2, 4, 5, 6), (2, 2, 3, 2), (2,)],
        ),
        (lambda x, w: F.conv1d(x, w, padding="same"), [(2, 3, 5), (2, 3, 4)]),
        (lambda x: F.max_pool2d(x, 3, stride=2, padding=1), [(2, 2, 5, 5)]),
        (lambda x: F.avg_pool2d(x, 2, stride=1, padding=1, count_include_pad=False), [(2, 2, 4, 3)]),
        (lambda x, w, b: F.layer_norm(x, (3,), w, b), [(4, 3), (3,), (3,)]),
        (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), [(4, 3), (3,), (3,)]),
        (lambda w: F.embedding(sg.tensor([[0, 2], [2, 1]]), w), [(3, 2)]),
        (lambda x: F.gelu(x) + F.gelu(x, approximate="tanh") + F.silu(x) + F.elu(x) + F.leaky_relu(x), [(7,)]),
        (lambda x: F.softplus(x, beta=2.0) + F.logsigmoid(x) + F.softmax(x, 0) + F.log_softmax(x, 0), [(7,)]),
        (lambda x, y: F.smooth_l1_loss(x, y, reduction="none", beta=0.5) + F.huber_loss(x, y), [(5,), (5,)]),
        (lambda x, y: F.mse_loss(x, y) + F.l1_loss(x, y), [(5, 2), (5, 2)]),
        (lambda x: F.cross_entropy(x, sg.tensor([1, 0, 2]), label_smoothing=0.1, reduction="none"), [(3, 4)]),
        (lambda x, y: F.cross_entropy(x, F.softmax(y, 1)), [(3, 4), (3, 4)]),
        (lambda x, y: F.binary_cross_entropy_with_logits(x, y), [(6,), (6,)]),
        (lambda x, y, v: F.gaussian_nll_loss(x, y, v * v), [(6,), (6,), (6,)]),
        (lambda x, y: F.poisson_nll_loss(x, y) + F.kl_div(x, y.exp()), [(6,), (6,)]),
    ],
)
def test_gradients_of_layers_and_losses(fn, shapes):
    assert_gradients(fn, *shapes)


def test_what_is_no_probability_is_refused():
    """Its logarithm would be nan, and the loss with it."""
    target = sg.tensor([0.0, 1.0, 1.0])
    for p in ([0.5, 1.5, 0.2], [0.5, -1e-3, 0.2], [0.5, 1.0 + 1e-12, 0.2]):
        with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
            F.binary_cross_entropy(sg.tensor(p, requires_grad=True), target)
    assert F.binary_cross_entropy(target, target) == 0.0  # the ends are probabilities


def test_gradient_of_binary_cross_entropy():
    assert_gradients(lambda x, y: F.binary_cross_entropy(x, y, reduction="none"), (6,), (6,), low=0.1)


def test_the_first_of_equal_maxima_receives_the_gradient():
    x = sg.ones(1, 1, 2, 2, requires_grad=True)
    F.max_pool2d(x, 2).sum().backward()
    assert x.grad.tolist() == [[[[1.0, 0.0], [0.0, 0.0]]]]


def test_dropout_keeps_the_mean_and_does_nothing_in_evaluation():
    sg.manual_seed(0)
    layer = nn.Dropout(0.25)
    x = sg.ones(20000)
    y = layer(x)
    assert set(np.unique(numpy(y))) == {0.0, 1 / 0.75}
    assert abs(y.mean().item() - 1) < 0.02
    assert layer.eval()(x) is x
    assert nn.Dropout(1.0)(x).abs().max().item() == 0.0


def test_batch_norm_normalises_and_remembers():
    norm = nn.BatchNorm1d(1, momentum=0.5)
    y = norm(sg.tensor([[1.0], [3.0]]))
    np.testing.assert_allclose(numpy(y).ravel(), [-1, 1], rtol=1e-5)
    assert norm.running_mean.tolist() == [1.0]
    assert norm.running_var.tolist() == [1.5]
    assert norm.num_batches_tracked.item() == 1
    norm.eval()
    np.testing.assert_allclose(norm(sg.tensor([[1.0]])).item(), 0.0, atol=1e-12)
    norm.reset_running_stats()
    assert norm.running_var.tolist() == [1.0]


def test_the_padding_row_is_zero_and_is_not_trained():
    table = nn.Embedding(3, 2, padding_idx=0)
    assert table.weight[0].tolist() == [0.0, 0.0]
    table(sg.tensor([0, 1, 1])).sum().backward()
    assert table.weight.grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]


def test_layers_of_another_dtype():
    layer = nn.Linear(2, 1, dtype=sg.float32)
    assert layer.weight.dtype == sg.float32
    assert layer(sg.ones(2, dtype=sg.float32)).dtype == sg.float32


def test_initial_weights_are_bounded_and_repeatable():
    sg.manual_seed(3)
    first = nn.Linear(16, 50)
    sg.manual_seed(3)
    second = nn.Linear(16, 50)
    assert first.weight.tolist() == second.weight.tolist()
    assert 0.24 < first.weight.abs().max().item() <= 0.25
    assert first.weight.grad_fn is None


# Losses --------------------------------------------------------------------------------------------------------


def test_a_loss_of_broadcasting_operands_warns_once():
    prediction, target = sg.ones(3, 1, requires_grad=True), sg.ones(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for _ in range(3):
            nn.MSELoss()(prediction, target)
    assert len(caught) == 1
    assert issubclass(caught[0].category, UserWarning)
    assert "Using a target size ((3,)) that is different to the input size ((3, 1))" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_equal_shapes_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nn.L1Loss()(sg.ones(3), sg.zeros(3))


def test_losses_by_hand():
    x, y = sg.tensor([0.0, 3.0]), sg.tensor([1.0, 1.0])
    assert F.mse_loss(x, y).item() == 2.5
    assert F.l1_loss(x, y, reduction="sum").item() == 3.0
    assert F.smooth_l1_loss(x, y).item() == 1.0
    assert F.huber_loss(x, y, delta=0.5, reduction="none").tolist() == [0.375, 0.875]
    assert F.cross_entropy(sg.zeros(2, 3), sg.tensor([0, 2])).item() == pytest.approx(math.log(3))
    assert F.binary_cross_entropy(sg.tensor([0.5]), sg.tensor([1.0])).item() == pytest.approx(math.log(2))
    assert F.binary_cross_entropy_with_logits(sg.tensor([0.0]), sg.tensor([1.0])).item() == pytest.approx(math.log(2))
    assert F.kl_div(sg.tensor([0.5, 0.5]).log(), sg.tensor([0.0, 1.0]), reduction="sum").item() == pytest.approx(
        math.log(2)
    )
    assert F.poisson_nll_loss(sg.tensor([0.0]), sg.tensor([2.0])).item() == 1.0
    assert F.gaussian_nll_loss(sg.tensor([0.0]), sg.tensor([2.0]), sg.tensor([1.0])).item() == 2.0


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_weights_of_classes_have_gradients(reduction, smoothing):
    x, classes = np.array([[0.1, 0.2, 0.3], [1.0, 0.0, -1.0], [0.3, 0.9, 0.1]]), sg.tensor([0, -100, 2])

    def loss(w, x=x, classes=classes):
        options = {"reduction": reduction, "label_smoothing": smoothing}
        return (F.cross_entropy(sg.as_tensor(x), classes, sg.as_tensor(w), **options) ** 2).sum()

    w = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(sg.grad(loss)(w), gradient(lambda w: loss(w).item(), w), rtol=1e-7, atol=1e-9)
    rows, numbers = sg.tensor(x), sg.tensor([0, 2, 1])
    each = sg.vmap(sg.func.grad(loss), in_dims=(None, 0, 0))(sg.tensor(w), rows, numbers)
    one_by_one = [sg.func.grad(loss)(sg.tensor(w), row, k) for row, k in zip(rows, numbers, strict=True)]
    np.testing.assert_allclose(each.numpy(), sg.stack(one_by_one).numpy(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("p", "expected"), [
    (0, [[1 / 3, -2 / 3, 1 / 6]]), (-np.inf, [[2.0, -4.0, 1.0]]), (np.inf, [[0.5, -1.0, 0.25]]),
    (1, [[2 / 7, -4 / 7, 1 / 7]]),
])  # fmt: skip
def test_normalize_divides_by_any_norm(p, expected):
    np.testing.assert_allclose(F.normalize(sg.tensor([[1.0, -2.0, 0.5]]), p).numpy(), expected)


def test_ignored_targets_neither_count_nor_learn():
    logits = sg.zeros(2, 3, requires_grad=True)
    loss = F.cross_entropy(logits, sg.tensor([-100, 1]))
    loss.backward()
    assert loss.item() == pytest.approx(math.log(3))
    assert logits.grad[0].tolist() == [0.0, 0.0, 0.0]


def test_a_mean_of_nothing_is_nan_as_in_pytorch():
    logits = sg.zeros(2, 3, requires_grad=True)
    assert math.isnan(F.cross_entropy(logits, sg.tensor([-100, -100])).item())
    assert F.cross_entropy(logits, sg.tensor([-100, -100]), reduction="sum").item() == 0.0


def test_saturated_probabilities_give_finite_gradients():
    x = sg.tensor([0.0, 1.0, 0.0], requires_grad=True)
    F.binary_cross_entropy(x, sg.tensor([0.0, 1.0, 1.0]), reduction="sum").backward()
    np.testing.assert_allclose(numpy(x.grad), [0.0, 0.0, -1e12])


def test_second_derivatives_of_a_network():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    x = sg.tensor([0.3, -0.2], requires_grad=True)
    (gradient,) = sg.autograd.grad(net(x).sum(), x, create_graph=True)
    (second,) = sg.autograd.grad(gradient[0], x)

    def slope(moved):
        leaf = sg.tensor(numpy(moved), requires_grad=True)
        return sg.autograd.grad(net(leaf).sum(), leaf)[0][0]

    np.testing.assert_allclose(numpy(second), finite_difference(slope, [numpy(x).copy()], 0), rtol=1e-6)


# Utilities -----------------------------------------------------------------------------------------------------


def test_parameters_travel_through_a_vector():
    net = Net()
    vector = nn.utils.parameters_to_vector(net.parameters())
    assert vector.shape == (1 + 12 + 4 + 8 + 2,)
    assert vector.requires_grad
    nn.utils.vector_to_parameters(sg.arange(27.0), net.parameters())
    assert net.scale.tolist() == [0.0]
    assert net.hidden.weight[0].tolist() == [1.0, 2.0, 3.0]
    assert nn.utils.parameters_to_vector(net.parameters()).tolist() == list(range(27))


def test_clipping_bounds_the_joint_norm():
    a, b = sg.tensor([3.0], requires_grad=True), sg.tensor([4.0], requires_grad=True)
    (a * a / 2 + b * b / 2).sum().backward()
    assert nn.utils.clip_grad_norm_([a, b], 1.0).item() == 5.0
    np.testing.assert_allclose([a.grad.item(), b.grad.item()], [0.6, 0.8], rtol=1e-6)
    nn.utils.clip_grad_value_([a, b], 0.7)
    assert b.grad.item() == 0.7
    a.grad = sg.tensor([math.inf])
    with pytest.raises(RuntimeError, match="non-finite"):
        nn.utils.clip_grad_norm_([a], 1.0, error_if_nonfinite=True)


@pytest.mark.parametrize("shapes", [((3,), (2, 4)), ((5, 1, 3), (2, 4)), ((1, 3), (2, 4)), ((3,), (4,))], ids=str)
def test_bilinear_broadcasts_over_what_stands_before(shapes):
    rng = np.random.default_rng(0)
    a, b, w = (sg.tensor(rng.normal(size=s), requires_grad=True, name=n) for s, n in zip((*shapes, (5, 3, 4)), "abw"))
    y = F.bilinear(a, b, w)
    np.testing.assert_allclose(y.detach(), np.einsum("...i,...j,oij->...o", a.detach(), b.detach(), w.detach()))
    np.testing.assert_allclose(y.formula()(), y.detach())
    assert sg.autograd.gradcheck(F.bilinear, (a, b, w)) and sg.autograd.gradgradcheck(F.bilinear, (a, b, w))
    (g,) = sg.autograd.grad((y**3).sum(), w, create_graph=True)
    np.testing.assert_allclose(g.formula()(), g.detach())


def test_a_wrong_call_is_told_of_the_function_that_was_called():
    x = sg.ones(1, 1, 4, 4)
    with pytest.raises(TypeError, match=r"conv2d\(\) got an unexpected keyword argument 'foo'"):
        sg.nn.functional.conv2d(x, x, foo=1)
    with pytest.raises(TypeError, match=r"max_pool2d\(\) missing 1 required positional argument: 'kernel_size'"):
        sg.nn.functional.max_pool2d(x)
