"""Containers as arguments: what is one, how it is put together again, and how its leaves are named."""

import collections
import dataclasses

import numpy as np
import pytest

import symgrad as sg
from symgrad.transforms.calls.tree import (
    difference,
    flatten,
    flatten_like,
    flatten_values,
    spelled_paths,
    tree_map,
    tree_paths,
    unflatten,
)

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Layer:
    W: object
    b: object = None


@dataclasses.dataclass(frozen=True)
class Model:
    layers: list
    scale: float = 1.0
    name: str = dataclasses.field(default="net", metadata={"static": True})


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    a: object
    b: object


@dataclasses.dataclass
class Positive:
    """Refuses what is not positive: a gradient may well be."""

    value: object

    def __post_init__(self):
        if np.any(np.asarray(self.value) <= 0):
            raise ValueError("must be positive")


@dataclasses.dataclass
class Derived:
    a: object
    double: object = dataclasses.field(init=False)

    def __post_init__(self):
        self.double = 2 * self.a


@dataclasses.dataclass
class Undeclared:
    a: object

    def __post_init__(self):
        self.square = self.a**2


@dataclasses.dataclass
class Vanished:
    a: object
    factor: dataclasses.InitVar[float]
    product: object = dataclasses.field(init=False)

    def __post_init__(self, factor):
        self.product = self.a * factor


def model():
    return Model([Layer(np.ones((2, 3)), np.zeros(2)), Layer(np.ones((1, 2)))], 2.0)


def run(m, x):
    hidden = sg.tanh(m.layers[0].W @ x + m.layers[0].b)
    return m.scale * (m.layers[1].W @ hidden).sum()


TREES = [
    1.0,
    (),
    [1, (2, [3])],
    {"a": 1, "b": {"c": 2}},
    Pair(1, [2]),
    collections.OrderedDict(z=1, a=2),
    collections.deque([1, 2], maxlen=3),
    collections.defaultdict(list, k=1),
    Layer(1, 2),
    Model([Layer(1, None), 3], 4.0, "other"),
    Slotted({"x": 1}, (2,)),
    None,
    {"a": None, "b": [None, 1]},
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
@pytest.mark.parametrize("take", [flatten, flatten_values])
def test_what_is_taken_apart_is_put_together_again(tree, take):
    leaves, spec = take(tree)
    again = unflatten(spec, leaves)
    assert again == tree and type(again) is type(tree)
    assert spec.size == len(leaves) and str(spec)


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_paths_come_in_the_order_of_the_leaves_and_lead_to_them(tree):
    leaves, _ = flatten(tree)
    paths, spelled = list(tree_paths(tree)), list(spelled_paths(tree, "tree"))
    assert len(paths) == len(spelled) == len(leaves)
    for leaf, text in zip(leaves, spelled, strict=True):
        assert eval(text, {"tree": tree}) is leaf


def test_none_is_a_leaf_or_part_of_the_structure():
    assert flatten([None, 1])[0] == [None, 1] and flatten_values([None, 1])[0] == [1]
    assert flatten_like(flatten_values({"a": 1, "b": None})[1], {"b": None, "a": 5}) == [5]
    assert flatten_like(flatten_values({"a": 1, "b": None})[1], {"b": 2, "a": 5}) is None


def test_structures_are_told_apart():
    spec = flatten(Layer(1, 2))[1]
    assert flatten_like(spec, Layer(3, 4)) == [3, 4]
    assert flatten_like(spec, Slotted(3, 4)) is None and flatten_like(spec, (3, 4)) is None


@pytest.mark.parametrize(
    ("b", "words"),
    [
        ({"W": np.ones(2), "deep": [np.ones(3), 1.0]}, None),
        ({"W": np.ones(3), "deep": [np.ones(3), 1.0]}, r"x['W'] is of shape (2,), v['W'] is of shape (3,)."),
        ({"W": np.ones(2), "deep": [np.ones((3, 1)), 1.0]}, "x['deep'][0] is of shape (3,), v['deep'][0]"),
        ({"W": np.ones(2), "deep": [np.ones(3)]}, "x['deep'] has 2 entries, v['deep'] has 1"),
        ({"W": np.ones(2)}, "x['deep'] has no counterpart"),
        ({"W": np.ones(2), "deep": [np.ones(3), 1.0], "more": 1.0}, "v['more'] has no counterpart"),
        ({"W": np.ones(2), "deep": (np.ones(3), 1.0)}, "x['deep'] is a list, v['deep'] is a tuple"),
        ({"W": None, "deep": [np.ones(3), 1.0]}, "v['W'] is None"),
        (np.ones(2), "x is a dict, v is of shape (2,)"),
    ],
    ids=str,
)
def test_the_first_difference_of_two_containers_is_named_by_its_way(b, words):
    found = difference({"W": np.zeros(2), "deep": [np.zeros(3), 0.0]}, b, "x", "v")
    assert found is None if words is None else words in found


# --------------------------------------------------------------------------------------------------------- dataclasses


def test_gradients_in_a_dataclass_are_a_dataclass():
    x = np.array([0.1, 0.2, 0.3])
    g = sg.grad(run)(model(), x)
    assert type(g) is Model and type(g.layers[0]) is Layer and g.name == "net"
    plain = sg.grad(lambda W, b, V, s: run(Model([Layer(W, b), Layer(V)], s), x), (0, 1, 2, 3))
    expected = plain(np.ones((2, 3)), np.zeros(2), np.ones((1, 2)), 2.0)
    for found, wanted in zip((g.layers[0].W, g.layers[0].b, g.layers[1].W, g.scale), expected, strict=True):
        assert np.allclose(found, wanted)
    assert g.layers[1].b is None


def test_slots_and_frozen_classes_are_put_together_too():
    g = sg.grad(lambda s: s.a**2 * s.b)(Slotted(3.0, 5.0))
    assert g == Slotted(30.0, 9.0)


def test_a_check_of_the_class_is_not_asked_about_gradients():
    g = sg.grad(lambda p: -(p.value**2).sum())(Positive(np.array([1.0, 2.0])))
    assert np.array_equal(g.value, [-2.0, -4.0])


def test_what_a_class_derives_from_its_fields_is_differentiated_through():
    assert sg.grad(lambda d: d.a * d.double)(Derived(3.0)).a == 12.0
    assert sg.grad(lambda d: d.a * d.square)(Undeclared(3.0)).a == 27.0


def test_a_class_whose_derivation_cannot_be_repeated_is_refused():
    with pytest.raises(sg.GradientError, match="factor"):
        sg.grad(lambda v: v.product)(Vanished(3.0, 2.0))


def test_static_fields_reach_the_function_as_they_are():
    seen = []

    def f(m):
        seen.append(m.name)
        return m.scale**2

    sg.grad(f)(Model([], 3.0, "static"))
    assert seen == ["static"]


def test_the_other_transforms_take_dataclasses():
    s, x = Slotted(np.array([1.0, 2.0]), 3.0), Slotted(np.array([1.0, 0.0]), 1.0)
    f = lambda s: (s.a**2).sum() * s.b**2
    assert np.allclose(sg.hessian(f)(s).blocks().a.b, 4 * 3.0 * s.a)
    assert np.allclose(sg.hvp(f, s, x).a, [18.0 + 12.0, 24.0])
    assert type(sg.func.grad(f)(s)) is Slotted
    assert np.allclose(sg.jacobian(lambda s: s)(s).a.a, np.eye(2))
    assert tree_map(type, sg.vjp(f, s)[1](1.0)[0]) == Slotted(np.ndarray, np.float64)


# ---------------------------------------------------------------------------------------------- places without a value


def test_none_among_the_parameters_stays_none():
    f = lambda p: (p["W"] ** 2).sum() if p["b"] is None else None
    p = {"W": np.array([1.0, 2.0]), "b": None}
    assert sg.grad(f)(p)["b"] is None and np.array_equal(sg.grad(f)(p)["W"], [2.0, 4.0])
    H = sg.hessian(f)(p)
    assert H["b"] is None and H["W"]["b"] is None and np.array_equal(H["W"]["W"], 2 * np.eye(2))
    assert sg.jacobian(lambda p: p["W"])(p)["b"] is None
    assert sg.hvp(f, p, p)["b"] is None and sg.diag_hessian(f, p)["b"] is None
    value, g = sg.value_and_grad(f)(p)
    assert value == 5.0 and g["b"] is None
    assert sg.vjp(f, p)[1](1.0)[0]["b"] is None
    assert sg.hessian_operator(f, p).shape == (2, 2)
    output, pull = sg.vjp(lambda x: {"y": 2 * x, "none": None}, 1.0)
    assert output == {"y": 2.0, "none": None} and pull({"none": None, "y": 3.0}) == (6.0,)
    found = sg.hvp(f, {"W": sg.symbol("W", "n"), "b": None}, {"W": sg.symbol("V", "n"), "b": None})
    assert str(found["W"]) == "2V" and found["b"] is None


@pytest.mark.parametrize("nothing", [None, {}, [None], ()])
def test_an_argument_without_arrays_cannot_be_differentiated_with_respect_to(nothing):
    with pytest.raises(sg.GradientError, match="nothing to differentiate"):
        sg.grad(lambda p: 1.0)(nothing)


def test_a_leaf_that_is_no_number_is_named_by_its_way():
    with pytest.raises(sg.DTypeError, match=r"params\['deep'\]\[1\]"):
        sg.grad(lambda x, params: x, "params")(1.0, {"a": None, "deep": [1.0, "relu"]})
    with pytest.raises(sg.DTypeError, match=r"x\.b"):
        sg.hvp(lambda s: s.a, Slotted(1.0, True), Slotted(1.0, True))


def test_formulas_name_the_fields_and_the_keys_on_the_way():
    f = lambda layer, x: ((layer.W @ x if layer.b is None else layer.W @ x + layer.b) ** 2).sum()
    W, x = np.arange(6.0).reshape(2, 3), np.ones(3)
    g = sg.grad(f).formula(Layer(W, np.ones(2)), x)
    assert type(g) is Layer and str(g.W) == "2(Wx + b)xᵀ"
    assert sg.grad(f).formula(Layer(W), x).b is None
    assert str(sg.grad(f)(Layer(sg.symbol("W", ("m", "n"))), sg.symbol("x", "n")).W) == "2Wxxᵀ"
    caught = Layer(W, np.ones(2))
    assert str(sg.formula(lambda x: f(caught, x), x)) == "‖caught_W x + caught_b‖²"
    assert sg.hessian(lambda p: (p["a"] ** 2).sum()).formula({"a": x, "none": None})["none"] is None
