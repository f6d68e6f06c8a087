"""Who may read and write what: rules in lines such as `critic: read draft*`, the first that fits decides."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from typing import Literal

from studio.sdk import ToolError

Right = Literal["none", "read", "write"]
RULE = re.compile(r"\s*(?P<who>[^:]+?)\s*:\s*(?P<right>none|read|write)(?:\s+(?P<what>\S.*?))?\s*")


@dataclass(frozen=True, slots=True)
class Permission:
    """What those whose name fits `who` may do with what fits `what`; `*` stands for anything."""

    who: str
    right: Right
    what: str = "*"


def permission_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Validate rules; raises `ValueError`."""
    for line in lines:
        if not RULE.fullmatch(line):
            raise ValueError(f"`{line}` is not a rule: write `WHO: read WHAT`, or `write` or `none`")
    return lines


def read_permissions(lines: Sequence[str]) -> list[Permission]:
    """Read rules, one in a line."""
    found = [RULE.fullmatch(line) for line in lines]
    rights: dict[str, Right] = {"none": "none", "read": "read", "write": "write"}
    return [Permission(one["who"], rights[one["right"]], one["what"] or "*") for one in found if one]


class Rights:
    """What one agent may do. Without any rules all may do all; what no rule fits nobody may."""

    def __init__(self, permissions: Sequence[Permission], by: str) -> None:
        self.by = by
        self._otherwise: Right = "none" if permissions else "write"
        self._rules: list[tuple[Callable[[str], object], Right]] = [
            (re.compile(translate(one.what.casefold())).match, one.right)
            for one in permissions
            if fnmatchcase(by.casefold(), one.who.casefold())
        ]

    def of(self, what: str) -> Right:
        """What it may do with something."""
        folded = what.casefold()
        for fits, right in self._rules:
            if fits(folded):
                return right
        return self._otherwise

    def may_read(self, what: str) -> bool:
        """Whether it may read something."""
        return self.of(what) != "none"

    def may_write(self, what: str) -> bool:
        """Whether it may change something."""
        return self.of(what) == "write"

    def may_anywhere(self, right: Right) -> bool:
        """Whether there can be anything with which it may do so much."""
        order: tuple[Right, ...] = ("none", "read", "write")
        given = [one for _, one in self._rules] or [self._otherwise]
        return max(map(order.index, given)) >= order.index(right)

    def demand(self, right: Right, what: str, called: str) -> None:
        """Raise `ToolError` where it may not do so much with something `called` a note or the like."""
        has = self.of(what)
        if right == "write" and has == "read":
            message = f"`{self.by}` may read the {called} `{what}`, but not change it."
        elif has == "none":
            message = f"`{self.by}` may neither read nor change the {called} `{what}`."
        else:
            return
        raise ToolError(message, hint="The memory's permissions say so: use another one, or change them.")
