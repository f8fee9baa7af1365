"""Random programs: derivatives of every order agree with differences, and the formula with the number."""

import collections
import gc
import importlib.util
import re
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.core import TABLE, Tensor, ownership, wrap
from symgrad.core import op as _emit
from symgrad.sweep import reverse

from ..helpers.cases import one_in
from ..helpers.examples import seeds
from ..helpers.numeric import assert_close, gradient, is_smooth
from ._large_programs import LOW
from ._large_runs import serious
from ._large_runs import study as study_of_large
from ._large_search import fewer
from ._large_ways import program_of as large_program
from ._loops import ChoosingLoop, RandomLoop, WildLoop
from ._numpy_programs import Program, complaints
from ._programs import differentiated, program_of
from ._seams import ROWS, compiled
from ._seams import program_of as program_across_seams
from ._search import shrunk
from ._ways import Question, study, tape

SMOOTH = {"smooth": True}
WRITTEN = {"smooth": True, "inplace": True}
EVERYTHING = {"smooth": False, "inplace": True}
LARGEST = 1e4
"""Differences of larger numbers say more about rounding than about derivatives."""


def leaves_of(program, arrays=None):
    return [sg.tensor(a, requires_grad=True) for a in (program.leaves if arrays is None else arrays)]


def put(arrays, i, a):
    return [*arrays[:i], a, *arrays[i + 1 :]]


def gradients(program, arrays=None, graph=False):
    leaves = leaves_of(program, arrays)
    return leaves, sg.autograd.grad(program.loss(sg, leaves), leaves, create_graph=graph, materialize_grads=True)


def legal(seed, options):
    """The program of a seed; None for one that PyTorch refuses too, and for numbers too large for differences."""
    program = program_of(seed, **options)
    found = differentiated(program, leaves_of(program))
    return program if found and all(np.abs(g.numpy()).max() < LARGEST for g in found[1]) else None


def direction(program):
    """The loss along a line through the leaves."""
    rng = np.random.default_rng(0)
    u = [rng.normal(size=a.shape) for a in program.leaves]
    return lambda t: program.loss(
        sg, leaves_of(program, [a + t * v for a, v in zip(program.leaves, u, strict=True)])
    ).item()


def steady(seed, options):
    """The legal program of a seed; None where differences do not see its slope, for it bends within their step."""
    program = legal(seed, options)
    return program if program and is_smooth(direction(program)) else None


@pytest.mark.parametrize("options", [SMOOTH, WRITTEN, EVERYTHING], ids=str)
def test_most_programs_are_legal(options):
    assert sum(legal(seed, options) is not None for seed in range(40)) >= 30


def test_differences_see_the_slopes_of_most_programs():
    assert sum(steady(seed, SMOOTH) is not None for seed in range(40)) >= 30


def check_first(program):
    _, found = gradients(program)
    for i, g in enumerate(found):
        expected = gradient(
            lambda a, i=i: program.loss(sg, leaves_of(program, put(program.leaves, i, a))).item(), program.leaves[i]
        )
        assert_close(g.numpy(), expected, rtol=1e-5, atol=1e-5, what=f"d loss / d x{i}")


@seeds(20)
def test_gradient_is_the_derivative(seed):
    if program := steady(seed, SMOOTH):
        check_first(program)


@seeds(20)
def test_gradient_is_the_derivative_with_in_place_writes(seed):
    program = steady(seed, WRITTEN)
    if program and not any("detach" in line for line in program.lines):  # differences do not know what is cut
        check_first(program)


@seeds(20)
def test_second_derivative_is_the_derivative_of_the_gradient(seed):
    program = steady(seed, SMOOTH)
    if not program:
        return
    rng = np.random.default_rng(0)
    u = [rng.normal(size=a.shape) for a in program.leaves]

    def along(arrays):
        return sum(float((g.numpy() * v).sum()) for g, v in zip(gradients(program, arrays)[1], u, strict=True))

    leaves, first = gradients(program, graph=True)
    total = sum((g * sg.tensor(v)).sum() for g, v in zip(first, u, strict=True))
    if not total.requires_grad:
        second = [sg.zeros_like(x) for x in leaves]
    else:
        second = sg.autograd.grad(total, leaves, materialize_grads=True)
    for i, h in enumerate(second):
        expected = gradient(lambda a, i=i: along(put(program.leaves, i, a)), program.leaves[i])
        assert_close(h.numpy(), expected, rtol=1e-5, atol=1e-5, what=f"second derivative by x{i}")


def loss_and_gradient(program, arrays):
    """The loss and its gradient in the first leaf, with their graphs; None where PyTorch refuses that too."""
    found = differentiated(program, leaves_of(program, arrays), create_graph=True)
    return found and (found[0], found[1][0])


def rounding(number, near):
    """How far the last digits of the leaves move a number: a large product modulo 0.7 has no digits of its own."""
    with np.errstate(invalid="ignore"):
        moved = np.abs(near - number)
    return 100 * moved[np.isfinite(moved)].max(initial=0)


@seeds(20)
def test_formula_is_the_number(seed):
    program = program_of(seed, **EVERYTHING)
    found = loss_and_gradient(program, program.leaves)
    nearby = loss_and_gradient(program, [a * (1 + 1e-15) for a in program.leaves])
    if not (found and nearby):
        return
    written_unseen = any(".detach()" in line for line in program.lines)
    for t, near in zip(found, nearby, strict=True):
        try:
            formula = t.formula()
        except sg.FormulaError as error:
            # a write through detach() changes values that no recorded operation explains: then, and only then, refused
            assert written_unseen and "no formula describes" in str(error)
            continue
        assert str(formula)
        number = t.detach().numpy()
        try:
            value = formula()
        except sg.FormulaError as error:  # at a point that it leaves out, where the number is NaN
            assert "the formula holds where" in str(error) and not np.isfinite(number).all()
            continue
        np.testing.assert_allclose(value, number, rtol=1e-9, atol=1e-9 + rounding(number, near.detach().numpy()))


@seeds(20)
def test_walking_a_retained_graph_twice_doubles_the_gradients(seed):
    program = program_of(seed, **EVERYTHING)
    if differentiated(program, leaves_of(program)) is None:
        return
    leaves = leaves_of(program)
    loss = program.loss(sg, leaves)
    loss.backward(retain_graph=True)
    once = [None if x.grad is None else x.grad.numpy().copy() for x in leaves]
    loss.backward()
    for x, g in zip(leaves, once, strict=True):
        assert (x.grad is None) == (g is None)
        if g is not None:
            np.testing.assert_array_equal(x.grad.numpy(), 2 * g)


@seeds(20)
def test_the_garbage_collector_changes_nothing(seed):
    program = program_of(seed, **EVERYTHING)

    def numbers():
        try:
            _, found = gradients(program, graph=True)
            return [g.detach().numpy() for g in found]
        except sg.SymgradError as error:
            return str(error)

    with_collector = numbers()
    gc.disable()
    try:
        without = numbers()
    finally:
        gc.enable()
    if isinstance(with_collector, list):
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(with_collector, without, strict=True))
    else:
        assert with_collector == without


@seeds(20)
def test_a_programs_direction_is_smooth(seed):
    """What the generator promises to the tests above."""
    if program := legal(seed, SMOOTH):
        assert is_smooth(direction(program), step=1e-4)  # some bend within a larger one


# On large arrays: blocks and sums in place ----------------------------------------------------------------------------


LARGE_SEEDS = range(0, 50)


def complaints_of_large(program):
    return serious(study_of_large(program))


@one_in(4)
@pytest.mark.parametrize("start", LARGE_SEEDS[::10])
def test_large_arrays_have_the_derivatives_of_small_ones_and_share_no_memory(start):
    for seed in range(start, start + 10):
        program = large_program(seed)
        found = complaints_of_large(program)
        assert not found, f"seed {seed}:\n{program!r}\n{found}"


def test_so_do_small_arrays():
    for seed in range(100):
        program = large_program(seed, sizes=LOW)
        found = complaints_of_large(program)
        assert not found, f"seed {seed}:\n{program!r}\n{found}"


def sums_in_place(monkeypatch):
    """A sweep that adds to gradients which others have too."""
    added = ownership.added_in_blocks
    monkeypatch.setattr(ownership, "added_in_blocks", lambda a, b, out: added(a, b, a))


def results_as_they_are(monkeypatch):
    """A sweep that hands out what it was handed."""
    monkeypatch.setattr(reverse.Sweep, "_is_own", lambda self, end, g: True)


def hooks_without_copies(monkeypatch):
    """A sweep that shows its own arrays to hooks."""
    monkeypatch.setattr(reverse, "gradient_for_others", lambda g: g if isinstance(g, Tensor) else wrap(np.asarray(g)))


@one_in(6)
@pytest.mark.parametrize(
    "mistake, sizes", [(sums_in_place, [(70_001,)]), (results_as_they_are, [(300, 300)]), (hooks_without_copies, LOW)]
)
def test_a_sweep_that_takes_others_memory_for_its_own_is_found(mistake, sizes, monkeypatch):
    mistake(monkeypatch)
    assert any(complaints_of_large(large_program(seed, sizes=sizes)) for seed in range(300))


def test_what_is_found_shrinks_to_the_sharing(monkeypatch):
    sums_in_place(monkeypatch)
    programs = (large_program(seed, most=4, sizes=[(70_001,)]) for seed in range(300))
    program = next(p for p in programs if complaints_of_large(p))
    small = shrunk(program, complaints_of_large(program)[0][0], complaints_of_large, fewer)
    assert len(small.lines) <= 8, small


def test_every_way_and_every_kind_of_hook_is_drawn():
    drawn = collections.Counter()
    for seed in range(1500):
        program = large_program(seed)
        text = "\n".join(program.source) + "".join(program.arrays.values())
        for what in (
            r"T\.grad", r"T\.value_and_grad", r"T\.vjp", r"T\.jvp", r"T\.hvp", r"format='csr'", r"format='structured'",
            r"backward\(retain_graph=True.*\n.*backward\(", r"autograd\.grad\(", r"backward\(inputs", r"h', \*L",
            r"autograd\.backward\(\[", r"retain_grad\(\)", r"own\(g\)\.mul_", r"shown\('hook", r"keeping", r"g: c\d+",
            r"grad_fn\.register_hook", r"register_prehook", r"post_accumulate", r"\]\[::2\]|\)\[::2\]", r"\.T\b",
            r"\[::-1\]", r"asfortran", r"broadcast_to\(np", r"float32", r"Same", r"Both", r"Given", r"L\.cat",
            r"\[\.\.\.\] = ", r"\+= ", r"expand", r"\(a0, a0", r"(c\d+), \1\]",
        ):  # fmt: skip
            drawn[what] += bool(re.search(what, text))
    rare = {what: n for what, n in drawn.items() if n < 3}
    assert not rare, rare


@pytest.mark.parametrize("seed", range(5))
def test_a_program_prints_as_a_script_that_runs(seed):
    program = large_program(seed, sizes=[(5,), (3, 3)])
    assert repr(program) == repr(large_program(seed, sizes=[(5,), (3, 3)]))
    exec(repr(program), {})


# Across the seams -----------------------------------------------------------------------------------------------------


SEEDS_OF_SEAMS = range(130, 190)


@one_in(6)
@pytest.mark.parametrize("start", SEEDS_OF_SEAMS[::5])
def test_every_way_gives_the_same_derivatives(start):
    for seed in range(start, start + 5):
        program = program_across_seams(seed, most=5)
        complaints = study(program).complaints if program.wrt else []
        assert not complaints, f"seed {seed}:\n{program!r}\n{complaints}"


@pytest.mark.slow
def test_most_programs_are_compared_in_three_ways_or_more():
    programs = [p for p in map(program_across_seams, range(40)) if p.wrt and not p.tied]
    reports = [study(program, chosen=("formula",), second_point=False) for program in programs]
    assert sum(len(report.compared) >= 3 for report in reports) > 0.6 * len(programs)


@pytest.fixture
def wrong_tanh(monkeypatch):
    """A table in which the derivative of tanh has a wrong sign."""
    row = TABLE["tanh"]
    wrong = (lambda y: y * y - 1,)
    monkeypatch.setattr(row, "rules", wrong)
    for graph, name in ((False, "pull"), (True, "pull_graph")):
        monkeypatch.setattr(row.node, name, _emit.lazy_pull(row, graph))
    yield
    monkeypatch.undo()


@pytest.mark.slow
def test_a_wrong_rule_is_found_and_shrunk_to_the_operation(wrong_tanh):
    def complaints(program):
        return study(program, chosen=(), second_point=False).complaints

    programs = [p for p in map(program_across_seams, range(200)) if "L.tanh" in p.source and not p.tied]
    found = [(p, kind) for p in programs for kind, _ in complaints(p)[:1]]
    assert len(found) >= 5
    for program, kind in found[:3]:
        assert "tape and differences" in kind
        small = shrunk(program, kind, complaints)
        assert "tanh" in small.source and len(small.lines) <= 3, small


def test_shrinking_leaves_what_the_complaint_needs():
    program = program_across_seams(7, most=7)
    name = program.lines[0].partition(" = ")[0]

    def complaints(p):
        compiled(p)(*p.leaves)  # raises where a line is missing
        return [("kind", "")] if any(re.match(rf"{name}\b", line) for line in p.lines) else []

    assert len(shrunk(program, "kind", complaints).lines) == 2


@pytest.mark.parametrize("seed", [0, 4, 11])
def test_a_program_prints_as_a_script_that_gives_its_numbers(seed, capsys):
    program = program_across_seams(seed)
    assert repr(program) == repr(program_across_seams(seed))
    scope = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.StructurallyZeroWarning)  # some are made of steps
        exec(repr(program), scope)
    assert "Hessian" in capsys.readouterr().out
    value, first, _ = tape(Question(program, program.leaves))
    np.testing.assert_allclose(scope["y"].detach().numpy(), value, rtol=1e-12)
    np.testing.assert_allclose(np.concatenate([g.detach().numpy().ravel() for g in scope["g"]]), first, rtol=1e-12)


@pytest.mark.slow
def test_every_row_of_the_table_is_drawn_or_recorded():
    met = set()
    for seed in range(4000):
        met |= set(re.findall(r"row\('(\w+)'\)", program_across_seams(seed, most=4).source))
    missing = {op.name for op in ROWS} - met
    assert len(missing) < 0.1 * len(ROWS), missing


# Loops in Python ------------------------------------------------------------------------------------------------------


LOOP_SEEDS = range(36)


def truth(loop, x, monkeypatch):
    """Value, gradient and Hessian where no loop is looked for."""
    with monkeypatch.context() as patch:
        patch.setattr(_limits, "ROLLED", 10**9)
        return sg.value_and_grad(loop.f)(x), sg.hessian(loop.f)(x)


def assert_same(found, right, text):
    for mine, other in zip(found, right, strict=True):
        size = np.abs(other).max(initial=0) + 1e-3
        np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-8 * size, err_msg=text)


@one_in(25)
@pytest.mark.parametrize("seed", LOOP_SEEDS)
def test_loops_are_what_the_tape_says(seed, monkeypatch, tmp_path):
    loop = RandomLoop(seed)
    monkeypatch.setattr(_limits, "ROLLED", 20)
    monkeypatch.setattr(_limits, "SCAN_PROGRAMMED", 0)
    fgh = sg.compile(loop.f)
    for step in (1.0, 0.8, -0.5):
        x = loop.x * step
        (value, gradient), matrix = truth(loop, x, monkeypatch)
        assert_same(fgh(x), (value, gradient, matrix), loop.text)
        assert_same((sg.grad(loop.f)(x), sg.hessian(loop.f)(x)), (gradient, matrix), loop.text)
        v = np.cos(np.arange(x.size))
        assert_same((sg.hvp(loop.f, x, v),), (matrix @ v,), loop.text)
    (made,) = fgh._programs
    assert not made.program.refused, loop.text
    fgh.save(tmp_path / "saved.py", x)
    spec = importlib.util.spec_from_file_location("saved_random_loop", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert_same(module.derivatives(x), (value, gradient, matrix), loop.text)


def everything(loop, x):
    """Value, gradient and Hessian, or the kind of the error."""
    try:
        return (*sg.value_and_grad(loop.f)(x), sg.hessian(loop.f)(x))
    except Exception as error:
        return type(error)


@one_in(25)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", LOOP_SEEDS)
def test_wild_loops_are_what_the_tape_says(seed, monkeypatch):
    loop = WildLoop(seed)
    for name, value in (("ROLLED", 20), ("ROUNDS", 4), ("SCAN_STEPS", 4), ("SCAN_PROGRAMMED", 0)):
        monkeypatch.setattr(_limits, name, value)
    compiled = sg.compile(loop.f)
    for step in (1.0, -0.6):
        x = (loop.x * step).astype(loop.x.dtype)
        with np.errstate(all="ignore"):
            found = everything(loop, x)
            with monkeypatch.context() as patch:
                patch.setattr(_limits, "ROLLED", 10**9)
                right = everything(loop, x)
            if isinstance(right, type) or isinstance(found, type):
                assert found is right, loop.text
                continue
            again = compiled(x)
        for one in (found, again):
            assert_near(one, right, 1e-7 if x.dtype == float else 2e-3, loop.text)


def assert_near(found, right, rtol, text):
    for mine, other in zip(map(np.asarray, found), map(np.asarray, right), strict=True):
        assert mine.dtype == other.dtype and (np.isfinite(mine) == np.isfinite(other)).all(), text
        size = np.abs(other[np.isfinite(other)]).max(initial=0) + 1e-3
        np.testing.assert_allclose(mine, other, rtol=rtol, atol=0.1 * rtol * size, err_msg=text)


@one_in(25)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", LOOP_SEEDS)
def test_loops_that_choose_are_what_the_tape_says(seed, monkeypatch):
    loop = ChoosingLoop(seed)
    monkeypatch.setattr(_limits, "ROLLED", 20)
    monkeypatch.setattr(_limits, "SCAN_PROGRAMMED", 0)
    compiled = sg.compile(loop.f)
    for step in (1.0, 0.7, -0.5):
        x = (loop.x * step).astype(loop.x.dtype)
        with np.errstate(all="ignore"):
            with monkeypatch.context() as patch:
                patch.setattr(_limits, "ROLLED", 10**9)
                right = everything(loop, x)
            found = everything(loop, x)
            if isinstance(right, type):
                assert found is right, loop.text
                continue
            for one in (found, compiled(x)):
                assert_near(one, right, 1e-7 if x.dtype == float else 2e-3, loop.text)


def test_they_are_loops(monkeypatch):
    monkeypatch.setattr(_limits, "ROLLED", 20)
    for seed in range(12):
        loop = RandomLoop(seed)
        if "if e" in loop.text:  # rounds of other operations
            continue
        compiled = sg.compile(loop.f, "g")
        compiled(loop.x)
        assert [type(made.program).__name__ for made in compiled._programs] == ["ProgramWithLoops"], loop.text


# Functions of arrays as people write them -----------------------------------------------------------------------------


@seeds(60)
def test_every_way_has_the_slope_of_the_differences(seed):
    program = Program(seed)
    said, _ = complaints(program)
    assert not said, f"{program!r}\n{said}"


def test_most_programs_are_compared():
    counts = [complaints(Program(seed), ("grad", "value"))[1] for seed in range(1000, 1030)]
    assert sum(count == 2 for count in counts) > 15


@pytest.mark.slow
def test_a_wrong_slope_is_found(monkeypatch):
    monkeypatch.setitem(sg.core.of_numpy, np.sin, sg.core.TABLE["cos"].apply)
    programs = [p for p in map(Program, range(60)) if "np.sin({" not in p.source]
    assert sum(bool(complaints(p, ("jacobian",))[0]) for p in programs) > 10
