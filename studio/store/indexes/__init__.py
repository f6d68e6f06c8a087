"""What is known of all runs together: a list and a search, made again when damaged."""
