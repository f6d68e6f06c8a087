r"""HTTP request: one kind of HTTP request to allowed hosts, as a tool.

`{{name}}` in the address becomes an argument of the tool, written so that it stays within its part of the
address; `{{url}}` alone lets the agent choose the whole address. With *Body*, the agent also gives what is
sent. Only hosts in the allow-list are spoken to: `api.example.org`, `*.example.org` for all below it,
`example.org:8443` where the port is not the usual one. Addresses of this machine and of private networks are
refused unless the setting and a person, once for each project, allow them, and those of the link always;
redirects are looked at like requests.

Keys stand in the environment, never in the flow: under *Headers with keys*, `{NAME}` stands for the
variable NAME, and goes only where STEPWIRE_TRUSTED_URLS says that it may (`NAME=https://api.example.org`).

The answer is the text that came; of what is longer than allowed, the beginning. A status of 400 or more is an
error of the tool, which says what came with it.

```json
{
  "settings": {
    "url": "https://api.example.org/birds/{{name}}",
    "hosts": ["api.example.org"]
  },
  "web": {"https://api.example.org/birds/grey%20heron": "{\"seen\": 2}"},
  "calls": [{"tool": "http_request", "arguments": {"name": "grey heron"}}],
  "outputs": {"tool": [{"seen": 2}]}
}
```
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import AfterValidator

from studio.building_blocks.settings.tools import PrivateNetworks, ToolName
from studio.sdk import (
    Context,
    Effect,
    Reach,
    Setting,
    Tool,
    ToolError,
    WebAnswer,
    WebRequest,
    Yields,
    binding,
)
from studio.sdk.templates import fill, placeholders

HEADER = re.compile(r"([A-Za-z0-9!#$&'*+.^_`|~-]+):[ \t]*([^\r\n\0]*)")
OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade"})
"""Headers that say how a request is sent, and not what."""

WHOLE = "{{url}}"
SAID = 2_000
"""Characters of an error's text that are told."""


def header_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Validate headers; raises `ValueError`."""
    for line in lines:
        found = HEADER.fullmatch(line.strip())
        if found is None or found[1].lower() in OURS:
            raise ValueError(f"`{line}` is not a header that can be set: write `Name: value`")
    return lines


@binding(
    "tools.http_request",
    title="HTTP request",
    effect=Effect.SIDE_EFFECT,
    accesses={"network": ""},
    keywords=("web", "api", "rest", "fetch", "url", "get", "post", "network"),
)
async def http_request(
    context: Context,
    *,
    name: ToolName = "http_request",
    description: Annotated[
        str, Setting("Description", editor="text", help="Tool description; empty: method and URL")
    ] = "",
    method: Annotated[Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], Setting("Method")] = "GET",
    url: Annotated[str, Setting("Address", editor="prompt", help="{{name}} becomes an argument")] = WHOLE,
    hosts: Annotated[
        tuple[str, ...],
        Setting("Allowed hosts", editor="list", help="Such as api.example.org, one per line"),
    ] = (),
    private: PrivateNetworks = False,
    body: Annotated[
        Literal["none", "json", "text"], Setting("Body", help="What the agent can send")
    ] = "none",
    headers: Annotated[
        tuple[str, ...],
        Setting("Headers", editor="list", help="Name: value"),
        AfterValidator(header_lines),
    ] = (),
    keys: Annotated[
        tuple[str, ...],
        Setting("Headers with keys", editor="list", help="Authorization: Bearer {API_KEY}"),
        AfterValidator(header_lines),
    ] = (),
    seconds: Annotated[float, Setting("Timeout, s", minimum=0.1, maximum=600)] = 30,
    most: Annotated[int, Setting("Max. bytes", minimum=1, maximum=50_000_000)] = 200_000,
) -> Yields[Tool]:
    """Lend the request."""
    plain, secret = headers_of(headers), headers_of(keys)
    if body == "json":
        plain = {"Content-Type": "application/json", **plain}
    reach = Reach(hosts, private)

    async def send(arguments: Mapping[str, object]) -> str:
        """Send one request, and answer with the text that came."""
        sent = body_of(arguments, body)
        request = WebRequest(
            address_of(url, arguments), method, plain, secret, sent, reach, float(seconds), most
        )
        return told(await context.fetch(request), most)

    effect = Effect.PAID_READ if method in {"GET", "HEAD"} else Effect.SIDE_EFFECT
    yield Tool(name, description or f"{method} {url}", parameters_of(url, body), send, effect)


def headers_of(lines: Sequence[str]) -> dict[str, str]:
    """Read lines `Name: value`."""
    pairs = (line.partition(":") for line in lines)
    return {name.strip(): value.strip() for name, _, value in pairs}


def address_of(url: str, arguments: Mapping[str, object]) -> str:
    """Put the arguments into the address, so that none reaches beyond its place."""
    if url.strip() == WHOLE:
        return str(arguments.get("url", ""))
    quoted = {name: quote(str(value), safe="") for name, value in arguments.items()}
    for name in placeholders(url):
        if quoted.get(name) in {".", ".."}:
            raise ToolError(f"`{name}` cannot be `{quoted[name]}`.")
    return fill(url, quoted)


def body_of(arguments: Mapping[str, object], kind: str) -> bytes:
    """What is sent along."""
    if kind == "none":
        return b""
    given = arguments.get("body")
    return (str(given) if kind == "text" else json.dumps(given, ensure_ascii=False)).encode(
        "utf-8", "replace"
    )


def parameters_of(url: str, body: str) -> dict[str, object]:
    """Make the JSON Schema of the arguments."""
    properties: dict[str, object] = {name: {"type": "string"} for name in placeholders(url)}
    if body != "none":
        kind: dict[str, object] = {"type": "string"} if body == "text" else {}
        properties["body"] = {**kind, "description": "What is sent"}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def told(answer: WebAnswer, most: int) -> str:
    """Say what came; raises `ToolError` for a status that is an error."""
    if answer.status >= 400:
        raise ToolError(
            f"`{answer.url}` answers with status {answer.status}: {answer.text[:SAID]}".strip(": ")
        )
    return f"{answer.text}\n… cut after {most} bytes" if answer.is_cut else answer.text
