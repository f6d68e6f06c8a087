"""The file of one run: what is written in it, by whom, and in which form."""
