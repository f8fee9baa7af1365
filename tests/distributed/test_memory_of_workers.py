"""What blocks of rows need is not asked of the system, page by page, for each of them; afterwards it goes back."""

import os
import sys

import numpy as np
import pytest

import symgrad as sg

dask = pytest.importorskip("dask", reason='python -m pip install "symgrad[dask]"')
distributed = pytest.importorskip("distributed", reason='python -m pip install "symgrad[dask]"')


def pages():
    """How many pages this process has asked for."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def as_dask_has_it():
    """Let the worker keep no memory; whether it does."""
    from symgrad.distributed import _workers

    kept = _workers._libc() is not None
    os.environ.pop("MALLOC_TRIM_THRESHOLD_", None)
    _workers._libc.cache_clear()
    return kept


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc is told")
@pytest.mark.filterwarnings("ignore")  # of sockets that processes leave behind
def test_blocks_of_a_task_use_memory_again():
    total = sg.distributed.sum_over(lambda b, X: np.log1p((X @ b) ** 2))
    X, b = np.random.default_rng(0).normal(size=(300_000, 10)), np.ones(10)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as made:
        with distributed.Client(made) as client:
            chunk = dask.delayed(client.scatter([X])[0])

            def needed():
                (before,) = client.run(pages).values()
                found = total.hessian(b, [chunk])
                (after,) = client.run(pages).values()
                return after - before, found

            needed()
            with_it, found = needed()
            if not all(client.run(as_dask_has_it).values()):
                pytest.skip("this C library is none that is told")
            without, again = needed()
    np.testing.assert_array_equal(found, again)
    assert with_it < without / 2
