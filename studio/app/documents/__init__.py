"""An open flow: its history and journal, what is selected and found in it, and what is kept beside it."""
