"""The page of the gallery: cards of published systems, with pictures drawn from their flows."""
