"""The parts of the window around the canvas, each knowing the session and the shown run only."""
