"""The answers of a recording, found by what is asked: equal requests are answered in the order of the run."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from datetime import datetime
from random import Random
from typing import Any, NoReturn

from studio.export.playing.playbook import Asked, Draw, Playbook, Unlike
from studio.export.playing.unlike import canonical, extra_request, missing_request, nearest, other_request
from studio.trace.compare import without_call_ids

Report = Callable[[Unlike], NoReturn]


class Answers:
    """What is left of a recording while a script is played; `report` is told the first difference."""

    def __init__(self, playbook: Playbook, report: Report) -> None:
        self.report = report
        self.images = playbook.images
        self.broken = [one.broken for one in playbook.asked if one.broken is not None]
        self.used = 0
        self.waiting: list[Asked] = []
        self._all = playbook.asked
        self._has_failed = playbook.broken is not None
        self._left: dict[str, deque[Asked]] = defaultdict(deque)
        self._clock = by_call(playbook.clock)
        self._seeds = by_call(playbook.seeds)
        began = playbook.clock[0].value if playbook.clock else "2000-01-01T00:00:00+00:00"
        self._time = datetime.fromisoformat(began)
        for one in playbook.asked:
            self._left[_key(one.sort, one.request)].append(one)

    def take(self, sort: str, request: Any) -> Asked:
        """Give what the recording has of a request; where it has nothing, that is reported."""
        key = _key(sort, request)
        waiting = self._left[key]
        if not waiting:
            self._report(sort, request, key)
        self.used += 1
        return waiting.popleft()

    def find(self, sort: str, request: Any) -> Asked | None:
        """Give what the recording has of what takes no time; None where the run failed before that."""
        if self._has_failed and not self._left[_key(sort, request)]:
            return None
        return self.take(sort, request)

    async def answer(self, sort: str, request: Any) -> Asked:
        """Wait as long as the run waited, and give what came; what never came is waited for without end.

        What is done once more takes its time by itself.
        """
        found = self.take(sort, request)
        if not found.is_answered and found.broken is None:
            self.waiting.append(found)
            await asyncio.Event().wait()
        if not found.is_inside:
            await asyncio.sleep(found.seconds)
        return found

    def left(self) -> list[Asked]:
        """What was not asked for yet, in the order of the run."""
        left = {id(one) for waiting in self._left.values() for one in waiting}
        return [one for one in self._all if id(one) in left]

    def missing(self) -> Unlike | None:
        """The first request that a script should have made and did not."""
        return next((missing_request(one) for one in self.left() if one.is_owed), None)

    def _report(self, sort: str, request: Any, key: str) -> NoReturn:
        """Say that a request has no answer, and which recorded one it may be meant to be."""
        made = next((one for one in self._all if _key(one.sort, one.request) == key), None)
        like = None if made is not None else nearest(sort, request, self.left())
        if like is not None:
            self.report(other_request(sort, request, like))
        self.report(extra_request(sort, request, made))

    def now(self, call: str = "", node: str = "") -> datetime:
        """Give the time as the run was told it within this call."""
        drawn = taken(self._clock[call], node)
        if drawn is not None:
            self._time = datetime.fromisoformat(drawn.value)
        return self._time

    def random(self, call: str = "", node: str = "") -> Random:
        """Give a source of chance as the run had it within this call."""
        drawn = taken(self._seeds[call], node)
        return Random(0 if drawn is None else drawn.value)  # noqa: S311  # as it was


def by_call(draws: Sequence[Draw]) -> dict[str, list[Draw]]:
    """What was drawn within each call, in order."""
    found: dict[str, list[Draw]] = defaultdict(list)
    for one in draws:
        found[one.call].append(one)
    return found


def taken(left: list[Draw], node: str) -> Draw | None:
    """Take the first that a node drew, or else the first that anybody did."""
    place = next((place for place, one in enumerate(left) if one.node == node), 0)
    return left.pop(place) if left else None


def _key(sort: str, request: Any) -> str:
    return f"{sort} {canonical(without_call_ids(request) if sort == 'chat' else request)}"
