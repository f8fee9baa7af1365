"""The libraries that symgrad is compared with, as they are with 64 bits; a test that asks for one runs where it is."""

import pytest


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax", reason="pip install jax to compare with JAX")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch", reason="pip install torch==2.13.0 to compare with PyTorch")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield torch
    torch.set_default_dtype(before)
