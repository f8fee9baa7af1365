"""What backward needs of a graph: using it twice, differentiating it, cutting it, writing to it; each case is asserted.

The rules are those of PyTorch. Cases 1 to 6 are in `hooks_and_leaves.py`.
"""

import symgrad as sg
from symgrad.autograd import grad


def graph_used_once():
    """Backward frees what the graph saved. A second one needs retain_graph=True in the first."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    y.sum().backward()
    try:
        y.mean().backward()
    except RuntimeError as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0][:90]}…")
    else:
        raise AssertionError("the values that were saved are gone")
    y, x.grad = x**2, None
    y.sum().backward(retain_graph=True)
    y.mean().backward()
    print(f"retained: x.grad {x.grad}, the sum of both")
    assert x.grad.tolist() == [3.0, 6.0]


def graph_of_the_gradient():
    """create_graph=True records the sweep itself, so that the gradient can be differentiated, and read as a formula."""
    x = sg.tensor(2.0, requires_grad=True, name="x")
    y, orders = x**5, []
    for _ in range(6):
        (y,) = grad(y, x, create_graph=True)
        orders.append((y.item(), str(y.formula())))
    print(*(f"{formula} = {value:.0f}" for value, formula in orders), sep=", ")
    assert [value for value, _ in orders] == [80, 160, 240, 240, 120, 0]


def detached():
    """detach gives a leaf without history that shares the memory: the gradient does not pass, what is written does."""
    x = sg.tensor([3.0, 4.0], requires_grad=True)
    cut = (doubled := 2 * x).detach()
    (x * cut).sum().backward()
    cut[0] = 100.0
    print(f"d(x · detach(2x)) = {x.grad}, not 4x; after a write to the cut: {doubled.tolist()}")
    assert x.grad.tolist() == [6.0, 8.0] and cut.is_leaf and doubled.tolist() == [100.0, 8.0]


def in_place():
    """A leaf may not be changed while recording is on; a value that was saved may not have changed at backward."""
    w = sg.tensor([1.0, 2.0], requires_grad=True)
    y = sg.exp(w)
    z = y.sum()
    for name, action in (("w += 1", lambda: w.add_(1)), ("y saved, then changed", lambda: (y.zero_(), z.backward()))):
        try:
            action()
        except RuntimeError as error:
            print(f"{name}: {str(error).splitlines()[0][:90]}…")
        else:
            raise AssertionError("a wrong gradient")
    squares = w**2
    squares.mul_(3)  # recorded like any operation; nothing needs the old value
    squares.sum().backward()
    assert w.grad.tolist() == [6.0, 12.0] and squares._version == 1


def views():
    """A view shares memory and history with its base: a write to one is seen, and differentiated, in the other."""
    x = sg.tensor(5.0, requires_grad=True)
    base = sg.zeros(2, 2)
    base[0].mul_(0).add_(x)  # a row of the base
    (base * sg.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    print(f"base {base.tolist()}, d(1·b00 + 10·b01 + …)/dx = {x.grad}")
    assert base.tolist() == [[5.0, 5.0], [0.0, 0.0]] and x.grad.item() == 11.0


def twice():
    """Double backward: a loss that contains a gradient, and a product with a Hessian that is never formed."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    (slope,) = grad((x**3).sum(), x, create_graph=True)
    (slope**2).sum().backward()  # (3x²)², whose derivative is 36x³
    (slope,) = grad(x[0] ** 2 * x[1] ** 3, x, create_graph=True)
    (product,) = grad(slope, x, grad_outputs=sg.tensor([1.0, 0.0]))
    print(f"d‖3x²‖² = {x.grad}; a column of the Hessian of x₀²x₁³: {product}")
    assert x.grad.tolist() == [36.0, 288.0] and product.tolist() == [16.0, 24.0]


CASES = (graph_used_once, graph_of_the_gradient, detached, in_place, views, twice)

if __name__ == "__main__":
    for number, case in enumerate(CASES, 7):
        print(f"{number}. {case.__doc__}")
        case()
        print()
