"""The pictures of README and guide, taken of the real window: `python -m tests.pictures [NAME…]`."""
