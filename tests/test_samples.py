"""What a run leaves out: most cases of a long list, never a whole kind, and the last line counts them."""

import functools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

@pytest.mark.sampled(4, by=lambda x: x == 42)
@pytest.mark.parametrize("x", range(100))
def test_each(x):
    pass

@pytest.mark.thorough
def test_all():
    pass
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Some tests beside this folder's conftest.py, with the settings of the project."""
    found = tmp_path_factory.mktemp("samples")
    shutil.copy(ROOT / "tests" / "conftest.py", found)
    shutil.copy(ROOT / "pyproject.toml", found)
    (found / "test_it.py").write_text(TESTS, encoding="utf-8")
    return found


@functools.cache
def counts(folder, *arguments):
    """What the last line says, and what ran."""
    run = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    said = {word: int(n) for n, word in re.findall(r"(\d+) (passed|deselected)", done.stdout.splitlines()[-1])}
    return said, set(re.findall(r"test_\w+(?:\[\d+\])?(?= PASSED)", done.stdout))


def test_a_run_meets_a_part_of_each_kind_and_counts_the_rest(folder):
    said, ran = counts(folder, "test_it.py")
    assert said["passed"] in (25, 26, 27) and said["passed"] + said["deselected"] == 101
    assert {"test_each[0]", "test_each[42]"} <= ran and "test_all" not in ran


def test_workers_leave_out_the_same_and_it_is_counted_once(folder):
    assert counts(folder, "test_it.py", "-n", "1")[0] == counts(folder, "test_it.py")[0]


def test_all_run_when_asked_for(folder):
    assert counts(folder, "test_it.py", "-m", "")[0] == {"passed": 101}
    assert counts(folder, "test_it.py::test_all") == ({"passed": 1}, {"test_all"})
