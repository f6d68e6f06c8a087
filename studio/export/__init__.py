"""A flow as a readable, standalone Python script."""
