"""Regions while they run: whose turn it is, rounds of loops, items of maps, races, and called flows."""
