"""What several node types need, and what would make the file of one too long to read."""
