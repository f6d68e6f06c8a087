"""What was edited in a script is found by its nodes, and taken into its flow as one change."""

import json
import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.scripts.edits.comparison import compare
from studio.app.scripts.edits.edits import Edit, ScriptEdits, changes_of, same
from studio.app.scripts.edits.script_reader import ScriptUnreadableError, read_script
from studio.flow.records import Flow, Json
from studio.ids import NodeId, PortName
from studio.script.schemas import fields
from tests.app.written_scripts import CHAPTERS, JUDGE, NOTES, SUBJECTS, Subject, with_constant


def found(subject: Subject, script: str | None = None) -> ScriptEdits:
    """What a script has otherwise than the flow of a subject."""
    read = read_script(subject.script if script is None else script)
    return compare(read, subject.flow, subject.flows, subject.registry)


def after(subject: Subject, script: str) -> Mapping[str, Flow]:
    """The flows with all that can be taken from a script."""
    flows = {**subject.flows, "": subject.flow}
    changes = changes_of(found(subject, script).edits, flows, subject.registry)
    return {name: changes[name].applied_to(flow) if name in changes else flow for name, flow in flows.items()}


def said(one: ScriptEdits) -> list[str]:
    return [f"{remark.line}: {remark.words}" for remark in one.remarks]


def only(subject: Subject, old: str, new: str) -> Edit:
    """The one edit of a script in which a text was replaced."""
    assert old in subject.script
    compared = found(subject, subject.script.replace(old, new))
    assert said(compared) == []
    (edit,) = compared.edits
    return edit


def remarks(subject: Subject, old: str, new: str) -> list[str]:
    """What is said of a script in which a text was replaced; nothing of it can be taken."""
    assert old in subject.script
    compared = found(subject, subject.script.replace(old, new))
    assert compared.edits == ()
    return [remark.words for remark in compared.remarks]


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_a_script_that_nobody_edited_has_nothing_to_take(subject: Subject) -> None:
    assert found(subject) == ScriptEdits()


# ---------------------------------------------------------------- what is taken


def test_an_edited_text_is_taken_with_the_line_of_its_constant() -> None:
    edit = only(NOTES, "You are strict.", "You are lenient.")
    assert (edit.node, edit.name, edit.title, edit.label) == (
        "critic",
        "instructions",
        "Critic",
        "Instructions",
    )
    assert NOTES.script.split("\n")[edit.line - 1].strip().startswith('"You are strict.')
    assert str(edit.before).startswith("You are strict.")
    changed = after(NOTES, NOTES.script.replace("You are strict.", "You are lenient."))[""]
    assert changed.nodes[NodeId("critic")].settings["instructions"] == edit.after
    assert changed.wires == NOTES.flow.wires
    assert changed.nodes[NodeId("critic")].settings["answer_schema"]


def test_a_schema_may_be_said_by_its_fields() -> None:
    said = 'fields(accepted={"type": "boolean"}, reason="Why, in a sentence")'
    script = re.sub(r"(CRITIC_ANSWER_SCHEMA = )\{.*?\n\}", rf"\1{said}", NOTES.script, flags=re.DOTALL)
    script = script.replace("import Flow", "import fields, Flow")
    (edit,) = found(NOTES, script).edits
    assert (edit.node, edit.name) == ("critic", "answer_schema")
    assert edit.after == fields(
        accepted={"type": "boolean"}, reason={"type": "string", "description": "Why, in a sentence"}
    )
    as_it_was = script.replace('"Why, in a sentence"', '{"type": "string"}')
    assert found(NOTES, as_it_was) == ScriptEdits()


def test_a_setting_that_is_no_longer_said_has_its_default_again() -> None:
    edit = only(CHAPTERS, ', by="headings", depth=1', ", depth=1")
    assert (edit.node, edit.before, edit.after) == ("chapters", "headings", "separator")
    script = CHAPTERS.script.replace(', by="headings", depth=1', ", depth=1")
    assert "by" not in after(CHAPTERS, script)[""].nodes[NodeId("chapters")].settings


def test_a_setting_that_is_said_for_the_first_time_is_taken() -> None:
    edit = only(NOTES, '"writer", draft,', '"writer", draft, temperature=0.5,')
    assert (edit.node, edit.name, edit.before, edit.after) == ("writer", "temperature", None, 0.5)


def test_what_is_said_as_its_default_is_no_edit() -> None:
    script = NOTES.script.replace('"writer", draft,', '"writer", draft, turns=10, temperature=None,')
    default = next(one.default for one in NOTES.registry.require("llm.agent").settings if one.name == "turns")
    assert found(NOTES, script.replace("turns=10", f"turns={default}")) == ScriptEdits()


def test_a_called_flow_is_changed_by_a_change_of_its_own() -> None:
    script = CHAPTERS.script.replace("strict about length", "relaxed about length")
    script = script.replace('"out/summary.md"', '"out/short.md"')
    edits = found(CHAPTERS, script).edits
    assert [(one.flow, one.node) for one in edits] == [("", "save"), ("summary.json", "critic")]
    flows = {**CHAPTERS.flows, "": CHAPTERS.flow}
    changes = changes_of(edits, flows, CHAPTERS.registry)
    assert {name: set(change.nodes) for name, change in changes.items()} == {
        "": {"save"},
        "summary.json": {"critic"},
    }


def test_rounds_items_at_once_and_defaults_are_settings_of_their_nodes() -> None:
    script = CHAPTERS.script.replace("ROUNDS = 3", "ROUNDS = 5").replace("AT_ONCE = 4", "AT_ONCE = 2")
    script = script.replace("WORDS = 30", "WORDS = 50").replace(
        'collected="all"', 'collected="all", failed="drop"'
    )
    edits = found(CHAPTERS, script).edits
    assert {(one.flow, one.node, one.name): one.after for one in edits} == {
        ("summary.json", "rounds", "max_rounds"): 5,
        ("", "each", "at_once"): 2,
        ("", "words", "default"): 50,
        ("", "all", "failed"): "drop",
    }


def test_run_settings_are_those_of_on() -> None:
    edit = only(JUDGE, "RETRIES = 2", "RETRIES = 3")
    assert (edit.place, edit.name, edit.before, edit.after) == ("run", "retries", 2, 3)
    script = JUDGE.script.replace(".on(retries=RETRIES, time_limit=LIMIT)", "")
    run = after(JUDGE, script)[""].nodes[NodeId("judge")].run
    assert (run.retries, run.time_limit) == (0, None)


def test_records_are_read_from_the_calls_that_make_them() -> None:
    edit = only(JUDGE, 'Case("Plain", when="is plain")', 'Case("Plain", when="is short"), Case("New")')
    assert isinstance(edit.after, list)
    assert [one["when"] for one in edit.after if isinstance(one, dict)] == ["answers all", "is short", ""]


def test_a_constant_at_an_input_is_the_value_typed_there() -> None:
    edit = only(JUDGE, 'NAME = "Ada"', 'NAME = "Ben"')
    assert (edit.place, edit.name, edit.after) == ("input", "name", "Ben")
    changed = after(JUDGE, JUDGE.script.replace('NAME = "Ada"', 'NAME = "Ben"'))[""]
    assert changed.nodes[NodeId("greeting")].inputs[PortName("name")] == "Ben"


def test_a_part_given_as_json_is_compared_by_its_nodes() -> None:
    edit = only(JUDGE, "Be slow.", "Be slower.")
    assert (edit.node, edit.after) == ("slow", "Be slower.")
    assert '"slow": {' in JUDGE.script.split("\n")[edit.line - 1]


def test_title_and_description_are_taken() -> None:
    script = NOTES.script.replace('Flow("Answer a question', 'Flow("Answer questions').replace(
        "a critic accepts it\n", "a critic rejects it\n"
    )
    changed = after(NOTES, script)[""]
    assert changed.name == "Answer questions from notes"
    assert "a critic rejects it\nor sends it back" in changed.description


def test_a_description_that_is_only_wrapped_otherwise_is_no_edit() -> None:
    script = NOTES.script.replace("accepts it\nor", "accepts\nit or")
    assert found(NOTES, script) == ScriptEdits()


@pytest.mark.parametrize(
    "expression",
    [
        '"You are " "brief. {{question}}"',
        '("You are "\n    "brief. {{question}}")',
        '"You are " + OTHER',
        'dedent("""\\\n    You are brief. {{question}}""")',
        '"""\nYou are brief. {{question}}\n""".strip()',
        "f'You are brief. {{{{question}}}}'",
    ],
)
def test_a_text_may_be_put_together_of_constants(expression: str) -> None:
    script = with_constant(NOTES.script, "WRITER_INSTRUCTIONS", expression)
    script = script.replace(
        "from typing", 'from textwrap import dedent\nOTHER = "brief. {{question}}"\nfrom typing'
    )
    (edit,) = found(NOTES, script).edits
    assert edit.after == "You are brief. {{question}}"


def test_names_by_which_functions_are_imported_do_not_matter() -> None:
    script = NOTES.script.replace("import agent,", "import agent as ask,").replace(
        "await agent(", "await ask("
    )
    assert found(NOTES, script) == ScriptEdits()
    named = NOTES.script.replace("flow = Flow(", "patient = agent.on(retries=1)\nflow = Flow(")
    named = named.replace('await agent(\n            "critic"', 'await patient(\n            "critic"')
    (edit,) = found(NOTES, named).edits
    assert (edit.node, edit.name, edit.after) == ("critic", "retries", 1)


def test_steps_of_functions_that_the_flow_calls_stand_where_it_calls_them() -> None:
    script = NOTES.script.replace(
        "    await write_file(",
        "    await kept(result)\n    return {}\n\n\nasync def kept(result):\n    await write_file(",
    ).replace('    return {"answer": result}\n', "")
    assert found(NOTES, script) == ScriptEdits()


# ---------------------------------------------------------------- what is told and not taken


def test_an_expression_that_is_no_constant_is_not_taken() -> None:
    script = with_constant(NOTES.script, "WRITER_INSTRUCTIONS", 'open("writer.txt").read()')
    compared = found(NOTES, script)
    assert compared.edits == ()
    assert [one.words for one in compared.remarks] == ["“Instructions” of “Writer” is computed in Python."]
    assert "WRITER_INSTRUCTIONS = open" in script.split("\n")[compared.remarks[0].line - 1]


def test_a_value_that_does_not_fit_its_setting_is_not_taken() -> None:
    (words,) = remarks(NOTES, "MOST = 4", "MOST = 0")
    assert words == "“Max. rounds” of “Rounds”: must be at least 1."
    (words,) = remarks(NOTES, '"type": "object",', '"type": "nonsense",')
    assert "of “Critic”: " in words
    (words,) = remarks(CHAPTERS, "WORDS = 30", 'WORDS = "thirty"')
    assert words.startswith("The default of “Words” does not fit: ")
    (words,) = remarks(JUDGE, "RETRIES = 2", "RETRIES = -1")
    assert words.startswith("“Retries” of “Judge”: ")


def test_nodes_that_are_missing_new_moved_or_renamed_are_told() -> None:
    assert remarks(NOTES, '    await write_file("save", result, path=PATH)\n', "") == [
        "“Save” is not in the script."
    ]
    assert remarks(NOTES, "    await write_file(", '    await agent("extra")\n    await write_file(') == [
        "The step `extra` is not in the flow."
    ]
    moved = NOTES.script.replace("    else:\n        result = draft\n    await", "        await")
    assert [one.words for one in found(NOTES, moved).remarks] == [
        "“Save” is in “Rounds” in the script, and in no loop or map in the flow."
    ]
    assert remarks(NOTES, '"save"', '"store"') == ["“Save” (`save`) is called `store` in the script."]
    (words,) = remarks(NOTES, "await write_file(", "await agent(")[:1]
    assert words == "“Save” is a `io.write_file` in the flow, and a `llm.agent` in the script."


def test_an_id_that_python_computes_is_told() -> None:
    assert "The id of this step is computed in Python." in remarks(NOTES, '"save"', 'f"save_{result}"')


def test_a_constant_where_the_flow_has_a_wire_is_told() -> None:
    assert remarks(NOTES, '"critic",\n            writer.reply', '"critic",\n            "Hello"') == [
        "“prompt” of “Critic” is wired in the flow, and a constant in the script."
    ]


def test_two_calls_of_a_node_that_say_different_things_are_not_taken() -> None:
    again = '    await write_file("save", result, path="out/other.md")\n    await write_file("save"'
    (words,) = remarks(NOTES, '    await write_file("save"', again)
    assert words.startswith("“Save” is called on lines ")


def test_a_parameter_that_is_no_input_is_told() -> None:
    assert remarks(NOTES, "(question: str", "(tone: str, question: str") == [
        "The parameter `tone` of `answer_a_question_from_notes` is no input of the flow."
    ]


@pytest.mark.parametrize(
    "text", ["def (", "x = 1", "\0", "", "import stepwire_kit\nflow = stepwire_kit.Flow()"]
)
def test_what_is_no_script_is_refused(text: str) -> None:
    with pytest.raises(ScriptUnreadableError):
        read_script(text)


def test_nothing_of_a_script_is_executed() -> None:
    assert found(NOTES, f"raise SystemExit\n{NOTES.script}") == ScriptEdits()


def test_constants_that_grow_without_end_count_as_computed() -> None:
    grown = ["A0 = 'x'", *(f"A{n} = A{n - 1} + A{n - 1}" for n in range(1, 90)), "LOOP = LOOP"]
    script = "\n".join([*grown, NOTES.script.replace("path=PATH", "path=A89")])
    assert [one.words for one in found(NOTES, script).remarks] == ["“File” of “Save” is computed in Python."]


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
@given(st.data())
def test_whatever_is_done_to_a_script_it_is_compared_or_refused(
    subject: Subject, data: st.DataObject
) -> None:
    words = re.split(r"(\W)", subject.script)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(words) - 1))
        other = data.draw(
            st.sampled_from(["", "None", "0", "[]", "{}", "'x'", "f'{x}'", "*a", "each", *words])
        )
        words[place] = other
    try:
        compared = found(subject, "".join(words))
    except ScriptUnreadableError:
        return
    flows = {**subject.flows, "": subject.flow}
    for name, change in changes_of(compared.edits, flows, subject.registry).items():
        assert change.inverted().applied_to(change.applied_to(flows[name])) == flows[name]


# ---------------------------------------------------------------- the inverse of writing

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="{}"), min_size=1, max_size=40)
NUMBERS = st.integers(1, 40)


@st.composite
def edited(draw: st.DrawFn, subject: Subject) -> tuple[str, dict[str, Json]]:
    """A script in which some constants are others, and what they are, by what they say."""
    script, wanted = subject.script, dict[str, Json]()
    for constant, place in subject.constants.items():
        if not draw(st.booleans()):
            continue
        old = _value_of(subject, place)
        new: Json
        if isinstance(old, str):
            new = draw(TEXTS) + old
            middle = draw(st.integers(0, len(new)))
            joined = f"({new[:middle]!r}\n    {new[middle:]!r})"
            script = with_constant(script, constant, draw(st.sampled_from([repr(new), joined])))
        else:
            new = draw(NUMBERS) if isinstance(old, int) else draw(st.floats(0.01, 1))
            script = with_constant(script, constant, repr(new))
        if not same(old, new):
            wanted[place] = new
    return script, wanted


def _value_of(subject: Subject, place: str) -> Json:
    called, _, rest = place.partition(":")
    node, _, name = rest.partition(".")
    record = ({**subject.flows, "": subject.flow})[called].nodes[NodeId(node)]
    if name.endswith("!"):
        return record.run.model_dump(mode="json")[name[:-1]]
    known = {**subject.registry.settings(record), **record.inputs, **record.settings}
    return known[PortName(name)]


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
@given(st.data())
def test_exactly_what_was_edited_comes_back(subject: Subject, data: st.DataObject) -> None:
    script, wanted = data.draw(edited(subject))
    compared = found(subject, script)
    assert compared.remarks == ()
    told = {
        f"{one.flow}:{one.node}.{one.name}{'!' if one.place == 'run' else ''}": one.after
        for one in compared.edits
    }
    assert json.dumps(told, sort_keys=True) == json.dumps(
        {place: _as_read(value, place) for place, value in wanted.items()}, sort_keys=True
    )
    taken = Subject(
        script, (flows := after(subject, script))[""], {**flows, "": flows[""]}, subject.constants
    )
    for place, value in wanted.items():
        assert same(_value_of(taken, place), _as_read(value, place))
    assert found(taken, script) == ScriptEdits(), "what was taken is no difference any more"


def _as_read(value: Json, place: str) -> Json:
    """Run settings that may be fractions are fractions when they are read."""
    return float(value) if place.endswith("time_limit!") and isinstance(value, int) else value
