"""A chat request as the body that the Chat Completions protocol wants."""

from collections.abc import Mapping
from typing import cast

from studio.llm.clean_text import normalise, normalise_json
from studio.llm.client import ChatRequest, Message, ToolSpec
from studio.llm.endpoints.body_options import NO_OPTIONS, BodyOptions
from studio.llm.endpoints.strict_schema import strict_schema
from studio.llm.images import data_url
from studio.llm.wire_names import sendable_id, sendable_name


def request_body(
    request: ChatRequest, llm: str, *, is_openai: bool = False, options: BodyOptions = NO_OPTIONS
) -> dict[str, object]:
    """Give the JSON body for `POST /chat/completions`; what is None or empty is left out.

    The beginning of the answer is the last message. OpenAI has renamed `max_tokens`, and its newer language
    models refuse the old name, which is the only one that other endpoints know; `is_openai` chooses.
    """
    body: dict[str, object] = {
        "model": llm,
        "messages": _messages(request, options),
        "stream": request.stream,
    }
    if request.stream:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        body |= tool_wishes(request)
    if request.response_schema is not None:
        body["response_format"] = _response_format(request)
    if request.prefix and options.continues == "continue_final_message":
        body |= {"continue_final_message": True, "add_generation_prompt": False}
    longest = "max_completion_tokens" if is_openai else "max_tokens"
    wishes: dict[str, object] = {
        "n": request.samples if request.samples > 1 else None,
        "temperature": request.temperature,
        longest: request.max_tokens,
        "reasoning_effort": request.effort or options.effort or None,
        "logprobs": None if request.log_probabilities is None else True,
        "top_logprobs": request.log_probabilities or None,
        "service_tier": options.service_tier or None,
    }
    return body | {name: wish for name, wish in wishes.items() if wish is not None}


def tool_wishes(request: ChatRequest) -> dict[str, object]:
    """Give what a request says of how its tools may be called; nothing where they may be as usual."""
    wishes: dict[str, object] = {} if request.may_call else {"tool_choice": "none"}
    return wishes if request.several_calls else {**wishes, "parallel_tool_calls": False}


def _messages(request: ChatRequest, options: BodyOptions) -> list[dict[str, object]]:
    messages = [_message(message) for message in request.messages]
    if options.cache_marks:
        for one in messages[:1] if messages[0]["role"] == "system" else []:
            _mark(one)
        _mark(messages[-1])
    if request.prefix:
        mark: dict[str, object] = {"prefix": True} if options.continues == "prefix" else {}
        messages.append({"role": "assistant", "content": normalise(request.prefix), **mark})
    return messages


def _mark(message: dict[str, object]) -> None:
    """Mark the end of a message as the end of what is to be cached, as Anthropic and OpenRouter want it."""
    content = message["content"]
    text: list[object] = [{"type": "text", "text": content}] if content else []
    parts = cast("list[object]", content) if isinstance(content, list) else text
    if parts:
        *before, last = cast("list[dict[str, object]]", parts)
        message["content"] = [*before, {**last, "cache_control": {"type": "ephemeral"}}]


def _response_format(request: ChatRequest) -> dict[str, object]:
    part = schema_part(request.response_schema or {})
    if request.schema_by == "json_object":
        # llama-cpp-python holds an answer by a grammar where it is told so, and knows no other way.
        return {"type": "json_object", "schema": part["schema"]}
    return {"type": "json_schema", "json_schema": {"name": "answer", **part}}


def _message(message: Message) -> dict[str, object]:
    content = normalise(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": sendable_id(message.tool_call_id), "content": content}
    if message.images:
        text: list[dict[str, object]] = [{"type": "text", "text": content}] if content else []
        pictures = [{"type": "image_url", "image_url": {"url": data_url(one)}} for one in message.images]
        return {"role": message.role, "content": [*text, *pictures]}
    if not message.tool_calls:
        return {"role": message.role, "content": content}
    return {
        "role": message.role,
        "content": content or None,
        "tool_calls": [
            {
                "id": sendable_id(call.id),
                "type": "function",
                "function": {"name": sendable_name(call.name), "arguments": normalise(call.arguments)},
            }
            for call in message.tool_calls
        ],
    }


def _tool(tool: ToolSpec) -> dict[str, object]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": normalise(tool.description),
            "parameters": plain_schema(tool.parameters),
        },
    }


def schema_part(schema: Mapping[str, object]) -> dict[str, object]:
    """Give a schema for answers, strict where it can be, so that the endpoint keeps to it."""
    strict = strict_schema(schema)
    return {"schema": plain_schema(schema if strict is None else strict), "strict": strict is not None}


def plain_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """Give a schema in which every text can be sent."""
    return cast("dict[str, object]", normalise_json(schema))
