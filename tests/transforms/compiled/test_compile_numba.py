"""`sg.compile(target="numba")`: the numbers of the NumPy target, from code that other processes find compiled."""

import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.programs import files

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = np.sign(X[:, 0])
W = np.array([0.5, -0.3, 0.8, 0.1])
SMALL = np.array([0.3, -1.2])


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory):
    """A cache of the tests' own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMGRAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield Path(os.environ["SYMGRAD_CACHE"])


@pytest.fixture(autouse=True)
def numba():
    return pytest.importorskip("numba")


def beale(x):
    return (1.5 - x[0] + x[0] * x[1]) ** 2 + (2.25 - x[0] + x[0] * x[1] ** 2) ** 2


def robust(w, X, y):
    z = X @ w - y
    return (z**2 / (1 + z**2) * X[:, 0]).sum() + np.where(w > 0.2, w**3, w**2).sum()


def softplus(w, X, y):
    return np.logaddexp(0, -y * (X @ w)).sum() + 0.1 * (w**2).sum()


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def made_of(compiled):
    return compiled._programs[-1]


def same(found, truth, rtol=1e-12):
    for a, b in zip(found, truth, strict=True):
        a, b = (v.toarray() if hasattr(v, "tocsr") else v for v in (a, b))
        assert type(a) is type(b) and np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1, np.abs(b).max(initial=0)))


@pytest.mark.parametrize("f, args, format", [
    (beale, (SMALL,), "dense"), (robust, (W, X, Y), "dense"), (softplus, (W, X, Y), "dense"),
    (rosenbrock, (np.linspace(-1, 1, 200),), "dense"), (rosenbrock, (np.linspace(-1, 1, 200),), "csr"),
    (lambda x: np.sin(x) * np.exp(-(x**2)), (0.7,), "dense"),
])  # fmt: skip
def test_the_numbers_are_those_of_numpy(f, args, format):
    fast, plain = sg.compile(f, format=format, target="numba"), sg.compile(f, format=format)
    for scale in (1.0, 0.9, 1.1):
        at = (args[0] * scale, *args[1:])
        same(fast(*at), plain(*at))
    _, gradient, h = fast(*at)
    np.testing.assert_allclose(gradient, sg.grad(f)(*at), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(h.toarray() if format == "csr" else h, sg.hessian(f)(*at), rtol=1e-9, atol=1e-9)
    assert "target='numba'" in repr(fast)
    if "ways" not in _limits.LOW:  # else nothing compiles single numbers
        assert made_of(fast).compiled is not None


def test_a_long_program_has_loops_and_a_short_one_steps(monkeypatch):
    monkeypatch.setattr(_limits, "NESTED_WORK", 0)  # else all of it is loops
    short, long = sg.compile(beale, target="numba"), sg.compile(robust, target="numba")
    short(SMALL), long(W, X, Y)
    if not _limits.LOW:
        assert "def _steps(" in short.code(SMALL)
    code = long.code(W, X, Y)
    assert "def _loops0(" in code and "@numba.njit" in code and "import numba" in code and " @ " in code


@pytest.mark.parametrize("f, args", [(beale, (SMALL,)), (robust, (W, X, Y)), (lambda x: np.sin(x) ** 2, (0.7,))])
def test_a_file_needs_numba_but_not_symgrad(f, args, tmp_path):
    path = tmp_path / "program.py"
    compiled = sg.compile(f, target="numba")
    compiled.save(path, *args)
    text = path.read_text(encoding="utf-8")
    assert "import symgrad" not in text
    assert "numba.njit" in text or "ways" in _limits.LOW
    found = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path)
    assert found.stdout.endswith("as it should be\n"), found.stderr


def test_names_of_the_user_do_not_meet_those_of_the_file(tmp_path):
    def f(math, numba, a0, _steps):
        return (np.exp(math) * numba * a0**2).sum() * _steps

    args = (np.array([0.1, 0.2]), np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.array(2.0))
    compiled = sg.compile(f, "fgh", (0, 1, 2, 3), target="numba")
    compiled.save(tmp_path / "names.py", *args)
    found = subprocess.run([sys.executable, tmp_path / "names.py"], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_another_process_finds_the_code_compiled(folder):
    script = (
        "import numpy as np, symgrad as sg\n"
        "f = sg.compile(lambda x: (x**3 * np.sin(x)).sum() + x[0] * x[1], target='numba')\n"
        "f(np.array([0.5, 1.5])); f(np.array([0.5, 1.5]))\n"
    )
    before = set(folder.glob("numba_*"))
    runs = [subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for run in runs:
        _, errors = run.communicate(timeout=300)
        assert run.returncode == 0, errors
    made = {p: p.stat().st_ino for p in set(folder.glob("numba_*")) - before}
    if not _limits.LOW:
        assert made
    subprocess.run([sys.executable, "-c", script], check=True)
    assert {p: p.stat().st_ino for p in set(folder.glob("numba_*")) - before} == made
    assert not list(folder.glob("*.tmp"))


SOURCE = "import numba\n\n\n@numba.njit(error_model='numpy')\ndef times(x):\n    return {} * x\n"


def from_file(by, *points):
    """Whether the machine code of ``by`` times each of these numbers was found in files; its results are looked at."""
    times = files.loaded(SOURCE.format(by))["times"]
    assert [times(x) for x in points] == [by * x for x in points]
    return [sum(times.stats.cache_hits.values()), sum(times.stats.cache_misses.values())] == [len(points), 0]


class Hostile:
    """A pickle that leaves a trace where it is read."""

    def __reduce__(self):
        return os.mkdir, ("ran",)


DAMAGED = {
    "planted": lambda data: pickle.dumps(Hostile()),
    "planted behind the beginning": lambda data: data[:48] + pickle.dumps(Hostile()),
    "empty": lambda data: b"",
    "cut short": lambda data: data[: len(data) // 2],
    "without the last byte": lambda data: data[:-1],
    "with another bit": lambda data: data[:-40] + bytes([data[-40] ^ 1]) + data[-39:],
    "of zeros": lambda data: bytes(len(data)),
}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder that symgrad did not make: nothing keeps others from writing to what is made in it."""
    place = tmp_path / "own"
    place.mkdir(mode=0o755)
    monkeypatch.setenv("SYMGRAD_CACHE", str(place))
    monkeypatch.setattr(files, "_warned", set())
    monkeypatch.chdir(tmp_path)
    before = os.umask(0)
    yield place
    os.umask(before)


def code_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "key")


@pytest.mark.parametrize("what", DAMAGED)
def test_machine_code_by_another_hand_is_not_run_and_what_is_damaged_is_made_anew(own, what):
    assert not from_file(2, 3, 0.5) and from_file(2, 3, 0.5)
    for path in code_in(own):
        path.write_bytes(DAMAGED[what](path.read_bytes()))
        assert not from_file(2, 3, 0.5), path
        assert not (own.parent / "ran").exists(), path
        assert from_file(2, 3, 0.5), path


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are POSIX's")
def test_machine_code_that_others_could_write_is_not_read_and_none_is_made(own):
    assert not from_file(2, 3)
    for path in own.rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    for path in code_in(own):
        path.chmod(0o620)
        assert not from_file(2, 3) and from_file(2, 3)
        elsewhere = path.rename(own.parent / path.name)
        path.symlink_to(elsewhere)
        assert not from_file(2, 3) and from_file(2, 3)
    own.chmod(0o770)
    with pytest.warns(RuntimeWarning, match="others may write to it"):
        assert not from_file(2, 3)


def test_machine_code_under_another_name_is_not_believed(own):
    from_file(2, 3), from_file(5, 3)
    a, b = code_in(own)
    contents = a.read_bytes(), b.read_bytes()
    a.write_bytes(contents[1]), b.write_bytes(contents[0])
    assert not from_file(2, 3) and not from_file(5, 3)
    assert from_file(2, 3) and from_file(5, 3)


def test_without_a_folder_it_is_compiled_in_this_process(own, monkeypatch, tmp_path):
    (tmp_path / "taken").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("SYMGRAD_CACHE", str(tmp_path / "taken"))
    with pytest.warns(RuntimeWarning, match="keeps no programs"):
        assert not from_file(2, 3)
    monkeypatch.setenv("SYMGRAD_CACHE", "off")
    assert not from_file(2, 3) and not from_file(2, 3)


def test_another_target_is_refused():
    with pytest.raises(sg.GradientError, match="no target 'fortran'"):
        sg.compile(beale, target="fortran")


def test_where_numbers_are_not_finite_numpy_and_the_tape_decide():
    for f in (lambda x: np.log(x).sum(), lambda x: (1 / x).sum(), lambda x: 1 / (1 + np.exp(-x)).sum()):
        fast, plain = sg.compile(f, target="numba"), sg.compile(f)
        with np.errstate(all="ignore"):
            for at in ([0.7, 1.9], [0.0, 1.0], [-800.0, 1.0], [np.nan, 1.0], [np.inf, 1.0]):
                for a, b in zip(fast(np.array(at)), plain(np.array(at)), strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-12)


def test_wrong_loops_are_seen_and_arrays_are_taken():
    plain, compiled = sg.compile(robust), sg.compile(robust, target="numba")
    made, _ = compiled._find((W, X, Y), {})
    right = made.fused.function
    made.fused.function = lambda *values: (lambda r, p: ((r[0], r[1] + 1e-2, r[2]), p))(*right(*values))
    with pytest.warns(RuntimeWarning, match="Numba"):
        same(compiled(W, X, Y), plain(W, X, Y))
    assert made.compiled is None


def test_arrays_of_any_order_and_arrays_that_may_not_be_written_are_arguments():
    fast, plain = sg.compile(robust, target="numba"), sg.compile(robust)
    locked = X.copy()
    locked.flags.writeable = False
    for A in (X, np.asfortranarray(X), X[::-1], locked):
        same(fast(W, A, Y), plain(W, A, Y))
    same(fast(W.astype(np.float32), X, Y), plain(W.astype(np.float32), X, Y), 1e-6)


def test_the_square_of_a_reciprocal_that_underflows_is_seen():
    few = sg.compile(lambda p: np.log((p[1] * p[0] + 0.2) ** 2 + 0.1), "h", target="numba")
    few(np.ones(2))
    assert np.isclose(few(np.array([1e120, 1.0]))[1, 1], -2, rtol=1e-12)
    many = sg.compile(lambda x: np.log((x * x[0] + 0.2) ** 2 + 0.1).sum(), "h", target="numba")
    x = np.linspace(0.5, 1.5, 60)
    many(x)
    x[0] = 1e120
    assert np.allclose(np.diag(many(x))[1:], -2 / x[1:] ** 2, rtol=1e-12)
