"""`nn.Buffer`, and batch norms without running statistics, beside PyTorch's."""

import pytest

import symgrad as sg

from ._edges import check_edge

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def state(module):
    return [name for name, _ in module.named_buffers()], list(module.state_dict())


@case
def assigned(L, F):
    m = L.nn.Module()
    m.a, m.b = L.nn.Buffer(L.ones(2)), L.nn.Buffer(L.zeros(2), persistent=False)
    return state(m), m.a, m.b.persistent, [isinstance(t, L.nn.Buffer) for t in (m.a, L.ones(1), L.nn.Parameter(m.b))]


@case
def in_place_of_one_another(L, F):
    m = L.nn.Module()
    m.register_buffer("a", L.ones(2), persistent=False)
    m.a = L.nn.Buffer(L.zeros(2))
    seen = [state(m)]
    m.a = L.nn.Buffer(L.zeros(2), persistent=False)
    seen.append(state(m))
    m.a = L.full((2,), 3.0)
    seen += [state(m), m.a]
    m.a = None
    return seen, state(m)


@case
def over_an_attribute(L, F):
    m = L.nn.Module()
    m.a = 3
    m.a = L.nn.Buffer(L.ones(2))
    return state(m), m.a


@case
def over_a_parameter(L, F):
    m = L.nn.Module()
    m.a = L.nn.Parameter(L.ones(2))
    try:
        m.a = L.nn.Buffer(L.ones(2))
    except TypeError as error:
        return state(m), len(list(m.parameters())), str(error)[:13]


@case
def before_init(L, F):
    class Net(L.nn.Module):
        def __init__(self):
            self.a = L.nn.Buffer(L.ones(2))

    Net()


@case
def of_nothing_and_with_a_gradient(L, F):
    x = L.ones(2, requires_grad=True)
    b = L.nn.Buffer(x)
    return tuple(L.nn.Buffer().shape), b, b.is_leaf, b.data_ptr() == x.data_ptr()


@case
def moved_and_loaded(L, F):
    m = L.nn.Module()
    m.a = L.nn.Buffer(L.ones(2))
    m.load_state_dict({"a": L.full((2,), 4.0)})
    return m.a.clone(), m.half().a.dtype == L.float16, state(m)


@case
def batch_norms(L, F):
    net = L.nn.Sequential(L.nn.Linear(2, 3), L.nn.BatchNorm1d(3), L.nn.Sequential(L.nn.BatchNorm2d(1)))
    norm = F.replace_all_batch_norm_modules_(L.nn.BatchNorm1d(2))
    same = F.replace_all_batch_norm_modules_(net) is net
    x = L.arange(4.0).reshape(2, 2)
    return same, state(net), state(norm), norm.track_running_stats, norm(x), norm.eval()(x)


@case
def group_norms_stay(L, F):
    net = F.replace_all_batch_norm_modules_(L.nn.InstanceNorm1d(2, track_running_stats=True))
    return state(net), net.track_running_stats


@case
def functionalized(L, F):
    def f(x):
        x.view(-1).add_(1)
        return x * x

    x = L.ones(2)
    return F.functionalize(f)(x), x, F.grad(F.functionalize(lambda x: x.clone().mul_(x).sum()))(L.ones(2))


@case
def functionalized_otherwise(L, F):
    return F.functionalize(lambda x: x, remove="views")(L.ones(1))


@case
def nested(L, F):
    return L.ones(2).is_nested


@pytest.mark.parametrize("name", CASES)
def test_as_in_pytorch(name):
    check_edge(CASES[name])


def test_a_module_with_a_buffer_is_copied():
    import copy
    import pickle

    m = sg.nn.Linear(2, 1)
    m.mean = sg.nn.Buffer(sg.ones(2))
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert isinstance(other.mean, sg.nn.Buffer) and state(other) == state(m)
