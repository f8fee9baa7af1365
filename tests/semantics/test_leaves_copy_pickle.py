"""Leaves: who is one, and what scripts do to tensors besides computing: copies, files, attributes, flat parameters."""

import copy
import io
import pickle
import warnings

import numpy as np
import pytest

import symgrad as sg


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0], requires_grad=True)


# Who is a leaf


MADE_BY_THE_USER = {
    "tensor": lambda: sg.tensor([1.0, 2.0]),
    "ones": lambda: sg.ones(2),
    "from numpy": lambda: sg.from_numpy(np.ones(2)),
    "integers": lambda: sg.tensor([1, 2]),
    "result of constants": lambda: sg.ones(2) * 3,
    "under no_grad": lambda: sg.no_grad()(lambda: sg.ones(2, requires_grad=True) * 3)(),
    "detached": lambda: (sg.ones(2, requires_grad=True) * 3).detach(),
    "parameter": lambda: sg.nn.Parameter(sg.ones(2)),
}

MADE_BY_AN_OPERATION = {
    "arithmetic": lambda x: x + 1,
    "cast": lambda x: x.float(),
    "to": lambda x: x.to(sg.float32),
    "reshape": lambda x: x.reshape(2, 1),
    "view": lambda x: x.view(1, 2),
    "index": lambda x: x[0],
    "clone": lambda x: x.clone(),
    "stack": lambda x: sg.stack([x, sg.ones(2)]),
    "constant times it": lambda x: 0 * x,
}


@pytest.mark.parametrize("name", MADE_BY_THE_USER)
def test_leaves(name):
    t = MADE_BY_THE_USER[name]()
    assert t.is_leaf
    assert t.grad_fn is None
    assert t.grad is None


@pytest.mark.parametrize("name", MADE_BY_AN_OPERATION)
def test_results_are_not_leaves(name, x):
    t = MADE_BY_AN_OPERATION[name](x)
    assert not t.is_leaf
    assert t.requires_grad
    assert t.grad_fn is not None


def test_operation_that_changes_nothing_keeps_the_leaf(x):
    for same in (x.to(sg.float64), x.double(), x.contiguous(), x.cpu(), x.flatten()):
        assert same is x
    assert x.is_leaf


def test_requires_grad_can_be_set_on_a_leaf():
    t = sg.ones(2)
    assert t.requires_grad_() is t
    assert t.requires_grad and t.is_leaf
    t.requires_grad = False
    assert not t.requires_grad
    assert not t.requires_grad_(False).requires_grad


def test_setting_requires_grad_late_does_not_reach_back():
    t = sg.ones(2)
    before = t * 2
    t.requires_grad_()
    assert not before.requires_grad
    assert (t * 2).requires_grad


def test_unsetting_requires_grad_keeps_grad(x):
    x.sum().backward()
    x.requires_grad_(False)
    assert x.grad.tolist() == [1.0, 1.0]
    assert not (x * 2).requires_grad


def test_requires_grad_spreads():
    a, b = sg.ones(2, requires_grad=True), sg.ones(2)
    assert (a + b).requires_grad
    assert (b + a).requires_grad
    assert not (b + b).requires_grad


def test_output_nr_and_retains_grad(x):
    assert x.output_nr == 0
    assert x.unbind()[1].output_nr == 1
    assert not x.retains_grad
    y = x * 2
    assert not y.retains_grad
    y.retain_grad()
    assert y.retains_grad


def test_retain_grad_of_a_constant_is_refused():
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        sg.ones(2).retain_grad()


# detach


def test_detach_shares_memory(x):
    y = (x * 3).detach()
    z = y.detach()
    z[0] = 50.0
    assert y.tolist() == [50.0, 6.0]
    assert not y.requires_grad


def test_detach_of_a_leaf_leaves_it_alone(x):
    y = x.detach()
    assert x.requires_grad and not y.requires_grad
    assert y is not x


def test_detach_in_place_makes_a_leaf(x):
    y = x * 3
    assert y.detach_() is y
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None
    assert (y * 2).is_leaf


def test_detach_in_place_of_a_view_is_refused(x):
    v = (x * 1)[0]
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        v.detach_()
    assert v.requires_grad


def test_product_with_a_detached_factor_has_half_the_gradient(x):
    (x * x.detach()).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0]


def test_clone_is_differentiated_and_detach_clone_is_not(x):
    y = x.clone()
    assert not y.is_leaf
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    z = x.detach().clone()
    z[0] = 9.0
    assert x.tolist() == [1.0, 2.0]
    assert z.is_leaf


# grad


def test_grad_is_none_at_first(x):
    assert x.grad is None
    assert sg.ones(2).grad is None


def test_grad_of_a_non_leaf_warns(x):
    y = x * 2
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_grad_of_a_leaf_or_of_a_retained_tensor_does_not_warn(x):
    y = x * 2
    y.retain_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert y.grad is None
        assert x.grad is None
        assert x.detach().grad is None


def test_grad_can_be_assigned_and_removed(x):
    x.grad = sg.tensor([5.0, 6.0])
    (x * 1).sum().backward()
    assert x.grad.tolist() == [6.0, 7.0]
    x.grad = None
    assert x.grad is None
    del x.grad
    assert x.grad is None


def test_grad_of_another_shape_is_refused(x):
    with pytest.raises(RuntimeError, match=r"assign a gradient of size '\[3\]' to a tensor of size '\[2\]'"):
        x.grad = sg.ones(3)
    assert x.grad is None


def test_grad_of_another_dtype_is_refused(x):
    with pytest.raises(RuntimeError, match="attempting to assign a gradient with dtype"):
        x.grad = sg.ones(2, dtype=sg.float32)
    assert x.grad is None


def test_grad_must_be_a_tensor(x):
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None"):
        x.grad = 3.0
    assert x.grad is None


def test_a_tensor_cannot_be_its_own_grad(x):
    with pytest.raises(RuntimeError, match="can't assign Variable as its own grad"):
        x.grad = x
    assert x.grad is None


def test_grad_requires_no_gradient_unless_asked(x):
    (x**2).sum().backward()
    assert not x.grad.requires_grad
    assert x.grad.is_leaf


# numpy


def test_numpy_shares_memory():
    t = sg.ones(2)
    a = t.numpy()
    a[0] = 7.0
    assert t.tolist() == [7.0, 1.0]
    b = np.zeros(2)
    u = sg.from_numpy(b)
    u += 1
    assert b.tolist() == [1.0, 1.0]


def test_tensor_copies_its_data():
    a = np.zeros(2)
    t = sg.tensor(a)
    a[0] = 5.0
    assert t.tolist() == [0.0, 0.0]


def test_numpy_of_what_requires_grad_is_refused(x):
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
        x.numpy()
    assert x.detach().numpy().tolist() == [1.0, 2.0]


# Copies


def test_deepcopy_of_a_leaf(x):
    (x * 3).sum().backward()
    y = copy.deepcopy(x)
    assert y is not x
    assert y.is_leaf and y.requires_grad
    assert y.tolist() == [1.0, 2.0]
    assert y.grad.tolist() == [3.0, 3.0]
    with sg.no_grad():
        y.zero_()
    y.grad.zero_()
    assert x.tolist() == [1.0, 2.0]
    assert x.grad.tolist() == [3.0, 3.0]


def test_deepcopy_of_a_non_leaf_is_refused(x):
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_deepcopy_keeps_identities(x):
    first, second = copy.deepcopy([x, x])
    assert first is second


SHARING = {
    "view": lambda b: b[1:3],
    "transposed": lambda b: b.reshape(2, 2).t(),
    "every other, backwards": lambda b: sg.from_numpy(b.numpy()[::-2]),
    "expanded": lambda b: b[:1].expand(3),
    "detached": lambda b: b.detach()[1:],
    "array": lambda b: sg.from_numpy(b.numpy()[2:]),
    "real part": lambda b: sg.view_as_complex(b.reshape(2, 2)).real,
}


@pytest.mark.parametrize("name", SHARING)
@pytest.mark.parametrize("first", [True, False])
def test_deepcopy_keeps_shared_memory_shared(name, first):
    base = sg.tensor([1.0, 2.0, 3.0, 4.0])
    view = SHARING[name](base)
    pair = copy.deepcopy([base, view] if first else [view, base])
    new, part = pair if first else pair[::-1]
    assert (new.tolist(), part.tolist(), part.stride()) == (base.tolist(), view.tolist(), view.stride())
    new.mul_(10.0)
    assert part.tolist() == SHARING[name](new).tolist() == (10 * view).tolist()
    assert base.tolist() == [1.0, 2.0, 3.0, 4.0] and not np.shares_memory(base.numpy(), new.numpy())


def test_deepcopy_keeps_the_layout_of_memory():
    t = sg.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1).clone()
    new = copy.deepcopy(t)
    assert new.stride() == t.stride() and new.tolist() == t.tolist() and new._version == 0


def test_deepcopy_of_tied_weights_keeps_them_tied():
    net = sg.nn.Sequential(sg.nn.Linear(2, 2), sg.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    other = copy.deepcopy(net)
    assert other[1].weight is other[0].weight is not net[0].weight


def test_deepcopy_of_a_module():
    linear = sg.nn.Linear(2, 1)
    other = copy.deepcopy(linear)
    with sg.no_grad():
        other.weight.zero_()
    assert linear.weight.tolist() != other.weight.tolist()
    assert isinstance(other.weight, sg.nn.Parameter)
    assert other.weight.requires_grad


def test_pickle_of_a_leaf(x):
    y = pickle.loads(pickle.dumps(x))
    assert y.tolist() == [1.0, 2.0]
    assert y.requires_grad and y.is_leaf
    (y * y).sum().backward()
    assert y.grad.tolist() == [2.0, 4.0]
    assert x.grad is None


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool", "complex128"])
def test_pickle_keeps_dtype_and_shape(dtype):
    t = sg.ones(2, 3, dtype=getattr(sg, dtype))
    u = pickle.loads(pickle.dumps(t))
    assert u.dtype == t.dtype
    assert u.shape == t.shape
    assert u.tolist() == t.tolist()
    assert not u.requires_grad


def test_pickle_of_a_parameter_is_a_parameter():
    p = pickle.loads(pickle.dumps(sg.nn.Parameter(sg.ones(2))))
    assert isinstance(p, sg.nn.Parameter)
    assert p.requires_grad


def test_save_and_load(x):
    file = io.BytesIO()
    sg.save({"x": x, "step": 3}, file)
    file.seek(0)
    stored = sg.load(file)
    assert stored["step"] == 3
    assert stored["x"].tolist() == [1.0, 2.0]
    assert stored["x"].requires_grad


def test_state_dict_goes_round():
    linear, other = sg.nn.Linear(2, 1), sg.nn.Linear(2, 1)
    state = linear.state_dict()
    assert list(state) == ["weight", "bias"]
    assert not state["weight"].requires_grad
    other.load_state_dict(state)
    assert other.weight.tolist() == linear.weight.tolist()
    assert other.weight.requires_grad


# What scripts do: attributes, saving, flat parameters, restricted backward --------------------------------------------


def test_tensors_take_attributes_of_ones_own_that_survive_copies():
    p = sg.nn.Parameter(sg.ones(2))
    p.no_weight_decay = True
    assert copy.deepcopy(p).no_weight_decay
    assert pickle.loads(pickle.dumps(p)).no_weight_decay


def test_a_non_leaf_can_be_saved_and_comes_back_as_a_leaf():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    file = io.BytesIO()
    sg.save({"loss": (x * 2).sum()}, file)
    file.seek(0)
    loss = sg.load(file)["loss"]
    assert loss.item() == 6.0
    assert loss.is_leaf


def test_views_follow_a_base_that_becomes_a_leaf_later():
    flat = sg.arange(6.0)
    a, b = flat[:2], flat[2:].view(2, 2)
    flat.requires_grad_()
    assert a.requires_grad and b.requires_grad
    (a.sum() * b.sum()).backward()
    assert flat.grad.tolist() == [14.0, 14.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("watch", ["nothing", "leaf hook", "retain_grad", "anomaly mode"])
def test_backward_with_inputs_leaves_the_other_leaves_alone(watch):
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    w = sg.ones(2, requires_grad=True)
    seen = []
    w.register_hook(seen.append)
    if watch == "leaf hook":
        x.register_hook(lambda g: None)
    with sg.autograd.set_detect_anomaly(watch == "anomaly mode"):
        y = x * w
        if watch == "retain_grad":
            y.retain_grad()
        y.sum().backward(inputs=[x])
    assert x.grad.tolist() == [1.0, 1.0]
    assert w.grad is None
    assert seen == []


def test_a_non_leaf_named_in_inputs_keeps_its_gradient_once_and_from_then_on():
    x = sg.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.sum().backward(inputs=[y], retain_graph=True)
    assert y.grad.tolist() == [1.0, 1.0]
    y.sum().backward()
    assert y.grad.tolist() == [2.0, 2.0]


def test_a_change_of_shape_in_place_under_no_grad_keeps_the_gradients_shape():
    x = sg.zeros(2, 3, requires_grad=True)
    y = x * 2
    with sg.no_grad():
        y.unsqueeze_(0)
    y.sum().backward()
    assert tuple(x.grad.shape) == (2, 3)


def test_data_of_a_leaf_that_requires_grad_must_be_floating_point():
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="must be floating point or complex"):
        x.data = sg.tensor([1, 2])
    assert x.dtype == sg.float64


def test_writing_to_a_read_only_array_says_that_it_is_read_only():
    a = np.arange(4.0)
    a.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        sg.from_numpy(a).add_(1)


def test_arrays_of_the_other_byte_order_are_refused_or_converted():
    foreign = np.arange(3, dtype=">f8" if np.little_endian else "<f8")
    with pytest.raises(ValueError, match="byte order"):
        sg.from_numpy(foreign)
    assert sg.tensor(foreign).dtype == sg.float64


def test_parts_of_a_complex_tensor_can_be_assigned():
    z = sg.tensor([1 + 2j, 3 + 4j])
    z.imag = sg.tensor([0.0, 1.0])
    z.real = 5.0
    assert z.tolist() == [5 + 0j, 5 + 1j]


def test_a_complex_gradient_of_a_real_input_is_refused():
    class Wrong(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 1j

    x = sg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="invalid gradient at index 0"):
        Wrong.apply(x).sum().backward()
    assert x.grad is None


def test_a_view_made_a_leaf_stays_one_when_its_base_is_written():
    x = sg.tensor([1.0, 2.0])
    v = x[:1]
    v.requires_grad_()
    x.mul_(2)
    (v * 3).sum().backward()
    assert v.grad.tolist() == [3.0]


def test_views_of_data_follow_what_is_written_to_it():
    x = sg.tensor([1.0, 2.0])
    d = x.data
    v = d[:1]
    d.mul_(sg.tensor([3.0, 4.0], requires_grad=True))
    assert v.requires_grad and not x.requires_grad


def test_reciprocal_of_whole_numbers_is_a_float():
    assert sg.reciprocal(sg.tensor([2, 4])).tolist() == [0.5, 0.25]


@pytest.mark.parametrize("freeze", [lambda x: x.requires_grad_(False), lambda x: x.detach_()], ids=["frozen", "cut"])
@pytest.mark.parametrize("watch", [False, True], ids=["bare", "hooked"])
def test_a_leaf_that_is_frozen_after_the_run_gets_no_gradient(freeze, watch):
    x, w = sg.ones(2, requires_grad=True), sg.ones(2, requires_grad=True)
    if watch:
        x.register_hook(lambda g: None)
    loss = (x * w * 2).sum()
    freeze(x)
    with pytest.raises(sg.GradientError, match="One of the differentiated Tensors does not require grad"):
        sg.autograd.grad(loss, x, retain_graph=True)
    loss.backward()
    assert x.grad is None and w.grad.tolist() == [2.0, 2.0]


def test_an_optimizer_leaves_what_is_frozen_after_the_run_as_it_is():
    model = sg.nn.Linear(2, 1)
    optimizer = sg.optim.SGD(model.parameters(), lr=1.0)
    before = model.weight.tolist()
    loss = model(sg.ones(3, 2)).sum()
    model.weight.requires_grad_(False)
    loss.backward()
    optimizer.step()
    assert model.weight.tolist() == before and model.bias.grad.tolist() == [3.0]


@pytest.mark.parametrize("size", [5, 1])
def test_data_of_a_shape_that_no_gradient_fits_are_refused_by_the_backward(size):
    x = sg.ones(3, requires_grad=True)
    y = x * 2
    y.data = sg.ones(size)
    assert y.grad_fn.name() == "MulBackward0"
    expected = rf"invalid gradient - got \[{size}\] but expected shape compatible with \[3\]"
    for _ in range(2):
        with pytest.raises(sg.ShapeError, match=expected):
            (y**2).sum().backward()
        assert x.grad is None


@pytest.mark.parametrize("of", [lambda x: x.chunk(2, 1)[1], lambda x: x[:, 1:] * 1], ids=["view", "result"])
def test_data_that_a_broadcast_result_could_have_pass_on_the_sum(of):
    x = sg.ones(1, 2, requires_grad=True)
    y = of(x)
    y.data = sg.ones(1, 3)
    assert sg.autograd.grad(y.sum(), x, create_graph=True)[0].tolist() == [[0.0, 3.0]]
    (y * y).sum().backward()
    assert x.grad.tolist() == [[0.0, 6.0]]


def test_data_of_another_shape_make_a_view_none():
    x = sg.ones(1, 3, requires_grad=True)
    z = x * 1
    y = z[:1]
    y.data = sg.ones(5)
    z.mul_(2)
    with pytest.raises(sg.InplaceError, match="its base or another view of its base has been modified"):
        y.sum().backward()
    assert x.grad is None
