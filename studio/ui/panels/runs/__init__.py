"""The list of runs, and the search in what they said."""
