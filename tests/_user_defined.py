"""Operations as a user defines them: they have no row in the table, so neither a program nor a pattern."""

import symgrad as sg


class Cube(sg.autograd.Function):
    """x³."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


class SquareOnArrays(sg.autograd.Function):
    """x², whose backward computes on arrays: no derivative flows through it."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return sg.tensor(2 * x.detach().numpy() * g.detach().numpy())


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
