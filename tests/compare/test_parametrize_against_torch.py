"""Parametrized modules are PyTorch's: names, values, gradients, what is assigned, copied, removed and refused."""

import copy

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import normal

pytestmark = pytest.mark.compare


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
