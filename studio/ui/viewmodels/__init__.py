"""What the panels show, computed from the fold and the flow; no widget in here."""
