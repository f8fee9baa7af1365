"""Methods of modules as in PyTorch: saved, loaded, converted, parametrized, parts found and replaced by name."""

import copy
import inspect
import operator
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import both, normal

pytestmark = pytest.mark.compare


def net_of(lib, extra=False):
    """Two layers and a buffer; with `extra`, more state than tensors."""

    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = lib.nn.Linear(2, 3)
            self.rest = lib.nn.Sequential(lib.nn.ReLU(), lib.nn.Linear(3, 1))
            self.register_buffer("seen", lib.tensor([1, 2]))
            self.register_buffer("passing", lib.ones(2), persistent=False)
            self.got = None

        def forward(self, x):
            return self.rest(self.first(x))

    if extra:
        Net.get_extra_state = lambda self: {"epoch": 3}
        Net.set_extra_state = lambda self, state: setattr(self, "got", state)
    return Net()


def run(story):
    """What a story tells, in both libraries: values, or the kinds and first lines of what it raises."""

    def tell(lib):
        log = []
        try:
            story(lib, log)
        except (AttributeError, KeyError, ValueError, TypeError, RuntimeError) as error:
            kinds = [k for k in (AttributeError, KeyError, ValueError, TypeError, RuntimeError) if isinstance(error, k)]
            words = re.findall(r"`\w+`|\"[\w.]+\"|key.s.|size mismatch for \S+", str(error))
            log.append((kinds[0].__name__, sorted(words)))
        return log

    ours, theirs = both(tell)
    assert ours == theirs
    assert ours
    return ours


def test_more_state_than_tensors_is_saved_and_loaded():
    def story(lib, log):
        net, other = net_of(lib, extra=True), net_of(lib, extra=True)
        state = net.state_dict()
        log.append([*state])
        log.append({name: dict(local) for name, local in state._metadata.items()})
        other.load_state_dict(state)
        log += [other.got, str(net_of(lib).load_state_dict(state, strict=False).unexpected_keys)]
        del state["_extra_state"]
        log.append(str(other.load_state_dict(state, strict=False).missing_keys))
        other.load_state_dict(state)

    run(story)


def test_hooks_of_saving_and_loading_run_in_torchs_order():
    def story(lib, log):
        net = net_of(lib)
        for name, module in (("net", net), ("rest", net.rest)):
            module.register_state_dict_pre_hook(lambda m, *args, name=name: log.append(("before", name, args)))
            module.register_state_dict_post_hook(
                lambda m, state, prefix, local, name=name: log.append((name, [*state], prefix, dict(local)))
            )
            module.register_load_state_dict_pre_hook(
                lambda m, state, prefix, local, strict, *lists, name=name: log.append(
                    (name, "loads", [*state], prefix, strict, [list(found) for found in lists])
                )
            )
            module.register_load_state_dict_post_hook(lambda m, keys, name=name: log.append(("loaded", name, *keys)))
        state = net.state_dict(prefix="at.")
        state = {name.removeprefix("at."): value for name, value in state.items()}
        state["other"] = state.pop("first.bias")
        net.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
        net.load_state_dict(state)

    assert len(run(story)) == 9


def test_a_module_may_save_and_load_by_itself():
    def story(lib, log):
        class Old(lib.nn.Linear):
            _version = 2

            def _save_to_state_dict(self, destination, prefix, keep_vars):
                super()._save_to_state_dict(destination, prefix, keep_vars)
                destination[prefix + "kernel"] = destination.pop(prefix + "weight")

            def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
                log.append(local_metadata.get("version"))
                state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel")
                super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)

        net, other = (lib.nn.Sequential(Old(2, 2), lib.nn.Linear(2, 2)) for _ in range(2))
        log.append([*net.state_dict()])
        log.append(str(other.load_state_dict(net.state_dict())))
        log.append(bool((net[0].weight == other[0].weight).all()))

    run(story)


@pytest.mark.parametrize("strict", [True, False])
def test_what_does_not_fit_is_listed_as_in_torch(strict):
    def story(lib, log):
        net = net_of(lib)
        state = {name: value for name, value in net.state_dict().items() if "weight" not in name}
        state |= {"first.other": lib.ones(1), "rest": lib.ones(1), "rest.5.weight": lib.ones(1), "got": lib.ones(1)}
        log.append("begins")
        result = net.load_state_dict(state, strict=strict)
        log += [sorted(result.missing_keys), sorted(result.unexpected_keys)]
        net.load_state_dict({"first.bias": lib.ones(4), "seen": lib.ones(3)}, strict=strict)

    run(story)


def test_assigned_tensors_take_the_places_of_those_there():
    def story(lib, log):
        net = net_of(lib)
        net.first.bias.requires_grad_(False)
        state = {name: lib.zeros(*value.shape, dtype=lib.float64) for name, value in net.state_dict().items()}
        log.append(str(net.load_state_dict(state, assign=True)))
        log.append([(name, str(p.dtype).split(".")[1], p.requires_grad) for name, p in net.named_parameters()])
        log += [isinstance(net.first.weight, lib.nn.Parameter), net.seen is state["seen"]]
        state["first.weight"].fill_(5.0)
        log.append(net.first.weight.tolist())

    run(story)


CONVERSIONS = {
    "double": lambda lib, net: net.double(),
    "half": lambda lib, net: net.half(),
    "type": lambda lib, net: net.type(lib.float64),
    "all ints": lambda lib, net: net.requires_grad_(False).type(lib.int64),
    "to": lambda lib, net: net.to(lib.float64),
    "to a tensor": lambda lib, net: net.to(lib.ones(1, dtype=lib.float16)),
    "to ints": lambda lib, net: net.to(lib.int32),
    "empty": lambda lib, net: net.to_empty(device="cpu"),
    "empty here": lambda lib, net: net.to_empty(device="cpu", recurse=False),
    "shared": lambda lib, net: net.share_memory(),
    "cpu": lambda lib, net: net.cpu(),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_modules_are_converted_as_in_torch(name):
    def story(lib, log):
        net = net_of(lib).float()
        net.register_buffer("z", lib.ones(1, dtype=lib.complex64))
        net.register_parameter("none", None)
        parts = list(net.parameters())
        log.append("begins")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # both say that imaginary parts are lost
            log.append(CONVERSIONS[name](lib, net) is net)
        log.append([(str(t.dtype).split(".")[1], tuple(t.shape)) for t in (*net.parameters(), *net.buffers())])
        log.append(all(a is b for a, b in zip(parts, net.parameters(), strict=True)))

    run(story)


def test_a_conversion_of_ones_own_reaches_all_modules():
    def story(lib, log):
        class Counting(lib.nn.Linear):
            def _apply(self, fn, recurse=True):
                log.append("asked")
                return super()._apply(fn, recurse)

        lib.nn.Sequential(Counting(1, 1), lib.nn.Sequential(Counting(1, 1))).double()

    assert run(story) == ["asked", "asked"]


@pytest.mark.parametrize(
    "arguments",
    [("rest.1",), ("rest.7",), ("rest.7", True), ("first.weight.x",), ("",), ("new",), ("no.thing",), ("rest", True)],
    ids=str,
)
def test_parts_are_replaced_by_name(arguments):
    def story(lib, log):
        net = net_of(lib)
        log.append("begins")
        net.set_submodule(arguments[0], lib.nn.Tanh(), *arguments[1:])
        log.append(repr(net))
        log.append(repr(net.get_submodule(arguments[0])))

    run(story)


def test_forward_hooks_come_first_or_always_as_in_torch():
    def story(lib, log):
        net = lib.nn.Linear(1, 1)
        for name in "ab":
            net.register_forward_hook(lambda *a, name=name: log.append(name), prepend=True)
            net.register_forward_pre_hook(lambda *a, name=name: log.append(("pre", name)), prepend=name == "b")
            net.register_full_backward_hook(lambda *a, name=name: log.append(("back", name)), prepend=True)
            net.register_full_backward_pre_hook(lambda *a, name=name: log.append(("pre back", name)), prepend=True)
        net.register_forward_hook(lambda *a: log.append((len(a), a[-1] is None)), always_call=True)
        net.register_forward_hook(lambda *a: log.append(len(a)), always_call=True, with_kwargs=True)
        net(lib.ones(1, 1, requires_grad=True)).sum().backward()
        net.forward = lambda x: [][0]
        with pytest.raises(IndexError):
            net(lib.ones(1))

    assert len(run(story)) == 14


def test_packed_sequences_are_converted():
    def story(lib, log):
        packed = lib.nn.utils.rnn.pack_sequence([lib.tensor([1.0, 2.0]), lib.tensor([3.0])], enforce_sorted=False)
        for name in ("double", "float", "half", "long", "int", "short", "char", "byte", "cpu"):
            other = getattr(packed.float(), name)()
            log.append((name, str(other.data.dtype).split(".")[1], other.data.tolist(), other.batch_sizes.tolist()))
            log.append((type(other) is type(packed), other.sorted_indices.tolist(), repr(other)[:20]))
        other = packed.to(lib.float64)
        log += [str(other.data.dtype).split(".")[1], other.is_cuda, other.is_pinned(), packed.cpu() is packed]

    run(story)


def test_dictionaries_of_parameters_are_copied():
    def story(lib, log):
        parts = lib.nn.ParameterDict({"a": lib.nn.Parameter(lib.ones(1)), "b": lib.nn.Parameter(lib.zeros(2))})
        other = parts.copy()
        log += [[*other.keys()], other["a"] is parts["a"], type(other).__name__]
        log.append([*parts.fromkeys(["x", "y"], lib.nn.Parameter(lib.ones(1))).keys()])

    run(story)


def test_a_module_with_a_train_of_its_own_keeps_it():
    def story(lib, log):
        class Frozen(lib.nn.BatchNorm1d):
            def train(self, mode=True):
                return super().train(False)

        net = lib.nn.Sequential(lib.nn.Sequential(Frozen(2), lib.nn.ReLU()), lib.nn.ReLU())
        log += [m.training for m in net.train().modules()] + [m.training for m in net.eval().modules()]

    assert True in run(story)


def test_shared_parts_are_walked_over_once_or_each_time():
    def story(lib, log):
        shared = lib.nn.Linear(2, 2)
        net = lib.nn.ModuleDict({"a": shared, "b": lib.nn.Sequential(shared, lib.nn.BatchNorm1d(2)), "c": shared})
        net["c"].again = shared.weight
        net.none = None
        for once in (True, False):
            log.append([name for name, _ in net.named_modules(remove_duplicate=once)])
            log.append([module._get_name() for module in net.modules(remove_duplicate=once)])
            log.append([name for name, _ in net.named_parameters(prefix="net", remove_duplicate=once)])
            log.append([name for name, _ in net.named_buffers(remove_duplicate=once)])
        log.append([name for name, _ in net.named_children()])
        log.append([len(list(net.parameters(recurse=False))), len(list(net["c"].parameters(recurse=False)))])
        net.apply(lambda module: log.append(module._get_name()))

    run(story)


HOMES = {
    home: operator.attrgetter(home)
    for home in ("nn.Module", "optim", "optim.Optimizer", "optim.lr_scheduler", "optim.lr_scheduler.LRScheduler",
                 "optim.swa_utils", "nn.utils.rnn.PackedSequence")
}  # fmt: skip


def public(home):
    """Public names: of a module those that it lists and the functions of its own, of a class all."""
    own = [n for n, v in vars(home).items() if getattr(v, "__module__", None) == home.__name__]
    names = {*getattr(home, "__all__", ()), *own} if inspect.ismodule(home) else dir(home)
    return sorted(name for name in names if not name.startswith("_"))


def public_of_torch(torch):
    """Of each home the public names, and with them the arguments where a class has a method of that name."""
    found = {}
    for home, of in HOMES.items():
        place = of(torch)
        methods = inspect.isfunction if inspect.isclass(place) else lambda value: False
        found[home] = {
            name: arguments(value) if methods(value := getattr(place, name, None)) else None for name in public(place)
        }
    return found


def arguments(call):
    return list(inspect.signature(call).parameters)


THEIRS = answer("torch", public_of_torch, name="public")


def documented():
    """The names in the table of what is left out."""
    text = (Path(__file__).parents[2] / "docs" / "coming-from-pytorch.md").read_text(encoding="utf-8")
    table = text.partition("| left out of `nn.Module` and `optim` | why |")[2].partition("\n\n")[0]
    return {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.partition(" | ")[0])}


def test_what_is_left_out_of_modules_and_optimizers_is_listed():
    assert len({name for names in THEIRS.values() for name in names}) > 110
    missing = {name for home, names in THEIRS.items() for name in names if not hasattr(HOMES[home](sg), name)}
    assert missing == documented()


METHODS = [
    (home, name) for home, names in THEIRS.items() for name in sorted(names.keys() - documented())
    if names[name] is not None
]  # fmt: skip


@pytest.mark.parametrize(("home", "name"), METHODS)
def test_methods_take_torchs_arguments(home, name):
    mine, theirs = arguments(getattr(HOMES[home](sg), name)), THEIRS[home][name]
    if "args" not in mine + theirs:
        assert mine == theirs


# Parametrized modules -------------------------------------------------------------------------------------------------


def filled(lib, module, seed=1):
    """The module with parameters that both libraries have."""
    with lib.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(lib.tensor(normal(*p.shape, seed=seed + i)))
    return module


def array(t):
    return (t.detach() + 0).numpy()


def seen(lib, module, *names, second=True):
    """State, printed form, and of each tensor by name its value and the gradients of a function of it."""
    found = {"state": {k: array(v) for k, v in module.state_dict().items()}, "text": repr(module)}
    found["class"] = type(module).__name__, type(lib.nn.utils.parametrize.type_before_parametrizations(module)).__name__
    for name in names:
        value = getattr(module, name)
        wanted = [p for _, p in module.named_parameters() if p.requires_grad]
        loss = (value * lib.tensor(normal(*value.shape, seed=9))).sum() + (value**3).sum()
        if not loss.requires_grad:
            found[name] = array(value)
            continue
        grads = lib.autograd.grad(loss, wanted, create_graph=True, allow_unused=True)
        found[name] = [array(value), *(None if g is None else array(g) for g in grads)]
        again = sum((g**2).sum() for g in grads if g is not None and g.requires_grad)
        if second and not isinstance(again, int):
            found[f"{name} again"] = [None if h is None else array(h)
                                      for h in lib.autograd.grad(again, wanted, allow_unused=True)]  # fmt: skip
    return found


def kinds(lib):
    class Symmetric(lib.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).T

        def right_inverse(self, x):
            return x.triu()

    class Exp(lib.nn.Module):
        def forward(self, x):
            return x.exp()

        def right_inverse(self, x):
            return x.log()

    class Twice(lib.nn.Module):
        def forward(self, x):
            return 2 * x

    class RankOne(lib.nn.Module):
        def forward(self, x, y):
            return x.unsqueeze(-1) @ y.unsqueeze(-2)

        def right_inverse(self, z):
            return z[:, 0] / z[0, 0], z[0]

    class Longer(lib.nn.Module):
        def forward(self, x):
            return lib.cat([x, x])

    class Half(lib.nn.Module):
        def forward(self, x):
            return x.to(lib.float32)

    class Number(lib.nn.Module):
        def forward(self, x):
            return 1.0

    return {c.__name__: c() for c in (Symmetric, Exp, Twice, RankOne, Longer, Half, Number)}


def with_kinds(lib, *names, layer=None, tensor="weight", **options):
    layer = filled(lib, layer or lib.nn.Linear(3, 3))
    with lib.no_grad():
        layer.weight.abs_()
    for name in names:
        lib.nn.utils.parametrize.register_parametrization(layer, tensor, kinds(lib)[name], **options)
    return layer


def registered(lib, *names):
    return seen(lib, with_kinds(lib, *names), "weight", "bias")


def assigned(lib, *names):
    layer = with_kinds(lib, *names)
    layer.weight = lib.tensor(np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]))
    return seen(lib, layer, "weight")


def removed(lib, leave, *names):
    layer = with_kinds(lib, *names)
    first = dict(layer.named_parameters()).get("parametrizations.weight.original")
    lib.nn.utils.parametrize.remove_parametrizations(layer, "weight", leave)
    return seen(lib, layer, "weight"), layer.weight is first


def buffer(lib):
    layer = lib.nn.BatchNorm1d(2)
    lib.nn.utils.parametrize.register_parametrization(layer, "running_var", kinds(lib)["Exp"])
    lib.nn.utils.parametrize.register_parametrization(layer, "weight", kinds(lib)["Twice"])
    return seen(lib, layer, "running_var", "weight"), [n for n, _ in layer.named_buffers()]


def cache(lib):
    layer = (
        with_kinds(lib, "Twice", layer=lib.nn.LSTM(2, 2), tensor="bias_ih_l0") if False else with_kinds(lib, "Twice")
    )
    with lib.nn.utils.parametrize.cached():
        with lib.nn.utils.parametrize.cached():
            one = layer.weight
        inside = layer.weight is one
    return inside, layer.weight is one


def asked(lib):
    P, layer = lib.nn.utils.parametrize, with_kinds(lib, "Twice")
    plain = lib.nn.Linear(3, 3)
    found = [P.is_parametrized(layer, *name) for name in ((), ("weight",), ("bias",))]
    same = P.type_before_parametrizations(layer) is lib.nn.Linear, isinstance(layer, lib.nn.Linear)
    return [*found, P.is_parametrized(plain), *same, list(layer.parametrizations), layer.parametrizations.weight.unsafe]


def copied(lib):
    layer = with_kinds(lib, "Exp")
    twin = copy.deepcopy(layer)
    with lib.no_grad():
        twin.parametrizations.weight.original.add_(1.0)
    other = lib.nn.utils.parametrize.transfer_parametrizations_and_params(layer, filled(lib, lib.nn.Linear(3, 3), 5))
    return seen(lib, layer, "weight"), seen(lib, twin, "weight"), seen(lib, other, "weight")


def loaded(lib):
    """A state of an equal module, and of the older `weight_norm`."""
    new = lib.nn.utils.parametrizations.weight_norm(filled(lib, lib.nn.Linear(3, 2)))
    other = lib.nn.utils.parametrizations.weight_norm(lib.nn.Linear(3, 2))
    other.load_state_dict(new.state_dict())
    older = {"bias": lib.ones(2), "weight_g": lib.ones(2, 1) * 3, "weight_v": lib.tensor(normal(2, 3))}
    third = lib.nn.utils.parametrizations.weight_norm(lib.nn.Linear(3, 2))
    third.load_state_dict(older)
    return seen(lib, other, "weight", second=False), seen(lib, third, "weight", second=False)


LAYERS = {
    "Linear": lambda lib: lib.nn.Linear(3, 2), "square": lambda lib: lib.nn.Linear(3, 3),
    "tall": lambda lib: lib.nn.Linear(2, 4), "Conv2d": lambda lib: lib.nn.Conv2d(2, 3, (2, 1)),
    "ConvTranspose1d": lambda lib: lib.nn.ConvTranspose1d(2, 3, 2), "Bilinear": lambda lib: lib.nn.Bilinear(2, 3, 4),
}  # fmt: skip


def normed(lib, layer, dim):
    module = lib.nn.utils.parametrizations.weight_norm(filled(lib, LAYERS[layer](lib)), dim=dim)
    return seen(lib, module, "weight", second=False)  # PyTorch's second derivatives fail its own gradgradcheck


def spectral(lib, layer, training, **options):
    module = lib.nn.utils.parametrizations.spectral_norm(filled(lib, LAYERS[layer](lib)), **options).train(training)
    (inner,) = module.parametrizations.weight
    for i, part in enumerate((inner._u, inner._v) if hasattr(inner, "_u") else ()):
        with lib.no_grad():
            start = lib.tensor(normal(*part.shape, seed=20 + i))
            part.copy_(start / start.norm())
    return seen(lib, module, "weight")


def turned(lib, layer, kind, trivial=True, assign=False):
    """What `orthogonal` makes; where the base is filled up at random, of a base that both libraries have."""
    module = filled(lib, LAYERS[layer](lib))
    lib.nn.utils.parametrizations.orthogonal(module, orthogonal_map=kind, use_trivialization=trivial)
    (inner,) = module.parametrizations.weight
    if assign:
        q = np.linalg.qr(normal(*sorted(module.weight.shape)[::-1], seed=4))[0]
        module.weight = lib.tensor(q if q.shape == tuple(module.weight.shape) else q.T.copy())
        return {"weight": array(module.weight)}
    with lib.no_grad():
        if trivial:
            inner.base.copy_(lib.tensor(np.linalg.qr(normal(*inner.base.shape, seed=3))[0]))
        if trivial:
            module.parametrizations.weight.original.copy_(lib.tensor(
                normal(*module.weight.shape, seed=6) * (1 - np.eye(*module.weight.shape)) - np.eye(*module.weight.shape)
            ))  # fmt: skip
    return seen(lib, module, "weight")


def refused(lib, does):
    try:
        return seen(lib, does(lib))
    except Exception as error:
        return type(error).__name__


def P(lib):
    return lib.nn.utils.parametrize


def O(lib):  # noqa: E743
    return lib.nn.utils.parametrizations


REFUSED = {
    "another shape": lambda lib: with_kinds(lib, "Longer"), "another dtype": lambda lib: with_kinds(lib, "Half"),
    "no tensor": lambda lib: with_kinds(lib, "Number"),
    "a shape behind": lambda lib: with_kinds(lib, "Twice", "Longer"),
    "no such name": lambda lib: with_kinds(lib, "Twice", tensor="nothing"),
    "several behind": lambda lib: with_kinds(lib, "Twice", "RankOne"),
    "nothing to remove": lambda lib: P(lib).remove_parametrizations(lib.nn.Linear(2, 2), "weight"),
    "several to leave": lambda lib: P(lib).remove_parametrizations(with_kinds(lib, "RankOne"), "weight", False),
    "assigned without an inverse": lambda lib: setattr(with_kinds(lib, "Twice"), "weight", lib.ones(3, 3)),
    "a parameter": lambda lib: setattr(with_kinds(lib, "Exp"), "weight", lib.nn.Parameter(lib.ones(3, 3))),
    "no modules": lambda lib: P(lib).ParametrizationList([], lib.ones(2)),
    "pickled": lambda lib: with_kinds(lib, "Exp").__getstate__(),
    "a vector": lambda lib: O(lib).orthogonal(lib.nn.Linear(2, 2), "bias"),
    "no such map": lambda lib: O(lib).orthogonal(lib.nn.Linear(2, 2), orthogonal_map="rotation"),
    "orthogonal of nothing": lambda lib: O(lib).orthogonal(lib.nn.Linear(2, 2), "nothing"),
    "no inverse of cayley": lambda lib: setattr(O(lib).orthogonal(
        lib.nn.Linear(2, 2), orthogonal_map="cayley", use_trivialization=False), "weight", lib.eye(2)),
    "another matrix": lambda lib: setattr(O(lib).orthogonal(lib.nn.Linear(2, 2)), "weight", lib.eye(3)),
    "no iterations": lambda lib: O(lib).spectral_norm(lib.nn.Linear(2, 2), n_power_iterations=0),
    "a dimension too many": lambda lib: O(lib).spectral_norm(lib.nn.Linear(2, 2), dim=2),
    "spectral of nothing": lambda lib: O(lib).spectral_norm(lib.nn.Linear(2, 2), "nothing"),
    "unsafe": lambda lib: with_kinds(lib, "Longer", unsafe=True),
}  # fmt: skip

CASES = {
    **{f"registered {n}": lambda lib, n=n: registered(lib, *n) for n in
       (("Symmetric",), ("Exp",), ("Twice",), ("RankOne",), ("Twice", "Exp"), ("RankOne", "Exp"), ("Exp", "Twice"))},
    **{f"assigned {n}": lambda lib, n=n: assigned(lib, *n) for n in
       (("Symmetric",), ("Exp",), ("RankOne",), ("RankOne", "Exp"))},
    **{f"removed {n} {leave}": lambda lib, n=n, leave=leave: removed(lib, leave, *n) for n, leave in
       ((("Exp",), True), (("Exp",), False), (("RankOne",), True), (("Twice", "Exp"), True))},
    "buffer": buffer, "cache": cache, "asked": asked, "copied": copied, "loaded": loaded,
    **{f"weight norm {n} {dim}": lambda lib, n=n, dim=dim: normed(lib, n, dim)
       for n in LAYERS for dim in (0, 1, None, -1)},
    **{f"spectral norm {n} {t} {o}": lambda lib, n=n, t=t, o=o: spectral(lib, n, t, **o)
       for n in LAYERS for t in (True, False) for o in ({}, {"n_power_iterations": 3, "dim": 1})},
    **{f"orthogonal {n} {kind} {trivial}": lambda lib, n=n, kind=kind, trivial=trivial: turned(lib, n, kind, trivial)
       for n in ("Linear", "square", "tall") for kind in (None, "matrix_exp", "cayley", "householder")
       for trivial in (True, False)},
    **{f"orthogonal {n} {kind} assigned": lambda lib, n=n, kind=kind: turned(lib, n, kind, kind != "householder", True)
       for n in ("Linear", "square", "tall") for kind in ("matrix_exp", "cayley", "householder")},
}  # fmt: skip


def compare(ours, theirs, where):
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), where
        for key in theirs:
            compare(ours[key], theirs[key], f"{where} {key}")
    elif isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs), where
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            compare(a, b, f"{where} {i}")
    elif isinstance(theirs, np.ndarray):
        np.testing.assert_allclose(0.0 if ours is None else ours, theirs, rtol=1e-8, atol=1e-9, err_msg=where)
    else:
        assert ours == theirs or (theirs is None and not np.any(ours)), (where, ours, theirs)


@pytest.mark.parametrize("name", CASES)
def test_parametrizations(name):
    compare(CASES[name](sg), answer("torch", CASES[name], bits=40), name)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    def run(lib):
        return refused(lib, REFUSED[name])

    compare(run(sg), answer("torch", run), name)


@pytest.mark.parametrize("dim", [0, 1, None])
def test_second_derivatives_of_weight_norm(dim):
    layer = filled(sg, sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(3, 2), dim=dim))
    (inner,), originals = layer.parametrizations.weight, layer.parametrizations.weight.originals()
    assert sg.autograd.gradgradcheck(inner, tuple(p.detach().requires_grad_() for p in originals))


def test_a_copy_stays_parametrized():
    layer = with_kinds(sg, "Exp")
    twin = copy.deepcopy(layer)
    sg.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is sg.nn.Linear and type(twin).__name__ == "ParametrizedLinear"
    np.testing.assert_allclose(twin.weight.detach().numpy(), layer.weight.detach().numpy())


def test_a_recurrent_network_computes_with_what_is_parametrized():
    layer = filled(sg, sg.nn.GRU(2, 3))
    x = sg.tensor(normal(4, 2))
    weight = layer.weight_hh_l0.detach().clone()
    sg.nn.utils.parametrize.register_parametrization(layer, "weight_hh_l0", kinds(sg)["Twice"])
    other = filled(sg, sg.nn.GRU(2, 3))
    with sg.no_grad():
        for name in ("weight_ih_l0", "bias_ih_l0", "bias_hh_l0"):
            getattr(other, name).copy_(getattr(layer, name))
        other.weight_hh_l0.copy_(2 * weight)
    np.testing.assert_allclose(layer(x)[0].detach().numpy(), other(x)[0].detach().numpy())
