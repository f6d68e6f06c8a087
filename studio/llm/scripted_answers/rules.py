r"""The rules of scripted answers, and the YAML files that hold them.

A script file has `rules` and, if wanted, `defaults`::

    defaults:
      tokens_per_second: 60          # how fast answers are spoken; 0 or nothing: at once
      delay: 0.3                     # seconds before the first word
    rules:
      - name: the writer looks things up      # optional; named in error messages
        when:                                 # all of these must hold; no `when`: always
          node: writer                        # id of the asking node, or a list of ids
          instructions: you are a writer      # regex, searched in the system message
          has_tool: search                    # a tool that is offered, or a list: all of them
          turn: 0                             # assistant messages since the last user message
        tool_calls:
          - name: search
            arguments: {query: "{{ question | keywords | join(' ') }}", limit: 4}
      - name: the writer answers
        when: {node: writer, after_tool: search}
        reply: |
          {{ tool_results[-1].text | best_sentences(question, 2) | join(' ') }}
      - when: {node: critic, last: 'cite (?P<what>\w+)'}
        reply: {accept: false, reason: "{{ match.what }} is not cited"}
      - when: {asked: overload}
        error: {status: 429, message: Too many requests}
      - when: {instructions: you are a writer}
        unknown: These answers know only birds.

The first rule that matches answers; files count in the order of their names.

`when` may have:

=============  ==================================================================================
`node`         id of the node that asks, or a list. Only callers that say who they are match
               (runs do, those of scripts too; another program does not)
`instructions` regular expression on the text of the system message
`last`         regular expression on the text of the last message, whoever spoke it
`asked`        regular expression on the text of the last *user* message
`turn`         number of assistant messages since the last user message: `0`, `"1-2"`, `"2-"`
`round`        round of the innermost loop (or item of the innermost map): `1`, `"2-"`; or by the
               id of the loop: `{rounds: "2-"}`. Only for callers that say where they stand
`sample`       which of several answers this is: `1`, `"2-"`. Of one request that asks for several, or of
               the requests of one step
`after_tool`   the last message is the answer of this tool, or of one of a list
`has_tool`     this tool may be called; of a list: all may
`images`       `true`: a message has pictures; `false`: none has
`schema`       `true`: the answer is to be JSON of a schema; `false`: it is not; `json_schema` and
               `json_object`: it is asked for by that type of `response_format`
`holds`        an expression, such as `tool_results | length > 2`, of what templates may use; asked last
=============  ==================================================================================

Regular expressions are Python's, searched anywhere in the text, ignoring case, `.` matching line breaks.

Each rule has `reply`, `tool_calls`, both, `error`, or `unknown`:

- `reply` is a template; or a mapping or list whose texts are templates, answered as JSON.
- `tool_calls` is a list of `name` and `arguments`; arguments are a mapping whose texts are templates
  (numbers, flags and null stay what they are), or one template that gives a JSON object.
- `error` has `status` (400 to 599) and `message` (a template).
- `unknown` is a template that says what these answers know: the step fails, as where no rule fits (a run at a
  terminal ends with exit code 1).
- `tokens_per_second` and `delay` override the file's defaults.
- `probability` (above 0, at most 1) is that of each word, told where log-probabilities are asked for;
  without it, each word has one that is drawn by the request.

Templates are Jinja's, sandboxed; a name that does not exist is an error, a line that holds only `{% … %}`
leaves no empty line, and one line break at the end is dropped. They may use `last`, `question`
(text of the last user message), `system`, `images` (kinds of the pictures shown last: `image/png`, …),
`messages` (`role`, `content`), `tools` (names offered),
`tool_results` (list of `name`, `arguments`, `text`, `json`; the newest last), `turn`, `sample`, `round`,
`rounds`, `node`, `scope`, `effort` (the reasoning effort that is asked for), `prefix` (how the answer is to
begin; a reply that does not begin so goes on from there) and `match` (named groups of all regular
expressions of the rule; empty for one that took no part). Beside Jinja's filters there are `sentences`,
`keywords` (telling words of a text),
`best_sentences(question, n)` (those sharing most keywords with it; a list), `truncate_words(n)`,
`regex_findall(pattern)`, `regex_search(pattern)`, `fromjson` and `tojson`.

Of Jinja's functions there are `range`, `dict` and `namespace`. Finding one answer may take two seconds and
100,000 rounds of loops, and make ten million characters; a pattern may look for half a second.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.bounds.patterns import first_match
from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.scripted_answers.templates import ScriptTemplate, go_on

PATTERNS = ("instructions", "last", "asked")
"""The conditions that are regular expressions."""


@dataclass(frozen=True, slots=True)
class Span:
    """Numbers from `first` to `final`, both included; None is no end."""

    first: int
    final: int | None

    def __contains__(self, number: int) -> bool:
        return number >= self.first and (self.final is None or number <= self.final)


@dataclass(frozen=True, slots=True)
class When:
    """What must hold for a rule to answer; None asks nothing."""

    node: frozenset[str] | None = None
    instructions: Any = None
    """A pattern that was read, as `last` and `asked`."""
    last: Any = None
    asked: Any = None
    turn: Span | None = None
    round: Span | Mapping[str, Span] | None = None
    sample: Span | None = None
    after_tool: frozenset[str] | None = None
    has_tool: frozenset[str] | None = None
    schema: bool | str | None = None
    images: bool | None = None
    holds: ScriptTemplate | None = None
    """Gives nothing where the expression does not hold; `match` does not ask it."""

    def match(self, request: ScriptRequest) -> dict[str, str] | None:
        """Give the named groups when everything but `holds` does, None otherwise."""
        holds = (
            (self.node is None or request.caller.node in self.node)
            and (self.turn is None or request.turn in self.turn)
            and (self.sample is None or request.sample in self.sample)
            and (self.schema is None or self.schema in (request.wants_schema, request.form))
            and (self.images is None or bool(request.images) == self.images)
            and (self.has_tool is None or self.has_tool <= set(request.tools))
            and (self.after_tool is None or request.after_tool in self.after_tool)
            and self._matches_round(request)
        )
        return self._match_patterns(request) if holds else None

    def _matches_round(self, request: ScriptRequest) -> bool:
        if self.round is None:
            return True
        if isinstance(self.round, Span):
            return bool(request.rounds) and request.round in self.round
        rounds = request.rounds
        return all(loop in rounds and rounds[loop] in span for loop, span in self.round.items())

    def _match_patterns(self, request: ScriptRequest) -> dict[str, str] | None:
        groups: dict[str, str] = {}
        wanted = (
            (self.instructions, request.system),
            (self.last, request.last),
            (self.asked, request.question),
        )
        for pattern, text in wanted:
            if pattern is None:
                continue
            go_on()
            hit = first_match(pattern, text)
            if hit is None:
                return None
            groups.update(hit.groupdict(""))
        return groups


TemplateTree = ScriptTemplate | Mapping[str, "TemplateTree"] | list["TemplateTree"] | float | bool | None
"""JSON in which every text is a template."""


@dataclass(frozen=True, slots=True)
class CallRule:
    """A tool call to make; arguments are a tree, or one template that gives a JSON object."""

    name: ScriptTemplate
    arguments: TemplateTree


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """An HTTP error to answer with."""

    status: int
    message: ScriptTemplate


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; `place` names file and number for error messages."""

    place: str
    when: When
    reply: TemplateTree
    calls: tuple[CallRule, ...]
    error: ErrorRule | None
    unknown: ScriptTemplate | None
    tokens_per_second: float
    delay: float
    probability: float | None = None
