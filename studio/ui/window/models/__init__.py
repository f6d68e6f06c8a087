"""Dialogs on who answers: chat profiles, simulated solvers, prices."""
