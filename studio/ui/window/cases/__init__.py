"""Cases in the window: made of steps, edited and run."""
