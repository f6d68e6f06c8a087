"""The node library: one file, one node type."""
