"""Every row records what it says, saves what its rules name, and leaves everything else alone."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import Tensor, input_gradient, saved_values

from ..helpers.cases import one_in
from ..helpers.numeric import assert_close
from ..helpers.rows import (
    ONCE,
    PAIRS,
    RECORDED,
    SAMPLED,
    arrays_of,
    call,
    gradients,
    is_float,
    leaves_of,
    rows,
    run,
    sample,
    tensors,
    wanted,
    weights,
)

# The graph -----------------------------------------------------------------------------------------------------------


@rows(RECORDED)
def test_the_results_grad_fn_is_the_rows_node(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    for o in outs:
        assert isinstance(o.grad_fn, op.node)
        assert o.grad_fn.name() == type(o.grad_fn).__name__
        assert not o.is_leaf
        assert len(o.grad_fn.next_functions) == len(ts if op.variadic else op.moving or op.inputs)


@rows([op for op in SAMPLED if op.kind == "constant"])
def test_constant_rows_record_nothing(op):
    operands, params = sample(op)
    for o in call(op, tensors(operands, [i for i, a in enumerate(operands) if is_float(a)]), params):
        assert o.grad_fn is None and not o.requires_grad and o.is_leaf


@rows(SAMPLED)
def test_without_a_leaf_or_grad_mode_nothing_is_recorded(op):
    operands, params = sample(op)
    assert all(o.grad_fn is None for o in call(op, tensors(operands, ()), params))
    with sg.no_grad():
        ts = tensors(operands, wanted(op, operands))
        assert all(o.grad_fn is None and not o.requires_grad for o in call(op, ts, params))


@rows(RECORDED)
def test_nodes_save_what_their_rules_name_and_no_more(op):
    operands, params = sample(op)
    for leaves in [[i] for i in wanted(op, operands)] + [wanted(op, operands)]:
        ts, outs = run(op, operands, params, leaves)
        node = outs[0].grad_fn
        rules = op.rule_args * len(ts) if op.variadic else op.rule_args
        asked = {name for i in leaves for name in rules[i]}
        if node.saved is None:
            assert not asked & {s for s in op.saved if s not in op.params}
            continue
        for name, value in zip(op.saved, saved_values(node), strict=True):
            if name in op.params:
                continue  # an index counts as saved, and is shared with consts
            assert (value is None) == (name not in asked), f"{name} for the gradient of {leaves}"
            if value is not None and name in op.inputs and not op.variadic:
                assert value is ts[op.inputs.index(name)]._data, f"{name} was copied"


@rows(RECORDED)
@pytest.mark.parametrize("order", "CF")
def test_rows_write_to_nothing_they_are_given(op, order):
    operands, params = sample(op)
    ts = tensors(operands, wanted(op, operands))
    for t in ts:
        if isinstance(t, Tensor):
            t._data.flags.writeable = False  # a forward function or rule that writes to it raises
    outs = [o for o in call(op, ts, params) if o.requires_grad]
    seeds = [w.copy(order) for w in weights(arrays_of(outs))]
    before = [s.copy() for s in seeds]
    for s in seeds:
        s.flags.writeable = False
    sg.autograd.grad(outs, leaves_of(ts), grad_outputs=[sg.from_numpy(s) for s in seeds])
    assert all((s == b).all() for s, b in zip(seeds, before))


@one_in(6)
@rows([op for op in RECORDED if any(op.makes)])
def test_gradients_that_a_row_makes_are_nobody_elses(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    node = outs[0].grad_fn
    for i in wanted(op, operands):
        if not op.makes[i]:
            continue
        for layout in (np.ascontiguousarray, np.asfortranarray, np.ones_like):
            g = layout(weights(arrays_of(outs))[0])
            others = [g, *(t._data for t in ts if isinstance(t, Tensor))]
            others += [v for v in saved_values(node) if isinstance(v, np.ndarray)]
            d, again = (np.asarray(input_gradient(node, i, g, False)) for _ in range(2))
            assert not any(np.shares_memory(d, other) for other in [*others, again])


@one_in(6)
@rows(RECORDED)
def test_each_gradient_is_the_same_whether_asked_for_alone_or_together(op):
    operands, params = sample(op)
    every = wanted(op, operands)
    for i, together in zip(every, gradients(op, operands, params), strict=True):
        (alone,) = gradients(op, operands, params, [i])
        np.testing.assert_array_equal(alone.numpy(), together.numpy())


@one_in(6)
@rows(RECORDED)
def test_operands_used_twice_get_both_gradients(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    again = [o for o in call(op, ts, params) if o.requires_grad]
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    found = sg.autograd.grad(outs + again, leaves_of(ts), grad_outputs=ws + ws)
    for g, once in zip(found, gradients(op, operands, params), strict=True):
        assert_close(g.numpy(), 2 * once.numpy(), rtol=1e-12, atol=1e-13)


@one_in(6)
@rows(PAIRS)
def test_broadcast_operands_used_twice_get_both_gradients(op):
    operands, params = sample(op, ((2, 3), (3,), (), (1,))[: len(op.inputs)])
    ts, outs = run(op, operands, params)
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    again = call(op, ts, params)
    found = sg.autograd.grad([*outs, *again], leaves_of(ts), grad_outputs=ws + ws)
    for g, once in zip(found, gradients(op, operands, params), strict=True):
        assert_close(g.numpy(), 2 * once.numpy(), rtol=1e-12, atol=1e-13)


@rows([op for op in SAMPLED if op.kind != "constant" and None in op.rules])
def test_an_input_without_a_rule_says_so(op):
    operands, params = sample(op)
    for i, rule in enumerate(op.rules):
        if rule is None and is_float(operands[i]):
            with pytest.raises(NotImplementedError, match="not implemented"):
                gradients(op, operands, params, [i])


# What is left alone --------------------------------------------------------------------------------------------------


@rows(SAMPLED)
def test_nothing_is_written_to(op):
    operands, params = sample(op)
    ts = tensors(operands, wanted(op, operands) if op.kind != "constant" else ())
    for t in ts:
        if isinstance(t, Tensor):
            t._data.flags.writeable = False
    outs = [o for o in call(op, ts, params) if o.requires_grad]
    values = [a.copy() for a in arrays_of(outs)]
    if outs:
        ws = [sg.tensor(w) for w in weights(values)]
        for w in ws:
            w._data.flags.writeable = False
        first = sg.autograd.grad(outs, leaves_of(ts), grad_outputs=ws, create_graph=True)
        smooth = [g for g in first if g.requires_grad]
        if smooth and op.name not in ONCE:
            sg.autograd.grad(smooth, leaves_of(ts), grad_outputs=smooth, allow_unused=True)
    for t, a in zip(ts, operands, strict=True):
        if isinstance(t, Tensor):
            np.testing.assert_array_equal(t._data, a)
    for o, a in zip(arrays_of(outs), values, strict=True):
        np.testing.assert_array_equal(o, a)


@rows([op for op in SAMPLED if op.name != "copy_from"])  # its result is copied into place at once
def test_results_are_new_memory_unless_the_row_is_a_view(op):
    operands, params = sample(op)
    ts = tensors(operands, ())
    shared = [
        np.shares_memory(o._data, t._data)
        for o in call(op, ts, params)
        for t in ts
        if isinstance(t, Tensor) and t._data.size
    ]
    assert any(shared) == op.view


@rows(RECORDED)
def test_accumulated_gradients_are_memory_of_their_own(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    sg.autograd.backward(outs, ws)
    leaves = leaves_of(ts)
    others = [*(o._data for o in outs), *(w._data for w in ws), *(t._data for t in ts if isinstance(t, Tensor))]
    for t in leaves:
        g = t.grad._data
        assert not any(np.shares_memory(g, o) for o in others)
        others.append(g)
        t.grad.zero_()  # as optimizers do
        assert not g.any()
