"""Runs as the window follows them, here, in other processes or from the store; and their debugger."""
