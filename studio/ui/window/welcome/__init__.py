"""What a person meets first: the welcome page, the gallery, the first steps."""
