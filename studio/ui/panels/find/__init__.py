"""Finding words: the bar over the canvas, and the panel that looks through a project and replaces."""
