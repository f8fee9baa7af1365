"""The same random programs on symgrad and PyTorch: values, first and second derivatives, nodes, and what raises.

To search at length: ``python -m tests.compare.test_random_programs_against_torch 20000`` from the project's root.
"""

import contextlib
import re
import sys
import warnings
import zlib

import numpy as np
import pytest

import symgrad as sg

from ..helpers.numeric import gradient
from ..properties._large_runs import serious
from ..properties._large_runs import study as study_of_large
from ..properties._large_ways import program_of as large_program
from ..properties._programs import program_of
from ..properties._seams import program_of as program_across_seams
from ..properties._ways import Question, Stops, study
from ._answers import answer
from ._semantics_search import outcome as outcome_of_steps
from ._torch_large import by_torch, summed, unlike
from ._torch_way import torchs

KINDS = {
    "smooth": dict(smooth=True, inplace=False),
    "with kinks": dict(smooth=False, inplace=False),
    "in place": dict(smooth=True, inplace=True),
    "everything": dict(smooth=False, inplace=True),
}


def outcome(lib, program):
    """What a program does with a library: the place where it raises, else its numbers and its nodes."""
    leaves = [lib.tensor(a, requires_grad=True) for a in program.leaves]
    scope = {"L": lib, "F": lib.nn.functional}
    scope.update({f"x{i}": x for i, x in enumerate(leaves)})
    scope.update({k: lib.tensor(v) for k, v in program.constants.items()})
    place = ""
    try:
        for place in program.lines:
            exec(place, scope)
        place = "first derivative"
        first = lib.autograd.grad(scope["loss"], leaves, create_graph=True, allow_unused=True)
        found = {"loss": scope["loss"], **{f"d loss / d x{i}": g for i, g in enumerate(first)}}
        place = "second derivative"
        rng = np.random.default_rng(0)
        energy = [(g * lib.tensor(rng.normal(size=tuple(g.shape)))).sum() for g in first if g is not None]
        energy = [e for e in energy if e.requires_grad]
        if energy:
            second = lib.autograd.grad(energy, leaves, allow_unused=True)
            found.update({f"second derivative by x{i}": h for i, h in enumerate(second)})
        place = "looking at the variables"
        variables = {k: v for k, v in scope.items() if k in program.shapes and not k.startswith("c")}
        return {
            "raises": None,
            "values": {k: _array(v) for k, v in {**variables, **found}.items()},
            "facts": {k: (tuple(v.shape), v.requires_grad, v.is_leaf) for k, v in variables.items()},
            "nodes": {k: type(v.grad_fn).__name__ for k, v in variables.items() if v.grad_fn is not None},
        }
    except Exception as error:
        return {"raises": place, "error": str(error), "classes": [c.__name__ for c in type(error).__mro__]}


def _array(t):
    return None if t is None else (t.detach() + 0).numpy()  # torch has zeros without memory


def disagreements(program, theirs):
    """Yield (kind, what) for everything in which symgrad differs from PyTorch's outcome of a program."""
    ours = outcome(sg, program)
    if "NameError" in theirs.get("classes", ()):
        return  # no program
    if "has no attribute" in ours.get("error", ""):
        return  # not written yet
    if theirs["raises"] is not None and ours["raises"] is None and any(w in theirs["error"] for w in _SPARED):
        yield from _wrong_numbers(program)
        return
    if ours["raises"] is not None and (
        _OVERLAP in theirs.get("error", "") or "UnsafeViewBackward0 saved it" in ours["error"]
    ):
        return  # both refuse, each at its own place; or PyTorch's product worked on a copy
    if ours["raises"] != theirs["raises"]:
        yield (
            "raises",
            "; ".join(f"{n}: {o['raises']!r}: {_short(o)}" for n, o in (("symgrad", ours), ("torch", theirs))),
        )
        return
    if ours["raises"] is not None:
        if "RuntimeError" not in ours["classes"] and "RuntimeError" in theirs["classes"]:
            yield "error class", f"{_short(ours)} against {_short(theirs)}"
        return
    for name in {**ours["values"], **theirs["values"]}:
        a, b = ours["values"].get(name), theirs["values"].get(name)
        if a is None and b is None:
            continue
        a = np.zeros_like(b) if a is None else a  # where one finds no path the other may find an exact zero
        b = np.zeros_like(a) if b is None else b
        scale = max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0)))
        if a.shape == b.shape:
            a = np.where(np.isnan(b), b, a)  # 0·∞ of a branch not taken: symgrad's is 0
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-8, atol=1e-9 * scale, equal_nan=True):
            yield "value", f"{name}: {a.tolist()} against {b.tolist()}"
            break
    for kind in ("facts", "nodes"):
        for name, b in theirs[kind].items():
            a = ours[kind].get(name)
            if a != b and not (kind == "nodes" and _is_layout(a, b, program)):
                yield kind, f"{name}: {a} against {b}"
                break


def _is_layout(ours, theirs, program):
    """Whether two nodes differ only because PyTorch's arrays lie otherwise in memory."""
    if theirs == "AsStridedBackward0" or frozenset((ours, theirs)) in _LAYOUT:
        return True  # (AsStrided: a view whose base was written to; ours keeps its name)
    return "CloneBackward0" in (ours, theirs) and any(".contiguous()" in line for line in program.lines)


_OVERLAP = "some elements of the input tensor and the written-to tensor"
_SPARED = (
    "modified by an inplace operation",  # symgrad saves less, so less can be spoilt
    "detached in-place",
    "Can't detach views in-place",  # of what is a view in PyTorch only
    "its base or another view of its base has been modified inplace",  # it follows views of several outputs too
    _OVERLAP,  # it computes beside and then writes
)
"""What PyTorch refuses and symgrad need not: its numbers must be right then."""

_LAYOUT = {
    frozenset(("ViewBackward0", "UnsafeViewBackward0")),
    frozenset(("CloneBackward0", "TransposeBackward0")),
    frozenset(("CopySlices", "CopyBackwards")),
    frozenset(("AliasBackward0", "SliceBackward0")),  # a slice that takes all: which sizes it meets is not asked here
}
"""Pairs of nodes that tell only how the kernels lay out memory."""


def _wrong_numbers(program):
    if any("detach" in line or ".data" in line for line in program.lines):
        return  # differences do not know what is cut
    leaves = [sg.tensor(a, requires_grad=True) for a in program.leaves]
    found = sg.autograd.grad(program.loss(sg, leaves), leaves, materialize_grads=True)
    for i, g in enumerate(found):

        def loss(a, i=i):
            others = [*program.leaves[:i], a, *program.leaves[i + 1 :]]
            return program.loss(sg, [sg.tensor(b, requires_grad=True) for b in others]).item()

        expected = gradient(loss, program.leaves[i])
        if not np.allclose(g.numpy(), expected, rtol=1e-5, atol=1e-5 * max(1.0, float(np.abs(expected).max()))):
            yield "value", f"d loss / d x{i}: {g.tolist()} against {expected.tolist()} by differences"


def _short(o):
    return "nothing" if o["raises"] is None else f"{o['classes'][0]}: {o['error'].splitlines()[0][:150]}"


@pytest.mark.parametrize("kind", KINDS)
def test_random_programs_do_what_they_do_in_pytorch(kind):
    for seed in range(300):
        program = program_of(seed, **KINDS[kind])
        theirs = answer("torch", lambda torch: outcome(torch, program), bits=40)  # noqa: B023
        found = list(disagreements(program, theirs))
        assert not found, f"seed {seed}:\n{program!r}\n{found}"


# A search by hand: smaller programs, one of each kind -----------------------------------------------------------------


def _signature(found):
    """What must stay the same while a program shrinks: the kind of disagreement, with numbers and names left out."""
    return {(k, re.sub(r"[\d.\-, ]+|'.*?'|[vx]\d+", "", w)[:60] if k != "value" else "") for k, w in found}


def _without(program, i, name):
    """The lines without line ``i``; what it computed is replaced by ``name``."""
    lines = program.lines
    target = lines[i].partition(" = ")[0]
    rest = lines[i + 1 :]
    if name and re.fullmatch(r"v\d+", target):
        rest = [re.sub(rf"\b{target}\b", name, line) for line in rest]
    return lines[:i] + rest


def _fewer_terms(lines):
    head, _, text = lines[-1].partition(" = ")
    terms = text.split(" + ")
    return [[*lines[:-1], f"{head} = {t}"] for t in terms] if len(terms) > 1 else []


def _shrunk(program, kind, found):
    """The program with as few lines as show the same disagreement, of those that ``found`` yields."""
    want = {s for s in _signature(found(program)) if s[0] == kind}

    def still(candidate):
        program.lines = candidate
        with contextlib.suppress(Exception):
            return want & _signature(found(program))
        return False

    changed = True
    while changed:
        changed = False
        keep = program.lines
        candidates = _fewer_terms(keep)
        for i in range(len(keep) - 2, -1, -1):
            target = keep[i].partition(" = ")[0]
            shape = program.shapes.get(target)
            names = [n for n, s in program.shapes.items() if s == shape and n != target and not n.startswith("c")]
            candidates += [
                _without(program, i, n) for n in [None, *[n for n in names if n.startswith("x")], *names[:3]]
            ]
        for candidate in candidates:
            if still(candidate):
                keep, changed = candidate, True
                break
        program.lines = keep
    return program


def _search(torch, count):
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    seen: dict[str, int] = {}

    def found(program):
        return disagreements(program, outcome(torch, program))

    for seed in range(count):
        for name, options in KINDS.items():
            for kind, what in found(program_of(seed, **options)):
                program = _shrunk(program_of(seed, **options), kind, found)
                what = next((w for k, w in found(program) if k == kind), what)
                # alike if the same operations remain
                lines = [line.partition(" = ")[2].strip() or line for line in program.lines[:-1]]
                key = re.sub(r"[\d.]+|[vxc]\d+", "", f"{kind} {what if kind == 'nodes' else lines}")
                seen[key] = seen.get(key, 0) + 1
                if seen[key] == 1:
                    print(f"--- {name} {seed}: {kind}: {what}\n{program!r}", flush=True)
    print(sum(seen.values()), "disagreements of", len(seen), "kinds in", count * len(KINDS), "programs")
    for key, n in sorted(seen.items(), key=lambda item: -item[1]):
        print(n, key)


# On large arrays; `tests/properties/_large_search.py` searches on -----------------------------------------------------


LARGE_SEEDS = range(1000, 1100)


@pytest.mark.parametrize("start", LARGE_SEEDS[::25])
def test_random_programs_on_large_arrays_have_pytorchs_derivatives(start):
    for seed in range(start, start + 25):
        program = large_program(seed)

        def theirs(torch, program=program):
            found = by_torch(torch, program)
            if isinstance(found, Exception):
                raise found
            return summed(found)

        try:
            said = answer("torch", theirs, bits=40)
        except Exception as error:
            said = error
        found = serious(study_of_large(program, lambda _, said=said: said, compare=unlike))
        assert not found, f"seed {seed}:\n{program!r}\n{found}"


@pytest.mark.parametrize("size", [1, 5, 70_001])
def test_one_wrong_entry_shows_in_the_sums(size):
    right = {"a": np.random.default_rng(0).normal(size=size)}
    assert not list(unlike(right, summed(right), 1e-12))
    largest = max(1, np.abs(right["a"]).max())
    for place in {0, size // 3, size - 1}:
        wrong = right["a"].copy()
        wrong[place] += 1e-9 * largest
        assert list(unlike({"a": wrong}, summed(right), 1e-9))
    assert list(unlike(right, summed({"a": right["a"][None]}), 1e-9))
    assert list(unlike(right, {}, 1e-9)) and list(unlike({}, summed(right), 1e-9))


# Across the seams; `tests/properties/_search.py` searches at length ---------------------------------------------------


def test_random_programs_have_pytorchs_derivatives():
    answered = 0
    for seed in range(300):
        program = program_across_seams(seed, most=5)
        if not program.wrt:
            continue
        # the last digit of a random number may depend on the processor
        name = zlib.crc32(re.sub(r"\d+\.\d+(e-?\d+)?", lambda m: f"{float(m[0]):.6g}", repr(program)).encode())

        def theirs(torch, program=program, name=name):
            try:
                return name, torchs(torch, Question(program, program.leaves))
            except Stops as stops:
                return name, str(stops)

        asked, said = answer("torch", theirs, bits=40)
        assert asked == name, f"another table of operations makes another program {seed}: write the answers anew"

        def way(q, said=said):
            if isinstance(said, str):
                raise Stops(said)
            return said

        report = study(program, [("torch", way)], chosen=(), second_point=False)
        answered += "torch" in report.gave
        assert not report.complaints, f"seed {seed}:\n{program!r}\n{report.complaints}"
    assert answered > 180


# Views, writes, hooks, modes and backwards leave what they leave in PyTorch, step by step -----------------------------


@pytest.mark.compare
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_each_step_leaves_what_it_leaves_in_pytorch(first):
    theirs = answer("torch", lambda L: [plain(outcome_of_steps(L, seed)) for seed in range(first, first + 25)])
    for seed, notes in zip(range(first, first + 25), theirs, strict=True):
        assert plain(outcome_of_steps(sg, seed)) == notes, seed


def plain(notes):
    return [list(note) for note in notes]


@pytest.mark.compare
def test_the_programs_come_to_every_kind_of_step():
    notes = [note for seed in range(200) for note in outcome_of_steps(sg, seed)]
    steps = [note[0] for note in notes]
    for step in (
        "unary",
        "binary",
        "view",
        "write",
        "leaf",
        "hook",
        "sweep",
        "found",
        "see",
        "change",
        "node",
        "after",
    ):
        assert steps.count(step) > 2, step
    assert len({note[2] for note in notes if note[1] == "error"}) > 4


if __name__ == "__main__":
    import torch as _torch

    _search(_torch, int(sys.argv[1]))
