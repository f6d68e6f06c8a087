"""What servers answer, as the text that an agent reads."""

import json
from typing import Any


def text_of(result: Any) -> str:
    """Say a result in text; where it is data alone, as JSON."""
    parts = [part_of(one) for one in result.content]
    if not parts and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False)
    return "\n".join(parts)


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
