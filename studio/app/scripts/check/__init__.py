"""A script held against the recording of a run: executed in a process of its own, and compared."""
