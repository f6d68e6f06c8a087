"""Scripts that ask language models, lend tools and ask people, against the answer server."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI

from studio.errors import ChatError
from studio.export.lifted.context import Context
from studio.export.lifted.messages import as_openai
from studio.flow.records import Flow
from studio.ids import StepId
from studio.llm.client import ChatRequest, Message, ToolCall, ToolSpec
from studio.llm.request_body import request_body
from studio.sdk.context import Form
from tests.export.in_process import ask
from tests.export.scripts import export, spawn
from tests.runtime.bench import flow_of, run
from tests.runtime.test_scheduler import INPUT, OUTPUT

RULES = """
rules:
  - name: choose
    when: {instructions: Choose the case, last: wren}
    reply: {case: Bird}
  - name: choose the other
    when: {instructions: Choose the case}
    reply: {case: Rest}
  - name: look
    when: {has_tool: find_lines, turn: 0}
    tool_calls:
      - name: find_lines
        arguments: {text: "{{ question }}"}
      - name: read_file
        arguments: {path: "../secret"}
      - name: nothing_like_it
        arguments: {}
  - name: found
    when: {has_tool: find_lines}
    reply: "{{ tool_results | map(attribute='text') | join(' | ') }}"
  - name: a bad day
    when: {last: trouble}
    error: {status: 400, message: "no"}
  - name: pictures
    when: {images: true}
    reply: "{{ images | join(' and ') }}"
  - name: several
    when: {asked: samples}
    reply: '{"n": {{ sample }}}'
  - name: told in words
    when: {instructions: It has to fit this JSON Schema}
    reply: '{"bird": "wren", "seen": 2}'
  - name: takes a schema beside json_object
    when: {schema: json_object}
    reply: '{"bird": "wren", "seen": 2}'
  - name: refuses schemas
    when: {instructions: Refuse}
    error: {status: 400, message: "response_format is not supported"}
  - name: repaired
    when: {instructions: Repair, last: "should be of type string"}
    reply: '{"bird": "wren"}'
  - name: another form
    when: {instructions: Repair}
    reply: '{"bird": 1}'
  - name: whatever
    reply: "{{ last }}?"
"""


async def both(flow: Flow, folder: Path, inputs: dict[str, Any], arguments: list[str]) -> tuple[Any, Any]:
    answers = folder / "answers.yaml"
    answers.write_text(RULES)
    ran = await run(flow, inputs, script=answers, root=folder)
    export(flow, folder / "script.py")
    ended = await ask(folder / "script.py", arguments, answers=answers)
    return ran.outputs, ended.outputs


@pytest.mark.parametrize("word", ["A wren sang.", "A car passed."])
async def test_a_language_model_chooses_the_way(word: str, tmp_path: Path) -> None:
    cases = [{"label": "Bird", "when": "has feathers {'\"}"}, {"label": "Rest"}]
    flow = flow_of(
        {
            "word": INPUT,
            "topic": ("llm.classify", {"cases": cases}),
            "bird": ("llm.chat", {"instructions": "Birds: {{day}}"}, {"day": "4 May"}),
            "rest": ("text.template", {"template": "({{x}})"}),
            "either": "control.merge",
            "out": OUTPUT,
        },
        [
            "word.value -> topic.value",
            "topic.bird -> bird.prompt",
            "topic.rest -> rest.x",
            "bird.reply -> either.values[0]",
            "rest.text -> either.values[1]",
            "either.value -> out.value",
        ],
    )
    engine, script = await both(flow, tmp_path, {"word": word}, [f"--word={word}"])
    assert script == engine


async def test_each_item_is_asked_with_what_is_lent_and_failures_are_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "may.txt").write_text("A dunnock sang.\nFrost.")
    flow = flow_of(
        {
            "words": ("io.flow_input", {"type": "text[]", "default": ["frost"]}),
            "each": ("control.for_each", {"at_once": 2}),
            "ask": ("llm.chat", {}, {}, {"retries": 0, "time_limit": 20}),
            "all": ("control.collect", {"failed": "drop"}),
            "out": OUTPUT,
            "kept": OUTPUT,
        },
        [
            "words.value -> each.items",
            "each.item -> ask.prompt",
            "ask.reply -> all.value",
            "all.values -> out.value",
            "all.kept -> kept.value",
        ],
    )
    words = ["one", "trouble", "three"]
    engine, script = await both(flow, tmp_path, {"words": words}, [f"--words={json.dumps(words)}"])
    assert engine == {"out": ["one?", "three?"], "kept": [0, 2]}
    assert script == engine


async def test_a_binding_that_lends_several_tools(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "may.txt").write_text("A dunnock sang.\nFrost.")
    flow = flow_of(
        {"word": INPUT, "files": "tools.files", "agent": "llm.agent", "out": OUTPUT},
        ["word.value -> agent.prompt", "files.tool -> agent.tools[0]", "agent.reply -> out.value"],
    )
    answers = tmp_path / "answers.yaml"
    answers.write_text(RULES)
    export(flow, tmp_path / "script.py")
    ended = await ask(tmp_path / "script.py", ["--word=frost"], answers=answers)
    assert "may.txt:2: Frost." in ended.outputs["out"]
    assert "leads out of the folder" in ended.outputs["out"]
    assert "There is no tool `nothing_like_it`" in ended.outputs["out"]


@pytest.mark.parametrize("schema", [None, {"type": "object", "required": ["n"]}], ids=["text", "json"])
async def test_several_answers_to_one_request(schema: dict[str, Any] | None, tmp_path: Path) -> None:
    settings = {"sampling": "one call for all", "samples": 3, "answer_schema": schema}
    flow = flow_of(
        {"word": INPUT, "ask": ("llm.chat", settings), "out": OUTPUT, "first": OUTPUT},
        ["word.value -> ask.prompt", "ask.samples -> out.value", "ask.reply -> first.value"],
    )
    engine, script = await both(flow, tmp_path, {"word": "samples"}, ["--word=samples"])
    texts = [f'{{"n": {number}}}' for number in (1, 2, 3)]
    assert engine == {
        "out": texts if schema is None else [json.loads(one) for one in texts],
        "first": texts[0],
    }
    assert script == engine


async def test_pictures_are_sent(tmp_path: Path) -> None:
    (tmp_path / "wren.gif").write_bytes(b"GIF89a" + bytes(100))
    flow = flow_of(
        {
            "photo": ("io.flow_input", {"type": "image"}),
            "picture": ("io.picture", {"file": "wren.gif"}),
            "ask": ("llm.chat", {}, {"prompt": "pictures"}),
            "out": OUTPUT,
        },
        ["photo.value -> ask.images[0]", "picture.picture -> ask.images[1]", "ask.reply -> out.value"],
    )
    engine, script = await both(flow, tmp_path, {"photo": "wren.gif"}, ["--photo=wren.gif"])
    assert engine == {"out": "image/gif and image/gif"}
    assert script == engine


async def test_texts_become_the_same_vectors(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "words": ("io.flow_input", {"type": "text[]"}),
            "embed": ("llm.embed", {"dimensions": 16, "batch": 2, "profile": "vectors"}),
            "out": OUTPUT,
        },
        ["words.value -> embed.texts", "embed.vectors -> out.value"],
    )
    words = ["a wren", "moss", "a heron", "moss"]
    engine, script = await both(flow, tmp_path, {"words": words}, [f"--words={json.dumps(words)}"])
    assert len(engine["out"]) == 4
    assert script == engine


class Typed:
    """A person who answers what a script is told on its standard input."""

    async def ask(self, step: StepId, form: Form) -> dict[str, object]:
        assert step
        properties = form.schema["properties"]
        assert isinstance(properties, dict)
        return {"answer": "the pond"} if "answer" in properties else {"sure": True}


async def test_a_person_is_asked_on_the_terminal(tmp_path: Path) -> None:
    form = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
    flow = flow_of(
        {
            "first": ("human.ask", {}, {"question": "Which hedge?"}),
            "second": ("human.ask", {"form": form}),
            "out": OUTPUT,
            "all": OUTPUT,
        },
        ["first.answer -> second.question", "second.answers -> out.value", "first.answer -> all.value"],
    )
    answers = tmp_path / "answers.yaml"
    answers.write_text(RULES)
    ran = await run(flow, people=Typed())
    export(flow, tmp_path / "script.py")
    ended = await spawn(tmp_path / "script.py", answers=answers, typed="\nthe pond\nperhaps\nyes\n")
    assert ended.outputs == ran.outputs
    assert "Which hedge?" in ended.err
    assert "Answer yes or no." in ended.err
    nobody = await spawn(tmp_path / "script.py", answers=answers, typed="")
    assert (nobody.code, nobody.err.strip().splitlines()[-1].partition(":")[0]) == (4, "error")


async def test_an_error_is_one_sentence(tmp_path: Path) -> None:
    flow = flow_of(
        {"word": INPUT, "ask": "llm.chat", "out": OUTPUT},
        ["word.value -> ask.prompt", "ask.reply -> out.value"],
    )
    answers = tmp_path / "answers.yaml"
    answers.write_text(RULES)
    export(flow, tmp_path / "script.py")
    ended = await spawn(tmp_path / "script.py", ["--word=trouble"], answers=answers)
    assert ended.code == 1
    assert len(ended.err.strip().splitlines()) == 1
    assert (await spawn(tmp_path / "script.py", answers=answers)).code == 2


@pytest.mark.parametrize(
    ("url", "model", "says"),
    [
        ("http://127.0.0.1:{port}/v1", "", "No model is named"),
        ("http://127.0.0.1:{port}/v1", "m", "http://127.0.0.1:{port}/v1/ could not be reached"),
        ("nonsense", "m", "nonsense/ could not be reached: .*http"),
    ],
)
async def test_where_nobody_answers_the_script_says_what_it_asked(url: str, model: str, says: str) -> None:
    with socket.socket() as closed:  # bound and not listening: nobody else takes the port meanwhile
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        client = AsyncOpenAI(api_key="none", base_url=url.format(port=port), max_retries=0)
        with pytest.raises(ChatError, match=says.format(port=port)):
            await Context(client=client, model=model).chat(ChatRequest((Message("user", "x"),)))
        await client.close()


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
calls = st.builds(ToolCall, texts, texts, st.just("{}"))
messages = (
    st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts)
    | st.builds(Message, st.just("assistant"), texts, st.tuples(calls))
    | st.builds(Message, st.just("tool"), texts, st.just(()), texts)
)


@given(messages)
def test_a_message_is_sent_as_the_studio_sends_it(message: Message) -> None:
    assert as_openai(message) == request_body(ChatRequest((message,)), "m")["messages"][0]  # type: ignore[index]


def test_a_request_is_sent_as_the_studio_sends_it() -> None:
    class Kept(Exception):  # noqa: N818
        pass

    class Completions:
        async def create(self, **body: Any) -> Any:
            raise Kept(body)

    class Chat:
        completions = Completions()

    client = AsyncOpenAI(api_key="none", base_url="http://localhost/v1")
    client.__dict__["chat"] = Chat()
    request = ChatRequest(
        (Message("user", "x"),),
        (ToolSpec("t", "d", {"type": "object"}),),
        0.5,
        9,
        {"type": "object"},
        samples=2,
    )
    with pytest.raises(Kept) as found:
        asyncio.run(Context(client=client, model="m", forms=[({"type": "object"}, None)]).chat(request))
    wanted = {name: one for name, one in request_body(request, "m").items() if "stream" not in name}
    assert found.value.args[0] == wanted


BIRD = {
    "type": "object",
    "properties": {"bird": {"type": "string"}, "seen": {"type": "integer"}},
    "required": ["bird"],
}


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        ({"instructions": "Say.", "schema_by": "instruction"}, 2),
        ({"instructions": "Say.", "schema_by": "json_object"}, 2),
        ({"instructions": "Repair.", "repairs": 2}, None),
    ],
)
async def test_fields_of_an_answer_leave_a_script_as_they_leave_a_run(
    settings: dict[str, Any], seen: int | None, tmp_path: Path
) -> None:
    flow = flow_of(
        {
            "q": INPUT,
            "chat": ("llm.chat", {**settings, "answer_schema": BIRD}),
            "joined": ("text.template", {"template": "{{bird}}!"}),
            "out": OUTPUT,
            "count": OUTPUT,
        },
        [
            "q.value -> chat.prompt",
            "chat.bird -> joined.bird",
            "joined.text -> out.value",
            "chat.seen -> count.value",
        ],
    )
    ran, script = await both(flow, tmp_path, {"q": "what?"}, ["--q=what?"])
    assert script == ran == {"out": "wren!", **({} if seen is None else {"count": seen})}
    assert '"jsonschema>=' in (tmp_path / "script.py").read_text().splitlines()[3]


def test_the_script_of_a_plain_chat_has_nothing_of_what_other_chats_ask_for(tmp_path: Path) -> None:
    flow = flow_of({"chat": ("llm.chat", {}, {"prompt": "?"}), "out": OUTPUT}, ["chat.reply -> out.value"])
    export(flow, tmp_path / "script.py")
    script = (tmp_path / "script.py").read_text()
    assert not [word for word in ("schema:", "tool_calls", "fallbacks", "data_url") if word in script]
    assert "only with" not in script
    assert len(script.splitlines()) < 620


def test_a_script_that_wants_no_form_needs_no_library_for_it(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "chat": ("llm.chat", {}, {"prompt": "?"}),
        "next": ("llm.chat", {}, {"prompt": "!"}),
        "out": OUTPUT,
    }
    flow = flow_of(nodes, ["chat.messages -> next.history", "next.reply -> out.value"])
    export(flow, tmp_path / "script.py")
    assert "jsonschema" not in (tmp_path / "script.py").read_text()


async def test_a_script_tells_the_form_in_words_where_the_endpoint_refuses_it(tmp_path: Path) -> None:
    chat = ("llm.chat", {"instructions": "Refuse.", "answer_schema": BIRD}, {"prompt": "?"})
    flow = flow_of({"chat": chat, "out": OUTPUT}, ["chat.bird -> out.value"])
    (tmp_path / "answers.yaml").write_text(RULES)
    export(flow, tmp_path / "script.py")
    ended = await ask(tmp_path / "script.py", [], answers=tmp_path / "answers.yaml")
    assert ended.outputs == {"out": "wren"}


def test_a_script_that_asks_plainly_carries_no_more(tmp_path: Path) -> None:
    wires = ["word.value -> ask.prompt", "ask.reply -> out.value"]
    plain = export(flow_of({"word": INPUT, "ask": "llm.chat", "out": OUTPUT}, wires), tmp_path / "plain.py")
    assert "def ask_plainly(" in plain
    assert not any(word in plain for word in ("ProjectFolder", "sampled", "read_structured", "jsonschema"))
    settings = {"sampling": "a call for each"}
    several = export(
        flow_of({"word": INPUT, "ask": ("llm.chat", settings), "out": OUTPUT}, wires), tmp_path / "several.py"
    )
    assert "def sampled(" in several
