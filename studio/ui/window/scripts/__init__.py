"""Scripts in the window: exported, checked, edited, and their runs opened."""
