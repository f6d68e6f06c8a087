"""The few of many tools whose names and descriptions fit some words best."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from studio.sdk import Tool

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_a-zA-Z]+")
ENDING = re.compile(r"(?<=...)(?:ing|ed|e?s|e)$")
LITTLE = (
    "a an and any are as at be by can do for from get how i in into is it me my of on or the that this to "
    "use with"
)
"""What says nothing of what a tool does."""


def fitting(tools: Sequence[Tool], query: str, most: int) -> list[Tool]:
    """The tools that say more of the words, and rarer ones; those in a name count twice."""
    said = [Counter(2 * words(tool.name) + words(tool.description)) for tool in tools]
    among = Counter(word for one in said for word in one)
    asked = set(words(query))
    scores = [
        sum(math.log(1 + len(tools) / among[word]) * min(one[word], 3) for word in asked & one.keys())
        for one in said
    ]
    best = sorted(range(len(tools)), key=lambda place: (-scores[place], place))
    return [tools[place] for place in best[:most] if scores[place] > 0]


def words(text: str) -> list[str]:
    """The words of a text or name, without endings: `findBirds_now` has find, bird and now."""
    little = LITTLE.split()
    found = (word.lower() for word in WORD.findall(text))
    return [ENDING.sub("", word) for word in found if word not in little]
