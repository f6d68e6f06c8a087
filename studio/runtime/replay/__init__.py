"""What a run takes over from an earlier one, and the order in which all happened there."""
