"""What a hand does between press and release, each as a small state with `cancel`."""
