"""Python as text: literals, names, constants. Nothing is executed."""
