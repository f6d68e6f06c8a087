"""What names of fields, words of a prompt and keywords of a schema say of a value that is to be made."""

import re
from collections.abc import Mapping, Sequence

SHORT = re.compile(
    r"name|title|label|topic|heading|subject|category|\bid\b|_id$|^id|key|tag|slug", re.IGNORECASE
)
GOOD = re.compile(
    r"accept|approv|pass|yes|good|correct|true|^ok|right|valid|support|positive|relevant|safe|agree|high",
    re.IGNORECASE,
)
BAD = re.compile(
    r"reject|fail|^no$|bad|wrong|false|incorrect|invalid|refut|negative|irrelevant|unsafe|disagree|revis|retry|low",
    re.IGNORECASE,
)
FORMATS = {
    "date": "2026-05-03",
    "date-time": "2026-05-03T06:30:00Z",
    "time": "06:30:00Z",
    "email": "somebody@example.org",
    "uri": "https://example.org/page",
    "uuid": "0b8f3c1e-5d1f-4a53-9f0a-3f1a0f7b7c11",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.org",
    "duration": "PT10M",
    "regex": "a+",
    "json-pointer": "/a",
}
ARGUMENTS: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"url|uri|link|address", re.IGNORECASE), "https://example.org/"),
    (re.compile(r"expression|formula|calculation", re.IGNORECASE), "2 + 2"),
    (re.compile(r"sql|statement", re.IGNORECASE), "SELECT 1"),
    (re.compile(r"code|program|script|python", re.IGNORECASE), "print(2 + 2)"),
    (re.compile(r"command|shell", re.IGNORECASE), "ls"),
    (re.compile(r"folder|directory", re.IGNORECASE), "."),
)
"""What a tool is given for a text, by the name of the parameter."""

FILE = re.compile(r"[\w-]+(?:/[\w-]+)*\.[A-Za-z]\w{0,4}\b")
PATH = re.compile(r"path|file|document", re.IGNORECASE)
QUERY = re.compile(r"query|search|question|keyword|pattern|term|words|find|look", re.IGNORECASE)
REFERS = re.compile(
    r"^(after|needs|depends|requires|before|parents?|prerequisites|dependencies)", re.IGNORECASE
)
"""Lists that name others of their kind, which a made-up name would not be."""

WHO = re.compile(
    r"^(by|do|agent|tool|worker|who|assignee|actor|executor|speaker|next|action|kind)$", re.IGNORECASE
)
"""Texts that name what stands in the prompt."""

LISTED = re.compile(r"^\s*[-*] `?([A-Za-z]\w+)`?(?=[ (:]|$)", re.MULTILINE)
OTHERS = ("", "a", "A", "1", "0", "a1", "x@example.org", "2026-05-03", "00:00", "abc-1", "a/b", "A-1", "true")
"""Texts to try where no other way led to one."""

JOINED = frozenset({"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else"})
UNSURE = frozenset(
    """
    allOf anyOf oneOf not if pattern format contains patternProperties propertyNames dependentRequired
    dependentSchemas dependencies multipleOf minProperties uniqueItems unevaluatedProperties unevaluatedItems
    exclusiveMinimum exclusiveMaximum
    """.split()  # noqa: SIM905  # as a list of strings it is hard to read
)
"""Keywords by which a value may turn out not to fit, though it was made for its schema."""
WHOLE = frozenset({"answer", "text", "reply", "response", "content", "message", "summary", "draft"})
HINTS: Mapping[str, frozenset[str]] = {
    "object": frozenset(
        {"properties", "required", "additionalProperties", "patternProperties", "minProperties"}
    ),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "contains", "uniqueItems"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}),
    "string": frozenset({"pattern", "format", "minLength", "maxLength"}),
}
