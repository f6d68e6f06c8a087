"""The runtime in a process of its own, and how others speak to it."""
