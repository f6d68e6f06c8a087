"""What servers answer, as the text that an agent reads."""

import json
from typing import Any

LONGEST = 200_000


def text_of(result: Any) -> str:
    """Say a result in text; where it is data alone, as JSON."""
    parts = [part_of(one) for one in result.content]
    if not parts and result.structured_content is not None:
        return within(json.dumps(result.structured_content, ensure_ascii=False))
    return within("\n".join(parts))


def part_of(part: Any) -> str:
    """Say one part of a result; what is no text is named."""
    match part.type:
        case "text":
            return str(part.text)
        case "resource":
            held = getattr(part.resource, "text", None)
            return str(held) if held is not None else f"[{part.resource.mime_type}: {part.resource.uri}]"
        case "resource_link":
            return f"[{part.name}: {part.uri}]"
        case kind:
            return f"[{kind}: {getattr(part, 'mime_type', '')}, {len(getattr(part, 'data', ''))} characters]"


def within(text: str) -> str:
    """Cut what no run should keep and no chat can read."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n… {len(text) - LONGEST} more characters of the server's answer were left out."
