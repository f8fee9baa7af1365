"""Classifying names with a character-level RNN, and generating text: the tutorials with a little data."""

import random
import string
import time
import unicodedata

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset

device = torch.device('cpu')
if torch.cuda.is_available():
    device = torch.device('cuda')
torch.set_default_device(device)
print(f"Using device = {torch.get_default_device()}")

allowed_characters = string.ascii_letters + " .,;'" + "_"
n_letters = len(allowed_characters)


def unicodeToAscii(s):
    return ''.join(
        c for c in unicodedata.normalize('NFD', s)
        if unicodedata.category(c) != 'Mn' and c in allowed_characters
    )


def letterToIndex(letter):
    return allowed_characters.find(letter) if letter in allowed_characters else allowed_characters.find("_")


def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][letterToIndex(letter)] = 1
    return tensor


NAMES = {"Irish": ["O'Neal", "O'Brien", "Reilly"], "Polish": ["Ślusàrski", "Nowak", "Wójcik"]}


class NamesDataset(Dataset):
    def __init__(self):
        self.data, self.labels, self.data_tensors, self.labels_tensors = [], [], [], []
        for label, names in NAMES.items():
            for name in names:
                name = unicodeToAscii(name)
                self.data.append(name)
                self.data_tensors.append(lineToTensor(name))
                self.labels.append(label)
        self.labels_uniq = list(NAMES)
        for label in self.labels:
            self.labels_tensors.append(torch.tensor([self.labels_uniq.index(label)], dtype=torch.long))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        return self.labels_tensors[idx], self.data_tensors[idx], self.labels[idx], self.data[idx]


alldata = NamesDataset()
train_set, test_set = torch.utils.data.random_split(
    alldata, [.67, .33], generator=torch.Generator(device=device).manual_seed(2024)
)
print(f"train examples = {len(train_set)}, validation examples = {len(test_set)}")


class CharRNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(CharRNN, self).__init__()
        self.rnn = nn.RNN(input_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, line_tensor):
        rnn_out, hidden = self.rnn(line_tensor)
        output = self.h2o(hidden[0])
        output = self.softmax(output)
        return output


rnn = CharRNN(n_letters, 16, len(alldata.labels_uniq))
print(rnn)


def label_from_output(output, output_labels):
    top_n, top_i = output.topk(1)
    label_i = top_i[0].item()
    return output_labels[label_i], label_i


def train(rnn, training_data, n_epoch=3, n_batch_size=2, learning_rate=0.2, criterion=nn.NLLLoss()):
    current_loss = 0
    all_losses = []
    rnn.train()
    optimizer = torch.optim.SGD(rnn.parameters(), lr=learning_rate)
    start = time.time()
    for iter in range(1, n_epoch + 1):
        rnn.zero_grad()
        batches = list(range(len(training_data)))
        random.shuffle(batches)
        for idx in range(0, len(batches), n_batch_size):
            batch_loss = 0
            for i in batches[idx:idx + n_batch_size]:
                (label_tensor, text_tensor, label, text) = training_data[i]
                output = rnn.forward(text_tensor)
                loss = criterion(output, label_tensor)
                batch_loss += loss
            batch_loss.backward()
            nn.utils.clip_grad_norm_(rnn.parameters(), 3)
            optimizer.step()
            optimizer.zero_grad()
            current_loss += batch_loss.item() / 2
        all_losses.append(current_loss / len(batches))
        current_loss = 0
    return all_losses


print(train(rnn, train_set))

confusion = torch.zeros(2, 2)
rnn.eval()
with torch.no_grad():
    for i in range(len(test_set)):
        (label_tensor, text_tensor, label, text) = test_set[i]
        guess, guess_i = label_from_output(rnn(text_tensor), alldata.labels_uniq)
        confusion[alldata.labels_uniq.index(label)][guess_i] += 1
for i in range(2):
    denom = confusion[i].sum()
    if denom > 0:
        confusion[i] = confusion[i] / denom
print(confusion.cpu().numpy())

text = "hello world, hello rnn. " * 4
chars = sorted(set(text))
stoi = {ch: i for i, ch in enumerate(chars)}
encoded = torch.tensor([stoi[ch] for ch in text], dtype=torch.long)


class CharLSTM(nn.Module):
    def __init__(self, vocab_size, embed_size=8, hidden_size=16, num_layers=1):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.lstm = nn.LSTM(embed_size, hidden_size, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, vocab_size)

    def forward(self, x, hidden=None):
        out, hidden = self.lstm(self.embedding(x), hidden)
        return self.fc(out), hidden


model = CharLSTM(len(chars))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    ix = torch.randint(len(encoded) - 11, (4,))
    xb = torch.stack([encoded[i:i + 10] for i in ix])
    yb = torch.stack([encoded[i + 1:i + 11] for i in ix])
    logits, _ = model(xb)
    loss = criterion(logits.view(-1, len(chars)), yb.view(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")

model.eval()
x, hidden, out = encoded[:1].unsqueeze(0), None, []
with torch.inference_mode():
    for _ in range(10):
        logits, hidden = model(x, hidden)
        probs = F.softmax(logits[:, -1, :] / 0.8, dim=-1)
        x = torch.multinomial(probs, num_samples=1)
        out.append(chars[x.item()])
print("".join(out))
