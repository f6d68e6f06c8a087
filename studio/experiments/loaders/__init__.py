"""Rows of published benchmarks and of the project's own files, as their files have them, a format a function.

The data are the user's: none comes with Stepwire. Each module names the authors' files that it follows.
"""
