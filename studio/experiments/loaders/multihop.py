"""Questions over several paragraphs, with supporting sentences: HotpotQA and 2WikiMultihopQA."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from studio.experiments.loaders.columns import text_in, texts_in, unpacked
from studio.experiments.readers import (
    Columns,
    Read,
    RowError,
    Source,
    converted,
    read_any,
    read_json_lines,
)
from studio.flow.records import Json

ALIASES = "id_aliases.json"


class Paragraph(NamedTuple):
    """A paragraph: its title and its sentences."""

    title: str
    sentences: Sequence[str]


def read_2wiki(source: Source) -> Iterator[Read]:
    """2WikiMultihopQA (Ho et al. 2020): as HotpotQA, with all `answers` by `id_aliases.json` beside it."""
    names = _aliases(source)

    def row(columns: Columns) -> Columns:
        made = multihop(columns)
        answer, more = made["answer"], names.get(str(columns.get("answer_id")), ())
        listed: list[Json] = [answer, *(one for one in more if one != answer)] if answer else []
        return {**made, "answers": listed or None}

    yield from converted(source, read_any(source), row)


def multihop(columns: Columns) -> Columns:
    """HotpotQA (Yang et al. 2018) and 2WikiMultihopQA (Ho et al. 2020): the authors' JSON, or tables of it.

    `context` is the text of all paragraphs, `paragraphs` the same as objects, `supporting_facts` the title,
    place from 0 and text of each sentence that supports the answer, `wanted` the answer with these. Sets
    without answers have None there.
    """
    paragraphs = _paragraphs(columns.get("context"))
    facts = _facts(columns.get("supporting_facts"), paragraphs)
    answer = columns.get("answer")
    more = {name: unpacked(columns[name]) for name in ("type", "level", "evidences") if name in columns}
    return {
        **({"id": text_in(columns, "_id", "id")} if {"_id", "id"} & set(columns) else {}),
        "question": text_in(columns, "question"),
        "answer": answer if isinstance(answer, str) and answer else None,
        "context": "\n\n".join(f"{one.title}\n{''.join(_spaced(one.sentences))}" for one in paragraphs),
        "paragraphs": [{"title": one.title, "sentences": [*one.sentences]} for one in paragraphs],
        "supporting_facts": facts,
        "wanted": {"answer": answer, "supporting_facts": facts} if answer and facts else None,
        "supporting_titles": [*dict.fromkeys(str(cast("dict[str, Json]", one)["title"]) for one in facts)],
        **more,
    }


def _aliases(source: Source) -> Mapping[str, Sequence[str]]:
    """The names of answers by their id in Wikidata; none where the authors' file is not there."""
    path = source.path.parent / ALIASES
    if not path.is_file():
        return {}
    inner = Source(path, source.folder, source.faults, ALIASES)
    return {
        str(one.get("Q_id")): [*texts_in(one, "aliases"), *texts_in(one, "demonyms")]
        for one, _, _ in read_json_lines(inner)
    }


def _paragraphs(value: Json) -> list[Paragraph]:
    """Read `[[title, [sentence, …]], …]`, or the columns that tables make of it."""
    plain = unpacked(value)
    if isinstance(plain, dict):
        titles, texts = plain.get("title"), plain.get("sentences", plain.get("content"))
        pairs = (
            [*zip(titles, texts, strict=False)]
            if isinstance(titles, list) and isinstance(texts, list)
            else None
        )
    else:
        pairs = (
            [(one[0], one[1]) for one in plain if isinstance(one, list) and len(one) > 1]
            if isinstance(plain, list)
            else None
        )
    if not pairs:
        raise RowError("`context` is not a list of titles with their sentences.")
    return [
        Paragraph(str(title), [str(one) for one in texts] if isinstance(texts, list) else [str(texts)])
        for title, texts in pairs
    ]


def _facts(value: Json, paragraphs: Sequence[Paragraph]) -> list[Json]:
    plain = unpacked(value)
    if isinstance(plain, dict):
        titles, places = plain.get("title"), plain.get("sent_id")
        plain = (
            [[*pair] for pair in zip(titles, places, strict=False)]
            if isinstance(titles, list) and isinstance(places, list)
            else []
        )
    known = {one.title: one.sentences for one in paragraphs}
    found: list[Json] = []
    for one in plain if isinstance(plain, list) else []:
        if not isinstance(one, list) or len(one) < 2 or not isinstance(one[1], int):
            raise RowError("`supporting_facts` has an entry that is no title with the place of a sentence.")
        title, place = str(one[0]), one[1]
        sentences = known.get(title, ())
        text = sentences[place].strip() if 0 <= place < len(sentences) else None  # a few point past the end
        found.append({"title": title, "sentence": place, "text": text})
    return found


def _spaced(sentences: Sequence[str]) -> list[str]:
    """HotpotQA's sentences begin with their space, those of 2WikiMultihopQA do not."""
    return [one if not at or one[:1].isspace() else f" {one}" for at, one in enumerate(sentences)]
