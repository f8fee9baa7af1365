"""Optimizers take PyTorch's steps in float64; schedulers set the same rates, and the same momenta."""

import copy
import inspect
import warnings
from collections import Counter

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import both

pytestmark = pytest.mark.compare


START = np.array([[0.7, -1.3, 0.4], [2.0, 0.3, -0.8]])
SHIFT = np.array([0.5, -0.25, 1.5])


def loss_of(lib, w, b, scale=1.0):
    """A smooth function of both, neither quadratic nor convex everywhere."""
    return ((w * w - 1.0) ** 2).sum() * scale + ((w + b).sin() * b).sum() + (b * b).sum()


def leaves(lib, dtype="float64"):
    return [lib.tensor(a.astype(dtype), requires_grad=True) for a in (START, SHIFT)]


def run(lib, make, steps, scheduler=None, groups=False):
    """Return both parameters after each step, as one array."""
    w, b = leaves(lib)
    optimizer = make(lib.optim, [{"params": [w]}, {"params": [b], "lr": 0.02}] if groups else [w, b])
    schedule = scheduler(lib.optim.lr_scheduler, optimizer) if scheduler else None
    path = []
    for i in range(steps):
        optimizer.zero_grad(set_to_none=i % 2 == 0)
        loss_of(lib, w, b).backward()
        optimizer.step()
        if schedule:
            schedule.step()
        path.append(np.concatenate([w.detach().numpy().ravel(), b.detach().numpy().ravel()]))
    return np.array(path)


RULES = {
    "SGD": [
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.3},
        {"momentum": 0.9, "nesterov": True},
        {"weight_decay": 0.1},
        {"momentum": 0.5, "weight_decay": 0.1, "maximize": True},
    ],
    "Adam": [
        {},
        {"betas": (0.8, 0.95), "eps": 0.1},
        {"weight_decay": 0.1},
        {"amsgrad": True},
        {"weight_decay": 0.1, "decoupled_weight_decay": True},
        {"maximize": True},
    ],
    "AdamW": [{}, {"weight_decay": 0.3}, {"amsgrad": True, "weight_decay": 0.0}],
    "RMSprop": [
        {},
        {"alpha": 0.5},
        {"momentum": 0.9},
        {"centered": True},
        {"centered": True, "momentum": 0.5, "weight_decay": 0.1, "eps": 1e-3},
    ],
    "Adagrad": [{}, {"lr_decay": 0.1}, {"initial_accumulator_value": 0.5, "weight_decay": 0.1}, {"maximize": True}],
    "Adadelta": [{}, {"rho": 0.5, "eps": 1e-3}, {"weight_decay": 0.1}, {"maximize": True}],
    "Adamax": [{}, {"betas": (0.5, 0.9), "eps": 0.1}, {"weight_decay": 0.1}, {"maximize": True}],
    "NAdam": [
        {},
        {"betas": (0.5, 0.9), "eps": 0.1, "momentum_decay": 0.1},
        {"weight_decay": 0.1, "maximize": True},
        {"weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "RAdam": [
        {},
        {"betas": (0.5, 0.9), "eps": 0.1},
        {"weight_decay": 0.1, "maximize": True},
        {"weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "Rprop": [{}, {"etas": (0.3, 1.5), "step_sizes": (1e-3, 0.05)}, {"maximize": True}],
    "ASGD": [{}, {"lambd": 0.3, "alpha": 0.5, "t0": 4}, {"weight_decay": 0.1}, {"maximize": True}],
    "Adafactor": [{}, {"beta2_decay": -0.5, "d": 1.2, "eps": (0.1, 2.0)}, {"weight_decay": 0.1}, {"maximize": True}],
}


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize(("name", "options"), [(n, o) for n, all_ in RULES.items() for o in all_], ids=str)
def test_first_order_rules_walk_the_same_path(name, options, groups):
    def make(optim, params):
        return getattr(optim, name)(params, lr=0.01, **options)

    steps = 6 if options.get("maximize") else 40  # uphill there is no limit but overflow
    np.testing.assert_allclose(*both(lambda lib: run(lib, make, steps, groups=groups)), rtol=1e-11)


MUON = [
    {},
    {"weight_decay": 0.0, "momentum": 0.5, "nesterov": False},
    {"adjust_lr_fn": "original", "ns_steps": 3, "ns_coefficients": (1.5, -0.5, 0.0)},
    {"adjust_lr_fn": "match_rms_adamw"},
]


@pytest.mark.parametrize("options", MUON, ids=str)
@pytest.mark.parametrize("shape", [(2, 3), (4, 2), (3, 3)])
def test_muon_walks_the_same_path(options, shape):
    """PyTorch rounds to bfloat16 on the way to the orthogonal matrix; with the rounding taken out, they are equal."""

    def path(lib):
        rng = np.random.default_rng(0)
        w = lib.tensor(rng.normal(size=shape), requires_grad=True)
        optimizer = lib.optim.Muon([w], lr=0.02, **options)
        for _ in range(20):
            w.grad = lib.tensor(rng.normal(size=shape))
            optimizer.step()
        return w.detach().numpy()

    def with_rounding_and_without(torch):
        rounded = path(torch)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.Tensor, "bfloat16", torch.Tensor.clone)
            return rounded, path(torch)

    ours, (rounded, theirs) = path(sg), answer("torch", with_rounding_and_without)
    np.testing.assert_allclose(ours, rounded, atol=0.02)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


@pytest.mark.parametrize("name", [*RULES, "Muon"])
def test_defaults_are_torchs(name):
    def run(lib):
        optimizer = getattr(lib.optim, name)([lib.ones(1, 1, requires_grad=True)])
        settings = {k: v for k, v in optimizer.param_groups[0].items() if k != "params"}
        return settings, repr(optimizer), list(inspect.signature(type(optimizer)).parameters)

    ours, theirs = both(run)
    assert ours == theirs


@pytest.mark.parametrize("name", RULES)
def test_float32_parameters_stay_float32_and_agree(name):
    def run(lib):
        w, b = leaves(lib, "float32")
        optimizer = getattr(lib.optim, name)([w, b], lr=0.01)
        for _ in range(10):
            optimizer.zero_grad()
            loss_of(lib, w, b).backward()
            optimizer.step()
        return w.detach().numpy()

    ours, theirs = both(run)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, theirs, rtol=2e-5)


@pytest.mark.parametrize("name", [name for name in RULES if name != "Adafactor"])
@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_complex_parameters_are_pairs_of_real_ones(name, shape):
    rng = np.random.default_rng(0)
    start, pull = (rng.normal(size=(2, *shape)) for _ in range(2))

    def run(lib):
        z = lib.tensor(np.array(start[0] + 1j * start[1]), requires_grad=True)
        c = lib.tensor(np.array(pull[0] + 1j * pull[1]))
        options = {} if name == "Rprop" else {"weight_decay": 0.1}
        options |= {"momentum": 0.5} if name in ("SGD", "RMSprop") else {}
        optimizer = getattr(lib.optim, name)([z], lr=0.05, **options)
        for _ in range(5):
            optimizer.zero_grad()
            ((z - c).abs() ** 2 + (z * z).real).sum().backward()
            optimizer.step()
        return z.detach().numpy()

    np.testing.assert_allclose(*both(run), rtol=1e-10)


LBFGS_OPTIONS = [
    {"lr": 0.05},
    {"lr": 0.1, "history_size": 2, "max_iter": 7},
    {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "max_iter": 4, "lr": 3.0},
    {"line_search_fn": "strong_wolfe", "history_size": 1, "max_eval": 6},
    {"lr": 0.1, "tolerance_grad": 1e-2, "tolerance_change": 1e-3},
]


def run_lbfgs(lib, options, steps, loss=loss_of):
    w, b = leaves(lib)
    optimizer = lib.optim.LBFGS([w, b], **options)
    path, visited = [], []

    def closure():
        optimizer.zero_grad()
        value = loss(lib, w, b)
        value.backward()
        visited.append(w.detach().numpy().ravel().copy())
        return value

    for _ in range(steps):
        first = optimizer.step(closure)
        path.append(np.concatenate([w.detach().numpy().ravel(), b.detach().numpy().ravel(), [first.item()]]))
    return np.array(path), np.array(visited)


@pytest.mark.parametrize("options", LBFGS_OPTIONS, ids=str)
def test_lbfgs_visits_the_same_points(options):
    def run(lib):
        return run_lbfgs(lib, options, 3)

    (path, visited), (expected, expected_visits) = run(sg), answer("torch", run, bits=40)
    assert len(visited) == len(expected_visits)
    np.testing.assert_allclose(visited, expected_visits, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(path, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_on_random_problems_evaluates_as_often_as_torchs(search):
    rng = np.random.default_rng(0)
    for _ in range(20):
        scale = float(10.0 ** rng.uniform(-2, 2))
        slope = float(rng.normal())

        def loss(lib, w, b, scale=scale, slope=slope):
            return loss_of(lib, w, b, scale) + slope * w.sum() * b.sum()

        rate = float(10.0 ** rng.uniform(-3, -2 if search is None else 1))
        options = {"lr": rate, "max_iter": 8, "line_search_fn": search}

        def run(lib, options=options, loss=loss):
            path, visited = run_lbfgs(lib, options, 1, loss)
            return path, len(visited)

        (path, visits), (expected, expected_visits) = run(sg), answer("torch", run, bits=40)
        assert visits == expected_visits
        np.testing.assert_allclose(path, expected, rtol=1e-5, atol=1e-7)


SCHEDULES = {
    "step": lambda s, o: s.StepLR(o, step_size=3, gamma=0.5),
    "exponential": lambda s, o: s.ExponentialLR(o, gamma=0.9),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, T_max=5),
    "cosine with floor": lambda s, o: s.CosineAnnealingLR(o, T_max=4, eta_min=0.003),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedulers_lead_to_the_same_path(name):
    def make(optim, params):
        return optim.SGD(params, lr=0.01, momentum=0.5)

    np.testing.assert_allclose(*both(lambda lib: run(lib, make, 25, SCHEDULES[name], groups=True)), rtol=1e-11)


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedulers_give_the_same_rates_also_when_combined_and_resumed(name):
    def run(lib):
        optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=0.1)
        first = SCHEDULES["exponential"](lib.optim.lr_scheduler, optimizer)
        second = SCHEDULES[name](lib.optim.lr_scheduler, optimizer)
        seen = []
        for i in range(20):
            optimizer.step()
            first.step()
            second.step()
            seen.append(second.get_last_lr()[0])
            if i == 9:
                saved, memory = copy.deepcopy(second.state_dict()), copy.deepcopy(optimizer.state_dict())
                optimizer.load_state_dict(memory)
                second.load_state_dict(saved)
        resumed = lib.optim.lr_scheduler.ExponentialLR(optimizer, 0.5, last_epoch=20)
        return [*seen, resumed.get_last_lr()[0], resumed.last_epoch]

    np.testing.assert_allclose(*both(run), rtol=1e-12)


class Remembered:
    """A tensor of another library, as NumPy sees it."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numbers, dtype=dtype)

    def __int__(self):
        return int(self.numbers)


def each(kind, change, value):
    """A state in which what is of a kind is changed."""
    if isinstance(value, dict):
        return {key: each(kind, change, part) for key, part in value.items()}
    if isinstance(value, list):
        return [each(kind, change, part) for part in value]
    return change(value) if isinstance(value, kind) else value


def assert_same_state(ours, theirs, rtol, own=()):
    """The same settings, and of each parameter the same memory by name, but for what is PyTorch's own."""
    assert ours["param_groups"] == theirs["param_groups"]
    assert ours["state"].keys() == theirs["state"].keys()
    for number, memory in theirs["state"].items():
        assert ours["state"][number].keys() == memory.keys() - own
        for name, mine in ours["state"][number].items():
            a, b = np.asarray(mine), np.asarray(memory[name])
            assert a.shape == b.shape and a.dtype.kind in (b.dtype.kind, "i")  # steps are counted in whole numbers
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max(initial=0.0), err_msg=name)


@pytest.mark.parametrize("dtype", [float, complex], ids=["float", "complex"])
@pytest.mark.parametrize("name", [name for name in RULES if name != "Adafactor"])
def test_states_are_exchanged_with_torch(name, dtype):
    """Each goes on from the state that the other has saved."""
    rng = np.random.default_rng(0)
    start, *gradients = rng.normal(size=(13, 2, 3)) + (1j * rng.normal(size=(13, 2, 3)) if dtype is complex else 0)
    options = {"ASGD": {"t0": 2}, "SGD": {"momentum": 0.5}, "RMSprop": {"momentum": 0.5}}.get(name, {})

    def run(lib, start, state, gradients):
        w = lib.tensor(np.array(start), requires_grad=True)
        optimizer = getattr(lib.optim, name)([w], lr=0.1, **options)
        if state:
            optimizer.load_state_dict(state)
        for g in gradients:
            w.grad = lib.tensor(np.array(g))
            optimizer.step()
        return w.detach().numpy(), copy.deepcopy(optimizer.state_dict())

    def with_torch(torch):
        """Its end, its state on half of the way, and the ends of both with the state of the other."""
        expected, _ = run(torch, start, None, gradients)
        half, state = run(torch, start, None, gradients[:6])
        ours, _ = run(sg, half, state, gradients[6:])
        our_half, memory = run(sg, start, None, gradients[:6])
        memory["state"] = each(sg.Tensor, lambda t: torch.tensor(t.numpy()), memory["state"])
        if name == "ASGD":
            memory["state"][0] |= {k: torch.tensor(float(memory["state"][0][k])) for k in ("eta", "mu", "step")}
        theirs, _ = run(torch, our_half, memory, gradients[6:])
        return expected, (half, state), ours, theirs

    expected, (half, state), *ends = answer("torch", with_torch)
    end, _ = run(sg, half, each(np.ndarray, Remembered, state), gradients[6:])
    for other in (end, *ends):
        np.testing.assert_allclose(other, expected, rtol=1e-12)
    our_half, ours = run(sg, start, None, gradients[:6])
    np.testing.assert_allclose(our_half, half, rtol=1e-12)
    assert_same_state(ours, state, 1e-12)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_states_of_lbfgs_are_exchanged_with_torch(search):
    def run(lib, starts, state, steps):
        w, b = (lib.tensor(np.array(a), requires_grad=True) for a in starts)
        optimizer = lib.optim.LBFGS([w, b], lr=0.05 if search is None else 1.0, max_iter=3, line_search_fn=search)
        if state:
            optimizer.load_state_dict(state)

        def closure():
            optimizer.zero_grad()
            loss = loss_of(lib, w, b)
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)
        return [w.detach().numpy(), b.detach().numpy()], copy.deepcopy(optimizer.state_dict())

    def with_torch(torch):
        """Its end, its state on half of the way, and the ends of both with the state of the other."""
        expected, _ = run(torch, [START, SHIFT], None, 4)
        half, state = run(torch, [START, SHIFT], None, 2)
        ours, _ = run(sg, half, state, 2)
        our_half, memory = run(sg, [START, SHIFT], None, 2)
        memory["state"] = each(np.ndarray, torch.tensor, memory["state"])
        theirs, _ = run(torch, our_half, memory, 2)
        return expected, (half, state), ours, theirs

    expected, (half, state), *ends = answer("torch", with_torch)
    end, _ = run(sg, half, each(np.ndarray, Remembered, state), 2)
    for other in (end, *ends):
        for a, b in zip(other, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8)
    our_half, ours = run(sg, [START, SHIFT], None, 2)
    for a, b in zip(our_half, half, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8)
    assert_same_state(ours, state, 1e-8, own={"al"})  # which it fills anew in each step


@pytest.mark.parametrize("name", [*RULES, "LBFGS"])
def test_a_saved_state_continues_as_in_torch(name):
    def run(lib):
        w, b = leaves(lib)
        first = getattr(lib.optim, name)([w, b], lr=0.01)
        path = []

        def closure():
            w.grad = b.grad = None
            loss = loss_of(lib, w, b)
            loss.backward()
            return loss

        for _ in range(3):
            first.step(closure)
        second = getattr(lib.optim, name)([w, b], lr=5.0)
        second.load_state_dict(copy.deepcopy(first.state_dict()))
        for _ in range(3):
            second.step(closure)
            path.append(w.detach().numpy().copy())
        return np.array(path)

    np.testing.assert_allclose(*both(run), rtol=1e-8)


def test_names_of_parameters_are_kept_in_the_groups():
    def run(lib):
        net = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.Linear(3, 1))
        optimizer = lib.optim.AdamW(net[0].named_parameters(prefix="0"), lr=0.1)
        optimizer.add_param_group({"params": list(net[1].named_parameters(prefix="1")), "lr": 0.2})
        other = lib.optim.AdamW([{"params": list(net[i].parameters())} for i in (0, 1)])
        other.load_state_dict(optimizer.state_dict())
        groups = [optimizer.state_dict()["param_groups"], other.state_dict()["param_groups"]]
        with pytest.raises(ValueError, match="with/without names"):
            optimizer.add_param_group({"params": [lib.ones(1, requires_grad=True)]})
        with pytest.raises(TypeError, match="ordered collections"):
            lib.optim.SGD([{"params": {lib.ones(1, requires_grad=True)}}])
        return groups

    ours, theirs = both(run)
    assert ours == theirs
    assert ours[0][1]["param_names"] == ["1.weight", "1.bias"]


def test_hooks_of_optimizers_run_as_torchs():
    def run(lib):
        log = []
        w = lib.ones(2, requires_grad=True)
        optimizer = lib.optim.SGD([w], lr=0.5)
        optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append(("before", len(args), kwargs)))
        optimizer.register_step_pre_hook(lambda o, args, kwargs: (args, {"closure": lambda: 3.0}))
        optimizer.register_step_post_hook(lambda o, args, kwargs: log.append((len(args), list(kwargs))))
        optimizer.register_state_dict_pre_hook(lambda o: log.append("saves"))
        optimizer.register_state_dict_post_hook(lambda o, state: state | {"more": 1})
        first = lambda o, state: log.append(sorted(state))
        optimizer.register_state_dict_post_hook(first, prepend=True)
        optimizer.register_load_state_dict_pre_hook(lambda o, state: log.append(state.pop("more")))
        optimizer.register_load_state_dict_post_hook(lambda o: log.append("loaded"))
        w.grad = lib.ones(2)
        log.append(optimizer.step())
        state = optimizer.state_dict()
        optimizer.load_state_dict(state)
        return log, w.tolist(), sorted(state)

    ours, theirs = both(run)
    assert ours == theirs
    assert len(ours[0]) == 7


def sign_momentum(lib):
    """An optimizer as one writes it for PyTorch: `step` is its own, and so is what it restores."""

    class SignMomentum(lib.optim.Optimizer):
        def __init__(self, params, lr=1e-3, beta=0.9, weight_decay=0.0):
            super().__init__(params, dict(lr=lr, beta=beta, weight_decay=weight_decay))

        def __setstate__(self, state):
            super().__setstate__(state)
            for group in self.param_groups:
                group.setdefault("weight_decay", 0.0)

        @lib.no_grad()
        def step(self, closure=None):
            loss = None
            if closure is not None:
                with lib.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    state = self.state[p]
                    if len(state) == 0:
                        state["step"], state["mean"] = 0, lib.zeros_like(p)
                    state["step"] += 1
                    state["mean"].mul_(group["beta"]).add_(p.grad, alpha=1 - group["beta"])
                    p.data.mul_(1 - group["lr"] * group["weight_decay"])
                    p.data.add_(state["mean"].sign(), alpha=-group["lr"])
            return loss

    return SignMomentum


def test_an_optimizer_and_a_schedule_written_for_torch_run_unchanged():
    def run(lib):
        class Warmup(lib.optim.lr_scheduler._LRScheduler):
            def __init__(self, optimizer, steps, last_epoch=-1):
                self.steps = steps
                super().__init__(optimizer, last_epoch)

            def get_lr(self):
                return [base * min(1.0, self._step_count / self.steps) for base in self.base_lrs]

        w, b = leaves(lib)
        optimizer = sign_momentum(lib)([{"params": [w]}, {"params": [b], "lr": 0.1}], lr=0.05, weight_decay=0.1)
        schedule, path = Warmup(optimizer, 5), []

        def closure():
            optimizer.zero_grad()
            loss = loss_of(lib, w, b)
            loss.backward()
            return loss

        for i in range(12):
            path += [optimizer.step(closure).item(), *schedule.get_last_lr()]
            schedule.step()
            if i == 6:
                optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        other = copy.deepcopy(optimizer)
        return [*path, len(other.state)], other.param_groups[1]["params"][0].tolist()

    for ours, theirs in zip(*both(run), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


# Schedulers -----------------------------------------------------------------------------------------------------------


CYCLES = {"cyclic": {}, "halved": {"mode": "triangular2"}, "shrinking": {"mode": "exp_range", "gamma": 0.95}}
SCHEDULERS = {
    "step": lambda s, o, **k: s.StepLR(o, step_size=3, gamma=0.5, **k),
    "milestones": lambda s, o, **k: s.MultiStepLR(o, [9, 4, 4, 20], gamma=0.5, **k),
    "exponential": lambda s, o, **k: s.ExponentialLR(o, gamma=0.9, **k),
    "constant": lambda s, o, **k: s.ConstantLR(o, factor=0.2, total_iters=7, **k),
    "linear": lambda s, o, **k: s.LinearLR(o, **k),
    "linear downwards": lambda s, o, **k: s.LinearLR(o, 0.9, 0.1, total_iters=20, **k),
    "polynomial": lambda s, o, **k: s.PolynomialLR(o, total_iters=30, power=1.5, **k),
    "function": lambda s, o, **k: s.LambdaLR(o, lambda epoch: 1 / (1 + epoch), **k),
    "functions": lambda s, o, **k: s.LambdaLR(o, [lambda epoch: 1 / (1 + epoch), lambda epoch: 0.9**epoch], **k),
    "factors": lambda s, o, **k: s.MultiplicativeLR(o, lambda epoch: 0.8 + 0.1 * (epoch % 3), **k),
    "cosine": lambda s, o, **k: s.CosineAnnealingLR(o, T_max=5, **k),
    "cosine with floor": lambda s, o, **k: s.CosineAnnealingLR(o, T_max=4, eta_min=0.003, **k),
    "warm restarts": lambda s, o, **k: s.CosineAnnealingWarmRestarts(o, 4, eta_min=0.001, **k),
    "longer restarts": lambda s, o, **k: s.CosineAnnealingWarmRestarts(o, 3, T_mult=2, **k),
    **{
        name: lambda s, o, options=options, **k: s.CyclicLR(o, 0.01, [0.1, 0.2], 6, 4, **options, **k)
        for name, options in CYCLES.items()
    },
    "cycles of a function": lambda s, o, **k: s.CyclicLR(o, 0.01, 0.1, 5, scale_fn=lambda x: 1 / x, **k),
    "steps of a function": lambda s, o, **k: s.CyclicLR(
        o, 0.01, 0.1, 5, scale_fn=lambda x: 0.9**x, scale_mode="iterations", base_momentum=[0.3, 0.4], **k
    ),
    "one cycle": lambda s, o, **k: s.OneCycleLR(o, [0.3, 0.5], 52, **k),
    "one straight cycle": lambda s, o, **k: s.OneCycleLR(
        o, 0.3, epochs=10, steps_per_epoch=6, anneal_strategy="linear", pct_start=0.4, div_factor=5, **k
    ),
    "one cycle of three": lambda s, o, **k: s.OneCycleLR(o, 0.3, 60, three_phase=True, max_momentum=0.8, **k),
}
COMBINED = {
    "warmup and decay": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, total_iters=5), s.CosineAnnealingLR(o, 20), s.ExponentialLR(o, 0.9)], [5, 25]
    ),
    "constant and steps": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.StepLR(o, 4, 0.5)], [8]),
    "one after one cycle": lambda s, o: s.SequentialLR(o, [s.PolynomialLR(o, 9), s.MultiStepLR(o, [5, 9])], [12]),
    "restarts after a warmup": lambda s, o: s.SequentialLR(
        o, [s.LambdaLR(o, lambda n: (n + 1) / 6), s.CosineAnnealingWarmRestarts(o, 4, 2)], [6]
    ),
    "chained": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9), s.StepLR(o, 5)]),
    "in sequence, chained": lambda s, o: s.ChainedScheduler(
        [s.SequentialLR(o, [s.LinearLR(o), s.ExponentialLR(o, 0.95)], [5]), s.StepLR(o, 6, 0.5)]
    ),
}


def optimizer_of(lib, rule="SGD"):
    """One with two groups of unlike rates."""
    w, b = (lib.ones(1, requires_grad=True) for _ in range(2))
    return getattr(lib.optim, rule)([{"params": [w]}, {"params": [b], "lr": 0.02}], lr=0.05, **MOMENTUM.get(rule, {}))


MOMENTUM = {"SGD": {"momentum": 0.5}}


def settings(optimizer):
    """What a schedule sets, of each group."""
    return [[group["lr"], group.get("momentum", group.get("betas", [0])[0])] for group in optimizer.param_groups]


def run_schedule(lib, make, steps=50, rule="SGD"):
    optimizer = optimizer_of(lib, rule)
    scheduler = make(lib.optim.lr_scheduler, optimizer)
    seen = [settings(optimizer)]
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        assert scheduler.get_last_lr() == [group["lr"] for group in optimizer.param_groups]
        seen.append(settings(optimizer))
    return np.array(seen)


@pytest.mark.parametrize("rule", ["SGD", "Adam"])
@pytest.mark.parametrize("name", [*SCHEDULERS, *COMBINED])
def test_schedulers_set_the_same_rates_and_momenta(name, rule):
    ours, theirs = both(lambda lib: run_schedule(lib, (SCHEDULERS | COMBINED)[name], rule=rule))
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-16)
    assert len(np.unique(ours[:, 0, 0])) > 1


OWN = {"_get_lr_called_within_step", "base_momentum", "max_momentum"}
"""What PyTorch writes down for itself, and of what limits a momentum also symgrad where it is needed."""


def assert_same_schedule(ours, theirs, unlike=()):
    if isinstance(theirs, dict):
        assert ours.keys() - OWN == theirs.keys() - OWN and theirs.keys() >= ours.keys()
        for name in ours.keys() - unlike:
            # of the parts of a sequence, symgrad counts the step that begins one, too
            assert_same_schedule(ours[name], theirs[name], {"_step_count"} if "_milestones" in theirs else ())
    elif isinstance(theirs, list):
        for a, b in zip(ours, theirs, strict=True):
            assert_same_schedule(a, b, unlike)
    elif isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11)
    else:
        assert ours == theirs


def as_saved(state):
    """A state in which milestones are counted, as both libraries do it."""
    if isinstance(state, list):
        return [as_saved(part) for part in state]
    if isinstance(state, dict):
        return {name: Counter(part) if name == "milestones" else as_saved(part) for name, part in state.items()}
    return state


@pytest.mark.parametrize("name", [*SCHEDULERS, *COMBINED])
def test_a_schedule_goes_on_from_a_state_that_either_has_saved(name):
    make = (SCHEDULERS | COMBINED)[name]

    def first_half(lib):
        optimizer = optimizer_of(lib)
        scheduler = make(lib.optim.lr_scheduler, optimizer)
        for _ in range(13):
            optimizer.step()
            scheduler.step()
        return copy.deepcopy([optimizer.state_dict(), scheduler.state_dict()])

    def second_half(lib, states):
        optimizer = optimizer_of(lib)
        scheduler = make(lib.optim.lr_scheduler, optimizer)
        optimizer.load_state_dict(states[0])
        scheduler.load_state_dict(states[1])
        for _ in range(17):
            optimizer.step()
            scheduler.step()
        return settings(optimizer)

    def with_torch(torch):
        """Where it ends, what it has saved, and where each ends that goes on from what the other has saved."""
        states = first_half(torch)
        return run_schedule(torch, make, 30)[-1], states, second_half(sg, states), second_half(torch, first_half(sg))

    expected, saved, *ends = answer("torch", with_torch)
    ours = first_half(sg)
    for end in (second_half(sg, ours), second_half(sg, as_saved(saved)), *ends):
        np.testing.assert_allclose(end, expected, rtol=1e-11)
    assert_same_schedule(ours, saved)


@pytest.mark.parametrize("last", [0, 1, 2, 3, 6, 19])
@pytest.mark.parametrize("name", [name for name in SCHEDULERS if name != "longer restarts"])
def test_a_schedule_resumed_at_an_epoch_starts_as_torchs(name, last):
    def run(lib):
        optimizer = optimizer_of(lib)
        SCHEDULERS[name](lib.optim.lr_scheduler, optimizer)  # leaves the initial rates in the groups
        scheduler = SCHEDULERS[name](lib.optim.lr_scheduler, optimizer, last_epoch=last)
        seen = [settings(optimizer), scheduler.last_epoch]
        optimizer.step()
        scheduler.step()
        return [*seen, settings(optimizer), scheduler.last_epoch]

    for a, b in zip(*both(run), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


@pytest.mark.parametrize("name", [name for name in SCHEDULERS if name != "factors"])
def test_steps_to_an_epoch_that_is_given(name):
    def run(lib):
        optimizer = optimizer_of(lib)
        scheduler = SCHEDULERS[name](lib.optim.lr_scheduler, optimizer)
        optimizer.step()
        seen = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch calls it deprecated
            for epoch in (5, 0, 11, None, 3.25 if "restarts" in name else 4, None):
                scheduler.step(epoch)
                seen.append([settings(optimizer), scheduler.last_epoch])
        return seen

    for (a, m), (b, n) in zip(*both(run), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)
        assert m == n


PLATEAUS = [
    {},
    {"mode": "max", "factor": 0.5, "patience": 2},
    {"patience": 1, "cooldown": 3, "min_lr": [0.001, 0.004]},
    {"threshold_mode": "abs", "threshold": 0.2, "patience": 0},
    {"mode": "max", "threshold_mode": "abs", "threshold": 0.1, "patience": 3, "eps": 1e-3},
]


@pytest.mark.parametrize("options", PLATEAUS, ids=str)
def test_plateaus_are_noticed_at_the_same_epochs(options):
    figures = 1 / np.arange(1.0, 61) + 0.01 * np.random.default_rng(0).normal(size=60)
    figures[20:] = figures[10:50]
    figures[40] = np.nan

    def run(lib):
        optimizer = optimizer_of(lib)
        scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        rates = [scheduler.get_last_lr()]
        for i, figure in enumerate(figures):
            scheduler.step(lib.tensor(figure) if i % 2 else float(figure))
            rates.append([*scheduler.get_last_lr(), scheduler.num_bad_epochs])
            if i == 20:
                state = copy.deepcopy(scheduler.state_dict())
                scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
                scheduler.load_state_dict(state)
        return rates[1:]

    ours, theirs = both(run)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert len({rate[0] for rate in ours}) > 1


@pytest.mark.parametrize("least", [0.02, [0.02, 0.02]], ids=str)
def test_a_plateau_lowers_the_rates_of_groups_that_were_added(least):
    def run(lib):
        optimizer = optimizer_of(lib)
        scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=least)
        optimizer.add_param_group({"params": [lib.ones(1, requires_grad=True)], "lr": 0.7})
        try:
            for _ in range(3):
                scheduler.step(1.0)
        except RuntimeError as error:
            return str(error)
        return scheduler.get_last_lr(), scheduler.min_lrs

    ours, theirs = both(run)
    assert ours == theirs


def test_one_cycle_ends_where_torchs_does():
    def run(lib):
        scheduler = lib.optim.lr_scheduler.OneCycleLR(optimizer := optimizer_of(lib), 0.3, 5)
        optimizer.step()
        with pytest.raises(ValueError, match="Tried to step") as error:
            for _ in range(9):
                scheduler.step()
        return str(error.value), scheduler.last_epoch

    ours, theirs = both(run)
    assert ours == theirs


def test_schedulers_have_torchs_arguments():
    def arguments(call):
        parameters = inspect.signature(call).parameters.values()
        return [(p.name,) if p.default is p.empty else (p.name, p.default) for p in parameters]

    def all_arguments(torch):
        home = torch.optim.lr_scheduler
        return {name: arguments(getattr(home, name)) for name in home.__all__}

    for name, theirs in answer("torch", all_arguments).items():
        assert arguments(getattr(sg.optim.lr_scheduler, name)) == theirs, name


WRONG = {
    "factor": lambda s, o: s.ConstantLR(o, factor=2.0),
    "start": lambda s, o: s.LinearLR(o, start_factor=0.0),
    "functions": lambda s, o: s.LambdaLR(o, [abs]),
    "T_0": lambda s, o: s.CosineAnnealingWarmRestarts(o, 0),
    "mode": lambda s, o: s.CyclicLR(o, 0.1, 0.2, mode="square"),
    "no steps": lambda s, o: s.OneCycleLR(o, 0.1),
    "strategy": lambda s, o: s.OneCycleLR(o, 0.1, 5, anneal_strategy="sine"),
    "share": lambda s, o: s.OneCycleLR(o, 0.1, 5, pct_start=2.0),
    "plateau's factor": lambda s, o: s.ReduceLROnPlateau(o, factor=1.5),
    "plateau's mode": lambda s, o: s.ReduceLROnPlateau(o, mode="least"),
    "no scheduler": lambda s, o: s.ChainedScheduler([]),
    "milestones": lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [3]),
    "plateau in sequence": lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1), s.ReduceLROnPlateau(o)], [3]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_are_refused_as_by_torch(name):
    def run(lib):
        WRONG[name](lib.optim.lr_scheduler, optimizer_of(lib))

    with pytest.raises(ValueError):
        run(sg)
    with pytest.raises(ValueError):
        answer("torch", run)


def test_a_schedule_of_momentum_needs_an_optimizer_that_has_one():
    def run(lib):
        optimizer = optimizer_of(lib, "Adagrad")
        with pytest.raises(ValueError, match="must support momentum or beta1"):
            lib.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.2)
        lib.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.2, cycle_momentum=False)
        with pytest.raises(ValueError, match="same optimizer"):
            schedulers = [lib.optim.lr_scheduler.StepLR(o, 1) for o in (optimizer, optimizer_of(lib))]
            lib.optim.lr_scheduler.ChainedScheduler(schedulers)
        return True

    assert all(both(run))


# Averages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 4])
def test_swalr_mixes_the_rates_as_torchs(epochs, strategy):
    def run(lib):
        optimizer = optimizer_of(lib)
        scheduler = lib.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        swa = lib.optim.swa_utils.SWALR(optimizer, [0.004, 0.003], epochs, strategy)
        seen = [settings(optimizer)]
        for i in range(9):
            optimizer.step()
            swa.step()
            if i in (1, 6):
                scheduler.step()
            seen.append(settings(optimizer))
        return np.array(seen)

    np.testing.assert_allclose(*both(run), rtol=1e-12)


AVERAGES = {
    "mean": lambda u: {},
    "mean of lists": lambda u: {"multi_avg_fn": u.get_swa_multi_avg_fn()},
    "fading": lambda u: {"avg_fn": u.get_ema_avg_fn(0.75), "use_buffers": False},
    "fading, with buffers": lambda u: {"multi_avg_fn": u.get_ema_multi_avg_fn(0.75), "use_buffers": True},
    "of one's own": lambda u: {"avg_fn": lambda average, current, count: average + current * (count + 2)},
}


@pytest.mark.parametrize("name", AVERAGES)
def test_averaged_models_hold_the_same_numbers(name):
    rng = np.random.default_rng(0)
    values = [(rng.normal(size=(3, 2)), rng.normal(size=3), rng.normal(size=(8, 2))) for _ in range(4)]

    def run(lib):
        model = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.BatchNorm1d(3))
        averaged = lib.optim.swa_utils.AveragedModel(model, **AVERAGES[name](lib.optim.swa_utils))
        for w, b, x in values:
            with lib.no_grad():
                model[0].weight.copy_(lib.tensor(w))
                model[0].bias.copy_(lib.tensor(b))
                model(lib.tensor(x))
            averaged.update_parameters(model)
        state = {k: v.numpy().copy() for k, v in averaged.state_dict().items() if "num_batches" not in k}
        loader = [(lib.tensor(x), None) for _, _, x in values]
        averaged.eval()
        lib.optim.swa_utils.update_bn(loader, averaged)
        assert (averaged.training, averaged.module[1].momentum) == (False, 0.1)
        return [*state.items(), ("output", averaged(lib.tensor(values[0][2])).detach().numpy())]

    ours, theirs = both(run)
    assert len(ours) == 8
    for (m, a), (n, b) in zip(ours, theirs, strict=True):
        assert m == n
        np.testing.assert_allclose(a, b, rtol=1e-10)
