"""What a run goes back to: executing a recorded run again, forking it, going on with it."""
