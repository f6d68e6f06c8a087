"""What nodes import and exported scripts carry along: standard library, `studio.sdk`, what nodes require."""
