"""What a person types into a search, as the database understands it: all words, quotes around a phrase."""

import re

SHORTEST_BEGINNING = 3
"""Characters from which the last word also finds longer ones; shorter ones begin half of all words."""

_TERM = re.compile(r'"([^"]*)("|$)|([^\s"]+)')


def match_of(words: str) -> str:
    """Give the FTS5 expression for what was typed; empty where there is nothing to look for.

    No character has a meaning of its own but the quotes, so that nothing that is typed is an error.
    """
    terms: list[str] = []
    is_open = False
    for found in _TERM.finditer(words.replace("\0", " ")):
        phrase, _, word = found.groups()
        term = word if word is not None else phrase
        if any(one.isalnum() for one in term):
            terms.append(f'"{term}"')
            is_open = word is not None and found.end() == len(words) and len(word) >= SHORTEST_BEGINNING
    if not terms:
        return ""
    return " ".join(terms) + ("*" if is_open else "")
