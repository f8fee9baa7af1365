"""Schedulers set the same rates, and the same momenta, as PyTorch's."""

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

CYCLES = {"cyclic": {}, "halved": {"mode": "triangular2"}, "shrinking": {"mode": "exp_range", "gamma": 0.95}}
SCHEDULES = {
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


def run(lib, make, steps=50, rule="SGD"):
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
@pytest.mark.parametrize("name", [*SCHEDULES, *COMBINED])
def test_schedulers_set_the_same_rates_and_momenta(name, rule):
    ours, theirs = both(lambda lib: run(lib, (SCHEDULES | COMBINED)[name], rule=rule))
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-16)
    assert len(np.unique(ours[:, 0, 0])) > 1


OWN = {"_get_lr_called_within_step", "base_momentum", "max_momentum"}
"""What PyTorch writes down for itself, and of what limits a momentum also symgrad where it is needed."""


def assert_same_state(ours, theirs, unlike=()):
    if isinstance(theirs, dict):
        assert ours.keys() - OWN == theirs.keys() - OWN and theirs.keys() >= ours.keys()
        for name in ours.keys() - unlike:
            # of the parts of a sequence, symgrad counts the step that begins one, too
            assert_same_state(ours[name], theirs[name], {"_step_count"} if "_milestones" in theirs else ())
    elif isinstance(theirs, list):
        for a, b in zip(ours, theirs, strict=True):
            assert_same_state(a, b, unlike)
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


@pytest.mark.parametrize("name", [*SCHEDULES, *COMBINED])
def test_a_schedule_goes_on_from_a_state_that_either_has_saved(name):
    make = (SCHEDULES | COMBINED)[name]

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
        return run(torch, make, 30)[-1], states, second_half(sg, states), second_half(torch, first_half(sg))

    expected, saved, *ends = answer("torch", with_torch)
    ours = first_half(sg)
    for end in (second_half(sg, ours), second_half(sg, as_saved(saved)), *ends):
        np.testing.assert_allclose(end, expected, rtol=1e-11)
    assert_same_state(ours, saved)


@pytest.mark.parametrize("last", [0, 1, 2, 3, 6, 19])
@pytest.mark.parametrize("name", [name for name in SCHEDULES if name != "longer restarts"])
def test_a_schedule_resumed_at_an_epoch_starts_as_torchs(name, last):
    def run(lib):
        optimizer = optimizer_of(lib)
        SCHEDULES[name](lib.optim.lr_scheduler, optimizer)  # leaves the initial rates in the groups
        scheduler = SCHEDULES[name](lib.optim.lr_scheduler, optimizer, last_epoch=last)
        seen = [settings(optimizer), scheduler.last_epoch]
        optimizer.step()
        scheduler.step()
        return [*seen, settings(optimizer), scheduler.last_epoch]

    for a, b in zip(*both(run), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


@pytest.mark.parametrize("name", [name for name in SCHEDULES if name != "factors"])
def test_steps_to_an_epoch_that_is_given(name):
    def run(lib):
        optimizer = optimizer_of(lib)
        scheduler = SCHEDULES[name](lib.optim.lr_scheduler, optimizer)
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
