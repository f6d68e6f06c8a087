"""Simulated solvers: stated accuracy, correlation, cost and latency, to try a topology before paying."""
