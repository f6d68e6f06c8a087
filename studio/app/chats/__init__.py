"""Chats with a flow: which runs answered what, and where messages and files go in."""
