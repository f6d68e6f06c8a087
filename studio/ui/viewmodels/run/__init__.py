"""The run that is shown, and what canvas and panels say of it."""
