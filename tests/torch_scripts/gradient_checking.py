"""Gradient checking, double backward and anomaly detection, as in the notes on autograd mechanics."""

import warnings

import torch
from torch import autograd
from torch.autograd import Variable, gradcheck, gradgradcheck

torch.manual_seed(0)

input = (torch.randn(20, 20, dtype=torch.double, requires_grad=True),
         torch.randn(30, 20, dtype=torch.double, requires_grad=True))
test = gradcheck(torch.nn.functional.linear, input, eps=1e-6, atol=1e-4)
print(test)


def numerical_gradient(f, x, h=1e-5):
    grad = torch.zeros_like(x)
    for i in range(x.numel()):
        e = torch.zeros_like(x)
        e.view(-1)[i] = h
        grad.view(-1)[i] = (f(x + e) - f(x - e)) / (2 * h)
    return grad


def f(x):
    return torch.sum(torch.exp(-x ** 2) * torch.log1p(x.abs()))


x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
loss = f(x)
loss.backward()
with torch.no_grad():
    numeric = numerical_gradient(f, x)
diff = torch.norm(x.grad - numeric) / torch.norm(x.grad + numeric)
print("relative error: {:.2e}".format(diff.item()))
assert diff < 1e-6
assert torch.allclose(x.grad, numeric, atol=1e-6)


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone() ** 3

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x ** 2


try:
    gradcheck(Wrong.apply, (x,))
except RuntimeError as error:
    print("caught:", str(error).splitlines()[0])
assert not gradcheck(Wrong.apply, (x,), raise_exception=False)
assert gradgradcheck(lambda t: torch.tanh(t).prod(), (torch.randn(3, dtype=torch.double, requires_grad=True),))

x = Variable(torch.ones(2, 2), requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
out.backward()
print(x.grad)

x = torch.randn(3, requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
y.backward(v)
print(x.grad)

# gradient penalty
D = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.LeakyReLU(0.2), torch.nn.Linear(8, 1))
real, fake = torch.randn(5, 2), torch.randn(5, 2)
alpha = torch.rand(5, 1).expand_as(real)
interpolated = Variable(alpha * real.data + (1 - alpha) * fake.data, requires_grad=True)
prob = D(interpolated)
gradients = autograd.grad(outputs=prob, inputs=interpolated, grad_outputs=torch.ones(prob.size()),
                          create_graph=True, retain_graph=True, only_inputs=True)[0]
gradients = gradients.view(5, -1)
gradients_norm = torch.sqrt(torch.sum(gradients ** 2, dim=1) + 1e-12)
penalty = 10 * ((gradients_norm - 1) ** 2).mean()
penalty.backward()
assert D[0].weight.grad is not None

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        with autograd.detect_anomaly():
            bad = torch.tensor([0.0], requires_grad=True)
            (torch.sqrt(bad) * 0).sum().backward()
    except RuntimeError as e:
        print(str(e).splitlines()[0])

a = torch.ones(3, requires_grad=True)
b = a.exp()
b += 1
try:
    b.sum().backward()
except RuntimeError as e:
    assert "modified by an inplace operation" in str(e)
c = a.sum()
c.backward()
try:
    (a * a).sum().backward(); b2 = (a * a).sum(); b2.backward(); b2.backward()
except RuntimeError as e:
    assert "second time" in str(e)
