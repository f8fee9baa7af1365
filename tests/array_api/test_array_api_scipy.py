"""Which of SciPy's own functions can be differentiated with SCIPY_ARRAY_API=1, since they ask for a namespace.

The list is that of docs/array-api.md. What needs a younger SciPy than the installed one is skipped, and says so.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy

from ..helpers.cases import one_in
from ._array_api_scipy import BY_BOTH, IN_TRANSFORMS, REFUSED, texts

HERE = Path(__file__).resolve().parent
NEW = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
YOUNG = np.lib.NumpyVersion(scipy.__version__) >= "1.17.0"


@cache
def process():
    """The process, when it has ended."""
    path = os.pathsep.join([str(HERE.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, HERE / "_array_api_scipy.py", HERE], capture_output=True, text=True, check=False,
        env={**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": path},
    )  # fmt: skip


def judged(text):
    """What it says of a call."""
    assert process().returncode == 0, process().stderr[-3000:]
    return json.loads(process().stdout)[text]


def right(text, way):
    """Assert that a gradient is right, or skip where SciPy is older than the list."""
    found = judged(text)
    if not YOUNG and (found is None or found[way]):
        pytest.skip(f"SciPy {scipy.__version__} does not ask arrays for their namespace in {text}; 1.17 does")
    assert found is not None, "SciPy has no such function"
    assert found[way] == ""


@one_in(6)
@pytest.mark.parametrize("text", texts(BY_BOTH + IN_TRANSFORMS))
def test_gradient_of_a_function_of_scipys_in_a_transform(text):
    right(text, 0)


@pytest.mark.parametrize("text", texts(BY_BOTH))
def test_gradient_of_a_function_of_scipys_by_tensors(text):
    right(text, 1)


@pytest.mark.parametrize("text", texts(REFUSED))
def test_a_function_that_takes_the_numbers_out_raises(text):
    found = judged(text)
    if found is None:
        pytest.skip(f"SciPy {scipy.__version__} has no {text}")
    errors = ("GradientError", "NotDifferentiableError", "TypeError", "ValueError")
    assert all(said.startswith(errors) or (NEW and said == "") for said in found), found  # what is new may be right
