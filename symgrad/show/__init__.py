"""Text for people: how tensors, graphs and formulas are printed."""
