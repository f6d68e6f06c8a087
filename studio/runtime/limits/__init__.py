"""What bounds a run: money, tokens and time, how much at once, and what a person cancels."""
