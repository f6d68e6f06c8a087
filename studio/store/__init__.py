"""Remembering runs on disk: one SQLite file each, one writer, any number of readers."""
