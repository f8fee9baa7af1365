"""Grad modes: as context managers, decorators, on generators, per thread."""

import threading

import pytest

import symgrad as sg


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0], requires_grad=True)


def test_grad_mode_is_enabled_at_first():
    assert sg.is_grad_enabled() is True
    assert sg.is_inference_mode_enabled() is False


def test_no_grad_records_nothing(x):
    with sg.no_grad():
        assert not sg.is_grad_enabled()
        y = x * 2
    assert sg.is_grad_enabled()
    assert not y.requires_grad
    assert y.is_leaf
    assert y.grad_fn is None


def test_no_grad_leaves_requires_grad_of_its_inputs(x):
    with sg.no_grad():
        assert x.requires_grad
        assert sg.ones(2, requires_grad=True).requires_grad


def test_no_grad_does_not_touch_a_graph_recorded_before(x):
    y = (x * 2).sum()
    with sg.no_grad():
        y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_modes_nest(x):
    with sg.no_grad():
        with sg.enable_grad():
            assert sg.is_grad_enabled()
            inner = x * 2
            with sg.no_grad():
                assert not sg.is_grad_enabled()
            assert sg.is_grad_enabled()
        assert not sg.is_grad_enabled()
    assert inner.requires_grad


def test_mode_is_restored_after_an_error():
    with pytest.raises(ZeroDivisionError), sg.no_grad():
        1 / 0
    assert sg.is_grad_enabled()


def test_a_mode_object_can_be_entered_again():
    mode = sg.no_grad()
    for _ in range(2):
        with mode:
            assert not sg.is_grad_enabled()
        assert sg.is_grad_enabled()


@pytest.mark.parametrize("mode", [True, False])
def test_set_grad_enabled_as_a_context_manager(mode, x):
    with sg.set_grad_enabled(mode):
        assert sg.is_grad_enabled() is mode
        assert (x * 2).requires_grad is mode
    assert sg.is_grad_enabled()


def test_set_grad_enabled_as_a_function(x):
    try:
        sg.set_grad_enabled(False)
        assert not sg.is_grad_enabled()
        assert not (x * 2).requires_grad
    finally:
        sg.set_grad_enabled(True)
    assert (x * 2).requires_grad


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        (sg.no_grad(), False),
        (sg.no_grad, False),
        (sg.enable_grad(), True),
        (sg.enable_grad, True),
        (sg.inference_mode(), False),
        (sg.set_grad_enabled(True), True),
    ],
    ids=["no_grad()", "no_grad", "enable_grad()", "enable_grad", "inference_mode()", "set_grad_enabled"],
)
def test_modes_as_decorators(decorator, expected, x):
    @decorator
    def double(tensor):
        "Doubles."
        return tensor * 2, sg.is_grad_enabled()

    assert double.__name__ == "double"
    assert double.__doc__ == "Doubles."
    for outer in (True, False):
        with sg.set_grad_enabled(outer):
            result, mode = double(x)
            assert mode is expected
            assert result.requires_grad is expected
            assert sg.is_grad_enabled() is outer


def test_set_grad_enabled_as_a_decorator_does_not_change_the_mode_around_it():
    @sg.set_grad_enabled(False)
    def mode():
        return sg.is_grad_enabled()

    assert sg.is_grad_enabled() is True
    assert mode() is False
    assert sg.is_grad_enabled() is True


def test_decorated_generator_runs_in_its_mode_and_yields_outside(x):
    @sg.no_grad()
    def doubles():
        for _ in range(3):
            assert not sg.is_grad_enabled()
            yield x * 2
            assert not sg.is_grad_enabled()

    for y in doubles():
        assert sg.is_grad_enabled()
        assert not y.requires_grad
    assert sg.is_grad_enabled()


def test_decorated_generator_takes_send_and_throw():
    @sg.no_grad()
    def echo():
        received = yield sg.is_grad_enabled()
        try:
            yield (received, sg.is_grad_enabled())
        except ValueError:
            yield ("caught", sg.is_grad_enabled())

    generator = echo()
    assert next(generator) is False
    assert generator.send("sent") == ("sent", False)
    assert generator.throw(ValueError()) == ("caught", False)
    assert sg.is_grad_enabled()
    generator.close()
    assert sg.is_grad_enabled()


def test_decorated_generator_returns_its_value():
    @sg.enable_grad()
    def generate():
        yield 1
        return sg.is_grad_enabled()

    def outer():
        return (yield from generate())

    with sg.no_grad():
        generator = outer()
        assert next(generator) == 1
        with pytest.raises(StopIteration) as stop:
            next(generator)
    assert stop.value.value is True


def test_grad_mode_belongs_to_its_thread():
    seen = []
    with sg.no_grad():
        thread = threading.Thread(target=lambda: seen.append(sg.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_a_thread_that_disables_gradients_disturbs_nobody(x):
    inside, outside = threading.Event(), threading.Event()

    def work():
        with sg.no_grad():
            inside.set()
            outside.wait(5)

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(5)
    recorded = (x * 2).requires_grad
    outside.set()
    thread.join()
    assert recorded is True


def test_graphs_of_two_threads_are_walked_apart():
    found = {}

    def work(k):
        x = sg.tensor(float(k), requires_grad=True)
        y = x
        for _ in range(50):
            y = y + x
        (y * y).backward()
        found[k] = x.grad.item()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: 2.0 * 51 * 51 * k for k in range(4)}


def test_inference_mode_makes_inference_tensors(x):
    with sg.inference_mode():
        assert sg.is_inference_mode_enabled()
        assert not sg.is_grad_enabled()
        y = x * 2
    assert not sg.is_inference_mode_enabled()
    assert y.is_inference()
    assert not x.is_inference()
    assert not y.requires_grad
    assert (y + 1).tolist() == [3.0, 5.0]


def test_inference_mode_can_be_off(x):
    with sg.inference_mode(False):
        assert not sg.is_inference_mode_enabled()
        assert (x * 2).requires_grad
    with sg.inference_mode(), sg.inference_mode(False):
        assert sg.is_grad_enabled()


@pytest.mark.parametrize("recording", [True, False])
def test_nothing_leaves_inference_mode_but_its_own_end(recording):
    with sg.inference_mode(), sg.set_grad_enabled(recording):
        assert sg.is_inference_mode_enabled() and sg.ones(2).is_inference()


def test_an_inference_tensor_cannot_be_saved_for_backward(x):
    with sg.inference_mode():
        constant = sg.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * constant
    assert (x + constant).requires_grad
    assert (x * constant.clone()).requires_grad


def test_an_inference_tensor_cannot_require_grad():
    with sg.inference_mode():
        constant = sg.ones(2)
    with pytest.raises(RuntimeError, match="inference tensor"):
        constant.requires_grad_()
    assert not constant.requires_grad


def test_an_inference_tensor_has_no_version():
    with sg.inference_mode():
        constant = sg.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        constant._version
    assert constant.tolist() == [1.0, 1.0]


def test_backward_sees_grad_mode_of_create_graph(x):
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(sg.is_grad_enabled()))
    (y**2).sum().backward(retain_graph=True)
    sg.autograd.grad((y**2).sum(), x, create_graph=True)
    assert seen == [False, True]


def test_mode_of_a_function_on_leaves_updates_them_in_place(x):
    with sg.no_grad():
        x -= 1
    assert x.tolist() == [0.0, 1.0]
    assert x.is_leaf and x.requires_grad


def test_detach_inside_enable_grad_still_cuts(x):
    with sg.enable_grad():
        assert not x.detach().requires_grad
