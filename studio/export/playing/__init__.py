"""A script played against the recording of a run, in a process that can reach nothing."""
