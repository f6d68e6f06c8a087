"""The memories of a project and of a run, and what is known of their items."""
