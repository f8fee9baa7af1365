"""What all tests share: the same examples every time, and no walks over what stays anyway."""

import gc

import pytest
from hypothesis import settings

import symgrad as sg
from symgrad import _limits
from symgrad.core import Node, Tensor

# The same examples on every machine, and none that fails because it took long; no folder of examples is written.
settings.register_profile("tests", derandomize=True, deadline=None, database=None)
settings.load_profile("tests")


def pytest_collection_modifyitems(items):
    """Where figures are low (SYMGRAD_LOW_LIMITS), leave out what is about the figures as they are."""
    for item in items if _limits.LOW else ():
        for mark in item.iter_markers("default_limits"):
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))


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
