"""The forms in which a script is put on disk: with the engine beside it, alone, as one file, as a package."""
