"""Hooks of tensors and modules: activations, gradient clipping, Grad-CAM, saved tensors."""

from collections import OrderedDict, defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)

a = torch.ones(5)
a.requires_grad = True
b = 2 * a
b.retain_grad()
b.register_hook(lambda x: print(x))
c = b.mean()
c.backward()
print(a.grad, b.grad)

v = torch.tensor([0., 0., 0.], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1., 2., 3.]))
assert v.grad.tolist() == [2.0, 4.0, 6.0]
h.remove()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(OrderedDict([
            ("conv", nn.Conv2d(3, 8, 3, padding=1)), ("bn", nn.BatchNorm2d(8)), ("relu", nn.ReLU()), ("pool", nn.MaxPool2d(2)),
        ]))
        self.classifier = nn.Linear(8 * 4 * 4, 5)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(start_dim=1))


model = Net()
activation = {}


def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()
    return hook


handle = model.features.conv.register_forward_hook(get_activation("conv"))
output = model(torch.randn(2, 3, 8, 8))
print(activation["conv"].shape)
handle.remove()

stats = defaultdict(list)
handles = []
for name, layer in model.named_modules():
    if isinstance(layer, (nn.Conv2d, nn.Linear)):
        handles.append(layer.register_forward_pre_hook(lambda m, i, name=name: stats[name].append(i[0].mean().item())))
        handles.append(layer.register_full_backward_hook(lambda m, gi, go, name=name: stats[name].append(go[0].norm().item())))
model(torch.randn(2, 3, 8, 8)).sum().backward()
assert len(stats["features.conv"]) == 2 and len(stats["classifier"]) == 2
for hd in handles:
    hd.remove()


class GradCAM:
    def __init__(self, model, target_layer):
        self.model = model
        self.gradients = None
        self.activations = None
        target_layer.register_forward_hook(self.save_activation)
        target_layer.register_full_backward_hook(self.save_gradient)

    def save_activation(self, module, input, output):
        self.activations = output

    def save_gradient(self, module, grad_input, grad_output):
        self.gradients = grad_output[0]

    def __call__(self, x, class_idx=None):
        output = self.model(x)
        if class_idx is None:
            class_idx = torch.argmax(output, dim=1)
        self.model.zero_grad()
        one_hot = torch.zeros_like(output)
        one_hot[0][class_idx] = 1
        output.backward(gradient=one_hot, retain_graph=True)
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activations).sum(dim=1, keepdim=True))
        cam = F.interpolate(cam, size=x.shape[2:], mode="bilinear", align_corners=False)
        cam = cam - cam.min()
        cam = cam / (cam.max() + 1e-8)
        return cam.squeeze().cpu().detach().numpy()


heat = GradCAM(model, model.features.conv)(torch.randn(1, 3, 8, 8))
print(heat.shape, heat.dtype)

for p in model.parameters():
    p.register_hook(lambda grad: torch.clamp(grad, -0.01, 0.01))
model.zero_grad()
model(torch.randn(4, 3, 8, 8)).pow(2).sum().backward()
assert all(p.grad.abs().max() <= 0.01 for p in model.parameters())


def pack_hook(x):
    print("Packing", x.shape)
    return x


def unpack_hook(x):
    print("Unpacking", x.shape)
    return x


a = torch.ones(5, requires_grad=True)
b = torch.ones(5, requires_grad=True) * 2
with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
    y = a * b
y.sum().backward()

x = torch.randn(5, requires_grad=True)
y = x.pow(2)
print(x.equal(y.grad_fn._saved_self), x is y.grad_fn._saved_self)
with torch.autograd.graph.save_on_cpu():
    (x * x.exp()).sum().backward()

opt = torch.optim.SGD([a], lr=0.1)


def optimizer_hook(parameter):
    opt.step()
    opt.zero_grad()


a.register_post_accumulate_grad_hook(optimizer_hook)
(a * 3).sum().backward()
print(a, a.grad)
y = torch.tensor([1.0], requires_grad=True).exp()
y.grad_fn.register_hook(lambda gi, go: print("node", gi, go))
y.backward()
print(y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())


def init_weights(m):
    if isinstance(m, nn.Linear):
        torch.nn.init.xavier_uniform_(m.weight)
        m.bias.data.fill_(0.01)


model.apply(init_weights)
