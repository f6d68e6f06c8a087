"""Which docks stand open: those that the stage wants or that were asked for, unless a hand said otherwise."""

from collections.abc import Collection, Mapping, Sequence

from studio.ui.window.docks.dock_records import DockRecord, Stage


class OpenedDocks:
    """What is wanted of each dock, by its name; knows no widgets."""

    def __init__(self, records: Sequence[DockRecord]) -> None:
        self._records = {record.name: record for record in records}
        self.hand: dict[str, bool] = {}
        """What a person opened (True) or closed against what the window would have done."""
        self._asked: set[str] = set()
        self._asked_elsewhere: set[str] = set()
        """Beside the canvas, while a table is shown; beside tables, while the canvas is."""
        self._recent = [record.name for record in reversed(records)]
        self._stage = Stage()

    @property
    def stage(self) -> Stage:
        """What is shown just now."""
        return self._stage

    @stage.setter
    def stage(self, stage: Stage) -> None:
        if self._stage.has_run and not stage.has_run:
            of_run = {name for name, record in self._records.items() if record.of_run}
            self._asked -= of_run
            self._asked_elsewhere -= of_run
        if self._stage.is_table != stage.is_table:
            self._asked, self._asked_elsewhere = self._asked_elsewhere, self._asked
        self._stage = stage

    def wants(self, name: str) -> bool:
        """Whether a dock is to be open, if there is room; a table has it all but for what was asked for."""
        if name in self._asked:
            return True
        return not self._stage.is_table and self.hand.get(name, self._opens(name))

    def latest(self, names: Collection[str]) -> str:
        """The one of these that was asked for last; else the first of all."""
        return max(names, key=self._recent.index)

    def ask(self, name: str, place: Collection[str]) -> None:
        """Somebody wants to look at it: it comes, with what of its group stands in its `place`."""
        record = self._records[name]
        self._give_way(record, place)
        self._asked.add(name)
        if record.comes_along:
            self._asked |= {
                one
                for one in place
                if self._is_along(self._records[one], record) and self.hand.get(one, True)
            }
        self._note(name)

    def offer(self, name: str, place: Collection[str], *, is_urgent: bool = False) -> bool:
        """It has something to say: it comes unless a person closed it, and that only where it can wait."""
        if not is_urgent and not self.hand.get(name, True):
            return False
        if self._stage.is_table and not is_urgent:
            self._asked_elsewhere.add(name)
            return False
        self._give_way(self._records[name], place)
        self._asked.add(name)
        self._note(name)
        return True

    def open_by_hand(self, name: str, place: Collection[str]) -> None:
        """A person opened it: it stays, in the place of what they had opened there of another group."""
        self.ask(name, place)
        if self._stage.is_table:
            return
        group = self._records[name].group
        for one in place:
            if self._records[one].group != group and self.hand.get(one):
                del self.hand[one]
        for one in (name, *(one for one in place if one in self._asked)):
            self._set(one, is_open=True)

    def close_by_hand(self, name: str) -> None:
        """A person closed it: it comes back only when it is asked for."""
        self._asked.discard(name)
        if not self._stage.is_table:
            self._set(name, is_open=False)

    def forget(self) -> None:
        """Go by the stage again, as at first."""
        self.hand.clear()
        self._asked.clear()
        self._asked_elsewhere.clear()
        self._recent = list(reversed(self._records))

    def seen(self, places: Sequence[Collection[str]], sides: Mapping[str, str]) -> frozenset[str]:
        """The docks that are open: one group in each place; where it is narrow, on one side of the canvas.

        `places` are the docks that share one each, `sides` those that stand left or right of the canvas.
        """
        open_now: set[str] = set()
        for place in places:
            wanted = [name for name in place if self.wants(name)]
            if wanted:
                group = self._records[self.latest(wanted)].group
                open_now |= {name for name in wanted if self._records[name].group == group}
        beside = {name for name in open_now if name in sides}
        if self._stage.is_narrow and beside:
            side = sides[self.latest(beside)]
            open_now -= {name for name in beside if sides[name] != side}
        return frozenset(open_now)

    def _opens(self, name: str) -> bool:
        return self._records[name].opens(self._stage)

    def _is_along(self, one: DockRecord, record: DockRecord) -> bool:
        return one.comes_along and one.group == record.group

    def _give_way(self, record: DockRecord, place: Collection[str]) -> None:
        """What was only asked for in another group leaves the place to this one."""
        self._asked -= {one for one in place if self._records[one].group != record.group}

    def _note(self, name: str) -> None:
        self._recent.remove(name)
        self._recent.append(name)

    def _set(self, name: str, *, is_open: bool) -> None:
        if self._opens(name) == is_open:
            self.hand.pop(name, None)
        else:
            self.hand[name] = is_open


def hand_text(hand: Mapping[str, bool]) -> str:
    """What a person opened and closed, as the settings keep it: `library+ messages-`."""
    return " ".join(f"{name}{'+' if is_open else '-'}" for name, is_open in sorted(hand.items()))


def hand_of(text: str, names: Collection[str]) -> dict[str, bool]:
    """The same from the settings; what is unknown is left out."""
    found = {part[:-1]: part[-1] for part in text.split() if part[-1] in "+-"}
    return {name: sign == "+" for name, sign in found.items() if name in names}
