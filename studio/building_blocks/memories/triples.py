"""Triples of subject, relation and object: how they are read, and what of them is connected.

Two names are one thing where they differ in nothing but capital letters, spaces and a leading article.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from studio.building_blocks.memories.word_search import ranked_by_words, words_of
from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.sdk import Item, Json, Recalled, ToolError

BETWEEN = " | "
"""What stands between the parts of a triple in its id, and where it is written in a line."""

AROUND = ".,;:!?\"'()[]…“”\u2018\u2019"
"""What stands around names in a sentence, and is no part of them."""

PARTS = ("subject", "relation", "object")
ARTICLES = ("the ", "a ", "an ")
LONGEST_NAME = 8
"""Words of a name that is looked for in a query."""

ALIKE = 5
"""Things that are taken where a query names none whole."""


@dataclass(frozen=True, slots=True)
class Triple:
    """That a subject stands in a relation to an object."""

    subject: str
    relation: str
    object: str

    @property
    def id(self) -> str:
        """The same for all ways to write it."""
        relation = " ".join(self.relation.casefold().replace("|", "/").split())
        return BETWEEN.join((known_as(self.subject), relation, known_as(self.object)))

    @property
    def text(self) -> str:
        """It as a sentence."""
        return f"{self.subject} {self.relation} {self.object}"


@dataclass(frozen=True, slots=True)
class Reached:
    """A triple that was reached from a thing, in so many hops."""

    place: int
    hop: int
    thing: str


def known_as(name: str) -> str:
    """What all ways to write a name have in common."""
    folded = " ".join(filter(None, map(cleaned, name.casefold().split()))).replace("|", "/")
    for article in ARTICLES:
        folded = folded.removeprefix(article)
    return folded or name.strip().casefold()


def triples_in(text: str) -> list[Triple]:
    """Read lines such as `Ada | wrote | the Notes`; none where a line is no triple."""
    found: list[Triple] = []
    for line in filter(str.strip, text.splitlines()):
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 3 or not all(parts):
            return []
        found.append(Triple(*parts))
    return found


def given_triples(fields: Mapping[str, Json]) -> list[Triple]:
    """The triples in the fields of a note; raises `ToolError` for what is none."""
    several = fields.get("triples", [])
    one = [fields.get(name, "") for name in PARTS]
    rows = [*(several if is_list(several) else [several]), *([one] if any(one) else [])]
    return [read_triple(row) for row in rows]


def read_triple(row: Json) -> Triple:
    """Read a triple from a list or an object; raises `ToolError`."""
    if is_object(row):
        row = [row.get(name, "") for name in PARTS]
    if is_list(row) and len(row) == 3:
        parts = [str(part).strip() for part in row if isinstance(part, str | int | float)]
        if len(parts) == len(row) and all(parts):
            return Triple(*parts)
    raise ToolError("This is not a triple.", hint="Pass a subject, a relation and an object, each as text.")


@dataclass(frozen=True, slots=True)
class Ends:
    """The subjects and objects of triples, as they are known; what is no triple has neither."""

    subjects: Sequence[str]
    objects: Sequence[str]
    things: Mapping[str, None]
    """All of them, each once."""

    def of(self, place: int) -> tuple[str, str]:
        """Those of one triple."""
        return self.subjects[place], self.objects[place]


def ends_of(items: Iterable[Item]) -> Ends:
    """Read them from the ids, which takes a tenth of the time that the names would."""
    subjects, objects = list[str](), list[str]()
    for one in items:
        parts = one.id.split(BETWEEN)
        is_triple = len(parts) == 3
        subjects.append(parts[0] if is_triple else "")
        objects.append(parts[2] if is_triple else "")
    things = dict.fromkeys(chain(subjects, objects))
    things.pop("", None)
    return Ends(subjects, objects, things)


def named_in(text: str, ends: Ends) -> list[str]:
    """The things that a text names whole, in its order; of names that overlap the longest."""
    words = [cleaned(word) for word in text.casefold().split()]
    found: dict[str, None] = {}
    start = 0
    while start < len(words):
        lengths = range(min(len(words) - start, LONGEST_NAME), 0, -1)
        names = (" ".join(filter(None, words[start : start + length])) for length in lengths)
        length, name = next(
            ((n, one) for n, one in zip(lengths, names, strict=True) if one in ends.things), (1, "")
        )
        if name:
            found.setdefault(name)
        start += length
    return list(found)


def cleaned(word: str) -> str:
    """A word without what stands around it in a sentence."""
    return word.strip(AROUND).removesuffix("'s").removesuffix("\u2019s")


def alike_in(text: str, ends: Ends, most: int = ALIKE) -> list[str]:
    """The things whose names share most with the words of a text."""
    known = list(ends.things)
    return [known[place] for place, _, _ in islice(ranked_by_words(known, text), most)]


def connected(
    items: Sequence[Item], ends: Ends, things: Sequence[str], hops: int, query: str
) -> Iterator[Recalled]:
    """What is connected with the things within so many hops, the nearest first, then what says more.

    Of those that are as good the latest come first. Why says the path that leads there.
    """
    reached, came = _reached(ends, things, hops)
    words = words_of(query)

    def score(one: Reached) -> float:
        """How near it is, and how much of the query it says."""
        text = items[one.place].id
        return (1 + sum(word in text for word in words) / max(1, len(words))) / (2 * one.hop)

    ranked = sorted(((score(one), one) for one in reached), key=lambda pair: (-pair[0], -pair[1].place))
    for value, one in ranked:
        yield Recalled(items[one.place], round(value, 4), _path(items, one, came))


def _reached(ends: Ends, things: Sequence[str], hops: int) -> tuple[list[Reached], dict[str, Reached | None]]:
    """The triples that are reached, and by which of them each thing was reached first."""
    came: dict[str, Reached | None] = dict.fromkeys(things)
    found: list[Reached] = []
    taken: set[int] = set()
    last = set(things)
    for hop in range(1, hops + 1):
        touched = [
            Reached(place, hop, subject if subject in last else thing)
            for place, (subject, thing) in enumerate(zip(ends.subjects, ends.objects, strict=True))
            if (subject in last or thing in last) and place not in taken
        ]
        found += touched
        taken.update(one.place for one in touched)
        last = set[str]()
        for one in touched:
            for thing in ends.of(one.place):
                if thing and thing not in came:
                    came[thing] = one
                    last.add(thing)
    return found, came


def _path(items: Sequence[Item], one: Reached, came: Mapping[str, Reached | None]) -> str:
    """The way from what was named to a triple, in words and arrows."""
    steps: list[Reached] = []
    at: Reached | None = one
    while at is not None:
        steps.append(at)
        at = came[at.thing]
    path = ""
    for step in reversed(steps):
        subject, relation, thing = parts_of(items[step.place])
        goes_on = known_as(subject) == step.thing
        here, there = (subject, thing) if goes_on else (thing, subject)
        path = path or here
        path += f" –{relation}→ {there}" if goes_on else f" ←{relation}– {there}"
    return path


def parts_of(item: Item) -> tuple[str, str, str]:
    """Subject, relation and object as they were written."""
    subject, relation, thing = (str(item.data.get(name, "")) for name in PARTS)
    return subject, relation, thing


def has_parts(item: Item, fields: Mapping[str, Json]) -> bool:
    """Whether a triple has all of the subject, relation and object that are given, and any are."""
    given = {name: str(fields[name]) for name in PARTS if fields.get(name)}
    return bool(given) and all(known_as(str(item.data.get(name))) == known_as(given[name]) for name in given)


def entities_in(fields: Mapping[str, Json]) -> list[str]:
    """The things that somebody asks for by name."""
    given = fields.get("entities", [])
    names = given if is_list(given) else [given]
    return [known_as(str(name)) for name in names if name]
