"""The folder of nodes that gives `test.hold` its name."""
