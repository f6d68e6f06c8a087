"""The pages to read: the guide, the legend, and every key."""
