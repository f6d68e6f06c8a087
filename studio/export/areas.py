"""Error policies of collects, which no script can have as the engine has them, are refused."""

from studio.errors import ExportError
from studio.flow.ports import Structure
from studio.flow.records import Flow, Library, title_of


def refuse_untold_areas(flow: Flow, library: Library) -> None:
    """Refuse error policies of collects, which speak for all that happens to the items of a map.

    Raises `ExportError` naming the node.
    """
    for name, record in flow.nodes.items():
        signature = library.signature(record)
        if signature is None or signature.structure is not Structure.COLLECT or record.run.state:
            continue
        if record.run.on_error != "fail":
            message = (
                f"“{title_of(flow, name)}” cannot be exported: "
                "no script form is known for a Collect with an error policy."
            )
            raise ExportError(
                message, hint="Give it to the steps inside, or run the flow with `stepwire run`."
            )
