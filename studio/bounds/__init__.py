"""What files from elsewhere may have computed, and how much of it: patterns, templates, sizes of values."""
