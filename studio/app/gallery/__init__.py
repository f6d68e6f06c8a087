"""The gallery: published systems as projects, with their records, and how each is run and measured."""
