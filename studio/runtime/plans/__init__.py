"""Flows made ready to run, before anything of them does."""
