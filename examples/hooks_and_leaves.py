"""Which tensors get a `.grad`, and how to see or change the gradients of the others."""

import symgrad as sg


def leaves():
    print("Leaves are what you made; only they get .grad.")
    a, b, d = (sg.tensor(v, requires_grad=True) for v in ([1.0, 2.0], [3.0, 4.0], [2.0]))
    c = a + b
    e = c * d
    e.sum().backward()
    for name, tensor in dict(a=a, b=b, d=d).items():
        print(f"  {name}: leaf {tensor.is_leaf!s:5}  grad {tensor.grad}")
    print(f"  c: leaf {c.is_leaf!s:5}  made by {c.grad_fn.name()}")
    print(f"  e: leaf {e.is_leaf!s:5}  made by {e.grad_fn.name()}")


def retained():
    print("retain_grad, before backward, keeps the gradient of an intermediate tensor.")
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.retain_grad()
    (y**2).sum().backward()
    print(f"  y.grad {y.grad}")
    print(f"  x.grad {x.grad}")


def hooked():
    print("A hook sees a gradient on its way, and may replace it.")
    x = sg.ones(2, 2, requires_grad=True)
    y = x + 2
    seen = []
    y.register_hook(seen.append)
    y.register_hook(lambda gradient: gradient / gradient.norm())
    (y * y * 3).mean().backward()
    print(f"  the gradient that arrived: {seen[0].tolist()}")
    print(f"  what went on to x, scaled to norm 1: {x.grad.tolist()}")


def walk():
    print("The graph can be walked from grad_fn.")
    w, x, b = (sg.tensor(v, requires_grad=True) for v in (2.0, 3.0, 1.0))
    out = sg.tanh(w * x + b)
    todo = [(out.grad_fn, 1)]
    while todo:
        node, depth = todo.pop()
        print("  " * depth + type(node).__name__)
        todo += [(parent, depth + 1) for parent, _ in node.next_functions if parent is not None]


if __name__ == "__main__":
    for show in (leaves, retained, hooked, walk):
        show()
        print()
