"""Which rule answers, what it says, and what is said about a script that is wrong."""

import itertools
import json
import textwrap
from pathlib import Path

import pytest

from studio.bounds import weights
from studio.errors import ProjectError, ScriptedAnswerMissingError, UsageError
from studio.llm.client import Caller
from studio.llm.scripted_answers import rules, templates
from studio.llm.scripted_answers.script_book import ScriptBook, ScriptedReply
from tests.llm.builders import book_of


def chat(*messages: tuple[str, str], tools: tuple[str, ...] = (), **more: object) -> dict[str, object]:
    """Give the body of a request; the tool messages answer calls of the tool `search`."""
    plain: list[dict[str, object]] = []
    for role, text in messages:
        message: dict[str, object] = {"role": role, "content": text}
        if role == "tool":
            message["tool_call_id"] = "c1"
        if role == "assistant":
            function = {"name": "search", "arguments": '{"query": "moss"}'}
            message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
        plain.append(message)
    offered = [{"type": "function", "function": {"name": name}} for name in tools]
    return {"messages": plain, "tools": offered, **more}


def said(script: str, body: dict[str, object], caller: Caller | None = None) -> ScriptedReply:
    """Answer `body` from `script`."""
    return book_of(script).answer(body, caller)


@pytest.mark.parametrize(
    ("when", "body", "caller"),
    [
        ("node: critic", chat(("user", "x")), Caller("critic")),
        ("node: [writer, critic]", chat(("user", "x")), Caller("critic")),
        ("instructions: strict", chat(("system", "You are STRICT."), ("user", "x")), None),
        ("last: 'b.c'", chat(("user", "a"), ("user", "b\nc")), None),
        ("asked: why", chat(("user", "Why?"), ("assistant", "so"), ("tool", "found")), None),
        ("turn: 1", chat(("user", "x"), ("assistant", "y"), ("tool", "z")), None),
        ("turn: '1-'", chat(("user", "x"), ("assistant", "y"), ("assistant", "y")), None),
        ("round: 2", chat(("user", "x")), Caller("w", "rounds.2")),
        ("round: '2-3'", chat(("user", "x")), Caller("w", "rounds.7/each.3")),
        ("round: {rounds: 7, each: '1-'}", chat(("user", "x")), Caller("w", "rounds.7/each.3")),
        ("after_tool: search", chat(("user", "x"), ("assistant", ""), ("tool", "z")), None),
        ("has_tool: [a, b]", chat(("user", "x"), tools=("b", "c", "a")), None),
        ("schema: true", chat(("user", "x"), response_format={"type": "json_schema"}), None),
        ("holds: turn == 1 and not match", chat(("user", "x"), ("assistant", "y")), None),
        ("{}", chat(("user", "x")), None),
    ],
)
def test_a_condition_that_holds_lets_the_rule_answer(
    when: str, body: dict[str, object], caller: Caller | None
) -> None:
    when = when if when == "{}" else f"{{{when}}}"
    assert said(f"rules: [{{when: {when}, reply: yes it is}}]", body, caller).text == "yes it is"


@pytest.mark.parametrize(
    ("when", "caller"),
    [
        ("node: critic", None),
        ("node: critic", Caller("writer", "critic.1")),
        ("instructions: strict", None),
        ("last: '^y'", None),
        ("asked: why", None),
        ("turn: 1", None),
        ("turn: '1-'", None),
        ("round: 1", None),
        ("round: 1", Caller("w", "rounds.2")),
        ("round: {each: 2}", Caller("w", "rounds.2")),
        ("after_tool: search", None),
        ("has_tool: [a, b]", None),
        ("schema: true", None),
        ("last: x, turn: 3", None),
        ("last: x, holds: turn > 0", None),
    ],
)
def test_a_condition_that_does_not_hold_leaves_the_rule_silent(when: str, caller: Caller | None) -> None:
    body = chat(("user", "x"), tools=("a",))
    with pytest.raises(ScriptedAnswerMissingError):
        said(f"rules: [{{when: {{{when}}}, reply: never}}]", body, caller)


def test_tools_that_may_not_be_called_are_none_for_a_rule() -> None:
    rules = "rules: [{when: {has_tool: a}, reply: call it}, {reply: say it}]"
    offered = chat(("user", "x"), tools=("a",))
    assert said(rules, offered).text == "call it"
    assert said(rules, {**offered, "tool_choice": "none"}).text == "say it"


def test_the_first_rule_that_matches_answers() -> None:
    script = "rules: [{when: {last: nope}, reply: a}, {reply: b}, {reply: c}]"
    assert said(script, chat(("user", "x"))).text == "b"


def test_files_of_a_folder_count_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("rules: [{reply: b}]", encoding="utf-8")
    (tmp_path / "a.yaml").write_text("rules: [{when: {last: x}, reply: a}]", encoding="utf-8")
    book = ScriptBook.load(tmp_path)
    assert [book.answer(chat(("user", text))).text for text in "xy"] == ["a", "b"]


def test_a_reply_quotes_what_the_tools_found() -> None:
    script = "rules: [{reply: '{{ tool_results[-1].json.hits | join(\", \") }} for {{ question }}'}]"
    body = chat(("user", "moss"), ("assistant", ""), ("tool", '{"hits": ["a 1", "b 2"]}'))
    assert said(script, body).text == "a 1, b 2 for moss"


def test_the_example_in_the_description_of_the_format_works() -> None:
    _, _, example = (rules.__doc__ or "").partition("::\n\n")
    example, _, _ = example.partition("\nThe first rule")
    book = book_of(textwrap.dedent(example))
    (call,) = book.answer(
        chat(("system", "You are a writer."), ("user", "What does moss eat?"), tools=("search",)),
        Caller("writer"),
    ).tool_calls
    assert json.loads(call.arguments) == {"query": "moss eat", "limit": 4}
    found = chat(("user", "What does moss eat?"), ("assistant", ""), ("tool", "It rains. Moss eats light."))
    assert book.answer(found, Caller("writer")).text == "Moss eats light."
    verdict = book.answer(chat(("user", "Please cite Darwin.")), Caller("critic")).text
    assert json.loads(verdict) == {"accept": False, "reason": "Darwin is not cited"}


def test_a_loop_in_a_template_leaves_no_empty_lines() -> None:
    script = """
rules:
  - reply: |
      Found:
      {% for hit in tool_results[-1].json %}
      - {{ hit }}
      {% endfor %}
      That is all.
"""
    body = chat(("user", "x"), ("assistant", ""), ("tool", '["a", "b"]'))
    assert said(script, body).text == "Found:\n- a\n- b\nThat is all."


def test_named_groups_of_all_patterns_are_known() -> None:
    script = """
rules:
  - when: {asked: 'about (?P<topic>\\w+)', instructions: '(?P<role>critic)|(?P<other>writer)'}
    reply: "{{ match.role }} on {{ match.topic }}{{ match.other }}"
"""
    assert said(script, chat(("system", "A critic."), ("user", "about moss"))).text == "critic on moss"


def test_content_in_parts_is_read_as_text() -> None:
    parts: list[object] = [
        {"type": "text", "text": "a "},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "b"},
    ]
    assert (
        said('rules: [{reply: "{{ last }}"}]', {"messages": [{"role": "user", "content": parts}]}).text
        == "a b"
    )


def test_arguments_may_be_one_template_that_gives_an_object() -> None:
    script = 'rules: [{tool_calls: [{name: f, arguments: \'{{ {"q": question, "n": 3} | tojson }}\'}]}]'
    (call,) = said(script, chat(("user", 'say "é"'))).tool_calls
    assert json.loads(call.arguments) == {"q": 'say "é"', "n": 3}


def test_the_same_request_gets_the_same_answer_with_the_same_ids() -> None:
    script = "rules: [{tool_calls: [{name: f}]}]"
    first, again = (said(script, chat(("user", "x"))) for _ in range(2))
    assert first == again
    assert first.tool_calls[0].id != said(script, chat(("user", "y"))).tool_calls[0].id


@pytest.mark.parametrize("text", ["<b> & 'q'", "{{ 7 * 6 }}", "{% raw %}", "# x", "\u2028 é 😀"])
def test_what_is_quoted_stays_as_it_is(text: str) -> None:
    assert said('rules: [{reply: "{{ last }}"}]', chat(("user", text))).text == text


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ 'Dr. who came. It rained! So?' | sentences | length }}", "3"),
        ("{{ 'What do the moss beetles eat?' | keywords | join(',') }}", "moss,beetles,eat"),
        ("{{ 'Sun. A beetle eats moss. Rain.' | best_sentences('What do beetles eat?', 1) | join }}", None),
        ("{{ 'a b c' | truncate_words(2) }}", "a b…"),
        ("{{ 'a1 b2' | regex_findall('[a-z](.)') | join('+') }}", "1+2"),
        ("{{ 'id: 42;' | regex_search('id: (.+);') }}", "42"),
        ("{{ ('[1, 2]' | fromjson)[1] }}{{ 'x' | fromjson is none }}", "2True"),
        ("{{ {'k': '<é>'} | tojson }}", '{"k": "<é>"}'),
    ],
)
def test_filters_help_with_text(template: str, text: str | None) -> None:
    script = json.dumps({"rules": [{"reply": template}]})
    assert said(script, chat(("user", "x"))).text == (text or "A beetle eats moss.")


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("rules: [{reply: a}, {reply: b, wen: {}}]", "script.yaml, rule 2, `wen` is not known"),
        ("rules: [{when: {nod: a}, reply: b}]", "rule 1, `when`, `nod` is not known"),
        (
            "rules: [{name: greet, when: {last: '('}, reply: b}]",
            r"rule 1 \(greet\).*`last`, `\(` is not a regular",
        ),
        ("rules: [{when: {turn: x}, reply: b}]", "`turn`, `x` is neither a number nor a range"),
        ("rules: [{when: {schema: 3}, reply: b}]", "`schema`, true or false"),
        ("rules: [{when: {node: []}, reply: b}]", "`node`, a name or a list"),
        ("rules: [{when: {last: 3}, reply: b}]", "`last`, a regular expression was expected"),
        ("rules: [{when: {holds: 3}, reply: b}]", "`holds`, `3` is not a text"),
        ("rules: [{when: {holds: turn >}, reply: b}]", "`holds`, line 1 of the template is wrong"),
        ("rules: [{when: {last: x}}]", "neither `reply` nor `tool_calls` nor `error`"),
        ("rules: [{reply: a, error: {}}]", "`error` stands beside"),
        ("rules: [{tool_calls: [], unknown: a}]", "`unknown` stands beside"),
        ("rules: [{reply: '{{ a'}]", "line 1 of the template is wrong"),
        ("rules: [{error: {status: 200}}]", "`200` is not an HTTP error"),
        ("rules: [{tool_calls: [{name: f, arguments: 3}]}]", "`arguments`, a mapping"),
        ("rules: [{reply: a, delay: -1}]", "`delay`, `-1` is not a number"),
        ("defaults: {speed: 3}\nrules: [{reply: a}]", "`speed` is not known"),
        ("rules: []", "there are no `rules`"),
        ("[1]", "a mapping was expected"),
        ("rules: [", "can't be read"),
    ],
)
def test_a_wrong_script_is_refused_naming_file_and_rule(script: str, complaint: str) -> None:
    with pytest.raises(
        UsageError, match=complaint.replace(", `wen`", ".*`wen`").replace(", `nod`", ".*`nod`")
    ):
        book_of(script)


def test_a_folder_without_scripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="There are no scripted answers"):
        ScriptBook.load(tmp_path)


@pytest.mark.parametrize(
    "template",
    [
        "{{ no_such_name }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ 1 / 0 }}",
        "{{ last.x.y }}",
    ],
)
def test_a_template_that_fails_or_reaches_out_is_an_error_of_its_rule(template: str) -> None:
    with pytest.raises(UsageError, match=r"script\.yaml, rule 1, the template failed"):
        said(json.dumps({"rules": [{"reply": template}]}), chat(("user", "x")))


RUNAWAYS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{{ ('a' * 10**9) | length }}",
    "{{ range(9999) | join('a' * 9999) | length }}",
    "{{ 10 ** 99999 }}",
    "{{ lipsum(n=999999) }}",
    "{{ ('a' * 40 ~ '!') | regex_search('(a|aa)+$') }}",
)
"""Templates that would take for ever or all memory, one of each sort."""

MORE_RUNAWAYS = (
    "{{ 'a'.center(10**9) | length }}",
    "{{ 'a' | center(10**9) | length }}",
    "{{ ['a'] | map('center', 10**9) | list | length }}",
    "{{ '%1000000000d' | format(1) | length }}",
    "{{ '%*d' | format(10**9, 1) | length }}",
    "{{ '{:>1000000000}'.format(1) | length }}",
    "{{ '{:>{w}}'.format(1, w=10**9) | length }}",
    "{{ ('a' * 9999) | replace('', 'a' * 9999) | length }}",
    "{{ ('a' * 9999).replace('', 'a' * 9999) | length }}",
    "{{ ('a' * 9999).join(range(9999) | map('string')) | length }}",
    "{{ 'a' | indent(10**9) | length }}",
    "{{ [1] | tojson(10**9) | length }}",
    "{{ [[0] * 9999] * 9999 == [[0] * 9999] * 9999 }}",
    *(
        f"{{% set n = namespace(x='a') %}}{{% for a in range(99) %}}{more}{{% endfor %}}{{{{ n.x }}}}"
        for more in (
            "{% set n.x = n.x ~ n.x %}",
            "{% set n.x = n.x + n.x %}",
            "{% set n.x = [n.x, n.x] %}",
            "{% set n.x = {'a': n.x, 'b': n.x} %}",
            "{% set n.x = dict(a=n.x, b=n.x) %}",
            "{% set n.x %}{{ n.x }}{{ n.x }}{% endset %}",
        )
    ),
    "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(99) }}",
    "{% macro f() %}{{ 'a' * 99 }}{% endmacro %}{% for a in range(99999) %}{{ f() * 9 }}{% endfor %}",
    "{{ range(999) | map('list') | sum(start=[]) }}",
    "{% set _limits = dict %}{% set _made = dict %}{{ ('a' * 10**9) | length }}",
    "{{ ('a' * 9999 ~ '!') | regex_findall('(a*)(a*)(a*)$') }}",
)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "template", [*RUNAWAYS, *(pytest.param(one, marks=pytest.mark.slow) for one in MORE_RUNAWAYS)]
)
def test_a_template_that_runs_away_is_stopped_as_an_error_of_its_rule(
    template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is by smaller bounds than those of the product, which one test below has."""
    monkeypatch.setattr(templates, "SECONDS", 0.2)
    monkeypatch.setattr(templates, "ROUNDS", 10_000)
    monkeypatch.setattr(weights, "HEAVIEST", 1_000_000)
    with pytest.raises(UsageError, match=r"script\.yaml, rule 1, the template failed"):
        said(f"rules: [{{reply: {json.dumps(template)}}}]", chat(("user", "why")))


@pytest.mark.parametrize("name", ["name", "function", "self", "context", "called"])
def test_what_a_template_calls_may_be_given_any_name(name: str) -> None:
    template = f"{{% set n = dict({name}=7) %}}{{{{ n['{name}'] }}}}"
    assert said(f"rules: [{{reply: {json.dumps(template)}}}]", chat(("user", "why"))).text == "7"


@pytest.mark.timeout(60)
def test_all_templates_of_one_answer_have_one_bound() -> None:
    replies = ["{{ ('a' * 9000000) | length }}"] * 30
    with pytest.raises(UsageError, match="grows too large"):
        said(f"rules: [{{reply: {json.dumps(replies)}}}]", chat(("user", "why")))
    assert said(f"rules: [{{reply: {json.dumps(replies[0])}}}]", chat(("user", "why"))).text == "9000000"


@pytest.mark.timeout(60)
def test_a_pattern_that_takes_for_ever_is_stopped_as_an_error_of_its_rule() -> None:
    with pytest.raises(UsageError, match=r"rule 1, a pattern failed: The pattern takes longer than 0\.5 s"):
        said("rules: [{when: {asked: '(a|aa)+$'}, reply: x}]", chat(("user", "a" * 60 + "!")))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        (
            "\n".join(
                ["a: &a [x, x, x, x, x, x, x, x, x]"]
                + [
                    f"{two}: &{two} [{', '.join([f'*{one}'] * 9)}]"
                    for one, two in itertools.pairwise("abcdefghi")
                ]
                + ["rules: [{reply: *i}]"]
            ),
            "its aliases stand for more than 100000 values",
        ),
        ("rules: &a [{reply: *a}]", "a value holds itself"),
        ("rules: " + "[" * 3_000, "it is nested too deep"),
        ("rules: [{reply: " + "{a: " * 3_000 + "1" + "}" * 3_000 + "}]", "it is nested too deep"),
        ("rules: [{reply: '{{ " + "(" * 3_000 + "1" + ")" * 3_000 + " }}'}]", "nested too deep"),
        (
            "rules: [{reply: '" + "{% for a in b %}" * 30 + "{% endfor %}" * 30 + "'}]",
            "the template cannot be read",
        ),
    ],
)
def test_a_script_that_runs_away_when_it_is_read_is_refused_in_a_sentence(
    script: str, complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        book_of(script)


def test_aliases_may_stand_for_what_a_script_says_twice() -> None:
    script = "rules: [{when: &w {asked: why}, reply: &r {a: '{{ turn }}'}}, {when: *w, reply: [*r, *r]}]"
    assert said(script, chat(("user", "why"))).text == '{"a": "0"}'


def test_a_condition_that_fails_is_an_error_of_its_rule() -> None:
    with pytest.raises(UsageError, match=r"script\.yaml, rule 1, the template failed: 'nobody' is undefined"):
        said("rules: [{when: {holds: nobody > 2}, reply: a}]", chat(("user", "x")))


def test_an_error_is_answered_with_its_status() -> None:
    reply = said("rules: [{error: {status: 503, message: 'no {{ last }}'}}]", chat(("user", "luck")))
    assert reply.error is not None
    assert (reply.error.status, reply.error.message) == (503, "no luck")


def test_a_rule_that_says_it_is_unknown_tells_what_is_known_instead() -> None:
    with pytest.raises(ScriptedAnswerMissingError, match=r"^Unknown: only birds, no \w+\.") as caught:
        said("rules: [{unknown: 'only birds, no {{ last }}.'}]", chat(("user", "fish")))
    assert "chat profile" in caught.value.hint


def test_a_rule_overrides_the_pace_of_its_file() -> None:
    script = "defaults: {tokens_per_second: 50, delay: 0.5}\nrules: [{reply: a, delay: 0}]"
    reply = said(script, chat(("user", "x")))
    assert (reply.tokens_per_second, reply.delay) == (50, 0)
