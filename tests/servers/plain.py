"""Three of the tools of `birds.py`, without the library that it is made with, whose import takes a second.

What a run makes of a server can be shown with it; that ours and the library's understand each other is shown
with `birds.py`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

EMPTY = {"type": "object", "properties": {}}
BIRD = {"type": "object", "properties": {"bird": {"type": "string"}}, "required": ["bird"]}
TOOLS = [
    {"name": "count", "description": "Count a bird.", "inputSchema": BIRD},
    {"name": "surroundings", "description": "Tell where it runs.", "inputSchema": EMPTY},
    {"name": "watch", "description": "Watch for a moment.", "inputSchema": EMPTY},
]


def send(**message: Any) -> None:
    sys.stdout.write(f"{json.dumps({'jsonrpc': '2.0', **message})}\n")
    sys.stdout.flush()


def called(params: dict[str, Any]) -> str:
    match params["name"]:
        case "count":
            return f"2 {params['arguments']['bird']}s"
        case "surroundings":
            return "\n".join(
                [str(Path.cwd()), os.environ.get("BIRD_KEY", ""), os.environ.get("OTHER_KEY", "")]
            )
        case "watch":
            return "seen"
        case name:
            raise ValueError(name)


def result_of(asked: dict[str, Any]) -> dict[str, Any] | None:
    match asked["method"]:
        case "initialize":
            info = {"name": "birds", "version": "1"}
            version = asked["params"]["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return {"content": [{"type": "text", "text": called(asked["params"])}]}
        case _:
            return None


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked or "method" not in asked:
            continue
        result = result_of(asked)
        if result is None:
            send(id=asked["id"], error={"code": -32601, "message": "There is no such method."})
        else:
            send(id=asked["id"], result=result)


if __name__ == "__main__":
    main()
