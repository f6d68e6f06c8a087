"""Flows measured under simulated solvers: how often they are right, and what that takes."""
