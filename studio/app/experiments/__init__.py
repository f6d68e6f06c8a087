"""Experiments of a project for a window: listed, drafted, run in a process of their own, labelled; cases."""
