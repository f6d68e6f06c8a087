"""What is lent to a node that runs."""

from pathlib import Path

from tests.runtime.bench import flow_of, run

SCRIPT = """
rules:
  - when: {turn: 0, has_tool: [list_files, read_file, find_lines, text_search]}
    tool_calls:
      - {name: list_files}
      - {name: find_lines, arguments: {text: wren}}
      - {name: text_search, arguments: {query: wren}}
  - reply: "{{ tool_results | map(attribute='text') | join('; ') }}"
"""


async def test_one_binding_may_lend_several_tools_beside_another_one(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "may.txt").write_text("A wren sang.\n", "utf-8")
    script = tmp_path / "answers.yaml"
    script.write_text(SCRIPT, "utf-8")
    flow = flow_of(
        {
            "ask": ("text.text", {"text": "What sang?"}),
            "files": "tools.files",
            "search": ("tools.text_search", {"folder": "data"}),
            "agent": "llm.agent",
            "answer": "io.flow_output",
        },
        [
            "ask.text -> agent.prompt",
            "files.tool -> agent.tools[0]",
            "search.tool -> agent.tools[1]",
            "agent.reply -> answer.value",
        ],
    )
    ran = await run(flow, script=script, root=tmp_path)
    reply = str(ran.outputs["answer"])
    assert reply.startswith("may.txt; may.txt:1: A wren sang.; ")
    assert '"found": 1' in reply
    assert sorted(step for step in ran.steps("tool_answered")) == [
        f"agent#tool.{number}" for number in (1, 2, 3)
    ]


async def test_two_tools_of_one_name_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(SCRIPT, "utf-8")
    said: list[str] = []
    for prefix in ("", "old_"):
        flow = flow_of(
            {
                "ask": ("text.text", {"text": "What sang?"}),
                "files": "tools.files",
                "more": ("tools.files", {"folder": "old", "prefix": prefix}),
                "agent": "llm.agent",
                "answer": "io.flow_output",
            },
            [
                "ask.text -> agent.prompt",
                "files.tool -> agent.tools[0]",
                "more.tool -> agent.tools[1]",
                "agent.reply -> answer.value",
            ],
        )
        ran = await run(flow, script=tmp_path / "answers.yaml", root=tmp_path)
        assert ran.outcome is not None
        said.append(str(ran.outcome.error or ""))
        assert bool(ran.steps("chat_requested")) is bool(prefix)
    assert "Two tools are named `list_files`, from `files` and `more`." in said[0]
    assert "Two tools" not in said[1]
