"""The headless commands of `stepwire`."""
