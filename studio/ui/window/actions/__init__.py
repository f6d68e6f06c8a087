"""The actions of the window, a module for each menu."""
