"""An operation of one's own: its rule, checked against finite differences; and what the check says of a wrong one."""

import symgrad as sg
from symgrad.autograd import Function, GradcheckError, gradcheck, gradgradcheck


class Kepler(Function):
    """The eccentric anomaly E of the mean anomaly M: the solution of E - e sin(E) = M.

    It is found by Newton's method, and differentiated by the equation, not by the steps that solved it:
    with d = 1 - e cos(E), dE/dM = 1/d and dE/de = sin(E)/d.
    """

    @staticmethod
    def forward(ctx, M, e):
        E = M
        for _ in range(20):
            E = E - (E - e * sg.sin(E) - M) / (1 - e * sg.cos(E))
        ctx.save_for_backward(e, E)
        return E

    @staticmethod
    def backward(ctx, g):
        e, E = ctx.saved_tensors  # written in tensor operations: it can be differentiated again
        d = 1 - e * sg.cos(E)
        return g / d, (g * sg.sin(E) / d).sum()


class Wrong(Kepler):
    """The same with a slip: in the derivative in e the sine is missing."""

    @staticmethod
    def backward(ctx, g):
        e, E = ctx.saved_tensors
        d = 1 - e * sg.cos(E)
        return g / d, (g / d).sum()


def main():
    M = sg.tensor([0.5, 1.0, 2.0], requires_grad=True, name="M")
    e = sg.tensor(0.3, requires_grad=True, name="e")

    E = Kepler.apply(M, e)
    print("E      ", E)
    assert (E - e * sg.sin(E) - M).abs().max() < 1e-14, "Kepler's equation"
    speed, slope = sg.autograd.grad(E.sum(), (M, e), create_graph=True)
    print("dE/dM  ", speed.detach())
    print("dE/de  ", slope.detach(), "(summed over the three)")
    print("d²E/dM²", sg.autograd.grad(speed.sum(), M)[0])

    print("first derivatives agree with finite differences: ", gradcheck(Kepler.apply, (M, e)))
    print("second derivatives agree with finite differences:", gradgradcheck(Kepler.apply, (M, e)))

    try:
        gradcheck(Wrong.apply, (M, e))
    except GradcheckError as error:
        print("\nThe wrong rule is found out:\n  " + str(error).replace("\n", "\n  "))
    else:
        raise AssertionError("the wrong rule passed")


if __name__ == "__main__":
    main()
