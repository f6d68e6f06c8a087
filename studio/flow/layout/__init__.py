"""Where the nodes of a flow stand when it is tidied."""
