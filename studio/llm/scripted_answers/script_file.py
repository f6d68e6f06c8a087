"""Reading script files: YAML in, rules out, and a clear sentence for everything that is wrong."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from jinja2 import TemplateError, TemplateSyntaxError

from studio.bounds.patterns import PatternError, readable
from studio.bounds.yaml_texts import plain_of
from studio.errors import UsageError
from studio.llm.scripted_answers.rules import PATTERNS, CallRule, ErrorRule, Rule, Span, TemplateTree, When
from studio.llm.scripted_answers.templates import ScriptTemplate

FORMS = ("json_schema", "json_object")
"""Types of `response_format` that a rule may be for."""

WHEN_KEYS = (
    *PATTERNS,
    "node",
    "turn",
    "sample",
    "round",
    "after_tool",
    "has_tool",
    "schema",
    "images",
    "holds",
)
RULE_KEYS = (
    "name",
    "when",
    "reply",
    "tool_calls",
    "error",
    "unknown",
    "tokens_per_second",
    "delay",
    "probability",
)
SPAN = re.compile(r"(\d+)(-?)(\d*)")


def load_rules(path: Path) -> Sequence[Rule]:
    """Read the rules of one file; raises `UsageError` naming the file and the rule."""
    try:
        return _rules_of(path.name, path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"The scripted answers in {path} can't be read: {' '.join(str(error).split())}"
        raise UsageError(message) from error
    except RecursionError as error:
        message = f"The scripted answers in {path} can't be read: it is nested too deep."
        raise UsageError(message, hint="Nest fewer lists and mappings.") from error


@lru_cache(50)
def _rules_of(file: str, text: str) -> Sequence[Rule]:
    """Read a text once: each run opens its answers anew, and YAML takes a tenth of a short one."""
    return tuple(_read_rules(file, plain_of(text)))


def _read_rules(file: str, plain: object) -> list[Rule]:
    place = _Place(file)
    top = place.fields(plain, ("defaults", "rules"))
    defaults = place.inner("defaults").fields(top.get("defaults", {}), ("tokens_per_second", "delay"))
    rules = top.get("rules")
    if not isinstance(rules, list) or not rules:
        raise place.error("there are no `rules`")
    return [
        _read_rule(_Place(file, f"rule {number}"), plain, defaults)
        for number, plain in enumerate(cast("list[object]", rules), 1)
    ]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a script something stands, with readers that complain in its name."""

    file: str
    inside: str = ""

    def __str__(self) -> str:
        return f"{self.file}, {self.inside}" if self.inside else self.file

    def inner(self, name: str) -> "_Place":
        return _Place(self.file, f"{self.inside}, `{name}`" if self.inside else f"`{name}`")

    def error(self, reason: str) -> UsageError:
        hint = "The format of scripted answers is described in `studio/llm/scripted_answers/rules.py`."
        return UsageError(f"In the scripted answers {self}, {reason}.", hint=hint)

    def fields(self, plain: object, known: tuple[str, ...] = ()) -> Mapping[str, object]:
        if not isinstance(plain, Mapping):
            raise self.error("a mapping was expected")
        fields = cast("Mapping[str, object]", plain)
        for key in fields:
            if known and key not in known:
                raise self.error(f"`{key}` is not known; there are {', '.join(known)}")
        return fields

    def number(self, plain: object) -> float:
        if not isinstance(plain, (int, float)) or isinstance(plain, bool) or not 0 <= plain < float("inf"):
            raise self.error(f"`{plain}` is not a number from 0 on")
        return float(plain)

    def names(self, plain: object) -> frozenset[str]:
        names = cast("list[object]", plain) if isinstance(plain, list) else [plain]
        if not names or not all(isinstance(name, str) and name for name in names):
            raise self.error("a name or a list of names was expected")
        return frozenset(str(name) for name in names)

    def pattern(self, plain: object) -> Any:
        if not isinstance(plain, str):
            raise self.error("a regular expression was expected; put it in quotes")
        try:
            return readable(plain, re.DOTALL | re.IGNORECASE)
        except PatternError as error:
            reason = f"`{plain}` is not a regular expression ({error})"
            raise self.error(reason) from error

    def span(self, plain: object) -> Span:
        hit = None if isinstance(plain, bool) else SPAN.fullmatch(str(plain))
        if hit is None:
            raise self.error(f"`{plain}` is neither a number nor a range such as `2-4` or `2-`")
        first = int(hit[1])
        if not hit[2]:
            return Span(first, first)
        return Span(first, int(hit[3]) if hit[3] else None)

    def template(self, plain: object) -> ScriptTemplate:
        if not isinstance(plain, str):
            raise self.error(f"`{plain}` is not a text")
        try:
            # The line break with which YAML ends a block is dropped by Jinja.
            return ScriptTemplate(plain)
        except TemplateSyntaxError as error:
            reason = f"line {error.lineno} of the template is wrong ({error.message})"
            raise self.error(reason) from error
        except (TemplateError, SyntaxError, MemoryError) as error:
            raise self.error(f"the template cannot be read ({error})") from error

    def condition(self, plain: object) -> ScriptTemplate:
        return self.template(f"{{% if {plain} %}}yes{{% endif %}}" if isinstance(plain, str) else plain)

    def tree(self, plain: object) -> TemplateTree:
        if isinstance(plain, str):
            return self.template(plain)
        if isinstance(plain, Mapping):
            fields = cast("Mapping[object, object]", plain)
            return {str(key): self.inner(str(key)).tree(value) for key, value in fields.items()}
        if isinstance(plain, list):
            return [self.tree(value) for value in cast("list[object]", plain)]
        if plain is None or isinstance(plain, (bool, int, float)):
            return plain
        # YAML knows dates; JSON does not.
        return self.template(str(plain))


def _read_rule(place: _Place, plain: object, defaults: Mapping[str, object]) -> Rule:
    fields = place.fields(plain, RULE_KEYS)
    if (name := fields.get("name")) is not None:
        place = _Place(place.file, f"{place.inside} ({name})")
    if not {"reply", "tool_calls", "error", "unknown"} & fields.keys():
        raise place.error("there is neither `reply` nor `tool_calls` nor `error` nor `unknown`")
    for refusal in ("error", "unknown"):
        if refusal in fields and {"reply", "tool_calls", "error", "unknown"} & fields.keys() - {refusal}:
            raise place.error(f"`{refusal}` stands beside an answer")
    paces = {"tokens_per_second": 0, "delay": 0, **defaults, **fields}
    return Rule(
        place=str(place),
        when=_read_when(place.inner("when"), fields.get("when")),
        reply=place.inner("reply").tree(fields.get("reply")),
        calls=_read_calls(place.inner("tool_calls"), fields.get("tool_calls", [])),
        error=_read_error(place.inner("error"), fields["error"]) if "error" in fields else None,
        unknown=place.inner("unknown").template(fields["unknown"]) if "unknown" in fields else None,
        tokens_per_second=place.inner("tokens_per_second").number(paces["tokens_per_second"]),
        delay=place.inner("delay").number(paces["delay"]),
        probability=_read_probability(place.inner("probability"), fields.get("probability")),
    )


def _read_probability(place: _Place, plain: object) -> float | None:
    if plain is None:
        return None
    number = place.number(plain)
    if not 0 < number <= 1:
        raise place.error(f"`{plain}` is not a number above 0 and at most 1")
    return number


def _read_when(place: _Place, plain: object) -> When:
    fields = place.fields({} if plain is None else plain, WHEN_KEYS)

    def flag(key: str) -> bool | None:
        value = fields.get(key)
        if value is not None and not isinstance(value, bool):
            raise place.inner(key).error("true or false was expected")
        return value

    def names(key: str) -> frozenset[str] | None:
        return place.inner(key).names(fields[key]) if key in fields else None

    def pattern(key: str) -> Any:
        return place.inner(key).pattern(fields[key]) if key in fields else None

    return When(
        node=names("node"),
        instructions=pattern("instructions"),
        last=pattern("last"),
        asked=pattern("asked"),
        turn=place.inner("turn").span(fields["turn"]) if "turn" in fields else None,
        sample=place.inner("sample").span(fields["sample"]) if "sample" in fields else None,
        round=_read_round(place.inner("round"), fields["round"]) if "round" in fields else None,
        after_tool=names("after_tool"),
        has_tool=names("has_tool"),
        schema=str(fields["schema"]) if fields.get("schema") in FORMS else flag("schema"),
        images=flag("images"),
        holds=place.inner("holds").condition(fields["holds"]) if "holds" in fields else None,
    )


def _read_round(place: _Place, plain: object) -> Span | Mapping[str, Span]:
    if isinstance(plain, Mapping):
        return {
            loop: place.inner(loop).span(span) for loop, span in place.fields(cast("object", plain)).items()
        }
    return place.span(plain)


def _read_calls(place: _Place, plain: object) -> tuple[CallRule, ...]:
    if not isinstance(plain, list):
        raise place.error("a list of `name` and `arguments` was expected")
    calls: list[CallRule] = []
    for call in cast("list[object]", plain):
        fields = place.fields(call, ("name", "arguments"))
        arguments = fields.get("arguments", {})
        if not isinstance(arguments, (str, Mapping)):
            raise place.inner("arguments").error(
                "a mapping, or a template that gives a JSON object, was expected"
            )
        tree = place.inner("arguments").tree(cast("object", arguments))
        calls.append(CallRule(place.inner("name").template(fields.get("name")), tree))
    return tuple(calls)


def _read_error(place: _Place, plain: object) -> ErrorRule:
    fields = place.fields(plain, ("status", "message"))
    status = fields.get("status", 500)
    if not isinstance(status, int) or not 400 <= status <= 599:
        raise place.inner("status").error(f"`{status}` is not an HTTP error status from 400 to 599")
    return ErrorRule(status, place.inner("message").template(fields.get("message", "A scripted error.")))
