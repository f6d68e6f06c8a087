"""The gallery as cards: which there are, what each says, and which of them a search leaves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from studio.app.gallery.records import MECHANISMS, Mechanism
from studio.app.gallery.systems import Entry, Shown, Standing

translate = QCoreApplication.translate


class Among(StrEnum):
    """Which systems are looked at."""

    BUILT = "built"
    WORKS = "works"
    PARTLY = "partly"
    NOT_YET = "not yet"
    IMPOSSIBLE = "impossible"
    ALL = "all"


STANDINGS = {
    Among.BUILT: {Standing.WORKS, Standing.PARTLY},
    Among.WORKS: {Standing.WORKS},
    Among.PARTLY: {Standing.PARTLY},
    Among.NOT_YET: {Standing.NOT_YET},
    Among.IMPOSSIBLE: {Standing.IMPOSSIBLE},
    Among.ALL: set(Standing),
}


@dataclass(frozen=True, slots=True)
class GalleryCard:
    """A system: what its card says, and the entry that it is of."""

    entry: Entry
    title: str
    line: str
    """What it shows, or what is told of why it is not there."""

    @property
    def is_built(self) -> bool:
        """Whether there is a project to open."""
        return self.entry.exhibit is not None

    @property
    def mechanisms(self) -> Sequence[Mechanism]:
        """What it shows."""
        return self.entry.exhibit.record.mechanisms if self.entry.exhibit else ()

    @property
    def searched(self) -> str:
        """The words in which a search looks."""
        system = self.entry.system
        words = (self.title, system.id, system.name, system.paper, system.mechanism, self.line)
        return " ".join(words).casefold()


def cards_of(entries: Iterable[Entry]) -> list[GalleryCard]:
    """Make a card of each system, those that can be opened first, by their titles."""
    cards = [_card(one) for one in entries]
    return sorted(cards, key=lambda one: (not one.is_built, one.title.casefold()))


def found_cards(
    cards: Iterable[GalleryCard], words: str, mechanism: str = "", among: Among = Among.BUILT
) -> list[GalleryCard]:
    """Those that have all the words, show the mechanism (any, where it is empty), and stand so."""
    asked = words.casefold().split()
    return [
        one
        for one in cards
        if one.entry.standing in STANDINGS[among]
        and (not mechanism or mechanism in one.mechanisms)
        and all(word in one.searched for word in asked)
    ]


def mechanisms_shown(cards: Iterable[GalleryCard]) -> list[tuple[Mechanism, int]]:
    """Which mechanisms are shown, and by how many systems, in the order in which they are listed."""
    counts: dict[Mechanism, int] = dict.fromkeys(MECHANISMS, 0)
    for card in cards:
        for one in card.mechanisms:
            counts[one] += 1
    return [(one, count) for one, count in counts.items() if count]


def mechanism_title(mechanism: str) -> str:
    """What people call a mechanism."""
    titles = {
        "debate": translate("gallery", "Debate"),
        "voting": translate("gallery", "Voting"),
        "planning": translate("gallery", "Planning"),
        "memory": translate("gallery", "Memory"),
        "routing": translate("gallery", "Routing"),
        "search": translate("gallery", "Search"),
        "teams": translate("gallery", "Teams"),
        "tools": translate("gallery", "Tools"),
        "code": translate("gallery", "Code"),
        "safety": translate("gallery", "Safety"),
        "simulation": translate("gallery", "Simulation"),
        "pipelines": translate("gallery", "Pipelines"),
        "training": translate("gallery", "Training"),
    }
    return titles.get(mechanism, mechanism)


def among_title(among: Among) -> str:
    """What people call a choice among the systems."""
    titles = {
        Among.BUILT: translate("gallery", "Can be opened"),
        Among.WORKS: translate("gallery", "Works"),
        Among.PARTLY: translate("gallery", "Works partly"),
        Among.NOT_YET: translate("gallery", "Not yet"),
        Among.IMPOSSIBLE: translate("gallery", "Impossible"),
        Among.ALL: translate("gallery", "All systems"),
    }
    return titles[among]


def state_words(entry: Entry) -> str:
    """Say how a system stands and what can be claimed of it, and why."""
    states = {
        Standing.WORKS: translate("gallery", "Works"),
        Standing.PARTLY: translate("gallery", "Works partly; missing: {why}"),
        Standing.NOT_YET: translate("gallery", "Not yet"),
        Standing.IMPOSSIBLE: translate("gallery", "Impossible: {why}"),
    }
    claims = {
        Shown.REPRODUCIBLE: translate("gallery", "reproducible"),
        Shown.WEIGHTS: translate("gallery", "weights elsewhere: {why}"),
        Shown.STAND_IN: translate("gallery", "stand-in: {why}"),
    }
    state = states[entry.standing].format(why=entry.why)
    if entry.standing is Standing.IMPOSSIBLE:
        return state
    claim = claims[entry.shown]
    if entry.standing is Standing.PARTLY:
        claim = claim.removesuffix(": {why}")
    return f"{state} · {claim.format(why=entry.why)}"


def _card(entry: Entry) -> GalleryCard:
    if entry.exhibit is None:
        return GalleryCard(entry, entry.system.name, state_words(entry))
    record = entry.exhibit.record
    return GalleryCard(entry, record.title, " · ".join(mechanism_title(one) for one in record.mechanisms))
