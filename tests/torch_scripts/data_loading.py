"""Datasets and DataLoaders, the quickstart's training loop, and a sampler."""

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, WeightedRandomSampler, random_split

torch.manual_seed(0)
np.random.seed(0)

X = torch.randn(100, 4)
w_true = torch.tensor([1.0, -2.0, 0.5, 0.0])
y = (X @ w_true + 0.1 * torch.randn(100) > 0).long()
dataset = TensorDataset(X, y)
train_dataset, val_dataset = random_split(dataset, [80, 20])
train_loader = DataLoader(train_dataset, batch_size=16, shuffle=True, num_workers=0, pin_memory=True, drop_last=True)
val_loader = DataLoader(val_dataset, batch_size=20)
assert len(train_loader) == 5

device = (
    "cuda"
    if torch.cuda.is_available()
    else "mps"
    if torch.backends.mps.is_available()
    else "cpu"
)
print(f"Using {device} device")


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(4, 32),
            nn.ReLU(),
            nn.Dropout(p=0.1),
            nn.BatchNorm1d(32),
            nn.Linear(32, 2)
        )

    def forward(self, x):
        x = self.flatten(x)
        logits = self.linear_relu_stack(x)
        return logits


model = NeuralNetwork().to(device)
print(model)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-1)


def train(dataloader, model, loss_fn, optimizer):
    size = len(dataloader.dataset)
    model.train()
    for batch, (X, y) in enumerate(dataloader):
        X, y = X.to(device), y.to(device)
        pred = model(X)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 2 == 0:
            loss, current = loss.item(), (batch + 1) * len(X)
            print(f"loss: {loss:>7f}  [{current:>5d}/{size:>5d}]")


def test(dataloader, model, loss_fn):
    size = len(dataloader.dataset)
    num_batches = len(dataloader)
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for X, y in dataloader:
            X, y = X.to(device), y.to(device)
            pred = model(X)
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()
    test_loss /= num_batches
    correct /= size
    print(f"Test Error: \n Accuracy: {(100*correct):>0.1f}%, Avg loss: {test_loss:>8f} \n")


for t in range(2):
    print(f"Epoch {t+1}\n-------------------------------")
    train(train_loader, model, loss_fn, optimizer)
    test(val_loader, model, loss_fn)

features, labels = next(iter(train_loader))
print(f"Feature batch shape: {features.size()}")
print(f"Labels batch shape: {labels.size()}")


class Sentences(Dataset):
    def __init__(self, transform=None):
        self.rows = [[1, 2, 3], [4], [5, 6]]
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        sample = {"tokens": torch.LongTensor(self.rows[idx]), "label": idx % 2}
        return self.transform(sample) if self.transform else sample


def collate_fn(batch):
    tokens = pad_sequence([b["tokens"] for b in batch], batch_first=True, padding_value=0)
    return tokens, torch.tensor([b["label"] for b in batch]), torch.tensor([len(b["tokens"]) for b in batch])


for tokens, label, lengths in DataLoader(Sentences(), batch_size=3, collate_fn=collate_fn):
    print(tokens, label, lengths)
    packed = nn.utils.rnn.pack_padded_sequence(
        nn.Embedding(7, 5)(tokens), lengths, batch_first=True, enforce_sorted=False
    )
    out, h = nn.GRU(5, 6, batch_first=True)(packed)
    out, lens = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
    assert out.shape == (3, 3, 6)

weights = 1.0 / torch.bincount(y)[y].float()
sampler = WeightedRandomSampler(weights, num_samples=50, replacement=True)
loader = DataLoader(dataset, batch_size=10, sampler=sampler)
print(sum(yb.sum().item() for _, yb in loader))
print(len(Subset(dataset, range(10))), len(torch.utils.data.ConcatDataset([dataset, dataset])))
