"""What a run gave, put to use again: in forks, in the flow, in cases, as a script of answers."""
