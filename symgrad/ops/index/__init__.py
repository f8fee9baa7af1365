"""Picking and putting by indices and masks.

index    square brackets: which entries an index of arrays, or a mask, picks; reading them, and writing to them
pick     picking and putting whole slices, or by flat positions; looking up and counting
scatter  picking and putting by masks and along one dimension: gather, scatter, and what is combined on arrival
"""

from . import index, pick, scatter  # importing them fills the table
from .index import (
    FULL,
    at_dim,
    getitem,
    index_at_places,
    index_put_row,
    put_at_index,
    select_scatter_row,
    slice_scatter_row,
    split_index,
)
from .pick import index_select, one_hot_row
