"""Memories: what is kept, how it is found again, and how much of it there is room for."""
