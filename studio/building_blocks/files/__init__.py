"""Files of a project: tables, databases, pictures."""
