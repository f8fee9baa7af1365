"""Ways in which what a function reads by names, from other functions, containers and arrays can change."""

import builtins
import collections
import functools
import itertools
import sys
import types
import warnings
from inspect import isgeneratorfunction

import numpy as np

import symgrad as sg

ROWS = {}


def row(make, name=None):
    name = name or make.__name__
    assert name not in ROWS and isgeneratorfunction(make)
    ROWS[name] = make
    return make


def of_scale(make):
    """A row of a function that gives the function of x, which reads the SCALE of its module."""

    def change(patch):
        yield make()
        patch.setitem(make.__globals__, "SCALE", 5.0)

    row(change, make.__name__)


def rows(entries):
    """A row per entry of the dictionary that a function gives: a function of x, and what gets which value by a name."""
    for name in entries():

        def change(patch, name=name):
            yield entries()[name][0]
            owner, key, value = entries()[name][1:]
            (patch.setitem if isinstance(owner, dict) else patch.setattr)(owner, key, value)

        row(change, name)


def cubes(x):
    return (x**3).sum()


# ------------------------------------------------------------------------------------------------------------- names

SCALE = 2.0
TABLE = {"c": 2.0}
VECTOR = np.full(3, 2.0)


def scale():
    return 2.0


@rows
def of_the_module():
    return {
        "a_global": (lambda x: SCALE * cubes(x), globals(), "SCALE", 5.0),
        "a_name_of_pythons_in_the_module": (lambda x: max(1.0, 2.0) * cubes(x), globals(), "max", lambda a, b: 5.0),
        "a_name_of_pythons_in_python": (lambda x: len((1, 2)) * cubes(x), globals(), "len", lambda a: 5),
        "a_function_of_the_module": (lambda x: scale() * cubes(x), globals(), "scale", lambda: 5.0),
        "the_function_under_the_sum": (lambda x: 2.0 * cubes(x), globals(), "cubes", lambda x: 2.5 * (x**3).sum()),
        "globals_as_a_dictionary": (lambda x: globals()["SCALE"] * cubes(x), globals(), "SCALE", 5.0),
        "a_text_that_is_evaluated": (lambda x: eval("SCALE") * cubes(x), globals(), "SCALE", 5.0),
        "a_dictionary_of_the_module": (lambda x: TABLE["c"] * cubes(x), TABLE, "c", 5.0),
        "an_array_of_the_module": (lambda x: (VECTOR * x**3).sum(), globals(), "VECTOR", np.full(3, 5.0)),
    }  # fmt: skip


@row
def a_global_that_goes_for_one_of_python(patch):
    patch.setattr(builtins, "SOME_SCALE", 5.0, raising=False)
    patch.setitem(globals(), "SOME_SCALE", 2.0)
    yield lambda x: SOME_SCALE * cubes(x)  # noqa: F821
    patch.delitem(globals(), "SOME_SCALE")


def not_yet():
    def f(x):
        try:
            c = NOT_YET  # noqa: F821
        except:  # noqa: E722
            c = 2.0
        return c * cubes(x)

    return f


@row
def a_name_that_python_gets(patch):
    yield not_yet()
    patch.setattr(builtins, "NOT_YET", 5.0, raising=False)


@row
def a_name_that_the_module_gets(patch):
    yield not_yet()
    patch.setitem(globals(), "NOT_YET", 5.0)


@row
def a_function_of_a_function_of_the_module(patch):
    def inner():
        return scale()

    yield lambda x: inner() * cubes(x)
    patch.setitem(globals(), "scale", lambda: 5.0)


@row
def a_variable_of_a_closure(patch):
    c = 2.0
    yield lambda x: c * cubes(x)
    c = 5.0


@row
def a_variable_two_closures_deep(patch):
    c = 2.0

    def make():
        def f(x):
            return c * cubes(x)

        return f

    yield make()
    c = 5.0


@row
def a_cell_that_is_written_to(patch):
    c = 2.0

    def f(x):
        return c * cubes(x)

    yield f
    f.__closure__[f.__code__.co_freevars.index("c")].cell_contents = 5.0


@row
def a_cell_that_is_filled_later(patch):
    def f(x):
        try:
            return c * cubes(x)
        except:  # noqa: E722
            return 2.0 * cubes(x)

    yield f
    c = 5.0


@row
def a_function_that_sets_the_variable_of_another(patch):
    c = 2.0

    def change():
        nonlocal c
        c = 5.0

    yield lambda x: c * cubes(x)
    change()


@row
def a_function_that_writes_to_its_own_variable(patch):
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return (2.0 if count < 10**6 else 5.0) * cubes(x)

    yield f
    count = 10**6


@row
def a_function_that_writes_to_a_global(patch):
    patch.setitem(globals(), "COUNT", 0)

    def f(x):
        global COUNT
        COUNT += 1
        return (2.0 if COUNT < 10**6 else 5.0) * cubes(x)

    yield f
    globals()["COUNT"] = 10**6


@row
def a_function_in_a_namespace_of_its_own(patch):
    space = {"c": 2.0, "cubes": cubes}
    exec("def f(x): return c * cubes(x)", space)
    yield space["f"]
    space["c"] = 5.0


@row
def a_class_of_names_that_has_more_than_a_dictionary(patch):
    class Names(dict):
        def __missing__(self, name):
            if name == "c":
                return self["scale"]
            raise KeyError(name)

    space = Names(scale=2.0, cubes=cubes)
    exec("def f(x): return c * cubes(x)", space)
    yield space["f"]
    space["scale"] = 5.0


@row
def an_import_within(patch):
    module = types.ModuleType("some_settings")
    module.c = 2.0
    patch.setitem(sys.modules, "some_settings", module)

    def f(x):
        import some_settings

        return some_settings.c * cubes(x)

    yield f
    module.c = 5.0


@row
def an_import_of_a_name_within(patch):
    module = types.ModuleType("some_settings")
    module.c = 2.0
    patch.setitem(sys.modules, "some_settings", module)

    def f(x):
        from some_settings import c

        return c * cubes(x)

    yield f
    module.c = 5.0


# --------------------------------------------------------------------------------------------- functions and their kin


@row
def a_default(patch):
    def f(x, c=2.0):
        return c * cubes(x)

    yield f
    f.__defaults__ = (5.0,)


@row
def a_default_by_keyword(patch):
    def f(x, *, c=2.0):
        return c * cubes(x)

    yield f
    f.__kwdefaults__["c"] = 5.0


@row
def a_list_as_default(patch):
    def f(x, c=[2.0]):  # noqa: B006
        return c[0] * cubes(x)

    yield f
    f.__defaults__[0][0] = 5.0


@row
def a_default_of_an_inner_function(patch):
    def inner(c=2.0):
        return c

    yield lambda x: inner() * cubes(x)
    inner.__defaults__ = (5.0,)


@row
def the_code_of_a_function(patch):
    def inner():
        return 2.0

    yield lambda x: inner() * cubes(x)
    inner.__code__ = (lambda: 5.0).__code__


@row
def the_code_of_the_function_itself(patch):
    def f(x):
        return 2.0 * cubes(x)

    yield f
    f.__code__ = (lambda x: 5.0 * cubes(x)).__code__


@row
def an_attribute_of_the_function(patch):
    def f(x):
        return f.c * cubes(x)

    f.c = 2.0
    yield f
    f.c = 5.0


@row
def an_attribute_of_the_function_with_a_name_of_numpys(patch):
    def f(x):
        return inner.size * cubes(x)

    def inner():
        return 1.0

    inner.size = 2.0
    yield f
    inner.size = 5.0


@row
def an_attribute_that_a_function_gets_later(patch):
    def inner():
        return 1.0

    def f(x):
        try:
            c = inner.size
        except:  # noqa: E722
            c = 2.0
        return c * cubes(x)

    yield f
    inner.size = 5.0


@row
def the_keywords_of_a_partial_function(patch):
    f = functools.partial(lambda x, c: c * cubes(x), c=2.0)
    yield f
    f.keywords["c"] = 5.0


@row
def a_list_in_the_arguments_of_a_partial_function(patch):
    c = [2.0]
    yield functools.partial(lambda c, x: c[0] * cubes(x), c)
    c[0] = 5.0


@row
def the_state_of_a_partial_function(patch):
    f = functools.partial(lambda c, x: c * cubes(x), 2.0)
    yield f
    f.__setstate__((f.func, (5.0,), {}, {}))


@of_scale
def a_partial_function_of_ones_own():
    class Partial(functools.partial):
        def __call__(self, x):
            return SCALE * super().__call__(x)

    return Partial(lambda x: cubes(x))


@of_scale
def a_decorated_function():
    def scaled(f):
        @functools.wraps(f)
        def inner(x):
            return SCALE * f(x)

        return inner

    return scaled(lambda x: cubes(x))


@row
def a_function_of_single_dispatch(patch):
    @functools.singledispatch
    def c(kind):
        return 2.0

    yield lambda x: c(1) * cubes(x)
    c.register(int, lambda kind: 5.0)


@row
def what_a_cache_keeps(patch):
    @functools.lru_cache
    def c():
        return SCALE

    yield lambda x: c() * cubes(x)
    patch.setitem(globals(), "SCALE", 5.0)
    c.cache_clear()


@row
def a_cache_in_a_dictionary(patch):
    cache = {}

    def c():
        if "c" not in cache:
            cache["c"] = SCALE
        return cache["c"]

    yield lambda x: c() * cubes(x)
    patch.setitem(globals(), "SCALE", 5.0)
    cache.clear()


@of_scale
def a_derivative_within():
    def inner(c):
        return SCALE * c

    slope = sg.grad(inner)
    return lambda x: slope(1.0) * cubes(x)


@row
def a_derivative_that_gets_another_function(patch):
    slope = sg.grad(lambda c: 2.0 * c)
    yield lambda x: slope(1.0) * cubes(x)
    slope.function = lambda c: 5.0 * c


@row
def a_float_of_an_array(patch):
    c = np.array(2.0)
    yield lambda x: float(c) * cubes(x)
    c[...] = 5.0


@row
def a_generator_that_ends(patch):
    numbers = itertools.repeat(2.0, 10**6)
    yield lambda x: next(numbers, 5.0) * cubes(x)
    collections.deque(numbers, maxlen=0)


@row
def an_iterator_over_a_list(patch):
    numbers = iter([2.0] * 10**4)

    def f(x):
        for c in numbers:
            return c * cubes(x)
        return 5.0 * cubes(x)

    yield f
    list(numbers)


@row
def a_zip_that_ends(patch):
    pairs = zip([2.0] * 10**4, itertools.count())

    def f(x):
        for c, _ in pairs:
            return c * cubes(x)
        return 5.0 * cubes(x)

    yield f
    list(pairs)


@row
def a_coroutine_that_is_sent_to(patch):
    def settings():
        c = 2.0
        while True:
            c = (yield c) or c

    numbers = settings()
    next(numbers)
    yield lambda x: next(numbers) * cubes(x)
    numbers.send(5.0)


@row
def a_counter(patch):
    count = itertools.count()
    yield lambda x: (2.0 if next(count) < 10**6 else 5.0) * cubes(x)
    collections.deque(itertools.islice(count, 10**6), maxlen=0)


@row
def a_count_of_calls_in_a_list(patch):
    calls = []

    def f(x):
        calls.append(1)
        return (2.0 if len(calls) < 10**6 else 5.0) * cubes(x)

    yield f
    calls.extend([1] * 10**6)


@row
def a_count_of_calls_in_an_array(patch):
    calls = np.zeros(1)

    def f(x):
        calls[0] += 1
        return (2.0 if calls[0] < 10**6 else 5.0) * cubes(x)

    yield f
    calls[0] = 10**6


# ---------------------------------------------------------------------------------------------------------- containers


@row
def a_dictionary(patch):
    p = {"c": 2.0}
    yield lambda x: p["c"] * cubes(x)
    p["c"] = 5.0


@row
def a_dictionary_by_get(patch):
    p = {}
    yield lambda x: p.get("c", 2.0) * cubes(x)
    p["c"] = 5.0


@row
def the_order_of_a_dictionary(patch):
    p = {"a": 2.0, "b": 5.0}
    yield lambda x: [*p.values()][-2] * cubes(x)
    p["a"] = p.pop("a")


@row
def the_keys_of_a_dictionary(patch):
    p = {2.0: "a"}
    yield lambda x: max(p) * cubes(x)
    del p[2.0]
    p[5.0] = "a"


@row
def a_list(patch):
    p = [2.0]
    yield lambda x: p[-1] * cubes(x)
    p.append(5.0)


@row
def the_length_of_a_list(patch):
    p = [0, 0]
    yield lambda x: len(p) * cubes(x)
    p += [0, 0, 0]


@row
def lists_in_a_dictionary_in_a_tuple(patch):
    p = ({"a": [[2.0]]},)
    yield lambda x: p[0]["a"][0][0] * cubes(x)
    p[0]["a"][0][0] = 5.0


@row
def a_list_of_functions(patch):
    p = [lambda: 2.0]
    yield lambda x: p[0]() * cubes(x)
    p[0] = lambda: 5.0


@row
def a_function_in_a_dictionary_that_reads_a_list(patch):
    q = [2.0]
    p = {"c": lambda: q[0]}
    yield lambda x: p["c"]() * cubes(x)
    q[0] = 5.0


@row
def a_set(patch):
    p = {2.0}
    yield lambda x: max(p) * cubes(x)
    p.add(5.0)


@row
def a_default_dictionary(patch):
    p = collections.defaultdict(lambda: SCALE)
    yield lambda x: p["c"] * cubes(x)
    p["c"] = 5.0


@row
def a_deque(patch):
    p = collections.deque([2.0], maxlen=1)
    yield lambda x: p[0] * cubes(x)
    p.append(5.0)


@row
def a_chain_of_dictionaries(patch):
    p = collections.ChainMap({}, {"c": 2.0})
    yield lambda x: p["c"] * cubes(x)
    p["c"] = 5.0


@row
def a_view_of_a_dictionary(patch):
    p = {"c": 2.0}
    values = p.values()
    yield lambda x: sum(values) * cubes(x)
    p["c"] = 5.0


@row
def a_dictionary_that_is_not_to_be_changed(patch):
    p = {"c": 2.0}
    proxy = types.MappingProxyType(p)
    yield lambda x: proxy["c"] * cubes(x)
    p["c"] = 5.0


@row
def bytes_that_change(patch):
    p = bytearray([2])
    yield lambda x: p[0] * cubes(x)
    p[0] = 5


@row
def a_method_of_a_list(patch):
    p = [2.0]
    get = p.__getitem__
    yield lambda x: get(0) * cubes(x)
    p[0] = 5.0


@row
def a_method_of_a_dictionary(patch):
    p = {"c": 2.0}
    get = p.get
    yield lambda x: get("c") * cubes(x)
    p["c"] = 5.0


@row
def a_list_that_is_an_element_of_itself(patch):
    p = [2.0]
    p.append(p)
    yield lambda x: p[1][1][0] * cubes(x)
    p[0] = 5.0


@row
def a_slice_of_a_list_that_is_assigned(patch):
    p = [1.0, 1.0]
    yield lambda x: sum(p) * cubes(x)
    p[:] = [5.0]


# -------------------------------------------------------------------------------------------------------------- arrays


@row
def an_array(patch):
    c = np.full(3, 2.0)
    yield lambda x: (c * x**3).sum()
    c[:] = 5.0


@row
def the_base_of_a_view(patch):
    base = np.full(9, 2.0)
    c = base[1:7:2]
    yield lambda x: (c * x**3).sum()
    base[:] = 5.0


@row
def a_view_of_the_array(patch):
    c = np.full((3, 1), 2.0)
    other = c.T
    yield lambda x: (c[:, 0] * x**3).sum()
    other[...] = 5.0


@row
def memory_that_is_shared(patch):
    memory = bytearray(np.full(3, 2.0).tobytes())
    c = np.frombuffer(memory)
    yield lambda x: (c * x**3).sum()
    memory[:] = np.full(3, 5.0).tobytes()


@row
def the_sign_of_zeros(patch):
    c = np.zeros(3)
    yield lambda x: ((3.5 - 1.5 * np.copysign(1.0, c)) * x**3).sum()
    np.negative(c, out=c)


@row
def the_shape_of_an_array(patch):
    c = np.ones((2, 5))
    yield lambda x: c.shape[0] * cubes(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        c.shape = (5, 2)


@row
def the_dtype_of_an_array(patch):
    c = np.array([2, 0, 0, 0, 0], np.int32)[:1]

    def f(x):
        return (2.0 if c.dtype == np.int32 else 5.0) * cubes(x)

    yield f
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        c.dtype = np.uint32


@row
def a_number_of_numpys_in_an_array(patch):
    c = np.array(2.0)
    yield lambda x: c * cubes(x)
    c[()] = 5.0


@row
def indices(patch):
    k, c = np.array([0]), np.array([2.0, 5.0])
    yield lambda x: c[k[0]] * cubes(x)
    k[0] = 1


@row
def a_mask(patch):
    mask = np.array([True, False])
    yield lambda x: np.array([2.0, 5.0])[mask][0] * cubes(x)
    np.logical_not(mask, out=mask)


@row
def an_array_of_objects(patch):
    c = np.array([2.0, None], object)
    yield lambda x: c[0] * cubes(x)
    c[0] = 5.0


@row
def a_record(patch):
    c = np.array([(2.0, 1)], [("c", float), ("n", int)])
    yield lambda x: c["c"][0] * cubes(x)
    c["c"] = 5.0


@row
def a_masked_array(patch):
    c = np.ma.array([2.0, 3.0], mask=[False, True])
    yield lambda x: float(c.sum()) * cubes(x)
    c.mask = False


@of_scale
def an_array_of_a_class_of_its_own():
    class Scaled(np.ndarray):
        def sum(self, *args, **options):
            return SCALE

    c = np.ones(3).view(Scaled)
    return lambda x: c.sum() * cubes(x)


@row
def an_array_in_a_list(patch):
    p = [np.full(3, 2.0)]
    yield lambda x: (p[0] * x**3).sum()
    p[0][:] = 5.0


@row
def an_array_that_two_names_have(patch):
    c = np.full(3, 2.0)
    p = {"c": c}
    yield lambda x: (p["c"] * x**3).sum()
    c += 3.0


@row
def a_large_array(patch):
    c = np.full(100_000, 2.0)
    yield lambda x: (c[-3:] * x**3).sum()
    c[-3:] = 5.0


@row
def a_tensor(patch):
    c = sg.tensor(np.full(3, 2.0))
    yield lambda x: (c * x**3).sum()
    c += 3.0


@row
def a_tensor_that_shares_memory(patch):
    data = np.full(3, 2.0)
    c = sg.from_numpy(data)
    yield lambda x: (c * x**3).sum()
    data[:] = 5.0


@row
def an_array_of_symgrad(patch):
    c = sg.numpy.zeros(3) + 2.0
    yield lambda x: (c * x**3).sum()
    c[:] = 5.0


@row
def whether_a_tensor_asks_for_gradients(patch):
    c = sg.tensor(1.0)
    yield lambda x: (5.0 if c.requires_grad else 2.0) * cubes(x)
    c.requires_grad_()


@row
def a_sparse_array(patch):
    from scipy.sparse import csr_array

    c = csr_array(np.diag(np.full(3, 2.0)))
    yield lambda x: x @ (c @ x**2)
    c.data[:] = 5.0
