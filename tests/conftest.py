"""What all tests share: the same examples every time, samples of long lists, in sweeps, no walks over what stays."""

import collections
import functools
import gc
import inspect
import itertools
import os
import re
import time
import zlib
from types import SimpleNamespace

import pytest
from hypothesis import Phase, settings

if "PYTEST_XDIST_WORKER" in os.environ:  # a process for each core: threads of BLAS wait for each other, and spin
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy and SciPy load theirs

import symgrad as sg
from symgrad import _limits
from symgrad.core import Node, Tensor

# What an earlier run has kept is nobody's evidence: programs are made anew, also in processes that tests start.
os.environ["SYMGRAD_CACHE"] = "off"

# The same examples on every machine, and none that fails because it took long; no folder of examples is written.
# Tests take shares of max_examples (`_examples.py`). Where nobody waits for it, what fails is made no smaller.
settings.register_profile("dev", derandomize=True, deadline=None, database=None, max_examples=100)
settings.register_profile("ci", settings.get_profile("dev"), max_examples=500, phases=[Phase.explicit, Phase.generate])
settings.load_profile("dev")  # before Hypothesis looks for --hypothesis-profile


SWEPT = 60
"""Cases of one test that run as one: pytest and its workers take 3 ms for a test that itself takes one."""
FEWEST = 5
SHARED = {"torch", "jax", "level", "_quietly", "_double"}
"""Fixtures that no test changes: the cases of a sweep have them together."""
EMPTIED = {"monkeypatch": lambda f: f.undo(), "capsys": lambda f: f.readouterr()}
"""Fixtures that are as new for the next case, and how."""
PLAIN = {"parametrize", "sampled", "thorough", "compare", "filterwarnings"}
"""Markers with which the cases of a test run alike: a case with another one, or with one of its own, runs by itself."""


def pytest_configure(config):
    """A test that is asked for by its name runs, in the sample or not, and each of its cases is a test.

    The name of a sweep, as a failure shows it, asks for the cases of its test.
    """
    config.args[:] = [re.sub(r"\[(cases|rest) \d+ to \d+\]$", "", argument) for argument in config.args]
    named = any("::" in argument for argument in config.args)
    config.one_by_one = named or bool(config.option.keyword)
    if config.option.markexpr == "not thorough" and named:
        config.option.markexpr = ""


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config, items):
    """Say which cases are only for the whole check, and what is about figures that are low now (SYMGRAD_LOW_LIMITS)."""
    seen, cases = {}, collections.Counter(item.nodeid.partition("[")[0] for item in items)
    for item in items:
        for mark in item.iter_markers("sampled"):
            if not _in_sample(item, seen, cases, *mark.args, **mark.kwargs):
                item.add_marker("thorough")
        for mark in item.iter_markers("default_limits") if _limits.LOW else ():
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))
    if not config.one_by_one:
        items[:] = _in_sweeps(items)


def _in_sample(item, seen, cases, every, by=None):
    """Whether a case is the first of its family, or one of each ``every``, counted from a place of the test's own.

    Of a test with fewer cases one runs.
    """
    test = item.nodeid.partition("[")[0]
    every = min(every, cases[test])
    family = test, by and by(**item.callspec.params)
    seen[family] = seen.get(family, -1) + 1
    seen[test] = seen.get(test, zlib.crc32(test.encode())) + 1
    return seen[test] % every == 0 or (by is not None and seen[family] == 0)


def _in_sweeps(items):
    """The tests, where cases of one that stand together are a few tests that go through them (docs/decisions/0048)."""
    for test, group in itertools.groupby(items, key=_test_of_a_plain_case):
        group = list(group)
        if test is None or len(group) < FEWEST:
            yield from group
            continue
        for thorough, word in ((False, "cases"), (True, "rest")):  # what is left out is left out as one
            cases = [case for case in group if (case.get_closest_marker("thorough") is not None) == thorough]
            for start in range(0, len(cases), SWEPT):
                part = cases[start : start + SWEPT]
                yield _sweep(part, f"[{word} {start + 1} to {start + len(part)}]")


def _test_of_a_plain_case(item):
    """The test that this is a case of, where the case is nothing but values for its arguments; else None."""
    plain = (
        hasattr(item, "callspec")
        and all(mark.name == "thorough" for mark in item.callspec.marks)
        and item.callspec.params.keys() == _arguments(item.parent, item.obj, tuple(item.fixturenames))
    )
    return item.nodeid.partition("[")[0] if plain else None


@functools.cache  # asked of each case, and the same for all of a test
def _arguments(parent, function, fixtures):
    """What a test is parametrised by, if its cases may be swept through; else None."""
    marks = [*getattr(function, "pytestmark", ()), *parent.iter_markers()]
    names = {name for mark in marks if mark.name == "parametrize" for name in _names(mark)}
    plain = (
        isinstance(parent, pytest.Module)  # and no class
        and not getattr(function, "is_hypothesis_test", False)
        and {mark.name for mark in marks} <= PLAIN
        and not any("indirect" in mark.kwargs for mark in marks)
        and {*fixtures} <= {"request", *SHARED, *EMPTIED, *names}
        and "request" not in inspect.signature(function).parameters
    )
    return names if plain else None


def _names(parametrize):
    names = parametrize.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else names


def _sweep(cases, name):
    """One test that goes through cases and says all that fail."""
    first = cases[0]
    fixtures = [name for name in inspect.signature(first.obj).parameters if name in {*SHARED, *EMPTIED}]

    def sweep(**shared):
        failed, skipped, took = {}, [], []
        for case in cases:
            sg.manual_seed(0)
            start = time.perf_counter()
            try:
                first.obj(**shared, **case.callspec.params)
            except pytest.skip.Exception as reason:
                skipped.append(f"{case.nodeid}: {reason}")
            except (Exception, pytest.fail.Exception) as error:
                error.add_note(f'in the case "{case.nodeid}", which is a test where it is asked for by this name')
                failed[case.name] = error
            finally:
                took.append((time.perf_counter() - start, case.nodeid))
                for name in EMPTIED.keys() & shared.keys():
                    EMPTIED[name](shared[name])
        item.user_properties.append(("cases", (len(cases), skipped, sorted(took)[-3:])))
        if len(failed) == 1:
            raise next(iter(failed.values()))
        if failed:
            raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases: {', '.join(failed)}", list(failed.values()))

    sweep.__signature__ = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in fixtures]
    )
    sweep.pytestmark = [mark for mark in first.iter_markers() if mark.name == "filterwarnings"]
    item = pytest.Function.from_parent(first.parent, name=first.originalname + name, callobj=sweep)
    for mark in {mark.name for mark in first.iter_markers()} & {"thorough", "compare"}:
        item.add_marker(mark)
    return item


def pytest_terminal_summary(terminalreporter):
    """Say how many cases the sweeps went through, which were skipped and, with `--durations`, which took long."""
    swept = [
        value
        for report in itertools.chain(*terminalreporter.stats.values())
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == "cases"
    ]
    if swept:
        skipped = [line for _, lines, _ in swept for line in lines]
        cases = sum(count for count, _, _ in swept)
        terminalreporter.write_line(f"{len(swept)} of the tests are sweeps: {cases} cases, {len(skipped)} skipped")
        for line in skipped if terminalreporter.verbosity > 0 else ():
            terminalreporter.write_line(f"SKIPPED {line}")
        slowest = sorted((pair for _, _, pairs in swept for pair in pairs), reverse=True)
        for seconds, case in slowest[: terminalreporter.config.option.durations or 0]:
            terminalreporter.write_line(f"{seconds:.2f}s case     {case}")


def pytest_deselected(items):
    """Workers count what they leave out; pytest-xdist does not."""
    if hasattr(items[0].config, "workeroutput"):
        counted = items[0].config.workeroutput
        counted["deselected"] = counted.get("deselected", 0) + len(items)


@pytest.hookimpl(optionalhook=True)  # pytest-xdist's
def pytest_testnodedown(node):
    """The last line says how many tests were left out, which is the same number in every worker."""
    counted = getattr(node, "workeroutput", {}).get("deselected", 0)  # none of a worker that crashed
    if counted:
        node.config.pluginmanager.getplugin("terminalreporter").stats["deselected"] = [SimpleNamespace()] * counted


def pytest_collection_finish():
    """Hide what collection made from the garbage collector: it lives until the end, and walks over it take long."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup():
    """The same random numbers in every run and every order: symgrad begins with a seed of its own making."""
    sg.manual_seed(0)


@pytest.fixture
def no_collector():
    """What is not freed by counting references stays; the next such test does not walk over what is here now."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def leaves_nothing_behind(no_collector):
    """Whether something that ran before, run again, leaves no more nodes and tensors than there were."""

    def held():
        return sum(issubclass(type(o), Node | Tensor) for o in gc.get_objects())

    def check(once):
        once()
        before = held()
        once()
        return held() <= before

    return check
