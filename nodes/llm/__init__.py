"""Language models: one call, an agent, a choice."""
