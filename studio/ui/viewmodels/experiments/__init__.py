"""What the Experiments page shows, in words and rows, without any widget."""
