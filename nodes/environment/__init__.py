"""Where agents act, and who lives there: worlds with a state, simulated users, populations."""
