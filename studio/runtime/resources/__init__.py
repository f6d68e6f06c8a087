"""What a run reaches outside itself: people, servers of tools, pictures, chance."""
