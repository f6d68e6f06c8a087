"""What two runs, or two values, did not have the same."""
