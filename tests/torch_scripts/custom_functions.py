"""Defining new autograd functions and extending torch.autograd."""

import numpy as np
import torch
import torch.nn as nn
from numpy.fft import irfft2, rfft2
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


N, D_in, H, D_out = 16, 20, 10, 5
x = torch.randn(N, D_in)
y = torch.randn(N, D_out)
w1 = torch.randn(D_in, H, requires_grad=True)
w2 = torch.randn(H, D_out, requires_grad=True)
losses = []
for t in range(50):
    relu = MyReLU.apply
    y_pred = relu(x.mm(w1)).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    losses.append(loss.item())
    loss.backward()
    with torch.no_grad():
        w1 -= 1e-5 * w1.grad
        w2 -= 1e-5 * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
assert losses[-1] < losses[0]


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter('bias', None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        return LinearFunction.apply(input, self.weight, self.bias)

    def extra_repr(self):
        return 'input_features={}, output_features={}, bias={}'.format(
            self.input_features, self.output_features, self.bias is not None
        )


print(Linear(3, 2))
Linear(3, 2)(torch.ones(4, 3)).sum().backward()
from torch.autograd import gradcheck
inputs = (torch.randn(4, 3, dtype=torch.double, requires_grad=True), torch.randn(2, 3, dtype=torch.double, requires_grad=True), None)
print(gradcheck(LinearFunction.apply, inputs, eps=1e-6, atol=1e-4))


class MulConstant(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None


assert MulConstant.apply(torch.ones(2, requires_grad=True), 3.0).sum().item() == 6.0


class BadFFTFunction(Function):
    @staticmethod
    def forward(ctx, input):
        numpy_input = input.detach().numpy()
        result = abs(rfft2(numpy_input))
        return input.new(result)

    @staticmethod
    def backward(ctx, grad_output):
        numpy_go = grad_output.numpy()
        result = irfft2(numpy_go)
        return grad_output.new(result)


def incorrect_fft(input):
    return BadFFTFunction.apply(input)


input = torch.randn(8, 8, requires_grad=True)
result = incorrect_fft(input)
print(result.shape)
result.backward(torch.randn(result.size()))


class NumpySort(Function):
    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output, _):
        (ind,) = ctx.saved_tensors
        result = np.empty(ind.shape)
        np.put_along_axis(result, ind.numpy(), grad_output.numpy(), 0)
        return torch.tensor(result)

    @staticmethod
    def forward(ctx, x):
        ind = np.argsort(x.detach().numpy(), axis=0)
        result = np.take_along_axis(x.detach().numpy(), ind, axis=0)
        ind = torch.tensor(ind)
        ctx.mark_non_differentiable(ind)
        ctx.save_for_backward(ind)
        return torch.tensor(result), ind


x = torch.tensor([3.0, 1.0, 2.0], dtype=torch.double, requires_grad=True)
s, i = NumpySort.apply(x)
(s * torch.tensor([1.0, 2.0, 3.0], dtype=torch.double)).sum().backward()
assert x.grad.tolist() == [3.0, 1.0, 2.0]


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result


x = torch.tensor(1.0, requires_grad=True)
g, = torch.autograd.grad(Exp.apply(x), x, create_graph=True)
g2, = torch.autograd.grad(g, x)
assert torch.isclose(g2, torch.e ** torch.tensor(1.0)) if hasattr(torch, "e") else True


class ScipyConv2d(Module):
    def __init__(self, filter_width, filter_height, bias=True):
        super(ScipyConv2d, self).__init__()
        self.filter = Parameter(torch.randn(filter_width, filter_height))
        self.bias = Parameter(torch.randn(1, 1))


module = ScipyConv2d(3, 3)
print("Filter and bias: ", list(module.parameters()))


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.lambd, None


x = torch.ones(2, requires_grad=True)
GradReverse.apply(x, 0.5).sum().backward()
assert torch.equal(x.grad, torch.tensor([-0.5, -0.5]))
