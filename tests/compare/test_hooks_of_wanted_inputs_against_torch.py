"""Which hooks run, in which order, and what they see, where gradients of some tensors are asked for: against PyTorch.

Each tensor and each node of one graph has hooks of every kind; asked for is each set of at most three of its tensors,
among them one that the graph does not use.
"""

import itertools

import pytest

import symgrad as sg

from ._answers import answer

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]

NAMES = ("a", "b", "c", "d", "e", "out", "unused")
SETS = [wanted for k in (1, 2, 3) for wanted in itertools.combinations(NAMES, k)]


def numbers(g):
    return [numbers(x) for x in g] if isinstance(g, (tuple, list)) else None if g is None else g.detach().tolist()


def graph(L, log, of_nodes):
    """Three leaves, one of them unused, and four results, with hooks that write to ``log``."""
    a, b = L.tensor([1.0, 2.0], requires_grad=True), L.tensor([3.0, 0.5], requires_grad=True)
    c = a * b
    d = c * 2
    e = c * a
    found = dict(zip(NAMES, (a, b, c, d, e, (d * e).sum(), L.ones(2, requires_grad=True)), strict=True))
    for name, t in found.items():
        node = L.autograd.graph.get_gradient_edge(t).node
        t.register_hook(lambda g, name=name: log.append(("tensor", name, numbers(g))))
        if of_nodes:
            node.register_prehook(lambda gs, name=name: log.append(("before", name, numbers(gs))))
            node.register_hook(lambda ds, gs, name=name: log.append(("after", name, numbers(ds), numbers(gs))))
        if t.is_leaf:
            t.register_post_accumulate_grad_hook(lambda t, name=name: log.append(("grad", name, numbers(t.grad))))
    return found


@pytest.mark.parametrize("of_nodes", [False, True], ids=["", "of_nodes"])
@pytest.mark.parametrize("retain", [False, True], ids=["", "retain"])
@pytest.mark.parametrize("create_graph", [False, True], ids=["", "create_graph"])
@pytest.mark.parametrize("how", ["backward", "grad"])
def test_hooks_are_those_of_pytorch(how, create_graph, retain, of_nodes):
    def run(L):
        seen = {}
        for wanted in SETS:
            log = []
            tensors = graph(L, log, of_nodes)
            for name in "cde" if retain else ():
                tensors[name].retain_grad()
            inputs, options = [tensors[name] for name in wanted], {"create_graph": create_graph}
            if how == "backward":
                tensors["out"].backward(inputs=inputs, **options)
            else:
                log.append(numbers(L.autograd.grad(tensors["out"], inputs, allow_unused=True, **options)))
            log.append({name: numbers(t.grad) for name, t in tensors.items()})
            seen[" ".join(wanted)] = log
        return seen

    ours, theirs = run(sg), answer("torch", run)
    for wanted in theirs:
        assert ours[wanted] == theirs[wanted], wanted
