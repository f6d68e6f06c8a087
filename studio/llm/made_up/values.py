"""Values that fit a JSON Schema, made of the words of a prompt and of verdicts that turn good in time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeAlias, cast

from studio.llm.made_up import schemas
from studio.llm.made_up.choices import Choices, NoFitError
from studio.llm.made_up.hints import (
    ARGUMENTS,
    BAD,
    FILE,
    FORMATS,
    GOOD,
    HINTS,
    JOINED,
    LISTED,
    OTHERS,
    PATH,
    QUERY,
    REFERS,
    SHORT,
    UNSURE,
    WHO,
    WHOLE,
)
from studio.llm.made_up.numbers import number_of
from studio.llm.made_up.patterns import NoTextError, text_for
from studio.llm.made_up.schemas import Schema
from studio.llm.made_up.words import Words
from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.solvers.forms import FAULT, OVER, PROGRESS, REASON

Fits: TypeAlias = Callable[[object, Schema], bool]
"""Whether a value fits a schema."""

VARIANTS = 24
"""How many ways of filling in one part are tried."""

MOST_TRIES = 4_000
"""How many values are made for one answer, those of its parts included."""

DEEP = 5
"""How deep parts are nested within which only what is needed is filled in."""

DEEPEST = 40


@dataclass(slots=True)
class Verdicts:
    """What is said of others' work: `is_good` in general, `is_over` of whether all is done."""

    is_good: bool
    is_over: bool


class Values:
    """Makes values for one request; `fits` says whether one does what its schema wants."""

    def __init__(self, words: Words, verdicts: Verdicts, request: ScriptRequest, fits: Fits) -> None:
        self._words = words
        self._verdicts = verdicts
        self._question = request.question
        self._prompt = "\n".join(one.text for one in request.messages)
        self._fits = fits
        self._tries = 0
        self._root: Schema = {}
        self._is_call = False

    def made(self, schema: Schema, *, is_call: bool = False) -> Any:
        """Make a value; of the arguments of a call only what is needed. Raises `NoFitError`."""
        self._root, self._tries, self._is_call = schema, 0, is_call
        return self._value(schema, "", 0, "")

    def _value(self, given: Any, name: str, depth: int, salt: str) -> Any:
        """Try one way after the other until a value fits."""
        if depth > DEEPEST:
            raise NoFitError("it is nested too deep")
        if given is True or given == {}:
            return self._text({}, name, salt)
        if not isinstance(given, Mapping):
            raise NoFitError("nothing is allowed there")
        part = cast("Schema", given)
        for number in range(VARIANTS):
            self._tries += 1
            if self._tries > MOST_TRIES:
                raise NoFitError("it would take too long to find something that fits")
            choices = Choices(number)
            try:
                found = self._once(part, name, depth, salt, choices)
            except NoFitError:
                found = _NONE
            if found is not _NONE and self._is_fit(found, part):
                return found
            if number + 1 >= choices.made:
                break  # there is no other way
        raise NoFitError(f"nothing that fits was found{f' for `{name}`' if name else ''}")

    def _is_fit(self, value: Any, part: Schema) -> bool:
        if part is self._root:
            return self._fits(value, part)
        if not part.keys() & UNSURE:
            return True  # it is what it is made as, and its parts have been compared
        refers = schemas.references(part)
        if any(not one.startswith(("#/$defs/", "#/definitions/")) for one in refers):
            return True  # it is looked at with what is around it
        named = {key: self._root[key] for key in ("$defs", "definitions", "$schema") if key in self._root}
        return self._fits(value, {**named, **part})

    def _once(self, given: Schema, name: str, depth: int, salt: str, choices: Choices) -> Any:
        part = self._flat(given, choices, 0)
        if "const" in part:
            return part["const"]
        if isinstance(options := part.get("enum"), list):
            return self._option(cast("list[Any]", options), name, salt, choices)
        match self._type(part, choices):
            case "object":
                return self._object(part, depth, salt, choices)
            case "array":
                return self._array(part, name, depth, salt, choices)
            case "boolean":
                return self._flag(name) != bool(choices.pick(2))
            case "integer" | "number" as kind:
                return self._number(part, name, salt, choices, is_whole=kind == "integer")
            case "null":
                return None
            case _:
                return self._string(part, name, salt, choices)

    def _flat(self, part: Schema, choices: Choices, depth: int) -> dict[str, Any]:
        """Give a part as one schema: what it refers to, all that it has to be, one that it may be."""
        if depth > DEEPEST:
            raise NoFitError("it refers to itself")
        found = {key: one for key, one in part.items() if key not in JOINED}
        targets = [part.get(key) for key in ("$ref", "$dynamicRef")]
        more: list[Any] = [self._named(one) for one in targets if isinstance(one, str)]
        more += schemas.parts(part.get("allOf"))
        for key in ("anyOf", "oneOf"):
            if branches := schemas.parts(part.get(key)):
                ordered = sorted(branches, key=schemas.is_nothing)
                more.append(ordered[choices.pick(len(ordered))])
        if "if" in part:
            is_so = choices.pick(2) == 0
            more += [part["if"], part.get("then", True)] if is_so else [part.get("else", True)]
        for inner in more:
            if inner is False:
                raise NoFitError("nothing is allowed there")
            if isinstance(inner, Mapping):
                found = schemas.joined(found, self._flat(cast("Schema", inner), choices, depth + 1))
        return found

    def _named(self, target: str) -> Any:
        found: Any = self._root
        for step in target.removeprefix("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list):
                listed = cast("list[Any]", found)
                found = listed[int(key)] if key.isdecimal() and int(key) < len(listed) else None
            else:
                found = cast("Schema", found).get(key) if isinstance(found, Mapping) else None
            if found is None:
                raise NoFitError(f"it refers to `{target}`, which is not there")
        return found

    def _type(self, part: Schema, choices: Choices) -> str:
        kind = part.get("type")
        if isinstance(kind, list):
            kinds = sorted(cast("list[str]", kind), key=lambda one: one == "null")
            if not kinds:
                raise NoFitError("no type is allowed there")
            return kinds[choices.pick(len(kinds))]
        if isinstance(kind, str):
            return kind
        guessed = next((kind for kind, keys in HINTS.items() if keys & part.keys()), "string")
        others = [
            one for one in ("string", "integer", "object", "array", "boolean", "null") if one != guessed
        ]
        return [guessed, *others][choices.pick(1 + len(others))]

    def _option(self, options: list[Any], name: str, salt: str, choices: Choices) -> Any:
        """Choose among given values: what a verdict says, what the prompt names, or by chance."""
        if not options:
            raise NoFitError("nothing is allowed there")
        preferred = self._preferred(options, name, salt)
        ordered = [preferred, *(one for one in options if one is not preferred)]
        return ordered[choices.pick(len(ordered))]

    def _preferred(self, options: list[Any], name: str, salt: str) -> Any:
        texts = [one for one in options if isinstance(one, str)]
        good = [one for one in texts if GOOD.search(one) and not BAD.search(one)]
        bad = [one for one in texts if BAD.search(one)]
        if good and bad:
            return good[0] if self._verdicts.is_good else bad[0]
        ends = [one for one in texts if OVER.search(one)]
        if ends and len(ends) < len(texts):
            if self._verdicts.is_over:
                return ends[0]
            texts = [one for one in texts if one not in ends]
        said = self._question.casefold()
        asked = [one for one in texts if len(one) > 2 and one.casefold() in said]
        offered = asked or texts or options
        return offered[self._words.draw(f"{name} {salt} option", len(offered))]

    def _flag(self, name: str) -> bool:
        if PROGRESS.search(name):
            return True
        if FAULT.search(name):
            return not self._verdicts.is_good
        return self._verdicts.is_over if OVER.search(name) else self._verdicts.is_good

    def _number(self, part: Schema, name: str, salt: str, choices: Choices, *, is_whole: bool) -> float:
        drawn = self._words.draw(f"{name} {salt} number", 9) + 1
        return number_of(part, drawn, choices, is_good=self._verdicts.is_good, is_whole=is_whole)

    def _string(self, part: Schema, name: str, salt: str, choices: Choices) -> str:
        least, most = int(part.get("minLength", 0)), part.get("maxLength")
        made: list[Callable[[], str]] = []
        pattern = str(part.get("pattern", ""))
        if pattern:
            made += [lambda at=at: self._by_pattern(pattern, f"{name} {salt} {at}", least) for at in range(8)]
            made += [lambda one=one: one for one in OTHERS]
        elif (wanted := part.get("format")) in FORMATS:
            made.append(lambda: FORMATS[str(wanted)])
        else:
            made.append(lambda: self._text(part, name, salt))
        text = made[choices.pick(len(made))]()
        if "pattern" in part or part.get("format") in FORMATS:
            return text
        if len(text) < least:
            filler = f" {self._words.search()}"
            text += filler * ceil((least - len(text)) / len(filler))
            text = text[: max(least, len(text.rstrip()))]
        if most is not None and len(text) > int(most):
            cut = text[: int(most)]
            text = cut.rstrip() if len(cut.rstrip()) >= least else cut
        return text

    def _by_pattern(self, pattern: str, what: str, least: int) -> str:
        count = iter(range(10_000))
        try:
            text = text_for(pattern, lambda many: self._words.draw(f"{what} {next(count)}", many))
        except NoTextError as error:
            raise NoFitError(str(error)) from error
        return text if len(text) >= least else text + "a" * (least - len(text))

    def _text(self, part: Schema, name: str, salt: str) -> str:
        """Make a text by the name of its field."""
        del part
        what = f"{name} {salt}"
        if self._is_call:
            return self._argument(name, what)
        if WHO.search(name) and (listed := LISTED.findall(self._prompt)):
            return listed[self._words.draw(f"{what} who", len(listed))]
        if REASON.search(name):
            good = "It does what was asked." if self._verdicts.is_good else "Something is still missing."
            return f"{good} {self._words.sentence(what)}"
        if SHORT.search(name):
            return self._words.name(what)
        return self._words.prose() if not what.strip() or name in WHOLE else self._words.sentence(what)

    def _argument(self, name: str, what: str) -> str:
        if PATH.search(name):
            found = FILE.search(self._question)
            return found[0] if found else f"{self._words.topics[0]}.txt"
        if QUERY.search(name):
            return self._words.search()
        found = next((text for pattern, text in ARGUMENTS if pattern.search(name)), None)
        return found or (self._words.name(what) if SHORT.search(name) else self._words.sentence(what))

    def _object(self, part: Schema, depth: int, salt: str, choices: Choices) -> dict[str, Any]:
        known = cast("Mapping[str, Any]", part.get("properties") or {})
        required = list(dict.fromkeys(cast("list[str]", part.get("required") or [])))
        is_sparse = depth > DEEP or self._is_call or choices.pick(2) == 1
        wanted = list(required)
        if not is_sparse:
            wanted += [name for name in known if name not in required]
        elif self._is_call and not required:
            wanted += list(known)[:1]
        most = part.get("maxProperties")
        if most is not None:
            wanted = [*required, *(one for one in wanted if one not in required)][
                : max(int(most), len(required))
            ]
        made: dict[str, Any] = {}
        while wanted:
            name = wanted.pop(0)
            if name in made:
                continue
            try:
                made[name] = self._value(self._field(part, name), name, depth + 1, salt)
            except NoFitError:
                if name in required:
                    raise
                continue
            wanted += schemas.dependents(part, name)
            required += schemas.dependents(part, name)
            for more in schemas.dependent_schemas(part, name):
                part = schemas.joined(dict(part), self._flat(more, choices, 1))
                required += [one for one in part.get("required", ()) if one not in required]
                wanted += [one for one in part.get("required", ()) if one not in made]
        # In the order in which the schema names them, as language models answer.
        made = {name: made[name] for name in [*known, *made] if name in made}
        self._fill_up(part, made, depth, salt)
        return made

    def _field(self, part: Schema, name: str) -> Any:
        """What a field has to be: by its name, the patterns of names, or as all others."""
        found: list[Any] = []
        known = cast("Mapping[str, Any]", part.get("properties") or {})
        if name in known:
            found.append(known[name])
        for pattern, one in cast("Mapping[str, Any]", part.get("patternProperties") or {}).items():
            if not self._fits(name, {"not": {"pattern": pattern}}):
                found.append(one)
        if not found:
            found.append(part.get("additionalProperties", True))
        return found[0] if len(found) == 1 else {"allOf": found}

    def _fill_up(self, part: Schema, made: dict[str, Any], depth: int, salt: str) -> None:
        """Add fields under made-up names, where more are wanted, or nothing but such."""
        least = int(part.get("minProperties", 0))
        others = part.get("additionalProperties")
        is_map = isinstance(others, Mapping) and not part.get("properties") and depth <= DEEP
        most = part.get("maxProperties")
        least = max(least, 1 if is_map and (most is None or int(most) > 0) else 0)
        known = list(cast("Mapping[str, Any]", part.get("properties") or {}))
        for name in (*known, *self._names(part, salt)):
            if len(made) >= least:
                return
            if name in made:
                continue
            try:
                made[name] = self._value(self._field(part, name), name, depth + 1, salt)
            except NoFitError:
                continue

    def _names(self, part: Schema, salt: str) -> Iterator[str]:
        """Names for fields that the schema does not name."""
        for pattern in cast("Mapping[str, Any]", part.get("patternProperties") or {}):
            for at in range(6):
                try:
                    yield self._by_pattern(pattern, f"{salt} name {at}", 0)
                except NoFitError:
                    break
        rule, topics = part.get("propertyNames"), self._words.topics
        for at in range(12):
            if isinstance(rule, Mapping):
                try:
                    yield str(self._value({"type": "string", **rule}, "name", 1, f"{salt}{at}"))
                except NoFitError:
                    break
            else:
                yield topics[at % len(topics)] + ("" if at < len(topics) else str(at))

    def _array(self, part: Schema, name: str, depth: int, salt: str, choices: Choices) -> list[Any]:
        places, items = schemas.places(part)
        least, most = int(part.get("minItems", 0)), part.get("maxItems")
        contained = part.get("contains")
        contains = int(part.get("minContains", 1)) if contained is not None else 0
        usual = len(places) or (
            2 if not REFERS.search(name) and depth <= DEEP and choices.pick(2) == 0 else 0
        )
        count = max(least, usual, contains)
        if most is not None:
            count = min(count, int(most))
        is_unique = part.get("uniqueItems") is True
        made: list[Any] = []
        for at in range(count):
            rule = places[at] if at < len(places) else items
            if contains and at >= count - contains:
                rule = {"allOf": [one for one in (rule, contained) if one is not True]}
            one = self._entry(rule, name, depth, f"{salt}.{at}", made if is_unique else None)
            if one is _NONE:
                if len(made) < least or contains:
                    raise NoFitError("there are too few entries that fit")
                break
            made.append(one)
        return made

    def _entry(self, rule: Any, name: str, depth: int, salt: str, before: list[Any] | None) -> Any:
        """Make an entry that is none of those `before`; `_NONE` where there is none."""
        try:
            if before is None:
                return self._value(rule, name, depth + 1, salt)
            known = {schemas.written(one) for one in before}
            for at in range(VARIANTS):
                found = self._value(rule, name, depth + 1, f"{salt}.{at}")
                if schemas.written(found) not in known:
                    return found
            barred = {"not": {"enum": [*before]}}
            return self._value(
                {"allOf": [rule, barred]} if rule is not True else barred, name, depth + 1, salt
            )
        except NoFitError:
            return _NONE


_NONE = object()
