"""The chat beside the canvas, joined to the runs of its flow."""
