"""The function of a flow, statement by statement."""
