"""What trials tell beyond means: judges against people, early ends, equal budgets, factors."""
