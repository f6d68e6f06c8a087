"""What is lent to agents."""
