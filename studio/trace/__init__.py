"""What happened in a run: events, the fold over them, and what is read from it."""
