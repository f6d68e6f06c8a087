"""The application without a window: the only place where all parts meet."""
