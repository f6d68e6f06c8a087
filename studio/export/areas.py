"""Loops and maps that a script cannot have as the engine has them: it says so, and does nothing else."""

from studio.errors import ExportError
from studio.flow.ports import Structure
from studio.flow.records import Flow, Library, title_of

_AREAS = {
    Structure.LOOP: "a loop",
    Structure.FOR_EACH: "a For each",
    Structure.COLLECT: "a Collect",
}


def refuse_untold_areas(flow: Flow, library: Library) -> None:
    """Refuse time limits and error policies of loops and maps.

    Raises `ExportError` naming the node.
    """
    for name, record in flow.nodes.items():
        signature = library.signature(record)
        kind = _AREAS.get(signature.structure) if signature is not None and signature.structure else None
        if signature is None or kind is None or record.run.state:
            continue
        title = title_of(flow, name)
        if record.run.time_limit is not None or record.run.on_error != "fail":
            what = "a time limit" if record.run.time_limit is not None else "an error policy"
            message = f"“{title}” cannot be exported: no script form is known for {kind} with {what}."
            raise ExportError(
                message, hint="Give it to the steps inside, or run the flow with `stepwire run`."
            )
