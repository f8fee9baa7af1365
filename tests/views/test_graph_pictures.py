"""Pictures of graphs: every node and arrow once, what is written is true, and text stays text.

The idea to hold: a picture is read back. Boxes and arrows are counted against the recorded graph, expressions and rules
are evaluated, the markup is parsed; how it looks is for people.
"""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import reachable
from symgrad.sweep import bookkeeping
from symgrad.views import graph_svg
from symgrad.views.graph_svg import laid_out

SVG = "{http://www.w3.org/2000/svg}"


def leaf(*shape, name=None, seed=0):
    return sg.tensor(np.random.default_rng(seed).normal(size=shape), requires_grad=True, name=name)


X, y = sg.tensor(np.arange(15.0).reshape(5, 3) / 7, name="X"), sg.tensor([1.0, -1.0, 1.0, 1.0, -1.0], name="y")


def logistic():
    return sg.log(1 + sg.exp(-y * (X @ leaf(3, name="w")))).sum()


def network():
    h = sg.tanh(X @ leaf(3, 4, name="W") + leaf(4, name="b"))
    return ((h @ leaf(4, name="u")) ** 2).mean()


def attention():
    Q, K, V = (leaf(4, 3, name=n, seed=k) for k, n in enumerate("QKV"))
    return (sg.softmax(Q @ K.T / 3**0.5, dim=-1) @ V).sum()


def loop(steps=50):
    h, W = leaf(3, name="h"), leaf(3, 3, name="W")
    for _ in range(steps):
        h = sg.tanh(W @ h + 0.1)
    return h.sum()


def several():
    w, v = sg.linalg.eigh(leaf(3, 3, name="A") + sg.eye(3))
    return w[0] * v.sum() + sg.where(w > 0, w, w / 10).sum()


CASES = (logistic, network, attention, loop, several)


def box(g, name):
    return next(b for b in g._boxes if b.name == name)


# -------------------------------------------------------------------------------------------------------- structure


@pytest.mark.parametrize("case", CASES)
def test_every_node_and_every_arrow_is_there_once(case):
    t = case()
    g = sg.graph(t, fold=False)
    nodes, leaves, _, _ = reachable([t._node])
    drawn = [b for b in g._boxes if b.kind != "constant"]
    assert len(drawn) == len(nodes) + len(leaves)
    assert len({b.name for b in g._boxes}) == len(g._boxes)
    arrows = sum(b.kind != "constant" for step in g._boxes for b in step.into)
    assert arrows == sum(len({p for p in node.parents if p is not None}) for node in nodes)
    seen = set()
    for b in g._boxes:  # operands first
        assert {id(x) for x in b.into} <= seen
        seen.add(id(b))


@pytest.mark.parametrize("direction", ["TB", "BT", "LR", "RL"])
@pytest.mark.parametrize("case", CASES)
def test_the_svg_is_well_formed_and_has_every_box_and_arrow_once(case, direction):
    g = sg.graph(case(), direction=direction, backward=True)
    root = ET.fromstring(g.svg())
    boxes = [n.get("data-box") for n in root.iter(f"{SVG}g") if n.get("class", "").startswith("node")]
    assert boxes == [str(k) for k in range(len(g._boxes))]
    arrows = [(n.get("data-from"), n.get("data-to"), n.get("class")) for n in root.iter(f"{SVG}g") if n.get("data-to")]
    number = {id(b): str(k) for k, b in enumerate(g._boxes)}
    forward = [(number[id(x)], number[id(b)], "edge ") for b in g._boxes for x in b.into]
    assert sorted(a for a in arrows if "back" not in a[2]) == sorted(forward)
    assert len(arrows) == len(forward) + len(g._back)
    for form in (g.dot(), g.mermaid()):
        assert len(re.findall(r"^  n\d+ ?\[", form, re.M)) == len(g._boxes)
        assert len(re.findall(r"^  n\d+ -[-.]?-?> n\d+", form, re.M)) == len(forward) + len(g._back)


@pytest.mark.parametrize("case", CASES)
def test_nothing_overlaps_and_all_is_on_the_sheet(case):
    d = sg.graph(case(), backward=True)._drawing()
    x0, y0, w, h = map(float, ET.fromstring(d.svg()).get("viewBox").split())
    places = d.layout.places
    for k, a in enumerate(places):
        assert x0 <= a.x - a.width / 2 and a.x + a.width / 2 <= x0 + w and y0 <= a.y and a.y + a.height <= y0 + h
        for b in places[:k]:
            assert abs(a.x - b.x) >= (a.width + b.width) / 2 - 1e-6 or a.y >= b.y + b.height or b.y >= a.y + a.height
    for (i, j, _), bends in zip(d.arrows, d.layout.arrows, strict=True):
        assert places[i].layer < places[j].layer
        for bend in bends or ():  # an arrow passes beside the boxes of a layer
            assert all(abs(bend.x - p.x) >= p.width / 2 for p in places if p.layer == bend.layer)


def test_text_is_as_wide_as_its_box_allows():
    d = sg.graph(network(), backward=True)._drawing()
    for texts, (width, _) in zip(d.texts, d.sizes, strict=True):
        assert max(len(text) * (7.3 if sort == "title" else 6.3) for sort, text in texts) <= width
        assert max(len(text) for _, text in texts) <= graph_svg.GRAPH_SIGNS


def test_few_arrows_cross():
    """A grid drawn in a bad order: the layout finds the good one."""
    arrows = [(k, 5 + (4 - k)) for k in range(5)] + [(5 + k, 10 + (4 - k)) for k in range(5)]
    found = laid_out([(20, 10)] * 15, arrows)
    assert all(found.places[i].x == pytest.approx(found.places[j].x) for i, j in arrows)


# ------------------------------------------------------------------------------------------------------- what it says


def test_a_picture_as_text():
    x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    assert str(sg.graph((x.exp() * x).sum())).splitlines() == [
        "v3 = sum(v2)     number float64   ∂v2: g𝟏   = 17.5   result",
        "v2 = v1 ⊙ x      2 float64   ∂v1: g ⊙ x   ∂x: g ⊙ v1   = [2.718, 14.78]   saves v1, x",
        "├─ v1 = exp(x)   2 float64   ∂x: g ⊙ exp(x)   = [2.718, 7.389]   saves v1",
        "│  x             2 float64   = [1, 2]",
        "└─ x             (above)",
    ]


def inner():
    """Sums, means, powers, quotients, indices, transposes, a norm."""
    A, x = leaf(4, 3, name="A"), leaf(3, name="x", seed=1)
    r = sg.sin(A @ x) / (1 + (A**2).sum(1)) - A.T.mean(0) * x[0]
    return sg.sqrt((r * r).sum()) + sg.logsumexp(x, 0) * sg.norm(x)


@pytest.mark.parametrize("case", [logistic, network, attention, lambda: loop(4), inner])
def test_the_picture_computes_the_function_and_its_gradient(case):
    """Its expressions, parsed and evaluated in order, give the result; its rules, backwards, the gradient."""
    t = case()
    leaves = [node.variable for node in reachable([t._node])[1]]
    gradients = sg.autograd.grad(t, leaves, retain_graph=True)
    values = {f"{x.name}_": x.detach().numpy() for x in leaves}  # names of two signs are not run together
    g = sg.graph(t, fold=False, formulas=True, names={f"{x.name}_": x for x in leaves} | {"X_": X, "y_": y})
    values |= {"X_": X.numpy(), "y": y.numpy()}
    steps = [b for b in g._boxes if b.expression]
    for b in steps:
        values[b.name] = evaluated(b.expression, values, () if b.shape == "number" else shape_of(b))
    np.testing.assert_allclose(values[steps[-1].name], t.item())
    adjoint = {steps[-1].name: np.array(1.0)}
    for b in reversed([b for b in steps if b.kind == "step"]):
        assert {name for name, _ in b.rules} == {x.name for x in b.into if x.kind != "constant"}
        for name, rule in b.rules:
            reaches = evaluated(rule, values | {"g": adjoint[b.name]}, np.shape(values[name]))
            adjoint[name] = adjoint.get(name, 0.0) + reaches
    for x, gradient in zip(leaves, gradients, strict=True):
        np.testing.assert_allclose(adjoint[f"{x.name}_"], gradient.numpy(), atol=1e-12)


def shape_of(b):
    return tuple(map(int, b.shape.split("×")))


def evaluated(text, values, shape):
    text = re.sub(r"softmax\((v\d+)\)", r"softmax(\1, axis=1)", text.replace(", where ", "\nwhere "))
    text = text.replace("gI[", "g I[")
    used = {n: v for n, v in values.items() if re.search(rf"(?<![A-Za-z]){n}(?![0-9])", text)}
    f = sg.parse(text, shape=shape, **{n: np.shape(v) for n, v in used.items()})
    return np.asarray(f(**{n: used[n] for n in f.free_symbols}))


def test_the_operand_of_a_square_gets_one_rule():
    x = leaf(3, name="x")
    assert box(sg.graph((x * x).sum()), "v1").rules == [("x", "2g ⊙ x")]


def test_a_tensor_named_g_leaves_the_letter_to_it():
    g = sg.graph((leaf(3, name="g") * leaf(3, name="x")).sum())
    assert box(g, "v1").rules == [("g", "q ⊙ x"), ("x", "g ⊙ q")]
    assert "incoming gradient q" in g.svg()


def test_equal_names_are_told_apart():
    g = sg.graph((leaf(3, name="x") * leaf(3, name="x", seed=1)).sum())
    assert [b.name for b in g._boxes] == ["x", "x_1", "v1", "v2"]


def test_named_sizes_stand_in_shapes_and_rules():
    g = sg.graph(lambda x: (x * x).mean(), sg.symbol("x", "n"))
    assert (box(g, "v1").shape, box(g, "v2").rules) == ("n", [("v1", "g𝟏/n")])
    assert not any(b.value for b in g._boxes)
    assert str(sg.symbol("x", "n").mean().grad_fn.formula) == "g𝟏/n"


def test_names_of_tensors_in_between_and_of_a_model():
    x = leaf(3, name="x")
    r = x - 1
    r.name = "r"
    assert box(sg.graph((r**2).sum()), "r").expression == "x − 1"
    t = (r**2).sum()
    r.mul_(2)
    assert box(sg.graph(t + r.sum()), "r").expression == "2 v1"
    del r
    assert box(sg.graph(t), "r").expression == "x − 1"
    model = sg.nn.Linear(3, 2)
    g = sg.graph(model(sg.ones(3)).sum(), names=dict(model.named_parameters()))
    assert {"weight", "bias"} <= {b.name for b in g._boxes}


def test_a_constant_says_what_it_was_computed_from_in_names_of_the_picture():
    assert box(sg.graph(logistic()), "c1").expression == "−y"
    y, x = sg.tensor([1.0, 2.0], name="y"), leaf(2, name="y")
    assert all(b.expression == "" for b in sg.graph(((-y) * x).sum())._boxes if b.kind == "constant")


def test_values_that_are_no_longer_those_are_not_shown():
    x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    t = (x.exp() * x).sum()
    with sg.no_grad():
        x.add_(1)
    g = sg.graph(t)
    assert "written since" in box(g, "x").marks
    assert [b.value for b in g._boxes] == ["", "", "", "17.5"]
    assert not any(b.value for b in sg.graph(t, values=False)._boxes)


def test_a_freed_graph_is_drawn_without_what_it_saved():
    t = network()
    t.backward()
    g = sg.graph(t)
    assert any("saved values freed" in b.marks for b in g._boxes) and "saves" not in str(g)
    with pytest.raises(sg.GraphFreedError):
        sg.graph(t, backward=True)


def test_gradients_and_hooks_are_marked_and_drawing_runs_none():
    ran, x = [], leaf(3, name="x")
    h = sg.tanh(x)
    h.retain_grad()
    h.register_hook(ran.append)
    t = h.sum()
    t.backward(retain_graph=True)
    before = h.grad.tolist()
    g = sg.graph(t, backward=True, double_backward=True)
    assert len(ran) == 1 and h.grad.tolist() == before
    assert {"1 hook", "retains grad"} <= set(box(g, "v1").marks)
    assert box(g, "v1").gradient == "[1, 1, 1]" and box(g, "x").gradient
    t.backward()
    assert len(ran) == 2


def test_many_numbers_are_a_range_and_what_is_not_finite_is_said():
    x = sg.tensor(np.linspace(-1, 1, 21), requires_grad=True, name="x")
    g = sg.graph(sg.log(x).sum())
    assert (box(g, "x").value, box(g, "v1").value) == ("-1 … 1", "11 of 21 not finite")


def test_a_user_defined_operation_is_one_box_and_is_not_run():
    class Twice(sg.autograd.Function):
        runs = 0

        @staticmethod
        def forward(ctx, x):
            Twice.runs += 1
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    t = Twice.apply(leaf(3, name="x")).sum()
    g = sg.graph(t)
    assert [b.title() for b in g._boxes] == ["x", "v1 = Twice(x)", "v2 = sum(v1)"] and Twice.runs == 1
    assert (box(g, "v1").shape, box(g, "v1").rules) == ("3", [])


def test_the_graph_of_a_formula_and_of_a_function():
    f = sg.parse("sum((A@x - b)**2)")
    g = sg.graph(f.grad("x"))
    assert {b.name for b in g._boxes if b.kind == "leaf"} == {"A", "x", "b"} and "result" in g._boxes[-1].marks
    assert "v1 = sum(a)" in str(sg.graph(lambda a: a.sum(), np.ones(3)))
    assert [b.title() for b in sg.graph(sg.parse("3*x", x=()).grad("x"))._boxes] == ["3"]


# ---------------------------------------------------------------------------------------- backward, double backward


def test_steps_are_told_apart_by_what_recorded_them():
    x = leaf(3, name="x")
    loss = (x.exp() ** 2).sum()
    loss.backward(create_graph=True)
    penalty = (x.grad**2).sum()
    (h,) = sg.autograd.grad(penalty, x, create_graph=True)
    orders = {b.order for b in sg.graph(h)._boxes if b.kind == "step"}
    assert orders == {0, 1, 2}
    assert {b.order for b in sg.graph(penalty, fold=False)._boxes if b.name.startswith("v")} == {0}
    assert {b.order for b in sg.graph(loss)._boxes} == {0}


def test_gradients_are_recorded_on_demand():
    t = logistic()
    g = sg.graph(t, backward=True, double_backward=True)
    marks = {mark: b for b in g._boxes for mark in b.marks}
    w = next(leaf.variable for leaf in reachable([t._node])[1])
    (first,) = sg.autograd.grad(t, w, create_graph=True)
    assert marks["gradient in w"].order == 1 and marks["second gradient in w"].order == 2
    assert marks["gradient in w"].value == listed(first)
    assert marks["second gradient in w"].value == listed(sg.autograd.grad(first.sum(), w)[0])
    assert w.grad is None


def listed(t):
    return f"[{', '.join(f'{v:.4g}' for v in t.tolist())}]"


def test_a_gradient_that_hangs_on_nothing_is_a_constant():
    x = leaf(3, name="x")
    g = sg.graph((2 * x).sum(), backward=True)
    assert next(b for b in g._boxes if "gradient in x" in b.marks).value == "[2, 2, 2]"


def test_what_is_not_known_any_more_is_said(monkeypatch):
    x = leaf(3, name="x")
    (g,) = sg.autograd.grad((x**3).sum(), x, create_graph=True)
    monkeypatch.setattr(bookkeeping, "_spans", [])
    monkeypatch.setattr(bookkeeping, "_dropped", 0)
    monkeypatch.setattr("symgrad.sweep.bookkeeping.SWEEPS", 1)
    for _ in range(4):
        sg.autograd.grad((x**3).sum(), x, create_graph=True)
    assert len(bookkeeping._spans) <= 2
    picture = sg.graph(g, fold=False)
    assert {b.order for b in picture._boxes if b.kind == "step"} == {None}
    assert "function or backward" in picture.svg()


# ----------------------------------------------------------------------------------------------------------- folding


@pytest.mark.parametrize("steps", [3, 50, 1000])
def test_a_loop_is_drawn_once(steps):
    g = sg.graph(loop(steps))
    assert [(b.name, b.times) for b in g._boxes if b.kind == "step"][:3] == [
        ("v1", steps),
        ("v2", steps),
        ("v3", steps),
    ]
    assert len(g._boxes) == 6 and [(a.name, b.name) for a, b in g._back] == [("v3", "v1")]
    assert f"×{steps}" in g.svg() and f"×{steps}" in g.text() and f"×{steps}" in g.dot()
    assert not box(g, "v1").value
    assert len(sg.graph(loop(steps), fold=False)._boxes) == 3 * steps + 3


def test_two_equal_steps_are_drawn_twice():
    assert [b.times for b in sg.graph(loop(2))._boxes] == [1] * 9


def test_equal_layers_have_one_box_for_their_weights():
    x = sg.tensor(np.ones(4), name="x")
    for k in range(6):
        x = sg.tanh(leaf(4, 4, name=f"W{k}", seed=k) @ x + leaf(4, name=f"b{k}", seed=k))
    g = sg.graph(x.sum())
    assert {(b.name, b.times, b.marks[0]) for b in g._boxes if b.kind == "leaf"} == {
        ("W0", 6, "…, W5"), ("b0", 6, "…, b5"),
    }  # fmt: skip


def test_a_weight_that_is_used_otherwise_is_not_folded():
    W = [leaf(3, 3, name=f"W{k}", seed=k) for k in range(6)]
    x = sg.ones(3)
    for k in range(6):
        x = sg.tanh(W[k] @ x)
    g = sg.graph(x.sum() + (W[2] ** 2).sum())
    assert box(g, "W2").times == 1
    assert [b.expression for b in g._boxes if box(g, "W2") in b.into] == ["W2 v4", "W2^∘2"]


def test_steps_with_other_numbers_are_not_folded():
    x = leaf(3, name="x")
    for k in range(5):
        x = sg.sin(x * (k + 2))
    assert {b.times for b in sg.graph(x.sum())._boxes} == {1}


def test_what_comes_from_two_steps_before_is_an_arrow_back():
    a, b = leaf(3, name="a"), leaf(3, name="b", seed=1)
    for _ in range(12):
        a, b = sg.sin(a + b), a
    g = sg.graph(a.sum())
    back = {(x.name, y.name) for x, y in g._back}
    assert back == {("v4", "v1"), ("v2", "v1"), ("v4", "v3")}


def test_the_backward_of_a_loop_is_folded_too():
    g = sg.graph(loop(30), backward=True)
    assert len(g._boxes) < 30 and {b.times for b in g._boxes if b.order == 1} > {1}


# ------------------------------------------------------------------------------------------------- options and forms


def test_depth_leaves_out_what_is_far():
    g = sg.graph(logistic(), depth=1)
    assert [b.title() for b in g._boxes] == ["… 5 more", "v5 = log(v4)", "v6 = sum(v5)"]
    assert len(sg.graph(logistic(), depth=99)._boxes) == len(sg.graph(logistic())._boxes)


def test_formulas_are_left_out_where_there_are_many_steps(monkeypatch):
    monkeypatch.setattr("symgrad.views.graph_boxes.GRAPH_RULES", 3)
    g = sg.graph(logistic())
    assert box(g, "v3").title() == "v3 = exp(v2)" and not box(g, "v3").rules
    assert "formulas=True" in g.svg() and "formulas=True" in str(g)
    assert "formulas=True" not in sg.graph(logistic(), formulas=False).svg()
    assert box(sg.graph(logistic(), formulas=True), "v3").rules


NASTY = "a<b>&\"'`]; --> n0\\\n#x\x07{}|</script><script>"


def test_a_name_is_text_in_every_form():
    x = leaf(3)
    g = sg.graph((x * 2).sum(), names={NASTY: x})
    root = ET.fromstring(g.svg())
    assert any("a<b>&\"'`]; -->" in (text.text or "") for text in root.iter(f"{SVG}text"))
    assert len(re.findall("<script", g.html())) == 1 and len(re.findall("</script", g.html())) == 1
    facts = re.search(r"const facts = (\[.*?\]);\n", g.html(), re.S)[1]
    assert json.loads(facts)[0].startswith("a<b>&")
    assert all(len(re.findall(r'(?<!\\)"', line)) % 2 == 0 for line in g.dot().splitlines())
    (line,) = [line for line in g.mermaid().splitlines() if line.startswith("  n0[")]
    assert re.fullmatch(r'  n0\["[^"<>&`]*(<br>[^"<>&`]*)*"\]:::leaf', line)


def test_files(tmp_path):
    g = sg.graph(network())
    for suffix, start in {"svg": "<svg", "html": "<!DOCTYPE", "dot": "digraph", "mmd": "flowchart", "txt": "v"}.items():
        g.save(tmp_path / f"g.{suffix}")
        assert (tmp_path / f"g.{suffix}").read_text(encoding="utf-8").startswith(start)
    with pytest.raises(ValueError, match=r"suffix is '.gif'.*\n.*\.svg"):
        g.save(tmp_path / "g.gif")
    with pytest.raises(FileNotFoundError, match="Choose a folder"):
        g.save(tmp_path / "nowhere" / "g.svg")


def test_png_asks_for_what_draws_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(sg.MissingDependencyError, match=r"pip install symgrad\[graph\]"):
        sg.graph(network()).save(tmp_path / "g.png")


def test_the_page_needs_nothing_else():
    page = sg.graph(network()).html()
    assert not re.search(r"(src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page)


def test_a_notebook_shows_a_picture_of_a_small_graph(monkeypatch):
    t = logistic()
    assert t._repr_svg_().startswith("<svg")
    assert sg.ones(3)._repr_svg_() is None and leaf(3)._repr_svg_() is None
    monkeypatch.setattr("symgrad.views.graph_picture.GRAPH_NOTEBOOK", 5)
    assert t._repr_svg_() is None
    g = t.plot(direction="LR")
    assert g.direction == "LR" and set(g._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}
    assert g._repr_svg_() == g.svg()


def test_a_picture_keeps_no_tensor():
    """And what happens later does not change it."""
    x = leaf(3, name="x")
    g = sg.graph((x * 2).sum())
    before = g.svg()
    with sg.no_grad():
        x.zero_()
    assert g.svg() == before and all(b.source is None for b in g._boxes)


def test_two_thousand_steps_stay_usable():
    x, W = leaf(3, name="x"), leaf(3, 3, name="W")
    for k in range(500):
        x = sg.tanh(W @ x + k / 10) * x
    g = sg.graph(x.sum(), backward=False)
    assert len(g._boxes) == 2003
    svg = g.svg()
    assert len(svg) < 3e6
    stubs = [k for k, bends in enumerate(g._drawing().layout.arrows) if bends is None]
    assert stubs and sum(len(bends or ()) for bends in g._drawing().layout.arrows) <= graph_svg.GRAPH_BENDS
    assert len(re.findall('<g class="edge', svg)) == sum(len(b.into) for b in g._boxes)


def test_entries_beyond_the_limit_are_not_worked_out_again(monkeypatch):
    t = network()
    monkeypatch.setattr("symgrad.views.graph_boxes.GRAPH_ENTRIES", 0)
    g = sg.graph(t)
    assert [b.value for b in g._boxes if b.kind == "step"][:-1] == [""] * 5
    assert (box(g, "v5").shape, box(g, "v5").dtype) == ("5", "")


# ------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("what", "error", "words"),
    [
        (lambda: sg.graph(3), sg.DTypeError, "got 'int'"),
        (lambda: sg.graph(sg.ones(3)), sg.GradientError, "requires_grad_"),
        (lambda: sg.graph(leaf(3, name="w")), sg.GradientError, "leaf"),
        (lambda: sg.graph(_swept()), sg.GradientError, "create_graph=True"),
        (lambda: sg.graph(logistic(), direction="up"), ValueError, "'TB'"),
        (lambda: sg.graph(logistic(), depth=-1), ValueError, "number of steps"),
        (lambda: sg.graph(logistic(), names={"w": 3}), sg.DTypeError, "names are of tensors, and 'w' is 'int'"),
    ],
)
def test_errors_say_what_to_do(what, error, words):
    with pytest.raises(error, match=re.escape(words)):
        what()


def _swept():
    x = leaf(3, name="x")
    (x**2).sum().backward()
    return x.grad


def test_nothing_of_it_is_loaded_with_symgrad():
    code = "import sys, symgrad; print([m for m in sys.modules if m.startswith('symgrad.inspect')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
