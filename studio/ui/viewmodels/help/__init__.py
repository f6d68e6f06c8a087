"""First steps, guide and gallery, as their pages show them."""
