"""What can be done on the canvas, listed once: keys, menus and the command palette are made of it."""
