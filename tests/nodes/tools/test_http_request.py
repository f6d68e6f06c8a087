"""A request to the network as a tool."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from nodes.tools.http_request import address_of, header_lines, http_request
from studio.errors import ToolError
from studio.llm.client import ToolCall
from studio.runtime.replay.takeover import replayed
from studio.sdk.testing import ScriptedContext, call_tools
from studio.sdk.tool import Effect
from studio.servers.grants import private_grant
from studio.web.broker import Broker
from tests.export.equality import Row, both
from tests.runtime.bench import REGISTRY, flow_of, run
from tests.servers.running import Allowed, Person
from tests.web.serving import page, serving


async def asked(context: ScriptedContext, settings: Any, **arguments: object) -> str:
    call = ToolCall("1", "http_request", json.dumps(arguments))
    [answer] = await call_tools(http_request, settings, [call], context)
    return answer


async def test_an_error_of_the_server_is_an_error_of_the_tool() -> None:
    assert "status 404" in await asked(ScriptedContext(), {}, url="https://a.example/")


async def test_a_long_answer_is_cut_and_says_so() -> None:
    context = ScriptedContext(web={"https://a.example/": "0123456789"})
    assert await asked(context, {"most": 4}, url="https://a.example/") == "0123\n… cut after 4 bytes"


async def test_a_body_is_sent_as_json_or_as_it_stands() -> None:
    context = ScriptedContext(web={"https://a.example/": "ok"})
    settings = {"url": "https://a.example/", "method": "POST", "body": "json"}
    await asked(context, settings, body={"wren": "ü"})
    await asked(context, {**settings, "body": "text"}, body="ü")
    assert [one.body.decode() for one in context.fetched] == ['{"wren": "ü"}', "ü"]
    assert context.fetched[0].headers == {"Content-Type": "application/json"}


def test_an_argument_stays_within_its_place() -> None:
    assert address_of("https://a.example/{{x}}?q={{y}}", {"x": "a/../b?c", "y": "1&z=2"}) == (
        "https://a.example/a%2F..%2Fb%3Fc?q=1%26z%3D2"
    )
    with pytest.raises(ToolError, match="cannot be"):
        address_of("https://a.example/{{x}}/c", {"x": ".."})


def test_what_is_no_header_is_a_problem_of_the_setting() -> None:
    assert header_lines(("X-A: b",)) == ("X-A: b",)
    for wrong in ("X-A", "X A: b", "Host: b", "X-A: b\r\nX-B: c"):
        with pytest.raises(ValueError, match="not a header"):
            header_lines((wrong,))


async def test_only_requests_that_ask_may_be_done_again() -> None:
    for method, effect in (("GET", Effect.PAID_READ), ("POST", Effect.SIDE_EFFECT)):
        async for tool in http_request(ScriptedContext(), method=method):
            assert tool.effect is effect


def flow(host: str) -> Any:
    settings = {"url": f"http://{host}/{{{{name}}}}", "hosts": [host], "private": True}
    return flow_of(
        {
            "call": ("control.call_tool", {"fields": ["name"]}, {"name": "wren"}),
            "web": ("tools.http_request", settings),
            "out": "io.flow_output",
        },
        ["web.tool -> call.tool[0]", "call.json -> out.value"],
    )


async def test_in_a_run_the_answer_is_labelled_and_a_replay_asks_nobody() -> None:
    async with serving(lambda _: page('{"seen": 2}')) as served:
        ran = await run(flow(served.host), web=Broker({}), grants=reaching(served.host))
    assert ran.outputs == {"out": {"seen": 2}}
    assert "web" in ran.state.steps["call"].outputs["json"].labels  # pyright: ignore[reportArgumentType]
    again = await run(flow(served.host), past=replayed(ran.entries, flow(served.host), REGISTRY))
    assert again.outputs == ran.outputs
    assert len(served.requests) == 1


def reaching(host: str) -> Allowed:
    grants = Allowed()
    grants.add(private_grant((host,), Path()))
    return grants


async def test_a_flow_reaches_this_machine_only_where_a_person_lets_this_project() -> None:
    async with serving(lambda _: page('{"seen": 2}')) as served:
        waits = await run(flow(served.host), web=Broker({}), grants=Allowed())
        assert waits.outcome is not None
        assert waits.outcome.error is not None
        assert waits.outcome.error.exit_code == 4
        assert f"private network?\n  {served.host}" in waits.outcome.error.message
        no, yes = Person({"allow": False}), Person({"allow": True})
        refused = await run(flow(served.host), web=Broker({}), grants=Allowed(), people=no)
        assert refused.outcome is not None
        assert refused.outcome.error is not None
        assert "was not approved" in refused.outcome.error.message
        assert served.requests == []
        grants = Allowed()
        for _ in range(2):
            ran = await run(flow(served.host), web=Broker({}), grants=grants, people=yes)
            assert ran.outputs == {"out": {"seen": 2}}
    assert len(yes.forms) == 1, "it is asked about once"


async def test_without_a_network_the_tool_says_so() -> None:
    ran = await run(flow("127.0.0.1:1"))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "no network" in ran.outcome.error.message


async def test_a_script_sends_the_same_request(tmp_path: Path) -> None:
    async with serving(lambda _: page('{"seen": 2}')) as served:
        person = Person({"allow": True})
        reach = {"web": Broker({}), "grants": Allowed(), "make_people": lambda: person}
        row = Row(flow(served.host))
        ran = await asyncio.to_thread(lambda: both(row, tmp_path, run=asyncio.run, **reach))
    assert ran.outputs == {"out": {"seen": 2}}
    assert len(served.requests) == 2
    assert served.requests[0].startswith("GET /wren ")
