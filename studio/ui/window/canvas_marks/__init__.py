"""What is set and seen at the nodes, ports and wires of the canvas: breakpoints, pins, values."""
