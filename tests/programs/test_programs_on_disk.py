"""Programs that another process has made: found, never stale, and believed only if they are this user's own.

The idea to hold: each run is a process of its own, as with a user; what it says of itself is where its program came
from, its numbers, and what it warned of. Hostile files would leave a trace if anything in them ran.
"""

import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.core import TABLE
from symgrad.extend import elementwise, rule, withdraw
from symgrad.programs import files, program

from ..helpers.copied_processes import Processes

SCRIPT = """
import json, sys, warnings
import numpy as np
import symgrad as sg
from symgrad import _limits
from symgrad.programs import _cache, program
program.CACHED_FROM = 0
at, scalar, ask, before = json.loads(sys.argv[1])
exec(before)
rng = np.random.default_rng(0)
X, places = rng.standard_normal((20, 6)), np.array([1, 4, 4, 0])
functions = {
    "dense": lambda w: sg.logsumexp(sg.tanh(X @ w) * scalar, 0) + (w[places] ** 2).sum(),
    "loop": lambda w: loop(w),
    "csr": lambda w: (100.0 * (w[1:] - w[:-1] ** 2) ** 2 + (1.0 - w[:-1]) ** 2).sum(),
}
def loop(w):
    s = w[0]
    for k in range(45):
        s = sg.sin(s * w[1]) * scalar + w[2] * k * 0.01
    return s
x = np.array(at)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    if ask == "hvp":
        found = sg.hvp(functions["dense"], x, np.ones(6))
    elif ask == "trace":
        found = sg.laplacian(functions["dense"], x)
    else:
        H = sg.hessian(functions[ask], format="csr" if ask == "csr" else "dense")
        found = H(x)
        found = found.toarray() if ask == "csr" else found
programs = [p for e in _cache._entries.values() for p in e.programs]
print(json.dumps({
    "found": np.asarray(found).tolist(), "kinds": [type(p).__name__ for p in programs],
    "checked": [p.checked for p in programs], "warned": [str(w.message) for w in caught],
}))
"""
AT = [0.3, -0.2, 0.7, 1.1, -0.5, 0.4]
IMPORTED = "import numpy, scipy.sparse, symgrad, symgrad.programs.program"


@pytest.fixture(scope="module")
def run():
    """Run the script in a process of its own; what it says."""
    processes = Processes(IMPORTED)

    def run(ask="dense", at=AT, scalar=2.0, before=""):
        return json.loads(processes.run(SCRIPT, json.dumps([at, scalar, ask, before])))

    yield run
    processes.close()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the test's own, where this process keeps every program too."""
    monkeypatch.setenv("SYMGRAD_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr("symgrad.programs.program.CACHED_FROM", 0)
    monkeypatch.setattr(files, "_warned", set())
    program.clear()
    yield tmp_path / "kept"
    program.clear()


def programs_in(folder):
    return sorted(folder.glob("program_*"))


@pytest.mark.slow
@pytest.mark.parametrize("ask", ["dense", "csr", "hvp", "trace"])
def test_the_next_process_finds_a_program_and_has_the_same_numbers(run, folder, ask):
    first, second = run(ask), run(ask, [v + 0.1 for v in AT])
    assert first["warned"] == second["warned"] == []
    assert set(first["kinds"]) == {"Program"} and "LoadedProgram" in second["kinds"]
    assert all(second["checked"])
    assert run(ask)["found"] == first["found"]
    _cache_folder_off = run(ask, [v + 0.1 for v in AT], before="import os; os.environ['SYMGRAD_CACHE'] = 'off'")
    assert set(_cache_folder_off["kinds"]) == {"Program"} and _cache_folder_off["found"] == second["found"]


def test_a_loop_that_waits_for_its_program_has_it_at_once_where_it_is_kept(folder, monkeypatch):
    def f(w):
        s = w[0]
        for k in range(45):
            s = sg.sin(s * w[1]) * 0.9 + w[2] * k * 0.01
        return s

    x = np.array([0.3, 0.4, 0.5])
    monkeypatch.setattr(_limits, "WAITED_GRAPH", 0)
    truth = sg.hessian(f)(x)
    assert not [p for e in program._entries.values() for p in e.programs]
    sg.hessian(f).code(x)
    assert programs_in(folder)
    program.clear()
    np.testing.assert_allclose(sg.hessian(f)(x), truth, rtol=1e-9, atol=1e-12)
    assert [type(p).__name__ for e in program._entries.values() for p in e.programs] == ["LoadedProgram"]


def test_a_number_that_is_another_one_is_an_input_from_then_on(run, folder):
    kinds = [run(scalar=s)["kinds"] for s in (2.0, 3.0, 4.0, 5.0)]
    assert kinds == [["Program"], ["Program"], ["LoadedProgram"], ["LoadedProgram"]]
    truth = run(scalar=5.0, before="import os; os.environ['SYMGRAD_CACHE'] = 'off'")
    np.testing.assert_allclose(run(scalar=5.0)["found"], truth["found"], rtol=1e-12)


def test_other_index_arrays_shapes_and_dtypes_have_files_of_their_own(folder):
    w = np.array(AT)
    for f, x in [
        (lambda w: (w[np.array([0, 1])] ** 3).sum(), w),
        (lambda w: (w[np.array([0, 2])] ** 3).sum(), w),
        (lambda w: (w[np.array([0, 2])] ** 3).sum(), w[:5]),
        (lambda w: (w[np.array([0, 2])] ** 3).sum(), w.astype(np.float32)),
        (lambda w: (w[np.array([0, 2])] ** 4).sum(), w),
    ]:
        before = len(programs_in(folder))
        truth = sg.hessian(f)(x)
        assert len(programs_in(folder)) == before + 1
        program.clear()
        assert np.array_equal(sg.hessian(f)(x), truth) and len(programs_in(folder)) == before + 1


def test_what_is_asked_of_a_kept_program_is_shown_of_one_made_anew(folder):
    f, x = (lambda w: sg.logsumexp(w**3, 0)), np.array(AT)
    sg.hessian(f)(x)
    text = sg.hessian(f).code(x), sg.hessian(f).structure(x), str(sg.cost(f, x))
    program.clear()
    H = sg.hessian(f)
    H(x)
    assert (H.code(x), H.structure(x), str(sg.cost(f, x))) == text
    assert "a program runs" in H.plan(x)


@pytest.mark.parametrize(
    "before",
    [
        "_limits.WORDS += 1",
        "sg.set_default_dtype(sg.float32)",
        "import symgrad.programs.program as k; k._versions = lambda: ['another NumPy']",
        "import symgrad.programs.program as k; k._own_files = lambda: 'an edited file'",
    ],
)
def test_what_was_made_with_something_else_is_made_anew(run, folder, before):
    first = run()
    found = run(before=before)
    assert found["kinds"] == ["Program"]
    np.testing.assert_allclose(found["found"], first["found"], rtol=1e-12)
    assert run(before=before)["kinds"] == ["LoadedProgram"]


def test_the_users_own_rows_and_rules_are_not_kept(folder):
    own = elementwise("kept_cube", lambda x: x**3, lambda x: 3 * x * x, sympy="x**3", doc="x³")
    try:
        sg.hessian(lambda w: own(w).sum())(np.array(AT))
    finally:
        del TABLE["kept_cube"]
    assert not folder.exists()
    sech = rule("1 − tanh(x)²", "1/cosh(x)²", why="cosh² − sinh² = 1")
    try:
        sg.hessian(lambda w: sg.sin(w).sum())(np.array(AT))
    finally:
        withdraw(sech)
    assert not folder.exists()


# ----------------------------------------------------------------------------------------------------- hostile files

HOSTILE = "import os; os.mkdir('ran')"


def resealed(path, key, change):
    """A file's contents after a change of its form, with a right code of authentication by ``key``."""
    data = path.read_bytes()
    start = len(files._MAGIC) + files._CODE
    length = int.from_bytes(data[start : start + 8], "little")
    form = json.loads(data[start + 8 : start + 8 + length])
    change(form)
    text = json.dumps(form).encode()
    body = len(text).to_bytes(8, "little") + text + data[start + 8 + length :]
    return files._MAGIC + files.authentication(key, path.name, body) + body


def hostile(form):
    for module in form["modules"]:
        module["source"] = f"{HOSTILE}\n{module['source']}"


def test_a_file_by_another_hand_is_not_run(run, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = run()
    (path,) = programs_in(folder)
    whole, key = path.read_bytes(), (folder / "key").read_bytes()
    evil = {
        "with another key": resealed(path, b"k" * 32, hostile),
        "with the code of the old contents": whole[: len(whole) // 2] + b"#" + whole[len(whole) // 2 + 1 :],
        "cut short": whole[:-40],
        "cut to the beginning": whole[:20],
        "empty": b"",
        "of another kind": b"import os; os.mkdir('ran')\n" * 10,
    }
    for what, data in evil.items():
        path.write_bytes(data)
        found = run()
        assert found["kinds"] == ["Program"] and found["found"] == first["found"], what
        assert not (tmp_path / "ran").exists(), what
        assert path.read_bytes() == whole, what
    path.write_bytes(resealed(path, key, hostile))  # the seal is what matters: with the right key it is believed
    run()
    assert (tmp_path / "ran").exists()


def test_a_file_under_another_name_is_not_believed(run, folder):
    run("dense"), run("csr")
    a, b = programs_in(folder)
    contents = a.read_bytes(), b.read_bytes()
    a.write_bytes(contents[1]), b.write_bytes(contents[0])
    assert run("dense")["kinds"] == run("csr")["kinds"] == ["Program"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are POSIX's")
def test_a_file_that_others_can_write_or_that_is_a_link_is_not_read(run, folder, tmp_path):
    run()
    (path,) = programs_in(folder)
    path.chmod(0o620)
    assert run()["kinds"] == ["Program"] and stat.S_IMODE(path.stat().st_mode) == 0o600
    os.rename(path, tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert run()["kinds"] == ["Program"] and not path.is_symlink()
    path.unlink()
    os.mkfifo(path)
    assert run()["kinds"] == ["Program"] and path.is_file()
    path.unlink()
    path.mkdir()
    assert run()["kinds"] == ["Program"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away")
def test_what_belongs_to_somebody_else_is_not_read(run, folder):
    run()
    (path,) = programs_in(folder)
    os.chown(path, 12345, 12345)
    assert run()["kinds"] == ["Program"] and path.stat().st_uid == 0
    os.chown(folder / "key", 12345, 12345)
    found = run()
    assert found["kinds"] == ["Program"] and "remove it" in found["warned"][0]
    os.chown(folder / "key", 0, 0)
    os.chown(folder, 12345, 12345)
    found = run()
    assert found["kinds"] == ["Program"] and "belongs to another user" in found["warned"][0]
    os.chown(folder, 0, 0)
    assert run()["kinds"] == ["LoadedProgram"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are POSIX's")
def test_a_folder_that_others_can_write_to_is_not_used_and_a_warning_says_how_to_get_one(run, folder):
    run()
    folder.chmod(0o770)
    found = run()
    assert found["kinds"] == ["Program"]
    (text,) = found["warned"]
    assert "others may write to it" in text and "SYMGRAD_CACHE" in text and "chmod 700" in text
    folder.chmod(0o700)
    folder.parent.chmod(0o777)
    assert "its parent" in run()["warned"][0]
    folder.parent.chmod(0o1777)  # others cannot rename what is there
    assert run()["kinds"] == ["LoadedProgram"]
    folder.parent.chmod(0o700)
    (folder / "key").chmod(0o644)
    assert "remove it" in run()["warned"][0]


def test_where_there_is_no_folder_programs_are_made_and_one_warning_says_so(folder, tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("SYMGRAD_CACHE", str(tmp_path / "taken"))
    f, g, x = (lambda w: sg.sin(w).sum()), (lambda w: (w**3).sum()), np.array(AT)
    with pytest.warns(RuntimeWarning, match="keeps no programs between processes") as caught:
        assert np.array_equal(sg.hessian(f)(x), np.diag(-np.sin(x)))
        sg.hessian(g)(x)
    assert len(caught) == 1


def test_where_programs_are_kept_can_be_said(monkeypatch, tmp_path):
    monkeypatch.delenv("SYMGRAD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert os.path.basename(files.folder()) == "symgrad"
    monkeypatch.setenv("SYMGRAD_CACHE", str(tmp_path / "mine"))
    assert files.folder() == str(tmp_path / "mine")
    monkeypatch.setenv("SYMGRAD_CACHE", "off")
    assert files.folder() is None and files.own_folder() is None


def test_a_folder_holds_so_many_files_and_those_used_last_stay(folder, monkeypatch):
    monkeypatch.setattr("symgrad.programs.files.CACHED_FILES", 3)
    x = np.array(AT)
    functions = [lambda w, k=k: (w**k).sum() for k in (3, 4, 5, 6)]
    for k, f in enumerate(functions[:3]):
        sg.hessian(f)(x)
        newest = max(programs_in(folder), key=lambda p: p.stat().st_mtime_ns)
        os.utime(newest, (1000 + k, 1000 + k))
    oldest, second, _ = sorted(programs_in(folder), key=lambda p: p.stat().st_mtime)
    program.clear()
    sg.hessian(functions[0])(x)  # is read, and so used
    sg.hessian(functions[3])(x)
    assert len(programs_in(folder)) == 3 and oldest.exists() and not second.exists()
    monkeypatch.setattr("symgrad.programs.files.CACHED_TOTAL", 1)
    sg.hessian(lambda w: sg.exp(w).sum())(x)
    assert not programs_in(folder)


@pytest.mark.slow
def test_several_processes_may_share_a_folder(run, folder):
    argument = json.dumps([AT, 2.0, "dense", ""])
    runs = [
        subprocess.Popen([sys.executable, "-c", SCRIPT, argument], stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    found = [json.loads(r.communicate()[0]) for r in runs]
    assert all(f["found"] == found[0]["found"] and f["warned"] == [] for f in found)
    assert run()["kinds"] == ["LoadedProgram"]
    assert sorted(p.name for p in folder.iterdir()) == sorted(["key", programs_in(folder)[0].name])


def test_quick_programs_are_not_kept(folder, monkeypatch):
    monkeypatch.setattr("symgrad.programs.program.CACHED_FROM", 60_000)
    sg.hessian(lambda w: sg.sin(w).sum())(np.array(AT))
    assert not folder.exists()
