"""Operations as a user defines them: they have no row in the table, so neither a program nor a pattern."""

import symgrad as sg


def pointwise(L, name, value, slope):
    """A function of a library's that saves its argument: ``value(x)``, whose backward is ``slope(x, g)``."""

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return value(x)

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return slope(x, g)

    own = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (L.autograd.Function,), own)


Cube = pointwise(sg, "Cube", lambda x: x**3, lambda x, g: 3 * x**2 * g)


def _square_slope_on_arrays(x, g):
    """No derivative flows through it."""
    return sg.tensor(2 * x.detach().numpy() * g.detach().numpy())


SquareOnArrays = pointwise(sg, "SquareOnArrays", lambda x: x * x, _square_slope_on_arrays)


class Identity(sg.autograd.Function):
    """A copy of x, whose backward hands on the gradient that it is given."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g


def exp_in_place(ctx, a):
    """A forward that writes its result over its argument and saves it."""
    ctx.mark_dirty(a)
    a.exp_()
    ctx.save_for_backward(a)
    return a


def times_saved(ctx, g):
    """Its backward."""
    return g * ctx.saved_tensors[0]
