"""Settings and ports that several node types have, each written once: label, bounds, help."""
