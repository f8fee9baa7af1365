"""Which tensors get a `.grad`, when, and how to see or change the gradients of the others: each case is asserted.

The rules are those of PyTorch. `graphs_and_writes.py` goes on with cases 7 to 12.
"""

import warnings

import symgrad as sg
from symgrad.autograd import grad


def leaves():
    """Leaves are what you made: only those that require a gradient get .grad. What is computed is no leaf."""
    a, b, data = sg.tensor([1.0, 2.0], requires_grad=True), sg.tensor([3.0, 4.0], requires_grad=True), sg.tensor([2.0])
    c = a * b
    reshaped = sg.ones(4, requires_grad=True).reshape(2, 2)
    (c * data).sum().backward()
    print(f"a: leaf {a.is_leaf}, grad {a.grad}; data: leaf {data.is_leaf}, grad {data.grad}")
    print(f"c = a·b: leaf {c.is_leaf}, made by {c.grad_fn.name()}; a reshaped leaf: leaf {reshaped.is_leaf}")
    assert a.grad.tolist() == [6.0, 8.0] and b.grad.tolist() == [2.0, 4.0] and data.grad is None
    assert a.is_leaf and data.is_leaf and not c.is_leaf and not reshaped.is_leaf


def retained():
    """Gradients of intermediate tensors are dropped. retain_grad, before backward, keeps them, and changes none."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y, z = x * 3, x * 3
    y.retain_grad()
    (y * z).sum().backward()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dropped = z.grad
    print(f"y.grad {y.grad}, z.grad {dropped}: {str(caught[0].message).splitlines()[0][:70]}…")
    assert y.grad.tolist() == [3.0, 6.0] and dropped is None and x.grad.tolist() == [18.0, 36.0]


def hooks():
    """Hooks see a tensor's whole gradient, in the order of registration; each may replace it for those that follow."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x + 2
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g.clamp(max=7.0))
    handle = y.register_hook(lambda g: seen.append(g.tolist()))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(f"x.grad is {leaf.grad.tolist()}"))
    (y**2).sum().backward()
    handle.remove()
    print(*seen, sep=", then ")
    assert seen == [[6.0, 8.0], [6.0, 7.0], "x.grad is [6.0, 7.0]"]


def accumulated():
    """backward adds to .grad: parts of a batch add up. Clear it between steps; autograd.grad leaves it alone."""
    x = sg.tensor(2.0, requires_grad=True)
    seen = []
    for _ in range(3):
        (x * 3).backward()
        seen.append(x.grad.item())
    x.grad = None
    (apart,) = grad(x**2, x)
    print(f"three times backward: {seen}; autograd.grad returns {apart.item()} and leaves .grad {x.grad}")
    assert seen == [3.0, 6.0, 9.0] and apart.item() == 4.0 and x.grad is None


def not_recorded():
    """Under no_grad nothing is recorded, which is how a step of descent may write to a leaf."""
    x = sg.tensor(1.0, requires_grad=True)
    for _ in range(3):
        (x**2).backward()
        with sg.no_grad():
            assert not (x * 2).requires_grad
            x -= 0.25 * x.grad
        x.grad = None
    print(f"three steps down x²: {x.item()}, still a leaf: {x.is_leaf}")
    assert x.item() == 0.125 and x.is_leaf and x.requires_grad


def walked():
    """The graph can be walked from grad_fn; leaves are represented by an AccumulateGrad."""
    w, x, b = (sg.tensor(v, requires_grad=True) for v in (2.0, 3.0, 1.0))
    todo, names = [(sg.tanh(w * x + b).grad_fn, 1)], []
    while todo:
        node, depth = todo.pop()
        names.append(type(node).__name__)
        print("  " * depth + names[-1])
        todo += [(parent, depth + 1) for parent, _ in node.next_functions if parent is not None]
    assert names == ["TanhBackward0", "AddBackward0", "AccumulateGrad", "MulBackward0", *["AccumulateGrad"] * 2]


CASES = (leaves, retained, hooks, accumulated, not_recorded, walked)

if __name__ == "__main__":
    for number, case in enumerate(CASES, 1):
        print(f"{number}. {case.__doc__}")
        case()
        print()
