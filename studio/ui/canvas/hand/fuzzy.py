"""Finding kinds by a few letters, in the order in which people mean them."""

from collections.abc import Sequence

from studio.ui.canvas.document import KindLook


def ranked(looks: Sequence[KindLook], typed: str) -> list[KindLook]:
    """The kinds that fit what was typed, best first; all of them, in their order, for nothing typed."""
    wanted = typed.casefold().split()
    if not wanted:
        return list(looks)
    whole = " ".join(wanted)
    scored = [
        (sum(scores) + score(look.title, whole), place, look)  # "python func" means the title of two words
        for place, look in enumerate(looks)
        if (scores := _scores(look, wanted))
    ]
    return [look for _, _, look in sorted(scored, key=lambda one: (-one[0], one[1]))]


def score(text: str, wanted: str) -> int:
    """How well `text` fits: whole, start, start of a word, inside, letters in order; 0 for not at all."""
    text = text.casefold()
    if text == wanted:
        return 100
    if text.startswith(wanted):
        return 80
    if any(word.startswith(wanted) for word in text.replace(".", " ").replace("_", " ").split()):
        return 60
    if wanted in text:
        return 40
    return 20 if len(wanted) > 1 and _in_order(text, wanted) else 0


def _scores(look: KindLook, wanted: Sequence[str]) -> list[int]:
    """The best score of each word, or nothing when one fits nowhere."""
    scores: list[int] = []
    for word in wanted:
        best = max(
            2 * score(look.title, word),
            max((score(keyword, word) for keyword in look.keywords), default=0),
            score(look.kind, word),
            30 if len(word) > 2 and word in look.summary.casefold() else 0,
        )
        if best == 0:
            return []
        scores.append(best)
    return scores


def _in_order(text: str, wanted: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in wanted)
