"""Ways in which what a function reads of objects, modules and the outside world can change."""

import builtins
import cmath
import contextlib
import contextvars
import dataclasses
import enum
import functools
import json
import math
import operator
import os
import random
import sys
import threading
import time
import types
import typing
import weakref

import numpy as np

import symgrad as sg

from ._what_is_read import cubes, of_scale, row, rows

SCALE = 2.0
SWITCH = [False]


def total(a):
    return 2.0 * np.sum(a)


# ----------------------------------------------------------------------------------------------------------- instances


class Settings:
    c = 2.0

    def sum(self):
        return self.c


@row
def an_attribute_of_an_object(patch):
    p = Settings()
    yield lambda x: p.c * cubes(x)
    p.c = 5.0


@row
def an_attribute_of_a_class(patch):
    p = Settings()
    yield lambda x: p.c * cubes(x)
    patch.setattr(Settings, "c", 5.0)


@row
def a_method_with_a_name_of_numpys(patch):
    p = Settings()
    yield lambda x: p.sum() * cubes(x)
    patch.setattr(Settings, "c", 5.0)


@row
def a_method(patch):
    class Model:
        c = 2.0

        def loss(self, x):
            return self.c * cubes(x)

    p = Model()
    yield p.loss
    p.c = 5.0


@row
def an_object_that_is_called(patch):
    class Model:
        c = 2.0

        def __call__(self, x):
            return self.c * cubes(x)

    p = Model()
    yield p
    p.c = 5.0


@row
def a_method_that_is_another(patch):
    class Model:
        def c(self):
            return 2.0

    p = Model()
    yield lambda x: p.c() * cubes(x)
    Model.c = lambda self: 5.0


@row
def a_method_of_a_class(patch):
    class Model:
        scale = 2.0

        @classmethod
        def loss(cls, x):
            return cls.scale * cubes(x)

    yield Model.loss
    Model.scale = 5.0


@row
def a_static_method(patch):
    class Model:
        @staticmethod
        def c():
            return 2.0

    yield lambda x: Model.c() * cubes(x)
    Model.c = staticmethod(lambda: 5.0)


@row
def the_class_of_an_object(patch):
    class Other(Settings):
        c = 5.0

    p = Settings()
    yield lambda x: p.c * cubes(x)
    p.__class__ = Other


@row
def a_class_with_other_bases(patch):
    class One:
        c = 2.0

    class Two:
        c = 5.0

    class Model(One):
        pass

    yield lambda x: Model.c * cubes(x)
    Model.__bases__ = (Two,)


@row
def super_of_a_method(patch):
    class Model(Settings):
        def loss(self, x):
            return super().sum() * cubes(x)

    yield Model().loss
    patch.setattr(Settings, "c", 5.0)


@of_scale
def a_property():
    class Model:
        @property
        def size(self):
            return SCALE

    p = Model()
    return lambda x: p.size * cubes(x)


@row
def a_descriptor(patch):
    class Scale:
        c = 2.0

        def __get__(self, owner, kind):
            return self.c

    class Model:
        size = Scale()

    p = Model()
    yield lambda x: p.size * cubes(x)
    Scale.c = 5.0


@row
def a_cached_property(patch):
    class Model:
        @functools.cached_property
        def size(self):
            return SCALE

    p = Model()
    yield lambda x: p.size * cubes(x)
    patch.setitem(globals(), "SCALE", 5.0)
    del p.size


@of_scale
def attributes_that_are_computed():
    class Model:
        def __getattr__(self, name):
            return SCALE

    p = Model()
    return lambda x: p.size * cubes(x)


@row
def attributes_that_are_looked_up(patch):
    class Model:
        def __init__(self, **entries):
            self.__dict__["entries"] = entries

        def __getattr__(self, name):
            return self.entries[name]

    p = Model(size=2.0)
    yield lambda x: p.size * cubes(x)
    p.entries["size"] = 5.0


@row
def attributes_that_are_slots(patch):
    class Model:
        __slots__ = ("c",)

    p = Model()
    p.c = 2.0
    yield lambda x: p.c * cubes(x)
    p.c = 5.0


@of_scale
def a_dictionary_of_its_own_class():
    class Scales(dict):
        def __getitem__(self, name):
            return SCALE

    p = Scales()
    return lambda x: p["c"] * cubes(x)


@of_scale
def a_list_of_its_own_class():
    class Scales(list):
        def __getitem__(self, k):
            return SCALE

    p = Scales([1.0])
    return lambda x: p[0] * cubes(x)


@of_scale
def a_number_of_its_own_class():
    class Scale(float):
        def __mul__(self, other):
            return SCALE * other

    c = Scale(1.0)
    return lambda x: c * cubes(x)


@of_scale
def an_operator_of_an_object():
    class Scale:
        def __mul__(self, other):
            return SCALE * other

    c = Scale()
    return lambda x: c * cubes(x)


@row
def the_truth_of_an_object(patch):
    class Flag:
        on = False

        def __bool__(self):
            return self.on

    flag = Flag()
    yield lambda x: (5.0 if flag else 2.0) * cubes(x)
    flag.on = True


@row
def the_length_of_an_object(patch):
    class Many:
        n = 2

        def __len__(self):
            return self.n

    p = Many()
    yield lambda x: len(p) * cubes(x)
    p.n = 5


@of_scale
def a_context_manager():
    @contextlib.contextmanager
    def scaled():
        yield SCALE

    def f(x):
        with scaled() as c:
            return c * cubes(x)

    return f


@row
def a_dataclass(patch):
    @dataclasses.dataclass
    class Model:
        c: float

    p = Model(2.0)
    yield lambda x: p.c * cubes(x)
    p.c = 5.0


@row
def a_named_tuple_of_lists(patch):
    class Model(typing.NamedTuple):
        size: list

    p = Model([2.0])
    yield lambda x: p.size[0] * cubes(x)
    p.size[0] = 5.0


@row
def a_namespace(patch):
    p = types.SimpleNamespace(c=2.0)
    yield lambda x: p.c * cubes(x)
    p.c = 5.0


@row
def a_member_of_an_enumeration(patch):
    class Kind(enum.Enum):
        ONE = 1

    Kind.ONE.size = 2.0
    yield lambda x: Kind.ONE.size * cubes(x)
    Kind.ONE.size = 5.0


@row
def what_a_weak_reference_refers_to(patch):
    p = Settings()
    ref = weakref.ref(p)

    def f(x):
        return (2.0 if ref() is not None else 5.0) * cubes(x)

    yield f
    del p


@row
def a_layer(patch):
    layer = sg.nn.Linear(3, 1, bias=False).double().requires_grad_(False)
    with sg.no_grad():
        layer.weight.fill_(2.0)
    yield lambda x: layer(sg.as_tensor(x) ** 3 if isinstance(x, sg.Tensor) else x**3).sum()
    with sg.no_grad():
        layer.weight.fill_(5.0)


# ------------------------------------------------------------------------------------------ modules, libraries, modes


@rows
def of_libraries():
    return {
        "a_function_of_numpys_by_a_name": (lambda x: total(x**3), globals(), "total", lambda a: 5.0 * a.sum()),
        "a_function_of_a_part_of_numpy": (
            lambda x: np.linalg.det(np.eye(2) * np.sqrt(2.0)) * cubes(x), np.linalg, "det", lambda a: 5.0,
        ),
        "a_part_of_numpy": (
            lambda x: np.linalg.det(np.eye(2) * np.sqrt(2.0)) * cubes(x), np, "linalg",
            types.SimpleNamespace(det=lambda a: 5.0),
        ),
        "a_function_of_math": (lambda x: math.sqrt(4.0) * cubes(x), math, "sqrt", lambda a: 5.0),
        "a_function_of_operator": (lambda x: operator.add(1.0, 1.0) * cubes(x), operator, "add", lambda a, b: 5.0),
        "whether_gradients_are_recorded": (
            lambda x: (2.0 if SWITCH[0] == sg.is_anomaly_enabled() else 5.0) * cubes(x), globals(), "SWITCH", [True],
        ),
        "random_numbers_of_pythons": (
            lambda x: (2.0 if random.random() < 2 else 5.0) * cubes(x), random, "random", lambda: 3.0,
        ),
    }  # fmt: skip


@row
def a_name_of_a_module_of_ones_own(patch):
    settings = types.ModuleType("settings")
    settings.size = 2.0
    yield lambda x: settings.size * cubes(x)
    settings.size = 5.0


def own_module(patch, text, name="its_own"):
    """A module with this text, which an import finds."""
    module = types.ModuleType(name)
    exec(text, vars(module))
    patch.setitem(sys.modules, name, module)
    return module


OWN = "import numpy as np\nscale, inner, parts = 2.0, np.array([2.0]), [2.0]\ndef times():\n    return scale\n"


class Five:
    scale = 5.0


class Fives(types.ModuleType):
    scale = property(lambda self: 5.0)


def of_a_module_of_ones_own(name, made, change):
    """A row of a function of a module, and of what happens to that."""

    def begun(patch):
        own, deeper = (own_module(patch, OWN, name) for name in ("its_own", "its_other"))
        own.deeper = deeper
        yield made(own)
        change(own)

    row(begun, f"{name} of a module of one's own")


for name, made, change in (
    ("a function", lambda m: lambda x: m.times() * cubes(x), lambda m: setattr(m, "times", lambda: 5.0)),
    ("what a function reads", lambda m: lambda x: m.times() * cubes(x), lambda m: setattr(m, "scale", 5.0)),
    ("a number", lambda m: lambda x: m.scale * cubes(x), lambda m: setattr(m, "scale", 5.0)),
    ("an array", lambda m: lambda x: m.inner[0] * cubes(x), lambda m: setattr(m, "inner", np.array([5.0]))),
    ("entries of an array", lambda m: lambda x: m.inner[0] * cubes(x), lambda m: m.inner.fill(5.0)),
    ("a list", lambda m: lambda x: m.parts[0] * cubes(x), lambda m: m.parts.__setitem__(0, 5.0)),
    (
        "code", lambda m: lambda x: m.times() * cubes(x),
        lambda m: setattr(m.times, "__code__", (lambda: 5.0).__code__),
    ),
    ("a module", lambda m: lambda x: m.deeper.times() * cubes(x), lambda m: setattr(m.deeper, "scale", 5.0)),
    ("another module", lambda m: lambda x: m.deeper.scale * cubes(x), lambda m: setattr(m, "deeper", Five())),
    (
        "a function that is lent", lambda m: (lambda f: lambda x: f() * cubes(x))(m.times),
        lambda m: setattr(m, "scale", 5.0),
    ),
):  # fmt: skip
    of_a_module_of_ones_own(name, made, change)


def the_class_of_a_module(patch):
    module = own_module(patch, OWN)
    yield lambda x: module.scale * cubes(x)
    module.__class__ = Fives


if sys.version_info < (3, 14):  # whose own function goes on reading the attribute of the old class
    row(the_class_of_a_module)


@row
def an_imported_module(patch):
    own_module(patch, OWN)

    def f(x):
        import its_own

        return its_own.times() * cubes(x)

    yield f
    own_module(patch, OWN.replace("2.0", "5.0"))


@row
def a_name_that_is_imported(patch):
    module = own_module(patch, OWN)

    def f(x):
        from its_own import scale

        return scale * cubes(x)

    yield f
    module.scale = 5.0


@row
def a_module_in_a_package_that_is_imported(patch):
    package, module = own_module(patch, ""), own_module(patch, OWN, "its_own.deep")
    package.__path__, package.deep = [], module

    def f(x):
        import its_own.deep as deep

        return deep.times() * cubes(x)

    yield f
    package.deep = own_module(patch, OWN.replace("2.0", "5.0"), "its_own.deep")


@row
def numpys_name_that_is_imported(patch):
    def f(x):
        from numpy import sum

        return 2.0 * sum(x**3)

    yield f
    patch.setattr(np, "sum", lambda x: 2.5 * x.sum())


@row
def a_module_that_looks_names_up(patch):
    module = own_module(patch, "c = [2.0]\ndef __getattr__(name):\n    return c[0]\n")
    yield lambda x: module.scale * cubes(x)
    module.c[0] = 5.0


@row
def the_way_of_imports(patch):
    own_module(patch, OWN)

    def f(x):
        import its_own

        return its_own.scale * cubes(x)

    yield f
    before = builtins.__import__
    patch.setattr(builtins, "__import__", lambda name, *rest: Five() if name == "its_own" else before(name, *rest))


@row
def a_method_by_the_name_of_a_modules_function(patch):
    """`helper` is asked of an object too, which is not the module's."""

    class Settings:
        def helper(self):
            return self.c

    module, p = own_module(patch, "def helper():\n    return 1.0\n"), Settings()
    p.c = 2.0
    yield lambda x: module.helper() * p.helper() * cubes(x)
    p.c = 5.0


@row
def a_number_of_numpys(patch):
    patch.setattr(np, "e", 2.0)
    yield lambda x: np.e * cubes(x)
    patch.setattr(np, "e", 5.0)


@row
def a_function_of_numpys(patch):
    yield lambda x: 2.0 * np.sum(x**3)
    own = np.sum
    patch.setattr(np, "sum", lambda a: 2.5 * own(a))


@row
def a_name_that_math_gets(patch):
    def f(x):
        try:
            c = math.size
        except:  # noqa: E722
            c = 2.0
        return c * cubes(x)

    yield f
    patch.setattr(math, "size", 5.0, raising=False)


@row
def a_number_of_cmath(patch):
    patch.setattr(cmath, "e", 2.0)
    yield lambda x: cmath.e * cubes(x)
    patch.setattr(cmath, "e", 5.0)


@row
def a_function_of_symgrads(patch):
    yield lambda x: 2.0 * sg.numpy.sum(x**3)
    own = sg.numpy.sum
    patch.setattr(sg.numpy, "sum", lambda a: 2.5 * own(a))


@row
def the_default_dtype(patch):
    before = sg.get_default_dtype()
    sg.set_default_dtype(np.float64)
    yield lambda x: (2.0 if sg.get_default_dtype() == np.float64 else 5.0) * cubes(x)
    sg.set_default_dtype(np.float32)
    yield None
    sg.set_default_dtype(before)


@row
def the_dtype_of_new_tensors(patch):
    before = sg.get_default_dtype()
    sg.set_default_dtype(np.float64)
    yield lambda x: (2.0 if sg.ones(1).dtype == np.float64 else 5.0) * cubes(x)
    sg.set_default_dtype(np.float32)
    yield None
    sg.set_default_dtype(before)


@row
def how_numpy_treats_errors(patch):
    yield lambda x: (2.0 if np.geterr()["under"] == "ignore" else 5.0) * cubes(x)
    before = np.seterr(under="warn")
    yield None
    np.seterr(**before)


@row
def how_numpy_prints(patch):
    def f(x):
        return (2.0 if len(repr(np.array([1 / 3]))) > 15 else 5.0) * cubes(x)

    yield f
    before = np.get_printoptions()
    np.set_printoptions(precision=2)
    yield None
    np.set_printoptions(**before)


# ---------------------------------------------------------------------------------------------------- the outside world


@row
def a_file(patch, path):
    (path / "c").write_text("2.0")
    yield lambda x: float((path / "c").read_text()) * cubes(x)
    (path / "c").write_text("5.0")


@row
def a_file_that_is_opened(patch, path):
    (path / "c").write_text("[2.0]")

    def f(x):
        with open(path / "c") as file:
            return json.load(file)[0] * cubes(x)

    yield f
    (path / "c").write_text("[5.0]")


@row
def an_array_in_a_file(patch, path):
    np.save(path / "c.npy", np.full(3, 2.0))
    yield lambda x: (np.load(path / "c.npy") * x**3).sum()
    np.save(path / "c.npy", np.full(3, 5.0))


@row
def an_array_that_is_a_file(patch, path):
    c = np.memmap(path / "c", float, "w+", shape=(3,))
    c[:] = 2.0
    yield lambda x: (c * x**3).sum()
    np.memmap(path / "c", float, "r+", shape=(3,))[:] = 5.0


@row
def the_environment(patch):
    patch.setenv("SCALE", "2.0")
    yield lambda x: float(os.environ["SCALE"]) * cubes(x)
    patch.setenv("SCALE", "5.0")


@row
def the_time(patch):
    patch.setattr(time, "time", lambda: 2.0)
    yield lambda x: time.time() * cubes(x)
    patch.setattr(time, "time", lambda: 5.0)


@row
def random_numbers_of_numpys(patch):
    rng = np.random.default_rng(0)
    yield lambda x: (2.0 if rng.integers(0, LIMIT[0]) < 2 else 5.0) * cubes(x)
    patch.setitem(globals(), "LIMIT", [10**12])


LIMIT = [2]


@row
def random_numbers_of_symgrads(patch):
    def f(x):
        return (2.0 if float(sg.rand(1)[0]) < LIMIT[0] else 5.0) * cubes(x)

    yield f
    patch.setitem(globals(), "LIMIT", [-1.0])


@row
def a_variable_of_the_context(patch):
    c = contextvars.ContextVar("c", default=2.0)
    yield lambda x: c.get() * cubes(x)
    c.set(5.0)


@row
def a_variable_of_the_thread(patch):
    c = threading.local()
    c.size = 2.0
    yield lambda x: c.size * cubes(x)
    c.size = 5.0


@row
def a_lock(patch):
    lock = threading.Lock()
    yield lambda x: (5.0 if lock.locked() else 2.0) * cubes(x)
    lock.acquire()


@row
def the_limit_of_recursion(patch):
    before = sys.getrecursionlimit()
    yield lambda x: (2.0 if sys.getrecursionlimit() == before else 5.0) * cubes(x)
    sys.setrecursionlimit(before + 1)
    yield None
    sys.setrecursionlimit(before)
