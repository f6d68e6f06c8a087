"""The tabs of the canvas's place, on one side or on two."""
