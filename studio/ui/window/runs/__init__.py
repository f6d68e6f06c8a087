"""The runs of the flow in front: begun, followed, held, and shown everywhere."""
