"""Flows as scripts: written out, previewed, checked against runs, and what scripts told taken in."""
