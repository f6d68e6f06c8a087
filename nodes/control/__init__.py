"""What shapes the course of a run."""
