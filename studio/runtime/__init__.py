"""Making a run happen: the scheduler, its steps, the gate and the context of a node."""
