"""Flows that call flows: a part becomes one of its own, and a call dissolves again."""
