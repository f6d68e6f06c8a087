"""What is remembered, for a run or for good."""
