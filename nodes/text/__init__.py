"""Texts: constant, filled in, put together."""
