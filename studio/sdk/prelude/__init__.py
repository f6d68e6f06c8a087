"""What nodes import and exported scripts carry along: standard library and `studio.sdk` only."""
