"""Forms from any JSON schema, filled by a person, and approvals."""
