"""Where words stand in the runs of a project."""

from typing import TYPE_CHECKING

from studio.terminal.output import print_json, write_line

if TYPE_CHECKING:
    from studio.store.indexes.search import Hit
    from studio.store.reader import RunStore


def search_runs(store: "RunStore", words: str, limit: int, *, as_json: bool) -> int:
    """Print each place with the words around it, the newest runs first; gives 0 also where there is none."""
    hits = store.search(words, limit)
    if as_json:
        print_json([_plain(hit) for hit in hits])
        return 0
    for hit in hits:
        write_line(f"{hit.run}  {hit.step or 'the run'}  {_marked(hit)}")
    if not hits:
        write_line("No match. Active runs are not searched.")
    return 0


def _marked(hit: "Hit") -> str:
    """Put what was found between `»` and `«`."""
    pieces: list[str] = []
    at = 0
    for start, end in hit.marks:
        pieces += [hit.text[at:start], "»", hit.text[start:end], "«"]
        at = end
    return "".join([*pieces, hit.text[at:]])


def _plain(hit: "Hit") -> dict[str, object]:
    return {"run": hit.run, "step": hit.step, "entry": hit.number, "text": hit.text, "marks": hit.marks}
