"""When things happened in a run: bars in lanes, the critical path, totals of a part."""
