"""The painter: arrays, cards, a view and a theme become a picture."""
