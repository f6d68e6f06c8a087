"""The state of a run at any of its entries."""
