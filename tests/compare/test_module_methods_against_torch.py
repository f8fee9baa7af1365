"""Methods of modules: saving and loading with hooks, conversion, parts found and replaced by name, as in PyTorch."""

import inspect
import operator
import re
import warnings
from pathlib import Path

import pytest

import symgrad as sg

from ._answers import answer
from ._same import both

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
