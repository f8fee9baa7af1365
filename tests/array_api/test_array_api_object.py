"""The array object of the array API standard: tensors, and the arrays inside a transform, have its members.

The idea to hold: the same question is put to tensors, to constants inside a transform, and to what is differentiated
there; what does not hold is listed with its reason.
"""

import itertools
import operator

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as xp

from ._array_api_signatures import ATTRIBUTES, DTYPES, METHODS, REFLECTED

NOT_OF_TENSORS = {
    "size": "is PyTorch's method x.size(): x.numel() or math.prod(x.shape) is the number of elements",
    "to_device": "is not there yet: x.to('cpu') is",
    "__dlpack__": "is not there yet: x.detach().numpy() speaks DLPack, and xp.from_dlpack takes tensors",
    "__dlpack_device__": "is not there yet: see __dlpack__",
}
"""Members of the standard's array object that tensors do not have."""

NOT_OF_WHAT_IS_DIFFERENTIATED = {
    "__float__": float, "__int__": int, "__complex__": complex, "__dlpack__": lambda x: x.__dlpack__(),
}  # fmt: skip
"""Members that raise by design, because numbers have no history: x.detach() says that one means it."""


def in_a_transform(ask, *arrays, live=False):
    """What a question is answered inside a transform, of arrays that are constants there, or differentiated."""
    answers = []

    def f(x):
        given = x if live else [xp.asarray(a, copy=True) for a in arrays]
        answers.append(ask(*given))
        return sum(xp.sum(v * v) for v in x)

    sg.grad(f)([np.asarray(a, float) for a in arrays] if live else [np.ones(2)])
    return answers[0]


FORMS = {
    "tensor": lambda ask, *arrays: ask(*map(sg.tensor, arrays)),
    "constant": in_a_transform,
    "differentiated": lambda ask, *arrays: in_a_transform(ask, *arrays, live=True),
}


@pytest.fixture(params=FORMS)
def answer(request):
    """How a question is put to arrays of one form; ``answer.form`` is its name."""
    ask = lambda *args: FORMS[request.param](*args)
    ask.form = request.param
    return ask


MATRIX, NUMBER = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.asarray(2.5)

# --------------------------------------------------------------------------------------------------------- members


def test_members_are_there(answer):
    wanted = [*ATTRIBUTES, *METHODS, *(f"__r{name}__" for name in REFLECTED)]
    absent = answer(lambda x: [name for name in wanted if not hasattr(x, name)], MATRIX)
    assert absent == [name for name in absent if answer.form == "tensor" and name in NOT_OF_TENSORS]


def test_exceptions_of_tensors_are_still_exceptions():
    t = sg.tensor(MATRIX)
    assert [name for name in NOT_OF_TENSORS if isinstance(getattr(t, name, None), int)] == []
    assert not any(hasattr(t, name) for name in NOT_OF_TENSORS if name != "size"), "take it from the list, and the docs"


def test_attributes_have_the_standards_values(answer):
    told = answer(lambda x: (x.dtype, str(x.device), x.ndim, tuple(x.shape), x.T.shape, x[None].mT.shape), MATRIX)
    assert told == (np.float64, "cpu", 2, (2, 3), (3, 2), (1, 3, 2))
    if answer.form != "tensor":
        assert answer(lambda x: (x.size, x[0, 0].size, x[0].size), MATRIX) == (6, 1, 3)


def test_dtype_and_device_go_to_every_function_that_makes_arrays(answer):
    def ask(x):
        like = {"dtype": x.dtype, "device": x.device}
        made = [
            xp.zeros(2, **like),
            xp.ones(2, **like),
            xp.empty(2, **like),
            xp.full(2, 1.5, **like),
            xp.eye(2, **like),
        ]
        made += [
            xp.arange(2, **like),
            xp.linspace(0, 1, 2, **like),
            xp.asarray([1, 2], **like),
            xp.fft.fftfreq(2, **like),
        ]
        made += [fn(x, **like) for fn in (xp.zeros_like, xp.ones_like, xp.empty_like)] + [xp.full_like(x, 2.0, **like)]
        made += [xp.astype(x, x.dtype, device=x.device), xp.sum(x, dtype=x.dtype), xp.fft.rfftfreq(2, **like)]
        return [a.dtype == np.float64 for a in made]

    assert all(answer(ask, MATRIX))


def test_dtypes_are_asked_about(answer):
    def ask(x):
        yield xp.isdtype(x.dtype, "real floating") and not xp.isdtype(x.dtype, ("integral", "bool"))
        yield xp.result_type(x, xp.float32) == np.float64 and xp.result_type(x.dtype, xp.complex64) == np.complex128
        yield xp.can_cast(x, xp.complex128) and not xp.can_cast(x.dtype, xp.float32)
        yield xp.finfo(x.dtype).bits == xp.finfo(x).bits == 64

    assert all(answer(lambda x: list(ask(x)), MATRIX))


@pytest.mark.parametrize("form", ["constant", "differentiated"])
def test_to_device_knows_the_cpu_only(form):
    def ask(x):
        with pytest.raises(ValueError, match="there is no device"):
            x.to_device("cuda:0")
        with pytest.raises(ValueError, match="there is no device|Unsupported|not understood"):
            xp.zeros(3, device="cuda:0")
        return x.to_device("cpu") is x and x.to_device(x.device, stream=None) is x

    assert FORMS[form](ask, MATRIX)


# ----------------------------------------------------------------------------------------- numbers, and other libraries


def test_numbers_are_pythons(answer):
    ask = lambda x: (float(x), int(x), complex(x), bool(x), bool(x < 0))
    if answer.form != "differentiated":
        assert answer(ask, NUMBER) == (2.5, 2, 2.5 + 0j, True, False)
    else:
        assert answer(lambda x: (bool(x), bool(x < 0), ask(x.detach())), NUMBER) == (
            True,
            False,
            (2.5, 2, 2.5, True, False),
        )


@pytest.mark.parametrize("name", NOT_OF_WHAT_IS_DIFFERENTIATED)
def test_a_number_of_what_is_differentiated_is_refused(name):
    with pytest.raises(sg.GradientError, match="stop_gradient"):
        in_a_transform(NOT_OF_WHAT_IS_DIFFERENTIATED[name], NUMBER, live=True)


def test_what_follows_from_places_is_whole(answer):
    ask = lambda x: (operator.index(xp.argmax(x)), int(xp.count_nonzero(x > 2)), [10, 20, 30, 40, 50, 60][xp.argmin(x)])
    assert answer(ask, MATRIX) == (5, 4, 10)


def test_truth_of_several_numbers_is_refused(answer):
    def ask(x):
        with pytest.raises((ValueError, sg.GradientError), match="ambiguous"):
            bool(x)

    answer(ask, MATRIX)


def test_constants_speak_dlpack():
    def ask(x):
        taken = np.from_dlpack(x)
        assert x.__dlpack_device__() == (1, 0)
        with pytest.raises(BufferError):
            x.__dlpack__(copy=False)
        return type(taken), taken.tolist()

    assert in_a_transform(ask, MATRIX) == (np.ndarray, MATRIX.tolist())


def test_from_dlpack_keeps_the_history():
    assert sg.grad(lambda x: xp.sum(xp.from_dlpack(x) ** 2))(np.array([1.0, 3.0])).tolist() == [2.0, 6.0]
    t = sg.tensor([1.0, 3.0], requires_grad=True)
    xp.sum(xp.from_dlpack(t, copy=True) ** 2).backward()
    assert t.grad.tolist() == [2.0, 6.0]


# ------------------------------------------------------------------------------------------------------ promotion

_INTEGERS = ("int8", "int16", "int32", "int64")
_NATURALS = ("uint8", "uint16", "uint32", "uint64")


def table():
    """The standard's type promotion table: what two dtypes make, where it says so."""
    found = {("bool", "bool"): "bool"}
    for kinds in (_INTEGERS, _NATURALS):
        found |= {(a, b): kinds[max(kinds.index(a), kinds.index(b))] for a, b in itertools.product(kinds, kinds)}
    for u, i in itertools.product(_NATURALS[:3], _INTEGERS):
        found[u, i] = found[i, u] = _INTEGERS[max(_NATURALS.index(u) + 1, _INTEGERS.index(i))]
    for wide, narrow in itertools.product(("64", "32"), repeat=2):
        most = max(wide, narrow)
        found["float" + wide, "float" + narrow] = "float" + most
        names = {"32": "64", "64": "128"}
        found["complex" + names[wide], "complex" + names[narrow]] = "complex" + names[most]
        found["float" + wide, "complex" + names[narrow]] = "complex" + names[most]
        found["complex" + names[narrow], "float" + wide] = "complex" + names[most]
    return found


@pytest.mark.parametrize("form", ["tensor", "constant"])
def test_dtypes_are_promoted_as_the_standards_table_says(form):
    for (first, second), expected in table().items():
        a, b = np.ones(2, first), np.ones(2, second)
        signs = [operator.or_ if first == "bool" else operator.add, operator.eq]
        got = FORMS[form](
            lambda x, y, signs=signs: [np.dtype(str(s(x, y).dtype).rpartition(".")[2]) for s in signs], a, b
        )
        assert got == [np.dtype(expected), np.bool], (first, second)
        assert xp.result_type(getattr(xp, first), getattr(xp, second)) == np.dtype(expected)


@pytest.mark.parametrize("form", ["tensor", "constant"])
@pytest.mark.parametrize("name", DTYPES)
def test_numbers_of_pythons_take_the_dtype_of_the_array(form, name):
    kind = np.dtype(name).kind
    scalars = {"b": [True], "i": [2, True], "u": [2], "f": [2, 2.5, True], "c": [2, 2.5, 1j]}[kind]
    sign = operator.or_ if kind == "b" else operator.mul
    for s in scalars:
        both = FORMS[form](lambda x, s=s: [str(sign(x, s).dtype), str(sign(s, x).dtype)], np.ones(2, name))
        assert [d.rpartition(".")[2] for d in both] == [name, name], s


def test_arrays_of_no_dimensions_take_part_in_promotion():
    def ask(x):
        narrow = xp.asarray([1.0, 2.0], dtype=xp.float32)
        return (narrow * xp.asarray(2.0, dtype=xp.float64)).dtype, (narrow * 2.0).dtype, (xp.asarray(2) + x).dtype

    assert in_a_transform(ask, MATRIX) == (np.float64, np.float32, np.float64)


# ---------------------------------------------------------------------------------------------------- broadcasting

SHAPES = [
    ((), (3,)), ((3,), ()), ((1,), (4,)), ((2, 1), (3,)), ((2, 3), (1, 3)), ((4, 1, 3), (2, 1)), ((0, 3), (1, 3)),
    ((1, 0), (3, 1)), ((), ()), ((2, 2, 1, 1), (2, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_shapes_are_broadcast(answer, first, second):
    a, b = np.full(first, 2.0), np.full(second, 3.0)
    shape = np.broadcast_shapes(first, second)
    ask = lambda x, y: [tuple(v.shape) for v in (x + y, x * y, x < y, xp.hypot(x, y), *xp.broadcast_arrays(x, y))]
    assert answer(ask, a, b) == [shape] * 6


def test_shapes_that_do_not_fit_are_refused(answer):
    def ask(x, y):
        with pytest.raises(ValueError, match="broadcast|shape|size"):
            x + y
        x += x[:1]  # the shape of what is written to stays
        with pytest.raises(ValueError, match="broadcast|shape|size"):
            y += x[None]

    if answer.form != "differentiated":
        answer(ask, np.ones(3), np.ones(2))


def test_an_index_out_of_bounds_is_refused(answer):
    def ask(x):
        for index in (7, (0, 3), (0, 0, 0), (slice(None), -4)):
            with pytest.raises(IndexError):
                x[index]

    answer(ask, MATRIX)


def test_a_number_is_written_to_an_array_of_no_dimensions():
    def f(x):
        a = xp.asarray(x, copy=True)
        a[()] = 3 * x
        return a * a

    assert sg.grad(f)(0.5) == 9.0
