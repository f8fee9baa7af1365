"""What a run leaves out: most cases of a long list, never a whole kind; what it sweeps through. Both are counted."""

import contextlib
import re
import shutil
from pathlib import Path

import pytest

from ._copied_processes import Processes

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

@pytest.mark.sampled(4, by=lambda x: x == 42)
@pytest.mark.parametrize("x", range(100))
def test_each(x):
    print(f"case {x}.")

@pytest.mark.sampled(9)
@pytest.mark.parametrize("x", range(2))
def test_two(x):
    print("one of two")

@pytest.mark.thorough
def test_all():
    pass
"""
WRONG = """
import math, warnings
import numpy as np
import pytest
import symgrad as sg

FIRST = []

@pytest.mark.parametrize("x", range(9))
def test_two_fail(x):
    if x == 4:
        pytest.skip("no four")
    assert x % 5 != 2
    if x == 5:
        with pytest.raises(ValueError):
            pass

@pytest.mark.parametrize("x", "abcdef")
def test_one_fails(x):
    assert x != "c"

@pytest.mark.parametrize("x", range(6))
def test_a_case_finds_all_as_the_first_did(x, monkeypatch, capsys):
    FIRST.append(float(sg.rand(())))
    assert FIRST[x] == FIRST[0] and math.pi > 3 and capsys.readouterr().out == ""
    monkeypatch.setattr(math, "pi", 3)
    print(x)

@pytest.mark.filterwarnings("ignore:one")
@pytest.mark.parametrize("x", range(6))
def test_markers_of_a_test_are_those_of_its_sweep(x):
    warnings.warn("one")

@pytest.mark.parametrize("x", range(6))
def test_a_warning_is_an_error_in_each(x):
    with pytest.raises(UserWarning):
        warnings.warn("one")

@pytest.fixture
def fresh():
    return []

@pytest.mark.parametrize("x", range(6))
def test_a_fixture_is_made_for_each(x, fresh):
    fresh.append(x)
    assert fresh == [x]

@pytest.mark.parametrize("x", [*range(5), pytest.param(5, marks=pytest.mark.xfail(strict=True))])
def test_a_case_with_a_marker_is_a_test(x):
    assert x != 5
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Some tests beside this folder's conftest.py, with the settings of the project."""
    found = tmp_path_factory.mktemp("samples")
    shutil.copy(ROOT / "tests" / "conftest.py", found)
    shutil.copy(ROOT / "pyproject.toml", found)
    (found / "test_it.py").write_text(TESTS, encoding="utf-8")
    (found / "test_wrong.py").write_text(WRONG, encoding="utf-8")
    return found


PYTEST = """
import sys, pytest
print("\\nended with", int(pytest.main(["-v", "-s", "-p", "no:cacheprovider", *sys.argv[1:]])))
"""


@pytest.fixture(scope="module")
def output(folder):
    """What a run of pytest in the folder prints, by how it ends and by its arguments."""
    processes, known = Processes("import numpy, pytest, symgrad", seeds=(1,)), {}

    def output(code, *arguments):
        if arguments not in known:
            with contextlib.chdir(folder):
                known[arguments] = processes.run(PYTEST, *arguments)
        text, _, ended = known[arguments].rpartition("\nended with ")
        assert int(ended) == code, text
        return text

    yield output
    processes.close()


def counts(text):
    """What the last lines say."""
    said = re.findall(r"(\d+) (passed|deselected|cases)", "".join(text.splitlines()[-2:]))
    return {word: int(n) for n, word in said}


def test_a_run_meets_a_part_of_each_kind_and_counts_the_rest(output):
    said = counts(output(0, "test_it.py"))
    assert (said["passed"], said["deselected"]) == (2, 4) and said["cases"] in (25, 26, 27)
    assert output(0, "test_it.py").count("one of two") == 1
    ran = {int(x) for x in re.findall(r"case (\d+)\.", output(0, "test_it.py"))}
    assert len(ran) == said["cases"] and {0, 42} <= ran


def test_workers_leave_out_the_same_and_it_is_counted_once(output):
    assert counts(output(0, "test_it.py", "-n", "1")) == counts(output(0, "test_it.py"))


def test_all_run_when_asked_for(output):
    assert counts(output(0, "test_it.py", "-m", "")) == {"passed": 6, "cases": 100}
    names = re.findall(r"test_it\.py::(test_each\[.*?\])", output(0, "test_it.py", "-m", ""))
    assert len(set(names)) == 3 and sum(name.startswith("test_each[rest ") for name in names) == 2


def test_what_is_asked_for_by_its_name_runs_case_by_case(output):
    found = output(0, "test_it.py::test_all", "test_it.py::test_each[41]", "test_it.py::test_each[42]")
    assert "test_each[41] case 41." in found and "3 passed" in found and "sweeps" not in found
    assert "100 passed" in output(0, "test_it.py::test_each[cases 1 to 26]")


def test_a_sweep_says_which_cases_fail_and_goes_through_all(output):
    found = output(1, "test_wrong.py")
    assert "3 of 9 cases: test_two_fail[2], test_two_fail[5], test_two_fail[7]" in found
    assert "DID NOT RAISE" in found and "assert (7 % 5) != 2" in found
    assert 'in the case "test_wrong.py::test_one_fails[c]", which is a test' in found
    assert "6 of the tests are sweeps: 38 cases, 1 skipped" in found
    assert "SKIPPED test_wrong.py::test_two_fail[4]: no four" in found
    assert re.search(r"2 failed, 10 passed, 1 xfailed", found)
