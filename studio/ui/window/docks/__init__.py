"""The places around the canvas: where each stands, and what opens and closes it."""
