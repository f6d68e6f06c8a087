"""Widgets that several panels are put together from; none knows a panel."""
