"""torch.func: Jacobians, Hessians, per-sample gradients, ensembles, neural tangent kernels, MAML."""

from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap

_ = torch.manual_seed(0)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


D = 4
weight = torch.randn(D, D)
bias = torch.randn(D)
x = torch.randn(D)


def compute_jac(xp):
    jacobian_rows = [torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in torch.eye(D)]
    return torch.stack(jacobian_rows)


xp = x.clone().requires_grad_()
jacobian = compute_jac(xp)
_, vjp_fn = vjp(partial(predict, weight, bias), x)
ft_jacobian, = vmap(vjp_fn)(torch.eye(D))
assert torch.allclose(ft_jacobian, jacobian)
assert torch.allclose(jacrev(predict, argnums=2)(weight, bias, x), jacobian)
assert torch.allclose(jacfwd(predict, argnums=2)(weight, bias, x), jacobian)
ft_jac_weight, ft_jac_bias = jacrev(predict, argnums=(0, 1))(weight, bias, x)
assert ft_jac_weight.shape == (D, D, D)
hess = hessian(predict, argnums=2)(weight, bias, x)
assert torch.allclose(hess, jacrev(jacrev(predict, argnums=2), argnums=2)(weight, bias, x), atol=1e-6)
batch = torch.randn(6, D)
batch_hess = vmap(hessian(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, batch)
print(batch_hess.shape)


def hvp(f, primals, tangents):
    return jvp(grad(f), primals, tangents)[1]


def f(x):
    return x.sin().sum()


t = torch.randn(D)
assert torch.allclose(hvp(f, (x,), (t,)), -x.sin() * t)


class SimpleCNN(nn.Module):
    def __init__(self):
        super(SimpleCNN, self).__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, 1)
        self.fc1 = nn.Linear(4 * 3 * 3, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        output = F.log_softmax(x, dim=1)
        return output


batch_size = 3
data = torch.randn(batch_size, 1, 8, 8)
targets = torch.randint(10, (batch_size,))
model = SimpleCNN()
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}


def compute_loss(params, buffers, sample, target):
    batch = sample.unsqueeze(0)
    targets = target.unsqueeze(0)
    predictions = functional_call(model, (params, buffers), (batch,))
    loss = F.nll_loss(predictions, targets)
    return loss


ft_compute_grad = grad(compute_loss)
ft_compute_sample_grad = vmap(ft_compute_grad, in_dims=(None, None, 0, 0))
ft_per_sample_grads = ft_compute_sample_grad(params, buffers, data, targets)


def compute_grad(sample, target):
    prediction = model(sample.unsqueeze(0))
    loss = F.nll_loss(prediction, target.unsqueeze(0))
    return torch.autograd.grad(loss, list(model.parameters()))


per_sample_grads = [compute_grad(data[i], targets[i]) for i in range(batch_size)]
per_sample_grads = [torch.stack(shards) for shards in zip(*per_sample_grads)]
for per_sample_grad, ft_per_sample_grad in zip(per_sample_grads, ft_per_sample_grads.values()):
    assert torch.allclose(per_sample_grad, ft_per_sample_grad, atol=3e-3, rtol=1e-5)


class SimpleMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


models = [SimpleMLP() for _ in range(5)]
params, buffers = stack_module_state(models)
import copy
base_model = copy.deepcopy(models[0])
base_model = base_model.to("meta") if False else base_model


def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))


minibatch = torch.randn(7, 4)
predictions = torch.vmap(fmodel, in_dims=(0, 0, None))(params, buffers, minibatch)
assert predictions.shape == (5, 7, 2)
assert torch.allclose(predictions, torch.stack([m(minibatch) for m in models]), atol=1e-6)
predictions2 = vmap(fmodel, in_dims=(0, 0, None), randomness="same")(params, buffers, minibatch)

net, net_params = models[0], dict(models[0].named_parameters())


def fnet_single(params, x):
    return functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)


def empirical_ntk(fnet_single, params, x1, x2):
    jac1 = vmap(jacrev(fnet_single), (None, 0))(params, x1)
    jac1 = [j.flatten(2) for j in jac1.values()]
    jac2 = vmap(jacrev(fnet_single), (None, 0))(params, x2)
    jac2 = [j.flatten(2) for j in jac2.values()]
    result = torch.stack([torch.einsum('Naf,Mbf->NMab', j1, j2) for j1, j2 in zip(jac1, jac2)])
    return result.sum(0)


ntk = empirical_ntk(fnet_single, {k: v.detach() for k, v in net_params.items()}, minibatch, minibatch)
print(ntk.shape)


def inner(params, x, y, lr=0.1):
    def loss(p):
        return F.mse_loss(functional_call(net, p, (x,)), y)
    grads, value = grad_and_value(loss)(params)
    return {k: p - lr * grads[k] for k, p in params.items()}, value


def maml(params, x, y):
    new, _ = inner(params, x, y)
    return F.mse_loss(functional_call(net, new, (x,)), y)


meta = grad(maml)({k: v.detach() for k, v in net_params.items()}, minibatch, torch.zeros(7, 2))
print({k: tuple(v.shape) for k, v in meta.items()})

from torch.autograd.functional import hessian as old_hessian, jacobian as old_jacobian
print(old_jacobian(lambda v: v ** 2, torch.ones(3)).diag(), old_hessian(lambda v: (v ** 3).sum(), torch.ones(3)).shape)
