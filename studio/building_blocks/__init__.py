"""What several node types are built from: agents, teams, plans, memories, answers, files and values."""
