"""What all tests share: the same examples every time, and no walks over what stays anyway."""

import gc

from hypothesis import settings

# The same examples on every machine, and none that fails because it took long; no folder of examples is written.
settings.register_profile("tests", derandomize=True, deadline=None, database=None)
settings.load_profile("tests")


def pytest_collection_finish():
    """Hide what collection made from the garbage collector: it lives until the end, and walks over it take long."""
    gc.collect()
    gc.freeze()
