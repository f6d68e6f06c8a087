"""Where a value came from, followed back over steps, wires, rounds and calls."""
