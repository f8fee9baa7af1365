"""Whose NaN it is: scripts with a known cause, as people have reported them, and what the error says of each.

The idea to hold: a script marks the line that is to blame (``# here``). The error must name that line, the operation on
it, the entry, the cause, and a rewrite that would not have made the NaN.
"""

import inspect
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import edge, params_of
from symgrad.inspect.recorded_values import RecordedValues, slope_term
from symgrad.terms.evaluation import evaluate

from ..helpers.cases import one_in
from ..helpers.rows import DEAR, ENTRYWISE, RECORDED, rows, run, sample


def leaf(values, **options):
    return sg.tensor(values, requires_grad=True, **options)


# ------------------------------------------------------------------------------------------------------- scripts


def mask_times_a_root():
    x, mask = leaf([4.0, 0.0, 1.0]), sg.tensor([1.0, 0.0, 1.0])
    y = sg.sqrt(x)  # here
    return (y * mask).sum()


def norm_by_hand():
    x = leaf([[3.0, 4.0], [0.0, 0.0]])
    squares = (x**2).sum(1)
    return sg.sqrt(squares).sum()  # here


def distances_by_hand():
    p = leaf([[0.0, 1.0], [2.0, 3.0]])
    apart = p[:, None] - p[None]
    d = sg.sqrt((apart * apart).sum(-1))  # here
    return d.sum()


def log_of_softmax():
    z = leaf([[0.0, 1000.0]])
    p = sg.softmax(z, -1)
    return -sg.log(p)[0, 0]  # here


def log_of_sigmoid():
    z = leaf([1.0, -1000.0])
    return sg.log(sg.sigmoid(z)).sum()  # here


def log_of_one_minus_exp():
    x = leaf([-1.0, -1e-20])
    inside = 1 - sg.exp(x)
    return sg.log(inside).sum()  # here


def negative_power():
    r, weight = leaf([2.0, 0.0]), sg.tensor([1.0, 0.0])
    w = r**-1  # here
    return (w * weight).sum()


def angle_between():
    u, v = leaf([1.0, 0.0]), sg.tensor([1.0, 0.0])
    cosine = (u * v).sum() / u.norm()
    return sg.acos(cosine)  # here


def masked_mean():
    x, mask = leaf([[1.0, 2.0], [3.0, 4.0]]), sg.tensor([[1.0, 0.0], [0.0, 0.0]])
    total, count = (x * mask).sum(1), mask.sum(1)
    mean = total / count  # here
    return mean.sum()


def softmax_by_hand():
    x = leaf([0.0, 1000.0])
    e = sg.exp(x)  # here
    return (e / e.sum())[0]


def logsumexp_by_hand():
    x = leaf([0.0, 100.0], dtype=sg.float32)
    return sg.log(sg.exp(x).sum())  # here


def softplus_by_hand():
    x = leaf([0.0, 1000.0])
    return sg.log(1 + sg.exp(x)).sum()  # here


def cosine_similarity_of_nothing():
    u, v = leaf([0.0, 0.0]), sg.tensor([1.0, 2.0])
    lengths = u.norm() * v.norm()
    return (u * v).sum() / lengths  # here


def sinc_by_hand():
    x = leaf([1.0, 0.0])
    return (sg.sin(x) / x).sum()  # here


def entropy_by_hand():
    p = leaf([0.0, 1.0])
    return -(p * sg.log(p)).sum()  # here


def deviation_of_equal_values():
    x = leaf([2.0, 2.0, 2.0])
    return sg.sqrt(x.var())  # here


def root_in_place():
    x, mask = leaf([4.0, 0.0]), sg.tensor([1.0, 0.0])
    y = x * 1
    y.sqrt_()  # here
    return (y * mask).sum()


class Doubled(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * sg.tensor([2.0, float("nan")])


def custom_function():
    x = leaf([1.0, 2.0])
    y = Doubled.apply(x)  # here
    return y.sum()


def hook_that_divides():
    x = leaf([1.0, 0.0])
    y = x * x

    def normalise(g):  # here
        return g * y.detach() / y.detach()

    y.register_hook(normalise)
    return y.sum()


def infinite_difference():
    x, mask = leaf([1.0, 1e200]), sg.tensor([1.0, 0.0])
    square = x * x  # here
    return ((square - square.exp()) * mask).sum()


KNOWN = [
    (mask_times_a_root, "sqrt", (1,), r"0·∞", r"sg\.where\("),
    (norm_by_hand, "sqrt", (1,), r"∞·0", r"norm"),
    (distances_by_hand, "sqrt", (0, 0), r"∞·0", r"norm|cdist"),
    (log_of_softmax, "log", (0, 0), r"log 0|1/0", r"log_softmax"),
    (log_of_sigmoid, "log", (1,), r"log 0|1/0", r"logsigmoid"),
    (log_of_one_minus_exp, "log", (1,), r"log 0|1/0", r"expm1"),
    (negative_power, "pow", (1,), r"0·−?∞", r"where|clamp"),
    (angle_between, "acos", (), r"∞·0", r"atan2|clamp"),
    (masked_mean, "div", (1,), r"1/0", r"clamp"),
    (softmax_by_hand, "exp", (1,), r"overflow", r"sg\.softmax"),
    (logsumexp_by_hand, "exp", (1,), r"overflow", r"logsumexp"),
    (softplus_by_hand, "exp", (1,), r"overflow", r"softplus|logaddexp"),
    (cosine_similarity_of_nothing, "div", (), r"0/0", r"clamp|eps"),
    (sinc_by_hand, "div", (1,), r"0/0", r"sinc"),
    (entropy_by_hand, "log", (0,), r"0·∞", r"xlogy"),
    (deviation_of_equal_values, "sqrt", (), r"∞·0", r"std|eps"),
    (root_in_place, "sqrt", (1,), r"0·∞", r"sg\.where\("),
    (custom_function, "Doubled", (1,), r"backward", r"gradcheck"),
    (hook_that_divides, "hook", (1,), r"hook", r"hook"),
    (infinite_difference, "mul", (1,), r"overflow", r"float64|scale|smaller|log"),
]  # fmt: skip


# Written with the others, before there was anything to run them on, and not looked at while it was made.


def distance_in_a_hyperbolic_space():
    a, b = leaf([0.5, 0.25]), sg.tensor([0.5, 0.25])
    inside = 1 + 2 * ((a - b) ** 2).sum()
    return sg.acosh(inside)  # here


def log_of_a_product():
    p = leaf([1e-200, 1e-200, 0.5])
    return sg.log(p.prod())  # here


def squashed_action_and_back():
    x = leaf([0.5, 30.0])
    action = sg.tanh(x)
    return sg.atanh(action).sum()  # here


def cross_entropy_by_hand():
    p, t = leaf([0.5, 1.0]), sg.tensor([1.0, 1.0])
    miss = sg.log(1 - p)  # here
    return -(t * sg.log(p) + (1 - t) * miss).sum()


def difference_of_hyperbolic_functions():
    x = leaf([1.0, 1000.0])
    up = x.cosh()  # here
    return (up - x.sinh()).sum()


ASIDE = [
    (distance_in_a_hyperbolic_space, "acosh", (), r"∞·0", r"clamp|eps|where"),
    (log_of_a_product, "log", (), r"log 0|1/0", r"sum of the log|log\(.*\)\.sum"),
    (squashed_action_and_back, "atanh", (1,), r"∞·0", r"clamp"),
    (cross_entropy_by_hand, "log", (1,), r"0·−?∞", r"xlogy|where|binary_cross_entropy"),
    (difference_of_hyperbolic_functions, "cosh", (1,), r"∞ − ∞|overflow", r"."),
]  # fmt: skip


def blamed(script, **options):
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly(**options):
        script().backward()
    return caught.value


def line_to_blame(script):
    lines, first = inspect.getsourcelines(script)
    k = next(k for k, line in enumerate(lines) if line.rstrip().endswith("# here"))
    return first + k, lines[k].strip()


@pytest.mark.parametrize(
    ("script", "operation", "element", "cause", "rewrite"), KNOWN + ASIDE, ids=lambda v: getattr(v, "__name__", "")
)
def test_who_made_the_nan(script, operation, element, cause, rewrite):
    error = blamed(script, inf=script is log_of_one_minus_exp)
    number, text = line_to_blame(script)
    assert error.operation == operation
    assert error.where.startswith(f"{__file__}:{number}, in ")
    assert error.line == text
    assert error.element == element
    assert re.search(cause, error.cause)
    assert re.search(rewrite, error.rewrite)
    said = str(error)
    for part in (f"{__file__}:{number}", text, str(list(element)), error.cause, error.rewrite):
        assert part in said


# ------------------------------------------------------------------------------------------------------ rewrites


SAFE = {
    mask_times_a_root: lambda: sg.where(sg.tensor([1, 0, 1]) != 0, sg.sqrt(leaf([4.0, 0.0, 1.0])), 0).sum(),
    norm_by_hand: lambda: leaf([[3.0, 4.0], [0.0, 0.0]]).norm(dim=1).sum(),
    distances_by_hand: lambda: sg.cdist(p := leaf([[0.0, 1.0], [2.0, 3.0]]), p).sum(),
    log_of_softmax: lambda: -sg.log_softmax(leaf([[0.0, 1000.0]]), -1)[0, 0],
    log_of_sigmoid: lambda: sg.nn.functional.logsigmoid(leaf([1.0, -1000.0])).sum(),
    log_of_one_minus_exp: lambda: sg.log(-sg.expm1(leaf([-1.0, -1e-20]))).sum(),
    angle_between: lambda: sg.atan2(
        sg.linalg.cross(u := leaf([1.0, 0.0, 0.0]), v := sg.tensor([1.0, 0.0, 0.0])).norm(), (u * v).sum()
    ),
    masked_mean: lambda: (leaf([1.0, 0.0]) / sg.clamp(sg.tensor([1.0, 0.0]), min=1)).sum(),
    softmax_by_hand: lambda: sg.softmax(leaf([0.0, 1000.0]), 0)[0],
    logsumexp_by_hand: lambda: sg.logsumexp(leaf([0.0, 100.0], dtype=sg.float32), 0),
    softplus_by_hand: lambda: sg.nn.functional.softplus(leaf([0.0, 1000.0])).sum(),
    cosine_similarity_of_nothing: lambda: leaf([0.0]).sum() / sg.clamp(leaf([0.0]).norm(), min=1e-12),
    sinc_by_hand: lambda: sg.sinc(leaf([1.0, 0.0]) / sg.pi).sum(),
    entropy_by_hand: lambda: -sg.where((p := leaf([0.0, 1.0])) != 0, p * sg.log(p), 0).sum(),  # as xlogy's value
    deviation_of_equal_values: lambda: leaf([2.0, 2.0, 2.0]).std(),
    negative_power: lambda: sg.where((r := leaf([2.0, 0.0])) > 0, sg.where(r > 0, r, 1) ** -1, 0).sum(),
    distance_in_a_hyperbolic_space: lambda: sg.acosh(sg.clamp(1 + leaf([0.0]) ** 2, min=1 + 1e-9)).sum(),
    log_of_a_product: lambda: sg.log(leaf([1e-200, 1e-200, 0.5])).sum(),  # the sum of the log s
    squashed_action_and_back: lambda: sg.atanh(sg.clamp(leaf([0.5, 30.0]).tanh(), -1 + 1e-9, 1 - 1e-9)).sum(),
}  # fmt: skip


@pytest.mark.parametrize("script", SAFE, ids=lambda v: v.__name__)
def test_the_rewrite_makes_none(script):
    with sg.detect_anomaly(inf=True):
        SAFE[script]().backward()


# --------------------------------------------------------------------------------------- what is found, and how said


def test_the_error_says_all_of_it():
    said = str(blamed(mask_times_a_root))
    number, _ = line_to_blame(mask_times_a_root)
    name = __file__.rpartition("/")[2]
    assert (
        said
        == f"""\
Function 'SqrtBackward0' returned nan values in its 0th output.
To blame is sqrt, {__file__}:{number}, in mask_times_a_root:
    y = sg.sqrt(x)  # here
At element [1] of sg.sqrt(x), its operand x = 0.
Cause: 0·∞: ∂sqrt/∂x = 1/(2√x) = 1/(2√0) = ∞.
The gradient's way there, from the output:
    1
    · 1          sum[]  (y * mask).sum()  ({name}:{number + 1})
    · 0          mul[1]  y * mask  ({name}:{number + 1})
    · ∞          sqrt[1]  sg.sqrt(x)  ({name}:{number})
    = nan
Rewrite: Choose instead of multiplying by 0: sg.where(mask, sg.sqrt(x), 0); the branch not taken gets exactly 0. For \
libraries where it does not, choose the operand too: f(where(mask, x, 1))."""
    )


def test_ways_that_meet_at_an_inner_node():
    x = leaf([0.0, 1.0])
    y = x * 1
    with pytest.raises(sg.AnomalyError, match="gradients that meet at .* add up to nan") as caught, sg.detect_anomaly():
        (sg.sqrt(y) - sg.log(y)).sum().backward()
    assert caught.value.cause.startswith("∞ − ∞: ")
    assert caught.value.element == (0,)
    assert {name for name, slope in caught.value.factors if np.isinf(slope)} == {"sqrt", "log"}


def test_recorded_before_the_mode_was_on():
    loss = mask_times_a_root()
    with pytest.raises(sg.AnomalyError, match="recorded outside anomaly mode") as caught, sg.detect_anomaly():
        loss.backward()
    assert (caught.value.operation, caught.value.element, caught.value.where) == ("sqrt", (1,), "")


def test_what_was_not_finite_from_the_beginning():
    x = leaf([1.0, float("nan")], name="data")
    with pytest.raises(sg.AnomalyError, match="its operand x, data, is nan from the beginning"), sg.detect_anomaly():
        x.exp().sum().backward()


def test_everything_is_as_it_was():
    x, w = leaf([4.0, 0.0]), leaf([1.0, 2.0])
    w.sum().backward()
    loss = (sg.sqrt(x) * sg.tensor([1.0, 0.0]) * w).sum()
    with pytest.raises(sg.AnomalyError), sg.detect_anomaly():
        loss.backward()
    assert x.grad is None
    assert w.grad.tolist() == [1.0, 1.0]
    assert not sg.is_anomaly_enabled()
    assert sg.is_grad_enabled()
    loss.backward()  # the graph was not used up
    assert w.grad.tolist() == [3.0, 1.0]


def test_values_are_looked_at_where_that_is_asked():
    x = leaf([1.0, -1.0])
    with pytest.raises(sg.AnomalyError, match="'SqrtBackward0' computed nan values") as caught:
        with sg.detect_anomaly(forward=True):
            sg.sqrt(x)  # here
    assert (caught.value.operation, caught.value.element, caught.value.operands) == ("sqrt", (1,), {"x": -1.0})
    assert caught.value.cause == "sqrt(−1) = nan"
    assert "outside the domain" in caught.value.rewrite
    with sg.detect_anomaly(forward=True):
        assert (x / 0.0).isinf().all()
    with pytest.raises(sg.AnomalyError, match="computed infinite values"), sg.detect_anomaly(inf=True, forward=True):
        x / 0.0


def test_a_write_that_is_refused_writes_nothing():
    y = leaf([1.0, -1.0]) * 1
    with pytest.raises(sg.AnomalyError), sg.detect_anomaly(forward=True):
        y.sqrt_()
    assert y.tolist() == [1.0, -1.0]


@pytest.mark.parametrize("place", ["leaf", "node before", "node after"])
def test_hooks_of_every_kind(place):
    x = leaf([1.0, 2.0])
    y = x * 3
    if place == "leaf":
        x.register_hook(lambda g: g / 0 * 0)
    elif place == "node before":
        y.grad_fn.register_prehook(lambda gs: (gs[0] / 0 * 0,))
    else:
        y.grad_fn.register_hook(lambda gs, _: (gs[0] / 0 * 0, *gs[1:]))
    with pytest.raises(sg.AnomalyError, match="The hook <lambda> on ") as caught, sg.detect_anomaly():
        y.sum().backward()
    assert caught.value.operation == "hook"
    assert "gs[0] / 0" in caught.value.line or "g / 0" in caught.value.line


@pytest.mark.parametrize("how", ["create_graph", "packed", "sg.grad", "vmap", "autograd.grad", "twice"])
def test_under_other_ways_to_a_gradient(how):
    x = leaf([4.0, 0.0])

    def f(x):
        return (sg.sqrt(x) * sg.tensor([1.0, 0.0])).sum()

    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
        if how == "create_graph":
            f(x).backward(create_graph=True)
        elif how == "packed":
            with sg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy() + 1, lambda a: sg.tensor(a - 1)):
                y = f(x)
            y.backward()
        elif how == "sg.grad":
            sg.grad(f)(x)
        elif how == "vmap":
            sg.vmap(sg.grad(f))(sg.stack([x.detach(), x.detach()]))
        elif how == "autograd.grad":
            sg.autograd.grad(f(x), x)
        else:
            (g,) = sg.autograd.grad((x**1.5).sum(), x, create_graph=True)
            (g * sg.tensor([1.0, 0.0])).sum().backward()
    assert caught.value.operation == ("pow" if how == "twice" else "sqrt")
    assert caught.value.element[-1] == 1


def test_operations_with_several_results():
    x = leaf([[4.0, 0.0], [1.0, 1.0]])
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
        a, _ = sg.unbind(sg.sqrt(x))
        (a * sg.tensor([1.0, 0.0])).sum().backward()
    assert (caught.value.operation, caught.value.element) == ("sqrt", (0, 1))


def test_a_product_of_matrices_carries_it():
    a, b = leaf(np.eye(3)), leaf(np.eye(3) * 2)
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
        sg.sqrt((a @ b)[0]).sum().backward()
    assert caught.value.operation == "sqrt"
    assert caught.value.element == (1,)
    assert caught.value.cause.startswith("∞·0: ")


def test_a_long_way_is_cut():
    y = sg.sqrt(leaf(0.0))
    for _ in range(3000):
        y = y * 1.0
    with pytest.raises(sg.AnomalyError, match="… 2986 more factors") as caught, sg.detect_anomaly():
        (y * 0.0).backward()
    assert len(str(caught.value).splitlines()) < 40


def test_a_backward_of_the_users_is_named_where_it_made_an_infinity():
    class Steep(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x + 0

        @staticmethod
        def backward(ctx, g):
            return g * float("inf")

    x = leaf([1.0, 2.0])
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
        Steep.apply(x * sg.tensor([1.0, 0.0])).sum().backward()
    assert caught.value.operation == "Steep"


def test_many_classes():
    z = np.zeros((50, 200))
    z[3, 7] = 1000
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
        p = sg.softmax(leaf(z), 1)
        (-sg.log(p)).sum().backward()
    assert (caught.value.operation, caught.value.element) == ("log", (3, 0))
    assert "log_softmax" in caught.value.rewrite


def test_exponentials_that_vanish():
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
        e = sg.exp(leaf([-1000.0, -1001.0]))
        (e / e.sum())[0].backward()
    assert caught.value.operation == "div"
    assert "sg.softmax" in caught.value.rewrite


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda x: sg.sqrt(x - 1).sum(), "outside the domain"),
        (lambda x: sg.log(sg.exp(x - 1000)).sum(), "x for log"),
        (lambda x: (sg.expm1(x) / x).sum(), "has a limit"),
        (lambda x: (sg.sin(x + 1) / x).sum(), "sg.where(y != 0"),
        (lambda x: (1 / (1 + sg.exp(x + 1000))).sum(), "sg.sigmoid"),
        (lambda x: sg.log(sg.exp(x - 1000).sum()), "sg.logsumexp"),
        (lambda x: sg.log(sg.linalg.det(sg.diag(x * 1e-200))), "slogdet"),
        (lambda x: sg.xlogy(x, x).sum(), "sg.where(w != 0"),
        (lambda x: sg.hypot(x, x).sum(), "norm(dim=0)"),
    ],
)
def test_advice(made, words):
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly(inf=True):
        made(leaf([0.0, 0.5])).backward()
    assert words in caught.value.rewrite


def test_a_derivative_that_only_short_floats_do_not_hold():
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly(inf=True):
        sg.log(leaf([1e-40], dtype=sg.float32)).sum().backward()
    assert re.fullmatch(r"∂log/∂x = 1/x = 1/9.99995e−41 = ∞ in float32", caught.value.cause)


def test_the_largest_number_is_told_of_complex_ones_too():
    z = sg.tensor([800 + 0j], requires_grad=True)
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
        size = sg.abs(sg.exp(z))
        (size / size).sum().backward()
    assert caught.value.cause.endswith("is beyond the largest complex128, 1.8e+308")


def test_a_pole_of_complex_numbers_is_no_overflow():
    for f, cause, advice in (
        (sg.log, "log(0+0j) = -inf+0j", "Keep away"),
        (lambda z: 1 / z, "div(0+0j)", "Keep the div"),
    ):
        z = sg.tensor([0j, 1], requires_grad=True)
        with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly():
            sg.abs(f(z) * 0).sum().backward()
        assert caught.value.cause.startswith(cause) and caught.value.rewrite.startswith(advice)


def test_gradients_that_add_up_to_too_much():
    x = leaf([1.0])
    y = x * 1
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly(inf=True):
        (y * 1e308 + y * 1.5e308).sum().backward()
    assert caught.value.cause == "overflow: the gradients that arrive add up to more than the largest number"
    with pytest.raises(sg.AnomalyError) as caught, sg.detect_anomaly(inf=True):
        (x * 1e200 * 1e200).sum().backward()
    assert caught.value.cause == "overflow: gradient times derivative comes to more than the largest number"
    assert caught.value.operation == "mul"


@one_in(6)
@pytest.mark.parametrize("bad", [0.0, np.inf, np.nan])
@rows(RECORDED)
def test_every_row_can_be_to_blame(op, bad):
    """Whatever is found, the error has all its parts."""
    operands, params = sample(op)
    for a in operands:
        for x in a if isinstance(a, (list, tuple)) else [a]:
            if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
                x[...] = bad
    try:
        with sg.detect_anomaly(inf=True):
            _, outs = run(op, operands, params)
            parts = [y * sg.tensor(np.arange(y.numel()).reshape(y.shape) % 2.0) for y in outs]
            sum((p.real + p.imag if p.dtype.kind == "c" else p).sum() for p in parts).backward()
    except sg.AnomalyError as error:
        assert all([error.operation, error.cause, error.rewrite])
        assert "test_anomaly.py" in error.where or "rows.py" in error.where
    except (sg.SymgradError, np.linalg.LinAlgError, ValueError, IndexError) as error:
        step = error.__traceback__
        while step is not None:
            assert "symgrad.inspect" not in step.tb_frame.f_globals["__name__"]
            step = step.tb_next


@rows(ENTRYWISE, slow=DEAR)
def test_the_local_derivative_that_is_shown_is_the_rules(op):
    operands, params = sample(op)
    _, (y,) = run(op, operands, params)
    node = edge(y)
    for i, parent in enumerate(node.parents):
        if parent is None or node.op.kind != "elementwise":
            continue
        term, found = slope_term(op, i, params_of(node)), RecordedValues().partial(node, i)
        entries = np.broadcast_arrays(*operands)
        for place in np.ndindex(*y.shape):
            point = {name: np.asarray(a[place], float if a.dtype.kind == "b" else None)
                     for name, a in zip(op.inputs, entries, strict=True)}  # fmt: skip
            np.testing.assert_allclose(evaluate(term, point), found[place], rtol=1e-6, atol=1e-9)


def test_a_constant_is_called_by_its_name():
    x, y = sg.tensor([1.0, 2.0], requires_grad=True, name="x"), sg.tensor([1.0, float("nan")], name="y")
    with pytest.raises(sg.AnomalyError, match="its operand b, y, is nan from the beginning"), sg.detect_anomaly():
        ((x - y) ** 2).sum().backward()


def test_what_was_warned_of_is_not_warned_of_again():
    x = sg.tensor([5.0], requires_grad=True, name="x")
    with pytest.raises(sg.AnomalyError, match="To blame is var"), sg.detect_anomaly():
        with pytest.warns(UserWarning, match="degrees of freedom"):
            y = x.var()
        y.backward()
