"""Files: what `save` writes is read back, nothing that a file asks for is run, and damage is said by name."""

import collections
import contextlib
import functools
import importlib
import io
import operator
import os
import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad._moved import MOVED

from ..helpers.cases import one_in


def through_a_file(value, protocol=None, **options):
    file = io.BytesIO(pickle.dumps(value, protocol))
    return sg.load(file, **options)


def training():
    model = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.Tanh(), sg.nn.Linear(3, 1))
    optimizer = sg.optim.Adam(model.parameters(), lr=0.1)
    model(sg.ones(4, 2)).sum().backward()
    optimizer.step()
    scheduler = sg.optim.lr_scheduler.StepLR(optimizer, 2)
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}


WEIGHTS = {
    "a leaf": lambda: sg.tensor([1.0, 2.0], requires_grad=True), "a parameter": lambda: sg.nn.Parameter(sg.ones(2, 2)),
    "a checkpoint": training, "a view": lambda: sg.arange(6.0).reshape(2, 3).T[:, ::2],
    "half": lambda: sg.ones(3, dtype=sg.float16), "complex": lambda: sg.ones(2, dtype=sg.complex64) * 1j,
    "truths": lambda: sg.tensor([True, False]), "numbers": lambda: [1, 2.5, 1j, True, None, "x", b"y", range(3)],
    "arrays": lambda: {"a": np.arange(6.0).reshape(2, 3), "b": np.float32(2), "c": np.asfortranarray(np.ones((2, 3)))},
    "containers": lambda: (collections.OrderedDict(a=1), collections.defaultdict(list, {1: [2]}), {1, 2}, (3,)),
    "facts": lambda: (sg.float32, sg.ones(2, 3).shape, sg.device("cpu")), "random state": sg.get_rng_state,
    "the result of a sort": lambda: sg.sort(sg.tensor([2.0, 1.0])),
}  # fmt: skip


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_are_read_back(name, protocol):
    value = WEIGHTS[name]()
    found = through_a_file(value, protocol)
    assert repr(found) == repr(value) and type(found) is type(value)


def saved_and_loaded(value, **options):
    file = io.BytesIO()
    sg.save(value, file)
    file.seek(0)
    return sg.load(file, **options)


@pytest.mark.parametrize("options", [{}, {"weights_only": False}])
@pytest.mark.parametrize("view", [
    lambda a: a[1:, ::2], lambda a: a.T, lambda a: a.reshape(-1), lambda a: a.detach(), lambda a: a[-1],
    lambda a: a.expand(2, 3, 4), lambda a: a[1, 2],
])  # fmt: skip
def test_a_tensor_and_its_view_have_their_memory_in_common_as_they_had(view, options):
    a = sg.arange(12.0).reshape(3, 4)
    b = view(a)
    found, apart = saved_and_loaded([a, {"view": b}], **options)
    assert found.tolist() == a.tolist() and apart["view"].tolist() == b.tolist()
    for memory in (a, found):
        memory.zero_()
        memory[1, 2] = 7.0
    assert apart["view"].tolist() == b.tolist()


def test_parameters_over_one_memory_stay_so_and_a_view_alone_is_saved_without_the_rest():
    m, n = sg.nn.Linear(2, 2), sg.nn.Linear(2, 2)
    n.weight = m.weight
    found = saved_and_loaded(sg.nn.Sequential(m, n).state_dict())
    found["0.weight"].zero_()
    assert not found["1.weight"].any() and found["1.bias"].any()
    file, a = io.BytesIO(), sg.zeros(10**6)
    sg.save([a[:2], a[2:4]], file)
    assert len(file.getvalue()) < 1000


class Runs:
    """A pickle that calls something."""

    def __init__(self, function, *args):
        self.function, self.args = function, args

    def __reduce__(self):
        return self.function, self.args


HOSTILE = {
    "a shell": lambda mark: Runs(os.system, f"touch {mark}"),
    "a process": lambda mark: Runs(subprocess.call, ["touch", mark]),
    "eval": lambda mark: Runs(eval, f"open({str(mark)!r}, 'w')"), "open": lambda mark: Runs(open, mark, "w"),
    "getattr": lambda mark: Runs(getattr, "a", "upper"), "partial": lambda mark: functools.partial(os.system, "true"),
    "methodcaller": lambda mark: operator.methodcaller("system"), "a module": lambda mark: sg.nn.Linear(1, 1),
    "in a container": lambda mark: {"model": [collections.OrderedDict(w=Runs(os.system, f"touch {mark}"))]},
    "a factory": lambda mark: collections.defaultdict(os.getcwd), "an object array": lambda mark: np.array([os.system]),
    "a tensor of it": lambda mark: {"x": sg.ones(1), "y": Runs(os.system, f"touch {mark}")},
    "numpy's loads": lambda mark: Runs(np.load, mark), "a class of symgrad's": lambda mark: sg.symbol("x", "n"),
}  # fmt: skip


@pytest.mark.parametrize(
    "options", [{}, {"weights_only": True}, {"weights_only": None, "map_location": "cpu"}], ids=str
)
@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_that_a_file_asks_for_is_run(name, options, tmp_path):
    mark = tmp_path / "mark"
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(sg.LoadError, match="which is no tensor, container or number"):
            through_a_file(HOSTILE[name](mark), protocol, **options)
    assert not mark.exists()


def test_dotted_names_do_not_lead_out_of_what_is_known():
    """`numpy.ndarray.tofile` of a file would be a method of a class that is known."""
    for module, name in (("numpy", "ndarray.tofile"), ("symgrad.return_types", "sys"), ("builtins", "dict.fromkeys")):
        code = (
            b"\x80\x04\x8c"
            + bytes([len(module)])
            + module.encode()
            + b"\x8c"
            + bytes([len(name)])
            + name.encode()
            + b"\x93."
        )
        with pytest.raises(sg.LoadError):
            sg.load(io.BytesIO(code))


def named(module, name):
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def plain(value):
    return pickle.dumps(value, 2)[2:-1]


DTYPE, FIELD = named("numpy", "dtype"), named("numpy", "dtype") + plain("O") + b"\x85R"
OBJECTS = DTYPE + plain(("O8", False, True)) + b"R"
FRESH = (
    named("numpy._core.multiarray", "_reconstruct") + named("numpy", "ndarray") + plain((0,)) + plain(b"b") + b"\x87R"
)
EIGHT = DTYPE + plain(("V8", False, True)) + b"R"
BYTES = plain(b"A" * 8)


def of_a_dtype(fields, size=8, flags=0, names=("a",)):
    return b"(" + plain(3) + plain("|") + b"N" + plain(names) + b"}" + plain("a") + fields + b"sq\x05" + b"".join(
        plain(number) for number in (size, 1, flags)) + b"tb"  # fmt: skip


def of_an_array(dtype, content=BYTES, shape=(1,)):
    return FRESH + b"(" + plain(1) + plain(shape) + dtype + b"\x89" + content + b"tb"


NUMBER = DTYPE + plain("f8") + b"\x85R"
VIEW = named("numpy._core.numeric", "_frombuffer")
POINTERS = plain(np.array([None] * 2)) + b"q\x01" + VIEW + b"(h\x01" + NUMBER + plain((2,)) + plain("C") + b"tR"


def of_a_tensor(data, requires_grad=True, attributes=()):
    facts = data + plain(requires_grad) + plain(None) + plain(False) + plain(dict(attributes))
    return named("symgrad._tensor.history", "_rebuild") + b"(" + facts + b"tR"


def of_a_part(dtype, shape=(2,), place=0, strides=(8,), memory=np.zeros(16, np.uint8)):  # noqa: B008
    facts = plain(shape) + dtype + plain(memory) + plain(place) + plain(strides)
    return named("numpy", "ndarray") + b"(" + facts + b"tR"


NO_OBJECTS = OBJECTS + plain((3, "|", None, None, None, -1, -1, 0)) + b"b"
FORGED = {
    **{
        f"a state of {module}.{name}": named(module, name) + b"N" + plain({"__doc__": "changed"}) + b"\x86b"
        for module, name in (
            ("symgrad", "Size"), ("symgrad", "dtype"), ("symgrad", "device"), ("collections", "Counter"),
            ("symgrad.return_types", "sort"), ("symgrad._tensor.history", "_rebuild"),
            ("numpy._core.numeric", "_frombuffer"),
        )
    },
    "an array of pointers": named("numpy", "ndarray") + b"(" + plain((1,)) + plain("O") + plain(bytearray(8)) + b"tR",
    "objects that are said to be none": of_an_array(NO_OBJECTS),
    "a number that is an object": named("numpy._core.multiarray", "scalar") + NO_OBJECTS + BYTES + b"\x86R",
    "a field that is an object": of_an_array(EIGHT + of_a_dtype(FIELD + plain(0) + b"\x86")),
    "a field beyond the end": of_an_array(EIGHT + of_a_dtype(DTYPE + plain("f8") + b"\x85R" + plain(10**9) + b"\x86")),
    "a field before the start": of_an_array(EIGHT + of_a_dtype(DTYPE + plain("f8") + b"\x85R" + plain(-8) + b"\x86")),
    "entries that grow": of_an_array(DTYPE + plain(("S8", False, True)) + b"Rq\x01") + b"0h\x01"
    + plain((3, "|", None, None, None, 10**9, 1, 0)) + b"b",
    "fewer objects than entries": of_an_array(OBJECTS, plain([1]), (10**6,)),
    "pointers as numbers": POINTERS + plain(0) + plain(0x4141414141414141) + b"s",
    "entries for an array": plain(np.zeros(2)) + plain(0) + plain(1.0) + b"s",
    "entries for a dtype": EIGHT + b"(" + plain(1) + b"e",
    "a dtype of negative size": EIGHT + plain((3, "|", None, None, None, -1, -1, 0)) + b"b",
    "a name without a field": EIGHT + of_a_dtype(b"(" + NUMBER + plain(0) + b"t", names=("a", "b")),
    "a negative shape of entries": DTYPE + plain(("V16", False, True)) + b"R(" + plain(3) + plain("|") + b"("
    + NUMBER + plain((-2, -1)) + b"tNN" + plain(16) + plain(8) + plain(0) + b"tb",
    "an array of negative shape": of_an_array(NUMBER, plain(bytes(16)), (-2, -1)),
    "a tensor of text": of_a_tensor(plain("abc")), "a tensor of nothing": of_a_tensor(plain(None), False),
    "a tensor of objects": of_a_tensor(plain(np.array([None])), False),
    "a tensor that becomes one of objects": FRESH + b"q\x01" + of_a_tensor(b"h\x01", False) + b"0h\x01(" + plain(1)
    + plain((1,)) + OBJECTS + b"\x89" + plain([None]) + b"tb",
    "integers that require gradients": of_a_tensor(plain(np.arange(2))),
    "a part of objects": of_a_part(OBJECTS), "a part before the start": of_a_part(NUMBER, place=-8),
    "a part beyond the end": of_a_part(NUMBER, (3,)), "a part that goes back": of_a_part(NUMBER, (2,), 0, (-8,)),
    "a part whose bytes overflow": of_a_part(NUMBER, (5,), 0, (2**62,)),
    "a part of negative shape": of_a_part(NUMBER, (-2,)), "a part of numbers": of_a_part(NUMBER, memory=np.zeros(2)),
    "a part of bytes": of_a_part(NUMBER, memory=bytes(16)),
    "a second state": of_an_array(DTYPE + plain("f8") + b"\x85R") + b"(" + plain(1) + plain((2,)) + DTYPE + plain("f8")
    + b"\x85R\x89" + plain(b"A" * 16) + b"tb",
}  # fmt: skip
"""Pickles of allowed names only, by which a program would be changed, or memory read that is no array's."""


@one_in(4)
@pytest.mark.parametrize("name", FORGED)
def test_a_file_neither_changes_the_program_nor_reads_memory_that_is_not_its_own(name):
    content = b"\x80\x02" + FORGED[name] + b"."
    code = (
        "import io, collections, symgrad as sg, symgrad._tensor.history as h, numpy._core.numeric as n\n"
        f"try: print(sg.load(io.BytesIO({content!r})))\n"
        "except sg.LoadError: print('refused')\n"
        "known = sg.Size, sg.dtype, sg.device, collections.Counter, sg.return_types.sort, h._rebuild, n._frombuffer\n"
        "assert not any(k.__doc__ == 'changed' for k in known)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_a_dtype_is_not_changed_by_what_a_file_says_later():
    a = EIGHT + of_a_dtype(b"(" + NUMBER + plain(0) + b"t")
    changed = of_an_array(a + b"h\x05" + plain("a") + NUMBER + plain(4096) + b"\x86s0", plain(bytes(24)), (3,))
    assert sg.load(io.BytesIO(b"\x80\x02" + changed + b"."))["a"].tolist() == [0.0] * 3
    turned = NUMBER + plain((3, ">", None, None, None, -1, -1, 0)) + b"b"
    assert sg.load(io.BytesIO(b"\x80\x02" + turned + b".")) == ">f8" and np.array([1.0]).dtype == "=f8"


DECLARED = 1 << 28
GREEDY = {
    **{
        name: code + DECLARED.to_bytes(8, "little")
        for name, code in (("bytes", b"\x8e"), ("a bytearray", b"\x96"), ("text", b"\x8d"), ("a frame", b"\x95"))
    },
    "shorter bytes": b"B" + DECLARED.to_bytes(4, "little"), "a whole number": b"\x8b" + DECLARED.to_bytes(4, "little"),
    **{
        f"{kind} of a {of}": named("builtins", kind) + argument + b"\x85R"
        for kind in ("bytearray", "bytes", "list", "tuple", "set", "str")
        for of, argument in (("number", plain(DECLARED)), ("range", named("builtins", "range") + plain(DECLARED // 8)
                                                            + b"\x85R"))
        if of == "range" or kind.startswith("b")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", GREEDY)
def test_a_short_file_takes_little_memory_whatever_sizes_it_states(name, tmp_path):
    path = tmp_path / "w"
    path.write_bytes(b"\x80\x05" + GREEDY[name] + b".")
    tracemalloc.start()
    try:
        with pytest.raises(sg.LoadError):
            sg.load(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


ARRAYS = (
    "f8",
    ">f8",
    "U5",
    "S5",
    "M8[ns]",
    "m8[s]",
    "?",
    "g",
    "V5",
    "f8,i4",
    [("a", "f8", (2,)), ("b", [("c", "U3")])],
    np.dtype([(("title", "a"), "f8"), ("b", ">i2")], align=True),
    np.dtype({"names": ["b", "a"], "formats": ["f4", "i4"], "offsets": [4, 0], "itemsize": 12}),
    np.dtype("M8[25s]"),
    np.dtype("f8", metadata={"unit": "m"}),
)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", ARRAYS, ids=str)
def test_arrays_of_every_dtype_are_read_as_by_pickle(dtype, protocol):
    size = 2 * np.dtype(dtype).itemsize
    texts = {"U5": b"a\0\0\0" * 10, "datetime64[25s]": b"0\0\0\0\0\0\0\0" * 2}  # NumPy prints no time of any size
    array = np.frombuffer(texts.get(str(dtype), bytes(range(48, 48 + size))), dtype)
    for value in (array, np.array(["x", None, 2], object)):
        found, right = (
            through_a_file([value, value[::-1]], protocol),
            pickle.loads(pickle.dumps([value, value[::-1]], protocol)),
        )
        assert repr(found) == repr(right)


def test_whoever_trusts_a_file_reads_all_of_it():
    module = through_a_file(sg.nn.Linear(2, 1), weights_only=False)
    assert module(sg.ones(1, 2)).shape == (1, 1)


@pytest.mark.parametrize("weights_only", [True, False])
def test_a_damaged_file_says_so(weights_only, tmp_path):
    content = pickle.dumps(training())
    path = tmp_path / "w"
    for damaged in (
        b"",
        content[: len(content) // 2],
        b"PK\x03\x04" + content,
        b"\x80\x04\x95garbage",
        b"not a pickle",
    ):
        path.write_bytes(damaged)
        with pytest.raises(sg.LoadError, match="no file that sg.save has written, or it is damaged") as caught:
            sg.load(path, weights_only=weights_only)
        assert isinstance(caught.value, pickle.UnpicklingError) and isinstance(caught.value, sg.SymgradError)
    for k in range(0, len(content), 97):
        broken = bytearray(content)
        broken[k] ^= 0x55
        with contextlib.suppress(sg.LoadError):  # another number in a weight is no damage that can be seen
            sg.load(io.BytesIO(bytes(broken)))


@pytest.mark.parametrize("weights_only", [None, True, False])
def test_a_file_of_pytorchs_older_format_is_refused(weights_only, tmp_path):
    """It begins with a pickle of a number, which is not what was saved."""
    file = tmp_path / "old.pt"
    file.write_bytes(pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2) + pickle.dumps({"a": 1}, 2))
    with pytest.raises(sg.LoadError, match="before 1.6"):
        sg.load(file, weights_only=weights_only)


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        sg.load(tmp_path / "nothing")


# Files that were written before modules moved -------------------------------------------------------------------------


EARLIER_FORMULAS = Path(__file__).with_name("formulas_of_an_earlier_version.pkl")
EARLIER_OBJECTS = Path(__file__).with_name("objects_of_an_earlier_version.pkl")


def test_formulas_of_an_earlier_version_are_read():
    loss, gradient, traced, hessian = pickle.loads(EARLIER_FORMULAS.read_bytes())
    x, S = np.array([0.3, -0.2, 0.5]), np.array([[2.0, 0.3], [0.3, 1.0]])
    A = np.arange(9.0).reshape(3, 3) / 7
    np.testing.assert_allclose(loss(x=x), (np.exp(A @ x) ** 2).sum() + np.where(x > 0, x, 0) @ x, rtol=1e-12)
    np.testing.assert_allclose(gradient(x=x), 2 * A.T @ np.exp(2 * A @ x) + 2 * x * (x > 0), rtol=1e-12)
    np.testing.assert_allclose(loss.grad("x")(x=x), gradient(x=x), rtol=1e-12)
    assert traced(S=S) == pytest.approx(2 + np.log(np.linalg.det(S)))
    np.testing.assert_array_equal(hessian(x=x), [[2, 2, 0], [2, 2, 1], [0, 1, 0]])
    assert str(gradient) == "2Aᵀ exp(2Ax) + 2x ⊙ 1[x > 0]"


def test_objects_of_an_earlier_version_are_read():
    found = pickle.loads(EARLIER_OBJECTS.read_bytes())
    assert repr(found["tensor"]) == "tensor([1., 2.], name='t', requires_grad=True)"
    assert isinstance(found["parameter"], sg.nn.Parameter) and found["row"] is sg.sin and found["dtype"] is sg.float32
    assert str(found["symbol"].shape) == "symgrad.Size([m, n])"
    assert found["net"](sg.ones(2)).shape == (1,) and found["sgd"].param_groups[0]["lr"] == 0.5
    np.testing.assert_allclose(found["hess"]["m", "m"], 1.0)  # of four observations, σ = 2
    assert "2.5" in str(found["summary"])


def test_weights_of_an_earlier_version_are_read():
    t = sg.tensor([1.0, 2.0], name="t")
    earlier = pickle.dumps(t, protocol=4).replace(
        b"\x8c\x17symgrad._tensor.history", b"\x8c\x18symgrad._tensor._history"
    )
    assert b"._history" in earlier
    assert sg.load(io.BytesIO(earlier), weights_only=True).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", MOVED)
def test_a_module_that_has_moved_has_what_it_had(name):
    if MOVED[name].endswith(".serve._server"):
        pytest.importorskip("starlette", reason="pip install symgrad[serve]")
    old, new = importlib.import_module(name), importlib.import_module(MOVED[name])
    assert all(getattr(old, n) is v for n, v in vars(new).items() if not n.startswith("__"))
