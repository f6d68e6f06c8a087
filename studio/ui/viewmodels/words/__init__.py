"""How values, counts, places and states are said on screen."""
