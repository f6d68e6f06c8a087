"""The canvas: one widget that draws a flow from arrays and turns gestures into edits."""
