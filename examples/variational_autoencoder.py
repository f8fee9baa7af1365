"""A linear variational autoencoder, whose best bound is known: the likelihood of probabilistic principal components.

Encoder and decoder are distributions; the bound on the evidence is a mean over draws, through which gradients flow,
less a divergence in closed form. Lucas and others (2019) show that its best value is the maximum likelihood of Tipping
and Bishop's (1999), which has a closed form in the eigenvalues of the covariance.
"""

import math

import numpy as np

import symgrad as sg
from symgrad import nn
from symgrad.distributions import Independent, Normal, kl_divergence

ROWS, WIDE, HIDDEN = 200, 5, 2


def formulas():
    """The divergence of a code from its prior, and what its gradient is: for all sizes."""
    mu, logs = sg.symbol("mu", "n"), sg.symbol("s", "n")
    prior = Independent(Normal(sg.zeros_like(mu), 1.0), 1)
    kl = sg.formula(lambda mu, s: kl_divergence(Independent(Normal(mu, sg.exp(s)), 1), prior), mu, logs)
    print(f"KL(N(μ, exp(s)²) ‖ N(0, 1)) = {kl}")
    print(f"    gradient in μ: {kl.grad('mu')}, in s: {kl.grad('s')}")
    assert kl.grad("mu").equals(sg.parse("mu", mu="n"))


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(WIDE, HIDDEN), nn.Linear(HIDDEN, WIDE)
        self.log_width = nn.Parameter(sg.zeros(HIDDEN))
        self.log_noise = nn.Parameter(sg.zeros(()))

    def bound(self, x, draws):
        """The mean over rows of the bound on the logarithm of the evidence."""
        code = Independent(Normal(self.encoder(x), self.log_width.exp()), 1)
        seen = Independent(Normal(self.decoder(code.rsample((draws,))), self.log_noise.exp()), 1)
        prior = Independent(Normal(sg.zeros(HIDDEN), 1.0), 1)
        return (seen.log_prob(x).mean(0) - kl_divergence(code, prior)).mean()


def best_likelihood(x):
    """Tipping and Bishop's: the variance of the noise is the mean of the eigenvalues that are left out."""
    values = np.sort(np.linalg.eigvalsh(np.cov(x.T, bias=True)))[::-1]
    noise = values[HIDDEN:].mean()
    logdet = np.log(values[:HIDDEN]).sum() + (WIDE - HIDDEN) * math.log(noise)
    return -(WIDE * math.log(2 * math.pi) + logdet + WIDE) / 2, math.sqrt(noise)


def main():
    formulas()
    sg.manual_seed(0)
    rng = np.random.default_rng(0)
    plain = rng.standard_normal((ROWS, HIDDEN)) @ rng.standard_normal((HIDDEN, WIDE)) + 0.3 * rng.standard_normal(
        (ROWS, WIDE)
    )
    x, model = sg.tensor(plain), Autoencoder().double()
    optimizer = sg.optim.Adam(model.parameters(), lr=0.03)
    schedule = sg.optim.lr_scheduler.CosineAnnealingLR(optimizer, 800)
    print("\nstep     bound")
    for step in range(801):
        bound = model.bound(x, draws=4)
        optimizer.zero_grad()
        (-bound).backward()
        optimizer.step()
        schedule.step()
        if step % 200 == 0:
            print(f"{step:4} {bound.item():9.4f}")
    with sg.no_grad():
        found = model.bound(x, draws=2000).item()
    best, noise = best_likelihood(plain)
    print(f"the bound {found:.3f}, the likelihood that it is below {best:.3f}")
    print(f"deviation of the noise {model.log_noise.exp().item():.3f}, by eigenvalues {noise:.3f}")
    assert best - 0.03 < found < best + 0.01, "the bound is the likelihood, but for what is left to learn"


if __name__ == "__main__":
    main()
