"""One step of two runs as a page: what it read, asked and gave in either, with what differs marked."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import pretty
from studio.trace import figures
from studio.trace.differences.comparison import Side, StepPair
from studio.trace.differences.value_difference import (
    Kind,
    Piece,
    ValueDifference,
    marked_words,
    value_differences,
)
from studio.trace.events.values import Plain
from studio.ui.look import Look
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate

LONGEST = 20_000
"""Characters of one value that are shown."""
MOST = 200
"""Places of one value that are told one by one."""


class DifferencePage:
    """Writes the page; words that only one run has are struck out on the left and underlined on the right."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def html(self, pair: StepPair, about: tuple[str, str], *, shows_all: bool) -> str:
        """Give the page of a pair below what is said `about` either run; with `shows_all`, all of it."""
        sides = (pair.first or Side(), pair.second or Side())
        rows = [self._row(self._about(about[0]), self._about(about[1]))]
        rows.append(self._row(*(self._muted(self._spent(side)) for side in (pair.first, pair.second))))
        names = dict.fromkeys((*pair.differing, *sides[0].things, *sides[1].things))
        for name in names:
            differs = name in pair.differing
            if not differs and not shows_all:
                continue
            rows.append(self._heading(thing_name(name), is_same=not differs))
            rows += self._thing(sides[0].things, sides[1].things, name, is_same=not differs)
        if not pair.differing and not shows_all:
            rows.append(self._wide(self._muted(translate("comparison", "Both runs did the same here."))))
        return f"<table width='100%' cellspacing='0' cellpadding='3'>{''.join(rows)}</table>"

    def _about(self, text: str) -> str:
        title, _, more = text.partition("\n")
        return f"<b>{escape(title)}</b>" + (f"<br>{self._muted(more)}" if more else "")

    def _spent(self, side: Side | None) -> str:
        if side is None:
            return translate("comparison", "not in this run")
        return " · ".join(
            [figures.duration(side.seconds), count_words.tokens(side.tokens), figures.cost(side.cost)]
        )

    def _thing(
        self, first: Mapping[str, Plain], second: Mapping[str, Plain], name: str, *, is_same: bool
    ) -> Iterable[str]:
        if name not in first or name not in second or is_same:
            return [
                self._row(*(self._whole(side.get(name), is_there=name in side) for side in (first, second)))
            ]
        one, other = first[name], second[name]
        if isinstance(one, str) and isinstance(other, str):
            return [self._texts(one, other)]
        if name == "request":
            return self._conversation(one, other)
        return self._places(value_differences(one, other))

    def _conversation(self, one: Plain, other: Plain) -> Iterable[str]:
        """Message by message, then whatever else was asked differently."""
        messages = [cast("Sequence[Plain]", side.get("messages") or ()) for side in (one, other)]
        found = value_differences(list(messages[0]), list(messages[1]))
        rows: list[str] = []
        told: set[tuple[Kind, str | int]] = set()
        for each in found:
            at = each.place[0] if each.place else 0
            is_whole = len(each.place) < 2
            if (each.kind if is_whole else Kind.CHANGED, at) in told and not is_whole:
                continue
            told.add((each.kind if is_whole else Kind.CHANGED, at))
            where = translate("comparison", "message {number}").format(number=int(at) + 1)
            rows.append(self._wide(self._muted(where)))
            if is_whole:
                rows.append(self._row(self._message(each.first), self._message(each.second)))
            else:
                rows += self._places([one for one in found if one.place[:1] == (at,) and len(one.place) > 1])
        same = min(map(len, messages)) - len(told)
        if same > 0:
            words = (
                translate("comparison", "1 message is the same.")
                if same == 1
                else translate("comparison", "{count} messages are the same.").format(count=same)
            )
            rows.append(self._wide(self._muted(words)))
        rest = [{key: side[key] for key in side if key != "messages"} for side in (one, other)]
        return [*rows, *self._places(value_differences(rest[0], rest[1]))]

    def _message(self, message: Plain) -> str:
        if not isinstance(message, dict):
            return self._whole(None, is_there=False)
        plain = cast("Mapping[str, Plain]", message)
        said = plain.get("content")
        return f"<b>{escape(str(plain.get('role', '')))}</b><br>{self._whole(said or message)}"

    def _places(self, found: Sequence[ValueDifference]) -> Iterable[str]:
        for each in found[:MOST]:
            if each.path:
                yield self._wide(self._muted(f"<code>{escape(each.path)}</code>", is_html=True))
            if each.kind is Kind.CHANGED and isinstance(each.first, str) and isinstance(each.second, str):
                yield self._texts(each.first, each.second)
            else:
                only = (each.kind is Kind.REMOVED, each.kind is Kind.ADDED)
                yield self._row(
                    "" if only[1] else self._marked([Piece(_shown(each.first), is_same=False)], 0),
                    "" if only[0] else self._marked([Piece(_shown(each.second), is_same=False)], 1),
                )
        if len(found) > MOST:
            words = translate("comparison", "… and {count} more places.").format(count=len(found) - MOST)
            yield self._wide(self._muted(words))

    def _texts(self, one: str, other: str) -> str:
        pieces = marked_words(one[:LONGEST], other[:LONGEST])
        return self._row(self._marked(pieces[0], 0), self._marked(pieces[1], 1))

    def _marked(self, pieces: Iterable[Piece], side: int) -> str:
        color = self._look.color("state.failed" if side == 0 else "state.done").name()
        line = "line-through" if side == 0 else "underline"
        return "".join(
            _lines(piece.text)
            if piece.is_same
            else f"<span style='color:{color}; text-decoration:{line}'>{_lines(piece.text)}</span>"
            for piece in pieces
        )

    def _whole(self, value: Plain, *, is_there: bool = True) -> str:
        return _lines(_shown(value)) if is_there else self._muted(translate("comparison", "nothing"))

    def _heading(self, text: str, *, is_same: bool) -> str:
        mark = translate("comparison", "the same") if is_same else "≠"
        return self._wide(f"<b>{escape(text)}</b> {self._muted(mark)}")

    def _muted(self, text: str, *, is_html: bool = False) -> str:
        said = text if is_html else escape(text)
        return f"<span style='color:{self._look.color('text.muted').name()}'>{said}</span>"

    def _row(self, first: str, second: str) -> str:
        return f"<tr><td width='50%' valign='top'>{first}</td><td width='50%' valign='top'>{second}</td></tr>"

    def _wide(self, text: str) -> str:
        return f"<tr><td colspan='2'>{text}</td></tr>"


def thing_name(thing: str) -> str:
    """Say what was compared in words: `read prompt` for `inputs.prompt`."""
    what, _, port = thing.partition(".")
    match what:
        case "inputs":
            return translate("comparison", "input {port}").format(port=port)
        case "outputs":
            return translate("comparison", "output {port}").format(port=port)
        case "status":
            return translate("comparison", "state")
        case "request":
            return translate("comparison", "request")
        case _:
            return thing


def _shown(value: Plain) -> str:
    return (value if isinstance(value, str) else pretty(value))[:LONGEST]


def _lines(text: str) -> str:
    """Keep line breaks and indentation."""
    return escape(text).replace("  ", "&nbsp; ").replace("\n", "<br>")
