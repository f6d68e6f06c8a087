"""A run at a terminal: what is shown of it, who answers, how it is stopped, how windows come to it."""
