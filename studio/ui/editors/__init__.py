"""Widgets that edit one value each; the inspector's forms are made of them."""
