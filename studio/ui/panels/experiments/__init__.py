"""The Experiments page: the table of trials, its charts, new experiments, and labels by people."""
