"""What a run knows as it goes: the values of its sockets, its variables, its memories."""
