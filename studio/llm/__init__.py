"""Talking to language models: one protocol, and the clients that speak it."""
