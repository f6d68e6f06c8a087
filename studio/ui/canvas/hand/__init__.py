"""What mouse, keys and touch do: they look, add, place and write."""
