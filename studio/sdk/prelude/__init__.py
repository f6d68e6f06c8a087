"""What nodes import and exported scripts carry along: small, readable, standard library and `studio.sdk` only."""
