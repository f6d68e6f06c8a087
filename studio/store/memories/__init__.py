"""Memories that last, in files of a project, and what runs see of them."""
