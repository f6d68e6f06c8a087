"""Projects as folders: made, copied, and their files changed so that it can be undone."""
