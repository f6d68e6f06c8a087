"""Plans and trees of search, as data."""
