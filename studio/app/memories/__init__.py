"""The items of memories, of a project and of a run: looked at, searched, edited, and taken in and out."""
