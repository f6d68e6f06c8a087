"""Small sheets over the canvas: asking, offering, showing."""
