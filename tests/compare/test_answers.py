"""What other libraries say is stored as it was said, and what differs from it is found."""

import numpy as np
import pytest

from . import _answers
from ._answers import answer, decode, encode

ARRAYS = [
    np.array([0.1, -0.0, np.nan, np.inf, -np.inf, 5e-324]), np.zeros((0, 3)), np.array(1.5), np.array([True, False]),
    np.array([[1, -2]], np.int8), np.array([2**63], np.uint64), np.array([0.1, 65504], np.float16),
    np.array([0.1], np.float32), np.array([0.1 + 2j, complex(np.nan, -0.0)]), np.array([1j], np.complex64),
    np.arange(6.0).reshape(2, 3).T, np.arange(4, dtype=">i4"),
]  # fmt: skip


@pytest.mark.parametrize("array", ARRAYS, ids=str)
def test_arrays_come_back_to_the_last_bit(array):
    packed = _answers._packed([encode(array), encode(array)])
    for back in map(decode, _answers._unpacked(packed)):
        assert back.dtype == array.dtype.newbyteorder("=") and back.shape == array.shape
        assert back.tobytes() == array.astype(back.dtype).tobytes() and back.flags.writeable


def test_values_come_back_with_their_types():
    value = [None, True, 3, 2**70, -0.0, 1e-300, 1 - 2j, "∂", (), (1, [2.5, ()]), {"a": {2: (None,)}}, np.float32(0.1)]
    back = decode(_answers._unpacked(_answers._packed([encode(value)]))[0])
    assert repr(back) == repr(value) and [type(v) for v in back] == [type(v) for v in value]


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array([None]), [b"bytes"], len])
def test_what_is_no_data_is_no_answer(value):
    with pytest.raises(TypeError, match="an answer is plain data"):
        encode(value)


class OwnError(KeyError):
    pass


@pytest.mark.parametrize(
    "error", [ValueError("a", 3), KeyError("k"), np.linalg.LinAlgError("singular"), OwnError("mine"), IndexError()]
)
def test_errors_come_back_with_classes_and_words(error):
    back = decode(_answers._encoded_error(error))
    assert str(back) == str(error) and [c.__name__ for c in type(back).__mro__] == [
        c.__name__ for c in type(error).__mro__
    ]
    assert (type(back) is type(error)) == (type(error) is not OwnError)
    assert all(isinstance(back, c) for c in type(error).__mro__ if c is not OwnError)


def test_words_of_errors_name_no_place_of_a_machine():
    error = RuntimeError("<f at 0x7f3a12345678> in /home/me/site-packages/x.py, one of {'same', 'a b'}")
    said = "<f at 0x0> in site-packages/x.py, one of {'a b', 'same'}"
    assert str(decode(_answers._encoded_error(error))) == said


def test_fewer_bits_are_near():
    a = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)
    b = decode(encode(a, 40))
    assert 0 < np.max(abs(a / b - 1)) < 1e-12 and decode(encode(SPECIAL, 40)).tobytes() == SPECIAL.tobytes()
    assert np.max(abs(decode(encode(a * 1j, 40)) - 1j * a) / abs(a)) < 1e-12


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, 3.0])

PAIRS = [
    (1.0, 1.0 + 1e-9), (1, 1.0), (True, 1), (np.ones(2), np.ones(3)), (np.ones(2), np.ones(2, np.float32)),
    (np.array([1.0, np.nan]), np.array([1.0, 0.0])), (np.array([1, 2]), np.array([1, 3])), ((1,), [1]), ([1], [1, 2]),
    (ValueError("a"), ValueError("b")), (ValueError("a"), TypeError("a")), (None, 0), ("a", "b"), ({1: 2}, {1: 3}),
    ({1: 2, 3: 4}, {3: 4, 1: 2}), (np.array([1.0, 1e-5]), np.array([1.0, 1.00002e-5])),
    (np.array([1e300, 1.0]), np.array([1e300, 1.1])), (np.array([1 + 1j]), np.array([1 + 1.1j])),
]  # fmt: skip


@pytest.mark.parametrize(("new", "stored"), PAIRS, ids=str)
def test_other_answers_are_told_apart(new, stored):
    assert _answers._difference([new], [stored]) and _answers._difference(stored, new)
    assert not _answers._difference([new, stored], [new, stored])


def test_rounding_is_no_difference():
    a = np.array([1.0, -3e-15, np.nan, np.inf])
    b = np.array([1.0 + 1e-15, 2e-15, np.nan, np.inf])
    assert not _answers._difference([a, 1.0], [b, 1.0 + 1e-15])
    assert not _answers._difference(a.astype(np.float32), (a * (1 + 1e-6)).astype(np.float32))


@pytest.mark.parametrize("peer", ["math", "a_library_that_nobody_has"])
def test_what_is_not_stored_fails_and_says_what_to_run(peer):
    with pytest.raises(pytest.fail.Exception, match=r"tests\.compare\.write_answers tests/compare/test_answers\.py"):
        answer(peer, lambda math: math.pi)


def test_each_file_belongs_to_a_module_and_says_of_which_versions():
    files = list(_answers.FOLDER.glob("*.xz"))
    assert files
    for path in files:
        assert (path.parent.parent / f"{path.stem}.py").exists()
        content = _answers._file(path.stem)
        peers = {peer for said in content["answers"].values() for peer, _ in said}
        assert content["versions"].keys() == peers | {"numpy"} and all(content["versions"].values())
