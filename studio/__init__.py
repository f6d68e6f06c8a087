"""Stepwire: draw, debug and ship LLM agent graphs."""

__version__ = "0.1.0"
