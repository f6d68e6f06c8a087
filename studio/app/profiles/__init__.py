"""Chat profiles, endpoints and prices as a person edits and tries them."""
