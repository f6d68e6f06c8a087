"""Where steps and calls wait before and after their work, and what they are held for."""
