"""The bars, menus and lists of commands around everything, and the keyboard's way among them."""
