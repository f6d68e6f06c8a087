"""A script does what the drawn flow did, however its steps overlap, fail, and are asked again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.flow.files import codec
from studio.ids import NodeId
from studio.sdk.code import CodeCall
from studio.sdk.context import Form
from studio.servers.connection import McpServers
from tests.app.checked_scripts import checked, first_difference, recorded
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT, calls
from tests.runtime.test_code import CODE
from tests.runtime.test_code import FLOW as CODED
from tests.runtime.test_embedding import FLOW as VECTORS
from tests.runtime.test_served import flow as served_flow
from tests.servers.running import ENVIRON, Allowed, Person

HEARD = "rules: [{reply: 'I heard {{ last }}'}]"
INPUT = "io.flow_input"


def test_rounds_are_the_same(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "word": INPUT,
            "rounds": ("control.loop", {"max_rounds": 4}),
            "writer": ("llm.chat", {"instructions": "You write."}),
            "save": ("io.write_file", {"path": "out/draft.txt"}),
            "enough": (
                "control.branch",
                {
                    "cases": [
                        {"label": "yes", "when": "len(value) > 30", "port": "yes"},
                        {"label": "no", "port": "no"},
                    ]
                },
            ),
            "out": OUT,
        },
        [
            "word.value -> rounds.start",
            "rounds.value -> writer.prompt",
            "writer.reply -> save.text",
            "writer.reply -> enough.value",
            "save.then -> enough.after",
            "enough.yes -> rounds.done",
            "enough.no -> rounds.again",
            "rounds.result -> out.value",
        ],
    )
    ran = recorded(flow, tmp_path, {"word": "owls"}, rules=HEARD)
    assert "rounds.3/save" in ran.steps("step_finished")
    (tmp_path / "out" / "draft.txt").unlink()
    found = checked(
        flow,
        ran,
        tmp_path,
        """
        async def main(word: str) -> dict:
            for _ in rounds("rounds", 4):
                written = await chat("writer", word, instructions="You write.")
                await write_file("save", written.reply, path="out/draft.txt")
                word = written.reply
                if len(word) > 30:
                    break
            return {"out": word}
        """,
    )
    assert (found.difference, found.compared) == (None, 8)
    assert not (tmp_path / "out" / "draft.txt").exists()


MAPPED = flow_of(
    {
        "words": ("value.json", {"value": ["a", "b", "a", "a"]}),
        "each": ("control.for_each", {"at_once": 4}),
        "ask": "llm.chat",
        "all": "control.collect",
        "out": OUT,
    },
    [
        "words.value -> each.items",
        "each.item -> ask.prompt",
        "ask.reply -> all.value",
        "all.values -> out.value",
    ],
)


def test_equal_requests_of_items_at_once_are_the_same(tmp_path: Path) -> None:
    body = """
    async def main() -> dict:
        async def one(word: str) -> str:
            return (await chat("ask", word)).reply

        return {"out": await each("each", one, ["a", "b", "a", "a"], at_once=4, collected="all")}
    """
    found = checked(MAPPED, recorded(MAPPED, tmp_path, rules=HEARD), tmp_path, body)
    assert (found.difference, found.compared) == (None, 4)


def test_a_map_in_a_list_of_python_is_another_scope(tmp_path: Path) -> None:
    body = """
    async def main() -> dict:
        return {"out": [(await chat("ask", word)).reply for word in ["a"]]}
    """
    unlike = first_difference(MAPPED, tmp_path, body, rules=HEARD)
    assert unlike is not None
    assert (unlike.what, unlike.step) == ("extra", "ask#chat.1")


LANES = flow_of(
    {
        "word": INPUT,
        "left": ("llm.chat", {"instructions": "Left."}),
        "right": ("llm.chat", {"instructions": "Right."}),
        "last": ("llm.chat", {"instructions": "Last."}),
        "joined": ("text.template", {"template": "{{a}} {{b}}"}),
        "out": OUT,
    },
    [
        "word.value -> left.prompt",
        "word.value -> right.prompt",
        "right.reply -> last.prompt",
        "left.reply -> joined.a",
        "last.reply -> joined.b",
        "joined.text -> out.value",
    ],
)
LEFT_FIRST = "rules: [{when: {instructions: Right}, reply: no, delay: 0.05}, {reply: 'I heard {{ last }}'}]"
RIGHT_FIRST = "rules: [{when: {instructions: Left}, reply: no, delay: 0.05}, {reply: 'I heard {{ last }}'}]"
IN_LANES = """
async def main(word: str) -> dict:
    async def right() -> str:
        heard = await chat("right", word, instructions="Right.")
        return (await chat("last", heard.reply, instructions="Last.")).reply

    left, last = await gather(chat("left", word, instructions="Left."), right())
    return {"out": f"{left.reply} {last}"}
"""
IN_ORDER = """
async def main(word: str) -> dict:
    left = await chat("left", word, instructions="Left.")
    right = await chat("right", word, instructions="Right.")
    last = await chat("last", right.reply, instructions="Last.")
    return {"out": f"{left.reply} {last.reply}"}
"""


@pytest.mark.parametrize("body", [IN_LANES, IN_ORDER])
@pytest.mark.parametrize("rules", [LEFT_FIRST, RIGHT_FIRST])
def test_lanes_are_the_same_whichever_is_over_first_and_without_overlap(
    body: str, rules: str, tmp_path: Path
) -> None:
    assert first_difference(LANES, tmp_path, body, {"word": "x"}, rules=rules, pace=1) is None


REFUSED = """
rules:
  - {when: {instructions: Left}, error: {status: 400, message: not today}, delay: 0.03}
  - {when: {instructions: Right}, reply: fine, delay: %s}
  - {reply: 'I heard {{ last }}'}
"""


@pytest.mark.parametrize("delay", ["0", "0.015", "30"])
def test_a_failure_stops_the_other_lane_where_it_was_stopped(delay: str, tmp_path: Path) -> None:
    rules = REFUSED % delay
    assert first_difference(LANES, tmp_path, IN_LANES, {"word": "x"}, rules=rules, pace=1) is None


def test_a_script_that_waits_for_what_was_stopped_is_told(tmp_path: Path) -> None:
    body = """
    async def main(word: str) -> dict:
        right = await chat("right", word, instructions="Right.")
        left = await chat("left", word, instructions="Left.")
        return {"out": left.reply + right.reply}
    """
    unlike = first_difference(LANES, tmp_path, body, {"word": "x"}, rules=REFUSED % 30, pace=1)
    assert unlike is not None
    assert (unlike.what, unlike.step, unlike.line) == ("stuck", "right#chat.1", 9)
    assert unlike.sentence == (
        "“right” (line 9): the script waits for an answer that the run did not get either."
    )


@pytest.mark.parametrize("retries", [1, 2])
def test_attempts_are_the_same_and_counted(retries: int, tmp_path: Path) -> None:
    flow = flow_of(
        {"word": INPUT, "ask": ("llm.chat", {}, {}, {"retries": 2, "on_error": "output"}), "out": OUT},
        ["word.value -> ask.prompt", "ask.error -> out.value"],
    )
    body = f"""
    async def main(word: str) -> dict:
        return {{"out": (await chat.on(retries={retries}, on_error="output")("ask", word)).error}}
    """
    rules = "rules: [{error: {status: 503, message: busy}}]"
    unlike = first_difference(flow, tmp_path, body, {"word": "x"}, rules=rules)
    if retries == 2:
        assert unlike is None
    else:
        assert unlike is not None
        assert (unlike.what, unlike.step) == ("missing", "ask#chat.1@3")


SLOW = "rules: [{reply: at last, delay: 30}]"


def test_a_time_limit_passes_where_it_passed_and_takes_no_time(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "word": INPUT,
            "ask": ("llm.chat", {}, {}, {"time_limit": 0.05, "on_error": "default", "default": "late"}),
            "out": OUT,
        },
        ["word.value -> ask.prompt", "ask.reply -> out.value"],
    )
    body = """
    async def main(word: str) -> dict:
        asked = await chat.on(time_limit=%s, on_error="default", default="late")("ask", word)
        return {"out": asked.reply}
    """
    (tmp_path / "same").mkdir()
    (tmp_path / "other").mkdir()
    asked: dict[str, Any] = {"rules": SLOW, "pace": 1}
    assert first_difference(flow, tmp_path / "same", body % 0.05, {"word": "x"}, **asked) is None
    assert first_difference(flow, tmp_path / "other", body % "None", {"word": "x"}, **asked) is not None


def test_a_caught_failure_is_caught_again(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "file": ("io.read_file", {}, {"path": "missing.txt"}),
            "mark": ("text.template", {"template": "<{{x}}>"}),
            "safe": "control.catch",
            "sorry": ("text.template", {"template": "no: {{e.error}}"}),
            "either": "control.merge",
            "out": OUT,
        },
        [
            "file.text -> mark.x",
            "mark.text -> safe.value",
            "safe.error -> sorry.e",
            "safe.value -> either.values[0]",
            "sorry.text -> either.values[1]",
            "either.value -> out.value",
        ],
    )
    body = """
    async def main() -> dict:
        try:
            said = f"<{await read_file('file', 'missing.txt')}>"
        except Exception as error:
            said = f"no: {type(error).__name__}"
        return {"out": said}
    """
    found = checked(flow, recorded(flow, tmp_path), tmp_path, body)
    assert (found.difference, found.compared) == (None, 1)


def test_memories_and_run_variables_are_the_same(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "birds": ("value.json", {"value": ["owl", "wren"]}),
            "memory": ("memory.notes", {"keep": "run"}),
            "each": "control.for_each",
            "put": ("memory.remember", {}, {"fields": {"key": "bird"}}),
            "count": ("value.state_set", {"name": "words", "how": "append"}),
            "all": "control.collect",
            "look": ("memory.recall", {}, {"query": "owl"}),
            "words": ("value.state_get", {"name": "words", "default": []}),
            "out": OUT,
            "also": OUT,
        },
        [
            "birds.value -> each.items",
            "each.item -> put.texts",
            "each.item -> count.value",
            "memory.memory -> put.memory",
            "put.items -> all.value",
            "all.then -> look.after",
            "all.then -> words.after",
            "memory.memory -> look.memory",
            "look.text -> out.value",
            "words.value -> also.value",
        ],
    )
    body = """
    async def main() -> dict:
        kept = notes("memory", keep="run")

        async def note(bird: str) -> object:
            await state_set("count", bird, name="words", how="append")
            return await remember("put", kept, [bird], fields={"key": "bird"})

        await each("each", note, ["owl", "wren"], collected="all")
        found = await recall("look", kept, "%s")
        words = await state_get("words", name="words", default=[])
        return {"out": found.text, "also": words}
    """
    ran = recorded(flow, tmp_path)
    assert checked(flow, ran, tmp_path, body % "owl").difference is None
    unlike = checked(flow, ran, tmp_path, body % "wren").difference
    assert unlike is not None
    assert (unlike.step, unlike.place, unlike.script) == ("look", "query", "notes about: wren")


def test_called_flows_are_the_same(tmp_path: Path) -> None:
    asks = flow_of(
        {"text": INPUT, "critic": "llm.chat", "said": OUT},
        ["text.value -> critic.prompt", "critic.reply -> said.value"],
    )
    flow = flow_of(
        {"word": INPUT, "sub": calls("asks.json"), "out": OUT},
        ["word.value -> sub.text", "sub.said -> out.value"],
    )
    body = """
    async def main(word: str) -> dict:
        return {"out": await call("sub", asks, word)}


    async def asks(text: str) -> str:
        return (await chat("critic", text)).reply
    """
    flows = {"asks.json": asks}
    ran = recorded(flow, tmp_path, {"word": "a"}, rules=HEARD, flows=flows)
    found = checked(flow, ran, tmp_path, body, flows)
    assert (found.difference, found.compared) == (None, 1)


AGENTS = """
rules:
  - {when: {after_tool: text_search}, reply: A wren.}
  - {when: {has_tool: text_search}, tool_calls: [{name: text_search, arguments: {query: sang}}]}
"""


def test_agents_and_their_tools_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "may.txt").write_text("A wren sang.")
    flow = flow_of(
        {
            "notes": ("tools.text_search", {"folder": "notes"}),
            "agent": ("llm.agent", {}, {"prompt": "What sang?"}),
            "out": OUT,
        },
        ["notes.tool -> agent.tools", "agent.reply -> out.value"],
    )
    body = """
    async def main() -> dict:
        notes = text_search("%s", folder="notes")
        return {"out": (await agent("agent", "What sang?", tools=[notes])).reply}
    """
    ran = recorded(flow, tmp_path, rules=AGENTS)
    (tmp_path / "notes" / "may.txt").write_text("Nothing sang.")
    found = checked(flow, ran, tmp_path, body % "notes")
    assert (found.difference, found.compared) == (None, 3)


TEAM = """
rules:
  - {when: {instructions: You are desk}, reply: "desk heard {{ last | length }}"}
  - {reply: "{{ messages | length }}"}
"""


def test_teams_are_the_same(tmp_path: Path) -> None:
    members = {
        one: ("team.member", {"name": one, "instructions": f"You are {one}.", "turns": 1})
        for one in ("desk", "bills")
    }
    flow = flow_of(
        {**members, "team": ("team.round_robin", {"rounds": 2}, {"task": "Go."}), "out": OUT},
        ["desk.agent -> team.agents[0]", "bills.agent -> team.agents[1]", "team.reply -> out.value"],
    )
    body = """
    async def main() -> dict:
        desk = member("desk", name="desk", instructions="You are desk.", turns=1)
        bills = member("bills", name="bills", instructions="You are bills.", turns=1)
        return {"out": (await round_robin("team", "Go.", agents=[desk, bills], rounds=%s)).reply}
    """
    ran = recorded(flow, tmp_path, rules=TEAM)
    found = checked(flow, ran, tmp_path, body % 2)
    assert (found.difference, found.compared) == (None, 8)
    unlike = checked(flow, ran, tmp_path, body % 1).difference
    assert unlike is not None
    assert (unlike.what, unlike.title) == ("missing", "“team”")


class Somebody:
    """Answers every form."""

    async def ask(self, step: str, form: Form) -> Mapping[str, Any]:
        """Say the same always."""
        del step, form
        return {"answer": "the long one"}


def test_what_people_said_is_said_again(tmp_path: Path) -> None:
    flow = flow_of(
        {"ask": ("human.ask", {}, {"question": "Which hedge?"}), "out": OUT}, ["ask.answer -> out.value"]
    )
    body = """
    async def main() -> dict:
        return {"out": (await ask("ask", "Which %s?")).answer}
    """
    ran = recorded(flow, tmp_path, people=Somebody())
    assert checked(flow, ran, tmp_path, body % "hedge").difference is None
    unlike = checked(flow, ran, tmp_path, body % "fence").difference
    assert unlike is not None
    assert (unlike.step, unlike.script, unlike.recording) == ("ask#ask.1", "Which fence?", "Which hedge?")


@pytest.mark.parametrize("winner", ["slow", "quick"])
def test_races_of_a_region_have_their_winners_again(winner: str, tmp_path: Path) -> None:
    flow = flow_of(
        {
            "word": INPUT,
            "slow": ("llm.chat", {"instructions": "Slow."}),
            "quick": ("llm.chat", {"instructions": "Quick."}),
            "first": "control.race",
            "out": OUT,
        },
        [
            "word.value -> slow.prompt",
            "word.value -> quick.prompt",
            "slow.reply -> first.values[0]",
            "quick.reply -> first.values[1]",
            "first.value -> out.value",
        ],
    )
    (tmp_path / "race.json").write_text(codec.dumps(flow))
    body = f"""
    async def main(word: str) -> dict:
        from pathlib import Path

        race = Path({str(tmp_path / "race.json")!r}).read_text()
        return {{"out": (await region(race, word=word)).out}}
    """
    loser = {"slow": "Quick", "quick": "Slow"}[winner]
    rules = f"rules: [{{when: {{instructions: {loser}}}, reply: no, delay: 30}}, {{reply: yes it is}}]"
    ran = recorded(flow, tmp_path, {"word": "x"}, rules=rules, pace=1)
    assert ran.outputs == {"out": "yes it is"}
    assert checked(flow, ran, tmp_path, body).difference is None


def test_waits_take_no_time_and_are_missed(tmp_path: Path) -> None:
    flow = flow_of(
        {"word": INPUT, "wait": ("control.delay", {"seconds": 0.01}), "out": OUT},
        ["word.value -> wait.value", "wait.value -> out.value"],
    )
    ran = recorded(flow, tmp_path, {"word": "x"})
    waits = """
    async def main(word: str) -> dict:
        return {"out": await delay("wait", word, seconds=0.01)}
    """
    assert checked(flow, ran, tmp_path, waits).difference is None
    unlike = checked(
        flow, ran, tmp_path, 'async def main(word: str) -> dict:\n    return {"out": word}'
    ).difference
    assert unlike is not None
    assert (unlike.what, unlike.step) == ("missing", "wait")


def test_vectors_are_the_same(tmp_path: Path) -> None:
    body = """
    async def main() -> dict:
        return {"out": await embed("vectors", ["moss", "a wren", "moss"], dimensions=%s, batch=1)}
    """
    ran = recorded(VECTORS, tmp_path, rules=HEARD)
    found = checked(VECTORS, ran, tmp_path, body % 8)
    assert (found.difference, found.compared) == (None, 2)
    unlike = checked(VECTORS, ran, tmp_path, body % 4).difference
    assert unlike is not None
    assert (unlike.step, unlike.place) == ("vectors#embed.1", "dimensions")


class Box:
    """Gives what no code would give."""

    async def run(self, call: CodeCall, **more: Any) -> Any:
        """Say that it was called."""
        del more
        return f"{call.arguments['text']} from a box"


def test_code_is_the_same_and_needs_no_box(tmp_path: Path) -> None:
    body = f"""
    async def main(word: str) -> dict:
        return {{"out": (await python("code", text=word, code={CODE!r})).result}}
    """
    ran = recorded(CODED, tmp_path, box=Box())
    assert checked(CODED, ran, tmp_path, body).difference is None
    unlike = checked(CODED, ran, tmp_path, body.replace("'at'", "'by'")).difference
    assert unlike is not None
    assert (unlike.step, unlike.place) == ("code#code.1", "code")


@pytest.mark.process
def test_tools_of_servers_are_the_same_and_need_no_server(tmp_path: Path) -> None:
    flow = served_flow()
    settings = dict(flow.nodes[NodeId("birds")].settings)
    body = f"""
    async def main() -> dict:
        birds = mcp_server("birds", **{settings!r})
        called = await call_tool("call", tool=[birds], tool_name="count", arguments={{"bird": "wren"}})
        return {{"out": called.text}}
    """
    servers = McpServers(tmp_path, ENVIRON)
    ran = recorded(flow, tmp_path, servers=servers, people=Person({"allow": True}), grants=Allowed())
    assert checked(flow, ran, tmp_path, body).difference is None


def test_a_step_that_is_called_with_other_settings_later_is_told(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "words": ("value.json", {"value": ["a", "b"]}),
            "each": ("control.for_each", {"at_once": 1}),
            "save": ("io.write_file", {"path": "out.txt"}),
            "all": "control.collect",
            "out": OUT,
        },
        [
            "words.value -> each.items",
            "each.item -> save.text",
            "save.path -> all.value",
            "all.values -> out.value",
        ],
    )
    body = """
    async def main() -> dict:
        async def one(word: str) -> str:
            return await write_file("save", word, path="out.txt" if word == "a" else "other.txt")

        return {"out": await each("each", one, ["a", "b"], at_once=1, collected="all")}
    """
    unlike = first_difference(flow, tmp_path, body)
    assert unlike is not None
    assert (unlike.what, unlike.step, unlike.script, unlike.recording) == (
        "request",
        "each.1/save",
        "other.txt",
        "out.txt",
    )
