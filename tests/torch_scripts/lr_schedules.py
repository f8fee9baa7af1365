"""A guide to learning rate schedulers, as blogs have it."""

import math

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, ReduceLROnPlateau, SequentialLR, StepLR, _LRScheduler

torch.manual_seed(42)
model = nn.Linear(10, 1)
criterion = nn.MSELoss()


def train_one(optimizer, scheduler, epochs=8):
    lrs = []
    for epoch in range(epochs):
        inputs, targets = torch.randn(4, 10), torch.randn(4, 1)
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        lrs.append(optimizer.param_groups[0]["lr"])
        scheduler.step()
    print(type(scheduler).__name__, ["%.5f" % lr for lr in lrs])
    return lrs


sgd = lambda lr=0.1: optim.SGD(model.parameters(), lr=lr, momentum=0.9)
optimizer = sgd()
lrs = train_one(optimizer, StepLR(optimizer, step_size=3, gamma=0.1))
assert abs(lrs[3] - 0.01) < 1e-12
optimizer = sgd()
train_one(optimizer, lr_scheduler.MultiStepLR(optimizer, milestones=[2, 5], gamma=0.5))
optimizer = sgd()
train_one(optimizer, lr_scheduler.ExponentialLR(optimizer, gamma=0.9))
optimizer = sgd()
lrs = train_one(optimizer, CosineAnnealingLR(optimizer, T_max=8, eta_min=0.001))
assert abs(lrs[4] - (0.001 + 0.099 * (1 + math.cos(math.pi / 2)) / 2)) < 1e-12
optimizer = sgd()
train_one(optimizer, lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=3, T_mult=2))
optimizer = sgd()
train_one(optimizer, lr_scheduler.CyclicLR(optimizer, base_lr=0.01, max_lr=0.1, step_size_up=2, mode="triangular2"))
optimizer = sgd()
train_one(optimizer, lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, steps_per_epoch=4, epochs=2))
optimizer = sgd()
train_one(optimizer, lr_scheduler.PolynomialLR(optimizer, total_iters=5, power=2.0))


def get_linear_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps, last_epoch=-1):
    def lr_lambda(current_step: int):
        if current_step < num_warmup_steps:
            return float(current_step) / float(max(1, num_warmup_steps))
        return max(
            0.0, float(num_training_steps - current_step) / float(max(1, num_training_steps - num_warmup_steps))
        )

    return LambdaLR(optimizer, lr_lambda, last_epoch)


optimizer = optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.01)
lrs = train_one(optimizer, get_linear_schedule_with_warmup(optimizer, 3, 8))
assert lrs[0] == 0.0 and max(lrs) == 1e-3

optimizer = sgd()
warmup = lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=3)
decay = lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
train_one(optimizer, SequentialLR(optimizer, schedulers=[warmup, decay], milestones=[3]))


class NoamLR(_LRScheduler):
    def __init__(self, optimizer, warmup_steps, last_epoch=-1):
        self.warmup_steps = warmup_steps
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        last_epoch = max(1, self.last_epoch)
        scale = self.warmup_steps ** 0.5 * min(last_epoch ** (-0.5), last_epoch * self.warmup_steps ** (-1.5))
        return [base_lr * scale for base_lr in self.base_lrs]


optimizer = sgd()
scheduler = NoamLR(optimizer, warmup_steps=4)
train_one(optimizer, scheduler)
print(scheduler.get_last_lr())

optimizer = sgd()
scheduler = ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=1)
for val_loss in [1.0, 0.9, 0.9, 0.9, 0.9]:
    scheduler.step(val_loss)
print(optimizer.param_groups[0]["lr"])
assert optimizer.param_groups[0]["lr"] == 0.05

state = {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}
scheduler.load_state_dict(state["scheduler"])
optimizer.load_state_dict(state["optimizer"])

ema = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.999))
ema.update_parameters(model)
swa_scheduler = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.05)
swa_scheduler.step()
