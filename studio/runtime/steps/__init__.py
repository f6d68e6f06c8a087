"""One step: what it reads, the call of its function, what stands at its outputs."""
