"""Flows as JSON texts: read with every problem gathered, written in one form."""
