"""Experiments: variants of flows on the rows of a dataset, tried and scored; `README.md` is the map."""
