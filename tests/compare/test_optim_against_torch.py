"""Optimizers and schedulers take the same steps as PyTorch's, in float64."""

import copy
import inspect

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
