"""The chat with a flow, turn by turn."""
