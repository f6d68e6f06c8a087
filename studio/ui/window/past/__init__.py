"""What is done with runs that are over: again, forked, compared, taken into the flow."""
