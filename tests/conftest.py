"""What all tests share: the same examples every time, many cases as one test, no walks over what stays."""

import collections
import gc
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings

if sys.dont_write_bytecode:  # every worker, and every process that a test starts, would compile 1,200 files anew
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

if "PYTEST_XDIST_WORKER" in os.environ:  # a process for each core: threads of BLAS wait for each other, and spin
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy and SciPy load theirs

import symgrad as sg
from symgrad.core import Node, Tensor

from .helpers import cases

# What an earlier run has kept is nobody's evidence: programs are made anew, also in processes that tests start.
os.environ["SYMGRAD_CACHE"] = "off"

# The same examples on every machine, and none that fails because it took long; no folder of examples is written.
# Tests take shares of max_examples (`_examples.py`). Where nobody waits for it, what fails is made no smaller.
settings.register_profile("dev", derandomize=True, deadline=None, database=None, max_examples=100)
settings.register_profile("ci", settings.get_profile("dev"), max_examples=500, phases=[Phase.explicit, Phase.generate])
settings.load_profile("dev")  # before Hypothesis looks for --hypothesis-profile


def pytest_configure(config):
    """What is asked for by its name runs, slow or not; a case that is asked for by its name is a test.

    The name of a test that goes through cases, as a failure shows it, asks for all cases of its function.
    """
    config.args[:] = [re.sub(r"\[cases \d+ to \d+\]$", "", argument) for argument in config.args]
    config.one_by_one = bool(config.option.keyword) or any("[" in argument for argument in config.args)
    if config.option.markexpr == "not slow" and any("::" in argument for argument in config.args):
        config.option.markexpr = ""


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    """The cases of a function are one test with subtests (`tests/helpers/cases.py`)."""
    if isinstance(collector, pytest.Module) and collector.istestfunction(obj, name) and not collector.config.one_by_one:
        return cases.together(collector, name, obj)
    return None


def pytest_collection_finish():
    """Hide what collection made from the garbage collector, and let it walk seldom: it took a fifth of the time.

    What was collected and what is cached lives until the end, and what symgrad makes is freed by counting references.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def pytest_runtest_setup():
    """The same random numbers in every run and every order: symgrad begins with a seed of its own making."""
    sg.manual_seed(0)


MISSING = re.compile(r"^could not import '(\w+).*", re.DOTALL)
WANTED = r'without \1: python -m pip install -e ".[test,compare]"'
"""What pytest says of a library that a test needs, and how to have it."""


def pytest_terminal_summary(terminalreporter):
    """Say what was left out, and how to have it."""
    reasons = collections.Counter(
        MISSING.sub(WANTED, report.longrepr[2].removeprefix("Skipped: "))
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "outcome", "") == "skipped" and isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"left out, {count} test{'s' if count > 1 else ''}: {reason}")
    if terminalreporter.config.option.markexpr == "not slow":
        terminalreporter.write_line("left out: what is marked slow; `-m slow` runs it, `-m ''` all")


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
