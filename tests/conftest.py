"""What all tests share: the same examples every time, a sample of long lists, and no walks over what stays anyway."""

import gc
import zlib
from types import SimpleNamespace

import pytest
from hypothesis import settings

import symgrad as sg
from symgrad import _limits
from symgrad.core import Node, Tensor

# The same examples on every machine, and none that fails because it took long; no folder of examples is written.
settings.register_profile("tests", derandomize=True, deadline=None, database=None)
settings.load_profile("tests")


def pytest_configure(config):
    """A test that is asked for by its name runs, in the sample or not."""
    if config.option.markexpr == "not thorough" and any("::" in argument for argument in config.args):
        config.option.markexpr = ""


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items):
    """Say which cases are only for the whole check, and what is about figures that are low now (SYMGRAD_LOW_LIMITS)."""
    seen = {}
    for item in items:
        for mark in item.iter_markers("sampled"):
            if not _in_sample(item, seen, *mark.args, **mark.kwargs):
                item.add_marker("thorough")
        for mark in item.iter_markers("default_limits") if _limits.LOW else ():
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))


def _in_sample(item, seen, every, by=None):
    """Whether a case is the first of its family, or one of each ``every``, counted from a place of the test's own."""
    test = item.nodeid.partition("[")[0]
    family = test, by and by(**item.callspec.params)
    seen[family] = seen.get(family, -1) + 1
    seen[test] = seen.get(test, zlib.crc32(test.encode())) + 1
    return seen[test] % every == 0 or (by is not None and seen[family] == 0)


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
