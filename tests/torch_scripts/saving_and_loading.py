"""Saving and loading models: state_dict, checkpoints, whole models, part of a model."""

import os
import tempfile
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

PATH = os.path.join(tempfile.mkdtemp(), "model.pt")


class TheModelClass(nn.Module):
    def __init__(self):
        super(TheModelClass, self).__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.bn = nn.BatchNorm2d(6)
        self.fc1 = nn.Linear(6 * 2 * 2, 10)
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        x = self.pool(F.relu(self.bn(self.conv1(x))))
        x = x.view(-1, 6 * 2 * 2)
        return self.fc1(x)


model = TheModelClass()
optimizer = optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
print("Model's state_dict:")
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    print(var_name, "\t", optimizer.state_dict()[var_name])

torch.save(model.state_dict(), PATH)
other = TheModelClass()
print(other.load_state_dict(torch.load(PATH, weights_only=True)))
other.eval()
model.eval()
x = torch.randn(2, 3, 8, 8)
assert torch.equal(model(x), other(x))

model.train()
loss = F.cross_entropy(model(x), torch.tensor([1, 2]))
loss.backward()
optimizer.step()
torch.save({
    'epoch': 5,
    'model_state_dict': model.state_dict(),
    'optimizer_state_dict': optimizer.state_dict(),
    'loss': loss,
}, PATH)
model2 = TheModelClass()
optimizer2 = optim.SGD(model2.parameters(), lr=0.1)
checkpoint = torch.load(PATH, weights_only=False)
model2.load_state_dict(checkpoint['model_state_dict'])
optimizer2.load_state_dict(checkpoint['optimizer_state_dict'])
epoch = checkpoint['epoch']
assert optimizer2.param_groups[0]["lr"] == 0.001 and epoch == 5
print(checkpoint['loss'])

partial = OrderedDict((k, v) for k, v in model.state_dict().items() if not k.startswith("fc1"))
missing = model2.load_state_dict(partial, strict=False)
print(missing.missing_keys, missing.unexpected_keys)
try:
    model2.load_state_dict(partial)
except RuntimeError as e:
    print(e)

checkpoint = torch.load(PATH, map_location=torch.device('cpu'), weights_only=False)
checkpoint = torch.load(PATH, map_location="cpu", weights_only=False)

t = torch.tensor([1., 2.])
torch.save(t, PATH)
print(torch.load(PATH))
d = {"a": torch.tensor([1., 2.]), "b": torch.tensor([3., 4.])}
torch.save(d, PATH)
print(torch.load(PATH))

import io
buffer = io.BytesIO()
torch.save(model.state_dict(), buffer)
buffer.seek(0)
model2.load_state_dict(torch.load(buffer))

import copy
best = copy.deepcopy(model.state_dict())
with torch.no_grad():
    for p in model.parameters():
        p.add_(torch.randn_like(p))
model.load_state_dict(best)
pretrained = {k: v for k, v in best.items() if k in model2.state_dict()}
model_dict = model2.state_dict()
model_dict.update(pretrained)
model2.load_state_dict(model_dict)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
