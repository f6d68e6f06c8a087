"""People in the course of a run."""
