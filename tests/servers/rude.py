"""A server of tools that does not keep to the protocol: `python rude.py MANNERS`; see `answer`."""

import json
import sys
from typing import Any

MANNERS = sys.argv[1]
NAMES = ["a b", "a.b", "twice", "a_b", "twice"] if MANNERS == "names" else ["broken", "fine"]
TOOLS = [{"name": one, "description": one, "inputSchema": {"type": "object"}} for one in NAMES]


def send(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def result_of(asked: dict[str, Any]) -> dict[str, Any] | None:
    match asked["method"]:
        case "initialize":
            version = asked["params"]["protocolVersion"]
            info = {"name": "rude", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return {"content": [{"type": "text", "text": f"called {asked['params']['name']}"}]}
        case _:
            return None


def answer(asked: dict[str, Any]) -> None:
    number, result = asked["id"], result_of(asked)
    if result is None:
        send(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "What?"}}))
        return
    whole = json.dumps({"jsonrpc": "2.0", "id": number, "result": result})
    is_broken = asked["method"] == "tools/call" and asked["params"]["name"] == "broken"
    match MANNERS:
        case "silent":
            return
        case "talkative":
            send("I begin to work")
            send('{"level": 30, "msg": "working"}')
            send("")
        case "wrong start":
            whole = whole.replace("rude", "\\ud800") if asked["method"] == "initialize" else whole
        case "surrogate" if is_broken:
            whole = whole.replace("called", "\\ud800")
        case "nested" if is_broken:
            whole = f'{{"jsonrpc": "2.0", "id": {number}, "result": {"[" * 1000}{"]" * 1000}}}'
        case "cut" if is_broken:
            whole = whole[:-5]
        case "nameless" if is_broken:
            whole = '{"jsonrpc": "2.0", "result": {"content": "\\ud800"}}'
        case "shape" if is_broken:
            whole = json.dumps({"jsonrpc": "2.0", "id": [number], "result": result})
        case _:
            pass
    send(whole)


if __name__ == "__main__":
    if MANNERS == "talkative":
        send("Listening on stdio")
    for line in sys.stdin:
        said = json.loads(line)
        if "id" in said and "method" in said:
            answer(said)
