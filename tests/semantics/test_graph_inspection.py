"""The graph as a user sees it: `grad_fn`, `next_functions`, `AccumulateGrad.variable`.

Names of `grad_fn` per operation have files of their own (`test_grad_fn_names_of_*.py`).
"""

import pytest

import symgrad as sg


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0], requires_grad=True)


def test_grad_fn_of_a_leaf_is_none(x):
    assert x.grad_fn is None
    assert sg.ones(2).grad_fn is None
    assert (sg.ones(2) * 2).grad_fn is None


def test_the_class_of_a_node_has_the_nodes_name(x):
    node = (x * x).grad_fn
    assert type(node).__name__ == node.name() == "MulBackward0"


CALLS = [  # of one row each
    (lambda x: 2.0**x, lambda x: x**x, "PowBackward2", "PowBackward1"),
    (lambda x: sg.xlogy(x, 2.0), lambda x: sg.xlogy(2.0, x), "XlogyBackward2", "XlogyBackward1"),
    (lambda x: x.clamp(min=0.5), lambda x: x.clamp_min(x.detach()), "ClampBackward1", "ClampMinBackward1"),
    (lambda x: x.sgn(), lambda x: x.sign(), "SgnBackward0", "SignBackward0"),
    (lambda x: x[0], lambda x: x[None], "SelectBackward0", "UnsqueezeBackward0"),
    (lambda x: x.split([1, 1])[1], lambda x: x.split(1)[1], "SplitWithSizesBackward0", "SplitBackward0"),
    (lambda x: (x * 1).unsqueeze_(0), lambda x: x.unsqueeze(0), "UnsqueezeBackward1", "UnsqueezeBackward0"),
]


@pytest.mark.parametrize(("one", "other", "first", "second"), CALLS, ids=[c[2] for c in CALLS])
def test_the_calls_of_one_operation_have_pytorchs_names_wherever_they_are_seen(x, one, other, first, second):
    for call, name in ((one, first), (other, second)):
        y = call(x)
        assert f"grad_fn=<{name}>" in repr(y)
        for node in ((call(x) * 2).grad_fn.next_functions[0][0], y.grad_fn):
            assert type(node).__name__ == node.name() == name
            assert repr(node).startswith(f"<{name} object at ")
        (looked_at,) = sg.autograd.grad(y.sum(), x)
        assert (looked_at == sg.autograd.grad(call(x).sum(), x)[0]).all()
    assert type(one(x).grad_fn).op is type(other(x).grad_fn).op


def test_a_tensor_has_one_node(x):
    y = x * x
    assert y.grad_fn is y.grad_fn
    assert y.grad_fn == y.grad_fn
    assert (x * x).grad_fn is not y.grad_fn


def test_a_node_can_be_a_key(x):
    y = x * x
    seen = {y.grad_fn}
    assert (y + 1).grad_fn.next_functions[0][0] in seen


def test_a_leaf_has_one_accumulate_grad(x):
    first = (x * 2).grad_fn
    second = (x + 1).grad_fn
    assert first.next_functions[0][0] is second.next_functions[0][0]


def test_accumulate_grad_knows_its_variable(x):
    accumulate = (x * 2).grad_fn.next_functions[0][0]
    assert type(accumulate).__name__ == "AccumulateGrad"
    assert accumulate.variable is x
    assert accumulate.next_functions == ()


def test_next_functions_has_one_pair_per_input(x):
    y = sg.tensor([3.0, 4.0], requires_grad=True)
    (first, i), (second, j) = (x * y).grad_fn.next_functions
    assert first.variable is x and second.variable is y
    assert (i, j) == (0, 0)


def test_the_same_input_twice_has_two_edges(x):
    edges = (x * x).grad_fn.next_functions
    assert len(edges) == 2
    assert edges[0] == edges[1]


def test_an_input_without_gradient_has_no_node(x):
    assert (x * sg.ones(2)).grad_fn.next_functions[1] == (None, 0)
    assert (sg.ones(2) * x).grad_fn.next_functions[0] == (None, 0)


def test_a_list_of_inputs_has_an_edge_each(x):
    edges = sg.cat([x, sg.ones(1), x]).grad_fn.next_functions
    assert [e[0] is None for e in edges] == [False, True, False]


def test_edges_name_the_output_of_several():
    rows = sg.ones(3, 2, requires_grad=True).unbind()
    nodes = [row.grad_fn for row in rows]
    assert nodes[0] is nodes[1] is nodes[2]
    assert [(row * 2).grad_fn.next_functions[0][1] for row in rows] == [0, 1, 2]


def test_two_results_of_one_operation_share_a_node(x):
    values, indices = x.sort()
    assert values.grad_fn.name() == "SortBackward0"
    assert indices.grad_fn is None
    assert not indices.requires_grad
    var, mean = sg.var_mean(x)
    assert var.grad_fn is mean.grad_fn


def test_the_graph_is_walked_from_the_output_to_the_leaves(x):
    loss = ((x * 3).sin() + 1).sum()
    names, node = [], loss.grad_fn
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == ["SumBackward0", "AddBackward0", "SinBackward0", "MulBackward0", "AccumulateGrad"]


def test_a_long_graph_can_be_walked_and_dropped(x):
    y = x
    for _ in range(3000):
        y = y + 1
    count, node = 0, y.grad_fn
    while node.next_functions:
        count += 1
        node = node.next_functions[0][0]
    assert count == 3000
    assert node.variable is x


def test_the_graph_of_a_graph_holds_the_operations_of_the_derivative(x):
    (gradient,) = sg.autograd.grad((x**3).sum(), x, create_graph=True)
    assert gradient.grad_fn.name() == "MulBackward0"
    (plain,) = sg.autograd.grad((x**3).sum(), x)
    assert plain.grad_fn is None


def test_no_graph_is_made_for_a_comparison_or_an_index(x):
    for result in (x > 1, x == x, x.argmax(), x.isnan(), x.argsort(), x.bool(), x.long()):
        assert result.grad_fn is None
        assert not result.requires_grad


def test_walking_the_graph_does_not_keep_it_from_being_freed(x):
    y = x * x
    node = y.grad_fn
    y.sum().backward()
    assert node.name() == "MulBackward0"
    with pytest.raises(RuntimeError, match="a second time"):
        y.sum().backward()


def test_a_node_has_a_metadata_dictionary(x):
    node = (x * x).grad_fn
    assert node.metadata == {}
    node.metadata["seen"] = True
    assert node.metadata == {"seen": True}


def test_in_place_operation_gives_the_tensor_a_new_node(x):
    y = x * 2
    before = y.grad_fn
    y.add_(1)
    assert y.grad_fn.name() == "AddBackward0"
    assert y.grad_fn.next_functions[0][0] is before


def test_detach_and_clone_in_the_graph(x):
    y = x * 2
    assert y.detach().grad_fn is None
    assert y.clone().grad_fn.name() == "CloneBackward0"
    assert y.clone().grad_fn.next_functions[0][0] is y.grad_fn


def test_operations_that_return_the_tensor_itself_add_no_node(x):
    y = x * 2
    assert y.contiguous() is y
    assert y.double() is y
    assert y.to(sg.float64) is y
    assert y.to("cpu") is y
    assert y.cpu() is y
    assert y.flatten() is y
