"""What a flow means: what waits for what, in which loop or map, of which type, and what may be joined."""
