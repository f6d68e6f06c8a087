"""Python as text: modules read, definitions lifted, literals, names, imports. Nothing is executed."""
