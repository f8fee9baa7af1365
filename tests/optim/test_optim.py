"""Optimizers change leaves from their gradients, in place; schedulers change learning rates."""

import copy
import math
import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad import optim
from symgrad.optim import lr_scheduler

RULES = [
    lambda p: optim.SGD(p, lr=0.1),
    lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    lambda p: optim.Adam(p, lr=0.1),
    lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.0),
    lambda p: optim.RMSprop(p, lr=0.02),
    lambda p: optim.Adagrad(p, lr=0.5),
    lambda p: optim.Adadelta(p, lr=20.0),
    lambda p: optim.Adamax(p, lr=0.1),
    lambda p: optim.NAdam(p, lr=0.1, decoupled_weight_decay=True),
    lambda p: optim.RAdam(p, lr=0.1),
    lambda p: optim.Rprop(p, lr=0.1),
    lambda p: optim.ASGD(p, lr=0.1, lambd=0.0),
    lambda p: optim.Adafactor(p, lr=0.1),
    lambda p: optim.LBFGS(p, max_iter=4, line_search_fn="strong_wolfe"),
]


def quadratic(w):
    return (sg.tensor([1.0, 4.0]) * (w - sg.tensor([3.0, -1.0])) ** 2).sum()


@pytest.mark.parametrize("make", RULES)
def test_every_rule_finds_the_minimum_of_a_quadratic(make):
    w = sg.zeros(2, requires_grad=True)
    optimizer = make([w])

    def closure():
        optimizer.zero_grad()
        loss = quadratic(w)
        loss.backward()
        return loss

    first = optimizer.step(closure)
    assert first.item() == 13.0
    for _ in range(300):
        optimizer.step(closure)
    np.testing.assert_allclose(w.detach().numpy(), [3.0, -1.0], atol=0.02)
    assert w.is_leaf
    assert w.requires_grad


def one_step(make, gradient=2.0, steps=1):
    w = sg.tensor([1.0], requires_grad=True)
    optimizer = make([w])
    for _ in range(steps):
        w.grad = sg.tensor([gradient])
        optimizer.step()
    return w.item()


@pytest.mark.parametrize(
    ("make", "steps", "expected"),
    [
        (lambda p: optim.SGD(p, lr=0.1), 1, 0.8),
        (lambda p: optim.SGD(p, lr=0.1, maximize=True), 1, 1.2),
        (lambda p: optim.SGD(p, lr=0.1, weight_decay=0.5), 1, 0.75),
        (lambda p: optim.SGD(p, lr=0.1, momentum=0.5), 2, 0.5),
        (lambda p: optim.SGD(p, lr=0.1, momentum=0.5, dampening=0.5), 2, 0.6),
        (lambda p: optim.SGD(p, lr=0.1, momentum=0.5, nesterov=True), 1, 0.7),
        (lambda p: optim.Adam(p, lr=0.1, eps=0.0), 1, 0.9),
        (lambda p: optim.Adam(p, lr=0.1, eps=0.0), 3, 0.7),
        (lambda p: optim.AdamW(p, lr=0.1, eps=0.0, weight_decay=0.5), 1, 0.85),
        (lambda p: optim.RMSprop(p, lr=0.1, alpha=0.75, eps=0.0), 1, 0.8),
        (lambda p: optim.Adagrad(p, lr=0.1, eps=0.0), 1, 0.9),
        (lambda p: optim.Adagrad(p, lr=0.1, eps=0.0, initial_accumulator_value=12.0), 1, 0.95),
        (lambda p: optim.Adadelta(p, eps=0.4), 1, 1 - math.sqrt(2)),
        (lambda p: optim.Adamax(p, lr=0.1, eps=0.0), 3, 0.7),
        (lambda p: optim.NAdam(p, lr=0.1, betas=(0.8, 0.9), eps=0.0, momentum_decay=0.0), 1, 0.9 - 0.08 / 8.4),
        (lambda p: optim.RAdam(p, lr=0.1), 2, 0.6),
        (lambda p: optim.RAdam(p, lr=0.1, weight_decay=0.5, decoupled_weight_decay=True), 1, 0.75),
        (lambda p: optim.Rprop(p, lr=0.1), 2, 0.78),
        (lambda p: optim.Rprop(p, lr=0.1, step_sizes=(0.0, 0.11)), 2, 0.79),
        (lambda p: optim.ASGD(p, lr=0.1, lambd=0.5), 1, 0.75),
        (lambda p: optim.Adafactor(p, lr=0.1), 1, 0.9),
    ],
)
def test_steps_by_hand(make, steps, expected):
    assert one_step(make, steps=steps) == pytest.approx(expected, rel=1e-12)


def test_a_step_writes_in_place_and_spoils_a_graph_that_needs_the_old_value():
    w = sg.tensor([1.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    version = w._version
    optimizer.step()
    assert w._version > version
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_step_is_not_recorded_even_with_create_graph():
    w = sg.tensor([1.0], requires_grad=True)
    optimizer = optim.Adam([w])
    (w**3).sum().backward(create_graph=True)
    optimizer.step()
    assert w.grad_fn is None
    assert not optimizer.state[w]["exp_avg"].requires_grad


def test_parameters_without_gradient_are_left_alone():
    a, b = sg.ones(1, requires_grad=True), sg.ones(1, requires_grad=True)
    optimizer = optim.SGD([a, b], lr=0.5, weight_decay=1.0)
    a.sum().backward()
    optimizer.step()
    assert b.item() == 1.0
    assert a.item() == 0.0


def test_zero_grad_forgets_or_zeroes():
    w = sg.ones(1, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)
    (w * w).sum().backward(create_graph=True)
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.item() == 0.0
    assert w.grad.grad_fn is None
    optimizer.zero_grad()
    assert w.grad is None


def test_groups_have_settings_of_their_own():
    a, b, c = (sg.ones(1, requires_grad=True) for _ in range(3))
    optimizer = optim.SGD([{"params": a}, {"params": [b], "lr": 1.0}], lr=0.1)
    optimizer.add_param_group({"params": [c], "weight_decay": 1.0})
    for w in (a, b, c):
        w.grad = sg.ones(1)
    optimizer.step()
    np.testing.assert_allclose([a.item(), b.item(), c.item()], [0.9, 0.0, 0.8])
    assert repr(optimizer).startswith("SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n")
    assert "\nParameter Group 1\n" in repr(optimizer)


def test_wrong_parameters_are_refused():
    w = sg.ones(1, requires_grad=True)
    with pytest.raises(TypeError, match="iterable of Tensors"):
        optim.SGD(w, lr=0.1)
    with pytest.raises(ValueError, match="empty parameter list"):
        optim.SGD([], lr=0.1)
    with pytest.raises(ValueError, match="non-leaf"):
        optim.SGD([w * 2], lr=0.1)
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optim.SGD([w, w], lr=0.1)
    with pytest.raises(ValueError, match="more than one"):
        optim.SGD([{"params": [w]}, {"params": [w]}], lr=0.1)
    with pytest.raises(TypeError, match="can only optimize Tensors"):
        optim.SGD([3.0], lr=0.1)
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        optim.SGD([w], lr=-1)
    with pytest.raises(ValueError, match="Nesterov"):
        optim.SGD([w], lr=0.1, nesterov=True)


def test_the_closure_records_inside_no_grad():
    w = sg.ones(1, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)

    def closure():
        loss = (w * w).sum()
        loss.backward()
        return loss

    with sg.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert w.item() == pytest.approx(0.8)


@pytest.mark.parametrize("make", RULES)
def test_a_saved_optimizer_goes_on_where_it_stopped(make):
    def train(w, optimizer, steps):
        def closure():
            optimizer.zero_grad()
            loss = quadratic(w) + (w**4).sum()
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)

    a = sg.zeros(2, requires_grad=True)
    first = make([a])
    train(a, first, 3)
    b = a.detach().clone().requires_grad_()
    second = make([b])
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    train(a, first, 3)
    train(b, second, 3)
    assert a.tolist() == b.tolist()


def test_loading_a_state_of_other_groups_is_refused():
    w = sg.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="different number of parameter groups"):
        optim.SGD([w], lr=0.1).load_state_dict({"state": {}, "param_groups": []})
    other = optim.SGD([w, sg.ones(1, requires_grad=True)], lr=0.1)
    with pytest.raises(ValueError, match="doesn't match the size"):
        optim.SGD([w], lr=0.1).load_state_dict(other.state_dict())


def test_lbfgs_solves_rosenbrock():
    w = sg.tensor([-1.2, 1.0], requires_grad=True)
    optimizer = optim.LBFGS([w], max_iter=200, max_eval=1000, tolerance_change=1e-14, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(w.detach().numpy(), [1.0, 1.0], atol=1e-5)
    assert optimizer.state[w]["func_evals"] < 80


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_moves_a_complex_number_as_its_two_parts(search):
    def minimised(z, loss):
        optimizer = optim.LBFGS([z], lr=0.5, max_iter=8, line_search_fn=search)

        def closure():
            optimizer.zero_grad()
            value = loss(z)
            value.backward()
            return value

        optimizer.step(closure)
        return z.detach().numpy()

    to = np.array([0.5 + 0.25j, -1.0])
    start = np.array([1.0 + 2.0j, -1.0j])
    z = minimised(sg.tensor(start, requires_grad=True), lambda z: ((z - to).abs() ** 4).sum())
    parts = sg.tensor(np.stack([start.real, start.imag], -1), requires_grad=True)
    x = minimised(parts, lambda x: (((x - np.stack([to.real, to.imag], -1)) ** 2).sum(-1) ** 2).sum())
    assert np.abs(z - start).min() > 0.1
    np.testing.assert_allclose(z, x[:, 0] + 1j * x[:, 1], rtol=1e-6)


def test_lbfgs_needs_a_closure_and_one_group():
    a, b = sg.ones(1, requires_grad=True), sg.ones(1, requires_grad=True)
    with pytest.raises(TypeError, match="closure"):
        optim.LBFGS([a]).step()
    with pytest.raises(ValueError, match="parameter groups"):
        optim.LBFGS([{"params": [a]}, {"params": [b]}])
    with pytest.raises(RuntimeError, match="strong_wolfe"):
        optim.LBFGS([a], line_search_fn="armijo")


def test_what_a_step_cannot_be_here_is_refused_with_the_reason():
    w = sg.ones(1, requires_grad=True)
    with pytest.raises(sg.DeviceError, match="CUDA graph"):
        optim.Adam([w], capturable=True)
    with pytest.raises(sg.GradientError, match="recording off"):
        optim.SGD([w], differentiable=True)
    optim.Adam([w], foreach=True, fused=True)
    with pytest.raises(ValueError, match="Invalid rho value: 1.5"):
        optim.Adadelta([w], rho=1.5)
    with pytest.raises(ValueError, match="Invalid eta values"):
        optim.Rprop([w], etas=(1.5, 1.2))
    with pytest.raises(sg.ShapeError, match="2D"):
        optim.Muon([w])
    with pytest.raises(sg.DTypeError, match="complex"):
        z = sg.ones(1, dtype=sg.complex128, requires_grad=True)
        z.grad = sg.ones(1, dtype=sg.complex128)
        optim.Adafactor([z]).step()


def test_a_step_of_ones_own_is_counted_and_hooked_once():
    class Halving(optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            with sg.no_grad():
                for group in self.param_groups:
                    for parameter in group["params"]:
                        parameter.mul_(0.5)

    w = sg.ones(1, requires_grad=True)
    optimizer, calls = Halving([w], lr=0.25), []
    optimizer.register_step_post_hook(lambda *args: calls.append(args))
    w.grad = sg.ones(1)
    optimizer.step()
    lr_scheduler.ExponentialLR(optimizer, 0.5).step()  # and nothing warns that it came first
    assert (w.item(), len(calls), optimizer.steps_taken) == (0.375, 1, 1)


def test_muon_steps_along_the_orthogonal_matrix_next_to_the_gradient():
    g = np.random.default_rng(0).normal(size=(3, 2))
    u, _, vh = np.linalg.svd(g, full_matrices=False)
    w = sg.zeros(3, 2, requires_grad=True)
    w.grad = sg.tensor(g)
    optim.Muon([w], lr=1.0, weight_decay=0.0, ns_coefficients=(1.5, -0.5, 0.0), ns_steps=30).step()
    np.testing.assert_allclose(w.detach().numpy(), -np.sqrt(1.5) * u @ vh, rtol=1e-10)


def rates(make, epochs):
    optimizer = optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    scheduler = make(optimizer)
    seen = []
    for _ in range(epochs):
        seen.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return seen


def test_schedules_by_hand():
    assert rates(lambda o: lr_scheduler.StepLR(o, 2, gamma=0.5), 5) == [1.0, 1.0, 0.5, 0.5, 0.25]
    assert rates(lambda o: lr_scheduler.ExponentialLR(o, 0.5), 3) == [1.0, 0.5, 0.25]
    expected = [0.1 + 0.45 * (1 + math.cos(math.pi * i / 4)) for i in range(9)]
    np.testing.assert_allclose(rates(lambda o: lr_scheduler.CosineAnnealingLR(o, 4, eta_min=0.1), 9), expected)


def test_combined_schedules_by_hand():
    def chained(o):
        return lr_scheduler.ChainedScheduler([lr_scheduler.ConstantLR(o, 0.5, 2), lr_scheduler.ExponentialLR(o, 0.5)])

    assert rates(chained, 4) == [0.5, 0.25, 0.25, 0.125]
    after = lambda o: lr_scheduler.SequentialLR(o, [chained(o), lr_scheduler.StepLR(o, 2, 0.1)], [3])
    assert rates(after, 6) == [0.5, 0.25, 0.25, 1.0, 1.0, 0.1]
    with pytest.raises(ValueError, match="cannot start ChainedScheduler"):
        rates(lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.StepLR(o, 2), chained(o)], [3]), 1)


def test_a_factor_of_zero_is_left_again():
    assert rates(lambda o: lr_scheduler.ConstantLR(o, 0.0, 2), 4) == [0.0, 0.0, 1.0, 1.0]


def test_restarts_resumed_late_go_on_where_they_were():
    expected = rates(lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 3, T_mult=2), 30)
    optimizer = optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    optimizer.param_groups[0]["initial_lr"] = 1.0
    resumed = lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 3, T_mult=2, last_epoch=24)
    assert resumed.get_last_lr() == [expected[25]]


def test_objects_that_say_the_rates_are_saved_and_functions_are_not():
    class Halving:
        power = 0

        def __call__(self, epoch):
            self.power = epoch
            return 0.5**epoch

    optimizer = optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    scheduler = lr_scheduler.LambdaLR(optimizer, Halving())
    optimizer.step()
    scheduler.step()
    other = Halving()
    lr_scheduler.LambdaLR(optimizer, [other]).load_state_dict(pickle.loads(pickle.dumps(scheduler.state_dict())))
    assert other.power == 1
    assert lr_scheduler.LambdaLR(optimizer, lambda epoch: 1.0).state_dict()["lr_lambdas"] == [None]


def test_a_schedulers_state_is_saved_without_the_optimizer():
    optimizer = optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    optimizer.step()
    scheduler.step()
    state = scheduler.state_dict()
    assert "optimizer" not in state
    other = lr_scheduler.StepLR(optimizer, 7)
    other.load_state_dict(state)
    assert (other.step_size, other.last_epoch) == (2, 1)


def test_stepping_the_scheduler_first_warns():
    scheduler = lr_scheduler.ExponentialLR(optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0), 0.5)
    with pytest.warns(UserWarning, match=r"`lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        scheduler.step()


def test_ones_own_schedule_is_one_method():
    class Warmup(lr_scheduler.LRScheduler):
        def get_lr(self):
            return [base * min(1.0, (self.last_epoch + 1) / 4) for base in self.base_lrs]

    assert rates(Warmup, 5) == [0.25, 0.5, 0.75, 1.0, 1.0]
