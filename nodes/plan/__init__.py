"""Steps that make plans, follow them, and grow what is not drawn."""
