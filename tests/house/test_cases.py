"""What a run leaves out, and how the cases of a test are one test: `tests/helpers/cases.py` on tests of its own."""

import contextlib
import re
import shutil
from pathlib import Path

import pytest

from ..helpers.cases import share_of
from ..helpers.copied_processes import Processes

pytestmark = pytest.mark.slow  # it starts processes

FOLDER = Path(__file__).resolve().parents[1]
TESTS = """
import pytest
from .helpers.cases import one_in, running

@one_in(4)
@pytest.mark.parametrize("x", range(100), ids=lambda x: f"x{x}")
@pytest.mark.parametrize("y", ["a", "b"])
def test_each(x, y):
    print(f"<{running()}>")
    assert running() == f"tests/test_it.py::test_each[{y}-x{x}]"

@one_in(9)
@pytest.mark.parametrize(("x", "y"), [(1, 2), pytest.param(3, 4, id="last")])
def test_two(x, y):
    assert y == x + 1
    print("one of two")

@pytest.mark.slow
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
def test_three_fail(x):
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
def test_markers_of_a_test_are_those_of_its_cases(x):
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
    found = tmp_path_factory.mktemp("project")
    shutil.copy(FOLDER.parent / "pyproject.toml", found)
    (found / "tests" / "helpers").mkdir(parents=True)
    for name in ("conftest.py", "helpers/cases.py"):
        shutil.copy(FOLDER / name, found / "tests" / name)
    (found / "tests" / "test_it.py").write_text(TESTS, encoding="utf-8")
    (found / "tests" / "test_wrong.py").write_text(WRONG, encoding="utf-8")
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
            with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
                patch.delenv("SYMGRAD_SHARE", raising=False)  # which is for the run that this test is in
                known[arguments] = processes.run(PYTEST, *arguments)
        text, _, ended = known[arguments].rpartition("\nended with ")
        assert int(ended) == code, text
        return text

    yield output
    processes.close()


def counts(text):
    """What the last line says."""
    return {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|deselected)", text.splitlines()[-1])}


def cases(text):
    return re.findall(r"<tests/test_it.py::test_each\[(\w)-x(\d+)\]>", text)


def test_a_run_meets_one_in_so_many_of_the_longest_list_and_the_others_are_slow(output):
    found = output(0, "tests/test_it.py")
    assert counts(found) == {"passed": 2, "deselected": 5}
    places = [int(x) for _, x in cases(found)]
    assert len(places) == 50 and {x % 4 for x in places} == {places[0] % 4}
    assert {y for y, _ in cases(found)} == {"a", "b"} and found.count("one of two") == 1
    assert "left out: what is marked slow" in found


def test_all_run_when_asked_for_and_each_once(output):
    for all_of_them in (output(0, "tests/test_it.py", "-m", ""), output(0, "tests/test_it.py::test_each")):
        assert sorted(cases(all_of_them)) == sorted((y, str(x)) for x in range(100) for y in "ab")
        assert "left out" not in all_of_them
    assert counts(output(0, "tests/test_it.py", "-m", "")) == {"passed": 7}
    assert counts(output(0, "tests/test_it.py", "-m", "slow")) == {"passed": 5, "deselected": 2}


def test_workers_run_the_same(output):
    assert counts(output(0, "tests/test_it.py", "-n", "1"))["passed"] == 2


def test_a_case_that_is_asked_for_by_its_name_is_a_test(output):
    asked = ["tests/test_it.py::test_all", "tests/test_it.py::test_each[a-x41]", "tests/test_it.py::test_each[b-x42]"]
    found = output(0, *asked)
    assert counts(found) == {"passed": 3} and sorted(cases(found)) == [("a", "41"), ("b", "42")]
    assert counts(output(0, "tests/test_it.py", "-m", "", "-k", "a-x41")) == {"passed": 1, "deselected": 202}
    assert counts(output(0, "tests/test_it.py::test_each[cases 1 to 26]"))["passed"] == 4


def test_each_case_that_fails_is_named_and_the_others_run(output):
    found = output(1, "tests/test_wrong.py")
    for failing in ("test_three_fail[2]", "test_three_fail[5]", "test_three_fail[7]", "test_one_fails[c]"):
        assert re.search(rf"^SUBFAILED.*tests/test_wrong.py::{re.escape(failing)}\W", found, re.MULTILINE), failing
    assert "DID NOT RAISE" in found and "assert (7 % 5) != 2" in found
    assert "left out, 1 test: no four" in found
    assert "1 xfailed" in found and counts(found)["passed"] == 14


def test_shares_of_slow_cases_are_all_of_them_once(monkeypatch):
    cases = list(range(51))
    found = []
    for k in range(2):
        monkeypatch.setenv("SYMGRAD_SHARE", f"{k}/2")
        found += share_of(cases)
    monkeypatch.delenv("SYMGRAD_SHARE")
    assert sorted(found) == cases == share_of(cases)
