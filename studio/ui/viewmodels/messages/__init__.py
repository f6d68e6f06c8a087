"""What was said in a step, and what filled its request."""
