"""The flow itself, as canvas, library and outline show it."""
