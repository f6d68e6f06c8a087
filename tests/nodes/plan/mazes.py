"""A small world in which a search has to find the way."""

from typing import Any

from studio.flow.records import Flow
from tests.runtime.bench import flow_of

MAZE = '''
class Maze:
    """Two rooms: in the west lies the key for the door in the east."""

    def __init__(self):
        self.at, self.has_key, self.done, self.reward = "west", False, False, 0

    def east(self):
        """Go east."""
        self.at = "east"
        return self.at

    def take(self):
        """Take the key."""
        if self.at != "west":
            raise ValueError("there is no key")
        self.has_key, self.reward = True, 0.5
        return "a key"

    def leave(self):
        """Leave by the door."""
        if self.at != "east" or not self.has_key:
            raise ValueError("the door is shut")
        self.done, self.reward = True, 1
        return "out"
'''


def in_a_maze(then_do: str) -> Flow:
    """A search of every action, by the reward, which then does what is said."""
    settings = {"expand": "*", "scoring": "reward", "ends_when": 'state["done"]', "then_do": then_do}
    nodes: dict[str, Any] = {
        "maze": ("environment.environment", {"code": MAZE, "name": "maze"}),
        "look": ("plan.search", settings, {"start": ""}),
        **dict.fromkeys(("actions", "did", "best"), "io.flow_output"),
    }
    wires = [f"look.{name} -> {name}.value" for name in ("actions", "did", "best")]
    return flow_of(nodes, ["maze.tool -> look.world[0]", *wires])
