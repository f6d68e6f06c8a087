"""A chat request as the body that the Responses API wants."""

from collections.abc import Iterator

from studio.llm.clean_text import normalise
from studio.llm.client import ChatRequest, Message
from studio.llm.endpoints.body_options import NO_OPTIONS, BodyOptions
from studio.llm.endpoints.request_body import plain_schema, schema_part, tool_wishes
from studio.llm.images import data_url
from studio.llm.wire_names import sendable_id, sendable_name

FEWEST_TOKENS = 16
"""What OpenAI takes for a limit at least; a smaller one is refused."""


LOG_PROBABILITIES = "message.output_text.logprobs"
"""What of a response is told only where it is asked for."""


def responses_body(request: ChatRequest, llm: str, *, options: BodyOptions = NO_OPTIONS) -> dict[str, object]:
    """Give the JSON body for `POST /responses`; what is None or empty is left out.

    The whole conversation is sent each time and nothing is stored at the provider, as with Chat Completions.
    Tools say that they are not strict: strict ones take only a part of JSON Schema.
    """
    begun = (Message("assistant", request.prefix),) if request.prefix else ()
    messages = (*request.messages, *begun)
    body: dict[str, object] = {
        "model": llm,
        "input": [item for message in messages for item in _items(message)],
        "stream": request.stream,
        "store": False,
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": normalise(tool.description),
                "parameters": plain_schema(tool.parameters),
                "strict": False,
            }
            for tool in request.tools
        ]
        body |= tool_wishes(request)
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_output_tokens"] = max(request.max_tokens, FEWEST_TOKENS)
    if request.response_schema is not None:
        part = schema_part(request.response_schema)
        body["text"] = {"format": {"type": "json_schema", "name": "answer", **part}}
    if effort := request.effort or options.effort:
        body["reasoning"] = {"effort": effort}
    if request.log_probabilities is not None:
        body |= {"include": [LOG_PROBABILITIES], "top_logprobs": request.log_probabilities}
    if options.service_tier:
        body["service_tier"] = options.service_tier
    return body


def _items(message: Message) -> Iterator[dict[str, object]]:
    """Give what a message is: one item, and one more for each tool that it calls."""
    content = normalise(message.content)
    if message.role == "tool":
        yield {
            "type": "function_call_output",
            "call_id": sendable_id(message.tool_call_id),
            "output": content,
        }
        return
    if message.images:
        text: list[dict[str, object]] = [{"type": "input_text", "text": content}] if content else []
        # The published schema wants `detail`, which the other API leaves to the endpoint.
        pictures = [
            {"type": "input_image", "image_url": data_url(one), "detail": "auto"} for one in message.images
        ]
        yield {"role": message.role, "content": [*text, *pictures]}
        return
    if content or not message.tool_calls:
        yield {"role": message.role, "content": content}
    for call in message.tool_calls:
        yield {
            "type": "function_call",
            "call_id": sendable_id(call.id),
            "name": sendable_name(call.name),
            "arguments": normalise(call.arguments),
        }
