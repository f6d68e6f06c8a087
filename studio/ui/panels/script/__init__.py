"""The script of a flow beside its canvas."""
