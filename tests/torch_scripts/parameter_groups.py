"""Parameter groups: a rate for each part, weight decay for some, freezing, and a closure."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW, Optimizer, lr_scheduler

torch.manual_seed(3)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(6, 12), nn.LayerNorm(12), nn.GELU(), nn.Linear(12, 12), nn.ReLU(inplace=True))
        self.classifier = nn.Linear(12, 3)

    def forward(self, x):
        return self.classifier(self.base(x))


model = Classifier()
optimizer = SGD([
    {'params': model.base.parameters(), 'lr': 1e-2},
    {'params': model.classifier.parameters()}
], lr=1e-3, momentum=0.9)
assert [g['lr'] for g in optimizer.param_groups] == [1e-2, 1e-3]
print(optimizer)


def configure_optimizers(model, weight_decay=0.1, learning_rate=3e-4, betas=(0.9, 0.95)):
    param_dict = {pn: p for pn, p in model.named_parameters()}
    param_dict = {pn: p for pn, p in param_dict.items() if p.requires_grad}
    decay_params = [p for n, p in param_dict.items() if p.dim() >= 2]
    nodecay_params = [p for n, p in param_dict.items() if p.dim() < 2]
    optim_groups = [
        {'params': decay_params, 'weight_decay': weight_decay},
        {'params': nodecay_params, 'weight_decay': 0.0}
    ]
    num_decay_params = sum(p.numel() for p in decay_params)
    print(f"num decayed parameter tensors: {len(decay_params)}, with {num_decay_params:,} parameters")
    import inspect
    fused_available = 'fused' in inspect.signature(torch.optim.AdamW).parameters
    use_fused = fused_available and torch.cuda.is_available()
    extra_args = dict(fused=True) if use_fused else dict()
    return torch.optim.AdamW(optim_groups, lr=learning_rate, betas=betas, **extra_args)


optimizer = configure_optimizers(model)
x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
scaler_enabled = False
for it in range(5):
    logits = model(x)
    loss = F.cross_entropy(logits, y, label_smoothing=0.1)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    total = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"{it} {loss.item():.4f} {total:.4f}")

for name, param in model.base.named_parameters():
    param.requires_grad_(False)
optimizer = Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2)
before = model.base[0].weight.clone()
F.cross_entropy(model(x), y).backward()
optimizer.step()
assert torch.equal(before, model.base[0].weight)

optimizer.add_param_group({'params': model.base[3].parameters(), 'lr': 1e-4})
for p in model.base[3].parameters():
    p.requires_grad = True
scheduler = lr_scheduler.LambdaLR(optimizer, lr_lambda=[lambda e: 0.95 ** e, lambda e: 1.0])
for _ in range(3):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    scheduler.step()
print([g['lr'] for g in optimizer.param_groups], scheduler.get_last_lr())

theta = torch.tensor([-1.5, 2.0], requires_grad=True)
lbfgs = torch.optim.LBFGS([theta], lr=1.0, max_iter=50, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = (1 - theta[0]) ** 2 + 100 * (theta[1] - theta[0] ** 2) ** 2
    loss.backward()
    return loss


lbfgs.step(closure)
print(theta)
assert torch.allclose(theta, torch.ones(2), atol=1e-3)


class SignSGD(Optimizer):
    def __init__(self, params, lr=1e-2, weight_decay=0.0):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                d_p = p.grad
                if group['weight_decay'] != 0:
                    d_p = d_p.add(p, alpha=group['weight_decay'])
                state = self.state[p]
                if len(state) == 0:
                    state['step'] = 0
                    state['exp_avg'] = torch.zeros_like(p, memory_format=torch.preserve_format)
                state['step'] += 1
                state['exp_avg'].mul_(0.9).add_(d_p, alpha=0.1)
                p.add_(state['exp_avg'].sign(), alpha=-group['lr'])
        return loss


net = nn.Linear(6, 3)
opt = SignSGD([{'params': [net.weight], 'weight_decay': 0.1}, {'params': [net.bias]}], lr=0.05)
first = F.cross_entropy(net(x), y).item()
for _ in range(20):
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
assert F.cross_entropy(net(x), y).item() < first
print(sum(p.abs().sum() for p in net.parameters()))
