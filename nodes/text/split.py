r"""Split text: split a text by separator, size or headings.

*Tokens* are counted without asking a language model: a token is a word or a punctuation mark. English has
about four of a language model's tokens for three words, so leave room. Pieces are cut between tokens;
`overlap` tokens stand at the end of one piece and at the start of the next.

*Headings* are those of Markdown (`# Birds`), down to `depth`; what stands before the first is a piece of
its own. A `#` within a code block is no heading.

```json
{
  "inputs": {"text": "# Hedge\nA dunnock.\n\n# Pond\nA heron.\n"},
  "settings": {"by": "headings"},
  "outputs": {"pieces": ["# Hedge\nA dunnock.", "# Pond\nA heron."]}
}
```
"""

import re
from typing import Annotated, Literal

from studio.bounds.weights import refuse_larger
from studio.sdk import In, Out, Setting, StepError, node

TOKEN = re.compile(r"\w+|[^\w\s]")
PIECE = 50
"""About how many characters of a text take as much memory as a piece of their own."""

HEADING = re.compile(r"(#{1,6})\s+\S")
FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


@node(
    "text.split",
    title="Split text",
    keywords=("chunk", "cut", "separator", "tokens", "headings", "lines"),
    heavy=True,
)
def split_text(
    text: Annotated[str, In("The text to split")],
    *,
    by: Annotated[Literal["separator", "tokens", "headings"], Setting("Split by")] = "separator",
    separator: Annotated[
        str, Setting("Separator", editor="text", help="By separator: the text between pieces")
    ] = "\n",
    skip_blank: Annotated[bool, Setting("Skip blank pieces", help="By separator")] = True,
    size: Annotated[int, Setting("Size", minimum=1, help="By tokens: max. tokens per piece")] = 400,
    overlap: Annotated[
        int, Setting("Overlap", minimum=0, help="By tokens: tokens shared by neighbouring pieces")
    ] = 0,
    depth: Annotated[
        int, Setting("Depth", minimum=1, maximum=6, help="By headings: deepest level to split at")
    ] = 6,
) -> Annotated[list[str], Out("pieces", "The pieces, in order, trimmed")]:
    """Cut `text` as `by` says."""
    match by:
        case "separator":
            return split_by_separator(text, separator=separator, skip_blank=skip_blank)
        case "tokens":
            return split_by_tokens(text, size=size, overlap=overlap)
        case "headings":
            return split_by_headings(text, depth=depth)


def split_by_separator(text: str, *, separator: str = "\n", skip_blank: bool = True) -> list[str]:
    """Cut `text` at every `separator`; at none where it is empty."""
    refuse_larger(len(text) + PIECE * text.count(separator or text))
    pieces = [piece.strip() for piece in (text.split(separator) if separator else [text])]
    return [piece for piece in pieces if piece or not skip_blank]


def split_by_tokens(text: str, *, size: int = 400, overlap: int = 0) -> list[str]:
    """Cut `text` between words, after `size` of them; the last `overlap` of a piece begin the next."""
    if overlap >= size:
        message = f"An overlap of {overlap} tokens leaves no room in pieces of {size}."
        raise StepError(message, hint="Reduce the overlap, or enlarge the pieces.")
    tokens = [found.span() for found in TOKEN.finditer(text)]
    firsts = range(0, max(len(tokens) - overlap, min(len(tokens), 1)), size - overlap)
    cuts = [(tokens[one][0], tokens[min(one + size, len(tokens)) - 1][1]) for one in firsts]
    refuse_larger(sum(PIECE + end - start for start, end in cuts))
    return [text[start:end] for start, end in cuts]


def split_by_headings(text: str, *, depth: int = 6) -> list[str]:
    """Cut `text` before each Markdown heading that is no deeper than `depth`."""
    refuse_larger(len(text) + PIECE * text.count("\n"))
    pieces: list[list[str]] = [[]]
    fence = ""
    for line in text.splitlines():
        fenced, heading = FENCE.match(line), HEADING.match(line)
        if fenced and not fence:
            fence = fenced[1]
        elif fenced and fenced[1].startswith(fence):
            fence = ""
        elif heading and not fence and len(heading[1]) <= depth:
            pieces.append([])
        pieces[-1].append(line)
    joined = ("\n".join(lines).strip() for lines in pieces)
    return [piece for piece in joined if piece]
