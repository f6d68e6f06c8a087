"""The commands of the window, about a module for each menu; `catalog` has all of them."""
